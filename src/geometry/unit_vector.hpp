#pragma once

// Normalization of vectors of any size.

#include <algorithm>
#include <cmath>

#include <Eigen/Geometry>

#include <whisker/vector.hpp>

namespace whisker::geometry {

/// v / |v| without overflow or underflow, each coordinate accurate to a few ulps. Zero if v is zero or not finite.
inline Vector3 unit_vector(const Vector3& v) {
  const double largest = v.cwiseAbs().maxCoeff();
  // Scaling by a power of two does not change the result where squares are in range.
  if (largest > 0x1p-400 && largest < 0x1p400) return v / v.norm();
  if (!(largest > 0) || !std::isfinite(largest)) return Vector3::Zero();
  const Vector3 scaled = v * std::ldexp(1.0, std::min(1000, -std::ilogb(largest)));  // 2^-74 for the smallest doubles
  return scaled / scaled.norm();
}

/// The unit normal of the triangle a b c, which looks from its front, up to rounding. Zero if the triangle has none.
inline Vector3 unit_normal(const Vector3& a, const Vector3& b, const Vector3& c) {
  return unit_vector(unit_vector(b - a).cross(unit_vector(c - a)));
}

/// A unit vector perpendicular to a unit vector, up to rounding.
inline Vector3 perpendicular(const Vector3& unit) {
  int least = 0;
  unit.cwiseAbs().minCoeff(&least);
  return unit_vector(unit.cross(Vector3::Unit(least)));
}

}  // namespace whisker::geometry
