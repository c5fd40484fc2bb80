#pragma once

// Groups of spheres against a placed mesh: all of a group go down its tree together.

#include "mesh/mesh_queries.hpp"
#include "mesh/tree_frame.hpp"
#include "spheres/sphere_set_group.hpp"

namespace whisker::spheres {

struct GroupWalk;

/// A placed mesh, with what is worked out once.
class MeshSide {
 public:
  explicit MeshSide(const mesh::PlacedMesh& placed);

  /// The members that touch the mesh, as its surface or, if it is solid, from inside: the one with the lowest number,
  /// or, where that does not matter, any. 64 if there is none. `ball` is around the placed group.
  std::uint32_t first_touching(const PlacedGroup& group, const BoundingSphere& ball, bool any, Cost& cost) const;

  /// The members that are not proven farther than `limit` from the surface.
  Members within(const PlacedGroup& group, const BoundingSphere& ball, double limit, Cost& cost) const;

  /// Members among which is the one, or are those, that are closest to the surface, if it is not proven farther than
  /// `limit`, which becomes a bound of its distance. For a group that does not touch.
  Members closest(const PlacedGroup& group, const BoundingSphere& ball, double& limit, Cost& cost) const;

  /// Those of `asked` whose center is inside of the solid; none of a surface. `apart` are proven apart from the
  /// surface, radius and all.
  Members inside(const PlacedGroup& group, Members asked, Members apart) const;

 private:
  /// False if the numbers are not for walks.
  bool begin(GroupWalk& walk, const PlacedGroup& group, const BoundingSphere& ball) const;
  /// Sets all limits for spheres that are of no interest beyond `limit` from the surface.
  void set_limits(GroupWalk& walk, const PlacedGroup& group, double limit) const;

  mesh::PlacedMesh placed_;
  mesh::LocalFrame frame_;
  Aabb box_;  // around the placed mesh
};

}  // namespace whisker::spheres
