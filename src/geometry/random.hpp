#pragma once

// Seeded random numbers, identical on every platform.

#include <cstdint>

namespace whisker::geometry {

/// Scrambles 64 bits: the finalizer of SplitMix64 (Steele, Lea and Flood 2014).
inline std::uint64_t scramble(std::uint64_t bits) {
  bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9ull;
  bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBull;
  return bits ^ (bits >> 31);
}

/// The top 53 bits as a number in [0, 1).
inline double unit_interval(std::uint64_t bits) {
  return static_cast<double>(bits >> 11) * 0x1p-53;
}

/// The sequence of SplitMix64 (Steele, Lea and Flood 2014).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(scramble(seed)) {}

  std::uint64_t bits() { return scramble(state_ += 0x9E3779B97F4A7C15ull); }
  /// In [low, high).
  double uniform(double low, double high) { return low + (high - low) * unit_interval(bits()); }

 private:
  std::uint64_t state_;
};

}  // namespace whisker::geometry
