#pragma once

// A triangle of a placed mesh in world coordinates, as the exact queries use it.

#include <cstdint>

#include "geometry/place.hpp"
#include "mesh/mesh_queries.hpp"
#include "shapes/mesh_storage.hpp"

namespace whisker::mesh {

inline Triangle triangle_at(const PlacedMesh& placed, std::uint32_t number) {
  const MeshData& data = known_storage_of(placed.mesh).data;
  const Index3& corners = data.triangles[number];
  return {geometry::placed_point(placed.pose, data.vertices[corners[0]]),
          geometry::placed_point(placed.pose, data.vertices[corners[1]]),
          geometry::placed_point(placed.pose, data.vertices[corners[2]])};
}

}  // namespace whisker::mesh
