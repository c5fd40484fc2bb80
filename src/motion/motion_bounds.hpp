#pragma once

// Bounds on the paths of a moving shape's points.

#include <whisker/geometry/moving_spheres.hpp>
#include <whisker/motion.hpp>

namespace whisker::motion {

/// Call the functions of a custom motion and check the results. Throw an Error if the function throws one, or if the
/// path length is NaN or negative.
Pose pose_of(const CustomMotion& motion, double t);
double way_of(const CustomMotion& motion, double from, double to, double reach);

struct MotionBounds {
  const CustomMotion* custom = nullptr;  ///< null for other motions
  Vector3 velocity = Vector3::Zero();
  double turning = 0;  ///< how fast a point may move by the turn alone
  double reach = 0;    ///< for a custom motion: no point is farther from the origin of the shape's frame
  double error = 0;    ///< how far a placed point may be from its exact position
  /// Whether the whole shape is in a ball that moves along a straight line. False for custom motions and unbounded
  /// shapes.
  bool has_ball = false;
  MovingSphere ball;

  /// Keeps a reference to the motion, which must have been checked. Throws an Error if an unbounded shape turns.
  MotionBounds(const Shape& shape, const Motion& motion);
};

}  // namespace whisker::motion
