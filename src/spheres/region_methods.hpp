#pragma once

// Methods that cover a region with a few spheres. Each returns at most `count` spheres that contain all the region's
// pieces, each piece entirely in one sphere, up to rounding.

#include <span>
#include <vector>

#include <whisker/geometry/bounding_sphere.hpp>
#include <whisker/spheres/sphere_tree.hpp>

#include "spheres/region.hpp"

namespace whisker::spheres {

/// Merges many spheres to a few (Hubbard 1995, with Bradshaw's improvements, 2002, 5.3).
///
/// Each piece is given to the medial sphere that it fits best, and spheres without a piece are dropped. Then,
/// repeatedly, two neighbors are replaced by one sphere for the pieces of both. The pair whose merged sphere protrudes
/// least is merged next, but the worst sphere goes first if merging improves it. Spheres without a neighbor get those
/// that they overlap as neighbors, or any. When few spheres are left, all are neighbors. Spheres whose pieces lie in
/// other spheres are redundant and dropped. Merging ends once `count` spheres remain without them.
///
/// The thesis measures the protrusion of a sphere at points on it. This function uses the proven bound, which costs one
/// query.
std::vector<BoundingSphere> merge_spheres(const Region& region, std::span<const MedialSphere> medial,
                                          std::size_t count);

/// Grows medial spheres to an equal protrusion and chooses a few of them (Bradshaw 2002, algorithm 6). Returns none if
/// there are no medial spheres.
///
/// For a protrusion e, the sphere around a medial center at signed distance h has radius e - h. (The thesis prints e -
/// |h|, which holds only outside the solid.) Spheres are chosen greedily until they contain all pieces.
/// `SphereSelection` determines the next one. A binary search finds the smallest e for which `count` spheres suffice.
///
/// The number of spheres needed does not always decrease as e grows: a sphere around the center of a cube is the first
/// choice, but becomes redundant once other spheres contain the corners. So if a choice fails or has fewer than `count`
/// spheres, it is repeated without its first sphere.
std::vector<BoundingSphere> expand_spheres(const Region& region, std::span<const MedialSphere> medial,
                                           std::size_t count,
                                           SphereSelection selection = SphereSelection::max_elimination);

}  // namespace whisker::spheres
