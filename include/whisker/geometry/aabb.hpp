#pragma once

/// \file
/// A box with edges along the world's axes, given by its two extreme corners.

#include <limits>

#include <whisker/vector.hpp>

namespace whisker {

/// All x with lower <= x <= upper in every coordinate. Made without arguments it is empty and grows by `include`.
struct Aabb {
  Vector3 lower = Vector3::Constant(std::numeric_limits<double>::infinity());
  Vector3 upper = Vector3::Constant(-std::numeric_limits<double>::infinity());

  bool empty() const { return !(lower.array() <= upper.array()).all(); }
  void include(const Vector3& point) {
    lower = lower.cwiseMin(point);
    upper = upper.cwiseMax(point);
  }
  void include(const Aabb& other) {
    lower = lower.cwiseMin(other.lower);
    upper = upper.cwiseMax(other.upper);
  }
  /// Boxes that share a face, an edge or a corner overlap.
  bool overlaps(const Aabb& other) const {
    return (lower.array() <= other.upper.array()).all() && (other.lower.array() <= upper.array()).all();
  }
  bool contains(const Vector3& point) const {
    return (lower.array() <= point.array()).all() && (point.array() <= upper.array()).all();
  }
};

}  // namespace whisker
