#pragma once

/// \file
/// Terrain: a regular grid of altitudes, and rays against it.
///
///     const HeightField land(altitudes, columns, rows, 30.0, 30.0);
///     if (auto hit = ray_height_field({eye, gaze}, land)) use(hit->point, hit->face->triangle);
///
/// A height field is a surface, not a solid: there is no inside, and what is below it is as free as what is above.

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

/// A grid of columns × rows altitudes in its own frame: grid point (i, j) is the vertex (i * dx, j * dy, height), each
/// product rounded to the nearest double; z is up. Immutable, and cheap to copy: copies share their storage.
///
/// The cell between columns i, i + 1 and rows j, j + 1 is two triangles that share the diagonal from (i, j) to
/// (i + 1, j + 1):
///
///     (i, j+1) +-----+ (i+1, j+1)      triangle 2c:     (i, j), (i+1, j), (i+1, j+1)
///              | 1 / |                 triangle 2c + 1: (i, j), (i+1, j+1), (i, j+1)
///              | / 0 |                 with c = j * (columns - 1) + i; both counter-clockwise from above
///       (i, j) +-----+ (i+1, j)
class HeightField {
 public:
  /// `heights[j * columns + i]` is the altitude at (i, j). Throws an Error if there are fewer than 2 × 2 altitudes, if
  /// their count is not columns * rows, if one is not finite or beyond `max_coordinate`, or if the spacing is not
  /// positive and finite or makes the field longer than that.
  HeightField(std::span<const double> heights, std::size_t columns, std::size_t rows, double dx, double dy);

  std::size_t columns() const;
  std::size_t rows() const;
  double spacing_x() const;
  double spacing_y() const;
  /// This and all that takes a number of something throws an Error if there is no such thing.
  double height(std::size_t column, std::size_t row) const;
  Vector3 vertex(std::size_t column, std::size_t row) const;

  std::size_t cell_count() const;
  std::size_t triangle_count() const;
  Triangle triangle(std::size_t index) const;

  /// The smallest box around all vertices.
  Aabb bounds() const;

  /// The altitude of the surface above or below (x, y), by linear interpolation on the triangle there, in plain double
  /// arithmetic; nothing outside of the grid.
  std::optional<double> height_at(double x, double y) const;
  /// The unit normal, upward, of the triangle at (x, y); on the diagonal that of triangle 2c, on a border between cells
  /// that of the cell with the larger index. Nothing outside of the grid.
  std::optional<Vector3> normal_at(double x, double y) const;

  /// The lowest and the highest altitude of a block of cells.
  struct Range {
    double lowest = 0;
    double highest = 0;
  };
  /// The pyramid of blocks: at level k block (i, j) is the cells from 2^k i and 2^k j, 2^k of them each way (fewer at
  /// the border). Level 0 is the single cells, the last level is one block.
  int levels() const;
  std::size_t block_columns(int level) const;
  std::size_t block_rows(int level) const;
  Range block_range(int level, std::size_t i, std::size_t j) const;

 private:
  struct Storage;
  Held<"HeightField", std::shared_ptr<const Storage>> storage_;
};

/// Returns the first point of the range on the field placed by `pose`, with the ray in the world frame; exact about the
/// triangles with corners place(pose, v). `face->triangle` is the index of the triangle hit (the lowest index if
/// several are hit at the same t).
///
/// The grid is walked from block to block along the ray, coarse blocks first; a block is skipped if the ray passes
/// above or below all its altitudes (Musgrave, "Grid Tracing", 1988, with both sides and a pyramid). Cells on whose
/// border the ray runs are looked at on both sides, and the triangles decide exactly: nothing slips through, vertical
/// rays and rays along grid lines included. The answer is that of a test of all triangles, to the last bit.
///
/// `cost`, if given, is added to: blocks looked at (volume_tests) and triangles tested (primitive_tests).
std::optional<RayHit> ray_height_field(const Ray& ray, const HeightField& field, const Pose& pose = {},
                                       RayRange range = {}, Cost* cost = nullptr);

}  // namespace whisker
