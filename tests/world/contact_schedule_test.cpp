// The schedule of pairs, compared with testing all of them at every step.

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include <whisker/error.hpp>
#include <whisker/make/make.hpp>
#include <whisker/mesh.hpp>
#include <whisker/world/contact_schedule.hpp>

#include "support/cases.hpp"
#include "world/random_bodies.hpp"

namespace whisker {
namespace {

using test::cases;
using test::random_vector;
using test::seeded;
using test::uniform;

/// Bodies that fly and rotate in a box and bounce off its walls. Bodies that touch exchange their velocities.
struct BounceBox {
  static constexpr double half = 2.5;
  static constexpr double step = 0.02;

  struct Body {
    BodyId id;
    Pose pose;
    Vector3 velocity;
    Vector3 axis;
    double spin;
    double radius;
  };

  std::mt19937_64& random;
  World world;
  std::vector<Body> bodies;
  double gravity;

  BounceBox(std::mt19937_64& generator, int count, bool has_meshes, double pull) : random(generator), gravity(pull) {
    for (int axis = 0; axis < 3; ++axis) {
      for (const double side : {-1.0, 1.0})
        world.add(HalfSpace{-side * Vector3::Unit(axis), -half}, {}, {.is_static = true});
    }
    for (int i = 0; i < count; ++i) {
      Body body;
      body.pose.set_translation(random_vector(random, half - 1));
      body.velocity = random_vector(random, 2);
      body.axis = random_vector(random, 1).normalized();
      body.spin = uniform(random, 0, 2);
      body.radius = 0.5;
      std::vector<Vector3> points;
      for (int k = 0; k < 10; ++k)
        points.push_back(0.4 * random_vector(random, 1).normalized());
      Shape shape = i % 3 == 0 ? Shape(Sphere{0.3}) : Shape(ConvexHull(points));
      if (has_meshes && i % 3 == 1) shape = Mesh(make::torus({.major = 0.3, .minor = 0.1, .around = 12, .across = 6}));
      body.id = world.add(shape, body.pose);
      bodies.push_back(body);
    }
  }
  MotionLimits limits(const Body& body) const {
    return {.velocity = body.velocity, .acceleration = gravity, .spin = body.spin};
  }
  void fly() {
    for (Body& body : bodies) {
      body.pose.set_translation(body.pose.translation() + body.velocity * step);
      body.velocity[2] -= gravity * step;
      const Matrix3 turned = Eigen::AngleAxisd(body.spin * step, body.axis).toRotationMatrix() * body.pose.rotation();
      body.pose.set_rotation(Eigen::Quaterniond(turned).normalized().toRotationMatrix());
      world.move(body.id, body.pose);
    }
  }
  std::set<WorldPair> touching() const {
    std::set<WorldPair> result;
    const std::vector<BodyId> ids = world.bodies();
    for (std::size_t i = 0; i < ids.size(); ++i)
      for (std::size_t j = i + 1; j < ids.size(); ++j)
        if (world.may_meet(ids[i], ids[j]) &&
            touches({world.shape(ids[i]), world.pose(ids[i])}, {world.shape(ids[j]), world.pose(ids[j])}))
          result.insert({ids[i], ids[j]});
    return result;
  }
  /// Touching bodies fly apart, and bodies at a wall turn back.
  void respond(std::span<const WorldPair> pairs, ContactSchedule& schedule) {
    const auto find = [&](BodyId id) {
      return std::find_if(bodies.begin(), bodies.end(), [&](const Body& body) { return body.id == id; });
    };
    std::set<BodyId> changed;
    for (const WorldPair& pair : pairs) {
      const auto a = find(pair.a), b = find(pair.b);
      if (a == bodies.end() || b == bodies.end()) continue;
      const Vector3 between = b->pose.translation() - a->pose.translation();
      if ((a->velocity - b->velocity).dot(between) <= 0) continue;
      std::swap(a->velocity, b->velocity);
      changed.insert(a->id);
      changed.insert(b->id);
    }
    for (Body& body : bodies) {
      for (int axis = 0; axis < 3; ++axis) {
        const double at = body.pose.translation()[axis];
        if (std::abs(at) > half - body.radius && at * body.velocity[axis] > 0) {
          body.velocity[axis] = -body.velocity[axis];
          changed.insert(body.id);
        }
      }
      if (gravity > 0 || changed.contains(body.id)) schedule.set_limits(body.id, limits(body));
    }
  }
};

void run(BounceBox& box, int steps, double& share) {
  ContactSchedule schedule(box.world);
  for (const BounceBox::Body& body : box.bodies)
    schedule.set_limits(body.id, box.limits(body));
  std::size_t looked = 0, all = 0, touched = 0;
  for (int i = 0; i < steps; ++i) {
    const auto found = schedule.advance(i * BounceBox::step);
    ASSERT_TRUE(std::is_sorted(found.begin(), found.end()));
    ASSERT_EQ(std::set<WorldPair>(found.begin(), found.end()), box.touching()) << "step " << i;
    if (i > 0) {
      looked += schedule.looked_at();
      all += schedule.pairs();
    }
    touched += found.size();
    box.respond(found, schedule);
    box.fly();
  }
  EXPECT_GT(touched, 10u);
  share = static_cast<double>(looked) / static_cast<double>(all);
}

struct BounceCase {
  const char* name;
  std::uint64_t stream;
  std::size_t runs;
  int bodies;
  bool has_meshes;
  double gravity;
  int steps;
  double largest_share;
};

struct ContactSchedules : testing::TestWithParam<BounceCase> {};

TEST_P(ContactSchedules, SkipNoPairThatTouches) {
  const BounceCase& c = GetParam();
  auto random = seeded(c.stream);
  for (std::size_t i = 0; i < cases(c.runs); ++i) {
    BounceBox box(random, c.bodies, c.has_meshes, c.gravity);
    double share = 1;
    ASSERT_NO_FATAL_FAILURE(run(box, c.steps, share));
    EXPECT_LT(share, c.largest_share);
  }
}

INSTANTIATE_TEST_SUITE_P(BounceBoxes, ContactSchedules,
                         testing::Values(BounceCase{"Flying", 111, 3, 30, false, 0, 150, 0.2},
                                         BounceCase{"Falling", 112, 2, 30, false, 3, 100, 0.4},
                                         BounceCase{"Meshes", 113, 1, 24, true, 0, 60, 0.3}),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST(ContactSchedule, KeepsUpWithBodiesThatComeAndGo) {
  auto random = seeded(114);
  World world;
  ContactSchedule schedule(world);
  std::vector<BodyId> ids;
  for (int step = 0; step < 200; ++step) {
    if (ids.size() < 5 || random() % 3 == 0) {
      ids.push_back(world.add(Sphere{0.5}, Pose(random_vector(random, 2))));
      schedule.add(ids.back());
    } else if (random() % 2 == 0) {
      const std::size_t i = random() % ids.size();
      schedule.remove(ids[i]);
      world.remove(ids[i]);
      ids[i] = ids.back();
      ids.pop_back();
    } else {
      const BodyId id = ids[random() % ids.size()];
      world.move(id, Pose(random_vector(random, 2)));
      schedule.reset(id);
    }
    std::set<WorldPair> expected;
    for (const BodyId a : ids)
      for (const BodyId b : ids)
        if (a < b && touches({world.shape(a), world.pose(a)}, {world.shape(b), world.pose(b)})) expected.insert({a, b});
    const auto found = schedule.advance(step);
    ASSERT_EQ(std::set<WorldPair>(found.begin(), found.end()), expected) << "step " << step;
  }
}

TEST(ContactSchedule, TellsTheEarliestTime) {
  EXPECT_EQ(earliest_contact(1, 0, 0), HUGE_VAL);
  EXPECT_EQ(earliest_contact(1, -1, 0), HUGE_VAL);
  EXPECT_EQ(earliest_contact(0, -1, 0), 0);
  EXPECT_NEAR(earliest_contact(3, 2, 0), 1.5, 1e-9);
  auto random = seeded(115);
  for (std::size_t i = 0; i < cases(2000); ++i) {
    const double gap = std::pow(10, uniform(random, -9, 3)), closing = uniform(random, -10, 10),
                 growth = std::pow(10, uniform(random, -12, 3));
    const double t = earliest_contact(gap, closing, growth);
    const double closed = closing * t + growth * t * t / 2;
    EXPECT_LE(closed, gap);
    EXPECT_GE(closed, gap - 1e-9 * (gap + std::abs(closing) * t));
  }
}

TEST(ContactSchedule, RefusesWhatMakesNoSense) {
  World world;
  const BodyId a = world.add(Sphere{1});
  ContactSchedule schedule(world);
  EXPECT_THROW(schedule.add(a), Error);
  EXPECT_THROW(schedule.set_limits({7, 0}, {}), Error);
  EXPECT_THROW(schedule.set_limits(a, {.spin = -1}), Error);
  schedule.advance(1);
  EXPECT_THROW(schedule.advance(0.5), Error);
  EXPECT_THROW(schedule.advance(std::nan("")), Error);
}

}  // namespace
}  // namespace whisker
