#pragma once

// Cells of one size, and things put into them: what the search for contacts of tetrahedra looks into.
//
// A cell is three whole numbers, found from a point by one rounded product each: that is monotone in the point, so a
// point of a box lies in one of the cells from the box's lower corner to its upper one, whatever rounding does. Cells
// are kept in a table of buckets, filled by counting: how many, where each begins, put in place. A bucket is found from
// a hash of the cell's x and y, plus its z: a column of cells lies side by side in memory. What is in a bucket need not
// be in the cell: that is for the visitor to see.

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <whisker/geometry/aabb.hpp>
#include <whisker/vector.hpp>

#include "trees/chunks.hpp"

namespace whisker::deform {

using GridCell = std::array<std::int64_t, 3>;

/// Cells of one size, counted from the lower corner of all there is.
struct CellSize {
  Vector3 origin = Vector3::Zero();
  double per_length = 1;  ///< cells

  Vector3 in_cells(const Vector3& point) const { return (point - origin) * per_length; }
  GridCell cell_of(const Vector3& point) const {
    const Vector3 at = in_cells(point);
    return {static_cast<std::int64_t>(at[0]), static_cast<std::int64_t>(at[1]), static_cast<std::int64_t>(at[2])};
  }
};

/// A column of cells, as the table knows it.
struct Column {
  std::uint32_t bucket;  ///< of its cell z = 0, of a table without end
  std::uint32_t tag;     ///< other bits of the hash
};

inline Column column_of(std::int64_t x, std::int64_t y) {
  std::uint64_t h =
      static_cast<std::uint64_t>(x) * 0x9E3779B97F4A7C15u ^ static_cast<std::uint64_t>(y) * 0xC2B2AE3D27D4EB4Fu;
  h ^= h >> 29;
  h *= 0xBF58476D1CE4E5B9u;
  return {static_cast<std::uint32_t>(h), static_cast<std::uint32_t>(h >> 32)};
}

/// Where things are put in buckets: `Entry` is what is kept of each.
template <class Entry>
class CellTable {
 public:
  /// Puts `count` things in: for_each_cell(i, put) calls put(column, z, entry) for each cell of thing i, the same each
  /// time, and entry() is what is kept there. `expected` is about how many entries there will be. In a bucket they are
  /// in the order of things, unless that is done on all cores.
  template <class ForEachCell>
  void fill(std::size_t count, std::size_t expected, bool on_all_cores, const ForEachCell& for_each_cell) {
    mask_ = std::bit_ceil(static_cast<std::uint32_t>(std::clamp<std::size_t>(expected, 16, std::size_t{1} << 30))) - 1;
    begin_.assign(std::size_t{mask_} + 2, 0);
    // First where each bucket ends, from its count; then, as things are put in from behind, where it begins.
    const bool parallel = on_all_cores && count > trees::chunk_length;
    trees::for_chunks(count, parallel, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i)
        for_each_cell(
            i, [&](const Column& column, std::int64_t z, const auto&) { take(bucket_of(column, z), 1, parallel); });
    });
    std::uint32_t total = 0;
    for (std::uint32_t& end : begin_)
      end = total += end;
    entries_.resize(total);
    trees::for_chunks(count, parallel, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i)
        for_each_cell(i, [&](const Column& column, std::int64_t z, const auto& entry) {
          entries_[take(bucket_of(column, z), -1, parallel) - 1] = entry();
        });
    });
  }

  std::size_t size() const { return entries_.size(); }

  /// Calls visit(entry) for what is in the cells from `lower` to `upper` of a column, and for some that is not.
  template <class Visit>
  void visit(const Column& column, std::int64_t lower, std::int64_t upper, const Visit& visit) const {
    const std::uint64_t length = std::min<std::uint64_t>(static_cast<std::uint64_t>(upper - lower), mask_) + 1;
    const std::uint64_t first = bucket_of(column, lower), end = first + length;
    const std::uint64_t wrap = std::uint64_t{mask_} + 1;
    visit_buckets(first, std::min(end, wrap), visit);
    if (end > wrap) visit_buckets(0, end - wrap, visit);
  }

 private:
  std::uint32_t bucket_of(const Column& column, std::int64_t z) const {
    return (column.bucket + static_cast<std::uint32_t>(z)) & mask_;
  }
  /// Adds to a bucket's number, and tells what it was.
  std::uint32_t take(std::uint32_t bucket, int by, bool is_shared) {
    std::uint32_t& number = begin_[bucket];
    if (is_shared)
      return std::atomic_ref<std::uint32_t>(number).fetch_add(static_cast<std::uint32_t>(by),
                                                              std::memory_order_relaxed);
    const std::uint32_t before = number;
    number += static_cast<std::uint32_t>(by);
    return before;
  }
  template <class Visit>
  void visit_buckets(std::uint64_t first, std::uint64_t end, const Visit& visit) const {
    const Entry* const last = entries_.data() + begin_[end];
    for (const Entry* entry = entries_.data() + begin_[first]; entry != last; ++entry)
      visit(*entry);
  }

  std::uint32_t mask_ = 0;
  std::vector<std::uint32_t> begin_;
  std::vector<Entry> entries_;
};

}  // namespace whisker::deform
