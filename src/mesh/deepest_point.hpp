#pragma once

// Lower bounds on the penetration depth of two overlapping bodies.
//
// A point proves a depth of r + s if the ball of radius r around it lies in a and the ball of radius s around it lies
// in b. The two balls share their center and must be separated, and no translation shorter than r + s separates them. A
// corner of one body that lies r deep in the other is the case s = 0.

#include <span>

#include "mesh/depth_body.hpp"

namespace whisker::mesh {

struct DeepPoint {
  double depth = 0;  ///< proven; accounts for all rounding errors
  Vector3 point = Vector3::Zero();
  /// The vectors from the point to the nearest point of each body's border; zero where none was computed.
  Vector3 out_a = Vector3::Zero();
  Vector3 out_b = Vector3::Zero();
};

/// Finds the deepest corner of either body, or a deeper common point of both if the search finds one. The depth is at
/// least that of the deepest corner unless the search used up `effort`, which counts sampled points. `seeds` are points
/// to start from.
DeepPoint deepest_point(DepthBody& a, DepthBody& b, std::span<const Vector3> seeds, std::uint64_t effort, Cost& cost);

}  // namespace whisker::mesh
