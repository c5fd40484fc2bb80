// One polyhedron orbits the other on an ellipse and rotates: the experiment of Mirtich (1998) and of the paper.
//
// The source specifies neither the ellipse nor the rotation. Here the ellipse has semi-axes R and 1.5 R around the
// center of the static polyhedron, so the two are closest twice per orbit, at center distance R. The moving polyhedron
// rotates about a fixed axis by 0.618 of the orbit's angle, so that orbits of few, large steps do not repeat their
// poses.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

#include <Eigen/Geometry>

#include <whisker/make/make.hpp>

#include "swift.hpp"

namespace whisker::bench {
namespace {

ConvexHull ellipsoid(const Vector3& axes, int points, std::uint64_t seed) {
  return ConvexHull(
      make::random_hull({.points = points, .radius_x = axes[0], .radius_y = axes[1], .radius_z = axes[2], .seed = seed})
          .vertices);
}

std::vector<Pose> orbit(double radius, double degrees, std::size_t count) {
  std::vector<Pose> poses;
  const Vector3 axis = Vector3(0.36, 0.48, 0.8);
  for (std::size_t i = 0; i < count; ++i) {
    const double angle = static_cast<double>(i) * degrees * std::numbers::pi / 180;
    const Eigen::AngleAxisd spin(0.618 * angle, axis);
    poses.emplace_back(Eigen::Quaterniond(spin).normalized().toRotationMatrix(),
                       Vector3(radius * std::cos(angle), 1.5 * radius * std::sin(angle), 0));
  }
  return poses;
}

// Compares every result with that of the first contender, usually marching.
void compare(Suite& suite, Ask ask, const std::string& where, const std::vector<std::vector<OrbitAnswer>>& answers,
             const std::vector<Contender>& list) {
  for (std::size_t c = 1; c < list.size(); ++c) {
    for (std::size_t i = 0; i < answers[c].size(); ++i) {
      const OrbitAnswer &x = answers[0][i], &y = answers[c][i];
      const bool settled = ask != Ask::approximate;  // approximate bounds may not decide whether they are apart
      if ((settled && x.apart != y.apart) || x.lower > y.upper || y.lower > x.upper) {
        suite.fail(where + ", pose " + std::to_string(i) + ": " + list[c].name + " disagrees with " + list[0].name);
        break;
      }
    }
  }
}

double mean(const std::vector<OrbitAnswer>& answers, std::uint64_t OrbitAnswer::*count) {
  double sum = 0;
  for (const OrbitAnswer& answer : answers)
    sum += static_cast<double>(answer.*count);
  return sum / static_cast<double>(answers.size());
}

// Prints one table: contenders by motion per query.
void run_orbit(Suite& suite, Ask ask, const std::string& model, int radius, OrbitHulls& hulls, Selection selection,
               const std::vector<double>& steps) {
  const bool wanted = std::any_of(steps.begin(), steps.end(),
                                  [&](double degrees) { return suite.wants(orbit_case(ask, model, radius, degrees)); });
  if (!wanted) return;
  const std::vector<Contender> list = contenders(ask, hulls, selection);
  std::vector<std::vector<double>> microseconds(list.size()), feature_steps(list.size()), tests(list.size());
  std::size_t asked = 0, apart = 0;
  for (const double degrees : steps) {
    const std::string case_name = orbit_case(ask, model, radius, degrees);
    if (!suite.wants(case_name)) continue;
    const auto count = static_cast<std::size_t>(std::clamp(360 / degrees, 180.0, suite.quick() ? 360.0 : 3600.0));
    const std::vector<Pose> poses = orbit(radius, degrees, count);
    std::vector<std::vector<OrbitAnswer>> answers(list.size());
    std::vector<System> systems;
    for (std::size_t c = 0; c < list.size(); ++c) {
      answers[c].resize(count);
      systems.push_back({list[c].name,
                         [&, c] {
                           list[c].forget();
                           for (std::size_t i = 0; i < count; ++i)
                             answers[c][i] = list[c].answer(poses[i]);
                         },
                         [&, c] {
                           return static_cast<std::size_t>(std::count_if(
                               answers[c].begin(), answers[c].end(), [](const OrbitAnswer& x) { return !x.apart; }));
                         }});
    }
    suite.measure({.name = case_name,
                   .calls = count,
                   .seconds = selection == Selection::large ? 12.0
                              : suite.quick()               ? 0.6
                                                            : 4.0,
                   .quiet = true},
                  systems);
    compare(suite, ask, case_name, answers, list);
    asked += count;
    apart += static_cast<std::size_t>(
        std::count_if(answers[0].begin(), answers[0].end(), [](const OrbitAnswer& x) { return x.apart; }));
    for (std::size_t c = 0; c < list.size(); ++c) {
      microseconds[c].push_back(suite.nanoseconds(case_name, list[c].name) / 1000);
      feature_steps[c].push_back(mean(answers[c], &OrbitAnswer::steps));
      tests[c].push_back(mean(answers[c], &OrbitAnswer::plane_tests));
      // The counts are in the table. The file keeps those of a small and a large motion.
      const bool counts = list[c].name != series::gjk && list[c].name != series::gjk_cold;
      if (!counts || ask != Ask::distance || (degrees != 1 && degrees != 45)) continue;
      suite.record("steps/" + case_name, list[c].name, "steps", feature_steps[c].back());
      suite.record("plane-tests/" + case_name, list[c].name, "plane tests", tests[c].back());
    }
  }
  std::printf(
      "\n%s, %s, closest at %dr: microseconds a query (steps, plane tests), by degrees a query; apart %.1f %%\n",
      name(ask), model.c_str(), radius, 100 * static_cast<double>(apart) / static_cast<double>(asked));
  std::printf("  %-40s", "");
  for (const double degrees : steps)
    if (suite.wants(orbit_case(ask, model, radius, degrees))) std::printf(" %18g", degrees);
  std::printf("\n");
  for (std::size_t c = 0; c < list.size(); ++c) {
    std::printf("  %-40s", list[c].name.c_str());
    for (std::size_t i = 0; i < microseconds[c].size(); ++i)
      std::printf(" %6.2f (%4.1f,%4.0f)", microseconds[c][i], feature_steps[c][i], tests[c][i]);
    std::printf("\n");
  }
  std::fflush(stdout);
}

}  // namespace

std::vector<double> orbit_steps(bool quick) {
  if (quick) return {0.1, 1, 10, 45, 90};
  return {0.1, 1, 3, 10, 20, 45, 90};
}

std::string orbit_case(Ask ask, const std::string& model, int radius, double degrees) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", degrees);
  return std::string(name(ask)) + "/" + model + "/" + std::to_string(radius) + "r/" + text;
}

void bench_orbits(Suite& suite) {
  constexpr int points = 1002;  // 2,000 triangles
  for (const OrbitModel& model : orbit_models) {
    OrbitHulls hulls(ellipsoid(model.axes, points, 1), ellipsoid(model.axes, points, 2));
    for (const int radius : {2, 3}) {
      for (const Ask ask : {Ask::touch, Ask::approximate, Ask::distance}) {
        const bool fewer = ask == Ask::approximate && !suite.quick();
        run_orbit(suite, ask, model.name, radius, hulls, suite.quick() ? Selection::quick : Selection::full,
                  fewer ? std::vector<double>{1, 10, 45} : orbit_steps(suite.quick()));
      }
    }
  }
}

void bench_large_orbits(Suite& suite) {
  struct Size {
    const char* name;
    int points;
  };
  for (const auto& [size_name, points] : {Size{"10k", 5002}, Size{"100k", 50002}}) {
    for (const OrbitModel& model : orbit_models) {
      const std::string full_name = std::string(model.name) + "-" + size_name;
      bool wanted = false;
      for (const Ask ask : {Ask::touch, Ask::distance}) {
        for (const double degrees : {1.0, 10.0, 45.0})
          wanted = wanted || suite.wants(orbit_case(ask, full_name, 2, degrees));
      }
      if (!wanted) continue;
      OrbitHulls hulls(ellipsoid(model.axes, points, 1), ellipsoid(model.axes, points, 2));
      for (const Ask ask : {Ask::touch, Ask::distance})
        run_orbit(suite, ask, full_name, 2, hulls, points > 10000 ? Selection::huge : Selection::large, {1, 10, 45});
    }
  }
}

void bench_level_builds(Suite& suite) {
  if (!suite.wants("build-levels")) return;
  std::printf("\nLevels around 2,000 triangles: triangles / deviation in radii\n");
  for (const OrbitModel& model : orbit_models) {
    const ConvexHull hull = ellipsoid(model.axes, 1002, 1);
    struct Kind {
      const char* name;
      methods::HullLevelOptions options;
    };
    for (const auto& [kind_name, options] :
         {Kind{"removal-100", {.builder = methods::LevelBuilder::vertex_removal, .min_triangles = 100}},
          Kind{"quadric-0.25", {.decimation = 0.25}}, Kind{"quadric-0.03125", {.decimation = 0.03125}}}) {
      const double begin = thread_seconds();
      const methods::HullLevels levels(hull, options);
      const double milliseconds = 1000 * (thread_seconds() - begin);
      suite.record(std::string("build-levels/") + model.name, std::string("whisker/") + kind_name, "ms", milliseconds,
                   levels.count());
      std::printf("  %-6s %-16s %7.1f ms  %2zu levels:", model.name, kind_name, milliseconds, levels.count());
      for (std::size_t i = 1; i < levels.count(); ++i)
        std::printf(" %zu/%.3f", levels.level(i).hull().face_count(), levels.deviation(i));
      std::printf("\n");
    }
  }
}

}  // namespace whisker::bench
