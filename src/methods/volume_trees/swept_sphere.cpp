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

// The radius of the placed volume. It covers the rounding error of the core's points, the rounding error of any other
// point, and the deformation of balls if the rotation is not exactly orthonormal.
template <class Volume>
double placed_radius(const Pose& pose, const Volume& volume) {
  const double rounding = 2 * volumes::place_rounding(pose, volumes::largest_coordinates(to_core(volume)));
  const double bent = 2 * volumes::skew_of(pose.rotation()) * volume.radius;
  return geometry::add_up(volume.radius, (rounding + bent) * (1 + 4 * unit_roundoff));
}

// The surface area of all points within a radius of a flat convex core: two sides, a half-pipe along its border, and
// one ball for the corners (Steiner).
double swept_area(double core_area, double border, double radius) {
  return 2 * core_area + std::numbers::pi * radius * border + 4 * std::numbers::pi * radius * radius;
}

}  // namespace

SegmentSweptSphere place(const Pose& pose, const SegmentSweptSphere& volume) {
  const auto at = [&](const Vector3& point) { return geometry::placed_point(pose, point); };
  return {{at(volume.core.a), at(volume.core.b)}, placed_radius(pose, volume)};
}
TriangleSweptSphere place(const Pose& pose, const TriangleSweptSphere& volume) {
  const auto at = [&](const Vector3& point) { return geometry::placed_point(pose, point); };
  return {{at(volume.core.a), at(volume.core.b), at(volume.core.c)}, placed_radius(pose, volume)};
}
RectangleSweptSphere place(const Pose& pose, const RectangleSweptSphere& volume) {
  return {geometry::placed_point(pose, volume.center), geometry::placed_direction(pose, volume.edge_u),
          geometry::placed_direction(pose, volume.edge_v), placed_radius(pose, volume)};
}

Aabb bounds(const SegmentSweptSphere& volume) {
  return volumes::bounds_of(to_core(volume));
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
Aabb bounds(const RectangleSweptSphere& volume) {
  return volumes::bounds_of(to_core(volume));
}

double surface_area(const SegmentSweptSphere& volume) {
  return swept_area(0, 2 * volumes::norm_near(volume.core.b - volume.core.a), volume.radius);
}
double surface_area(const TriangleSweptSphere& volume) {
  const Triangle& t = volume.core;
  const double border = volumes::norm_near(t.b - t.a) + volumes::norm_near(t.c - t.b) + volumes::norm_near(t.a - t.c);
  return swept_area(volumes::norm_near((t.b - t.a).cross(t.c - t.a)) / 2, border, volume.radius);
}
double surface_area(const RectangleSweptSphere& volume) {
  const double u = 2 * volumes::norm_near(volume.edge_u);
  const double v = 2 * volumes::norm_near(volume.edge_v);
  return swept_area(u * v, 2 * (u + v), volume.radius);
}

template <SweptSphere Volume>
Volume grow(const Volume& volume, double length) {
  volumes::check_length(length, "grow");
  Volume grown = volume;
  grown.radius = geometry::add_up(volume.radius, length);
  return grown;
}

template <SweptSphere Volume>
bool contains(const Volume& volume, const Vector3& point) {
  volumes::Core single;
  single.center = point;
  return volumes::distance_bounds(single, to_core(volume)).lower == 0;
}

template <SweptSphere Volume>
bool overlaps(const Volume& a, const Volume& b) {
  return distance_bounds(a, b).lower == 0;
}

template <SweptSphere Volume>
bool overlaps(const Volume& a, const Pose& pose_a, const Volume& b, const Pose& pose_b) {
  return distance_bounds(a, pose_a, b, pose_b).lower == 0;
}

template <SweptSphere Volume>
Interval distance_bounds(const Volume& a, const Volume& b) {
  return volumes::distance_bounds(to_core(a), to_core(b));
}

template <SweptSphere Volume>
Interval distance_bounds(const Volume& a, const Pose& pose_a, const Volume& b, const Pose& pose_b) {
  return volumes::distance_bounds(volumes::placed(pose_a, to_core(a)), volumes::placed(pose_b, to_core(b)));
}

#define WHISKER_SWEPT_SPHERE(Volume)                                              \
  template Volume grow(const Volume&, double);                                    \
  template bool contains(const Volume&, const Vector3&);                          \
  template bool overlaps(const Volume&, const Volume&);                           \
  template bool overlaps(const Volume&, const Pose&, const Volume&, const Pose&); \
  template Interval distance_bounds(const Volume&, const Volume&);                \
  template Interval distance_bounds(const Volume&, const Pose&, const Volume&, const Pose&);

WHISKER_SWEPT_SPHERE(SegmentSweptSphere)
WHISKER_SWEPT_SPHERE(TriangleSweptSphere)
WHISKER_SWEPT_SPHERE(RectangleSweptSphere)
#undef WHISKER_SWEPT_SPHERE

}  // namespace whisker::methods
