#include "shapes/plain_mesh.hpp"

#include <utility>

#include <whisker/error.hpp>

#include "geometry/lists.hpp"

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

std::vector<Index3> renumbered(std::span<const Index3> triangles, std::span<const std::uint32_t> numbers) {
  return geometry::mapped(triangles, [&](const Index3& t) {
    return Index3{numbers[t[0]], numbers[t[1]], numbers[t[2]]};
  });
}

std::vector<Index3> merged_triangles(const MeshData& mesh, std::span<const std::uint32_t> merged) {
  std::vector<Index3> triangles = renumbered(mesh.triangles, merged);
  std::erase_if(triangles, is_collapsed);
  return triangles;
}

std::vector<std::uint32_t> connected_parts(std::span<const Index3> triangles, geometry::DisjointSets vertices) {
  for (const Index3& t : triangles) {
    vertices.join(t[0], t[1]);
    vertices.join(t[0], t[2]);
  }
  std::vector<bool> seen(vertices.size(), false);
  std::vector<std::uint32_t> parts;
  for (const Index3& t : triangles) {
    const std::uint32_t part = vertices.root(t[0]);
    if (!seen[part]) parts.push_back(t[0]);
    seen[part] = true;
  }
  return parts;
}

std::vector<bool> used_vertices(std::span<const Index3> triangles, std::size_t vertex_count) {
  std::vector<bool> used(vertex_count, false);
  for (const Index3& t : triangles)
    for (const std::uint32_t corner : t)
      used[corner] = true;
  return used;
}

std::string counted(std::size_t count, const std::string& thing, const std::string& things) {
  return std::to_string(count) + " " + (count == 1 ? thing : things);
}

MeshData without_unused(MeshData mesh) {
  const std::vector<bool> used = used_vertices(mesh.triangles, mesh.vertices.size());
  std::vector<std::uint32_t> number(mesh.vertices.size(), 0);
  std::uint32_t kept = 0;
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
    if (!used[i]) continue;
    mesh.vertices[kept] = mesh.vertices[i];
    number[i] = kept++;
  }
  mesh.vertices.resize(kept);
  mesh.triangles = renumbered(mesh.triangles, number);
  return mesh;
}

MeshData PartCutter::part(std::vector<Index3> triangles) {
  std::vector<std::uint32_t> used;
  for (const Index3& t : triangles) {
    for (const std::uint32_t corner : t) {
      if (number_[corner] == unset) used.push_back(corner);
      number_[corner] = 0;
    }
  }
  std::sort(used.begin(), used.end());
  for (std::uint32_t i = 0; i < used.size(); ++i)
    number_[used[i]] = i;
  for (Index3& t : triangles)
    t = {number_[t[0]], number_[t[1]], number_[t[2]]};
  for (const std::uint32_t vertex : used)
    number_[vertex] = unset;
  return {geometry::picked(vertices_, used), std::move(triangles)};
}

}  // namespace whisker::shapes
