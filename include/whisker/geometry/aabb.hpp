#pragma once

/// \file
/// Aabb: an axis-aligned bounding box, given by its two extreme corners.
///
///     Aabb box;                                        // empty
///     for (const Vector3& p : points) box.include(p);
///     if (box.overlaps(other)) test_further();
///     Aabb unit{.lower = {0, 0, 0}, .upper = {1, 1, 1}};
///
/// The box is a plain struct without checks. The member functions compare and copy coordinates, so they never round.
/// The other operations (fit, merge, grow, place, distance bounds) are in volumes.hpp.

#include <limits>

#include <whisker/vector.hpp>

namespace whisker {

/// All points x with lower <= x <= upper in every coordinate, in whatever frame the caller uses. Bounds may be
/// infinite. A default-constructed box is empty and grows with `include`.
struct Aabb {
  Vector3 lower = Vector3::Constant(std::numeric_limits<double>::infinity());   ///< The corner of least coordinates.
  Vector3 upper = Vector3::Constant(-std::numeric_limits<double>::infinity());  ///< The corner of largest coordinates.

  /// Whether the box contains no point: lower > upper in some coordinate, or a bound is NaN.
  bool empty() const { return !(lower.array() <= upper.array()).all(); }
  /// Grows the box just enough to contain the point.
  void include(const Vector3& point) {
    lower = lower.cwiseMin(point);
    upper = upper.cwiseMax(point);
  }
  /// Grows the box just enough to contain the other box.
  void include(const Aabb& other) {
    lower = lower.cwiseMin(other.lower);
    upper = upper.cwiseMax(other.upper);
  }
  /// Whether the two boxes share a point. Boxes that share only a face, an edge or a corner overlap.
  bool overlaps(const Aabb& other) const {
    return (lower.array() <= other.upper.array()).all() && (other.lower.array() <= upper.array()).all();
  }
  /// Whether the point lies in the box or on its boundary.
  bool contains(const Vector3& point) const {
    return (lower.array() <= point.array()).all() && (point.array() <= upper.array()).all();
  }
};

}  // namespace whisker
