#pragma once

// What bounds the ways of a moving shape's points.

#include <whisker/geometry/moving_spheres.hpp>
#include <whisker/motion.hpp>

namespace whisker::motion {

/// What the functions of a caller's own motion give, looked at: an Error if the function throws one, or the
/// way is NaN or negative.
Pose pose_of(const CustomMotion& motion, double t);
double way_of(const CustomMotion& motion, double from, double to, double reach);

struct MotionBounds {
  const CustomMotion* custom = nullptr;  ///< null if it is another motion
  Vector3 velocity = Vector3::Zero();
  double turning = 0;  ///< how fast a point may move by the turn alone
  double reach = 0;    ///< of a custom motion: no point is farther from the origin of the shape's frame
  double error = 0;    ///< how far a placed point may be from where it is in truth
  /// All of the shape is in a ball that moves straight; not so of custom motions and of shapes without bounds.
  bool has_ball = false;
  MovingSphere ball;

  /// Refers to the motion, which is checked. Throws an Error if a shape without bounds turns.
  MotionBounds(const Shape& shape, const Motion& motion);
};

}  // namespace whisker::motion
