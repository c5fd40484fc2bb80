#pragma once

/// \file
/// Bounding volumes, for use on their own: simple sets around points, triangles or each other.
///
///     Obb box = fit_obb(points);
///     if (!overlaps(box, pose_a, other, pose_b)) …      // proven apart
///     Interval d = distance_bounds(box, other);         // in one frame
///
/// A volume is a plain struct of doubles, and each header says which set of points in real arithmetic those numbers
/// denote. For every volume X:
///
///   fit_X(points), fit_X(triangles)   encloses them: exactly, not up to rounding
///   merge(a, b)                       encloses both
///   grow(a, length)                   encloses every ball of that radius around a point of a
///   place(pose, a)                    encloses rotation · x + translation for every x of a, in real arithmetic and as
///                                     place(pose, x) rounds it
///   contains(a, point)                false only if the point is proven outside
///   bounds(a)                         an axis-aligned box that encloses it
///   overlaps(a, b)                    false only if proven apart; both in one frame
///   overlaps(a, pose_a, b, pose_b)    the same for the sets moved by the poses, in real arithmetic
///   distance_bounds(…)                [lower, upper] that contains the distance of the two sets: 0 if they meet
///   surface_area(a)                   in plain doubles
///
/// A fit throws an Error if there is nothing to fit to, or a coordinate is not finite or beyond `max_coordinate`
/// (the message names its index); `grow` if the length is negative or not finite. Nothing else is checked: numbers of a
/// volume are finite (but for an Obb's half-lengths), its lengths not negative; poses are as Pose says. The
/// fits, and `merge` of swept spheres, allocate memory; nothing else does. k-DOPs and swept spheres are in
/// methods/kdop.hpp and methods/swept_sphere.hpp.

#include <whisker/geometry/aabb.hpp>
#include <whisker/geometry/bounding_sphere.hpp>
#include <whisker/geometry/obb.hpp>

namespace whisker {

Aabb fit_aabb(std::span<const Vector3> points);
Aabb fit_aabb(std::span<const Triangle> triangles);

Aabb merge(const Aabb& a, const Aabb& b);
Aabb grow(const Aabb& volume, double length);
Aabb place(const Pose& pose, const Aabb& volume);
bool contains(const Aabb& volume, const Vector3& point);
Aabb bounds(const Aabb& volume);
double surface_area(const Aabb& volume);

/// In one frame: exact. In two: by 15 separating axes, as oriented boxes.
bool overlaps(const Aabb& a, const Aabb& b);
bool overlaps(const Aabb& a, const Pose& pose_a, const Aabb& b, const Pose& pose_b);
/// An empty box is beyond every double: [largest double, infinity].
Interval distance_bounds(const Aabb& a, const Aabb& b);
Interval distance_bounds(const Aabb& a, const Pose& pose_a, const Aabb& b, const Pose& pose_b);

}  // namespace whisker
