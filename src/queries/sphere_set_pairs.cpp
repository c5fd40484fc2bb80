// Queries of two sets of spheres: every sphere of a group against every sphere of another, if the balls around the
// groups are near.

#include <algorithm>
#include <cmath>

#include "convex/simple_distance.hpp"
#include "queries/sphere_set_queries.hpp"
#include "shapes/internals.hpp"

namespace whisker::queries {
namespace {

using spheres::PlacedGroup;

/// A lower bound on the gap between two balls.
double gap_of_balls(const BoundingSphere& a, const BoundingSphere& b) {
  const double apart = (a.center - b.center).norm();
  return apart * (1 - 0x1p-48) - (a.radius + b.radius) * (1 + 0x1p-48);
}

/// Lower bounds on the distances of one ball from all balls of a group. A difference of two doubles is accurate to half
/// an ulp of itself, so errors are relative. If a square is below 1e-300, the distance may be off by anything less than
/// 1e-149.
void gaps_of_spheres(const Vector3& center, double radius, const PlacedGroup& group, double* gaps) {
  for (std::size_t j = 0; j < group.count; ++j) {
    const double dx = group.x[j] - center[0], dy = group.y[j] - center[1], dz = group.z[j] - center[2];
    const double apart = std::sqrt(dx * dx + dy * dy + dz * dz);
    gaps[j] = apart * (1 - 0x1p-48) - (group.radii[j] + radius) * (1 + 0x1p-48) - 1e-149;
  }
}

bool balls_touch(const Vector3& center_a, double radius_a, const Vector3& center_b, double radius_b) {
  const Distance apart = convex::distance_sphere_sphere(center_a, radius_a, center_b, radius_b);
  if (!(apart.lower == 0 && apart.upper > 0)) return apart.upper == 0;
  return convex::touches_simple_simple(convex::simple_point(center_a, radius_a),
                                       convex::simple_point(center_b, radius_b));  // too close to tell
}

/// Calls `visit(group of a, member, group of b, member)` for all spheres that are not proven farther apart than
/// `limit()`, until `visit` returns true. The groups of b come in order.
template <class Limit, class Visit>
void each_near_pair(const Placed& a, const Placed& b, Cost& cost, const Limit& limit, const Visit& visit) {
  double gaps[PlacedGroup::size];
  const SphereSet &set_a = *a.shape.as<SphereSet>(), &set_b = *b.shape.as<SphereSet>();
  const SphereSetStorage &of_a = storage_of(set_a), &of_b = storage_of(set_b);
  for (std::size_t h = 0; h < of_b.group_count(); ++h) {
    const BoundingSphere ball_b = spheres::placed_ball(of_b.group_balls[h], b.pose);
    ++cost.volume_tests;
    if (gap_of_balls(spheres::placed_ball(of_a.ball, a.pose), ball_b) > limit()) continue;
    const PlacedGroup group_b(set_b, h, b.pose);
    for (std::size_t g = 0; g < of_a.group_count(); ++g) {
      ++cost.volume_tests;
      if (gap_of_balls(spheres::placed_ball(of_a.group_balls[g], a.pose), ball_b) > limit()) continue;
      const PlacedGroup group_a(set_a, g, a.pose);
      for (std::size_t i = 0; i < group_b.count; ++i) {
        gaps_of_spheres(group_b.center(i), group_b.radii[i], group_a, gaps);
        cost.primitive_tests += group_a.count;
        for (std::size_t j = 0; j < group_a.count; ++j)
          if (!(gaps[j] > limit()) && visit(group_a, j, group_b, i)) return;
      }
    }
  }
}

}  // namespace

bool SpheresSpheres::touches(const Placed& a, const Placed& b, PairCache*, Cost& cost) {
  bool touch = false;
  const auto visit = [&](const PlacedGroup& group_a, std::size_t i, const PlacedGroup& group_b, std::size_t j) {
    touch = balls_touch(group_a.center(i), group_a.radii[i], group_b.center(j), group_b.radii[j]);
    return touch;
  };
  each_near_pair(
      a, b, cost, [] { return 0.0; }, visit);
  return touch;
}

Distance SpheresSpheres::distance(const Placed& a, const Placed& b, const DistanceOptions& options) {
  ClosestSphere closest;
  // Only pairs that could be as close as the nearest one are measured; all others are farther than this bound.
  double limit = options.upper_bound;
  const auto visit = [&](const PlacedGroup& group_a, std::size_t i, const PlacedGroup& group_b, std::size_t j) {
    closest.consider(
        convex::distance_sphere_sphere(group_a.center(i), group_a.radii[i], group_b.center(j), group_b.radii[j]),
        static_cast<std::uint32_t>(group_a.first + i), static_cast<std::uint32_t>(group_b.first + j));
    limit = std::min(limit, closest.best.upper);
    return false;
  };
  each_near_pair(
      a, b, closest.cost, [&] { return limit; }, visit);
  return closest.result(options.upper_bound);
}

}  // namespace whisker::queries
