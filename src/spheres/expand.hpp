#pragma once

// A region of the surface as few of the medial spheres, all grown until they stand off equally far (Bradshaw 2002,
// algorithm 6).

#include <span>
#include <vector>

#include <whisker/geometry/bounding_sphere.hpp>
#include <whisker/spheres/sphere_tree.hpp>

#include "spheres/medial_axis.hpp"
#include "spheres/pieces.hpp"

namespace whisker::spheres {

/// At most `count` spheres that hold all the pieces, each wholly in one of them, up to rounding; none if there are no
/// medial spheres.
///
/// For a protrusion e the sphere about a medial center at the signed distance h has the radius e - h. (The thesis
/// prints e - |h|, which holds outside only.) Spheres are chosen greedily until they hold all: `SphereSelection` says
/// which is next. A binary search looks for the smallest e for which `count` do.
///
/// How many spheres it takes does not always fall as e grows: a sphere about the middle of a cube is the first choice,
/// and needless once others hold the corners. So where a choice fails or has fewer than `count`, it is repeated without
/// its first sphere.
std::vector<BoundingSphere> expand_spheres(const Solid& solid, std::span<const MedialSphere> medial,
                                           std::span<const Piece> pieces, double halving_error, std::size_t count,
                                           SphereSelection selection = SphereSelection::max_elimination);

}  // namespace whisker::spheres
