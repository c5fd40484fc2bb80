#pragma once

/// \file
/// Swept spheres: all points within a radius of a segment (LSS), a triangle (TSS) or a rectangle (RSS), after Larsen,
/// Gottschalk, Lin and Manocha (1999).
///
///     RectangleSweptSphere a = fit_rectangle_sphere(points), b = fit_rectangle_sphere(triangles);
///     if (!overlaps(a, pose_a, b, pose_b)) return;              // proven apart
///     Interval d = distance_bounds(a, pose_a, b, pose_b);
///
/// The sphere swept over a point (PSS) is BoundingSphere. The rules that all bounding volumes follow, including
/// rounding and errors, are in geometry/volumes.hpp.

#include <span>

#include <whisker/geometry/aabb.hpp>
#include <whisker/geometry/bounding_sphere.hpp>
#include <whisker/geometry/interval.hpp>
#include <whisker/pose.hpp>
#include <whisker/primitives.hpp>
#include <whisker/vector.hpp>

namespace whisker::methods {

/// All points within `radius` of the segment (LSS).
struct SegmentSweptSphere {
  Segment core;
  double radius = 0;
};

/// All points within `radius` of the triangle (TSS).
struct TriangleSweptSphere {
  Triangle core;
  double radius = 0;
};

/// All points within `radius` of a point center + s edge_u + t edge_v with |s|, |t| <= 1 (RSS).
///
/// The edge vectors are half the rectangle's sides. They are at right angles only up to rounding; the set is exactly
/// what the formula says.
struct RectangleSweptSphere {
  Vector3 center = Vector3::Zero();
  Vector3 edge_u = Vector3::Zero();
  Vector3 edge_v = Vector3::Zero();
  double radius = 0;
};

/// Fits around points or triangles. The core is chosen by the covariance of the points. The radius is the largest
/// distance of a point from the core, rounded up. (Half-lengths of the fitted box alone, as in some texts, would
/// exclude its corners.) For a single triangle, fit_triangle_sphere returns that triangle as the core, with radius 0.
/// Throws an Error if there is nothing to fit to, or a coordinate is not finite or beyond `max_coordinate`.
SegmentSweptSphere fit_segment_sphere(std::span<const Vector3> points);
SegmentSweptSphere fit_segment_sphere(std::span<const Triangle> triangles);
TriangleSweptSphere fit_triangle_sphere(std::span<const Vector3> points);
TriangleSweptSphere fit_triangle_sphere(std::span<const Triangle> triangles);
RectangleSweptSphere fit_rectangle_sphere(std::span<const Vector3> points);
RectangleSweptSphere fit_rectangle_sphere(std::span<const Triangle> triangles);

/// The operations that geometry/volumes.hpp lists. `merge` fits a new volume around both and allocates memory; `grow`
/// throws an Error if the length is negative or not finite.
SegmentSweptSphere merge(const SegmentSweptSphere& a, const SegmentSweptSphere& b);
SegmentSweptSphere grow(const SegmentSweptSphere& volume, double length);
SegmentSweptSphere place(const Pose& pose, const SegmentSweptSphere& volume);
bool contains(const SegmentSweptSphere& volume, const Vector3& point);
Aabb bounds(const SegmentSweptSphere& volume);
double surface_area(const SegmentSweptSphere& volume);
bool overlaps(const SegmentSweptSphere& a, const SegmentSweptSphere& b);
bool overlaps(const SegmentSweptSphere& a, const Pose& pose_a, const SegmentSweptSphere& b, const Pose& pose_b);
Interval distance_bounds(const SegmentSweptSphere& a, const SegmentSweptSphere& b);
Interval distance_bounds(const SegmentSweptSphere& a, const Pose& pose_a, const SegmentSweptSphere& b,
                         const Pose& pose_b);

/// The operations that geometry/volumes.hpp lists. `merge` fits a new volume around both and allocates memory; `grow`
/// throws an Error if the length is negative or not finite.
TriangleSweptSphere merge(const TriangleSweptSphere& a, const TriangleSweptSphere& b);
TriangleSweptSphere grow(const TriangleSweptSphere& volume, double length);
TriangleSweptSphere place(const Pose& pose, const TriangleSweptSphere& volume);
bool contains(const TriangleSweptSphere& volume, const Vector3& point);
Aabb bounds(const TriangleSweptSphere& volume);
double surface_area(const TriangleSweptSphere& volume);
bool overlaps(const TriangleSweptSphere& a, const TriangleSweptSphere& b);
bool overlaps(const TriangleSweptSphere& a, const Pose& pose_a, const TriangleSweptSphere& b, const Pose& pose_b);
Interval distance_bounds(const TriangleSweptSphere& a, const TriangleSweptSphere& b);
Interval distance_bounds(const TriangleSweptSphere& a, const Pose& pose_a, const TriangleSweptSphere& b,
                         const Pose& pose_b);

/// The operations that geometry/volumes.hpp lists. `merge` fits a new volume around both and allocates memory; `grow`
/// throws an Error if the length is negative or not finite.
RectangleSweptSphere merge(const RectangleSweptSphere& a, const RectangleSweptSphere& b);
RectangleSweptSphere grow(const RectangleSweptSphere& volume, double length);
RectangleSweptSphere place(const Pose& pose, const RectangleSweptSphere& volume);
bool contains(const RectangleSweptSphere& volume, const Vector3& point);
Aabb bounds(const RectangleSweptSphere& volume);
double surface_area(const RectangleSweptSphere& volume);
bool overlaps(const RectangleSweptSphere& a, const RectangleSweptSphere& b);
bool overlaps(const RectangleSweptSphere& a, const Pose& pose_a, const RectangleSweptSphere& b, const Pose& pose_b);
Interval distance_bounds(const RectangleSweptSphere& a, const RectangleSweptSphere& b);
Interval distance_bounds(const RectangleSweptSphere& a, const Pose& pose_a, const RectangleSweptSphere& b,
                         const Pose& pose_b);

}  // namespace whisker::methods
