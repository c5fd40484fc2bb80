#pragma once

// Spreads points on a surface evenly by repulsion.

#include <cstdint>
#include <vector>

#include <whisker/mesh.hpp>

#include "methods/spheres/planar_clusters.hpp"
#include "spheres/sampling.hpp"

namespace whisker::methods {

using spheres::SurfaceSample;

/// Returns about `count` points, spread more evenly than at random (G. Turk 1991, as in P. Hubbard 1995). In each flat
/// part of the surface, the points repel each other, and the border pushes them inward as points beyond it would.
/// Borders longer than the point distance have points of their own. Where triangles are smaller than that, each is a
/// part of its own, and points hardly move.
std::vector<SurfaceSample> sample_evenly(const Mesh& mesh, const PlanarClusters& clusters, std::size_t count,
                                         std::uint64_t seed);

}  // namespace whisker::methods
