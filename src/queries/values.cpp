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

/// Bounds that are closer than this share of the answer, or of the coordinates, are apart by rounding only.
constexpr double rounding_share = 0x1p-44;

double largest_of_points(const Vector3& a, const Vector3& b) {
  return a.cwiseAbs().cwiseMax(b.cwiseAbs()).maxCoeff();
}

/// A round number between positive bounds, or the guess.
double round_or(double lower, double upper, double guess) {
  if (upper - lower > rounding_share * upper) return guess;
  const double simplest = simplest_between(lower, upper);
  return is_round(simplest) ? simplest : std::clamp(guess, lower, upper);
}

}  // namespace

double Distance::value() const {
  const double middle = middle_of(lower, upper);
  if (stop != Stop::exact || !std::isfinite(middle)) return middle;
  if (normal.isZero(0)) return std::clamp(0.0, lower, upper);
  if ((lower < 0) != (upper < 0) || lower == 0 || upper == 0) return middle;
  const double low = std::min(std::abs(lower), std::abs(upper)), high = std::max(std::abs(lower), std::abs(upper));
  // The distance of the points is off by a few spacings of the doubles at their coordinates. The middle is better where
  // the bounds are no farther apart than that.
  const bool takes_middle =
      high - low <= 0x1p-50 * largest_of_points(point_a, point_b) || high - low > rounding_share * high;
  const double guess = takes_middle ? std::abs(middle) : (point_b - point_a).stableNorm();
  return std::copysign(round_or(low, high, guess), middle);
}

double Depth::value() const {
  const double middle = middle_of(lower, upper);
  if (stop != Stop::exact || !std::isfinite(middle)) return middle;
  if (lower > 0) return round_or(lower, upper, middle);
  return upper <= rounding_share * largest_of_points(point_a, point_b) ? 0 : middle;
}

}  // namespace whisker
