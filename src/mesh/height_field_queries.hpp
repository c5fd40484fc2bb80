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

/// Adds every triangle that the ray hits, in no particular order; `face->triangle` is its number. (ray_height_field
/// finds the first one.)
void cast_ray_all_field(const Ray& ray, const HeightField& field, const Pose& pose, const RayRange& range,
                        std::vector<RayHit>& hits);

}  // namespace whisker::mesh
