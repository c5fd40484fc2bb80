#pragma once

/// \file
/// Where a shape stands: a rotation and a translation.

#include <whisker/vector.hpp>

namespace whisker {

/// A rigid placement: a point x of the shape's own frame stands at `rotation * x + translation` in the world.
///
/// Queries check it: every number finite, no translation beyond `largest_coordinate`, RᵀR within
/// `Pose::rotation_tolerance` of the identity, no mirror.
struct Pose {
  /// How far an entry of RᵀR may be from the identity's.
  static constexpr double rotation_tolerance = 1e-9;

  Matrix3 rotation = Matrix3::Identity();
  Vector3 translation = Vector3::Zero();

  Pose() = default;
  Pose(const Matrix3& rotation_, const Vector3& translation_) : rotation(rotation_), translation(translation_) {}
  /// A translation alone.
  explicit Pose(const Vector3& translation_) : translation(translation_) {}
  /// From Eigen's rigid transform, of any mode and alignment, without a word.
  template <int Options>
  Pose(const Eigen::Transform<double, 3, Eigen::Isometry, Options>& transform)  // NOLINT: implicit by design
      : rotation(transform.linear()), translation(transform.translation()) {}
};

/// A point of the shape's frame in world coordinates: each coordinate is ((r₀x₀ + r₁x₁) + r₂x₂) + t, every operation
/// rounded to the nearest double. Exact answers of whisker are about these doubles, so a user can rebuild them.
Vector3 place(const Pose& pose, const Vector3& point);

/// A direction of the shape's frame in world coordinates: (r₀x₀ + r₁x₁) + r₂x₂, every operation rounded to nearest.
Vector3 place_direction(const Pose& pose, const Vector3& direction);

/// The pose that first applies `inner`, then `outer`, in plain double arithmetic.
Pose compose(const Pose& outer, const Pose& inner);

/// The inverse pose (transpose of the rotation), in plain double arithmetic.
Pose inverse(const Pose& pose);

/// Throws an Error that names what is wrong if the pose is not finite or its rotation is not one (mirrors included).
void check(const Pose& pose);

}  // namespace whisker
