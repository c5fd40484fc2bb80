#pragma once

/// \file
/// Plain triangle data: what files hold, generators make and meshes are built from.

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

/// Vertices and the triangles that join them. Nothing is promised: not closed, not connected, not free of duplicates.
struct MeshData {
  std::vector<Vector3> vertices;
  std::vector<Index3> triangles;
};

/// A triangle of one mesh and one of another, or two of the same mesh.
struct TrianglePair {
  std::uint32_t a = 0;
  std::uint32_t b = 0;

  auto operator<=>(const TrianglePair&) const = default;
};

/// Two triangles of several meshes. Of one mesh: mesh_a = mesh_b and triangle_a < triangle_b; else mesh_a < mesh_b.
struct MeshTrianglePair {
  std::uint32_t mesh_a = 0;
  std::uint32_t triangle_a = 0;
  std::uint32_t mesh_b = 0;
  std::uint32_t triangle_b = 0;

  auto operator<=>(const MeshTrianglePair&) const = default;
};

}  // namespace whisker
