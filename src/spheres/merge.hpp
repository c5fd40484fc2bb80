#pragma once

// A region of the surface as few spheres, merged from many (Hubbard 1995, with Bradshaw's improvements, 2002, 5.3).

#include <cstdint>
#include <span>
#include <vector>

#include <whisker/geometry/bounding_sphere.hpp>

#include "spheres/medial_axis.hpp"
#include "spheres/pieces.hpp"

namespace whisker::spheres {

/// At most `count` spheres that hold all the pieces, each wholly in one of them, up to rounding.
///
/// Each piece is given to the medial sphere it fits best, and spheres without a piece are dropped. Then two neighbors
/// are replaced by one sphere for the pieces of both, always the two whose sphere stands off least; but the worst
/// sphere first, if merging it makes it better. Spheres without a neighbor get near ones that they overlap, or any;
/// when few are left, all are neighbors. Spheres whose pieces lie in others are dropped, and merging ends once `count`
/// are left without them.
///
/// The thesis measures how far a sphere stands off by points on it; here the proven bound does, which costs one query.
std::vector<BoundingSphere> merge_spheres(const Solid& solid, std::span<const MedialSphere> medial,
                                          std::span<const Piece> pieces, double halving_error, std::size_t count);

}  // namespace whisker::spheres
