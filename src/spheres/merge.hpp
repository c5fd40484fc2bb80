#pragma once

// Covers a surface region with a few spheres, merged from many (Hubbard 1995, with Bradshaw's improvements, 2002, 5.3).

#include <cstdint>
#include <span>
#include <vector>

#include <whisker/geometry/bounding_sphere.hpp>

#include "spheres/medial_axis.hpp"
#include "spheres/pieces.hpp"

namespace whisker::spheres {

/// Returns at most `count` spheres that contain all the pieces, each piece entirely in one sphere, up to rounding.
///
/// Each piece is given to the medial sphere that it fits best, and spheres without a piece are dropped. Then,
/// repeatedly, two neighbors are replaced by one sphere for the pieces of both. The pair whose merged sphere protrudes
/// least is merged next, but the worst sphere goes first if merging improves it. Spheres without a neighbor get those
/// that they overlap as neighbors, or any. When few spheres are left, all are neighbors. Spheres whose pieces lie in
/// other spheres are redundant and dropped. Merging ends once `count` spheres remain without them.
///
/// The thesis measures the protrusion of a sphere at points on it. This function uses the proven bound, which costs one
/// query.
std::vector<BoundingSphere> merge_spheres(const Solid& solid, std::span<const MedialSphere> medial,
                                          std::span<const Piece> pieces, double halving_error, std::size_t count);

}  // namespace whisker::spheres
