#pragma once

// The part of a line inside a ball: the quadratic equation that spheres, cylinders, capsules, ellipsoids and moving
// spheres share.

#include "geometry/ray_rounded.hpp"

namespace whisker::geometry {

template <class T>
Rounded<T> dot(const Rounded<T> (&a)[3], const Rounded<T> (&b)[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// The part of the line where a t² + 2 b t + c <= 0, for a > 0. disc = b² - a c must be computed in a way that does not
/// cancel.
///
/// The root of larger magnitude is q / a with q = -(b + sign(b) √disc), a sum that does not cancel. The other root is
/// c / q (Press et al., "Numerical Recipes", section 5.6), or -(b - sign(b) √disc) / a if the error bound of that is
/// smaller: near a double root at 0, q is only rounding error.
template <class T>
Stretch between_roots(Rounded<T> a, Rounded<T> b, Rounded<T> c, Rounded<T> disc) {
  if (disc.negative()) return nowhere();
  const Rounded<T> root = root_of(disc);
  const bool b_positive = leading(b.value) >= 0;
  const Rounded<T> q = b_positive ? -(b + root) : root - b;
  const Rounded<T> far_root = q / a;
  Rounded<T> near_root = (b_positive ? root - b : -(b + root)) / a;
  const Rounded<T> other = c / q;
  if (other.error < near_root.error) near_root = other;
  const Bounded far_bounds = bounded(far_root);
  const Bounded near_bounds = bounded(near_root);
  const bool certain = leading(disc.value) >= disc.error * (1 + 0x1p-50);
  return {true, certain, b_positive ? far_bounds : near_bounds, b_positive ? near_bounds : far_bounds, 0, 0};
}

/// The part of the line where |o + t d| <= r. If the z coordinates are exactly zero, this is the infinite cylinder.
template <class T>
Stretch ball_stretch(const Rounded<T> (&o)[3], const Rounded<T> (&d)[3], Rounded<T> r, double reach) {
  const Rounded<T> a = dot(d, d);
  const Rounded<T> b = dot(o, d);
  const Rounded<T> r2 = r * r;
  const Rounded<T> c = dot(o, o) - r2;
  if (leading(a.value) > 4 * a.error) {
    // b² - a c = r² |d|² - |o × d|² (Lagrange's identity), without the cancellation of b² against a c.
    const Rounded<T> x = o[1] * d[2] - o[2] * d[1];
    const Rounded<T> y = o[2] * d[0] - o[0] * d[2];
    const Rounded<T> z = o[0] * d[1] - o[1] * d[0];
    return between_roots(a, b, c, r2 * a - (x * x + y * y + z * z));
  }
  // The direction is zero, or not larger than its rounding error: within the reach, |o + t d|² - r² stays close to c.
  const double drift =
      a.exactly_zero() ? 0 : inflated(2 * b.upper_magnitude() * reach + a.upper_magnitude() * reach * reach);
  const Rounded<T> level{c.value, inflated(c.error + drift)};
  if (level.positive()) return nowhere();
  const bool inside = -leading(level.value) >= level.error;
  if (inside || drift == 0) return whole_line(inside);
  return {true, false, {-reach, -reach, reach}, {-reach, reach, reach}, 0, 0};
}

}  // namespace whisker::geometry
