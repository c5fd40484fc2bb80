#pragma once

/// \file
/// The vector and matrix types of whisker's interface: those of Eigen, in double precision.

#include <Eigen/Core>

namespace whisker {

using Vector3 = Eigen::Vector3d;
using Matrix3 = Eigen::Matrix3d;

/// A vector in the plane. Unaligned, so that its layout does not depend on the user's compiler flags.
using Vector2 = Eigen::Matrix<double, 2, 1, Eigen::DontAlign>;

/// The largest absolute value that a coordinate or length of a shape, a pose or a ray may have. Products of three such
/// numbers stay far from overflow.
inline constexpr double max_coordinate = 1e90;

}  // namespace whisker
