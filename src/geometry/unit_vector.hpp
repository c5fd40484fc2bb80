#pragma once

#include <algorithm>
#include <cmath>

#include <whisker/vector.hpp>

namespace whisker::geometry {

/// v / |v| without overflow or underflow, each coordinate right to a few units in the last place; zero if v is zero or
/// not finite.
inline Vector3 unit_vector(const Vector3& v) {
  const double largest = v.cwiseAbs().maxCoeff();
  if (!(largest > 0) || !std::isfinite(largest)) return Vector3::Zero();
  const Vector3 scaled = v * std::ldexp(1.0, std::min(1000, -std::ilogb(largest)));  // of the least doubles 2^-74
  return scaled / scaled.norm();
}

}  // namespace whisker::geometry
