#pragma once

// Hashed grid of many levels: the cells of level k are cubes of size 2^k, and a box lives at the lowest level where it
// reaches into two cells at most along each axis, in each of the up to eight cells. Only cells that hold something are
// kept, found by a hash of where they are. A box is compared with those in its own cells, and, level by level, with
// those in the cells of coarser levels that it reaches into: the finer box of a pair finds the coarser one. A pair
// counts in the one cell, of the coarser level, that holds the larger of its lower bounds along all three axes.
//
// Which cell a bound is in is monotone in the bound, whatever rounding does, and boxes are put where they live by these
// cells, not by their size: so no pair is missed. Cells whose hashes are equal cost comparisons, and might name a pair
// twice, which is undone when pairs are sorted.
//
// BroadPhaseBoxes without end, or so large that there is no level for them, are kept in a list and compared with
// everything.
//
// There are two grids: one of the boxes that rest, which is made anew only when that pays, and one of those that
// changed since, which is made anew at each look. A changed box is looked up in both. BroadPhaseBoxes that changed once
// and rest again stay among the changed until the work that they cause there adds up to that of making the other grid
// anew.
//
// What a look costs: changed boxes, times the levels that are in use (ten for sizes 1 : 1000), plus pairs. A changed
// box is compared with finer boxes at rest cell by cell, or with all of that level where these are fewer.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <whisker/world/broad_phase.hpp>

namespace whisker::methods {

class HashedGrid final : public BroadPhase {
 public:
  void find_pairs(const BroadPhaseBoxes& boxes, std::vector<PairKey>& pairs) override;
  /// All boxes that overlap this one, ascending, as they were at the last look.
  void find_overlapping(const BroadPhaseBoxes& boxes, const Aabb& box, std::vector<std::uint32_t>& found) const;

  /// What the last look did.
  struct Cost {
    std::uint64_t compared = 0;  ///< boxes
    std::size_t moving = 0;      ///< boxes in the grid of those that changed
    std::size_t levels = 0;      ///< in use
    bool settled = false;        ///< whether the grid of those at rest was made anew
  };
  const Cost& cost() const { return cost_; }

 private:
  struct Entry {
    std::uint64_t hash;  ///< of the cell
    std::uint32_t number;
  };
  struct Level {
    int exponent = 0;                                 ///< cells have the size 2^exponent
    std::uint32_t begin = 0, end = 0;                 ///< its boxes among the numbers
    std::uint32_t first_bucket = 0, bucket_mask = 0;  ///< its part of the table
  };
  struct Grid {
    std::vector<std::uint32_t> numbers;  ///< by level
    std::vector<Level> levels;           ///< the finest first
    std::vector<std::uint32_t> bucket_begin;
    std::vector<Entry> entries;  ///< by level and bucket

    void clear();
    std::span<const Entry> bucket(const Level& level, std::uint64_t hash) const;
  };

  /// Calls visit(number) for each box of the level that overlaps this one, once (but for boxes in cells of equal hash).
  /// Returns how many were compared.
  template <class Visit>
  static std::uint64_t visit_overlapping(const BroadPhaseBoxes& boxes, const Grid& grid, const Level& level,
                                         const Aabb& box, const Visit& visit);

  void note_changes(const BroadPhaseBoxes& boxes);
  void settle(const BroadPhaseBoxes& boxes);
  void build(const BroadPhaseBoxes& boxes, std::span<const std::uint32_t> numbers, Grid& grid);
  void join_moving(const BroadPhaseBoxes& boxes, std::vector<PairKey>& pairs);
  void look_up_resting(const BroadPhaseBoxes& boxes, std::vector<PairKey>& pairs);
  void compare_large(const BroadPhaseBoxes& boxes, std::vector<PairKey>& pairs);

  enum State : std::uint8_t { absent, resting, moving, large };
  bool first_ = true;
  Cost cost_;
  std::vector<std::uint8_t> state_;  ///< by number
  std::vector<std::int16_t> level_;  ///< by number: its exponent
  Grid resting_, moving_;            ///< the first may still hold boxes that are not at rest any more
  std::vector<std::uint32_t> moving_numbers_, large_numbers_;
  double waste_ = 0;  ///< boxes that were among the moving without having changed, summed since the last settling

  // Used again.
  std::vector<std::uint32_t> changed_, all_, counts_;
  std::vector<Entry> unsorted_;
  std::vector<PairKey> spare_;
};

}  // namespace whisker::methods
