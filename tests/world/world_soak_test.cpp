// Worlds that run for long, with everything that can happen to them: memory does not grow, and results stay right.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>
#include <stdexcept>
#include <unistd.h>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include <whisker/error.hpp>
#include <whisker/methods/broad_phases.hpp>

#include "support/cases.hpp"
#include "world/random_bodies.hpp"

namespace whisker {
namespace {

using test::cases;
using test::pair_of;
using test::random_shape;
using test::random_vector;
using test::seeded;
using test::to_vector;
using test::turned_pose;
using test::uniform;

// Sanitizers keep freed memory.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool is_sanitized = true;
#elif defined(__has_feature)
constexpr bool is_sanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool is_sanitized = false;
#endif

/// The resident memory of the process in KiB; 0 if it is unknown.
std::size_t resident_memory() {
  std::size_t total = 0, resident = 0;
  if (std::FILE* const file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%zu %zu", &total, &resident) != 2) resident = 0;
    std::fclose(file);
  }
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) / 1024;
}

/// Only boxes, with everything that can happen to them, many times over: the stored data must not grow.
TEST(WorldSoak, BoxesRunForLongWithoutGrowing) {
  auto random = seeded(107);
  World world({.tests_shapes = false});
  std::vector<BodyId> ids;
  std::map<BodyId, Aabb> boxes;
  const auto random_box = [&] {
    const Vector3 middle = random_vector(random, 10);
    const Vector3 half = Vector3(uniform(random, 0, 1), uniform(random, 0, 1), uniform(random, 0, 1));
    return Aabb{middle - half, middle + half};
  };
  const std::size_t steps = cases(20000);
  std::uint32_t highest = 0;
  for (std::size_t step = 0; step < steps; ++step) {
    const auto what = random() % 10;
    if (ids.size() < 20 || (what == 0 && ids.size() < 60)) {
      const Aabb box = random_box();
      const BodyId id = world.add_box(box, {.is_static = random() % 4 == 0});
      EXPECT_FALSE(boxes.contains(id));
      ids.push_back(id);
      boxes[id] = box;
      highest = std::max(highest, id.slot);
    } else if (what == 1) {
      const std::size_t i = random() % ids.size();
      world.remove(ids[i]);
      boxes.erase(ids[i]);
      ids[i] = ids.back();
      ids.pop_back();
    } else {
      const BodyId id = ids[random() % ids.size()];
      boxes[id] = random_box();
      world.move_box(id, boxes[id]);
    }
    if (random() % 3 != 0) continue;
    world.update();
    std::vector<WorldPair> expected;
    for (auto a = boxes.begin(); a != boxes.end(); ++a)
      for (auto b = std::next(a); b != boxes.end(); ++b)
        if (a->second.overlaps(b->second) && world.may_meet(a->first, b->first))
          expected.push_back({a->first, b->first});
    ASSERT_EQ(to_vector(world.touching()), expected) << "step " << step;
    for (const WorldPair& pair : expected)
      ASSERT_TRUE(world.box(pair.a).overlaps(world.box(pair.b)));
  }
  // Slots are reused.
  EXPECT_LT(highest, 130u);
}

/// Bodies with shapes, all calls of the world, valid and invalid, limits of all kinds, and filters and shapes that
/// throw.
///
/// A model records what was last reported about each pair. At each update, the reported pairs and events must be
/// consistent with the model, and what is reported about pairs that are not open must be true.
struct Soak {
  struct Body {
    Shape shape;
    Pose pose;
    BodyOptions options;
  };
  static constexpr std::size_t max_bodies = 24;
  static constexpr double size = 1.6;

  std::mt19937_64 random;
  World world;
  std::vector<Shape> shapes;
  std::map<BodyId, Body> bodies;
  std::set<WorldPair> off;
  std::set<WorldPair> touched;  // as last reported
  std::uint32_t highest_slot = 0;
  std::size_t updates = 0, open_updates = 0, errors = 0, told = 0;
  bool shape_fails = false, filter_fails = false;
  int filter = 0;  // which filter is set

  Soak(std::uint64_t stream, const WorldOptions& options) : random(seeded(stream)), world(options) {
    for (int i = 0; i < 20; ++i)
      shapes.push_back(random_shape(random));
    for (const int count : {20, 100, 300}) {
      std::vector<Vector3> points;
      for (int i = 0; i < count; ++i)
        points.push_back(0.5 * random_vector(random, 1).normalized());
      shapes.push_back(ConvexHull(points));
    }
    shapes.push_back(HalfSpace{{0.1, 0.2, 1}, -size});
    shapes.push_back(HalfSpace{{0, 0, 1}, -size});
    shapes.push_back(CustomConvex(
        [this](const Vector3& d) {
          if (shape_fails) throw std::runtime_error("the shape fails");
          return Vector3(0.4 * d.normalized());
        },
        0));
  }

  BodyId any() { return std::next(bodies.begin(), static_cast<std::ptrdiff_t>(random() % bodies.size()))->first; }
  Shape any_shape() { return shapes[random() % shapes.size()]; }
  BodyOptions any_options() {
    BodyOptions result;
    result.is_static = random() % 5 == 0;
    result.layers = random() % 5 == 0 ? 2 : 1;
    result.meets = random() % 5 == 0 ? 1 : 3;
    result.margin = random() % 4 == 0 ? uniform(random, 0, 1) : 0;
    return result;
  }
  bool passes(BodyId a, BodyId b) const {
    return filter == 0 || (a.slot + b.slot) % 4 != static_cast<unsigned>(filter);
  }

  void change() {
    const auto what = bodies.size() < 8 ? 0 : random() % 20;
    if (what < 2) {
      if (bodies.size() >= max_bodies) return;
      const Body body{any_shape(), turned_pose(random, size), any_options()};
      const BodyId id = world.add(body.shape, body.pose, body.options);
      ASSERT_TRUE(bodies.insert({id, body}).second);
      highest_slot = std::max(highest_slot, id.slot);
    } else if (what == 2) {
      const BodyId id = any();
      world.remove(id);
      bodies.erase(id);
      std::erase_if(off, [&](const WorldPair& pair) { return pair.a == id || pair.b == id; });
      ASSERT_THROW(world.move(id, Pose()), Error);
    } else if (what == 3) {
      const BodyId id = any();
      bodies.at(id).shape = any_shape();
      world.reshape(id, bodies.at(id).shape);
    } else if (what == 4) {
      const BodyId id = any();
      bodies.at(id).options = any_options();
      world.set_options(id, bodies.at(id).options);
    } else if (what == 5) {
      const BodyId a = any(), b = any();
      if (a == b) return;
      if (off.erase(pair_of(a, b)) > 0) {
        world.switch_on(a, b);
      } else {
        off.insert(pair_of(a, b));
        world.switch_off(b, a);
      }
    } else if (what == 6) {
      if (random() % 8 != 0) return;
      filter = static_cast<int>(random() % 4);
      if (filter == 0) {
        world.set_filter(nullptr);
      } else {
        world.set_filter([this](BodyId a, BodyId b) {
          if (filter_fails) throw std::runtime_error("the filter fails");
          return passes(a, b);
        });
      }
    } else if (what == 7) {
      const BodyId two[] = {any(), BodyId{}};
      const Pose poses[] = {Pose(), Pose()};
      ASSERT_THROW(world.move(two, poses), Error);
    } else {
      const BodyId id = any();
      Pose& pose = bodies.at(id).pose;
      if (random() % 4 == 0) {
        pose = turned_pose(random, size);
      } else {
        pose.set_translation(pose.translation() + random_vector(random, 0.1));
        const Matrix3 turn = Eigen::AngleAxisd(uniform(random, -0.2, 0.2), Vector3::UnitX()).toRotationMatrix();
        pose.set_rotation(Eigen::Quaterniond(turn * pose.rotation()).normalized().toRotationMatrix());
      }
      world.move(id, pose);
    }
  }

  bool is_pair(const WorldPair& pair) const {
    const BodyOptions &x = bodies.at(pair.a).options, &y = bodies.at(pair.b).options;
    return (x.layers & y.meets) != 0 && (y.layers & x.meets) != 0 && !(x.is_static && y.is_static) &&
           !off.contains(pair) && passes(pair.a, pair.b);
  }

  void update() {
    UpdateOptions limits;
    if (random() % 3 == 0) limits.budget = random() % 20;
    if (random() % 20 == 0) limits.seconds = uniform(random, -1e-6, 2e-5);
    shape_fails = random() % 10 == 0;
    filter_fails = random() % 20 == 0;
    ++updates;
    try {
      world.update(limits);
    } catch (const std::runtime_error&) {
      ASSERT_TRUE(shape_fails || filter_fails);
      ++errors;
    }
    shape_fails = filter_fails = false;
    check();
  }

  void check() {
    const auto found = world.touching();
    ASSERT_TRUE(std::is_sorted(found.begin(), found.end()));
    const std::set<WorldPair> touching(found.begin(), found.end());
    ASSERT_EQ(touching.size(), found.size());
    std::set<WorldPair> open;
    for (const UnresolvedPair& left : world.unresolved()) {
      ASSERT_TRUE(open.insert(left.pair).second);
      ASSERT_LE(left.lower, left.upper);
      ASSERT_FALSE(touching.contains(left.pair));
    }
    if (!open.empty()) ++open_updates;
    ASSERT_EQ(world.report().stop, open.empty() ? Stop::exact : Stop::budget);
    ASSERT_EQ(world.report().unresolved, open.size());
    ASSERT_EQ(world.report().touching, touching.size());
    ASSERT_EQ(world.size(), bodies.size());
    // What is reported about a pair that is not open is true.
    std::set<WorldPair> now;
    for (auto a = bodies.begin(); a != bodies.end(); ++a) {
      for (auto b = std::next(a); b != bodies.end(); ++b) {
        const WorldPair pair{a->first, b->first};
        if (open.contains(pair)) {
          if (touched.contains(pair)) now.insert(pair);  // Unchanged.
          continue;
        }
        const bool expected =
            is_pair(pair) && touches({a->second.shape, a->second.pose}, {b->second.shape, b->second.pose});
        ASSERT_EQ(touching.contains(pair), expected) << "pair " << pair.a.slot << ", " << pair.b.slot;
        if (expected) now.insert(pair);
      }
    }
    // Events lead from what was last reported to what is reported now.
    const WorldPair* last = nullptr;
    for (const TouchEvent& event : world.events()) {
      if (last != nullptr) {
        ASSERT_LT(*last, event.pair);
      }
      last = &event.pair;
      ASSERT_FALSE(open.contains(event.pair));
      ASSERT_EQ(touched.contains(event.pair), event.change != TouchChange::began);
      if (event.change == TouchChange::ended) {
        touched.erase(event.pair);
      } else {
        ASSERT_TRUE(touching.contains(event.pair));
        touched.insert(event.pair);
      }
      ++told;
    }
    ASSERT_EQ(touched, now);
  }
};

TEST(WorldSoak, KeepsWhatItPromisesWhateverHappens) {
  const std::size_t steps = cases(20000);
  const BroadPhaseFactory kinds[] = {
      {}, static_and_moving(), column_sweep(), methods::sweep_and_prune(), methods::hashed_grid()};
  for (std::size_t kind = 0; kind < std::size(kinds); ++kind) {
    Soak soak(131 + kind,
              {.broad_phase = kinds[kind], .boxes = kind % 2 == 0 ? BodyBoxKind::tight : BodyBoxKind::cube});
    // The stored data grows with the maximum at any time, which a tenth of the steps reaches.
    std::size_t memory = 0;
    const std::size_t part = steps / std::size(kinds);
    for (std::size_t step = 0; step < part; ++step) {
      ASSERT_NO_FATAL_FAILURE(soak.change()) << "step " << step;
      if (soak.random() % 2 == 0) {
        ASSERT_NO_FATAL_FAILURE(soak.update()) << "step " << step;
      }
      if (step == part / 10) memory = resident_memory();
    }
    soak.world.update();
    EXPECT_EQ(soak.world.unresolved().size(), 0u);
    EXPECT_GT(soak.open_updates, soak.updates / 20);
    EXPECT_LT(soak.open_updates, soak.updates);
    EXPECT_GT(soak.told, soak.updates);
    // A slot is free again after the next update.
    EXPECT_LT(soak.highest_slot, 2 * Soak::max_bodies);
    const std::size_t at_end = resident_memory();
    if (!is_sanitized) {
      EXPECT_LT(at_end, memory + 4096);
    }
    std::printf("%zu steps, %zu updates (%zu left pairs open, %zu threw), %zu events; memory %zu KiB, at the end %zu\n",
                part, soak.updates, soak.open_updates, soak.errors, soak.told, memory, at_end);
  }
}

}  // namespace
}  // namespace whisker
