#pragma once

// Points on a surface that push each other apart.

#include <cstdint>
#include <vector>

#include <whisker/mesh.hpp>

#include "methods/spheres/planar_clusters.hpp"
#include "spheres/sampling.hpp"

namespace whisker::methods {

using spheres::SurfaceSample;

/// About `count` points, spread more evenly (G. Turk 1991, as P. Hubbard 1995 has it): in each flat part of the surface
/// they push each other apart, and its border pushes them in as points beyond it would. Borders that are longer than
/// the points are apart have points of their own. Where the triangles are smaller than that, each is a part of its own,
/// and little is moved.
std::vector<SurfaceSample> sample_evenly(const Mesh& mesh, const PlanarClusters& clusters, std::size_t count,
                                         std::uint64_t seed);

}  // namespace whisker::methods
