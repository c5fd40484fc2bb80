#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "convex/convex_contact.hpp"
#include "convex/convex_exact.hpp"
#include "convex/convex_queries.hpp"
#include "convex/revolved_depth.hpp"

namespace whisker::convex {
namespace {

using geometry::round_down;
using geometry::round_up;
using geometry::to_vector3;

constexpr double u = contact_roundoff;
/// Depths of polytopes are known up to rounding; those of curved shapes to this part, which costs some dozens of
/// supports, or thousands where all ways out round an axis are nearly as long.
constexpr double curved_width = 0x1p-20;
constexpr double polytope_width = 0x1p-44;
/// A polytope on curved shapes that are symmetric about the way out may need as many points.
constexpr std::size_t most_points = 16000;

/// The depth of the shapes, radii counted, in the frame's unit.
struct FrameDepth {
  double lower = 0;
  double upper = 0;
  Vec3 direction{};  // b leaves a along it
  Vec3 a{};
  Vec3 b{};
};

Depth in_world(const FramePair& frame, const Ordered& pair, const FrameDepth& found) {
  Depth result;
  if (!(found.upper > 0)) return result;
  result.lower = found.lower > 0 ? found.lower * frame.unit * (1 - frame.stretch) * shrink : 0;
  result.upper = found.upper * frame.unit * (1 + frame.stretch) * widen;
  const Vector3 direction = frame.turned(found.direction);
  const double length = direction.norm();
  if (length > 0) result.direction = direction / length;
  result.point_a = frame.to_world(found.a) + result.direction * pair.a.radius;
  result.point_b = frame.to_world(found.b) - result.direction * pair.b.radius;
  return result;
}

/// Cores that are apart leave the radii less the gap, along the line that joins them.
FrameDepth depth_of_radii(const FramePair& frame, const GjkResult& r) {
  const Bounds bounds = bounds_of(frame, r);
  FrameDepth found;
  found.lower = -bounds.upper;
  found.upper = -bounds.lower;
  const Vec3 v = r.lower_direction;
  found.direction = v * (-1 / norm(v));
  found.a = r.a;
  found.b = r.b;
  return found;
}

Depth exact_depth_of_radii(const Ordered& pair, Cost& cost) {
  const ExactDistance exact = exact_distance(pair.a, pair.b);
  cost.primitive_tests += static_cast<std::uint64_t>(exact.supports);
  Depth result;
  result.lower = exact.upper < 0.0 ? round_down(-exact.upper) / exact.scale : 0;
  result.upper = exact.lower < 0.0 ? round_up(-exact.lower) / exact.scale : 0;
  if (!(result.upper > 0)) return {};
  const Vector3 between = to_vector3(exact.between);
  const double length = between.stableNorm();
  if (length > 0) result.direction = between / length;
  const auto world = [&](const Vector3dd& p) { return Vector3(pair.a.pose.translation + to_vector3(p) / exact.scale); };
  result.point_a = world(exact.a) + result.direction * pair.a.radius;
  result.point_b = world(exact.b) - result.direction * pair.b.radius;
  return result;
}

Depth exact_depth_of(const Ordered& pair, double tolerance, Cost& cost) {
  const bool curved = !(pair.a.has_vertices() && pair.b.has_vertices());
  const ExactDepth exact = exact_depth(pair.a, pair.b, curved ? curved_width : polytope_width, tolerance);
  cost.primitive_tests += static_cast<std::uint64_t>(exact.supports);
  const DoubleDouble radii = geometry::sum(pair.a.radius * exact.scale, pair.b.radius * exact.scale);
  Depth result;
  const DoubleDouble upper = exact.upper + radii;
  if (!(upper > 0.0)) return result;
  const DoubleDouble lower = (exact.lower > 0.0 ? exact.lower : -exact.gap) + radii;
  result.lower = lower > 0.0 ? round_down(lower) / exact.scale : 0;
  result.upper = round_up(upper) / exact.scale;
  const Vector3 direction = to_vector3(exact.direction);
  if (direction.norm() > 0) result.direction = direction.normalized();
  const auto world = [&](const Vector3dd& p) { return Vector3(pair.a.pose.translation + to_vector3(p) / exact.scale); };
  result.point_a = world(exact.a) + result.direction * pair.a.radius;
  result.point_b = world(exact.b) - result.direction * pair.b.radius;
  return result;
}

/// Another way out, not much longer, that goes better where the user wants it to.
void follow_hint(FramePair& frame, const Vec3& hint, double slack, const EpaMemory<Vec3>& memory, EpaResult& result) {
  constexpr int most_tries = 8;
  const double longest = result.upper * (1 + slack);
  double best = dot(result.direction, hint);
  double not_above = HUGE_VAL;
  for (int i = 0; i < most_tries; ++i) {
    // The next best face, by how well it goes along the hint.
    double aligned = best;
    const Vec3* normal = nullptr;
    for (std::size_t f = 0; f < memory.faces.size(); ++f) {
      if (!(memory.heights[f] <= longest)) continue;
      const double along = dot(memory.faces[f].normal, hint);
      if (along > aligned && along < not_above) {
        aligned = along;
        normal = &memory.faces[f].normal;
      }
    }
    if (normal == nullptr) return;
    not_above = aligned;
    const SupportPoint<Vec3> point = run_support(frame, *normal);
    const double reach = dot(*normal, point.a - point.b);
    if (reach > longest) continue;
    result.upper = reach;
    result.direction = *normal;
    result.a = point.a;
    result.b = point.b;
    return;
  }
}

}  // namespace

Depth depth_convex_convex(const ConvexBody& first, const ConvexBody& second, const DepthOptions& options) {
  const Ordered pair(first, second);
  Cost cost;
  const auto finish = [&](Depth found, Stop stop) {
    if (!(found.upper > 0)) found = {};
    found.stop = stop;
    found.cost = cost;
    if (pair.swapped) {
      std::swap(found.point_a, found.point_b);
      found.direction = -found.direction;
    }
    return found;
  };
  FramePair frame;
  if (!set_frame(pair.a, pair.b, frame)) return finish({}, Stop::exact);
  const bool curved = !frame.has_vertices();
  const double errors = frame.reach_error + frame.mean_error;

  EpaGoal goal;
  goal.tolerance = std::max(0.25 * errors, options.tolerance * frame.scale * (1 - 0x1p-40) - 2 * errors);
  goal.relative_tolerance = curved ? curved_width : polytope_width;
  goal.most_points = most_points;
  goal.budget = static_cast<int>(std::min<std::uint64_t>(options.budget, 0x7FFFFFFF));

  const bool hinted = !options.hint.isZero(0) && options.hint.allFinite();
  Vec3 hint{};
  if (hinted) {
    const Vector3 along = pair.swapped ? Vector3(-options.hint) : options.hint;
    hint = to_vec3((frame.in_first ? Vector3(frame.turn.transpose() * along) : along).stableNormalized());
  }

  WarmSurface* warm = nullptr;
  if (options.cache != nullptr && !curved) {
    if (options.cache->surface == nullptr) options.cache->surface = std::make_unique<WarmSurface>();
    warm = options.cache->surface.get();
  }
  SmallPolytope own;
  SmallPolytope& polytope = warm != nullptr ? warm->polytope : own;
  std::optional<EpaLease<Vec3>> lease;  // once the questions before have given it back
  EpaResult epa;
  bool known = false;
  double gap_upper = 0;  // of the shapes' distance, where it counts
  const bool is_plain = !curved && !hinted && goal.budget == 0x7FFFFFFF;
  bool is_small = false;
  if (warm != nullptr && warm->is_set && is_plain) {
    if (pair.swapped != warm->is_exchanged) polytope.exchange();
    warm->is_exchanged = pair.swapped;
    if (polytope.fits(frame.a.count, frame.b.count)) {
      is_small = run_warm_epa(frame, goal, polytope, epa);
      cost.primitive_tests += static_cast<std::uint64_t>(epa.supports);
      known = is_small && epa.lower > 16 * errors;
    }
  }
  if (!known) {
    GjkGoal contact = contact_goal(frame);
    contact.stop_below = -1;
    GjkResult r;
    run_gjk(frame, contact, Warm{}, r, cost);
    Contact verdict = judge(frame, r, cost);
    if (verdict == Contact::open) verdict = judge_exactly(pair, cost);
    if (verdict == Contact::apart) {
      if (warm != nullptr) warm->is_set = false;
      return finish({}, Stop::exact);
    }
    const Bounds bounds = bounds_of(frame, r);
    gap_upper = bounds.upper;
    if (frame.radii > 0 && r.lower * shrink - frame.reach_error > 0) {
      if (is_tight(frame, {-bounds.upper, -bounds.lower}))
        return finish(in_world(frame, pair, depth_of_radii(frame, r)), Stop::exact);
      const Depth found = exact_depth_of_radii(pair, cost);
      const bool wide = found.upper - found.lower > 0x1p-31 * found.upper + frame.fine / frame.scale;
      return finish(found, wide ? Stop::limit : Stop::exact);
    }
    const bool is_revolved = curved && revolved_depth(pair.a, pair.b, frame, curved_width, hint, epa);
    is_small = is_plain && r.end == GjkEnd::inside && r.count == 4 && run_small_epa(frame, goal, r, polytope, epa);
    if (!is_revolved && !is_small) run_epa(frame, goal, r, lease.emplace().memory(), epa);
    cost.primitive_tests += static_cast<std::uint64_t>(epa.supports);
  }
  if (warm != nullptr) {
    warm->is_set = is_small;
    warm->is_exchanged = pair.swapped;
    constexpr unsigned many = 48;  // points; some of them may be in use no more
    if (is_small && polytope.points > many) polytope.compact();
  }

  const double shortest = epa.upper;
  if (hinted && epa.end == EpaEnd::converged && lease)
    follow_hint(frame, hint, options.hint_slack, lease->memory(), epa);
  FrameDepth found;
  // Cores that are not proven to overlap may be apart by a little.
  const double core_lower = epa.lower * shrink - frame.mean_error;
  found.lower = core_lower > 0 ? core_lower + frame.radii * (1 - 4 * u) : std::max(0.0, -gap_upper);
  found.upper = std::max(0.0, epa.upper * widen + frame.reach_error) + frame.radii * (1 + 4 * u);
  found.direction = epa.direction;
  found.a = epa.a;
  found.b = epa.b;
  const double gap = shortest - epa.lower;
  const double tight = (curved ? curved_width : polytope_width) * 1.5 * shortest + errors;
  const Depth result = in_world(frame, pair, found);
  if (epa.end == EpaEnd::budget) return finish(result, Stop::budget);
  // Of cores that are not proven to overlap the lower bound is what GJK said of their distance.
  const bool holds = core_lower > 0 || found.upper - found.lower <= tight + 4 * errors;
  if (gap <= tight && holds) return finish(result, epa.upper > shortest ? Stop::tolerance : Stop::exact);
  if (epa.end == EpaEnd::converged && gap <= goal.tolerance * 1.5 && holds) return finish(result, Stop::tolerance);
  Depth exact = exact_depth_of(pair, options.tolerance, cost);
  // Both are bounds.
  exact.lower = std::max(exact.lower, result.lower);
  if (result.upper < exact.upper) {
    const double lower = exact.lower;
    exact = result;
    exact.lower = lower;
  }
  const double width = exact.upper - exact.lower;
  const double enough = (curved ? curved_width : polytope_width) * 2 * exact.upper + 8 * errors / frame.scale;
  return finish(exact, width <= enough ? Stop::exact : width <= options.tolerance ? Stop::tolerance : Stop::limit);
}

}  // namespace whisker::convex
