#pragma once

// Static and moving boxes apart: boxes that have not changed for a while rest in columns that are kept, the others are
// swept. A changed box meets the resting ones in their columns, and the other loose ones in the sweep. Where columns
// are of no use, because very many boxes are in one of them or very large ones move, changed boxes walk a tree of the
// resting ones instead. Where most boxes change, all are swept.

#include <cstdint>
#include <span>
#include <vector>

#include "world/box_pairs.hpp"
#include "world/column_sweep.hpp"
#include "world/static_columns.hpp"
#include "world/static_tree.hpp"

namespace whisker::world {

class StaticAndMoving final : public BroadPhase {
 public:
  /// `sweeps_many`: if more than a share of the boxes has changed, all are swept.
  explicit StaticAndMoving(bool sweeps_many) : sweeps_many_(sweeps_many) {}

  void find_pairs(const Boxes& boxes, std::vector<PairKey>& pairs) override;
  /// Whether a tree was needed since the resting boxes were sorted.
  bool has_tree() const { return has_tree_; }

 private:
  /// Those that have changed and are not empty.
  std::span<const std::uint32_t> take_changes(const Boxes& boxes);
  /// `movers`: so many of the loose ones have changed.
  void settle(const Boxes& boxes, std::size_t movers);
  void meet_resting(const Boxes& boxes, std::span<const std::uint32_t> movers, std::vector<PairKey>& pairs);
  void build_tree(const Boxes& boxes);
  /// `from_crowds`: only the pairs that count in the columns that `crowded_` names.
  void walk_tree(const Boxes& boxes, std::span<const std::uint32_t> numbers, bool from_crowds,
                 std::vector<PairKey>& pairs);

  bool sweeps_many_;
  bool is_first_ = true;
  StaticColumns columns_;
  StaticTree tree_;  // of the same boxes, if it was needed since these were sorted
  bool has_tree_ = false;
  std::size_t resting_count_ = 0;
  ColumnSweeper sweeper_;                 // of the loose ones
  ColumnSweeper all_sweeper_;             // of all
  std::vector<std::uint32_t> loose_;      // ascending
  std::vector<std::uint8_t> is_loose_;    // by number
  std::vector<std::uint8_t> is_resting_;  // by number: 1, or 3 if its body is fixed
  std::vector<std::uint32_t> movers_;     // those that have changed, where some of them are empty
  std::vector<std::uint32_t> live_;       // all that are not empty
  double waste_ = 0;                      // what keeping those loose has cost, in boxes of a sweep
  std::vector<std::uint64_t> walkers_;    // changed boxes: where they are along the tree's curve, and their numbers
  std::vector<StaticColumns::Crowded> crowded_;
  std::vector<PairKey> spare_;
};

}  // namespace whisker::world
