// The examples at the top of the public headers in the folder methods: compiled and checked as header_examples_test.cpp
// describes.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/methods/methods.hpp>
#include <whisker/whisker.hpp>

#include "support/doc_examples.hpp"

namespace whisker::methods {
namespace {

using test::at;
using test::RunsToTheEnd;
using test::triangle_over_triangle;

// The examples are laid out as in the headers, and may show a variable that they do not use or leave out an option.
// clang-format off
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"

TEST(MethodsHeaderExamples, BroadPhasesFindTheSamePairs) {
  World world({.broad_phase = methods::sweep_and_prune()});
  World other({.broad_phase = methods::hashed_grid()});
  World classic({.broad_phase = methods::sweep_and_prune({.always_insert = true})});

  World standard;
  for (World* each : {&world, &other, &classic, &standard}) {
    for (int i = 0; i < 20; ++i) each->add(Box{{1, 1, 1}}, at(0.4 * i, 0.1 * i, 0));
    each->update();
  }
  EXPECT_GT(standard.touching().size(), 20u);
  EXPECT_TRUE(std::ranges::equal(world.touching(), standard.touching()));
  EXPECT_TRUE(std::ranges::equal(other.touching(), standard.touching()));
  EXPECT_TRUE(std::ranges::equal(classic.touching(), standard.touching()));
}

TEST(MethodsHeaderExamples, ClosestFeaturesAreTracked) {
  const ConvexHull hull_a(make::box().vertices), hull_b(make::box().vertices);
  const std::vector<Pose> path = {at(3, 0.25, 0.25), at(2, 0.25, 0.25), at(0.5, 0.25, 0.25)};
  const Pose pose_b = at(0, 0, 0);
  std::vector<double> gaps;
  const auto show = [&](const Feature& feature, const Vector3& point, double gap) {
    EXPECT_NE(feature.kind, FeatureKind::whole);
    EXPECT_NEAR(point.x(), gap + 0.5, 1e-9);
    gaps.push_back(gap);
  };

  const MarchingHull gear(hull_a), crate(hull_b);           // once
  FeatureTrack track;                                       // one per pair, kept by the caller
  for (const Pose& pose_a : path) {
    const ClosestFeatures c = closest_features(gear, pose_a, crate, pose_b, track);
    if (c.touches == Answer::no) show(c.feature_a, c.point_a, c.lower);
  }

  ASSERT_EQ(gaps.size(), 2u) << "at the end they overlap";
  EXPECT_NEAR(gaps[0], 2, 1e-9);
  EXPECT_NEAR(gaps[1], 1, 1e-9);
  EXPECT_TRUE(track.started);
}

TEST(MethodsHeaderExamples, HullLevelsKeepTheTolerance) {
  const ConvexHull hull_a(make::random_hull({.points = 500}).vertices);
  const ConvexHull hull_b(make::random_hull({.points = 300, .seed = 2}).vertices);
  const Pose pose_a = at(0, 0, 0), pose_b = at(3, 0, 0);

  const HullLevels levels_a(hull_a), levels_b(hull_b);          // once
  LevelTrack track;                                             // one per pair, kept by the caller
  bool hit = levels_touch(levels_a, pose_a, levels_b, pose_b, track);
  LevelDistance d = levels_distance(levels_a, pose_a, levels_b, pose_b, {.tolerance = 1e-3}, track);

  EXPECT_GT(levels_a.count(), 1u);
  EXPECT_FALSE(hit);
  EXPECT_LE(d.upper - d.lower, 1e-3);
  const Distance exact = whisker::distance({hull_a, pose_a}, {hull_b, pose_b});
  EXPECT_LE(d.lower, exact.upper);
  EXPECT_GE(d.upper, exact.lower);
}

/// The points of a cylinder around the z axis.
std::vector<Vector3> cylinder_points() {
  return make::cylinder({.radius = 1, .length = 4}).vertices;
}

/// The triangles of a cube around (1, 0, 0).
std::vector<Triangle> cube_triangles() {
  MeshData cube = make::box();
  for (Vector3& v : cube.vertices) v.x() += 1;
  const Mesh mesh(cube);
  std::vector<Triangle> triangles;
  for (std::size_t i = 0; i < mesh.triangle_count(); ++i) triangles.push_back(mesh.triangle(i));
  return triangles;
}

TEST(MethodsHeaderExamples, KdopsOverlapAndHaveADistance) {
  const std::vector<Vector3> points = cylinder_points();
  const std::vector<Triangle> triangles = cube_triangles();
  const Pose pose_a = at(0, 0, 0), pose_b = at(2, 0, 0);
  RunsToTheEnd example;

  Kdop<18> a = fit_kdop<18>(points), b = fit_kdop<18>(triangles);
  if (!overlaps(a, b)) return;                              // proven apart
  Interval d = distance_bounds(a, pose_a, b, pose_b);

  example.reached = true;
  EXPECT_FALSE(overlaps(a, pose_a, b, pose_b));
  EXPECT_TRUE(contains(d, 1.5)) << d.lower << ' ' << d.upper;
}

TEST(MethodsHeaderExamples, MovingVolumesTouchInTime) {
  const Aabb box_a{{-1, -1, -1}, {1, 1, 1}}, box_b = box_a;
  const Pose from = at(-4, 0, 0), to = at(4, 0, 0), pose = at(0, 0, 0);
  RunsToTheEnd example;

  const Motion swing = screw(from, to);
  if (!may_touch(box_a, swing, box_b, Still{pose}, {0.25, 0.5})) return;      // proven apart at all these times
  const Impact hit = first_touch(box_a, swing, box_b, Still{pose}, {.tolerance = 1e-6});

  example.reached = true;
  EXPECT_FALSE(may_touch(box_a, swing, box_b, Still{pose}, {0, 0.2}));
  EXPECT_EQ(hit.status, ImpactStatus::touch);
  EXPECT_LE(hit.time_upper - hit.time_lower, 1e-6);
  EXPECT_NEAR(hit.time, 0.25, 1e-5);
}

TEST(MethodsHeaderExamples, SoupsMayChangeTheirTriangles) {
  std::vector<MeshData> frames(2, make::icosphere({.radius = 1, .subdivisions = 1}));
  frames[1].triangles.erase(frames[1].triangles.begin(), frames[1].triangles.begin() + 40);  // half of it is gone
  const MeshData wall = make::box({.size_x = 3});
  std::vector<std::pair<std::uint32_t, std::uint32_t>> responses;
  const auto respond = [&](std::uint32_t shard, std::uint32_t part) { responses.emplace_back(shard, part); };

  SoupContactFinder finder;                         // reuses its memory, but none of the data in it
  for (const MeshData& shards : frames) {
    const Soup soups[] = {{shards.vertices, shards.triangles}, {wall.vertices, wall.triangles}};
    for (const MeshTrianglePair& c : finder.find(soups).pairs)
      respond(c.triangle_a, c.triangle_b);          // a triangle of shards and one of wall
  }

  std::size_t expected = 0;
  for (const MeshData& shards : frames) expected += contacts(Mesh(shards), Mesh(wall)).pairs.size();
  EXPECT_EQ(responses.size(), expected);
  EXPECT_GT(expected, 0u);
  for (const auto& [shard, part] : responses) EXPECT_LT(part, wall.triangles.size()) << shard;
}

TEST(MethodsHeaderExamples, SphereBuildersCoverTheMesh) {
  const Mesh mesh(make::icosphere({.radius = 1, .subdivisions = 3}));  // so round that one sphere is good enough

  SphereTree tree = build_sphere_tree(mesh, {.builder = methods::grid_builder(), .depth = 2});
  SphereSet set = build_sphere_set(mesh, 12, {.builder = methods::burst_builder(), .protrusion = 0.05});

  EXPECT_EQ(check_coverage(tree.spheres(2), mesh).answer, Answer::yes);
  EXPECT_LE(set.size(), 12u);
  EXPECT_LE(protrusion(set, mesh.solid()), 0.05);
}

TEST(MethodsHeaderExamples, SurfaceHierarchyFindsContactsInEveryFrame) {
  const MeshData data = triangle_over_triangle(1), other = make::icosphere({.radius = 0.5, .subdivisions = 1});
  const std::vector<std::vector<Vector3>> frames = {triangle_over_triangle(0.9).vertices,
                                                    triangle_over_triangle(-0.25).vertices};
  std::set<std::pair<std::uint32_t, std::uint32_t>> repelled, of_cloth_and_ball;
  const auto repel = [&](std::uint32_t a, std::uint32_t b) { repelled.emplace(a, b); };
  const auto push_out = [&](std::uint32_t a, std::uint32_t b) { of_cloth_and_ball.emplace(a, b); };

  SurfaceHierarchy cloth(data), ball(other);
  for (const std::vector<Vector3>& positions : frames) {
    cloth.set_vertices(positions);
    for (const TrianglePair& pair : cloth.self_contacts().pairs) repel(pair.a, pair.b);
    for (const TrianglePair& pair : triangle_contacts(cloth, ball).pairs) push_out(pair.a, pair.b);
  }

  EXPECT_EQ(repelled, (std::set<std::pair<std::uint32_t, std::uint32_t>>{{0, 1}})) << "in the second frame";
  EXPECT_FALSE(of_cloth_and_ball.empty());
  for (const auto& [a, b] : of_cloth_and_ball) EXPECT_TRUE(a < 2 && b < other.triangles.size());
}

TEST(MethodsHeaderExamples, SweptSpheresOverlapAndHaveADistance) {
  const std::vector<Vector3> points = cylinder_points();
  const std::vector<Triangle> triangles = cube_triangles();
  const Pose pose_a = at(0, 0, 0), pose_b = at(0, 0, 0);
  RunsToTheEnd example;

  RectangleSweptSphere a = fit_rectangle_sphere(points), b = fit_rectangle_sphere(triangles);
  if (!overlaps(a, pose_a, b, pose_b)) return;              // proven apart
  Interval d = distance_bounds(a, pose_a, b, pose_b);

  example.reached = true;
  EXPECT_EQ(d.lower, 0);
  EXPECT_FALSE(overlaps(a, pose_a, b, at(9, 0, 0)));
  for (const Vector3& point : points) EXPECT_TRUE(contains(a, point));
}

TEST(MethodsHeaderExamples, VolumeTreesCountTheirWork) {
  const MeshData data = make::box();
  const Pose pose_a = at(0, 0, 0), pose_b = at(1, 0, 0);
  std::vector<std::uint64_t> printed;
  const auto print = [&](std::uint64_t updates, std::uint64_t volumes, std::uint64_t primitives) {
    printed = {updates, volumes, primitives};
  };

  VolumeTree a(make::icosphere(), {.kind = VolumeKind::kdop18}), b(data, {.kind = VolumeKind::kdop18});
  Cost cost;
  bool hit = touches(a, pose_a, b, pose_b, &cost);
  print(cost.volume_updates, cost.volume_tests, cost.primitive_tests);   // N_u, N_v and N_p of the cost function

  EXPECT_TRUE(hit);
  ASSERT_EQ(printed.size(), 3u);
  for (const std::uint64_t count : printed) EXPECT_GT(count, 0u);
}

#pragma GCC diagnostic pop
// clang-format on

}  // namespace
}  // namespace whisker::methods
