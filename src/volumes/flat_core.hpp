#pragma once

// The representation that spheres, boxes and swept spheres share: all points within a radius of a flat core. Their
// distance is computed once, here. Closest points in plain doubles give a direction, and the bounds are then proven
// along that direction.

#include <array>

#include <whisker/geometry/interval.hpp>
#include <whisker/pose.hpp>
#include <whisker/vector.hpp>

namespace whisker::volumes {

/// All points within `radius` of the core. The core is a parallelepiped (a point with no arms, a segment with one arm,
/// a parallelogram with two): center + Σ sᵢ arm[i], |sᵢ| <= 1. Or it is a triangle: center + s arm[0] + t arm[1], s,
/// t >= 0, s + t <= 1. No point of the exact core or of this stored one is farther than `error` from the other.
struct Core {
  bool is_triangle = false;
  int arms = 0;
  Vector3 center = Vector3::Zero();
  std::array<Vector3, 3> arm = {Vector3::Zero(), Vector3::Zero(), Vector3::Zero()};
  double radius = 0;
  double error = 0;

  /// Adds an arm of a parallelepiped. An arm of length 0 is left out. `arm_error` bounds the error of the arm.
  void add_arm(const Vector3& value, double arm_error) {
    error += arm_error;
    if (value.isZero(0)) return;
    arm[static_cast<std::size_t>(arms)] = value;
    ++arms;
  }
};

/// The set moved by the pose, in real arithmetic. The result's `error` covers the rounding.
Core placed(const Pose& pose, const Core& core);

/// An upper bound on |place(pose, x) - (rotation x + translation)| for every x whose coordinates do not exceed
/// `largest` in size.
double place_rounding(const Pose& pose, const Vector3& largest);

/// No coordinate of a point of the set is larger in size.
Vector3 largest_coordinates(const Core& core);

/// A lower bound on the smallest direction·(y - x) for x in a and y in b. Positive only if the sets are proven apart.
double gap_along(const Core& a, const Core& b, const Vector3& direction);

/// A lower bound on the distance, measured along one direction. The direction may have any length but 0.
double distance_along(const Core& a, const Core& b, const Vector3& direction);

/// Bounds on the distance.
Interval distance_bounds(const Core& a, const Core& b);

/// An upper bound on the distance of a point from the core, ignoring the core's radius.
double core_distance_up(const Core& core, const Vector3& point);

}  // namespace whisker::volumes
