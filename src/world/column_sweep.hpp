#pragma once

// Column sweep: all overlapping pairs of a set of boxes, found anew from nothing at each look.
//
// Bounds are rounded to 16 bits per axis by a map that is monotone and clamped: of bounds that do not overlap as
// integers, the doubles do not overlap either, whatever the map is. One axis is swept. The other two cut space into
// columns; a box that reaches into several is copied into each, and a pair counts in the column that holds the larger
// of its lower bounds on both axes, so none is found twice. In a column the boxes are counted into buckets along the
// swept axis, whose table tells at once where the candidates of a box end; the other two axes, rounded once more to 8
// bits within the column, are compared 64 candidates at a time. Of what is left, boxes that overlap strictly as 16-bit
// integers overlap for certain; where integers are equal, the doubles decide. A column that is crowded because the map
// is too coarse for it (two towns that are far apart) is cut in two where its boxes are spread most, each half with a
// map of its own.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "world/box_pairs.hpp"

namespace whisker::world {

/// Rough coordinates go from 0 to this.
inline constexpr double rough_range = 65535;

/// A box in 16 bits per bound.
struct alignas(16) RoughBox {
  std::uint16_t lower[3];
  std::uint16_t upper[3];
  std::uint32_t number;
};

/// From doubles to 16 bits: (x - base) * scale, cut to 0 … 65535.
struct RoughMap {
  double base[3];
  double scale[3];  ///< positive
};

/// How a set of boxes is spread: from a sample of it.
struct Spread {
  RoughMap map{};
  double width[3] = {1, 1, 1};  ///< how wide a box is as a rule, in rough units
};
Spread measure_spread(std::span<const Aabb> boxes, std::span<const std::uint32_t> numbers);

/// The columns of two axes.
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
/// About so many columns, none narrower than some boxes are wide.
Grid grid_of(double columns, const Spread& spread, int y, int z);

/// Rough boxes, and the same by column: a box is in every column that it reaches into.
struct SortedColumns {
  std::vector<RoughBox> rough;
  std::vector<std::uint32_t> begin;  ///< of each column in `by_column`, and where the last ends
  std::vector<RoughBox> by_column;

  /// Rounds the boxes with these numbers into `rough`.
  void round(std::span<const Aabb> boxes, std::span<const std::uint32_t> numbers, const RoughMap& map);
  /// How many columns a box reaches into on average, of a sample.
  double copies(const Grid& grid, int y, int z) const;
  void sort(const Grid& grid, int y, int z);

 private:
  std::vector<std::uint32_t> counts_;           // of each chunk, column by column: then where they go
  std::vector<std::uint32_t> home_;             // of each box: its first column
  std::vector<std::uint32_t> straddlers_;       // of each chunk: boxes that are in others, too
  std::vector<std::uint32_t> straddler_count_;  // of each chunk
};

/// What a column is swept in.
struct ColumnMemory {
  std::vector<std::uint32_t> bucket_end;  ///< where a bucket ends among the boxes
  std::vector<RoughBox> boxes;            ///< by bucket
  /// Their bounds on the two other axes, in 8 bits, 64 more than there are boxes.
  std::vector<std::uint8_t> lower_y, upper_y, lower_z, upper_z;
  std::vector<std::uint64_t> hits;  ///< pairs of places in `boxes`
  std::size_t hit_count = 0;        ///< how many of them count
};

/// A column: its boxes, and what of the axes it is.
struct Column {
  std::span<const RoughBox> boxes;
  int x, y, z;                   ///< the axes: x is swept
  std::uint32_t begin_y, end_y;  ///< the part of the rough axis that it holds
  std::uint32_t begin_z, end_z;

  /// Without boxes.
  Column(const Grid& grid, std::uint32_t number, int axis_x, int axis_y, int axis_z)
      : x(axis_x),
        y(axis_y),
        z(axis_z),
        begin_y(Grid::begin(number / grid.along_z, grid.along_y)),
        end_y(Grid::begin(number / grid.along_z + 1, grid.along_y)),
        begin_z(Grid::begin(number % grid.along_z, grid.along_z)),
        end_z(Grid::begin(number % grid.along_z + 1, grid.along_z)) {}

  /// Whether a pair with these larger lower bounds counts here.
  bool holds(std::uint32_t low_y, std::uint32_t low_z) const {
    return (low_y >= begin_y) & (low_y < end_y) & (low_z >= begin_z) & (low_z < end_z);
  }
};

/// What is known of two boxes by their rough bounds, and whether their pair counts in a column.
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

/// As make_rough rounds a bound.
std::uint32_t rough_value(double x, const RoughMap& map, int axis);

/// Rounds the boxes with these numbers.
void make_rough(std::span<const Aabb> boxes, std::span<const std::uint32_t> numbers, const RoughMap& map,
                RoughBox* out);

/// Fills `memory.hits` with the pairs of a column that are worth a closer look, and returns how many were compared. If
/// that would be more than `most`, nothing is compared.
std::uint64_t sweep_column(const Column& column, std::uint64_t most, ColumnMemory& memory);

/// All overlapping pairs of a set of boxes. Keeps what it learns of how they are spread from one call to the next.
class ColumnSweeper {
 public:
  ColumnSweeper();
  ~ColumnSweeper();
  ColumnSweeper(ColumnSweeper&&) noexcept;
  ColumnSweeper& operator=(ColumnSweeper&&) noexcept;

  /// Appends the wanted pairs (see is_wanted) among the boxes with these numbers, which are not empty, in no order.
  /// `all_changed`: all boxes count as changed.
  void find_pairs(const Boxes& boxes, std::span<const std::uint32_t> numbers, bool all_changed,
                  std::vector<PairKey>& pairs);

 private:
  struct State;
  /// `depth`: of crowds in crowds.
  void find_pairs(const Boxes& boxes, std::span<const std::uint32_t> numbers, bool all_changed, int depth,
                  std::vector<PairKey>& pairs);

  std::unique_ptr<State> state_;
};

/// The broad phase that sweeps all boxes at each look.
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
