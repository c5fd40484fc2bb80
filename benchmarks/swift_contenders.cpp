// The contenders: marching with either rule, direction tables, levels of detail, and the library's own queries (GJK).

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include <whisker/methods/closest_features.hpp>
#include <whisker/pair_cache.hpp>
#include <whisker/queries.hpp>

#include "swift.hpp"

namespace whisker::bench {
namespace {

// The tolerance of an approximate distance, in radii.
constexpr double approximate_tolerance = 0.3;

OrbitAnswer of(const methods::ClosestFeatures& found) {
  return {found.touches == Answer::no, found.lower, found.upper, found.steps, found.plane_tests};
}

OrbitAnswer of(const methods::LevelDistance& found) {
  return {found.touches == Answer::no, found.lower, found.upper, found.steps, found.plane_tests};
}

Contender marching(std::string name, const ConvexHull& a, const ConvexHull& b, methods::MarchRule rule) {
  struct State {
    methods::MarchingHull a, b;
    methods::FeatureTrack track;
  };
  auto state = std::make_shared<State>(State{methods::MarchingHull(a), methods::MarchingHull(b), {}});
  return {std::move(name), [state] { state->track.clear(); },
          [state, rule](const Pose& pose) {
            return of(methods::closest_features(state->a, Pose(), state->b, pose, {.rule = rule}, state->track));
          }};
}

Contender by_table(std::string name, const ConvexHull& a, const ConvexHull& b,
                   const methods::DirectionTableOptions& options) {
  struct State {
    methods::MarchingHull a, b;
    methods::DirectionTable table_a, table_b;
    methods::FeatureTrack track;
  };
  auto state = std::make_shared<State>(State{methods::MarchingHull(a),
                                             methods::MarchingHull(b),
                                             methods::DirectionTable(a, options),
                                             methods::DirectionTable(b, options),
                                             {}});
  return {
      std::move(name), [] {},
      [state](const Pose& pose) {
        return of(methods::closest_features(state->a, Pose(), state->b, pose,
                                            {.table_a = &state->table_a, .table_b = &state->table_b}, state->track));
      }};
}

Contender by_levels(std::string name, Ask ask, const OrbitHulls::Levels& levels, methods::LevelOptions options) {
  struct State {
    methods::HullLevels a, b;
    methods::LevelTrack track;
    methods::LevelOptions options;
  };
  if (ask == Ask::approximate) options.tolerance = approximate_tolerance;
  auto state = std::make_shared<State>(State{levels.a, levels.b, {}, options});
  return {std::move(name), [state] { state->track.clear(); },
          [state, ask](const Pose& pose) {
            return of(ask == Ask::touch
                          ? methods::levels_intersection(state->a, Pose(), state->b, pose, state->options, state->track)
                          : methods::levels_distance(state->a, Pose(), state->b, pose, state->options, state->track));
          }};
}

// whisker's own touches() and distance(), with a cache and without.
Contender by_library(std::string name, Ask ask, const ConvexHull& a, const ConvexHull& b, bool warm) {
  struct State {
    Shape a, b;
    PairCache cache;
  };
  auto state = std::make_shared<State>(State{a, b, {}});
  return {std::move(name), [state] { state->cache = PairCache(); },
          [state, ask, warm](const Pose& pose) -> OrbitAnswer {
            if (ask == Ask::touch) {
              const bool hit = warm ? touches(state->a, {state->b, pose}, {.cache = &state->cache})
                                    : touches(state->a, {state->b, pose});
              return {!hit, 0, std::numeric_limits<double>::infinity(), 0, 0};
            }
            DistanceOptions options;
            if (ask == Ask::approximate) options.tolerance = approximate_tolerance;
            if (warm) options.cache = &state->cache;
            const Distance found = distance(state->a, {state->b, pose}, options);
            return {found.lower > 0, found.lower, found.upper, 0, 0};
          }};
}

}  // namespace

std::vector<Contender> contenders(Ask ask, OrbitHulls& hulls, Selection selection) {
  const ConvexHull& a = hulls.a;
  const ConvexHull& b = hulls.b;
  std::vector<Contender> list;
  if (ask != Ask::approximate) {
    list.push_back(marching(series::march, a, b, methods::MarchRule::max_violation));
    list.push_back(marching(series::v_clip, a, b, methods::MarchRule::first_violation));
    list.push_back(by_table("whisker/table-5.625-x2", a, b, {.resolution = 5.625, .radius_factor = 2}));
    list.push_back(by_table("whisker/table-11.25-x2", a, b, {.resolution = 11.25, .radius_factor = 2}));
    if (selection == Selection::full) {
      list.push_back(by_table("whisker/table-5.625-x1", a, b, {.resolution = 5.625, .radius_factor = 1}));
      list.push_back(by_table("whisker/table-5.625-x4", a, b, {.resolution = 5.625, .radius_factor = 4}));
      list.push_back(by_table("whisker/table-11.25-x1", a, b, {.resolution = 11.25, .radius_factor = 1}));
    }
  }
  const auto add_levels = [&](const std::string& levels_name, const methods::HullLevelOptions& build, const char* mode,
                              const methods::LevelOptions& options) {
    list.push_back(by_levels("whisker/" + levels_name + mode, ask, hulls.levels(levels_name, build), options));
  };
  const methods::LevelOptions singly = {.refinement = methods::Refinement::single};
  const methods::LevelOptions both = {.refinement = methods::Refinement::single_single};
  const methods::LevelOptions both_by_table = {.refinement = methods::Refinement::single_single, .use_tables = true};
  const methods::LevelOptions doubly = {.refinement = methods::Refinement::double_double};
  const methods::LevelOptions doubly_by_table = {.refinement = methods::Refinement::double_double, .use_tables = true};

  const methods::HullLevelOptions removal = {
      .builder = methods::LevelBuilder::vertex_removal, .min_triangles = 100, .max_levels = 64, .make_table = true};
  if (selection != Selection::huge) {  // there, building them takes minutes
    add_levels("removal-100", removal, "-double-double", doubly);
  }
  if (selection == Selection::large || selection == Selection::huge) {
    // The coarsest level has about 62 triangles, regardless of the number of levels.
    const double left = 62.5 / static_cast<double>(a.face_count());
    for (const int levels : {2, 3, 4, 6}) {
      const methods::HullLevelOptions build = {.decimation = std::pow(left, 1.0 / (levels - 1)),
                                               .max_levels = static_cast<std::size_t>(levels),
                                               .make_table = true};
      const std::string levels_name = "quadric-" + std::to_string(levels) + "-levels";
      add_levels(levels_name, build, "", both);
      if (levels == 3) add_levels(levels_name, build, "-table", both_by_table);
    }
  } else {
    add_levels("removal-100", removal, "-single", singly);
    add_levels("removal-100", removal, "-single-single", both);
    add_levels("removal-100", removal, "-double-double-table", doubly_by_table);
    if (selection == Selection::full) {
      for (const std::size_t fewest : {std::size_t{400}, std::size_t{50}, std::size_t{20}}) {
        methods::HullLevelOptions build = removal;
        build.min_triangles = fewest;
        add_levels("removal-" + std::to_string(fewest), build, "-double-double", doubly);
      }
    }
    for (const char* const rate : {"0.5", "0.25", "0.125", "0.0625", "0.03125"}) {
      const double decimation = std::stod(rate);
      if (selection == Selection::quick && (decimation == 0.5 || decimation == 0.0625)) continue;
      const methods::HullLevelOptions build = {.decimation = decimation, .make_table = true};
      const std::string levels_name = std::string("quadric-") + rate;
      add_levels(levels_name, build, "", both);
      if (decimation == 0.03125) add_levels(levels_name, build, "-table", both_by_table);
    }
  }
  if (is_supported(ask == Ask::touch ? Question::touches : Question::distance, ShapeKind::convex_hull,
                   ShapeKind::convex_hull)) {
    list.push_back(by_library(series::gjk, ask, a, b, true));
    list.push_back(by_library(series::gjk_cold, ask, a, b, false));
  }
  return list;
}

}  // namespace whisker::bench
