#include "convex/simple_shape.hpp"

#include <algorithm>
#include <cmath>

#include "convex/simple_convex.hpp"
#include "geometry/double_double.hpp"
#include "geometry/place.hpp"
#include "geometry/raw_pose.hpp"

namespace whisker::convex {
namespace {

using Core = SimpleShape::Core;

// The results are made in place and not copied.

SimpleShape place_capsule(const Capsule& s, const Pose& pose) {
  SimpleShape placed{.core = Core::segment, .radius = s.radius, .capsule_length = s.length, .pose = pose};
  for (int i = 0; i < 3; ++i) {
    const geometry::DoubleDouble arm = geometry::product(pose.rotation()(i, 2), s.length / 2);
    const geometry::DoubleDouble a = pose.translation()[i] - arm;
    const geometry::DoubleDouble b = pose.translation()[i] + arm;
    placed.corners.a[i] = a.hi;
    placed.corners.b[i] = b.hi;
    placed.tails.a[i] = a.lo;
    placed.tails.b[i] = b.lo;
  }
  return placed;
}

/// A half-space or plane.
template <class Flat>
SimpleShape place_flat(Core core, const Flat& s, const Pose& pose) {
  return {.core = core,
          .pose = geometry::raw_pose(pose.translation()),
          .normal = geometry::placed_direction(pose, s.normal),
          .offset = s.offset};
}

}  // namespace

SimpleShape place_simple(const Shape& shape, const Pose& pose) {
  switch (shape.kind()) {
    case ShapeKind::sphere:
      return simple_point(pose.translation(), shape.as<Sphere>()->radius);
    case ShapeKind::capsule:
      return place_capsule(*shape.as<Capsule>(), pose);
    case ShapeKind::box:
      return {.core = Core::box, .box = *shape.as<Box>(), .pose = pose};
    case ShapeKind::half_space:
      return place_flat(Core::half_space, *shape.as<HalfSpace>(), pose);
    case ShapeKind::plane:
      return place_flat(Core::plane, *shape.as<Plane>(), pose);
    case ShapeKind::segment: {
      const Segment& s = *shape.as<Segment>();
      return {.core = Core::segment, .corners = {geometry::placed_point(pose, s.a), geometry::placed_point(pose, s.b)}};
    }
    default:
      return simple_triangle(geometry::placed_triangle(pose, *shape.as<Triangle>()));
  }
}

SimpleShape simple_point(const Vector3& point, double radius) {
  return {.radius = radius, .corners = {.a = point}};
}

SimpleShape simple_triangle(const Triangle& triangle) {
  return {.core = Core::triangle, .corners = triangle};
}

bool comes_first(const SimpleShape& a, const SimpleShape& b) {
  if (a.core != b.core) return a.core < b.core;
  if (a.core == Core::convex) return comes_first(placed_body(a), placed_body(b));
  if (a.radius != b.radius) return a.radius < b.radius;
  if (a.offset != b.offset) return a.offset < b.offset;
  return compare_numbers(a.corners.a, b.corners.a, a.normal, b.normal, a.pose.translation(), b.pose.translation(),
                         a.corners.b, b.corners.b, a.corners.c, b.corners.c, a.box.size, b.box.size, a.pose.rotation(),
                         b.pose.rotation(), a.tails.a, b.tails.a, a.tails.b, b.tails.b) < 0;
}

double diameter(const SimpleShape& shape) {
  constexpr double slack = 1 + 0x1p-20;  // for rounding, and for columns of the rotation that are not quite unit
  if (shape.core == Core::box) return shape.box.size.norm() * slack;
  if (shape.core == Core::convex) return 2 * shape.convex->body.size * slack;
  const Triangle& t = shape.corners;
  double longest = 0;
  if (shape.corner_count() >= 2) longest = (t.b - t.a).norm();
  if (shape.corner_count() >= 3) longest = std::max({longest, (t.c - t.b).norm(), (t.a - t.c).norm()});
  return longest * slack;
}

double magnitude(const SimpleShape& shape) {
  double largest = shape.radius;
  const auto include = [&](const Vector3& point) { largest = std::max(largest, point.cwiseAbs().maxCoeff()); };
  if (shape.corner_count() >= 1) include(shape.corners.a);
  if (shape.corner_count() >= 2) include(shape.corners.b);
  if (shape.corner_count() >= 3) include(shape.corners.c);
  if (shape.core == Core::box) largest = shape.pose.translation().cwiseAbs().maxCoeff() + shape.box.size.sum() / 2;
  if (shape.core == Core::convex) {
    largest = shape.pose.translation().cwiseAbs().maxCoeff() + shape.convex->body.size * (1 + 0x1p-20);
  }
  if (!shape.is_bounded()) {
    include(shape.pose.translation());
    largest = std::max(largest, std::abs(shape.offset) / shape.normal.cwiseAbs().maxCoeff());
  }
  return largest;
}

SimpleShape scaled(const SimpleShape& shape, double factor) {
  SimpleShape result = shape;
  result.radius *= factor;
  result.corners.a *= factor;
  result.corners.b *= factor;
  result.corners.c *= factor;
  result.tails.a *= factor;
  result.tails.b *= factor;
  result.capsule_length *= factor;
  result.box.size *= factor;
  geometry::raw_translation(result.pose) = result.pose.translation() * factor;
  result.offset *= factor;
  if (!result.is_bounded()) {
    // The length of the normal is arbitrary, so scale it to about 1 as well, together with the offset.
    const double steep = std::ldexp(1.0, -std::ilogb(result.normal.cwiseAbs().maxCoeff()));
    result.normal *= steep;
    result.offset *= steep;
  }
  return result;
}

double unit_scale(const SimpleShape& a, const SimpleShape& b) {
  const double largest = std::max(magnitude(a), magnitude(b));
  return largest > 0 ? std::ldexp(1.0, -std::ilogb(largest)) : 1;
}

}  // namespace whisker::convex
