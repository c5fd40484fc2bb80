#pragma once

/// \file
/// Points, rays and regions against surfaces of triangles: meshes, height fields, and compounds with them.
///
///     if (ray_hits({eye, target - eye}, {part, pose}, segment_range())) …   // is the view blocked?
///     cast_ray_all({origin, up}, {part, pose}, line_range(), hits);         // every crossing, in order
///     Distance foot = closest_point({part, pose}, probe);                   // foot.point_a, foot.feature_a.id
///     bool in = contains({solid, pose}, probe);
///     Distance s = signed_distance({solid, pose}, probe);                   // negative inside
///     signed_distance({solid, pose}, probes, answers);                      // many, on all cores
///     WindingNumber w = winding_number({scan, pose}, probe);                // of any mesh, with holes too
///
/// What answers are about is as with every query: the placed triangles, with corners place(pose, v). Numbers come as
/// bounds that contain the truth. Single calls run on the caller's thread and allocate nothing after the first few, but
/// for room in the caller's vectors. Batches run on all cores, or on as many as `threads` in the options says (0 all, 1
/// the calling thread alone, n at most n), into the caller's memory, which must have room for exactly as many answers
/// as are asked for; answer i is, bit for bit, what the single call gives for question i, whatever the number of
/// threads.
///
/// A point or box must be finite (a box may have infinite bounds), points within `max_coordinate`; else an Error
/// says which one is not. Rays are checked as everywhere.

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include <whisker/queries.hpp>

namespace whisker {

// --- rays --------------------------------------------------------------------------------------------------------

/// Does the ray hit the shape within `range`? The same as cast_ray(…).has_value(), for any shape that cast_ray takes;
/// of meshes and their compounds the first hit that turns up ends the search.
bool ray_hits(const Ray& ray, const Placed& target, const RayRange& range = {});

/// A hit of a triangle.
struct SurfaceHit {
  RayHit hit;       ///< As cast_ray gives it. Solid meshes too are surfaces here: `inside` is never set.
  Feature feature;  ///< Which triangle, and of which part of a compound.
};

/// All triangles that the ray hits within `range`, each once, in the order of `t`; those at the same t in the order of
/// their parts and numbers. Exact: a ray through an edge or a corner hits every triangle there. A triangle in whose
/// plane the ray runs is hit where the ray enters it.
///
/// For a mesh, a height field, a triangle, and compounds of these; another shape is an Error. `hits` is cleared first
/// and its memory used again.
void cast_ray_all(const Ray& ray, const Placed& target, const RayRange& range, std::vector<SurfaceHit>& hits);

/// The first hit of each of many rays, as cast_ray gives it.
void cast_ray(std::span<const Ray> rays, const Placed& target, std::span<std::optional<RayHit>> answers);
void cast_ray(std::span<const Ray> rays, const Placed& target, const RayRange& range,
              std::span<std::optional<RayHit>> answers);
void cast_ray(std::span<const Ray> rays, const Placed& target, const RayRange& range, const BatchOptions& options,
              std::span<std::optional<RayHit>> answers);

/// Whether each of many rays hits.
void ray_hits(std::span<const Ray> rays, const Placed& target, std::span<bool> answers);
void ray_hits(std::span<const Ray> rays, const Placed& target, const RayRange& range, std::span<bool> answers);
void ray_hits(std::span<const Ray> rays, const Placed& target, const RayRange& range, const BatchOptions& options,
              std::span<bool> answers);

// --- points ------------------------------------------------------------------------------------------------------

struct ClosestPointOptions {
  /// Stop when upper - lower is at most this, in the user's unit.
  double tolerance = 0;
  /// A distance beyond this is of no interest: once it is proven, the search stops, with upper infinite.
  double upper_bound = std::numeric_limits<double>::infinity();
  /// Of a batch: how many threads work.
  int threads = 0;
};

/// The closest point of a mesh's surface, solid or not, or of those of a compound of meshes.
///
///     const Distance foot = closest_point(cube, {3, 0, 0});     // a cube from -1 to 1
///     // foot.point_a is (1, 0, 0), foot.point_b (3, 0, 0), foot.normal (1, 0, 0), foot.upper 2 within rounding
///
/// `point_a` is the closest point of the surface, within rounding, `upper` away, and `feature_a` the triangle that it
/// lies on: of several equally close the one with the lowest number. `point_b` is the point that was asked about, bit
/// for bit, and `feature_b` is whole. `normal` is the unit vector from the surface to the point, zero where the point
/// lies on the surface. Where the surface is beyond options.upper_bound, `upper` is infinite and `stop` is `tolerance`;
/// `point_a` and the normal are then zero.
///
/// Throws an Error for any other shape, a NaN or negative option. (How far another shape is: `distance` to a Sphere of
/// radius 0.)
Distance closest_point(const Placed& mesh, const Vector3& point, const ClosestPointOptions& options = {});
void closest_point(const Placed& mesh, std::span<const Vector3> points, std::span<Distance> answers);
void closest_point(const Placed& mesh, std::span<const Vector3> points, const ClosestPointOptions& options,
                   std::span<Distance> answers);

/// Is the point in the solid, border included? Exact for a mesh that is solid(): a point is in it if it lies on a
/// triangle or the surface winds round it. A point is in a compound if it is in one of its parts. For convex shapes and
/// half-spaces true unless proven outside, as `touches` is with a point. Throws an Error for what has no inside: a mesh
/// that is not solid(), a height field, a segment, triangle or plane.
bool contains(const Placed& solid, const Vector3& point);
void contains(const Placed& solid, std::span<const Vector3> points, std::span<bool> answers);
void contains(const Placed& solid, std::span<const Vector3> points, const BatchOptions& options,
              std::span<bool> answers);

/// How far a point is from the surface of a mesh that is solid(): as `closest_point` gives it, but negative if the
/// solid contains the point.
///
///     const Distance out = signed_distance(cube, {3, 0, 0});    // a solid cube from -1 to 1: out.value() is 2
///     const Distance in = signed_distance(cube, {0.5, 0, 0});   // in.value() is -0.5
///     // in.point_a is (1, 0, 0), in.point_b (0.5, 0, 0), and both normals are (1, 0, 0)
///
/// The bounds are of one sign, or 0, but where neither is proven. `normal` points out of the solid on both sides: for a
/// point outside from the surface to the point, for one inside from the point to the surface. So point_b - point_a is
/// `normal * value()`, within rounding, whatever the sign. It is zero where the point lies on the surface. Where the
/// surface is beyond options.upper_bound, the bounds are [proven, infinity] outside and [-infinity, -proven] inside.
/// All else is as of `closest_point`.
///
/// Throws an Error if the shape is no mesh or not solid().
Distance signed_distance(const Placed& solid, const Vector3& point, const ClosestPointOptions& options = {});
void signed_distance(const Placed& solid, std::span<const Vector3> points, std::span<Distance> answers);
void signed_distance(const Placed& solid, std::span<const Vector3> points, const ClosestPointOptions& options,
                     std::span<Distance> answers);

struct WindingOptions {
  /// Stop when upper - lower is at most this. 0: as close as rounding allows, by every triangle.
  double tolerance = 1e-2;
  /// Of a batch: how many threads work.
  int threads = 0;
};

/// How often a surface winds round a point.
struct WindingNumber {
  double lower = 0;         ///< The winding number is at least this…
  double upper = 0;         ///< …and at most this.
  Stop stop = Stop::exact;  ///< `limit` where rounding, or a triangle that the point lies on, keeps the bounds apart.
  Cost cost;

  double value() const { return middle_of(lower, upper); }
};

/// The generalized winding number (Jacobson, Kavan and Sorkine-Hornung 2013) of a mesh about a point: the sum of the
/// solid angles that its triangles are seen under, each positive where the point is behind it, over 4π. For any mesh,
/// closed, open or a soup, and compounds of meshes, whose parts are added up.
///
/// Of a closed mesh that faces outward it is 1 inside and 0 outside, exactly (and -1 inside one that faces inward, 2
/// where two overlap). Holes take from it what they are seen under: far from a small hole it is nearly 1 or 0 still,
/// and between the two about the middle of the hole. What follows from it about in and out is evidence, not proof; a
/// usual rule takes what is above 1/2 for inside.
///
/// The bounds hold for the placed triangles, rounding and what is made simpler of patches far away accounted for (the
/// derivation stands in src/mesh/generalized_winding.hpp). A triangle that the point lies on counts as anything from
/// -1/2 to 1/2. Without tolerance O(n); with one about O(log n) after the first question, which finds what it needs of
/// the mesh once. Throws an Error for any other shape, or a NaN or negative option.
WindingNumber winding_number(const Placed& mesh, const Vector3& point, const WindingOptions& options = {});
void winding_number(const Placed& mesh, std::span<const Vector3> points, std::span<WindingNumber> answers);
void winding_number(const Placed& mesh, std::span<const Vector3> points, const WindingOptions& options,
                    std::span<WindingNumber> answers);

// --- regions -----------------------------------------------------------------------------------------------------

/// The numbers of a mesh's triangles that touch a box in the world, in ascending order. Exact. An empty box has none; a
/// bound may be infinite. `ids` is cleared first and its memory used again. Throws an Error if the shape is no mesh or
/// the box has a NaN.
void triangles_in_box(const Placed& mesh, const Aabb& box, std::vector<std::uint32_t>& ids);

/// The numbers of a mesh's triangles that touch a ball, in ascending order: all but those proven to be farther from the
/// center than the radius. Throws an Error if the shape is no mesh, or the center or radius is not finite, or the
/// radius negative.
void triangles_in_sphere(const Placed& mesh, const Vector3& center, double radius, std::vector<std::uint32_t>& ids);

}  // namespace whisker
