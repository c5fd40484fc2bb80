// A bounded convex shape and a half-space or plane: how far the shape extends along the plane's normal and against it.

#include <algorithm>
#include <cmath>

#include "convex/convex_exact.hpp"
#include "convex/convex_queries.hpp"

namespace whisker::convex {
namespace {

using geometry::to_vector3;

/// Heights over the plane, scaled. The points are relative to the plane's origin.
struct Heights {
  double factor = 1;
  double error = 0;
  Vector3dd normal;
  DoubleDouble lowest;
  DoubleDouble highest;
  Vector3dd low;
  Vector3dd high;
  bool is_plane = false;

  /// How far the shape is above the boundary or, for a plane, above or below it. Negative if they overlap.
  DoubleDouble gap() const {
    const DoubleDouble below = -highest;
    return is_plane && below > lowest ? below : lowest;
  }
  bool leaves_upward() const { return !is_plane || !(-highest > lowest); }
  Vector3 point(const Vector3dd& scaled_point, const SimpleShape& plane) const {
    return plane.pose.translation() + to_vector3(scaled_point) / factor;
  }
};

Heights heights_of(const ConvexBody& body, const SimpleShape& plane) {
  Heights h;
  const double far = (body.pose.translation() - plane.pose.translation()).stableNorm();
  const double largest =
      std::max({body.size, body.radius, far, std::abs(plane.offset) / plane.normal.cwiseAbs().maxCoeff()});
  h.factor = std::ldexp(1.0, std::min(1000, -std::ilogb(std::max(largest, 0x1p-900))));
  const UnitPlane p = unit_plane(scaled(plane, h.factor));
  h.normal = p.normal;
  h.is_plane = plane.core == SimpleShape::Core::plane;
  const auto scaled_reach = [&](const Vector3dd& direction) {
    Reach r = exact_reach(body, direction, plane.pose.translation());
    r.value = r.value * h.factor;
    r.point = r.point * h.factor;
    return r;
  };
  const Reach low = scaled_reach(-p.normal);
  const Reach high = scaled_reach(p.normal);
  const double radius = body.radius * h.factor;
  h.lowest = -low.value - p.offset - radius;
  h.highest = high.value - p.offset + radius;
  h.low = low.point - p.normal * radius;
  h.high = high.point + p.normal * radius;
  const double rounded = body.core == ConvexBody::Core::custom ? 0x1p-50 * body.size : 0;
  h.error = (body.support_error + rounded) * h.factor;
  // For a point on the boundary everything is exactly 0. Products below 2^-1022 are off by a few of the smallest
  // doubles.
  if (largest >= 0x1p-900) {
    h.error += certificate_error;
  } else if (largest > 0) {
    h.error += certificate_error * (largest * h.factor) + 0x1p-1069 * h.factor;
  }
  return h;
}

}  // namespace

Distance distance_convex_plane(const ConvexBody& a, const SimpleShape& plane) {
  const Heights h = heights_of(a, plane);
  const DoubleDouble gap = h.gap();
  Distance result;
  result.cost.primitive_tests = 1;
  if (gap <= -h.error) {
    // A common point: the lowest point for a half-space, or where a plane cuts between the lowest and the highest
    // point.
    const DoubleDouble share =
        h.is_plane && h.highest > h.lowest ? -h.lowest / (h.highest - h.lowest) : DoubleDouble(0.0);
    result.point_a = result.point_b = h.point(h.low + (h.high - h.low) * share, plane);
    return result;
  }
  const bool over = h.leaves_upward();
  result.lower = unscaled_down(gap - h.error, h.factor);
  result.upper = unscaled_up(gap + h.error, h.factor);
  const Vector3dd toward = over ? -h.normal : h.normal;
  const Vector3dd nearest = over ? h.low : h.high;
  result.point_a = h.point(nearest, plane);
  result.point_b = h.point(nearest + toward * gap, plane);
  if (result.lower > 0) result.normal = to_vector3(toward);
  return result;
}

bool touches_convex_plane(const ConvexBody& a, const SimpleShape& plane) {
  return !(distance_convex_plane(a, plane).lower > 0);
}

Depth depth_convex_plane(const ConvexBody& a, const SimpleShape& plane) {
  Depth result;
  result.cost.primitive_tests = 1;
  if (!touches_convex_plane(a, plane)) return result;
  const Heights h = heights_of(a, plane);
  const DoubleDouble depth = -h.gap();
  const DoubleDouble upper = depth + h.error;
  if (!(upper > 0.0)) return result;
  const bool upward = h.leaves_upward();
  result.lower = unscaled_down(depth - h.error, h.factor);
  result.upper = unscaled_up(upper, h.factor);
  const Vector3dd direction = upward ? -h.normal : h.normal;  // of the plane's own motion
  const Vector3dd deepest = upward ? h.low : h.high;
  result.normal = to_vector3(direction);
  result.point_a = h.point(deepest, plane);
  result.point_b = h.point(deepest - direction * depth, plane);
  return result;
}

}  // namespace whisker::convex
