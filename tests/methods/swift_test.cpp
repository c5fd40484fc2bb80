// Queries on levels of detail against marching on the originals, and against brute force.

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include <whisker/error.hpp>
#include <whisker/methods/hull_levels.hpp>

#include "convex/hull_pair_oracle.hpp"
#include "convex/hull_pairs.hpp"
#include "support/cases.hpp"

namespace whisker::test {
namespace {

using namespace methods;
std::vector<HullLevelOptions> builders() {
  return {{.builder = LevelBuilder::quadric, .decimation = 0.25, .min_triangles = 8, .make_table = true},
          {.builder = LevelBuilder::quadric, .decimation = 0.0625, .min_triangles = 8, .make_table = true},
          {.builder = LevelBuilder::vertex_removal, .min_triangles = 8, .make_table = true}};
}

std::vector<LevelOptions> ways() {
  std::vector<LevelOptions> list;
  for (const Refinement refinement : {Refinement::single, Refinement::single_single, Refinement::double_double}) {
    for (const bool tables : {false, true}) {
      for (const MarchRule rule : {MarchRule::max_violation, MarchRule::first_violation})
        list.push_back({.refinement = refinement, .rule = rule, .use_tables = tables});
    }
  }
  return list;
}

// Checks that the bounds are valid, given what marching on the originals has proven.
void expect_consistent(const LevelDistance& found, const ClosestFeatures& truth) {
  EXPECT_LE(found.lower, truth.upper);
  EXPECT_GE(found.upper, truth.lower);
  EXPECT_LE(found.lower, found.upper);
  EXPECT_EQ(found.cost.primitive_tests, found.steps + found.pairs);
  for (const Feature& feature : {found.feature_a, found.feature_b}) {
    EXPECT_TRUE(feature.kind == FeatureKind::vertex || feature.kind == FeatureKind::edge ||
                feature.kind == FeatureKind::face);
  }
  if (found.touches == Answer::no) {
    EXPECT_EQ(truth.touches, Answer::no);
    EXPECT_GT(found.lower, 0);
    EXPECT_NEAR(found.normal.norm(), 1, 1e-14);
  }
  if (found.touches == Answer::yes) {
    EXPECT_EQ(truth.touches, Answer::yes);
    EXPECT_EQ(found.upper, 0);
  }
}

ConvexHull medium_hull(Generator& random) {
  const double flat = scenes::chance(random, 2) ? 1 : 0.1, thin = scenes::chance(random, 2) ? 1 : 0.1;
  return ellipsoid_hull(random, whole(random, 30, 150), {1, flat, thin});
}

TEST(Swift, AllBuildersModesAndTablesAgreeWithMarching) {
  Generator random = seeded(451);
  std::size_t apart = 0, queries = 0;
  for (std::size_t i = 0; i < cases(30); ++i) {
    const ConvexHull hull_a = medium_hull(random), hull_b = i % 4 == 3 ? any_hull(random) : medium_hull(random);
    const MarchingHull march_a(hull_a), march_b(hull_b);
    for (const HullLevelOptions& builder : builders()) {
      const HullLevels a(hull_a, builder), b(hull_b, builder);
      for (LevelOptions way : ways()) {
        LevelTrack touch_track, distance_track, near_track, bound_track;
        for (int k = 0; k < 6; ++k) {
          const Pose pose_a = random_pose(random, 0.5), pose_b = random_pose(random, 2);
          const ClosestFeatures truth = closest_features(march_a, pose_a, march_b, pose_b);
          ++queries;
          apart += truth.touches == Answer::no;

          const LevelDistance touch = levels_intersection(a, pose_a, b, pose_b, way, touch_track);
          expect_consistent(touch, truth);
          EXPECT_EQ(touch.touches == Answer::no, truth.touches == Answer::no);
          EXPECT_EQ(levels_touch(a, pose_a, b, pose_b, way, touch_track), truth.touches != Answer::no);

          const LevelDistance exact = levels_distance(a, pose_a, b, pose_b, way, distance_track);
          expect_consistent(exact, truth);
          EXPECT_EQ(exact.touches, truth.touches);
          EXPECT_EQ(exact.stop, Stop::exact);
          EXPECT_LE(exact.upper - exact.lower, 1e-11 * exact.upper);
          EXPECT_EQ(exact.level_a, 0u);
          EXPECT_EQ(exact.level_b, 0u);
          if (truth.touches == Answer::no) {
            EXPECT_NEAR((exact.point_b - exact.point_a).norm(), exact.upper, 1e-13);
          }

          LevelOptions near = way;
          near.tolerance = uniform(random, 0.01, 0.5);
          const LevelDistance rough = levels_distance(a, pose_a, b, pose_b, near, near_track);
          expect_consistent(rough, truth);
          EXPECT_LE(rough.upper - rough.lower, near.tolerance);
          EXPECT_NE(rough.stop, Stop::budget);

          LevelOptions bounded = way;
          bounded.upper_bound = uniform(random, 0, 2);
          const LevelDistance within = levels_distance(a, pose_a, b, pose_b, bounded, bound_track);
          expect_consistent(within, truth);
          if (within.stop == Stop::tolerance) {
            EXPECT_GT(within.lower, bounded.upper_bound);
          } else {
            EXPECT_EQ(within.level_a + within.level_b, 0u);
          }
          ASSERT_FALSE(HasFailure()) << "pair " << i;
        }
      }
    }
  }
  EXPECT_GT(apart, queries / 4);
  EXPECT_LT(apart, queries);
}

TEST(Swift, EveryLevelPairBoundsTheBruteForceDistance) {
  // delta <= distance <= delta + eps_i + eps_j at every stop of a progressive query.
  Generator random = seeded(452);
  std::size_t checked = 0;
  for (std::size_t i = 0; i < cases(60); ++i) {
    const ConvexHull hull_a = ellipsoid_hull(random, 40, {1, 0.8, 0.5});
    const ConvexHull hull_b = ellipsoid_hull(random, 30, {1, 1, 0.2});
    const Pose pose_a = random_pose(random, 0.5), pose_b = random_pose(random, 2);
    const HullTruth truth = truth_about(place_hull(hull_a, pose_a), place_hull(hull_b, pose_b));
    for (const HullLevelOptions& builder : builders()) {
      const HullLevels a(hull_a, builder), b(hull_b, builder);
      for (const LevelOptions& way : ways()) {
        LevelTrack track;
        LevelDistance found;
        const std::size_t most = a.count() + b.count();
        for (std::size_t k = 0; k < most; ++k) {
          found = refine_levels(a, pose_a, b, pose_b, way, track);
          ++checked;
          ASSERT_EQ(track.reached.level_a, found.level_a);
          ASSERT_EQ(track.reached.level_b, found.level_b);
          ASSERT_EQ(track.reached.a, found.feature_a);
          ASSERT_EQ(track.reached.b, found.feature_b);
          ASSERT_LE(Real(found.lower), truth.distance);
          ASSERT_GE(Real(found.upper), truth.distance);
          if (found.touches == Answer::no) {
            ASSERT_FALSE(truth.overlap);
          }
          if (found.touches == Answer::yes) {
            ASSERT_TRUE(truth.overlap);
          }
          if (found.level_a == 0 && found.level_b == 0) break;
          ASSERT_EQ(found.stop, Stop::budget);
        }
        ASSERT_EQ(found.level_a + found.level_b, 0u);
        ASSERT_EQ(found.touches == Answer::yes, truth.overlap);
        ASSERT_LE(found.upper - found.lower, 1e-11 * found.upper);
      }
    }
  }
  EXPECT_GT(checked, 40 * cases(60));
}

TEST(Swift, ABudgetStopsAndRefiningGoesOn) {
  Generator random = seeded(453);
  const ConvexHull hull = ellipsoid_hull(random, 300, {1, 1, 1});
  const HullLevels levels(hull, {.decimation = 0.25, .min_triangles = 8});
  ASSERT_GE(levels.count(), 3u);
  const Pose there(Vector3(2.5, 0, 0));
  LevelTrack track;
  const LevelDistance first =
      levels_distance(levels, Pose(), levels, there, {.refinement = Refinement::single_single, .budget = 1}, track);
  EXPECT_EQ(first.stop, Stop::budget);
  EXPECT_EQ(first.pairs, 1u);
  EXPECT_EQ(first.level_a, levels.count() - 1);
  double width = first.upper - first.lower;
  for (std::size_t i = levels.count() - 1; i > 0; --i) {
    const LevelDistance finer =
        refine_levels(levels, Pose(), levels, there, {.refinement = Refinement::single_single}, track);
    EXPECT_EQ(finer.level_a, i - 1);
    EXPECT_LT(finer.upper - finer.lower, width);
    width = finer.upper - finer.lower;
  }
  EXPECT_LE(width, 1e-11);
  const LevelDistance again =
      refine_levels(levels, Pose(), levels, there, {.refinement = Refinement::single_single}, track);
  EXPECT_EQ(again.level_a, 0u);
  EXPECT_EQ(again.stop, Stop::exact);
}

TEST(Swift, CoherentOrbitsAgreeAtEveryStepAndStartCoarse) {
  Generator random = seeded(454);
  for (const Vector3& axes : {Vector3(1, 1, 1), Vector3(1, 1, 0.1), Vector3(1, 0.1, 0.1)}) {
    const ConvexHull hull_a = ellipsoid_hull(random, 200, axes), hull_b = ellipsoid_hull(random, 200, axes);
    const MarchingHull march_a(hull_a), march_b(hull_b);
    for (const HullLevelOptions& builder : builders()) {
      const HullLevels a(hull_a, builder), b(hull_b, builder);
      for (const LevelOptions& way : ways()) {
        LevelTrack touch_track, distance_track;
        FeatureTrack truth_track;
        std::uint64_t pairs = 0, apart = 0;
        for (std::size_t i = 0; i < cases(40); ++i) {
          const double angle = 0.1 * static_cast<double>(i);
          const Pose pose_b(Matrix3(Eigen::AngleAxisd(1.7 * angle, Vector3(0.6, 0, 0.8))),
                            Vector3(2.4 * std::cos(angle), 1.6 * std::sin(angle), 0));
          const ClosestFeatures truth = closest_features(march_a, Pose(), march_b, pose_b, truth_track);
          const LevelDistance touch = levels_intersection(a, Pose(), b, pose_b, way, touch_track);
          expect_consistent(touch, truth);
          EXPECT_EQ(touch.touches == Answer::no, truth.touches == Answer::no);
          const LevelDistance exact = levels_distance(a, Pose(), b, pose_b, way, distance_track);
          expect_consistent(exact, truth);
          ASSERT_FALSE(HasFailure()) << "step " << i;
          if (touch.touches == Answer::no) ++apart, pairs += touch.pairs;
        }
        EXPECT_GT(4 * apart, cases(40));
        EXPECT_LE(pairs, (a.count() + b.count()) * apart);
        if (!way.use_tables && way.refinement == Refinement::double_double) {
          EXPECT_LE(pairs, 3 * apart);
        }
      }
    }
  }
}

TEST(Swift, ATrackOfAnotherPairChangesNothingButTheCost) {
  Generator random = seeded(455);
  const ConvexHull large = ellipsoid_hull(random, 200, {1, 1, 1}), small = box_hull({1, 1, 1});
  const HullLevels many(large, {.decimation = 0.25, .min_triangles = 8}), one(small);
  LevelTrack track;
  for (std::size_t i = 0; i < cases(50); ++i) {
    const Pose pose_a = random_pose(random, 1), pose_b = random_pose(random, 2);
    const LevelDistance first = levels_distance(many, pose_a, many, pose_b, track);
    const LevelDistance second = levels_distance(one, pose_a, one, pose_b, track);
    const LevelDistance third = levels_distance(one, pose_a, many, pose_b, track);
    if (i % 5 == 0) track.next = track.reached = {7, 9, {0, FeatureKind::face, 4000000000u}, {}};
    EXPECT_LE(first.lower, closest_features(MarchingHull(large), pose_a, MarchingHull(large), pose_b).upper);
    EXPECT_LE(second.lower, closest_features(MarchingHull(small), pose_a, MarchingHull(small), pose_b).upper);
    EXPECT_GE(third.upper, closest_features(MarchingHull(small), pose_a, MarchingHull(large), pose_b).lower);
    refine_levels(one, pose_a, many, pose_b, track);
  }
}

TEST(Swift, FlatHullsTouchAndPartAsTheyShould) {
  const HullLevels polygon(prism_hull(12, 1, 0)), box(box_hull({1, 1, 1}));
  LevelTrack track;
  EXPECT_TRUE(levels_touch(polygon, Pose(), box, Pose(Vector3(0, 0, 0.25)), track));
  EXPECT_FALSE(levels_touch(polygon, Pose(), box, Pose(Vector3(0, 0, 0.75)), track));
  EXPECT_NEAR(levels_distance(polygon, Pose(), box, Pose(Vector3(0, 0, 0.75)), track).upper, 0.25, 1e-13);
  EXPECT_TRUE(levels_touch(polygon, Pose(), box, Pose(Vector3(0, 0, 0.5)), track));
}

TEST(Swift, BadBoundsAreErrors) {
  const HullLevels box(box_hull({1, 1, 1}));
  LevelTrack track;
  EXPECT_THROW(levels_distance(box, Pose(), box, Pose(), {.upper_bound = NAN}, track), Error);
  EXPECT_THROW(levels_distance(box, Pose(), box, Pose(), {.tolerance = NAN}, track), Error);
}

}  // namespace
}  // namespace whisker::test
