#pragma once

// Containment: tests whether a shape lies inside a solid mesh without touching its surface.

#include <optional>

#include "mesh/mesh_queries.hpp"

namespace whisker::mesh {

/// Whether a point is inside the mesh. The point must not be on the surface. False if the mesh is not solid.
bool is_inside(const PlacedMesh& solid, const Vector3& point);

/// Returns a point of a bounded simple shape. For a convex core the point is exact only up to rounding: see `holds`.
Vector3 some_point(const convex::SimpleShape& shape);

/// Whether a simple shape lies inside the mesh. The shape must not touch the surface. False if the mesh is not solid.
/// Also true if the only known point of a convex core may be off the core by as much as its distance from the surface:
/// the two are then not proven to be apart.
bool holds(const PlacedMesh& solid, const convex::SimpleShape& shape);

/// Returns a point of both meshes if one mesh, or a part of it, lies inside the other. The surfaces must not touch.
std::optional<Vector3> shared_point(const PlacedMesh& a, const PlacedMesh& b);

}  // namespace whisker::mesh
