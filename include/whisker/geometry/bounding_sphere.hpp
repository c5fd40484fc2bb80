#pragma once

/// \file
/// BoundingSphere: a ball around points, triangles or other balls.
///
///     BoundingSphere ball = fit_sphere(points);                          // the smallest ball
///     BoundingSphere quick = fit_sphere(points, SphereFit::ritter);      // larger, but faster to find
///     if (!overlaps(ball, pose_a, quick, pose_b)) return;                // proven apart
///     Interval d = distance_bounds(ball, pose_a, quick, pose_b);         // contains the distance of the two balls
///
/// It is also the sphere swept over a point (PSS), the simplest of the swept spheres in methods/swept_sphere.hpp. The
/// rules that all bounding volumes follow, including rounding and errors, are in volumes.hpp.

#include <span>

#include <whisker/geometry/aabb.hpp>
#include <whisker/geometry/interval.hpp>
#include <whisker/pose.hpp>
#include <whisker/primitives.hpp>
#include <whisker/vector.hpp>

namespace whisker {

/// All points x with |x - center| <= radius.
struct BoundingSphere {
  Vector3 center = Vector3::Zero();
  double radius = 0;  ///< 0 or larger; 0 is a single point.
};

/// The sphere swept over a point.
using PointSweptSphere = BoundingSphere;

/// How fit_sphere() chooses the ball.
enum class SphereFit {
  ritter,   ///< Starts with two distant points and grows point by point (Ritter 1990). About one and a half passes over
            ///< the points; the ball is some 5 to 20 % too large.
  minimal,  ///< The smallest ball (Welzl 1991), up to rounding. About ten passes.
};

/// A ball that encloses all points, or all triangles. With SphereFit::minimal the radius exceeds the smallest possible
/// one by at most 1e-12 of it plus one ulp of the largest coordinate. Throws an Error if there is nothing to fit to, or
/// a coordinate is not finite or beyond `max_coordinate`.
BoundingSphere fit_sphere(std::span<const Vector3> points, SphereFit fit = SphereFit::minimal);
BoundingSphere fit_sphere(std::span<const Triangle> triangles, SphereFit fit = SphereFit::minimal);

/// The smallest ball that encloses both, up to rounding. If one ball contains the other, the result is that ball.
BoundingSphere merge(const BoundingSphere& a, const BoundingSphere& b);
/// The ball with `length` added to its radius, rounded up. Throws an Error if the length is negative or not finite.
BoundingSphere grow(const BoundingSphere& volume, double length);
/// The ball moved by the pose. Its radius grows by the rounding error of the move.
BoundingSphere place(const Pose& pose, const BoundingSphere& volume);
/// False only if the point is proven to lie outside.
bool contains(const BoundingSphere& volume, const Vector3& point);
/// An AABB that encloses the ball.
Aabb bounds(const BoundingSphere& volume);
/// 4 π radius², in plain double arithmetic.
double surface_area(const BoundingSphere& volume);

/// False only if the balls are proven apart: both in one frame, or each moved by its own pose.
bool overlaps(const BoundingSphere& a, const BoundingSphere& b);
bool overlaps(const BoundingSphere& a, const Pose& pose_a, const BoundingSphere& b, const Pose& pose_b);
/// An interval that contains the distance of the balls, which is 0 if they meet: both in one frame, or each moved by
/// its own pose.
Interval distance_bounds(const BoundingSphere& a, const BoundingSphere& b);
Interval distance_bounds(const BoundingSphere& a, const Pose& pose_a, const BoundingSphere& b, const Pose& pose_b);

}  // namespace whisker
