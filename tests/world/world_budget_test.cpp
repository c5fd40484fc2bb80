// Updates that may not test all pairs: which ones they test, what they report about the others, and that all are
// reached.

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <stdexcept>
#include <tbb/global_control.h>

#include <gtest/gtest.h>

#include <whisker/error.hpp>

#include "support/cases.hpp"
#include "world/random_bodies.hpp"

namespace whisker {
namespace {

using test::cases;
using test::pair_of;
using test::random_hull;
using test::random_shape;
using test::random_vector;
using test::seeded;
using test::to_vector;
using test::turned_pose;
using test::uniform;

std::set<WorldPair> set_of(std::span<const WorldPair> pairs) {
  return {pairs.begin(), pairs.end()};
}

std::set<WorldPair> open_pairs(const World& world) {
  std::set<WorldPair> result;
  for (const UnresolvedPair& open : world.unresolved())
    result.insert(open.pair);
  return result;
}

/// Pairs of bodies at separate places, far from all others.
struct Couples {
  struct Couple {
    BodyId a, b;
    Vector3 place;
    Vector3 apart;  // from a to b

    WorldPair pair() const { return pair_of(a, b); }
  };
  World world;
  std::vector<Couple> couples;

  void add(const Shape& a, const Shape& b, const Vector3& apart, const BodyOptions& options = {}) {
    const Vector3 place(10.0 * static_cast<double>(couples.size()), 0, 0);
    couples.push_back({world.add(a, Pose(place), options), world.add(b, Pose(place + apart), options), place, apart});
  }
  void move(const Couple& couple) { world.move(couple.b, Pose(couple.place + couple.apart)); }
};

/// A direction along which balls and similar shapes are apart although their boxes overlap.
Vector3 diagonal(std::mt19937_64& random) {
  Vector3 result;
  for (double& x : result)
    x = uniform(random, 0.9, 1.1) * (random() % 2 == 0 ? 1 : -1);
  return result.normalized();
}

TEST(WorldBudget, AWholePassInPiecesEndsWithTheFullAnswer) {
  auto random = seeded(104);
  for (std::size_t run = 0; run < cases(60); ++run) {
    World whole, pieces;
    for (int i = 0; i < 40; ++i) {
      const Shape shape = random_shape(random);
      const Pose pose = turned_pose(random, 2);
      for (World* world : {&whole, &pieces})
        world->add(shape, pose, {.layers = i % 3 == 0 ? 2u : 1u});
    }
    whole.update();
    std::size_t passes = 0;
    std::size_t open = SIZE_MAX;
    do {
      const UpdateReport& report = pieces.update({.budget = 7});
      ASSERT_LE(report.tested, 7u);
      ASSERT_LT(report.unresolved, open);
      open = report.unresolved;
      // An unresolved pair is not reported as free, and only bounds are reported for it.
      const std::set<WorldPair> known = set_of(pieces.touching()), left = open_pairs(pieces);
      for (const WorldPair& pair : whole.touching())
        ASSERT_NE(known.contains(pair), left.contains(pair));
      ++passes;
    } while (open > 0);
    EXPECT_GT(passes, 2u);
    EXPECT_EQ(to_vector(pieces.touching()), to_vector(whole.touching()));
    EXPECT_EQ(pieces.report().stop, Stop::exact);
  }
}

TEST(WorldBudget, NewBallsThatTouchAreFoundFirstAmongNearMisses) {
  auto random = seeded(121);
  for (std::size_t run = 0; run < cases(20); ++run) {
    Couples balls;
    std::size_t touching = 0;
    for (int i = 0; i < 300; ++i) {
      const double a = uniform(random, 0.3, 0.6), b = uniform(random, 0.3, 0.6);
      const bool touches = random() % 10 == 0;
      balls.add(Sphere{a}, Sphere{b},
                diagonal(random) * (a + b) * uniform(random, touches ? 0.5 : 1.01, touches ? 0.99 : 1.4));
      touching += touches ? 1 : 0;
    }
    const UpdateReport& report = balls.world.update({.budget = touching});
    EXPECT_EQ(report.pairs, 300u);
    EXPECT_EQ(report.tested, touching);
    EXPECT_EQ(report.touching, touching);
  }
}

/// Whatever the shapes are, pairs that touched are tested again at every update.
TEST(WorldBudget, WhatTouchedIsFollowed) {
  auto random = seeded(122);
  for (std::size_t run = 0; run < cases(5); ++run) {
    Couples hulls;
    for (int i = 0; i < 300; ++i)
      hulls.add(random_hull(random), random_hull(random), diagonal(random) * uniform(random, 0.5, 1));
    hulls.world.update();
    const std::set<WorldPair> touched = set_of(hulls.world.touching());
    ASSERT_GT(touched.size(), 20u);
    ASSERT_LT(touched.size(), hulls.world.report().pairs - 20);
    const std::size_t budget = touched.size() * 4 / 3 + 20;
    for (int step = 0; step < 50; ++step) {
      // All move, too little to matter for most.
      for (Couples::Couple& couple : hulls.couples) {
        couple.apart += random_vector(random, 1e-9);
        hulls.move(couple);
      }
      hulls.world.update({.budget = budget});
      ASSERT_GT(hulls.world.report().unresolved, 0u);
      const std::set<WorldPair> open = open_pairs(hulls.world);
      for (const WorldPair& pair : touched)
        ASSERT_FALSE(open.contains(pair)) << "step " << step;
    }
  }
}

TEST(WorldBudget, WhatComesFastIsTestedBeforeWhatIsAsNear) {
  auto random = seeded(123);
  for (std::size_t run = 0; run < cases(20); ++run) {
    Couples boxes;
    std::set<WorldPair> fast;
    std::vector<double> speed;
    for (int i = 0; i < 200; ++i) {
      speed.push_back(i % 20 == 7 ? uniform(random, 0.3, 0.4) : uniform(random, -0.1, 0.1));
      boxes.add(Box{{1, 1, 1}}, Box{{1, 1, 1}}, Vector3(1.5 + speed.back(), 0, 0), {.margin = 1});
      if (i % 20 == 7) fast.insert(boxes.couples.back().pair());
    }
    boxes.world.update();
    EXPECT_EQ(boxes.world.report().pairs, 200u);
    // Now all gaps are half a unit.
    for (std::size_t i = 0; i < boxes.couples.size(); ++i) {
      boxes.couples[i].apart.x() -= speed[i];
      boxes.move(boxes.couples[i]);
    }
    boxes.world.update({.budget = fast.size()});
    const std::set<WorldPair> open = open_pairs(boxes.world);
    EXPECT_EQ(open.size(), 200 - fast.size());
    for (const WorldPair& pair : fast)
      EXPECT_FALSE(open.contains(pair));
    // The gaps are known from the boxes, although nothing was tested.
    for (const UnresolvedPair& left : boxes.world.unresolved()) {
      EXPECT_NEAR(left.lower, 0.5, 1e-9);
      EXPECT_LE(left.lower, 0.5);
    }
  }
}

/// Everything moves at every update, more pairs touch than can be tested, and one pair cannot be tested at all.
TEST(WorldBudget, EveryPairIsReached) {
  auto random = seeded(124);
  for (const std::uint64_t budget : {1u, 2u, 3u, 8u, 30u}) {
    Couples couples;
    for (int i = 0; i < 60; ++i) {
      const double times = i % 2 == 0 ? uniform(random, 0.5, 0.9) : uniform(random, 1.1, 1.4);
      couples.add(Sphere{0.5}, Sphere{0.5}, diagonal(random) * times);
    }
    bool fails = false;
    const CustomConvex custom(
        [&](const Vector3& d) {
          return fails ? Vector3(Vector3::Constant(std::nan(""))) : Vector3(0.5 * d.normalized());
        },
        0);
    couples.add(custom, Box{{1, 1, 1}}, Vector3(0.1, 0, 0));
    couples.world.update();
    ASSERT_EQ(couples.world.report().pairs, 61u);
    fails = true;
    std::map<WorldPair, std::size_t> since;
    for (std::size_t step = 1; step < 400; ++step) {
      for (Couples::Couple& couple : couples.couples) {
        couple.apart += random_vector(random, 1e-9);
        couples.move(couple);
      }
      try {
        couples.world.update({.budget = budget});
      } catch (const Error&) {
        // The custom shape failed.
      }
      const std::set<WorldPair> open = open_pairs(couples.world);
      for (const Couples::Couple& couple : couples.couples) {
        if (!open.contains(couple.pair())) since[couple.pair()] = step;
        if (couple.pair() == couples.couples.back().pair()) continue;
        // Every fourth test goes to the pair that has waited longest.
        ASSERT_LE(step - since[couple.pair()], 4 * 61 / budget + 5) << "budget " << budget << ", step " << step;
      }
    }
  }
}

TEST(WorldBudget, IsTheSameOnAnyNumberOfThreads) {
  std::vector<std::vector<TouchEvent>> events;
  std::vector<std::vector<WorldPair>> open;
  for (const std::size_t threads : {1u, 2u, 3u, 8u}) {
    const tbb::global_control control(tbb::global_control::max_allowed_parallelism, threads);
    auto random = seeded(125);
    World world;
    std::vector<BodyId> ids;
    for (int i = 0; i < 600; ++i)
      ids.push_back(world.add(random_shape(random), turned_pose(random, 4)));
    events.emplace_back();
    open.emplace_back();
    for (int step = 0; step < 10; ++step) {
      for (const BodyId id : ids) {
        Pose pose = world.pose(id);
        pose.set_translation(pose.translation() + random_vector(random, 0.2));
        if (random() % 2 == 0) world.move(id, pose);
      }
      world.update({.budget = 300});
      ASSERT_GT(world.unresolved().size(), 0u);
      events.back().insert(events.back().end(), world.events().begin(), world.events().end());
      for (const UnresolvedPair& left : world.unresolved())
        open.back().push_back(left.pair);
    }
    EXPECT_EQ(events.back(), events[0]);
    EXPECT_EQ(open.back(), open[0]);
  }
  EXPECT_GT(events[0].size(), 100u);
}

TEST(WorldBudget, BoundsOfWhatIsOpenHold) {
  auto random = seeded(126);
  std::size_t apart = 0;
  for (std::size_t run = 0; run < cases(40); ++run) {
    World world({.boxes = run % 2 == 0 ? BodyBoxKind::tight : BodyBoxKind::cube});
    for (int i = 0; i < 30; ++i) {
      const double margin = random() % 2 == 0 ? std::pow(10, uniform(random, -18, 3)) : 0;
      world.add(random_shape(random), turned_pose(random, 3), {.margin = random() % 20 == 0 ? HUGE_VAL : margin});
    }
    world.update({.budget = 0});
    EXPECT_EQ(world.report().tested, 0u);
    EXPECT_EQ(world.report().unresolved, world.report().pairs);
    EXPECT_EQ(world.touching().size(), 0u);
    for (const UnresolvedPair& left : world.unresolved()) {
      const BodyId a = left.pair.a, b = left.pair.b;
      const Distance d = distance({world.shape(a), world.pose(a)}, {world.shape(b), world.pose(b)});
      EXPECT_LE(left.lower, d.upper);
      EXPECT_GE(left.upper, d.lower);
      apart += left.lower > 0 ? 1 : 0;
    }
  }
  EXPECT_GT(apart, 100u);
}

TEST(WorldBudget, LimitsOfTimeLeaveTheRestOpen) {
  auto random = seeded(127);
  World world, whole;
  for (int i = 0; i < 400; ++i) {
    const Shape shape = random_shape(random);
    const Pose pose = turned_pose(random, 3);
    world.add(shape, pose);
    whole.add(shape, pose);
  }
  whole.update();
  EXPECT_THROW(world.update({.seconds = std::nan("")}), Error);
  EXPECT_EQ(world.report().moved, 0u);
  for (const double none : {0.0, -1.0, -HUGE_VAL}) {
    const UpdateReport& report = world.update({.seconds = none});
    EXPECT_EQ(report.tested, 0u);
    EXPECT_EQ(report.unresolved, report.pairs);
    EXPECT_EQ(report.stop, Stop::budget);
  }
  // So short that some pairs are usually left. Whatever the clock says, the reported results are right.
  for (int step = 0; step < 100000 && world.report().unresolved > 0; ++step) {
    world.update({.seconds = 20e-6});
    const std::set<WorldPair> known = set_of(world.touching()), left = open_pairs(world);
    for (const WorldPair& pair : whole.touching())
      ASSERT_NE(known.contains(pair), left.contains(pair));
  }
  EXPECT_EQ(to_vector(world.touching()), to_vector(whole.touching()));
  // Enough time for all: events come in order, whatever the order of the tests was.
  World again;
  for (const BodyId id : world.bodies())
    again.add(world.shape(id), world.pose(id));
  again.update({.seconds = 1e9});
  EXPECT_EQ(to_vector(again.touching()), to_vector(whole.touching()));
  EXPECT_TRUE(std::equal(again.events().begin(), again.events().end(), whole.events().begin(), whole.events().end()));
}

TEST(WorldBudget, APairThatIsOpenStaysWhatItWas) {
  World world;
  const BodyId a = world.add(Sphere{1});
  const BodyId b = world.add(Sphere{1}, Pose(Vector3(1, 0, 0)));
  const BodyId c = world.add(Sphere{1}, Pose(Vector3(0, 1, 0)));
  world.update();
  ASSERT_EQ(world.touching().size(), 3u);
  world.move(a, Pose(Vector3(0.1, 0, 0)));
  world.update({.budget = 0});
  // Nothing is reported about the two pairs of a.
  EXPECT_EQ(to_vector(world.touching()), (std::vector<WorldPair>{{b, c}}));
  EXPECT_EQ(open_pairs(world), (std::set<WorldPair>{{a, b}, {a, c}}));
  ASSERT_EQ(world.events().size(), 1u);
  EXPECT_EQ(world.events()[0], (TouchEvent{{b, c}, TouchChange::stays}));

  // One body is removed, and another gets a shape of a different kind while its pair is switched off: the previous
  // contacts have ended.
  world.remove(b);
  world.reshape(c, Mesh(make::icosphere({.radius = 1, .subdivisions = 1})));
  world.switch_off(a, c);
  world.update({.budget = 0});
  EXPECT_EQ(world.unresolved().size(), 0u);
  EXPECT_EQ(std::vector<TouchEvent>(world.events().begin(), world.events().end()),
            (std::vector<TouchEvent>{
                {{a, b}, TouchChange::ended}, {{a, c}, TouchChange::ended}, {{b, c}, TouchChange::ended}}));

  world.switch_on(a, c);
  world.update({.budget = 0});
  EXPECT_EQ(open_pairs(world), (std::set<WorldPair>{{a, c}}));
  EXPECT_EQ(world.events().size(), 0u);
  // The pair is rejected by the filter while it is open, and allowed again.
  world.set_filter([](BodyId, BodyId) { return false; });
  world.update({.budget = 0});
  EXPECT_EQ(world.unresolved().size(), 0u);
  world.set_filter(nullptr);
  world.update();
  ASSERT_EQ(world.events().size(), 1u);
  EXPECT_EQ(world.events()[0], (TouchEvent{{a, c}, TouchChange::began}));
}

TEST(WorldBudget, AFilterThatThrowsLeavesItsPairsOpen) {
  World world;
  const BodyId a = world.add(Sphere{1});
  const BodyId b = world.add(Sphere{1}, Pose(Vector3(1, 0, 0)));
  const BodyId c = world.add(Sphere{1}, Pose(Vector3(0, 1, 0)));
  bool fails = true;
  world.set_filter([&](BodyId x, BodyId y) {
    if (fails && x == a) throw std::runtime_error("not now");
    return y != c || x != b;
  });
  for (int i = 0; i < 3; ++i) {
    EXPECT_THROW(world.update(), std::runtime_error);
    EXPECT_EQ(open_pairs(world), (std::set<WorldPair>{{a, b}, {a, c}}));
    EXPECT_EQ(world.touching().size(), 0u);
    EXPECT_EQ(world.events().size(), 0u);
  }
  fails = false;
  world.update();
  EXPECT_EQ(to_vector(world.touching()), (std::vector<WorldPair>{{a, b}, {a, c}}));
  EXPECT_EQ(world.events().size(), 2u);
  // The filter fails for a pair that touches.
  fails = true;
  world.set_filter([&](BodyId, BodyId) -> bool {
    if (fails) throw std::runtime_error("not now");
    return true;
  });
  world.remove(c);
  EXPECT_THROW(world.update(), std::runtime_error);
  EXPECT_EQ(open_pairs(world), (std::set<WorldPair>{{a, b}}));
  ASSERT_EQ(world.events().size(), 1u);
  EXPECT_EQ(world.events()[0], (TouchEvent{{a, c}, TouchChange::ended}));
  fails = false;
  world.update();
  ASSERT_EQ(world.events().size(), 1u);
  EXPECT_EQ(world.events()[0], (TouchEvent{{a, b}, TouchChange::stays}));
}

}  // namespace
}  // namespace whisker
