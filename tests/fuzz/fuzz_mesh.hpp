#pragma once

// What all fuzz targets of the mesh readers do with their input. Ordinary tests use it to replay the corpus.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>

#include <whisker/editing/mesh_report.hpp>
#include <whisker/error.hpp>
#include <whisker/io.hpp>

namespace whisker::test {

inline void require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "broken promise: %s\n", what);
  std::abort();
}

/// Reads the bytes. They may be refused with an Error of one line. If they are accepted, the mesh must satisfy the
/// guarantees of io.hpp, and inspecting and writing it must work. Returns whether they were accepted. Anything else
/// aborts.
inline bool read_hostile_mesh(std::span<const std::byte> bytes, MeshFormat format) {
  MeshData mesh;
  ReadReport report;
  try {
    mesh = read_mesh(bytes, format, "fuzz", &report);
  } catch (const Error& error) {
    const std::string message = error.what();
    require(message.starts_with("fuzz:"), "the message names the file");
    require(message.find('\n') == std::string::npos, "the message is one line");
    return false;
  }
  require(!mesh.triangles.empty(), "an accepted mesh has triangles");
  for (const Vector3& v : mesh.vertices)
    require(v.allFinite(), "vertices are finite");
  for (const Index3& t : mesh.triangles) {
    for (const std::uint32_t corner : t)
      require(corner < mesh.vertices.size(), "indices are in range");
  }
  std::size_t in_groups = 0;
  for (const TriangleGroup& group : report.groups) {
    require(group.first_triangle == in_groups, "groups follow each other");
    in_groups += group.triangle_count;
  }
  require(report.groups.empty() || in_groups == mesh.triangles.size(), "groups cover the triangles");

  const MeshReport looked_over = inspect_mesh(mesh);
  require(looked_over.closed == is_closed(mesh), "the two ways to see that a mesh is closed agree");
  const std::string written = encode_mesh(mesh, MeshFormat::ply, true);
  const MeshData back = read_mesh(std::as_bytes(std::span(written.data(), written.size())), MeshFormat::ply, "written");
  require(back.triangles == mesh.triangles && back.vertices == mesh.vertices, "writing and reading keeps the mesh");
  return true;
}

}  // namespace whisker::test
