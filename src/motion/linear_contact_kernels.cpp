// The first contact of polygons in motion with the origin: one polygon at many times at once, or many polygons at once.

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <whisker/vector.hpp>

#include "motion/linear_contact.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "motion/linear_contact_kernels.cpp"
#include <hwy/foreach_target.h>
// After it:
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace whisker::motion::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// ---------------------------------------------------------------------------------------------------------------------
// A pair of features as a polygon

/// A point's coordinates and a zero, in one vector or a few.
using Four = hn::CappedTag<double, 4>;
constexpr std::size_t row_lanes = hn::MaxLanes(Four());
constexpr std::size_t row_parts = 4 / row_lanes;
struct Row {
  hn::Vec<Four> part[row_parts];
};

/// The first `count` numbers, and zeros; reads no more.
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
HWY_INLINE Row least(const Row& a, const Row& b) {
  return each(a, b, [](auto p, auto q) HWY_ATTR { return hn::Min(p, q); });
}
HWY_INLINE Row most(const Row& a, const Row& b) {
  return each(a, b, [](auto p, auto q) HWY_ATTR { return hn::Max(p, q); });
}
/// The larger of a and |b|.
HWY_INLINE Row most_size(const Row& a, const Row& b) {
  return each(a, b, [](auto p, auto q) HWY_ATTR { return hn::Max(p, hn::Abs(q)); });
}
HWY_INLINE double largest_of(const double (&v)[4]) {
  return std::max(std::max(v[0], v[1]), v[2]);
}

/// So that squares and cubes of coordinates stay well within the doubles.
HWY_NOINLINE void rescale(LinearPolygon& p, double largest) {
  // The scale of the least of numbers, 2^1074, is no double.
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

/// Side i of the polygon is this corner of the pair less that.
struct SideOf {
  std::size_t from, to;
};
constexpr SideOf side_of(const PolygonLayout& layout, int i) {
  const int j = (i + 1) % layout.count;
  const bool is_of_b = layout.a[i] == layout.a[j];
  return {static_cast<std::size_t>(is_of_b ? layout.b[i] : layout.a[j]),
          static_cast<std::size_t>(is_of_b ? layout.b[j] : layout.a[i])};
}

/// Rounded coordinates that are farther apart are so in truth, by more than the separation.
HWY_INLINE double far_of(const LinearOptions& options) {
  return options.separation * (1 + 4 * 0x1p-53);
}

constexpr double least_error = 0x1p-860;

/// A pair and its polygon's corners at both ends, and the least and the largest coordinates of those.
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
  for (int i = 0; i < layout.count; ++i) {
    rows.first[i] = rows.start[layout.b[i]] - rows.start[layout.a[i]];
    rows.last[i] = rows.end[layout.b[i]] - rows.end[layout.a[i]];
  }
  rows.low = least(rows.first[0], rows.last[0]);
  rows.high = most(rows.first[0], rows.last[0]);
  for (int i = 1; i < layout.count; ++i) {
    rows.low = least(rows.low, least(rows.first[i], rows.last[i]));
    rows.high = most(rows.high, most(rows.first[i], rows.last[i]));
  }
  return rows;
}

template <FeaturePairKind kind>
HWY_INLINE bool is_fine(const PairRows& rows) {
  const Four d;
  const auto limit = hn::Set(d, largest_coordinate);
  auto fine = hn::Eq(limit, limit);
  for (int i = 0; i < layout_of(kind).corners; ++i) {
    for (std::size_t k = 0; k < row_parts; ++k) {
      fine = hn::And(fine, hn::Le(hn::Abs(rows.start[i].part[k]), limit));
      fine = hn::And(fine, hn::Le(hn::Abs(rows.end[i].part[k]), limit));
    }
  }
  return hn::AllTrue(d, fine);
}

/// Along an axis at both ends, and so always: comparisons of input coordinates, which are exact.
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
  constexpr double u = 0x1p-53;
  const Four d;
  p.count = layout.count;
  p.sides = layout.sides;
  p.scale = 1;
  Row zero;
  for (std::size_t i = 0; i < row_parts; ++i)
    zero.part[i] = hn::Zero(d);
  store(most_size(most_size(zero, rows.low), rows.high), p.size_x);
  Row change = zero;
  for (int i = 0; i < layout.count; ++i) {
    const Row dx = rows.last[i] - rows.first[i];
    change = most_size(change, dx);
    store(rows.first[i], p.x[i]);
    store(dx, p.dx[i]);
  }
  Row size_e = zero;
  for (int i = 0; i < layout.sides; ++i) {
    // Straight from the input: a side is smaller than what its corners are rounded by, where features are far apart.
    const SideOf side = side_of(layout, i);
    const Row e0 = rows.start[side.to] - rows.start[side.from], e1 = rows.end[side.to] - rows.end[side.from];
    store(e0, p.e[i]);
    store(e1 - e0, p.de[i]);
    size_e = most_size(most_size(size_e, e0), e1);
  }
  store(size_e, p.size_e);
  alignas(32) double changes[4];
  store(change, changes);
  const double largest_change = largest_of(changes), largest = largest_of(p.size_x);
  p.is_still = largest_change == 0;
  p.width = std::max(options.time_tolerance, largest_change > 0 ? options.tolerance / largest_change : 1.0);
  if (!(largest > 0x1p-100 && largest < 0x1p100) && largest != 0) rescale(p, largest);
  // Coordinates at any time are off by 7u of their size. Products of three of them and their sums, by another seven
  // roundings; products of two by another three. Docs: guarantees.md.
  const double *x = p.size_x, *e = p.size_e;
  p.cubic_error = 64 * u * ((x[0] * e[1] * e[2] + e[0] * x[1] * e[2]) + e[0] * e[1] * x[2]) + least_error;
  for (int k = 0; k < 3; ++k) {
    const int i = k == 0 ? 1 : 0, j = k == 2 ? 1 : 2;
    p.quadratic_error[k] = 20 * u * (x[i] * e[j] + x[j] * e[i]) + least_error;
  }
  p.separation = options.separation * p.scale;
  if (p.separation > 0) {
    // No side is longer, and no normal than its square.
    const double side = std::sqrt((e[0] * e[0] + e[1] * e[1]) + e[2] * e[2]) * (1 + 16 * u);
    const double more = p.separation * side * (1 + 8 * u);
    p.cubic_error += more * side * (1 + 8 * u);
    for (int k = 0; k < 3; ++k)
      p.quadratic_error[k] += more;
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// What is certain of polygons in intervals of time

/// In each lane three numbers.
template <class Number>
struct Triple {
  Number x, y, z;
};
template <class Number>
HWY_INLINE Triple<Number> cross(const Triple<Number>& a, const Triple<Number>& b) {
  return {hn::Sub(hn::Mul(a.y, b.z), hn::Mul(a.z, b.y)), hn::Sub(hn::Mul(a.z, b.x), hn::Mul(a.x, b.z)),
          hn::Sub(hn::Mul(a.x, b.y), hn::Mul(a.y, b.x))};
}
template <class Number>
HWY_INLINE Triple<Number> operator+(const Triple<Number>& a, const Triple<Number>& b) {
  return {hn::Add(a.x, b.x), hn::Add(a.y, b.y), hn::Add(a.z, b.z)};
}
template <class Number>
HWY_INLINE Number dot(const Triple<Number>& a, const Triple<Number>& b) {
  return hn::Add(hn::Add(hn::Mul(a.x, b.x), hn::Mul(a.y, b.y)), hn::Mul(a.z, b.z));
}

/// A polygon in each lane, or one for all.
template <class D, int count>
struct Polygons {
  using Number = hn::Vec<D>;
  static constexpr std::size_t corners = count, sides = count == 3 ? 3 : 2;

  Triple<Number> x[corners], dx[corners];
  Triple<Number> e[sides], de[sides];
  Number cubic_error;
  Triple<Number> quadratic_error;
  Number width;
};
template <int count, class D>
HWY_INLINE Polygons<D, count> for_all(D d, const LinearPolygon& p) {
  Polygons<D, count> all;
  const auto row = [&](const double* v) HWY_ATTR {
    return Triple<hn::Vec<D>>{hn::Set(d, v[0]), hn::Set(d, v[1]), hn::Set(d, v[2])};
  };
  for (std::size_t i = 0; i < all.corners; ++i) {
    all.x[i] = row(p.x[i]);
    all.dx[i] = row(p.dx[i]);
  }
  for (std::size_t i = 0; i < all.sides; ++i) {
    all.e[i] = row(p.e[i]);
    all.de[i] = row(p.de[i]);
  }
  all.cubic_error = hn::Set(d, p.cubic_error);
  all.quadratic_error = row(p.quadratic_error);
  all.width = hn::Set(d, p.width);
  return all;
}
template <class D>
HWY_INLINE Triple<hn::Vec<D>> at(D, const Triple<hn::Vec<D>>& start, const Triple<hn::Vec<D>>& change, hn::Vec<D> t) {
  return {hn::Add(start.x, hn::Mul(t, change.x)), hn::Add(start.y, hn::Mul(t, change.y)),
          hn::Add(start.z, hn::Mul(t, change.z))};
}

/// Of the polygons in the intervals of the lanes.
template <class D>
struct Look {
  using Number = hn::Vec<D>;
  using Mask = hn::Mask<D>;

  Number c[4];     ///< Bernstein coefficients of the cubic, the inner ones three times as large
  Mask is_off;     ///< no contact
  Mask is_around;  ///< if the cubic has a zero, the origin is in the polygon then
};

/// `is_from_start`: all intervals begin at time 0.
template <bool is_from_start, int count, class D>
HWY_INLINE Look<D> look(D d, const Polygons<D, count>& p, hn::Vec<D> from, hn::Vec<D> to) {
  using Number = hn::Vec<D>;
  using Mask = hn::Mask<D>;
  constexpr std::size_t corners = p.corners, sides = p.sides;
  Triple<Number> x0[corners], x1[corners], e0[sides], e1[sides];
  for (std::size_t i = 0; i < corners; ++i) {
    x0[i] = is_from_start ? p.x[i] : at(d, p.x[i], p.dx[i], from);
    x1[i] = at(d, p.x[i], p.dx[i], to);
  }
  for (std::size_t i = 0; i < sides; ++i) {
    e0[i] = is_from_start ? p.e[i] : at(d, p.e[i], p.de[i], from);
    e1[i] = at(d, p.e[i], p.de[i], to);
  }
  Look<D> result;
  const Triple<Number> first = cross(e0[0], e0[1]), last = cross(e1[0], e1[1]),
                       mixed = cross(e0[0], e1[1]) + cross(e1[0], e0[1]);
  result.c[0] = dot(x0[0], first);
  result.c[1] = hn::Add(dot(x0[0], mixed), dot(x1[0], first));
  result.c[2] = hn::Add(dot(x0[0], last), dot(x1[0], mixed));
  result.c[3] = dot(x1[0], last);
  const Number outer = p.cubic_error, inner = hn::Mul(outer, hn::Set(d, 3.0));
  const Mask above =
      hn::And(hn::Gt(hn::Min(result.c[0], result.c[3]), outer), hn::Gt(hn::Min(result.c[1], result.c[2]), inner));
  const Mask below = hn::And(hn::Lt(hn::Max(result.c[0], result.c[3]), hn::Neg(outer)),
                             hn::Lt(hn::Max(result.c[1], result.c[2]), hn::Neg(inner)));

  // The quadratics in the plane across the axis along which the normal is longest in the middle.
  const Triple<Number> normal = (first + last) + mixed;
  const Number nx = hn::Abs(normal.x), ny = hn::Abs(normal.y), nz = hn::Abs(normal.z);
  const Mask is_x = hn::And(hn::Ge(nx, ny), hn::Ge(nx, nz)), is_xy = hn::Or(is_x, hn::Ge(ny, nz));
  const auto along = [&](const Triple<Number>& v) HWY_ATTR { return hn::IfThenElse(is_x, v.y, v.x); };
  const auto across = [&](const Triple<Number>& v) HWY_ATTR { return hn::IfThenElse(is_xy, v.z, v.y); };
  const Number error =
      hn::IfThenElse(is_x, p.quadratic_error.x, hn::IfThenElse(is_xy, p.quadratic_error.y, p.quadratic_error.z));
  Number ei0[sides], ei1[sides], ej0[sides], ej1[sides];
  for (std::size_t i = 0; i < sides; ++i) {
    ei0[i] = along(e0[i]);
    ei1[i] = along(e1[i]);
    ej0[i] = across(e0[i]);
    ej1[i] = across(e1[i]);
  }
  // Of each corner's quadratic the least and the largest coefficient; of those the least and the largest.
  Number least_low, most_low, least_high, most_high;
  for (std::size_t i = 0; i < corners; ++i) {
    const std::size_t side = i % sides;
    const Number xi0 = along(x0[i]), xi1 = along(x1[i]), xj0 = across(x0[i]), xj1 = across(x1[i]);
    const Number q0 = hn::Sub(hn::Mul(xi0, ej0[side]), hn::Mul(xj0, ei0[side]));
    const Number q1 = hn::Add(hn::Sub(hn::Mul(xi0, ej1[side]), hn::Mul(xj0, ei1[side])),
                              hn::Sub(hn::Mul(xi1, ej0[side]), hn::Mul(xj1, ei0[side])));
    const Number q2 = hn::Sub(hn::Mul(xi1, ej1[side]), hn::Mul(xj1, ei1[side]));
    const Number half = hn::Mul(q1, hn::Set(d, 0.5));
    Number low = hn::Min(hn::Min(q0, q2), half), high = hn::Max(hn::Max(q0, q2), half);
    if (i >= sides) {  // the way back
      const Number negated = hn::Neg(low);
      low = hn::Neg(high);
      high = negated;
    }
    least_low = i == 0 ? low : hn::Min(least_low, low);
    most_low = i == 0 ? low : hn::Max(most_low, low);
    least_high = i == 0 ? high : hn::Min(least_high, high);
    most_high = i == 0 ? high : hn::Max(most_high, high);
  }
  const Number negative = hn::Neg(error);
  const Mask outside = hn::And(hn::Gt(most_low, error), hn::Lt(least_high, negative));
  result.is_off = hn::Or(hn::Or(above, below), outside);
  result.is_around = hn::Or(hn::Gt(least_low, error), hn::Lt(most_high, negative));
  return result;
}

/// 1 or -1 if certain, else 0.
HWY_INLINE int sign_of(double value, double error) {
  return value > error ? 1 : (value < -error ? -1 : 0);
}

/// One interval alone.
struct OneLook {
  int first, last;  ///< the cubic's signs at its ends
  bool is_off;
  bool has_contact;
};
template <int count>
HWY_NOINLINE OneLook look_at(const LinearPolygon& p, double from, double to) {
  const hn::CappedTag<double, 1> d;
  const auto seen = look<false>(d, for_all<count>(d, p), hn::Set(d, from), hn::Set(d, to));
  OneLook result;
  result.first = sign_of(hn::GetLane(seen.c[0]), p.cubic_error);
  result.last = sign_of(hn::GetLane(seen.c[3]), p.cubic_error);
  result.is_off = hn::AllTrue(d, seen.is_off);
  result.has_contact = result.first * result.last < 0 && hn::AllTrue(d, seen.is_around);
  return result;
}

/// Near where in [0, 1] the cubics with these coefficients, whose ends have different signs, are zero. Nothing depends
/// on it but speed.
template <class D>
HWY_INLINE hn::Vec<D> zero_of(D d, const hn::Vec<D> (&c)[4]) {
  using Number = hn::Vec<D>;
  using Mask = hn::Mask<D>;
  const Number one = hn::Set(d, 1.0), two = hn::Set(d, 2.0), three = hn::Set(d, 3.0);
  // As a sum of powers of s.
  const Number b1 = hn::Sub(c[1], hn::Mul(three, c[0]));
  const Number b2 = hn::Add(hn::Sub(hn::Mul(three, c[0]), hn::Mul(two, c[1])), c[2]);
  const Number b3 = hn::Sub(hn::Add(hn::Sub(c[3], c[2]), c[1]), c[0]);
  const Mask begins_above = hn::Gt(c[0], hn::Zero(d));
  Number low = hn::Zero(d), high = one, s = hn::Div(c[0], hn::Sub(c[0], c[3]));
  Mask active = hn::Eq(one, one);
  for (int i = 0; i < 8; ++i) {
    const Number f = hn::Add(hn::Mul(hn::Add(hn::Mul(hn::Add(hn::Mul(b3, s), b2), s), b1), s), c[0]);
    const Number slope = hn::Add(hn::Mul(hn::Add(hn::Mul(hn::Mul(three, b3), s), hn::Mul(two, b2)), s), b1);
    const Mask other = hn::Xor(begins_above, hn::Gt(f, hn::Zero(d)));
    low = hn::IfThenElse(other, low, s);
    high = hn::IfThenElse(other, s, high);
    Number next = hn::Sub(s, hn::Div(f, slope));
    const Mask inside = hn::And(hn::Ge(next, low), hn::Le(next, high));
    next = hn::IfThenElse(inside, next, hn::Add(low, hn::Mul(hn::Sub(high, low), hn::Set(d, 0.5))));
    // Each lane stops by itself, so that the others do not matter to it.
    const Mask goes_on = hn::And(active, hn::Ge(hn::Abs(hn::Sub(next, s)), hn::Set(d, 1e-6)));
    s = hn::IfThenElse(active, next, s);
    active = goes_on;
    if (hn::AllFalse(d, active)) break;
  }
  return s;
}

constexpr double finest = 0x1p-43;  // of intervals that are looked into

// Most polygons are decided by the whole time, and, if the cubic has one zero, a narrow window about it.

template <class D>
struct WholeLook {
  hn::Mask<D> apart;
  hn::Mask<D> once;  ///< the cubic has one zero, and its ends have certain signs
  hn::Vec<D> c[4];   ///< as of Look
};
template <int count, class D>
HWY_INLINE WholeLook<D> look_at_whole(D d, const Polygons<D, count>& p, double until, bool is_separated) {
  using Number = hn::Vec<D>;
  using Mask = hn::Mask<D>;
  const Number all = hn::Set(d, until);
  const Look<D> seen = look<true>(d, p, hn::Zero(d), all);
  WholeLook<D> result;
  result.apart = seen.is_off;
  for (int i = 0; i < 4; ++i)
    result.c[i] = seen.c[i];
  const Number outer = p.cubic_error, inner = hn::Mul(outer, hn::Set(d, 3.0));
  const Number not_outer = hn::Neg(outer), not_inner = hn::Neg(inner);
  // The coefficients change their sign once.
  const Mask falls = hn::And(hn::And(hn::Gt(seen.c[0], outer), hn::Lt(seen.c[3], not_outer)),
                             hn::Or(hn::Gt(seen.c[1], inner), hn::Lt(seen.c[2], not_inner)));
  const Mask rises = hn::And(hn::And(hn::Lt(seen.c[0], not_outer), hn::Gt(seen.c[3], outer)),
                             hn::Or(hn::Lt(seen.c[1], not_inner), hn::Gt(seen.c[2], inner)));
  const Mask is_wide = hn::Lt(hn::Max(p.width, hn::Set(d, finest)), all);
  result.once = hn::AndNot(seen.is_off, hn::And(hn::Or(falls, rises), is_wide));
  // (What holds of one zero says nothing of where the polygon is near.)
  if (is_separated) result.once = hn::Lt(all, all);
  return result;
}

template <class D>
struct WindowLook {
  hn::Mask<D> apart;
  hn::Mask<D> touch;    ///< in [from, to]
  hn::Vec<D> from, to;  ///< if they touch, then in here
};
/// `c`: the cubic's coefficients for the whole time, which has one zero.
template <int count, class D>
HWY_INLINE WindowLook<D> look_at_window(D d, const Polygons<D, count>& p, const hn::Vec<D> (&c)[4], double until) {
  using Number = hn::Vec<D>;
  using Mask = hn::Mask<D>;
  const Number all = hn::Set(d, until), zero = hn::Mul(zero_of(d, c), all);
  const Number half = hn::Mul(hn::Max(p.width, hn::Set(d, finest)), hn::Set(d, 0.45));
  const Number from = hn::Max(hn::Zero(d), hn::Sub(zero, half)), to = hn::Min(all, hn::Add(zero, half));
  const Look<D> seen = look<false>(d, p, from, to);
  // If the signs on its borders are certain, there is no zero outside.
  const Number outer = p.cubic_error, not_outer = hn::Neg(outer);
  const Mask begins_above = hn::Gt(c[0], hn::Zero(d));
  const Mask falls = hn::And(hn::Gt(seen.c[0], outer), hn::Lt(seen.c[3], not_outer));
  const Mask rises = hn::And(hn::Lt(seen.c[0], not_outer), hn::Gt(seen.c[3], outer));
  const Mask alone = hn::Or(hn::And(begins_above, falls), hn::AndNot(begins_above, rises));
  WindowLook<D> result;
  result.apart = hn::And(alone, seen.is_off);
  result.touch = hn::AndNot(seen.is_off, hn::And(alone, seen.is_around));
  result.from = hn::IfThenElse(alone, from, hn::Zero(d));
  result.to = hn::IfThenElse(alone, to, all);
  return result;
}

// ---------------------------------------------------------------------------------------------------------------------
// One polygon at eight times at once

constexpr std::size_t slices = 8;  // of an interval, on every instruction set, so that answers are the same
/// Where they begin and end, as shares of the interval: not at the halves and quarters at which contacts like to be.
alignas(64) constexpr double borders[slices + 1] = {0, 0.1187, 0.2419, 0.3693, 0.4931, 0.6183, 0.7437, 0.8709, 1};

struct Part {
  double from, to;
};

void set_touch(const Part& part, bool certain, double width, LinearAnswer& answer) {
  answer.apart = false;
  answer.certain = certain;
  answer.lower = part.from;
  answer.upper = part.to;
  answer.limited = part.to - part.from > width;
}

/// In the part `all` of the time; there is no contact outside.
template <int count>
HWY_NOINLINE void search(const LinearPolygon& p, const Part& all, double until, LinearAnswer& answer) {
  const hn::CappedTag<double, slices> d;
  constexpr std::size_t lanes = hn::MaxLanes(d);
  const Polygons<hn::CappedTag<double, slices>, count> all_lanes = for_all<count>(d, p);
  constexpr int patience = 64;  // parts looked into before less will do
  double fine = finest;
  const double width = std::max(p.width, fine);
  // Of each width at most seven wait, and there are fifteen widths.
  Part stack[128];
  std::size_t waiting = 0;
  stack[waiting++] = all;
  const auto hit = [&](const Part& part, bool certain) { set_touch(part, certain, p.width, answer); };
  for (int looked = 0; waiting > 0; ++looked) {
    const Part part = stack[--waiting];
    if (looked >= patience && looked % 16 == 0) fine = looked == patience ? width : 4 * fine;
    if (part.to - part.from <= fine) {
      const OneLook seen = look_at<count>(p, part.from, part.to);
      if (seen.is_off || (!seen.has_contact && is_kept_away(p, part.from, part.to, 0))) continue;
      return hit(part, seen.has_contact);
    }

    alignas(64) double from[slices], to[slices], c[4][slices];
    const double length = part.to - part.from;
    unsigned open = 0;
    for (std::size_t k = 0; k < slices; k += lanes) {
      const auto at_share = [&](const double* share) HWY_ATTR {
        return hn::Add(hn::Set(d, part.from), hn::Mul(hn::LoadU(d, share), hn::Set(d, length)));
      };
      const auto begin = at_share(borders + k);
      // The last border is the interval's own, rounding aside.
      const auto ends = hn::IfThenElse(hn::Ge(hn::LoadU(d, borders + k + 1), hn::Set(d, 1.0)), hn::Set(d, part.to),
                                       at_share(borders + k + 1));
      const auto seen = look<false>(d, all_lanes, begin, ends);
      hn::Store(begin, d, from + k);
      hn::Store(ends, d, to + k);
      for (std::size_t i = 0; i < 4; ++i)
        hn::Store(seen.c[i], d, c[i] + k);
      std::uint8_t bits[8] = {};
      hn::StoreMaskBits(d, hn::Not(seen.is_off), bits);
      open |= static_cast<unsigned>(bits[0] & ((1u << lanes) - 1)) << k;
    }
    for (; open != 0; open &= open - 1) {
      const auto at = static_cast<std::size_t>(hwy::Num0BitsBelowLS1Bit_Nonzero32(open));
      Part slice = {from[at], to[at]};
      const int s0 = sign_of(c[0][at], p.cubic_error), s1 = sign_of(c[1][at], 3 * p.cubic_error),
                s2 = sign_of(c[2][at], 3 * p.cubic_error), s3 = sign_of(c[3][at], p.cubic_error);
      if (slice.to - slice.from <= width) {
        if (s0 * s3 < 0 && look_at<count>(p, slice.from, slice.to).has_contact) return hit(slice, true);
        // A zero on its very border: a contact a little farther out is in this slice or later, for there is none
        // before.
        const double out = (width - (slice.to - slice.from)) / 2;
        const Part wide = {std::max(0.0, slice.from - out), std::min(until, slice.to + out)};
        if ((s0 == 0 || s3 == 0) && look_at<count>(p, wide.from, wide.to).has_contact)
          return hit({slice.from, wide.to}, true);
      } else if (s0 * s3 < 0 && (s1 == s0 || s2 == s3)) {
        // The coefficients change their sign once: one zero. A narrow window about it, if the signs on its borders are
        // certain, leaves none outside.
        const hn::CappedTag<double, 1> one;
        const hn::Vec<decltype(one)> cubic[4] = {hn::Set(one, c[0][at]), hn::Set(one, c[1][at]), hn::Set(one, c[2][at]),
                                                 hn::Set(one, c[3][at])};
        const double zero = slice.from + hn::GetLane(zero_of(one, cubic)) * (slice.to - slice.from);
        const Part window = {std::max(slice.from, zero - 0.45 * width), std::min(slice.to, zero + 0.45 * width)};
        const OneLook seen = look_at<count>(p, window.from, window.to);
        if (seen.first == s0 && seen.last == s3) {
          if (seen.is_off) continue;
          if (seen.has_contact) return hit(window, true);
          slice = window;
        }
      }
      if ((s0 == 0 || s3 == 0 || looked > 8) && is_kept_away(p, slice.from, slice.to, 0)) continue;
      // To be looked into before what comes later.
      for (unsigned later = open & (open - 1); later != 0;) {
        const auto last = 31 - static_cast<std::size_t>(hwy::Num0BitsAboveMS1Bit_Nonzero32(later));
        stack[waiting++] = {from[last], to[last]};
        later &= ~(1u << last);
      }
      stack[waiting++] = slice;
      break;
    }
  }
  answer = LinearAnswer{};
}

/// What is left open.
template <int count>
HWY_INLINE void finish(const LinearPolygon& p, bool touch, const Part& part, double until, LinearAnswer& answer) {
  if (touch) return set_touch(part, true, p.width, answer);
  if (p.separation > 0) return first_contact_by_axes(p, until, p.width, answer);
  search<count>(p, part, until, answer);
}

template <FeaturePairKind kind>
LinearOutcome one_contact(const FeaturePair& pair, const LinearOptions& options, LinearPolygon& p,
                          LinearAnswer& answer) {
  const PairRows rows = rows_of<kind>(pair);
  if (!options.is_checked && !is_fine<kind>(rows)) return LinearOutcome::refused;
  if (are_apart(rows, options)) return LinearOutcome::apart;
  set_polygon<kind>(rows, options, p);
  constexpr int count = layout_of(kind).count;
  if constexpr (count < 3) {
    first_contact_by_axes(p, options.until, p.width, answer);
  } else {
    const hn::CappedTag<double, 1> d;
    const auto polygon = for_all<count>(d, p);
    const auto whole = look_at_whole(d, polygon, options.until, p.separation > 0);
    if (hn::AllTrue(d, whole.apart)) return LinearOutcome::apart;
    if (hn::AllTrue(d, whole.once)) {
      const auto seen = look_at_window(d, polygon, whole.c, options.until);
      if (hn::AllTrue(d, seen.apart)) return LinearOutcome::apart;
      finish<count>(p, hn::AllTrue(d, seen.touch), {hn::GetLane(seen.from), hn::GetLane(seen.to)}, options.until,
                    answer);
    } else {
      finish<count>(p, false, {0, options.until}, options.until, answer);
    }
  }
  return answer.apart ? LinearOutcome::apart : LinearOutcome::touch;
}

// ---------------------------------------------------------------------------------------------------------------------
// Many polygons at once

template <class Number, class Operation>
HWY_INLINE Triple<Number> each(const Triple<Number>& a, const Triple<Number>& b, const Operation& operation) {
  return {operation(a.x, b.x), operation(a.y, b.y), operation(a.z, b.z)};
}
template <class Number>
HWY_INLINE Triple<Number> operator-(const Triple<Number>& a, const Triple<Number>& b) {
  return each(a, b, [](auto p, auto q) HWY_ATTR { return hn::Sub(p, q); });
}
template <class Number>
HWY_INLINE Triple<Number> least(const Triple<Number>& a, const Triple<Number>& b) {
  return each(a, b, [](auto p, auto q) HWY_ATTR { return hn::Min(p, q); });
}
template <class Number>
HWY_INLINE Triple<Number> most(const Triple<Number>& a, const Triple<Number>& b) {
  return each(a, b, [](auto p, auto q) HWY_ATTR { return hn::Max(p, q); });
}
template <class Number>
HWY_INLINE Triple<Number> most_size(const Triple<Number>& a, const Triple<Number>& b) {
  return each(a, b, [](auto p, auto q) HWY_ATTR { return hn::Max(p, hn::Abs(q)); });
}
template <class Number>
HWY_INLINE Number largest_of(const Triple<Number>& v) {
  return hn::Max(hn::Max(v.x, v.y), v.z);
}

/// The corners of a pair in each lane.
template <class D>
struct Corners {
  Triple<hn::Vec<D>> start[4], end[4];
};
/// Three numbers of a row for each lane, `at` behind where it begins.
template <class D>
HWY_INLINE Triple<hn::Vec<D>> transposed(D d, const double* const* rows, std::size_t at) {
  if constexpr (hn::MaxLanes(D()) == 1) {
    return {hn::Set(d, rows[0][at]), hn::Set(d, rows[0][at + 1]), hn::Set(d, rows[0][at + 2])};
  } else if constexpr (hn::MaxLanes(D()) == 2) {
    const hn::Half<D> half;
    const auto p = hn::LoadU(d, rows[0] + at), q = hn::LoadU(d, rows[1] + at);
    return {hn::InterleaveLower(d, p, q), hn::InterleaveUpper(d, p, q),
            hn::Combine(d, hn::LoadU(half, rows[1] + at + 2), hn::LoadU(half, rows[0] + at + 2))};
  } else if constexpr (hn::MaxLanes(D()) == 4) {
    const hn::Half<D> half;
    const hn::Half<decltype(half)> one;
    const auto two = [&](std::size_t i, std::size_t j) HWY_ATTR {
      return hn::Combine(d, hn::LoadU(half, rows[j] + at), hn::LoadU(half, rows[i] + at));
    };
    const auto third = [&](std::size_t i, std::size_t j) HWY_ATTR {
      return hn::Combine(half, hn::LoadU(one, rows[j] + at + 2), hn::LoadU(one, rows[i] + at + 2));
    };
    const auto even = two(0, 2), odd = two(1, 3);
    return {hn::InterleaveLower(d, even, odd), hn::InterleaveUpper(d, even, odd),
            hn::Combine(d, third(2, 3), third(0, 1))};
  } else {
    const hn::Half<D> half;
    const auto first = transposed(half, rows, at), second = transposed(half, rows + hn::MaxLanes(half), at);
    return {hn::Combine(d, second.x, first.x), hn::Combine(d, second.y, first.y), hn::Combine(d, second.z, first.z)};
  }
}

/// Pairs in rows of 24 numbers.
template <FeaturePairKind kind>
struct PairsInRows {
  static constexpr PolygonLayout layout = layout_of(kind);
  const double* rows;

  HWY_INLINE FeaturePair pair(std::size_t number) const {
    const double* const row = rows + 24 * number;
    FeaturePair pair;
    for (int k = 0; k < 4; ++k) {
      pair.start[k] = row + layout.start[k];
      pair.end[k] = row + layout.end[k];
    }
    return pair;
  }
  /// `numbers`: one for each lane.
  template <class D>
  HWY_INLINE Corners<D> corners(D d, const std::size_t* numbers) const {
    constexpr std::size_t lanes = hn::MaxLanes(D());
    const double* row[lanes];
    for (std::size_t lane = 0; lane < lanes; ++lane)
      row[lane] = rows + 24 * numbers[lane];
    Corners<D> corners;
    for (std::size_t k = 0; k < 4; ++k) {
      corners.start[k] = transposed(d, row, static_cast<std::size_t>(layout.start[k]));
      corners.end[k] = transposed(d, row, static_cast<std::size_t>(layout.end[k]));
    }
    return corners;
  }
};

/// Pairs as numbers of vertices.
template <FeaturePairKind kind>
struct PairsOfVertices {
  const FeaturePairs& pairs;

  HWY_INLINE const MovingVertex& corner(std::size_t number, std::size_t k) const {
    const bool is_of_a = k < (kind == FeaturePairKind::segment_segment ? 2 : 1);
    return (is_of_a ? pairs.vertices_a : pairs.vertices_b)[pairs.corners[number][k]];
  }
  HWY_INLINE FeaturePair pair(std::size_t number) const {
    FeaturePair pair;
    for (std::size_t k = 0; k < 4; ++k) {
      pair.start[k] = corner(number, k).start;
      pair.end[k] = corner(number, k).end;
    }
    return pair;
  }
  template <class D>
  HWY_INLINE Corners<D> corners(D d, const std::size_t* numbers) const {
    constexpr std::size_t lanes = hn::MaxLanes(D());
    Corners<D> corners;
    for (std::size_t k = 0; k < 4; ++k) {
      const double* vertex[lanes];
      for (std::size_t lane = 0; lane < lanes; ++lane)
        vertex[lane] = corner(numbers[lane], k).start;
      corners.start[k] = transposed(d, vertex, 0);
      corners.end[k] = transposed(d, vertex, 3);
    }
    return corners;
  }
};

/// Of the polygons of pairs the corners at both ends, and the least and the largest coordinates of those.
template <class D, std::size_t count>
struct Reach {
  Triple<hn::Vec<D>> first[count], last[count], low, high;
};
template <FeaturePairKind kind, class D>
HWY_INLINE auto reach_of(D, const Corners<D>& c) {
  constexpr PolygonLayout layout = layout_of(kind);
  Reach<D, static_cast<std::size_t>(layout.count)> reach;
  for (int i = 0; i < layout.count; ++i) {
    reach.first[i] = c.start[layout.b[i]] - c.start[layout.a[i]];
    reach.last[i] = c.end[layout.b[i]] - c.end[layout.a[i]];
  }
  reach.low = least(reach.first[0], reach.last[0]);
  reach.high = most(reach.first[0], reach.last[0]);
  for (int i = 1; i < layout.count; ++i) {
    reach.low = least(reach.low, least(reach.first[i], reach.last[i]));
    reach.high = most(reach.high, most(reach.first[i], reach.last[i]));
  }
  return reach;
}

/// As `set_polygon` has them. `apart`: along an axis, in these lanes. `is_plain`: the others need a scale.
template <FeaturePairKind kind, class D>
HWY_INLINE auto polygons_of(D d, const Corners<D>& c, const LinearOptions& options, hn::Mask<D>& apart,
                            hn::Mask<D>& is_plain) {
  using Number = hn::Vec<D>;
  constexpr PolygonLayout layout = layout_of(kind);
  constexpr double u = 0x1p-53;
  const auto reach = reach_of<kind>(d, c);
  const Number far = hn::Set(d, far_of(options));
  apart = hn::Or(hn::Gt(largest_of(reach.low), far),
                 hn::Lt(hn::Min(hn::Min(reach.high.x, reach.high.y), reach.high.z), hn::Neg(far)));
  const Triple<Number> zero = {hn::Zero(d), hn::Zero(d), hn::Zero(d)};
  Polygons<D, layout.count> p;
  const Triple<Number> x = most_size(most_size(zero, reach.low), reach.high);
  Triple<Number> change = zero, e = zero;
  for (std::size_t i = 0; i < p.corners; ++i) {
    p.x[i] = reach.first[i];
    p.dx[i] = reach.last[i] - reach.first[i];
    change = most_size(change, p.dx[i]);
  }
  for (std::size_t i = 0; i < p.sides; ++i) {
    const SideOf side = side_of(layout, static_cast<int>(i));
    const Triple<Number> last = c.end[side.to] - c.end[side.from];
    p.e[i] = c.start[side.to] - c.start[side.from];
    p.de[i] = last - p.e[i];
    e = most_size(most_size(e, p.e[i]), last);
  }
  const Number largest_change = largest_of(change), largest = largest_of(x), none = hn::Zero(d);
  p.width = hn::Max(hn::Set(d, options.time_tolerance),
                    hn::IfThenElse(hn::Gt(largest_change, none), hn::Div(hn::Set(d, options.tolerance), largest_change),
                                   hn::Set(d, 1.0)));
  is_plain = hn::Or(hn::Eq(largest, none),
                    hn::And(hn::Gt(largest, hn::Set(d, 0x1p-100)), hn::Lt(largest, hn::Set(d, 0x1p100))));
  const Number floor = hn::Set(d, least_error);
  const auto product = [](Number f, Number g, Number h) HWY_ATTR { return hn::Mul(hn::Mul(f, g), h); };
  p.cubic_error = hn::Add(hn::Mul(hn::Set(d, 64 * u), hn::Add(hn::Add(product(x.x, e.y, e.z), product(e.x, x.y, e.z)),
                                                              product(e.x, e.y, x.z))),
                          floor);
  const auto quadratic = [&](Number xi, Number ej, Number xj, Number ei) HWY_ATTR {
    return hn::Add(hn::Mul(hn::Set(d, 20 * u), hn::Add(hn::Mul(xi, ej), hn::Mul(xj, ei))), floor);
  };
  p.quadratic_error = {quadratic(x.y, e.z, x.z, e.y), quadratic(x.x, e.z, x.z, e.x), quadratic(x.x, e.y, x.y, e.x)};
  if (options.separation > 0) {
    const Number side = hn::Mul(hn::Sqrt(hn::Add(hn::Add(hn::Mul(e.x, e.x), hn::Mul(e.y, e.y)), hn::Mul(e.z, e.z))),
                                hn::Set(d, 1 + 16 * u));
    const Number more = product(hn::Set(d, options.separation), side, hn::Set(d, 1 + 8 * u));
    p.cubic_error = hn::Add(p.cubic_error, product(more, side, hn::Set(d, 1 + 8 * u)));
    p.quadratic_error = p.quadratic_error + Triple<Number>{more, more, more};
  }
  return p;
}

/// Looks at pairs in lanes: those that are not apart along an axis, and those of them whose cubic has one zero. Each
/// kind waits until there is one for each lane.
template <FeaturePairKind kind, class Pairs>
class Batch {
 public:
  Batch(const Pairs& pairs, const LinearOptions& options, const LinearSink& sink)
      : pairs_(pairs), options_(options), sink_(sink) {}

  /// False if one was refused.
  bool look(std::size_t total) {
    for (std::size_t i = 0; i < total; ++i) {
      waiting_[waiting_count_] = i;
      if (options_.is_checked) {
        ++waiting_count_;
      } else {
        const PairRows rows = rows_of<kind>(pairs_.pair(i));
        if (!is_fine<kind>(rows)) return false;
        waiting_count_ += are_apart(rows, options_) ? 0u : 1u;
      }
      if (waiting_count_ == lanes) look_at_wholes();
    }
    if (waiting_count_ > 0) look_at_wholes();
    if (once_count_ > 0) look_at_windows(once_count_);
    return true;
  }

 private:
  using D = hn::CappedTag<double, 8>;
  static constexpr std::size_t lanes = hn::MaxLanes(D());
  static constexpr int count = layout_of(kind).count;

  static HWY_INLINE unsigned bits_of(hn::Mask<D> mask) {
    std::uint8_t bytes[8] = {};
    hn::StoreMaskBits(D(), mask, bytes);
    return static_cast<unsigned>(bytes[0]);
  }

  HWY_NOINLINE void look_at_wholes() {
    const D d;
    const std::size_t many = waiting_count_;
    waiting_count_ = 0;
    for (std::size_t lane = many; lane < lanes; ++lane)
      waiting_[lane] = waiting_[0];
    const Corners<D> corners = pairs_.corners(d, waiting_);
    hn::Mask<D> apart, is_plain;
    const auto polygons = polygons_of<kind>(d, corners, options_, apart, is_plain);
    const auto seen = look_at_whole(d, polygons, options_.until, options_.separation > 0);
    const unsigned open = ~bits_of(hn::Or(apart, hn::And(seen.apart, is_plain))) & ((1u << many) - 1);
    if (open == 0) return;
    const unsigned plain = bits_of(is_plain), once = bits_of(seen.once) & plain & open;
    if (once != 0) {
      alignas(64) double c[4][lanes];
      for (std::size_t i = 0; i < 4; ++i)
        hn::Store(seen.c[i], d, c[i]);
      for (unsigned left = once; left != 0; left &= left - 1) {
        const std::size_t lane = hwy::Num0BitsBelowLS1Bit_Nonzero32(left);
        once_[once_count_] = waiting_[lane];
        for (std::size_t i = 0; i < 4; ++i)
          cubic_[i][once_count_] = c[i][lane];
        ++once_count_;
      }
    }
    for (unsigned left = open & ~once; left != 0; left &= left - 1) {
      const std::size_t lane = hwy::Num0BitsBelowLS1Bit_Nonzero32(left);
      const FeaturePair pair = pairs_.pair(waiting_[lane]);
      LinearPolygon polygon;
      LinearAnswer answer;
      if ((plain >> lane & 1) != 0) {
        set_polygon<kind>(rows_of<kind>(pair), options_, polygon);
        finish<count>(polygon, false, {0, options_.until}, options_.until, answer);
      } else {
        one_contact<kind>(pair, options_, polygon, answer);
      }
      if (!answer.apart) sink_.take(sink_.context, waiting_[lane], pair, polygon, answer);
    }
    if (once_count_ >= lanes) look_at_windows(lanes);
  }

  /// The last `many` of them.
  HWY_NOINLINE void look_at_windows(std::size_t many) {
    const D d;
    once_count_ -= many;
    std::size_t* const numbers = once_ + once_count_;
    for (std::size_t lane = many; lane < lanes; ++lane)
      numbers[lane] = numbers[0];
    const Corners<D> corners = pairs_.corners(d, numbers);
    hn::Mask<D> apart, is_plain;  // seen before
    const auto polygons = polygons_of<kind>(d, corners, options_, apart, is_plain);
    const hn::Vec<D> c[4] = {hn::LoadU(d, cubic_[0] + once_count_), hn::LoadU(d, cubic_[1] + once_count_),
                             hn::LoadU(d, cubic_[2] + once_count_), hn::LoadU(d, cubic_[3] + once_count_)};
    const auto seen = look_at_window(d, polygons, c, options_.until);
    const unsigned touch = bits_of(seen.touch);
    alignas(64) double from[lanes], to[lanes];
    hn::Store(seen.from, d, from);
    hn::Store(seen.to, d, to);
    for (unsigned open = ~bits_of(seen.apart) & ((1u << many) - 1); open != 0; open &= open - 1) {
      const std::size_t lane = hwy::Num0BitsBelowLS1Bit_Nonzero32(open);
      const FeaturePair pair = pairs_.pair(numbers[lane]);
      LinearPolygon polygon;
      LinearAnswer answer;
      set_polygon<kind>(rows_of<kind>(pair), options_, polygon);
      finish<count>(polygon, (touch >> lane & 1) != 0, {from[lane], to[lane]}, options_.until, answer);
      if (!answer.apart) sink_.take(sink_.context, numbers[lane], pair, polygon, answer);
    }
  }

  const Pairs& pairs_;
  const LinearOptions& options_;
  const LinearSink& sink_;
  std::size_t waiting_[lanes];
  std::size_t waiting_count_ = 0;
  // With the cubic's coefficients for the whole time. Lanes beyond the last hold what they held.
  std::size_t once_[3 * lanes];
  double cubic_[4][3 * lanes] = {};
  std::size_t once_count_ = 0;
};

LinearOutcome one_contact_of(FeaturePairKind kind, const FeaturePair& pair, const LinearOptions& options,
                             LinearPolygon& polygon, LinearAnswer& answer) {
  switch (kind) {
    case FeaturePairKind::point_point:
      return one_contact<FeaturePairKind::point_point>(pair, options, polygon, answer);
    case FeaturePairKind::point_segment:
      return one_contact<FeaturePairKind::point_segment>(pair, options, polygon, answer);
    case FeaturePairKind::point_triangle:
      return one_contact<FeaturePairKind::point_triangle>(pair, options, polygon, answer);
    default:
      return one_contact<FeaturePairKind::segment_segment>(pair, options, polygon, answer);
  }
}

template <FeaturePairKind kind>
bool many_contacts(const FeaturePairs& pairs, std::size_t count, const LinearOptions& options, const LinearSink& sink) {
  if (pairs.rows != nullptr) {
    const PairsInRows<kind> in_rows = {pairs.rows};
    return Batch<kind, PairsInRows<kind>>(in_rows, options, sink).look(count);
  }
  const PairsOfVertices<kind> of_vertices = {pairs};
  return Batch<kind, PairsOfVertices<kind>>(of_vertices, options, sink).look(count);
}

bool many_contacts_of(FeaturePairKind kind, const FeaturePairs& pairs, std::size_t count, const LinearOptions& options,
                      const LinearSink& sink) {
  return kind == FeaturePairKind::point_triangle
             ? many_contacts<FeaturePairKind::point_triangle>(pairs, count, options, sink)
             : many_contacts<FeaturePairKind::segment_segment>(pairs, count, options, sink);
}

}  // namespace whisker::motion::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whisker::motion {

HWY_EXPORT(one_contact_of);
HWY_EXPORT(many_contacts_of);

LinearOutcome first_contact_of(FeaturePairKind kind, const FeaturePair& pair, const LinearOptions& options,
                               LinearPolygon& polygon, LinearAnswer& answer) {
  return HWY_DYNAMIC_DISPATCH(one_contact_of)(kind, pair, options, polygon, answer);
}

bool first_contacts_of(FeaturePairKind kind, const FeaturePairs& pairs, std::size_t count, const LinearOptions& options,
                       const LinearSink& sink) {
  return HWY_DYNAMIC_DISPATCH(many_contacts_of)(kind, pairs, count, options, sink);
}

}  // namespace whisker::motion
#endif
