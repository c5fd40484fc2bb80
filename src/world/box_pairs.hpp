#pragma once

// Helpers shared by the broad phases: which pairs to report, whether boxes overlap, and sorting.

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include <whisker/geometry/aabb.hpp>
#include <whisker/world/broad_phase.hpp>

namespace whisker::world {

using Boxes = BroadPhaseBoxes;

/// Whether a broad phase is to report the pair: see BroadPhase.
inline bool is_wanted(const Boxes& boxes, std::uint32_t a, std::uint32_t b) {
  return ((boxes.is_changed[a] | boxes.is_changed[b]) & ~(boxes.is_static[a] & boxes.is_static[b]) & 1) != 0;
}

/// Sets `numbers` to those of the boxes that are not empty, ascending.
inline void find_nonempty(std::span<const Aabb> boxes, std::vector<std::uint32_t>& numbers) {
  numbers.clear();
  for (std::uint32_t i = 0; i < boxes.size(); ++i)
    if (!boxes[i].empty()) numbers.push_back(i);
}

/// The boxes must not be empty.
inline bool overlap(const Aabb& a, const Aabb& b) {
  const double *const al = a.lower.data(), *const au = a.upper.data();
  const double *const bl = b.lower.data(), *const bu = b.upper.data();
  return (al[0] <= bu[0]) & (bl[0] <= au[0]) & (al[1] <= bu[1]) & (bl[1] <= au[1]) & (al[2] <= bu[2]) &
         (bl[2] <= au[2]);
}

/// A lower bound on the distance between points of two boxes.
inline double box_gap(const Aabb& a, const Aabb& b) {
  Vector3 gap;
  for (int i = 0; i < 3; ++i)
    gap[i] = std::max({0.0, a.lower[i] - b.upper[i], b.lower[i] - a.upper[i]});
  return gap.stableNorm() * (1 - 0x1p-48);
}

/// Sorts by `bits` bits, or a few more, from bit `first` on. The sort is stable. `spare` is memory that is reused.
void sort_by_bits(std::vector<std::uint64_t>& keys, int first, int bits, std::vector<std::uint64_t>& spare);

/// Sorts keys of pairs of numbers below `count`.
void sort_pairs(std::vector<PairKey>& pairs, std::uint32_t count, std::vector<PairKey>& spare);

}  // namespace whisker::world
