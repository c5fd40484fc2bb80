// The first contact of any two shapes by conservative advancement.

#include <algorithm>

#include <whisker/geometry/moving_spheres.hpp>
#include <whisker/queries.hpp>

#include "geometry/constants.hpp"
#include "geometry/safe_norm.hpp"
#include "motion/motion_bounds.hpp"
#include "queries/first_contact.hpp"
#include "shapes/kind_traits.hpp"

namespace whisker::queries {
namespace {

using motion::MotionBounds;

/// Steps before a search gives up. Meshes that meet take a hundred or two to the last digit.
constexpr int max_steps = 4000;

/// An upper bound on how much closer two points of the shapes come from time `from` to time `to`.
double way(const MotionBounds& a, const MotionBounds& b, double from, double to) {
  const Vector3 relative = a.velocity - b.velocity;
  // The difference of velocities is off by a rounding of each.
  const double speed = geometry::safe_norm(relative) * (1 + 8 * unit_roundoff) +
                       2 * unit_roundoff * (a.velocity.norm() + b.velocity.norm()) + (a.turning + b.turning);
  // These sums are the same with a and b exchanged.
  const auto own = [&](const MotionBounds& mover) {
    return mover.custom != nullptr ? motion::way_of(*mover.custom, from, to, mover.reach) : 0.0;
  };
  return speed * (to - from) * (1 + 8 * unit_roundoff) + (own(a) + own(b));
}

/// The latest time, or a time not much earlier, until which the shapes come closer by no more than `distance`.
double latest(const MotionBounds& a, const MotionBounds& b, double from, double distance) {
  if (way(a, b, from, 1) <= distance) return 1;
  if (a.custom == nullptr && b.custom == nullptr) {
    const double share = distance / way(a, b, from, 1);
    return from + (1 - from) * share * (1 - 8 * unit_roundoff);
  }
  double low = from, high = 1;
  for (int i = 0; i < 60; ++i) {
    const double middle = low + (high - low) / 2;
    (way(a, b, from, middle) <= distance ? low : high) = middle;
    if (low > from && high - low < (low - from) / 16) break;
  }
  return low;
}

MotionImpact apart_for_good(const Moving& a, const Moving& b, const Cost& cost) {
  MotionImpact impact;
  impact.pose_a = pose_at(a.motion, 1);
  impact.pose_b = pose_at(b.motion, 1);
  impact.cost = cost;
  return impact;
}

}  // namespace

Impact touching_at_start(const Moving& a, const Moving& b, const Cost& cost) {
  Impact impact;
  impact.status = ImpactStatus::touching_at_start;
  impact.time = impact.time_lower = impact.time_upper = 0;
  impact.cost = cost;
  const Placed at_a(a.shape, start_of(a.motion)), at_b(b.shape, start_of(b.motion));
  const Distance common = distance(at_a, at_b);
  impact.cost += common.cost;
  impact.point = common.point_a;
  if (shapes::traits_of(a.shape).is_convex && shapes::traits_of(b.shape).is_convex) {
    const Depth out = depth(at_a, at_b);
    impact.cost += out.cost;
    impact.normal = out.normal;
  }
  return impact;
}

void set_poses(const Moving& a, const Moving& b, MotionImpact& impact) {
  double time = impact.time_lower;
  impact.pose_a = pose_at(a.motion, time);
  impact.pose_b = pose_at(b.motion, time);
  if (impact.status != ImpactStatus::touch) return;
  double back = 4 * unit_roundoff;
  while (time > 0 && touches({a.shape, impact.pose_a}, {b.shape, impact.pose_b}, &impact.cost)) {
    time = std::max(0.0, time - back);
    back *= 2;
    impact.pose_a = pose_at(a.motion, time);
    impact.pose_b = pose_at(b.motion, time);
  }
}

MotionImpact advance_to_contact(const Moving& a, const Moving& b, const ImpactOptions& options) {
  Cost cost;
  PairCache cache;
  const auto touch_at = [&](double t) {
    return touches({a.shape, pose_at(a.motion, t)}, {b.shape, pose_at(b.motion, t)}, {.cache = &cache}, &cost);
  };
  const MotionBounds mover_a(a.shape, a.motion), mover_b(b.shape, b.motion);
  const double error = mover_a.error + mover_b.error;
  // Until the balls around the shapes meet, nothing else can.
  double time = 0;
  if (mover_a.has_ball && mover_b.has_ball) {
    const Impact balls = first_contact_spheres(mover_a.ball, mover_b.ball);
    if (balls.status == ImpactStatus::apart) return apart_for_good(a, b, cost);
    time = balls.status == ImpactStatus::touch ? balls.time_lower : 0;
  }
  if (time == 0 && touch_at(0)) return {touching_at_start(a, b, cost), start_of(a.motion), start_of(b.motion)};

  MotionImpact impact;
  impact.status = ImpactStatus::touch;
  impact.time_lower = 0;
  impact.pose_a = start_of(a.motion);
  impact.pose_b = start_of(b.motion);
  impact.certain = false;
  impact.stop = Stop::limit;
  double step = 1;
  for (int steps = 0; steps < max_steps; ++steps) {
    const Pose pose_a = pose_at(a.motion, time), pose_b = pose_at(b.motion, time);
    const Distance apart = distance({a.shape, pose_a}, {b.shape, pose_b}, {.cache = &cache});
    cost += apart.cost;
    if (!(apart.lower > 0)) break;  // because of rounding, or because the last step reached the contact exactly
    impact.time_lower = time;
    impact.pose_a = pose_a;
    impact.pose_b = pose_b;
    impact.point = (apart.point_a + apart.point_b) / 2;
    impact.normal = apart.normal;
    const double left = apart.lower - error;
    if (!(left > 0)) break;
    const double next = latest(mover_a, mover_b, time, left);
    if (next >= 1) return apart_for_good(a, b, cost);
    step = next - time;
    if (!(step > 0)) break;
    if (cost.primitive_tests > options.budget) {
      impact.stop = Stop::budget;
      break;
    }
    // Good enough if the shapes touch within the tolerance from here.
    if (options.tolerance > 0 && step < options.tolerance / 2 && time + options.tolerance <= 1 &&
        touch_at(time + options.tolerance)) {
      impact.time_upper = time + options.tolerance;
      impact.certain = true;
      impact.stop = Stop::tolerance;
      break;
    }
    time = next;
  }

  // Searches for a later time at which they touch: first close, then farther away.
  if (!impact.certain) {
    for (double later = 4 * unit_roundoff; later <= 0x1p-10; later *= 2) {
      const double upper = std::min(1.0, impact.time_lower + later);
      if (touch_at(upper)) {
        impact.time_upper = upper;
        impact.certain = true;
        if (impact.stop == Stop::limit && later <= std::max(options.tolerance, 0x1p-36))
          impact.stop = later <= options.tolerance ? Stop::tolerance : Stop::exact;
        break;
      }
      if (upper == 1) break;
    }
  }
  impact.time = impact.time_lower + (impact.time_upper - impact.time_lower) / 2;
  if (!impact.certain) impact.time = impact.time_lower;
  impact.cost = cost;
  return impact;
}

}  // namespace whisker::queries
