#pragma once

// Certified distance of simple shapes.
//
// The closest features are found in double; the distance of their points, and the gap between the two supporting planes
// square to the line that joins them, are then evaluated in double-double. The first is an upper bound and the second a
// lower bound on the distance whatever the features were, so a wrong guess can widen the bounds but never make them
// false. Where they are not tight, the points are improved in double-double; where that does not help either, all pairs
// of features are tried.
//
// A convex core (simple_convex.hpp) is left to convex_queries.hpp.

#include <whisker/queries.hpp>

#include "convex/simple_shape.hpp"

namespace whisker::convex {

/// `quick` accepts bounds from doubles where they are within 1e-14 of the distance; `full` does not.
enum class Effort { quick, full };

/// The distance of two simple shapes as whisker::distance defines it: lower > 0 if they are proven apart; upper > 0
/// with a normal, even if lower is 0, if an exact predicate says that they do not touch.
Distance distance_simple_simple(const SimpleShape& a, const SimpleShape& b, Effort effort = Effort::quick);

/// The same where more than `upper_bound` is of no interest: with a convex core, where that is plain to see, only this
/// much is found out, lower > upper_bound with an infinite upper.
Distance distance_within(const SimpleShape& a, const SimpleShape& b, double upper_bound);

/// The same for two spheres, without the detour.
Distance distance_sphere_sphere(const Vector3& center_a, double radius_a, const Vector3& center_b, double radius_b);

/// Whether two simple shapes touch: exact for points, segments and triangles without radius, else true unless proven
/// apart.
bool touches_simple_simple(const SimpleShape& a, const SimpleShape& b);

}  // namespace whisker::convex
