#pragma once

// Sizes rounded to sixteenths of an octave, as small integers. The levels of the grid are chosen by them.

#include <bit>
#include <cstdint>

namespace whisker::deform {

/// Steps from one power of two to the next.
inline constexpr int size_steps = 16;

/// The leading bits of a nonnegative length: its exponent and four more bits. 0 for 0, otherwise ascending with the
/// length.
inline std::uint16_t size_code(double length) {
  if (length == 0) return 0;
  return static_cast<std::uint16_t>((std::bit_cast<std::uint64_t>(length) >> 48) + 1);
}

/// A length just above all lengths with this code; 0 for code 0.
inline double length_of(std::uint16_t code) {
  return std::bit_cast<double>(std::uint64_t{code} << 48);
}

}  // namespace whisker::deform
