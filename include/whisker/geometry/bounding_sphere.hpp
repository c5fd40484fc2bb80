#pragma once

/// \file
/// BoundingSphere: a ball around points, triangles or other balls. It is also the sphere swept over a point (PSS).
///
/// What all bounding volumes have in common stands in volumes.hpp.

#include <span>

#include <whisker/geometry/aabb.hpp>
#include <whisker/geometry/interval.hpp>
#include <whisker/pose.hpp>
#include <whisker/primitives.hpp>
#include <whisker/vector.hpp>

namespace whisker {

/// All x with |x - center| <= radius.
struct BoundingSphere {
  Vector3 center = Vector3::Zero();
  double radius = 0;
};

/// The sphere swept over a point.
using PointSweptSphere = BoundingSphere;

enum class SphereFit {
  ritter,   ///< Two far points, then grown point by point (Ritter 1990): one pass and a half, some 5 to 20 % too large.
  minimal,  ///< The smallest ball (Welzl 1991), up to rounding. Some ten passes.
};

/// A ball around all points. The minimal one's radius exceeds the smallest possible by at most 1e-12 of it, and a unit
/// in the last place of the largest coordinate.
BoundingSphere fit_sphere(std::span<const Vector3> points, SphereFit fit = SphereFit::minimal);
BoundingSphere fit_sphere(std::span<const Triangle> triangles, SphereFit fit = SphereFit::minimal);

/// The smallest ball around both, up to rounding; one of them if it holds the other.
BoundingSphere merge(const BoundingSphere& a, const BoundingSphere& b);
BoundingSphere grow(const BoundingSphere& volume, double length);
BoundingSphere place(const Pose& pose, const BoundingSphere& volume);
bool contains(const BoundingSphere& volume, const Vector3& point);
Aabb bounds(const BoundingSphere& volume);
double surface_area(const BoundingSphere& volume);

bool overlaps(const BoundingSphere& a, const BoundingSphere& b);
bool overlaps(const BoundingSphere& a, const Pose& pose_a, const BoundingSphere& b, const Pose& pose_b);
Interval distance_bounds(const BoundingSphere& a, const BoundingSphere& b);
Interval distance_bounds(const BoundingSphere& a, const Pose& pose_a, const BoundingSphere& b, const Pose& pose_b);

}  // namespace whisker
