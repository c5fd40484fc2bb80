#pragma once

// Traverses two oriented trees at once for their closest triangles. The two surfaces must not touch.

#include <array>
#include <cstdint>
#include <vector>

#include "mesh/tree_pair.hpp"

namespace whisker::mesh {

/// Lengths are in the unit of a's tree, in a's frame.
struct DistanceGoal {
  double upper = 0;          ///< Pairs that are not closer than this are ignored. May be infinite.
  double tolerance = 0;      ///< Stop when no pair can be closer than the best one by more than this.
  double enough = -1;        ///< Stop when some pair is known to be no farther apart than this.
  std::uint64_t budget = 0;  ///< Stop after about this many pair tests.
  /// A unit direction along which the closest points may lie, or zero if none is known.
  std::array<double, 3> direction{};
};

/// Two triangles that may be the closest pair.
struct CloseTriangles {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  float lower = 0;  ///< Their distance is at least this.
};

struct DistanceWalk {
  /// Every pair of triangles that is not among `close` is at least this far apart.
  double lower = 0;
  /// If a pair was found: some pair among `close` is no farther apart than this. Otherwise goal.upper, or a value
  /// larger than any distance.
  double upper = 0;
  bool found = false;
  CloseTriangles nearest;  ///< The pair that `upper` belongs to, if one was found.
  /// In addition to the stop reasons of the goal: `limit` if there are too many equally close pairs, which floats
  /// cannot rank and which would all have to be measured one by one. The bounds then differ by about 2^-9, relatively.
  Stop stop = Stop::exact;
};

/// Collects in `close` all pairs of triangles whose distance may be less than the result's upper bound.
DistanceWalk find_closest(const TreePair& pair, const DistanceGoal& goal, Cost& cost,
                          std::vector<CloseTriangles>& close);

}  // namespace whisker::mesh
