#pragma once

// Meshes against meshes and simple shapes, by traversing their trees.

#include <optional>
#include <span>
#include <vector>

#include <whisker/queries.hpp>

#include "convex/simple_shape.hpp"

namespace whisker::mesh {

struct PlacedMesh {
  const Mesh& mesh;
  const Pose& pose;
};

/// Orders placed meshes by their data alone, so that a result need not depend on which mesh comes first in the call.
bool comes_first(const PlacedMesh& a, const PlacedMesh& b);

bool touches_mesh_mesh(const PlacedMesh& a, const PlacedMesh& b, PairCache* cache, Cost& cost);
bool touches_mesh_simple(const PlacedMesh& a, const convex::SimpleShape& b, PairCache* cache, Cost& cost);

void contacts_mesh_mesh(const PlacedMesh& a, const PlacedMesh& b, const ContactOptions& options, Contacts& result);
void contacts_mesh_simple(const PlacedMesh& a, const convex::SimpleShape& b, const ContactOptions& options,
                          Contacts& result);

Distance distance_mesh_mesh(const PlacedMesh& a, const PlacedMesh& b, const DistanceOptions& options);
Distance distance_mesh_simple(const PlacedMesh& a, const convex::SimpleShape& b, const DistanceOptions& options);

/// Solid meshes only: throws an Error for a surface.
Depth depth_mesh_mesh(const PlacedMesh& a, const PlacedMesh& b, const DepthOptions& options);
Depth depth_mesh_simple(const PlacedMesh& a, const convex::SimpleShape& b, const DepthOptions& options);

std::optional<RayHit> cast_ray_mesh(const Ray& ray, const PlacedMesh& mesh, const RayRange& range);
/// The same for several rays, in about half the time.
void cast_rays_mesh(std::span<const Ray> rays, const PlacedMesh& mesh, const RayRange& range,
                    std::span<std::optional<RayHit>> hits);
/// Whether cast_ray_mesh would find anything.
bool ray_hits_mesh(const Ray& ray, const PlacedMesh& mesh, const RayRange& range);
/// Adds every triangle that is hit, in no particular order.
void cast_ray_all_mesh(const Ray& ray, const PlacedMesh& mesh, const RayRange& range, std::vector<RayHit>& hits);

/// How often the placed surface, which must be closed, winds around the point. For a surface that faces outward this is
/// 1 inside and 0 outside. Exact for every point that is not on the surface; unspecified on the surface.
int winding_number(const PlacedMesh& mesh, const Vector3& point);

}  // namespace whisker::mesh
