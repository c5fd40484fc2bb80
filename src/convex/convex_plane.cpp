// A bounded convex shape and a half-space or plane: how far the shape extends along the plane's normal and against it.

#include <algorithm>
#include <cmath>

#include "convex/convex_exact.hpp"
#include "convex/convex_queries.hpp"

namespace whisker::convex {
namespace {

using geometry::to_vector3;

/// Heights over the plane, scaled. The points are relative to the plane's origin.
struct ScaledHeights : PlaneHeights {
  double factor = 1;
  double error = 0;

  Vector3 point(const Vector3dd& scaled_point, const SimpleShape& plane) const {
    return plane.pose.translation() + to_vector3(scaled_point) / factor;
  }
};

ScaledHeights heights_of(const ConvexBody& body, const SimpleShape& plane) {
  const double far = (body.pose.translation() - plane.pose.translation()).stableNorm();
  const double largest =
      std::max({body.size, body.radius, far, std::abs(plane.offset) / plane.normal.cwiseAbs().maxCoeff()});
  const double factor = std::ldexp(1.0, std::min(1000, -std::ilogb(std::max(largest, 0x1p-900))));
  const UnitPlane p = unit_plane(scaled(plane, factor));
  const auto scaled_reach = [&](const Vector3dd& direction) {
    Reach r = exact_reach(body, direction, plane.pose.translation());
    r.value = r.value * factor;
    r.point = r.point * factor;
    return r;
  };
  const Reach low = scaled_reach(-p.normal);
  const Reach high = scaled_reach(p.normal);
  const double radius = body.radius * factor;
  const double rounded = body.core == ConvexBody::Core::custom ? 0x1p-50 * body.size : 0;
  ScaledHeights h{{.normal = p.normal,
                   .is_plane = plane.core == SimpleShape::Core::plane,
                   .lowest = -low.value - p.offset - radius,
                   .highest = high.value - p.offset + radius,
                   .low = low.point - p.normal * radius,
                   .high = high.point + p.normal * radius},
                  factor,
                  (body.support_error + rounded) * factor};
  // For a point on the boundary everything is exactly 0. Products below 2^-1022 are off by a few of the smallest
  // doubles.
  if (largest >= 0x1p-900) {
    h.error += certificate_error;
  } else if (largest > 0) {
    h.error += certificate_error * (largest * factor) + 0x1p-1069 * factor;
  }
  return h;
}

}  // namespace

Distance distance_convex_plane(const ConvexBody& a, const SimpleShape& plane) {
  const ScaledHeights h = heights_of(a, plane);
  const DoubleDouble gap = h.gap();
  Distance result;
  result.cost.primitive_tests = 1;
  if (gap <= -h.error) {
    result.point_a = result.point_b = h.point(h.common(), plane);
    return result;
  }
  result.lower = unscaled_down(gap - h.error, h.factor);
  result.upper = unscaled_up(gap + h.error, h.factor);
  result.point_a = h.point(h.nearest(), plane);
  result.point_b = h.point(h.opposite(), plane);
  if (result.lower > 0) result.normal = to_vector3(h.toward());
  return result;
}

bool touches_convex_plane(const ConvexBody& a, const SimpleShape& plane) {
  return !(distance_convex_plane(a, plane).lower > 0);
}

Depth depth_convex_plane(const ConvexBody& a, const SimpleShape& plane) {
  Depth result;
  result.cost.primitive_tests = 1;
  if (!touches_convex_plane(a, plane)) return result;
  const ScaledHeights h = heights_of(a, plane);
  const DoubleDouble depth = -h.gap();
  const DoubleDouble upper = depth + h.error;
  if (!(upper > 0.0)) return result;
  result.lower = unscaled_down(depth - h.error, h.factor);
  result.upper = unscaled_up(upper, h.factor);
  result.normal = to_vector3(h.toward());  // the direction of the plane's own motion
  result.point_a = h.point(h.nearest(), plane);
  result.point_b = h.point(h.opposite(), plane);
  return result;
}

}  // namespace whisker::convex
