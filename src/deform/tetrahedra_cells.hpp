#pragma once

// A hashed uniform grid, used by the search for contacts of tetrahedra.
//
// A cell is three integers, each computed from a point by one rounded product. That is monotone in the point, so a
// point inside a box always lies in one of the cells between those of the box's lower and upper corners, whatever the
// rounding. Cells are stored in a table of buckets that is filled by counting: count, compute where each bucket begins,
// place. The bucket index is a hash of the cell's x and y, plus its z, so that a column of cells is contiguous in
// memory. A bucket may also hold entries of other cells, which the visitor must filter out.

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

/// Cells of one size, counted from the lower corner of the bounds of all meshes.
struct CellSize {
  Vector3 origin = Vector3::Zero();
  double per_length = 1;  ///< cells per unit length

  Vector3 in_cells(const Vector3& point) const { return (point - origin) * per_length; }
  GridCell cell_of(const Vector3& point) const {
    const Vector3 at = in_cells(point);
    return {static_cast<std::int64_t>(at[0]), static_cast<std::int64_t>(at[1]), static_cast<std::int64_t>(at[2])};
  }
};

/// A column of cells, as used by the table.
struct Column {
  std::uint32_t bucket;  ///< bucket of its cell z = 0, before wrapping to the table's size
  std::uint32_t tag;     ///< other bits of the hash
};

inline Column column_of(std::int64_t x, std::int64_t y) {
  std::uint64_t h =
      static_cast<std::uint64_t>(x) * 0x9E3779B97F4A7C15u ^ static_cast<std::uint64_t>(y) * 0xC2B2AE3D27D4EB4Fu;
  h ^= h >> 29;
  h *= 0xBF58476D1CE4E5B9u;
  return {static_cast<std::uint32_t>(h), static_cast<std::uint32_t>(h >> 32)};
}

/// A table that stores entries in buckets, one `Entry` per cell of each item.
template <class Entry>
class CellTable {
 public:
  /// Inserts `count` items. for_each_cell(i, put) calls put(column, z, entry) for each cell of item i, the same in
  /// every call, and entry() returns what to store there. `expected` is the approximate total number of entries. Within
  /// a bucket, entries are in the order of the items, unless `on_all_cores` is set.
  template <class ForEachCell>
  void fill(std::size_t count, std::size_t expected, bool on_all_cores, const ForEachCell& for_each_cell) {
    mask_ = std::bit_ceil(static_cast<std::uint32_t>(std::clamp<std::size_t>(expected, 16, std::size_t{1} << 30))) - 1;
    begin_.assign(std::size_t{mask_} + 2, 0);
    // First `begin_` holds where each bucket ends, from its count. As entries are placed from the back, that moves to
    // where the bucket begins.
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

  /// Calls visit(entry) for the entries in cells `lower` to `upper` of a column, and for some entries of other cells.
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
  /// Adds `by` to a bucket's number and returns the previous value.
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
