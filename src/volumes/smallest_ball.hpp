#pragma once

// Centers of balls around points. The radius is then the distance of the farthest point.

#include <span>

#include <whisker/vector.hpp>

namespace whisker::volumes {

/// J. Ritter, "An efficient bounding sphere" (1990): starts at the middle of two points far apart and moves toward each
/// point left out. Needs at least one point; all must be finite.
Vector3 ritter_center(std::span<const Vector3> points);

/// The center of the smallest ball around the points, up to rounding. Needs at least one point; all must be finite.
///
/// E. Welzl, "Smallest enclosing disks (balls and ellipsoids)" (1991): the ball is spanned by at most four of the
/// points. The search follows B. Gärtner, "Fast and robust smallest enclosing balls" (1999): start with any point, then
/// repeatedly bring the point that is farthest outside into the basis, which makes the ball grow, until no point is
/// outside. Here the ball of the basis and the new point, at most five points, is the best of the balls spanned by
/// their subsets: the one whose radius must grow least to contain all five. So duplicates and points on a common circle
/// or sphere need no special handling.
Vector3 smallest_ball_center(std::span<const Vector3> points);

}  // namespace whisker::volumes
