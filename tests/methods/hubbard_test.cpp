// Hubbard's sphere trees, the medial balls that they are merged from, and that they cover whole triangles here.

#include "methods/spheres/hubbard.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "spheres/closed_meshes.hpp"
#include "support/cases.hpp"

namespace whisker {
namespace {

using methods::build_hubbard;
using methods::build_hubbard_of_samples;
using methods::hubbard_axis;
using methods::hubbard_axis_for;
using methods::HubbardAxis;
using methods::PlanarClusters;
using methods::sample_evenly;
using spheres::Solid;
using test::cases;
using test::closed_meshes;
using test::ellipsoid;
using test::test_seed;

SphereTree small_tree(const Solid& solid, std::uint64_t seed) {
  return build_hubbard(solid, {.depth = 2, .samples = 120, .pieces = 400, .seed = seed});
}

struct HubbardBuilt {
  std::string name;
  Solid solid;
  SphereTree tree;
};
const std::vector<HubbardBuilt>& small_trees() {
  static const std::vector<HubbardBuilt> trees = [] {
    std::vector<HubbardBuilt> result;
    for (const test::NamedMesh& mesh : closed_meshes()) {
      const Solid solid{Mesh(mesh.data)};
      result.push_back({mesh.name, solid, small_tree(solid, test_seed())});
    }
    return result;
  }();
  return trees;
}

TEST(Hubbard, EveryLevelCoversEveryTriangle) {
  std::size_t with_levels = 0;
  for (const auto& [name, solid, tree] : small_trees()) {
    SCOPED_TRACE(name);
    for (int level = 0; level <= tree.depth(); ++level) {
      const Coverage coverage = check_coverage(tree.spheres(level), solid.mesh());
      EXPECT_EQ(coverage.answer, Answer::yes) << "level " << level << ", triangle " << coverage.triangle;
    }
    with_levels += tree.depth() > 0 ? 1u : 0u;
  }
  // The flat meshes have no interior and therefore no medial balls, and the ball is a single sphere.
  EXPECT_GE(with_levels, small_trees().size() - 3);
}

TEST(Hubbard, NumbersOfNodesAgreeAndProtrusionsAreThoseOfTheSpheres) {
  for (const auto& [name, solid, tree] : small_trees()) {
    SCOPED_TRACE(name);
    ASSERT_GE(tree.level_begin.size(), 2u);
    EXPECT_EQ(tree.level_begin.back(), tree.nodes.size());
    EXPECT_LE(tree.depth(), 2);
    std::vector<int> parents(tree.nodes.size(), 0);
    for (std::uint32_t n = 0; n < tree.nodes.size(); ++n) {
      const SphereTreeNode& node = tree.nodes[n];
      EXPECT_TRUE(node.child_count == 0 || (node.child_count >= 2 && node.child_count <= 8));
      EXPECT_EQ(node.protrusion, spheres::protrusion(node.sphere.radius, solid.height(node.sphere.center)));
      for (std::uint32_t i = 0; i < node.child_count; ++i) {
        ASSERT_LT(node.first_child + i, tree.nodes.size());
        EXPECT_EQ(tree.nodes[node.first_child + i].parent, n);
        ++parents[node.first_child + i];
      }
    }
    EXPECT_TRUE(std::all_of(parents.begin() + 1, parents.end(), [](int count) { return count == 1; }));
  }
}

double worst_at(const SphereTree& tree, int level) {
  double worst = 0;
  for (const std::uint32_t i : tree.cut(level))
    worst = std::max(worst, tree.nodes[i].protrusion);
  return worst;
}

TEST(Hubbard, FitsBetterThanAnOctreeAtTheThirdLevel) {
  for (const MeshData& data : {make::s_shape(), ellipsoid()}) {
    const Solid solid{Mesh(data)};
    const SphereTree tree = build_hubbard(solid, {.pieces = 5000, .good_enough = 0});
    const SphereTree octree = build_sphere_tree(Mesh(data), {.method = SphereTreeMethod::octree, .good_enough = 0});
    EXPECT_LT(2 * worst_at(tree, 3), worst_at(octree, 3));
    EXPECT_LT(worst_at(tree, 3), worst_at(tree, 1));
  }
}

TEST(Hubbard, TheTreeOfSamplesCoversTheSamplesOfItsBallsOnEveryLevel) {
  for (const MeshData& data : {make::s_shape({.along = 8, .across = 10}), ellipsoid(2), make::block()}) {
    const Solid solid{Mesh(data)};
    const SphereTreeOptions options{.depth = 3, .samples = 150, .pieces = 400, .good_enough = 0};
    const SphereTree tree = build_hubbard_of_samples(solid, options);
    const HubbardAxis axis = hubbard_axis_for(solid, options);
    for (int level = 1; level <= 3; ++level) {
      const std::vector<BoundingSphere> spheres = tree.spheres(level);
      for (const HubbardAxis::MedialBall& ball : axis.balls) {
        for (const std::uint32_t i : ball.samples) {
          ASSERT_TRUE(std::any_of(spheres.begin(), spheres.end(), [&](const BoundingSphere& s) {
            return (axis.samples[i].point - s.center).norm() <= s.radius * (1 + 1e-12);
          }));
        }
      }
    }
    // Covering the triangles too costs little, because the merges are the same.
    const SphereTree covering = build_hubbard(solid, options);
    EXPECT_LT(worst_at(covering, 1), 1.5 * worst_at(tree, 1));
  }
}

TEST(Hubbard, TheSameInputGivesTheSameTreeAndAnotherSeedAnother) {
  const Solid solid{Mesh(make::s_shape({.along = 8, .across = 10}))};
  const auto numbers = [](const SphereTree& tree) {
    std::vector<double> all;
    for (const SphereTreeNode& node : tree.nodes) {
      all.insert(all.end(), {node.sphere.center[0], node.sphere.center[1], node.sphere.center[2], node.sphere.radius,
                             node.protrusion, static_cast<double>(node.first_child)});
    }
    return all;
  };
  EXPECT_EQ(numbers(small_tree(solid, 1)), numbers(small_tree(solid, 1)));
  EXPECT_NE(numbers(small_tree(solid, 1)), numbers(small_tree(solid, 2)));
}

TEST(Hubbard, ABallsReachAlongANormalIsMeasuredFromThePoint) {
  const BoundingSphere ball{{0, 0, 0}, 2};
  EXPECT_DOUBLE_EQ(methods::reach_along_normal(ball, {1, 0, 0}, {1, 0, 0}), 1);             // center behind the plane
  EXPECT_DOUBLE_EQ(methods::reach_along_normal(ball, {1, 0, 0}, {-1, 0, 0}), 3);            // in front of it
  EXPECT_DOUBLE_EQ(methods::reach_along_normal(ball, {0, 1, 0}, {1, 0, 0}), std::sqrt(3));  // in it
  EXPECT_NEAR(methods::reach_along_normal(ball, {2, 0, 0}, {1, 0, 0}), 0, 1e-15);           // on the sphere
  // A point of the sphere in that direction, found by stepping.
  const Vector3 point(0.3, -0.5, 0.7);
  const Vector3 normal = Vector3(1, 2, -0.5).normalized();
  EXPECT_NEAR((point + normal * methods::reach_along_normal(ball, point, normal)).norm(), 2, 1e-12);
}

TEST(HubbardAxis, HasAboutAsManyBallsAsTheThesisUnlessSamplesAreAskedFor) {
  for (const MeshData& data : {make::s_shape(), ellipsoid(), make::block()}) {
    const Solid solid{Mesh(data)};
    const std::size_t balls = hubbard_axis_for(solid, {}).balls.size();
    EXPECT_GT(balls, methods::hubbard_balls * 4 / 5);
    EXPECT_LT(balls, methods::hubbard_balls * 6 / 5);
    const HubbardAxis asked = hubbard_axis_for(solid, {.samples = 200});
    EXPECT_NEAR(static_cast<double>(asked.samples.size() - asked.repairs), 200, 10);
  }
}

TEST(HubbardAxis, BallsPassThroughTheirSamplesAndHoldNoOther) {
  const Solid solid{Mesh(make::s_shape({.along = 8, .across = 10}))};
  const HubbardAxis axis = hubbard_axis_for(solid, {.samples = 150, .seed = test_seed()});
  ASSERT_GT(axis.balls.size(), 100u);
  ASSERT_EQ(axis.normals.size(), axis.samples.size());
  for (std::uint32_t i = 0; i < axis.balls.size(); ++i) {
    const auto& [center, radius] = axis.balls[i].sphere;
    EXPECT_TRUE(solid.contains(center));
    for (const std::uint32_t s : axis.balls[i].samples)
      ASSERT_NEAR((axis.samples[s].point - center).norm(), radius, 3e-6 * radius);
    for (const spheres::SurfaceSample& sample : axis.samples)
      ASSERT_GT((sample.point - center).norm(), radius * (1 - 3e-6));
    for (const std::uint32_t n : axis.balls[i].neighbors) {
      const auto& back = axis.balls[n].neighbors;
      EXPECT_EQ(std::count(back.begin(), back.end(), i), 1);
    }
  }
}

TEST(HubbardAxis, RepairPartsPlatesThatTheDiagramJoinedAcrossTheirGap) {
  for (std::size_t n = 0; n < cases(3); ++n) {
    for (const double gap : {0.03, 0.01}) {
      const double thickness = 0.1;
      const Solid solid{Mesh(test::two_plates(thickness, gap))};
      const PlanarClusters clusters(solid.mesh());
      const auto samples = sample_evenly(solid.mesh(), clusters, 150, test_seed() + n);
      const auto bridges = [&](const HubbardAxis& axis) {
        const auto is_upper = [&](const HubbardAxis::MedialBall& ball) {
          return ball.sphere.center[2] > (thickness + gap) / 2;
        };
        std::size_t count = 0;
        for (const HubbardAxis::MedialBall& ball : axis.balls) {
          for (const std::uint32_t i : ball.neighbors)
            count += is_upper(ball) != is_upper(axis.balls[i]) ? 1u : 0u;
        }
        return count;
      };
      const HubbardAxis broken = hubbard_axis(solid, clusters, samples, {.max_repairs = 0});
      EXPECT_EQ(broken.repairs, 0u);
      EXPECT_EQ(broken.samples.size(), samples.size());
      EXPECT_GT(broken.crossings_left, 100u);
      EXPECT_GT(bridges(broken), 0u);
      const HubbardAxis repaired = hubbard_axis(solid, clusters, samples);
      EXPECT_GT(repaired.repairs, 0u);
      EXPECT_EQ(repaired.samples.size(), samples.size() + repaired.repairs);
      EXPECT_LT(repaired.crossings_left, broken.crossings_left / 5);
      EXPECT_EQ(bridges(repaired), 0u);
      // The added samples are on the surface.
      for (const spheres::SurfaceSample& sample : repaired.samples)
        EXPECT_NEAR(solid.signed_distance(sample.point).value(), 0, 1e-12);
      // No more than the allowed number are added.
      EXPECT_EQ(hubbard_axis(solid, clusters, samples, {.max_repairs = 7}).repairs, 7u);
    }
  }
}

TEST(HubbardAxis, ACoarseBoxNeedsNoRepair) {
  const Solid solid{Mesh(make::box())};
  const PlanarClusters clusters(solid.mesh());
  const HubbardAxis axis = hubbard_axis(solid, clusters, sample_evenly(solid.mesh(), clusters, 300, 1));
  EXPECT_EQ(axis.repairs, 0u);
  EXPECT_EQ(axis.crossings_left, 0u);
}

}  // namespace
}  // namespace whisker
