#pragma once

// Lower bounds of the depth of two bodies that overlap.
//
// A point that is within r of nothing but one body and within s of nothing but the other, so that it lies r and s deep
// in them, proves a depth of r + s: the ball of radius r in a and that of radius s in b, which have one center, must
// part, and no translation shorter than r + s does that. A corner of one body, which lies r deep in the other, is the
// case of s = 0.

#include <span>

#include "mesh/depth_body.hpp"

namespace whisker::mesh {

struct DeepPoint {
  double depth = 0;  ///< proven, with all roundings counted
  Vector3 point = Vector3::Zero();
  /// From the point to the nearest point of each body's border; zero where there is none.
  Vector3 out_a = Vector3::Zero();
  Vector3 out_b = Vector3::Zero();
};

/// The deepest corner of either body, or a deeper common point of both where one is found. The depth is at least that
/// of the deepest corner unless `effort` ran out, which counts points looked at. `seeds` are points to begin at.
DeepPoint deepest_point(DepthBody& a, DepthBody& b, std::span<const Vector3> seeds, std::uint64_t effort, Cost& cost);

}  // namespace whisker::mesh
