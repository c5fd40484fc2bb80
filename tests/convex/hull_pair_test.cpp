// The fast path for two hulls leaves unusual pairs to the general path for convex shapes. Where the fast path answers,
// its doubles equal those of the general path, with a cold and a warm cache, on all instruction sets.

#include "convex/hull_pair.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include <whisker/convex_hull.hpp>
#include <whisker/error.hpp>
#include <whisker/simd.hpp>

#include "convex/convex_body.hpp"
#include "convex/convex_queries.hpp"
#include "convex/pair_memory.hpp"
#include "support/cases.hpp"
#include "support/random_vectors.hpp"

namespace whisker {
namespace {

using test::cases;
using test::random_rotation;
using test::random_unit;
using test::seeded;
using test::uniform;

/// Points on an ellipsoid: hulls whose vertices are all placed (up to 48), scanned (up to 64), or looked up in cells.
std::vector<Shape> some_hulls(std::mt19937_64& random) {
  std::vector<Shape> hulls;
  for (const std::size_t count : {4u, 8u, 13u, 32u, 48u, 60u, 90u, 300u}) {
    std::vector<Vector3> points;
    for (std::size_t i = 0; i < count; ++i)
      points.push_back(random_unit(random).cwiseProduct(Vector3(1, 0.8, 0.6)));
    hulls.emplace_back(ConvexHull(points));
  }
  std::vector<Vector3> corners;
  for (int k = 0; k < 8; ++k)
    corners.emplace_back((k & 1) != 0 ? 1 : -1, (k & 2) != 0 ? 1 : -1, (k & 4) != 0 ? 1 : -1);
  hulls.emplace_back(ConvexHull(corners));
  return hulls;
}

std::uint64_t bits(double x) {
  return std::bit_cast<std::uint64_t>(x);
}
bool same_bits(const Vector3& a, const Vector3& b) {
  return bits(a[0]) == bits(b[0]) && bits(a[1]) == bits(b[1]) && bits(a[2]) == bits(b[2]);
}
std::string difference(const Distance& found, const Distance& expected) {
  if (bits(found.lower) != bits(expected.lower)) return "lower";
  if (bits(found.upper) != bits(expected.upper)) return "upper";
  if (!same_bits(found.point_a, expected.point_a)) return "point_a";
  if (!same_bits(found.point_b, expected.point_b)) return "point_b";
  if (!same_bits(found.normal, expected.normal)) return "normal";
  if (found.stop != expected.stop) return "stop";
  if (found.cost.primitive_tests != expected.cost.primitive_tests) return "supports";
  return "";
}

struct PlacedHulls {
  const Shape& a;
  const Shape& b;
  Pose pose_a;
  Pose pose_b;

  const ConvexHull& hull_a() const { return *a.as<ConvexHull>(); }
  const ConvexHull& hull_b() const { return *b.as<ConvexHull>(); }
};

Distance the_long_way(const PlacedHulls& pair, PairCache* cache) {
  DistanceOptions options;
  options.cache = cache;
  return convex::distance_convex_convex(convex::convex_body(pair.a, pair.pose_a),
                                        convex::convex_body(pair.b, pair.pose_b), options);
}
bool touches_the_long_way(const PlacedHulls& pair) {
  Cost cost;
  return convex::touches_convex_convex(convex::convex_body(pair.a, pair.pose_a),
                                       convex::convex_body(pair.b, pair.pose_b), nullptr, cost);
}

/// Random pairs: near and far, deep and in contact, some of them aligned.
PlacedHulls random_pair(const std::vector<Shape>& hulls, std::mt19937_64& random) {
  const Shape &a = hulls[random() % hulls.size()], &b = hulls[random() % hulls.size()];
  const bool is_aligned = random() % 8 == 0;
  const auto rotation = [&] { return is_aligned ? Matrix3(Matrix3::Identity()) : random_rotation(random); };
  const Pose pose_a(rotation(), Vector3(uniform(random, -2, 2) * random_unit(random)));
  const double apart = is_aligned ? 2 : uniform(random, 0, 3.5);
  const Vector3 along = is_aligned ? Vector3(Vector3::UnitX()) : random_unit(random);
  return {a, b, pose_a, Pose(rotation(), Vector3(pose_a.translation() + apart * along))};
}

class HullPair : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { ASSERT_TRUE(use_simd_target(GetParam())); }
  void TearDown() override { use_simd_target(""); }
};

TEST_P(HullPair, DistancesAreThoseOfTheLongWay) {
  std::mt19937_64 random = seeded(7401);
  const std::vector<Shape> hulls = some_hulls(random);
  std::size_t answered = 0, touching = 0;
  const std::size_t count = cases(100'000);
  for (std::size_t i = 0; i < count; ++i) {
    const PlacedHulls pair = random_pair(hulls, random);
    Distance found;
    convex::HullCorners corners;
    if (!convex::find_hull_distance(pair.hull_a(), pair.pose_a, pair.hull_b(), pair.pose_b, nullptr, found, corners))
      continue;
    ++answered;
    touching += found.upper == 0 ? 1 : 0;
    ASSERT_EQ(difference(found, the_long_way(pair, nullptr)), "") << "case " << i;
  }
  EXPECT_GT(answered, count * 8 / 10);
  EXPECT_GT(touching, count / 20);
}

TEST_P(HullPair, WarmDistancesAreThoseOfTheLongWayWithTheSameCache) {
  std::mt19937_64 random = seeded(7402);
  const std::vector<Shape> hulls = some_hulls(random);
  std::size_t answered = 0, asked = 0;
  for (std::size_t run = 0; run < cases(1'000); ++run) {
    PlacedHulls pair = random_pair(hulls, random);
    const Matrix3 turn = Eigen::AngleAxisd(uniform(random, 0, 0.05), random_unit(random)).toRotationMatrix();
    const Vector3 move = uniform(random, 0, 0.03) * random_unit(random);
    PairCache cache;
    for (int step = 0; step < 60; ++step, ++asked) {
      const PairCache before = cache;
      Distance found;
      convex::HullCorners corners;
      if (convex::find_hull_distance(pair.hull_a(), pair.pose_a, pair.hull_b(), pair.pose_b, &cache, found, corners)) {
        ++answered;
        PairCache other = before;
        ASSERT_EQ(difference(found, the_long_way(pair, &other)), "") << "run " << run << ", step " << step;
        EXPECT_EQ(memory_of(cache).corner_count, memory_of(other).corner_count);
        EXPECT_EQ(memory_of(cache).apart_along, memory_of(other).apart_along);
        for (std::size_t k = 0; k < memory_of(cache).corner_count; ++k) {
          EXPECT_EQ(memory_of(cache).corners_a[k], memory_of(other).corners_a[k]);
          EXPECT_EQ(memory_of(cache).corners_b[k], memory_of(other).corners_b[k]);
        }
      } else {
        the_long_way(pair, &cache);
      }
      pair.pose_b.set_rotation(
          Eigen::Quaterniond(Matrix3(turn * pair.pose_b.rotation())).normalized().toRotationMatrix());
      pair.pose_b.set_translation(pair.pose_b.translation() + move);
    }
  }
  EXPECT_GT(answered, asked * 8 / 10);
}

TEST_P(HullPair, ContactIsThatOfTheLongWayWithAndWithoutACache) {
  std::mt19937_64 random = seeded(7403);
  const std::vector<Shape> hulls = some_hulls(random);
  std::size_t answered = 0, touching = 0;
  const std::size_t count = cases(100'000);
  PairCache cache;  // used for other pairs too, which must not matter
  for (std::size_t i = 0; i < count; ++i) {
    const PlacedHulls pair = random_pair(hulls, random);
    for (PairCache* const used : {static_cast<PairCache*>(nullptr), &cache}) {
      Cost cost;
      const convex::HullContact found =
          convex::find_hull_contact(pair.hull_a(), pair.pose_a, pair.hull_b(), pair.pose_b, used, cost);
      if (found == convex::HullContact::unknown) continue;
      answered += used == nullptr ? 1 : 0;
      touching += found == convex::HullContact::touching ? 1 : 0;
      ASSERT_EQ(found == convex::HullContact::touching, touches_the_long_way(pair)) << "case " << i;
    }
  }
  EXPECT_GT(answered, count * 8 / 10);
  EXPECT_GT(touching, count / 10);
}

TEST_P(HullPair, WhatIsOutOfTheOrdinaryIsLeftToTheLongWay) {
  std::mt19937_64 random = seeded(7404);
  const std::vector<Shape> hulls = some_hulls(random);
  const auto is_answered = [&](const Pose& pose_a, const Pose& pose_b, PairCache* cache = nullptr) {
    Distance found;
    convex::HullCorners corners;
    Cost cost;
    const ConvexHull &a = *hulls[3].as<ConvexHull>(), &b = *hulls[4].as<ConvexHull>();
    const bool distance = convex::find_hull_distance(a, pose_a, b, pose_b, cache, found, corners);
    return distance || convex::find_hull_contact(a, pose_a, b, pose_b, cache, cost) != convex::HullContact::unknown;
  };
  const Pose good(random_rotation(random), Vector3(0, 0, 0)), beside(random_rotation(random), Vector3(3, 1, 0));
  EXPECT_TRUE(is_answered(good, beside));
  // At the same place; with a rotation as inexact as a pose allows; so far away that squares would overflow.
  EXPECT_FALSE(is_answered(good, Pose(beside.rotation(), good.translation())));
  const Pose rough(good.rotation() * (1 + 4e-10), good.translation()), far(good.rotation(), Vector3(0, 1e90, 0));
  const Pose close(beside.rotation(), Vector3(0.3, 0.1, 0));
  EXPECT_TRUE(is_answered(good, close));
  EXPECT_FALSE(is_answered(rough, close));
  EXPECT_FALSE(is_answered(close, rough));
  EXPECT_FALSE(is_answered(far, beside));
  EXPECT_FALSE(is_answered(beside, far));
  // A cache that belongs to larger hulls.
  PairCache cache;
  memory_of(cache).corner_count = 2;
  memory_of(cache).corners_a = {0, 200, 0, 0};
  Distance found;
  convex::HullCorners corners;
  EXPECT_FALSE(convex::find_hull_distance(*hulls[3].as<ConvexHull>(), good, *hulls[4].as<ConvexHull>(), beside, &cache,
                                          found, corners));
}

INSTANTIATE_TEST_SUITE_P(Targets, HullPair, testing::ValuesIn(simd_targets()),
                         [](const auto& target) { return target.param; });

}  // namespace
}  // namespace whisker
