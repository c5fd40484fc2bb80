#pragma once

// Proves the results of a walk in doubles with bounds on the rounding error: that two polyhedra are a certain distance
// apart, or that they share a point. Where that fails, searches for the closest points.

#include <array>
#include <cstdint>
#include <span>

#include "geometry/constants.hpp"
#include "geometry/expansion.hpp"
#include "methods/marching/voronoi_march.hpp"

namespace whisker::methods::marching {

/// Climbs from vertex to vertex along a direction, with exact comparisons, until no neighbor is higher. `direction` is
/// accurate to `roundings` half-ulps per coordinate; exact_coordinate(axis) returns a coordinate exactly. Coordinates
/// so small that exact products underflow must be zero (see flush_tiny).
template <class ExactCoordinate>
std::uint32_t climb_exactly(const MarchHull& hull, std::uint32_t start, const Vector3& direction, int roundings,
                            const ExactCoordinate& exact_coordinate) {
  const auto rises = [&](const Vector3& from, const Vector3& to) {
    const double x = direction[0] * (to[0] - from[0]);
    const double y = direction[1] * (to[1] - from[1]);
    const double z = direction[2] * (to[2] - from[2]);
    const double sum = (x + y) + z;
    // Each term has an error of two half-ulps. The sum adds two more, relative to the terms' sizes, and one covers
    // products of these errors.
    const double error = (5 + roundings) * unit_roundoff * ((std::abs(x) + std::abs(y)) + std::abs(z));
    if (std::abs(sum) > error) return sum > 0;
    const auto term = [&](int axis) {
      return geometry::to_expansion(geometry::two_diff(to[axis], from[axis])) * exact_coordinate(axis);
    };
    return ((term(0) + term(1)) + term(2)).sign() > 0;
  };
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
