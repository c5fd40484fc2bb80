#include <cmath>
#include <optional>
#include <span>
#include <string>

#include <whisker/error.hpp>
#include <whisker/queries.hpp>

#include "mesh/mesh_queries.hpp"

namespace whisker {
namespace {

void check_ray(const Ray& ray, const RayRange& range) {
  if (!ray.origin.allFinite() || !ray.direction.allFinite()) {
    throw Error("cast_ray: the ray's origin or direction is NaN or infinite");
  }
  if (ray.origin.cwiseAbs().maxCoeff() > largest_coordinate || ray.direction.cwiseAbs().maxCoeff() > largest_coordinate) {
    throw Error("cast_ray: the ray's origin or direction has a coordinate beyond 1e90; use another unit of length");
  }
  if (std::isnan(range.lower) || std::isnan(range.upper)) throw Error("cast_ray: an end of the range is NaN");
}

std::optional<RayHit> cast(const Ray& ray, const Shape& shape, const Pose& pose, const RayRange& range);

struct Cast {
  const Ray& ray;
  const Pose& pose;
  const RayRange& range;

  using Hit = std::optional<RayHit>;

  Hit operator()(const Sphere& s) const { return ray_sphere(ray, s, pose, range); }
  Hit operator()(const Capsule& s) const { return ray_capsule(ray, s, pose, range); }
  Hit operator()(const Box& s) const { return ray_box(ray, s, pose, range); }
  Hit operator()(const HalfSpace& s) const { return ray_half_space(ray, s, pose, range); }
  Hit operator()(const Plane& s) const { return ray_plane(ray, s, pose, range); }
  Hit operator()(const Segment& s) const { return ray_triangle(ray, {s.a, s.b, s.b}, pose, range); }
  Hit operator()(const Triangle& s) const { return ray_triangle(ray, s, pose, range); }
  Hit operator()(const Cylinder& s) const { return ray_cylinder(ray, s, pose, range); }
  Hit operator()(const Cone& s) const { return ray_cone(ray, s, pose, range); }
  Hit operator()(const Ellipsoid& s) const { return ray_ellipsoid(ray, s, pose, range); }
  Hit operator()(const ConvexHull& s) const {
    if (s.dimension() == 3) return ray_polyhedron(ray, s.planes(), pose, range);
    // A flat hull is the fan of its corners; a segment or a point is a triangle without area.
    const std::span<const Vector3> v = s.vertices();
    if (s.dimension() < 2) return ray_triangle(ray, {v.front(), v.back(), v.back()}, pose, range);
    Hit first;
    const std::span<const std::uint32_t> corners = s.face(0);
    for (std::size_t i = 2; i < corners.size(); ++i) {
      const Hit hit = ray_triangle(ray, {v[corners[0]], v[corners[i - 1]], v[corners[i]]}, pose, range);
      if (hit && (!first || hit->t < first->t)) first = hit;
    }
    if (first) first->face.reset();  // the fan's triangles are not the hull's
    return first;
  }
  Hit operator()(const Mesh& s) const { return mesh::cast_ray_mesh(ray, {s, pose}, range); }
  Hit operator()(const HeightField& s) const { return ray_height_field(ray, s, pose, range); }
  Hit operator()(const Compound& s) const {
    Hit first;
    for (const CompoundPart& part : s.parts()) {
      const Hit hit = cast(ray, part.shape, compose(pose, part.pose), range);
      if (hit && (!first || hit->t < first->t)) first = hit;
    }
    return first;
  }
  Hit operator()(const CustomConvex&) const {
    throw Error("cast_ray: not supported against a custom convex shape");
  }
};

std::optional<RayHit> cast(const Ray& ray, const Shape& shape, const Pose& pose, const RayRange& range) {
  return shape.visit(Cast{ray, pose, range});
}

}  // namespace

std::optional<RayHit> cast_ray(const Ray& ray, const Placed& target, const RayRange& range) {
  check_ray(ray, range);
  check(target.pose);
  return cast(ray, target.shape, target.pose, range);
}

}  // namespace whisker
