#pragma once

// The memory in which a batch of pairs is worked: plain arrays, for code that is compiled once per instruction set.

#include <cstddef>
#include <cstdint>
#include <span>

#include "convex/convex_batch.hpp"
#include "shapes/hull_support.hpp"

namespace whisker::convex {

/// A shape of a batch: what ConvexBody knows of it, in its own frame.
struct BatchShape {
  enum class Own : std::uint8_t { no, point, segment, box };

  /// Its middle (three numbers), size and radius; the others are zero.
  double numbers[8];
  Own own;                   ///< `no`: it is a hull; else it has vertices of its own
  bool is_placed;            ///< few vertices: brought into the common frame whole
  const HullSupport* cells;  ///< the table, if that is how supports are found
  const double* x;           ///< the vertices
  const double* y;
  const double* z;
  const SupportVertex* vertices;  ///< the same
  /// The same in floats, x, y and z each padded to a multiple of 16 with the first vertex, aligned to 64 bytes; null:
  /// they are rounded when needed.
  const float* rounded;
  std::uint32_t padded;
  std::uint32_t count;
  /// Of a shape that is no hull, what `x`, `y` and `z` and `vertices` refer to: ConvexBody::own.
  alignas(64) double own_coordinates[3][8];
  SupportVertex own_vertices[8];

  double size() const { return numbers[3]; }
  /// No point is farther from the origin of its frame.
  double reach() const { return numbers[3] + numbers[4]; }
};

/// Pairs in the order in which they are worked (see OrderedBodies).
struct BatchEntry {
  const BatchShape* a;
  const BatchShape* b;
  const double* pose_a;  ///< twelve numbers: the rotation, column by column, and the translation
  const double* pose_b;
  std::uint32_t number;  ///< which pair of the caller's it is
  bool swapped;
};

/// The numbers of the pairs stand in rows, so that neighbors fill a vector.
struct alignas(64) BatchBlock {
  static constexpr std::size_t most = max_batch_pairs;
  /// A cache line longer than needed: columns would else fall into few sets of the cache.
  using Row = double[most + 8];

  enum class Question : std::uint8_t { touches, distance };
  /// How the search of a pair ended; `open`: to be asked singly; `running`: it did not yet.
  enum class End : int { open, converged, inside, above, below, tolerance, running };

  Question question = Question::distance;
  std::size_t count = 0;
  double upper_bound = 0;  ///< the options of a distance
  double close_enough = 0;
  double tolerance = 0;
  Upcoming upcoming;
  BatchEntry entries[most];
  const BatchShape* shapes = nullptr;  ///< those of the entries
  std::size_t shape_count = 0;

  alignas(64) Row pose_a[12];
  Row radius_a, radius_b;

  // The common frame: see FramePair.
  Row m[9];  ///< row by row
  Row t[3];
  Row stretch, size, radii, zero_squared, reach_error, mean_error, fine;
  Row stop_above, stop_below, stop_tolerance;
  /// Vertices whose heights in floats along v, all computed there from rounded coordinates, differ by more than this
  /// times |v|₁ are rightly ordered. A height is off by five roundings of 2^-24 (of direction and vertex, and of three
  /// operations) of |v|₁ times the size of the body, their difference by ten, the threshold by one more: less than
  /// 2^-20. The heights in doubles, which are those that count, are off by far less, of |v|₁ and the size of the pair.
  /// Infinite for sizes at which floats would overflow or lose digits.
  Row doubt_a, doubt_b;

  // Where the search stands (see State), or ended: see GjkResult.
  Row end;   ///< an End
  Row v[3];  ///< at first where the search begins
  /// The corners, the newest first, and their weights. At `inside` the last is the newest: it came when there were
  /// three. Places without a corner have no id.
  static constexpr int id_bits = 26;  ///< of the vertex of b: hulls have fewer; that of a is above them
  static constexpr std::size_t id_mask = (std::size_t{1} << id_bits) - 1;
  Row id[4], weight[4];
  Row supports;
  Row lower;
  Row lower_direction[3];
  Row points;        ///< 0 if the simplex has none
  Row corner[3][3];  ///< of the simplex, while the search runs
  Row proven;        ///< at `inside`: 1 if the origin is certainly within the tetrahedron

  /// Of pair i, in the caller's order; also where the search ended without a corner.
  HullCorners corners(std::size_t i) const {
    const auto both = static_cast<std::int64_t>(id[0][i]);
    const auto known = static_cast<std::uint64_t>(both < 0 ? 0 : both);
    const auto first = static_cast<std::uint32_t>(known >> id_bits),
               second = static_cast<std::uint32_t>(known & id_mask);
    return entries[i].swapped ? HullCorners{second, first} : HullCorners{first, second};
  }

  // The answers.
  bool answered[most];
  bool touching[most];
  bool stopped[most];  ///< by an option
  /// Of a distance; pair by pair, in the caller's order of the two, as they are copied to the caller.
  struct Answer {
    double lower, upper;
    double point_a[3], point_b[3], normal[3];
    double supports;
  };
  alignas(64) Answer answers[most];
};

/// Asks for the next `lines` cache lines of the memory, and takes them off. `Writes`: they are to be written.
template <bool Writes>
void fetch_some(std::span<const std::byte>& memory, std::size_t lines) {
#if defined(__GNUC__)
  for (std::size_t at = 0; at < memory.size() && at < 64 * lines; at += 64)
    __builtin_prefetch(memory.data() + at, Writes ? 1 : 0);
#endif
  memory = memory.subspan(memory.size() < 64 * lines ? memory.size() : 64 * lines);
}

/// Works all pairs of the block, from what is asked to the answers.
void work_block(BatchBlock& block);

}  // namespace whisker::convex
