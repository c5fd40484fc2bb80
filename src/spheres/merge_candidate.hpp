#pragma once

// Two clusters of spheres that may be merged.

#include <compare>
#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

#include "geometry/constants.hpp"

namespace whisker::spheres {

struct MergeCandidate {
  double error = infinity;
  std::uint32_t a = 0, b = 0;

  auto operator<=>(const MergeCandidate&) const = default;
};

/// The candidate with the smallest error is on top, with ties going to the lowest indices.
using MergeQueue = std::priority_queue<MergeCandidate, std::vector<MergeCandidate>, std::greater<>>;

}  // namespace whisker::spheres
