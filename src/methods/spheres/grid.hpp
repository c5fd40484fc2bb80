#pragma once

// Covers a surface region with the cells of a grid that is rotated, shifted and sized so that few cells are needed
// (Bradshaw 2002, algorithms 1 and 2).

#include <span>
#include <vector>

#include <whisker/geometry/bounding_sphere.hpp>

#include "spheres/pieces.hpp"

namespace whisker::methods {

using spheres::Piece;

/// Returns at most `count` spheres of one size, around the cells of a grid, that contain the middles of (up to 256 of)
/// the pieces. The cells shrink by a tenth at a time. For each size, a search over rotations and shifts of the grid
/// maximizes the sum of the squared numbers of points that need a sphere, so that few spheres have most of the points.
/// (The thesis prints "minimize" for that search.)
std::vector<BoundingSphere> grid_spheres(std::span<const Piece> pieces, std::size_t count);

}  // namespace whisker::methods
