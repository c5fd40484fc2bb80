#pragma once

// The passes over soups in lanes: in each frame over every vertex and every triangle, for the soup's box and the
// triangles that overlap a region, and over many pairs of triangles of two soups at once, in floats: whether they
// touch, or floats cannot decide.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <whisker/geometry/aabb.hpp>
#include <whisker/methods/soup_contacts.hpp>

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

/// A soup's vertices, x y z, and triangles, as flat arrays.
struct SoupData {
  const double* vertices;
  const std::uint32_t* triangles;
};

/// The results for sixteen pairs, one bit each. A pair with neither bit is apart.
struct PairVerdicts {
  static constexpr std::size_t width = 16;
  std::uint16_t touch;
  std::uint16_t unsure;
};

/// Writes one PairVerdicts for every sixteen pairs, rounded up.
void judge_pairs(const Soup& a, const Soup& b, std::span<const FacePair> pairs, PairVerdicts* verdicts);

}  // namespace whisker::methods::soups
