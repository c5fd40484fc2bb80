#pragma once

// Centers of balls around points; the radius is then the distance of the farthest point.

#include <span>

#include <whisker/vector.hpp>

namespace whisker::volumes {

/// J. Ritter, "An efficient bounding sphere" (1990): the middle of two far points, moved toward each point left out.
/// At least one point, finite.
Vector3 ritter_center(std::span<const Vector3> points);

/// The center of the smallest ball around the points, up to rounding. At least one point, finite.
///
/// E. Welzl, "Smallest enclosing disks (balls and ellipsoids)" (1991): the ball is spanned by at most four of the
/// points. As B. Gärtner, "Fast and robust smallest enclosing balls" (1999), takes it: begin with any, bring the point
/// that is farthest outside into the basis, which makes the ball grow, until none is outside. Here the ball of basis
/// and newcomer, five points at most, is the best of those spanned by their subsets, judged by how far it must reach to
/// hold all five; so points on one circle or sphere and duplicates need no care.
Vector3 smallest_ball_center(std::span<const Vector3> points);

}  // namespace whisker::volumes
