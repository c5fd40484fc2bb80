#pragma once

// Normalization of vectors of any size.

#include <algorithm>
#include <cmath>

#include <whisker/vector.hpp>

namespace whisker::geometry {

/// v / |v| without overflow or underflow, each coordinate accurate to a few ulps. Zero if v is zero or not finite.
inline Vector3 unit_vector(const Vector3& v) {
  const double largest = v.cwiseAbs().maxCoeff();
  if (!(largest > 0) || !std::isfinite(largest)) return Vector3::Zero();
  const Vector3 scaled = v * std::ldexp(1.0, std::min(1000, -std::ilogb(largest)));  // 2^-74 for the smallest doubles
  return scaled / scaled.norm();
}

}  // namespace whisker::geometry
