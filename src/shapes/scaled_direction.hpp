#pragma once

// Scales a direction so that products with coordinates stay in the range of doubles.

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include <whisker/vector.hpp>

namespace whisker {

/// `direction` times the power of two that puts its largest coordinate in [1, 2), so that its products with coordinates
/// neither overflow nor underflow. Returned unchanged if it is zero or not finite.
inline Vector3 scaled_direction(const Vector3& direction) {
  const double largest = direction.cwiseAbs().maxCoeff();
  if (!(largest > 0) || !std::isfinite(largest)) return direction;
  const int exponent = -std::ilogb(largest);
  constexpr int bias = 1023, mantissa_bits = 52;
  if (std::abs(exponent) < bias)  // nearly always: a product with a power of two is the same as ldexp, and faster
    return direction * std::bit_cast<double>(static_cast<std::uint64_t>(bias + exponent) << mantissa_bits);
  return {std::ldexp(direction[0], exponent), std::ldexp(direction[1], exponent), std::ldexp(direction[2], exponent)};
}

}  // namespace whisker
