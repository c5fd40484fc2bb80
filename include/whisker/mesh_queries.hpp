#pragma once

/// \file
/// Queries of points, rays, regions and planes against surfaces of triangles: meshes, height fields, and compounds of
/// them.
///
///     bool blocked = ray_hits({eye, target - eye}, {part, pose}, segment_range());
///     cast_ray_all({origin, up}, {part, pose}, line_range(), hits);  // every crossing, in order
///     Distance foot = closest_point({part, pose}, probe);            // foot.point_a, foot.feature_a.id
///     bool in = contains({solid, pose}, probe);
///     Distance s = signed_distance({solid, pose}, probe);            // negative inside
///     signed_distance({solid, pose}, probes, answers);               // many points, on all cores
///     WindingNumber w = winding_number({scan, pose}, probe);         // any mesh, even with holes
///     std::vector<Polyline> cut = section({part, pose}, Plane{.normal = {0, 0, 1}, .offset = 0.25});  // curves
///
/// As with every query, results are about the placed triangles, with corners place(pose, v). Points, rays and boxes are
/// in the world frame. Numbers are returned as bounds that contain the true value.
///
/// Single queries run on the calling thread. After the first few calls they allocate nothing, except in the caller's
/// vectors (`section` also allocates while it joins its curves). Batches run on all cores, or on as many threads as
/// `threads` in the options allows: 0 all that oneTBB provides, 1 only the calling thread, n at most n. The caller owns
/// the memory for the results: `answers` must have exactly one element per point or ray. Answer i is bit for bit equal
/// to the result of the single query i, whatever the number of threads.
///
/// Points must be finite and within `max_coordinate`. A box may have infinite bounds, but no NaN. Rays are checked as
/// in cast_ray(): they must be finite and within `max_coordinate`, and the range must have no NaN. Otherwise an Error
/// is thrown, which in a batch names the bad point or ray. Batches also throw an Error if the spans differ in size or
/// `threads` is negative.

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include <whisker/queries.hpp>

namespace whisker {

// --- rays --------------------------------------------------------------------------------------------------------

/// Does the ray hit the shape within `range`? The same as cast_ray(…).has_value(), for every shape that cast_ray
/// accepts. For meshes and compounds of them, the search ends at the first hit that it finds.
bool ray_hits(const Ray& ray, const Placed& target, const RayRange& range = {});

/// A triangle that a ray hits.
struct SurfaceHit {
  RayHit hit;       ///< As from cast_ray(), except that solid meshes count as surfaces: `inside` is never set.
  Feature feature;  ///< The triangle, and the part of a compound that it belongs to.
};

/// Finds all triangles that the ray hits within `range`. Each occurs once. They are sorted by `t`, and at equal t by
/// part and triangle number. Exact: a ray through an edge or a corner hits every triangle there. A triangle whose plane
/// contains the ray is hit where the ray enters the triangle.
///
/// The target must be a mesh, a height field, a triangle, or a compound of these; any other shape is an Error. `hits`
/// is cleared first, and its memory is reused.
void cast_ray_all(const Ray& ray, const Placed& target, const RayRange& range, std::vector<SurfaceHit>& hits);

/// The first hit of each of many rays, as from cast_ray() in queries.hpp.
void cast_ray(std::span<const Ray> rays, const Placed& target, const RayRange& range, const BatchOptions& options,
              std::span<std::optional<RayHit>> answers);
inline void cast_ray(std::span<const Ray> rays, const Placed& target, const RayRange& range,
                     std::span<std::optional<RayHit>> answers) {
  cast_ray(rays, target, range, {}, answers);
}
inline void cast_ray(std::span<const Ray> rays, const Placed& target, std::span<std::optional<RayHit>> answers) {
  cast_ray(rays, target, RayRange{}, answers);
}

/// Whether each of many rays hits the shape.
void ray_hits(std::span<const Ray> rays, const Placed& target, const RayRange& range, const BatchOptions& options,
              std::span<bool> answers);
inline void ray_hits(std::span<const Ray> rays, const Placed& target, const RayRange& range, std::span<bool> answers) {
  ray_hits(rays, target, range, {}, answers);
}
inline void ray_hits(std::span<const Ray> rays, const Placed& target, std::span<bool> answers) {
  ray_hits(rays, target, RayRange{}, answers);
}

// --- points ------------------------------------------------------------------------------------------------------

struct ClosestPointOptions {
  /// Stop when upper - lower is at most this. A length in the user's unit, 0 or larger.
  double tolerance = 0;
  /// Stop once the distance is proven to be larger than this; `upper` is then infinite. A length, 0 or larger.
  double upper_bound = std::numeric_limits<double>::infinity();
  /// In a batch: how many threads to use; 0 all, 1 only the calling thread, n at most n.
  int threads = 0;
};

/// Finds the point closest to `point` on the surface of a mesh, whether solid or not, or of a compound of meshes.
///
///     const Distance foot = closest_point(cube, {3, 0, 0});     // a cube from -1 to 1
///     // foot.point_a is (1, 0, 0), foot.point_b (3, 0, 0), foot.normal (1, 0, 0), foot.upper 2 within rounding
///
/// `point_a` is the closest point of the surface, within rounding, at the distance `upper`. `feature_a` is the triangle
/// that it lies on; if several are equally close, the one with the lowest number. `point_b` is `point`, bit for bit,
/// and `feature_b` is whole. `normal` is the unit vector from the surface to the point, or zero if the point lies on
/// the surface. If the surface is farther away than options.upper_bound, `upper` is infinite, `stop` is `tolerance`,
/// and `point_a` and `normal` are zero.
///
/// Throws an Error for any other shape, and if an option is NaN or negative. (For other shapes, use `distance` to a
/// Sphere of radius 0.)
Distance closest_point(const Placed& mesh, const Vector3& point, const ClosestPointOptions& options = {});
/// The same for many points.
void closest_point(const Placed& mesh, std::span<const Vector3> points, const ClosestPointOptions& options,
                   std::span<Distance> answers);
inline void closest_point(const Placed& mesh, std::span<const Vector3> points, std::span<Distance> answers) {
  closest_point(mesh, points, {}, answers);
}

/// Is the point in the solid, boundary included?
///
/// Exact for a mesh that is solid() (a point is in it if it lies on a triangle or if the surface winds around it) and
/// for a ground (make/ground.hpp). In a compound is what is in one of its parts. For all others the result is true
/// unless the point is proven to be outside, as with `touches`. Throws an Error for a shape that has no inside: a mesh
/// that is not solid(), a height field, a segment, a triangle, a plane, or a compound with such a part.
bool contains(const Placed& solid, const Vector3& point);
/// The same for many points.
void contains(const Placed& solid, std::span<const Vector3> points, const BatchOptions& options,
              std::span<bool> answers);
inline void contains(const Placed& solid, std::span<const Vector3> points, std::span<bool> answers) {
  contains(solid, points, {}, answers);
}

/// The signed distance of a point from the surface of a mesh that is solid(): as from closest_point(), but negative if
/// the solid contains the point.
///
///     const Distance out = signed_distance(cube, {3, 0, 0});    // a solid cube from -1 to 1: out.value() is 2
///     const Distance in = signed_distance(cube, {0.5, 0, 0});   // in.value() is -0.5
///     // in.point_a is (1, 0, 0), in.point_b (0.5, 0, 0), and both normals are (1, 0, 0)
///
/// The two bounds never have opposite signs: both are 0 or larger for a point outside, 0 or smaller for a point inside.
/// `normal` points out of the solid in both cases: from the surface to a point outside, from a point inside to the
/// surface. So point_b - point_a is `normal * value()`, within rounding, whatever the sign. The normal is zero if the
/// point lies on the surface. If the surface is farther away than options.upper_bound, the bounds are
/// [proven, infinity] outside and [-infinity, -proven] inside, where `proven` is a lower bound of the distance.
/// Everything else is as with closest_point().
///
/// Throws an Error if the shape is not a mesh or not solid(), and if an option is NaN or negative.
///
/// (A template only so that {shape, pose} means the second shape of the query in queries.hpp. Eigen's vectors can be
/// made from any two values.)
template <int = 0>
Distance signed_distance(const Placed& solid, const Vector3& point, const ClosestPointOptions& options = {});
extern template Distance signed_distance<0>(const Placed& solid, const Vector3& point,
                                            const ClosestPointOptions& options);
/// The same for many points.
void signed_distance(const Placed& solid, std::span<const Vector3> points, const ClosestPointOptions& options,
                     std::span<Distance> answers);
inline void signed_distance(const Placed& solid, std::span<const Vector3> points, std::span<Distance> answers) {
  signed_distance(solid, points, {}, answers);
}

struct WindingOptions {
  /// Stop when upper - lower is at most this. 0 or larger. With 0, every triangle is evaluated, and the bounds are as
  /// close as rounding allows.
  double tolerance = 1e-2;
  /// In a batch: how many threads to use; 0 all, 1 only the calling thread, n at most n.
  int threads = 0;
};

/// How many times a surface winds around a point.
struct WindingNumber {
  double lower = 0;         ///< The winding number is at least this…
  double upper = 0;         ///< …and at most this.
  Stop stop = Stop::exact;  ///< `limit` if rounding, or a triangle that the point lies on, keeps the bounds apart.
  Cost cost;

  /// The middle of the bounds.
  double value() const { return middle_of(lower, upper); }
};

/// The generalized winding number (Jacobson, Kavan and Sorkine-Hornung 2013) of a mesh around a point: the sum of the
/// solid angles of its triangles as seen from the point, divided by 4π. The angle of a triangle is positive if the
/// point is behind it. Works for every mesh, whether closed, open or a soup, and for compounds of meshes, whose parts
/// are added up.
///
/// For a closed mesh that faces outward it is exactly 1 inside and 0 outside (and -1 inside a mesh that faces inward, 2
/// where two overlap). A hole changes it by the hole's own solid angle over 4π: far from a small hole the number is
/// still nearly 1 or 0, and around the middle of the hole it lies between the two. What it says about inside and
/// outside is evidence, not proof. A common rule is that a value above 1/2 means inside.
///
/// The bounds hold for the placed triangles. They account for rounding, and for the simplification of patches that are
/// far away (the derivation is in src/mesh/generalized_winding.hpp). A triangle that the point lies on counts as the
/// interval from -1/2 to 1/2. With a tolerance of 0 a query is O(n). With a positive tolerance it is about O(log n),
/// after the first query, which computes what is needed of the mesh once. Throws an Error for any other shape, and if
/// the tolerance is NaN or negative.
WindingNumber winding_number(const Placed& mesh, const Vector3& point, const WindingOptions& options = {});
/// The same for many points.
void winding_number(const Placed& mesh, std::span<const Vector3> points, const WindingOptions& options,
                    std::span<WindingNumber> answers);
inline void winding_number(const Placed& mesh, std::span<const Vector3> points, std::span<WindingNumber> answers) {
  winding_number(mesh, points, {}, answers);
}

// --- regions -----------------------------------------------------------------------------------------------------

/// Finds the numbers of a mesh's triangles that touch a box, in ascending order. The box is in the world frame. Exact.
/// An empty box touches none; bounds may be infinite. `ids` is cleared first, and its memory is reused. Throws an Error
/// if the shape is not a mesh or the box has a NaN.
void triangles_in_box(const Placed& mesh, const Aabb& box, std::vector<std::uint32_t>& ids);

/// Finds the numbers of a mesh's triangles that touch a ball in the world frame, in ascending order: all except those
/// that are proven to be farther from the center than the radius. `ids` is cleared first, and its memory is reused.
/// Throws an Error if the shape is not a mesh, the center or the radius is not finite or beyond `max_coordinate`, or
/// the radius is negative.
void triangles_in_sphere(const Placed& mesh, const Vector3& center, double radius, std::vector<std::uint32_t>& ids);

// --- sections ----------------------------------------------------------------------------------------------------

/// The curves in which a plane cuts a surface: a mesh, whether solid or not, a height field, a triangle, or a compound
/// of these, whose parts are cut one after the other.
///
///     double area = 0;  // of a solid's cross-section by the plane z = 0.25
///     for (const Polyline& curve : section(solid, Plane{.normal = {0, 0, 1}, .offset = 0.25})) {
///       if (!curve.closed) continue;
///       for (std::size_t i = 0; i < curve.points.size(); ++i) {
///         const Vector3 &p = curve.points[i], &q = curve.points[(i + 1) % curve.points.size()];
///         area += (p.x() * q.y() - p.y() * q.x()) / 2;  // holes are negative
///       }
///     }
///
/// **Exact.** Which side of the plane each placed vertex is on, or whether it is on the plane, is decided exactly. The
/// curves follow the edges and vertices of the surface, and no tolerance is involved. There is one point for each edge
/// that crosses the plane, and one for each vertex on it that a curve passes. A vertex is that vertex, bit for bit. A
/// crossing point is within 2^-52 of the true one in each coordinate, relative to the larger of that coordinate's
/// magnitudes at the edge's ends (or within 2^-1070, if that is more). Points that are distinct may be rounded to the
/// same doubles. Vertices at equal positions of the surface count as one vertex, and a triangle with fewer than three
/// vertices does not count, as in Mesh::solid().
///
/// **Direction.** Seen from the side that the plane's normal points to, the inside of the surface, which its triangles
/// face away from, is on the left of each curve: outlines go counter-clockwise and holes clockwise. No curve passes a
/// vertex twice; where curves meet in a vertex of the surface, they are split there.
///
/// **Order.** Each segment is reported once. First come the curves that the surface has just below the plane, moved to
/// the plane. All of them are closed if the surface is closed and its triangles face the same way; otherwise a curve
/// may end where the surface does. Then comes what is not among these:
///  - the outlines of parts of the surface that lie in the plane, such as the face on which a box stands on it. They
///    are closed unless they continue along a curve that was already reported. Edges inside such a part are not
///    reported. The part, or the inside just above, is on the left;
///  - ridges: edges in the plane whose triangles are all on the same side of it. Their direction has no meaning;
///  - vertices that touch the plane alone, as curves of one point.
///
/// The result depends only on the surface, the pose and the plane. With k triangles at the plane, the cost is about
/// O(log n) for finding them and O(k log k) for joining the curves. If `cost` is given, the work is added to it. Throws
/// an Error if the second shape is not a Plane, or the first has any other kind of part than those above.
std::vector<Polyline> section(const Placed& surface, const Placed& plane, Cost* cost = nullptr);

}  // namespace whisker
