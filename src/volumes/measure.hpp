#pragma once

// Lengths with rounding error accounted for, and the input checks that all fits share.

#include <cmath>
#include <span>
#include <string>
#include <vector>

#include <whisker/error.hpp>
#include <whisker/geometry/aabb.hpp>
#include <whisker/primitives.hpp>
#include <whisker/vector.hpp>

#include "geometry/constants.hpp"
#include "geometry/interval_inline.hpp"
#include "geometry/vector_size.hpp"

namespace whisker::volumes {

using geometry::largest_entry;
using geometry::times_power;

/// More than a few underflows can lose in total.
inline constexpr double underflow = 0x1p-1060;

/// The distance bounds returned if a set is empty: larger than every finite double.
inline Interval beyond_every_double() {
  return {geometry::largest_double, infinity};
}

/// The exponent that scales numbers of this size to about 1. 0 for 0.
inline int exponent_of(double largest) {
  return largest > 0 && largest <= geometry::largest_double ? std::ilogb(largest) : 0;
}

inline double sum_of_sizes(const Vector3& v) {
  return std::abs(v[0]) + std::abs(v[1]) + std::abs(v[2]);
}

/// |v| in doubles, scaled so that nothing overflows or underflows to 0. Accurate to 4 roundings.
inline double norm_near(const Vector3& v) {
  const double largest = largest_entry(v);
  if (!(largest > 0) || largest > geometry::largest_double) return largest;
  const int exponent = exponent_of(largest);
  const Vector3 u = times_power(v, -exponent);
  return std::ldexp(std::sqrt((u[0] * u[0] + u[1] * u[1]) + u[2] * u[2]), exponent);
}

/// An upper and a lower bound on |v| of the stored numbers.
inline double norm_up(const Vector3& v) {
  const double norm = norm_near(v);
  return norm == 0 ? 0 : geometry::next_up(norm * (1 + 8 * unit_roundoff));
}
inline double norm_down(const Vector3& v) {
  const double norm = norm_near(v);
  return norm == 0 ? 0 : std::max(0.0, geometry::next_down(norm * (1 - 8 * unit_roundoff)));
}

/// An upper bound on |a - b| in real arithmetic: each difference is rounded once, relative to itself.
inline double distance_up(const Vector3& a, const Vector3& b) {
  return norm_up(a - b);
}

/// Shifts points to their middle and scales them to about 1, so that their squares and products neither overflow nor
/// underflow. Needs at least one point.
struct PointFrame {
  Vector3 middle = Vector3::Zero();
  int exponent = 0;

  explicit PointFrame(std::span<const Vector3> points) {
    Aabb box;
    for (const Vector3& point : points)
      box.include(point);
    middle = box.lower / 2 + box.upper / 2;
    exponent = exponent_of(largest_entry(box.upper - box.lower));
  }
  Vector3 to_local(const Vector3& point) const { return times_power(point - middle, -exponent); }
  Vector3 to_world(const Vector3& point) const { return middle + times_power(point, exponent); }
};

/// How far the columns are from orthonormal: no entry of AᵀA - I is larger than this, rounding included.
inline double skew_of(const Matrix3& axes) {
  if (axes == Matrix3::Identity()) return 0;
  double worst = 0;
  for (int i = 0; i < 3; ++i) {
    for (int j = i; j < 3; ++j) {
      const double entry = (axes(0, i) * axes(0, j) + axes(1, i) * axes(1, j)) + axes(2, i) * axes(2, j);
      worst = std::max(worst, std::abs(entry - (i == j ? 1 : 0)));
    }
  }
  return worst + 8 * unit_roundoff;
}

/// Throws if there are no points or if a coordinate is out of range.
inline void check_points(std::span<const Vector3> points, const char* what) {
  if (points.empty()) throw Error(std::string(what) + ": no points to fit; give at least one");
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!(largest_entry(points[i]) <= max_coordinate) || !points[i].allFinite()) {
      throw Error(std::string(what) + ": point " + std::to_string(i) +
                  " has a coordinate that is not finite or beyond 1e90; remove it or use another unit of length");
    }
  }
}

inline void check_length(double length, const char* what) {
  if (!(length >= 0) || !(length <= geometry::largest_double)) {
    throw Error(std::string(what) + ": the length to grow by must be finite and not negative");
  }
}

inline std::vector<Vector3> corners_of(std::span<const Triangle> triangles) {
  std::vector<Vector3> points;
  points.reserve(3 * triangles.size());
  for (const Triangle& triangle : triangles)
    points.insert(points.end(), {triangle.a, triangle.b, triangle.c});
  return points;
}

}  // namespace whisker::volumes
