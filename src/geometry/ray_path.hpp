#pragma once

// The line of a query and its crossings with solids: the implementation of the public ray_…, line_… and ray_moving
// functions.

#include <optional>
#include <span>

#include <whisker/ray.hpp>

#include "geometry/unit_vector.hpp"

namespace whisker::geometry {

/// The line origin + t (direction + direction_tail). The tail is the rounding error of a relative direction. It is zero
/// for a shape at rest. `pose` places the shape. A null pose means the shape's own frame.
struct LinePath {
  Vector3 origin;
  Vector3 direction;
  Vector3 direction_tail;
  const Pose* pose;
  bool exit_normal = true;  ///< False: the caller does not need the normal where the line leaves a bounded solid.

  bool at_rest() const { return direction[0] == 0 && direction[1] == 0 && direction[2] == 0; }
};

LinePath path_of(const Ray& ray, const Pose* pose);
/// The path relative to a shape that moves with `velocity`.
LinePath path_of(const Ray& ray, const Pose* pose, const Vector3& velocity);

std::optional<LineCrossing> crossing(const LinePath& path, const Sphere& sphere);
std::optional<LineCrossing> crossing(const LinePath& path, const Aabb& box);
std::optional<LineCrossing> crossing(const LinePath& path, const Box& box);
std::optional<LineCrossing> crossing(const LinePath& path, const Capsule& capsule);
std::optional<LineCrossing> crossing(const LinePath& path, const Cylinder& cylinder);
std::optional<LineCrossing> crossing(const LinePath& path, const Cone& cone);
std::optional<LineCrossing> crossing(const LinePath& path, const Ellipsoid& ellipsoid);
std::optional<LineCrossing> crossing(const LinePath& path, std::span<const HalfSpace> sides);

/// The hit on a plane. `ray` is the caller's ray, from which the path was made.
std::optional<RayHit> plane_hit(const Ray& ray, const LinePath& path, const Plane& plane, RayRange range);
/// The hit on a triangle, decided exactly. The path must have no pose.
std::optional<RayHit> triangle_hit(const Ray& ray, const LinePath& path, const Triangle& triangle, RayRange range);
/// The same if the path is the ray itself.
std::optional<RayHit> triangle_hit(const Ray& ray, const Triangle& triangle, RayRange range);

/// origin + t * direction.
inline Vector3 point_at(const Ray& ray, double t) {
  return {ray.origin[0] + t * ray.direction[0], ray.origin[1] + t * ray.direction[1],
          ray.origin[2] + t * ray.direction[2]};
}

}  // namespace whisker::geometry
