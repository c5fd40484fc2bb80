// The penetration depth of two convex shapes, by GJK and the expanding polytope, with double-double where needed.

#include <algorithm>
#include <cmath>
#include <memory>

#include "convex/convex_contact.hpp"
#include "convex/convex_exact.hpp"
#include "convex/convex_queries.hpp"
#include "convex/depth_proof.hpp"
#include "convex/exchange.hpp"
#include "convex/pair_memory.hpp"
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

// The functions below fill in new results in place, because copying them would cost more than some warm searches.

/// Normalizes a vector that usually is already a unit vector up to a few roundings. Then one Newton step suffices.
Vector3 unit_direction(const Vector3& v) {
  const double squared = v.squaredNorm();
  if (std::abs(squared - 1) < 0x1p-27) return v * (1.5 - 0.5 * squared);
  const double length = std::sqrt(squared);
  return length > 0 ? Vector3(v / length) : Vector3(Vector3::Zero());
}

/// Sets bounds of an exact search, which are scaled, and the points of the shapes, from those of the cores.
template <class Exact>
void set_exact(const OrderedBodies& pair, const Exact& exact, const DoubleDouble& lower, const DoubleDouble& upper,
               const Vector3& normal, Depth& result) {
  if (!(upper > 0.0)) return;
  result.lower = lower > 0.0 ? round_down(lower) / exact.scale : 0;
  result.upper = round_up(upper) / exact.scale;
  result.normal = normal;
  result.point_a = to_world(pair, exact.a, exact.scale) + result.normal * pair.a.radius;
  result.point_b = to_world(pair, exact.b, exact.scale) - result.normal * pair.b.radius;
}

void set_exact_depth_of_radii(const OrderedBodies& pair, Cost& cost, Depth& result) {
  const ExactDistance exact = exact_distance(pair.a, pair.b);
  cost.primitive_tests += static_cast<std::uint64_t>(exact.supports);
  const Vector3 between = to_vector3(exact.between);
  const double length = between.stableNorm();
  const Vector3 normal = length > 0 ? Vector3(between / length) : result.normal;
  set_exact(pair, exact, -exact.upper, -exact.lower, normal, result);
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
    result.take(reach, *normal, point);
    return true;
  }
  return false;
}

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

/// Fills in a new result, except for the reason why the search ended, which is returned. `shortest` may be null.
class DepthSearch {
 public:
  /// The frame must have been set.
  DepthSearch(const OrderedBodies& pair, FramePair& frame, const DepthOptions& options, Depth& result, Depth* shortest)
      : pair_(pair), options_(options), result_(result), shortest_(shortest), frame_(frame) {
    errors_ = frame_.reach_error + frame_.mean_error;
    is_curved_ = !frame_.has_vertices();
    goal_.tolerance = std::max(0.25 * errors_, options_.tolerance * frame_.scale * (1 - 0x1p-40) - 2 * errors_);
    goal_.relative_tolerance = width();
    goal_.max_points = max_points;
    goal_.budget = static_cast<int>(std::min<std::uint64_t>(options_.budget, 0x7FFFFFFF));
    is_hinted_ = !options_.hint.isZero(0) && options_.hint.allFinite();
    can_use_small_epa_ = !is_curved_ && !is_hinted_ && goal_.budget == 0x7FFFFFFF;
  }

  Stop run() {
    if (is_found_warm()) return conclude();
    GjkResult r;
    run_gjk(frame_, {.stop_above = contact_goal(frame_).stop_above}, WarmStart{}, r, result_.cost);
    Contact verdict = judge(frame_, r, result_.cost);
    if (verdict == Contact::open) verdict = judge_exactly(pair_, result_.cost);
    if (verdict == Contact::apart) return Stop::exact;
    return expand(r);
  }

  /// Whether the surface in the cache proves a depth. If so, conclude() sets it.
  bool is_found_warm() {
    if (options_.cache == nullptr || is_curved_) return false;
    WarmSurface* const warm = warm_surface_of(*options_.cache).get();
    if (warm == nullptr || !warm->is_set) return false;
    const bool is_other_way = pair_.swapped != warm->is_exchanged;
    warm->is_set = false;
    if (!can_use_small_epa_) return false;
    if (is_other_way) warm->polytope.exchange();
    warm->is_exchanged = pair_.swapped;
    const bool is_small = run_warm_epa(frame_, goal_, warm->polytope, epa_);
    result_.cost.primitive_tests += static_cast<std::uint64_t>(epa_.supports);
    if (!is_small || !(epa_.lower > 16 * errors_)) return false;
    if (warm->polytope.is_wasteful()) warm->polytope.compact();
    warm->is_set = true;
    return true;
  }

  /// Finds the depth of shapes that are not proven apart, from where GJK ended, run to its end.
  Stop expand(const GjkResult& r) {
    const Bounds bounds = bounds_of(frame_, r);
    gap_upper_ = bounds.upper;
    if (frame_.radii > 0 && r.lower * shrink - frame_.reach_error > 0) return conclude_radii(bounds, r);

    if (can_use_small_epa_ && r.end == GjkEnd::inside && r.count == 4) {
      SmallPolytope own;
      WarmSurface* const kept = surface_to_keep();
      const bool is_small = run_small_epa(frame_, goal_, r, kept != nullptr ? kept->polytope : own, epa_);
      if (kept != nullptr) kept->is_set = is_small;
      if (is_small) {
        result_.cost.primitive_tests += static_cast<std::uint64_t>(epa_.supports);
        return conclude();
      }
    }
    Vec3 hint{};
    if (is_hinted_) {
      const Vector3 along = pair_.swapped ? Vector3(-options_.hint) : options_.hint;
      hint = to_vec3((frame_.in_first ? Vector3(frame_.turn.transpose() * along) : along).stableNormalized());
    }
    EpaResult selected;
    bool is_selected = false;
    if (!is_curved_ || !revolved_depth(pair_.a, pair_.b, frame_, curved_width, hint, epa_)) {
      geometry::Lease<EpaMemory<Vec3>> lease;  // earlier queries have released it
      run_epa(frame_, goal_, r, *lease, epa_);
      if (is_hinted_ && epa_.end == EpaEnd::converged) {
        selected = epa_;
        is_selected = follow_hint(frame_, hint, options_.hint_slack, *lease, selected);
      }
    }
    result_.cost.primitive_tests += static_cast<std::uint64_t>(epa_.supports);
    const Stop stop = conclude();
    if (is_selected) return set_hinted(selected, stop);
    if (stop != Stop::limit || epa_.end != EpaEnd::full || !is_curved_) return stop;
    return conclude_all_round();
  }

  /// The depth from where the expanding polytope ended.
  Stop conclude() {
    const double core_lower = epa_.lower * shrink - frame_.mean_error;
    const EpaResult found = found_depth(epa_);
    set_depth(found, result_);
    if (epa_.end == EpaEnd::budget) return Stop::budget;
    const double gap = epa_.upper - epa_.lower;
    const double tight = width() * 1.5 * epa_.upper + errors_;
    // If the cores are not proven to overlap, the lower bound comes from GJK's distance.
    const bool holds = core_lower > 0 || found.upper - found.lower <= tight + 4 * errors_;
    if (gap <= tight && holds) return refine() ? Stop::exact : set_better_depth();
    if (epa_.end == EpaEnd::converged && gap <= goal_.tolerance * 1.5 && holds) return Stop::tolerance;
    return set_better_depth();
  }

 private:
  /// Where the cache keeps the surface, for the bodies in this order; null without a cache.
  WarmSurface* surface_to_keep() const {
    if (options_.cache == nullptr) return nullptr;
    std::unique_ptr<WarmSurface>& kept = warm_surface_of(*options_.cache);
    if (kept == nullptr) kept = std::make_unique_for_overwrite<WarmSurface>();
    kept->is_exchanged = pair_.swapped;
    return kept.get();
  }

  double width() const { return is_curved_ ? curved_width : polytope_width; }

  /// `found` is the depth of the shapes, radii included, in the frame's unit, with points of the cores.
  void set_depth(const EpaResult& found, Depth& result) const {
    if (!(found.upper > 0)) return;
    result.lower = found.lower > 0 ? found.lower * frame_.unit * (1 - frame_.stretch) * shrink : 0;
    result.upper = found.upper * frame_.unit * (1 + frame_.stretch) * widen;
    result.normal = unit_direction(frame_.turned(found.direction));
    result.point_a = frame_.to_world(found.a) + result.normal * pair_.a.radius;
    result.point_b = frame_.to_world(found.b) - result.normal * pair_.b.radius;
  }

  /// If the cores are apart, the depth is the sum of the radii minus the gap, along the line that joins the cores.
  Stop conclude_radii(const Bounds& bounds, const GjkResult& r) {
    if (is_tight(frame_, {-bounds.upper, -bounds.lower})) {
      const Vec3 direction = r.lower_direction * (-1 / norm(r.lower_direction));
      set_depth({.lower = -bounds.upper, .upper = -bounds.lower, .direction = direction, .a = r.a, .b = r.b}, result_);
      if (refine()) return Stop::exact;
      result_.lower = result_.upper = 0;
    }
    set_exact_depth_of_radii(pair_, result_.cost, result_);
    const bool wide = result_.upper - result_.lower > 0x1p-31 * result_.upper + frame_.fine / frame_.scale;
    return wide ? Stop::limit : Stop::exact;
  }

  /// conclude() if the bounds are still too wide after the maximum number of points of a polytope, because separating
  /// translations in a whole range of directions are equally long.
  Stop conclude_all_round() {
    EpaGoal goal = goal_;
    goal.tolerance = std::max(goal.tolerance, 1.8 * curved_width * (epa_.upper + frame_.radii));
    goal.relative_tolerance = 0;
    const int before = epa_.supports;
    const bool is_proven = prove_depth(frame_, goal, epa_);
    result_.cost.primitive_tests += static_cast<std::uint64_t>(epa_.supports - before);
    if (!is_proven) return epa_.supports >= goal.budget ? Stop::budget : Stop::limit;
    Depth proven;
    set_depth(found_depth(epa_), proven);
    improve(proven, result_);
    return judge_width();
  }

  /// The depth of the shapes from that of the cores.
  EpaResult found_depth(const EpaResult& epa) const {
    EpaResult found = epa;
    // Cores that are not proven to overlap may be slightly apart.
    const double core_lower = epa.lower * shrink - frame_.mean_error;
    found.lower = core_lower > 0 ? core_lower + frame_.radii * (1 - 4 * contact_roundoff) : std::max(0.0, -gap_upper_);
    found.upper = std::max(0.0, epa.upper * widen + frame_.reach_error) + frame_.radii * (1 + 4 * contact_roundoff);
    return found;
  }

  /// Replaces the shortest separating translation, for which the search ended with `stop`, by the one that the hint
  /// selected. The lower bound remains that of the shortest.
  Stop set_hinted(const EpaResult& selected, Stop stop) {
    const EpaResult found = found_depth(selected);
    if (!(result_.upper > 0) || !(found.upper > 0)) return stop;
    if (shortest_ != nullptr) {
      *shortest_ = result_;
      shortest_->stop = stop;
      shortest_->lower = std::min(result_.lower, result_.upper);
    }
    const double lower = result_.lower, upper = result_.upper;
    set_depth(found, result_);
    result_.lower = lower;
    return stop == Stop::exact && result_.upper > upper ? Stop::tolerance : stop;
  }

  /// Whether the bounds are this close to each other, or as close as the user asked for. `coordinate` is a coordinate
  /// of a placed shape.
  bool is_narrow(double ulps, double coordinate) const {
    const double part = is_curved_ ? 1.5 * curved_width : 0x1p-31;
    const double fine = ulps * contact_roundoff * coordinate + 2.5 * (pair_.a.support_error + pair_.b.support_error);
    return result_.upper - result_.lower <= std::max(part * result_.upper + fine, options_.tolerance);
  }

  /// Improves bounds that are as close as doubles allow but still too wide, as for bodies of unequal size or far from
  /// their origins. Returns whether they are fine then.
  bool refine() {
    const double on_a = result_.point_a.cwiseAbs().maxCoeff();
    if (is_narrow(fine_ulps / 2, on_a)) return true;
    const double largest = std::max({on_a, max_coordinate(pair_.a), max_coordinate(pair_.b)});
    if (is_narrow(fine_ulps / 2, largest)) return true;
    // Measures the separating translation again in double-doubles, so that rounding affects only the lower bound.
    const double upper = exact_way_length(pair_.a, pair_.b, result_.normal);
    result_.cost.primitive_tests += 1;
    if (upper < result_.upper) result_.upper = std::max(upper, result_.lower);
    return is_narrow(fine_ulps, largest);
  }

  /// Whether the bounds are as close as they should be, or as close as the user asked for.
  Stop judge_width() const {
    const double between = result_.upper - result_.lower;
    const double enough = width() * 2 * result_.upper + 8 * errors_ / frame_.scale;
    return between <= enough ? Stop::exact : between <= options_.tolerance ? Stop::tolerance : Stop::limit;
  }

  Stop set_better_depth() {
    // Accept the width that rounding in doubles leaves between the bounds.
    const double coordinate = std::max(max_coordinate(pair_.a), max_coordinate(pair_.b));
    const double fine = std::min(errors_ / frame_.scale, 0.25 * fine_ulps * contact_roundoff * coordinate);
    const Depth exact = exact_depth_of_shapes(std::max(options_.tolerance, fine));
    check_bounds(frame_, std::max(result_.lower, exact.lower) * frame_.scale,
                 std::min(result_.upper, exact.upper) * frame_.scale);
    improve(exact, result_);
    return judge_width();
  }

  /// Its cost is added to that of the result.
  Depth exact_depth_of_shapes(double tolerance) {
    const ExactDepth exact = exact_depth(pair_.a, pair_.b, width(), tolerance);
    result_.cost.primitive_tests += static_cast<std::uint64_t>(exact.supports);
    const DoubleDouble radii = geometry::sum(pair_.a.radius * exact.scale, pair_.b.radius * exact.scale);
    Depth result;
    if (exact.upper < 0.0 && radii > 0.0) {
      set_exact_depth_of_radii(pair_, result_.cost, result);
    } else {
      const DoubleDouble lower = (exact.lower > 0.0 ? exact.lower : -exact.gap) + radii;
      set_exact(pair_, exact, lower, exact.upper + radii, to_vector3(exact.direction).normalized(), result);
    }
    return result;
  }

  const OrderedBodies& pair_;
  const DepthOptions& options_;
  Depth& result_;
  Depth* shortest_;
  FramePair& frame_;
  EpaGoal goal_;
  EpaResult epa_;
  double errors_ = 0;
  double gap_upper_ = 0;  // upper bound on the shapes' distance, where it matters
  bool is_curved_ = false;
  bool is_hinted_ = false;
  bool can_use_small_epa_ = false;
};

/// What is common to all results.
void finish(const OrderedBodies& pair, Depth& result) {
  result.lower = std::min(result.lower, result.upper);
  if (!(result.upper > 0)) result = Depth{.stop = result.stop, .cost = result.cost};
  if (pair.swapped) exchange(result);
}

}  // namespace

Depth depth_convex_convex(const ConvexBody& first, const ConvexBody& second, const DepthOptions& options,
                          Depth* shortest) {
  const OrderedBodies pair(first, second);
  Depth result;
  FramePair frame;
  if (!set_frame(pair.a, pair.b, frame)) return result;
  result.stop = DepthSearch(pair, frame, options, result, shortest).run();
  finish(pair, result);
  if (pair.swapped && shortest != nullptr) exchange(*shortest);
  return result;
}

bool has_warm_surface(const PairCache& cache) {
  const WarmSurface* const warm = warm_surface_of(cache);
  return warm != nullptr && warm->is_set;
}

bool signed_convex_convex(const ConvexBody& first, const ConvexBody& second, const SignedDistanceOptions& options,
                          const PairCache* start, Distance& apart, Depth& deep) {
  const OrderedBodies pair(first, second);
  FramePair frame;
  if (!set_frame(pair.a, pair.b, frame)) {
    apart.point_a = apart.point_b = pair.a.pose.translation();
    return true;
  }
  const DepthOptions limits{.tolerance = options.tolerance, .budget = options.budget, .cache = options.cache};
  DepthSearch search(pair, frame, limits, deep, nullptr);
  if (search.is_found_warm()) {
    deep.stop = search.conclude();
  } else {
    GjkResult r;
    if (!find_gap(pair, frame, options, start, r, apart)) return false;
    deep.stop = search.expand(r);
  }
  finish(pair, deep);
  return true;
}

}  // namespace whisker::convex
