#include "deform/near_distance.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <Eigen/Geometry>

#include "convex/simple_distance.hpp"
#include "geometry/closest_parameters.hpp"
#include "geometry/unit_vector.hpp"

namespace whisker::deform {
namespace {

using geometry::unit_vector;

convex::SimpleShape simple_segment(const Vector3& a, const Vector3& b) {
  convex::SimpleShape segment;
  segment.core = convex::SimpleShape::Core::segment;
  segment.corners.a = a;
  segment.corners.b = b;
  return segment;
}

/// A unit vector perpendicular to both directions. If they are parallel, one perpendicular to the first. If both are
/// zero, the x axis.
Vector3 across(Vector3 first, Vector3 second) {
  first = unit_vector(first);
  second = unit_vector(second);
  if (first.isZero(0)) std::swap(first, second);
  const Vector3 both = first.cross(second);
  if (both.squaredNorm() > 0x1p-80) return unit_vector(both);
  return first.isZero(0) ? Vector3(Vector3::UnitX()) : geometry::perpendicular(first);
}

NearDistance measure_ordinary(motion::FeaturePairKind kind, const Vector3 (&x)[4]) {
  NearDistance result;
  Distance distance;
  if (kind == motion::FeaturePairKind::segment_segment) {
    const auto closest = geometry::closest_segment_segment({x[0], x[1]}, {x[2], x[3]});
    result.weights = {1 - closest.s, closest.s, 1 - closest.t, closest.t};
    distance = distance_simple_simple(simple_segment(x[0], x[1]), simple_segment(x[2], x[3]), convex::Effort::full);
  } else {
    const auto closest = geometry::closest_point_triangle(x[0], {x[1], x[2], x[3]});
    result.weights = {1, closest.weights[0], closest.weights[1], closest.weights[2]};
    distance = distance_simple_simple(convex::simple_point(x[0]), convex::simple_triangle({x[1], x[2], x[3]}),
                                      convex::Effort::full);
  }
  result.lower = distance.lower;
  result.upper = distance.upper;
  result.normal = distance.normal;
  if (!result.normal.isZero(0)) return result;
  // The features touch, or are too close for the normal to be determined.
  if (kind == motion::FeaturePairKind::segment_segment) {
    result.normal = across(x[1] - x[0], x[3] - x[2]);
  } else {
    // The cross product of the two shorter sides, which is also accurate for needles.
    const Vector3 side[3] = {x[2] - x[1], x[3] - x[2], x[1] - x[3]};
    std::size_t longest = 0;
    for (std::size_t i = 1; i < 3; ++i)
      if (side[i].stableNorm() > side[longest].stableNorm()) longest = i;
    result.normal = across(side[(longest + 1) % 3], side[(longest + 2) % 3]);
  }
  return result;
}

}  // namespace

NearDistance measure_near_carefully(motion::FeaturePairKind kind, const Vector3 (&x)[4]) {
  double largest = 0;
  for (const Vector3& v : x)
    largest = std::max(largest, v.cwiseAbs().maxCoeff());
  constexpr int up = 600;
  if (largest == 0 || largest > 0x1p-800) return measure_ordinary(kind, x);
  // Near the bottom of the double range, precision is lost to denormals. Scaling by 2^600 is exact and avoids that.
  Vector3 larger[4];
  for (std::size_t i = 0; i < 4; ++i)
    larger[i] = x[i] * 0x1p600;
  NearDistance result = measure_ordinary(kind, larger);
  const double lower = std::ldexp(result.lower, -up), upper = std::ldexp(result.upper, -up);
  result.lower = std::ldexp(lower, up) > result.lower ? std::nextafter(lower, 0.0) : lower;
  result.upper = std::ldexp(upper, up) < result.upper ? std::nextafter(upper, 1.0) : upper;
  return result;
}

}  // namespace whisker::deform
