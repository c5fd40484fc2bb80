#pragma once

// A region of the surface as few spheres that stand off equally far, their centers found by a search (Bradshaw 2002,
// algorithm 7).

#include <cstddef>
#include <span>
#include <vector>

#include <whisker/geometry/bounding_sphere.hpp>

#include "spheres/region.hpp"

namespace whisker::methods {

using spheres::Piece;
using spheres::Solid;

/// At most `count` spheres that hold all the pieces, each wholly in one of them, up to rounding.
///
/// For a protrusion e a sphere is moved to where it holds most of the pieces that are not held yet, its radius e less
/// the signed distance of its center. The search begins at such a piece, then at each of the spheres found so far; the
/// best is kept. A binary search looks for the smallest e for which `count` do. (The thesis prints the radius with a
/// wrong sign, and lets the first sphere's points be found again.)
std::vector<BoundingSphere> spawn_spheres(const Solid& solid, std::span<const Piece> pieces, double halving_error,
                                          std::size_t count);

}  // namespace whisker::methods
