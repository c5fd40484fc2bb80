#pragma once

// What the certified queries of simple shapes share: supporting planes in double-double.
//
// Everything here works on shapes scaled so that no coordinate is larger than 2 (simple_shape.hpp, unit_scale): then
// all differences of points are below 8, and `certificate_error` covers the rounding of every double-double evaluation
// below with a factor of more than ten to spare (a dozen operations, each off by at most 2^-101 of terms below 64).

#include "convex/simple_shape.hpp"
#include "geometry/double_double.hpp"

namespace whisker::convex {

using geometry::DoubleDouble;
using geometry::Vector3dd;

inline constexpr double certificate_error = 0x1p-88;

/// The corners of a point, segment or triangle, tails included.
struct Corners {
  Vector3dd a, b, c;
};
inline Corners corners_of(const SimpleShape& shape) {
  const auto corner = [](const Vector3& head, const Vector3& tail) {
    return Vector3dd{{head[0], tail[0]}, {head[1], tail[1]}, {head[2], tail[2]}};
  };
  return {corner(shape.corners.a, shape.tails.a), corner(shape.corners.b, shape.tails.b),
          corner(shape.corners.c, shape.tails.c)};
}

/// A shape's column of the rotation, exactly.
inline Vector3dd box_axis(const SimpleShape& box, int axis) {
  return geometry::to_double_double(box.pose.rotation().col(axis));
}

/// A half-space's or plane's border n · (y - origin) = offset, with n of unit length.
struct UnitPlane {
  Vector3dd normal;
  Vector3dd origin;
  DoubleDouble offset;

  Vector3dd border_point() const { return origin + normal * offset; }
};
UnitPlane unit_plane(const SimpleShape& plane);

/// Two half-spaces or planes whose normals are exactly parallel: where b's border lies along a's normal, counted from
/// a's border, and whether the normals are opposed.
struct ParallelPlanes {
  DoubleDouble along;
  bool opposed = false;
};
ParallelPlanes parallel_planes(const SimpleShape& a, const SimpleShape& b);

/// The largest direction · (x - from) over the points x of the bounded core, and the point that attains it. (Of a
/// custom convex shape up to its support error.)
struct Reach {
  DoubleDouble value;
  Vector3dd point;
};
Reach reach(const SimpleShape& shape, const Vector3dd& direction, const Vector3dd& from);

}  // namespace whisker::convex
