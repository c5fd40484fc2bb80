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

#include <cstdint>
#include <memory>
#include <span>
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

/// How a set of boxes is distributed, estimated from a sample.
struct Spread {
  RoughMap map{};
  double width[3] = {1, 1, 1};  ///< typical width of a box, in rough units
};
Spread measure_spread(std::span<const Aabb> boxes, std::span<const std::uint32_t> numbers);

/// The grid of columns over two axes.
struct Grid {
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
Grid grid_of(double columns, const Spread& spread, int y, int z);

/// Rough boxes, and the same boxes by column. A box is in every column that it reaches into.
struct SortedColumns {
  std::vector<RoughBox> rough;
  std::vector<std::uint32_t> begin;  ///< where each column begins in `by_column`, and where the last one ends
  std::vector<RoughBox> by_column;

  /// Rounds the boxes with these numbers into `rough`.
  void round(std::span<const Aabb> boxes, std::span<const std::uint32_t> numbers, const RoughMap& map);
  /// How many columns a box reaches into on average, estimated from a sample.
  double copies(const Grid& grid, int y, int z) const;
  void sort(const Grid& grid, int y, int z);

 private:
  std::vector<std::uint32_t> counts_;           // per chunk and column: the count, then the position to write to
  std::vector<std::uint32_t> home_;             // for each box: its first column
  std::vector<std::uint32_t> straddlers_;       // per chunk: boxes that are also in other columns
  std::vector<std::uint32_t> straddler_count_;  // per chunk
};

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
  std::span<const RoughBox> boxes;
  int x, y, z;                   ///< the axes; x is the swept one
  std::uint32_t begin_y, end_y;  ///< the range of rough values that it covers
  std::uint32_t begin_z, end_z;

  /// Creates a column without boxes.
  Column(const Grid& grid, std::uint32_t number, int axis_x, int axis_y, int axis_z)
      : x(axis_x),
        y(axis_y),
        z(axis_z),
        begin_y(Grid::begin(number / grid.along_z, grid.along_y)),
        end_y(Grid::begin(number / grid.along_z + 1, grid.along_y)),
        begin_z(Grid::begin(number % grid.along_z, grid.along_z)),
        end_z(Grid::begin(number % grid.along_z + 1, grid.along_z)) {}

  /// Whether a pair with these larger lower bounds counts in this column.
  bool holds(std::uint32_t low_y, std::uint32_t low_z) const {
    return (low_y >= begin_y) & (low_y < end_y) & (low_z >= begin_z) & (low_z < end_z);
  }
};

/// What the rough bounds say about two boxes, and whether their pair counts in a column.
enum class RoughPair { none, certain, maybe };
inline RoughPair compare(const RoughBox& p, const RoughBox& q, const Column& column) {
  const auto low = [&](int axis) {
    const auto k = static_cast<std::size_t>(axis);
    return std::uint32_t{std::max(p.lower[k], q.lower[k])};
  };
  const auto high = [&](int axis) {
    const auto k = static_cast<std::size_t>(axis);
    return std::uint32_t{std::min(p.upper[k], q.upper[k])};
  };
  const std::uint32_t low_x = low(column.x), low_y = low(column.y), low_z = low(column.z);
  const std::uint32_t high_x = high(column.x), high_y = high(column.y), high_z = high(column.z);
  if ((low_x > high_x) | (low_y > high_y) | (low_z > high_z) | !column.holds(low_y, low_z)) return RoughPair::none;
  const bool is_certain = (low_x < high_x) & (low_y < high_y) & (low_z < high_z);
  return is_certain ? RoughPair::certain : RoughPair::maybe;
}

/// Rounds a bound as make_rough does.
std::uint32_t rough_value(double x, const RoughMap& map, int axis);

/// Rounds the boxes with these numbers.
void make_rough(std::span<const Aabb> boxes, std::span<const std::uint32_t> numbers, const RoughMap& map,
                RoughBox* out);

/// Fills `memory.hits` with the pairs of a column that need a closer test, and returns the number of comparisons. If
/// that would exceed `most`, nothing is compared.
std::uint64_t sweep_column(const Column& column, std::uint64_t most, ColumnMemory& memory);

/// Finds all overlapping pairs of a set of boxes. Remembers from call to call how the boxes are distributed.
class ColumnSweeper {
 public:
  ColumnSweeper();
  ~ColumnSweeper();
  ColumnSweeper(ColumnSweeper&&) noexcept;
  ColumnSweeper& operator=(ColumnSweeper&&) noexcept;

  /// Appends the wanted pairs (see is_wanted) among the boxes with these numbers, which must not be empty, in
  /// unspecified order. `all_changed`: all boxes count as changed.
  void find_pairs(const Boxes& boxes, std::span<const std::uint32_t> numbers, bool all_changed,
                  std::vector<PairKey>& pairs);

 private:
  struct State;
  /// `depth` is the number of nested crowds.
  void find_pairs(const Boxes& boxes, std::span<const std::uint32_t> numbers, bool all_changed, int depth,
                  std::vector<PairKey>& pairs);

  std::unique_ptr<State> state_;
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
