#pragma once

/// \file
/// Intersects rays, segments and full lines with single primitive shapes: where does a straight path first meet a
/// shape? For any Shape use cast_ray (queries.hpp), for many bodies World::cast_ray.
///
///     if (auto hit = ray_sphere({eye, gaze}, Sphere{2.0}, Pose(center))) use(hit->point, hit->normal);
///     const bool blocked = ray_triangle(ray_between(eye, target), triangle, {}, segment_range()).has_value();
///     if (auto crossing = line_box({eye, gaze}, Box{{1, 1, 1}})) use(crossing->enter, crossing->exit);
///
/// A path is a `Ray` (an origin and a direction of any length) and a `RayRange` of its parameter t. Its points are
/// origin + t * direction. A ray in the usual sense is t in [0, inf) and a segment is [0, 1]. A full line is (-inf,
/// inf), and its results have a signed t.
///
/// The ray is in the world frame. Most functions take the pose of the shape; without one, the shape is in its own
/// frame. Nothing here throws, allocates or loops without bound.
///
/// **What the results refer to.** The shape is the real-number shape with exactly the given dimensions, at its
/// real-number image R x + c under the doubles of the pose. The line is the real-number line with the given origin and
/// direction. `t_lower` and `t_upper` contain the true parameter. Triangles, planes and half-spaces are placed as
/// docs/guarantees.md defines: a placed triangle has the corners `place(pose, v)`, a placed plane has the normal
/// `place_direction(pose, normal)`. Whether a line hits a triangle is decided exactly.
///
/// **Solids** (sphere, box, capsule, cylinder, cone, ellipsoid, half-space, convex polyhedron) are closed: touching is
/// hitting. A solid counts as hit unless it is proven to be missed. If rounding cannot distinguish a line that grazes
/// the shape from one that passes by (within about 1e-30 of the shape's size), the result is a hit with `certain`
/// false. All dimensions must be >= 0. A dimension of 0 is allowed: a sphere of radius 0 is a point, a cylinder of
/// length 0 is a disc, and so on.
///
/// **A direction of zero length** queries the single point `origin`. It is a hit if and only if the point is in the
/// shape, and t is then the start of the range (or 0 if the range has no start).
///
/// **Accuracy.** t_upper - t_lower, expressed as a length, is at most 1e-12 of the distance traveled plus 8 ulps of the
/// largest coordinate. The exception is a line that grazes the shape, where the problem itself is that sensitive. The
/// estimate t is usually far more accurate than the bounds.
///
/// **Range.** Coordinates, directions and dimensions must be 0 or from 1e-90 to 1e90 in magnitude.

#include <cstddef>
#include <limits>
#include <optional>
#include <span>

#include <whisker/geometry/aabb.hpp>
#include <whisker/pose.hpp>
#include <whisker/primitives.hpp>
#include <whisker/vector.hpp>

namespace whisker {

/// All points origin + t * direction. The direction need not be a unit vector; t is in units of its length.
struct Ray {
  Vector3 origin = Vector3::Zero();
  Vector3 direction = Vector3::UnitX();
};

/// The ray from a (t = 0) to b (t = 1), with the direction b - a, rounded. Use it with `segment_range()`.
Ray ray_between(const Vector3& a, const Vector3& b);

/// The part of the line that counts: lower <= t <= upper. Either end may be infinite. An empty range gives no hit.
struct RayRange {
  double lower = 0;
  double upper = std::numeric_limits<double>::infinity();
};

/// t in [0, inf), the default of every function.
constexpr RayRange ray_range() {
  return {};
}
/// t in [0, 1]: from the origin to origin + direction, ends included.
constexpr RayRange segment_range() {
  return {0, 1};
}
/// All t, including negative ones: points behind the origin have t < 0.
constexpr RayRange line_range() {
  return {-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
}

/// The position of a hit on a triangle, in barycentric coordinates: (1 - u - v) a + u b + v c.
struct RayFace {
  std::size_t triangle = 0;  ///< The number of the triangle in a mesh or height field; 0 for a single triangle.
  double u = 0;
  double v = 0;
};

/// The first point of a path that is in a shape.
struct RayHit {
  /// The parameter of that point: the best estimate, within [t_lower, t_upper] and within the range.
  double t = 0;
  /// Bounds that contain the true parameter. If `certain` is false, they contain it provided that there is a hit.
  double t_lower = 0;
  double t_upper = 0;
  /// origin + t * direction, in the frame of the ray. For a moving shape: the position of the path's tip at that time.
  Vector3 point = Vector3::Zero();
  /// Unit normal, in the frame of the ray. For a solid: the outward normal where the line enters it, even if that is
  /// before the range (see `inside`). For a plane or triangle: the normal on the side that the path comes from, so that
  /// normal·direction <= 0. For a shape without area (a point or segment): opposite to the direction. Zero if there is
  /// no boundary point: for an unbounded solid that the line never enters, and for a direction of zero length.
  Vector3 normal = Vector3::Zero();
  /// Whether the range starts inside the solid; t is then the start of the range. Always false for planes and
  /// triangles, which have no inside. This is a best estimate, and is proven if t_lower and t_upper both equal the
  /// start of the range.
  ///
  /// Special case: a solid that is unbounded backward has no first point on a range without a start. Then `inside` is
  /// true and t is where the line leaves the solid, or 0 if it never does. For half-spaces and polyhedra, `normal` is
  /// then the outward normal at that exit.
  bool inside = false;
  /// True if the hit is proven. False if the path is merely not proven to miss.
  bool certain = true;
  /// The position on the triangle, only for shapes that consist of triangles.
  std::optional<RayFace> face;
};

/// The interval of the line that lies in a convex solid, from `enter` to `exit`, over all real t: the parameters are
/// signed, and infinite where the solid is unbounded. The bounds are as in RayHit.
struct LineCrossing {
  double enter = 0;
  double enter_lower = 0;
  double enter_upper = 0;
  double exit = 0;
  double exit_lower = 0;
  double exit_upper = 0;
  Vector3 enter_normal = Vector3::Zero();  ///< Outward unit normal at `enter`; zero if that is -infinity.
  Vector3 exit_normal = Vector3::Zero();   ///< Outward unit normal at `exit`; zero if that is +infinity.
  bool certain = true;                     ///< True if proven to hit; false if only not proven to miss.
};

/// The first point of `range` within the crossing, or nothing if the crossing is proven to lie outside the range. This
/// is how every ray_… function of a solid derives its hit.
std::optional<RayHit> hit_in_range(const Ray& ray, const LineCrossing& crossing, RayRange range = {});

// line_…: where the whole line crosses a solid placed at `pose`, or nothing if the line is proven to miss it. A
// direction of zero length gives (-inf, inf) if the origin is in the solid.
std::optional<LineCrossing> line_sphere(const Ray& ray, const Sphere& sphere, const Pose& pose = Pose());
std::optional<LineCrossing> line_aabb(const Ray& ray, const Aabb& box);
std::optional<LineCrossing> line_box(const Ray& ray, const Box& box, const Pose& pose = Pose());
std::optional<LineCrossing> line_capsule(const Ray& ray, const Capsule& capsule, const Pose& pose = Pose());
std::optional<LineCrossing> line_cylinder(const Ray& ray, const Cylinder& cylinder, const Pose& pose = Pose());
std::optional<LineCrossing> line_cone(const Ray& ray, const Cone& cone, const Pose& pose = Pose());
std::optional<LineCrossing> line_ellipsoid(const Ray& ray, const Ellipsoid& ellipsoid, const Pose& pose = Pose());
std::optional<LineCrossing> line_half_space(const Ray& ray, const HalfSpace& half_space, const Pose& pose = Pose());
/// The convex polyhedron (bounded or not) that is the intersection of the half-spaces. Without half-spaces it is the
/// whole space.
std::optional<LineCrossing> line_polyhedron(const Ray& ray, std::span<const HalfSpace> sides,
                                            const Pose& pose = Pose());

// ray_…: the first point of the range that is in the solid placed at `pose`, or nothing if the path is proven to miss
// it. The ray is in the world frame.
std::optional<RayHit> ray_sphere(const Ray& ray, const Sphere& sphere, const Pose& pose = {}, RayRange range = {});
std::optional<RayHit> ray_aabb(const Ray& ray, const Aabb& box, RayRange range = {});
std::optional<RayHit> ray_box(const Ray& ray, const Box& box, const Pose& pose = {}, RayRange range = {});
std::optional<RayHit> ray_capsule(const Ray& ray, const Capsule& capsule, const Pose& pose = {}, RayRange range = {});
std::optional<RayHit> ray_cylinder(const Ray& ray, const Cylinder& cylinder, const Pose& pose = {},
                                   RayRange range = {});
std::optional<RayHit> ray_cone(const Ray& ray, const Cone& cone, const Pose& pose = {}, RayRange range = {});
std::optional<RayHit> ray_ellipsoid(const Ray& ray, const Ellipsoid& ellipsoid, const Pose& pose = {},
                                    RayRange range = {});
std::optional<RayHit> ray_half_space(const Ray& ray, const HalfSpace& half_space, const Pose& pose = {},
                                     RayRange range = {});
std::optional<RayHit> ray_polyhedron(const Ray& ray, std::span<const HalfSpace> sides, const Pose& pose = {},
                                     RayRange range = {});

/// The plane, a thin two-sided shape. At the identity pose, whether it is hit is decided exactly. A path that lies in
/// the plane hits it at the start of its range. If that start is infinite, it hits at t = 0, or at the number in the
/// range nearest to 0.
std::optional<RayHit> ray_plane(const Ray& ray, const Plane& plane, const Pose& pose = {}, RayRange range = {});

/// The triangle with corners place(pose, v), a thin two-sided shape, border included. Degenerate triangles (segments,
/// points) can be hit too. Whether the path hits the triangle, with the ends of the range included, is decided exactly:
/// no line slips through an edge or a corner of a closed mesh. A path in the triangle's plane hits at the first point
/// of the overlap.
std::optional<RayHit> ray_triangle(const Ray& ray, const Triangle& triangle, const Pose& pose, RayRange range = {});
/// The same for a triangle in world coordinates and the whole ray.
std::optional<RayHit> ray_triangle(const Ray& ray, const Triangle& triangle);

// ray_moving: a moving point, the tip of the ray, against a translating shape. The parameter t is also the time: at
// time t the shape is translated by t * velocity from its pose, and the tip is at origin + t * direction. The hit is at
// the first time in the range at which the tip is in the shape, and `point` is the tip's position at that time, in the
// world frame. If the tip does not move relative to the shape (direction == velocity), this is a point query. The
// relative direction is not rounded, so the results are as exact as those for shapes at rest.
std::optional<RayHit> ray_moving(const Ray& ray, const Sphere& sphere, const Pose& pose, const Vector3& velocity,
                                 RayRange range = {});
std::optional<RayHit> ray_moving(const Ray& ray, const Aabb& box, const Vector3& velocity, RayRange range = {});
std::optional<RayHit> ray_moving(const Ray& ray, const Box& box, const Pose& pose, const Vector3& velocity,
                                 RayRange range = {});
std::optional<RayHit> ray_moving(const Ray& ray, const Capsule& capsule, const Pose& pose, const Vector3& velocity,
                                 RayRange range = {});
std::optional<RayHit> ray_moving(const Ray& ray, const Cylinder& cylinder, const Pose& pose, const Vector3& velocity,
                                 RayRange range = {});
std::optional<RayHit> ray_moving(const Ray& ray, const Cone& cone, const Pose& pose, const Vector3& velocity,
                                 RayRange range = {});
std::optional<RayHit> ray_moving(const Ray& ray, const Ellipsoid& ellipsoid, const Pose& pose, const Vector3& velocity,
                                 RayRange range = {});
std::optional<RayHit> ray_moving(const Ray& ray, const HalfSpace& half_space, const Pose& pose, const Vector3& velocity,
                                 RayRange range = {});
std::optional<RayHit> ray_moving(const Ray& ray, std::span<const HalfSpace> sides, const Pose& pose,
                                 const Vector3& velocity, RayRange range = {});
std::optional<RayHit> ray_moving(const Ray& ray, const Plane& plane, const Pose& pose, const Vector3& velocity,
                                 RayRange range = {});
std::optional<RayHit> ray_moving(const Ray& ray, const Triangle& triangle, const Vector3& velocity,
                                 RayRange range = {});

}  // namespace whisker
