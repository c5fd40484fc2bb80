#include "convex/flatness.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <Eigen/Geometry>

#include "convex/convex_body.hpp"
#include "convex/support_face.hpp"
#include "geometry/ordered_sums.hpp"
#include "geometry/place.hpp"
#include "geometry/safe_norm.hpp"
#include "geometry/unit_vector.hpp"
#include "shapes/hull_support.hpp"
#include "shapes/internals.hpp"
#include "shapes/rounded_data.hpp"

namespace whisker::convex {
namespace {

struct ReachOf {
  double operator()(const Sphere& s) const { return s.radius; }
  double operator()(const Capsule& s) const { return s.radius + s.length / 2; }
  double operator()(const Box& s) const { return geometry::safe_norm(s.size) / 2; }
  double operator()(const Segment& s) const { return std::max(geometry::safe_norm(s.a), geometry::safe_norm(s.b)); }
  double operator()(const Triangle& s) const {
    return std::max({geometry::safe_norm(s.a), geometry::safe_norm(s.b), geometry::safe_norm(s.c)});
  }
  double operator()(const Cylinder& s) const { return s.radius + s.length / 2; }
  double operator()(const Cone& s) const { return s.radius + s.length / 2; }
  double operator()(const Ellipsoid& s) const { return s.radii.maxCoeff(); }
  double operator()(const ConvexHull& hull) const { return support_table_of(hull).size; }
  double operator()(const CustomConvex& shape) const { return convex_body(shape, Pose()).size; }
  double operator()(const RegisteredShape& shape) const {
    const shapes::RoundedData* const data = shapes::rounded_data(shape);
    return data != nullptr ? data->inner.visit(*this) + data->radius : 0;
  }
  template <class Other>
  double operator()(const Other&) const {
    return 0;
  }
};

/// The height of a hull's corner along a direction, and of its two highest neighbors.
struct HighNeighbors {
  double top = 0;
  double first = -HUGE_VAL;
  double second = -HUGE_VAL;
  std::uint32_t highest = 0;
};

HighNeighbors high_neighbors(const ConvexHull& hull, std::uint32_t corner, const Vector3& d) {
  const HullSupport& table = support_table_of(hull);
  const auto height = [&](std::uint32_t i) { return d[0] * table.x[i] + d[1] * table.y[i] + d[2] * table.z[i]; };
  HighNeighbors near;
  near.top = height(corner);
  // Without branches, because the order of the heights is unpredictable.
  for (const std::uint32_t other : hull.neighbors(corner)) {
    const double there = height(other);
    near.second = std::max(near.second, std::min(near.first, there));
    near.highest = there > near.first ? other : near.highest;
    near.first = std::max(near.first, there);
  }
  return near;
}

struct FlatOf {
  const Pose& pose;
  Vector3 d;  // in the shape's frame
  double within;

  /// Whether a vector from one point of the shape to another is long enough and goes at most `within` up or down.
  bool runs_across(const Vector3& way) const {
    return std::abs(d.dot(way)) <= within && way.cwiseAbs().maxCoeff() > 4 * within;
  }
  Flatness edge(const Vector3& way) const {
    const Vector3 along = geometry::placed_direction(pose, way);
    return {.dimension = 1, .along = along, .axis = geometry::unit_vector(along)};
  }
  Flatness line(const Vector3& way) const { return runs_across(way) ? edge(way) : Flatness(); }
  static Flatness face() { return {.dimension = 2}; }

  Flatness operator()(const Capsule& s) const { return line({0, 0, s.length}); }
  Flatness operator()(const Box& s) const {
    std::array<int, 3> flat_axes{};
    std::size_t count = 0;
    for (int i = 0; i < 3; ++i)
      if (std::abs(d[i]) * s.size[i] <= within && s.size[i] > 4 * within) flat_axes[count++] = i;
    if (count == 0) return {};
    if (count == 1) return edge(s.size[flat_axes[0]] * Vector3::Unit(flat_axes[0]));
    return face();
  }
  Flatness operator()(const Segment& s) const { return line(s.b - s.a); }
  Flatness operator()(const Triangle& s) const {
    const std::array<Vector3, 3> corners = {s.a, s.b, s.c};
    std::size_t top = 0;
    for (std::size_t i = 1; i < 3; ++i)
      if (d.dot(corners[i]) > d.dot(corners[top])) top = i;
    const Vector3 one = corners[(top + 1) % 3] - corners[top], other = corners[(top + 2) % 3] - corners[top];
    const bool is_one = runs_across(one), is_other = runs_across(other);
    if (is_one && is_other) {
      // A triangle as thin as a segment is not a face.
      const Vector3 longest = one.dot(other) < 0 ? Vector3(other - one) : one.norm() > other.norm() ? one : other;
      return one.cross(other).norm() <= 4 * within * longest.norm() ? edge(longest) : face();
    }
    return is_one ? edge(one) : is_other ? edge(other) : Flatness();
  }
  Flatness operator()(const Cylinder& s) const {
    if (2 * s.radius * std::hypot(d.x(), d.y()) <= within && s.radius > within) return face();
    return line({0, 0, s.length});
  }
  Flatness operator()(const Cone& s) const {
    const double across = std::hypot(d.x(), d.y());
    if (d.z() < 0 && 2 * s.radius * across <= within && s.radius > within) return face();
    if (!(across > 0)) return {};
    // From the apex down the line of the side that faces the direction best.
    const Vector3 down(s.radius * (d.x() / across), s.radius * (d.y() / across), -s.length);
    if (!runs_across(down)) return {};
    Flatness flat = edge(down);
    flat.axis = geometry::unit_vector(pose.rotation().col(2));
    flat.rise = s.radius / std::hypot(s.radius, s.length);
    return flat;
  }
  Flatness operator()(const ConvexHull& hull) const {
    if (hull.dimension() == 0) return {};
    const std::uint32_t top = hull_support(support_table_of(hull), d);
    const HighNeighbors near = high_neighbors(hull, top, d);
    if (near.first < near.top - within) return {};
    if (near.second >= near.top - within) return face();
    const Vector3 way = hull.vertices()[near.highest] - hull.vertices()[top];
    return way.cwiseAbs().maxCoeff() > 4 * within ? edge(way) : Flatness();
  }
  // A radius around a shape moves its faces and edges outward, and leaves them as long as they are.
  Flatness operator()(const RegisteredShape& shape) const {
    const shapes::RoundedData* const data = shapes::rounded_data(shape);
    return data != nullptr ? data->inner.visit(*this) : Flatness();
  }
  template <class Round>
  Flatness operator()(const Round&) const {
    return {};
  }
};

}  // namespace

double reach_of(const Shape& shape) {
  return shape.visit(ReachOf{});
}

Flatness flat_along(const Placed& placed, const Vector3& direction, double within) {
  return placed.shape.visit(FlatOf{placed.pose, placed.pose.rotation().transpose() * direction, within});
}

bool are_alone(const ConvexHull& a, const Pose& pose_a, const ConvexHull& b, const Pose& pose_b,
               const HullCorners& corners, const Vector3& normal, double within) {
  const HighNeighbors on_a = high_neighbors(a, corners.a, geometry::turned_back(pose_a.rotation(), normal));
  if (on_a.first < on_a.top - within) return true;
  const HighNeighbors on_b = high_neighbors(b, corners.b, geometry::turned_back(pose_b.rotation(), -normal));
  if (on_b.first < on_b.top - within) return true;
  if (on_a.second >= on_a.top - within || on_b.second >= on_b.top - within) return false;
  // Two edges share only a point if they cross.
  const Vector3 e = geometry::placed_direction(pose_a, a.vertices()[on_a.highest] - a.vertices()[corners.a]);
  const Vector3 f = geometry::placed_direction(pose_b, b.vertices()[on_b.highest] - b.vertices()[corners.b]);
  return e.cross(f).norm() > within * std::max(e.norm(), f.norm());
}

Vector3 face_normal(const Placed& placed, const Vector3& direction) {
  const SupportFace face = support_face(placed, direction, placed.pose.translation(), face_alignment);
  if (!face.is_polygon()) return Vector3::Zero();
  return face.normal;
}

bool comes_first(const Placed& a, const Placed& b) {
  const int order = compare_numbers(a.pose.translation(), b.pose.translation(), a.pose.rotation(), b.pose.rotation());
  if (order != 0) return order < 0;
  if (a.shape.kind() != b.shape.kind()) return a.shape.kind() < b.shape.kind();
  const double reach_a = reach_of(a.shape), reach_b = reach_of(b.shape);
  if (reach_a != reach_b) return reach_a < reach_b;
  // Different shapes may reach equally far, as boxes with the same edges in another order do.
  return is_convex(a.shape.kind()) && comes_first(convex_body(a.shape, a.pose), convex_body(b.shape, b.pose));
}

}  // namespace whisker::convex
