// Sets of spheres in many poses give the results of single calls, with any number of threads, and allocate nothing.

#include <memory>
#include <string>
#include <tbb/global_control.h>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/batch.hpp>
#include <whisker/error.hpp>
#include <whisker/make/make.hpp>
#include <whisker/spheres/sphere_set_queries.hpp>

#include "spheres/sphere_set_cases.hpp"
#include "support/count_allocations.hpp"

namespace whisker::test {
namespace {

std::vector<Pose> random_poses(Random& random, std::size_t count, double reach) {
  std::vector<Pose> poses;
  for (std::size_t i = 0; i < count; ++i)
    poses.emplace_back(scenes::any_rotation(random), random_vector(random, reach));
  return poses;
}

std::vector<Shape> obstacles() {
  const Mesh mesh(make::torus({.around = 20, .across = 12}));
  return {Box{Vector3(1, 0.5, 0.7)}, mesh, mesh.solid()};
}

TEST(SphereSetBatch, GivesWhatSingleCallsGiveWithAnyNumberOfThreads) {
  Random random = seeded(9000);
  const SphereSet set = random_spheres(random, 70, 0.3, 0.05);
  const std::vector<Pose> poses = random_poses(random, 100, 1.5);
  const Pose at(scenes::any_rotation(random), Vector3(0.1, 0.2, 0.3));
  for (const Shape& shape : obstacles()) {
    const Placed a(shape, at);
    for (const std::size_t threads : {1u, 3u}) {
      const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
      const std::unique_ptr<bool[]> hits = std::make_unique<bool[]>(poses.size());
      std::vector<std::uint32_t> first(poses.size());
      std::vector<Distance> distances(poses.size());
      std::vector<Interval> clear(poses.size() * set.size()), alone(set.size());
      touches(a, set, poses, {hits.get(), poses.size()});
      first_touching(a, set, poses, first);
      distance(a, set, poses, {.upper_bound = 1}, distances);
      clearances(a, set, poses, {.upper_bound = 0.1}, clear);
      for (std::size_t i = 0; i < poses.size(); ++i) {
        const Placed b(set, poses[i]);
        EXPECT_EQ(hits[i], touches(a, b)) << i;
        EXPECT_EQ(first[i], first_touching(a, {set, poses[i]}).value_or(SphereSet::none)) << i;
        const Distance single = distance(a, b, {.upper_bound = 1});
        EXPECT_EQ(distances[i].feature_b, single.feature_b) << i;
        EXPECT_EQ(distances[i].lower, single.lower) << i;
        EXPECT_EQ(distances[i].upper, single.upper) << i;
        EXPECT_EQ(distances[i].point_b, single.point_b) << i;
        clearances(a, {set, poses[i]}, {.upper_bound = 0.1}, alone);
        for (std::size_t k = 0; k < set.size(); ++k)
          EXPECT_EQ(clear[i * set.size() + k], alone[k]) << i << " " << k;
      }
    }
  }
}

TEST(SphereSetBatch, BadRoomAndBadOptionsAreErrors) {
  Random random = seeded(9100);
  const SphereSet set = random_spheres(random, 3, 1, 1);
  std::vector<Pose> poses = random_poses(random, 5, 1);
  const Shape box = Box{Vector3(1, 1, 1)};
  std::vector<std::uint32_t> first(5, 77);
  poses.resize(3);
  EXPECT_THROW(first_touching(box, set, poses, first), Error);
  std::vector<Interval> clear(10);
  EXPECT_THROW(clearances(box, set, poses, clear), Error);
  std::vector<Distance> distances(3);
  EXPECT_THROW(distance(box, set, poses, {.upper_bound = -1}, distances), Error);
  EXPECT_NO_THROW(distance(box, set, poses, distances));
  EXPECT_NO_THROW(distance(box, set, {}, std::span<Distance>()));
}

TEST(SphereSetBatch, QuestionsAllocateNothingTheSecondTime) {
  Random random = seeded(9200);
  const SphereSet set = random_spheres(random, 100, 0.3, 0.02), other = random_spheres(random, 100, 0.3, 0.02);
  const std::vector<Pose> poses = random_poses(random, 20, 1.5);
  std::vector<Interval> clear(set.size());
  for (const Shape& shape : obstacles()) {
    const auto ask = [&] {
      std::size_t hits = 0;
      for (const Pose& pose : poses) {
        const Placed b(set, pose);
        hits += touches(shape, b);
        hits += first_touching(shape, {set, pose}).has_value();
        hits += distance(shape, b).upper > 0;
        hits += touches(other, b);
        hits += distance(other, b).upper > 0;
        clearances(shape, {set, pose}, clear);
      }
      return hits;
    };
    const std::size_t expected = ask();
    const std::size_t before = allocations;
    EXPECT_EQ(ask(), expected);
    EXPECT_EQ(allocations, before) << name(shape.kind());
  }
}

}  // namespace
}  // namespace whisker::test
