// Whether any body touches a shape, and the first one that does.

#include <atomic>

#include <gtest/gtest.h>

#include <whisker/whisker.hpp>

#include "support/cases.hpp"
#include "world/random_bodies.hpp"

namespace whisker {
namespace {

using test::cases;
using test::seeded;

TEST(WorldAny, SaysWhatTheListOfTouchingBodiesSays) {
  auto random = seeded(7401);
  std::size_t yes = 0, no = 0;
  for (const int threads : {1, 2, 4}) {
    World world({.threads = threads});
    for (int i = 0; i < 150; ++i)
      world.add(test::random_shape(random), test::turned_pose(random, 3), {.layers = i % 2 == 0 ? 1u : 2u});
    world.add(HalfSpace{{0, 0, 1}, -5}, {}, {.is_static = true, .layers = 4});
    world.add_box({Vector3(3, 3, 3), Vector3(4, 4, 4)});
    world.update();
    for (std::size_t i = 0; i < cases(200); ++i) {
      const Shape probe = test::random_shape(random);
      const Pose pose = test::turned_pose(random, 3);
      const WorldFilter filter{i % 3 == 0 ? 0xFFFFFFFFu : static_cast<std::uint32_t>(i % 3)};
      const std::vector<BodyId> all = world.touching({probe, pose}, filter);
      ASSERT_EQ(world.touches({probe, pose}, filter), !all.empty()) << i;
      const std::optional<BodyId> first = world.first_touching({probe, pose}, filter);
      ASSERT_EQ(first.has_value(), !all.empty()) << i;
      if (first) {
        ASSERT_EQ(*first, all.front()) << i;
      }
      (all.empty() ? no : yes) += 1;
    }
  }
  EXPECT_GT(yes, cases(100));
  EXPECT_GT(no, cases(100));
}

TEST(WorldAny, OfUnboundedShapesAndOfNothing) {
  World world;
  EXPECT_FALSE(world.touches(Plane{}));
  EXPECT_FALSE(world.first_touching(Plane{}).has_value());
  const BodyId low = world.add(Sphere{1}, Pose(Vector3(0, 0, -3)));
  const BodyId high = world.add(Sphere{1}, Pose(Vector3(0, 0, 3)));
  EXPECT_FALSE(world.touches(Plane{{0, 0, 1}, 3})) << "bodies count from the next update on";
  world.update();
  EXPECT_EQ(world.first_touching(Plane{{0, 0, 1}, 3}), high);
  EXPECT_EQ(world.first_touching(HalfSpace{{0, 0, 1}, 9}), low);
  EXPECT_TRUE(world.touches(Plane{{0, 0.1, 1}, 3}));
  EXPECT_FALSE(world.touches(Plane{{0, 0.1, 1}, 0}));
}

TEST(WorldAny, StopsAtTheFirstHit) {
  std::atomic<std::size_t> asked = 0;
  const Shape ball = CustomConvex([&asked](const Vector3& d) -> Vector3 {
    ++asked;
    return d.stableNormalized();
  });
  World world({.threads = 1});
  const BodyId first = world.add(ball);
  for (int i = 0; i < 499; ++i)
    world.add(ball, Pose(Vector3(1e-3 * i, 0, 0)));
  world.add(HalfSpace{{0, 0, 1}, -50});  // looked at before the others, and apart
  world.update({.budget = 0});
  const auto cost = [&](const auto& work) {
    const std::size_t before = asked;
    work();
    return asked - before;
  };
  const Shape probe = Sphere{1};
  const std::size_t all = cost([&] { EXPECT_EQ(world.touching(probe).size(), 500u); });
  const std::size_t one = cost([&] { EXPECT_TRUE(touches(ball, probe)); });
  EXPECT_EQ(cost([&] { EXPECT_EQ(world.first_touching(probe), first); }), one);
  EXPECT_LT(cost([&] { EXPECT_TRUE(world.touches(probe)); }), all / 100);
}

}  // namespace
}  // namespace whisker
