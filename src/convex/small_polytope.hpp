#pragma once

// An expanding polytope of few points, in arrays for SIMD lanes, on which depths of polyhedra are usually found. It
// gives up in unusual cases. Then epa.hpp does all of the work, slower.

#include <cstdint>

namespace whisker::convex {

/// A closed surface of triangles about the origin, each proven to be positively oriented. Its points are points of a
/// Minkowski difference: differences of vertices of a and b. Uninitialized when constructed.
struct SmallPolytope {
  static constexpr unsigned max_points = 64;
  static constexpr unsigned max_faces = 128;

  // Per face: the unit normal, and the least extent of the triangle's corners along it. Infinite if not in use.
  alignas(64) double normal[3][max_faces];
  double height[max_faces];
  // Per point. From index `points` on, the vertices are 0, the first ones.
  double w[3][max_points];
  std::uint32_t vertex_a[max_points];
  std::uint32_t vertex_b[max_points];
  std::uint8_t corner[3][max_faces];  ///< by face; any point for faces not in use
  /// The face across the edge from corner i to corner i + 1, times four, plus the index of that edge in that face.
  std::uint16_t across[max_faces][4];
  std::uint8_t free[max_faces];  ///< faces below `faces` that are not in use
  unsigned free_count;
  unsigned points;
  unsigned faces;

  /// The same surface for the bodies in the other order: mirrored at the origin, so that the faces are reversed.
  void exchange();
  /// Whether many of its points are no longer in use. (A closed surface of n triangles has n / 2 + 2 corners.)
  bool is_wasteful() const { return points > 16 && points - ((faces - free_count) / 2 + 2) >= 4; }
  /// Removes points and faces that are not in use.
  void compact();
};

}  // namespace whisker::convex
