#pragma once

// Tetrahedral meshes for tests, and all their contacts, found pair by pair.

#include <algorithm>
#include <random>
#include <set>
#include <span>
#include <vector>

#include <whisker/geometry/triangle_tests.hpp>
#include <whisker/make/tetrahedra.hpp>
#include <whisker/tetrahedra/tetrahedral_contacts.hpp>

#include "support/cases.hpp"
#include "support/random_shapes.hpp"

namespace whisker::test {

using Vertices = std::vector<Vector3>;

inline TetrahedralData moved(TetrahedralData data, const Vector3& by) {
  for (Vector3& v : data.vertices)
    v += by;
  return data;
}

inline Vertices vertices_of(const TetrahedralMesh& mesh) {
  return {mesh.vertices().begin(), mesh.vertices().end()};
}

inline Vertices disturbed(std::span<const Vector3> from, std::mt19937_64& random, double by) {
  Vertices to(from.begin(), from.end());
  for (Vector3& v : to)
    v += by * uniform(random, 0, 1) * scenes::unit_vector(random);
  return to;
}

inline Triangle face_of(const TetrahedralMesh& mesh, std::uint32_t face) {
  const Index3& t = mesh.faces()[face];
  return {mesh.vertices()[t[0]], mesh.vertices()[t[1]], mesh.vertices()[t[2]]};
}
inline Segment edge_of(const TetrahedralMesh& mesh, std::uint32_t edge) {
  const Index2& e = mesh.edges()[edge];
  return {mesh.vertices()[e[0]], mesh.vertices()[e[1]]};
}

/// The edges and faces that count as surface: those on the border, and all those of tetrahedra that are flat or
/// inverted.
struct Surface {
  std::set<std::uint32_t> edges, faces;

  explicit Surface(const TetrahedralMesh& mesh) {
    const auto holds = [](const Index4& t, const auto& part) {
      return std::all_of(part.begin(), part.end(),
                         [&](std::uint32_t v) { return std::find(t.begin(), t.end(), v) != t.end(); });
    };
    for (std::uint32_t e = 0; e < mesh.edges().size(); ++e)
      if (e < mesh.border_edges().size()) edges.insert(e);
    for (std::uint32_t f = 0; f < mesh.border_triangles().size(); ++f)
      faces.insert(f);
    for (const std::uint32_t i : mesh.inverted()) {
      const Index4& t = mesh.tetrahedra()[i];
      for (std::uint32_t e = 0; e < mesh.edges().size(); ++e)
        if (holds(t, mesh.edges()[e])) edges.insert(e);
      for (std::uint32_t f = 0; f < mesh.faces().size(); ++f)
        if (holds(t, mesh.faces()[f])) faces.insert(f);
    }
  }
};

inline bool shares_vertex(const Index2& edge, const Index3& face) {
  return std::find_first_of(edge.begin(), edge.end(), face.begin(), face.end()) != edge.end();
}

/// Tests all pairs.
inline TetrahedralContacts brute_force(std::span<const TetrahedralMesh> meshes,
                                       const TetrahedralContactOptions& options = {}) {
  TetrahedralContacts all;
  std::set<std::pair<std::uint32_t, std::uint32_t>> inside;
  std::vector<Surface> surfaces;
  for (const TetrahedralMesh& mesh : meshes)
    surfaces.emplace_back(mesh);
  for (std::uint32_t m = 0; m < meshes.size(); ++m) {
    for (std::uint32_t o = 0; o < meshes.size(); ++o) {
      if (m == o && !options.self) continue;
      for (std::uint32_t v = 0; v < meshes[m].vertices().size(); ++v) {
        if (meshes[m].neighbors(v).empty()) continue;
        for (std::uint32_t t = 0; t < meshes[o].tetrahedra().size(); ++t) {
          const Index4& corners = meshes[o].tetrahedra()[t];
          if (m == o && std::find(corners.begin(), corners.end(), v) != corners.end()) continue;
          if (!meshes[o].contains(t, meshes[m].vertices()[v])) continue;
          all.vertices.push_back({m, o, v, t});
          inside.insert({m, v});
        }
      }
    }
  }
  if (!options.edges) return all;
  for (std::uint32_t m = 0; m < meshes.size(); ++m) {
    for (std::uint32_t o = 0; o < meshes.size(); ++o) {
      if (m == o && !options.self) continue;
      for (std::uint32_t e = 0; e < meshes[m].edges().size(); ++e) {
        const Index2& ends = meshes[m].edges()[e];
        if (surfaces[m].edges.count(e) + inside.count({m, ends[0]}) + inside.count({m, ends[1]}) == 0) continue;
        for (const std::uint32_t f : surfaces[o].faces) {
          if (m == o && shares_vertex(ends, meshes[o].faces()[f])) continue;
          if (touches_segment_triangle(edge_of(meshes[m], e), face_of(meshes[o], f))) all.edges.push_back({m, o, e, f});
        }
      }
    }
  }
  return all;
}

}  // namespace whisker::test
