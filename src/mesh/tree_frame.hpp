#pragma once

// A query shape as the traversals of a mesh's tree see it: in the mesh's frame, in the tree's unit. Traversals are
// compiled once per instruction set and see only plain structs.
//
// Exact results are about the doubles place(pose, x) of the mesh's vertices x. With R and t the pose, R⁻¹ (place(pose,
// x) - t) is x up to rounding, and a world point p maps to R⁻¹ (p - t), up to rounding. `error` bounds both rounding
// errors and those of the traversals' own sums. The map does not change whether shapes touch. It changes lengths only
// by R's deviation from a rotation, which `stretch` bounds.

#include <cstdint>

#include "convex/simple_shape.hpp"
#include "mesh/mesh_queries.hpp"
#include "trees/oriented_tree.hpp"

namespace whisker::mesh {

/// A child that a traversal has still to visit: a node, or a leaf of the node above. Those with the least key come
/// first.
struct WaitingChild {
  double key;  ///< a lower bound: on the squared distance, or on where the line enters the child
  std::uint32_t above;
  std::uint32_t child;
};

/// How the frame of a placed mesh or height field relates to the world.
struct LocalFrame {
  const trees::OrientedTree* tree = nullptr;  ///< of the mesh; a height field has none
  const Pose& pose;
  double scale = 1;    ///< factor from the world's unit to the tree's
  double coordinate;   ///< the largest coordinate of the mesh plus that of the pose's translation, in the world's unit
  double stretch = 1;  ///< world lengths are at least this times lengths in the frame, and at most its inverse times
  Matrix3 inverse;     ///< of the pose's rotation

  explicit LocalFrame(const PlacedMesh& placed);
  /// For a height field whose own coordinates are no larger than `size`.
  LocalFrame(const Pose& pose, double size);

  /// A world point in the frame, in the tree's unit.
  Vector3 to_local(const Vector3& point) const { return inverse * (point - pose.translation()) * scale; }
  Vector3 turned(const Vector3& direction) const { return inverse * direction; }
  /// How far rounding may have moved points whose world coordinates are no larger than `size`, in the tree's unit.
  double error(double size) const;
};

/// A core without thickness: the hull of up to three corners, each with a box of up to three half axes around it. Or a
/// plane, or a half-space.
struct NearQuery {
  enum class Kind : std::uint8_t { point, hull, half_space, plane };

  const trees::OrientedTree* tree = nullptr;
  Kind kind = Kind::point;
  bool along_axes = true;  ///< also test along `axes`; a point needs this only if it is far away
  int corner_count = 0;
  int half_count = 0;
  double corners[3][3] = {};
  double halves[3][3] = {};
  /// Perpendicular unit vectors, and the core's interval along each. A half-space or plane has only the first: its
  /// normal, and the position of its border along the normal.
  double axes[3][3] = {};
  double low[3] = {};
  double high[3] = {};
  double error = 0;
  double stretch = 1;
  /// The squares of lengths in the tree's unit would overflow: traversals then visit everything.
  bool out_of_range = false;
};

NearQuery near_query(const LocalFrame& frame, const convex::SimpleShape& shape);

/// The query for a world AABB. Its parts far beyond the mesh are cut off.
NearQuery near_query(const LocalFrame& frame, const Aabb& box);

/// A world line in the mesh's frame. A point with parameter t in the world has the parameter t * speed here.
struct RayQuery {
  const trees::OrientedTree* tree = nullptr;
  double origin[3] = {};
  double direction[3] = {};  ///< of length 1
  double across[2][3] = {};  ///< unit vectors perpendicular to it and to each other
  double speed = 1;
  /// The range of parameters on this query's scale.
  double lower = 0;
  double upper = 0;
  double error = 0;

  /// Converts a world parameter to this query's scale. The result is never too small.
  double upper_of(double t) const;
};

/// The direction must not be zero.
RayQuery ray_query(const LocalFrame& frame, const Ray& ray, const RayRange& range);

}  // namespace whisker::mesh
