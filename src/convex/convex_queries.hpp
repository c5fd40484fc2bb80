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

/// The distance, or the depth as well if the shapes are not proven apart; then the function returns true, and `apart`
/// has bounds but perhaps no points. Both results must be new. The search for the distance starts according to `start`,
/// which may be null; what is remembered goes to the cache in the options.
bool signed_convex_convex(const ConvexBody& a, const ConvexBody& b, const SignedDistanceOptions& options,
                          const PairCache* start, Distance& apart, Depth& deep);
/// Whether the cache has the surface on which a depth was found, from which signed_convex_convex begins.
bool has_warm_surface(const PairCache& cache);

/// `plane` is a half-space or a plane.
Distance distance_convex_plane(const ConvexBody& a, const SimpleShape& plane);
bool touches_convex_plane(const ConvexBody& a, const SimpleShape& plane);
Depth depth_convex_plane(const ConvexBody& a, const SimpleShape& plane);

}  // namespace whisker::convex
