#pragma once

// The closest points of two arbitrary convex polyhedra in double-double, as the fallback of marching.
//
// The distance algorithm of Gilbert, Johnson and Keerthi (1988), with a sub-algorithm that tries every sub-simplex, and
// supports found by climbing with exact comparisons, or among all vertices. Its bounds are valid after any number of
// iterations: the current point gives the upper bound, the supporting planes perpendicular to it give the lower bound.

#include <array>
#include <cstdint>
#include <span>

#include "methods/marching/voronoi_march.hpp"

namespace whisker::methods::marching {

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
