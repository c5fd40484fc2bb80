// A world of bodies against brute force: all pairs of bodies, queried one by one, at every step of long random runs.

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>

#include <gtest/gtest.h>

#include <whisker/error.hpp>
#include <whisker/methods/broad_phases.hpp>
#include <whisker/whisker.hpp>
#include <whisker/world.hpp>

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

/// What a world should report, computed without one.
struct Twin {
  struct Body {
    Shape shape;
    Pose pose;
    BodyOptions options;
  };
  std::map<BodyId, Body> bodies;
  std::set<WorldPair> off;
  std::set<WorldPair> touched;

  bool may_meet(const WorldPair& pair) const {
    const BodyOptions &x = bodies.at(pair.a).options, &y = bodies.at(pair.b).options;
    return (x.layers & y.meets) != 0 && (y.layers & x.meets) != 0 && !(x.is_static && y.is_static) &&
           !off.contains(pair);
  }
  std::set<WorldPair> touching() const {
    std::set<WorldPair> result;
    for (auto a = bodies.begin(); a != bodies.end(); ++a) {
      for (auto b = std::next(a); b != bodies.end(); ++b) {
        const WorldPair pair{a->first, b->first};
        if (may_meet(pair) && touches({a->second.shape, a->second.pose}, {b->second.shape, b->second.pose}))
          result.insert(pair);
      }
    }
    return result;
  }
};

void expect_equal(const World& world, Twin& twin) {
  const std::set<WorldPair> now = twin.touching();
  const auto found = world.touching();
  ASSERT_TRUE(std::is_sorted(found.begin(), found.end()));
  ASSERT_EQ(std::set<WorldPair>(found.begin(), found.end()), now);
  ASSERT_EQ(found.size(), now.size());
  std::set<WorldPair> began, stays, ended;
  const WorldPair* last = nullptr;
  for (const TouchEvent& event : world.events()) {
    if (last != nullptr) {
      ASSERT_LT(*last, event.pair);
    }
    last = &event.pair;
    (event.change == TouchChange::began   ? began
     : event.change == TouchChange::stays ? stays
                                          : ended)
        .insert(event.pair);
  }
  for (const WorldPair& pair : now)
    ASSERT_TRUE(twin.touched.contains(pair) ? stays.contains(pair) : began.contains(pair));
  for (const WorldPair& pair : twin.touched)
    ASSERT_NE(now.contains(pair), ended.contains(pair));
  ASSERT_EQ(began.size() + stays.size(), now.size());
  ASSERT_EQ(ended.size() + stays.size(), twin.touched.size());
  twin.touched = now;
}

struct WorldRun {
  const char* name;
  BroadPhaseFactory broad_phase;
  BodyBoxKind boxes = BodyBoxKind::tight;

  friend void PrintTo(const WorldRun& run, std::ostream* out) { *out << run.name; }
};
struct WorldRuns : testing::TestWithParam<WorldRun> {};

TEST_P(WorldRuns, SayWhatAllPairsSay) {
  auto random = seeded(101);
  const std::size_t runs = cases(20);
  for (std::size_t run = 0; run < runs; ++run) {
    World world({.broad_phase = GetParam().broad_phase, .boxes = GetParam().boxes});
    Twin twin;
    std::vector<BodyId> ids;
    const double size = uniform(random, 1, 4);
    const auto any = [&] { return ids[random() % ids.size()]; };
    const auto options = [&] {
      BodyOptions result;
      result.is_static = random() % 4 == 0;
      result.layers = random() % 5 == 0 ? 2 : 1;
      result.meets = random() % 5 == 0 ? 1 : 3;
      result.margin = random() % 4 == 0 ? uniform(random, 0, 1) : 0;
      return result;
    };
    const auto add = [&](Shape shape, const Pose& pose) {
      const BodyOptions with = options();
      const BodyId id = world.add(shape, pose, with);
      ids.push_back(id);
      twin.bodies.insert({id, {std::move(shape), pose, with}});
    };
    for (int step = 0; step < 60; ++step) {
      const int changes = static_cast<int>(random() % 6);
      for (int change = 0; change < changes || ids.size() < 8; ++change) {
        const auto what = ids.size() < 8 ? 0 : random() % 12;
        if (what < 3) {
          if (random() % 10 == 0) {
            add(HalfSpace{random_vector(random, 1) + Vector3(0, 0, 2), -size}, {});
          } else {
            add(random_shape(random), turned_pose(random, size));
          }
        } else if (what < 5) {
          const std::size_t i = random() % ids.size();
          world.remove(ids[i]);
          twin.bodies.erase(ids[i]);
          std::erase_if(twin.off, [&](const WorldPair& p) { return p.a == ids[i] || p.b == ids[i]; });
          ids[i] = ids.back();
          ids.pop_back();
        } else if (what == 5) {
          const BodyId id = any();
          const Shape shape = random_shape(random);
          world.reshape(id, shape);
          twin.bodies.at(id).shape = shape;
        } else if (what == 6) {
          const BodyId id = any();
          const BodyOptions with = options();
          world.set_options(id, with);
          twin.bodies.at(id).options = with;
        } else if (what == 7) {
          const BodyId a = any(), b = any();
          if (a == b) continue;
          if (twin.off.contains(pair_of(a, b))) {
            world.switch_on(a, b);
            twin.off.erase(pair_of(a, b));
          } else {
            world.switch_off(a, b);
            twin.off.insert(pair_of(a, b));
          }
        } else {
          const BodyId id = any();
          Pose pose = twin.bodies.at(id).pose;
          if (random() % 3 == 0) {
            pose = turned_pose(random, size);
          } else {
            pose.set_translation(pose.translation() + random_vector(random, 0.1));
          }
          world.move(id, pose);
          twin.bodies.at(id).pose = pose;
        }
      }
      world.update();
      ASSERT_NO_FATAL_FAILURE(expect_equal(world, twin)) << "run " << run << ", step " << step;
      ASSERT_EQ(world.size(), twin.bodies.size());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    BroadPhases, WorldRuns,
    testing::Values(WorldRun{"default", {}}, WorldRun{"default_cubes", {}, BodyBoxKind::cube},
                    WorldRun{"column_sweep", column_sweep()}, WorldRun{"static_and_moving", static_and_moving()},
                    WorldRun{"sweep_and_prune", methods::sweep_and_prune()},
                    WorldRun{"sweep_and_prune_cubes", methods::sweep_and_prune(), BodyBoxKind::cube},
                    WorldRun{"hashed_grid", methods::hashed_grid()}),
    [](const auto& test) { return test.param.name; });

/// A heap of bodies, and their shapes and poses.
struct Heap {
  World world;
  std::vector<BodyId> ids;
  std::map<BodyId, std::pair<Shape, Pose>> bodies;

  Heap(std::mt19937_64& random, std::size_t count, double size) {
    for (std::size_t i = 0; i < count; ++i) {
      const Shape shape = random_shape(random);
      const Pose pose = turned_pose(random, size);
      ids.push_back(world.add(shape, pose, {.layers = i % 3 == 0 ? 2u : 1u}));
      bodies.insert({ids.back(), {shape, pose}});
    }
  }
};

TEST(World, FindsAllPairsThatAreClose) {
  auto random = seeded(102);
  for (std::size_t run = 0; run < cases(60); ++run) {
    Heap heap(random, 30, 3);
    heap.world.update();
    const double limit = uniform(random, 0, 0.5);
    std::map<WorldPair, Distance> expected;
    for (std::size_t i = 0; i < heap.ids.size(); ++i) {
      for (std::size_t j = i + 1; j < heap.ids.size(); ++j) {
        const auto &a = heap.bodies.at(heap.ids[i]), &b = heap.bodies.at(heap.ids[j]);
        const Distance d = distance({a.first, a.second}, {b.first, b.second});
        if (d.lower <= limit) expected.insert({pair_of(heap.ids[i], heap.ids[j]), d});
      }
    }
    const std::vector<PairDistance> found = heap.world.closer_than(limit);
    ASSERT_EQ(found.size(), expected.size());
    for (const PairDistance& close : found) {
      const auto at = expected.find(close.pair);
      ASSERT_NE(at, expected.end());
      EXPECT_LE(close.distance.lower, at->second.upper);
      EXPECT_GE(close.distance.upper, at->second.lower);
    }
  }
}

TEST(World, NamesTheFeaturesOfDistancesOnRequest) {
  World world;
  world.add(Box{{2, 2, 2}}, Pose());
  world.add(Box{{2, 2, 2}}, Pose(Vector3(3, 3, 0)));
  world.update();
  const std::vector<PairDistance> plain = world.closer_than(5), asked = world.closer_than(5, {.features = true});
  ASSERT_EQ(plain.size(), 1u);
  ASSERT_EQ(asked.size(), 1u);
  EXPECT_EQ(plain[0].distance.feature_a, Feature());
  EXPECT_EQ(asked[0].distance.feature_a, (Feature{0, FeatureKind::edge, 11}));
  EXPECT_EQ(asked[0].distance.feature_b, (Feature{0, FeatureKind::edge, 8}));
}

TEST(World, AnswersQuestionsAboutAPlace) {
  auto random = seeded(103);
  for (std::size_t run = 0; run < cases(30); ++run) {
    Heap heap(random, 40, 3);
    heap.world.add(HalfSpace{{0, 0, 1}, -3.5}, {}, {.is_static = true, .layers = 4});
    heap.world.update();
    for (int ask = 0; ask < 10; ++ask) {
      const Shape shape = random_shape(random);
      const Pose pose = turned_pose(random, 3);
      const WorldFilter filter{.layers = random() % 2 == 0 ? 3u : 1u};
      std::vector<BodyId> touched;
      std::optional<BodyDistance> nearest;
      for (std::size_t i = 0; i < heap.ids.size(); ++i) {
        const auto& body = heap.bodies.at(heap.ids[i]);
        if (((i % 3 == 0 ? 2u : 1u) & filter.layers) == 0) continue;
        if (touches({shape, pose}, {body.first, body.second})) touched.push_back(heap.ids[i]);
        const Distance d = distance({shape, pose}, {body.first, body.second});
        if (!nearest || d.upper < nearest->distance.upper) nearest = BodyDistance{heap.ids[i], d};
      }
      EXPECT_EQ(heap.world.touching({shape, pose}, filter), touched);
      const auto found = heap.world.nearest({shape, pose}, 100, filter);
      ASSERT_TRUE(found);
      EXPECT_EQ(found->body, nearest->body);
      EXPECT_LE(found->distance.lower, nearest->distance.upper);
      EXPECT_GE(found->distance.upper, nearest->distance.lower);

      const Ray ray{random_vector(random, 4), random_vector(random, 1)};
      std::vector<std::pair<double, BodyId>> hits;
      for (std::size_t i = 0; i < heap.ids.size(); ++i) {
        const auto& body = heap.bodies.at(heap.ids[i]);
        if (((i % 3 == 0 ? 2u : 1u) & filter.layers) == 0) continue;
        if (const auto hit = cast_ray(ray, {body.first, body.second})) hits.push_back({hit->t, heap.ids[i]});
      }
      std::sort(hits.begin(), hits.end());
      const auto all = heap.world.cast_ray_all(ray, {}, filter);
      ASSERT_EQ(all.size(), hits.size());
      for (std::size_t i = 0; i < hits.size(); ++i) {
        EXPECT_EQ(all[i].body, hits[i].second);
        EXPECT_EQ(all[i].hit.t, hits[i].first);
      }
      const auto first = heap.world.cast_ray(ray, {}, filter);
      ASSERT_EQ(first.has_value(), !hits.empty());
      if (first) {
        EXPECT_EQ(first->body, hits[0].second);
      }
    }
  }
}

TEST(World, FindsWhatTranslationsMeetFirst) {
  auto random = seeded(105);
  std::uint64_t tested = 0;
  for (std::size_t run = 0; run < cases(200); ++run) {
    World world;
    std::vector<std::pair<BodyId, std::pair<Shape, Pose>>> bodies;
    std::vector<BodyTranslation> moves;
    for (int i = 0; i < 20; ++i) {
      const Shape shape = random() % 2 == 0 ? random_hull(random) : Shape(Sphere{uniform(random, 0.1, 0.5)});
      const Pose pose = turned_pose(random, 4);
      bodies.push_back({world.add(shape, pose), {shape, pose}});
      if (i % 2 == 0) moves.push_back({bodies.back().first, random_vector(random, 3)});
    }
    world.update();
    const auto by = [&](BodyId id) {
      for (const BodyTranslation& move : moves)
        if (move.body == id) return move.by;
      return Vector3(Vector3::Zero());
    };
    std::vector<PairImpact> expected;
    Cost all;  // of all pairs that may meet, even if their boxes prove that they do not
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      for (std::size_t j = i + 1; j < bodies.size(); ++j) {
        if (i % 2 != 0 && j % 2 != 0) continue;
        const auto &a = bodies[i], &b = bodies[j];
        const MotionImpact impact = first_contact({a.second.first, Straight{a.second.second, by(a.first)}},
                                                  {b.second.first, Straight{b.second.second, by(b.first)}});
        all += impact.cost;
        if (impact.status != ImpactStatus::apart) expected.push_back({{a.first, b.first}, impact});
      }
    }
    const FirstContacts<PairImpact> contacts = world.first_contacts(moves);
    const std::vector<PairImpact>& found = contacts.hits;
    Cost of_hits;
    for (const PairImpact& hit : found)
      of_hits += hit.impact.cost;
    EXPECT_GE(contacts.cost.primitive_tests, of_hits.primitive_tests);
    EXPECT_LE(contacts.cost.primitive_tests, all.primitive_tests);
    tested += contacts.cost.primitive_tests;
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_LE(found[i > 0 ? i - 1 : 0].impact.time, found[i].impact.time);
      const auto at = std::find_if(expected.begin(), expected.end(),
                                   [&](const PairImpact& other) { return other.pair == found[i].pair; });
      ASSERT_NE(at, expected.end());
      EXPECT_EQ(at->impact.time_lower, found[i].impact.time_lower);
    }
  }
  EXPECT_GT(tested, 0u);
}

TEST(World, GoesToTheFirstContactOfAllMotions) {
  auto random = seeded(111);
  std::size_t stopped = 0;
  for (std::size_t round = 0; round < test::cases(8); ++round) {
    World world;
    std::vector<BodyId> ids;
    std::vector<Pose> poses;
    std::vector<Shape> shapes;
    const std::vector<Shape> kinds = {Mesh(make::torus({.around = 12, .across = 8})), Box{Vector3(0.5, 1, 0.3)},
                                      Capsule{.radius = 0.2, .length = 0.8},
                                      Mesh(make::icosphere({.subdivisions = 1}))};
    for (int i = 0; i < 30; ++i) {
      shapes.push_back(kinds[random() % kinds.size()]);
      poses.push_back(turned_pose(random, 6));
      ids.push_back(world.add(shapes.back(), poses.back()));
    }
    world.update();
    std::vector<WorldPair> before(world.touching().begin(), world.touching().end());
    std::vector<BodyMotion> motions;
    for (std::size_t i = 0; i < ids.size(); i += 2)
      motions.push_back({ids[i], screw(poses[i], turned_pose(random, 6))});
    const auto motion_of = [&](std::size_t i) { return i % 2 == 0 ? motions[i / 2].motion : Motion(Still{poses[i]}); };
    // All pairs, one by one.
    double first = 1;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      for (std::size_t j = i + 1; j < ids.size(); ++j) {
        const MotionImpact impact = first_contact({shapes[i], motion_of(i)}, {shapes[j], motion_of(j)});
        if (impact.status == ImpactStatus::touch) first = std::min(first, impact.time_lower);
      }
    }
    EXPECT_EQ(world.move_to_first_contact(motions), first);
    stopped += first < 1 ? 1u : 0u;
    world.update();
    for (const WorldPair& pair : world.touching())
      EXPECT_NE(std::find(before.begin(), before.end(), pair), before.end()) << "they went too far";
  }
  EXPECT_GT(stopped, 0u);
  World world;
  const BodyId body = world.add(Sphere{1}, Pose());
  world.update();
  const BodyMotion astray{body, Straight{Pose(Vector3(1, 0, 0)), Vector3(1, 0, 0)}};
  EXPECT_THROW(world.first_contacts(std::span<const BodyMotion>(&astray, 1)), Error);
}

TEST(World, IsTheSameOnAnyNumberOfThreads) {
  std::vector<std::vector<TouchEvent>> events;
  for (const std::size_t threads : {1u, 2u, 3u, 8u}) {
    const tbb::global_control control(tbb::global_control::max_allowed_parallelism, threads);
    auto random = seeded(106);
    World world;
    std::vector<BodyId> ids;
    for (int i = 0; i < 600; ++i)
      ids.push_back(world.add(random_shape(random), turned_pose(random, 5)));
    std::vector<TouchEvent> all;
    for (int step = 0; step < 5; ++step) {
      for (const BodyId id : ids)
        if (random() % 2 == 0) world.move(id, turned_pose(random, 5));
      world.update();
      all.insert(all.end(), world.events().begin(), world.events().end());
    }
    events.push_back(std::move(all));
  }
  for (const auto& other : events)
    EXPECT_EQ(other, events[0]);
  EXPECT_GT(events[0].size(), 100u);
}

/// The body's support function fails sometimes: an update reports it, and the world continues to work.
TEST(World, GoesOnAfterAnErrorInAShape) {
  bool fails = false;
  const CustomConvex custom(
      [&](const Vector3& d) {
        if (fails) return Vector3(Vector3::Constant(std::nan("")));
        return Vector3(d.x() > 0 ? 1 : -1, d.y() > 0 ? 1 : -1, d.z() > 0 ? 1 : -1);
      },
      0);
  World world;
  const BodyId a = world.add(custom);
  const BodyId b = world.add(Box{{1, 1, 1}}, Pose(Vector3(1, 0.5, 0.25)));
  const BodyId c = world.add(Box{{1, 1, 1}}, Pose(Vector3(1.5, 0.5, 0.25)));
  fails = true;
  EXPECT_THROW(world.update(), Error);
  // What could be decided was reported. The rest is open.
  EXPECT_EQ(to_vector(world.touching()), (std::vector<WorldPair>{{b, c}}));
  EXPECT_EQ(world.unresolved().size(), 2u);
  fails = false;
  world.update();
  EXPECT_EQ(to_vector(world.touching()), (std::vector<WorldPair>{{a, b}, {a, c}, {b, c}}));
}

TEST(World, AnswersFromManyThreadsAtOnce) {
  auto random = seeded(108);
  Heap heap(random, 100, 4);
  heap.world.update();
  std::vector<Pose> poses;
  for (int i = 0; i < 64; ++i)
    poses.push_back(turned_pose(random, 4));
  const Shape probe = Sphere{0.8};
  std::vector<std::vector<BodyId>> one(poses.size()), many(poses.size());
  for (std::size_t i = 0; i < poses.size(); ++i)
    one[i] = heap.world.touching({probe, poses[i]});
  heap.world.move(heap.ids[0], heap.bodies.at(heap.ids[0]).second);  // the next update rebuilds the tree
  heap.world.update();
  tbb::parallel_for(std::size_t{0}, poses.size(), [&](std::size_t i) {
    many[i] = heap.world.touching({probe, poses[i]});
  });
  EXPECT_EQ(one, many);
}

TEST(World, AsksTheFilterOncePerPair) {
  World world;
  const BodyId a = world.add(Sphere{1}, Pose(Vector3(0, 0, 0)));
  const BodyId b = world.add(Sphere{1}, Pose(Vector3(1, 0, 0)));
  const BodyId c = world.add(Sphere{1}, Pose(Vector3(2, 0, 0)));
  std::map<WorldPair, int> asked;
  world.set_filter([&](BodyId x, BodyId y) {
    ++asked[{x, y}];
    return x != a || y != b;
  });
  world.update();
  EXPECT_EQ(to_vector(world.touching()), (std::vector<WorldPair>{{a, c}, {b, c}}));
  for (int i = 0; i < 5; ++i) {
    world.move(b, Pose(Vector3(1, 0.01 * i, 0)));
    world.update();
  }
  for (const auto& [pair, times] : asked)
    EXPECT_EQ(times, 1);
  world.set_filter(nullptr);
  world.update();
  EXPECT_EQ(world.touching().size(), 3u);
  ASSERT_EQ(world.events().size(), 3u);
  EXPECT_EQ(world.events()[0].change, TouchChange::began);
  EXPECT_EQ(world.events()[1].change, TouchChange::stays);
}

TEST(World, ANewFilterTakesEffectAtTheNextUpdate) {
  World world;
  const BodyId a = world.add(Sphere{1}, Pose(Vector3(0, 0, 0)));
  const BodyId b = world.add(Sphere{1}, Pose(Vector3(1, 0, 0)));
  world.update();
  world.set_filter([](BodyId, BodyId) { return false; });
  EXPECT_FALSE(world.may_meet(a, b));
  EXPECT_EQ(world.touching().size(), 1u);
  EXPECT_EQ(world.closer_than(1).size(), 1u);
  world.update();
  EXPECT_TRUE(world.touching().empty());
  EXPECT_TRUE(world.closer_than(1).empty());
  world.set_filter(nullptr);
  EXPECT_TRUE(world.may_meet(a, b));
  EXPECT_TRUE(world.closer_than(1).empty());
  world.update();
  EXPECT_EQ(world.closer_than(1).size(), 1u);
}

TEST(World, ASwitchAndANewFilterAtOnceForgetNoPair) {
  World world;
  const BodyId a = world.add(Sphere{1}, Pose(Vector3(0, 0, 0)));
  const BodyId b = world.add(Sphere{1}, Pose(Vector3(1, 0, 0)));
  const BodyId c = world.add(Sphere{1}, Pose(Vector3(2, 0, 0)));
  world.set_filter([&](BodyId x, BodyId y) { return x != a || y != b; });
  world.switch_off(b, c);
  world.update();
  EXPECT_EQ(to_vector(world.touching()), (std::vector<WorldPair>{{a, c}}));
  // Nothing moves.
  world.set_filter(nullptr);
  world.switch_on(b, c);
  world.switch_off(b, c);
  world.switch_on(b, c);
  world.update();
  EXPECT_EQ(to_vector(world.touching()), (std::vector<WorldPair>{{a, b}, {a, c}, {b, c}}));
}

TEST(World, RefusesWhatMakesNoSenseAndStaysAsItWas) {
  World world;
  const BodyId a = world.add(Sphere{1});
  const BodyId b = world.add(Sphere{1}, Pose(Vector3(1, 0, 0)));
  const BodyId box = world.add_box(Aabb{{5, 5, 5}, {6, 6, 6}});
  world.update();
  ASSERT_EQ(world.touching().size(), 1u);
  const BodyId both[] = {a, BodyId{7, 7}};
  const Pose poses[] = {Pose(Vector3(50, 0, 0)), Pose()};
  EXPECT_THROW(world.move(both, poses), Error);
  EXPECT_THROW(world.move(box, Pose()), Error);
  EXPECT_THROW(world.move_box(a, Aabb{{0, 0, 0}, {1, 1, 1}}), Error);
  EXPECT_THROW(world.move_box(box, Aabb{}), Error);
  EXPECT_THROW(world.add_box(Aabb{{0, 0, 0}, {std::nan(""), 1, 1}}), Error);
  EXPECT_THROW(world.switch_off(a, a), Error);
  EXPECT_EQ(world.size(), 3u);
  world.update();
  EXPECT_EQ(world.touching().size(), 1u);
  EXPECT_EQ(world.report().moved, 0u);

  world.remove(a);
  EXPECT_THROW(world.remove(a), Error);
  EXPECT_THROW(world.move(a, Pose()), Error);
  // Until the update, everything stays as it was.
  EXPECT_EQ(world.touching().size(), 1u);
  world.update();
  EXPECT_EQ(world.touching().size(), 0u);
  ASSERT_EQ(world.events().size(), 1u);
  EXPECT_EQ(world.events()[0].pair, (WorldPair{a, b}));
  EXPECT_EQ(world.events()[0].change, TouchChange::ended);
  const BodyId again = world.add(Sphere{1});
  EXPECT_NE(again, a);
  EXPECT_FALSE(world.contains(a));
  EXPECT_TRUE(world.contains(again));
}

}  // namespace
}  // namespace whisker
