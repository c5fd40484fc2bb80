#pragma once

// Cosine and sine for the mesh generators, identical on every platform.
//
// The standard library's versions may differ in the last bit between platforms. These use only operations that IEEE 754
// rounds correctly. They first fold the angle into an eighth of a turn, so that a circle of n points has all the
// symmetries of its n-gon that the axes allow: the cosine of a quarter turn is 0, not 6e-17.

#include <cmath>
#include <cstdint>

namespace whisker::make {

inline constexpr double pi = 3.14159265358979323846;

/// The point on the unit circle at an angle.
struct Direction {
  double cos;
  double sin;
};

namespace angle {

/// For 0 <= x <= π/4, by the Taylor series, truncated where the next term is below 1e-17.
inline Direction small_direction(double x) {
  const double s = x * x;
  double sine = 0;
  double cosine = 0;
  for (int k = 8; k >= 1; --k) {
    sine = (1.0 + sine) * (-s / static_cast<double>(2 * k * (2 * k + 1)));
    cosine = (1.0 + cosine) * (-s / static_cast<double>(2 * k * (2 * k - 1)));
  }
  return {1.0 + cosine, x + x * sine};
}

/// For `rest` of `whole` parts of a quarter turn, 0 <= rest <= whole, after `quarters` full quarter turns.
template <class Number>
Direction in_quarter(std::int64_t quarters, Number rest, Number whole) {
  const bool half = rest + rest == whole;
  const bool past_half = rest + rest > whole;
  const Number folded = past_half ? whole - rest : rest;
  const Direction d = half ? Direction{std::sqrt(0.5), std::sqrt(0.5)}
                           : small_direction(static_cast<double>(folded) / static_cast<double>(whole) * (pi / 2));
  const double c = past_half ? d.sin : d.cos;
  const double s = past_half ? d.cos : d.sin;
  // 0 - x instead of -x avoids negative zeros.
  switch (quarters & 3) {
    case 0:
      return {c, s};
    case 1:
      return {0 - s, c};
    case 2:
      return {0 - c, 0 - s};
    default:
      return {s, 0 - c};
  }
}

}  // namespace angle

/// The direction at part/parts of a full turn, parts > 0.
inline Direction turn(std::int64_t part, std::int64_t parts) {
  std::int64_t in_turn = part % parts;
  if (in_turn < 0) in_turn += parts;
  const std::int64_t quarters = 4 * in_turn / parts;
  return angle::in_quarter<std::int64_t>(quarters, 4 * in_turn - quarters * parts, parts);
}

/// The direction at this many full turns.
inline Direction turn(double turns) {
  const double in_turn = 4 * (turns - std::floor(turns));
  const double quarters = std::floor(in_turn);
  return angle::in_quarter<double>(static_cast<std::int64_t>(quarters), in_turn - quarters, 1.0);
}

/// The direction at this angle.
inline Direction radians(double angle) {
  return turn(angle / (2 * pi));
}
inline Direction degrees(double angle) {
  return turn(angle / 360);
}

/// The direction rotated by another: the sum of the angles.
inline Direction turned(const Direction& a, const Direction& b) {
  return {a.cos * b.cos - a.sin * b.sin, a.sin * b.cos + a.cos * b.sin};
}

}  // namespace whisker::make
