#include "convex/closest_features.hpp"

#include <algorithm>
#include <cmath>

#include "geometry/closest_parameters.hpp"

namespace whisker::convex {
namespace {

using Core = SimpleShape::Core;
using geometry::dot;
using geometry::squared_norm;
using geometry::to_double_double;

FeaturePoint fixed(const Vector3dd& point) {
  FeaturePoint feature;
  feature.base = point;
  return feature;
}

FeaturePoint edge(const Vector3dd& from, const Vector3dd& to, double u) {
  FeaturePoint feature = fixed(from);
  feature.freedom = 1;
  feature.direction[0] = to - from;
  feature.u[0] = std::clamp(u, 0.0, 1.0);
  feature.upper[0] = 1;
  return feature;
}

void keep_in_feature(FeaturePoint& feature) {
  for (std::size_t k = 0; k < static_cast<std::size_t>(feature.freedom); ++k) {
    if (feature.u[k] < feature.lower[k]) feature.u[k] = feature.lower[k];
    if (feature.u[k] > feature.upper[k]) feature.u[k] = feature.upper[k];
  }
  if (feature.is_triangle && feature.u[0] + feature.u[1] > 1.0) {
    // Move onto the slanted edge, along the diagonal. Both parameters stay within [0, 1].
    const DoubleDouble excess = (feature.u[0] + feature.u[1] - 1.0) * 0.5;
    feature.u[0] = feature.u[0] - excess;
    if (feature.u[0] < 0.0) feature.u[0] = 0;
    if (feature.u[0] > 1.0) feature.u[0] = 1;
    feature.u[1] = 1.0 - feature.u[0];
  }
}

FeaturePoint on_segment(const SimpleShape& shape, double s) {
  const Corners corners = corners_of(shape);
  if (s == 0) return fixed(corners.a);
  if (s == 1) return fixed(corners.b);
  return edge(corners.a, corners.b, s);
}

FeaturePoint face(const Corners& corners, double wb, double wc) {
  FeaturePoint feature = fixed(corners.a);
  feature.freedom = 2;
  feature.is_triangle = true;
  feature.direction = {corners.b - corners.a, corners.c - corners.a};
  feature.u = {wb, wc};
  feature.upper = {1, 1};
  keep_in_feature(feature);
  return feature;
}

FeaturePoint on_triangle(const SimpleShape& shape, const Vector3& weights) {
  const Corners corners = corners_of(shape);
  const std::array<Vector3dd, 3> corner = {corners.a, corners.b, corners.c};
  std::array<std::size_t, 3> active{};
  std::size_t count = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    if (weights[static_cast<Eigen::Index>(i)] > 0) active[count++] = i;
  }
  if (count == 1) return fixed(corner[active[0]]);
  if (count == 2) return edge(corner[active[0]], corner[active[1]], weights[static_cast<Eigen::Index>(active[1])]);
  return face(corners, weights[1], weights[2]);
}

/// A point of a box, in its own axes, which can slide along the free ones.
FeaturePoint box_feature(const SimpleShape& shape, const Vector3& local, const std::array<bool, 3>& is_free) {
  FeaturePoint feature = fixed(to_double_double(shape.pose.translation()));
  const Vector3 half = shape.box.size / 2;
  for (int axis = 0; axis < 3; ++axis) {
    const double x = std::clamp(local[axis], -half[axis], half[axis]);
    if (is_free[static_cast<std::size_t>(axis)]) {
      const auto k = static_cast<std::size_t>(feature.freedom++);
      feature.direction[k] = box_axis(shape, axis);
      feature.u[k] = x;
      feature.lower[k] = -half[axis];
      feature.upper[k] = half[axis];
    } else {
      feature.base = feature.base + box_axis(shape, axis) * x;
    }
  }
  return feature;
}

FeaturePoint in_box(const SimpleShape& shape, const Vector3& local) {
  const auto is_free = [&](int axis) { return std::abs(local[axis]) < shape.box.size[axis] / 2; };
  const std::array<bool, 3> free = {is_free(0), is_free(1), is_free(2)};
  const bool inside = free[0] && free[1] && free[2];
  return box_feature(shape, local, inside ? std::array<bool, 3>{} : free);
}

}  // namespace

FeaturePair find_closest_features(const SimpleShape& a, const SimpleShape& b) {
  if (a.core == Core::point) {
    const Vector3& point = a.corners.a;
    const Vector3dd on_a = to_double_double(point);
    if (b.core == Core::point) return {fixed(on_a), fixed(to_double_double(b.corners.a))};
    if (b.core == Core::segment)
      return {fixed(on_a), on_segment(b, geometry::closest_point_segment(point, b.segment()).s)};
    if (b.core == Core::triangle)
      return {fixed(on_a), on_triangle(b, geometry::closest_point_triangle(point, b.corners).weights)};
    return {fixed(on_a), in_box(b, geometry::closest_point_box(point, b.box, b.pose).local)};
  }
  if (a.core == Core::segment) {
    if (b.core == Core::segment) {
      const auto p = geometry::closest_segment_segment(a.segment(), b.segment());
      return {on_segment(a, p.s), on_segment(b, p.t)};
    }
    if (b.core == Core::triangle) {
      const auto p = geometry::closest_segment_triangle(a.segment(), b.corners);
      return {on_segment(a, p.s), on_triangle(b, p.weights)};
    }
    const auto p = geometry::closest_segment_box(a.segment(), b.box, b.pose);
    return {on_segment(a, p.s), in_box(b, p.local)};
  }
  if (a.core == Core::triangle) {
    if (b.core == Core::triangle) {
      const auto p = geometry::closest_triangle_triangle(a.corners, b.corners);
      return {on_triangle(a, p.weights_a), on_triangle(b, p.weights_b)};
    }
    const auto p = geometry::closest_triangle_box(a.corners, b.box, b.pose);
    return {on_triangle(a, p.weights), in_box(b, p.local)};
  }
  const auto p = geometry::closest_box_box(a.box, a.pose, b.box, b.pose);
  return {in_box(a, p.local_a), in_box(b, p.local_b)};
}

void refine(FeaturePair& pair) {
  // Least squares for the gap r = q - p over the free parameters. The normal equations have at most two unknowns. If
  // there are more free parameters, the features are parallel (an edge along a face, two faces): then the face's point
  // slides under the other point, which stays fixed.
  struct Unknown {
    FeaturePoint* feature;
    std::size_t k;
    Vector3dd slope;  // slope of the gap
  };
  std::array<Unknown, 2> unknown{};
  std::size_t count = 0;
  const auto add = [&](FeaturePoint& feature, bool negate) {
    for (std::size_t k = 0; k < static_cast<std::size_t>(feature.freedom) && count < 2; ++k) {
      unknown[count++] = {&feature, k, negate ? -feature.direction[k] : feature.direction[k]};
    }
  };
  const bool all = pair.a.freedom + pair.b.freedom <= 2;
  if (all || pair.a.freedom == 2) add(pair.a, true);
  if (all || pair.a.freedom != 2) add(pair.b, false);
  if (count == 0) return;

  const DoubleDouble g00 = squared_norm(unknown[0].slope);
  if (!(g00 > 0.0)) return;
  DoubleDouble g01, g11, determinant;
  if (count == 2) {
    g01 = dot(unknown[0].slope, unknown[1].slope);
    g11 = squared_norm(unknown[1].slope);
    determinant = squared_norm(geometry::cross(unknown[0].slope, unknown[1].slope));
    // Parallel edges: any point on one of them will do.
    if (!(determinant.hi > 0x1p-90 * g00.hi * g11.hi)) count = 1;
  }
  for (int step = 0; step < 2; ++step) {
    const Vector3dd gap = pair.b.point() - pair.a.point();
    const DoubleDouble r0 = -dot(unknown[0].slope, gap);
    if (count == 1) {
      unknown[0].feature->u[unknown[0].k] += r0 / g00;
    } else {
      const DoubleDouble r1 = -dot(unknown[1].slope, gap);
      unknown[0].feature->u[unknown[0].k] += (g11 * r0 - g01 * r1) / determinant;
      unknown[1].feature->u[unknown[1].k] += (g00 * r1 - g01 * r0) / determinant;
    }
  }
  keep_in_feature(pair.a);
  keep_in_feature(pair.b);
}

FeatureList list_features(const SimpleShape& shape) {
  FeatureList list;
  if (shape.core == Core::box) {
    for (int k = 0; k < 27; ++k) {
      const Vector3 side(k / 9 - 1, k / 3 % 3 - 1, k % 3 - 1);
      if (side.isZero(0)) continue;
      list.push_back(
          box_feature(shape, side.cwiseProduct(shape.box.size / 2), {side[0] == 0, side[1] == 0, side[2] == 0}));
    }
    return list;
  }
  const Corners t = corners_of(shape);
  list.push_back(fixed(t.a));
  if (shape.core == Core::point) return list;
  list.push_back(fixed(t.b));
  list.push_back(edge(t.a, t.b, 0.5));
  if (shape.core == Core::segment) return list;
  list.push_back(fixed(t.c));
  list.push_back(edge(t.b, t.c, 0.5));
  list.push_back(edge(t.c, t.a, 0.5));
  list.push_back(face(t, 0.25, 0.25));
  return list;
}

}  // namespace whisker::convex
