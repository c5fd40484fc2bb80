#pragma once

// The part of a TetrahedralMesh that does not change while its vertices move: faces, edges, neighbors, and orientation.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <whisker/tetrahedra/tetrahedral_mesh.hpp>

#include "geometry/grouped.hpp"
#include "shapes/lazily.hpp"

namespace whisker::deform {

struct TetrahedraTopology {
  std::size_t vertex_count = 0;
  std::vector<Index4> tetrahedra;
  /// +1 if the border faces outward when orient3d of the tetrahedron's corners is positive, else -1.
  std::vector<std::int8_t> turn;
  /// Connected components (tetrahedra connected through faces): for each tetrahedron a number below `part_count`.
  std::vector<std::uint32_t> part;
  std::uint32_t part_count = 0;

  // Border faces and edges come first.
  std::vector<Index3> faces;
  std::size_t border_face_count = 0;
  std::vector<Index2> edges;
  std::size_t border_edge_count = 0;
  std::vector<std::array<std::uint32_t, 4>> faces_of;  ///< of each tetrahedron
  std::vector<std::array<std::uint32_t, 6>> edges_of;
  std::vector<std::uint32_t> face_owner;  ///< one of the tetrahedra that the face belongs to
  std::vector<std::uint32_t> edge_owner;

  std::vector<std::uint32_t> used_vertices;  ///< vertices of tetrahedra, ascending
  std::vector<std::uint32_t> border_vertices;
  /// The neighbors of each vertex, and the edges to them.
  geometry::Grouped<std::uint32_t> neighbors, neighbor_edges;

  /// The border as a mesh, with the vertices of the first call. Callers refit its tree to the current vertices.
  const Mesh& border_mesh(std::span<const Vector3> vertices) const;

  /// Throws the Errors of TetrahedralMesh's constructor, except those about the vertices. `vertices` decides which side
  /// is outside.
  TetrahedraTopology(std::span<const Vector3> vertices, std::vector<Index4> tetrahedra);

 private:
  void check_tetrahedra() const;
  void find_faces(std::span<const Vector3> vertices);
  void find_edges();
  void find_neighbors();

  shapes::Lazily<Mesh> border_mesh_;
};

}  // namespace whisker::deform
