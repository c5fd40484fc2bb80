#pragma once

// Covers a surface region with a few spheres of equal protrusion whose centers are found by a search (Bradshaw 2002,
// algorithm 7).

#include <cstddef>
#include <span>
#include <vector>

#include <whisker/geometry/bounding_sphere.hpp>

#include "spheres/region.hpp"

namespace whisker::methods {

using spheres::Piece;
using spheres::Solid;

/// Returns at most `count` spheres that contain all the pieces, each piece entirely in one sphere, up to rounding.
///
/// For a protrusion e, a sphere is moved to where it contains the most pieces that are not covered yet. Its radius is e
/// minus the signed distance of its center. The search starts at such a piece, then at each of the spheres found so
/// far, and the best result is kept. A binary search finds the smallest e for which `count` spheres suffice. (The
/// thesis prints the radius with a wrong sign, and lets the first sphere's points be found again.)
std::vector<BoundingSphere> spawn_spheres(const Solid& solid, std::span<const Piece> pieces, double halving_error,
                                          std::size_t count);

}  // namespace whisker::methods
