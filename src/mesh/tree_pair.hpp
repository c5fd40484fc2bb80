#pragma once

// Two placed meshes as the SIMD kernels see them: their trees, the pose of b's tree in a's frame, and an exact test of
// two triangles. Kernels are compiled once per instruction set and see only plain structs.
//
// All computations are in a's frame, in the unit of a's tree. With Ra, ta and Rb, tb the poses, and x and y points of
// the meshes, exact results are about the doubles place(a, x) and place(b, y). Ra⁻¹ (place(a, x) - ta) is x up to
// rounding, and Ra⁻¹ (place(b, y) - ta) is M y + t up to rounding, with M = Ra⁻¹ Rb and t = Ra⁻¹ (tb - ta). `error`
// bounds both rounding errors and those of M and t themselves. The map is the same for both meshes, so it does not
// change whether they touch. It changes lengths only by Ra's deviation from a rotation.

#include <cstdint>

#include <whisker/pose.hpp>
#include <whisker/result.hpp>

#include "trees/oriented_tree.hpp"

namespace whisker::mesh {

/// A placed mesh and its tree.
struct MeshView {
  const trees::OrientedTree* tree = nullptr;
  const Vector3* vertices = nullptr;
  const Index3* triangles = nullptr;
  const Pose* pose = nullptr;
};

/// By default M is the identity, t is zero, and nothing is rounded.
struct TreePair {
  MeshView a;
  MeshView b;
  double rotation[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};  ///< M
  double ratio = 1;      ///< a's unit over b's: b's coordinates times this are in a's unit
  double shift[3] = {};  ///< t, in a's unit
  /// A bound on the error of a corner's coordinate in a's frame, as computed from M and t, in a's unit. It also bounds
  /// the error of ratio M o + shift - p for any points o and p of the meshes, computed in doubles.
  double error = 0;
  /// A length in a's frame, divided by a's `scale`, is at least this factor times the length in the world, and at most
  /// its inverse times.
  double stretch = 1;
};

TreePair pair_of(const MeshView& a, const MeshView& b);

/// Whether two triangles, by their numbers, touch: exact.
bool triangles_touch(const TreePair& pair, std::uint32_t triangle_a, std::uint32_t triangle_b);

}  // namespace whisker::mesh
