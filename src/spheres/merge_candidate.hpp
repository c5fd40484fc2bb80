#pragma once

// Two clusters of spheres that may be merged.

#include <cstdint>

namespace whisker::spheres {

struct MergeCandidate {
  double error;
  std::uint32_t a, b;
  /// Orders a heap so that the candidate with the smallest error is on top, with ties going to the lowest indices.
  bool operator<(const MergeCandidate& other) const {
    if (error != other.error) return error > other.error;
    return a != other.a ? a > other.a : b > other.b;
  }
};

}  // namespace whisker::spheres
