// Ray casts against meshes.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>

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

/// The first triangle hit so far. Among several at the same parameter, the one with the lowest number.
void keep_first(std::uint32_t number, const RayHit& hit, std::optional<RayHit>& best) {
  if (best && !(hit.t < best->t) && !(hit.t == best->t && number < best->face->triangle)) return;
  best = hit;
  best->face->triangle = number;
}

std::optional<RayHit> first_hit(const Ray& ray, const PlacedMesh& placed, const RayRange& range) {
  std::optional<RayHit> best;
  each_hit(ray, placed, range, [&](std::uint32_t number, const RayHit& hit) {
    keep_first(number, hit, best);
    return best->t_upper;
  });
  return best;
}

/// The same for several rays.
void first_hits(std::span<const Ray> rays, const PlacedMesh& placed, const RayRange& range,
                std::span<std::optional<RayHit>> best) {
  if (!(range.lower <= range.upper)) {
    std::fill(best.begin(), best.end(), std::nullopt);
    return;
  }
  constexpr std::size_t at_once = 64;
  std::array<RayQuery, at_once> queries;
  std::array<std::size_t, at_once> numbers;
  const LocalFrame frame(placed);
  Cost cost;
  for (std::size_t next = 0; next < rays.size();) {
    std::size_t count = 0;
    for (; count < at_once && next < rays.size(); ++next) {
      if (rays[next].direction.isZero(0)) {
        best[next] = first_hit(rays[next], placed, range);
        continue;
      }
      best[next].reset();
      queries[count] = ray_query(frame, rays[next], range);
      numbers[count++] = next;
    }
    walk_rays(std::span(queries).first(count), cost, [&](std::size_t line, std::uint32_t number) {
      const std::size_t i = numbers[line];
      const auto hit = geometry::triangle_hit(rays[i], triangle_at(placed, number), range);
      double& upper = queries[line].upper;
      if (hit) {
        keep_first(number, *hit, best[i]);
        upper = std::min(upper, queries[line].upper_of(best[i]->t_upper));
      }
      return upper;
    });
  }
}

// The outward normal where the line entered the solid in which its range starts.
Vector3 normal_of_entry(const Ray& ray, const PlacedMesh& solid, double start) {
  if (ray.direction.isZero(0)) return Vector3::Zero();
  const std::optional<RayHit> back = first_hit({ray.origin, -ray.direction}, solid, {-start, infinity});
  return back ? Vector3(-back->normal) : Vector3(Vector3::Zero());
}

/// The hit of a mesh of which the first triangle that is hit is known. A solid is hit where the ray starts if that is
/// inside.
std::optional<RayHit> hit_behind(const Ray& ray, const PlacedMesh& placed, const RayRange& range,
                                 std::optional<RayHit> wall) {
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

}  // namespace

std::optional<RayHit> cast_ray_mesh(const Ray& ray, const PlacedMesh& placed, const RayRange& range) {
  return hit_behind(ray, placed, range, first_hit(ray, placed, range));
}

void cast_rays_mesh(std::span<const Ray> rays, const PlacedMesh& placed, const RayRange& range,
                    std::span<std::optional<RayHit>> hits) {
  first_hits(rays, placed, range, hits);
  if (!placed.mesh.is_solid()) return;
  for (std::size_t i = 0; i < rays.size(); ++i)
    hits[i] = hit_behind(rays[i], placed, range, hits[i]);
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
