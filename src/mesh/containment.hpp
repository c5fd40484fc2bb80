#pragma once

// What lies inside a solid mesh without touching its surface.

#include <optional>

#include <whisker/queries.hpp>

#include "mesh/mesh_queries.hpp"

namespace whisker::mesh {

/// Whether a point that is not on the surface is inside the mesh; false if the mesh is not solid.
bool is_inside(const PlacedMesh& solid, const Vector3& point);

/// A point of a bounded simple shape. Of a convex core up to rounding: see `holds`.
Vector3 some_point(const convex::SimpleShape& shape);

/// Whether a simple shape that does not touch the surface lies inside the mesh; false if the mesh is not solid. Where
/// the only points known of a convex core are off it by as much as the surface is near, true: not proven apart.
bool holds(const PlacedMesh& solid, const convex::SimpleShape& shape);

/// Of two whose surfaces do not touch: a point of both, if one lies, or a part of it, inside the other.
std::optional<Vector3> shared_point(const PlacedMesh& a, const PlacedMesh& b);

/// The answer for two that share a point though their surfaces do not touch.
Distance contained(const Vector3& point, const Cost& cost);

}  // namespace whisker::mesh
