#include "deform/check_mesh.hpp"

#include <cmath>
#include <string>

#include <whisker/error.hpp>
#include <whisker/mesh.hpp>

namespace whisker::deform {

void check_vertices(std::span<const Vector3> vertices, const char* what, const char* noun) {
  // First counts bad coordinates without a branch per vertex; only if there is one does the search below look for it.
  std::size_t bad = 0;
  for (const Vector3& v : vertices)
    for (int k = 0; k < 3; ++k)
      bad += std::abs(v[k]) <= max_coordinate ? 0u : 1u;
  if (bad == 0) return;
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    if (!(vertices[i].cwiseAbs().maxCoeff() <= max_coordinate) || !vertices[i].allFinite())
      throw Error(std::string(what) + ": " + noun + " " + std::to_string(i) + " is not finite, or beyond 1e90");
  }
}

void check_positions(std::span<const Vector3> vertices, std::size_t count, const char* what) {
  if (vertices.size() != count) {
    throw Error(std::string(what) + ": " + std::to_string(vertices.size()) + " vertices, but it has " +
                std::to_string(count));
  }
  check_vertices(vertices, what);
}

void check_mesh(const MeshData& data, const char* what) {
  check_vertices(data.vertices, what);
  if (data.triangles.empty()) throw Error(std::string(what) + ": the mesh has no triangles");
  for (std::size_t i = 0; i < data.triangles.size(); ++i) {
    for (const std::uint32_t v : data.triangles[i]) {
      if (v < data.vertices.size()) continue;
      throw Error(std::string(what) + ": triangle " + std::to_string(i) + " has vertex " + std::to_string(v) +
                  ", but there are " + std::to_string(data.vertices.size()));
    }
  }
}

}  // namespace whisker::deform
