#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>

#include <Eigen/Geometry>
#include <Eigen/LU>

#include <whisker/error.hpp>
#include <whisker/pose.hpp>

#include "geometry/place.hpp"
#include "geometry/raw_pose.hpp"

namespace whisker {

Vector3 place(const Pose& pose, const Vector3& point) {
  return geometry::placed_point(pose, point);
}

Vector3 place_direction(const Pose& pose, const Vector3& direction) {
  return geometry::placed_direction(pose, direction);
}

namespace {

/// A quick check, which nearly all poses pass. Returns true only if the numbers are certainly valid for a pose (see
/// Pose). It checks that the first two columns are orthonormal and that the third is their cross product. All
/// deviations together must be at most a fifth of the tolerance, which ensures that all of RᵀR is within the tolerance
/// and that the determinant is positive. A NaN fails every comparison.
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

/// The largest deviation of an entry of RᵀR from the identity.
double off_orthonormal(const Matrix3& rotation) {
  double worst = 0;
  for (int i = 0; i < 3; ++i) {
    for (int j = i; j < 3; ++j) {
      const double entry = rotation.col(i).dot(rotation.col(j));
      worst = std::max(worst, std::abs(entry - (i == j ? 1 : 0)));
    }
  }
  return worst;
}

/// A number in readable form: 6e-08 becomes "6e-8".
std::string short_number(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1e", value);
  const std::string all = text.data();
  const std::size_t exponent = all.find('e');
  if (exponent == std::string::npos) return all;  // infinite
  std::string digits = all.substr(0, exponent);
  if (digits.ends_with(".0")) digits.resize(digits.size() - 2);
  return digits + "e" + std::to_string(std::stoi(all.substr(exponent + 1)));
}

void check_translation(const Vector3& translation) {
  if (!translation.allFinite()) throw Error("pose: the translation has a coordinate that is NaN or infinite");
  if (translation.cwiseAbs().maxCoeff() > max_coordinate)
    throw Error("pose: the translation has a coordinate beyond 1e90; use another unit of length");
}

void check_mirror(const Matrix3& rotation) {
  if (rotation.determinant() < 0)
    throw Error("pose: the rotation mirrors (determinant -1); mirror the shape itself instead");
}

void check_rotation(const Matrix3& rotation) {
  if (!rotation.allFinite()) throw Error("pose: the rotation has an entry that is NaN or infinite");
  const double off = off_orthonormal(rotation);
  if (!(off <= Pose::rotation_tolerance)) {
    throw Error("pose: the rotation is not orthonormal: RᵀR is off the identity by " + short_number(off) +
                ", at most 1e-9 is allowed; Pose::nearest makes it a rotation");
  }
  check_mirror(rotation);
}

/// The rotation nearest to a matrix that is nearly one: the orthogonal factor of its polar decomposition, by Newton's
/// iteration X ← (X + X⁻ᵀ) / 2 (Higham 1986), which doubles the number of correct digits in each step.
Matrix3 nearest_rotation(Matrix3 matrix) {
  constexpr int max_steps = 8;  // four are enough from a deviation of 0.1
  for (int step = 0; step < max_steps; ++step) {
    const Matrix3 next = 0.5 * (matrix + matrix.inverse().transpose());
    const bool settled = (next - matrix).cwiseAbs().maxCoeff() < 1e-15;
    matrix = next;
    if (settled) break;
  }
  return matrix;
}

/// For a product or transpose of rotations.
Pose rectified(const Matrix3& rotation, const Vector3& translation) {
  if (is_clearly_rigid(rotation, translation)) return geometry::raw_pose(rotation, translation);
  check_translation(translation);
  const bool is_rotation = off_orthonormal(rotation) <= Pose::rotation_tolerance;
  return geometry::raw_pose(is_rotation ? rotation : nearest_rotation(rotation), translation);
}

}  // namespace

Pose::Pose(const Matrix3& rotation, const Vector3& translation) : rotation_(rotation), translation_(translation) {
  if (is_clearly_rigid(rotation, translation)) return;
  check_rotation(rotation);
  check_translation(translation);
}

Pose::Pose(const Vector3& translation) : translation_(translation) {
  check_translation(translation);
}

void Pose::set_translation(const Vector3& translation) {
  check_translation(translation);
  translation_ = translation;
}

Pose Pose::nearest_matrix(const Matrix3& matrix, const Vector3& translation) {
  if (!matrix.allFinite()) throw Error("Pose::nearest: the matrix has an entry that is NaN or infinite");
  const double off = off_orthonormal(matrix);
  if (!(off <= nearest_tolerance)) {
    throw Error("Pose::nearest: the matrix is not a rotation: MᵀM is off the identity by " + short_number(off) +
                ", at most 0.1 is allowed; a pose cannot scale or shear, so scale the shape instead");
  }
  check_mirror(matrix);
  return {nearest_rotation(matrix), translation};
}

Pose Pose::nearest_quaternion(double w, double x, double y, double z, const Vector3& translation) {
  const double largest = std::max({std::abs(w), std::abs(x), std::abs(y), std::abs(z)});
  if (!(largest > 0) || !std::isfinite(largest))
    throw Error("Pose::nearest: the quaternion is zero, or has a number that is NaN or infinite");
  // Scale first, so that no square overflows or underflows.
  const Eigen::Quaterniond scaled(w / largest, x / largest, y / largest, z / largest);
  return {Matrix3(scaled.normalized().toRotationMatrix()), translation};
}

Pose compose(const Pose& outer, const Pose& inner) {
  return rectified(outer.rotation() * inner.rotation(), outer.rotation() * inner.translation() + outer.translation());
}

Pose inverse(const Pose& pose) {
  const Matrix3 transposed = pose.rotation().transpose();
  return rectified(transposed, -(transposed * pose.translation()));
}

}  // namespace whisker
