#pragma once

/// \file
/// How a shape moves between time 0 and time 1.

#include <functional>
#include <optional>
#include <type_traits>
#include <variant>

#include <whisker/geometry/interval.hpp>
#include <whisker/pose.hpp>
#include <whisker/shape.hpp>

namespace whisker {

/// Stands where it is.
struct Still {
  Pose pose = {};
};

/// Moves evenly along a straight line without turning: at time t, from 0 to 1, every point of the placed shape is
/// `t * by` from where `start` puts it. In real numbers: no pose in between is rounded. World frame, user's unit.
struct Straight {
  Pose start = {};
  Vector3 by = Vector3::Zero();
};

/// Turns evenly about a center that moves evenly: at time t a point that is at x at time 0 is at
/// c + R(t turn) (x - center), c = center + t by, where R(v) turns about v by |v| radians. In real numbers. Any number
/// of turns. World frame, user's unit.
struct Turning {
  Pose start = {};
  Vector3 center = Vector3::Zero();
  Vector3 by = Vector3::Zero();
  Vector3 turn = Vector3::Zero();
};

/// A motion of the caller's own. Both functions may be called from any thread, and throw nothing but
/// Errors: one by `pose`, as making a bad Pose throws it, and a way that is NaN or negative, are an Error of the query
/// that gets them, which says at what time.
struct CustomMotion {
  Pose start = {};
  /// The pose at a time from 0 to 1; at 0 it is `start`. It may be off by `error`: no point of the shape is farther
  /// than that from where it is in truth.
  std::function<Pose(double t)> pose;
  /// No point that is within `reach` of the origin of the shape's frame goes farther than this between any two times in
  /// [from, to]. The closer to the truth, the fewer steps are taken.
  std::function<double(double from, double to, double reach)> way;
  double error = 0;
};

using Motion = std::variant<Still, Straight, Turning, CustomMotion>;

/// The screw that takes one pose to the other: an even turn, by at most half a turn, about an axis along which it moves
/// evenly. At time 1 it is at `to` within a few roundings.
Turning screw(const Pose& from, const Pose& to);

/// From one pose to the other with an even turn, by at most half a turn, about a point of the body that moves straight.
/// `center`: that point, in the body's frame; its origin, say.
Turning turning(const Pose& from, const Pose& to, const Vector3& center = Vector3::Zero());

/// With these velocities for a `duration`: of `center`, a point of the world that the body has at the start, and about
/// it, in radians.
Turning turning_with_velocity(const Pose& start, const Vector3& center, const Vector3& velocity,
                              const Vector3& angular_velocity, double duration = 1);

/// The same way at another pace: at time t it is where `motion` is at time pace(t). `pace` goes from 0 at 0 to 1 at 1
/// and never back: the caller's promise. A pace that is not finite, or that is seen to go back, is an Error.
CustomMotion with_pace(const Turning& motion, std::function<double(double t)> pace);

/// A turn about an axis by an angle below π whose half-angle's tangent grows evenly, so that its pose is a rational
/// function of time (Redon, Kheddar, Coquillart 2002); the center moves evenly as in `Turning`. Same ends as `motion`.
CustomMotion with_even_half_tangent(const Turning& motion);

/// By way of a pose in between, which it has at time 1/2: two screws.
CustomMotion through(const Pose& from, const Pose& middle, const Pose& to);

/// Where a motion begins.
const Pose& start_of(const Motion& motion);

/// Where it is at a time from 0 to 1, within a few roundings of the lengths involved; exactly `start` at 0. Throws an
/// Error if the time is not finite, or a motion of the caller's own throws one.
Pose pose_at(const Motion& motion, double t);

/// Throws an Error that names what is wrong if a vector of the motion
/// is not finite or has a coordinate beyond `max_coordinate`, or a turn is beyond 1e9 radians.
void check(const Motion& motion);

/// Bounds of b cos t + c sin t for all t of an interval, in radians: as tight as its ends and its crests are, not the
/// sum of two ranges. √3 cos t + sin t on [0, π/2] is [1, 2] to a few units in the last place.
Interval sinusoid(double b, double c, const Interval& t);

/// A pose that is only known to be in an interval of time.
struct PoseInterval {
  IntervalMatrix3 rotation;
  IntervalVector3 translation;
};
/// Where a straight or turning motion is at all times of an interval within [0, 1]: every entry as tight as `sinusoid`.
/// Rounding included. Throws an Error for a motion of the caller's own.
PoseInterval pose_over(const Motion& motion, const Interval& t);

/// A box that holds the shape at all times from 0 to 1, rounding included. Throws an Error if the motion is not finite,
/// or a half-space or plane turns.
Aabb swept_bounds(const Shape& shape, const Motion& motion);

/// A shape and how it moves: `{part, Straight{pose, by}}`. A parameter type: it refers to the shape, so it is not to be
/// stored.
class Moving {
  std::optional<Shape> made_;  // from a shape that was not a Shape yet

 public:
  const Shape& shape;
  Motion motion;

  Moving(const Shape& shape_, const Motion& motion_ = Still{}) : shape(shape_), motion(motion_) {}
  /// From any shape: `{Sphere{1}, Still{}}`.
  template <class AnyShape>
  requires std::is_convertible_v<const AnyShape&, Shape> Moving(const AnyShape& shape_, const Motion& motion_ = Still{})
      : made_(shape_), shape(*made_), motion(motion_) {}

  Moving(const Moving&) = delete;
  Moving& operator=(const Moving&) = delete;
};

}  // namespace whisker
