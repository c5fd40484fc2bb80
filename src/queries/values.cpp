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

/// How many significant bits a number between positive bounds may have for it to be taken as the answer. Of all bounds
/// that agree in n bits, about one in 2^(n - b) contains a number of b bits by accident.
int bits_to_trust(double lower, double upper) {
  constexpr int most_bits = 32, spare_bits = 12;
  int exponent = 0;
  std::frexp((upper - lower) / upper, &exponent);  // the bounds agree in -exponent bits
  return std::min(most_bits, -exponent - spare_bits);
}

bool has_at_most(int bits, double value) {
  constexpr int all_bits = 53;
  return bits > 0 && std::countr_zero(std::bit_cast<std::uint64_t>(value)) >= all_bits - bits;
}

/// Bounds that are closer than this share of the answer are apart by rounding only.
constexpr double rounding_share = 0x1p-44;

double largest_of_points(const Vector3& a, const Vector3& b) {
  return a.cwiseAbs().cwiseMax(b.cwiseAbs()).maxCoeff();
}

/// A round number between positive bounds, or the guess.
double round_or(double lower, double upper, double guess) {
  const double simplest = simplest_between(lower, upper);
  return has_at_most(bits_to_trust(lower, upper), simplest) ? simplest : std::clamp(guess, lower, upper);
}

/// Whether the bounds are as close as the method gets them, and not only as close as the caller asked for.
bool is_finished(Stop stop) {
  return stop == Stop::exact || stop == Stop::limit;
}

}  // namespace

double Distance::value() const {
  const double middle = middle_of(lower, upper);
  if (!is_finished(stop) || !std::isfinite(middle)) return middle;
  // An exact answer that is not proven to differ from zero is zero.
  if (lower <= 0 && upper >= 0) return stop == Stop::exact ? 0 : middle;
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
  if (!is_finished(stop) || !std::isfinite(middle)) return middle;
  if (lower > 0) return round_or(lower, upper, middle);
  return stop == Stop::exact ? 0 : middle;
}

}  // namespace whisker
