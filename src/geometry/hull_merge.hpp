#pragma once

// Joins neighboring faces of a hull that are coplanar within a tolerance.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <whisker/geometry/hull.hpp>
#include <whisker/vector.hpp>

#include "geometry/hull_quickhull.hpp"

namespace whisker::geometry {

/// `faces` (loops of indices into `vertices`, counter-clockwise) with neighbors joined as described at
/// HullOptions::merge_distance. `merged[i]` tells whether the i-th resulting loop combines several faces.
struct MergedFaces {
  FaceLoops loops;
  std::vector<bool> merged;
};
MergedFaces merge_faces(std::span<const Vector3> vertices, const FaceLoops& faces, double merge_distance);

/// Every edge of a closed surface once, sorted by its vertices. The faces are loops as in FaceLoops.
std::vector<HullEdge> loop_edges(std::span<const std::uint32_t> vertices, std::span<const std::uint32_t> begin,
                                 std::size_t vertex_count);

/// Newell's normal: the sum of the loop's edge cross products, twice its area vector. Not normalized.
Vector3 area_normal(std::span<const Vector3> vertices, std::span<const std::uint32_t> loop);

}  // namespace whisker::geometry
