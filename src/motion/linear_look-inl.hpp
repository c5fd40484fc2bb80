// What is certain about polygons in time intervals, one polygon and one interval in each lane. Compiled once per
// instruction set: included from linear_contact_kernels.cpp.

#include <cstddef>

#include "motion/linear_contact.hpp"

#if defined(WHISKER_LINEAR_LOOK_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef WHISKER_LINEAR_LOOK_INL
#undef WHISKER_LINEAR_LOOK_INL
#else
#define WHISKER_LINEAR_LOOK_INL
#endif

#include <hwy/highway.h>

#include "simd/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whisker::motion::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using namespace simd::HWY_NAMESPACE;

/// One polygon in each lane, or the same one in all lanes.
template <class D, int count>
struct Polygons {
  using Number = hn::Vec<D>;
  static constexpr std::size_t corners = count, sides = count == 3 ? 3 : 2;

  Lanes3<Number> x[corners], dx[corners];
  Lanes3<Number> e[sides], de[sides];
  Number cubic_error;
  Lanes3<Number> quadratic_error;
  Number width;
};
template <int count, class D>
HWY_INLINE Polygons<D, count> for_all(D d, const LinearPolygon& p) {
  Polygons<D, count> all;
  const auto row = [&](const double* v) HWY_ATTR { return set3(d, v); };
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
HWY_INLINE Lanes3<hn::Vec<D>> at(D, const Lanes3<hn::Vec<D>>& start, const Lanes3<hn::Vec<D>>& change, hn::Vec<D> t) {
  return start + change * t;
}

/// What is certain about the polygons in the intervals of the lanes.
template <class D>
struct Look {
  using Number = hn::Vec<D>;
  using Mask = hn::Mask<D>;

  Number c[4];     ///< Bernstein coefficients of the cubic, the inner ones three times as large
  Mask is_off;     ///< there is certainly no contact
  Mask is_around;  ///< if the cubic has a zero, the polygon contains the origin then
  // For measuring:
  Mask is_x, is_xy;  ///< the quadratics are those perpendicular to the first axis, or to one of the first two
  Number q[4][3];    ///< their coefficients; the inner ones are twice as large; those of reversed sides are negated
};

/// `is_from_start`: all intervals begin at time 0.
template <bool is_from_start, int count, class D>
HWY_INLINE Look<D> look(D d, const Polygons<D, count>& p, hn::Vec<D> from, hn::Vec<D> to) {
  using Number = hn::Vec<D>;
  using Mask = hn::Mask<D>;
  constexpr std::size_t corners = Polygons<D, count>::corners, sides = Polygons<D, count>::sides;
  Lanes3<Number> x0[corners], x1[corners], e0[sides], e1[sides];
  for (std::size_t i = 0; i < corners; ++i) {
    x0[i] = is_from_start ? p.x[i] : at(d, p.x[i], p.dx[i], from);
    x1[i] = at(d, p.x[i], p.dx[i], to);
  }
  for (std::size_t i = 0; i < sides; ++i) {
    e0[i] = is_from_start ? p.e[i] : at(d, p.e[i], p.de[i], from);
    e1[i] = at(d, p.e[i], p.de[i], to);
  }
  Look<D> result;
  const Lanes3<Number> first = cross(e0[0], e0[1]), last = cross(e1[0], e1[1]),
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

  // The quadratics in the plane perpendicular to the axis along which the normal is longest at the interval's middle.
  const Lanes3<Number> normal = (first + last) + mixed;
  const Number nx = hn::Abs(normal.x), ny = hn::Abs(normal.y), nz = hn::Abs(normal.z);
  const Mask is_x = hn::And(hn::Ge(nx, ny), hn::Ge(nx, nz)), is_xy = hn::Or(is_x, hn::Ge(ny, nz));
  result.is_x = is_x;
  result.is_xy = is_xy;
  const auto along = [&](const Lanes3<Number>& v) HWY_ATTR { return hn::IfThenElse(is_x, v.y, v.x); };
  const auto across = [&](const Lanes3<Number>& v) HWY_ATTR { return hn::IfThenElse(is_xy, v.z, v.y); };
  const Number error =
      hn::IfThenElse(is_x, p.quadratic_error.x, hn::IfThenElse(is_xy, p.quadratic_error.y, p.quadratic_error.z));
  Number ei0[sides], ei1[sides], ej0[sides], ej1[sides];
  for (std::size_t i = 0; i < sides; ++i) {
    ei0[i] = along(e0[i]);
    ei1[i] = along(e1[i]);
    ej0[i] = across(e0[i]);
    ej1[i] = across(e1[i]);
  }
  // The least and the largest coefficient of each corner's quadratic, and over all corners the least and largest of
  // those.
  Number min_low, max_low, min_high, max_high;
  for (std::size_t i = 0; i < corners; ++i) {
    const std::size_t side = i % sides;
    const Number xi0 = along(x0[i]), xi1 = along(x1[i]), xj0 = across(x0[i]), xj1 = across(x1[i]);
    const Number q0 = hn::Sub(hn::Mul(xi0, ej0[side]), hn::Mul(xj0, ei0[side]));
    const Number q1 = hn::Add(hn::Sub(hn::Mul(xi0, ej1[side]), hn::Mul(xj0, ei1[side])),
                              hn::Sub(hn::Mul(xi1, ej0[side]), hn::Mul(xj1, ei0[side])));
    const Number q2 = hn::Sub(hn::Mul(xi1, ej1[side]), hn::Mul(xj1, ei1[side]));
    result.q[i][0] = q0;
    result.q[i][1] = q1;
    result.q[i][2] = q2;
    const Number half = hn::Mul(q1, hn::Set(d, 0.5));
    Number low = hn::Min(hn::Min(q0, q2), half), high = hn::Max(hn::Max(q0, q2), half);
    if (i >= sides) {  // a reversed side
      const Number negated = hn::Neg(low);
      low = hn::Neg(high);
      high = negated;
    }
    min_low = i == 0 ? low : hn::Min(min_low, low);
    max_low = i == 0 ? low : hn::Max(max_low, low);
    min_high = i == 0 ? high : hn::Min(min_high, high);
    max_high = i == 0 ? high : hn::Max(max_high, high);
  }
  const Number negative = hn::Neg(error);
  const Mask outside = hn::And(hn::Gt(max_low, error), hn::Lt(min_high, negative));
  result.is_off = hn::Or(hn::Or(above, below), outside);
  result.is_around = hn::Or(hn::Gt(min_low, error), hn::Lt(max_high, negative));
  return result;
}

/// 1 or -1 if certain, otherwise 0.
HWY_INLINE int sign_of(double value, double error) {
  return value > error ? 1 : (value < -error ? -1 : 0);
}

/// A test of a single interval.
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

/// Approximates where in [0, 1] the cubics with these coefficients are zero. Their ends must have different signs. Only
/// speed depends on the accuracy.
template <class D>
HWY_INLINE hn::Vec<D> zero_of(D d, const hn::Vec<D> (&c)[4]) {
  using Number = hn::Vec<D>;
  using Mask = hn::Mask<D>;
  const Number one = hn::Set(d, 1.0), two = hn::Set(d, 2.0), three = hn::Set(d, 3.0);
  // Coefficients of the powers of s.
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
    // Each lane stops by itself, so that its result does not depend on the other lanes.
    const Mask goes_on = hn::And(active, hn::Ge(hn::Abs(hn::Sub(next, s)), hn::Set(d, 1e-6)));
    s = hn::IfThenElse(active, next, s);
    active = goes_on;
    if (hn::AllFalse(d, active)) break;
  }
  return s;
}

constexpr double finest = 0x1p-43;  // the shortest interval that is subdivided

// Most polygons are decided by a test of the whole time and, if the cubic has one zero, of a narrow window around it.

template <class D>
struct WholeLook {
  hn::Mask<D> apart;
  hn::Mask<D> once;      ///< the cubic has one zero, and its ends have certain signs
  hn::Mask<D> is_blind;  ///< the cubic has no certain sign at either end
  hn::Vec<D> c[4];       ///< as in Look
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
  // The coefficients change sign once.
  const Mask falls = hn::And(hn::And(hn::Gt(seen.c[0], outer), hn::Lt(seen.c[3], not_outer)),
                             hn::Or(hn::Gt(seen.c[1], inner), hn::Lt(seen.c[2], not_inner)));
  const Mask rises = hn::And(hn::And(hn::Lt(seen.c[0], not_outer), hn::Gt(seen.c[3], outer)),
                             hn::Or(hn::Lt(seen.c[1], not_inner), hn::Gt(seen.c[2], inner)));
  result.is_blind = hn::Le(hn::Max(hn::Abs(seen.c[0]), hn::Abs(seen.c[3])), outer);
  const Mask is_wide = hn::Lt(hn::Max(p.width, hn::Set(d, finest)), all);
  result.once = hn::AndNot(seen.is_off, hn::And(hn::Or(falls, rises), is_wide));
  // With a separation, one zero does not tell where the polygon is near the origin.
  if (is_separated) result.once = hn::Lt(all, all);
  return result;
}

template <class D>
struct WindowLook {
  hn::Mask<D> apart;
  hn::Mask<D> touch;    ///< there is a contact in [from, to]
  hn::Vec<D> from, to;  ///< if they touch, the contact is in this interval
};
/// `c`: the cubic's coefficients for the whole time. The cubic must have one zero.
template <int count, class D>
HWY_INLINE WindowLook<D> look_at_window(D d, const Polygons<D, count>& p, const hn::Vec<D> (&c)[4], double until) {
  using Number = hn::Vec<D>;
  using Mask = hn::Mask<D>;
  const Number all = hn::Set(d, until), zero = hn::Mul(zero_of(d, c), all);
  const Number half = hn::Mul(hn::Max(p.width, hn::Set(d, finest)), hn::Set(d, 0.45));
  const Number from = hn::Max(hn::Zero(d), hn::Sub(zero, half)), to = hn::Min(all, hn::Add(zero, half));
  const Look<D> seen = look<false>(d, p, from, to);
  // If the signs at the window's borders are certain, there is no zero outside.
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

}  // namespace whisker::motion::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
