#pragma once

/// \file
/// Rays, segments and full lines against the simple shapes: where does a straight path first meet a shape?
///
/// A path is a `Ray` (origin and direction, of any length) and a `RayRange` of its parameter t; its points are
/// origin + t * direction. A ray in the usual sense is t in [0, inf), a segment is [0, 1], a full line is
/// (-inf, inf) and its answers carry a signed t.
///
///     if (auto hit = ray_sphere({eye, gaze}, Sphere{2.0}, Pose(center))) use(hit->point, hit->normal);
///
/// Every shape has up to two forms: in its own frame, and placed by a `Pose` (which must satisfy `check`; it is not
/// checked here). Nothing here throws, allocates or loops without bound.
///
/// What the answers are about: the real-number shape, with exactly the dimensions given, at the real-number image
/// R x + c of the pose's doubles, and the real-number line of the given origin and direction. `t_lower` and `t_upper`
/// contain that truth. Triangles, planes and half-spaces are placed as docs/guarantees.md says: a placed triangle has
/// the corners `place(pose, v)`, a placed plane the normal `place_direction(pose, normal)`. Whether a line hits a
/// triangle is decided exactly.
///
/// Solids (sphere, box, capsule, cylinder, cone, ellipsoid, half-space, convex polyhedron) are closed: touching is
/// hitting. They are hit unless proven to miss: where rounding cannot tell a grazing line from one that passes by
/// (about 1e-30 of the shape's size), there is a hit, with `certain` false. All dimensions must be >= 0; 0 is allowed
/// (a sphere of radius 0 is a point, a cylinder of length 0 a disc…).
///
/// A direction of zero length asks about the single point `origin`: a hit iff it is in the shape, with t the start of
/// the range (or 0 where the range has no start).
///
/// Accuracy: t_upper - t_lower, as a length, is at most 1e-12 of the distance traveled plus 8 units in the last place
/// of the largest coordinate, except where the line grazes the shape, where the problem itself is that sensitive. The
/// estimate t is usually far better than that.
///
/// Range: coordinates, directions and dimensions 0 or from 1e-90 to 1e90 in magnitude.

#include <cstddef>
#include <limits>
#include <optional>
#include <span>

#include <whisker/geometry/aabb.hpp>
#include <whisker/pose.hpp>
#include <whisker/primitives.hpp>
#include <whisker/vector.hpp>

namespace whisker {

/// All points origin + t * direction. The direction need not be a unit vector; t is in units of it.
struct Ray {
  Vector3 origin = Vector3::Zero();
  Vector3 direction = Vector3::UnitX();
};

/// The ray that runs from a (t = 0) to b (t = 1): direction b - a, rounded. Use it with `segment_range()`.
Ray ray_between(const Vector3& a, const Vector3& b);

/// Which part of the line counts: lower <= t <= upper. Either may be infinite. An empty range is never hit.
struct RayRange {
  double lower = 0;
  double upper = std::numeric_limits<double>::infinity();
};

/// t in [0, inf), what every function takes unless told otherwise.
constexpr RayRange ray_range() {
  return {};
}
/// t in [0, 1]: from the origin to origin + direction, ends included.
constexpr RayRange segment_range() {
  return {0, 1};
}
/// All t, negative ones included: points behind the origin have t < 0.
constexpr RayRange line_range() {
  return {-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
}

/// Where on a triangle a hit is: at (1 - u - v) a + u b + v c.
struct RayFace {
  std::size_t triangle = 0;  ///< Which triangle of a mesh or height field; 0 for a single triangle.
  double u = 0;
  double v = 0;
};

/// The first point of a path that is in a shape.
struct RayHit {
  /// The parameter of that point, best estimate, within [t_lower, t_upper] and the range.
  double t = 0;
  /// Bounds that contain the true parameter (if `certain` is false: provided that there is a hit).
  double t_lower = 0;
  double t_upper = 0;
  /// origin + t * direction, in the frame of the ray. For a moving shape: where the path's tip is then.
  Vector3 point = Vector3::Zero();
  /// Unit normal. Of a solid: outward, where the line enters it (also if that is before the range: see `inside`). Of a
  /// plane or triangle: on the side that the path comes from, normal·direction <= 0. Where a shape has no area (a
  /// point, a segment): against the direction. Zero where there is no boundary point: an unbounded solid entered
  /// nowhere, a direction of zero length.
  Vector3 normal = Vector3::Zero();
  /// The range starts in the solid; never set for planes and triangles, which have no inside. (By best estimate; proven
  /// if t_lower == t_upper == the start of the range.) Then t is the start of the range. A solid that is unbounded
  /// backwards, on a range without a start, has no first point: then `inside` is true and t is where the line leaves
  /// the solid, or 0 if it never does.
  bool inside = false;
  /// Proven to be a hit, not only not proven to miss.
  bool certain = true;
  /// Where on the triangle; only for shapes that are made of triangles.
  std::optional<RayFace> face;
};

/// The whole stretch of the line that is in a convex solid, from `enter` to `exit`, over all real t: signed, and
/// infinite where the solid is unbounded. Bounds as in RayHit.
struct LineCrossing {
  double enter = 0;
  double enter_lower = 0;
  double enter_upper = 0;
  double exit = 0;
  double exit_lower = 0;
  double exit_upper = 0;
  Vector3 enter_normal = Vector3::Zero();  ///< Outward unit normal where the line enters; zero if it is at -infinity.
  Vector3 exit_normal = Vector3::Zero();   ///< Outward unit normal where it leaves; zero if it is at +infinity.
  bool certain = true;                     ///< Proven to be a hit, not only not proven to miss.
};

/// The first point of `range` in the stretch, as every ray_… function of a solid derives it; nothing if the stretch is
/// proven to lie outside the range.
std::optional<RayHit> hit_in_range(const Ray& ray, const LineCrossing& crossing, RayRange range = {});

// The whole line through a solid; nothing if it is proven to miss. A direction of zero length gives (-inf, inf) if the
// origin is in the solid.
std::optional<LineCrossing> line_sphere(const Ray& ray, const Sphere& sphere, const Pose& pose = Pose());
std::optional<LineCrossing> line_aabb(const Ray& ray, const Aabb& box);
std::optional<LineCrossing> line_box(const Ray& ray, const Box& box, const Pose& pose = Pose());
std::optional<LineCrossing> line_capsule(const Ray& ray, const Capsule& capsule, const Pose& pose = Pose());
std::optional<LineCrossing> line_cylinder(const Ray& ray, const Cylinder& cylinder, const Pose& pose = Pose());
std::optional<LineCrossing> line_cone(const Ray& ray, const Cone& cone, const Pose& pose = Pose());
std::optional<LineCrossing> line_ellipsoid(const Ray& ray, const Ellipsoid& ellipsoid, const Pose& pose = Pose());
std::optional<LineCrossing> line_half_space(const Ray& ray, const HalfSpace& half_space, const Pose& pose = Pose());
/// The convex polyhedron (bounded or not) that all the half-spaces share; no half-space at all is the whole space.
std::optional<LineCrossing> line_polyhedron(const Ray& ray, std::span<const HalfSpace> sides,
                                            const Pose& pose = Pose());

// The first point of the range that is in the solid, which stands at `pose`; the ray is in the world.
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

/// The plane, a thin two-sided shape. At the identity, whether it is hit is decided exactly; a path that lies in the
/// plane hits it at the start of its range (at t = 0, or the number of the range nearest to it, if that is infinite).
std::optional<RayHit> ray_plane(const Ray& ray, const Plane& plane, const Pose& pose = {}, RayRange range = {});

/// The triangle with corners place(pose, v), a thin two-sided shape, border included; degenerate triangles (segments,
/// points) are hit like any other point set. Whether the path hits it, the ends of the range included, is decided
/// exactly: through a closed mesh's edge or corner no line slips. A path in the triangle's plane hits at the first
/// point of the overlap.
std::optional<RayHit> ray_triangle(const Ray& ray, const Triangle& triangle, const Pose& pose = {},
                                   RayRange range = {});

// A shot at a moving shape. t is also the time: at time t the shape is translated by t * velocity from its pose, and
// the tip of the shot is at origin + t * direction. The hit is the first time of the range at which the tip is in the
// shape; `point` is where the tip is then, in the world. A tip at rest in the shape's frame (direction == velocity) is
// a point query. The relative direction is not rounded: the answers are as exact as those for shapes at rest.
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
