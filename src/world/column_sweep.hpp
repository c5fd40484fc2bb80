#pragma once

// Column sweep: finds all overlapping pairs of a set of AABBs, from scratch in each call.
//
// Bounds are rounded to 16 bits per axis by a monotone, clamped map, so boxes that do not overlap as integers do not
// overlap as doubles either, whatever the map. One axis is swept. The other two divide space into columns. A box that
// reaches into several columns is copied into each, and a pair counts in the column that contains the larger of its
// lower bounds on both axes, so no pair is found twice. Within a column, boxes are counting-sorted into buckets along
// the swept axis, whose table directly gives where the candidates of a box end. The other two axes, rounded again to 8
// bits within the column, are compared 64 candidates at a time. Of the remaining pairs, boxes that overlap strictly as
// 16-bit integers certainly overlap; where integers are equal, the doubles decide. If a column is crowded because the
// map is too coarse for it (two towns that are far apart), it is split in two along the axis of its boxes' greatest
// spread, and each half gets its own map.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tbb/enumerable_thread_specific.h>
#include <vector>

#include "world/box_pairs.hpp"

namespace whisker::world {

/// Rough coordinates range from 0 to this.
inline constexpr double rough_range = 65535;

/// A box with 16 bits per bound.
struct alignas(16) RoughBox {
  std::uint16_t lower[3];
  std::uint16_t upper[3];
  std::uint32_t number;
};

/// Maps doubles to 16 bits: (x - base) * scale, clamped to 0 … 65535.
struct RoughMap {
  double base[3];
  double scale[3];  ///< positive
};

/// Boxes are swept along x. The other two axes divide space into columns.
struct SweepAxes {
  std::size_t x = 0, y = 1, z = 2;
};

/// How a set of boxes is distributed, estimated from a sample.
struct Spread {
  RoughMap map{};
  double width[3] = {1, 1, 1};  ///< typical width of a box, in rough units
  SweepAxes axes;               ///< x is the axis on which boxes are narrowest
};
Spread measure_spread(std::span<const Aabb> boxes, std::span<const std::uint32_t> numbers);

/// The grid of columns over two axes.
struct Grid {
  SweepAxes axes;
  std::uint32_t along_y = 1;
  std::uint32_t along_z = 1;

  std::uint32_t count() const { return along_y * along_z; }
  static std::uint32_t of(std::uint32_t value, std::uint32_t columns) { return value * columns >> 16; }
  /// The first value in column c.
  static std::uint32_t begin(std::uint32_t c, std::uint32_t columns) {
    return static_cast<std::uint32_t>((std::uint64_t{c} * 65536 + columns - 1) / columns);
  }
};
/// Returns a grid of about this many columns, none narrower than a few box widths.
Grid grid_of(double columns, const Spread& spread);

/// Working memory for sweeping a column.
struct ColumnMemory {
  std::vector<std::uint32_t> bucket_end;  ///< where each bucket ends in `boxes`
  std::vector<RoughBox> boxes;            ///< sorted by bucket
  /// Their bounds on the other two axes, in 8 bits, with 64 entries of padding.
  std::vector<std::uint8_t> lower_y, upper_y, lower_z, upper_z;
  std::vector<std::uint64_t> hits;  ///< pairs of indices into `boxes`
  std::size_t hit_count = 0;        ///< how many of the hits are valid
};

/// A column: its boxes and the part of the axes that it covers.
struct Column {
  SweepAxes axes;
  std::uint32_t begin_y, end_y;  ///< the range of rough values that it covers
  std::uint32_t begin_z, end_z;
  std::span<const RoughBox> boxes;

  Column(const Grid& grid, std::uint32_t number, std::span<const RoughBox> its_boxes = {})
      : axes(grid.axes),
        begin_y(Grid::begin(number / grid.along_z, grid.along_y)),
        end_y(Grid::begin(number / grid.along_z + 1, grid.along_y)),
        begin_z(Grid::begin(number % grid.along_z, grid.along_z)),
        end_z(Grid::begin(number % grid.along_z + 1, grid.along_z)),
        boxes(its_boxes) {}

  /// Whether a pair with these larger lower bounds counts in this column.
  bool holds(std::uint32_t low_y, std::uint32_t low_z) const {
    return (low_y >= begin_y) & (low_y < end_y) & (low_z >= begin_z) & (low_z < end_z);
  }
  /// Whether the pair of these boxes, which are rounded by this map, counts in this column.
  bool holds(const Aabb& a, const Aabb& b, const RoughMap& map) const;
};

/// Rough boxes, and the same boxes by column. A box is in every column that it reaches into.
struct SortedColumns {
  std::vector<RoughBox> rough;
  std::vector<std::uint32_t> begin;  ///< where each column begins in `by_column`, and where the last one ends
  std::vector<RoughBox> by_column;

  /// Rounds the boxes with these numbers into `rough`.
  void round(std::span<const Aabb> boxes, std::span<const std::uint32_t> numbers, const RoughMap& map);
  /// How many columns a box reaches into on average, estimated from a sample.
  double copies(const Grid& grid) const;
  /// Makes the columns wider until that is at most `most`.
  void widen(Grid& grid, double most) const;
  void sort(const Grid& grid);
  /// One of the sorted columns.
  Column column(const Grid& grid, std::uint32_t number) const {
    return {grid, number, {by_column.data() + begin[number], begin[number + 1] - begin[number]}};
  }

 private:
  std::vector<std::uint32_t> counts_;           // per chunk and column: the count, then the position to write to
  std::vector<std::uint32_t> home_;             // for each box: its first column
  std::vector<std::uint32_t> straddlers_;       // per chunk: boxes that are also in other columns
  std::vector<std::uint32_t> straddler_count_;  // per chunk
};

/// What the rough bounds say about two boxes, and whether their pair counts in a column.
enum class RoughPair { none, certain, maybe };
inline RoughPair compare(const RoughBox& p, const RoughBox& q, const Column& column) {
  const auto low = [&](std::size_t axis) { return std::uint32_t{std::max(p.lower[axis], q.lower[axis])}; };
  const auto high = [&](std::size_t axis) { return std::uint32_t{std::min(p.upper[axis], q.upper[axis])}; };
  const SweepAxes& axes = column.axes;
  const std::uint32_t low_x = low(axes.x), low_y = low(axes.y), low_z = low(axes.z);
  const std::uint32_t high_x = high(axes.x), high_y = high(axes.y), high_z = high(axes.z);
  if ((low_x > high_x) | (low_y > high_y) | (low_z > high_z) | !column.holds(low_y, low_z)) return RoughPair::none;
  const bool is_certain = (low_x < high_x) & (low_y < high_y) & (low_z < high_z);
  return is_certain ? RoughPair::certain : RoughPair::maybe;
}

/// Rounds the boxes with these numbers.
void make_rough(std::span<const Aabb> boxes, std::span<const std::uint32_t> numbers, const RoughMap& map,
                RoughBox* out);

/// Fills `memory.hits` with the pairs of a column that need a closer test, and returns the number of comparisons. If
/// that would exceed `most`, nothing is compared.
std::uint64_t sweep_column(const Column& column, std::uint64_t most, ColumnMemory& memory);

/// Finds all overlapping pairs of a set of boxes. Remembers from call to call how the boxes are distributed.
class ColumnSweeper {
 public:
  /// Appends the wanted pairs (see is_wanted) among the boxes with these numbers, which must not be empty, in
  /// unspecified order. `all_changed`: all boxes count as changed. `depth`: the number of crowds that these boxes are
  /// a part of.
  void find_pairs(const Boxes& boxes, std::span<const std::uint32_t> numbers, bool all_changed,
                  std::vector<PairKey>& pairs, int depth = 0);

 private:
  void set_spread(const Boxes& boxes, std::span<const std::uint32_t> numbers);
  Grid choose_grid(std::size_t count);
  /// Uses more columns next time if boxes had many candidates, and fewer if they had few or were copied too often.
  void adapt(const Grid& grid, std::size_t count, std::uint64_t compared);

  Spread spread_;
  std::size_t spread_of_ = 0;  // number of boxes when the spread was measured
  int looks_ = 0;              // calls since then
  double columns_ = 0;         // wanted number; 0: not known yet
  double max_columns_ = HUGE_VAL;

  SortedColumns columned_;
  struct Worker {
    ColumnMemory memory;
    std::vector<PairKey> pairs;
    std::uint64_t compared = 0;
  };
  tbb::enumerable_thread_specific<Worker> workers_;
};

/// A broad phase that sweeps all boxes in every call.
class ColumnSweep final : public BroadPhase {
 public:
  void find_pairs(const Boxes& boxes, std::vector<PairKey>& pairs) override;

 private:
  bool is_first_ = true;
  ColumnSweeper sweeper_;
  std::vector<std::uint32_t> numbers_;
  std::vector<PairKey> spare_;
};

}  // namespace whisker::world
