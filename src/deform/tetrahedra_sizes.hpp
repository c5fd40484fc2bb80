#pragma once

// Sizes to the nearest sixteenth of an octave, as small integers: what levels of a grid are told apart by.

#include <bit>
#include <cstdint>

namespace whisker::deform {

/// Steps from one power of two to the next.
inline constexpr int size_steps = 16;

/// The leading bits of a length that is not negative: its exponent and four more bits. 0 for 0, ascending.
inline std::uint16_t size_code(double length) {
  if (length == 0) return 0;
  return static_cast<std::uint16_t>((std::bit_cast<std::uint64_t>(length) >> 48) + 1);
}

/// A length with this code, or a little above all of them.
inline double length_of(std::uint16_t code) {
  return std::bit_cast<double>(std::uint64_t{code} << 48);
}

}  // namespace whisker::deform
