#pragma once

// A quick check of the numbers of a pose, which nearly all poses pass.

#include <cmath>

#include <whisker/pose.hpp>

namespace whisker::geometry {

/// Returns true only if the numbers are certainly valid for a pose (see Pose). It checks that the first two columns are
/// orthonormal and that the third is their cross product. All deviations together must be at most a fifth of the
/// tolerance, which ensures that all of RᵀR is within the tolerance and that the determinant is positive. A NaN fails
/// every comparison.
inline bool is_clearly_rigid(const Matrix3& rotation, const Vector3& translation) {
  const double* const r = rotation.data();  // column by column
  const double* const t = translation.data();
  const double x = r[1] * r[5] - r[2] * r[4], y = r[2] * r[3] - r[0] * r[5], z = r[0] * r[4] - r[1] * r[3];
  const double first = r[0] * r[0] + r[1] * r[1] + r[2] * r[2] - 1;
  const double second = r[3] * r[3] + r[4] * r[4] + r[5] * r[5] - 1;
  const double across = r[0] * r[3] + r[1] * r[4] + r[2] * r[5];
  const double off = (std::abs(first) + std::abs(second)) + (std::abs(across) + std::abs(r[6] - x)) +
                     (std::abs(r[7] - y) + std::abs(r[8] - z));
  const double far = std::abs(t[0]) + std::abs(t[1]) + std::abs(t[2]);
  return (off <= Pose::rotation_tolerance / 5) & (far <= max_coordinate);
}

}  // namespace whisker::geometry
