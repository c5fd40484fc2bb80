// The report of how well spheres fit a solid: against closed forms, and that its error estimates are honest.

#include <algorithm>
#include <cmath>
#include <limits>
#include <tbb/global_control.h>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/editing/mesh_report.hpp>
#include <whisker/error.hpp>
#include <whisker/make/make.hpp>
#include <whisker/mesh.hpp>
#include <whisker/spheres/sphere_tree.hpp>

#include "spheres/sphere_methods.hpp"
#include "support/cases.hpp"

namespace whisker {
namespace {

using test::cases;
using test::seeded;
using test::uniform;

constexpr double pi = 3.14159265358979323846;

double ball_volume(double radius) {
  return 4 * pi / 3 * radius * radius * radius;
}

/// Expects that the truth is within a few standard deviations, and that the error is at most `part` of the truth.
void expect_estimate(const Estimate& estimate, double truth, double part) {
  EXPECT_NEAR(estimate.value, truth, 4.5 * estimate.error + 1e-12 * truth);
  EXPECT_LE(estimate.error, part * truth);
}

const Mesh& cube() {
  static const Mesh mesh(make::box());
  return mesh;
}

TEST(LevelReport, OneBallAroundACube) {
  const BoundingSphere ball{Vector3::Zero(), 0.9};
  const LevelReport report = report_spheres({&ball, 1}, cube());
  EXPECT_EQ(report.spheres, 1u);
  expect_estimate(report.wasted_volume, ball_volume(0.9) - 1, 0.01);
  EXPECT_LE(report.uncovered_volume.value, 1e-12);
  EXPECT_EQ(report.uncovered_area, Interval(0));
  EXPECT_NEAR(report.worst.lower, 0.4, 1e-12);
  EXPECT_NEAR(report.worst.upper, 0.4, 1e-12);
  EXPECT_LE(report.variance.lower, 0);
  EXPECT_LE(report.variance.upper, 1e-20);
}

TEST(LevelReport, TwoBallsApartOneInTheSolidAndOneOutside) {
  const BoundingSphere balls[] = {{{0.1, 0, 0}, 0.3}, {{3, 0.2, 0.1}, 0.5}};
  const LevelReport report = report_spheres(balls, cube(), {.rays = 16'384});
  expect_estimate(report.wasted_volume, ball_volume(0.5), 0.02);
  expect_estimate(report.uncovered_volume, 1 - ball_volume(0.3), 0.02);
  EXPECT_LE(report.uncovered_area.lower, 6);
  EXPECT_GE(report.uncovered_area.upper, 6);
  EXPECT_LE(width(report.uncovered_area), 1e-9);
  // The first ball does not stick out. The second reaches 3.5 - 0.5 from the cube, or a little less because of
  // sampling.
  EXPECT_NEAR(report.worst.lower, 3, 0.02);
  EXPECT_GE(report.mean.lower, 1.49);
}

TEST(LevelReport, BallsThatOverlapAreCountedOnce) {
  // Two balls of radius 1 whose centers are 1 apart share a lens of volume 5/12 pi.
  const BoundingSphere balls[] = {{{-0.5, 0, 0}, 1}, {{0.5, 0, 0}, 1}, {{0.5, 0, 0}, 1}};
  const LevelReport report = report_spheres(balls, cube(), {.rays = 16'384});
  expect_estimate(report.wasted_volume, 2 * ball_volume(1) - 5 * pi / 12 - 1, 0.01);
}

TEST(LevelReport, ABallInARoundSolidLeavesAShell) {
  const MeshData data = make::icosphere({.subdivisions = 3});
  const BoundingSphere ball{{0.1, -0.05, 0.2}, 0.6};
  const LevelReport report = report_spheres({&ball, 1}, Mesh(data));
  const MeshReport solid = inspect_mesh(data);
  expect_estimate(report.uncovered_volume, solid.volume - ball_volume(0.6), 0.01);
  EXPECT_LE(report.wasted_volume.value, 1e-12);
  EXPECT_EQ(report.worst, Interval(0));
  EXPECT_NEAR(report.uncovered_area.lower, solid.area, 1e-9);
  EXPECT_NEAR(report.uncovered_area.upper, solid.area, 1e-9);
}

TEST(LevelReport, TheUncoveredAreaOfAFaceIsThatOutsideOfADisc) {
  // The ball cuts a disc of radius 0.3 out of one face and does not reach the others.
  const BoundingSphere ball{{0, 0, 0.5}, 0.3};
  const double truth = 6 - pi * 0.3 * 0.3;
  double last = std::numeric_limits<double>::infinity();
  for (const int pieces : {0, 1000, 10'000, 100'000}) {
    const Interval area = report_spheres({&ball, 1}, cube(), {.rays = 0, .pieces = pieces}).uncovered_area;
    EXPECT_LE(area.lower, truth) << pieces;
    EXPECT_GE(area.upper, truth) << pieces;
    EXPECT_LT(width(area), last) << pieces;
    last = width(area);
  }
  EXPECT_LT(last, 0.01);
}

TEST(LevelReport, WithoutSpheresAllIsUncovered) {
  const LevelReport report = report_spheres({}, cube());
  EXPECT_EQ(report.spheres, 0u);
  EXPECT_NEAR(report.uncovered_volume.value, 1, 1e-9);
  EXPECT_NEAR(report.uncovered_area.lower, 6, 1e-9);
  EXPECT_NEAR(report.uncovered_area.upper, 6, 1e-9);
  EXPECT_EQ(report.wasted_volume.value, 0);
  EXPECT_EQ(report.worst, Interval(0));
}

TEST(LevelReport, PartsOfASolidThatOverlapAreOneSolid) {
  // A cube in a cube: the surface winds twice around the common part.
  MeshData data = make::box();
  const MeshData inner = make::box({.size_x = 0.5, .size_y = 0.5, .size_z = 0.5});
  for (const Index3& t : inner.triangles)
    data.triangles.push_back({t[0] + 8, t[1] + 8, t[2] + 8});
  data.vertices.insert(data.vertices.end(), inner.vertices.begin(), inner.vertices.end());
  EXPECT_NEAR(report_spheres({}, Mesh(data)).uncovered_volume.value, 1, 1e-9);
}

TEST(LevelReport, VolumesAreMostlyWithinTwiceTheirErrors) {
  const BoundingSphere balls[] = {{{0.3, 0.2, -0.1}, 0.5}, {{-0.5, 0.1, 0}, 0.2}};
  // From very many rays.
  const LevelReport truth = report_spheres(balls, cube(), {.rays = 1'000'000, .pieces = 0});
  std::size_t wasted = 0, uncovered = 0;
  const std::size_t count = cases(200);
  double squares = 0;
  for (std::size_t seed = 2; seed < 2 + count; ++seed) {
    const LevelReport report =
        report_spheres(balls, cube(), {.samples_per_sphere = 6, .rays = 2048, .pieces = 0, .seed = seed});
    const auto off = [](const Estimate& a, const Estimate& b) { return std::abs(a.value - b.value) / a.error; };
    wasted += off(report.wasted_volume, truth.wasted_volume) <= 2;
    uncovered += off(report.uncovered_volume, truth.uncovered_volume) <= 2;
    squares += std::pow(off(report.wasted_volume, truth.wasted_volume), 2);
  }
  const auto n = static_cast<double>(count);
  // With a thousand seeds, 94 out of 100 are; minus three standard deviations of such a count.
  const double least = 0.94 * n - 3 * std::sqrt(n * 0.94 * 0.06);
  EXPECT_GE(static_cast<double>(wasted), least);
  EXPECT_GE(static_cast<double>(uncovered), least);
  // The errors are not overestimated much either.
  EXPECT_GE(squares / n, 1 - 6 / std::sqrt(n));
}

TEST(LevelReport, VarianceOfSpheresWhoseFitIsKnown) {
  // Around the cube's center, a ball of radius r sticks out by r - 1/2 on the axes.
  std::vector<BoundingSphere> balls;
  double sum = 0, squares = 0;
  for (const double out : {0.0, 0.1, 0.25, 0.7}) {
    balls.push_back({Vector3::Zero(), 0.5 + out});
    sum += out;
    squares += out * out;
  }
  const LevelReport report = report_spheres(balls, cube());
  const double truth = squares / 4 - sum / 4 * sum / 4;
  EXPECT_NEAR(report.variance.lower, truth, 1e-10);
  EXPECT_NEAR(report.variance.upper, truth, 1e-10);
}

TEST(LevelReport, TheBoundsOfTheVarianceHoldWhateverTheTruthWithinTheOthers) {
  // Balls near concave parts of the solid: the sampled and the proven bounds differ, and any choice in between is
  // allowed.
  const Mesh mesh(make::s_shape({.along = 8, .across = 10}));
  const SphereTree tree = build_sphere_tree(mesh, {.method = SphereTreeMethod::octree, .depth = 2});
  const std::vector<BoundingSphere> balls = tree.spheres(2);
  std::vector<Interval> single;
  for (const BoundingSphere& ball : balls)
    single.push_back(report_spheres({&ball, 1}, mesh, {.rays = 0, .pieces = 0}).worst);
  const LevelReport report = report_spheres(balls, mesh, {.rays = 0, .pieces = 0});
  auto random = seeded(9301);
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (std::size_t n = 0; n < cases(500); ++n) {
    const double bias = uniform(random, 0, 1);
    double sum = 0, squares = 0;
    for (const Interval& x : single) {
      const double end = uniform(random, 0, 1) < bias ? x.lower : x.upper;
      const double number = n % 2 == 0 ? end : x.lower + bias * (x.upper - x.lower);
      sum += number;
      squares += number * number;
    }
    const auto count = static_cast<double>(single.size());
    const double variance = squares / count - sum / count * sum / count;
    least = std::min(least, variance);
    most = std::max(most, variance);
  }
  EXPECT_LE(report.variance.lower, least + 1e-12);
  EXPECT_GE(report.variance.upper, most - 1e-12);
  EXPECT_GT(report.variance.upper, 0);
}

TEST(LevelReport, TreesThatCoverLeaveNoAreaAndWasteWhatTheirSpheresAreTooLarge) {
  const MeshData data = make::s_shape({.along = 8, .across = 10});
  const Mesh mesh(data);
  using Method = test::SphereMethod;
  for (const Method& method : {Method::octree, Method::solid_octree, Method::grid, Method::merge}) {
    const SphereTree tree = build_sphere_tree(
        mesh, {.method = method.method, .builder = method.builder, .depth = 2, .samples = 120, .pieces = 400});
    const bool is_octree = method == Method::octree || method == Method::solid_octree;
    double wasted = std::numeric_limits<double>::infinity();
    for (int level = 0; level <= tree.depth(); ++level) {
      SCOPED_TRACE(method.name + ", level " + std::to_string(level));
      const LevelReport report = report_level(tree, level, mesh);
      EXPECT_EQ(report.uncovered_area, Interval(0));
      const bool is_full = method == Method::solid_octree || level == 0;
      EXPECT_LE(report.uncovered_volume.value, is_full ? 1e-9 : inspect_mesh(data).volume);
      // The spheres around a few large cubes are larger than the one around the solid.
      if (is_octree && level == 0) continue;
      EXPECT_LT(report.wasted_volume.value, wasted);
      wasted = report.wasted_volume.value;
    }
  }
}

TEST(LevelReport, TheUnitOfLengthDoesNotMatter) {
  const BoundingSphere balls[] = {{{0.3, 0.2, -0.1}, 0.5}, {{-0.5, 0.1, 0}, 0.2}};
  const LevelReport one = report_spheres(balls, cube());
  for (const double unit : {0x1p-290, 0x1p-20, 0x1p290}) {
    MeshData data = make::box();
    for (Vector3& v : data.vertices)
      v *= unit;
    std::vector<BoundingSphere> scaled;
    for (const BoundingSphere& ball : balls)
      scaled.push_back({ball.center * unit, ball.radius * unit});
    const LevelReport report = report_spheres(scaled, Mesh(data));
    EXPECT_NEAR(report.wasted_volume.value / unit / unit / unit, one.wasted_volume.value, 1e-9);
    EXPECT_NEAR(report.wasted_volume.error / unit / unit / unit, one.wasted_volume.error, 1e-9);
    EXPECT_NEAR(report.uncovered_area.upper / unit / unit, one.uncovered_area.upper, 1e-6);
    EXPECT_NEAR(report.variance.upper / unit / unit, one.variance.upper, 1e-9);
  }
}

TEST(LevelReport, TheSameNumbersWithAnyNumberOfThreads) {
  const Mesh mesh(make::s_shape({.along = 8, .across = 10}));
  const SphereTree tree = build_sphere_tree(mesh, {.method = SphereTreeMethod::octree, .depth = 2});
  const auto numbers = [&] {
    const LevelReport r = report_level(tree, 2, mesh, {.rays = 500, .pieces = 5000});
    return std::vector<double>{r.worst.lower,
                               r.worst.upper,
                               r.mean.lower,
                               r.mean.upper,
                               r.variance.lower,
                               r.variance.upper,
                               r.wasted_volume.value,
                               r.wasted_volume.error,
                               r.uncovered_volume.value,
                               r.uncovered_volume.error,
                               r.uncovered_area.lower,
                               r.uncovered_area.upper};
  };
  const std::vector<double> many = numbers();
  const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
  EXPECT_EQ(numbers(), many);
}

TEST(LevelReport, RefusesWhatHasNoAnswer) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const BoundingSphere bad[] = {{Vector3::Zero(), 1}, {{0, nan, 0}, 1}};
  EXPECT_THROW(report_spheres(bad, cube()), Error);
  const BoundingSphere negative{Vector3::Zero(), -1};
  EXPECT_THROW(report_spheres({&negative, 1}, cube()), Error);
  const Mesh sheet(make::cloth_sheet());
  EXPECT_THROW(report_spheres({}, sheet), Error);
  const SphereTree tree = build_sphere_tree(cube(), {.method = SphereTreeMethod::octree, .depth = 1});
  EXPECT_THROW(report_level(tree, -1, cube()), Error);
}

}  // namespace
}  // namespace whisker
