#pragma once

// Seeded random points on a surface.

#include <cstdint>
#include <vector>

#include <whisker/mesh.hpp>
#include <whisker/vector.hpp>

namespace whisker::spheres {

struct SurfaceSample {
  Vector3 point;
  std::uint32_t triangle = 0;
};

/// Returns `count` points spread evenly over the area. The cumulative area of the triangles is divided into `count`
/// equal intervals. Each point lies in its own interval, at a random position in its triangle. If the total area is
/// zero, the points are the corners of the triangles in turn.
std::vector<SurfaceSample> sample_surface(const Mesh& mesh, std::size_t count, std::uint64_t seed);

}  // namespace whisker::spheres
