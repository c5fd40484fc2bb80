#pragma once

// What reports, writers and editors of plain vertices and triangles share.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <whisker/mesh_data.hpp>

#include "geometry/disjoint_sets.hpp"

namespace whisker::shapes {

/// Throws an Error if a vertex is not finite, an index is out of range, or there are too many of either.
void check_mesh(const MeshData& mesh);

/// Whether two corners are the same vertex.
inline bool is_collapsed(const Index3& t) {
  return t[0] == t[1] || t[1] == t[2] || t[2] == t[0];
}

/// The triangle starting at its lowest corner, which is the same for all three ways to write it.
inline Index3 from_lowest(const Index3& t) {
  const auto k = static_cast<std::size_t>(std::min_element(t.begin(), t.end()) - t.begin());
  return {t[k], t[(k + 1) % 3], t[(k + 2) % 3]};
}

/// The mesh's triangles on merged vertices (first_at_position), without collapsed ones.
std::vector<Index3> merged_triangles(const MeshData& mesh, std::span<const std::uint32_t> merged);

/// The triangles with `numbers` in place of their vertices.
std::vector<Index3> renumbered(std::span<const Index3> triangles, std::span<const std::uint32_t> numbers);

/// One vertex of each connected part of the triangles, in the order of their first triangles. Vertices of one set count
/// as one.
std::vector<std::uint32_t> connected_parts(std::span<const Index3> triangles, geometry::DisjointSets vertices);

/// Which vertices some triangle uses.
std::vector<bool> used_vertices(std::span<const Index3> triangles, std::size_t vertex_count);

/// "1 edge", "3 edges".
std::string counted(std::size_t count, const std::string& thing, const std::string& things);

/// The mesh with only the vertices that triangles use, in their order.
MeshData without_unused(MeshData mesh);

/// Makes meshes of some of the triangles, each with only the vertices that it uses, in their order. The cost of a mesh
/// depends on its own size, not on the number of all vertices.
class PartCutter {
 public:
  /// The vertices must outlive this object.
  explicit PartCutter(std::span<const Vector3> vertices) : vertices_(vertices), number_(vertices.size(), unset) {}
  MeshData part(std::vector<Index3> triangles);

 private:
  static constexpr std::uint32_t unset = 0xFFFF'FFFFu;
  std::span<const Vector3> vertices_;
  std::vector<std::uint32_t> number_;  ///< In the current part; unset between calls.
};

}  // namespace whisker::shapes
