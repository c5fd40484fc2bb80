// Batches give the results of single calls, with any number of threads, and fail in the same way every time.

#include <cstring>
#include <functional>
#include <latch>
#include <memory>
#include <string>
#include <tbb/global_control.h>
#include <thread>
#include <vector>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include <whisker/batch.hpp>
#include <whisker/error.hpp>
#include <whisker/make/make.hpp>

#include "support/booleans.hpp"
#include "support/cases.hpp"
#include "support/random_vectors.hpp"

namespace whisker {
namespace {

using test::Booleans;
using test::cases;
using test::seeded;
using test::turned_pose;
using test::uniform;

std::vector<Pose> random_poses(std::uint64_t stream, std::size_t count, double reach) {
  auto random = seeded(stream);
  std::vector<Pose> poses;
  for (std::size_t i = 0; i < count; ++i)
    poses.push_back(turned_pose(random, reach));
  return poses;
}

void expect_same(const Distance& found, const Distance& expected, std::size_t i) {
  EXPECT_EQ(found.lower, expected.lower) << i;
  EXPECT_EQ(found.upper, expected.upper) << i;
  EXPECT_EQ(found.point_a, expected.point_a) << i;
  EXPECT_EQ(found.point_b, expected.point_b) << i;
  EXPECT_EQ(found.normal, expected.normal) << i;
  EXPECT_EQ(found.feature_a, expected.feature_a) << i;
  EXPECT_EQ(found.feature_b, expected.feature_b) << i;
  EXPECT_EQ(found.stop, expected.stop) << i;
  EXPECT_EQ(found.cost.volume_tests, expected.cost.volume_tests) << i;
  EXPECT_EQ(found.cost.primitive_tests, expected.cost.primitive_tests) << i;
}

void with_threads(const std::function<void()>& work) {
  for (const std::size_t threads : {1u, 2u, 8u}) {
    SCOPED_TRACE(std::to_string(threads) + " threads");
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    work();
  }
}

std::string message_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

const Shape torus = Mesh(make::torus({.major = 0.6, .minor = 0.2, .around = 24, .across = 12})).solid();
const Shape ball = Mesh(make::icosphere({.radius = 0.4, .subdivisions = 2}));
const Shape capsule = Capsule{0.2, 0.8};

TEST(Batch, ManyPosesGiveWhatTheSingleCallsGiveWithAnyNumberOfThreads) {
  const Pose stands(Eigen::AngleAxisd(0.3, Vector3::UnitX()).toRotationMatrix(), Vector3(0.1, 0.2, 0.3));
  const std::vector<Pose> poses = random_poses(31, cases(200), 1.2);
  for (const Shape* other : {&ball, &capsule}) {
    std::size_t touching = 0, near = 0;
    with_threads([&] {
      Booleans touch(poses.size()), closer(poses.size());
      std::vector<Distance> apart(poses.size());
      touches({torus, stands}, *other, poses, touch);
      closer_than({torus, stands}, *other, poses, 0.3, closer);
      distance({torus, stands}, *other, poses, apart);
      for (std::size_t i = 0; i < poses.size(); ++i) {
        EXPECT_EQ(touch[i], touches({torus, stands}, {*other, poses[i]})) << i;
        EXPECT_EQ(closer[i], closer_than({torus, stands}, {*other, poses[i]}, 0.3)) << i;
        expect_same(apart[i], distance({torus, stands}, {*other, poses[i]}), i);
        touching += touch[i] ? 1u : 0u;
        near += closer[i] ? 1u : 0u;
      }
    });
    EXPECT_GT(touching, poses.size() / 4);  // out of three times as many queries
    EXPECT_LT(near, 3 * poses.size() * 19 / 20);
    EXPECT_LT(touching, near);
  }
}

TEST(Batch, OptionsHoldForEveryPose) {
  const std::vector<Pose> poses = random_poses(32, cases(50), 2);
  const DistanceOptions options{.tolerance = 0.05, .upper_bound = 0.5};
  std::vector<Distance> apart(poses.size());
  distance(torus, ball, poses, options, apart);
  for (std::size_t i = 0; i < poses.size(); ++i)
    expect_same(apart[i], distance(torus, {ball, poses[i]}, options), i);
}

TEST(Batch, ManyPairsGiveWhatTheSingleCallsGiveWithAnyNumberOfThreads) {
  const std::vector<Shape> shapes = {torus, ball, capsule, Box{Vector3(0.3, 0.4, 0.5)}, Sphere{0.3}};
  auto random = seeded(33);
  std::vector<ShapePair> pairs;
  for (std::size_t i = 0; i < cases(300); ++i) {
    pairs.push_back({&shapes[i % 5], &shapes[i / 5 % 5], turned_pose(random, 0.7), turned_pose(random, 0.7)});
  }
  std::size_t touching = 0;
  with_threads([&] {
    Booleans touch(pairs.size()), closer(pairs.size());
    std::vector<Distance> apart(pairs.size());
    touches(pairs, touch);
    closer_than(pairs, 0.2, closer);
    distance(pairs, apart);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const Placed a(*pairs[i].a, pairs[i].pose_a), b(*pairs[i].b, pairs[i].pose_b);
      EXPECT_EQ(touch[i], touches(a, b)) << i;
      EXPECT_EQ(closer[i], closer_than(a, b, 0.2)) << i;
      expect_same(apart[i], distance(a, b), i);
      touching += touch[i] ? 1u : 0u;
    }
  });
  EXPECT_GT(touching, pairs.size() / 2);
  EXPECT_LT(touching, 3 * pairs.size() * 9 / 10);
}

TEST(Batch, NothingAskedIsNothingDone) {
  touches(torus, ball, {}, std::span<bool>());
  distance(std::span<const ShapePair>(), std::span<Distance>());
}

TEST(Batch, TheLowestBadPairIsNamedAndNoAnswerIsWritten) {
  std::vector<ShapePair> pairs(300, ShapePair{&torus, &ball, {}, {}});
  Booleans touch(pairs.size());
  pairs[290].a = nullptr;
  with_threads([&] {
    EXPECT_NE(message_of([&] { touches(pairs, touch); }).find("touches: pair 290: its first shape is null"),
              std::string::npos);
  });
  pairs[280].b = nullptr;
  EXPECT_NE(message_of([&] { touches(pairs, touch); }).find("pair 280: its second shape is null"), std::string::npos);
  for (std::size_t i = 0; i < pairs.size(); ++i)
    EXPECT_FALSE(touch[i]);
}

TEST(Batch, RoomForMoreOrFewerAnswersIsAnError) {
  const std::vector<Pose> poses(5);
  std::vector<Distance> apart(4);
  EXPECT_NE(
      message_of([&] { distance(torus, ball, poses, apart); }).find("5 poses, but the span for the answers has size 4"),
      std::string::npos);
  const std::vector<ShapePair> pairs(3, ShapePair{&torus, &ball, {}, {}});
  EXPECT_NE(message_of([&] { distance(pairs, apart); }).find("3 pairs, but the span for the answers has size 4"),
            std::string::npos);
}

TEST(Batch, BadOptionsAreErrors) {
  const std::vector<Pose> poses(5);
  std::vector<Distance> apart(5);
  Booleans closer(5);
  PairCache cache;
  EXPECT_NE(message_of([&] { distance(torus, ball, poses, {.cache = &cache}, apart); }).find("cache"),
            std::string::npos);
  EXPECT_NE(message_of([&] { distance(torus, ball, poses, {.tolerance = -1}, apart); }).find("tolerance"),
            std::string::npos);
  EXPECT_NE(message_of([&] { closer_than(torus, ball, poses, -1, closer); }).find("max_distance"), std::string::npos);
}

TEST(Batch, AskedByEightThreadsAtOnceAnswersEachAlike) {
  const std::vector<Pose> poses = random_poses(35, cases(60), 1);
  std::vector<Distance> expected(poses.size());
  distance(torus, ball, poses, expected);
  std::vector<std::vector<Distance>> found(8, std::vector<Distance>(poses.size()));
  std::latch start(8);
  std::vector<std::thread> threads;
  for (std::vector<Distance>& mine : found) {
    threads.emplace_back([&] {
      start.arrive_and_wait();
      distance(torus, ball, poses, mine);
    });
  }
  for (std::thread& thread : threads)
    thread.join();
  for (const std::vector<Distance>& mine : found) {
    for (std::size_t i = 0; i < poses.size(); ++i)
      expect_same(mine[i], expected[i], i);
  }
}

}  // namespace
}  // namespace whisker
