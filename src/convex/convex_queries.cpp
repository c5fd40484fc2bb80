#include "convex/convex_queries.hpp"

#include <algorithm>
#include <cmath>

#include "convex/convex_contact.hpp"
#include "convex/convex_exact.hpp"
#include "convex/exchange.hpp"
#include "geometry/place.hpp"
#include "geometry/safe_norm.hpp"

namespace whisker::convex {
namespace {

using geometry::to_vector3;

double lower_in_world(const FramePair& frame, double lower) {
  return lower > 0 ? lower * frame.unit * (1 - frame.stretch) * shrink : 0;
}
double upper_in_world(const FramePair& frame, double upper) {
  return upper * frame.unit * (1 + frame.stretch) * widen;
}

Vector3 unit(const Vector3& v) {
  const double length = geometry::safe_norm(v);
  return length > 0 ? Vector3(v / length) : Vector3(Vector3::Zero());
}

// The functions below fill in a new result in place, because copying it would cost more than a warm search.

/// A point that both shapes share: between the cores, in proportion to the radii, which together span the gap.
void set_touching(const Vector3& point_a, const Vector3& point_b, const OrderedBodies& pair, Distance& result) {
  const double radii = pair.a.radius + pair.b.radius;
  result.point_a = radii > 0 ? Vector3(point_a + (point_b - point_a) * (pair.a.radius / radii)) : point_a;
  result.point_b = result.point_a;
}

/// Sets the points of the shapes and the normal, which is the direction that gave the lower bound, because it best
/// shows how the shapes are apart. The radii are applied along the line that joins the cores' points, so that the
/// remaining gap is the distance.
void set_points(const Vector3& core_a, const Vector3& core_b, const Vector3& normal, const OrderedBodies& pair,
                Distance& result) {
  if (result.lower > 0) result.normal = normal;
  if (pair.a.radius == 0 && pair.b.radius == 0) {
    result.point_a = core_a;
    result.point_b = core_b;
    return;
  }
  const Vector3 along = core_b - core_a;
  const double length = geometry::safe_norm(along);
  const double least =
      0x1p-40 * (geometry::safe_norm(core_a - pair.a.pose.translation()) + pair.a.radius + pair.b.radius);
  const Vector3 way = length > least ? Vector3(along / length) : normal;
  result.point_a = core_a + way * pair.a.radius;
  result.point_b = core_b - way * pair.b.radius;
}

void set_distance(const FramePair& frame, const OrderedBodies& pair, const GjkResult& r, const Bounds& bounds,
                  Distance& result) {
  result.lower = lower_in_world(frame, bounds.lower);
  result.upper = upper_in_world(frame, bounds.upper);
  const Vec3 direction = r.lower > 0 ? -r.lower_direction : r.b - r.a;
  set_points(frame.to_world(r.a), frame.to_world(r.b), unit(frame.turned(direction)), pair, result);
}

/// The common point of two shapes that overlap. If doubles give it only roughly, it is computed more accurately.
void set_overlap(const FramePair& frame, const OrderedBodies& pair, const GjkResult& r, Distance& result) {
  if (norm(r.a - r.b) <= std::min(8 * frame.mean_error, frame.fine / 2) + frame.radii) {
    set_touching(frame.to_world(r.a), frame.to_world(r.b), pair, result);
    return;
  }
  const ExactDistance exact = exact_distance(pair.a, pair.b);
  result.cost.primitive_tests += static_cast<std::uint64_t>(exact.supports);
  set_touching(to_world(pair, exact.a, exact.scale), to_world(pair, exact.b, exact.scale), pair, result);
}

void set_exact_distance(const OrderedBodies& pair, const ExactDistance& exact, Distance& result) {
  const Vector3 on_a = to_world(pair, exact.a, exact.scale), on_b = to_world(pair, exact.b, exact.scale);
  if (exact.upper <= 0.0) {
    set_touching(on_a, on_b, pair, result);
    return;
  }
  result.lower = exact.lower_in_world();
  result.upper = geometry::round_up(exact.upper) / exact.scale;
  // The points are rounded, but the vector between them is not.
  const Vector3 between = to_vector3(exact.b - exact.a);
  const Vector3 way = unit(between);
  result.point_a = on_a + way * pair.a.radius;
  result.point_b = on_b - way * pair.b.radius;
  if (result.lower > 0) result.normal = unit(to_vector3(exact.between));
}

/// A coordinate of some point of the placed body that is large if any coordinate is. The size that `FramePair::fine`
/// uses is too large if a shape is far from the origin of its frame but placed near the origin of the world.
double some_coordinate(const ConvexBody& body) {
  if (!body.has_vertices()) {
    double largest = std::max(body.pose.translation().cwiseAbs().maxCoeff(), body.size / 4);
    // One of two opposite points reaches this far in a coordinate.
    const auto look = [&](int axis, double length) {
      const Vector3 along = body.pose.rotation().col(axis).cwiseAbs() * length;
      largest = std::max(largest, (body.pose.translation().cwiseAbs() + along).maxCoeff());
    };
    if (body.core == ConvexBody::Core::cylinder || body.core == ConvexBody::Core::cone) look(2, body.half_length);
    if (body.core == ConvexBody::Core::ellipsoid)
      for (int axis = 0; axis < 3; ++axis)
        look(axis, body.radii[axis]);
    return largest + body.radius;
  }
  constexpr std::uint32_t most = 8;
  const std::uint32_t count = body.vertex_count(), step = count / most + 1;
  double largest = 0;
  for (std::uint32_t i = 0; i < count; i += step) {
    const Vector3 placed = body.in_world ? body.vertex(i) : geometry::placed_point(body.pose, body.vertex(i));
    largest = std::max(largest, placed.cwiseAbs().maxCoeff());
  }
  return largest + body.radius;
}

/// Whether the bounds are also close relative to the size of the placed shapes.
bool is_distance_narrow(const OrderedBodies& pair, const Distance& found) {
  const double width = found.upper - found.lower;
  if (width <= 0x1p-31 * found.upper) return true;
  const double errors = 2.5 * (pair.a.support_error + pair.b.support_error);
  const double coordinate = std::max(some_coordinate(pair.a), some_coordinate(pair.b));
  return width <= 0x1p-31 * found.upper + fine_ulps * contact_roundoff * coordinate + errors;
}

}  // namespace

bool touches_convex_convex(const ConvexBody& first, const ConvexBody& second, PairCache* cache, Cost& cost) {
  const double sizes = (first.size + second.size) + (first.radius + second.radius);
  if (!first.in_world && !second.in_world &&
      are_far_apart(sizes + (first.support_error + second.support_error), first.pose, second.pose)) {
    return false;
  }
  const OrderedBodies pair(first, second);
  FramePair frame;
  if (!set_frame(pair.a, pair.b, frame)) return true;
  const GjkGoal goal = contact_goal(frame);
  GjkResult r;
  const WarmStart warm = warm_start(cache, pair, frame, false);
  if (!warm.is_cold()) {
    run_gjk(frame, goal, warm, r, cost);
    const Bounds bounds = bounds_of(frame, r);
    if (is_clear(frame, r, bounds)) {
      remember(cache, pair, frame, r);
      return !bounds.apart();
    }
  }
  run_gjk(frame, goal, WarmStart{}, r, cost);
  remember(cache, pair, frame, r);
  Contact contact = judge(frame, r, cost);
  if (contact == Contact::open) contact = judge_exactly(pair, cost);
  return contact != Contact::apart;
}

namespace {

/// Fills in a new result, except for the reason why the search ended, which is returned. If the shapes are proven to
/// overlap, `overlaps` is set, and there are no points. `r` is where the search in doubles ended.
Stop find_distance(const OrderedBodies& pair, FramePair& frame, const DistanceOptions& options, const PairCache* start,
                   GjkResult& r, bool& overlaps, Distance& result) {
  GjkGoal goal;
  const double s = frame.scale;
  if (options.upper_bound < HUGE_VAL) {
    goal.stop_above =
        (options.upper_bound * s * (1 + frame.stretch) + frame.radii + frame.reach_error) * (1 + 32 * contact_roundoff);
  }
  if (options.close_enough >= 0) {
    goal.stop_below = (options.close_enough * s * (1 - frame.stretch) + frame.radii) * (1 - 32 * contact_roundoff) -
                      2 * frame.mean_error;
  }
  goal.tolerance = std::max(0.0, options.tolerance * s * (1 - 0x1p-40) - 2 * (frame.reach_error + frame.mean_error) -
                                     16 * contact_roundoff * frame.radii);
  goal.budget = static_cast<int>(std::min<std::uint64_t>(options.budget, 0x7FFFFFFF));

  Bounds bounds;
  bool settled = false;
  const WarmStart warm = warm_start(start, pair, frame, true);
  if (!warm.is_cold()) {
    run_gjk(frame, goal, warm, r, result.cost);
    bounds = bounds_of(frame, r);
    settled = is_clear(frame, r, bounds);
  }
  if (!settled) {
    run_gjk(frame, goal, WarmStart{}, r, result.cost);
    bounds = bounds_of(frame, r);
  }
  remember(options.cache, pair, frame, r);

  // Rounding may invalidate the condition for which the search stopped, for example if the points of a needle-like
  // simplex are farther apart than |v|. Then the search is run to its end.
  const auto holds = [&] {
    const auto lower = [&] { return lower_in_world(frame, bounds.lower); };
    const auto upper = [&] { return upper_in_world(frame, bounds.upper); };
    if (r.end == GjkEnd::above) return lower() > options.upper_bound;
    if (r.end == GjkEnd::below) return upper() <= options.close_enough;
    return r.end != GjkEnd::tolerance || upper() - lower() <= options.tolerance;
  };
  if (!holds()) {
    run_gjk(frame, {.budget = goal.budget}, WarmStart{}, r, result.cost);
    bounds = bounds_of(frame, r);
  }
  const bool stopped =
      r.end == GjkEnd::above || r.end == GjkEnd::below || r.end == GjkEnd::tolerance || r.end == GjkEnd::budget;
  if (bounds.overlap()) {
    overlaps = true;
    return Stop::exact;
  }
  if (stopped) {
    set_distance(frame, pair, r, bounds, result);
    if (r.end == GjkEnd::above) result.upper = HUGE_VAL;
    return r.end == GjkEnd::budget ? Stop::budget : Stop::tolerance;
  }
  if (bounds.apart() && is_tight(frame, bounds)) {
    set_distance(frame, pair, r, bounds, result);
    if (is_distance_narrow(pair, result)) return Stop::exact;
  }
  if (!bounds.apart() && judge(frame, r, result.cost) == Contact::overlap) {
    overlaps = true;
    return Stop::exact;
  }
  const ExactDistance exact = exact_distance(pair.a, pair.b);
  const Cost cost = result.cost;
  result = Distance();
  result.cost = cost;
  result.cost.primitive_tests += static_cast<std::uint64_t>(exact.supports);
  set_exact_distance(pair, exact, result);
  if (bounds.apart()) {
    // Both sets of bounds hold.
    Distance rough;
    set_distance(frame, pair, r, bounds, rough);
    if (rough.lower > result.lower) {
      result.lower = rough.lower;
      result.normal = rough.normal;
    }
  }
  const bool narrow =
      result.upper - result.lower <= 0x1p-31 * result.upper + frame.fine / s || is_distance_narrow(pair, result);
  return narrow ? Stop::exact : Stop::limit;
}

/// What is common to all results.
void finish(const OrderedBodies& pair, Distance& result) {
  if (result.lower > result.upper) {  // two searches disagree about a user's support function
    const double unsaid = unsaid_rounding * (pair.a.size + pair.b.size);
    if (is_custom(pair.a, pair.b) && result.lower - result.upper > unsaid) throw_contradiction();
    result.lower = result.upper;
  }
  if (pair.swapped) exchange(result);
}

}  // namespace

Distance distance_convex_convex(const ConvexBody& first, const ConvexBody& second, const DistanceOptions& options) {
  const OrderedBodies pair(first, second);
  Distance result;
  FramePair frame;
  if (!set_frame(pair.a, pair.b, frame)) {
    set_touching(pair.a.pose.translation(), pair.a.pose.translation(), pair, result);
    return result;
  }
  GjkResult r;
  bool overlaps = false;
  result.stop = find_distance(pair, frame, options, options.cache, r, overlaps, result);
  if (overlaps) set_overlap(frame, pair, r, result);
  finish(pair, result);
  return result;
}

bool find_gap(const OrderedBodies& pair, FramePair& frame, const SignedDistanceOptions& options, const PairCache* start,
              GjkResult& r, Distance& result) {
  bool overlaps = false;
  DistanceOptions asked{.tolerance = options.tolerance, .upper_bound = options.upper_bound, .cache = options.cache};
  result.stop = find_distance(pair, frame, asked, start, r, overlaps, result);
  if (!overlaps && !(result.lower > 0) && result.stop == Stop::tolerance) {
    // The search ended before it was known whether the shapes touch.
    const Cost cost = result.cost;
    result = Distance();
    result.cost = cost;
    asked.tolerance = 0;
    result.stop = find_distance(pair, frame, asked, nullptr, r, overlaps, result);
  }
  finish(pair, result);
  return !(result.lower > 0);
}

}  // namespace whisker::convex
