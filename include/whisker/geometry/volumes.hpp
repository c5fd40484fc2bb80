#pragma once

/// \file
/// Bounding volumes for direct use: simple sets around points, triangles or each other.
///
///     Obb box = fit_obb(points);
///     if (!overlaps(box, pose_a, other, pose_b)) return;     // proven apart
///     Interval d = distance_bounds(box, other);              // both in one frame
///     Aabb world_box = bounds(place(pose_a, box));
///
/// This header declares the operations of Aabb (aabb.hpp) and includes BoundingSphere (bounding_sphere.hpp) and Obb
/// (obb.hpp). k-DOPs and swept spheres are in methods/kdop.hpp and methods/swept_sphere.hpp.
///
/// A volume is a plain struct of doubles. Each header states which set of points, in real arithmetic, these numbers
/// represent. Every volume X has the same operations:
///
///   fit_X(points), fit_X(triangles)   encloses them: exactly, not only up to rounding
///   merge(a, b)                       encloses both
///   grow(a, length)                   encloses every ball of that radius around a point of a
///   place(pose, a)                    encloses rotation · x + translation for every x of a, in real arithmetic and as
///                                     place(pose, x) rounds it
///   contains(a, point)                false only if the point is proven to lie outside
///   bounds(a)                         an AABB that encloses a
///   overlaps(a, b)                    false only if proven apart; both in one frame
///   overlaps(a, pose_a, b, pose_b)    the same for the sets moved by the poses, in real arithmetic
///   distance_bounds(a, b)             an interval that contains the distance of the two sets, which is 0 if they meet;
///                                     also with poses
///   surface_area(a)                   in plain double arithmetic
///
/// A fit throws an Error if there is nothing to fit to, or if a coordinate is not finite or beyond `max_coordinate`
/// (the message names the index of the point). `grow` throws an Error if the length is negative or not finite. Apart
/// from the axes of an Obb (obb.hpp) nothing else is checked: the numbers of a volume must be finite (except the bounds
/// of an Aabb and the half-lengths of an Obb), its lengths must not be negative, and poses must be as Pose requires.
/// Fits allocate memory, and so does `merge` of swept spheres; nothing else does.

#include <whisker/geometry/aabb.hpp>
#include <whisker/geometry/bounding_sphere.hpp>
#include <whisker/geometry/obb.hpp>

namespace whisker {

/// The smallest AABB around all points, or all triangles. Throws an Error if there is nothing to fit to, or a
/// coordinate is not finite or beyond `max_coordinate`.
Aabb fit_aabb(std::span<const Vector3> points);
Aabb fit_aabb(std::span<const Triangle> triangles);

/// The smallest AABB around both.
Aabb merge(const Aabb& a, const Aabb& b);
/// The box with every face moved outward by `length`, rounded outward; an empty box stays empty. Throws an Error if the
/// length is negative or not finite.
Aabb grow(const Aabb& volume, double length);
/// An AABB around the box moved by the pose; an empty box stays empty.
Aabb place(const Pose& pose, const Aabb& volume);
/// Whether the point lies in the box, boundary included. Exact.
bool contains(const Aabb& volume, const Vector3& point);
/// The box itself.
Aabb bounds(const Aabb& volume);
/// In plain double arithmetic; 0 for an empty box.
double surface_area(const Aabb& volume);

/// Whether the boxes share a point: exact for two boxes in one frame. With poses the boxes are tested as oriented boxes
/// by 15 separating axes, and the answer is false only if they are proven apart. An empty box overlaps nothing.
bool overlaps(const Aabb& a, const Aabb& b);
bool overlaps(const Aabb& a, const Pose& pose_a, const Aabb& b, const Pose& pose_b);
/// An interval that contains the distance of the boxes. The distance to an empty box is beyond every double: the result
/// is [largest double, infinity].
Interval distance_bounds(const Aabb& a, const Aabb& b);
Interval distance_bounds(const Aabb& a, const Pose& pose_a, const Aabb& b, const Pose& pose_b);

}  // namespace whisker
