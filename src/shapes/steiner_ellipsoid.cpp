// An ellipsoid with a radius around it.
//
// With the semi-axes a_k, all integrals are means over the unit sphere of products of squares of coordinates and of a
// power of g(u) = |(a_1 u_1, a_2 u_2, a_3 u_3)|, or of the same function for c_k, the products of two semi-axes. The
// point with the normal u is a_k² u_k / g, where R1 + R2 is the sum over i ≠ j of a_i² a_j² u_j² / g³. The point a_k
// v_k has the surface element |c v| dv. (These are elliptic integrals: B. C. Carlson, "Special functions of applied
// mathematics", 1977.)
//
// Each mean is an integral over a line, which the trapezoid rule finds with a proven relative error of 1e-23, however
// thin the ellipsoid.

#include <algorithm>
#include <array>
#include <cmath>

#include "shapes/mass_arithmetic.hpp"
#include "shapes/steiner.hpp"

namespace whisker::shapes {
namespace {

using Triple = std::array<Interval, 3>;

/// x^(twice / 2).
Interval half_power(const Interval& x, int twice) {
  Interval result = twice % 2 == 0 ? Interval(1) : sqrt(x);
  for (int i = 0; i < twice / 2; ++i)
    result *= x;
  return result;
}

/// 2^(n/4).
Interval quarter_power(int n) {
  static const Interval root = sqrt(sqrt(Interval(2)));
  const int whole = n >= 0 ? n / 4 : -((3 - n) / 4);
  Interval result = std::ldexp(1.0, whole);
  for (int i = 4 * whole; i < n; ++i)
    result *= root;
  return result;
}

/// Γ(twice / 2), without the factor √π that it has for odd numbers.
double gamma_of_half(int twice) {
  double result = 1;
  for (int i = twice - 2; i > 0; i -= 2)
    result *= i / 2.0;
  return result;
}

/// The mean over the unit sphere of u_1^2m_1 u_2^2m_2 u_3^2m_3 (z_1 u_1² + z_2 u_2² + z_3 u_3²)^-a, for a = twice_a / 2
/// with a < 3/2 + m_1 + m_2 + m_3. If some z are 0, the b_i = m_i + 1/2 of the others must sum up to more than a.
///
/// It is Γ(b_1) Γ(b_2) Γ(b_3) / (2π Γ(a) Γ(Σb - a)) ∫ s^(a-1) Π (1 + s z_i)^-b_i ds over all s > 0. (Integrate the
/// function times e^-|x|² over space, with g^-2a = ∫ s^(a-1) e^(-s g²) ds / Γ(a).)
///
/// With s = e^y, the function f(y) = s^a Π (1 + s z_i)^-b_i is analytic where |Im y| < π. For |Im y| <= π/2 it is at
/// most 2^(Σb/2) times its value at Re y, because |1 + s z e^iβ|² >= 1 + s² z² >= (1 + s z)² / 2. So the trapezoid rule
/// with the step d has a relative error of at most 2^(1 + Σb/2) / (e^(π²/d) - 1) (L. N. Trefethen, J. A. C. Weideman,
/// "The exponentially convergent trapezoidal rule", 2014, theorem 5.1). With d = ln 2 / 4 it is below 1e-23.
Interval sphere_mean(const std::array<int, 3>& m, const Triple& z, int twice_a) {
  double largest = 0;
  int decay = -twice_a;  // twice the exponent with which f goes down for large s
  for (std::size_t i = 0; i < 3; ++i) {
    largest = std::max(largest, z[i].upper);
    if (z[i].upper > 0) decay += 2 * m[i] + 1;
  }
  const auto value = [&](int n) {
    const Interval s = quarter_power(n);
    Interval divisor = 1;
    for (std::size_t i = 0; i < 3; ++i)
      divisor *= half_power(1 + s * z[i], 2 * m[i] + 1);
    return half_power(s, twice_a) / divisor;
  };
  /// At least the sum of f over all nodes beyond n: f is at most `at_n` there, and goes down by a factor per node.
  const auto tail = [](const Interval& at_n, int twice_exponent) {
    const Interval factor = 1 / sqrt(quarter_power(twice_exponent));  // 2^-(exponent / 4)
    return (at_n * factor / (1 - factor)).upper;
  };
  const int start = -4 * std::ilogb(largest);
  IntervalSum sum;
  sum += value(start);
  double total = sum.value().lower;
  double rest_left = 0, rest_right = 0;
  for (int n = start - 1;; --n) {
    const Interval f = value(n);
    sum += f;
    total += f.lower;
    rest_left = tail(half_power(quarter_power(n), twice_a), twice_a);
    if (rest_left < 0x1p-60 * total) break;
  }
  for (int n = start + 1;; ++n) {
    const Interval f = value(n);
    sum += f;
    total += f.lower;
    if (f.upper > 0x1p-50 * total) continue;
    const Interval s = quarter_power(n);
    Interval divisor = 1;
    for (std::size_t i = 0; i < 3; ++i)
      if (z[i].upper > 0) divisor *= half_power(s * z[i], 2 * m[i] + 1);
    rest_right = tail(half_power(s, twice_a) / divisor, decay);
    if (rest_right < 0x1p-60 * total) break;
  }
  sum += Interval(0, rest_left);
  sum += Interval(0, rest_right);
  // ln 2 lies between these neighbors.
  const Interval step = Interval(std::numbers::ln2, geometry::next_up(std::numbers::ln2)) / 4;
  const Interval integral = step * sum.value() * Interval(1 - 0x1p-53, 1 + 0x1p-52);
  const int twice_rest = 3 + 2 * (m[0] + m[1] + m[2]) - twice_a;
  // The factors √π: three in the numerator, one in the denominator (of twice_a and twice_rest, one is odd), and 2π.
  const double gammas = gamma_of_half(2 * m[0] + 1) * gamma_of_half(2 * m[1] + 1) * gamma_of_half(2 * m[2] + 1);
  return Interval(gammas) * integral / (2 * Interval(gamma_of_half(twice_a) * gamma_of_half(twice_rest)));
}

/// With m_k and m_j increased by 1.
Interval mean_of(std::size_t k, std::size_t j, const Triple& z, int twice_a) {
  std::array<int, 3> m = {};
  ++m[k];
  ++m[j];
  return sphere_mean(m, z, twice_a);
}
Interval mean_of(std::size_t k, const Triple& z, int twice_a) {
  std::array<int, 3> m = {};
  ++m[k];
  return sphere_mean(m, z, twice_a);
}

/// At most one semi-axis is 0, and the others are at least 2^-100 of the largest.
SteinerIntegrals ellipsoid_integrals(const Vector3& radii) {
  const Interval four_pi = 4 * pi_interval();
  SteinerIntegrals sums;
  sums.exponent = std::ilogb(radii.maxCoeff());
  Triple a, a2, c2;
  for (std::size_t k = 0; k < 3; ++k) {
    a[k] = times_power(radii[static_cast<int>(k)], -sums.exponent);
    a2[k] = square(a[k]);
  }
  for (std::size_t k = 0; k < 3; ++k)
    c2[k] = a2[(k + 1) % 3] * a2[(k + 2) % 3];
  const Interval volume = four_pi * a[0] * a[1] * a[2] / 3;
  sums.body.total = volume;
  sums.corners.total = four_pi;
  // A factor of 0 comes with a mean that need not exist; the product is 0.
  const auto is_zero = [](const Interval& x) { return x.upper == 0; };
  for (std::size_t k = 0; k < 3; ++k) {
    sums.body.second(k, k) = volume * a2[k] / 5;
    // |c v| = Σ c_j² v_j² / |c v|, and g = Σ a_j² u_j² / g.
    for (std::size_t j = 0; j < 3; ++j) {
      if (!is_zero(c2[j])) sums.surface.second(k, k) += four_pi * a2[k] * c2[j] * mean_of(k, j, c2, 1);
      if (!is_zero(a2[j])) sums.support(k, k) += four_pi * a2[j] * mean_of(k, j, a2, 1);
    }
    if (!is_zero(c2[k])) {
      sums.normals(k, k) = four_pi * c2[k] * mean_of(k, c2, 1);
      sums.surface.total += sums.normals(k, k);
    }
    if (is_zero(a2[k])) continue;
    sums.edges.total += 2 * four_pi * a2[k] * mean_of(k, a2, 1);
    sums.corners.second(k, k) = four_pi * square(a2[k]) * mean_of(k, a2, 2);
    for (std::size_t j = 0; j < 3; ++j) {
      if (is_zero(a2[j])) continue;
      const Interval others = a2[(j + 1) % 3] + a2[(j + 2) % 3];
      sums.edges.second(k, k) += four_pi * square(a2[k]) * others * a2[j] * mean_of(k, j, a2, 5);
    }
  }
  return sums;
}

MassBody ellipsoid_around(const Vector3& radii, double radius) {
  const int exponent = steiner_exponent(radii.maxCoeff(), radius);
  const auto zeros = std::count(radii.data(), radii.data() + 3, 0.0);
  // A segment or a point is a box, too.
  if (zeros >= 2) return steiner_integrals(Box{2 * radii}, exponent).around(radius);
  return ellipsoid_integrals(radii).in_units(exponent).around(radius);
}

}  // namespace

MassBody rounded_ellipsoid(const Ellipsoid& ellipsoid, double radius) {
  const double thin = 0x1p-100 * ellipsoid.radii.maxCoeff();
  Vector3 flatter = ellipsoid.radii, thicker = ellipsoid.radii;
  for (int k = 0; k < 3; ++k) {
    if (ellipsoid.radii[k] == 0 || ellipsoid.radii[k] >= thin) continue;
    flatter[k] = 0;
    thicker[k] = thin;
  }
  if (flatter == thicker) return ellipsoid_around(ellipsoid.radii, radius);
  // It contains the flatter body, and the thicker one contains it. So their volumes and second moments are bounds.
  const MassBody inner = ellipsoid_around(flatter, radius), outer_body = ellipsoid_around(thicker, radius);
  MassBody result;
  result.volume = hull(inner.volume, outer_body.volume);
  for (std::size_t k = 0; k < 3; ++k) {
    const Interval ratio_in = inner.volume / result.volume, ratio_out = outer_body.volume / result.volume;
    result.covariance(k, k) = {(inner.covariance(k, k) * ratio_in).lower,
                               (outer_body.covariance(k, k) * ratio_out).upper};
  }
  return result;
}

}  // namespace whisker::shapes
