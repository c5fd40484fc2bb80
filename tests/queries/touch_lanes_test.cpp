// Touches of simple shapes in lanes: every verdict is true, nearly all pairs get one, and batches and worlds of mixed
// kinds give the answers of single calls.

#include "convex/touch_lanes.hpp"

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/batch.hpp>
#include <whisker/simd.hpp>
#include <whisker/world.hpp>

#include "support/booleans.hpp"
#include "support/cases.hpp"
#include "support/random_vectors.hpp"
#include "support/reference_samples.hpp"

namespace whisker::test {
namespace {

using convex::BatchPair;
using convex::QuickTouch;
using convex::touch_lanes_of;
using convex::TouchLanes;

/// Calls `work` once with each instruction set.
template <class Work>
void on_all_targets(const Work& work) {
  for (const std::string& target : simd_targets()) {
    SCOPED_TRACE(target);
    use_simd_target(target);
    work();
  }
  use_simd_target("");
}

QuickTouch verdict_about(TouchLanes test, const Placed& a, const Placed& b) {
  const BatchPair pair{&a.shape, &b.shape, &a.pose, &b.pose, 0};
  return convex::find_touches_in_lanes(test, {&pair, 1})[0];
}

std::vector<KindPair> pairs_in_lanes() {
  std::vector<KindPair> pairs;
  for (const KindPair& pair : all_kind_pairs()) {
    const Sample& sample = samples_of(pair).front();
    if (touch_lanes_of(sample.a.kind(), sample.b.kind()) != TouchLanes::none) pairs.push_back(pair);
  }
  return pairs;
}

TEST(TouchLanes, AreThereForSpheresCapsulesBoxesAndFlatShapes) {
  // Six pairs of the first three kinds, and each of these with a half-space and with a plane.
  EXPECT_EQ(pairs_in_lanes().size(), 12u);
}

TEST(TouchLanes, NeverContradictTheTruth) {
  on_all_targets([] {
    for (const KindPair& kinds : pairs_in_lanes()) {
      SCOPED_TRACE(kinds.name());
      check_all(kinds, [](const View& view, std::ostream& wrong) {
        const TouchLanes test = touch_lanes_of(view.a.shape.kind(), view.b.shape.kind());
        const QuickTouch verdict = verdict_about(test, view.a, view.b);
        const Real &distance = view.truth.distance, &depth = view.truth.depth, &uncertain = view.truth.uncertainty;
        if (verdict == QuickTouch::yes && distance > uncertain)
          wrong << "touch, but they are " << digits(distance) << " apart";
        if (verdict == QuickTouch::no && depth > uncertain)
          wrong << "no touch, but they are " << digits(depth) << " deep";
      });
    }
  });
}

double length(std::mt19937_64& random) {
  return uniform(random, 0.2, 1);
}
Vector3 lengths(std::mt19937_64& random) {
  return {length(random), length(random), length(random)};
}

/// One shape of each kind that has tests in lanes.
std::vector<Shape> simple_shapes(std::mt19937_64& random) {
  return {Sphere{length(random)}, Capsule{length(random), length(random)}, Box{lengths(random)},
          HalfSpace{random_vector(random, 1), length(random)}, Plane{random_vector(random, 1), length(random)}};
}

TEST(TouchLanes, DecideNearlyAllPairs) {
  auto random = seeded(9301);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = i; j < 5; ++j) {
      std::size_t decided = 0, touching = 0;
      const std::size_t count = cases(300);
      for (std::size_t k = 0; k < count; ++k) {
        const Shape a = simple_shapes(random)[i], b = simple_shapes(random)[j];
        const QuickTouch verdict = verdict_about(touch_lanes_of(a.kind(), b.kind()), {a, random_pose(random, 0.7)},
                                                 {b, random_pose(random, 0.7)});
        decided += verdict != QuickTouch::unknown ? 1u : 0u;
        touching += verdict == QuickTouch::yes ? 1u : 0u;
      }
      const std::string what = std::string(name(static_cast<ShapeKind>(i))) + " and number " + std::to_string(j);
      EXPECT_GE(static_cast<double>(decided), 0.95 * static_cast<double>(count)) << what;
      EXPECT_GT(touching, count / 10) << what;
      EXPECT_LT(touching, count) << what;
    }
  }
}

/// Poses of boxes of these sizes that are in contact up to `off`, face to face, edge to edge or edge to face, or
/// overlap. Their edges are parallel up to `off`.
std::array<Pose, 2> poses_in_contact(std::mt19937_64& random, const Vector3& size_a, const Vector3& size_b,
                                     double off) {
  Vector3 shift;
  for (int k = 0; k < 3; ++k) {
    const double reach = (size_a[k] + size_b[k]) / 2;
    shift[k] = uniform(random, 0, 1) < 0.5 ? reach + off * uniform(random, -1, 1) : reach * uniform(random, -1, 1);
  }
  const Matrix3 turn = Eigen::AngleAxisd(off * uniform(random, -1, 1), random_unit(random)).toRotationMatrix();
  const Pose pose = random_pose(random, uniform(random, 0, 1) < 0.2 ? 1e6 : 1);
  return {pose, Pose(Matrix3(pose.rotation() * turn), Vector3(pose.rotation() * shift + pose.translation()))};
}

TEST(TouchLanes, BoxesThatAreNearlyParallelAndInContactAreAnsweredLikeSingleOnes) {
  auto random = seeded(9302);
  std::size_t yes = 0, no = 0;
  for (std::size_t i = 0; i < cases(3000); ++i) {
    Vector3 size_a = lengths(random), size_b = lengths(random);
    if (i % 5 == 0) size_a[static_cast<Eigen::Index>(i % 3)] = 0;
    if (i % 7 == 0) size_b[static_cast<Eigen::Index>(i % 3)] = 1e-9;
    const Shape a = Box{size_a}, b = Box{size_b};
    const double off = std::pow(10, uniform(random, -17, -1));
    const auto [pose_a, pose_b] = poses_in_contact(random, size_a, size_b, off);
    const Placed at_a(a, pose_a), at_b(b, pose_b);
    const QuickTouch verdict = verdict_about(TouchLanes::blocks, at_a, at_b);
    if (verdict == QuickTouch::unknown) continue;
    EXPECT_EQ(verdict == QuickTouch::yes, touches(at_a, at_b)) << i << ", off " << off;
    EXPECT_EQ(verdict == QuickTouch::yes, distance(at_a, at_b).upper == 0) << i << ", off " << off;
    (verdict == QuickTouch::yes ? yes : no) += 1;
  }
  EXPECT_GT(yes, cases(3000) / 20);
  EXPECT_GT(no, cases(3000) / 20);
}

TEST(TouchLanes, BatchesOfMixedKindsAndAnyLengthGiveTheAnswersOfSingleCalls) {
  auto random = seeded(9303);
  std::vector<Shape> shapes;
  for (int i = 0; i < 4; ++i) {
    for (Shape& shape : simple_shapes(random))
      shapes.push_back(std::move(shape));
    shapes.push_back(Cylinder{length(random), length(random)});
  }
  for (std::size_t count : {1u, 2u, 7u, 15u, 16u, 17u, 100u, 1000u}) {
    std::vector<ShapePair> pairs;
    for (std::size_t i = 0; i < count; ++i) {
      const auto any = [&] { return &shapes[random() % shapes.size()]; };
      pairs.push_back({any(), any(), random_pose(random, 0.7), random_pose(random, 0.7)});
    }
    on_all_targets([&] {
      Booleans answers(count);
      touches(pairs, answers);
      std::size_t first = count;
      for (std::size_t i = count; i-- > 0;) {
        const bool expected = touches({*pairs[i].a, pairs[i].pose_a}, {*pairs[i].b, pairs[i].pose_b});
        EXPECT_EQ(answers[i], expected) << i << " of " << count;
        if (expected) first = i;
      }
      EXPECT_EQ(first_touching_pair(pairs).value_or(count), first);
    });
  }
}

TEST(TouchLanes, AWorldOfMixedKindsHasThePairsOfSingleCalls) {
  auto random = seeded(9304);
  World world;
  std::vector<Shape> shapes;
  std::vector<Pose> poses;
  std::vector<BodyId> ids;
  const std::size_t count = cases(150);
  for (std::size_t i = 0; i < count; ++i) {
    shapes.push_back(i == 0 ? Shape(HalfSpace{random_unit(random), -1.5}) : simple_shapes(random)[i % 3]);
    poses.push_back(i == 0 ? Pose() : random_pose(random, 2));
    ids.push_back(world.add(shapes.back(), poses.back()));
  }
  world.update();
  std::size_t expected = 0;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = i + 1; j < count; ++j)
      expected += touches({shapes[i], poses[i]}, {shapes[j], poses[j]}) ? 1u : 0u;
  }
  EXPECT_EQ(world.touching().size(), expected);
  EXPECT_GT(expected, count);
}

}  // namespace
}  // namespace whisker::test
