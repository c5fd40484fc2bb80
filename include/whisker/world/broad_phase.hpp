#pragma once

/// \file
/// Broad phases: the part of a World that finds the pairs of bodies whose AABBs overlap.
///
///     World a({.broad_phase = column_sweep()});                // one of the library's own
///     World b({.broad_phase = methods::sweep_and_prune()});    // whisker/methods/broad_phases.hpp
///     World c({.broad_phase = [] { return std::make_unique<AllPairs>(); }});
///
/// All broad phases find the same pairs and differ only in cost. If in doubt, use the default, which chooses between
/// the library's own as bodies move. A broad phase of the caller's own derives from BroadPhase:
///
///     class AllPairs final : public BroadPhase {
///       void find_pairs(const BroadPhaseBoxes& boxes, std::vector<PairKey>& pairs) override {
///         pairs.clear();
///         for (std::uint32_t a = 0; a < boxes.box.size(); ++a)
///           for (std::uint32_t b = a + 1; b < boxes.box.size(); ++b)
///             if (boxes.is_pair(a, b)) pairs.push_back(pair_key(a, b));
///       }
///     };

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include <whisker/geometry/aabb.hpp>

namespace whisker {

/// The numbers of two boxes in one integer, the smaller number in the upper half. Sorted keys order pairs by their
/// first number, then by their second.
using PairKey = std::uint64_t;

/// The key of two different numbers, given in any order.
constexpr PairKey pair_key(std::uint32_t a, std::uint32_t b) {
  const std::uint32_t low = a < b ? a : b;
  return std::uint64_t{low} << 32 | (a ^ b ^ low);
}
/// The smaller number of a key.
constexpr std::uint32_t first_of(PairKey key) {
  return static_cast<std::uint32_t>(key >> 32);
}
/// The larger number of a key.
constexpr std::uint32_t second_of(PairKey key) {
  return static_cast<std::uint32_t>(key);
}

/// All boxes of a world by number, and which of them changed since the last call. The spans `box`, `is_changed` and
/// `is_static` have the same length. The world owns the data, which is valid until find_pairs returns.
struct BroadPhaseBoxes {
  /// By number, the AABB of a body in the world frame, including its margin. Bounds may be infinite, but not NaN. A
  /// number without a body has an empty box, which overlaps nothing.
  std::span<const Aabb> box;
  /// By number, 1 if the box is new, was removed, differs from the last call, or if its `is_static` differs. Otherwise
  /// 0. All are 1 in the first call.
  std::span<const std::uint8_t> is_changed;
  /// By number, 1 if the box belongs to a static body, otherwise 0. Two static boxes never form a pair.
  std::span<const std::uint8_t> is_static;
  /// The numbers of the changed boxes, in ascending order.
  std::span<const std::uint32_t> changed;

  /// Whether find_pairs must report the pair of two different numbers: at least one of the boxes changed, at least one
  /// is not static, and they share a point, bounds included.
  bool is_pair(std::uint32_t a, std::uint32_t b) const {
    return ((is_changed[a] | is_changed[b]) & ~(is_static[a] & is_static[b]) & 1) != 0 && box[a].overlaps(box[b]) &&
           !box[a].empty() && !box[b].empty();
  }
};

/// Finds the pairs of boxes that overlap. Each world creates its own instance (see BroadPhaseFactory) and calls it once
/// in every update, never from two threads at once.
class BroadPhase {
 public:
  BroadPhase() = default;
  virtual ~BroadPhase() = default;
  BroadPhase(const BroadPhase&) = delete;
  BroadPhase& operator=(const BroadPhase&) = delete;

  /// Replaces the contents of `pairs` with all pairs of overlapping boxes of which at least one changed and at least
  /// one is not static (BroadPhaseBoxes::is_pair). Each pair appears once, in ascending order. The world remembers the
  /// pairs of boxes that did not change.
  ///
  /// Between two calls, only boxes reported as changed have changed, so an implementation may keep what it knows about
  /// the others. Numbers may be added at the end; none are taken away.
  ///
  /// The pairs must depend only on the boxes, and not on the number of threads, if the implementation uses several.
  /// World::update passes on what this function throws, and the next call reports the same changes again. World::update
  /// throws an Error if the pairs are not ascending, or contain a number that does not exist.
  virtual void find_pairs(const BroadPhaseBoxes& boxes, std::vector<PairKey>& pairs) = 0;
};

/// Creates the broad phase of a world. Called once, in the constructor of the world, which owns the result. The result
/// must not be null.
using BroadPhaseFactory = std::function<std::unique_ptr<BroadPhase>()>;

/// Sorts all boxes into columns and sweeps them, from scratch in each update. For worlds where most bodies move.
BroadPhaseFactory column_sweep();
/// Keeps the boxes at rest in columns. Sweeps the other boxes, and tests them against those at rest. For worlds where
/// few bodies move.
BroadPhaseFactory static_and_moving();

}  // namespace whisker
