#pragma once

// Proves the results of a walk in doubles with bounds on the rounding error: that two polyhedra are a certain distance
// apart, or that they share a point.

#include <cstdint>

#include "methods/marching/voronoi_march.hpp"

namespace whisker::methods::marching {

/// Climbs from vertex to vertex until rises(from, to) is false for all neighbors. Each move must go strictly up, so
/// that the climb ends.
template <class Rises>
std::uint32_t climb_while(const MarchHull& hull, std::uint32_t start, const Rises& rises) {
  const auto vertices = hull.hull.vertices();
  for (std::uint32_t at = start, next = start;; at = next) {
    for (const MarchHull::Spoke& spoke : hull.spokes[at])
      if (rises(vertices[next], vertices[spoke.other])) next = spoke.other;
    if (next == at) return at;
  }
}

/// The vertex highest along `direction` (in the hull's frame), found by climbing from `start` with exact comparisons.
/// Exact for hulls that are `climbable`.
std::uint32_t climb(const MarchHull& hull, std::uint32_t start, const Vector3& direction);

/// Bounds on the distance of two polyhedra, derived from the points at which a walk found its features to be closest
/// and from a direction, without features. If `lower` is positive, they are disjoint. `stop` is `exact` if the bounds
/// agree up to rounding. They do not if the gap is small compared to the hulls, or if the rotations are inaccurate.
Distance measure_separation(const March& march, const MarchPoints& points, const Pose& pose_a, const Pose& pose_b);

/// Whether the features at which a walk found a penetration prove it.
bool proves_penetration(const March& march, const MarchPoints& points, const Pose& pose_a, const Pose& pose_b);

}  // namespace whisker::methods::marching
