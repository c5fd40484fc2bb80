// How deep two cores overlap, and whether they do, compiled once per instruction set.
//
// The depth of two cores is the least overlap along the normals of the faces of their Minkowski difference. Doubles,
// with a bound on their error, tell nearly all of these apart. Those that may be the least are computed again as sums
// of two doubles. All instruction sets give the same bits.

#include "convex/quick_cores.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "convex/quick_overlap_kernels.cpp"
#include <hwy/foreach_target.h>
// Must follow foreach_target.h:
#include <hwy/highway.h>

#include "convex/quick_pair-inl.hpp"
#include "convex/sharp-inl.hpp"
#include "volumes/edge_axes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whisker::convex::HWY_NAMESPACE {

using Kind = QuickCore::Kind;
using volumes::AxesTell;
using volumes::EdgeCore;
using volumes::EdgeForm;
using volumes::EdgePair;
using volumes::HWY_NAMESPACE::EdgeAxes;

constexpr EdgeForm form_of(Kind kind) {
  return kind == Kind::sphere     ? EdgeForm::point
         : kind == Kind::capsule  ? EdgeForm::axis
         : kind == Kind::segment  ? EdgeForm::segment
         : kind == Kind::triangle ? EdgeForm::triangle
                                  : EdgeForm::box;
}

/// A core with its edges, as doubles in lanes and exactly.
template <Kind kind>
struct Side {
  static constexpr EdgeForm form = form_of(kind);
  static constexpr std::size_t edges = volumes::edge_count(form), room = edges == 0 ? 1 : edges;
  static constexpr bool is_placed = form == EdgeForm::segment || form == EdgeForm::triangle;

  const QuickCore& core;
  const double* origin;
  EdgeCore lanes;

  HWY_INLINE explicit Side(const QuickCore& c) : core(c), origin(is_placed ? c.corners[0] : c.translation) {
    for (std::size_t i = 0; i < 4; ++i) {
      const std::size_t k = i < edges ? i : room - 1;
      double way[3] = {0, 0, 0};
      if constexpr (edges > 0) {
        for (std::size_t x = 0; x < 3; ++x)
          way[x] = is_placed ? core.corners[end_of(k)][x] - core.corners[begin_of(k)][x] : columns()[3 * k + x];
      }
      lanes.x[i] = way[0];
      lanes.y[i] = way[1];
      lanes.z[i] = way[2];
    }
    for (std::size_t i = 0; i < 3; ++i)
      lanes.half[i] = form == EdgeForm::box || (form == EdgeForm::axis && i == 0) ? core.half[i] : 0;
  }

  static constexpr std::size_t begin_of(std::size_t edge) { return edge == 2 ? 1 : 0; }
  static constexpr std::size_t end_of(std::size_t edge) { return edge == 0 ? 1 : 2; }
  HWY_INLINE const double* columns() const { return core.rotation + (form == EdgeForm::axis ? 6 : 0); }

  HWY_INLINE LongVector edge(std::size_t i) const {
    if constexpr (is_placed) return exact_difference(core.corners[end_of(i)], core.corners[begin_of(i)]);
    LongVector result{};
    for (std::size_t x = 0; x < 3; ++x)
      result.high[x] = columns()[3 * i + x];
    return result;
  }
  /// Whether it has no edges of length 0, whose axes would be none of a face.
  HWY_INLINE bool is_full() const {
    if constexpr (form == EdgeForm::axis) return core.half[0] > 0;
    if constexpr (form == EdgeForm::box) return core.half[0] > 0 && core.half[1] > 0 && core.half[2] > 0;
    return true;
  }
  /// Its points, with the radius, are within this distance of the frame's origin, or about so.
  HWY_INLINE double size() const {
    if constexpr (is_placed) return core.half[0];
    if constexpr (form == EdgeForm::box) return (core.half[0] + core.half[1]) + core.half[2];
    return core.radius + (form == EdgeForm::axis ? core.half[0] : 0);
  }
  /// The limits of the coordinate along an edge, from where Reach::find_point begins.
  HWY_INLINE double begin(std::size_t i) const { return is_placed ? 0 : -core.half[i]; }
  HWY_INLINE double end(std::size_t i) const { return is_placed ? 1 : core.half[i]; }
};

/// How far a core extends along a direction (up) and against it, times the direction's length, and where.
template <Kind kind>
struct Reach {
  static constexpr EdgeForm form = form_of(kind);

  Long up, down;
  double slope[3];  ///< Of the edges from the origin.

  HWY_INLINE Reach(const Side<kind>& side, const LongVector& along) {
    up = down = {0, 0};
    if constexpr (form == EdgeForm::box || form == EdgeForm::axis) {
      for (std::size_t i = 0; i < Side<kind>::edges; ++i) {
        const Long d = dot(along, side.edge(i));
        slope[i] = d.high;
        up = up + absolute(d) * side.core.half[i];
      }
      down = up;
    } else {
      for (std::size_t i = 0; i < std::min<std::size_t>(Side<kind>::edges, 2); ++i) {
        const Long d = dot(along, side.edge(i));
        slope[i] = d.high;
        if (is_less(up, d)) up = d;
        if (is_less(d, -down)) down = -d;
      }
    }
  }

  /// The point farthest along the direction times `sign`, and how far behind it the next vertices are, or those that
  /// are not on the edge `free` (0 to 2). With such an edge, the point is where that edge begins or, of a box or axis,
  /// in its middle.
  HWY_INLINE void find_point(const Side<kind>& side, double sign, int free, double (&point)[3], double& behind) const {
    behind = infinity;
    if constexpr (form == EdgeForm::triangle) {
      const double height[3] = {0, sign * slope[0], sign * slope[1]};
      std::size_t corner = height[1] > height[0] ? 1 : 0;
      if (height[2] > height[corner]) corner = 2;
      if (free >= 0) {
        const std::size_t begin = Side<kind>::begin_of(static_cast<std::size_t>(free)),
                          end = Side<kind>::end_of(static_cast<std::size_t>(free));
        behind = height[begin] - height[3 - begin - end];
        corner = begin;
      } else {
        for (std::size_t i = 0; i < 3; ++i)
          if (i != corner) behind = std::min(behind, height[corner] - height[i]);
      }
      for (int x = 0; x < 3; ++x)
        point[x] = side.core.corners[corner][x];
    } else if constexpr (form == EdgeForm::segment) {
      const std::size_t corner = free < 0 && sign * slope[0] > 0 ? 1 : 0;
      if (free < 0) behind = std::abs(slope[0]);
      for (int x = 0; x < 3; ++x)
        point[x] = side.core.corners[corner][x];
    } else {
      double arm[3] = {0, 0, 0};
      for (std::size_t i = 0; i < Side<kind>::edges; ++i) {
        if (static_cast<int>(i) == free) continue;
        const double half = side.core.half[i], at = sign * slope[i] > 0 ? half : -half;
        if (half > 0) behind = std::min(behind, 2 * half * std::abs(slope[i]));
        for (std::size_t x = 0; x < 3; ++x)
          arm[x] += side.columns()[3 * i + x] * at;
      }
      for (int x = 0; x < 3; ++x)
        point[x] = side.origin[x] + arm[x];
    }
  }
};

/// The overlap along one axis, in the direction in which it is less.
struct SharpAxis {
  std::size_t axis;
  LongVector normal;  // not a unit vector
  Long length;
  double sign;  // b leaves along the normal times this
  Long overlap;
  double error;
};

template <Kind kind_a, Kind kind_b>
struct Overlap {
  using Axes = EdgeAxes<form_of(kind_a), form_of(kind_b)>;

  const Side<kind_a>& a;
  const Side<kind_b>& b;
  const Axes& axes;
  const LongVector between;
  SharpAxis best;
  double lost = 0;  // how much less the overlap may be along axes that were left out

  /// Returns false if it is not known.
  HWY_INLINE bool try_axis(std::size_t axis) {
    const EdgePair pair = Axes::pair(axis);
    const auto edge = [&](std::size_t i) WHISKER_INLINE_LAMBDA {
      if constexpr (Side<kind_a>::edges > 0) {
        if (i < 4) return a.edge(i);
      }
      return b.edge(i - 4);
    };
    SharpAxis found;
    found.axis = axis;
    const LongVector first = edge(pair.first), second = edge(pair.second);
    found.normal = cross(first, second);
    found.length = length_of(found.normal);
    const double lengths = (pair.first < 4 ? axes.length_a : axes.length_b)[pair.first % 4] *
                           (pair.second < 4 ? axes.length_a : axes.length_b)[pair.second % 4];
    const double size = axes.size;
    double turned = 0x1p-96 * (lengths / found.length.high);  // by the rounding of the normal
    if (!(found.length.high > 0x1p-40 * lengths)) {
      // Edges that are parallel, or nearly so: see EdgeAxes::tell.
      if (axis < 4 * Axes::face_groups) return false;
      if constexpr (!Side<kind_a>::is_placed && !Side<kind_b>::is_placed) {
        found.normal = cross_of_parallel(first.high, second.high);
        found.length = length_of(found.normal);
        turned = 0x1p-96;
      }
      if (found.length.high < 0x1p-62 * lengths) {
        lost = std::max(lost, 8 * size * (found.length.high / lengths + 0x1p-98));
        return true;
      }
      if (!(turned <= 0x1p-56)) return false;
    }
    const Reach<kind_a> reach_a(a, found.normal);
    const Reach<kind_b> reach_b(b, found.normal);
    const Long apart = dot(found.normal, between);
    const Long forth = (reach_a.up + reach_b.down) - apart, back = (reach_a.down + reach_b.up) + apart;
    found.sign = is_less(back, forth) ? -1 : 1;
    found.overlap = (found.sign < 0 ? back : forth) / found.length;
    found.error = size * (0x1p-93 + turned);
    lost = std::max(lost, found.error);
    if (best.axis == Axes::room || is_less(found.overlap, best.overlap)) best = found;
    return true;
  }

  /// Tries all axes along which the overlap may be the least. Returns false if it is not known, or if the cores may be
  /// apart.
  HWY_INLINE bool search() {
    namespace hn = hwy::HWY_NAMESPACE;
    using volumes::axis_error;
    constexpr volumes::HWY_NAMESPACE::AxesTag d;
    if (!axes.is_ordinary() || !a.is_full() || !b.is_full()) return false;
    // Bounds of all overlaps. Where edges are nearly parallel, the lower one is -infinity.
    alignas(32) double least[Axes::room];
    auto upper = hn::Set(d, infinity);
    auto is_apart = hn::FirstN(d, 0);
    const auto measure = [&](std::size_t at, const typename Axes::Some& some) HWY_ATTR {
      const auto length = hn::Sqrt(dot(some.along, some.along)), inverse = hn::Div(hn::Set(d, 1.0), length);
      const auto found = hn::Min(some.forth, some.back),
                 error = hn::Mul(some.lengths, hn::Set(d, axis_error * axes.size));
      const auto is_thin = hn::Not(hn::Gt(length, hn::Mul(some.lengths, hn::Set(d, 0x1p-30))));
      is_apart = hn::Or(is_apart, hn::AndNot(is_thin, hn::Lt(found, error)));
      const auto unknown = hn::Set(d, -infinity);
      hn::Store(hn::IfThenElse(is_thin, unknown, hn::Mul(hn::Sub(found, error), inverse)), d, least + at);
      upper = hn::Min(upper, hn::IfThenElse(is_thin, hn::Set(d, infinity), hn::Mul(hn::Add(found, error), inverse)));
    };
    axes.each_face(measure);
    if (!hn::AllFalse(d, is_apart)) return false;
    axes.each_crossing(measure);
    const double most = hn::GetLane(hn::MinOfLanes(d, upper)) * (1 + 0x1p-50);
    best.axis = Axes::room;
    for (std::size_t i = 0; i < Axes::room; ++i)
      if (Axes::is_first(i) && least[i] <= most && !try_axis(i)) return false;
    return best.axis < Axes::room && best.overlap.high > lost;
  }

  HWY_INLINE void answer_depth(QuickAnswer& answer) const {
    using State = QuickAnswer::State;
    const double radius_a = a.core.radius, radius_b = b.core.radius;
    const Exact2 radii = exact_sum(radius_a, radius_b);
    set_bounds(best.overlap + joined(radii.high, radii.low), lost + 0x1p-98 * radii.high, lost + 0x1p-98 * radii.high,
               answer);
    // The rounding to doubles is then all of the width, or nearly so.
    if (!(answer.lower > 0 && lost <= 0.25 * unit_roundoff * axes.size)) return;
    const double inverse = best.sign / best.length.high, depth = best.overlap.high;
    double normal[3];
    for (int x = 0; x < 3; ++x)
      normal[x] = best.normal.high[x] * inverse;
    const EdgePair pair = Axes::pair(best.axis);
    const bool is_crossing = best.axis >= 4 * Axes::face_groups;
    double point_a[3], point_b[3], behind_a, behind_b;
    Reach<kind_a>(a, best.normal).find_point(a, best.sign, is_crossing ? pair.first : -1, point_a, behind_a);
    Reach<kind_b>(b, best.normal).find_point(b, -best.sign, is_crossing ? pair.second - 4 : -1, point_b, behind_b);
    // A little more than the limits of queries::center_points.
    const auto coordinates = [](const double* p)
                                 WHISKER_INLINE_LAMBDA { return (std::abs(p[0]) + std::abs(p[1])) + std::abs(p[2]); };
    const double sizes = a.size() + b.size(),
                 within = 2 * (0x1p-46 * sizes + 0x1p-47 * sizes +
                               0x1p-50 * (coordinates(a.origin) + coordinates(b.origin) + sizes));
    const bool is_behind_a = behind_a > within * best.length.high, is_behind_b = behind_b > within * best.length.high;
    bool is_alone = false;
    if (is_crossing) {
      if constexpr (Axes::rows > 0) {
        const std::size_t i = pair.first, j = pair.second - 4u;
        double s, t;
        find_crossing(i, j, normal, depth, point_a, point_b, s, t);
        const double length_a = axes.length_a[i], length_b = axes.length_b[j], near = 0x1p-47 * sizes;
        const auto is_beyond = [&](const auto& side, std::size_t edge, double at, double length) WHISKER_INLINE_LAMBDA {
          return std::max(side.begin(edge) - at, at - side.end(edge)) * length > near;
        };
        if (is_beyond(a, i, s, length_a) || is_beyond(b, j, t, length_b)) return;
        const double sine = best.length.high / (length_a * length_b),
                     shorter = std::min((a.end(i) - a.begin(i)) * length_a, (b.end(j) - b.begin(j)) * length_b);
        is_alone = is_behind_a && is_behind_b && sine > 0x1p-20 && sine * shorter > within;
        if (is_alone) {
          const double p[3] = {a.lanes.x[i], a.lanes.y[i], a.lanes.z[i]};
          for (int x = 0; x < 3; ++x) {
            point_a[x] += s * p[x];
            point_b[x] = point_a[x] - normal[x] * depth;
          }
        }
      }
    } else {
      const bool is_face_of_a = pair.first < 4;
      is_alone = is_face_of_a ? is_behind_b : is_behind_a;
      for (int x = 0; is_alone && x < 3; ++x) {
        if (is_face_of_a) {
          point_a[x] = point_b[x] + normal[x] * depth;
        } else {
          point_b[x] = point_a[x] - normal[x] * depth;
        }
      }
    }
    for (int x = 0; x < 3; ++x) {
      answer.normal[x] = normal[x];
      answer.point_a[x] = point_a[x] + normal[x] * radius_a;
      answer.point_b[x] = point_b[x] - normal[x] * radius_b;
    }
    answer.state = is_alone ? State::deep_alone : State::deep;
  }

 private:
  /// Where the two edges of a crossing are closest: s p - t q = normal * depth - (point_a - point_b), and the normal is
  /// that of p × q or q × p.
  HWY_INLINE void find_crossing(std::size_t i, std::size_t j, const double (&normal)[3], double depth,
                                const double (&point_a)[3], const double (&point_b)[3], double& s, double& t) const {
    const double p[3] = {a.lanes.x[i], a.lanes.y[i], a.lanes.z[i]}, q[3] = {b.lanes.x[j], b.lanes.y[j], b.lanes.z[j]};
    const double* const n = best.normal.high;
    double rest[3];
    for (int x = 0; x < 3; ++x)
      rest[x] = normal[x] * depth - (point_a[x] - point_b[x]);
    s = t = 0;
    for (int x = 0; x < 3; ++x) {
      const int y = x == 2 ? 0 : x + 1, z = x == 0 ? 2 : x - 1;
      s += (rest[y] * q[z] - rest[z] * q[y]) * n[x];
      t += (rest[y] * p[z] - rest[z] * p[y]) * n[x];
    }
    const double square = best.length.high * best.length.high;
    s /= square;
    t /= square;
  }
};

template <Kind kind_a, Kind kind_b>
AxesTell overlap_pair(const QuickCore& core_a, const QuickCore& core_b, QuickAnswer* answer) {
  const Side<kind_a> a(core_a);
  const Side<kind_b> b(core_b);
  const LongVector between = exact_difference(b.origin, a.origin);
  const typename Overlap<kind_a, kind_b>::Axes axes(a.lanes, b.lanes, between.high);
  if (answer == nullptr) return axes.tell(core_a.radius + core_b.radius);
  answer->state = QuickAnswer::State::unknown;
  Overlap<kind_a, kind_b> overlap{a, b, axes, between, {}, 0};
  if (overlap.search()) overlap.answer_depth(*answer);
  return AxesTell::unknown;
}

/// With `answer` the depth, otherwise only whether they overlap.
AxesTell overlap(const QuickCore& a, const QuickCore& b, QuickAnswer* answer) {
  if (b.kind == Kind::box) {
    switch (a.kind) {
      case Kind::sphere:
        return overlap_pair<Kind::sphere, Kind::box>(a, b, answer);
      case Kind::capsule:
        return overlap_pair<Kind::capsule, Kind::box>(a, b, answer);
      case Kind::segment:
        return overlap_pair<Kind::segment, Kind::box>(a, b, answer);
      case Kind::triangle:
        return overlap_pair<Kind::triangle, Kind::box>(a, b, answer);
      default:
        return overlap_pair<Kind::box, Kind::box>(a, b, answer);
    }
  }
  switch (a.kind) {
    case Kind::capsule:
      return overlap_pair<Kind::capsule, Kind::triangle>(a, b, answer);
    case Kind::segment:
      return overlap_pair<Kind::segment, Kind::triangle>(a, b, answer);
    default:
      return overlap_pair<Kind::triangle, Kind::triangle>(a, b, answer);
  }
}

}  // namespace whisker::convex::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whisker::convex {

HWY_EXPORT(overlap);

void run_quick_overlap(const QuickCore& a, const QuickCore& b, QuickAnswer& answer) {
  HWY_DYNAMIC_DISPATCH(overlap)(a, b, &answer);
}

volumes::AxesTell run_axes(const QuickCore& a, const QuickCore& b) {
  return HWY_DYNAMIC_DISPATCH(overlap)(a, b, nullptr);
}

}  // namespace whisker::convex
#endif
