// The first contact of a polygon in motion with the origin, eight times at once.

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "motion/linear_contact.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "motion/linear_contact_kernels.cpp"
#include <hwy/foreach_target.h>
// After it:
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace whisker::motion::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t slices = 8;  // of an interval, on every instruction set, so that answers are the same
/// Where they begin and end, as shares of the interval: not at the halves and quarters at which contacts like to be.
alignas(64) constexpr double borders[slices + 1] = {0, 0.1187, 0.2419, 0.3693, 0.4931, 0.6183, 0.7437, 0.8709, 1};

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

/// What is certain of a polygon in the intervals of the lanes.
template <class D>
struct Look {
  using Number = hn::Vec<D>;
  using Mask = hn::Mask<D>;

  Number c[4];     ///< Bernstein coefficients of the cubic, the inner ones three times as large
  Mask is_off;     ///< no contact
  Mask is_around;  ///< if the cubic has a zero, the origin is in the polygon then
};

template <class D>
HWY_INLINE hn::Vec<D> value(D d, double start, double change, hn::Vec<D> t) {
  return hn::Add(hn::Set(d, start), hn::Mul(t, hn::Set(d, change)));
}
template <class D>
HWY_INLINE Triple<hn::Vec<D>> values(D d, const double (&start)[3], const double (&change)[3], hn::Vec<D> t) {
  return {value(d, start[0], change[0], t), value(d, start[1], change[1], t), value(d, start[2], change[2], t)};
}

/// `axis`: the quadratics are those in the plane across it.
template <class D>
HWY_INLINE Look<D> look(D d, const LinearPolygon& p, int axis, hn::Vec<D> from, hn::Vec<D> to) {
  using Number = hn::Vec<D>;
  using Mask = hn::Mask<D>;
  Look<D> result;
  const Triple<Number> x0 = values(d, p.x[0], p.dx[0], from), x1 = values(d, p.x[0], p.dx[0], to);
  const Triple<Number> e0 = values(d, p.e[0], p.de[0], from), e1 = values(d, p.e[0], p.de[0], to);
  const Triple<Number> f0 = values(d, p.e[1], p.de[1], from), f1 = values(d, p.e[1], p.de[1], to);
  const Triple<Number> first = cross(e0, f0), last = cross(e1, f1), mixed = cross(e0, f1) + cross(e1, f0);
  result.c[0] = dot(x0, first);
  result.c[1] = hn::Add(dot(x0, mixed), dot(x1, first));
  result.c[2] = hn::Add(dot(x0, last), dot(x1, mixed));
  result.c[3] = dot(x1, last);
  const Number outer = hn::Set(d, p.cubic_error), inner = hn::Set(d, 3 * p.cubic_error);
  const auto all_above = [&](Number o0, Number i1, Number i2, Number o3) HWY_ATTR {
    return hn::And(hn::And(hn::Gt(o0, outer), hn::Gt(o3, outer)), hn::And(hn::Gt(i1, inner), hn::Gt(i2, inner)));
  };
  const Mask one_side =
      hn::Or(all_above(result.c[0], result.c[1], result.c[2], result.c[3]),
             all_above(hn::Neg(result.c[0]), hn::Neg(result.c[1]), hn::Neg(result.c[2]), hn::Neg(result.c[3])));

  const int i = axis == 0 ? 1 : 0, j = axis == 2 ? 1 : 2;
  const Number end = hn::Set(d, p.quadratic_error[axis]), middle = hn::Set(d, 2 * p.quadratic_error[axis]);
  Mask some_above = hn::Lt(end, end), some_below = some_above, all_above_zero = hn::Not(some_above),
       all_below_zero = all_above_zero;
  for (int k = 0; k < p.count; ++k) {
    const Number xi0 = value(d, p.x[k][i], p.dx[k][i], from), xi1 = value(d, p.x[k][i], p.dx[k][i], to);
    const Number xj0 = value(d, p.x[k][j], p.dx[k][j], from), xj1 = value(d, p.x[k][j], p.dx[k][j], to);
    const Number ei0 = value(d, p.e[k][i], p.de[k][i], from), ei1 = value(d, p.e[k][i], p.de[k][i], to);
    const Number ej0 = value(d, p.e[k][j], p.de[k][j], from), ej1 = value(d, p.e[k][j], p.de[k][j], to);
    const Number q0 = hn::Sub(hn::Mul(xi0, ej0), hn::Mul(xj0, ei0));
    const Number q1 =
        hn::Add(hn::Sub(hn::Mul(xi0, ej1), hn::Mul(xj0, ei1)), hn::Sub(hn::Mul(xi1, ej0), hn::Mul(xj1, ei0)));
    const Number q2 = hn::Sub(hn::Mul(xi1, ej1), hn::Mul(xj1, ei1));
    const Mask above = hn::And(hn::And(hn::Gt(q0, end), hn::Gt(q2, end)), hn::Gt(q1, middle));
    const Mask below =
        hn::And(hn::And(hn::Gt(hn::Neg(q0), end), hn::Gt(hn::Neg(q2), end)), hn::Gt(hn::Neg(q1), middle));
    some_above = hn::Or(some_above, above);
    some_below = hn::Or(some_below, below);
    all_above_zero = hn::And(all_above_zero, above);
    all_below_zero = hn::And(all_below_zero, below);
  }
  result.is_off = hn::Or(one_side, hn::And(some_above, some_below));
  result.is_around = hn::Or(all_above_zero, all_below_zero);
  return result;
}

/// 1 or -1 if certain, else 0.
HWY_INLINE int sign_of(double value, double error) {
  return value > error ? 1 : (value < -error ? -1 : 0);
}

/// The axis along which the polygon's normal is longest at time t.
HWY_INLINE int main_axis(const LinearPolygon& p, double t) {
  double e[3], f[3];
  for (int k = 0; k < 3; ++k) {
    e[k] = p.e[0][k] + t * p.de[0][k];
    f[k] = p.e[1][k] + t * p.de[1][k];
  }
  const double x = std::abs(e[1] * f[2] - e[2] * f[1]), y = std::abs(e[2] * f[0] - e[0] * f[2]),
               z = std::abs(e[0] * f[1] - e[1] * f[0]);
  return x >= y && x >= z ? 0 : (y >= z ? 1 : 2);
}

/// One interval alone.
struct OneLook {
  int first, last;  ///< the cubic's signs at its ends
  bool is_off;
  bool has_contact;
};
HWY_INLINE OneLook look_at(const LinearPolygon& p, double from, double to) {
  const hn::CappedTag<double, 1> d;
  const auto seen = look(d, p, main_axis(p, from + (to - from) / 2), hn::Set(d, from), hn::Set(d, to));
  OneLook result;
  result.first = sign_of(hn::GetLane(seen.c[0]), p.cubic_error);
  result.last = sign_of(hn::GetLane(seen.c[3]), p.cubic_error);
  result.is_off = hn::AllTrue(d, seen.is_off);
  result.has_contact = result.first * result.last < 0 && hn::AllTrue(d, seen.is_around);
  return result;
}

/// Near where in [0, 1] the cubic with these coefficients, whose ends have different signs, is zero. Nothing depends on
/// it but speed.
HWY_INLINE double zero_of(double c0, double c1, double c2, double c3) {
  // As a sum of powers of s.
  const double b0 = c0, b1 = c1 - 3 * c0, b2 = 3 * c0 - 2 * c1 + c2, b3 = c3 - c2 + c1 - c0;
  double low = 0, high = 1, s = c0 / (c0 - c3);
  for (int i = 0; i < 8; ++i) {
    const double f = ((b3 * s + b2) * s + b1) * s + b0;
    (f > 0) == (c0 > 0) ? low = s : high = s;
    const double slope = (3 * b3 * s + 2 * b2) * s + b1;
    double next = s - f / slope;
    if (!(next >= low && next <= high)) next = low + (high - low) / 2;
    const double step = std::abs(next - s);
    s = next;
    if (step < 1e-9) break;
  }
  return s;
}

struct Part {
  double from, to;
};

void first_contact(const LinearPolygon& p, const LinearGoal& goal, LinearAnswer& answer) {
  const hn::CappedTag<double, slices> d;
  constexpr std::size_t lanes = hn::MaxLanes(d);
  constexpr int patience = 64;  // parts looked into before less will do
  constexpr double finest = 0x1p-43;
  double fine = finest;
  const double width = std::max(goal.width, fine);
  // Of each width at most seven wait, and there are fifteen widths.
  Part stack[128];
  std::size_t waiting = 0;
  stack[waiting++] = {0, goal.until};
  const auto hit = [&](const Part& part, bool certain) {
    answer.apart = false;
    answer.certain = certain;
    answer.lower = part.from;
    answer.upper = part.to;
    answer.limited = part.to - part.from > goal.width;
  };
  for (int looked = 0; waiting > 0; ++looked) {
    const Part part = stack[--waiting];
    if (looked >= patience && looked % 16 == 0) fine = looked == patience ? width : 4 * fine;
    if (part.to - part.from <= fine) {
      const OneLook seen = look_at(p, part.from, part.to);
      if (seen.is_off || (!seen.has_contact && is_kept_away(p, part.from, part.to, 0))) continue;
      return hit(part, seen.has_contact);
    }

    alignas(64) double from[slices], to[slices], c[4][slices];
    const double length = part.to - part.from;
    const int axis = main_axis(p, part.from + length / 2);
    unsigned open = 0;
    for (std::size_t k = 0; k < slices; k += lanes) {
      const auto at_share = [&](const double* share) HWY_ATTR {
        return hn::Add(hn::Set(d, part.from), hn::Mul(hn::LoadU(d, share), hn::Set(d, length)));
      };
      const auto begin = at_share(borders + k);
      // The last border is the interval's own, rounding aside.
      const auto ends = hn::IfThenElse(hn::Ge(hn::LoadU(d, borders + k + 1), hn::Set(d, 1.0)), hn::Set(d, part.to),
                                       at_share(borders + k + 1));
      const auto seen = look(d, p, axis, begin, ends);
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
        if (s0 * s3 < 0 && look_at(p, slice.from, slice.to).has_contact) return hit(slice, true);
        // A zero on its very border: a contact a little farther out is in this slice or later, for there is none
        // before.
        const double out = (width - (slice.to - slice.from)) / 2;
        const Part wide = {std::max(0.0, slice.from - out), std::min(goal.until, slice.to + out)};
        if ((s0 == 0 || s3 == 0) && look_at(p, wide.from, wide.to).has_contact) return hit({slice.from, wide.to}, true);
      } else if (s0 * s3 < 0 && (s1 == s0 || s2 == s3)) {
        // The coefficients change their sign once: one zero. A narrow window about it, if the signs on its borders are
        // certain, leaves none outside.
        const double zero = slice.from + zero_of(c[0][at], c[1][at], c[2][at], c[3][at]) * (slice.to - slice.from);
        const Part window = {std::max(slice.from, zero - 0.45 * width), std::min(slice.to, zero + 0.45 * width)};
        const OneLook seen = look_at(p, window.from, window.to);
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

}  // namespace whisker::motion::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whisker::motion {

HWY_EXPORT(first_contact);

void first_contact_polygon(const LinearPolygon& polygon, const LinearGoal& goal, LinearAnswer& answer) {
  HWY_DYNAMIC_DISPATCH(first_contact)(polygon, goal, answer);
}

}  // namespace whisker::motion
#endif
