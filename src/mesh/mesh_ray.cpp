// Ray casts against meshes.

#include <algorithm>
#include <cmath>

#include "geometry/constants.hpp"
#include "geometry/ray_path.hpp"
#include "mesh/containment.hpp"
#include "mesh/mesh_queries.hpp"
#include "mesh/ray_walk.hpp"
#include "mesh/surface_distance.hpp"
#include "mesh/triangle_at.hpp"

namespace whisker::mesh {
namespace {

/// Calls `visit(number, hit)` for each triangle that is hit. `visit` returns the parameter beyond which hits are no
/// longer needed; minus infinity ends the search.
template <class Visit>
void each_hit(const Ray& ray, const PlacedMesh& placed, const RayRange& range, Visit&& visit) {
  if (!(range.lower <= range.upper)) return;
  Cost cost;
  if (ray.direction.isZero(0)) {
    // The ray is a point: it hits the triangles that it lies on.
    bool more = true;
    each_touching_triangle(placed, convex::simple_point(ray.origin), cost,
                           [&](std::uint32_t number, const convex::SimpleShape& triangle) {
                             const std::optional<RayHit> hit = geometry::triangle_hit(ray, triangle.corners, range);
                             if (hit) more = visit(number, *hit) != -infinity;
                             return more;
                           });
    return;
  }
  const LocalFrame frame(placed);
  const RayQuery query = ray_query(frame, ray, range);
  double upper = query.upper;
  walk_ray(query, cost, [&](std::uint32_t number) {
    // Uses the whole range, so that the hit does not depend on the order of the traversal.
    const std::optional<RayHit> hit = geometry::triangle_hit(ray, triangle_at(placed, number), range);
    if (hit) {
      const double end = visit(number, *hit);
      upper = end == -infinity ? -infinity : std::min(upper, query.upper_of(end));
    }
    return upper;
  });
}

/// The first triangle hit. Among several at the same parameter, the one with the lowest number.
std::optional<RayHit> first_hit(const Ray& ray, const PlacedMesh& placed, const RayRange& range) {
  std::optional<RayHit> best;
  each_hit(ray, placed, range, [&](std::uint32_t number, const RayHit& hit) {
    if (!best || hit.t < best->t || (hit.t == best->t && number < best->face->triangle)) {
      best = hit;
      best->face->triangle = number;
    }
    return best->t_upper;
  });
  return best;
}

// The outward normal where the line entered the solid in which its range starts.
Vector3 normal_of_entry(const Ray& ray, const PlacedMesh& solid, double start) {
  if (ray.direction.isZero(0)) return Vector3::Zero();
  const std::optional<RayHit> back = first_hit({ray.origin, -ray.direction}, solid, {-start, infinity});
  return back ? Vector3(-back->normal) : Vector3(Vector3::Zero());
}

}  // namespace

std::optional<RayHit> cast_ray_mesh(const Ray& ray, const PlacedMesh& placed, const RayRange& range) {
  std::optional<RayHit> wall = first_hit(ray, placed, range);
  const bool stands = ray.direction.isZero(0);
  // A line that comes from infinity starts outside, so the first thing that it hits is the surface.
  if (!placed.mesh.is_solid() || !(range.lower <= range.upper) || (!std::isfinite(range.lower) && !stands)) return wall;
  const double start = std::isfinite(range.lower) ? range.lower : std::min(0.0, range.upper);
  const Vector3 way = stands ? Vector3(Vector3::Zero()) : Vector3(start * ray.direction);
  const Vector3 point = ray.origin + way;
  // A ray without end that starts inside would leave through the surface and hit it.
  if (!wall && !stands && range.upper == infinity) return wall;
  const double rounding = way.isZero(0) ? 0 : 0x1p-51 * (way.lpNorm<1>() + point.lpNorm<1>());
  if (!std::isfinite(rounding)) return wall;  // beyond any mesh
  const bool inside = is_inside(placed, point);
  Cost cost;
  // The surface is farther away than the rounding error of the point, so the exact point is on the same side of it.
  const bool proven = !touching_triangle(placed, convex::simple_point(point, rounding), no_guess, cost);
  if (proven ? !inside : rounding == 0) return wall;  // outside, or exactly on the surface
  if (!inside && wall) {
    wall->t_lower = start;
    return wall;
  }
  RayHit hit;
  hit.t = hit.t_lower = hit.t_upper = start;
  if (!proven) hit.t_upper = wall ? wall->t_upper : start;
  hit.certain = proven || wall.has_value();
  hit.point = point;
  hit.normal = normal_of_entry(ray, placed, start);
  hit.inside = true;
  return hit;
}

bool ray_hits_mesh(const Ray& ray, const PlacedMesh& placed, const RayRange& range) {
  bool any = false;
  each_hit(ray, placed, range, [&](std::uint32_t, const RayHit&) {
    any = true;
    return -infinity;
  });
  if (any || !placed.mesh.is_solid()) return any;
  // No part of the surface is hit, but a segment may lie entirely inside.
  const bool without_end = !std::isfinite(range.lower) || !std::isfinite(range.upper);
  if (!ray.direction.isZero(0) && without_end) return false;
  return cast_ray_mesh(ray, placed, range).has_value();
}

void cast_ray_all_mesh(const Ray& ray, const PlacedMesh& placed, const RayRange& range, std::vector<RayHit>& hits) {
  each_hit(ray, placed, range, [&](std::uint32_t number, const RayHit& hit) {
    hits.push_back(hit);
    hits.back().face->triangle = number;
    return infinity;
  });
}

}  // namespace whisker::mesh
