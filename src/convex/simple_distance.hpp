#pragma once

// Certified distance of simple shapes, whether they touch, and their penetration depth.
//
// The closest features are found in double. Then the distance of their points, and the gap between the two supporting
// planes perpendicular to the line that joins them, are evaluated in double-double. The first is an upper bound and the
// second a lower bound on the distance for any features, so a wrong guess can widen the bounds but never make them
// false. If they are not tight, the points are improved in double-double. If that does not help either, all pairs of
// features are tried.
//
// Pairs with a convex core (simple_convex.hpp) are left to convex_queries.hpp.

#include <whisker/queries.hpp>

#include "convex/quick_touch.hpp"
#include "convex/simple_shape.hpp"

namespace whisker::convex {

/// `quick` accepts bounds from doubles if they are within 2^-48 of the distance. `full` does not.
enum class Effort { quick, full };

/// The distance of two simple shapes as whisker::distance defines it. lower > 0 if they are proven apart. upper > 0
/// with a normal, even if lower is 0, if an exact predicate finds that they do not touch.
Distance distance_simple_simple(const SimpleShape& a, const SimpleShape& b, Effort effort = Effort::quick);

/// The same if only distances up to `upper_bound` matter. If a shape has a convex core and the distance is clearly
/// larger, the result is only lower > upper_bound with an infinite upper.
Distance distance_within(const SimpleShape& a, const SimpleShape& b, double upper_bound);

/// The distance of two spheres.
Distance distance_sphere_sphere(const Vector3& center_a, double radius_a, const Vector3& center_b, double radius_b);

/// Whether two spheres touch, if rounding does not matter.
inline QuickTouch touch_of_spheres(const Vector3& center_a, double radius_a, const Vector3& center_b, double radius_b) {
  constexpr double slack = 0x1p-49, least = 0x1p-600;  // each square is off by at most five roundings
  const double radii = radius_a + radius_b, most = radii * radii, square = (center_b - center_a).squaredNorm();
  if (square > most * (1 + slack) && square > least) return QuickTouch::no;
  return square < most * (1 - slack) && most > least ? QuickTouch::yes : QuickTouch::unknown;
}

/// Whether two simple shapes touch. Exact for points, segments and triangles without radius, with each other and with
/// half-spaces and planes. For all others, true unless they are proven apart.
bool touches_simple_simple(const SimpleShape& a, const SimpleShape& b);

/// The depth of two simple shapes as whisker::depth defines it (simple_depth.cpp).
Depth depth_simple_simple(const SimpleShape& a, const SimpleShape& b);
/// The same for shapes that are not proven apart. `cores_touch` tells that their cores are known to touch.
Depth depth_of_touching(const SimpleShape& a, const SimpleShape& b, bool cores_touch);

/// The distance, or the depth as well if the shapes are not proven apart; then the function returns true, and `apart`
/// has bounds but perhaps no points. Both results must be new. The shapes have no convex core.
bool signed_simple_simple(const SimpleShape& a, const SimpleShape& b, Distance& apart, Depth& deep);

}  // namespace whisker::convex
