#pragma once

// Boxes that stay where they are, kept in columns for others to meet: the column sweep (see column_sweep.hpp) between
// two sets, of which one is sorted once. In a column the resting boxes stand by buckets along the swept axis. Those
// that are longer than most come first, so that what a box may overlap is found between two places of the bucket table:
// none of the others reaches farther back than the longest of them. Sixteen at a time are compared, whose 8-bit bounds
// on the other axes are one line of the cache.

#include <algorithm>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tbb/enumerable_thread_specific.h>
#include <utility>
#include <vector>

#include "world/box_pairs.hpp"
#include "world/column_sweep.hpp"

namespace whisker::world {

/// The bounds of sixteen resting boxes on the two axes that are not swept, in 8 bits within their column. Upper bounds
/// stand as what is missing to 255, so that boxes overlap if no number here is larger than that of the other.
struct alignas(64) StaticRows {
  static constexpr std::uint32_t width = 16;
  std::uint8_t lower_y[width], upper_y[width], lower_z[width], upper_z[width];
};

/// A column of resting boxes.
struct RestColumn {
  std::uint32_t first;  ///< its first box; a multiple of StaticRows::width
  std::uint32_t size;
  std::uint32_t longs;  ///< so many at its beginning are in no bucket
  std::uint32_t table;  ///< its first entry in the table of buckets
  int bucket_shift;     ///< from a rough bound to its bucket
};

/// Resting boxes by column.
struct RestData {
  std::uint32_t reach = 0;  ///< no box in a bucket is longer along the swept axis
  std::vector<RestColumn> columns;
  std::vector<std::uint32_t> table;  ///< by column and bucket: where it begins, and where the last ends, in the column
  std::vector<RoughBox> boxes;
  std::vector<StaticRows> rows;
};

struct StaticPairScratch {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> windows;
  std::vector<std::uint64_t> hits;  ///< a place among the boxes of the column, and one in RestData::boxes
  std::size_t hit_count = 0;
};

/// Fills `memory.hits` with what the column's boxes may overlap among the resting ones, and returns how many were
/// compared. If that would be more than `most`, nothing is compared.
std::uint64_t meet_column(const Column& column, const RestColumn& rest, const RestData& data, std::uint64_t most,
                          StaticPairScratch& memory);
/// From rough bounds to the 8 bits of a column.
struct RowMap {
  std::uint32_t begin_y, last_y, begin_z, last_z;
  int shift_y, shift_z;

  explicit RowMap(const Column& column)
      : begin_y(column.begin_y),
        last_y(column.end_y - 1),
        begin_z(column.begin_z),
        last_z(column.end_z - 1),
        shift_y(std::max(0, static_cast<int>(std::bit_width(last_y - begin_y)) - 8)),
        shift_z(std::max(0, static_cast<int>(std::bit_width(last_z - begin_z)) - 8)) {}

  std::uint32_t of_y(std::uint32_t value) const { return (std::clamp(value, begin_y, last_y) - begin_y) >> shift_y; }
  std::uint32_t of_z(std::uint32_t value) const { return (std::clamp(value, begin_z, last_z) - begin_z) >> shift_z; }
};

class StaticColumns {
 public:
  /// Of the boxes with these numbers, which are finite.
  void build(std::span<const Aabb> boxes, std::span<const std::uint32_t> numbers);
  std::size_t built_size() const { return built_size_; }

  /// A box, and a column of those it reaches into.
  struct Crowded {
    std::uint32_t number;
    std::uint32_t column;
    auto operator<=>(const Crowded&) const = default;
  };
  /// Appends the wanted pairs (see is_wanted) between the boxes with the numbers `changed`, which are not empty, and
  /// the resting ones, in no order. `is_resting`, by number: 0 for those that have gone since, or else 1, and 3 where
  /// the body is fixed. The pairs of a box in a column that is too crowded are not among them: these are appended to
  /// `crowded`. False, and nothing is done, if the boxes reach into too many columns.
  bool find_pairs(const Boxes& boxes, std::span<const std::uint32_t> changed, std::span<const std::uint8_t> is_resting,
                  std::vector<PairKey>& pairs, std::vector<Crowded>& crowded);
  /// Whether the pair of these boxes counts in this column.
  bool counts_in(const Aabb& a, const Aabb& b, std::uint32_t column) const;

 private:
  Spread spread_;
  int x_ = 0, y_ = 1, z_ = 2;
  Grid grid_;
  RestData data_;
  SortedColumns changed_;
  std::size_t built_size_ = 0;
  struct Worker {
    StaticPairScratch memory;
    std::vector<PairKey> pairs;
    std::vector<Crowded> crowded;
  };
  tbb::enumerable_thread_specific<Worker> workers_;
};

}  // namespace whisker::world
