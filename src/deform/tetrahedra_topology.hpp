#pragma once

// What stays of a volume of tetrahedra while its vertices move: faces, edges, neighbors, and which way round it is.

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include <whisker/tetrahedra/tetrahedral_mesh.hpp>

namespace whisker::deform {

struct TetrahedraTopology {
  std::size_t vertex_count = 0;
  std::vector<Index4> tetrahedra;
  /// +1 if the border is turned outward where orient3d of the tetrahedron's corners is positive, else -1.
  std::vector<std::int8_t> turn;
  /// Those that hang together by faces: for each tetrahedron a number below `part_count`.
  std::vector<std::uint32_t> part;
  std::uint32_t part_count = 0;

  // Border first.
  std::vector<Index3> faces;
  std::size_t border_face_count = 0;
  std::vector<Index2> edges;
  std::size_t border_edge_count = 0;
  std::vector<std::array<std::uint32_t, 4>> faces_of;  ///< of each tetrahedron
  std::vector<std::array<std::uint32_t, 6>> edges_of;
  std::vector<std::uint32_t> face_owner;  ///< one of the tetrahedra that it belongs to
  std::vector<std::uint32_t> edge_owner;

  std::vector<std::uint32_t> used_vertices;  ///< of a tetrahedron, ascending
  std::vector<std::uint32_t> border_vertices;
  /// Vertex v has the neighbors [neighbor_begin[v], neighbor_begin[v + 1]), and the edges to them.
  std::vector<std::uint32_t> neighbor_begin;
  std::vector<std::uint32_t> neighbors;
  std::vector<std::uint32_t> neighbor_edges;

  /// The border with the vertices where they were first asked for: its tree is fitted to where they are later.
  const Mesh& border_mesh(std::span<const Vector3> vertices) const;

  /// Throws the Errors of TetrahedralMesh's constructor but those of the vertices themselves, which say which side is
  /// out.
  TetrahedraTopology(std::span<const Vector3> vertices, std::vector<Index4> tetrahedra);

 private:
  void check_tetrahedra() const;
  void find_faces(std::span<const Vector3> vertices);
  void find_edges();
  void find_neighbors();

  mutable std::once_flag border_made_;
  mutable std::optional<Mesh> border_mesh_;
};

}  // namespace whisker::deform
