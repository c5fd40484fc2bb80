#pragma once

// The memory in which a batch of pairs is processed: plain arrays, for code that is compiled once per instruction set.

#include <cstddef>
#include <cstdint>
#include <span>

#include "convex/convex_batch.hpp"
#include "shapes/hull_support.hpp"

namespace whisker::convex {

/// The data with which the supports of a shape are found, in its own frame.
struct BatchBody {
  const double* x;  ///< the vertices
  const double* y;
  const double* z;
  const SupportVertex* corners;  ///< the same vertices
  /// If the vertices are few: their coordinates in floats, all x, then y and z, each padded to a multiple of 16 with
  /// the first vertex, aligned to 64 bytes. All bodies in lanes have the same multiple. Null in a shape whose vertices
  /// are rounded when needed.
  const float* rounded;
  std::uint64_t vertices;  ///< if the vertices are few: one bit for each
  std::uint32_t padded;
  const HullSupport* cells;  ///< the table, if it is used to find supports
};

/// A shape of a batch, with the data of ConvexBody in its own frame.
struct BatchShape : BatchBody {
  /// Its middle (three numbers), size and radius. The others are zero.
  double numbers[8];
  bool is_placed;  ///< few vertices: all are transformed into the common frame
  /// For a shape that is not a hull, the arrays that `x`, `y`, `z` and `corners` refer to: ConvexBody::own.
  alignas(64) double own_coordinates[3][8];
  SupportVertex own_corners[8];

  /// No point is farther than this from the origin of its frame.
  double reach() const { return numbers[3] + numbers[4]; }
};

/// A pair in the order in which it is processed (see OrderedBodies).
struct BatchEntry {
  const BatchShape* a;
  const BatchShape* b;
  const double* pose_a;  ///< twelve numbers: the rotation, column by column, and the translation
  const double* pose_b;
  std::uint32_t number;  ///< the index of the caller's pair
  bool swapped;
};

/// The state of searches in rows, with a column for each pair of a block or for each lane.
template <std::size_t Columns>
struct alignas(64) SearchRows {
  using Row = double[Columns];
  static constexpr std::size_t state_count = 22;

  Row v[3];  ///< initially the start of the search
  Row lower;
  Row direction[3];  ///< the direction that gave `lower`
  /// The corners of the simplex, newest first, and their weights. Empty slots have no id.
  Row w[3][3];
  Row id[3];
  Row weight[3];

  /// All rows.
  Row* state() { return reinterpret_cast<Row*>(this); }
  const Row* state() const { return reinterpret_cast<const Row*>(this); }
};

/// The pairs' common frames (see FramePair) and the goals of their searches, likewise.
template <std::size_t Columns>
struct alignas(64) FrameRows {
  using Row = double[Columns];
  /// The number of all rows, and of those that a search needs which only ends with the distance.
  static constexpr std::size_t frame_count = 18, frame_count_without_limits = 15;

  Row m[9];  ///< row by row
  Row t[3];
  Row zero_squared;
  /// If the heights of two vertices along v, computed in floats from rounded coordinates, differ by more than this
  /// times |v|₁, then their order is correct. A height is off by five roundings of 2^-24 (of direction and vertex, and
  /// of three operations) of |v|₁ times the size of the body, the difference of two by ten, and the threshold by one
  /// more: less than 2^-20. The heights in doubles, which are the ones that count, are off by far less, relative to
  /// |v|₁ and the size of the pair. Infinite for sizes at which floats would overflow or lose digits.
  Row doubt_a, doubt_b;
  Row stop_above, stop_below, stop_tolerance;

  /// All rows.
  Row* frame() { return reinterpret_cast<Row*>(this); }
  const Row* frame() const { return reinterpret_cast<const Row*>(this); }
};

/// One cache line longer than needed. Otherwise columns would map to only a few sets of the cache.
inline constexpr std::size_t batch_columns = max_batch_pairs + 8;
static_assert(sizeof(SearchRows<batch_columns>) ==
              SearchRows<batch_columns>::state_count * sizeof(SearchRows<batch_columns>::Row));
static_assert(sizeof(FrameRows<batch_columns>) ==
              FrameRows<batch_columns>::frame_count * sizeof(FrameRows<batch_columns>::Row));

/// The numbers of the pairs are stored in rows, so that neighboring pairs fill a vector. The state of a search becomes
/// its result (see GjkResult).
struct BatchBlock : SearchRows<batch_columns>, FrameRows<batch_columns> {
  static constexpr std::size_t most = max_batch_pairs;
  using Row = double[batch_columns];

  enum class Question : std::uint8_t { touches, distance };
  /// How the search of a pair ended. `open`: left to the single query. `running`: it has not ended yet.
  enum class End : int { open, converged, inside, above, below, tolerance, running };

  Question question = Question::distance;
  std::size_t count = 0;
  double upper_bound = 0;  ///< options of a distance query
  double close_enough = 0;
  double tolerance = 0;
  Upcoming upcoming;
  BatchEntry entries[most];
  const BatchShape* shapes = nullptr;  ///< the shapes of the entries
  std::size_t shape_count = 0;

  alignas(64) Row pose_a[12];
  Row radius_a, radius_b;

  Row stretch, size, radii, reach_error, mean_error, fine;

  static constexpr int id_bits = 26;  ///< bits for the vertex of b (hulls have fewer vertices); a's is above them
  static constexpr std::size_t id_mask = (std::size_t{1} << id_bits) - 1;
  Row end;  ///< an End
  Row supports;
  Row points;                ///< 0 if the simplex has no corners
  Row last_id, last_weight;  ///< after `inside`: the newest corner, which was added when there were already three
  Row proven;                ///< after `inside`: 1 if the origin is certainly inside the tetrahedron

  /// The corners of pair i, in the caller's order. Also valid if the search ended without a corner.
  HullCorners corners(std::size_t i) const {
    const auto both = static_cast<std::int64_t>(id[0][i]);
    const auto known = static_cast<std::uint64_t>(both < 0 ? 0 : both);
    const auto first = static_cast<std::uint32_t>(known >> id_bits),
               second = static_cast<std::uint32_t>(known & id_mask);
    return entries[i].swapped ? HullCorners{second, first} : HullCorners{first, second};
  }

  // The results.
  bool answered[most];
  bool touching[most];
  bool stopped[most];  ///< stopped by an option
  /// The result of a distance query, in the caller's order of the two shapes, as it is copied to the caller.
  struct Answer {
    double lower, upper;
    double point_a[3], point_b[3], normal[3];
    double supports;
  };
  alignas(64) Answer answers[most];
};

/// Prefetches the next `lines` cache lines of the memory and removes them from the span. `Writes`: for writing.
template <bool Writes>
void fetch_some(std::span<const std::byte>& memory, std::size_t lines) {
#if defined(__GNUC__)
  for (std::size_t at = 0; at < memory.size() && at < 64 * lines; at += 64)
    __builtin_prefetch(memory.data() + at, Writes ? 1 : 0);
#endif
  memory = memory.subspan(memory.size() < 64 * lines ? memory.size() : 64 * lines);
}

/// Processes all pairs of the block, from the query to the results.
void work_block(BatchBlock& block);

}  // namespace whisker::convex
