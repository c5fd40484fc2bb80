#include "world/hull_box.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "geometry/placed_box.hpp"

namespace whisker::world {
namespace {

constexpr std::uint32_t nowhere = 0xFFFFFFFF;

/// Climbs in a few steps from `here` to the vertex farthest along a direction. Returns `nowhere` if they do not reach
/// one that is certain. A vertex is the farthest of a convex polyhedron if every neighbor is less far. Heights are
/// compared with a margin for their rounding, so that this holds in real numbers. (Climbing: Cohen, Lin, Manocha,
/// Ponamgi, 1995.)
std::uint32_t climb(const ConvexHull& hull, std::span<const Vector3> vertices, const Vector3& along, double margin,
                    std::uint32_t here) {
  constexpr int max_steps = 3;
  const auto height_of = [&](std::uint32_t vertex) {
    const Vector3& v = vertices[vertex];
    return (along[0] * v[0] + along[1] * v[1]) + along[2] * v[2];
  };
  double height = height_of(here);
  for (int step = 0; step <= max_steps; ++step) {
    double highest = -HUGE_VAL;
    std::uint32_t to = here;
    for (const std::uint32_t next : hull.neighbors(here)) {
      const double next_height = height_of(next);
      to = next_height > highest ? next : to;
      highest = std::max(highest, next_height);
    }
    if (highest < height - margin) return here;
    if (highest <= height + margin) return nowhere;
    here = to;
    height = highest;
  }
  return nowhere;
}

}  // namespace

bool is_climbed(const ConvexHull& hull) {
  constexpr std::size_t min_vertices = 16;
  const std::size_t count = hull.vertices().size();
  // By Euler's formula, there are this many faces only if all are triangles.
  return count >= min_vertices && hull.dimension() == 3 && hull.face_count() == 2 * count - 4;
}

Aabb hull_box(const ConvexHull& hull, const Pose& pose, bool is_near, HullCorners& corners) {
  const std::span<const Vector3> vertices = hull.vertices();
  const Aabb local = hull.bounds();
  const double size = local.lower.cwiseAbs().cwiseMax(local.upper.cwiseAbs()).sum();
  // Two heights, each off by three half-ulps of its terms. A rotation stretches them by a negligible amount.
  const double margin = 0x1p-49 * size + std::numeric_limits<double>::min();
  return geometry::placed_box(local, pose, [&](const Vector3& along, int end) -> const Vector3& {
    std::uint32_t& corner = corners[static_cast<std::size_t>(end)];
    std::uint32_t found = is_near && corner < vertices.size() ? climb(hull, vertices, along, margin, corner) : nowhere;
    if (found == nowhere) found = static_cast<std::uint32_t>(hull.support(along));
    corner = found;
    return vertices[found];
  });
}

}  // namespace whisker::world
