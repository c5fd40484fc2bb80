// After warm-up, queries of sphere bodies and steps of their worlds allocate nothing. Every form of operator new is
// counted.

#include <new>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/spheres/sphere_query.hpp>
#include <whisker/spheres/sphere_world.hpp>

#include "spheres/sphere_body_cases.hpp"
#include "support/count_allocations.hpp"

namespace whisker {
namespace {

using test::BodyPair;
using test::cases;
using test::random_pose;
using test::seeded;
using test::sphere_bodies;

std::vector<BodyPair> some_pairs() {
  auto random = seeded(9801);
  std::vector<BodyPair> all;
  for (std::size_t i = 0; i < cases(162); ++i)
    all.push_back(test::random_body_pair(random, i));
  return all;
}

/// The number of allocations when `ask` is called with every pair for the second time.
template <class Ask>
std::size_t allocations_of(const Ask& ask) {
  const std::vector<BodyPair> all = some_pairs();
  for (const BodyPair& pair : all)
    ask(pair);
  const std::size_t before = allocations.load();
  for (const BodyPair& pair : all)
    ask(pair);
  return allocations.load() - before;
}

TEST(SphereAllocations, AreCounted) {
  const std::size_t before = allocations.load();
  void* const some = ::operator new(80);  // a call, which unlike a new-expression no compiler may leave out
  EXPECT_GT(allocations.load(), before);
  ::operator delete(some);
}

TEST(SphereAllocations, OfAQueryThatIsRestartedAreNone) {
  SphereQuery query;
  EXPECT_EQ(allocations_of([&](const BodyPair& pair) {
              query.restart({pair.a->body, pair.pose_a}, {pair.b->body, pair.pose_b});
              query.advance({.budget = 500});
              query.result();
              query.advance();
              query.result();
            }),
            0u);
}

TEST(SphereAllocations, OfTouchesAndDistanceAreNone) {
  EXPECT_EQ(allocations_of([&](const BodyPair& pair) {
              const Placed a(pair.a->body, pair.pose_a), b(pair.b->body, pair.pose_b);
              touches(a, b);
              distance(a, b, {.budget = 1000});
              distance(a, b);
              touches({Sphere{0.3}, pair.pose_a}, b);
              distance({Sphere{0.3}, pair.pose_a}, b);
            }),
            0u);
}

TEST(SphereAllocations, OfContactsInReusedMemoryAreNone) {
  SphereContacts found;
  std::vector<SphereContact> few;
  EXPECT_EQ(allocations_of([&](const BodyPair& pair) {
              const Placed a(pair.a->body, pair.pose_a), b(pair.b->body, pair.pose_b);
              sphere_contacts(a, b, {}, found);
              reduce_contacts(found.pairs, 4, few);
              sphere_contacts({Box{Vector3(0.2, 0.3, 0.4)}, pair.pose_a}, b, {}, found);
            }),
            0u);
}

TEST(SphereAllocations, OfStepsOfAWorldAreNone) {
  SphereWorld world;
  std::vector<BodyId> ids;
  for (int i = 0; i < 10; ++i)
    ids.push_back(world.add(sphere_bodies()[static_cast<std::size_t>(i) % sphere_bodies().size()].body));
  world.set_priority([](const SpherePair& pair) { return pair.a.slot % 2; });
  const auto frames = [&] {
    auto random = seeded(9802);
    for (std::size_t k = 0; k < cases(20); ++k) {
      for (const BodyId id : ids)
        world.move(id, random_pose(random, 1.5));
      world.begin_step();
      world.advance({.budget = 3000});
      world.collect(OpenSpheres::penetration);
      world.advance();
      world.collect();
    }
  };
  frames();
  const std::size_t before = allocations.load();
  frames();
  EXPECT_EQ(allocations.load(), before);
}

}  // namespace
}  // namespace whisker
