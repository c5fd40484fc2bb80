#pragma once

// Two tiers: boxes that have not changed for a while are in a tree, the others are swept. A changed box meets the tree
// by a walk, and the other loose ones in the sweep. Where most boxes change, all are swept and the tree rests.

#include <cstdint>
#include <vector>

#include "world/box_pairs.hpp"
#include "world/column_sweep.hpp"
#include "world/rest_tree.hpp"

namespace whisker::world {

class TwoTier final : public BroadPhase {
 public:
  /// `sweeps_many`: if more than a share of the boxes has changed, all are swept.
  explicit TwoTier(bool sweeps_many) : sweeps_many_(sweeps_many) {}

  void find_pairs(const Boxes& boxes, std::vector<PairKey>& pairs) override;
  void find_overlapping(const Boxes& boxes, const AxisBox& box, std::vector<std::uint32_t>& found) const override;

 private:
  void take_changes(const Boxes& boxes);
  void settle(const Boxes& boxes);
  void walk_tree(const Boxes& boxes, std::vector<PairKey>& pairs);

  bool sweeps_many_;
  bool is_first_ = true;
  RestTree tree_;
  ColumnSweeper sweeper_;               // of the loose ones
  ColumnSweeper all_sweeper_;           // of all
  std::vector<std::uint32_t> loose_;    // ascending
  std::vector<std::uint8_t> is_loose_;  // by number
  std::vector<std::uint32_t> live_;     // all that are not empty
  double waste_ = 0;                    // what keeping those loose has cost, in boxes of a sweep
  std::vector<std::uint64_t> walkers_;  // changed boxes: where they are along the tree's curve, and their numbers
  std::vector<PairKey> spare_;
};

}  // namespace whisker::world
