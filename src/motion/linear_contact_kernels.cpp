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
HWY_INLINE bool any_above(const Row& a, double limit) {
  bool any = false;
  for (std::size_t i = 0; i < row_parts; ++i)
    any |= !hn::AllFalse(Four(), hn::Gt(a.part[i], hn::Set(Four(), limit)));
  return any;
}
HWY_INLINE bool any_below(const Row& a, double limit) {
  bool any = false;
  for (std::size_t i = 0; i < row_parts; ++i)
    any |= !hn::AllFalse(Four(), hn::Lt(a.part[i], hn::Set(Four(), limit)));
  return any;
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

/// Apart if they are so along an axis at both ends, and so always: comparisons of input coordinates, which are exact.
/// The polygon is set if not.
template <FeaturePairKind kind>
HWY_INLINE LinearOutcome set_polygon(const FeaturePair& pair, const LinearOptions& options, LinearPolygon& p) {
  constexpr PolygonLayout layout = layout_of(kind);
  constexpr double u = 0x1p-53;
  const Four d;
  Row start[4], end[4];
  for (int i = 0; i < layout.corners; ++i) {
    start[i] = load_row(pair.start[i]);
    end[i] = load_row(pair.end[i]);
  }
  if (!options.is_checked) {
    const auto limit = hn::Set(d, largest_coordinate);
    auto fine = hn::Eq(limit, limit);
    for (int i = 0; i < layout.corners; ++i) {
      for (std::size_t k = 0; k < row_parts; ++k) {
        fine = hn::And(fine, hn::Le(hn::Abs(start[i].part[k]), limit));
        fine = hn::And(fine, hn::Le(hn::Abs(end[i].part[k]), limit));
      }
    }
    if (!hn::AllTrue(d, fine)) return LinearOutcome::refused;
  }
  Row first[4], last[4];
  for (int i = 0; i < layout.count; ++i) {
    first[i] = start[layout.b[i]] - start[layout.a[i]];
    last[i] = end[layout.b[i]] - end[layout.a[i]];
  }
  Row low = least(first[0], last[0]), high = most(first[0], last[0]);
  for (int i = 1; i < layout.count; ++i) {
    low = least(low, least(first[i], last[i]));
    high = most(high, most(first[i], last[i]));
  }
  const double far = options.separation * (1 + 4 * u);
  if (any_above(low, far) | any_below(high, -far)) return LinearOutcome::apart;

  p.count = layout.count;
  p.sides = layout.sides;
  p.scale = 1;
  Row zero;
  for (std::size_t i = 0; i < row_parts; ++i)
    zero.part[i] = hn::Zero(d);
  store(most_size(most_size(zero, low), high), p.size_x);
  Row change = zero;
  for (int i = 0; i < layout.count; ++i) {
    const Row dx = last[i] - first[i];
    change = most_size(change, dx);
    store(first[i], p.x[i]);
    store(dx, p.dx[i]);
  }
  Row size_e = zero;
  for (int i = 0; i < layout.sides; ++i) {
    // Straight from the input: a side is smaller than what its corners are rounded by, where features are far apart.
    const int j = (i + 1) % layout.count;
    const bool of_a = layout.a[i] != layout.a[j];
    const int from = of_a ? layout.a[j] : layout.b[i], to = of_a ? layout.a[i] : layout.b[j];
    const Row e0 = start[to] - start[from], e1 = end[to] - end[from];
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
  constexpr double floor = 0x1p-860;
  const double *x = p.size_x, *e = p.size_e;
  p.cubic_error = 64 * u * ((x[0] * e[1] * e[2] + e[0] * x[1] * e[2]) + e[0] * e[1] * x[2]) + floor;
  for (int k = 0; k < 3; ++k) {
    const int i = k == 0 ? 1 : 0, j = k == 2 ? 1 : 2;
    p.quadratic_error[k] = 20 * u * (x[i] * e[j] + x[j] * e[i]) + floor;
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
  return LinearOutcome::touch;
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

/// The first three numbers of a row of four in each lane.
template <class D>
HWY_INLINE Triple<hn::Vec<D>> transposed(D d, const double* const* rows) {
  if constexpr (hn::MaxLanes(D()) == 1) {
    return {hn::Set(d, rows[0][0]), hn::Set(d, rows[0][1]), hn::Set(d, rows[0][2])};
  } else if constexpr (hn::MaxLanes(D()) == 2) {
    const auto p = hn::Load(d, rows[0]), q = hn::Load(d, rows[1]);
    return {hn::InterleaveLower(d, p, q), hn::InterleaveUpper(d, p, q),
            hn::InterleaveLower(d, hn::Load(d, rows[0] + 2), hn::Load(d, rows[1] + 2))};
  } else if constexpr (hn::MaxLanes(D()) == 4) {
    const auto p = hn::Load(d, rows[0]), q = hn::Load(d, rows[1]), r = hn::Load(d, rows[2]), s = hn::Load(d, rows[3]);
    const auto xz = hn::InterleaveLower(d, p, q), yw = hn::InterleaveUpper(d, p, q);
    const auto xz2 = hn::InterleaveLower(d, r, s), yw2 = hn::InterleaveUpper(d, r, s);
    return {hn::ConcatLowerLower(d, xz2, xz), hn::ConcatLowerLower(d, yw2, yw), hn::ConcatUpperUpper(d, xz2, xz)};
  } else {
    const hn::Half<D> half;
    const auto first = transposed(half, rows), second = transposed(half, rows + hn::MaxLanes(half));
    return {hn::Combine(d, second.x, first.x), hn::Combine(d, second.y, first.y), hn::Combine(d, second.z, first.z)};
  }
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
template <int count, class D>
HWY_INLINE Polygons<D, count> for_each(D d, const LinearPolygon* polygons) {
  constexpr std::size_t lanes = hn::MaxLanes(D());
  Polygons<D, count> all;
  const auto rows = [&](auto of) HWY_ATTR {
    const double* row[lanes];
    for (std::size_t lane = 0; lane < lanes; ++lane)
      row[lane] = of(polygons[lane]);
    return transposed(d, row);
  };
  for (std::size_t i = 0; i < all.corners; ++i) {
    all.x[i] = rows([i](const LinearPolygon& p) { return p.x[i]; });
    all.dx[i] = rows([i](const LinearPolygon& p) { return p.dx[i]; });
  }
  for (std::size_t i = 0; i < all.sides; ++i) {
    all.e[i] = rows([i](const LinearPolygon& p) { return p.e[i]; });
    all.de[i] = rows([i](const LinearPolygon& p) { return p.de[i]; });
  }
  all.quadratic_error = rows([](const LinearPolygon& p) { return p.quadratic_error; });
  const Triple<hn::Vec<D>> rest = rows([](const LinearPolygon& p) { return &p.cubic_error; });
  all.cubic_error = rest.x;
  all.width = rest.y;
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

/// What most polygons are decided by: the whole time, and, if the cubic has one zero, a narrow interval about it.
template <class D>
struct Decision {
  hn::Mask<D> apart;
  hn::Mask<D> touch;      ///< in [from, to]
  hn::Mask<D> is_within;  ///< only in [from, to], if at all
  hn::Vec<D> from, to;
};
template <int count, class D>
HWY_INLINE Decision<D> decide(D d, const Polygons<D, count>& p, double until, bool is_separated) {
  using Number = hn::Vec<D>;
  using Mask = hn::Mask<D>;
  Decision<D> result;
  const Number all = hn::Set(d, until);
  const Look<D> whole = look<true>(d, p, hn::Zero(d), all);
  result.apart = whole.is_off;
  result.from = hn::Zero(d);
  result.to = all;
  const Mask none = hn::Lt(all, all);
  result.touch = none;
  result.is_within = none;
  // (What holds of one zero says nothing of where the polygon is near.)
  if (is_separated) return result;
  const Number outer = p.cubic_error, inner = hn::Mul(outer, hn::Set(d, 3.0));
  const Number not_outer = hn::Neg(outer), not_inner = hn::Neg(inner);
  const Mask falls = hn::And(hn::Gt(whole.c[0], outer), hn::Lt(whole.c[3], not_outer));
  const Mask rises = hn::And(hn::Lt(whole.c[0], not_outer), hn::Gt(whole.c[3], outer));
  // The coefficients change their sign once.
  const Mask falls_once = hn::And(falls, hn::Or(hn::Gt(whole.c[1], inner), hn::Lt(whole.c[2], not_inner)));
  const Mask rises_once = hn::And(rises, hn::Or(hn::Lt(whole.c[1], not_inner), hn::Gt(whole.c[2], inner)));
  const Number width = hn::Max(p.width, hn::Set(d, finest));
  const Mask once = hn::AndNot(whole.is_off, hn::And(hn::Or(falls_once, rises_once), hn::Lt(width, all)));
  if (hn::AllFalse(d, once)) return result;

  // A narrow window about the zero, if the signs on its borders are certain, leaves none outside.
  const Number zero = hn::Mul(zero_of(d, whole.c), all), half = hn::Mul(width, hn::Set(d, 0.45));
  const Number from = hn::Max(hn::Zero(d), hn::Sub(zero, half)), to = hn::Min(all, hn::Add(zero, half));
  const Look<D> window = look<false>(d, p, from, to);
  const Mask parted = hn::Or(hn::And(falls_once, hn::And(hn::Gt(window.c[0], outer), hn::Lt(window.c[3], not_outer))),
                             hn::And(rises_once, hn::And(hn::Lt(window.c[0], not_outer), hn::Gt(window.c[3], outer))));
  const Mask alone = hn::And(once, parted);
  result.apart = hn::Or(result.apart, hn::And(alone, window.is_off));
  result.is_within = hn::AndNot(window.is_off, alone);
  result.touch = hn::And(result.is_within, window.is_around);
  result.from = hn::IfThenElse(alone, from, result.from);
  result.to = hn::IfThenElse(alone, to, result.to);
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

/// What `decide` left open.
template <int count>
HWY_INLINE void finish(const LinearPolygon& p, bool touch, const Part& part, double until, LinearAnswer& answer) {
  if (touch) return set_touch(part, true, p.width, answer);
  if (p.separation > 0) return first_contact_by_axes(p, until, p.width, answer);
  search<count>(p, part, until, answer);
}

template <FeaturePairKind kind>
LinearOutcome one_contact(const FeaturePair& pair, const LinearOptions& options, LinearPolygon& p,
                          LinearAnswer& answer) {
  const LinearOutcome set = set_polygon<kind>(pair, options, p);
  if (set != LinearOutcome::touch) return set;
  constexpr int count = layout_of(kind).count;
  if constexpr (count < 3) {
    first_contact_by_axes(p, options.until, p.width, answer);
  } else {
    const hn::CappedTag<double, 1> d;
    const auto seen = decide(d, for_all<count>(d, p), options.until, p.separation > 0);
    if (hn::AllTrue(d, seen.apart)) return LinearOutcome::apart;
    finish<count>(p, hn::AllTrue(d, seen.touch), {hn::GetLane(seen.from), hn::GetLane(seen.to)}, options.until, answer);
  }
  return answer.apart ? LinearOutcome::apart : LinearOutcome::touch;
}

// ---------------------------------------------------------------------------------------------------------------------
// Many polygons at once

template <FeaturePairKind kind, class PairAt>
bool many_contacts(const PairAt& pair_at, std::size_t total, const LinearOptions& options, const LinearSink& sink) {
  const hn::CappedTag<double, 8> d;
  constexpr std::size_t lanes = hn::MaxLanes(d);
  constexpr int count = layout_of(kind).count;
  LinearPolygon polygons[lanes];
  std::size_t numbers[lanes];
  std::size_t waiting = 0;
  const auto look_at_waiting = [&]() HWY_ATTR {
    for (std::size_t lane = waiting; lane < lanes; ++lane)
      polygons[lane] = polygons[0];
    const auto seen = decide(d, for_each<count>(d, polygons), options.until, options.separation > 0);
    if (!hn::AllTrue(d, seen.apart)) {
      std::uint8_t apart[8] = {}, touch[8] = {};
      alignas(64) double from[lanes], to[lanes];
      hn::StoreMaskBits(d, seen.apart, apart);
      hn::StoreMaskBits(d, seen.touch, touch);
      hn::Store(seen.from, d, from);
      hn::Store(seen.to, d, to);
      for (std::size_t lane = 0; lane < waiting; ++lane) {
        if ((apart[0] >> lane & 1) != 0) continue;
        LinearAnswer answer;
        finish<count>(polygons[lane], (touch[0] >> lane & 1) != 0, {from[lane], to[lane]}, options.until, answer);
        if (!answer.apart) sink.take(sink.context, numbers[lane], pair_at(numbers[lane]), polygons[lane], answer);
      }
    }
    waiting = 0;
  };
  for (std::size_t i = 0; i < total; ++i) {
    const LinearOutcome set = set_polygon<kind>(pair_at(i), options, polygons[waiting]);
    if (set == LinearOutcome::refused) return false;
    numbers[waiting] = i;
    if (set == LinearOutcome::touch && ++waiting == lanes) look_at_waiting();
  }
  if (waiting > 0) look_at_waiting();
  return true;
}

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
bool many_contacts_in(const FeaturePairs& pairs, std::size_t count, const LinearOptions& options,
                      const LinearSink& sink) {
  if (pairs.in_rows == nullptr) {
    return many_contacts<kind>([&](std::size_t i) -> const FeaturePair& { return pairs.anywhere[i]; }, count, options,
                               sink);
  }
  constexpr PolygonLayout layout = layout_of(kind);
  const auto pair_at = [&](std::size_t i) {
    const double* const row = pairs.in_rows + 24 * i;
    FeaturePair pair;
    for (int k = 0; k < 4; ++k) {
      pair.start[k] = row + layout.start[k];
      pair.end[k] = row + layout.end[k];
    }
    return pair;
  };
  return many_contacts<kind>(pair_at, count, options, sink);
}

bool many_contacts_of(FeaturePairKind kind, const FeaturePairs& pairs, std::size_t count, const LinearOptions& options,
                      const LinearSink& sink) {
  return kind == FeaturePairKind::point_triangle
             ? many_contacts_in<FeaturePairKind::point_triangle>(pairs, count, options, sink)
             : many_contacts_in<FeaturePairKind::segment_segment>(pairs, count, options, sink);
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
