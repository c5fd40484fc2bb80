// Batches of convex shapes, whose pairs are processed in SIMD lanes, give the same doubles as single calls: in all
// families of cases, with all options, on all instruction sets, in both forms, whatever the number of pairs and
// threads.

#include "convex/convex_batch.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <tbb/global_control.h>
#include <vector>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include <whisker/batch.hpp>
#include <whisker/convex_hull.hpp>
#include <whisker/error.hpp>
#include <whisker/simd.hpp>

#include "support/booleans.hpp"
#include "support/cases.hpp"
#include "support/convex_cases.hpp"
#include "support/random_vectors.hpp"

namespace whisker {
namespace {

using test::Booleans;
using test::cases;
using test::normal_pose;
using test::seeded;
using test::uniform;

class ForcedTarget {
 public:
  explicit ForcedTarget(const std::string& name) { EXPECT_TRUE(use_simd_target(name)) << name; }
  ~ForcedTarget() { use_simd_target(""); }
  ForcedTarget(const ForcedTarget&) = delete;
  ForcedTarget& operator=(const ForcedTarget&) = delete;
};

std::uint64_t bits(double x) {
  return std::bit_cast<std::uint64_t>(x);
}
bool same_bits(const Vector3& a, const Vector3& b) {
  return bits(a[0]) == bits(b[0]) && bits(a[1]) == bits(b[1]) && bits(a[2]) == bits(b[2]);
}

/// Compares every field, including the signs of zeros.
std::string difference(const Distance& found, const Distance& expected) {
  if (bits(found.lower) != bits(expected.lower)) return "lower";
  if (bits(found.upper) != bits(expected.upper)) return "upper";
  if (!same_bits(found.point_a, expected.point_a)) return "point_a";
  if (!same_bits(found.point_b, expected.point_b)) return "point_b";
  if (!same_bits(found.normal, expected.normal)) return "normal";
  if (found.feature_a != expected.feature_a || found.feature_b != expected.feature_b) return "feature";
  if (found.stop != expected.stop) return "stop";
  if (found.cost.primitive_tests != expected.cost.primitive_tests) return "primitive tests";
  if (found.cost.volume_tests != expected.cost.volume_tests) return "volume tests";
  return "";
}

/// The number of results of a batch that differ from single calls, and a description of the first.
struct Differences {
  std::size_t count = 0;
  std::string first;

  void add(const std::string& what, std::size_t i) {
    if (what.empty()) return;
    if (count++ == 0) first = what + " of number " + std::to_string(i);
  }
};

Shape random_hull(std::mt19937_64& random, int points) {
  std::normal_distribution<double> normal;
  const Vector3 radii(uniform(random, 0.5, 1.2), uniform(random, 0.5, 1.2), uniform(random, 0.5, 1.2));
  std::vector<Vector3> corners;
  for (int i = 0; i < points; ++i) {
    const Vector3 direction = Vector3(normal(random), normal(random), normal(random)).normalized();
    corners.push_back(direction.cwiseProduct(radii));
  }
  return ConvexHull(corners);
}

/// Pairs together with the shapes that they refer to.
struct Pairs {
  std::vector<std::unique_ptr<Shape>> shapes;
  std::vector<ShapePair> pairs;

  void add(const Shape& a, const Shape& b, const Pose& pose_a, const Pose& pose_b) {
    shapes.push_back(std::make_unique<Shape>(a));
    shapes.push_back(std::make_unique<Shape>(b));
    pairs.push_back({shapes[shapes.size() - 2].get(), shapes.back().get(), pose_a, pose_b});
  }
};

/// Pairs of a hull and each kind that is processed in lanes, and a few others in between, of all families.
Pairs pairs_of_all_families(std::size_t from, std::size_t to) {
  constexpr auto hull = static_cast<std::size_t>(ShapeKind::convex_hull);
  Pairs all;
  for (std::size_t number = from; number < to; ++number) {
    for (const ShapeKind kind : {ShapeKind::sphere, ShapeKind::capsule, ShapeKind::box, ShapeKind::convex_hull,
                                 ShapeKind::triangle, ShapeKind::ellipsoid}) {
      if (number % 4 != 0 && (kind == ShapeKind::triangle || kind == ShapeKind::ellipsoid)) continue;
      const auto other = static_cast<std::size_t>(kind);
      const bool first = number % 2 == 0;
      const test::ConvexCase c =
          first ? test::make_convex_case(hull, other, number) : test::make_convex_case(other, hull, number);
      all.add(c.a.shape, c.b.shape, c.pose_a, c.pose_b);
    }
  }
  return all;
}

std::vector<Distance> single_distances(const std::vector<ShapePair>& pairs, const DistanceOptions& options = {}) {
  std::vector<Distance> result;
  for (const ShapePair& pair : pairs)
    result.push_back(distance({*pair.a, pair.pose_a}, {*pair.b, pair.pose_b}, options));
  return result;
}

void expect_distances(const std::vector<ShapePair>& pairs, const std::vector<Distance>& expected,
                      const DistanceOptions& options = {}) {
  std::vector<Distance> found(pairs.size());
  distance(pairs, options, found);
  Differences differences;
  for (std::size_t i = 0; i < pairs.size(); ++i)
    differences.add(difference(found[i], expected[i]), i);
  EXPECT_EQ(differences.count, 0u) << "of " << pairs.size() << ", first: " << differences.first;
}

void expect_touches(const std::vector<ShapePair>& pairs, const std::vector<bool>& expected) {
  Booleans found(pairs.size());
  touches(pairs, found);
  Differences differences;
  for (std::size_t i = 0; i < pairs.size(); ++i)
    differences.add(found[i] == expected[i] ? "" : "touches", i);
  EXPECT_EQ(differences.count, 0u) << "of " << pairs.size() << ", first: " << differences.first;
}

TEST(ConvexBatch, PairsOfAllFamiliesGiveTheDoublesOfTheSingleCallsOnEveryTarget) {
  const Pairs all = pairs_of_all_families(0, cases(600));
  const std::vector<Distance> expected = single_distances(all.pairs);
  std::vector<bool> touching;
  std::size_t apart = 0, together = 0;
  for (const ShapePair& pair : all.pairs) {
    touching.push_back(touches({*pair.a, pair.pose_a}, {*pair.b, pair.pose_b}));
    ++(touching.back() ? together : apart);
  }
  EXPECT_GT(apart, all.pairs.size() / 5);
  EXPECT_GT(together, all.pairs.size() / 5);
  for (const std::string& target : simd_targets()) {
    SCOPED_TRACE(target);
    const ForcedTarget forced(target);
    expect_distances(all.pairs, expected);
    expect_touches(all.pairs, touching);
  }
}

TEST(ConvexBatch, OptionsHoldInLanesAsTheyDoInSingleCalls) {
  const Pairs all = pairs_of_all_families(1000, 1000 + cases(150));
  const DistanceOptions some[] = {{.upper_bound = 0},
                                  {.upper_bound = 0.7},
                                  {.close_enough = 0.5},
                                  {.tolerance = 1e-3},
                                  {.tolerance = 0.3, .upper_bound = 1, .close_enough = 0.1},
                                  {.tolerance = 1e-14},
                                  {.close_enough = 1e-9},
                                  {.budget = 3},
                                  {.budget = 1000}};
  for (const DistanceOptions& options : some)
    expect_distances(all.pairs, single_distances(all.pairs, options), options);
}

TEST(ConvexBatch, CloserThanIsThatOfSingleCallsAlsoAtTheDistanceItself) {
  const Pairs all = pairs_of_all_families(2000, 2000 + cases(80));
  const std::vector<Distance> distances = single_distances(all.pairs);
  std::vector<double> limits = {0, 0.1, 1, 5};
  for (std::size_t i = 0; i < distances.size(); i += 1 + distances.size() / 12) {
    limits.push_back(distances[i].lower);
    limits.push_back(distances[i].upper);
  }
  Differences differences;
  for (const double limit : limits) {
    Booleans found(all.pairs.size());
    closer_than(all.pairs, limit, found);
    for (std::size_t i = 0; i < all.pairs.size(); ++i) {
      const ShapePair& pair = all.pairs[i];
      const bool expected = closer_than({*pair.a, pair.pose_a}, {*pair.b, pair.pose_b}, limit);
      differences.add(found[i] == expected ? "" : "closer_than " + std::to_string(limit), i);
    }
  }
  EXPECT_EQ(differences.count, 0u) << differences.first;
}

/// Poses of b around a: apart, near, overlapping, and at the same place as a.
std::vector<Pose> poses_about(const Pose& a, std::mt19937_64& random, std::size_t count) {
  std::vector<Pose> poses;
  for (std::size_t i = 0; i < count; ++i) {
    Pose pose = normal_pose(random, i % 5 == 0 ? 0.8 : 2.5);
    pose.set_translation(pose.translation() + a.translation());
    if (i % 7 == 3) pose.set_rotation(a.rotation());
    if (i % 11 == 5) pose.set_translation(a.translation());
    const Vector3 at = pose.translation();
    if (i % 13 == 6) pose.set_translation({at[0], a.translation()[1], at[2]});
    poses.push_back(pose);
  }
  return poses;
}

TEST(ConvexBatch, OneShapeInManyPosesGivesTheDoublesOfTheSingleCallsForHullsOfAllSizesOnEveryTarget) {
  auto random = seeded(41);
  std::vector<Shape> hulls;
  for (const int points : {4, 5, 8, 9, 16, 17, 24, 31, 32, 40, 48, 56, 64, 90, 200})
    hulls.push_back(random_hull(random, points));
  std::vector<Shape> others = hulls;
  others.push_back(Sphere{0.4});
  others.push_back(Capsule{0.2, 1.1});
  others.push_back(Box{Vector3(0.7, 1.1, 1.6)});
  Differences differences;
  std::size_t asked = 0;
  for (const std::string& target : simd_targets()) {
    const ForcedTarget forced(target);
    for (std::size_t i = 0; i < hulls.size(); ++i) {
      for (std::size_t j = 0; j < others.size(); ++j) {
        const Pose stands = normal_pose(random, 1);
        const std::vector<Pose> poses = poses_about(stands, random, cases(60));
        const bool exchanged = (i + j) % 2 != 0;
        const Shape &a = exchanged ? others[j] : hulls[i], &b = exchanged ? hulls[i] : others[j];
        std::vector<Distance> apart(poses.size());
        Booleans touch(poses.size());
        distance({a, stands}, b, poses, apart);
        touches({a, stands}, b, poses, touch);
        for (std::size_t k = 0; k < poses.size(); ++k, ++asked) {
          differences.add(difference(apart[k], distance({a, stands}, {b, poses[k]})), asked);
          differences.add(touch[k] == touches({a, stands}, {b, poses[k]}) ? "" : "touches", asked);
        }
      }
    }
  }
  EXPECT_EQ(differences.count, 0u) << "of " << asked << ", first: " << differences.first;
}

/// Poses that differ from one pose by almost nothing up to the shape's size, or not at all.
std::vector<Pose> poses_near(const Pose& pose, const Pose& other, std::mt19937_64& random, std::size_t count) {
  const double reach = (pose.translation() - other.translation()).norm();
  std::vector<Pose> poses;
  for (std::size_t i = 0; i < count; ++i) {
    Pose near = pose;
    const double by = reach * std::pow(10.0, uniform(random, -17, 0.5));
    if (i % 9 != 0) near.set_translation(near.translation() + by * normal_pose(random, 1).translation());
    if (i % 9 == 1)
      near.set_translation(pose.translation() + by * pose.rotation().col(static_cast<Eigen::Index>(i % 3)));
    if (i % 8 == 2) near.set_rotation(other.rotation());
    if (i % 8 == 3) near.set_rotation(normal_pose(random, 1).rotation());
    poses.push_back(near);
  }
  return poses;
}

TEST(ConvexBatch, OneShapeInManyPosesNearHardOnesGivesTheDoublesOfTheSingleCalls) {
  constexpr auto hull = static_cast<std::size_t>(ShapeKind::convex_hull);
  auto random = seeded(45);
  Differences differences;
  std::size_t asked = 0, touching = 0;
  for (std::size_t number = 3000; number < 3000 + cases(150); ++number) {
    for (const ShapeKind kind : {ShapeKind::sphere, ShapeKind::capsule, ShapeKind::box, ShapeKind::convex_hull}) {
      const test::ConvexCase c = test::make_convex_case(hull, static_cast<std::size_t>(kind), number);
      const std::vector<Pose> poses = poses_near(c.pose_b, c.pose_a, random, 50);
      const Placed a(c.a.shape, c.pose_a);
      std::vector<Distance> apart(poses.size());
      Booleans touch(poses.size()), closer(poses.size());
      distance(a, c.b.shape, poses, apart);
      touches(a, c.b.shape, poses, touch);
      const double limit = apart[0].value();
      closer_than(a, c.b.shape, poses, limit, closer);
      for (std::size_t k = 0; k < poses.size(); ++k, ++asked) {
        const Placed b(c.b.shape, poses[k]);
        differences.add(difference(apart[k], distance(a, b)), asked);
        differences.add(touch[k] == touches(a, b) ? "" : "touches", asked);
        differences.add(closer[k] == closer_than(a, b, limit) ? "" : "closer_than", asked);
        touching += touch[k] ? 1u : 0u;
      }
    }
  }
  EXPECT_EQ(differences.count, 0u) << "of " << asked << ", first: " << differences.first;
  EXPECT_GT(touching, asked / 10);
  EXPECT_LT(touching, asked * 9 / 10);
}

TEST(ConvexBatch, AnyNumberOfPosesInAnyOrderWithAnyNumberOfThreads) {
  auto random = seeded(42);
  const Shape a = random_hull(random, 32), b = random_hull(random, 20);
  const Pose stands = normal_pose(random, 1);
  const std::vector<Pose> poses = poses_about(stands, random, 700);
  std::vector<Distance> expected;
  for (const Pose& pose : poses)
    expected.push_back(distance({a, stands}, {b, pose}));
  for (const std::size_t threads : {1u, 2u, 8u}) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    Differences differences;
    const auto ask = [&](std::size_t begin, std::size_t count, std::size_t step) {
      std::vector<Pose> some;
      for (std::size_t i = 0; i < count; ++i)
        some.push_back(poses[(begin + i * step) % poses.size()]);
      std::vector<Distance> found(count);
      distance({a, stands}, b, some, found);
      for (std::size_t i = 0; i < count; ++i)
        differences.add(difference(found[i], expected[(begin + i * step) % poses.size()]), i);
    };
    for (std::size_t count = 0; count <= 17; ++count)
      ask(7 * count, count, 1);
    for (const std::size_t count : {127u, 128u, 129u, 257u, 700u})
      ask(0, count, 1);
    ask(3, 700, 699);
    ask(0, 700, 251);
    EXPECT_EQ(differences.count, 0u) << threads << " threads, first: " << differences.first;
  }
}

TEST(ConvexBatch, LanesAnswerNearlyAllPairsThatAreNotNearContact) {
  auto random = seeded(43);
  std::size_t asked = 0, distances = 0, contacts = 0;
  for (const int points : {6, 32, 48, 200}) {
    const Shape shapes[] = {random_hull(random, points), random_hull(random, points), Box{Vector3(1, 1.5, 0.8)},
                            Capsule{0.3, 1}, Sphere{0.5}};
    const Pose stands = normal_pose(random, 1);
    for (std::size_t k = 1; k < 5; ++k) {
      std::vector<Pose> poses;
      std::vector<convex::BatchPair> pairs;
      for (std::size_t i = 0; i < convex::max_batch_pairs; ++i)
        poses.push_back(normal_pose(random, 2));
      for (std::size_t i = 0; i < poses.size(); ++i)
        pairs.push_back({&shapes[0], &shapes[k], &stands, &poses[i], i});
      std::vector<Distance> apart(pairs.size());
      Booleans touch(convex::max_batch_pairs), answered(convex::max_batch_pairs);
      std::vector<convex::HullCorners> corners(pairs.size());
      convex::distance_in_lanes(pairs, {}, apart, answered, corners, {});
      for (std::size_t i = 0; i < pairs.size(); ++i)
        distances += answered[i] ? 1u : 0u;
      convex::touches_in_lanes(pairs, touch, answered, {});
      for (std::size_t i = 0; i < pairs.size(); ++i)
        contacts += answered[i] ? 1u : 0u;
      asked += pairs.size();
    }
  }
  EXPECT_GT(distances, asked * 98 / 100);
  EXPECT_GT(contacts, asked * 98 / 100);
}

TEST(ConvexBatch, BadOptionsAreErrorsBeforeAnyPoseIsLookedAt) {
  auto random = seeded(44);
  const Shape a = random_hull(random, 12), b = random_hull(random, 12);
  const std::vector<Pose> poses = poses_about(Pose(), random, 20);
  std::vector<Distance> apart(poses.size());
  Booleans closer(poses.size());
  EXPECT_THROW(distance(a, b, poses, {.tolerance = -1}, apart), Error);
  EXPECT_THROW(distance(a, b, poses, {.upper_bound = -1}, apart), Error);
  EXPECT_THROW(closer_than(a, b, poses, -1, closer), Error);
  try {
    distance(a, b, poses, {.tolerance = std::numeric_limits<double>::quiet_NaN()}, apart);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find("distance: the tolerance"), 0u) << error.what();
  }
}

}  // namespace
}  // namespace whisker
