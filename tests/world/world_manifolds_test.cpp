// World::manifolds: the manifolds of all pairs, as contact_manifolds finds them one by one, with ids that last.

#include <map>
#include <set>
#include <vector>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include <whisker/error.hpp>
#include <whisker/make/make.hpp>
#include <whisker/world.hpp>

#include "support/cases.hpp"
#include "support/random_vectors.hpp"

namespace whisker {
namespace {

using test::cases;
using test::seeded;
using test::uniform;

/// Bodies of several kinds over a bumpy ground, dense enough to touch each other.
struct Mound {
  World world;
  std::vector<BodyId> bodies;
  std::mt19937_64 random = seeded(1);

  explicit Mound(std::size_t count, const WorldOptions& options = {}) : world(options) {
    std::vector<double> heights(21 * 21);
    for (double& h : heights)
      h = uniform(random, 0, 0.3);
    world.add(HeightField(heights, 21, 21, 0.5, 0.5), {}, {.is_static = true, .margin = 0.01});
    const std::vector<Shape> shapes = {
        Box{{0.6, 0.5, 0.4}},
        Sphere{0.3},
        Capsule{0.15, 0.5},
        Cylinder{0.25, 0.5},
        ConvexHull(make::random_hull({.points = 24, .radius_x = 0.4, .radius_y = 0.4, .radius_z = 0.4}).vertices),
        Mesh(make::box({.size_x = 0.5, .size_y = 0.5, .size_z = 0.5})).solid(),
        Compound({{Box{{0.6, 0.1, 0.1}}, Pose()}, {Box{{0.1, 0.6, 0.1}}, Pose()}})};
    for (std::size_t i = 0; i < count; ++i)
      bodies.push_back(world.add(shapes[i % shapes.size()], pose(), {.margin = 0.01}));
    world.update();
  }

  Pose pose() {
    return Pose(test::random_rotation(random),
                {uniform(random, 3, 7), uniform(random, 3, 7), uniform(random, 0.2, 1.2)});
  }
  /// Moves every body a little.
  void shake(double by) {
    for (const BodyId id : bodies) {
      const Pose& at = world.pose(id);
      const Vector3 axis = test::random_unit(random);
      world.move(id, Pose(Eigen::AngleAxisd(by, axis).toRotationMatrix() * at.rotation(),
                          at.translation() + test::random_vector(random, by)));
    }
    world.update();
  }
};

TEST(WorldManifolds, AreThoseOfEachPair) {
  for (const bool tests_shapes : {true, false}) {
    Mound heap(cases(80), {.tests_shapes = tests_shapes});
    std::map<WorldPair, std::vector<ContactManifold>> found;
    WorldPair last;
    for (const PairManifold& m : heap.world.manifolds({.margin = 0.02})) {
      if (!found.empty()) {
        EXPECT_TRUE(last <= m.pair) << "ascending";
      }
      last = m.pair;
      found[m.pair].push_back(m.manifold);
    }
    EXPECT_GT(found.size(), heap.bodies.size() / 2);
    for (const WorldPair& pair : heap.world.near_pairs()) {
      const std::vector<ContactManifold> alone =
          contact_manifolds({heap.world.shape(pair.a), heap.world.pose(pair.a)},
                            {heap.world.shape(pair.b), heap.world.pose(pair.b)}, {.margin = 0.02});
      const std::vector<ContactManifold>& here = found[pair];
      ASSERT_EQ(here.size(), alone.size());
      for (std::size_t k = 0; k < alone.size(); ++k) {
        EXPECT_LT((here[k].normal - alone[k].normal).norm(), 1e-6);
        EXPECT_EQ(here[k].count, alone[k].count);
        EXPECT_EQ(here[k].feature_a, alone[k].feature_a);
        EXPECT_EQ(here[k].feature_b, alone[k].feature_b);
        EXPECT_NEAR(here[k].upper, alone[k].upper, 1e-5);
      }
    }
  }
}

TEST(WorldManifolds, DoNotDependOnTheNumberOfThreads) {
  std::vector<std::vector<PairManifold>> all;
  for (const int threads : {1, 2, 4}) {
    Mound heap(150, {.tests_shapes = false, .threads = threads});
    std::vector<PairManifold> list;
    for (int frame = 0; frame < 3; ++frame) {
      heap.shake(0.01);
      const auto found = heap.world.manifolds({.margin = 0.02});
      list.insert(list.end(), found.begin(), found.end());
    }
    all.push_back(list);
  }
  for (const auto& list : all) {
    ASSERT_EQ(list.size(), all[0].size());
    for (std::size_t i = 0; i < list.size(); ++i) {
      EXPECT_EQ(list[i].pair, all[0][i].pair);
      ASSERT_EQ(list[i].manifold.count, all[0][i].manifold.count);
      EXPECT_EQ(list[i].manifold.normal, all[0][i].manifold.normal);
      for (std::uint32_t k = 0; k < list[i].manifold.count; ++k) {
        EXPECT_EQ(list[i].manifold.storage[k].id, all[0][i].manifold.storage[k].id);
        EXPECT_EQ(list[i].manifold.storage[k].point_a, all[0][i].manifold.storage[k].point_a);
      }
    }
  }
}

TEST(WorldManifolds, IdsLastAndBelongToBodiesNotToSlots) {
  World world({.tests_shapes = false});
  world.add(HalfSpace{}, {}, {.is_static = true});
  BodyId crate = world.add(Box{{1, 1, 1}}, Pose(Vector3(0, 0, 0.499)));
  const auto ids = [&] {
    world.update();
    std::set<std::uint64_t> result;
    for (const PairManifold& m : world.manifolds())
      for (const ManifoldPoint& p : m.manifold.points())
        result.insert(p.id);
    return result;
  };
  const std::set<std::uint64_t> first = ids();
  EXPECT_EQ(first.size(), 4u);
  for (int frame = 1; frame < 20; ++frame) {
    world.move(crate, Pose(Vector3(0.01 * frame, 0, 0.499)));
    EXPECT_EQ(ids(), first);
  }
  // Farther than 2 % of the body in one frame: other names.
  world.move(crate, Pose(Vector3(5, 0, 0.499)));
  for (const std::uint64_t id : ids())
    EXPECT_FALSE(first.contains(id));
  // Apart for a frame: the names are gone.
  const std::set<std::uint64_t> second = ids();
  world.move(crate, Pose(Vector3(5, 0, 3)));
  EXPECT_TRUE(ids().empty());
  world.remove(crate);
  crate = world.add(Box{{1, 1, 1}}, Pose(Vector3(5, 0, 0.499)));
  EXPECT_EQ(ids().size(), 4u);
}

TEST(WorldManifolds, FiltersAndErrors) {
  World world;
  const BodyId a = world.add(Box{{1, 1, 1}}), b = world.add(Box{{1, 1, 1}}, Pose(Vector3(0.9, 0, 0)));
  world.update();
  EXPECT_EQ(world.manifolds().size(), 1u);
  world.switch_off(a, b);
  world.update();
  EXPECT_TRUE(world.manifolds().empty());
  PairCache cache;
  ManifoldMemory memory;
  EXPECT_THROW(world.manifolds({.cache = &cache}), Error);
  EXPECT_THROW(world.manifolds({.memory = &memory}), Error);
  EXPECT_THROW(world.manifolds({.margin = -1}), Error);
}

}  // namespace
}  // namespace whisker
