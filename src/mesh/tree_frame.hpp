#pragma once

// One thing in the world as the walks of a mesh's tree see it: in the mesh's frame, in the tree's unit. Walks are
// compiled once per instruction set and see nothing but plain structs.
//
// Exact answers are about the doubles place(pose, x) of the mesh's vertices x. With R and t the pose, R⁻¹ (place(pose,
// x)
// - t) is x up to rounding, and a point p of the world is R⁻¹ (p - t) there, up to rounding. `error` bounds both
// roundings and those of the walks' own sums. The map changes no touching, and lengths only by what R is off a
// rotation, which `stretch` bounds.

#include <cstdint>

#include "convex/simple_shape.hpp"
#include "mesh/mesh_queries.hpp"
#include "trees/oriented_tree.hpp"

namespace whisker::mesh {

/// How a placed mesh's frame, or a height field's, and the world hang together.
struct LocalFrame {
  const trees::OrientedTree* tree = nullptr;  ///< of the mesh; a height field has none
  const Pose& pose;
  double scale = 1;    ///< from the world's unit to the tree's
  double coordinate;   ///< the largest coordinate of the mesh and of the pose's translation, world unit
  double stretch = 1;  ///< lengths in the world are at least this times those in the frame; at most its inverse
  Matrix3 inverse;     ///< of the pose's rotation

  explicit LocalFrame(const PlacedMesh& placed);
  /// A height field whose own coordinates are no larger than `size`.
  LocalFrame(const Pose& pose, double size);

  /// A point of the world, in the tree's unit.
  Vector3 to_local(const Vector3& point) const { return inverse * (point - pose.translation()) * scale; }
  Vector3 turned(const Vector3& direction) const { return inverse * direction; }
  /// How far rounding may have moved things whose coordinates in the world are no larger than `size`, in the tree's
  /// unit.
  double error(double size) const;
};

/// A core without thickness: the hull of up to three corners, each with a box of up to three half axes about it. Or a
/// plane, or a half-space.
struct NearQuery {
  enum class Kind : std::uint8_t { point, hull, half_space, plane };

  const trees::OrientedTree* tree = nullptr;
  Kind kind = Kind::point;
  bool along_axes = true;  ///< also look along `axes`; a point need not unless it is far away
  int corner_count = 0;
  int half_count = 0;
  double corners[3][3] = {};
  double halves[3][3] = {};
  /// Unit vectors square to each other, and what interval of each the core takes. Of a half-space or plane the first
  /// alone: its normal, and the border's place along it.
  double axes[3][3] = {};
  double low[3] = {};
  double high[3] = {};
  double error = 0;
  double stretch = 1;
  /// Too large for squares of lengths in the tree's unit: walks then look at everything.
  bool out_of_range = false;
};

NearQuery near_query(const LocalFrame& frame, const convex::SimpleShape& shape);

/// Of an axis-aligned box in the world; what of it is far beyond the mesh is cut off.
NearQuery near_query(const LocalFrame& frame, const Aabb& box);

/// A line of the world. A point of it with parameter t has the parameter t * speed here.
struct RayQuery {
  const trees::OrientedTree* tree = nullptr;
  double origin[3] = {};
  double direction[3] = {};  ///< of length 1
  double across[2][3] = {};  ///< of length 1, square to it and to each other
  double speed = 1;
  /// The range of parameters, here.
  double lower = 0;
  double upper = 0;
  double error = 0;

  /// A parameter of the world, here, not too small.
  double upper_of(double t) const;
};

/// The direction must not be zero.
RayQuery ray_query(const LocalFrame& frame, const Ray& ray, const RayRange& range);

}  // namespace whisker::mesh
