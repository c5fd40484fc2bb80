#pragma once

// Lengths of vectors whose squares may leave the range of doubles, at the price of a plain norm where they do not.

#include <cmath>

#include <whisker/vector.hpp>

namespace whisker::geometry {

/// |v| up to three roundings.
inline double safe_norm(const Vector3& v) {
  const double squared = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
  return squared > 0x1p-900 && squared < 0x1p900 ? std::sqrt(squared) : v.stableNorm();
}

}  // namespace whisker::geometry
