// After warm-up, a query of two meshes allocates nothing. Every form of operator new is counted.

#include <new>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/make/make.hpp>
#include <whisker/queries.hpp>

#include "support/count_allocations.hpp"
#include "support/mesh_cases.hpp"

namespace whisker {
namespace {

using test::cases;
using test::random_pose;
using test::seeded;

struct Scene {
  Shape a, b;
  Pose pose_a, pose_b;
};

std::vector<Scene> scenes() {
  auto random = seeded(3401);
  const std::vector<Mesh>& meshes = test::medium_meshes();
  std::vector<Scene> all;
  for (std::size_t i = 0; i < cases(200); ++i) {
    const std::size_t k = i % meshes.size(), m = (i * 7 + i / meshes.size()) % meshes.size();
    const bool solid = i % 3 == 0 && test::medium_models()[k].closed && test::medium_models()[m].closed;
    const Pose pose_a = random_pose(random, 0.6), pose_b = i % 10 == 0 ? pose_a : random_pose(random, 0.6);
    all.push_back({solid ? meshes[k].solid() : meshes[k], solid ? meshes[m].solid() : meshes[m], pose_a, pose_b});
  }
  return all;
}

/// The number of allocations when `ask` is called with every scene for the second time.
template <class Ask>
std::size_t allocations_of(const std::vector<Scene>& all, const Ask& ask) {
  for (const Scene& scene : all)
    ask(scene);
  const std::size_t before = allocations.load();
  for (const Scene& scene : all)
    ask(scene);
  return allocations.load() - before;
}

TEST(Allocations, AreCounted) {
  const std::size_t before = allocations.load();
  void* const some = ::operator new(80);  // a call, which unlike a new-expression no compiler may leave out
  EXPECT_GT(allocations.load(), before);
  ::operator delete(some);
}

TEST(Allocations, OfANewCacheAndOfACopyAreNone) {
  const std::size_t before = allocations.load();
  PairCache cache;
  const PairCache copy = cache;
  cache = copy;
  cache = PairCache();
  EXPECT_EQ(allocations.load(), before);
}

TEST(Allocations, OfTouchesAreNone) {
  EXPECT_EQ(allocations_of(scenes(), [](const Scene& s) { touches({s.a, s.pose_a}, {s.b, s.pose_b}); }), 0u);
}

TEST(Allocations, OfTouchesWithACacheAreNone) {
  PairCache cache;
  EXPECT_EQ(allocations_of(scenes(),
                           [&](const Scene& s) {
                             touches({s.a, s.pose_a}, {s.b, s.pose_b}, {.cache = &cache});
                           }),
            0u);
}

TEST(Allocations, OfContactsInReusedMemoryAreNone) {
  Contacts result;
  EXPECT_EQ(allocations_of(scenes(),
                           [&](const Scene& s) {
                             contacts({s.a, s.pose_a}, {s.b, s.pose_b}, {}, result);
                           }),
            0u);
}

TEST(Allocations, OfContactsWithALimitAreNone) {
  Contacts result;
  EXPECT_EQ(allocations_of(scenes(),
                           [&](const Scene& s) {
                             contacts({s.a, s.pose_a}, {s.b, s.pose_b}, {.max_count = 5}, result);
                           }),
            0u);
}

TEST(Allocations, OfDistanceAreNone) {
  EXPECT_EQ(allocations_of(scenes(), [](const Scene& s) { distance({s.a, s.pose_a}, {s.b, s.pose_b}); }), 0u);
}

TEST(Allocations, OfCloserThanAreNone) {
  EXPECT_EQ(allocations_of(scenes(), [](const Scene& s) { closer_than({s.a, s.pose_a}, {s.b, s.pose_b}, 0.1); }), 0u);
}

TEST(Allocations, OfADistanceWithABudgetAreNone) {
  PairCache cache;
  EXPECT_EQ(
      allocations_of(scenes(),
                     [&](const Scene& s) {
                       distance({s.a, s.pose_a}, {s.b, s.pose_b}, {.tolerance = 1e-3, .budget = 500, .cache = &cache});
                     }),
      0u);
}

}  // namespace
}  // namespace whisker
