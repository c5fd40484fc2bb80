#pragma once

// The fast path for two placed hulls, from their poses to the result: what convex_queries does for any two convex
// bodies, with the same numbers, but without converting the hulls to a common form first. It answers nearly all pairs
// of hulls.

#include <whisker/convex_hull.hpp>
#include <whisker/queries.hpp>

#include "convex/flatness.hpp"

namespace whisker::convex {

/// Whether these options ask only for the distance.
inline bool asks_distance_only(const DistanceOptions& options) {
  return options.tolerance == 0 && options.upper_bound == HUGE_VAL && options.close_enough < 0 &&
         options.budget >= 0x7FFFFFFF;
}

/// The distance with plain options, written to a new result, and the corners of a pair from which the closest points
/// were found. Returns false, with nothing known, for an unusual pair: a pose that is not plainly rigid, contact within
/// rounding, extreme lengths…
bool find_hull_distance(const ConvexHull& a, const Pose& pose_a, const ConvexHull& b, const Pose& pose_b,
                        PairCache* cache, Distance& result, HullCorners& corners);

enum class HullContact : unsigned char { unknown, apart, touching };

HullContact find_hull_contact(const ConvexHull& a, const Pose& pose_a, const ConvexHull& b, const Pose& pose_b,
                              PairCache* cache, Cost& cost);

}  // namespace whisker::convex
