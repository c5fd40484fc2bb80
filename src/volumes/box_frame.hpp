#pragma once

// Coordinates in the frame of an oriented box, with bounds on their error.
//
// For axes N with NᵀN = I + E, no entry of E above s in size (skew_of), the exact coordinates of v are
// N⁻¹v = (I + E)⁻¹ Nᵀv, and |(I + E)⁻¹ - I| <= 3 s / (1 - 3 s). So the i-th is nᵢ·v up to 4 s |v|₁, for s <= 0.01.

#include <cmath>

#include <whisker/geometry/obb.hpp>

#include "geometry/constants.hpp"
#include "volumes/measure.hpp"

namespace whisker::volumes {

/// Axes whose skew is larger than this are refused.
inline constexpr double largest_skew = 1e-6;

struct BoxFrame {
  Matrix3 axes;
  double skew = 0;

  explicit BoxFrame(const Matrix3& axes_) : axes(axes_), skew(skew_of(axes_)) {}

  /// Entry i of N⁻¹v is within error(v, i) of this.
  double coordinate(const Vector3& v, int i) const {
    return (axes(0, i) * v[0] + axes(1, i) * v[1]) + axes(2, i) * v[2];
  }
  /// v itself may be off by a rounding of each entry.
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
  /// At least the size of entry i of N⁻¹v.
  double coordinate_up(const Vector3& v, int i) const {
    return (std::abs(coordinate(v, i)) + error(v, i)) * (1 + 4 * unit_roundoff);
  }
  /// No entry of N⁻¹v is larger than this times |v|.
  double stretch() const { return 1 + 3 * skew; }
};

/// The nearest right-handed frame of unit vectors at right angles, up to rounding; any where the columns do not span
/// one.
Matrix3 orthonormalized(const Matrix3& axes);

/// The box with these axes around the points. At least one point.
Obb box_around(std::span<const Vector3> points, const Matrix3& axes);

/// Axes for points, by decreasing variance. At least one point.
Matrix3 principal_axes(std::span<const Vector3> points);

inline bool is_finite(const Obb& box) {
  return std::isfinite(box.half[0]) && std::isfinite(box.half[1]) && std::isfinite(box.half[2]);
}

}  // namespace whisker::volumes
