#pragma once

// Seeded random points on a surface.

#include <cstdint>
#include <vector>

#include <whisker/mesh.hpp>
#include <whisker/vector.hpp>

#include "spheres/planar_clusters.hpp"

namespace whisker::spheres {

struct SurfaceSample {
  Vector3 point;
  std::uint32_t triangle = 0;
};

/// `count` points spread evenly over the area: each lies in its own stretch of the sum of the triangles' areas, at
/// random in its triangle. Where the area vanishes, the corners of the triangles in turn.
std::vector<SurfaceSample> sample_surface(const Mesh& mesh, std::size_t count, std::uint64_t seed);

/// About `count` points, spread more evenly (G. Turk 1991, as P. Hubbard 1995 has it): in each flat part of the surface
/// they push each other apart, and its border pushes them in as points beyond it would. Borders that are longer than
/// the points are apart have points of their own. Where the triangles are smaller than that, each is a part of its own,
/// and little is moved.
std::vector<SurfaceSample> sample_evenly(const Mesh& mesh, const PlanarClusters& clusters, std::size_t count,
                                         std::uint64_t seed);

}  // namespace whisker::spheres
