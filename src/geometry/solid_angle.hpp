#pragma once

// The solid angle of a triangle.

#include <cmath>

#include <Eigen/Geometry>

#include <whisker/vector.hpp>

namespace whisker::geometry {

/// The solid angle of a triangle seen from the origin, in steradians. Positive if its corners run clockwise as seen
/// from the origin, so that a closed surface that faces outward adds up to 4π around the origin (van Oosterom and
/// Strackee 1983). In plain doubles, for lengths of about 1.
inline double solid_angle(const Vector3& a, const Vector3& b, const Vector3& c) {
  const double x = a.norm(), y = b.norm(), z = c.norm();
  return 2 * std::atan2(a.dot(b.cross(c)), x * y * z + a.dot(b) * z + b.dot(c) * x + c.dot(a) * y);
}

}  // namespace whisker::geometry
