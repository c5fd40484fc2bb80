#pragma once

/// \file
/// The vector and matrix types of whisker's interface: Eigen's, in double.

#include <Eigen/Core>

namespace whisker {

using Vector3 = Eigen::Vector3d;
using Matrix3 = Eigen::Matrix3d;

/// A plane vector. Unaligned, so that its layout is the same whatever flags the user compiles with.
using Vector2 = Eigen::Matrix<double, 2, 1, Eigen::DontAlign>;

/// No coordinate or length of a shape, a pose or a ray may be larger than this: products of three stay far from
/// overflow.
inline constexpr double max_coordinate = 1e90;

}  // namespace whisker
