#pragma once

// When do two translating convex bodies first touch? Three methods from the literature, as baselines: slabs along all
// separating axes, bisection with a boolean GJK on the swept body, and Brent's method on the distance.
//
// Body a moves by `by` from time 0 to time 1 and b is at rest: `by` is the difference of their motions.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include <Eigen/Geometry>

#include <whisker/geometry/separating_axis.hpp>
#include <whisker/pose.hpp>
#include <whisker/vector.hpp>

#include "support/baselines/gjk.hpp"

namespace whisker::baselines {

struct ContactTime {
  double time = 0;
  int queries = 0;     ///< Comparisons of bodies, or axes tested.
  int iterations = 0;  ///< Of GJK, over all queries.
};

/// Swept separating axes: along every axis of the static test (the face normals of either body and the cross products
/// of two edges, which are the facet normals of the Minkowski difference) the projections overlap during an interval of
/// time. First contact is when the last interval begins, provided that none has ended by then. For solid polyhedra
/// only: for flat ones, not all axes are covered.
inline std::optional<ContactTime> contact_time_by_axes(const PolyhedronView& a, const Pose& pose_a,
                                                       const PolyhedronView& b, const Pose& pose_b, const Vector3& by) {
  double enter = 0, leave = 1;
  ContactTime result;
  const auto still_possible = [&](const Vector3& axis) {
    ++result.queries;
    const auto shadow = [&axis](const PolyhedronView& body, const Pose& pose, double& low, double& high) {
      low = std::numeric_limits<double>::infinity();
      high = -low;
      for (const Vector3& v : body.vertices) {
        const double along = axis.dot(place(pose, v));
        low = std::min(low, along);
        high = std::max(high, along);
      }
    };
    double low_a, high_a, low_b, high_b;
    shadow(a, pose_a, low_a, high_a);
    shadow(b, pose_b, low_b, high_b);
    const double speed = axis.dot(by);
    if (speed == 0) return high_a >= low_b && high_b >= low_a;
    const double first = (speed > 0 ? low_b - high_a : high_b - low_a) / speed;
    const double last = (speed > 0 ? high_b - low_a : low_b - high_a) / speed;
    enter = std::max(enter, first);
    leave = std::min(leave, last);
    return enter <= leave;
  };
  for (const Vector3& normal : a.normals)
    if (!still_possible(place_direction(pose_a, normal))) return std::nullopt;
  for (const Vector3& normal : b.normals)
    if (!still_possible(place_direction(pose_b, normal))) return std::nullopt;
  for (const Vector3& edge_a : a.directions) {
    for (const Vector3& edge_b : b.directions) {
      const Vector3 axis = place_direction(pose_a, edge_a).cross(place_direction(pose_b, edge_b));
      const double length = axis.norm();
      if (length < 1e-9) continue;  // parallel edges span no facet
      if (!still_possible(axis / length)) return std::nullopt;
    }
  }
  result.time = enter;
  return result;
}

/// Bisection: the body swept from time 0 to t touches b for every t from the first contact on (Ericson 2004). `warm`
/// starts each GJK from the last simplex. The returned time is the end of the last interval, at most `tolerance` late.
template <class BodyA, class BodyB>
std::optional<ContactTime> contact_time_by_halving(const BodyA& a, const BodyB& b, const Vector3& by, bool warm,
                                                   double tolerance = 0x1p-40) {
  ContactTime result;
  GjkStart simplex;
  const auto touching_until = [&](double time) {
    const GjkAnswer answer = gjk(Swept<BodyA>{a, time * by}, b, {.touch_only = true}, warm ? &simplex : nullptr);
    ++result.queries;
    result.iterations += answer.iterations;
    return answer.touching;
  };
  if (!touching_until(1)) return std::nullopt;
  double free = 0, touching = 1;
  if (touching_until(0)) touching = 0;
  while (touching - free > tolerance) {
    const double middle = free + (touching - free) / 2;
    (touching_until(middle) ? touching : free) = middle;
  }
  result.time = touching;
  return result;
}

/// Brent's methods (1973) on the distance as a function of time, as Vlack and Tachi (2001) propose. The distance is
/// convex in time: first its minimum is searched until a time is found at which the bodies touch, then the root of
/// distance - `gap` before that time. So the result is early by the time it takes to close the gap. A contact shorter
/// than the tolerance of the minimization may be missed.
template <class BodyA, class BodyB>
std::optional<ContactTime> contact_time_by_brent(const BodyA& a, const BodyB& b, const Vector3& by, double gap,
                                                 double tolerance = 0x1p-40) {
  ContactTime result;
  GjkStart simplex;
  const auto height = [&](double time) {
    const GjkAnswer answer = gjk(Moved<BodyA>{a, time * by}, b, {}, &simplex);
    ++result.queries;
    result.iterations += answer.iterations;
    return answer.touching ? -gap : answer.upper - gap;
  };
  const double at_begin = height(0);
  if (at_begin <= 0) return result;
  double touching = 1, at_touching = height(1);

  if (at_touching > 0) {
    // Brent's minimization: a parabola through the three best points if that gives a good step, otherwise golden
    // section.
    constexpr double golden = 0.3819660112501051;
    double low = 0, high = 1, x = golden, w = x, v = x, step = 0, step_before = 0;
    double at_x = height(x), at_w = at_x, at_v = at_x;
    while (at_x > 0) {
      const double middle = (low + high) / 2, smallest = 1e-9 * std::abs(x) + 1e-12;
      if (std::abs(x - middle) <= 2 * smallest - (high - low) / 2) return std::nullopt;
      bool parabola = false;
      if (std::abs(step_before) > smallest) {
        const double r = (x - w) * (at_x - at_v);
        double q = (x - v) * (at_x - at_w);
        double p = (x - v) * q - (x - w) * r;
        q = 2 * (q - r);
        if (q > 0) p = -p;
        q = std::abs(q);
        if (std::abs(p) < std::abs(q * step_before / 2) && p > q * (low - x) && p < q * (high - x)) {
          step_before = step;
          step = p / q;
          if (x + step - low < 2 * smallest || high - (x + step) < 2 * smallest)
            step = middle > x ? smallest : -smallest;
          parabola = true;
        }
      }
      if (!parabola) {
        step_before = x < middle ? high - x : low - x;
        step = golden * step_before;
      }
      const double u = x + (std::abs(step) >= smallest ? step : step > 0 ? smallest : -smallest);
      const double at_u = height(u);
      if (at_u <= at_x) {
        (u < x ? high : low) = x;
        v = w, at_v = at_w;
        w = x, at_w = at_x;
        x = u, at_x = at_u;
      } else {
        (u < x ? low : high) = u;
        if (at_u <= at_w || w == x) {
          v = w, at_v = at_w;
          w = u, at_w = at_u;
        } else if (at_u <= at_v || v == x || v == w) {
          v = u, at_v = at_u;
        }
      }
    }
    touching = x;
    at_touching = at_x;
  }

  // Brent's root finder: inverse quadratic interpolation or the secant if they behave well, otherwise bisection.
  double free = 0, at_free = at_begin;  // the bracket's other end
  double best = touching, at_best = at_touching, previous = free, at_previous = at_free;
  double step = best - previous, step_before = step;
  while (true) {
    // `free` and `best` bracket the root.
    if (std::abs(at_free) < std::abs(at_best)) {
      previous = best, at_previous = at_best;
      std::swap(best, free);
      std::swap(at_best, at_free);
    }
    const double half = (free - best) / 2;
    if (std::abs(half) <= tolerance || at_best == 0) break;
    if (std::abs(step_before) >= tolerance && std::abs(at_previous) > std::abs(at_best)) {
      const double s = at_best / at_previous;
      double p, q;
      if (previous == free) {
        p = 2 * half * s;
        q = 1 - s;
      } else {
        const double r = at_previous / at_free, t = at_best / at_free;
        p = s * (2 * half * r * (r - t) - (best - previous) * (t - 1));
        q = (r - 1) * (t - 1) * (s - 1);
      }
      if (p > 0) {
        q = -q;
      } else {
        p = -p;
      }
      if (2 * p < std::min(3 * half * q - std::abs(tolerance * q), std::abs(step_before * q))) {
        step_before = step;
        step = p / q;
      } else {
        step_before = step = half;
      }
    } else {
      step_before = step = half;
    }
    previous = best, at_previous = at_best;
    best += std::abs(step) > tolerance ? step : half > 0 ? tolerance : -tolerance;
    at_best = height(best);
    if ((at_best > 0) == (at_free > 0)) {
      free = previous, at_free = at_previous;
      step_before = step = best - previous;
    }
  }
  result.time = best;
  return result;
}

}  // namespace whisker::baselines
