// The mass of a polyhedron, as the sum over its triangles of the signed tetrahedra between them and a point in the
// middle.
//
// For the tetrahedron with corners 0, a, b, c, with s = a + b + c and d = det(a, b, c), the integrals over the volume
// are d / 6 of 1, d s_k / 24 of x_k, and d (s_k s_l + a_k a_l + b_k b_l + c_k c_l) / 120 of x_k x_l (S. Lien, J. T.
// Kajiya, "A symbolic method for calculating the integral properties of arbitrary nonconvex polyhedra", 1984).
//
// The determinant is computed as a · ((b - a) × (c - a)). Its rounding error is proportional to the triangle's edges,
// so that the sum of all errors does not grow with the number of triangles.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "shapes/mass_body.hpp"

namespace whisker::shapes {
namespace {

using geometry::DoubleDouble;

/// (a - b) · unit, for a power of two.
template <class Number>
Number scaled_difference(double a, double b, double unit) {
  if constexpr (std::is_same_v<Number, double>) {
    return (a - b) * unit;
  } else {
    const DoubleDouble exact = geometry::difference(a, b);
    return {exact.hi * unit, exact.lo * unit};
  }
}

/// The largest relative error of one operation.
template <class Number>
constexpr double operation_error = std::is_same_v<Number, double> ? 0x1p-53 : 0x1p-103;

/// The pairs of axes of the second moments.
constexpr std::array<std::array<std::size_t, 2>, 6> axis_pairs = {{{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}}};

/// Where the sums are relative to, and the unit of length along each axis as a power of two. Each axis has its own, so
/// that nothing underflows, however flat the solid. The box must have a volume.
struct MomentFrame {
  Vector3 origin = Vector3::Zero();
  std::array<int, 3> exponent = {};
  Vector3 unit = Vector3::Ones();   // 2^-exponent
  Vector3 reach = Vector3::Zero();  // upper bound on the absolute values of coordinates, in units

  MomentFrame(const Aabb& bounds, const Vector3& origin_) : origin(origin_) {
    for (int k = 0; k < 3; ++k) {
      const int power = std::max(std::ilogb(bounds.upper[k] - bounds.lower[k]), -1000);  // the unit must be finite
      exponent[static_cast<std::size_t>(k)] = power;
      unit[k] = std::ldexp(1.0, -power);
      reach[k] = std::max(bounds.upper[k] - origin[k], origin[k] - bounds.lower[k]) * unit[k] * (1 + 0x1p-40);
    }
  }
};

/// The integrals over all tetrahedra, times 6, 24 and 120: of 1, of x_k, and of x_k x_l in the order of axis_pairs.
struct MomentSums {
  std::array<DoubleDouble, 10> total;
  double products = 0;  // the products of three coordinates in the determinants, with absolute values
};

template <class Number>
MomentSums sum_tetrahedra(std::span<const Vector3> vertices, std::span<const Index3> triangles,
                          const MomentFrame& frame) {
  using Coordinates = std::array<Number, 3>;
  MomentSums sums;
  for (const Index3& corners : triangles) {
    const auto difference = [&](std::uint32_t v, const Vector3& from) -> Coordinates {
      const Vector3& at = vertices[v];
      return {scaled_difference<Number>(at[0], from[0], frame.unit[0]),
              scaled_difference<Number>(at[1], from[1], frame.unit[1]),
              scaled_difference<Number>(at[2], from[2], frame.unit[2])};
    };
    const Coordinates a = difference(corners[0], frame.origin);
    const Coordinates b = difference(corners[1], frame.origin);
    const Coordinates c = difference(corners[2], frame.origin);
    const Coordinates u = difference(corners[1], vertices[corners[0]]);
    const Coordinates v = difference(corners[2], vertices[corners[0]]);
    Coordinates volumes, sum;
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t l = (k + 1) % 3;
      const std::size_t m = (k + 2) % 3;
      const Number plus = u[l] * v[m];
      const Number minus = u[m] * v[l];
      volumes[k] = a[k] * (plus - minus);
      sum[k] = a[k] + b[k] + c[k];
      sums.products += std::abs(double(a[k])) * (std::abs(double(plus)) + std::abs(double(minus)));
    }
    std::array<Number, 10> terms;
    const Number determinant = volumes[0] + volumes[1] + volumes[2];
    terms[0] = determinant;
    for (std::size_t k = 0; k < 3; ++k)
      terms[1 + k] = determinant * sum[k];
    for (std::size_t i = 0; i < 6; ++i) {
      const auto [k, l] = axis_pairs[i];
      terms[4 + i] = determinant * (sum[k] * sum[l] + a[k] * a[l] + b[k] * b[l] + c[k] * c[l]);
    }
    for (std::size_t i = 0; i < 10; ++i)
      sums.total[i] = sums.total[i] + terms[i];
  }
  return sums;
}

template <class Number>
MassBody body_about(std::span<const Vector3> vertices, std::span<const Index3> triangles, const MomentFrame& frame) {
  const MomentSums sums = sum_tetrahedra<Number>(vertices, triangles, frame);
  // A product of three coordinates in the determinant passes through at most 8 operations that round: three
  // differences, two products, a difference and two sums. Each product of it in a first moment passes through 4 more,
  // and in a second moment through 11 more. Each bound counts one operation in excess, for the roundings of `products`
  // and of the bounds. Underflows of scaled numbers, which are at most 2, are covered by the last term.
  const double count = static_cast<double>(triangles.size());
  const auto error = [&](double operations, double factor) {
    const double relative = (operations + 1) * operation_error<Number> + count * 0x1p-102;
    return relative * sums.products * factor + count * 0x1p-1000;
  };
  const Vector3& reach = frame.reach;
  const Interval six_volumes = interval_of(sums.total[0], error(8, 1));
  MassBody body;
  body.origin = frame.origin;
  const auto& exponent = frame.exponent;
  body.volume = times_power(six_volumes / 6, exponent[0] + exponent[1] + exponent[2]);
  IntervalVector3 center;  // in units
  for (std::size_t k = 0; k < 3; ++k) {
    center[k] = interval_of(sums.total[1 + k], error(12, 3 * reach[static_cast<int>(k)])) / (4 * six_volumes);
    body.offset[k] = times_power(center[k], exponent[k]);
  }
  for (std::size_t i = 0; i < 6; ++i) {
    const auto [k, l] = axis_pairs[i];
    const double factor = 12 * reach[static_cast<int>(k)] * reach[static_cast<int>(l)];
    const Interval mean = interval_of(sums.total[4 + i], error(19, factor)) / (20 * six_volumes);
    const Interval shift = k == l ? square(center[k]) : center[k] * center[l];
    body.covariance(k, l) = body.covariance(l, k) = times_power(mean - shift, exponent[k] + exponent[l]);
  }
  return body;
}

/// Whether all bounds are at most this wide, relative to the numbers and to the solid's extents.
bool is_tight(const MassBody& body, double relative) {
  const auto narrow = [&](const Interval& x) { return x.lower > 0 && width(x) <= relative * x.lower; };
  for (std::size_t k = 0; k < 3; ++k) {
    const Interval& spread = body.covariance(k, k);
    if (!narrow(spread) || width(body.offset[k]) > relative * std::sqrt(spread.lower)) return false;
  }
  return narrow(body.volume);
}

}  // namespace

Interval times_power(Interval a, int exponent) {
  while (exponent != 0) {
    const int step = std::clamp(exponent, -1000, 1000);
    a *= Interval(std::ldexp(1.0, step));
    exponent -= step;
  }
  return a;
}

Interval interval_of(const DoubleDouble& value, double error) {
  return Interval(value.hi) + Interval(value.lo) + Interval(-error, error);
}

MassBody polyhedron_body(std::span<const Vector3> vertices, std::span<const Index3> triangles, const Aabb& bounds,
                         double tight) {
  if (!((bounds.upper - bounds.lower).minCoeff() > 0)) return {};  // in a plane
  // Where doubles lose too many digits, again in double-double and about the center: about another point, the second
  // moments of the solid may be far larger than those of interest. The center itself may first be known badly.
  MassBody body = body_about<double>(vertices, triangles, {bounds, bounds.lower / 2 + bounds.upper / 2});
  for (int i = 0; i < 2 && !is_tight(body, tight); ++i) {
    const Vector3 center = body.origin + middle(body.offset);
    body =
        body_about<DoubleDouble>(vertices, triangles, {bounds, center.cwiseMax(bounds.lower).cwiseMin(bounds.upper)});
  }
  return body;
}

}  // namespace whisker::shapes
