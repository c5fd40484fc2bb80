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

#include <concepts>
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

/// The operations that geometry/volumes.hpp lists, for each of the three. `merge` fits a new volume around both and
/// allocates memory.
SegmentSweptSphere merge(const SegmentSweptSphere& a, const SegmentSweptSphere& b);
TriangleSweptSphere merge(const TriangleSweptSphere& a, const TriangleSweptSphere& b);
RectangleSweptSphere merge(const RectangleSweptSphere& a, const RectangleSweptSphere& b);
SegmentSweptSphere place(const Pose& pose, const SegmentSweptSphere& volume);
TriangleSweptSphere place(const Pose& pose, const TriangleSweptSphere& volume);
RectangleSweptSphere place(const Pose& pose, const RectangleSweptSphere& volume);
Aabb bounds(const SegmentSweptSphere& volume);
Aabb bounds(const TriangleSweptSphere& volume);
Aabb bounds(const RectangleSweptSphere& volume);
double surface_area(const SegmentSweptSphere& volume);
double surface_area(const TriangleSweptSphere& volume);
double surface_area(const RectangleSweptSphere& volume);

template <class Volume>
concept SweptSphere = std::same_as<Volume, SegmentSweptSphere> || std::same_as<Volume, TriangleSweptSphere> ||
    std::same_as<Volume, RectangleSweptSphere>;

/// Throws an Error if the length is negative or not finite.
template <SweptSphere Volume>
Volume grow(const Volume& volume, double length);
template <SweptSphere Volume>
bool contains(const Volume& volume, const Vector3& point);
template <SweptSphere Volume>
bool overlaps(const Volume& a, const Volume& b);
template <SweptSphere Volume>
bool overlaps(const Volume& a, const Pose& pose_a, const Volume& b, const Pose& pose_b);
template <SweptSphere Volume>
Interval distance_bounds(const Volume& a, const Volume& b);
template <SweptSphere Volume>
Interval distance_bounds(const Volume& a, const Pose& pose_a, const Volume& b, const Pose& pose_b);

}  // namespace whisker::methods
