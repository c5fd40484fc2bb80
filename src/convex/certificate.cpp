#include "convex/certificate.hpp"

#include <array>

namespace whisker::convex {

using geometry::dot;
using geometry::to_double_double;

Reach reach(const SimpleShape& shape, const Vector3dd& direction, const Vector3dd& from) {
  if (shape.core == SimpleShape::Core::box) {
    Vector3dd corner = to_double_double(shape.pose.translation);
    for (int axis = 0; axis < 3; ++axis) {
      const Vector3dd column = box_axis(shape, axis);
      const double half = shape.box.size[axis] / 2;
      corner = corner + column * (sign(dot(direction, column)) < 0 ? -half : half);
    }
    return {dot(direction, corner - from), corner};
  }
  const std::array<const Vector3*, 3> corners = {&shape.corners.a, &shape.corners.b, &shape.corners.c};
  Reach best{dot(direction, to_double_double(*corners[0]) - from), to_double_double(*corners[0])};
  for (int i = 1; i < shape.corner_count(); ++i) {
    const Vector3dd corner = to_double_double(*corners[static_cast<std::size_t>(i)]);
    const DoubleDouble value = dot(direction, corner - from);
    if (value > best.value) best = {value, corner};
  }
  return best;
}

}  // namespace whisker::convex
