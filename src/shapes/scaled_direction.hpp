#pragma once

// Scales a direction so that products with coordinates stay in the range of doubles.

#include <cmath>

#include <whisker/vector.hpp>

namespace whisker {

/// `direction` times the power of two that puts its largest coordinate in [1, 2), so that its products with coordinates
/// neither overflow nor underflow. Returned unchanged if it is zero or not finite.
inline Vector3 scaled_direction(const Vector3& direction) {
  const double largest = direction.cwiseAbs().maxCoeff();
  if (!(largest > 0) || !std::isfinite(largest)) return direction;
  const int exponent = -std::ilogb(largest);
  return {std::ldexp(direction[0], exponent), std::ldexp(direction[1], exponent), std::ldexp(direction[2], exponent)};
}

}  // namespace whisker
