#pragma once

// The library's own inline form of whisker::place. Only for translation units of the library, which are compiled
// without contraction of a*b+c. User code might be compiled with contraction, so the public form is not inline.

#include <whisker/pose.hpp>
#include <whisker/primitives.hpp>

#include "geometry/ordered_sums.hpp"

namespace whisker::geometry {

inline Vector3 placed_direction(const Pose& pose, const Vector3& d) {
  return turned(pose.rotation(), d);
}

inline Vector3 placed_point(const Pose& pose, const Vector3& p) {
  const Vector3 turned = placed_direction(pose, p);
  return {turned[0] + pose.translation()[0], turned[1] + pose.translation()[1], turned[2] + pose.translation()[2]};
}

inline Triangle placed_triangle(const Pose& pose, const Triangle& t) {
  return {placed_point(pose, t.a), placed_point(pose, t.b), placed_point(pose, t.c)};
}

}  // namespace whisker::geometry
