#include <numbers>

#include <Eigen/Geometry>

#include <whisker/methods/swept_sphere.hpp>

#include "geometry/constants.hpp"
#include "geometry/place.hpp"
#include "methods/volume_trees/swept_core.hpp"
#include "volumes/flat_core.hpp"
#include "volumes/measure.hpp"

namespace whisker::methods {

using volumes::to_core;

namespace {

double grown_radius(double radius, double length) {
  volumes::check_length(length, "grow");
  return geometry::add_up(radius, length);
}

// The radius of the placed volume. It covers the rounding error of the core's points, the rounding error of any other
// point, and the deformation of balls if the rotation is not exactly orthonormal.
template <class Volume>
double placed_radius(const Pose& pose, const Volume& volume) {
  const double rounding = 2 * volumes::place_rounding(pose, volumes::largest_coordinates(to_core(volume)));
  const double bent = 2 * volumes::skew_of(pose.rotation()) * volume.radius;
  return geometry::add_up(volume.radius, (rounding + bent) * (1 + 4 * unit_roundoff));
}

template <class Volume>
Interval bounds_between(const Volume& a, const Volume& b) {
  return volumes::distance_bounds(to_core(a), to_core(b));
}

template <class Volume>
Interval bounds_between(const Volume& a, const Pose& pose_a, const Volume& b, const Pose& pose_b) {
  return volumes::distance_bounds(volumes::placed(pose_a, to_core(a)), volumes::placed(pose_b, to_core(b)));
}

template <class Volume>
bool may_contain(const Volume& volume, const Vector3& point) {
  volumes::Core single;
  single.center = point;
  return volumes::distance_bounds(single, to_core(volume)).lower == 0;
}

// The surface area of all points within a radius of a flat convex core: two sides, a half-pipe along its border, and
// one ball for the corners (Steiner).
double swept_area(double core_area, double border, double radius) {
  return 2 * core_area + std::numbers::pi * radius * border + 4 * std::numbers::pi * radius * radius;
}

}  // namespace

SegmentSweptSphere grow(const SegmentSweptSphere& volume, double length) {
  return {volume.core, grown_radius(volume.radius, length)};
}
SegmentSweptSphere place(const Pose& pose, const SegmentSweptSphere& volume) {
  const auto at = [&](const Vector3& point) { return geometry::placed_point(pose, point); };
  return {{at(volume.core.a), at(volume.core.b)}, placed_radius(pose, volume)};
}
bool contains(const SegmentSweptSphere& volume, const Vector3& point) {
  return may_contain(volume, point);
}
Aabb bounds(const SegmentSweptSphere& volume) {
  return volumes::bounds_of(to_core(volume));
}
double surface_area(const SegmentSweptSphere& volume) {
  return swept_area(0, 2 * volumes::norm_near(volume.core.b - volume.core.a), volume.radius);
}
bool overlaps(const SegmentSweptSphere& a, const SegmentSweptSphere& b) {
  return bounds_between(a, b).lower == 0;
}
bool overlaps(const SegmentSweptSphere& a, const Pose& pose_a, const SegmentSweptSphere& b, const Pose& pose_b) {
  return bounds_between(a, pose_a, b, pose_b).lower == 0;
}
Interval distance_bounds(const SegmentSweptSphere& a, const SegmentSweptSphere& b) {
  return bounds_between(a, b);
}
Interval distance_bounds(const SegmentSweptSphere& a, const Pose& pose_a, const SegmentSweptSphere& b,
                         const Pose& pose_b) {
  return bounds_between(a, pose_a, b, pose_b);
}

TriangleSweptSphere grow(const TriangleSweptSphere& volume, double length) {
  return {volume.core, grown_radius(volume.radius, length)};
}
TriangleSweptSphere place(const Pose& pose, const TriangleSweptSphere& volume) {
  const auto at = [&](const Vector3& point) { return geometry::placed_point(pose, point); };
  return {{at(volume.core.a), at(volume.core.b), at(volume.core.c)}, placed_radius(pose, volume)};
}
bool contains(const TriangleSweptSphere& volume, const Vector3& point) {
  return may_contain(volume, point);
}
Aabb bounds(const TriangleSweptSphere& volume) {
  Aabb box;
  for (const Vector3& corner : core_corners(volume))
    box.include(corner);
  for (int i = 0; i < 3; ++i) {
    box.lower[i] = geometry::add_down(box.lower[i], -volume.radius);
    box.upper[i] = geometry::add_up(box.upper[i], volume.radius);
  }
  return box;
}
double surface_area(const TriangleSweptSphere& volume) {
  const Triangle& t = volume.core;
  const double border = volumes::norm_near(t.b - t.a) + volumes::norm_near(t.c - t.b) + volumes::norm_near(t.a - t.c);
  return swept_area(volumes::norm_near((t.b - t.a).cross(t.c - t.a)) / 2, border, volume.radius);
}
bool overlaps(const TriangleSweptSphere& a, const TriangleSweptSphere& b) {
  return bounds_between(a, b).lower == 0;
}
bool overlaps(const TriangleSweptSphere& a, const Pose& pose_a, const TriangleSweptSphere& b, const Pose& pose_b) {
  return bounds_between(a, pose_a, b, pose_b).lower == 0;
}
Interval distance_bounds(const TriangleSweptSphere& a, const TriangleSweptSphere& b) {
  return bounds_between(a, b);
}
Interval distance_bounds(const TriangleSweptSphere& a, const Pose& pose_a, const TriangleSweptSphere& b,
                         const Pose& pose_b) {
  return bounds_between(a, pose_a, b, pose_b);
}

RectangleSweptSphere grow(const RectangleSweptSphere& volume, double length) {
  return {volume.center, volume.edge_u, volume.edge_v, grown_radius(volume.radius, length)};
}
RectangleSweptSphere place(const Pose& pose, const RectangleSweptSphere& volume) {
  return {geometry::placed_point(pose, volume.center), geometry::placed_direction(pose, volume.edge_u),
          geometry::placed_direction(pose, volume.edge_v), placed_radius(pose, volume)};
}
bool contains(const RectangleSweptSphere& volume, const Vector3& point) {
  return may_contain(volume, point);
}
Aabb bounds(const RectangleSweptSphere& volume) {
  return volumes::bounds_of(to_core(volume));
}
double surface_area(const RectangleSweptSphere& volume) {
  const double u = 2 * volumes::norm_near(volume.edge_u);
  const double v = 2 * volumes::norm_near(volume.edge_v);
  return swept_area(u * v, 2 * (u + v), volume.radius);
}
bool overlaps(const RectangleSweptSphere& a, const RectangleSweptSphere& b) {
  return bounds_between(a, b).lower == 0;
}
bool overlaps(const RectangleSweptSphere& a, const Pose& pose_a, const RectangleSweptSphere& b, const Pose& pose_b) {
  return bounds_between(a, pose_a, b, pose_b).lower == 0;
}
Interval distance_bounds(const RectangleSweptSphere& a, const RectangleSweptSphere& b) {
  return bounds_between(a, b);
}
Interval distance_bounds(const RectangleSweptSphere& a, const Pose& pose_a, const RectangleSweptSphere& b,
                         const Pose& pose_b) {
  return bounds_between(a, pose_a, b, pose_b);
}

}  // namespace whisker::methods
