#pragma once

// Proves the results of a walk in doubles with bounds on the rounding error: that two polyhedra are a certain distance
// apart, or that they share a point. Where that fails, searches for the closest points.

#include <array>
#include <cstdint>
#include <span>

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

// --- the fallback of a walk whose result proves nothing -----------------------------------------------------------

// The closest points of two arbitrary convex polyhedra in double-double.
//
// The distance algorithm of Gilbert, Johnson and Keerthi (1988), with a sub-algorithm that tries every sub-simplex, and
// supports found by climbing with exact comparisons, or among all vertices. Its bounds are valid after any number of
// iterations: the current point gives the upper bound, the supporting planes perpendicular to it give the lower bound.

/// A vertex of a and a vertex of b.
struct VertexPair {
  std::uint32_t a = 0;
  std::uint32_t b = 0;

  friend bool operator==(const VertexPair&, const VertexPair&) = default;
};

/// The normal is zero unless the hulls are proven apart. `stop` is `exact` if the bounds differ only by rounding.
struct SearchResult : Distance {
  Answer touches = Answer::undecided;
  /// The vertices that span the points.
  std::array<VertexPair, 4> simplex{};
  int size = 0;
};

/// `start` has one to four pairs to start with.
SearchResult search_closest(const MarchHull& a, const Pose& pose_a, const MarchHull& b, const Pose& pose_b,
                            std::span<const VertexPair> start);

}  // namespace whisker::methods::marching
