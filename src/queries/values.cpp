// value() of results: the best single number within the bounds.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include <whisker/queries.hpp>

namespace whisker {
namespace {

/// The number with the fewest significant bits in [lower, upper], where 0 < lower <= upper < infinity.
double simplest_between(double lower, double upper) {
  const auto low = std::bit_cast<std::uint64_t>(lower), high = std::bit_cast<std::uint64_t>(upper);
  // Doubles of one sign are ordered as their bits are. Below the highest bit that differs, all bits may be zero.
  const int differing = static_cast<int>(std::bit_width(low ^ high));
  if (differing == 0 || std::countr_zero(low) >= differing) return lower;
  return std::bit_cast<double>(high >> (differing - 1) << (differing - 1));
}

bool is_round(double value) {
  constexpr int most_bits = 32, mantissa_bits = 52;
  return std::countr_zero(std::bit_cast<std::uint64_t>(value)) > mantissa_bits - most_bits;
}

/// For bounds that differ only by rounding, both positive.
double round_or(double lower, double upper, double guess) {
  const double simplest = simplest_between(lower, upper);
  return is_round(simplest) ? simplest : std::clamp(guess, lower, upper);
}

}  // namespace

double Distance::value() const {
  const double middle = middle_of(lower, upper);
  if (stop != Stop::exact || !std::isfinite(middle)) return middle;
  if (normal.isZero(0)) return std::clamp(0.0, lower, upper);
  // The distance of the points is off by a few spacings of the doubles at their coordinates. The middle is better where
  // the bounds are no farther apart than that.
  const double size = point_a.cwiseAbs().cwiseMax(point_b.cwiseAbs()).maxCoeff();
  const double apart = (point_b - point_a).stableNorm();
  const double guess = upper - lower > 0x1p-50 * size ? std::copysign(apart, middle) : middle;
  if (lower > 0) return round_or(lower, upper, guess);
  if (upper < 0) return -round_or(-upper, -lower, -guess);
  return std::clamp(guess, lower, upper);
}

double Depth::value() const {
  const double middle = middle_of(lower, upper);
  if (stop != Stop::exact || !std::isfinite(middle)) return middle;
  return lower > 0 ? round_or(lower, upper, middle) : 0;
}

}  // namespace whisker
