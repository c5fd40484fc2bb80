#pragma once

// Eight triangles at a time against the corners of a convex shape: their normals, how high the shape is over them, and
// which of them are proven to be far away. Results are the same on every instruction set.

#include <cstddef>
#include <cstdint>

#include <whisker/vector.hpp>

namespace whisker::convex {

/// The corners of a shape, turned to the world's axes, relative to the shape's origin and scaled. Padded to a multiple
/// of eight with copies of corner 0.
struct PlacedCorners {
  static constexpr std::uint32_t most = 64;

  std::uint32_t count = 0;
  std::uint32_t padded = 0;
  alignas(64) double x[most];
  alignas(64) double y[most];
  alignas(64) double z[most];

  Vector3 at(std::uint32_t i) const { return {x[i], y[i], z[i]}; }
};

/// A rotation, by rows. Kernels see only plain structs.
struct PlainRotation {
  double rows[3][3];

  PlainRotation() = default;
  explicit PlainRotation(const Matrix3& r)
      : rows{{r(0, 0), r(0, 1), r(0, 2)}, {r(1, 0), r(1, 1), r(1, 2)}, {r(2, 0), r(2, 1), r(2, 2)}} {}
};

/// Sets the corners from their coordinates in the shape's frame, which are padded to a multiple of eight, at most
/// PlacedCorners::most.
void place_corners(const double* x, const double* y, const double* z, std::uint32_t count,
                   const PlainRotation& rotation, double factor, PlacedCorners& corners);

/// The corner that is lowest along a direction: the lowest number among those whose height is the least.
std::uint32_t lowest_corner(const PlacedCorners& corners, const Vector3& direction);

/// How the triangles relate to the shape: a corner p of one is at (rotation p + translation - origin) factor.
struct TrianglesFrame {
  PlainRotation rotation;
  double translation[3];
  double origin[3];
  double factor = 1;
  double middle[3];        ///< of the shape, in its scaled frame
  bool one_sided = false;  ///< Triangles count only if the middle is in front of them.
  double limit = 0;        ///< Triangles that are farther than this do not count.
  double slack = 0;        ///< The rounding of a length. For each triangle, 2^-48 of its size is added.
};

/// Up to eight triangles.
struct TriangleBlock {
  static constexpr std::size_t most = 8;

  std::uint32_t count = 0;
  /// First the corners in the triangles' own frame, then in the shape's scaled frame. By corner and axis.
  alignas(64) double corners[3][3][most];

  // The rest is computed, in the scaled frame.
  alignas(64) double normal[3][most];  ///< the unit normal toward the middle of the shape
  alignas(64) double out[3][3][most];  ///< by edge: the unit vector in the triangle's plane, away from the triangle
  alignas(64) double size[most];       ///< of the longest edge
  alignas(64) double above[most];      ///< the height of the middle over the plane
  alignas(64) double height[most];     ///< of the lowest corner of the shape over the plane
  alignas(64) double second[most];     ///< of the second lowest
  alignas(64) double lowest[most];     ///< the number of the lowest corner: the lowest number of those

  // A bit for each triangle.
  unsigned plain = 0;   ///< The rest holds only for these: edges that are not too long or short, and a clear normal.
  unsigned behind = 0;  ///< The middle is behind the triangle, which is one-sided.
  unsigned near = 0;    ///< Neither behind, nor proven to be farther than the limit by its plane or those of its edges.
};

/// Computes everything from the count and the corners.
void measure_triangles(const PlacedCorners& shape, const TrianglesFrame& frame, TriangleBlock& block);

}  // namespace whisker::convex
