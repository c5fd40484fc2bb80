#pragma once

/// \file
/// MeshData: plain vertices and triangles, as files contain them, generators make them and meshes are built from them.
///
///     MeshData square;
///     square.vertices = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
///     square.triangles = {{0, 1, 2}, {0, 2, 3}};
///     const Mesh mesh(square);
///
/// Also the index types that results about triangles use. Vertices and triangles are numbered from 0. Nothing here is
/// checked; Mesh and the other users of the data check it.

#include <array>
#include <compare>
#include <cstdint>
#include <vector>

#include <whisker/vector.hpp>

namespace whisker {

/// An edge as two vertex numbers, the smaller first.
using Index2 = std::array<std::uint32_t, 2>;

/// A triangle as three vertex numbers, counter-clockwise when seen from outside.
using Index3 = std::array<std::uint32_t, 3>;

/// Vertices and the triangles that connect them. Nothing is guaranteed: the mesh need not be closed, connected or free
/// of duplicates.
struct MeshData {
  std::vector<Vector3> vertices;  ///< Positions, in the user's unit.
  std::vector<Index3> triangles;
};

/// Two triangle numbers: of one mesh and of another, or both of the same mesh.
struct TrianglePair {
  std::uint32_t a = 0;
  std::uint32_t b = 0;

  auto operator<=>(const TrianglePair&) const = default;
};

/// Two triangles among several meshes, each given by the mesh's number in the list that was queried and the triangle's
/// number in that mesh. If both are of the same mesh, mesh_a = mesh_b and triangle_a < triangle_b; otherwise
/// mesh_a < mesh_b.
struct MeshTrianglePair {
  std::uint32_t mesh_a = 0;
  std::uint32_t triangle_a = 0;
  std::uint32_t mesh_b = 0;
  std::uint32_t triangle_b = 0;

  auto operator<=>(const MeshTrianglePair&) const = default;
};

}  // namespace whisker
