// Converts a pair of features to a moving polygon, by operations on rows of coordinates. Compiled once per instruction
// set: included from linear_contact_kernels.cpp.

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <whisker/vector.hpp>

#include "motion/linear_contact.hpp"

#if defined(WHISKER_LINEAR_ROWS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef WHISKER_LINEAR_ROWS_INL
#undef WHISKER_LINEAR_ROWS_INL
#else
#define WHISKER_LINEAR_ROWS_INL
#endif

#include <hwy/highway.h>

#include "geometry/constants.hpp"
#include "simd/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whisker::motion::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using namespace simd::HWY_NAMESPACE;

/// A point's coordinates and a zero, in one or more vectors.
using Four = hn::CappedTag<double, 4>;
constexpr std::size_t row_lanes = hn::MaxLanes(Four());
constexpr std::size_t row_parts = 4 / row_lanes;
struct Row {
  hn::Vec<Four> part[row_parts];
};

/// The first `count` numbers, filled up with zeros. Reads no more than these.
template <class D>
HWY_INLINE hn::Vec<D> load_first(D d, const double* from, std::size_t count) {
  if (count >= hn::MaxLanes(d)) return hn::LoadU(d, from);
  if (count == 0) return hn::Zero(d);
  if constexpr (hn::MaxLanes(D()) == 4) {
    return hn::MaskedLoad(hn::FirstN(d, count), d, from);
  } else if constexpr (hn::MaxLanes(D()) == 2) {
    const hn::Half<D> one;
    return hn::ZeroExtendVector(d, hn::LoadU(one, from));
  } else {
    return hn::Zero(d);
  }
}
HWY_INLINE Row load_row(const double* point) {
  Row row;
  for (std::size_t i = 0; i < row_parts; ++i)
    row.part[i] = load_first(Four(), point + i * row_lanes, i * row_lanes < 3 ? 3 - i * row_lanes : 0);
  return row;
}
HWY_INLINE void store(const Row& row, double* to) {
  for (std::size_t i = 0; i < row_parts; ++i)
    hn::Store(row.part[i], Four(), to + i * row_lanes);
}
template <class Operation>
HWY_INLINE Row each(const Row& a, const Row& b, const Operation& operation) {
  Row row;
  for (std::size_t i = 0; i < row_parts; ++i)
    row.part[i] = operation(a.part[i], b.part[i]);
  return row;
}
HWY_INLINE Row operator-(const Row& a, const Row& b) {
  return each(a, b, [](auto p, auto q) HWY_ATTR { return hn::Sub(p, q); });
}
template <class Number, class Operation>
HWY_INLINE Lanes3<Number> each(const Lanes3<Number>& a, const Lanes3<Number>& b, const Operation& operation) {
  return {operation(a.x, b.x), operation(a.y, b.y), operation(a.z, b.z)};
}

// For rows, and for vectors in lanes.
template <class Point>
HWY_INLINE Point least(const Point& a, const Point& b) {
  return each(a, b, [](auto p, auto q) HWY_ATTR { return hn::Min(p, q); });
}
template <class Point>
HWY_INLINE Point most(const Point& a, const Point& b) {
  return each(a, b, [](auto p, auto q) HWY_ATTR { return hn::Max(p, q); });
}
/// The larger of a and |b|.
template <class Point>
HWY_INLINE Point max_size(const Point& a, const Point& b) {
  return each(a, b, [](auto p, auto q) HWY_ATTR { return hn::Max(p, hn::Abs(q)); });
}
/// Sets the corners of a pair's polygon at both ends of the time, and their least and largest coordinates.
template <FeaturePairKind kind, class Point, class Reach>
HWY_INLINE void set_reach(const Point (&start)[4], const Point (&end)[4], Reach& reach) {
  constexpr PolygonLayout layout = layout_of(kind);
  for (int i = 0; i < layout.count; ++i) {
    reach.first[i] = start[layout.b[i]] - start[layout.a[i]];
    reach.last[i] = end[layout.b[i]] - end[layout.a[i]];
  }
  reach.low = least(reach.first[0], reach.last[0]);
  reach.high = most(reach.first[0], reach.last[0]);
  for (int i = 1; i < layout.count; ++i) {
    reach.low = least(reach.low, least(reach.first[i], reach.last[i]));
    reach.high = most(reach.high, most(reach.first[i], reach.last[i]));
  }
}
HWY_INLINE double largest_of(const double (&v)[4]) {
  return std::max(std::max(v[0], v[1]), v[2]);
}

/// Scales the polygon so that squares and cubes of coordinates stay well within the range of doubles.
inline HWY_NOINLINE void rescale(LinearPolygon& p, double largest) {
  // The scale of the smallest number, 2^1074, is not a double.
  p.scale = std::ldexp(1.0, std::min(-std::ilogb(largest), 1023));
  for (int k = 0; k < 3; ++k) {
    p.size_x[k] *= p.scale;
    p.size_e[k] *= p.scale;
    for (int i = 0; i < p.count; ++i) {
      p.x[i][k] *= p.scale;
      p.dx[i][k] *= p.scale;
    }
    for (int i = 0; i < p.sides; ++i) {
      p.e[i][k] *= p.scale;
      p.de[i][k] *= p.scale;
    }
  }
}

/// Side i of the polygon is corner `to` of the pair minus corner `from`.
struct SideOf {
  std::size_t from, to;
};
constexpr SideOf side_of(const PolygonLayout& layout, int i) {
  const int j = (i + 1) % layout.count;
  const bool is_of_b = layout.a[i] == layout.a[j];
  return {static_cast<std::size_t>(is_of_b ? layout.b[i] : layout.a[j]),
          static_cast<std::size_t>(is_of_b ? layout.b[j] : layout.a[i])};
}

/// If rounded coordinates are farther apart than this, the exact ones are farther apart than the separation.
HWY_INLINE double far_of(const LinearOptions& options) {
  return options.separation * (1 + 4 * 0x1p-53);
}

constexpr double min_error = 0x1p-860;

/// A pair, its polygon's corners at both ends, and their least and largest coordinates.
struct PairRows {
  Row start[4], end[4];
  Row first[4], last[4];
  Row low, high;
};
template <FeaturePairKind kind>
HWY_INLINE PairRows rows_of(const FeaturePair& pair) {
  constexpr PolygonLayout layout = layout_of(kind);
  PairRows rows;
  for (int i = 0; i < layout.corners; ++i) {
    rows.start[i] = load_row(pair.start[i]);
    rows.end[i] = load_row(pair.end[i]);
  }
  set_reach<kind>(rows.start, rows.end, rows);
  return rows;
}

template <FeaturePairKind kind>
HWY_INLINE bool is_in_range(const PairRows& rows) {
  const Four d;
  const auto limit = hn::Set(d, max_coordinate);
  auto fine = hn::Eq(limit, limit);
  for (int i = 0; i < layout_of(kind).corners; ++i) {
    for (std::size_t k = 0; k < row_parts; ++k) {
      fine = hn::And(fine, hn::Le(hn::Abs(rows.start[i].part[k]), limit));
      fine = hn::And(fine, hn::Le(hn::Abs(rows.end[i].part[k]), limit));
    }
  }
  return hn::AllTrue(d, fine);
}

/// Whether the features are separated along an axis at both ends, and so at all times. These are comparisons of input
/// coordinates, which are exact.
HWY_INLINE bool are_apart(const PairRows& rows, const LinearOptions& options) {
  const Four d;
  const double far = far_of(options);
  auto apart = hn::Or(hn::Gt(rows.low.part[0], hn::Set(d, far)), hn::Lt(rows.high.part[0], hn::Set(d, -far)));
  for (std::size_t i = 1; i < row_parts; ++i) {
    apart = hn::Or(apart, hn::Gt(rows.low.part[i], hn::Set(d, far)));
    apart = hn::Or(apart, hn::Lt(rows.high.part[i], hn::Set(d, -far)));
  }
  return !hn::AllFalse(d, apart);
}

template <FeaturePairKind kind>
HWY_INLINE void set_polygon(const PairRows& rows, const LinearOptions& options, LinearPolygon& p) {
  constexpr PolygonLayout layout = layout_of(kind);
  const Four d;
  p.count = layout.count;
  p.sides = layout.sides;
  p.scale = 1;
  Row zero;
  for (std::size_t i = 0; i < row_parts; ++i)
    zero.part[i] = hn::Zero(d);
  store(max_size(max_size(zero, rows.low), rows.high), p.size_x);
  Row change = zero;
  for (int i = 0; i < layout.count; ++i) {
    const Row dx = rows.last[i] - rows.first[i];
    change = max_size(change, dx);
    store(rows.first[i], p.x[i]);
    store(dx, p.dx[i]);
  }
  Row size_e = zero;
  for (int i = 0; i < layout.sides; ++i) {
    // Computed directly from the input: where features are far apart, a side may be smaller than the rounding errors of
    // its corners.
    const SideOf side = side_of(layout, i);
    const Row e0 = rows.start[side.to] - rows.start[side.from], e1 = rows.end[side.to] - rows.end[side.from];
    store(e0, p.e[i]);
    store(e1 - e0, p.de[i]);
    size_e = max_size(max_size(size_e, e0), e1);
  }
  store(size_e, p.size_e);
  alignas(32) double changes[4];
  store(change, changes);
  const double largest_change = largest_of(changes), largest = largest_of(p.size_x);
  p.is_still = largest_change == 0;
  p.width = std::max(options.time_tolerance, largest_change > 0 ? options.tolerance / largest_change : 1.0);
  if (!(largest > 0x1p-100 && largest < 0x1p100) && largest != 0) rescale(p, largest);
  // Coordinates at any time are off by 7u of their size. Products of three of them and their sums add another seven
  // roundings, and products of two add another three. See docs/guarantees.md.
  const double *x = p.size_x, *e = p.size_e;
  p.cubic_error = 64 * unit_roundoff * ((x[0] * e[1] * e[2] + e[0] * x[1] * e[2]) + e[0] * e[1] * x[2]) + min_error;
  for (int k = 0; k < 3; ++k) {
    const int i = k == 0 ? 1 : 0, j = k == 2 ? 1 : 2;
    p.quadratic_error[k] = 20 * unit_roundoff * (x[i] * e[j] + x[j] * e[i]) + min_error;
  }
  p.near = options.near * p.scale;
  p.separation = options.separation * p.scale;
  if (p.separation > 0) {
    // No side is longer than this, and no normal is longer than its square.
    const double side = std::sqrt((e[0] * e[0] + e[1] * e[1]) + e[2] * e[2]) * (1 + 16 * unit_roundoff);
    const double more = p.separation * side * (1 + 8 * unit_roundoff);
    p.cubic_error += more * side * (1 + 8 * unit_roundoff);
    for (int k = 0; k < 3; ++k)
      p.quadratic_error[k] += more;
  }
}

}  // namespace whisker::motion::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
