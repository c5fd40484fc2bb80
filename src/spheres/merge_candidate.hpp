#pragma once

// Two clusters of spheres that may become one.

#include <cstdint>

namespace whisker::spheres {

struct MergeCandidate {
  double error;
  std::uint32_t a, b;
  /// The one with the least error comes first out of a heap, then the one with the lowest numbers.
  bool operator<(const MergeCandidate& other) const {
    if (error != other.error) return error > other.error;
    return a != other.a ? a > other.a : b > other.b;
  }
};

}  // namespace whisker::spheres
