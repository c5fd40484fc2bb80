// Many sphere bodies: all overlapping pairs are found down to the last leaf, budgets are kept and can be resumed, and
// interrupted results are true for the solids.

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/error.hpp>
#include <whisker/mesh_queries.hpp>
#include <whisker/simd.hpp>
#include <whisker/spheres/sphere_world.hpp>

#include "geometry/constants.hpp"
#include "spheres/sphere_body_cases.hpp"

namespace whisker {
namespace {

using test::cases;
using test::NamedBody;
using test::Random;
using test::random_pose;
using test::seeded;
using test::sphere_bodies;
using test::uniform;

struct SphereScene {
  SphereWorld world;
  std::vector<BodyId> ids;
};

SphereScene random_scene(Random& random, std::size_t count, double spread) {
  SphereScene scene;
  for (std::size_t i = 0; i < count; ++i) {
    const NamedBody& body = sphere_bodies()[static_cast<std::size_t>(random() % sphere_bodies().size())];
    scene.ids.push_back(scene.world.add(body.body, random_pose(random, spread)));
  }
  return scene;
}

/// Two bodies, and a sphere of each.
using Leaves = std::tuple<BodyId, BodyId, std::uint32_t, std::uint32_t>;

/// The gap of two spheres in the world; negative if they overlap.
double gap(const SphereWorld& world, BodyId a, std::uint32_t i, BodyId b, std::uint32_t j) {
  const BoundingSphere p = world.body(a).sphere(i), q = world.body(b).sphere(j);
  return (place(world.pose(a), p.center) - place(world.pose(b), q.center)).norm() - p.radius - q.radius;
}

/// All pairs of overlapping leaves below two spheres whose ancestors overlap as they are opened, the larger one first.
/// One call for each pair of spheres.
void descend(const SphereWorld& world, BodyId a, std::uint32_t i, BodyId b, std::uint32_t j, std::set<Leaves>& found) {
  if (gap(world, a, i, b, j) > 0) return;
  const SphereBody &p = world.body(a), &q = world.body(b);
  if (p.is_leaf(i) && q.is_leaf(j)) {
    found.insert({a, b, i, j});
  } else if (!p.is_leaf(i) && (q.is_leaf(j) || p.sphere(i).radius >= q.sphere(j).radius)) {
    for (std::uint32_t c = 0; c < p.child_count(i); ++c)
      descend(world, a, p.first_child(i) + c, b, j, found);
  } else {
    for (std::uint32_t c = 0; c < q.child_count(j); ++c)
      descend(world, a, i, b, q.first_child(j) + c, found);
  }
}

std::set<Leaves> found_leaves(const SphereWorld& world) {
  std::set<Leaves> found;
  for (const SpherePair& pair : world.pairs()) {
    if (pair.state == SpherePairState::inside) continue;
    for (const SphereContact& contact : world.contacts(pair))
      found.insert({pair.a, pair.b, contact.sphere_a, contact.sphere_b});
  }
  return found;
}

/// The distance of the solids of a pair.
Distance truth_of(const SphereWorld& world, const SpherePair& pair) {
  return distance({world.body(pair.a).mesh(), world.pose(pair.a)}, {world.body(pair.b).mesh(), world.pose(pair.b)});
}

TEST(SphereWorld, ToFullDepthItFindsAllLeavesOfAllPairs) {
  auto random = seeded(9601);
  std::size_t contacts = 0;
  for (std::size_t k = 0; k < cases(12); ++k) {
    SphereScene scene = random_scene(random, 8, k % 2 == 0 ? 1.0 : 2.5);
    SphereWorld& world = scene.world;
    world.begin_step();
    EXPECT_EQ(world.advance(), Stop::exact);
    const SphereFrame frame = world.collect();
    EXPECT_TRUE(frame.is_resolved);
    EXPECT_EQ(frame.open_pairs, 0u);
    std::set<Leaves> truth;
    std::size_t pairs = 0;
    for (std::size_t i = 0; i < scene.ids.size(); ++i) {
      for (std::size_t j = i + 1; j < scene.ids.size(); ++j) {
        descend(world, scene.ids[i], 0, scene.ids[j], 0, truth);
        pairs += gap(world, scene.ids[i], 0, scene.ids[j], 0) <= 0 ? 1u : 0u;
      }
    }
    EXPECT_EQ(frame.pairs, pairs);
    EXPECT_EQ(found_leaves(world), truth);
    contacts += truth.size();
  }
  EXPECT_GT(contacts, 100u);
}

/// Checks the results of a frame against the truth about the solids.
void expect_true(const SphereWorld& world, const SphereFrame& frame, OpenSpheres open) {
  std::size_t contacts = 0, touching = 0, still_open = 0;
  double worst = 0, best = infinity, squares = 0;
  for (const SpherePair& pair : world.pairs()) {
    const Distance truth = truth_of(world, pair);
    const SphereBody &a = world.body(pair.a), &b = world.body(pair.b);
    EXPECT_EQ(world.contacts(pair).size(), pair.contact_count);
    contacts += pair.contact_count;
    touching += pair.contact_count > 0 ? 1 : 0;
    still_open += pair.state == SpherePairState::open ? 1 : 0;
    EXPECT_GE(pair.upper, truth.lower);
    switch (pair.state) {
      case SpherePairState::apart:
        EXPECT_GT(truth.upper, 0);
        EXPECT_EQ(pair.contact_count, 0u);
        break;
      case SpherePairState::inside:
        EXPECT_EQ(truth.upper, 0);
        EXPECT_EQ(pair.contact_count, 1u);
        EXPECT_EQ(pair.upper, 0);
        break;
      case SpherePairState::contacts:
        EXPECT_GT(pair.contact_count, 0u);
        break;
      case SpherePairState::open:
        EXPECT_TRUE(pair.contact_count > 0 || open == OpenSpheres::penetration);
        break;
    }
    for (const SphereContact& contact : world.contacts(pair)) {
      worst = std::max(worst, contact.error);
      best = std::min(best, contact.error);
      squares += contact.error * contact.error;
      EXPECT_GE(contact.error, truth.lower);
      if (pair.state == SpherePairState::inside) continue;
      const std::uint32_t i = contact.sphere_a, j = contact.sphere_b;
      EXPECT_EQ(contact.is_open, !a.is_leaf(i) || !b.is_leaf(j));
      EXPECT_FALSE(contact.is_open && open == OpenSpheres::penetration);
      EXPECT_FALSE(contact.is_open && pair.state == SpherePairState::contacts);
      EXPECT_NEAR(contact.error, a.protrusion(i) + b.protrusion(j), 1e-12);
      EXPECT_NEAR(contact.depth, std::max(0.0, -gap(world, pair.a, i, pair.b, j)), 1e-12);
      EXPECT_NEAR(contact.normal.norm(), 1, 1e-12);
      EXPECT_GE(contact.weight, 0);
      const BoundingSphere p = a.sphere(i), q = b.sphere(j);
      EXPECT_LE((contact.point - place(world.pose(pair.a), p.center)).norm(), p.radius + 1e-12);
      EXPECT_LE((contact.point - place(world.pose(pair.b), q.center)).norm(), q.radius + 1e-12);
      const Vector3 centers = place(world.pose(pair.b), q.center) - place(world.pose(pair.a), p.center);
      EXPECT_NEAR(contact.normal.dot(centers), centers.norm(), 1e-12);
      const double smaller = std::min(p.radius, q.radius);
      EXPECT_LE(contact.weight, 4.2 * smaller * smaller * smaller);
    }
  }
  EXPECT_EQ(frame.contacts, contacts);
  EXPECT_EQ(frame.contacts, world.contacts().size());
  EXPECT_EQ(frame.touching_pairs, touching);
  EXPECT_EQ(frame.open_pairs, still_open);
  EXPECT_EQ(frame.is_resolved, still_open == 0);
  EXPECT_EQ(frame.pairs, world.pairs().size());
  EXPECT_EQ(frame.worst_error, worst);
  EXPECT_EQ(frame.best_error, contacts > 0 ? best : 0);
  if (contacts > 0) {
    EXPECT_NEAR(frame.root_mean_square_error, std::sqrt(squares / static_cast<double>(contacts)), 1e-12 * worst);
  }
}

TEST(SphereWorld, WhatItSaysOnAnInterruptIsTrueOfTheSolids) {
  auto random = seeded(9602);
  std::size_t open = 0, inside = 0, apart = 0;
  for (std::size_t k = 0; k < cases(12); ++k) {
    SphereScene scene = random_scene(random, 7, 1.0);
    SphereWorld& world = scene.world;
    // A speck inside a ball, and one in the cavity of a shell.
    for (const char* const hollow : {"ball", "shell"}) {
      const Pose place = random_pose(random, 10);
      world.add(test::sphere_body(hollow), place);
      world.add(test::sphere_body("speck"), Pose(place.translation()));
    }
    world.begin_step();
    Stop stop = Stop::budget;
    for (int step = 0; stop == Stop::budget && step < 1000; ++step) {
      for (const OpenSpheres policy : {OpenSpheres::repulsion, OpenSpheres::penetration})
        expect_true(world, world.collect(policy), policy);
      open += world.collect().open_pairs;
      stop = world.advance({.budget = 1000});
    }
    expect_true(world, world.collect(), OpenSpheres::repulsion);
    for (const SpherePair& pair : world.pairs()) {
      inside += pair.state == SpherePairState::inside ? 1 : 0;
      apart += pair.state == SpherePairState::apart ? 1 : 0;
    }
  }
  EXPECT_GT(open, 0u);
  EXPECT_GT(inside, 0u);
  EXPECT_GT(apart, 0u);
}

void expect_same(const SphereContact& p, const SphereContact& q) {
  EXPECT_EQ(p.sphere_a, q.sphere_a);
  EXPECT_EQ(p.sphere_b, q.sphere_b);
  EXPECT_EQ(p.point, q.point);
  EXPECT_EQ(p.normal, q.normal);
  EXPECT_EQ(p.depth, q.depth);
  EXPECT_EQ(p.weight, q.weight);
  EXPECT_EQ(p.error, q.error);
  EXPECT_EQ(p.is_open, q.is_open);
}

void expect_same(SphereWorld& p, SphereWorld& q) {
  const SphereFrame f = p.collect(), g = q.collect();
  EXPECT_EQ(f.updates, g.updates);
  EXPECT_EQ(f.tests, g.tests);
  EXPECT_EQ(f.worst_error, g.worst_error);
  EXPECT_EQ(f.root_mean_square_error, g.root_mean_square_error);
  ASSERT_EQ(p.pairs().size(), q.pairs().size());
  for (std::size_t i = 0; i < p.pairs().size(); ++i) {
    EXPECT_EQ(p.pairs()[i].a, q.pairs()[i].a);
    EXPECT_EQ(p.pairs()[i].b, q.pairs()[i].b);
    EXPECT_EQ(p.pairs()[i].state, q.pairs()[i].state);
    EXPECT_EQ(p.pairs()[i].upper, q.pairs()[i].upper);
  }
  ASSERT_EQ(p.contacts().size(), q.contacts().size());
  for (std::size_t i = 0; i < p.contacts().size(); ++i)
    expect_same(p.contacts()[i], q.contacts()[i]);
}

TEST(SphereWorld, InterruptedAndResumedItEndsAsUninterrupted) {
  auto random = seeded(9603);
  for (std::size_t k = 0; k < cases(10); ++k) {
    const std::uint64_t seed = random();
    Random first(seed), second(seed);
    SphereScene whole = random_scene(first, 8, 1.2), pieces = random_scene(second, 8, 1.2);
    if (k % 2 == 1) {
      const SphereWorld::Priority priority = [](const SpherePair& pair) { return (pair.a.slot + pair.b.slot) % 3; };
      whole.world.set_priority(priority);
      pieces.world.set_priority(priority);
    }
    whole.world.begin_step();
    whole.world.advance();
    pieces.world.begin_step();
    Stop stop = Stop::budget;
    for (int step = 0; stop == Stop::budget; ++step) {
      SphereBudget budget{.budget = static_cast<std::uint64_t>(uniform(random, 0, 200))};
      if (step % 5 == 4) budget = {.seconds = 1e-6};
      if (step % 5 == 3) budget = {.seconds = 0};
      stop = pieces.world.advance(budget);
      if (step % 7 == 0) pieces.world.collect(OpenSpheres::penetration);
    }
    expect_same(whole.world, pieces.world);
  }
}

TEST(SphereWorld, OperationsAreNeverMoreThanAllowedAndSpheresAreUpdatedOnce) {
  auto random = seeded(9604);
  for (std::size_t k = 0; k < cases(10); ++k) {
    SphereScene scene = random_scene(random, 8, 1.0);
    std::size_t spheres = 0;
    for (const BodyId id : scene.ids)
      spheres += scene.world.body(id).size() - 1;
    scene.world.begin_step();
    std::uint64_t allowed = 0, last_tests = 0;
    Stop stop = Stop::budget;
    while (stop == Stop::budget) {
      const auto more = static_cast<std::uint64_t>(uniform(random, 0, 300));
      allowed += more;
      stop = scene.world.advance({.budget = more});
      const SphereFrame frame = scene.world.collect();
      EXPECT_LE(frame.operations(), allowed);
      EXPECT_LE(frame.updates, frame.tests);
      EXPECT_LE(frame.updates, spheres);
      EXPECT_GE(frame.tests, last_tests);
      last_tests = frame.tests;
      if (stop == Stop::budget) {
        EXPECT_GT(frame.operations() + 3 * SphereBody::max_children, allowed);
      }
    }
    EXPECT_EQ(scene.world.advance({.budget = 10}), Stop::exact);
  }
}

TEST(SphereWorld, PairsWithAHigherPriorityAreResolvedFirst) {
  auto random = seeded(9605);
  for (std::size_t k = 0; k < cases(10); ++k) {
    SphereScene scene = random_scene(random, 8, 1.0);
    scene.world.set_priority([](const SpherePair& pair) { return (pair.a.slot * 7 + pair.b.slot * 3) % 4; });
    scene.world.begin_step();
    std::set<double> priorities;
    for (const SpherePair& pair : scene.world.pairs())
      priorities.insert(pair.priority);
    EXPECT_GT(priorities.size(), 1u);
    Stop stop = Stop::budget;
    while (stop == Stop::budget) {
      stop = scene.world.advance({.budget = 100});
      scene.world.collect();
      // While any pair is open, pairs with lower priority are still at their roots.
      double highest = -infinity;
      for (const SpherePair& pair : scene.world.pairs())
        if (pair.state == SpherePairState::open) highest = std::max(highest, pair.priority);
      for (const SpherePair& pair : scene.world.pairs()) {
        if (pair.priority >= highest) continue;
        ASSERT_EQ(pair.contact_count, 1u);
        EXPECT_EQ(scene.world.contacts(pair)[0].sphere_a, 0u);
        EXPECT_EQ(scene.world.contacts(pair)[0].sphere_b, 0u);
      }
    }
  }
}

TEST(SphereWorld, PairsOfEqualPriorityAdvanceTogether) {
  // Copies with the same overlap: however early the search ends, no pair is a whole level ahead of another.
  const SphereBody& body = sphere_bodies().front().body;
  SphereWorld world;
  for (int i = 0; i < 6; ++i)
    world.add(body, Pose(Vector3(10 * (i / 2), 0.9 * (i % 2), 0)));
  const auto level = [&](std::uint32_t i) { return i == 0 ? 0 : i < 1 + body.child_count(0) ? 1 : 2; };
  world.begin_step();
  ASSERT_EQ(world.pairs().size(), 3u);
  Stop stop = Stop::budget;
  std::size_t looks = 0;
  while (stop == Stop::budget) {
    stop = world.advance({.budget = 60});
    world.collect();
    int least = 10, most = 0;
    for (const SphereContact& contact : world.contacts()) {
      if (!contact.is_open) continue;
      const int sum = level(contact.sphere_a) + level(contact.sphere_b);
      least = std::min(least, sum);
      most = std::max(most, sum);
    }
    if (least <= most) {
      EXPECT_LE(most - least, 1);
      ++looks;
    }
  }
  EXPECT_GT(looks, 3u);
}

TEST(SphereWorld, APriorityOfMinusInfinityLeavesAPairOutAndNaNIsAnError) {
  const SphereBody& body = sphere_bodies().front().body;
  SphereWorld world;
  for (int i = 0; i < 3; ++i)
    world.add(body, Pose(Vector3(0.2 * i, 0, 0)));
  world.set_priority([](const SpherePair& pair) { return pair.a.slot == 0 ? -infinity : 1; });
  world.begin_step();
  ASSERT_EQ(world.pairs().size(), 1u);
  EXPECT_EQ(world.pairs()[0].a.slot, 1u);
  world.set_priority([](const SpherePair&) { return std::nan(""); });
  EXPECT_THROW(world.begin_step(), Error);
  EXPECT_TRUE(world.pairs().empty());
  EXPECT_EQ(world.advance(), Stop::exact);
  EXPECT_EQ(world.collect().contacts, 0u);
  world.set_priority({});
  world.begin_step();
  EXPECT_EQ(world.pairs().size(), 3u);
}

TEST(SphereWorld, EveryInstructionSetGivesTheSame) {
  auto random = seeded(9606);
  const std::uint64_t seed = random();
  Random first(seed);
  SphereScene reference = random_scene(first, 8, 1.0);
  reference.world.begin_step();
  reference.world.advance({.budget = 5000});
  for (const std::string& target : simd_targets()) {
    ASSERT_TRUE(use_simd_target(target));
    Random again(seed);
    SphereScene scene = random_scene(again, 8, 1.0);
    scene.world.begin_step();
    scene.world.advance({.budget = 5000});
    expect_same(reference.world, scene.world);
  }
  use_simd_target("");
}

TEST(SphereWorld, AStepIsOfWhereBodiesStoodWhenItBegan) {
  const SphereBody& body = sphere_bodies().front().body;
  SphereWorld world;
  const BodyId a = world.add(body), b = world.add(body, Pose(Vector3(0.5, 0, 0)));
  world.begin_step();
  world.advance({.budget = 50});
  world.move(a, Pose(Vector3(50, 0, 0)));
  world.remove(b);
  const BodyId c = world.add(sphere_bodies()[1].body, Pose(Vector3(50, 0, 0)));
  EXPECT_NE(c, b);
  EXPECT_EQ(world.advance(), Stop::exact);
  EXPECT_GT(world.collect().contacts, 0u);
  EXPECT_EQ(world.pairs()[0].b, b);
  EXPECT_THROW(world.move(b, {}), Error);
  world.begin_step();
  world.advance();
  world.collect();
  ASSERT_EQ(world.pairs().size(), 1u);
  EXPECT_EQ(world.pairs()[0].b, c);
  const BodyId d = world.add(body, Pose(Vector3(0.5, 0, 0)));  // in b's place, with another id
  EXPECT_NE(d, b);
  EXPECT_EQ(world.size(), 3u);
}

TEST(SphereWorld, BadCallsAreErrors) {
  const SphereBody& body = sphere_bodies().front().body;
  SphereWorld world;
  world.add(body);
  EXPECT_THROW(world.pose(BodyId{7, 0}), Error);
  EXPECT_THROW(world.remove(BodyId{}), Error);
  EXPECT_THROW(world.advance({.seconds = std::nan("")}), Error);
  world.begin_step();  // one body, no pair
  EXPECT_EQ(world.advance(), Stop::exact);
  EXPECT_TRUE(world.collect().is_resolved);
}

}  // namespace
}  // namespace whisker
