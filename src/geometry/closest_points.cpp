#include <array>
#include <cmath>
#include <span>

#include <Eigen/Geometry>

#include <whisker/error.hpp>
#include <whisker/geometry/closest_points.hpp>

#include "geometry/closest_kernels.hpp"
#include "geometry/closest_parameters.hpp"
#include "geometry/expansion.hpp"
#include "geometry/place.hpp"

namespace whisker {

namespace {

using geometry::largest_entry;
using geometry::closest::Scaling;

/// The squared distance comes from local coordinates and is more accurate than a - b, unless it left the range of
/// doubles.
ClosestPoints result_of(const Vector3& a, const Vector3& b, double squared_distance) {
  const bool in_range = squared_distance > 1e-280 && squared_distance < 1e280;
  const bool is_zero = squared_distance == 0 && std::max(largest_entry(a), largest_entry(b)) > 1e-100;
  if (in_range || is_zero) return {a, b, std::sqrt(squared_distance)};
  const Scaling scaling(std::max(largest_entry(a), largest_entry(b)));
  return {a, b, std::ldexp((scaling.scaled(a) - scaling.scaled(b)).norm(), scaling.exponent)};
}

/// A plane whose normal is scaled so that its largest component is between 1/2 and 1.
struct ScaledPlane {
  Vector3 normal;
  double offset = 0;
  double normal_squared = 0;

  explicit ScaledPlane(const Plane& plane) {
    const double size = largest_entry(plane.normal);
    if (!(size > 0) || !plane.normal.allFinite() || !std::isfinite(plane.offset))
      throw Error("closest_points: a plane needs a finite normal that is not zero and a finite offset");
    int exponent = 0;
    std::frexp(size, &exponent);
    normal = geometry::times_power(plane.normal, -exponent);
    offset = std::ldexp(plane.offset, -exponent);
    normal_squared = normal.squaredNorm();
  }

  /// Signed height, multiplied by the length of the normal.
  double height(const Vector3& p) const { return normal.dot(p) - offset; }

  Vector3 foot(const Vector3& p) const {
    const Vector3 near = p - normal * (height(p) / normal_squared);
    return near - normal * (height(near) / normal_squared);
  }
};

/// The vertices nearest to the plane on either side decide.
ClosestPoints closest_vertices_plane(std::span<const Vector3> vertices, const Plane& plane) {
  ScaledPlane scaled_plane(plane);
  double magnitude = std::abs(scaled_plane.offset);
  for (const Vector3& v : vertices)
    magnitude = std::max(magnitude, largest_entry(v));
  const Scaling scaling = geometry::closest::scaling_for(magnitude);
  scaled_plane.offset = std::ldexp(scaled_plane.offset, -scaling.exponent);
  Vector3 lowest = scaling.scaled(vertices[0]);
  double low = scaled_plane.height(lowest);
  Vector3 highest = lowest;
  double high = low;
  for (const Vector3& v : vertices.subspan(1)) {
    const Vector3 vertex = scaling.scaled(v);
    const double height = scaled_plane.height(vertex);
    if (height < low) {
      low = height;
      lowest = vertex;
    }
    if (height > high) {
      high = height;
      highest = vertex;
    }
  }
  if (low <= 0 && high >= 0) {
    const Vector3 common = low == high ? lowest : Vector3(lowest + (low / (low - high)) * (highest - lowest));
    const Vector3 point = scaling.back(common);
    return {point, point, 0};
  }
  const Vector3& nearest = low > 0 ? lowest : highest;
  const double height = low > 0 ? low : -high;
  return {scaling.back(nearest), scaling.back(scaled_plane.foot(nearest)),
          std::ldexp(height / std::sqrt(scaled_plane.normal_squared), scaling.exponent)};
}

/// a b - c d with one rounding at the end (Dekker 1971), for numbers of magnitude at most 1. Exactly zero if the
/// products are equal, unless they are below 1e-290.
double difference_of_products(double a, double b, double c, double d) {
  const geometry::Exact2 ab = geometry::two_product(a, b);
  const geometry::Exact2 cd = geometry::two_product(c, d);
  return (ab.high - cd.high) + (ab.low - cd.low);
}

}  // namespace

ClosestPoints closest_points(const Vector3& a, const Vector3& b) {
  return result_of(a, b, (a - b).squaredNorm());
}

ClosestPoints closest_points(const Vector3& a, const Segment& b) {
  const auto found = geometry::closest_point_segment(a, b);
  return result_of(a, geometry::point_at(b, found.s), found.squared_distance);
}

ClosestPoints closest_points(const Vector3& a, const Triangle& b) {
  const auto found = geometry::closest_point_triangle(a, b);
  return result_of(a, geometry::point_at(b, found.weights), found.squared_distance);
}

ClosestPoints closest_points(const Vector3& a, const PlacedBox& b) {
  const auto found = geometry::closest_point_box(a, b.box, b.pose);
  return result_of(a, geometry::placed_point(b.pose, found.local), found.squared_distance);
}

ClosestPoints closest_points(const Segment& a, const Segment& b) {
  const auto found = geometry::closest_segment_segment(a, b);
  return result_of(geometry::point_at(a, found.s), geometry::point_at(b, found.t), found.squared_distance);
}

ClosestPoints closest_points(const Segment& a, const Triangle& b) {
  const auto found = geometry::closest_segment_triangle(a, b);
  return result_of(geometry::point_at(a, found.s), geometry::point_at(b, found.weights), found.squared_distance);
}

ClosestPoints closest_points(const Segment& a, const PlacedBox& b) {
  const auto found = geometry::closest_segment_box(a, b.box, b.pose);
  return result_of(geometry::point_at(a, found.s), geometry::placed_point(b.pose, found.local), found.squared_distance);
}

ClosestPoints closest_points(const Triangle& a, const Triangle& b) {
  const auto found = geometry::closest_triangle_triangle(a, b);
  return result_of(geometry::point_at(a, found.weights_a), geometry::point_at(b, found.weights_b),
                   found.squared_distance);
}

ClosestPoints closest_points(const Triangle& a, const PlacedBox& b) {
  const auto found = geometry::closest_triangle_box(a, b.box, b.pose);
  return result_of(geometry::point_at(a, found.weights), geometry::placed_point(b.pose, found.local),
                   found.squared_distance);
}

ClosestPoints closest_points(const PlacedBox& a, const PlacedBox& b) {
  const auto found = geometry::closest_box_box(a.box, a.pose, b.box, b.pose);
  return result_of(geometry::placed_point(a.pose, found.local_a), geometry::placed_point(b.pose, found.local_b),
                   found.squared_distance);
}

ClosestPoints closest_points(const Vector3& a, const Plane& b) {
  return closest_vertices_plane(std::span<const Vector3>(&a, 1), b);
}

ClosestPoints closest_points(const Segment& a, const Plane& b) {
  return closest_vertices_plane(std::array<Vector3, 2>{a.a, a.b}, b);
}

ClosestPoints closest_points(const Triangle& a, const Plane& b) {
  return closest_vertices_plane(std::array<Vector3, 3>{a.a, a.b, a.c}, b);
}

ClosestPoints closest_points(const PlacedBox& a, const Plane& b) {
  std::array<Vector3, 8> vertices;
  const Vector3 half = 0.5 * a.box.size;
  for (std::size_t i = 0; i < 8; ++i)
    vertices[i] = geometry::placed_point(a.pose, {(i & 1) != 0 ? half[0] : -half[0], (i & 2) != 0 ? half[1] : -half[1],
                                                  (i & 4) != 0 ? half[2] : -half[2]});
  return closest_vertices_plane(vertices, b);
}

ClosestPoints closest_points(const Plane& a, const Plane& b) {
  ScaledPlane first(a);
  ScaledPlane second(b);
  const double magnitude = std::max(std::abs(first.offset), std::abs(second.offset));
  const Scaling scaling = geometry::closest::scaling_for(magnitude);
  first.offset = std::ldexp(first.offset, -scaling.exponent);
  second.offset = std::ldexp(second.offset, -scaling.exponent);
  const Vector3& m = first.normal;
  const Vector3& n = second.normal;
  const Vector3 along(difference_of_products(m[1], n[2], m[2], n[1]), difference_of_products(m[2], n[0], m[0], n[2]),
                      difference_of_products(m[0], n[1], m[1], n[0]));
  const double along_squared = along.squaredNorm();
  if (along_squared > 0) {
    const Vector3 first_way = n.cross(along) / along_squared;
    const Vector3 second_way = along.cross(m) / along_squared;
    Vector3 point = first.offset * first_way + second.offset * second_way;
    point -= first.height(point) * first_way + second.height(point) * second_way;
    point = scaling.back(point);
    return {point, point, 0};
  }
  const Vector3 on_first = first.foot(Vector3::Zero());
  const Vector3 on_second = second.foot(on_first);
  const double distance = std::abs(second.height(on_first)) / std::sqrt(second.normal_squared);
  return {scaling.back(on_first), scaling.back(on_second), std::ldexp(distance, scaling.exponent)};
}

}  // namespace whisker
