#include "convex/convex_body.hpp"

#include <algorithm>

#include <whisker/error.hpp>

#include "geometry/constants.hpp"
#include "geometry/place.hpp"
#include "geometry/safe_norm.hpp"
#include "shapes/internals.hpp"
#include "shapes/rounded_data.hpp"

namespace whisker::convex {
namespace {

constexpr double wider = 1 + 0x1p-48;  // covers the rounding of norms

// The norm, rounded up.
double safe_norm(const Vector3& v) {
  return geometry::safe_norm(v) * wider;
}

void set_own(ConvexBody& body, std::initializer_list<Vector3> vertices) {
  body.own_count = static_cast<std::uint32_t>(vertices.size());
  std::size_t i = 0;
  for (const Vector3& v : vertices) {
    for (int axis = 0; axis < 3; ++axis)
      body.own[static_cast<std::size_t>(axis)][i] = v[axis];
    body.size = std::max(body.size, safe_norm(v));
    ++i;
  }
  for (; i < 8; ++i)
    for (auto& row : body.own)
      row[i] = row[0];
}

void set_triangle(ConvexBody& body, const Triangle& triangle) {
  body.in_world = true;
  set_own(body, {triangle.a, triangle.b, triangle.c});
  body.middle = triangle.a;
}

/// Sets up a body for a shape. Only the body's pose is set before.
struct Make {
  const Pose& pose;
  ConvexBody& body;

  void operator()(const Sphere& s) const {
    body.radius = s.radius;
    set_own(body, {Vector3::Zero()});
  }
  void operator()(const Capsule& s) const {
    body.radius = s.radius;
    set_own(body, {Vector3(0, 0, -s.length / 2), Vector3(0, 0, s.length / 2)});
  }
  void operator()(const Box& s) const {
    const Vector3 h = s.size / 2;
    set_own(body, {Vector3(-h[0], -h[1], -h[2]), Vector3(h[0], -h[1], -h[2]), Vector3(-h[0], h[1], -h[2]),
                   Vector3(h[0], h[1], -h[2]), Vector3(-h[0], -h[1], h[2]), Vector3(h[0], -h[1], h[2]),
                   Vector3(-h[0], h[1], h[2]), Vector3(h[0], h[1], h[2])});
  }
  void operator()(const Segment& s) const {
    body.in_world = true;
    body.pose = Pose();
    set_own(body, {geometry::placed_point(pose, s.a), geometry::placed_point(pose, s.b)});
    body.middle = body.vertex(0);
  }
  void operator()(const Triangle& s) const {
    body.pose = Pose();
    set_triangle(body, geometry::placed_triangle(pose, s));
  }
  void operator()(const Cylinder& s) const {
    body.core = ConvexBody::Core::cylinder;
    body.disc = s.radius;
    body.half_length = s.length / 2;
    body.size = safe_norm({s.radius, s.length / 2, 0});
  }
  void operator()(const Cone& s) const {
    (*this)(Cylinder{s.radius, s.length});
    body.core = ConvexBody::Core::cone;
  }
  void operator()(const Ellipsoid& s) const {
    // The shape is a ball, apart from the error of the rotation. If that error is only rounding, treat it as a sphere.
    const double off = (pose.rotation().transpose() * pose.rotation() - Matrix3::Identity()).cwiseAbs().sum();
    if (s.radii[0] == s.radii[1] && s.radii[1] == s.radii[2] && off < 0x1p-46) {
      (*this)(Sphere{s.radii[0]});
      body.support_error = (off + 0x1p-50) * s.radii[0];
      return;
    }
    body.core = ConvexBody::Core::ellipsoid;
    body.radii = s.radii;
    body.size = s.radii.maxCoeff();
  }
  void operator()(const ConvexHull& s) const {
    body.table = &support_table_of(s);
    body.size = body.table->size;
    body.middle = body.table->middle;
  }
  void operator()(const CustomConvex& s) const {
    body.core = ConvexBody::Core::custom;
    body.custom = &s;
    body.support_error = s.support_error();
    const Aabb bounds = s.bounds();
    body.size = safe_norm(bounds.lower.cwiseAbs().cwiseMax(bounds.upper.cwiseAbs()));
    body.middle = s.support(Vector3::UnitX()) / 2 + s.support(-Vector3::UnitX()) / 2;
    // Searches begin at this point, so it must be finite.
    if (!body.middle.allFinite()) throw Error("custom shape: the support function returned a point that is not finite");
  }
  void operator()(const RegisteredShape& s) const {
    const shapes::RoundedData* const data = shapes::rounded_data(s);
    if (data == nullptr) return;
    data->inner.visit(*this);
    // The core of a ball already has a radius.
    if (body.radius > 0) body.support_error += 2 * unit_roundoff * (body.radius + data->radius);
    body.radius += data->radius;
  }
  template <class Other>
  void operator()(const Other&) const {}
};

}  // namespace

ConvexBody convex_body(const Shape& shape, const Pose& pose) {
  ConvexBody body(pose);
  const Make make{pose, body};
  if (const auto* hull = shape.as<ConvexHull>()) {
    make(*hull);
  } else {
    shape.visit(make);
  }
  return body;
}

ConvexBody convex_triangle(const Triangle& triangle) {
  ConvexBody body;
  set_triangle(body, triangle);
  return body;
}

bool comes_first(const ConvexBody& a, const ConvexBody& b) {
  // A body that is already in the world comes second, because the pair is processed in the first body's frame.
  if (a.in_world != b.in_world) return b.in_world;
  if (a.core != b.core) return a.core < b.core;
  int order = compare_numbers(a.pose.translation(), b.pose.translation(), a.pose.rotation(), b.pose.rotation());
  if (order != 0) return order < 0;
  // Hulls of equal size at the same place: compare whatever differs.
  if (a.size != b.size) return a.size < b.size;
  if (a.radius != b.radius) return a.radius < b.radius;
  if (a.support_error != b.support_error) return a.support_error < b.support_error;
  if (a.disc != b.disc) return a.disc < b.disc;
  if (a.half_length != b.half_length) return a.half_length < b.half_length;
  order = compare_numbers(a.radii, b.radii);
  if (order != 0) return order < 0;
  if (a.vertex_count() != b.vertex_count()) return a.vertex_count() < b.vertex_count();
  for (std::uint32_t i = 0; i < a.vertex_count(); ++i) {
    order = compare_numbers(a.vertex(i), b.vertex(i));
    if (order != 0) return order < 0;
  }
  if (a.core != ConvexBody::Core::custom) return false;
  // Nothing but a few points is known of a user's shape.
  const Aabb bounds_a = a.custom->bounds(), bounds_b = b.custom->bounds();
  order = compare_numbers(bounds_a.lower, bounds_b.lower, bounds_a.upper, bounds_b.upper);
  for (int corner = 0; order == 0 && corner < 8; ++corner) {
    const Vector3 direction(corner & 1 ? 1 : -1, corner & 2 ? 1 : -1, corner & 4 ? 1 : -1);
    order = compare_numbers(a.custom->support(direction), b.custom->support(direction));
  }
  return order < 0;
}

}  // namespace whisker::convex
