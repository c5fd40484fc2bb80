// Casts of two translating shapes of which one is a half-space or plane. Its normal decides everything: heights above
// the plane change at a constant rate.

#include <algorithm>
#include <cmath>

#include "convex/certificate.hpp"
#include "convex/convex_exact.hpp"
#include "geometry/safe_norm.hpp"
#include "motion/ray_cast.hpp"
#include "motion/translation_cast.hpp"

namespace whisker::motion {
namespace {

using convex::ConvexBody;
using convex::Reach;
using convex::SimpleShape;
using convex::UnitPlane;
using geometry::to_vector3;

/// A height above a plane: its value at time 0, which is not exactly 0, and its change until time 1. Each is off by at
/// most its error.
struct Height {
  DoubleDouble start = 0.0;
  double start_error = 0;
  DoubleDouble change = 0.0;
  double change_error = 0;
};

/// Finds when the height is 0. Sets everything but the place.
Impact zero_of(Height h) {
  if (h.start < 0.0) {
    h.start = -h.start;
    h.change = -h.change;
  }
  Impact impact;
  impact.cost.primitive_tests = 1;
  const DoubleDouble slowest = -h.change - h.change_error, fastest = -h.change + h.change_error;
  const DoubleDouble least = h.start - h.start_error;
  if (!(fastest > 0.0) || least > fastest) return impact;
  const double lower = least > 0.0 ? round_down(below(least / fastest)) : 0;
  if (lower > 1) return impact;
  impact.status = ImpactStatus::touch;
  impact.time_lower = std::max(0.0, lower);
  const double upper = slowest > 0.0 ? round_up(above((h.start + h.start_error) / slowest)) : HUGE_VAL;
  impact.certain = upper <= 1;
  impact.time_upper = std::min(1.0, upper);
  impact.time = std::clamp(h.change.hi < 0 ? h.start.hi / -h.change.hi : 1.0, impact.time_lower, impact.time_upper);
  if (impact.time_upper - impact.time_lower > 0x1p-40) impact.stop = Stop::limit;
  return impact;
}

DoubleDouble scaled(DoubleDouble x, double power_of_two) {
  return {x.hi * power_of_two, x.lo * power_of_two};
}

/// Sets how fast y - x grows along a unit vector, if x moves by `by_x` and y by `by_y`.
void set_change(const Vector3& by_x, const Vector3& by_y, const Vector3dd& normal, double factor, Height& height) {
  const Vector3dd by = geometry::difference(by_y, by_x);
  height.change = scaled(dot(normal, by), factor);
  height.change_error = (0x1p-96 * geometry::safe_norm(to_vector3(by)) + 0x1p-900) * factor;
}

}  // namespace

Impact cast_convex_plane(const MovingBody& a, const SimpleShape& plane, const Vector3& plane_by) {
  const ConvexBody& body = a.body;
  const double far = (body.pose.translation() - plane.pose.translation()).stableNorm();
  const double largest =
      std::max({body.size, body.radius, far, std::abs(plane.offset) / plane.normal.cwiseAbs().maxCoeff(), 0x1p-900});
  const double factor = std::ldexp(1.0, std::min(600, -std::ilogb(largest)));
  const UnitPlane p = unit_plane(scaled(plane, factor));
  const double radius = body.radius * factor;
  const Reach low = exact_reach(body, -p.normal, plane.pose.translation());
  const DoubleDouble lowest = -scaled(low.value, factor) - p.offset - radius;
  Height height{.start = lowest};
  const double rounded = body.core == ConvexBody::Core::custom ? 0x1p-50 * body.size : 0;
  height.start_error = convex::certificate_error + (body.support_error + rounded) * factor;
  bool over = true;
  Reach reach = low;
  if (plane.core == SimpleShape::Core::plane) {
    const Reach high = exact_reach(body, p.normal, plane.pose.translation());
    const DoubleDouble highest = scaled(high.value, factor) - p.offset + radius;
    if (-highest > lowest) {
      over = false;
      height.start = -highest;
      reach = high;
    }
  }
  // The shapes do not touch at time 0, even if rounding says so.
  if (height.start < 0.0) height.start = 0.0;
  set_change(plane_by, a.by, p.normal, factor, height);
  if (!over) height.change = -height.change;
  Impact impact = zero_of(height);
  if (impact.status == ImpactStatus::apart) return impact;
  impact.normal = to_vector3(over ? -p.normal : p.normal);
  impact.point = plane.pose.translation() + to_vector3(reach.point) + impact.normal * body.radius + impact.time * a.by;
  return impact;
}

Impact cast_plane_plane(const SimpleShape& a, const Vector3& by_a, const SimpleShape& b, const Vector3& by_b) {
  const double factor = std::min(convex::unit_scale(a, b), 0x1p600);
  const SimpleShape scaled_a = scaled(a, factor);
  const convex::ParallelPlanes parallel = parallel_planes(scaled_a, scaled(b, factor));
  const UnitPlane p = unit_plane(scaled_a);
  Height height{.start = parallel.along, .start_error = convex::certificate_error};
  set_change(by_a, by_b, p.normal, factor, height);
  const bool ahead = height.start > 0.0;
  Impact impact = zero_of(height);
  if (impact.status == ImpactStatus::apart) return impact;
  impact.normal = to_vector3(ahead ? p.normal : -p.normal);
  impact.point = to_vector3(p.border_point()) / factor + impact.time * by_a;
  return impact;
}

}  // namespace whisker::motion
