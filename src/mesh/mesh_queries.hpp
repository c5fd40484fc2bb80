#pragma once

// Meshes against meshes and simple shapes, by walking their box trees.

#include <optional>

#include <whisker/queries.hpp>

#include "convex/simple_shape.hpp"

namespace whisker::mesh {

struct PlacedMesh {
  const Mesh& mesh;
  const Pose& pose;
};

bool touches_mesh_mesh(const PlacedMesh& a, const PlacedMesh& b, Cost& cost);
bool touches_mesh_simple(const PlacedMesh& a, const convex::SimpleShape& b, Cost& cost);

Distance distance_mesh_mesh(const PlacedMesh& a, const PlacedMesh& b, const DistanceOptions& options);
Distance distance_mesh_simple(const PlacedMesh& a, const convex::SimpleShape& b, const DistanceOptions& options);

/// Solid meshes only: throws an Error for a surface. The bounds are those of the convex hulls along a few directions,
/// so they are wide: lower is 0 wherever the two touch.
Depth depth_mesh_mesh(const PlacedMesh& a, const PlacedMesh& b);
Depth depth_mesh_simple(const PlacedMesh& a, const convex::SimpleShape& b);

std::optional<RayHit> cast_ray_mesh(const Ray& ray, const PlacedMesh& mesh, const RayRange& range);

/// How often the placed surface, which must be closed, winds round the point: 1 inside and 0 outside of one that faces
/// outward. Exact for every point that is not on the surface; there, some number.
int winding_number(const PlacedMesh& mesh, const Vector3& point);

}  // namespace whisker::mesh
