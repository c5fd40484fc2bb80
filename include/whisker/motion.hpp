#pragma once

/// \file
/// Describes how a shape moves between time 0 and time 1, for first_contact.hpp and World::first_contacts.
///
///     const Motion slide = Straight{start, {2, 0, 0}};               // 2 units along x, without rotation
///     const Motion swing = screw(start, goal);                       // from one pose to another
///     const Pose halfway = pose_at(swing, 0.5);
///     const Aabb room = swept_bounds(part, swing);                   // holds the part at all times from 0 to 1
///     const MotionImpact hit = first_contact({part, swing}, {wall, Still{}});
///
/// A motion is defined by its stored numbers in real arithmetic. The bounds that queries return hold for that exact
/// path, not for rounded poses along it. Vectors are in the world frame unless stated otherwise, lengths in the user's
/// unit, and angles in radians.
///
/// `Still`, `Straight` and `Turning` cover most motions; `screw`, `turning` and `turning_with_velocity` make a
/// `Turning` from poses or velocities. Any other motion is a `CustomMotion`: a function that returns the pose at a
/// time, and a bound on how far points travel. A half-space or plane, or a compound that contains one, can be `Still`
/// or move `Straight`, but cannot rotate or follow a CustomMotion: some of its points would be infinitely fast.
///
/// Building a motion struct checks nothing. The queries that take a motion call `check` on it, and throw its Error.

#include <functional>
#include <optional>
#include <type_traits>
#include <variant>

#include <whisker/geometry/interval.hpp>
#include <whisker/pose.hpp>
#include <whisker/shape.hpp>

namespace whisker {

/// Does not move.
struct Still {
  Pose pose = {};
};

/// Translates at constant velocity without rotating: at time t, from 0 to 1, every point of the placed shape is
/// displaced by `t * by` from where `start` puts it.
struct Straight {
  Pose start = {};
  Vector3 by = Vector3::Zero();  ///< The whole translation, from time 0 to time 1. World frame.
};

/// Rotates at constant angular velocity about a center that translates at constant velocity. A point at x at time 0 is,
/// at time t, at c + R(t turn) (x - center) with c = center + t by, where R(v) rotates about v by |v| radians.
struct Turning {
  Pose start = {};
  Vector3 center = Vector3::Zero();  ///< The center of rotation at time 0. World frame.
  Vector3 by = Vector3::Zero();      ///< The whole translation of the center. World frame.
  Vector3 turn = Vector3::Zero();    ///< The rotation axis times the whole angle, which may exceed 2π. World frame.
};

/// A motion that the caller defines by two functions.
///
/// Both functions may be called from any thread. They may throw only Error. If `pose` throws an Error, as the
/// construction of an invalid Pose does, or if `way` returns NaN or a negative number, the query that made the call
/// throws an Error that states the time.
struct CustomMotion {
  Pose start = {};  ///< The pose at time 0.
  /// Returns the pose at a time from 0 to 1. At 0 it must return `start`. The result may be inaccurate by up to
  /// `error`.
  std::function<Pose(double t)> pose;
  /// Returns an upper bound on how far any point within `reach` of the origin of the shape's frame travels between any
  /// two times in [from, to]. The tighter the bound, the fewer steps a query takes.
  std::function<double(double from, double to, double reach)> way;
  /// How far a point of the shape, placed by `pose`, may be from its true position. A length, 0 or larger.
  double error = 0;
};

/// Any of the motions above.
using Motion = std::variant<Still, Straight, Turning, CustomMotion>;

/// The screw motion from one pose to another: a rotation by at most half a turn about an axis, and a translation along
/// that axis, both at constant velocity. At time 1 it is at `to` up to a few rounding errors.
Turning screw(const Pose& from, const Pose& to);

/// The motion from one pose to another that rotates, by at most half a turn, about a point of the body which moves in a
/// straight line. `center` is that point in the body's frame; by default it is the frame's origin. Throws an Error if
/// `center` is not finite or has a coordinate beyond `max_coordinate`.
Turning turning(const Pose& from, const Pose& to, const Vector3& center = Vector3::Zero());

/// The motion with constant velocities for a `duration`, which becomes the time from 0 to 1. `center` is a point in the
/// world frame that moves with the body; `velocity` is its velocity, and `angular_velocity` is the body's angular
/// velocity about it, in radians per unit of time. Throws an Error if the duration is negative or not finite, and the
/// Errors of `check`.
Turning turning_with_velocity(const Pose& start, const Vector3& center, const Vector3& velocity,
                              const Vector3& angular_velocity, double duration = 1);

/// The same path at a different pace: at time t the result is where `motion` is at time pace(t). The caller promises
/// that `pace` is 0 at 0 and 1 at 1 and never decreases. Throws the Errors of `check`, and one if `pace` is empty. A
/// query that finds a pace that is not finite, or that decreases, throws an Error.
CustomMotion with_pace(const Turning& motion, std::function<double(double t)> pace);

/// A motion with the same start and end as `motion` in which the tangent of half the rotation angle grows linearly with
/// time, so that the pose is a rational function of time (Redon, Kheddar, Coquillart 2002). The center moves at
/// constant velocity, as in `Turning`. Throws the Errors of `check`, and one if the angle is not below π (3.14 is the
/// limit that is enforced).
CustomMotion with_even_half_tangent(const Turning& motion);

/// Two screws, one after the other: from `from` to `middle`, which is reached at time 1/2, and on to `to`.
CustomMotion through(const Pose& from, const Pose& middle, const Pose& to);

/// The pose at time 0. The reference points into `motion`.
const Pose& start_of(const Motion& motion);

/// The pose at a time from 0 to 1: exactly the start pose at 0, and otherwise accurate to a few rounding errors of the
/// lengths involved. Throws an Error if the time is not finite, if a CustomMotion has no function `pose`, or if that
/// function throws one.
Pose pose_at(const Motion& motion, double t);

/// Throws an Error that names the fault if a vector of the motion is not finite or has a coordinate beyond
/// `max_coordinate`, if a `turn` is longer than 1e9 radians, or if a CustomMotion lacks a function or its `error` is
/// not a length from 0 to `max_coordinate`.
void check(const Motion& motion);

/// Bounds b cos t + c sin t over all t in an interval, in radians. The bounds are tight: they come from the ends of the
/// interval and from the maxima and minima inside it, not from the sum of the ranges of the two terms. For example, √3
/// cos t + sin t on [0, π/2] is [1, 2] up to a few ulps.
Interval sinusoid(double b, double c, const Interval& t);

/// Bounds on a pose over an interval of time: each entry of the rotation matrix and of the translation is an interval.
struct PoseInterval {
  IntervalMatrix3 rotation;
  IntervalVector3 translation;
};
/// Bounds the poses of a motion at all times of an interval within [0, 1]. Every entry is as tight as `sinusoid`, and
/// rounding is included. Throws an Error for a CustomMotion, whose poses between two times are not known, if the
/// interval is not within [0, 1], and the Errors of `check`.
PoseInterval pose_over(const Motion& motion, const Interval& t);

/// An AABB in the world frame that contains the shape at all times from 0 to 1, rounding included. Throws the Errors of
/// `check`, and one if an unbounded shape (half-space, plane, or a compound with one) rotates or has a CustomMotion.
Aabb swept_bounds(const Shape& shape, const Motion& motion);

/// A parameter type: a shape and its motion, written `{part, Straight{pose, by}}`. It refers to the shape, so do not
/// store it.
class Moving {
  std::optional<Shape> made_;  // holds the shape if the argument was not a Shape

 public:
  const Shape& shape;
  Motion motion;

  Moving(const Shape& shape_, const Motion& motion_ = Still{}) : shape(shape_), motion(motion_) {}
  /// Takes anything that converts to a Shape: `{Sphere{1}, Still{}}`.
  template <class AnyShape>
  requires std::is_convertible_v<const AnyShape&, Shape> Moving(const AnyShape& shape_, const Motion& motion_ = Still{})
      : made_(shape_), shape(*made_), motion(motion_) {}

  Moving(const Moving&) = delete;
  Moving& operator=(const Moving&) = delete;
};

}  // namespace whisker
