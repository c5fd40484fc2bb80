#pragma once

// Covers a surface region with a few of the medial spheres, all grown to an equal protrusion (Bradshaw 2002, algorithm
// 6).

#include <span>
#include <vector>

#include <whisker/geometry/bounding_sphere.hpp>
#include <whisker/spheres/sphere_tree.hpp>

#include "spheres/medial_axis.hpp"
#include "spheres/pieces.hpp"

namespace whisker::spheres {

/// Returns at most `count` spheres that contain all the pieces, each piece entirely in one sphere, up to rounding.
/// Returns none if there are no medial spheres.
///
/// For a protrusion e, the sphere around a medial center at signed distance h has radius e - h. (The thesis prints e -
/// |h|, which holds only outside the solid.) Spheres are chosen greedily until they contain all pieces.
/// `SphereSelection` determines the next one. A binary search finds the smallest e for which `count` spheres suffice.
///
/// The number of spheres needed does not always decrease as e grows: a sphere around the center of a cube is the first
/// choice, but becomes redundant once other spheres contain the corners. So if a choice fails or has fewer than `count`
/// spheres, it is repeated without its first sphere.
std::vector<BoundingSphere> expand_spheres(const Solid& solid, std::span<const MedialSphere> medial,
                                           std::span<const Piece> pieces, double halving_error, std::size_t count,
                                           SphereSelection selection = SphereSelection::max_elimination);

}  // namespace whisker::spheres
