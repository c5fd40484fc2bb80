#pragma once

// On which side of a plane a point lies, exactly, and where an edge crosses the plane.

#include <cmath>

#include <whisker/vector.hpp>

#include "geometry/predicates_inline.hpp"

namespace whisker::geometry {

/// All y with normal · (y - origin) = offset, for these doubles taken exactly. The normal is not zero.
struct ExactPlane {
  Vector3 normal;
  Vector3 origin;
  double offset = 0;
};

/// The exact stage of `side_of`, for any finite doubles.
int side_of_exact(const ExactPlane& plane, const Vector3& point);

/// The exact sign of normal · (point - origin) - offset: +1 above the plane, on the side that the normal points to, 0
/// on it, -1 below it.
inline int side_of(const ExactPlane& plane, const Vector3& point) {
  // A difference, a product and three sums: n = 5 in the derivation in predicates_inline.hpp.
  constexpr double error = 6 * unit_roundoff;
  const double x = plane.normal[0] * (point[0] - plane.origin[0]);
  const double y = plane.normal[1] * (point[1] - plane.origin[1]);
  const double z = plane.normal[2] * (point[2] - plane.origin[2]);
  const double permanent = std::abs(x) + std::abs(y) + std::abs(z) + std::abs(plane.offset) + underflow_guard;
  const int sign = sign_beyond(x + y + z - plane.offset, error * permanent);
  return sign != 0 ? sign : side_of_exact(plane, point);
}

/// The point where the edge between two points crosses the plane. `below` must lie strictly below it and `above`
/// strictly above it. Each coordinate is off by at most 2^-52 of that coordinate's larger magnitude at the two ends,
/// and lies between the coordinates of the ends.
Vector3 crossing_point(const ExactPlane& plane, const Vector3& below, const Vector3& above);

}  // namespace whisker::geometry
