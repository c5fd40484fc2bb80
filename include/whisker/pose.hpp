#pragma once

/// \file
/// Pose: the rigid placement of a shape in the world, a rotation and a translation.
///
///     Pose table;                                                     // identity
///     Pose cup({0, 0, 0.8});                                          // only a translation
///     Pose arm = Eigen::Isometry3d(Eigen::Translation3d(0, 0.5, 1));  // implicit conversion from Eigen
///     Pose tool(quaternion, {1, 0, 0});                               // from a unit quaternion
///     Pose seen = Pose::nearest(camera_in_floats);                    // from floats: the nearest rotation
///     bool hit = touches({part, cup}, {gripper, tool});
///
/// Every Pose is valid: constructors and setters throw an Error for numbers that are not a rigid placement.
/// Translations are in the user's unit of length.

#include <whisker/vector.hpp>

namespace whisker {

namespace detail {
struct PoseAccess;
}

/// A rigid placement: a point x in the shape's own frame is at `rotation() * x + translation()` in the world.
///
/// A pose always holds a rigid placement, so queries need not check it: every number is finite, no coordinate of the
/// translation exceeds `max_coordinate`, no entry of RᵀR differs from the identity's by more than `rotation_tolerance`,
/// and the rotation is not a reflection. A call that would violate this throws an Error that names the fault, and
/// leaves the pose unchanged.
class Pose {
 public:
  /// How far an entry of RᵀR may be from the identity's. Rotations computed in double are off by some 1e-16, those
  /// rounded to float by about 1e-7; use `nearest` for the latter.
  static constexpr double rotation_tolerance = 1e-9;

  /// The identity: the shape's own frame is the world frame.
  Pose() = default;
  /// From a rotation matrix. Use `nearest` if the matrix is a rotation only up to float rounding.
  Pose(const Matrix3& rotation, const Vector3& translation);
  /// Only a translation.
  explicit Pose(const Vector3& translation);
  /// From a unit quaternion. Use `nearest` for a quaternion whose length is off by float rounding.
  template <int Options>
  Pose(const Eigen::Quaternion<double, Options>& rotation, const Vector3& translation)
      : Pose(Matrix3(rotation.toRotationMatrix()), translation) {}
  /// Implicit conversion from Eigen's rigid transform, of any alignment.
  template <int Options>
  Pose(const Eigen::Transform<double, 3, Eigen::Isometry, Options>& transform)  // NOLINT: implicit by design
      : Pose(Matrix3(transform.linear()), Vector3(transform.translation())) {}

  /// The pose with the rotation nearest to `matrix`, which minimizes the sum of squared differences of the entries. For
  /// matrices that are rotations except for float rounding, few digits in a file, or the error of many products. Throws
  /// an Error if an entry of MᵀM differs from the identity's by more than `nearest_tolerance`, because such a matrix
  /// scales or shears, which a pose cannot do. A reflection is an Error too.
  template <class Matrix>
  static Pose nearest(const Eigen::MatrixBase<Matrix>& matrix, const Vector3& translation) {
    return nearest_matrix(matrix.template cast<double>(), translation);
  }
  static constexpr double nearest_tolerance = 0.1;
  /// The same for Eigen's transforms of float or double, whether rigid, affine or projective. The last row is ignored.
  template <class Scalar, int Mode, int Options>
  static Pose nearest(const Eigen::Transform<Scalar, 3, Mode, Options>& transform) {
    return nearest(transform.linear(), transform.translation().template cast<double>());
  }
  /// The rotation of a quaternion of any nonzero length. Throws an Error if the quaternion is zero or not finite.
  template <class Scalar, int Options>
  static Pose nearest(const Eigen::Quaternion<Scalar, Options>& rotation, const Vector3& translation) {
    return nearest_quaternion(double(rotation.w()), double(rotation.x()), double(rotation.y()), double(rotation.z()),
                              translation);
  }

  const Matrix3& rotation() const noexcept { return rotation_; }
  const Vector3& translation() const noexcept { return translation_; }

  void set_rotation(const Matrix3& rotation) { *this = Pose(rotation, translation_); }
  void set_translation(const Vector3& translation);

 private:
  friend struct detail::PoseAccess;

  static Pose nearest_matrix(const Matrix3& matrix, const Vector3& translation);
  static Pose nearest_quaternion(double w, double x, double y, double z, const Vector3& translation);

  Matrix3 rotation_ = Matrix3::Identity();
  Vector3 translation_ = Vector3::Zero();
};

/// Transforms a point from the shape's frame to world coordinates. Each coordinate is ((r₀x₀ + r₁x₁) + r₂x₂) + t, with
/// every operation rounded to the nearest double. whisker's exact answers refer to these doubles, so a user can
/// reproduce them.
Vector3 place(const Pose& pose, const Vector3& point);

/// Transforms a direction from the shape's frame to world coordinates: (r₀x₀ + r₁x₁) + r₂x₂, with every operation
/// rounded to nearest.
Vector3 place_direction(const Pose& pose, const Vector3& direction);

/// The pose that applies `inner` first and `outer` second, computed in plain double arithmetic. If the product of the
/// two rotations is no longer within `rotation_tolerance`, because of rounding or because both were already near the
/// limit, it is replaced by the nearest rotation. Throws an Error if a coordinate of the translation exceeds
/// `max_coordinate`.
Pose compose(const Pose& outer, const Pose& inner);

/// The inverse pose, with the transposed rotation, computed in plain double arithmetic. If the transpose exceeds
/// `rotation_tolerance`, it is replaced by the nearest rotation. Throws an Error as `compose` does.
Pose inverse(const Pose& pose);

}  // namespace whisker
