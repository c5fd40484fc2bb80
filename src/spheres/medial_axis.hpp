#pragma once

// Spheres inside a solid, around its medial axis, that touch its surface at four sampled points.

#include <cstdint>
#include <span>
#include <vector>

#include <whisker/geometry/bounding_sphere.hpp>

#include "spheres/protrusion.hpp"
#include "spheres/sampling.hpp"

namespace whisker::spheres {

struct MedialSphere {
  BoundingSphere sphere;
  /// Upper bound on the center's signed distance.
  double height = 0;
  /// The spheres whose Voronoi vertices share an edge of the diagram with this sphere's vertex.
  std::vector<std::uint32_t> neighbors;
};

/// Returns a sphere for each vertex of the samples' Voronoi diagram that lies in the solid.
std::vector<MedialSphere> medial_spheres(const Solid& solid, std::span<const SurfaceSample> samples);

}  // namespace whisker::spheres
