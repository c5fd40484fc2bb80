#pragma once

// Coordinates in the frame of an oriented box, with bounds on their error.
//
// For axes N with NᵀN = I + E, where no entry of E exceeds s in size (skew_of), the exact coordinates of v are
// N⁻¹v = (I + E)⁻¹ Nᵀv, and |(I + E)⁻¹ - I| <= 3 s / (1 - 3 s). So for s <= 0.01 the i-th coordinate is nᵢ·v up to 4 s
// |v|₁.

#include <cmath>

#include <whisker/geometry/obb.hpp>

#include "geometry/constants.hpp"
#include "geometry/place.hpp"
#include "volumes/measure.hpp"

namespace whisker::volumes {

/// Axes whose skew is larger than this are rejected.
inline constexpr double largest_skew = 1e-6;

struct BoxFrame {
  Matrix3 axes;
  double skew = 0;

  explicit BoxFrame(const Matrix3& axes_) : axes(axes_), skew(skew_of(axes_)) {}

  /// Entry i of N⁻¹v, up to error(v, i).
  double coordinate(const Vector3& v, int i) const {
    return (axes(0, i) * v[0] + axes(1, i) * v[1]) + axes(2, i) * v[2];
  }
  /// Bound on the error of coordinate(v, i). Each entry of v itself may be off by one rounding.
  double error(const Vector3& v, int i) const {
    if (v.isZero(0)) return 0;
    double size = 0;
    double lost = 0;
    for (int k = 0; k < 3; ++k) {
      size += std::abs(axes(k, i) * v[k]);
      if (axes(k, i) != 0 && v[k] != 0) lost = underflow;
    }
    return (6 * unit_roundoff * size + 4 * skew * sum_of_sizes(v)) + lost;
  }
  /// An upper bound on the size of entry i of N⁻¹v.
  double coordinate_up(const Vector3& v, int i) const {
    return (std::abs(coordinate(v, i)) + error(v, i)) * (1 + 4 * unit_roundoff);
  }
  /// No entry of N⁻¹v is larger than this factor times |v|.
  double stretch() const { return 1 + 3 * skew; }
};

/// The nearest right-handed orthonormal frame, up to rounding. Any such frame if the columns do not span one.
Matrix3 orthonormalized(const Matrix3& axes);

/// The box with these axes around the points. Needs at least one point.
Obb box_around(std::span<const Vector3> points, const Matrix3& axes);

/// Principal axes of the points, by decreasing variance. Needs at least one point.
Matrix3 principal_axes(std::span<const Vector3> points);

/// The axes turned by the pose.
inline Matrix3 placed_axes(const Pose& pose, const Matrix3& axes) {
  Matrix3 result;
  for (int i = 0; i < 3; ++i)
    result.col(i) = geometry::placed_direction(pose, axes.col(i));
  return result;
}

inline bool is_finite(const Obb& box) {
  return std::isfinite(box.half[0]) && std::isfinite(box.half[1]) && std::isfinite(box.half[2]);
}

}  // namespace whisker::volumes
