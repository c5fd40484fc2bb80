// Distances and signed distances in lanes: batches give the same doubles as single calls, with every instruction set,
// and lanes answer nearly all pairs.

#include "convex/distance_lanes.hpp"

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/batch.hpp>
#include <whisker/simd.hpp>

#include "support/cases.hpp"
#include "support/random_shapes.hpp"
#include "support/random_vectors.hpp"
#include "support/reference_samples.hpp"

namespace whisker::test {
namespace {

using whisker::convex::distance_lanes_of;
using whisker::convex::DistanceLanes;

/// Pairs of shapes that stay where they are.
struct LanePairs {
  std::vector<std::unique_ptr<const Shape>> shapes;
  std::vector<ShapePair> pairs;

  void add(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b) {
    shapes.push_back(std::make_unique<const Shape>(a));
    const Shape* const first = shapes.back().get();
    shapes.push_back(std::make_unique<const Shape>(b));
    pairs.push_back({first, shapes.back().get(), pose_a, pose_b});
  }
};

void expect_same_answer(const Distance& found, const Distance& expected, const ShapePair& pair, std::size_t i) {
  const bool is_same =
      found.lower == expected.lower && found.upper == expected.upper && found.point_a == expected.point_a &&
      found.point_b == expected.point_b && found.normal == expected.normal && found.feature_a == expected.feature_a &&
      found.feature_b == expected.feature_b && found.stop == expected.stop && found.cost == expected.cost;
  EXPECT_TRUE(is_same) << "pair " << i << ", " << name(pair.a->kind()) << " and " << name(pair.b->kind()) << ": ["
                       << found.lower << ", " << found.upper << "] for [" << expected.lower << ", " << expected.upper
                       << "], points " << found.point_a.transpose() << "; " << found.point_b.transpose() << " for "
                       << expected.point_a.transpose() << "; " << expected.point_b.transpose() << ", normal "
                       << found.normal.transpose() << " for " << expected.normal.transpose();
}

void expect_single_answers(const std::vector<ShapePair>& pairs) {
  std::vector<Distance> apart, deep, found(pairs.size());
  for (const ShapePair& pair : pairs) {
    apart.push_back(distance({*pair.a, pair.pose_a}, {*pair.b, pair.pose_b}));
    deep.push_back(signed_distance({*pair.a, pair.pose_a}, {*pair.b, pair.pose_b}));
  }
  for (const std::string& target : simd_targets()) {
    SCOPED_TRACE(target);
    use_simd_target(target);
    distance(pairs, found);
    for (std::size_t i = 0; i < pairs.size() && !testing::Test::HasFailure(); ++i)
      expect_same_answer(found[i], apart[i], pairs[i], i);
    signed_distance(pairs, found);
    for (std::size_t i = 0; i < pairs.size() && !testing::Test::HasFailure(); ++i)
      expect_same_answer(found[i], deep[i], pairs[i], i);
  }
  use_simd_target("");
}

TEST(DistanceLanes, GiveTheDoublesOfSingleCalls) {
  auto random = seeded(9401);
  for (std::size_t family = 0; family < family_count; ++family) {
    SCOPED_TRACE("family " + std::to_string(family));
    LanePairs scenes;
    for (std::size_t kind_a = 0; kind_a < 7; ++kind_a) {
      for (std::size_t kind_b = 0; kind_b < 7; ++kind_b) {
        for (std::size_t k = 0; k < cases(40); ++k) {
          const Scene scene = make_scene(random, kind_a, kind_b, static_cast<Family>(family));
          const Shape a = make_shape(scene.a), b = make_shape(scene.b);
          if (distance_lanes_of(a.kind(), b.kind()) == DistanceLanes::none) break;
          scenes.add(a, scene.pose_a, b, scene.pose_b);
        }
      }
    }
    EXPECT_GT(scenes.pairs.size(), cases(40) * 20);
    expect_single_answers(scenes.pairs);
  }
}

double lane_length(std::mt19937_64& random) {
  return random() % 16 == 0 ? 0 : uniform(random, 0.1, 1) * std::pow(10, random() % 8 == 0 ? -6 : 0);
}

Shape lane_round_shape(std::mt19937_64& random) {
  switch (random() % 3) {
    case 0:
      return Cylinder{lane_length(random), lane_length(random)};
    case 1:
      return Cone{lane_length(random), lane_length(random)};
    default:
      return Ellipsoid{{lane_length(random), lane_length(random), lane_length(random)}};
  }
}

/// A half-space or plane with a normal of any length, of which some are parallel to an axis.
Shape lane_flat_shape(std::mt19937_64& random) {
  Vector3 normal = random() % 3 == 0 ? Vector3::Unit(static_cast<Eigen::Index>(random() % 3)) : random_unit(random);
  if (random() % 2 == 0) normal *= std::pow(10, uniform(random, -100, 30));
  const double offset = normal.norm() * uniform(random, -0.5, 0.5);
  if (random() % 2 == 0) return HalfSpace{normal, offset};
  return Plane{normal, offset};
}

TEST(DistanceLanes, GiveTheDoublesOfSingleCallsForCylindersConesAndEllipsoids) {
  auto random = seeded(9402);
  LanePairs scenes;
  for (std::size_t i = 0; i < cases(3000); ++i) {
    const Shape round = lane_round_shape(random), flat = lane_flat_shape(random);
    const bool is_straight = random() % 3 == 0;
    const Pose pose = is_straight ? Pose(random_vector(random, 1)) : random_pose(random, 1),
               other = is_straight ? Pose() : random_pose(random, random() % 5 == 0 ? 1e6 : 1);
    if (random() % 2 == 0) {
      scenes.add(round, pose, flat, other);
    } else {
      scenes.add(flat, other, round, pose);
    }
  }
  expect_single_answers(scenes.pairs);
}

TEST(DistanceLanes, GiveTheDoublesOfSingleCallsForEqualCapsulesAndSpheres) {
  // The order in which two shapes are taken then depends on their places.
  auto random = seeded(9403);
  LanePairs scenes;
  const Shape capsule = Capsule{0.25, 1}, ball = Sphere{0.5}, rod = Segment{{0, 0, -1}, {0, 0, 1}};
  for (std::size_t i = 0; i < cases(500); ++i) {
    const Pose a = random_pose(random, 1), b = i % 5 == 0 ? a : random_pose(random, 1);
    const Pose beside(a.rotation(), a.translation() + 0.25 * a.rotation().col(static_cast<Eigen::Index>(i % 3)));
    for (const Shape* const shape : {&capsule, &ball, &rod}) {
      scenes.add(*shape, a, *shape, b);
      scenes.add(*shape, b, *shape, a);
      scenes.add(*shape, a, *shape, beside);
    }
  }
  expect_single_answers(scenes.pairs);
}

TEST(DistanceLanes, AnswerNearlyAllPairs) {
  auto random = seeded(9404);
  const auto some = [&](int kind) -> Shape {
    const auto size = [&] { return uniform(random, 0.2, 1); };
    switch (kind) {
      case 0:
        return Sphere{size()};
      case 1:
        return Capsule{size(), size()};
      case 2:
        return Segment{random_vector(random, 1), random_vector(random, 1)};
      case 3:
        return Box{{size(), size(), size()}};
      case 4:
        return Triangle{random_vector(random, 1), random_vector(random, 1), random_vector(random, 1)};
      case 5:
        return Cylinder{size(), size()};
      case 6:
        return Cone{size(), size()};
      case 7:
        return Ellipsoid{{size(), size(), size()}};
      case 8:
        return HalfSpace{random_vector(random, 1), uniform(random, -0.5, 0.5)};
      default:
        return Plane{random_vector(random, 1), uniform(random, -0.5, 0.5)};
    }
  };
  std::size_t kinds = 0;
  for (int kind_a = 0; kind_a < 10; ++kind_a) {
    for (int kind_b = kind_a; kind_b < 10; ++kind_b) {
      const DistanceLanes lanes = distance_lanes_of(some(kind_a).kind(), some(kind_b).kind());
      if (lanes == DistanceLanes::none) continue;
      ++kinds;
      std::vector<Distance> answers(cases(200));
      std::vector<Shape> shapes;
      std::vector<Pose> poses;
      for (std::size_t i = 0; i < 2 * answers.size(); ++i) {
        shapes.push_back(some(i % 2 == 0 ? kind_a : kind_b));
        poses.push_back(random_pose(random, 0.7));
      }
      for (const std::string& target : simd_targets()) {
        use_simd_target(target);
        std::size_t answered = 0;
        whisker::convex::DistanceQueue queue(answers.data(), true);
        const auto take = [&](const whisker::convex::BatchPair&, bool is_answered) {
          answered += is_answered ? 1u : 0u;
        };
        for (std::size_t i = 0; i < answers.size(); ++i) {
          const auto pair = [&]() -> whisker::convex::BatchPair {
            return {&shapes[2 * i], &shapes[2 * i + 1], &poses[2 * i], &poses[2 * i + 1], i};
          };
          queue.add(lanes, pair, take);
        }
        queue.finish(take);
        // Without fused multiplication and addition all pairs are left to single queries.
        const bool is_fused = target != "sse4" && target != "scalar";
        const double part = static_cast<double>(answered) / static_cast<double>(answers.size());
        EXPECT_TRUE(is_fused ? part >= 0.85 : part == 0)
            << target << ", " << name(shapes[0].kind()) << " and " << name(shapes[1].kind()) << ": " << part;
      }
      use_simd_target("");
    }
  }
  // Six pairs of the first three kinds, and eight kinds with half-spaces and planes.
  EXPECT_EQ(kinds, 22u);
}

}  // namespace
}  // namespace whisker::test
