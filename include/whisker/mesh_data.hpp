#pragma once

/// \file
/// Plain triangle data: what files hold, generators make and meshes are built from.

#include <array>
#include <cstdint>
#include <vector>

#include <whisker/vector.hpp>

namespace whisker {

/// A triangle as three vertex numbers, counter-clockwise when seen from outside.
using Index3 = std::array<std::uint32_t, 3>;

/// Vertices and the triangles that join them. Nothing is promised: not closed, not connected, not free of duplicates.
struct MeshData {
  std::vector<Vector3> vertices;
  std::vector<Index3> triangles;
};

}  // namespace whisker
