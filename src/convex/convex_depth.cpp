// The penetration depth of two convex shapes, by GJK and the expanding polytope, with double-double where needed.

#include <algorithm>
#include <cmath>
#include <memory>

#include "convex/contradiction.hpp"
#include "convex/convex_contact.hpp"
#include "convex/convex_exact.hpp"
#include "convex/convex_queries.hpp"
#include "convex/depth_proof.hpp"
#include "convex/exchange.hpp"
#include "convex/pair_memory.hpp"
#include "convex/revolved_depth.hpp"
#include "geometry/lease.hpp"

namespace whisker::convex {
namespace {

using geometry::round_down;
using geometry::round_up;
using geometry::to_vector3;

/// Depths of polytopes are known up to rounding. Depths of curved shapes are known to this fraction, which costs some
/// dozens of supports, or thousands if all separating translations around an axis are nearly equally long.
constexpr double curved_width = 0x1p-20;
constexpr double polytope_width = 0x1p-44;
/// A polytope on curved shapes that are symmetric about the separating direction may need this many points.
constexpr std::size_t max_points = 32000;

/// The depth of the shapes, radii included, in the frame's unit.
struct FrameDepth {
  double lower;
  double upper;
  Vec3 direction;  // b leaves a along this direction
  Vec3 a;
  Vec3 b;
};

// The functions below fill in new results in place, because copying them would cost more than some warm searches.

/// Normalizes a vector that usually is already a unit vector up to a few roundings. Then one Newton step suffices.
Vector3 unit_direction(const Vector3& v) {
  const double squared = v.squaredNorm();
  if (std::abs(squared - 1) < 0x1p-27) return v * (1.5 - 0.5 * squared);
  const double length = std::sqrt(squared);
  return length > 0 ? Vector3(v / length) : Vector3(Vector3::Zero());
}

void set_depth(const FramePair& frame, const OrderedBodies& pair, const FrameDepth& found, Depth& result) {
  if (!(found.upper > 0)) return;
  result.lower = found.lower > 0 ? found.lower * frame.unit * (1 - frame.stretch) * shrink : 0;
  result.upper = found.upper * frame.unit * (1 + frame.stretch) * widen;
  result.normal = unit_direction(frame.turned(found.direction));
  result.point_a = frame.to_world(found.a) + result.normal * pair.a.radius;
  result.point_b = frame.to_world(found.b) - result.normal * pair.b.radius;
}

/// If the cores are apart, the depth is the sum of the radii minus the gap, along the line that joins the cores.
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

void set_exact_depth_of_radii(const OrderedBodies& pair, Depth& result) {
  const ExactDistance exact = exact_distance(pair.a, pair.b);
  result.cost.primitive_tests += static_cast<std::uint64_t>(exact.supports);
  const double upper = exact.lower < 0.0 ? round_up(-exact.lower) / exact.scale : 0;
  if (!(upper > 0)) return;
  result.lower = exact.upper < 0.0 ? round_down(-exact.upper) / exact.scale : 0;
  result.upper = upper;
  const Vector3 between = to_vector3(exact.between);
  const double length = between.stableNorm();
  if (length > 0) result.normal = between / length;
  const auto world = [&](const Vector3dd& p) {
    return Vector3(pair.a.pose.translation() + to_vector3(p) / exact.scale);
  };
  result.point_a = world(exact.a) + result.normal * pair.a.radius;
  result.point_b = world(exact.b) - result.normal * pair.b.radius;
}

Depth exact_depth_of(const OrderedBodies& pair, double tolerance, Cost& cost) {
  const bool curved = !(pair.a.has_vertices() && pair.b.has_vertices());
  const ExactDepth exact = exact_depth(pair.a, pair.b, curved ? curved_width : polytope_width, tolerance);
  cost.primitive_tests += static_cast<std::uint64_t>(exact.supports);
  const DoubleDouble radii = geometry::sum(pair.a.radius * exact.scale, pair.b.radius * exact.scale);
  Depth result;
  if (exact.upper < 0.0 && radii > 0.0) {
    result.cost = cost;
    set_exact_depth_of_radii(pair, result);
    cost = result.cost;
    return result;
  }
  const DoubleDouble upper = exact.upper + radii;
  if (!(upper > 0.0)) return result;
  const DoubleDouble lower = (exact.lower > 0.0 ? exact.lower : -exact.gap) + radii;
  result.lower = lower > 0.0 ? round_down(lower) / exact.scale : 0;
  result.upper = round_up(upper) / exact.scale;
  const Vector3 direction = to_vector3(exact.direction);
  if (direction.norm() > 0) result.normal = direction.normalized();
  const auto world = [&](const Vector3dd& p) {
    return Vector3(pair.a.pose.translation() + to_vector3(p) / exact.scale);
  };
  result.point_a = world(exact.a) + result.normal * pair.a.radius;
  result.point_b = world(exact.b) - result.normal * pair.b.radius;
  return result;
}

/// Selects another separating translation, not much longer, that is better aligned with the user's hint. Returns false
/// if there is none.
bool follow_hint(FramePair& frame, const Vec3& hint, double slack, const EpaMemory<Vec3>& memory, EpaResult& result) {
  constexpr int max_tries = 8;
  const double longest = result.upper * (1 + slack);
  double best = dot(result.direction, hint);
  double not_above = HUGE_VAL;
  for (int i = 0; i < max_tries; ++i) {
    // The next best face, by its alignment with the hint.
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
    if (normal == nullptr) return false;
    not_above = aligned;
    const SupportPoint<Vec3> point = run_support(frame, *normal);
    const double reach = dot(*normal, point.a - point.b);
    if (reach > longest) continue;
    result.upper = reach;
    result.direction = *normal;
    result.a = point.a;
    result.b = point.b;
    return true;
  }
  return false;
}

/// The goal and the result of the expanding polytope.
struct DepthSearch {
  const EpaGoal& goal;
  EpaResult& epa;
  double errors;
  bool is_curved;
  double gap_upper = 0;  ///< upper bound on the shapes' distance, where it matters

  double width() const { return is_curved ? curved_width : polytope_width; }
};

/// A lower bound on the largest coordinate of the placed body. (The vertices of a hull may be far from the origin of
/// their frame, and then also far from the pose's translation.)
double max_coordinate(const ConvexBody& body) {
  const Vector3& origin = body.pose.translation();
  if (!body.has_vertices()) return std::max(origin.cwiseAbs().maxCoeff(), body.size / 2);
  double largest = 0;
  for (std::uint32_t i = 0; i < body.vertex_count(); ++i) {
    const Vector3 v = body.vertex(i);
    const Vector3 placed = body.in_world ? v : Vector3(body.pose.rotation() * v + origin);
    largest = std::max(largest, placed.cwiseAbs().maxCoeff());
  }
  return largest;
}

/// `other` has bounds for the same pair, so both sets of bounds hold.
void improve(const Depth& other, Depth& result) {
  const double lower = std::max(result.lower, other.lower);
  if (!(result.upper < other.upper)) {
    const Cost cost = result.cost;
    result = other;
    result.cost = cost;
  }
  result.lower = std::min(lower, result.upper);
}

/// Whether the bounds are as close as they should be, or as close as the user asked for.
Stop judge_width(const FramePair& frame, double tolerance, const DepthSearch& search, const Depth& result) {
  const double width = result.upper - result.lower;
  const double enough = search.width() * 2 * result.upper + 8 * search.errors / frame.scale;
  return width <= enough ? Stop::exact : width <= tolerance ? Stop::tolerance : Stop::limit;
}

Stop set_better_depth(const FramePair& frame, const OrderedBodies& pair, double tolerance, const DepthSearch& search,
                      Depth& result) {
  // Accept the width that rounding in doubles leaves between the bounds.
  const double coordinate = std::max(max_coordinate(pair.a), max_coordinate(pair.b));
  const double fine = std::min(search.errors / frame.scale, 0.25 * fine_ulps * contact_roundoff * coordinate);
  const Depth exact = exact_depth_of(pair, std::max(tolerance, fine), result.cost);
  check_bounds(frame, std::max(result.lower, exact.lower) * frame.scale,
               std::min(result.upper, exact.upper) * frame.scale);
  improve(exact, result);
  return judge_width(frame, tolerance, search, result);
}

/// Whether the bounds are this close to each other, or as close as the user asked for. `coordinate` is a coordinate of
/// a placed shape.
bool is_depth_narrow(const OrderedBodies& pair, double ulps, double coordinate, double tolerance,
                     const DepthSearch& search, const Depth& result) {
  const double part = search.is_curved ? 1.5 * curved_width : 0x1p-31;
  const double fine = ulps * contact_roundoff * coordinate + 2.5 * (pair.a.support_error + pair.b.support_error);
  return result.upper - result.lower <= std::max(part * result.upper + fine, tolerance);
}

/// Measures the separating translation again in double-doubles, so that rounding affects only the lower bound.
void set_better_upper(const OrderedBodies& pair, Depth& result) {
  const ExactWay exact = exact_way(pair.a, pair.b, result.normal);
  result.cost.primitive_tests += 1;
  const double upper = round_up(exact.upper) / exact.scale;
  if (!(upper < result.upper)) return;
  result.upper = std::max(upper, result.lower);
}

/// Improves bounds that are as close as doubles allow but still too wide, as for bodies of unequal size or far from
/// their origins. Returns whether they are fine then.
bool refine(const OrderedBodies& pair, double tolerance, const DepthSearch& search, Depth& result) {
  const double on_a = result.point_a.cwiseAbs().maxCoeff();
  if (is_depth_narrow(pair, fine_ulps / 2, on_a, tolerance, search, result)) return true;
  const double largest = std::max({on_a, max_coordinate(pair.a), max_coordinate(pair.b)});
  if (is_depth_narrow(pair, fine_ulps / 2, largest, tolerance, search, result)) return true;
  set_better_upper(pair, result);
  return is_depth_narrow(pair, fine_ulps, largest, tolerance, search, result);
}

/// The depth from a result of the polytope.
FrameDepth found_depth(const FramePair& frame, const DepthSearch& search, const EpaResult& epa) {
  FrameDepth found;
  // Cores that are not proven to overlap may be slightly apart.
  const double core_lower = epa.lower * shrink - frame.mean_error;
  found.lower =
      core_lower > 0 ? core_lower + frame.radii * (1 - 4 * contact_roundoff) : std::max(0.0, -search.gap_upper);
  found.upper = std::max(0.0, epa.upper * widen + frame.reach_error) + frame.radii * (1 + 4 * contact_roundoff);
  found.direction = epa.direction;
  found.a = epa.a;
  found.b = epa.b;
  return found;
}

/// Replaces the shortest separating translation, for which the search ended with `stop`, by the one that the hint
/// selected. The lower bound remains that of the shortest.
Stop set_hinted(const FramePair& frame, const OrderedBodies& pair, const DepthSearch& search, const EpaResult& selected,
                Stop stop, Depth& result, Depth* shortest) {
  const FrameDepth found = found_depth(frame, search, selected);
  if (!(result.upper > 0) || !(found.upper > 0)) return stop;
  if (shortest != nullptr) {
    *shortest = result;
    shortest->stop = stop;
    shortest->lower = std::min(result.lower, result.upper);
  }
  const double lower = result.lower, upper = result.upper;
  set_depth(frame, pair, found, result);
  result.lower = lower;
  return stop == Stop::exact && result.upper > upper ? Stop::tolerance : stop;
}

Stop conclude(const FramePair& frame, const OrderedBodies& pair, double tolerance, const DepthSearch& search,
              Depth& result) {
  const EpaResult& epa = search.epa;
  const double core_lower = epa.lower * shrink - frame.mean_error;
  const FrameDepth found = found_depth(frame, search, epa);
  set_depth(frame, pair, found, result);
  if (epa.end == EpaEnd::budget) return Stop::budget;
  const double gap = epa.upper - epa.lower;
  const double tight = search.width() * 1.5 * epa.upper + search.errors;
  // If the cores are not proven to overlap, the lower bound comes from GJK's distance.
  const bool holds = core_lower > 0 || found.upper - found.lower <= tight + 4 * search.errors;
  if (gap <= tight && holds) {
    if (refine(pair, tolerance, search, result)) return Stop::exact;
    return set_better_depth(frame, pair, tolerance, search, result);
  }
  if (epa.end == EpaEnd::converged && gap <= search.goal.tolerance * 1.5 && holds) return Stop::tolerance;
  return set_better_depth(frame, pair, tolerance, search, result);
}

/// The same if the bounds are still too wide after the maximum number of points of a polytope, because separating
/// translations in a whole range of directions are equally long.
Stop conclude_all_round(FramePair& frame, const OrderedBodies& pair, double tolerance, DepthSearch& search,
                        Depth& result) {
  EpaResult& epa = search.epa;
  EpaGoal goal = search.goal;
  goal.tolerance = std::max(goal.tolerance, 1.8 * curved_width * (epa.upper + frame.radii));
  goal.relative_tolerance = 0;
  const int before = epa.supports;
  const bool is_proven = prove_depth(frame, goal, epa);
  result.cost.primitive_tests += static_cast<std::uint64_t>(epa.supports - before);
  if (!is_proven) return epa.supports >= goal.budget ? Stop::budget : Stop::limit;
  Depth proven;
  set_depth(frame, pair, found_depth(frame, search, epa), proven);
  improve(proven, result);
  return judge_width(frame, tolerance, search, result);
}

/// Finds the depth without a warm start. `warm` and `shortest` may be null.
Stop find_cold_depth(FramePair& frame, const OrderedBodies& pair, const DepthOptions& options, bool can_use_small_epa,
                     bool is_hinted, WarmSurface* warm, DepthSearch& search, Depth& result, Depth* shortest) {
  if (warm != nullptr) warm->is_set = false;
  GjkGoal contact = contact_goal(frame);
  contact.stop_below = -1;
  GjkResult r;
  run_gjk(frame, contact, Warm{}, r, result.cost);
  Contact verdict = judge(frame, r, result.cost);
  if (verdict == Contact::open) verdict = judge_exactly(pair, result.cost);
  if (verdict == Contact::apart) return Stop::exact;
  const Bounds bounds = bounds_of(frame, r);
  search.gap_upper = bounds.upper;
  if (frame.radii > 0 && r.lower * shrink - frame.reach_error > 0) {
    if (is_tight(frame, {-bounds.upper, -bounds.lower})) {
      set_depth(frame, pair, depth_of_radii(frame, r), result);
      if (refine(pair, options.tolerance, search, result)) return Stop::exact;
      result.lower = result.upper = 0;
    }
    set_exact_depth_of_radii(pair, result);
    const bool wide = result.upper - result.lower > 0x1p-31 * result.upper + frame.fine / frame.scale;
    return wide ? Stop::limit : Stop::exact;
  }

  EpaResult& epa = search.epa;
  if (can_use_small_epa && r.end == GjkEnd::inside && r.count == 4) {
    SmallPolytope own;
    SmallPolytope& polytope = warm != nullptr ? warm->polytope : own;
    const bool is_small = run_small_epa(frame, search.goal, r, polytope, epa);
    if (warm != nullptr) warm->is_set = is_small;
    if (is_small) {
      result.cost.primitive_tests += static_cast<std::uint64_t>(epa.supports);
      return conclude(frame, pair, options.tolerance, search, result);
    }
  }
  Vec3 hint{};
  if (is_hinted) {
    const Vector3 along = pair.swapped ? Vector3(-options.hint) : options.hint;
    hint = to_vec3((frame.in_first ? Vector3(frame.turn.transpose() * along) : along).stableNormalized());
  }
  EpaResult selected;
  bool is_selected = false;
  if (!search.is_curved || !revolved_depth(pair.a, pair.b, frame, curved_width, hint, epa)) {
    geometry::Lease<EpaMemory<Vec3>> lease;  // earlier queries have released it
    run_epa(frame, search.goal, r, *lease, epa);
    if (is_hinted && epa.end == EpaEnd::converged) {
      selected = epa;
      is_selected = follow_hint(frame, hint, options.hint_slack, *lease, selected);
    }
  }
  result.cost.primitive_tests += static_cast<std::uint64_t>(epa.supports);
  const Stop stop = conclude(frame, pair, options.tolerance, search, result);
  if (is_selected) return set_hinted(frame, pair, search, selected, stop, result, shortest);
  if (stop != Stop::limit || epa.end != EpaEnd::full || !search.is_curved) return stop;
  return conclude_all_round(frame, pair, options.tolerance, search, result);
}

/// Fills in a new result, except for the reason why the search ended, which is returned.
Stop find_depth(const OrderedBodies& pair, const DepthOptions& options, Depth& result, Depth* shortest) {
  FramePair frame;
  if (!set_frame(pair.a, pair.b, frame)) return Stop::exact;
  EpaGoal goal;
  EpaResult epa;
  DepthSearch search = {goal, epa, frame.reach_error + frame.mean_error, !frame.has_vertices()};
  goal.tolerance = std::max(0.25 * search.errors, options.tolerance * frame.scale * (1 - 0x1p-40) - 2 * search.errors);
  goal.relative_tolerance = search.width();
  goal.max_points = max_points;
  goal.budget = static_cast<int>(std::min<std::uint64_t>(options.budget, 0x7FFFFFFF));
  const bool is_hinted = !options.hint.isZero(0) && options.hint.allFinite();
  const bool can_use_small_epa = !search.is_curved && !is_hinted && goal.budget == 0x7FFFFFFF;

  WarmSurface* warm = nullptr;
  if (options.cache != nullptr && !search.is_curved) {
    std::unique_ptr<WarmSurface>& kept = warm_surface_of(*options.cache);
    if (kept == nullptr) kept = std::make_unique_for_overwrite<WarmSurface>();
    warm = kept.get();
    const bool is_other_way = pair.swapped != warm->is_exchanged;
    warm->is_exchanged = pair.swapped;
    if (warm->is_set && can_use_small_epa) {
      if (is_other_way) warm->polytope.exchange();
      const bool is_small = run_warm_epa(frame, goal, warm->polytope, epa);
      result.cost.primitive_tests += static_cast<std::uint64_t>(epa.supports);
      if (is_small && epa.lower > 16 * search.errors) {
        if (warm->polytope.is_wasteful()) warm->polytope.compact();
        return conclude(frame, pair, options.tolerance, search, result);
      }
    }
  }
  return find_cold_depth(frame, pair, options, can_use_small_epa, is_hinted, warm, search, result, shortest);
}

}  // namespace

Depth depth_convex_convex(const ConvexBody& first, const ConvexBody& second, const DepthOptions& options,
                          Depth* shortest) {
  const OrderedBodies pair(first, second);
  Depth result;
  result.stop = find_depth(pair, options, result, shortest);
  result.lower = std::min(result.lower, result.upper);
  if (!(result.upper > 0)) {
    const Stop stop = result.stop;
    const Cost cost = result.cost;
    result = Depth();
    result.stop = stop;
    result.cost = cost;
  }
  if (pair.swapped) {
    exchange(result);
    if (shortest != nullptr) exchange(*shortest);
  }
  return result;
}

}  // namespace whisker::convex
