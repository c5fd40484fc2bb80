#pragma once

// The queries on two bounded convex shapes, by GJK and the expanding polytope.
//
// Each query first runs on doubles, with bounds that account for their rounding. Cases that these leave open (shapes
// that touch or nearly touch within rounding, parallel faces at a tiny gap, where a direction is lost) are repeated on
// double-doubles. Whether two shapes touch is decided by the same steps in every query, without the cache as soon as
// contact is near, so that the queries agree with each other to the last bit.

#include <whisker/queries.hpp>

#include "convex/convex_body.hpp"
#include "convex/simple_shape.hpp"

namespace whisker::convex {

bool touches_convex_convex(const ConvexBody& a, const ConvexBody& b, PairCache* cache, Cost& cost);
Distance distance_convex_convex(const ConvexBody& a, const ConvexBody& b, const DistanceOptions& options);
/// If the hint chooses another way out than the shortest, the shortest one goes to `shortest`, a new result or null.
Depth depth_convex_convex(const ConvexBody& a, const ConvexBody& b, const DepthOptions& options,
                          Depth* shortest = nullptr);

/// `plane` is a half-space or a plane.
Distance distance_convex_plane(const ConvexBody& a, const SimpleShape& plane);
bool touches_convex_plane(const ConvexBody& a, const SimpleShape& plane);
Depth depth_convex_plane(const ConvexBody& a, const SimpleShape& plane);

}  // namespace whisker::convex
