#pragma once

// What the broad phases share: boxes by number, and the pairs of them that overlap.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <whisker/geometry/axis_box.hpp>

namespace whisker::world {

/// Two numbers of boxes in one, the smaller in the upper half: sorted, pairs come by their first, then by their second.
using PairKey = std::uint64_t;

constexpr PairKey pair_key(std::uint32_t a, std::uint32_t b) {
  const std::uint32_t low = a < b ? a : b;
  return std::uint64_t{low} << 32 | (a ^ b ^ low);
}
constexpr std::uint32_t first_of(PairKey key) {
  return static_cast<std::uint32_t>(key >> 32);
}
constexpr std::uint32_t second_of(PairKey key) {
  return static_cast<std::uint32_t>(key);
}

/// Boxes by number, and which of them have changed since the last look. Boxes overlap if they share a point, bounds
/// included, as these doubles say; bounds may be infinite. A number without a box has an empty one, which overlaps
/// nothing.
struct Boxes {
  std::span<const AxisBox> box;
  /// By number: 1 if it is another box than at the last look, or is new, or there is none any more.
  std::span<const std::uint8_t> is_changed;
  /// By number: 1 if it belongs to a body that does not move. Two such boxes are no pair.
  std::span<const std::uint8_t> is_fixed;
  /// The numbers of the changed ones, ascending.
  std::span<const std::uint32_t> changed;
};

/// Whether the pair is one that a broad phase names: see BroadPhase.
inline bool is_wanted(const Boxes& boxes, std::uint32_t a, std::uint32_t b) {
  return ((boxes.is_changed[a] | boxes.is_changed[b]) & ~(boxes.is_fixed[a] & boxes.is_fixed[b]) & 1) != 0;
}

/// Of boxes that are not empty.
inline bool overlap(const AxisBox& a, const AxisBox& b) {
  const double *const al = a.lower.data(), *const au = a.upper.data();
  const double *const bl = b.lower.data(), *const bu = b.upper.data();
  return (al[0] <= bu[0]) & (bl[0] <= au[0]) & (al[1] <= bu[1]) & (bl[1] <= au[1]) & (al[2] <= bu[2]) &
         (bl[2] <= au[2]);
}

/// A lower bound on the distance of points of two boxes.
inline double box_gap(const AxisBox& a, const AxisBox& b) {
  Vector3 gap;
  for (int i = 0; i < 3; ++i)
    gap[i] = std::max({0.0, a.lower[i] - b.upper[i], b.lower[i] - a.upper[i]});
  return gap.stableNorm() * (1 - 0x1p-48);
}

/// Finds the pairs of boxes that overlap.
class BroadPhase {
 public:
  BroadPhase() = default;
  virtual ~BroadPhase() = default;
  BroadPhase(const BroadPhase&) = delete;
  BroadPhase& operator=(const BroadPhase&) = delete;

  /// Writes all pairs of overlapping boxes of which at least one has changed, and at least one is not fixed, in
  /// ascending order. At the first look all boxes count as changed. Between two looks, only changed boxes may change,
  /// numbers may be added at the end.
  virtual void find_pairs(const Boxes& boxes, std::vector<PairKey>& pairs) = 0;

  /// All boxes that overlap this one, ascending, as they were at the last look.
  virtual void find_overlapping(const Boxes& boxes, const AxisBox& box, std::vector<std::uint32_t>& found) const;
};

/// Sorts by the bits from `first` on, so many or a few more, and leaves the order of keys that do not differ in them.
/// `spare` is memory that is used again.
void sort_by_bits(std::vector<std::uint64_t>& keys, int first, int bits, std::vector<std::uint64_t>& spare);

/// Sorts the keys of numbers below `count`.
void sort_pairs(std::vector<PairKey>& pairs, std::uint32_t count, std::vector<PairKey>& spare);

}  // namespace whisker::world
