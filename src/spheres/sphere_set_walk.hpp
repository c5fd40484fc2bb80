#pragma once

// Traverses the tree of a mesh with all spheres of a group at once. Each step tests eight boxes against all spheres
// that have reached the node.
//
// Compiled once per instruction set, therefore only plain structs.

#include <cstddef>
#include <cstdint>

#include <whisker/result.hpp>

#include "geometry/constants.hpp"
#include "geometry/function_ref.hpp"
#include "trees/oriented_tree.hpp"

namespace whisker::spheres {

/// The state of a traversal. Lengths are in the tree's unit, centers in the mesh's frame (mesh/tree_frame.hpp).
struct GroupWalk {
  const trees::OrientedTree* tree = nullptr;
  std::size_t count = 0;  ///< the arrays below are filled up to the next multiple of 8; the padding is ignored
  alignas(64) double x[64], y[64], z[64];
  /// Triangles farther than this from the sphere's center are skipped for the sphere.
  alignas(64) double limit[64];
  /// Upper bound on all limits. May be lowered together with them, which only saves work.
  double largest_limit = infinity;
  /// Bit i is set while sphere i still needs visits.
  std::uint64_t wanted = 0;
  double error = 0;    ///< see mesh::NearQuery
  double stretch = 1;  ///< see mesh::NearQuery
  /// The center, in the mesh's frame, of a ball around all spheres. Triangles farther than `ball_limit` from it are
  /// skipped for all spheres.
  double ball[3] = {};
  double ball_limit = 0;
};

/// A triangle that may be within the limit of a sphere.
struct NearSphere {
  std::uint32_t sphere;    ///< index in the group
  std::uint32_t triangle;  ///< index in the mesh
  double lower;            ///< Lower bound on the distance from the sphere's center to the triangle.
  double upper;            ///< Upper bound on the same distance.
};

/// The callback for such a triangle. It may lower limits and clear bits of `wanted`.
using GroupVisit = geometry::FunctionRef<void(GroupWalk& walk, const NearSphere& near)>;

/// Coordinates, errors and radii of the tree must not exceed this, because floats must be able to represent their
/// squares.
inline constexpr double longest_walk = 0x1p50;

/// Visits, for each wanted sphere, every triangle that is not proven farther from its center than its limit, each
/// triangle once. Order and bounds are the same on every instruction set.
void walk_group(GroupWalk& walk, Cost& cost, const GroupVisit& visit);

}  // namespace whisker::spheres
