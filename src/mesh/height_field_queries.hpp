#pragma once

// Height fields against simple shapes, meshes, each other and rays, by traversing their pyramids.
//
// The field's triangles decide, with the same tests and certificates as a mesh's triangles. A field is one connected
// surface: if it does not touch the surface of a solid mesh, it lies either entirely inside or entirely outside.

#include <vector>

#include <whisker/queries.hpp>

#include "convex/simple_shape.hpp"
#include "mesh/mesh_queries.hpp"
#include "mesh/walk_side_kinds.hpp"

namespace whisker::mesh {

bool touches_field_simple(const PlacedField& a, const convex::SimpleShape& b, PairCache* cache, Cost& cost);
bool touches_field_mesh(const PlacedField& a, const PlacedMesh& b, PairCache* cache, Cost& cost);
bool touches_field_field(const PlacedField& a, const PlacedField& b, PairCache* cache, Cost& cost);

void contacts_field_simple(const PlacedField& a, const convex::SimpleShape& b, const ContactOptions& options,
                           Contacts& result);
void contacts_field_mesh(const PlacedField& a, const PlacedMesh& b, const ContactOptions& options, Contacts& result);
void contacts_field_field(const PlacedField& a, const PlacedField& b, const ContactOptions& options, Contacts& result);

Distance distance_field_simple(const PlacedField& a, const convex::SimpleShape& b, const DistanceOptions& options);
Distance distance_field_mesh(const PlacedField& a, const PlacedMesh& b, const DistanceOptions& options);
Distance distance_field_field(const PlacedField& a, const PlacedField& b, const DistanceOptions& options);

/// The penetration depth in the ground under a height field: everything straight below the surface, down to infinity.
/// These are all points q - s up with q on the surface, s >= 0, and up the third column of the pose's rotation. The
/// ground's sides, below the border of the grid, are vertical walls.
Depth depth_field_simple(const PlacedField& a, const convex::SimpleShape& b);
/// Throws an Error if the mesh is not solid.
Depth depth_field_mesh(const PlacedField& a, const PlacedMesh& b);

/// The distance of a mesh or a shape of a convex kind from that ground, without features; 0 if it has a point in it.
Distance distance_from_ground(const Placed& field, const Placed& other);

/// Adds every triangle that the ray hits, in no particular order; `face->triangle` is its number. (ray_height_field
/// finds the first one.)
void cast_ray_all_field(const Ray& ray, const HeightField& field, const Pose& pose, const RayRange& range,
                        std::vector<RayHit>& hits);

}  // namespace whisker::mesh
