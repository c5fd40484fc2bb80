#pragma once

/// \file
/// Broad phases: how a World finds the pairs of bodies whose boxes overlap. All find the same pairs and differ in what
/// they cost; the default, which chooses between the library's own as bodies move, is what to take if in doubt.
///
///     World a({.broad_phase = column_sweep()});                // one of the library's own
///     World b({.broad_phase = methods::sweep_and_prune()});    // whisker/methods/broad_phases.hpp
///     World c({.broad_phase = [] { return std::make_unique<AllPairs>(); }});
///
/// where AllPairs is the caller's:
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

/// Two numbers of boxes in one, the smaller in the upper half: sorted, pairs come by their first, then by their second.
using PairKey = std::uint64_t;

/// Of two different numbers, in any order.
constexpr PairKey pair_key(std::uint32_t a, std::uint32_t b) {
  const std::uint32_t low = a < b ? a : b;
  return std::uint64_t{low} << 32 | (a ^ b ^ low);
}
/// The smaller number.
constexpr std::uint32_t first_of(PairKey key) {
  return static_cast<std::uint32_t>(key >> 32);
}
/// The larger number.
constexpr std::uint32_t second_of(PairKey key) {
  return static_cast<std::uint32_t>(key);
}

/// Boxes by number, and which of them have changed since the last call. The spans `box`, `is_changed` and `is_static`
/// have the same length. They belong to the caller, and hold until find_pairs returns.
struct BroadPhaseBoxes {
  /// Bounds may be infinite; none is NaN. A number without a body has an empty box, which overlaps nothing.
  std::span<const Aabb> box;
  /// By number: 1 if it is another box than at the last call, or is new, or there is none any more; or if `is_static`
  /// is another. Else 0. At the first call all are 1.
  std::span<const std::uint8_t> is_changed;
  /// By number: 1 if it belongs to a body that does not move, else 0. Two such boxes are no pair.
  std::span<const std::uint8_t> is_static;
  /// The numbers of the changed ones, ascending.
  std::span<const std::uint32_t> changed;

  /// Whether find_pairs is to name this pair of different numbers: at least one of the boxes has changed, at least one
  /// is not fixed, and they share a point, bounds included.
  bool is_pair(std::uint32_t a, std::uint32_t b) const {
    return ((is_changed[a] | is_changed[b]) & ~(is_static[a] & is_static[b]) & 1) != 0 && box[a].overlaps(box[b]) &&
           !box[a].empty() && !box[b].empty();
  }
};

/// Finds the pairs of boxes that overlap. A world makes one of its own (see BroadPhaseFactory), and calls it once in
/// every update, never from two threads at once.
class BroadPhase {
 public:
  BroadPhase() = default;
  virtual ~BroadPhase() = default;
  BroadPhase(const BroadPhase&) = delete;
  BroadPhase& operator=(const BroadPhase&) = delete;

  /// Replaces what is in `pairs` by all pairs of overlapping boxes of which at least one has changed and at least one
  /// is not fixed (BroadPhaseBoxes::is_pair): each once, ascending. The world remembers the others.
  ///
  /// From one call to the next only boxes that are named as changed have changed, so what was learned of the others may
  /// be kept. Numbers may have been added at the end; none are taken away.
  ///
  /// The pairs must depend on the boxes alone, and not on the number of threads, if it uses several. What it throws,
  /// World::update throws, and the changes are named again at the next call. Pairs that are not ascending, or numbers
  /// that there are not, are an Error of World::update.
  virtual void find_pairs(const BroadPhaseBoxes& boxes, std::vector<PairKey>& pairs) = 0;
};

/// Makes the broad phase of a world. Called once, when the world is made; the world owns what it returns, which must
/// not be null.
using BroadPhaseFactory = std::function<std::unique_ptr<BroadPhase>()>;

/// All boxes are sorted into columns and swept, at each update anew. For worlds where most bodies move.
BroadPhaseFactory column_sweep();
/// Boxes at rest are kept in columns; the others are swept, and meet those at rest. For worlds where few bodies move.
BroadPhaseFactory static_and_moving();

}  // namespace whisker
