#pragma once

// A broad phase that separates resting and moving boxes. Boxes that have not changed for a while rest in columns that
// are kept between calls. The others are loose and are swept. A changed box is tested against the resting boxes in
// their columns and against the other loose boxes in the sweep. Where columns do not work well, because a column holds
// very many boxes or very large boxes move, changed boxes query a tree of the resting boxes instead. If most boxes
// change, all are swept.

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
  /// `sweeps_many`: if more than a certain share of the boxes has changed, all are swept.
  explicit StaticAndMoving(bool sweeps_many) : sweeps_many_(sweeps_many) {}

  void find_pairs(const Boxes& boxes, std::vector<PairKey>& pairs) override;
  /// Whether a tree was needed since the resting boxes were last sorted into columns.
  bool has_tree() const { return has_tree_; }

 private:
  /// Returns the changed boxes that are not empty.
  std::span<const std::uint32_t> take_changes(const Boxes& boxes);
  /// `movers` is the number of loose boxes that have changed.
  void settle(const Boxes& boxes, std::size_t movers);
  void meet_resting(const Boxes& boxes, std::span<const std::uint32_t> movers, std::vector<PairKey>& pairs);
  void build_tree(const Boxes& boxes);
  /// `from_crowds`: only find the pairs that count in the columns that `crowded_` names.
  void walk_tree(const Boxes& boxes, std::span<const std::uint32_t> numbers, bool from_crowds,
                 std::vector<PairKey>& pairs);

  bool sweeps_many_;
  bool is_first_ = true;
  StaticColumns columns_;
  StaticTree tree_;  // of the same boxes, if needed since they were last sorted
  bool has_tree_ = false;
  std::size_t resting_count_ = 0;
  ColumnSweeper sweeper_;                 // of the loose boxes
  ColumnSweeper all_sweeper_;             // of all boxes
  std::vector<std::uint32_t> loose_;      // ascending
  std::vector<std::uint8_t> is_loose_;    // by number
  std::vector<std::uint8_t> is_resting_;  // by number: 1, or 3 if its body is static
  std::vector<std::uint32_t> movers_;     // the changed boxes that are not empty, if some are empty
  std::vector<std::uint32_t> live_;       // all boxes that are not empty
  double waste_ = 0;                      // what keeping quiet boxes loose has cost, in swept boxes
  std::vector<std::uint64_t> walkers_;    // changed boxes: position along the tree's curve, and number
  std::vector<StaticColumns::Crowded> crowded_;
  std::vector<PairKey> spare_;
};

}  // namespace whisker::world
