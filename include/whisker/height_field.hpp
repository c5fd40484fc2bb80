#pragma once

/// \file
/// HeightField: terrain as a regular grid of altitudes, and ray casts against it.
///
///     const HeightField land(altitudes, columns, rows, 30.0, 30.0);  // a grid point every 30 units
///     if (auto hit = ray_height_field({eye, gaze}, land)) use(hit->point, hit->face->triangle);
///     const std::optional<double> ground = land.height_at(x, y);
///     const bool hit = touches({car, pose}, land);
///
/// A height field is a surface, not a solid: it has no inside, and the space below it is as free as the space above.
/// `ground(land)` (make/ground.hpp) is the solid ground below it.

#include <cstddef>
#include <memory>
#include <optional>
#include <span>

#include <whisker/detail/held.hpp>
#include <whisker/geometry/aabb.hpp>
#include <whisker/primitives.hpp>
#include <whisker/ray.hpp>
#include <whisker/result.hpp>
#include <whisker/vector.hpp>

namespace whisker {

/// A grid of columns × rows altitudes in its own frame, where z is up. Grid point (i, j) is the vertex
/// (i * dx, j * dy, height); each product is rounded to the nearest double. Immutable and cheap to copy: copies share
/// their storage. Any number of threads may use it.
///
/// The cell between columns i, i + 1 and rows j, j + 1 consists of two triangles that share the diagonal from (i, j) to
/// (i + 1, j + 1):
///
///     (i, j+1) +-----+ (i+1, j+1)      triangle 2c:     (i, j), (i+1, j), (i+1, j+1)
///              | 1 / |                 triangle 2c + 1: (i, j), (i+1, j+1), (i, j+1)
///              | / 0 |                 with c = j * (columns - 1) + i; both counter-clockwise from above
///       (i, j) +-----+ (i+1, j)
class HeightField {
 public:
  /// Copies the altitudes: `heights[j * columns + i]` is the altitude at (i, j). `dx` and `dy` are the spacing of the
  /// columns and of the rows. Throws an Error if there are fewer than 2 × 2 altitudes, if their count is not
  /// columns * rows, if one is not finite or beyond `max_coordinate`, if the spacing is not positive and finite, or if
  /// it makes the field longer than `max_coordinate`.
  HeightField(std::span<const double> heights, std::size_t columns, std::size_t rows, double dx, double dy);

  std::size_t columns() const;
  std::size_t rows() const;
  double spacing_x() const;
  double spacing_y() const;
  /// The altitude at a grid point. This and every other function that takes an index throws an Error if the index is
  /// out of range.
  double height(std::size_t column, std::size_t row) const;
  Vector3 vertex(std::size_t column, std::size_t row) const;

  std::size_t cell_count() const;
  std::size_t triangle_count() const;
  Triangle triangle(std::size_t index) const;

  /// The smallest AABB around all vertices, in the field's frame.
  Aabb bounds() const;

  /// The altitude of the surface at (x, y), by linear interpolation on the triangle there, in plain double arithmetic.
  /// Empty outside the grid.
  std::optional<double> height_at(double x, double y) const;
  /// The upward unit normal of the triangle at (x, y). On a diagonal it is that of triangle 2c, on a border between
  /// cells that of the cell with the larger index. Empty outside the grid.
  std::optional<Vector3> normal_at(double x, double y) const;

  /// The lowest and the highest altitude in a block of cells.
  struct Range {
    double lowest = 0;
    double highest = 0;
  };
  /// The number of levels of the pyramid of blocks. At level k, block (i, j) consists of the cells from column 2^k i
  /// and row 2^k j, 2^k of them in each direction (fewer at the border). Level 0 is the single cells; the last level is
  /// one block.
  int levels() const;
  std::size_t block_columns(int level) const;
  std::size_t block_rows(int level) const;
  Range block_range(int level, std::size_t i, std::size_t j) const;

 private:
  friend struct Internals;
  struct Storage;
  Held<"HeightField", std::shared_ptr<const Storage>> storage_;
};

/// Finds the first point of the ray's range on the field placed by `pose`; the ray is in the world frame. The result is
/// exact for the triangles with corners place(pose, v). `face->triangle` is the number of the triangle; if several are
/// hit at the same t, the lowest.
///
/// The search traverses the pyramid of blocks along the ray, coarse blocks first, and skips a block if the ray passes
/// above or below all its altitudes (Musgrave, "Grid Tracing", 1988, with both sides and a pyramid). Where the ray runs
/// along the border of cells, the cells on both sides are visited, and the triangles are tested exactly. So no ray
/// slips through, including vertical rays and rays along grid lines. The result is bit for bit that of a test of all
/// triangles.
///
/// The work is added to `cost`, if given: visited blocks as volume_tests, tested triangles as primitive_tests. The ray
/// is not checked; ray.hpp states the valid range of its numbers. cast_ray() (queries.hpp) checks it.
std::optional<RayHit> ray_height_field(const Ray& ray, const HeightField& field, const Pose& pose = {},
                                       RayRange range = {}, Cost* cost = nullptr);

}  // namespace whisker
