#pragma once

// A region of the surface as few of the medial spheres, by removing one after the other (Bradshaw 2002, algorithm 5).

#include <cstddef>
#include <span>
#include <vector>

#include <whisker/geometry/bounding_sphere.hpp>

#include "spheres/medial_axis.hpp"
#include "spheres/sphere_shares.hpp"

namespace whisker::methods {

using spheres::MedialSphere;
using spheres::Piece;
using spheres::Region;
using spheres::Share;
using spheres::Solid;

/// At most `count` spheres that hold all the pieces, each wholly in one of them, up to rounding: from the medial
/// spheres, each with the pieces that it fits best.
std::vector<BoundingSphere> burst_spheres(const Solid& solid, std::span<const MedialSphere> medial,
                                          std::span<const Piece> pieces, double halving_error, std::size_t count);

/// Each piece to the medial sphere that it lies deepest in, or that must grow least; the better of the balls about the
/// center and around all. One share for each medial sphere, perhaps without pieces.
std::vector<Share> medial_shares(const Region& region, std::span<const MedialSphere> medial);

}  // namespace whisker::methods
