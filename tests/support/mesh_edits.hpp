#pragma once

// Meshes made from other meshes.

#include <cstdint>
#include <utility>

#include <whisker/mesh.hpp>

namespace whisker::test {

inline MeshData scaled(MeshData data, double by) {
  for (Vector3& v : data.vertices)
    v *= by;
  return data;
}

inline MeshData moved(MeshData data, const Vector3& by) {
  for (Vector3& v : data.vertices)
    v += by;
  return data;
}

/// The triangles of both, those of `a` first.
inline MeshData joined(MeshData a, const MeshData& b) {
  const auto shift = static_cast<std::uint32_t>(a.vertices.size());
  a.vertices.insert(a.vertices.end(), b.vertices.begin(), b.vertices.end());
  for (const Index3& t : b.triangles)
    a.triangles.push_back({t[0] + shift, t[1] + shift, t[2] + shift});
  return a;
}

/// The same triangles, each with its own vertices.
inline MeshData unshared(const MeshData& data) {
  MeshData result;
  for (const Index3& t : data.triangles) {
    const auto first = static_cast<std::uint32_t>(result.vertices.size());
    for (const std::uint32_t vertex : t)
      result.vertices.push_back(data.vertices[vertex]);
    result.triangles.push_back({first, first + 1, first + 2});
  }
  return result;
}

/// All triangles with the opposite orientation.
inline MeshData reversed(MeshData data) {
  for (Index3& t : data.triangles)
    std::swap(t[1], t[2]);
  return data;
}

}  // namespace whisker::test
