#include "shapes/plain_mesh.hpp"

#include <string>

#include <whisker/error.hpp>

namespace whisker::shapes {

void check_mesh(const MeshData& mesh) {
  if (mesh.vertices.size() > 0xFFFF'FFFEu) throw Error("mesh with more than 4294967294 vertices: split it");
  // Their sides are numbered in 32 bits.
  if (mesh.triangles.size() > 0xFFFF'FFFEu / 3) throw Error("mesh with more than 1431655764 triangles: split it");
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
    if (!mesh.vertices[i].allFinite()) {
      throw Error("vertex " + std::to_string(i) + " of the mesh is not finite: repair the data");
    }
  }
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
    for (const std::uint32_t corner : mesh.triangles[i]) {
      if (corner >= mesh.vertices.size()) {
        throw Error("triangle " + std::to_string(i) + " of the mesh has vertex number " + std::to_string(corner) +
                    ", but there are " + std::to_string(mesh.vertices.size()) + " vertices: repair the data");
      }
    }
  }
}

std::vector<Index3> merged_triangles(const MeshData& mesh, std::span<const std::uint32_t> merged) {
  std::vector<Index3> triangles;
  triangles.reserve(mesh.triangles.size());
  for (const Index3& t : mesh.triangles) {
    const Index3 m{merged[t[0]], merged[t[1]], merged[t[2]]};
    if (!is_collapsed(m)) triangles.push_back(m);
  }
  return triangles;
}

MeshData without_unused(MeshData mesh) {
  std::vector<std::uint32_t> number(mesh.vertices.size(), 0);
  for (const Index3& t : mesh.triangles)
    for (const std::uint32_t corner : t)
      number[corner] = 1;
  std::uint32_t kept = 0;
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
    if (number[i] == 0) continue;
    mesh.vertices[kept] = mesh.vertices[i];
    number[i] = kept++;
  }
  mesh.vertices.resize(kept);
  for (Index3& t : mesh.triangles)
    for (std::uint32_t& corner : t)
      corner = number[corner];
  return mesh;
}

}  // namespace whisker::shapes
