#pragma once

// A region of the surface as the cells of a grid that is turned, moved and sized to need few of them (Bradshaw 2002,
// algorithms 1 and 2).

#include <span>
#include <vector>

#include <whisker/geometry/bounding_sphere.hpp>

#include "spheres/pieces.hpp"

namespace whisker::methods {

using spheres::Piece;

/// At most `count` spheres of one size, around the cells of a grid, that hold the middles of (up to 256 of) the pieces.
/// The cells become smaller by a tenth at a time; for each size a search over turns and shifts of the grid looks for
/// the largest sum of squares of the numbers of points that need a sphere, so that few spheres have most of them. (The
/// thesis prints "minimize" for that search.)
std::vector<BoundingSphere> grid_spheres(std::span<const Piece> pieces, std::size_t count);

}  // namespace whisker::methods
