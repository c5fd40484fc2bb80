#pragma once

// An expanding polytope of few points, in arrays for SIMD lanes: what depths of polyhedra are found on, as a rule. It
// gives up where anything is out of the ordinary; epa.hpp then does the whole work, slower.

#include <cstdint>

namespace whisker::convex {

/// A closed surface of triangles about the origin, every one of them proven to be positively oriented, of points of a
/// Minkowski difference: differences of vertices of a and b. Not set when it is made.
struct SmallPolytope {
  static constexpr unsigned max_points = 64;
  static constexpr unsigned max_faces = 128;

  // Of the faces: unit normals, and how far the triangle reaches at least along it. Infinite: not in use.
  alignas(64) double nx[max_faces];
  double ny[max_faces];
  double nz[max_faces];
  double height[max_faces];
  // Of the points. Vertices from `points` on are the first ones.
  double wx[max_points];
  double wy[max_points];
  double wz[max_points];
  std::uint32_t vertex_a[max_points];
  std::uint32_t vertex_b[max_points];
  std::uint8_t corner[3][max_faces];  ///< by the face: of those not in use any point
  /// The face beyond the edge from corner i to corner i + 1, times four, and which of its edges that is.
  std::uint16_t across[max_faces][4];
  std::uint8_t free[max_faces];  ///< faces below `faces` that are not in use
  unsigned free_count;
  unsigned points;
  unsigned faces;

  /// The same surface for the bodies in the other order: mirrored at the origin, so that faces turn over.
  void exchange();
  /// Whether many of its points are in use no more. (A surface of so many triangles has half as many corners and two.)
  bool is_wasteful() const { return points > 16 && points - ((faces - free_count) / 2 + 2) >= 4; }
  /// Leaves out points and faces that are not in use.
  void compact();
};

}  // namespace whisker::convex
