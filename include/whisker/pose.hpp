#pragma once

/// \file
/// Pose: where a shape stands, a rotation and a translation.
///
///     Pose table;                                     // at the origin
///     Pose cup({0, 0, 0.8});                          // a translation alone
///     Pose arm = Eigen::Isometry3d(…);                // from Eigen, without a word
///     Pose tool(quaternion, {1, 0, 0});               // from a unit quaternion
///     Pose seen = Pose::nearest(camera_in_floats);    // from floats: the nearest rotation
///     if (touches({part, cup}, {gripper, tool})) …

#include <whisker/vector.hpp>

namespace whisker {

namespace detail {
struct PoseAccess;
}

/// A rigid placement: a point x of the shape's own frame stands at `rotation() * x + translation()` in the world.
///
/// A pose always holds a rigid placement, so queries need not check it: every number is finite, no coordinate of the
/// translation is beyond `max_coordinate`, no entry of RᵀR is farther than `rotation_tolerance` from the
/// identity's, and the rotation is no mirror. What would break this is an Error that names it, and leaves the pose as
/// it was.
class Pose {
 public:
  /// How far an entry of RᵀR may be from the identity's. Rotations made in double are some 1e-16 off, those that were
  /// rounded to float about 1e-7: for these there is `nearest`.
  static constexpr double rotation_tolerance = 1e-9;

  /// The identity: in the shape's own frame.
  Pose() = default;
  Pose(const Matrix3& rotation, const Vector3& translation);
  /// A translation alone.
  explicit Pose(const Vector3& translation);
  /// From a unit quaternion; one that is off by rounding to float is for `nearest`.
  template <int Options>
  Pose(const Eigen::Quaternion<double, Options>& rotation, const Vector3& translation)
      : Pose(Matrix3(rotation.toRotationMatrix()), translation) {}
  /// From Eigen's rigid transform, of any alignment, without a word.
  template <int Options>
  Pose(const Eigen::Transform<double, 3, Eigen::Isometry, Options>& transform)  // NOLINT: implicit by design
      : Pose(Matrix3(transform.linear()), Vector3(transform.translation())) {}

  /// The pose with the rotation that is nearest to `matrix` (in the sum of squared differences of the entries), for
  /// matrices that are rotations up to the rounding of floats, of a file with few digits, or of many products. Throws
  /// an Error if an entry of MᵀM is off the identity's by more than `nearest_tolerance`: such a matrix scales or
  /// shears, and a pose cannot. A mirror is an Error too.
  template <class Matrix>
  static Pose nearest(const Eigen::MatrixBase<Matrix>& matrix, const Vector3& translation) {
    return nearest_matrix(matrix.template cast<double>(), translation);
  }
  static constexpr double nearest_tolerance = 0.1;
  /// The same for Eigen's transforms of float or double, rigid, affine or projective; the last row is not looked at.
  template <class Scalar, int Mode, int Options>
  static Pose nearest(const Eigen::Transform<Scalar, 3, Mode, Options>& transform) {
    return nearest(transform.linear(), transform.translation().template cast<double>());
  }
  /// The rotation of a quaternion of any length but 0.
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

/// A point of the shape's frame in world coordinates: each coordinate is ((r₀x₀ + r₁x₁) + r₂x₂) + t, every operation
/// rounded to the nearest double. Exact answers of whisker are about these doubles, so a user can rebuild them.
Vector3 place(const Pose& pose, const Vector3& point);

/// A direction of the shape's frame in world coordinates: (r₀x₀ + r₁x₁) + r₂x₂, every operation rounded to nearest.
Vector3 place_direction(const Pose& pose, const Vector3& direction);

/// The pose that first applies `inner`, then `outer`, in plain double arithmetic. Where rounding, or that the two
/// rotations are both nearly off by the tolerance, makes their product no rotation any more, the nearest rotation to
/// it. Throws an Error if the translation gets beyond `max_coordinate`.
Pose compose(const Pose& outer, const Pose& inner);

/// The inverse pose (transpose of the rotation), in plain double arithmetic; as `compose` where the transpose is off.
Pose inverse(const Pose& pose);

}  // namespace whisker
