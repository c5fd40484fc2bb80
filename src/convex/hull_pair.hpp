#pragma once

// Two placed hulls, from their poses to the answer in one go: what convex_queries does for any two convex bodies, with
// the same numbers, but without bringing the hulls to a common form first. Nearly all pairs of hulls are answered here.

#include <whisker/convex_hull.hpp>
#include <whisker/queries.hpp>

#include "convex/flatness.hpp"

namespace whisker::convex {

/// Whether these options ask for nothing but the distance.
inline bool asks_distance_only(const DistanceOptions& options) {
  return options.tolerance == 0 && options.upper_bound == HUGE_VAL && options.close_enough < 0 &&
         options.budget >= 0x7FFFFFFF;
}

/// The distance, with plain options, into a new result, with the corners of a pair that the closest points were found
/// from. False if the pair is out of the ordinary, and nothing is known:
/// a pose that is not plainly rigid, contact within rounding, extreme lengths…
bool find_hull_distance(const ConvexHull& a, const Pose& pose_a, const ConvexHull& b, const Pose& pose_b,
                        PairCache* cache, Distance& result, HullCorners& corners);

enum class HullContact : unsigned char { unknown, apart, touching };

HullContact find_hull_contact(const ConvexHull& a, const Pose& pose_a, const ConvexHull& b, const Pose& pose_b,
                              PairCache* cache, Cost& cost);

}  // namespace whisker::convex
