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

/// `count` points spread evenly over the area: each lies in its own stretch of the sum of the triangles' areas, at
/// random in its triangle. Where the area vanishes, the corners of the triangles in turn.
std::vector<SurfaceSample> sample_surface(const Mesh& mesh, std::size_t count, std::uint64_t seed);

}  // namespace whisker::spheres
