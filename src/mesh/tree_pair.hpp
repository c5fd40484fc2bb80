#pragma once

// Two placed meshes as the wide kernels see them: their trees, how b's stands in a's frame, and a way to ask about two
// triangles exactly. Kernels are compiled once per instruction set and see nothing but plain structs.
//
// All of it happens in a's frame, in the unit of a's tree. With Ra, ta and Rb, tb the poses, x and y points of the
// meshes, the exact question is about the doubles place(a, x) and place(b, y). Ra⁻¹ (place(a, x) - ta) is x up to
// rounding, and Ra⁻¹ (place(b, y) - ta) is M y + t with M = Ra⁻¹ Rb and t = Ra⁻¹ (tb - ta) up to rounding; `error`
// bounds both roundings, and those of M and t themselves. The map is the same for both, so it changes no touching, and
// lengths only by what Ra is off a rotation.

#include <cstdint>

#include <whisker/pose.hpp>
#include <whisker/result.hpp>

#include "trees/oriented_tree.hpp"

namespace whisker::mesh {

struct TreePair {
  const trees::OrientedTree* a = nullptr;
  const trees::OrientedTree* b = nullptr;
  double rotation[3][3];  ///< M
  double ratio = 1;       ///< a's unit over b's: b's coordinates times this are in a's unit
  double shift[3];        ///< t, in a's unit
  /// A corner's coordinate in a's frame, as it follows from M and t, is off by no more, in a's unit. Neither are
  /// ratio M o + shift - p for any points o and p of the meshes, worked out in double.
  double error = 0;
  /// Lengths in a's frame times a's `scale` are at least this factor of the world's, and at most its inverse.
  double stretch = 1;

  // What the exact answers are about.
  const Vector3* vertices_a = nullptr;
  const Vector3* vertices_b = nullptr;
  const Index3* triangles_a = nullptr;
  const Index3* triangles_b = nullptr;
  const Pose* pose_a = nullptr;
  const Pose* pose_b = nullptr;
};

struct MeshView {
  const trees::OrientedTree& tree;
  const Vector3* vertices;
  const Index3* triangles;
  const Pose& pose;
};

TreePair pair_of(const MeshView& a, const MeshView& b);

/// Whether two triangles, by their numbers, touch: exact.
bool triangles_touch(const TreePair& pair, std::uint32_t triangle_a, std::uint32_t triangle_b);

}  // namespace whisker::mesh
