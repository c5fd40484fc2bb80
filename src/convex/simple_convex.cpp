#include "convex/simple_convex.hpp"

#include <algorithm>
#include <cmath>

#include "convex/certificate.hpp"
#include "convex/convex_queries.hpp"
#include "geometry/constants.hpp"
#include "geometry/raw_pose.hpp"

namespace whisker::convex {
namespace {

/// The distance of a point, given in the half-plane across the axis, from the boundary of a cylinder or cone. For a
/// point inside, the nearest boundary point is in the same half-plane. `out` is also in that half-plane: away from the
/// axis, and along it.
double round_inner(const ConvexBody& body, double across, double z, Vector2& out) {
  const double h = body.half_length;
  if (body.core == ConvexBody::Core::cylinder) {
    const double side = body.disc - across;
    const double cap = h - std::abs(z);
    out = side <= cap ? Vector2(side, 0) : Vector2(0, z < 0 ? -cap : cap);
    return std::min(side, cap);
  }
  // The side runs from (disc, -h) to the tip at (0, h).
  const double length = std::hypot(body.disc, 2 * h);
  const Vector2 normal = length > 0 ? Vector2(2 * h / length, body.disc / length) : Vector2(1, 0);
  const double side = normal[1] * (h - z) - normal[0] * across;
  const double base = z + h;
  out = side <= base ? Vector2(side * normal) : Vector2(0, -base);
  return std::min(side, base);
}

/// How far a point is inside an ellipsoid, with all lengths divided by `unit`, the largest radius.
///
/// The ball of radius s about x is in the ellipsoid with radii r if for some m below the least r_i² (the S-lemma, with
/// 1 / m as multiplier)
///   s² <= m (1 - sum x_i² / (r_i² - m)).
/// The right side is largest where the derivative 1 - sum x_i² r_i² / (r_i² - m)² vanishes, and every m gives a bound.
struct EllipsoidInner {
  double unit = 1;
  Vector3 radii;
  Vector3 point;
  double gauge = 0;  // 1 on the boundary
  double min_r = 0;  // the smallest radius
  double m = 0;
  double square = 0;  // the bound on s²

  EllipsoidInner(const Vector3& r, const Vector3& x) {
    unit = r.maxCoeff();
    radii = r / unit;
    point = x / unit;
    min_r = radii.minCoeff();
    gauge = point.cwiseQuotient(radii).stableNorm();
    if (!(gauge < 1)) return;
    const Vector3 squares = radii.cwiseProduct(radii);
    const double most = min_r * min_r;
    const auto slope = [&](double at) {
      double sum = 0;
      for (int i = 0; i < 3; ++i) {
        const double ratio = point[i] * radii[i] / (squares[i] - at);
        sum += ratio * ratio;
      }
      return 1 - sum;
    };
    double high = most;
    constexpr int halvings = 56;
    for (int i = 0; i < halvings; ++i) {
      const double middle = m + (high - m) / 2;
      if (!(middle > m && middle < most)) break;
      (slope(middle) > 0 ? m : high) = middle;
    }
    double sum = 0;
    for (int i = 0; i < 3; ++i)
      sum += point[i] * point[i] / (squares[i] - m);
    square = m * (1 - sum);
  }

  /// The vector to the nearest boundary point.
  Vector3 way_out() const {
    if (!(gauge < 1)) return point * ((1 / gauge - 1) * unit);
    Vector3 out = Vector3::Zero();
    int thinnest = 0;
    radii.minCoeff(&thinnest);
    for (int i = 0; i < 3; ++i)
      out[i] = point[i] * (m / (radii[i] * radii[i] - m));
    // A point on the symmetry plane perpendicular to the smallest radius may leave the ellipsoid on either side.
    const double missing = square - out.squaredNorm();
    if (missing > 0) out[thinnest] += point[thinnest] < 0 ? -std::sqrt(missing) : std::sqrt(missing);
    return out * unit;
  }
};

struct CustomInner {
  Depth depth;
  Distance apart;

  CustomInner(const ConvexCore& core, const Vector3& point) {
    const ConvexBody body = placed_body(simple_point(point));
    apart = distance_convex_convex(core.body, body, {});
    // As accurate as a search by points can use.
    if (!(apart.lower > 0)) depth = depth_convex_convex(core.body, body, {.tolerance = 0x1p-12 * core.body.size});
  }
};

constexpr std::uint32_t max_vertices = 256;

}  // namespace

ConvexCore::ConvexCore(const Shape& from)
    : shape(from), body(convex_body(from, Pose())), hull(from.as<ConvexHull>()), bounds(from.bounds()) {
  if (const auto* ellipsoid = from.as<Ellipsoid>()) {
    // Also if it is a ball, because the rotation of a pose may distort it.
    body = ConvexBody();
    body.core = ConvexBody::Core::ellipsoid;
    body.radii = ellipsoid->radii;
    body.size = ellipsoid->radii.maxCoeff();
  }
  if (body.core == ConvexBody::Core::vertices || body.core == ConvexBody::Core::custom) {
    middle = body.middle;
    middle_error = 0x1p-46 * body.size + body.support_error;
  }
}

bool ConvexCore::has_inside() const {
  switch (body.core) {
    case ConvexBody::Core::vertices:
      return hull != nullptr && !hull->inner_planes().empty();
    case ConvexBody::Core::cylinder:
    case ConvexBody::Core::cone:
      return body.disc > 0 && body.half_length > 0;
    case ConvexBody::Core::ellipsoid:
      return body.radii.minCoeff() > 0;
    case ConvexBody::Core::custom:
      break;
  }
  return true;
}

SimpleShape simple_convex(const ConvexCore& core, const Pose& pose) {
  return {.core = SimpleShape::Core::convex, .convex = &core, .pose = pose};
}

ConvexBody placed_body(const SimpleShape& shape) {
  switch (shape.core) {
    case SimpleShape::Core::convex:
      return shape.convex->body.core == ConvexBody::Core::ellipsoid ? convex_body(shape.convex->shape, shape.pose)
                                                                    : placed_core(shape);
    case SimpleShape::Core::box:
      return convex_body(shape.box, shape.pose);
    case SimpleShape::Core::point:
      return convex_body(Sphere{shape.radius}, geometry::raw_pose(shape.corners.a));
    default: {
      const bool is_segment = shape.core == SimpleShape::Core::segment;
      ConvexBody body = is_segment ? convex_body(shape.segment(), Pose()) : convex_triangle(shape.corners);
      body.radius = shape.radius;
      return body;
    }
  }
}

ConvexBody placed_core(const SimpleShape& shape) {
  ConvexBody body = shape.convex->body;
  body.pose = shape.pose;
  return body;
}

double inner_distance(const ConvexCore& core, const Vector3& point, Vector3& out) {
  out = Vector3::Zero();
  switch (core.body.core) {
    case ConvexBody::Core::vertices: {
      double inner = infinity;
      if (core.hull == nullptr) return 0;  // for example a cylinder without thickness
      for (const HullPlane& plane : core.hull->planes()) {
        const double left = plane.offset - plane.normal.dot(point);
        if (!(left < inner)) continue;
        inner = left;
        out = plane.normal * left;
      }
      return inner < infinity ? inner : 0;  // a segment or a point is all boundary
    }
    case ConvexBody::Core::cylinder:
    case ConvexBody::Core::cone: {
      const double across = std::hypot(point[0], point[1]);
      Vector2 way;
      const double inner = round_inner(core.body, across, point[2], way);
      const Vector2 away = across > 0 ? Vector2(point[0] / across, point[1] / across) : Vector2(1, 0);
      out = {away[0] * way[0], away[1] * way[0], way[1]};
      return inner;
    }
    case ConvexBody::Core::ellipsoid: {
      if (!(core.body.radii.minCoeff() > 0)) return 0;
      const EllipsoidInner found(core.body.radii, point);
      out = found.way_out();
      const double by_gauge = (1 - found.gauge) * found.min_r;
      return found.unit * std::max(by_gauge, std::sqrt(std::max(0.0, found.square)));
    }
    case ConvexBody::Core::custom:
      break;
  }
  const CustomInner found(core, point);
  if (found.apart.lower > 0) return -found.apart.lower;
  out = found.depth.normal * found.depth.upper;
  return found.depth.lower;
}

double min_inner_distance(const ConvexCore& core, const Vector3& point) {
  switch (core.body.core) {
    case ConvexBody::Core::vertices: {
      double inner = infinity;
      if (core.hull == nullptr) return -infinity;
      for (const HullPlane& plane : core.hull->inner_planes())
        inner = std::min(inner, plane.offset - plane.normal.dot(point));
      return inner < infinity ? inner : -infinity;
    }
    case ConvexBody::Core::ellipsoid: {
      if (!(core.body.radii.minCoeff() > 0)) return -infinity;
      const EllipsoidInner found(core.body.radii, point);
      const double by_gauge = (1 - found.gauge * (1 + 0x1p-49)) * found.min_r;
      // The terms of the sum are below 1, and each is off by a few half-ulps. The rounded square of a radius is the
      // square of another radius, half an ulp away.
      const double square = found.square - 0x1p-46 * found.min_r * found.min_r;
      const double by_ball = square > 0 ? std::sqrt(square) : 0;
      const double inner = std::max(by_gauge, by_ball);
      return found.unit * (by_gauge > 0 ? inner : by_gauge);
    }
    case ConvexBody::Core::custom: {
      const CustomInner found(core, point);
      return found.apart.lower > 0 ? -infinity : found.depth.lower;
    }
    case ConvexBody::Core::cylinder:
    case ConvexBody::Core::cone:
      break;
  }
  Vector3 out;
  return inner_distance(core, point, out);
}

std::vector<Vector3> outer_points(const ConvexCore& core) {
  std::vector<Vector3> points;
  if (core.body.core == ConvexBody::Core::vertices && core.body.vertex_count() <= max_vertices) {
    for (std::uint32_t i = 0; i < core.body.vertex_count(); ++i)
      points.push_back(core.body.vertex(i));
    return points;
  }
  for (int x = -1; x <= 1; ++x)
    for (int y = -1; y <= 1; ++y)
      for (int z = -1; z <= 1; ++z)
        if (x != 0 || y != 0 || z != 0) points.push_back(farthest_point(simple_convex(core, Pose()), Vector3(x, y, z)));
  return points;
}

double plainly_farther(const SimpleShape& shape, double upper) {
  return upper * (1 + 0x1p-20) + 0x1p-40 * magnitude(shape) + 4 * shape.convex->point_error();
}

void FarPlane::set(const SimpleShape& shape, const Vector3& normal) {
  normal_ = normal;
  lowest_ = -infinity;
  if (normal.isZero(0)) return;
  const double reached = -normal.dot(farthest_point(shape, -normal));
  lowest_ = -reached - 0x1p-48 * magnitude(shape) - shape.convex->point_error();
}

double FarPlane::gap(const Triangle& t) const {
  if (!(lowest_ > -infinity)) return 0;
  const double highest = std::max({normal_.dot(t.a), normal_.dot(t.b), normal_.dot(t.c)});
  const double size = std::max({t.a.lpNorm<1>(), t.b.lpNorm<1>(), t.c.lpNorm<1>()});
  return (lowest_ - highest) * (1 - 0x1p-48) - 0x1p-48 * size;
}

Vector3 farthest_point(const SimpleShape& shape, const Vector3& direction) {
  return geometry::to_vector3(reach(shape, geometry::to_double_double(direction), {}).point);
}

}  // namespace whisker::convex
