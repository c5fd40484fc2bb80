#pragma once

// Lengths of vectors whose squares may overflow or underflow. As fast as a plain norm for vectors whose squares do not.

#include <cmath>

#include <whisker/vector.hpp>

namespace whisker::geometry {

/// |v|, accurate to three roundings.
inline double safe_norm(const Vector3& v) {
  const double squared = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
  return squared > 0x1p-900 && squared < 0x1p900 ? std::sqrt(squared) : v.stableNorm();
}

}  // namespace whisker::geometry
