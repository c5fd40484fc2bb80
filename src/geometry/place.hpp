#pragma once

// The library's own inline form of whisker::place. Only for translation units of the library, which are compiled
// without contraction of a*b+c. User code might be compiled with contraction, so the public form is not inline.

#include <whisker/pose.hpp>

namespace whisker::geometry {

inline Vector3 placed_direction(const Pose& pose, const Vector3& d) {
  const Matrix3& r = pose.rotation();
  return {(r(0, 0) * d[0] + r(0, 1) * d[1]) + r(0, 2) * d[2], (r(1, 0) * d[0] + r(1, 1) * d[1]) + r(1, 2) * d[2],
          (r(2, 0) * d[0] + r(2, 1) * d[1]) + r(2, 2) * d[2]};
}

inline Vector3 placed_point(const Pose& pose, const Vector3& p) {
  const Vector3 turned = placed_direction(pose, p);
  return {turned[0] + pose.translation()[0], turned[1] + pose.translation()[1], turned[2] + pose.translation()[2]};
}

}  // namespace whisker::geometry
