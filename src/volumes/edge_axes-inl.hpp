// The separating-axis test of two points, segments, triangles or boxes: the normals of their faces, and the cross
// products of their edges (S. Gottschalk, M. C. Lin, D. Manocha, "OBBTree", 1996), four axes at once.
//
// The overlap along an axis L is the sum of the extents of both shapes along it, minus the distance of their origins.
// Nothing is assumed of a box but its edges, so a frame that is off right angles by rounding changes nothing. An
// overlap is computed times the length of L, and is off by less than 2^-48 times the size of all terms and times the
// lengths of the two edges of which L is the product: three roundings of L, and five or so of each product with it. All
// instruction sets give the same bits.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "volumes/edge_axes.hpp"

#if defined(WHISKER_EDGE_AXES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef WHISKER_EDGE_AXES_INL
#undef WHISKER_EDGE_AXES_INL
#else
#define WHISKER_EDGE_AXES_INL
#endif

#include <hwy/highway.h>

#include "simd/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whisker::volumes::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using simd::HWY_NAMESPACE::Lanes3;
using simd::HWY_NAMESPACE::load3;
using simd::HWY_NAMESPACE::set3;

/// Four doubles, in one or two vectors.
using AxesTag = hn::CappedTag<double, 4>;
using AxesVec = hn::Vec<AxesTag>;
using AxesMask = hn::Mask<AxesTag>;
using Axes3 = Lanes3<AxesVec>;
constexpr AxesTag axes_tag;

/// How far a shape extends from its origin along a direction and against it, times the direction's length.
struct Extents {
  AxesVec up, down;
};

template <EdgeForm form>
HWY_INLINE Extents extents_of(const EdgeCore& core, const Axes3& along) {
  constexpr AxesTag d;
  const auto at = [&](std::size_t i) HWY_ATTR {
    const double edge[3] = {core.x[i], core.y[i], core.z[i]};
    return dot(along, set3(d, edge));
  };
  const AxesVec zero = hn::Zero(d);
  if constexpr (form == EdgeForm::point) {
    return {zero, zero};
  } else if constexpr (form == EdgeForm::axis) {
    const AxesVec both = hn::Mul(hn::Abs(at(0)), hn::Set(d, core.half[0]));
    return {both, both};
  } else if constexpr (form == EdgeForm::box) {
    const AxesVec x = hn::Mul(hn::Abs(at(0)), hn::Set(d, core.half[0])),
                  y = hn::Mul(hn::Abs(at(1)), hn::Set(d, core.half[1])),
                  z = hn::Mul(hn::Abs(at(2)), hn::Set(d, core.half[2]));
    const AxesVec both = hn::Add(hn::Add(x, y), z);
    return {both, both};
  } else {
    AxesVec low = hn::Min(at(0), zero), high = hn::Max(at(0), zero);
    if constexpr (form == EdgeForm::triangle) {
      low = hn::Min(at(1), low);
      high = hn::Max(at(1), high);
    }
    return {high, hn::Neg(low)};
  }
}

/// The size of all coordinates of a shape relative to its origin.
template <EdgeForm form>
HWY_INLINE double size_of(const EdgeCore& core) {
  const auto edge = [&](std::size_t i)
                        HWY_ATTR { return (std::abs(core.x[i]) + std::abs(core.y[i])) + std::abs(core.z[i]); };
  if constexpr (form == EdgeForm::point) return 0;
  if constexpr (form == EdgeForm::axis) return edge(0) * core.half[0];
  if constexpr (form == EdgeForm::segment) return edge(0);
  if constexpr (form == EdgeForm::triangle) return edge(0) + edge(1);
  return (edge(0) * core.half[0] + edge(1) * core.half[1]) + edge(2) * core.half[2];
}

/// The axes of two shapes, in groups of four: first the faces' normals of a and b, then the products of an edge of one
/// shape with all edges of the other. In groups of fewer than four the last is repeated.
template <EdgeForm form_a, EdgeForm form_b>
struct EdgeAxes {
  static constexpr std::size_t edges_a = edge_count(form_a), edges_b = edge_count(form_b);
  static constexpr std::size_t faces_a = face_count(form_a), faces_b = face_count(form_b), faces = faces_a + faces_b;
  static constexpr std::size_t face_groups = (faces + 3) / 4;
  /// The shape with fewer edges gives one to each group.
  static constexpr bool is_a_in_rows = edges_a <= edges_b;
  static constexpr std::size_t rows = is_a_in_rows ? edges_a : edges_b, columns = is_a_in_rows ? edges_b : edges_a;
  static constexpr std::size_t groups = face_groups + rows, room = 4 * groups;

  static constexpr EdgePair face_pair(std::size_t face) {
    const bool of_b = face >= faces_a;
    const std::size_t i = of_b ? face - faces_a : face;
    const bool is_box = (of_b ? form_b : form_a) == EdgeForm::box;
    const std::size_t first = is_box ? (i + 1) % 3 : 0, second = is_box ? (i + 2) % 3 : 1, base = of_b ? 4 : 0;
    return {static_cast<unsigned char>(base + first), static_cast<unsigned char>(base + second)};
  }
  static constexpr EdgePair pair(std::size_t axis) {
    const std::size_t group = axis / 4, lane = axis % 4;
    if (group < face_groups) return face_pair(std::min(axis, faces - 1));
    const auto row = static_cast<unsigned char>(group - face_groups),
               column = static_cast<unsigned char>(std::min(lane, columns - 1));
    if constexpr (is_a_in_rows) return {row, static_cast<unsigned char>(4 + column)};
    return {column, static_cast<unsigned char>(4 + row)};
  }
  /// Whether it is not a repetition.
  static constexpr bool is_first(std::size_t axis) {
    return axis / 4 < face_groups ? axis < faces : axis % 4 < columns;
  }

  const EdgeCore &a, &b;
  const double* between;  ///< From a's origin to b's.
  double size;            ///< Of all terms.
  alignas(32) double length_a[4], length_b[4];

  HWY_INLINE EdgeAxes(const EdgeCore& a_, const EdgeCore& b_, const double* between_)
      : a(a_), b(b_), between(between_) {
    size = ((std::abs(between[0]) + std::abs(between[1])) + std::abs(between[2])) +
           (size_of<form_a>(a) + size_of<form_b>(b));
    constexpr AxesTag d;
    for (std::size_t at = 0; at < 4; at += hn::Lanes(d)) {
      const Axes3 of_a = load3(d, a.x + at, a.y + at, a.z + at), of_b = load3(d, b.x + at, b.y + at, b.z + at);
      if (edges_a > 0) hn::Store(hn::Sqrt(dot(of_a, of_a)), d, length_a + at);
      if (edges_b > 0) hn::Store(hn::Sqrt(dot(of_b, of_b)), d, length_b + at);
    }
  }

  /// Some axes, each times an unknown length.
  struct Some {
    Axes3 along;
    AxesVec lengths;      ///< The product of the lengths of the two edges.
    AxesVec apart;        ///< The origins' distance along the axis.
    AxesVec forth, back;  ///< The overlap if b leaves along the axis, and against it.
  };

  /// The axes that start at this number.
  HWY_INLINE Some measure(const Axes3& p, const Axes3& q, AxesVec length_p, AxesVec length_q) const {
    Some some;
    some.along = cross(p, q);
    some.lengths = hn::Mul(length_p, length_q);
    const Extents of_a = extents_of<form_a>(a, some.along), of_b = extents_of<form_b>(b, some.along);
    some.apart = dot(some.along, set3(axes_tag, between));
    some.forth = hn::Sub(hn::Add(of_a.up, of_b.down), some.apart);
    some.back = hn::Add(hn::Add(of_a.down, of_b.up), some.apart);
    return some;
  }

  /// Calls visit(first number, axes) for the normals of faces.
  template <class Visit>
  HWY_INLINE void each_face(const Visit& visit) const {
    if constexpr (faces > 0) {
      constexpr AxesTag d;
      alignas(32) double p[3][4 * face_groups], q[3][4 * face_groups], length_p[4 * face_groups],
          length_q[4 * face_groups];
      const auto put = [&](std::size_t edge, std::size_t at, double(&to)[3][4 * face_groups], double* length) HWY_ATTR {
        const EdgeCore& core = edge < 4 ? a : b;
        to[0][at] = core.x[edge % 4];
        to[1][at] = core.y[edge % 4];
        to[2][at] = core.z[edge % 4];
        length[at] = (edge < 4 ? length_a : length_b)[edge % 4];
      };
      for (std::size_t i = 0; i < 4 * face_groups; ++i) {
        const EdgePair edges = pair(i);
        put(edges.first, i, p, length_p);
        put(edges.second, i, q, length_q);
      }
      for (std::size_t at = 0; at < 4 * face_groups; at += hn::Lanes(d))
        visit(at, measure(load3(d, p, at), load3(d, q, at), hn::Load(d, length_p + at), hn::Load(d, length_q + at)));
    }
  }
  /// The same for the products of edges of both.
  template <class Visit>
  HWY_INLINE void each_crossing(const Visit& visit) const {
    constexpr AxesTag d;
    const EdgeCore &row_core = is_a_in_rows ? a : b, &column_core = is_a_in_rows ? b : a;
    const double *row_length = is_a_in_rows ? length_a : length_b, *column_length = is_a_in_rows ? length_b : length_a;
    for (std::size_t i = 0; i < rows; ++i) {
      const double edge[3] = {row_core.x[i], row_core.y[i], row_core.z[i]};
      const Axes3 p = set3(d, edge);
      const AxesVec length = hn::Set(d, row_length[i]);
      for (std::size_t at = 0; at < 4; at += hn::Lanes(d)) {
        const Axes3 q = load3(d, column_core.x + at, column_core.y + at, column_core.z + at);
        visit(4 * (face_groups + i) + at, measure(p, q, length, hn::Load(d, column_length + at)));
      }
    }
  }

  /// Whether squares and products of the coordinates neither overflow nor underflow.
  HWY_INLINE bool is_ordinary() const {
    bool result = size > 0x1p-150 && size < 0x1p150;
    const auto check = [&](const EdgeCore& core, const double* lengths, std::size_t edges) HWY_ATTR {
      for (std::size_t i = 0; i < edges; ++i) {
        const bool is_point = core.x[i] == 0 && core.y[i] == 0 && core.z[i] == 0;
        result = result && (lengths[i] > 0x1p-150 || is_point) && lengths[i] < 0x1p150;
      }
    };
    check(a, length_a, edges_a);
    check(b, length_b, edges_b);
    return result;
  }

  /// What the axes tell about the shapes with `radius` around them in all. They are only called overlapping if they do
  /// so without it.
  ///
  /// The axis of two edges that are nearly parallel may be left out. The directions in which the one and the other edge
  /// are farthest out are two arcs at the angle of the edges. Along what these have in common the overlap is concave,
  /// so it is least at the ends, which are normals of faces. A direction that is off by an angle changes the overlap by
  /// less than the angle times the size of both shapes; eight times as much is allowed for.
  HWY_INLINE AxesTell tell(double radius) const {
    constexpr AxesTag d;
    if (!is_ordinary()) return AxesTell::unknown;
    const AxesVec error = hn::Set(d, axis_error * (size + radius)), radii = hn::Set(d, radius);
    AxesMask is_apart = hn::FirstN(d, 0), is_open = is_apart;
    AxesVec least_face = hn::Set(d, std::numeric_limits<double>::infinity());
    const auto overlap = [&](const Some& some, AxesVec within) HWY_ATTR {
      const AxesVec found = hn::Min(some.forth, some.back);
      AxesVec widened = found;
      if (radius > 0) widened = hn::Add(hn::Mul(hn::Sqrt(dot(some.along, some.along)), radii), found);
      is_apart = hn::Or(is_apart, hn::Lt(widened, hn::Neg(within)));
      return found;
    };
    each_face([&](std::size_t, const Some& some) HWY_ATTR {
      const AxesVec within = hn::Mul(error, some.lengths);
      const AxesVec found = overlap(some, within);
      // At least this, because an axis is not longer than the product of the lengths.
      least_face = hn::Min(least_face, hn::Div(hn::Sub(found, within), some.lengths));
      is_open = hn::Or(is_open, hn::Not(hn::Gt(found, within)));
    });
    const double face = hn::GetLane(hn::MinOfLanes(d, least_face));
    each_crossing([&](std::size_t, const Some& some) HWY_ATTR {
      const AxesVec within = hn::Mul(error, some.lengths);
      const AxesVec found = overlap(some, within);
      const AxesVec length = hn::Add(hn::Add(hn::Abs(some.along.x), hn::Abs(some.along.y)), hn::Abs(some.along.z));
      const AxesVec hidden = hn::Mul(hn::Add(length, hn::Mul(some.lengths, hn::Set(d, 0x1p-50))), hn::Set(d, 8 * size));
      const AxesMask is_excused = hn::Lt(hidden, hn::Mul(some.lengths, hn::Set(d, face)));
      is_open = hn::Or(is_open, hn::Not(hn::Or(is_excused, hn::Gt(found, within))));
    });
    if (!hn::AllFalse(d, is_apart)) return AxesTell::apart;
    return face > 0 && hn::AllFalse(d, is_open) ? AxesTell::overlapping : AxesTell::unknown;
  }
};

}  // namespace whisker::volumes::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
