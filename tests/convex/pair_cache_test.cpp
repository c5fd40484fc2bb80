// What a PairCache remembers after a copy, a move, and an exchange of the shapes.

#include <array>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/pair_cache.hpp>
#include <whisker/queries.hpp>

#include "convex/pair_memory.hpp"

namespace whisker {
namespace {

static_assert(std::is_nothrow_move_constructible_v<PairCache> && std::is_nothrow_move_assignable_v<PairCache>);
static_assert(std::is_copy_constructible_v<PairCache> && std::is_copy_assignable_v<PairCache>);
static_assert(std::is_trivially_copyable_v<PairMemory>, "plain numbers: a copy allocates nothing");

/// A cache that was used for two hulls when they overlapped and then when they were apart.
PairCache used_cache() {
  PairCache cache;
  const Shape hull = ConvexHull(std::vector<Vector3>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}});
  depth({hull, {}}, {hull, Pose(Vector3(0.1, 0.1, 0.1))}, {.cache = &cache});
  distance({hull, {}}, {hull, Pose(Vector3(3, 0.5, 0.25))}, {.cache = &cache});
  memory_of(cache).touching_a = 5;
  memory_of(cache).touching_b = 6;
  memory_of(cache).closest_a = 7;
  memory_of(cache).closest_b = 8;
  return cache;
}

void expect_same_numbers(const PairCache& a, const PairCache& b) {
  const PairMemory &m = memory_of(a), &n = memory_of(b);
  EXPECT_EQ(m.touching_a, n.touching_a);
  EXPECT_EQ(m.touching_b, n.touching_b);
  EXPECT_EQ(m.closest_a, n.closest_a);
  EXPECT_EQ(m.closest_b, n.closest_b);
  EXPECT_EQ(m.apart_along, n.apart_along);
  EXPECT_EQ(m.apart_a, n.apart_a);
  EXPECT_EQ(m.apart_b, n.apart_b);
  EXPECT_EQ(m.apart_misses, n.apart_misses);
  EXPECT_EQ(m.corner_count, n.corner_count);
  EXPECT_EQ(m.corners_a, n.corners_a);
  EXPECT_EQ(m.corners_b, n.corners_b);
}

TEST(PairCache, NewKnowsNothing) {
  PairCache cache;
  EXPECT_EQ(memory_of(cache).touching_a, PairMemory::none);
  EXPECT_EQ(memory_of(cache).closest_b, PairMemory::none);
  EXPECT_EQ(memory_of(cache).corner_count, 0u);
  EXPECT_EQ(warm_surface_of(cache), nullptr);
  EXPECT_EQ(memory_of(static_cast<PairCache*>(nullptr)), nullptr);
}

TEST(PairCache, QueriesFillIt) {
  PairCache cache = used_cache();
  EXPECT_GT(memory_of(cache).corner_count, 0u);
  EXPECT_NE(memory_of(cache).apart_along, (std::array<double, 3>{}));
  EXPECT_NE(warm_surface_of(cache), nullptr);
}

TEST(PairCache, ACopyHasTheNumbersAndNoSurface) {
  const PairCache cache = used_cache();
  PairCache copy(cache);
  expect_same_numbers(copy, cache);
  EXPECT_EQ(warm_surface_of(copy), nullptr);

  PairCache assigned = used_cache();
  assigned = cache;
  expect_same_numbers(assigned, cache);
  EXPECT_EQ(warm_surface_of(assigned), nullptr);

  assigned = used_cache();
  const auto* const surface = warm_surface_of(assigned).get();
  const PairCache& itself = assigned;
  assigned = itself;
  EXPECT_EQ(warm_surface_of(assigned).get(), surface) << "assigned to itself it stays as it is";
}

TEST(PairCache, AMoveTakesTheSurfaceAlong) {
  PairCache cache = used_cache();
  const PairCache numbers = cache;
  const auto* const surface = warm_surface_of(cache).get();
  PairCache moved(std::move(cache));
  expect_same_numbers(moved, numbers);
  EXPECT_EQ(warm_surface_of(moved).get(), surface);
  cache = std::move(moved);
  expect_same_numbers(cache, numbers);
  EXPECT_EQ(warm_surface_of(cache).get(), surface);
}

TEST(PairCache, ExchangedItHasTheNumbersTheOtherWayRoundAndNoDirection) {
  PairCache cache = used_cache();
  const PairCache before = cache;
  cache.exchange();
  EXPECT_EQ(memory_of(cache).touching_a, 6u);
  EXPECT_EQ(memory_of(cache).touching_b, 5u);
  EXPECT_EQ(memory_of(cache).closest_a, 8u);
  EXPECT_EQ(memory_of(cache).closest_b, 7u);
  EXPECT_EQ(memory_of(cache).corners_a, memory_of(before).corners_b);
  EXPECT_EQ(memory_of(cache).corners_b, memory_of(before).corners_a);
  EXPECT_EQ(memory_of(cache).apart_along, (std::array<double, 3>{}));
}

}  // namespace
}  // namespace whisker
