#pragma once

// More methods that cover a region with a few spheres (spheres/reduce.hpp). Each returns at most `count`
// spheres that contain all the region's pieces, each piece entirely in one sphere, up to rounding.

#include <cstddef>
#include <span>
#include <vector>

#include <whisker/geometry/bounding_sphere.hpp>

#include "spheres/region.hpp"

namespace whisker::methods {

using spheres::MedialSphere;
using spheres::Region;

/// Removes medial spheres one by one (Bradshaw 2002, algorithm 5). Starts with the medial spheres, each with the pieces
/// that it fits best.
std::vector<BoundingSphere> burst_spheres(const Region& region, std::span<const MedialSphere> medial,
                                          std::size_t count);

/// Finds the centers of spheres of equal protrusion by a search (Bradshaw 2002, algorithm 7). Does not use the medial
/// spheres.
///
/// For a protrusion e, a sphere is moved to where it contains the most pieces that are not covered yet. Its radius is e
/// minus the signed distance of its center. The search starts at such a piece, then at each of the spheres found so
/// far, and the best result is kept. A binary search finds the smallest e for which `count` spheres suffice. (The
/// thesis prints the radius with a wrong sign, and lets the first sphere's points be found again.)
std::vector<BoundingSphere> spawn_spheres(const Region& region, std::span<const MedialSphere> medial,
                                          std::size_t count);

}  // namespace whisker::methods
