#pragma once

#include <whisker/geometry/axis_box.hpp>

namespace whisker::test {

inline AxisBox box_between(const Vector3& a, const Vector3& b) {
  AxisBox box;
  box.include(a);
  box.include(b);
  return box;
}

}  // namespace whisker::test
