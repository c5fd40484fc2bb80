#pragma once

/// \file
/// The simple shapes, as plain structs in their own frame. Lengths are in the user's unit.
///
/// Sphere, box, capsule, cylinder, cone and ellipsoid are centered at the origin of their frame; capsule, cylinder and
/// cone stand along its z axis. A Shape (shape.hpp) is made from any of them and checks the numbers.

#include <whisker/vector.hpp>

namespace whisker {

/// All points within `radius` of the origin. A radius of 0 is a point.
struct Sphere {
  double radius = 0;
};

/// A solid box with edges along the axes, of full lengths `size`.
struct Box {
  Vector3 size = Vector3::Zero();
};

/// All points within `radius` of the segment from (0, 0, -length/2) to (0, 0, +length/2): total height length + 2
/// radius.
struct Capsule {
  double radius = 0;
  double length = 0;
};

/// A solid cylinder with flat caps at z = ±length/2.
struct Cylinder {
  double radius = 0;
  double length = 0;
};

/// A solid cone: base disc of `radius` at z = -length/2, apex at z = +length/2.
struct Cone {
  double radius = 0;
  double length = 0;
};

/// A solid ellipsoid with semi-axes `radii` along the axes.
struct Ellipsoid {
  Vector3 radii = Vector3::Zero();
};

/// Everything on one side of a plane: all x with normal·x <= offset. The normal points out of the solid; it need not
/// be a unit vector, and `offset` is in its measure: the boundary passes through normal · offset / |normal|².
struct HalfSpace {
  Vector3 normal = Vector3::UnitZ();
  double offset = 0;
};

/// The plane itself, all x with normal·x == offset; thin, with two sides.
struct Plane {
  Vector3 normal = Vector3::UnitZ();
  double offset = 0;
};

/// The straight line between two points, ends included. Equal ends are a point.
struct Segment {
  Vector3 a = Vector3::Zero();
  Vector3 b = Vector3::Zero();
};

/// The flat triangle of three points, border included. It may be degenerate: a segment or a point.
struct Triangle {
  Vector3 a = Vector3::Zero();
  Vector3 b = Vector3::Zero();
  Vector3 c = Vector3::Zero();
};

}  // namespace whisker
