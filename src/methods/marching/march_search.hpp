#pragma once

// The closest points of two convex polyhedra in double-double, whatever their shape: what marching falls back on.
//
// The distance algorithm of Gilbert, Johnson and Keerthi (1988), with the sub-algorithm that tries every sub-simplex,
// and supports found by climbing with exact comparisons, or among all vertices. Its bounds hold after any number of
// steps: the current point shows the upper, the supporting planes square to it the lower.

#include <array>
#include <cstdint>
#include <span>

#include "geometry/double_double.hpp"
#include "methods/marching/voronoi_march.hpp"

namespace whisker::methods::marching {

/// A vertex of a and one of b.
struct VertexPair {
  std::uint32_t a = 0;
  std::uint32_t b = 0;

  friend bool operator==(const VertexPair&, const VertexPair&) = default;
};

struct SearchResult {
  Answer touches = Answer::undecided;
  double lower = 0;
  double upper = 0;
  Vector3 point_a = Vector3::Zero();  // world frame
  Vector3 point_b = Vector3::Zero();
  Vector3 normal = Vector3::Zero();  // unit, from a to b; zero if not apart
  bool converged = false;            // the bounds differ by rounding alone
  /// The vertices between which the points lie.
  std::array<VertexPair, 4> simplex{};
  int size = 0;
};

/// `start`: at most four pairs to begin with, at least one.
SearchResult search_closest(const MarchHull& a, const Pose& pose_a, const MarchHull& b, const Pose& pose_b,
                            std::span<const VertexPair> start);

}  // namespace whisker::methods::marching
