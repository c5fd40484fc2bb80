#pragma once

// Queries groups of spheres against a placed mesh. All spheres of a group traverse its tree together.

#include "mesh/mesh_queries.hpp"
#include "mesh/tree_frame.hpp"
#include "spheres/sphere_set_group.hpp"

namespace whisker::spheres {

struct GroupWalk;

/// A placed mesh, with data that is computed once.
class MeshSide {
 public:
  explicit MeshSide(const mesh::PlacedMesh& placed);

  /// Returns a member that touches the mesh's surface or, if the mesh is solid, lies inside it: the member with the
  /// lowest index or, if `any` is set, any member. Returns 64 if there is none. `ball` contains the placed group.
  std::uint32_t first_touching(const PlacedGroup& group, const BoundingSphere& ball, bool any, Cost& cost) const;

  /// The members that are not proven farther than `limit` from the surface.
  Members within(const PlacedGroup& group, const BoundingSphere& ball, double limit, Cost& cost) const;

  /// Returns a set that includes the member or members closest to the surface, unless they are proven farther than
  /// `limit`. Lowers `limit` to an upper bound on their distance. For a group that does not touch the surface.
  Members closest(const PlacedGroup& group, const BoundingSphere& ball, double& limit, Cost& cost) const;

  /// The members of `asked` whose center is inside the solid; none if the mesh is not solid. The members of `apart`
  /// must be proven not to touch the surface with any part of their balls.
  Members inside(const PlacedGroup& group, Members asked, Members apart) const;

 private:
  /// Returns false if the numbers are too large for a traversal.
  bool begin(GroupWalk& walk, const PlacedGroup& group, const BoundingSphere& ball) const;
  /// Sets all limits such that triangles farther than `limit` from a sphere are skipped.
  void set_limits(GroupWalk& walk, const PlacedGroup& group, double limit) const;

  mesh::PlacedMesh placed_;
  mesh::LocalFrame frame_;
  Aabb box_;  // around the placed mesh
};

}  // namespace whisker::spheres
