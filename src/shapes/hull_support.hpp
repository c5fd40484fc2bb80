#pragma once

// The support mapping of a convex hull: which vertex is farthest along a direction.
//
// A few vertices are scanned. For many there is a table over the directions: the sphere is divided into cells, and each
// cell lists every vertex that can be the farthest for some direction in it. So a lookup is exact and takes the same
// short time for any number of vertices. Both are in hull_support-inl.hpp, for use by kernels that already have a
// direction.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include <whisker/vector.hpp>

namespace whisker {

/// The vertices of a crowded cell: `eights` times eight entries of HullSupport::crowds from `begin` on, ascending,
/// padded with the last one. A large crowd also has its own copy of the coordinates, to be scanned.
struct SupportCrowd {
  static constexpr std::uint32_t large = 16;  ///< A crowd with this many eights or more is large.

  std::uint32_t begin;
  std::uint32_t eights;
  std::uint32_t coordinates;  ///< Large crowds only: where all x, then y, then z begin in crowd_coordinates.
};

/// The vertices that can be the farthest for the directions of a cell, ascending, padded to eight with the first one. A
/// crowded cell, with more than eight vertices, instead stores where they are.
template <class Index>
struct alignas(8 * sizeof(Index)) SupportCell {
  Index vertex[8];

  /// Vertices never occur in this order.
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

/// A vertex with its number, in half a cache line, for vector loads of all four.
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
/// weights are the hull's extents, so that a long or flat hull is treated like a round one. With |x| + |y| + |z| = 1,
/// an octant is a triangle over (|x|, |y|), in which planes through the origin are straight lines. Above each of the
/// four quadrants of (x, y) there are two octants, z > 0 and z < 0. Each is divided into squares of side slightly more
/// than 1 / grid, and the second is rotated by half a turn, so that the two fill a rectangle of (grid + 1) x grid
/// squares.
struct alignas(64) HullSupport {
  // The data that a lookup in the cells reads, in one cache line.
  double weight[3] = {1, 1, 1};
  double scale[2] = {0, 0};  ///< The weights of x and y, times slightly less than `grid`, so that no direction falls
                             ///< beyond the last square.
  std::uint32_t grid = 0;    ///< Squares along a side of an octant; 0: no cells.
  const SupportCell<std::uint16_t>* cells = nullptr;  ///< Null if there are too many vertices for 16-bit indices.
  const SupportVertex* vertices = nullptr;            ///< All of them, with or without cells.

  const SupportCell<std::uint32_t>* wide_cells = nullptr;  ///< Used if `cells` is null.
  const std::uint32_t* crowds = nullptr;
  const double* crowd_coordinates = nullptr;

  std::uint32_t count = 0;   ///< Number of vertices.
  std::uint32_t padded = 0;  ///< `count` rounded up to a multiple of 8.
  /// The vertices' coordinates, aligned to 64 bytes, padded with copies of vertex 0.
  const double* x = nullptr;
  const double* y = nullptr;
  const double* z = nullptr;
  /// The same in floats, for up to 64 vertices of ordinary size, otherwise null: all x, then all y, then all z, each
  /// padded to a multiple of 16 with copies of vertex 0. Used by batch queries.
  const float* rounded = nullptr;
  Vector3 middle = Vector3::Zero();  ///< The mean of the vertices, up to rounding.
  double size = 0;                   ///< No vertex is farther than this from the frame's origin.

  bool has_cells() const { return grid > 0; }
  std::size_t cell_count() const { return std::size_t{4} * grid * (grid + 1); }

  HullSupport() = default;
  HullSupport(HullSupport&&) = default;
  HullSupport& operator=(HullSupport&&) = default;

  // The arrays that the pointers refer to.
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

/// Builds the table for a hull's vertices: at least one, with coordinates up to `max_coordinate`.
HullSupport build_hull_support(std::span<const Vector3> vertices);

/// Returns the vertex farthest along `direction`, by the fastest method that the table supports: the lowest index among
/// those whose height (dx x + dy y) + dz z, rounded like that, is the largest. The direction must be finite and not
/// zero, with its largest coordinate between 1e-150 and 1e150.
std::uint32_t hull_support(const HullSupport& table, const Vector3& direction);

/// The cell of such a direction, in a table with cells.
std::size_t cell_of(const HullSupport& table, const Vector3& direction);

/// Calls look(vertex), some more than once, for vertices that include the farthest, in real numbers, along any
/// direction that differs from `direction` by at most 2^-40 of each coordinate. (Cells overlap by more than that, and a
/// cell leaves out only vertices that are lower than another in all of it.)
template <class Look>
void visit_candidates(const HullSupport& table, const Vector3& direction, Look&& look) {
  const auto visit = [&](const auto* vertices, std::uint32_t count) {
    for (std::uint32_t k = 0; k < count; ++k)
      look(static_cast<std::uint32_t>(vertices[k]));
  };
  const auto visit_cell = [&](const auto& cell) {
    if (!cell.is_crowded()) return visit(cell.vertex, 8);
    const SupportCrowd crowd = cell.crowd();
    visit(table.crowds + crowd.begin, 8 * crowd.eights);
  };
  if (!table.has_cells()) {
    for (std::uint32_t v = 0; v < table.count; ++v)
      look(v);
  } else if (table.cells != nullptr) {
    visit_cell(table.cells[cell_of(table, direction)]);
  } else {
    visit_cell(table.wide_cells[cell_of(table, direction)]);
  }
}

}  // namespace whisker
