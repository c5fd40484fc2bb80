#pragma once

// Walking two oriented trees at once for the triangles that are closest. The two surfaces must not touch.

#include <array>
#include <cstdint>
#include <vector>

#include "mesh/tree_pair.hpp"

namespace whisker::mesh {

/// Lengths here are in the unit of a's tree, in a's frame.
struct DistanceGoal {
  double upper = 0;          ///< Pairs that are not closer are of no interest. May be infinite.
  double tolerance = 0;      ///< Stop when nothing can be closer than the best by more than this.
  double enough = -1;        ///< Stop when something is known to be no farther than this.
  std::uint64_t budget = 0;  ///< Stop after about so many pair tests.
  /// A direction in which the closest points may lie, of length 1, or zero where none is known.
  std::array<double, 3> direction{};
};

/// Two triangles that may be the closest.
struct CloseTriangles {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  float lower = 0;  ///< Their distance is at least this.
};

struct DistanceWalk {
  /// Every pair of triangles that is not among `close` is at least this far apart.
  double lower = 0;
  /// Some pair among `close` is no farther apart, if one was found; else goal.upper, or more than any distance.
  double upper = 0;
  bool found = false;
  CloseTriangles nearest;  ///< The pair that `upper` belongs to, if one was found.
  /// Besides the reasons that the goal gives: `limit` where so many pairs are equally close that floats would have to
  /// leave them all to be measured one by one; the bounds are then about 2^-9 apart.
  Stop stop = Stop::exact;
};

/// Puts into `close` all pairs of triangles whose distance may be less than the result's upper bound.
DistanceWalk find_closest(const TreePair& pair, const DistanceGoal& goal, Cost& cost,
                          std::vector<CloseTriangles>& close);

}  // namespace whisker::mesh
