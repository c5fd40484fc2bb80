#pragma once

// Proofs, in double with bounds of the rounding error, of what a walk has found: two polyhedra are apart by so much, or
// they share a point.

#include <cstdint>

#include "methods/marching/voronoi_march.hpp"

namespace whisker::methods::marching {

/// The vertex highest along `direction` (in the hull's frame), by climbing from `start` with exact comparisons; exact
/// for hulls that are `climbable`.
std::uint32_t climb(const MarchHull& hull, std::uint32_t start, const Vector3& direction);

/// Bounds of the distance of two polyhedra, from two points and a direction.
struct Separation {
  double lower = 0;  // positive: they are apart
  double upper = 0;
  Vector3 point_a = Vector3::Zero();  // world frame
  Vector3 point_b = Vector3::Zero();
  Vector3 normal = Vector3::Zero();

  /// The bounds are known up to rounding.
  bool is_tight() const { return lower > 0 && upper - lower <= 0x1p-37 * upper; }
};

/// What the points show from which a walk found its features to be closest. Not tight where the gap is small against
/// the hulls, or the rotations are off.
Separation measure_separation(const March& march, const MarchPoints& points, const Pose& pose_a, const Pose& pose_b);

/// Whether the features where a walk found a penetration prove it.
bool proves_penetration(const March& march, const MarchPoints& points, const Pose& pose_a, const Pose& pose_b);

}  // namespace whisker::methods::marching
