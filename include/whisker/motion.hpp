#pragma once

/// \file
/// How a shape moves between time 0 and time 1.

#include <optional>
#include <type_traits>
#include <variant>

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

using Motion = std::variant<Still, Straight>;

/// Where a motion begins.
const Pose& start_of(const Motion& motion);

/// How far a motion goes from time 0 to time 1; zero if it stands still.
Vector3 way_of(const Motion& motion);

/// Throws an Error that names what is wrong if the motion's pose is not rigid and finite (see Pose), or its way is not
/// finite or has a coordinate beyond `largest_coordinate`.
void check(const Motion& motion);

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
