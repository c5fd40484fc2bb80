#pragma once

// Resting boxes in columns, to be tested against moving ones. This is the column sweep (see column_sweep.hpp) between
// two sets, one of which is sorted only once. Within a column, the resting boxes are sorted into buckets along the
// swept axis. Boxes that are longer than most come first and are in no bucket. So the candidates of a box are a
// contiguous range of the bucket table: no bucketed box reaches farther back than the longest of them. Candidates are
// compared sixteen at a time; their 8-bit bounds on the other axes fill one cache line.

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
/// are stored as 255 minus the bound, so that two boxes overlap if no number here exceeds the other box's number.
struct alignas(64) StaticRows {
  static constexpr std::uint32_t width = 16;
  std::uint8_t lower_y[width], upper_y[width], lower_z[width], upper_z[width];
};

/// A column of resting boxes.
struct RestColumn {
  std::uint32_t first;  ///< index of its first box, a multiple of StaticRows::width
  std::uint32_t size;
  std::uint32_t longs;  ///< how many boxes at its beginning are in no bucket
  std::uint32_t table;  ///< index of its first entry in the bucket table
  int bucket_shift;     ///< shift from a rough bound to its bucket
};

/// Resting boxes by column.
struct RestData {
  std::uint32_t reach = 0;  ///< no box in a bucket is longer than this along the swept axis
  std::vector<RestColumn> columns;
  std::vector<std::uint32_t> table;  ///< in each column, where each bucket begins, and where the last one ends
  std::vector<RoughBox> boxes;
  std::vector<StaticRows> rows;
};

struct StaticPairScratch {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> windows;
  std::vector<std::uint64_t> hits;  ///< an index into the column's boxes, and one into RestData::boxes
  std::size_t hit_count = 0;
};

/// Fills `memory.hits` with the resting boxes that each of the column's boxes may overlap, and returns the number of
/// comparisons. If that would exceed `most`, nothing is compared.
std::uint64_t meet_column(const Column& column, const RestColumn& rest, const RestData& data, std::uint64_t most,
                          StaticPairScratch& memory);
/// Maps the rough bounds of a column on an axis, from `begin` to just before `end`, to 8 bits.
class RowMap {
 public:
  RowMap(std::uint32_t begin, std::uint32_t end)
      : begin_(begin), last_(end - 1), shift_(std::max(0, static_cast<int>(std::bit_width(last_ - begin_)) - 8)) {}

  std::uint32_t of(std::uint32_t value) const { return (std::clamp(value, begin_, last_) - begin_) >> shift_; }

 private:
  std::uint32_t begin_, last_;
  int shift_;
};

class StaticColumns {
 public:
  /// Sorts the boxes with these numbers, which must be finite.
  void build(std::span<const Aabb> boxes, std::span<const std::uint32_t> numbers);
  std::size_t built_size() const { return built_size_; }

  /// A box, and one of the columns that it reaches into.
  struct Crowded {
    std::uint32_t number;
    std::uint32_t column;
    auto operator<=>(const Crowded&) const = default;
  };
  /// Appends the wanted pairs (see is_wanted) between the boxes with the numbers `changed`, which must not be empty,
  /// and the resting boxes, in unspecified order. `is_resting`, by number: 0 for boxes that have gone since, otherwise
  /// 1, or 3 if the body is static. Pairs of a box in a column that is too crowded are left out; the box and column are
  /// appended to `crowded` instead. Returns false and does nothing if the boxes reach into too many columns.
  bool find_pairs(const Boxes& boxes, std::span<const std::uint32_t> changed, std::span<const std::uint8_t> is_resting,
                  std::vector<PairKey>& pairs, std::vector<Crowded>& crowded);
  /// Whether the pair of these boxes counts in this column.
  bool counts_in(const Aabb& a, const Aabb& b, std::uint32_t column) const {
    return Column(grid_, column).holds(a, b, spread_.map);
  }

 private:
  Spread spread_;
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
