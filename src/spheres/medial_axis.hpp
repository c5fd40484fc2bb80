#pragma once

// Spheres inside a solid that touch its surface at four sampled points: about its medial axis.

#include <cstdint>
#include <span>
#include <vector>

#include <whisker/geometry/bounding_sphere.hpp>

#include "spheres/protrusion.hpp"
#include "spheres/sampling.hpp"

namespace whisker::spheres {

struct MedialSphere {
  BoundingSphere sphere;
  /// At least the signed distance of the center.
  double height = 0;
  /// The spheres whose Voronoi vertices an edge of the diagram joins to this one's.
  std::vector<std::uint32_t> neighbors;
};

/// One for each vertex of the samples' Voronoi diagram that lies in the solid.
std::vector<MedialSphere> medial_spheres(const Solid& solid, std::span<const SurfaceSample> samples);

}  // namespace whisker::spheres
