#pragma once

// Joins neighboring faces of a hull that are coplanar within a tolerance.

#include <cstdint>
#include <span>
#include <vector>

#include <whisker/vector.hpp>

#include "geometry/hull_quickhull.hpp"

namespace whisker::geometry {

/// `faces` (loops of indices into `vertices`, counter-clockwise) with neighbors joined as HullOptions::merge_distance
/// describes. `merged[i]` says whether the i-th resulting loop stands for several faces.
struct MergedFaces {
  FaceLoops loops;
  std::vector<bool> merged;
};
MergedFaces merge_faces(std::span<const Vector3> vertices, const FaceLoops& faces, double merge_distance);

/// The sum of the loop's edge cross products, twice its area vector (Newell's normal); not normalized.
Vector3 area_normal(std::span<const Vector3> vertices, std::span<const std::uint32_t> loop);

}  // namespace whisker::geometry
