#pragma once

// Broad phase with a hashed hierarchical grid.
//
// The cells of level k are cubes of size 2^k. A box belongs to the lowest level at which it overlaps at most two cells
// along each axis, and is stored in each of its up to eight cells. Only non-empty cells are stored, in a hash table
// keyed by their position. A box is compared with the boxes in its own cells and, level by level, with the boxes in the
// cells of coarser levels that it overlaps: the finer box of a pair finds the coarser one. A pair is reported only in
// one cell of the coarser level: the cell that contains, along each of the three axes, the larger of the two lower
// bounds.
//
// No pair is missed, regardless of rounding: the cell of a bound is monotone in the bound, and the level of a box is
// chosen by these cells, not by its size. Cells with equal hashes cost extra comparisons and could report a pair twice.
// Such duplicates are removed when the pairs are sorted.
//
// Boxes that are infinite, or too large for any level, are kept in a list and compared with everything.
//
// There are two grids: one of the resting boxes, rebuilt only when that pays off, and one of the boxes that have
// changed since, rebuilt at each update. A changed box is looked up in both. Boxes that changed once and rest again
// stay among the changed ones until the extra work they cause there adds up to the cost of rebuilding the other grid.
//
// The cost of an update is proportional to the number of changed boxes, times the number of levels in use (ten for
// sizes 1 : 1000), plus the number of pairs. A changed box is compared with finer resting boxes cell by cell, or with
// all boxes of that level if these are fewer.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <whisker/methods/broad_phases.hpp>

namespace whisker::methods {

class HashedGrid final : public BroadPhase {
 public:
  void find_pairs(const BroadPhaseBoxes& boxes, std::vector<PairKey>& pairs) override;
  /// Finds all boxes that overlap this one, in ascending order, as of the last update.
  void find_overlapping(const BroadPhaseBoxes& boxes, const Aabb& box, std::vector<std::uint32_t>& found) const;

  /// Statistics of the last update.
  struct Cost {
    std::uint64_t compared = 0;  ///< boxes compared
    std::size_t moving = 0;      ///< boxes in the grid of changed boxes
    std::size_t levels = 0;      ///< levels in use
    bool settled = false;        ///< whether the grid of resting boxes was rebuilt
  };
  const Cost& cost() const { return cost_; }

 private:
  struct Entry {
    std::uint64_t hash;  ///< of the cell
    std::uint32_t number;
    std::uint32_t bucket;
  };
  struct Level {
    int exponent = 0;                                 ///< the cell size is 2^exponent
    std::uint32_t begin = 0, end = 0;                 ///< range of its boxes in `numbers`
    std::uint32_t first_bucket = 0, bucket_mask = 0;  ///< its part of the table

    std::uint32_t bucket(std::uint64_t hash) const {
      return first_bucket + (static_cast<std::uint32_t>(hash) & bucket_mask);
    }
  };
  struct Grid {
    std::vector<std::uint32_t> numbers;  ///< box indices, sorted by level
    std::vector<Level> levels;           ///< the finest first
    std::vector<std::uint32_t> bucket_begin;
    std::vector<Entry> entries;  ///< sorted by level and bucket

    std::span<const Entry> bucket(const Level& level, std::uint64_t hash) const {
      const std::uint32_t* const begin = bucket_begin.data() + level.bucket(hash);
      return {entries.data() + begin[0], begin[1] - begin[0]};
    }
  };

  /// Calls visit(number) once for each box of the level that overlaps this one (more than once only for boxes in cells
  /// with equal hashes). Returns the number of comparisons.
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
  std::vector<std::uint8_t> state_;  ///< by box index
  std::vector<std::int16_t> level_;  ///< by box index: the exponent
  Grid resting_, moving_;            ///< `resting_` may still contain boxes that no longer rest
  std::vector<std::uint32_t> moving_numbers_, large_numbers_;
  double waste_ = 0;  ///< number of unchanged boxes among the moving ones, summed since the last settle()

  // Reused buffers.
  std::vector<std::uint32_t> changed_, all_, level_begin_;
  std::vector<Entry> unsorted_;
  std::vector<PairKey> spare_;
};

}  // namespace whisker::methods
