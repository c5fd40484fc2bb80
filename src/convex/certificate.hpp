#pragma once

// Common parts of the certified queries of simple shapes: supporting planes in double-double.
//
// Everything here works on shapes that are scaled so that no coordinate is larger than 2 (simple_shape.hpp,
// unit_scale). Then all differences of points are below 8, and `certificate_error` covers the rounding error of every
// double-double evaluation below with a factor of more than ten to spare (a dozen operations, each off by at most
// 2^-101 of terms below 64).

#include "convex/simple_shape.hpp"
#include "geometry/double_double.hpp"

namespace whisker::convex {

using geometry::DoubleDouble;
using geometry::Vector3dd;

inline constexpr double certificate_error = 0x1p-88;

/// A bound in the user's unit, rounded down: `value` divided by `factor`, a power of two, and 0 if it is not positive.
inline double unscaled_down(DoubleDouble value, double factor) {
  const double result = value > 0.0 ? round_down(value) / factor : 0;
  return result < 0x1p-1000 ? 0 : result;  // below this, the division is no longer exact
}
/// The same, rounded up.
inline double unscaled_up(DoubleDouble value, double factor) {
  const double result = round_up(value) / factor;
  return value > 0.0 && result < 0x1p-1000 ? std::nextafter(result, infinity) : result;
}

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

/// A column of a box's rotation, exactly.
inline Vector3dd box_axis(const SimpleShape& box, int axis) {
  return geometry::to_double_double(box.pose.rotation().col(axis));
}

/// The boundary n · (y - origin) = offset of a half-space or plane, with n of unit length.
struct UnitPlane {
  Vector3dd normal;
  Vector3dd origin;
  DoubleDouble offset;

  Vector3dd border_point() const { return origin + normal * offset; }
};
UnitPlane unit_plane(const SimpleShape& plane);

/// Two half-spaces or planes whose normals are exactly parallel: the position of b's boundary along a's normal,
/// relative to a's boundary, and whether the normals are opposed.
struct ParallelPlanes {
  DoubleDouble along;
  bool opposed = false;
};
ParallelPlanes parallel_planes(const SimpleShape& a, const SimpleShape& b);

/// The largest direction · (x - from) over the points x of the bounded core, and the point that attains it. (For a
/// custom convex shape, up to its support error.)
struct Reach {
  DoubleDouble value;
  Vector3dd point;
};
Reach reach(const SimpleShape& shape, const Vector3dd& direction, const Vector3dd& from);

/// The lowest and the highest point of a bounded shape over the boundary of a half-space or plane, and their heights.
struct PlaneHeights {
  Vector3dd normal;  ///< of the boundary, of unit length
  bool is_plane = false;
  DoubleDouble lowest;
  DoubleDouble highest;
  Vector3dd low;
  Vector3dd high;

  /// Whether the shape leaves downward: through a plane, against its normal.
  bool is_under() const { return is_plane && -highest > lowest; }
  /// How far the shape is above the boundary or, for a plane, above or below it. Negative if they overlap.
  DoubleDouble gap() const { return is_under() ? -highest : lowest; }
  /// From the shape to the boundary, as if they were apart.
  Vector3dd toward() const { return is_under() ? normal : -normal; }
  Vector3dd nearest() const { return is_under() ? high : low; }
  /// The point of the boundary that is opposite to the nearest.
  Vector3dd opposite() const { return nearest() + toward() * gap(); }
  /// A common point, if they overlap: the lowest point for a half-space, or where a plane cuts between the lowest and
  /// the highest point.
  Vector3dd common() const {
    return is_plane && highest > lowest ? low + (high - low) * (-lowest / (highest - lowest)) : low;
  }
};
/// For a bounded core.
PlaneHeights heights_over(const SimpleShape& plane, const SimpleShape& shape);

}  // namespace whisker::convex
