#include "convex/certificate.hpp"

#include "convex/convex_exact.hpp"
#include "convex/simple_convex.hpp"

namespace whisker::convex {

using geometry::dot;
using geometry::to_double_double;

UnitPlane unit_plane(const SimpleShape& plane) {
  const Vector3dd normal = to_double_double(plane.normal);
  const DoubleDouble length = norm(normal);
  return {normal * (1.0 / length), to_double_double(plane.pose.translation()), plane.offset / length};
}

ParallelPlanes parallel_planes(const SimpleShape& a, const SimpleShape& b) {
  const UnitPlane pa = unit_plane(a);
  const UnitPlane pb = unit_plane(b);
  const bool opposed = a.normal.dot(b.normal) < 0;
  return {dot(pa.normal, pb.origin - pa.origin) + (opposed ? -pb.offset : pb.offset) - pa.offset, opposed};
}

Reach reach(const SimpleShape& shape, const Vector3dd& direction, const Vector3dd& from) {
  if (shape.core == SimpleShape::Core::box) {
    Vector3dd corner = to_double_double(shape.pose.translation());
    for (int axis = 0; axis < 3; ++axis) {
      const Vector3dd column = box_axis(shape, axis);
      const double half = shape.box.size[axis] / 2;
      corner = corner + column * (sign(dot(direction, column)) < 0 ? -half : half);
    }
    return {dot(direction, corner - from), corner};
  }
  if (shape.core == SimpleShape::Core::convex) {
    const Vector3dd point = exact_reach(placed_core(shape), direction, Vector3::Zero()).point;
    return {dot(direction, point - from), point};
  }
  const Corners corners = corners_of(shape);
  Reach best{dot(direction, corners.a - from), corners.a};
  const auto include = [&](const Vector3dd& corner) {
    const DoubleDouble value = dot(direction, corner - from);
    if (value > best.value) best = {value, corner};
  };
  if (shape.corner_count() >= 2) include(corners.b);
  if (shape.corner_count() >= 3) include(corners.c);
  return best;
}

PlaneHeights heights_over(const SimpleShape& plane, const SimpleShape& shape) {
  const UnitPlane p = unit_plane(plane);
  const Reach low = reach(shape, -p.normal, p.origin), high = reach(shape, p.normal, p.origin);
  const bool is_plane = plane.core == SimpleShape::Core::plane;
  return {p.normal, is_plane, -low.value - p.offset, high.value - p.offset, low.point, high.point};
}

}  // namespace whisker::convex
