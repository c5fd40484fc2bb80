// Trees of every kind of volume, by every builder, give the answers of brute force, and say what it cost.

#include <algorithm>

#include <gtest/gtest.h>

#include <whisker/error.hpp>
#include <whisker/geometry/closest_points.hpp>
#include <whisker/geometry/triangle_tests.hpp>
#include <whisker/make/make.hpp>
#include <whisker/methods/volume_tree.hpp>

#include "support/cases.hpp"

namespace whisker {
namespace {

using namespace methods;
using namespace test;

constexpr VolumeKind kinds[] = {VolumeKind::sphere,         VolumeKind::axis_box,        VolumeKind::oriented_box,
                                VolumeKind::kdop14,         VolumeKind::kdop18,          VolumeKind::kdop26,
                                VolumeKind::segment_sphere, VolumeKind::triangle_sphere, VolumeKind::rectangle_sphere};

// Triangles on a wavy sheet, with some degenerate and repeated ones.
MeshData sheet(std::mt19937_64& random, std::uint32_t side, double scale) {
  MeshData data;
  for (std::uint32_t i = 0; i <= side; ++i) {
    for (std::uint32_t j = 0; j <= side; ++j) {
      const double x = static_cast<double>(i) / side - 0.5;
      const double y = static_cast<double>(j) / side - 0.5;
      data.vertices.push_back(
          scale * Vector3(x, y, 0.1 * std::sin(7 * x) + 0.05 * std::cos(9 * y) + uniform(random, -0.01, 0.01)));
    }
  }
  for (std::uint32_t i = 0; i < side; ++i) {
    for (std::uint32_t j = 0; j < side; ++j) {
      const std::uint32_t at = i * (side + 1) + j;
      data.triangles.push_back({at, at + side + 1, at + 1});
      data.triangles.push_back({at + 1, at + side + 1, at + side + 2});
    }
  }
  data.triangles.push_back({0, 0, 0});
  data.triangles.push_back({1, 2, 2});
  data.triangles.push_back(data.triangles[5]);
  return data;
}

Triangle placed(const MeshData& data, std::size_t index, const Pose& pose) {
  const Index3& t = data.triangles[index];
  return {place(pose, data.vertices[t[0]]), place(pose, data.vertices[t[1]]), place(pose, data.vertices[t[2]])};
}

Pose random_pose(std::mt19937_64& random, double reach) {
  std::normal_distribution<double> normal;
  const Eigen::Quaterniond q(normal(random), normal(random), normal(random), normal(random));
  return {q.normalized().toRotationMatrix(), reach * Vector3(normal(random), normal(random), normal(random))};
}

struct Brute {
  std::vector<TrianglePair> pairs;
  double distance = std::numeric_limits<double>::infinity();
};

Brute brute_force(const MeshData& a, const Pose& pose_a, const MeshData& b, const Pose& pose_b) {
  Brute result;
  for (std::uint32_t i = 0; i < a.triangles.size(); ++i) {
    const Triangle of_a = placed(a, i, pose_a);
    for (std::uint32_t j = 0; j < b.triangles.size(); ++j) {
      const Triangle of_b = placed(b, j, pose_b);
      const bool touch = touches_triangle_triangle(of_a, of_b);
      if (touch) result.pairs.push_back({i, j});
      result.distance = std::min(result.distance, touch ? 0 : closest_points(of_a, of_b).distance);
    }
  }
  return result;
}

TEST(VolumeTree, EveryKindAgreesWithBruteForce) {
  auto random = seeded(35001);
  for (const double scale : {1.0, 1e80, 1e-80}) {
    const MeshData a = sheet(random, 6, scale);
    const MeshData b = sheet(random, 5, scale);
    for (std::size_t i = 0; i < cases(6); ++i) {
      const Pose pose_a = random_pose(random, scale);
      Pose pose_b = random_pose(random, (i % 3 == 0 ? 1.5 : 0.3) * scale);
      pose_b.translation += pose_a.translation;
      const Brute truth = brute_force(a, pose_a, b, pose_b);
      for (const VolumeKind kind : kinds) {
        const VolumeTree tree_a(a, {.kind = kind, .tree = {}});
        const VolumeTree tree_b(b, {.kind = kind, .tree = {}});
        Cost cost;
        EXPECT_EQ(touches(tree_a, pose_a, tree_b, pose_b, &cost), !truth.pairs.empty());
        EXPECT_GT(cost.volume_tests, 0u);
        EXPECT_GT(cost.volume_updates, 0u);
        EXPECT_EQ(touching_triangles(tree_a, pose_a, tree_b, pose_b), truth.pairs);
        Cost of_distance;
        const TreeDistance found = distance(tree_a, pose_a, tree_b, pose_b, &of_distance);
        EXPECT_LE(found.distance, truth.distance * (1 + 1e-12) + 1e-14 * scale) << static_cast<int>(kind);
        EXPECT_GE(found.distance, truth.distance) << static_cast<int>(kind);
        EXPECT_LT(of_distance.primitive_tests, a.triangles.size() * b.triangles.size());
      }
    }
  }
}

TEST(VolumeTree, EveryBuilderAndFitAgrees) {
  auto random = seeded(35002);
  const MeshData a = sheet(random, 7, 1);
  const Pose pose = random_pose(random, 0.2);
  const Brute truth = brute_force(a, Pose(), a, pose);
  ASSERT_FALSE(truth.pairs.empty());
  for (const Split split : {Split::surface_area, Split::mean, Split::median, Split::morton, Split::bottom_up}) {
    for (const BoxFit fit : {BoxFit::vertices, BoxFit::hull_vertices, BoxFit::hull_area}) {
      const VolumeTree tree(a, {.kind = VolumeKind::oriented_box, .tree = {.split = split}, .box_fit = fit});
      EXPECT_EQ(touching_triangles(tree, Pose(), tree, pose), truth.pairs);
    }
    const VolumeTree spheres(a,
                             {.kind = VolumeKind::sphere, .tree = {.split = split}, .sphere_fit = SphereFit::ritter});
    EXPECT_EQ(touching_triangles(spheres, Pose(), spheres, pose), truth.pairs);
  }
}

// Two parallel sheets a little apart: the better a volume follows the surface, the fewer tests (Gottschalk, Lin,
// Manocha 1996).
TEST(VolumeTree, OrientedBoxesNeedFewerTestsThanSpheresInParallelCloseProximity) {
  const MeshData inner = make::icosphere({.radius = 1, .subdivisions = 4});
  MeshData outer = inner;
  for (Vector3& v : outer.vertices)
    v *= 1.03;
  const auto tests = [&](VolumeKind kind) {
    Cost cost;
    EXPECT_FALSE(touches(VolumeTree(inner, {.kind = kind, .tree = {}}), Pose(),
                         VolumeTree(outer, {.kind = kind, .tree = {}}), Pose(), &cost));
    return cost.volume_tests + cost.primitive_tests;
  };
  const auto boxes = tests(VolumeKind::oriented_box);
  EXPECT_LT(boxes, tests(VolumeKind::sphere));
  EXPECT_LT(boxes, tests(VolumeKind::axis_box));
  EXPECT_LT(tests(VolumeKind::rectangle_sphere), tests(VolumeKind::sphere));
}

TEST(VolumeTree, ReportTellsOfItsVolumes) {
  const MeshData ball = make::icosphere({.radius = 1, .subdivisions = 4});
  const auto report = [&](VolumeKind kind) { return VolumeTree(ball, {.kind = kind, .tree = {}}).report(); };
  const TreeReport boxes = report(VolumeKind::oriented_box);
  const TreeReport spheres = report(VolumeKind::sphere);
  EXPECT_EQ(boxes.triangles, ball.triangles.size());
  EXPECT_EQ(boxes.depth, boxes.levels.size());
  EXPECT_GT(boxes.surface_cost, 1);
  EXPECT_GT(boxes.bytes_per_triangle, 0);
  for (std::size_t level = 1; level < boxes.levels.size(); ++level) {
    EXPECT_LT(boxes.levels[level].mean_diagonal, boxes.levels[level - 1].mean_diagonal);
    EXPECT_LT(boxes.levels[level].looseness, spheres.levels[level].looseness);
  }
}

TEST(VolumeTree, BadInputIsNamed) {
  auto random = seeded(35003);
  const MeshData good = sheet(random, 2, 1);
  EXPECT_THROW(VolumeTree(MeshData{good.vertices, {}}), Error);
  EXPECT_THROW(VolumeTree(MeshData{good.vertices, {{0, 1, 99}}}), Error);
  EXPECT_THROW(VolumeTree(MeshData{{{0, 0, std::nan("")}}, {{0, 0, 0}}}), Error);
  const VolumeTree boxes(good);
  const VolumeTree spheres(good, {.kind = VolumeKind::sphere, .tree = {}});
  EXPECT_THROW(touches(boxes, Pose(), spheres, Pose()), Error);
  Pose bad;
  bad.rotation *= 2;
  EXPECT_THROW(touches(boxes, Pose(), boxes, bad), Error);
}

}  // namespace
}  // namespace whisker
