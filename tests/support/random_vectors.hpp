#pragma once

// Random numbers, vectors and poses that several tests draw in the same way.

#include <bit>
#include <cmath>
#include <cstdint>
#include <random>

#include <Eigen/Geometry>

#include <whisker/pose.hpp>
#include <whisker/vector.hpp>

#include "support/cases.hpp"

namespace whisker::test {

/// An integer from `low` to `high`, both included.
inline int whole(std::mt19937_64& random, int low, int high) {
  return std::uniform_int_distribution<int>(low, high)(random);
}

inline Vector3 random_vector(std::mt19937_64& random, double size = 1) {
  return {uniform(random, -size, size), uniform(random, -size, size), uniform(random, -size, size)};
}

/// A direction drawn uniformly from all directions.
inline Vector3 random_unit(std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  return Vector3(normal(random), normal(random), normal(random)).normalized();
}

/// A double of any size: any finite bit pattern.
inline double any_finite(std::mt19937_64& random) {
  while (true) {
    const double x = std::bit_cast<double>(std::uint64_t{random()});
    if (std::isfinite(x)) return x;
  }
}

/// A rotation about an axis in the upper half space, and a translation within `reach` of the origin along each axis.
inline Pose turned_pose(std::mt19937_64& random, double reach) {
  const Vector3 axis = Vector3(uniform(random, -1, 1), uniform(random, -1, 1), uniform(random, 0.1, 1)).normalized();
  return {Eigen::AngleAxisd(uniform(random, -3, 3), axis).toRotationMatrix(),
          Vector3(uniform(random, -reach, reach), uniform(random, -reach, reach), uniform(random, -reach, reach))};
}

/// A rotation drawn uniformly from all rotations.
inline Matrix3 random_rotation(std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  const Eigen::Quaterniond q(normal(random), normal(random), normal(random), normal(random));
  return q.normalized().toRotationMatrix();
}

/// A uniformly drawn rotation, and a translation within `reach` of the origin along each axis.
inline Pose normal_pose(std::mt19937_64& random, double reach) {
  return {random_rotation(random),
          Vector3(uniform(random, -reach, reach), uniform(random, -reach, reach), uniform(random, -reach, reach))};
}

}  // namespace whisker::test
