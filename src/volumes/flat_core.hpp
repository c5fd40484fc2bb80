#pragma once

// What spheres, boxes and swept spheres have in common: all points within a radius of a flat core. Their distance is
// computed once, here: closest points in plain doubles show where to look, and the bounds are then proven along the
// direction that they give.

#include <array>

#include <whisker/geometry/interval.hpp>
#include <whisker/pose.hpp>
#include <whisker/vector.hpp>

namespace whisker::volumes {

/// All points within `radius` of the core, which is a parallelepiped (a point with no arms, a segment with one, a
/// parallelogram with two): center + Σ sᵢ arm[i], |sᵢ| <= 1; or a triangle: center + s arm[0] + t arm[1], s, t >= 0,
/// s + t <= 1. The core that is meant and this one are nowhere farther than `error` from each other.
struct Core {
  bool is_triangle = false;
  int arms = 0;
  Vector3 center = Vector3::Zero();
  std::array<Vector3, 3> arm = {Vector3::Zero(), Vector3::Zero(), Vector3::Zero()};
  double radius = 0;
  double error = 0;

  /// Adds an arm of a parallelepiped; one without length is left out. `arm_error` is how far it may be off.
  void add_arm(const Vector3& value, double arm_error) {
    error += arm_error;
    if (value.isZero(0)) return;
    arm[static_cast<std::size_t>(arms)] = value;
    ++arms;
  }
};

/// The set moved by the pose, in real arithmetic.
Core placed(const Pose& pose, const Core& core);

/// At least |place(pose, x) - (rotation x + translation)| for every x with no coordinate larger than `largest`.
double place_rounding(const Pose& pose, const Vector3& largest);

/// No coordinate of a point of the set is larger.
Vector3 largest_coordinates(const Core& core);

/// At most the smallest direction·(y - x) for x in a and y in b: positive only if they are proven apart.
double gap_along(const Core& a, const Core& b, const Vector3& direction);

/// At most their distance, seen along one direction of any length but 0.
double distance_along(const Core& a, const Core& b, const Vector3& direction);

/// Bounds of their distance.
Interval distance_bounds(const Core& a, const Core& b);

/// An upper bound on the distance of a point from the core, radius aside.
double core_distance_up(const Core& core, const Vector3& point);

}  // namespace whisker::volumes
