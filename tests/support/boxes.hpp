#pragma once

// Axis-aligned boxes that several tests need.

#include <whisker/geometry/aabb.hpp>

namespace whisker::test {

inline Aabb box_between(const Vector3& a, const Vector3& b) {
  Aabb box;
  box.include(a);
  box.include(b);
  return box;
}

}  // namespace whisker::test
