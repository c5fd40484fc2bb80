#pragma once

// Covers a surface region with a few of the medial spheres, by removing them one by one (Bradshaw 2002, algorithm 5).

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

/// Returns at most `count` spheres that contain all the pieces, each piece entirely in one sphere, up to rounding.
/// Starts from the medial spheres, each with the pieces that it fits best.
std::vector<BoundingSphere> burst_spheres(const Solid& solid, std::span<const MedialSphere> medial,
                                          std::span<const Piece> pieces, double halving_error, std::size_t count);

/// Gives each piece to the medial sphere that contains it most deeply, or that must grow least. The ball of a share is
/// the better of the ball around the medial center and the smallest ball. Returns one share for each medial sphere,
/// possibly without pieces.
std::vector<Share> medial_shares(const Region& region, std::span<const MedialSphere> medial);

}  // namespace whisker::methods
