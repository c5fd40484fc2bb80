// Comparisons made in the literature: supports by size, boxes by axes, GJK and linear programming, times of contact.
// The baselines are those of the tests (tests/support/baselines/): plain double arithmetic, as published.

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include <whisker/geometry/obb.hpp>
#include <whisker/geometry/separating_axis.hpp>
#include <whisker/make/make.hpp>

#include "convex.hpp"
#include "near_poses.hpp"
#include "shapes/hull_support.hpp"
#include "shapes/internals.hpp"
#include "support/baselines/contact_time.hpp"
#include "support/baselines/gjk.hpp"
#include "support/baselines/hull_supports.hpp"
#include "support/baselines/linear_program.hpp"

namespace whisker::bench {
namespace {

std::string decimal(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

/// A system with one result per query and the pass that computes them. Every nonzero result counts as yes.
template <class Answer, class Ask>
System system_of(const std::string& name, std::vector<Answer>& answers, std::size_t count, Ask ask) {
  answers.assign(count, {});
  return {name,
          [&answers, ask] {
            for (std::size_t i = 0; i < answers.size(); ++i)
              answers[i] = ask(i);
          },
          [&answers] {
            return static_cast<std::size_t>(
                std::count_if(answers.begin(), answers.end(), [](const Answer& a) { return a != Answer{}; }));
          }};
}

// Supports.

void bench_support(Suite& suite, int points) {
  const std::string size = std::to_string(points);
  if (!suite.wants("support/" + size) && !suite.wants("coherent-support/" + size)) return;
  const Hulls hulls = ellipsoid_hulls(1, points, 5);
  const ConvexHull& hull = hulls.hulls[0];
  const std::vector<Vector3> vertices(hull.vertices().begin(), hull.vertices().end());
  const baselines::ScannedPoints scan{vertices};
  const baselines::ClimbingSupport climb(hull), jumps = baselines::with_artificial_neighbors(hull);
  const baselines::DobkinKirkpatrickSupport levels(hull);
  const HullSupport& table = support_table_of(hull);

  std::mt19937_64 random(6);
  for (const bool coherent : {false, true}) {
    const std::string name = (coherent ? "coherent-support/" : "support/") + size;
    if (!suite.wants(name)) continue;
    std::vector<Vector3> directions;
    Vector3 d = random_direction(random);
    for (int i = 0; i < 2000; ++i) {
      // Random, or rotated by about three degrees each time.
      d = coherent ? (d + 0.05 * random_direction(random)).normalized() : random_direction(random);
      directions.push_back(d);
    }
    std::vector<std::uint32_t> by_table, by_scan, by_climb, by_jumps, by_levels;
    const std::size_t count = directions.size();
    suite.measure(
        {.name = name, .calls = count, .hit_rate = false, .seconds = suite.quick() ? 0.6 : 3.0},
        {system_of("whisker", by_table, count, [&](std::size_t i) { return hull_support(table, directions[i]); }),
         system_of("scan", by_scan, count, [&](std::size_t i) { return scan.farthest(directions[i]); }),
         system_of("climb", by_climb, count, [&](std::size_t i) { return climb.farthest(directions[i]); }),
         system_of("artificial neighbors", by_jumps, count,
                   [&](std::size_t i) { return jumps.farthest(directions[i]); }),
         system_of("Dobkin-Kirkpatrick", by_levels, count,
                   [&](std::size_t i) { return levels.farthest(directions[i]); })});
    const auto compare = [&](const char* system, const std::vector<std::uint32_t>& found) {
      std::size_t shorter = 0;
      for (std::size_t i = 0; i < count; ++i)
        shorter += directions[i].dot(vertices[found[i]]) < directions[i].dot(vertices[by_scan[i]]) - 1e-14 ? 1u : 0u;
      if (shorter > 0) suite.fail(std::to_string(shorter) + " supports by " + system + " are not the farthest");
    };
    compare("whisker", by_table);
    compare("climbing", by_climb);
    compare("artificial neighbors", by_jumps);
    compare("Dobkin-Kirkpatrick", by_levels);
    if (!coherent) suite.note("the hierarchy has " + std::to_string(levels.levels()) + " levels");
  }
}

// Boxes.

struct BoxBody {
  Obb box;

  std::uint32_t farthest(const Vector3& direction) const {
    const Vector3 local = box.axes.transpose() * direction;
    return (local[0] > 0 ? 1u : 0u) | (local[1] > 0 ? 2u : 0u) | (local[2] > 0 ? 4u : 0u);
  }
  Vector3 point(std::uint32_t name) const {
    const Vector3 local(name & 1u ? box.half[0] : -box.half[0], name & 2u ? box.half[1] : -box.half[1],
                        name & 4u ? box.half[2] : -box.half[2]);
    return box.center + box.axes * local;
  }
};

/// Tests the 15 axes of Gottschalk, Lin and Manocha (1996) in plain double, in a's frame, until one separates the
/// boxes.
bool part_along_an_axis(const Obb& a, const Obb& b) {
  const Matrix3 r = a.axes.transpose() * b.axes;
  const Matrix3 abs_r = r.cwiseAbs();
  const Vector3 t = a.axes.transpose() * (b.center - a.center);
  for (int i = 0; i < 3; ++i)
    if (std::abs(t[i]) > a.half[i] + abs_r.row(i).dot(b.half)) return true;
  for (int j = 0; j < 3; ++j)
    if (std::abs(r.col(j).dot(t)) > b.half[j] + abs_r.col(j).dot(a.half)) return true;
  for (int i = 0; i < 3; ++i) {
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
    for (int j = 0; j < 3; ++j) {
      const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      const double reach =
          a.half[i1] * abs_r(i2, j) + a.half[i2] * abs_r(i1, j) + b.half[j1] * abs_r(i, j2) + b.half[j2] * abs_r(i, j1);
      if (std::abs(t[i2] * r(i1, j) - t[i1] * r(i2, j)) > reach) return true;
    }
  }
  return false;
}

void bench_box_pairs(Suite& suite) {
  const std::string name = "boxes/box-box";
  if (!suite.wants(name)) return;
  heading("baselines: one pair of oriented boxes by axes, GJK and linear programming");
  suite.note(
      "Gottschalk, Lin and Manocha 1996 (HP 735/125), a pair: 15 axes 5 to 7 us, closest features 45 to 105 us,");
  suite.note("linear programming (Seidel) 180 to 230 us");
  const std::size_t count = suite.quick() ? 2'000 : 20'000;
  std::mt19937_64 random(7);
  const auto random_box = [&] {
    Obb box;
    box.axes = random_rotation(random);
    for (int i = 0; i < 3; ++i)
      box.half[i] = uniform(random, 0.2, 1);
    box.center = Vector3(uniform(random, -1.3, 1.3), uniform(random, -1.3, 1.3), uniform(random, -1.3, 1.3));
    return box;
  };
  std::vector<BoxBody> a, b;
  std::vector<std::array<baselines::Point<double>, 8>> corners_a(count), corners_b(count);
  for (std::size_t i = 0; i < count; ++i) {
    a.push_back({random_box()});
    b.push_back({random_box()});
    for (std::uint32_t corner = 0; corner < 8; ++corner) {
      const Vector3 of_a = a[i].point(corner), of_b = b[i].point(corner);
      corners_a[i][corner] = {of_a[0], of_a[1], of_a[2]};
      corners_b[i][corner] = {of_b[0], of_b[1], of_b[2]};
    }
  }
  baselines::PlaneFinder<double> finder;
  std::vector<std::uint8_t> by_axes, by_plain, by_gjk, by_plane;
  suite.measure(
      {.name = name, .calls = count, .seconds = suite.quick() ? 1.0 : 6.0},
      {system_of("whisker", by_axes, count,
                 [&](std::size_t i) -> std::uint8_t { return overlaps(a[i].box, b[i].box) ? 1 : 0; }),
       system_of("15 axes in double", by_plain, count,
                 [&](std::size_t i) -> std::uint8_t { return part_along_an_axis(a[i].box, b[i].box) ? 0 : 1; }),
       system_of("GJK", by_gjk, count,
                 [&](std::size_t i) -> std::uint8_t {
                   return baselines::gjk(a[i], b[i], {.touch_only = true}).touching ? 1 : 0;
                 }),
       system_of("linear programming", by_plane, count, [&](std::size_t i) -> std::uint8_t {
         return finder.find(corners_a[i], corners_b[i]).gap <= 0 ? 1 : 0;
       })});
  std::size_t differ = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (by_axes[i] == by_plain[i] && by_axes[i] == by_gjk[i] && by_axes[i] == by_plane[i]) continue;
    ++differ;
    if (std::abs(finder.find(corners_a[i], corners_b[i]).gap) > 1e-10) suite.fail("boxes " + std::to_string(i));
  }
  suite.note("whisker's is the 15 axes with rounding accounted for; answers that are not all alike: " +
             std::to_string(differ));
}

// Times of contact.

void bench_contact_time(Suite& suite, int points) {
  const std::string name = "contact-time/" + std::to_string(points);
  if (!suite.wants(name)) return;
  const Hulls hulls = ellipsoid_hulls(2, points, 8);
  const std::size_t count = suite.quick() ? 50 : 300;
  struct Flight {
    Pose pose_a, pose_b;
    std::vector<Vector3> a, b;
    Vector3 by;
  };
  std::mt19937_64 random(9);
  std::vector<Flight> flights;
  while (flights.size() < count) {
    Flight f;
    f.pose_a = {random_rotation(random), Vector3::Zero()};
    f.pose_b = {random_rotation(random), uniform(random, 2, 4) * random_direction(random)};
    f.by = 1.5 * f.pose_b.translation() + uniform(random, 0, 1.5) * random_direction(random);
    for (const Vector3& v : hulls.hulls[0].vertices())
      f.a.push_back(place(f.pose_a, v));
    for (const Vector3& v : hulls.hulls[1].vertices())
      f.b.push_back(place(f.pose_b, v));
    flights.push_back(std::move(f));
  }
  using Found = std::optional<baselines::ContactTime>;
  struct Times {
    std::vector<double> times;
    double queries = 0, iterations = 0;
  };
  // No contact is represented by 0, so that yes answers are contacts.
  const auto ask = [&](const std::string& system, Times& kept, auto&& method) {
    return system_of(system, kept.times, count, [&, method](std::size_t i) {
      const Flight& f = flights[i];
      const Found found = method(f, baselines::ScannedPoints{f.a}, baselines::ScannedPoints{f.b});
      if (found) {
        kept.queries += found->queries;
        kept.iterations += found->iterations;
      }
      return found ? found->time : 0.0;
    });
  };
  constexpr double gap = 1e-10;
  Times cold, warm, brent, axes;
  std::vector<System> systems = {ask("halving", cold,
                                     [](const Flight& f, const auto& a, const auto& b) {
                                       return baselines::contact_time_by_halving(a, b, f.by, false);
                                     }),
                                 ask("halving warm", warm,
                                     [](const Flight& f, const auto& a, const auto& b) {
                                       return baselines::contact_time_by_halving(a, b, f.by, true);
                                     }),
                                 ask("Brent", brent, [](const Flight& f, const auto& a, const auto& b) {
                                   return baselines::contact_time_by_brent(a, b, f.by, gap);
                                 })};
  if (points <= 32) {  // tests every pair of edges at every vertex: infeasible for more
    systems.push_back(ask("axes", axes, [&hulls](const Flight& f, const auto&, const auto&) {
      return baselines::contact_time_by_axes(hulls.hulls[0].polyhedron(), f.pose_a, hulls.hulls[1].polyhedron(),
                                             f.pose_b, f.by);
    }));
  }
  suite.measure({.name = name, .calls = count, .seconds = suite.quick() ? 1.0 : 4.0}, systems);
  std::size_t differ = 0;
  double worst = 0;
  for (std::size_t i = 0; i < count; ++i) {
    // Brent's time is early by the time it takes to close the gap.
    const double between = std::max({std::abs(cold.times[i] - warm.times[i]), std::abs(cold.times[i] - brent.times[i]),
                                     axes.times.empty() ? 0.0 : std::abs(cold.times[i] - axes.times[i])});
    worst = std::max(worst, between);
    differ += between > 1e-6 ? 1u : 0u;
  }
  const auto per_query = [](const Times& kept) { return kept.queries > 0 ? kept.iterations / kept.queries : 0; };
  suite.note("iterations of GJK a query: halving " + decimal(per_query(cold)) + ", warm " + decimal(per_query(warm)) +
             ", Brent (warm) " + decimal(per_query(brent)));
  char text[120];
  std::snprintf(text, sizeof text, "%zu times differ by more than 1e-6, the most by %.2g", differ, worst);
  suite.note(text);
}

}  // namespace

void bench_baselines(Suite& suite) {
  const std::vector<int> sizes =
      suite.quick() ? std::vector<int>{32, 256, 2048, 16384} : std::vector<int>{32, 256, 2048, 16384, 100'000};
  const auto wants_any = [&](const std::string& prefix, const std::vector<int>& counts) {
    return std::any_of(counts.begin(), counts.end(), [&](int n) { return suite.wants(prefix + std::to_string(n)); });
  };
  if (wants_any("support/", sizes) || wants_any("coherent-support/", sizes))
    heading("baselines: the vertex farthest along a direction, by the number of vertices");
  for (const int points : sizes)
    bench_support(suite, points);
  bench_box_pairs(suite);
  const std::vector<int> flying = {8, 32, 256};
  if (wants_any("contact-time/", flying))
    heading("baselines: when two translating hulls first touch, supports by scan, to 2^-40 of the motion");
  for (const int points : flying)
    bench_contact_time(suite, points);
}

}  // namespace whisker::bench
