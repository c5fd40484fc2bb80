#pragma once

// The per-frame passes over every vertex and every triangle of a soup: the soup's box, and the triangles that overlap a
// region.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <whisker/geometry/aabb.hpp>
#include <whisker/mesh_data.hpp>

#include "methods/soups/face_octree.hpp"

namespace whisker::methods::soups {

/// The box around the vertices, of which there must be at least one. Empty if a vertex is not finite or exceeds
/// `max_coordinate`.
Aabb checked_box(std::span<const Vector3> vertices);

/// The largest index of triangles; 0 if there are none.
std::uint32_t largest_index(std::span<const Index3> triangles);

/// Triangles and their boxes. Only the first `count` elements of each are valid.
struct FaceBoxes {
  std::size_t count = 0;
  std::vector<std::uint32_t> faces;
  std::vector<FaceBox> boxes;
  std::vector<std::uint8_t> beyond;  ///< scratch memory
};

/// Collects the triangles whose boxes overlap a region: those whose corners are not all beyond one side of it.
void keep_faces(std::span<const Vector3> vertices, std::span<const Index3> triangles, const Aabb& region,
                FaceBoxes& kept);

}  // namespace whisker::methods::soups
