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

TEST(WorldManifolds, StayThoseOfEachPairWhileBodiesMoveOverAMesh) {
  auto random = seeded(7);
  MeshData bumpy = make::terrain({.columns = 24, .rows = 24, .size_x = 8, .size_y = 8, .height = 0.5});
  World world({.tests_shapes = false});
  const BodyId ground = world.add(Mesh(bumpy), {}, {.is_static = true, .margin = 0.01});
  const auto hull = [](double size, std::uint64_t seed) {
    return ConvexHull(
        make::random_hull({.points = 30, .radius_x = size, .radius_y = size, .radius_z = size, .seed = seed}).vertices);
  };
  struct Walker {
    BodyId id;
    Vector3 step;
    double turn;
  };
  std::vector<Walker> walkers;
  const std::vector<Shape> shapes = {hull(0.5, 1), Box{{0.6, 0.5, 0.4}}, hull(0.3, 2), Capsule{0.2, 0.5}, hull(0.7, 3)};
  for (std::size_t i = 0; i < 40; ++i) {
    // At rest, slow, and so fast that nothing can be kept.
    const double speed = i % 4 == 0 ? 0 : i % 4 == 1 ? 0.001 : i % 4 == 2 ? 0.01 : 0.2;
    const Vector3 at(uniform(random, -3, 3), uniform(random, -3, 3), uniform(random, 0.3, 0.9));
    const BodyId id = world.add(shapes[i % shapes.size()], Pose(test::random_rotation(random), at), {.margin = 0.01});
    walkers.push_back({id, test::random_vector(random, speed), speed});
  }
  std::size_t compared = 0;
  for (int frame = 0; frame < 40; ++frame) {
    for (Walker& w : walkers) {
      const Pose at = world.pose(w.id);
      if (frame > 0 && w.turn == 0) continue;
      if (at.translation().cwiseAbs().maxCoeff() > 3.5) w.step = -w.step;
      world.move(w.id, Pose(Eigen::AngleAxisd(w.turn, Vector3::UnitX()).toRotationMatrix() * at.rotation(),
                            at.translation() + w.step));
    }
    // The ground itself moves, a body at rest grows, and another mesh takes the place of the ground.
    if (frame == 15) world.move(ground, Pose(Vector3(0.05, 0.1, 0.1)));
    if (frame == 20) {
      world.reshape(walkers[0].id, hull(1.2, 4));
      (void)world.manifolds({.margin = 0.02});  // still those of the old shape, until the update
    }
    if (frame == 30) {
      for (Vector3& v : bumpy.vertices)
        v.z() = 0.5 - v.z();
      world.reshape(ground, Mesh(bumpy));
    }
    world.update();
    const double margin = frame % 10 == 9 ? 0.1 : 0.02;  // a larger one needs more triangles than are kept
    std::map<WorldPair, std::vector<ContactManifold>> found;
    for (const PairManifold& m : world.manifolds({.margin = margin}))
      found[m.pair].push_back(m.manifold);
    for (const WorldPair& pair : world.near_pairs()) {
      if (pair.a != ground && pair.b != ground) continue;
      const std::vector<ContactManifold> alone = contact_manifolds(
          {world.shape(pair.a), world.pose(pair.a)}, {world.shape(pair.b), world.pose(pair.b)}, {.margin = margin});
      const std::vector<ContactManifold>& here = found[pair];
      ASSERT_EQ(here.size(), alone.size()) << "frame " << frame;
      for (std::size_t k = 0; k < alone.size(); ++k) {
        EXPECT_EQ(here[k].normal, alone[k].normal);
        ASSERT_EQ(here[k].count, alone[k].count);
        EXPECT_EQ(here[k].feature_a, alone[k].feature_a);
        EXPECT_EQ(here[k].feature_b, alone[k].feature_b);
        for (std::uint32_t p = 0; p < alone[k].count; ++p) {
          EXPECT_EQ(here[k].storage[p].point_a, alone[k].storage[p].point_a);
          EXPECT_EQ(here[k].storage[p].point_b, alone[k].storage[p].point_b);
        }
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 400u);
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
