#pragma once

// The ground under a height field (whisker/make/ground.hpp): everything straight below the surface, down to infinity.
// These are all points q - s up with q on the placed surface, s >= 0, and up the third column of the pose's rotation.
// Below the border of the grid are the walls.
//
// The surface is that of the field, with the same tests. A shape that does not touch it, and no wall, is in the ground
// if one point of each of its connected pieces is. The walls' corners are rounded, so the walls are thicker than they
// are by a bound on that.

#include <optional>

#include <whisker/queries.hpp>

#include "convex/simple_shape.hpp"
#include "geometry/function_ref.hpp"
#include "mesh/mesh_queries.hpp"
#include "mesh/walk_side_kinds.hpp"

namespace whisker::mesh {

bool touches_ground_simple(const PlacedField& a, const convex::SimpleShape& b, PairCache* cache, Cost& cost);
bool touches_ground_mesh(const PlacedField& a, const PlacedMesh& b, PairCache* cache, Cost& cost);
/// `b` is a surface, `a` is the ground.
bool touches_ground_field(const PlacedField& a, const PlacedField& b, PairCache* cache, Cost& cost);
bool touches_ground_ground(const PlacedField& a, const PlacedField& b, PairCache* cache, Cost& cost);

void contacts_ground_simple(const PlacedField& a, const convex::SimpleShape& b, const ContactOptions& options,
                            Contacts& result);
void contacts_ground_mesh(const PlacedField& a, const PlacedMesh& b, const ContactOptions& options, Contacts& result);
void contacts_ground_field(const PlacedField& a, const PlacedField& b, const ContactOptions& options, Contacts& result);

Distance distance_ground_simple(const PlacedField& a, const convex::SimpleShape& b, const DistanceOptions& options);
Distance distance_ground_mesh(const PlacedField& a, const PlacedMesh& b, const DistanceOptions& options);
Distance distance_ground_field(const PlacedField& a, const PlacedField& b, const DistanceOptions& options);
/// Looks for all distances, whatever is asked.
Distance distance_ground_ground(const PlacedField& a, const PlacedField& b, const DistanceOptions& options);

Depth depth_ground_simple(const PlacedField& a, const convex::SimpleShape& b, const DepthOptions& options);
/// Throws an Error if the mesh is not solid.
Depth depth_ground_mesh(const PlacedField& a, const PlacedMesh& b, const DepthOptions& options);
Depth depth_ground_ground(const PlacedField& a, const PlacedField& b, const DepthOptions& options);

/// Whether a world point is in the ground: exact.
bool ground_holds(const PlacedField& ground, const Vector3& point);

/// The first point of the ray's range in the ground.
std::optional<RayHit> cast_ray_ground(const Ray& ray, const PlacedField& ground, const RayRange& range);

/// Calls `visit(triangle)` for triangles that cover every wall within `reach` of the ray's range, as far down as the
/// ray is near. The triangles' corners are rounded.
void each_wall_near(const Ray& ray, const RayRange& range, const PlacedField& ground, double reach,
                    geometry::FunctionRef<void(const Triangle&)> visit);

}  // namespace whisker::mesh
