// Searches for the first pose or pair that touches: they find what the full batches find, with any number of threads,
// and stop there.

#include <algorithm>
#include <atomic>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/batch.hpp>
#include <whisker/compound.hpp>
#include <whisker/convex_hull.hpp>
#include <whisker/custom_convex.hpp>
#include <whisker/make/make.hpp>
#include <whisker/spheres/sphere_set.hpp>

#include "support/booleans.hpp"
#include "support/cases.hpp"
#include "support/error_of.hpp"
#include "support/random_vectors.hpp"

namespace whisker {
namespace {

using test::cases;
using test::seeded;

std::optional<std::size_t> first_true(const test::Booleans& answers, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    if (answers[i]) return i;
  return {};
}

Shape small_hull(std::mt19937_64& random) {
  std::vector<Vector3> points;
  for (int i = 0; i < 10; ++i)
    points.push_back(test::random_vector(random, 0.4));
  return ConvexHull(points);
}

TEST(BatchSearch, FindsTheFirstOfTheFullBatchWithAnyNumberOfThreads) {
  auto random = seeded(7301);
  const std::vector<Shape> shapes = {
      small_hull(random),
      small_hull(random),
      Box{Vector3(0.3, 0.4, 0.5)},
      Mesh(make::icosphere({.radius = 0.4, .subdivisions = 1})),
      Compound({{Sphere{0.2}, Pose(Vector3(0.3, 0, 0))}, {Sphere{0.1}, {}}}),
      SphereSet(std::vector<Vector3>{{0, 0, 0}, {0.3, 0, 0}}, std::vector<double>{0.2, 0.2})};
  std::size_t hits = 0, late = 0;
  for (std::size_t i = 0; i < cases(120); ++i) {
    const Shape &a = shapes[i % 6], &b = shapes[i / 6 % 6];
    // Far enough apart that the first contact is rare, so that several threads pass it.
    const std::size_t count = random() % 400;
    std::vector<Pose> poses;
    std::vector<ShapePair> pairs;
    for (std::size_t k = 0; k < count; ++k) {
      const double reach = k + 1 < random() % 400 ? 9 : 2;
      poses.emplace_back(test::random_rotation(random), test::random_vector(random, reach));
      pairs.push_back({&shapes[random() % 6], &shapes[random() % 6], poses.back(), Pose(Vector3(0.1, 0, 0))});
    }
    const Pose stands(test::random_rotation(random), Vector3(0.2, 0.1, 0));
    test::Booleans in_poses(count), of_pairs(count);
    touches({a, stands}, b, poses, in_poses);
    touches(pairs, of_pairs);
    const std::optional<std::size_t> pose = first_true(in_poses, count), pair = first_true(of_pairs, count);
    for (const int threads : {0, 1, 2, 4}) {
      ASSERT_EQ(first_touching_pose({a, stands}, b, poses, {.threads = threads}), pose) << i << ", " << threads;
      ASSERT_EQ(first_touching_pair(pairs, {.threads = threads}), pair) << i << ", " << threads;
    }
    hits += static_cast<std::size_t>(pose.has_value());
    late += static_cast<std::size_t>(pose.has_value() && *pose > 40);
  }
  EXPECT_GT(hits, cases(40));
  EXPECT_LT(hits, cases(120));
  EXPECT_GT(late, cases(5));
}

/// A ball of radius 1 that counts how often it is asked.
struct CountingBall {
  std::atomic<std::size_t> asked = 0;
  Shape shape = CustomConvex([this](const Vector3& d) -> Vector3 {
    ++asked;
    return d.stableNormalized();
  });
};

TEST(BatchSearch, StopsAtTheHit) {
  CountingBall ball;
  const Shape sphere = Sphere{1};
  constexpr std::size_t hit = 100, count = 20'000;
  std::vector<Pose> poses(count, Pose(Vector3(10, 0, 0)));
  std::vector<ShapePair> pairs(count, ShapePair{&ball.shape, &sphere, {}, Pose(Vector3(10, 0, 0))});
  poses[hit] = poses[hit + 7] = poses[count - 1] = Pose(Vector3(1, 0, 0));
  pairs[hit].pose_b = pairs[hit + 7].pose_b = pairs[count - 1].pose_b = Pose(Vector3(1, 0, 0));
  test::Booleans all(count);
  const auto cost = [&](const auto& work) {
    const std::size_t before = ball.asked;
    work();
    return ball.asked - before;
  };
  const std::size_t full = cost([&] { touches(ball.shape, sphere, poses, {.threads = 1}, all); });
  const std::size_t until = cost([&] {
    for (std::size_t i = 0; i <= hit; ++i)
      touches(ball.shape, {sphere, poses[i]});
  });
  ASSERT_GT(until, hit);
  EXPECT_EQ(cost([&] { EXPECT_EQ(first_touching_pose(ball.shape, sphere, poses, {.threads = 1}), hit); }), until);
  EXPECT_EQ(cost([&] { EXPECT_EQ(first_touching_pair(pairs, {.threads = 1}), hit); }), until);
  for (const int threads : {2, 4}) {
    EXPECT_LT(cost([&] { EXPECT_EQ(first_touching_pose(ball.shape, sphere, poses, {.threads = threads}), hit); }),
              full / 4);
    EXPECT_LT(cost([&] { EXPECT_EQ(first_touching_pair(pairs, {.threads = threads}), hit); }), full / 4);
  }
}

TEST(BatchSearch, FailsOnlyIfAnEarlierPoseFails) {
  const Shape sphere = Sphere{1};
  std::atomic<int> left = 6;  // the constructor asks along six directions
  const Shape bad = CustomConvex([&left](const Vector3& d) -> Vector3 {
    if (left-- > 0) return d.stableNormalized();
    throw Error("no support");
  });
  std::vector<ShapePair> pairs(300, ShapePair{&sphere, &sphere, {}, Pose(Vector3(9, 0, 0))});
  pairs[200] = {&bad, &sphere, {}, Pose(Vector3(1, 0, 0))};
  for (const int threads : {1, 2, 4}) {
    pairs[150].pose_b = Pose(Vector3(9, 0, 0));
    EXPECT_EQ(test::error_of([&] { first_touching_pair(pairs, {.threads = threads}); }),
              "first_touching_pair: pair 200: no support");
    pairs[150].pose_b = Pose(Vector3(1, 0, 0));
    EXPECT_EQ(first_touching_pair(pairs, {.threads = threads}), 150u);
  }
}

TEST(BatchSearch, RefusesWhatTheFullBatchRefuses) {
  const Shape sphere = Sphere{1};
  const std::vector<Pose> poses(3);
  EXPECT_EQ(first_touching_pose(sphere, sphere, {}), std::nullopt);
  EXPECT_EQ(first_touching_pair({}), std::nullopt);
  EXPECT_NE(
      test::error_of([&] { first_touching_pose(sphere, sphere, poses, {.threads = -1}); }).find("`threads` is -1"),
      std::string::npos);
  const std::vector<ShapePair> pairs = {{&sphere, &sphere, {}, {}}, {&sphere, nullptr, {}, {}}};
  EXPECT_EQ(test::error_of([&] { first_touching_pair(pairs); }),
            "first_touching_pair: pair 1: its second shape is null")
      << "pairs are checked first, as in every batch";
}

}  // namespace
}  // namespace whisker
