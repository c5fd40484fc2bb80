// Trees of every kind of volume, by every builder, give the results of brute force and report their cost.

#include <algorithm>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include <whisker/error.hpp>
#include <whisker/geometry/closest_points.hpp>
#include <whisker/geometry/triangle_tests.hpp>
#include <whisker/make/make.hpp>
#include <whisker/mesh_tree.hpp>
#include <whisker/methods/volume_tree.hpp>

#include "support/cases.hpp"
#include "support/random_vectors.hpp"

namespace whisker {
namespace {

using namespace methods;
using namespace test;

constexpr VolumeKind kinds[] = {VolumeKind::sphere,
                                VolumeKind::aabb,
                                VolumeKind::obb,
                                VolumeKind::kdop14,
                                VolumeKind::kdop18,
                                VolumeKind::kdop26,
                                VolumeKind::segment_sphere,
                                VolumeKind::triangle_sphere,
                                VolumeKind::rectangle_sphere};

// Triangles on a wavy sheet, some of them degenerate or duplicated.
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

struct Brute {
  std::vector<TrianglePair> pairs;
  double distance = std::numeric_limits<double>::infinity();
  // Bounds of the truth.
  double lower = std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
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
      const Distance bounds = distance(Shape(of_a), Shape(of_b));
      result.lower = std::min(result.lower, touch ? 0 : bounds.lower);
      result.upper = std::min(result.upper, touch ? 0 : bounds.upper);
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
      const Pose pose_a = test::normal_pose(random, scale);
      Pose pose_b = test::normal_pose(random, (i % 3 == 0 ? 1.5 : 0.3) * scale);
      pose_b.set_translation(pose_b.translation() + pose_a.translation());
      const Brute truth = brute_force(a, pose_a, b, pose_b);
      for (const VolumeKind kind : kinds) {
        const VolumeTree tree_a(a, {.kind = kind, .tree = {}});
        const VolumeTree tree_b(b, {.kind = kind, .tree = {}});
        Cost cost;
        EXPECT_EQ(touches(tree_a, pose_a, tree_b, pose_b, &cost), !truth.pairs.empty());
        EXPECT_GT(cost.volume_tests, 0u);
        EXPECT_GT(cost.volume_updates, 0u);
        EXPECT_EQ(triangle_contacts(tree_a, pose_a, tree_b, pose_b), truth.pairs);
        const Distance found = distance(tree_a, pose_a, tree_b, pose_b);
        EXPECT_LE(found.upper, truth.distance * (1 + 1e-12) + 1e-14 * scale) << static_cast<int>(kind);
        EXPECT_GE(found.upper, truth.lower) << static_cast<int>(kind);
        EXPECT_LE(found.lower, truth.upper) << static_cast<int>(kind);
        EXPECT_GE(found.lower, truth.distance * (1 - 1e-11) - 1e-12 * scale) << static_cast<int>(kind);
        EXPECT_LT(found.cost.primitive_tests, a.triangles.size() * b.triangles.size());
        EXPECT_GT(found.cost.volume_tests, 0u);
        ASSERT_EQ(found.feature_a.kind, FeatureKind::triangle);
        ASSERT_EQ(found.feature_b.kind, FeatureKind::triangle);
        const Triangle nearest_a = placed(a, found.feature_a.id, pose_a);
        const Triangle nearest_b = placed(b, found.feature_b.id, pose_b);
        if (!truth.pairs.empty()) {
          EXPECT_EQ(found.upper, 0);
          EXPECT_TRUE(touches_triangle_triangle(nearest_a, nearest_b));
          EXPECT_EQ(found.normal, Vector3(Vector3::Zero()));
        } else {
          EXPECT_LE(closest_points(found.point_a, nearest_a).distance, 1e-13 * scale);
          EXPECT_LE(closest_points(found.point_b, nearest_b).distance, 1e-13 * scale);
          EXPECT_NEAR((found.point_b - found.point_a).stableNorm(), found.upper, 1e-13 * scale);
          EXPECT_LE((found.point_b - found.point_a - found.upper * found.normal).stableNorm(), 1e-13 * scale);
        }
      }
    }
  }
}

TEST(VolumeTree, EveryBuilderAndFitAgrees) {
  auto random = seeded(35002);
  const MeshData a = sheet(random, 7, 1);
  const Pose pose = test::normal_pose(random, 0.2);
  const Brute truth = brute_force(a, Pose(), a, pose);
  ASSERT_FALSE(truth.pairs.empty());
  for (const Split split : {Split::surface_area, Split::mean, Split::median, Split::morton, Split::bottom_up}) {
    for (const BoxFit fit : {BoxFit::vertices, BoxFit::hull_vertices, BoxFit::hull_area}) {
      const VolumeTree tree(a, {.kind = VolumeKind::obb, .tree = {.split = split}, .box_fit = fit});
      EXPECT_EQ(triangle_contacts(tree, Pose(), tree, pose), truth.pairs);
    }
    const VolumeTree spheres(a,
                             {.kind = VolumeKind::sphere, .tree = {.split = split}, .sphere_fit = SphereFit::ritter});
    EXPECT_EQ(triangle_contacts(spheres, Pose(), spheres, pose), truth.pairs);
  }
}

// Two parallel sheets a little apart: the better a volume follows the surface, the fewer tests (Gottschalk, Lin,
// Manocha 1996).
TEST(VolumeTree, ObbesNeedFewerTestsThanSpheresInParallelCloseProximity) {
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
  const auto boxes = tests(VolumeKind::obb);
  EXPECT_LT(boxes, tests(VolumeKind::sphere));
  EXPECT_LT(boxes, tests(VolumeKind::aabb));
  EXPECT_LT(tests(VolumeKind::rectangle_sphere), tests(VolumeKind::sphere));
}

TEST(VolumeTree, ReportTellsOfItsVolumes) {
  const MeshData ball = make::icosphere({.radius = 1, .subdivisions = 4});
  const auto report = [&](VolumeKind kind) { return VolumeTree(ball, {.kind = kind, .tree = {}}).report(); };
  const TreeReport boxes = report(VolumeKind::obb);
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
}

}  // namespace
}  // namespace whisker
