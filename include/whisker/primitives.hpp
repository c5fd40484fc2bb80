#pragma once

/// \file
/// The primitive shapes, as plain structs in their own frame.
///
///     const Shape ball = Sphere{.radius = 0.5};
///     const Shape crate = Box{.size = {1, 2, 3}};   // full edge lengths
///     const Shape floor = HalfSpace{{0, 0, 1}, 0};  // all points with z <= 0
///     const bool hit = touches({ball, Pose(Vector3(0, 0, 0.4))}, floor);  // true: the ball reaches below z = 0
///
/// Lengths are in the user's unit. Sphere, box, capsule, cylinder, cone and ellipsoid are centered at the origin of
/// their frame. The axis of capsule, cylinder and cone is the z axis.
///
/// The structs themselves accept any numbers. Converting one to a Shape (shape.hpp), which every query does, checks
/// them: lengths must be finite, from 0 to `max_coordinate`, and normals must not be zero.

#include <whisker/vector.hpp>

namespace whisker {

/// All points within `radius` of the origin. A radius of 0 is a point.
struct Sphere {
  double radius = 0;
};

/// A solid box with edges along the axes. `size` holds the full edge lengths.
struct Box {
  Vector3 size = Vector3::Zero();
};

/// All points within `radius` of the segment from (0, 0, -length/2) to (0, 0, +length/2). The total height is length +
/// 2 radius.
struct Capsule {
  double radius = 0;
  double length = 0;
};

/// A solid cylinder with flat caps at z = ±length/2.
struct Cylinder {
  double radius = 0;
  double length = 0;
};

/// A solid cone with a base disc of `radius` at z = -length/2 and its apex at z = +length/2.
struct Cone {
  double radius = 0;
  double length = 0;
};

/// A solid ellipsoid with semi-axes `radii` along the axes.
struct Ellipsoid {
  Vector3 radii = Vector3::Zero();
};

/// Everything on one side of a plane: all x with normal·x <= offset. The normal points out of the solid. It need not be
/// a unit vector, and `offset` scales with it: the boundary passes through normal · offset / |normal|².
struct HalfSpace {
  Vector3 normal = Vector3::UnitZ();
  double offset = 0;
};

/// An infinitely thin, two-sided plane: all x with normal·x == offset. Normal and offset are as in HalfSpace.
struct Plane {
  Vector3 normal = Vector3::UnitZ();
  double offset = 0;
};

/// The straight segment between two points, ends included. If the ends are equal it is a point.
struct Segment {
  Vector3 a = Vector3::Zero();
  Vector3 b = Vector3::Zero();
};

/// The flat triangle with three corners, border included. It may degenerate to a segment or a point.
struct Triangle {
  Vector3 a = Vector3::Zero();
  Vector3 b = Vector3::Zero();
  Vector3 c = Vector3::Zero();
};

}  // namespace whisker
