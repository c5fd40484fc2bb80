// The public ray_…, line_… and ray_moving functions of the solids and the plane. Each computes a crossing and clips it
// to a range.

#include "geometry/constants.hpp"
#include "geometry/place.hpp"
#include "geometry/raw_pose.hpp"
#include "geometry/ray_near.hpp"
#include "geometry/ray_path.hpp"

namespace whisker {

using geometry::crossing;
using geometry::path_of;

Ray ray_between(const Vector3& a, const Vector3& b) {
  return {a, b - a};
}

std::optional<RayHit> hit_in_range(const Ray& ray, const LineCrossing& crossing, RayRange range) {
  if (!(range.lower <= range.upper)) return std::nullopt;
  if (crossing.exit_upper < range.lower || crossing.enter_lower > range.upper) return std::nullopt;
  RayHit hit;
  geometry::set_parameter(hit, {crossing.enter_lower, crossing.enter, crossing.enter_upper}, range);
  hit.normal = crossing.enter_normal;
  hit.inside = crossing.enter <= range.lower;
  hit.certain = crossing.certain && crossing.enter_upper <= range.upper && crossing.exit_lower >= range.lower;
  if (hit.t == -infinity) {
    // The stretch has no first point.
    hit.inside = true;
    if (crossing.exit < infinity) {
      geometry::set_parameter(hit, {crossing.exit_lower, crossing.exit, crossing.exit_upper}, range);
      hit.normal = crossing.exit_normal;
    } else {
      geometry::set_parameter(hit, geometry::at(0), range);
    }
  }
  hit.point = geometry::point_at(ray, hit.t);
  return hit;
}

namespace {

template <class Solid>
std::optional<RayHit> hit_on(const Ray& ray, geometry::LinePath path, const Solid& solid, RayRange range) {
  path.exit_normal = false;
  const std::optional<LineCrossing> found = crossing(path, solid);
  return found ? hit_in_range(ray, *found, range) : std::nullopt;
}

/// A placed plane or half-space is all y with m·(y - translation) == or <= offset, where m = place_direction(pose,
/// normal). So it is the same shape, turned, in a pose that only translates.
template <class Flat>
struct Turned {
  Flat shape;
  Pose pose;

  Turned(const Flat& flat, const Pose& given)
      : shape{geometry::placed_direction(given, flat.normal), flat.offset},
        pose(geometry::raw_pose(given.translation())) {}
};

std::span<const HalfSpace> alone(const HalfSpace& half_space) {
  return {&half_space, 1};
}

}  // namespace

std::optional<LineCrossing> line_sphere(const Ray& ray, const Sphere& sphere, const Pose& pose) {
  return crossing(path_of(ray, &pose), sphere);
}
std::optional<LineCrossing> line_aabb(const Ray& ray, const Aabb& box) {
  return crossing(path_of(ray, nullptr), box);
}
std::optional<LineCrossing> line_box(const Ray& ray, const Box& box, const Pose& pose) {
  return crossing(path_of(ray, &pose), box);
}
std::optional<LineCrossing> line_capsule(const Ray& ray, const Capsule& capsule, const Pose& pose) {
  return crossing(path_of(ray, &pose), capsule);
}
std::optional<LineCrossing> line_cylinder(const Ray& ray, const Cylinder& cylinder, const Pose& pose) {
  return crossing(path_of(ray, &pose), cylinder);
}
std::optional<LineCrossing> line_cone(const Ray& ray, const Cone& cone, const Pose& pose) {
  return crossing(path_of(ray, &pose), cone);
}
std::optional<LineCrossing> line_ellipsoid(const Ray& ray, const Ellipsoid& ellipsoid, const Pose& pose) {
  return crossing(path_of(ray, &pose), ellipsoid);
}
std::optional<LineCrossing> line_half_space(const Ray& ray, const HalfSpace& half_space, const Pose& pose) {
  const Turned turned(half_space, pose);
  return crossing(path_of(ray, &turned.pose), alone(turned.shape));
}
std::optional<LineCrossing> line_polyhedron(const Ray& ray, std::span<const HalfSpace> sides, const Pose& pose) {
  return crossing(path_of(ray, &pose), sides);
}

std::optional<RayHit> ray_aabb(const Ray& ray, const Aabb& box, RayRange range) {
  return hit_on(ray, path_of(ray, nullptr), box, range);
}
std::optional<RayHit> ray_sphere(const Ray& ray, const Sphere& sphere, const Pose& pose, RayRange range) {
  return hit_on(ray, path_of(ray, &pose), sphere, range);
}
std::optional<RayHit> ray_box(const Ray& ray, const Box& box, const Pose& pose, RayRange range) {
  return hit_on(ray, path_of(ray, &pose), box, range);
}
std::optional<RayHit> ray_capsule(const Ray& ray, const Capsule& capsule, const Pose& pose, RayRange range) {
  return hit_on(ray, path_of(ray, &pose), capsule, range);
}
std::optional<RayHit> ray_cylinder(const Ray& ray, const Cylinder& cylinder, const Pose& pose, RayRange range) {
  return hit_on(ray, path_of(ray, &pose), cylinder, range);
}
std::optional<RayHit> ray_cone(const Ray& ray, const Cone& cone, const Pose& pose, RayRange range) {
  return hit_on(ray, path_of(ray, &pose), cone, range);
}
std::optional<RayHit> ray_ellipsoid(const Ray& ray, const Ellipsoid& ellipsoid, const Pose& pose, RayRange range) {
  return hit_on(ray, path_of(ray, &pose), ellipsoid, range);
}
std::optional<RayHit> ray_half_space(const Ray& ray, const HalfSpace& half_space, const Pose& pose, RayRange range) {
  const Turned turned(half_space, pose);
  return hit_on(ray, path_of(ray, &turned.pose), alone(turned.shape), range);
}
std::optional<RayHit> ray_polyhedron(const Ray& ray, std::span<const HalfSpace> sides, const Pose& pose,
                                     RayRange range) {
  return hit_on(ray, path_of(ray, &pose), sides, range);
}
std::optional<RayHit> ray_plane(const Ray& ray, const Plane& plane, const Pose& pose, RayRange range) {
  const Turned turned(plane, pose);
  return geometry::plane_hit(ray, path_of(ray, &turned.pose), turned.shape, range);
}
std::optional<RayHit> ray_moving(const Ray& ray, const Sphere& sphere, const Pose& pose, const Vector3& velocity,
                                 RayRange range) {
  return hit_on(ray, path_of(ray, &pose, velocity), sphere, range);
}
std::optional<RayHit> ray_moving(const Ray& ray, const Aabb& box, const Vector3& velocity, RayRange range) {
  return hit_on(ray, path_of(ray, nullptr, velocity), box, range);
}
std::optional<RayHit> ray_moving(const Ray& ray, const Box& box, const Pose& pose, const Vector3& velocity,
                                 RayRange range) {
  return hit_on(ray, path_of(ray, &pose, velocity), box, range);
}
std::optional<RayHit> ray_moving(const Ray& ray, const Capsule& capsule, const Pose& pose, const Vector3& velocity,
                                 RayRange range) {
  return hit_on(ray, path_of(ray, &pose, velocity), capsule, range);
}
std::optional<RayHit> ray_moving(const Ray& ray, const Cylinder& cylinder, const Pose& pose, const Vector3& velocity,
                                 RayRange range) {
  return hit_on(ray, path_of(ray, &pose, velocity), cylinder, range);
}
std::optional<RayHit> ray_moving(const Ray& ray, const Cone& cone, const Pose& pose, const Vector3& velocity,
                                 RayRange range) {
  return hit_on(ray, path_of(ray, &pose, velocity), cone, range);
}
std::optional<RayHit> ray_moving(const Ray& ray, const Ellipsoid& ellipsoid, const Pose& pose, const Vector3& velocity,
                                 RayRange range) {
  return hit_on(ray, path_of(ray, &pose, velocity), ellipsoid, range);
}
std::optional<RayHit> ray_moving(const Ray& ray, const HalfSpace& half_space, const Pose& pose, const Vector3& velocity,
                                 RayRange range) {
  const Turned turned(half_space, pose);
  return hit_on(ray, path_of(ray, &turned.pose, velocity), alone(turned.shape), range);
}
std::optional<RayHit> ray_moving(const Ray& ray, std::span<const HalfSpace> sides, const Pose& pose,
                                 const Vector3& velocity, RayRange range) {
  return hit_on(ray, path_of(ray, &pose, velocity), sides, range);
}
std::optional<RayHit> ray_moving(const Ray& ray, const Plane& plane, const Pose& pose, const Vector3& velocity,
                                 RayRange range) {
  const Turned turned(plane, pose);
  return geometry::plane_hit(ray, path_of(ray, &turned.pose, velocity), turned.shape, range);
}

}  // namespace whisker
