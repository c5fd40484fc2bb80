#include <algorithm>
#include <cmath>
#include <string>

#include <Eigen/LU>

#include <whisker/error.hpp>
#include <whisker/pose.hpp>

#include "geometry/place.hpp"
#include "geometry/rigid.hpp"

namespace whisker {

Vector3 place(const Pose& pose, const Vector3& point) {
  return geometry::placed_point(pose, point);
}

Vector3 place_direction(const Pose& pose, const Vector3& direction) {
  return geometry::placed_direction(pose, direction);
}

Pose compose(const Pose& outer, const Pose& inner) {
  return {outer.rotation * inner.rotation, outer.rotation * inner.translation + outer.translation};
}

Pose inverse(const Pose& pose) {
  const Matrix3 transposed = pose.rotation.transpose();
  return {transposed, -(transposed * pose.translation)};
}

void check(const Pose& pose) {
  if (geometry::is_plainly_rigid(pose)) return;
  if (!pose.rotation.allFinite() || !pose.translation.allFinite()) {
    throw Error("pose: a number is NaN or infinite; every entry of rotation and translation must be finite");
  }
  if (pose.translation.cwiseAbs().maxCoeff() > largest_coordinate) {
    throw Error("pose: the translation has a coordinate beyond 1e90; use another unit of length");
  }
  double worst = 0;
  for (int i = 0; i < 3; ++i) {
    for (int j = i; j < 3; ++j) {
      const double entry = pose.rotation.col(i).dot(pose.rotation.col(j));
      worst = std::max(worst, std::abs(entry - (i == j ? 1 : 0)));
    }
  }
  if (!(worst <= Pose::rotation_tolerance)) {
    throw Error("pose: the rotation is not orthonormal (RᵀR differs from the identity by " + std::to_string(worst) +
                ", at most 1e-9 is allowed); normalize the matrix or make it from a unit quaternion");
  }
  if (pose.rotation.determinant() < 0) {
    throw Error("pose: the rotation mirrors (determinant -1); mirror the shape itself instead");
  }
}

}  // namespace whisker
