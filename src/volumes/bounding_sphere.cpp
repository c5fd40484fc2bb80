#include <algorithm>
#include <numbers>

#include <whisker/geometry/bounding_sphere.hpp>

#include "geometry/constants.hpp"
#include "volumes/flat_core.hpp"
#include "volumes/measure.hpp"
#include "volumes/smallest_ball.hpp"
#include "volumes/to_core.hpp"

namespace whisker {

using volumes::distance_up;
using volumes::to_core;

BoundingSphere fit_sphere(std::span<const Vector3> points, SphereFit fit) {
  volumes::check_points(points, "fit_sphere");
  BoundingSphere result;
  result.center = fit == SphereFit::ritter ? volumes::ritter_center(points) : volumes::smallest_ball_center(points);
  for (const Vector3& point : points)
    result.radius = std::max(result.radius, distance_up(point, result.center));
  return result;
}

BoundingSphere fit_sphere(std::span<const Triangle> triangles, SphereFit fit) {
  return fit_sphere(std::span<const Vector3>(volumes::corners_of(triangles)), fit);
}

BoundingSphere merge(const BoundingSphere& a, const BoundingSphere& b) {
  const double apart = distance_up(a.center, b.center);
  if (geometry::add_up(apart, b.radius) <= a.radius) return a;
  if (geometry::add_up(apart, a.radius) <= b.radius) return b;
  // The center lies on the line through both centers, halfway between the far ends of the two spheres. Neither sphere
  // contains the other here, so `apart` is not 0 and the new center lies between the two centers, up to rounding.
  const double step = std::clamp(((b.radius - a.radius) / apart + 1) / 2, 0.0, 1.0);
  BoundingSphere result;
  result.center = a.center + step * (b.center - a.center);
  result.radius = std::max(geometry::add_up(distance_up(result.center, a.center), a.radius),
                           geometry::add_up(distance_up(result.center, b.center), b.radius));
  return result;
}

BoundingSphere grow(const BoundingSphere& volume, double length) {
  volumes::check_length(length, "grow");
  return {volume.center, geometry::add_up(volume.radius, length)};
}

BoundingSphere place(const Pose& pose, const BoundingSphere& volume) {
  const volumes::Core core = to_core(volume);
  const volumes::Core moved = volumes::placed(pose, core);
  const double error = moved.error + volumes::place_rounding(pose, volumes::largest_coordinates(core));
  return {moved.center, geometry::add_up(volume.radius, error * (1 + 4 * unit_roundoff))};
}

bool contains(const BoundingSphere& volume, const Vector3& point) {
  return volumes::norm_near(point - volume.center) * (1 - 8 * unit_roundoff) <= volume.radius;
}

Aabb bounds(const BoundingSphere& volume) {
  return volumes::bounds_of(to_core(volume));
}

double surface_area(const BoundingSphere& volume) {
  return 4 * std::numbers::pi * volume.radius * volume.radius;
}

bool overlaps(const BoundingSphere& a, const BoundingSphere& b) {
  const double apart = volumes::norm_near(b.center - a.center) * (1 - 8 * unit_roundoff);
  return apart <= geometry::add_up(a.radius, b.radius);
}

bool overlaps(const BoundingSphere& a, const Pose& pose_a, const BoundingSphere& b, const Pose& pose_b) {
  return distance_bounds(a, pose_a, b, pose_b).lower == 0;
}

Interval distance_bounds(const BoundingSphere& a, const BoundingSphere& b) {
  return volumes::distance_bounds(to_core(a), to_core(b));
}

Interval distance_bounds(const BoundingSphere& a, const Pose& pose_a, const BoundingSphere& b, const Pose& pose_b) {
  return volumes::distance_bounds(volumes::placed(pose_a, to_core(a)), volumes::placed(pose_b, to_core(b)));
}

}  // namespace whisker
