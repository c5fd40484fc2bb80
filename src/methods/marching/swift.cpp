// Queries on levels of detail: S. Ehmann, M. Lin (2000), section 4.

#include <algorithm>
#include <cstdint>
#include <tuple>

#include <whisker/error.hpp>
#include <whisker/methods/hull_levels.hpp>

#include "geometry/constants.hpp"
#include "geometry/interval_inline.hpp"
#include "methods/marching/march_query.hpp"
#include "shapes/internals.hpp"

namespace whisker::methods {
namespace {

// A deviation is measured in the hull's frame. A rotation may stretch it by 1e-9.
constexpr double stretch = 1 + 4e-9;

struct Pair {
  const HullLevels& a;
  const Pose& pose_a;
  const HullLevels& b;
  const Pose& pose_b;
};

double deviation_of(const Pair& pair, const LevelFeatures& at) {
  const double sum = geometry::add_up(pair.a.deviation(at.level_a), pair.b.deviation(at.level_b));
  return geometry::multiply_up(sum, stretch);
}

// Clamps to levels that exist.
LevelFeatures within(const Pair& pair, LevelFeatures at) {
  at.level_a = std::min(at.level_a, static_cast<std::uint32_t>(pair.a.count() - 1));
  at.level_b = std::min(at.level_b, static_cast<std::uint32_t>(pair.b.count() - 1));
  return at;
}

LevelFeatures start_of(const Pair& pair, const LevelTrack& track, const LevelOptions& options) {
  const bool by_tables = options.use_tables && pair.a.coarsest_table() != nullptr && pair.b.coarsest_table() != nullptr;
  if (!by_tables && track.started) return within(pair, track.next);
  LevelFeatures at;
  at.level_a = static_cast<std::uint32_t>(pair.a.count() - 1);
  at.level_b = static_cast<std::uint32_t>(pair.b.count() - 1);
  const marching::MarchHull& hull_a = storage_of(pair.a.level(at.level_a));
  const marching::MarchHull& hull_b = storage_of(pair.b.level(at.level_b));
  std::tie(at.a, at.b) =
      marching::facing_vertices(hull_a, pair.pose_a, by_tables ? *pair.a.coarsest_table() : hull_a.coarse_table, hull_b,
                                pair.pose_b, by_tables ? *pair.b.coarsest_table() : hull_b.coarse_table);
  return at;
}

bool is_finest(const LevelFeatures& at) {
  return at.level_a == 0 && at.level_b == 0;
}

void go_down(const HullLevels& hull, std::uint32_t& level, Feature& feature, int levels) {
  for (; levels > 0 && level > 0; --levels, --level)
    feature = hull.child(level, feature);
}

// Goes to finer levels, at least one of which must exist.
void go_down(const Pair& pair, LevelFeatures& at, Refinement refinement) {
  const bool one_hull = refinement == Refinement::single;
  const bool a_first =
      at.level_b == 0 || (at.level_a > 0 && pair.a.deviation(at.level_a) >= pair.b.deviation(at.level_b));
  const int levels = refinement == Refinement::double_double ? 2 : 1;
  if (a_first || !one_hull) go_down(pair.a, at.level_a, at.a, levels);
  if (!a_first || !one_hull) go_down(pair.b, at.level_b, at.b, levels);
}

// Goes from features that are `apart` to the coarsest levels that are expected to be apart too. Going up a level costs
// the growth of the deviation.
LevelFeatures promoted(const Pair& pair, LevelFeatures at, double apart) {
  const auto cost_of_rise = [](const HullLevels& levels, std::size_t from) {
    return from + 1 < levels.count() ? levels.deviation(from + 1) - levels.deviation(from) : infinity;
  };
  double cost_a = cost_of_rise(pair.a, at.level_a), cost_b = cost_of_rise(pair.b, at.level_b);
  while (true) {
    const double cost = std::min(cost_a, cost_b);
    if (!(apart - cost > 0)) return at;
    apart -= cost;
    if (cost_a <= cost_b) {
      at.a = pair.a.parent(at.level_a, at.a);
      cost_a = cost_of_rise(pair.a, ++at.level_a);
    } else {
      at.b = pair.b.parent(at.level_b, at.b);
      cost_b = cost_of_rise(pair.b, ++at.level_b);
    }
  }
}

// Walks once, at the given levels and from the given features. Leaves the closest features in `at`. Above the finest
// levels, proves the hulls disjoint if `wanted` is set and doubles can do so.
void march_at(const Pair& pair, LevelFeatures& at, MarchRule rule, bool wanted, LevelDistance& result) {
  const auto effort = is_finest(at) ? marching::MarchEffort::full
                      : wanted      ? marching::MarchEffort::quick
                                    : marching::MarchEffort::walk;
  const ClosestFeatures found = marching::march_closest_features(storage_of(pair.a.level(at.level_a)), pair.pose_a,
                                                                 storage_of(pair.b.level(at.level_b)), pair.pose_b,
                                                                 at.a, at.b, rule, no_budget, effort);
  at.a = found.feature_a;
  at.b = found.feature_b;
  const Cost before = result.cost;
  static_cast<Distance&>(result) = found;
  result.cost += before;
  result.touches = found.touches;
  result.level_a = at.level_a;
  result.level_b = at.level_b;
  ++result.pairs;
  result.steps += found.steps;
  result.plane_tests += found.plane_tests;
  if (is_finest(at)) return;  // bounds from coarser levels would be valid as well
  // Coarse polyhedra that are not apart prove nothing: their bounds are 0 and infinity.
  if (found.touches == Answer::no) result.upper = geometry::add_up(found.upper, deviation_of(pair, at));
  result.stop = Stop::exact;
}

void remember(const Pair& pair, const LevelDistance& result, LevelTrack& track) {
  track.reached = {result.level_a, result.level_b, result.feature_a, result.feature_b};
  track.next = result.touches == Answer::no ? promoted(pair, track.reached, result.lower) : track.reached;
  track.started = true;
}

// Walks, and descends until `is_settled(result)`. `may_settle` says whether a level above the finest can achieve that.
template <class Settled>
LevelDistance descend(const Pair& pair, LevelTrack& track, const LevelOptions& options, bool may_settle,
                      const Settled& is_settled) {
  LevelDistance result;
  LevelFeatures at = start_of(pair, track, options);
  while (true) {
    const bool last = result.pairs + 1 >= options.budget;
    march_at(pair, at, options.rule, may_settle || last, result);
    if (is_settled(result) || is_finest(at)) break;
    if (last) {
      result.stop = Stop::budget;
      break;
    }
    go_down(pair, at, options.refinement);
  }
  remember(pair, result, track);
  return result;
}

}  // namespace

LevelDistance levels_intersection(const HullLevels& a, const Pose& pose_a, const HullLevels& b, const Pose& pose_b,
                                  const LevelOptions& options, LevelTrack& track) {
  return descend({a, pose_a, b, pose_b}, track, options, true,
                 [](const LevelDistance& result) { return result.touches == Answer::no; });
}

bool levels_touch(const HullLevels& a, const Pose& pose_a, const HullLevels& b, const Pose& pose_b,
                  const LevelOptions& options, LevelTrack& track) {
  LevelOptions to_the_end = options;
  to_the_end.budget = no_budget;
  return levels_intersection(a, pose_a, b, pose_b, to_the_end, track).touches != Answer::no;
}

LevelDistance levels_distance(const HullLevels& a, const Pose& pose_a, const HullLevels& b, const Pose& pose_b,
                              const LevelOptions& options, LevelTrack& track) {
  if (!(options.upper_bound >= 0) || !(options.tolerance >= 0)) {
    throw Error("levels distance: upper_bound and tolerance must be lengths, 0 or larger");
  }
  const bool may_settle = options.tolerance > 0 || options.upper_bound < infinity;
  return descend({a, pose_a, b, pose_b}, track, options, may_settle, [&](LevelDistance& result) {
    if (result.lower > options.upper_bound || result.upper - result.lower <= options.tolerance) {
      if (result.level_a > 0 || result.level_b > 0) result.stop = Stop::tolerance;
      return true;
    }
    return false;
  });
}

LevelDistance refine_levels(const HullLevels& a, const Pose& pose_a, const HullLevels& b, const Pose& pose_b,
                            const LevelOptions& options, LevelTrack& track) {
  const Pair pair = {a, pose_a, b, pose_b};
  LevelFeatures at;
  if (track.started) {
    at = within(pair, track.reached);
    if (!is_finest(at)) go_down(pair, at, options.refinement);
  } else {
    at = start_of(pair, track, options);
  }
  LevelDistance result;
  march_at(pair, at, options.rule, true, result);
  if (!is_finest(at)) result.stop = Stop::budget;
  remember(pair, result, track);
  return result;
}

}  // namespace whisker::methods
