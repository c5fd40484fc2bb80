#pragma once

// The parts of a soup's frame that look at every vertex and every triangle: the soup's box, and which triangles reach
// into a region.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <whisker/geometry/aabb.hpp>
#include <whisker/mesh_data.hpp>

#include "methods/soups/face_octree.hpp"

namespace whisker::methods::soups {

/// The box about vertices, of which there is one at least. Empty if one of them is not finite, or beyond
/// `max_coordinate`.
Aabb checked_box(std::span<const Vector3> vertices);

/// The largest index of triangles; 0 for none.
std::uint32_t largest_index(std::span<const Index3> triangles);

/// Triangles and their boxes: the first `count` of each.
struct FaceBoxes {
  std::size_t count = 0;
  std::vector<std::uint32_t> faces;
  std::vector<FaceBox> boxes;
  std::vector<std::uint8_t> beyond;  ///< working memory
};

/// The triangles whose boxes reach into a region: those whose corners are not all beyond one side of it.
void keep_faces(std::span<const Vector3> vertices, std::span<const Index3> triangles, const Aabb& region,
                FaceBoxes& kept);

}  // namespace whisker::methods::soups
