#pragma once

// The support mapping of a convex hull: which vertex is farthest along a direction.
//
// Few vertices are scanned. For many there is a table over the directions: the sphere is cut into cells, and each cell
// lists every vertex that can be the farthest for a direction in it, so that a lookup is exact and takes the same short
// time whatever the number of vertices. Both are in hull_support-inl.hpp, for kernels that hold a direction already.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include <whisker/vector.hpp>

namespace whisker {

class ConvexHull;

/// The vertices of a crowded cell: in HullSupport::crowds from `begin` on, so many times eight; ascending, the last
/// again until eight are full. If they are a large crowd, their coordinates stand by themselves, to be scanned.
struct SupportCrowd {
  static constexpr std::uint32_t large = 16;  ///< So many eights or more.

  std::uint32_t begin;
  std::uint32_t eights;
  std::uint32_t coordinates;  ///< Of a large one: all x in HullSupport::crowd_coordinates from here on, then y, then z.
};

/// The vertices that can be the farthest for the directions of a cell, ascending; if they are fewer than eight, the
/// first again. Of a crowded cell, with more than eight, where they are.
template <class Index>
struct alignas(8 * sizeof(Index)) SupportCell {
  Index vertex[8];

  /// Vertices never stand in this order.
  bool is_crowded() const { return vertex[0] > vertex[1]; }
  SupportCrowd crowd() const {
    SupportCrowd result;
    std::memcpy(&result, vertex + 2, sizeof(result));
    return result;
  }
  void set_crowd(const SupportCrowd& crowd) {
    vertex[0] = 1;
    vertex[1] = 0;
    std::memcpy(vertex + 2, &crowd, sizeof(crowd));
  }
};

/// A vertex, in half a cache line, with its number, for vectors that read all four.
struct alignas(32) SupportVertex {
  double x, y, z, number;
};

struct alignas(64) EightDoubles {
  double value[8];
};

struct alignas(64) SixteenFloats {
  float value[16];
};

/// The table over the directions. A direction d is first scaled to (weight_x dx, weight_y dy, weight_z dz), where the
/// weights are the hull's extents, for which a long or flat hull is as round as others. With |x| + |y| + |z| = 1 an
/// octant is a triangle over (|x|, |y|), in which planes through the origin are straight lines. Over each of the four
/// quadrants of (x, y) lie two, z > 0 and z < 0; each is cut into squares of side 1 / grid and a bit, and the second is
/// turned by half a turn, so that the two fill a rectangle of (grid + 1) x grid squares.
struct alignas(64) HullSupport {
  // What a lookup in the cells reads, in one cache line.
  double weight[3] = {1, 1, 1};
  double scale[2] = {0, 0};  ///< Those of x and y, times a bit less than `grid`: none falls beyond the last square.
  std::uint32_t grid = 0;    ///< Squares along a side of an octant; 0: no cells.
  const SupportCell<std::uint16_t>* cells = nullptr;  ///< Null if there are too many vertices for short indices:
  const SupportVertex* vertices = nullptr;            ///< All of them, with or without cells.

  const SupportCell<std::uint32_t>* wide_cells = nullptr;  ///< Then these.
  const std::uint32_t* crowds = nullptr;
  const double* crowd_coordinates = nullptr;

  std::uint32_t count = 0;   ///< Vertices.
  std::uint32_t padded = 0;  ///< `count` rounded up to a multiple of 8.
  /// The vertices' coordinates, aligned to 64 bytes; after `count` come copies of vertex 0.
  const double* x = nullptr;
  const double* y = nullptr;
  const double* z = nullptr;
  /// The same in floats, of up to 64 vertices of common size, else null: all x, then y and z, each padded to a multiple
  /// of 16 with copies of vertex 0. For batches.
  const float* rounded = nullptr;
  Vector3 middle = Vector3::Zero();  ///< The mean of the vertices, up to rounding.
  double size = 0;                   ///< No vertex is farther than this from the frame's origin.

  bool has_cells() const { return grid > 0; }
  std::size_t cell_count() const { return std::size_t{4} * grid * (grid + 1); }
  /// All that it holds.
  std::size_t bytes() const;

  HullSupport() = default;
  HullSupport(HullSupport&&) = default;
  HullSupport& operator=(HullSupport&&) = default;

  // What the pointers point into.
  struct Arrays {
    std::vector<EightDoubles> coordinates;
    std::vector<SixteenFloats> rounded;
    std::vector<SupportVertex> vertices;
    std::vector<SupportCell<std::uint16_t>> cells;
    std::vector<SupportCell<std::uint32_t>> wide_cells;
    std::vector<std::uint32_t> crowds;
    std::vector<EightDoubles> crowd_coordinates;
  } arrays;
};

/// The table of a hull's vertices, at least one, with coordinates up to `max_coordinate`.
HullSupport build_hull_support(std::span<const Vector3> vertices);

/// The vertex farthest along `direction`, by the fastest way that the table has: the lowest index among those whose
/// height (dx x + dy y) + dz z, so rounded, is the largest. The direction is finite and not zero; its largest
/// coordinate is within 1e-150 and 1e150.
std::uint32_t hull_support(const HullSupport& table, const Vector3& direction);

/// The same by climbing over the hull's edges from vertex `start`: to the highest neighbor until none is higher. The
/// heights are compared exactly, so the climb ends, also where faces are flat across the direction, at a vertex than
/// which none is higher in real numbers. (Which of several equally high ones depends on the start. Where faces were
/// merged some edges are missing, and it may stop lower by as much as the merged faces are off plane.)
std::uint32_t climb_support(const ConvexHull& hull, std::uint32_t start, const Vector3& direction);

}  // namespace whisker
