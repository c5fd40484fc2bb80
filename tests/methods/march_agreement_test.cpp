// Marching and levels of detail against the library's own queries on hulls, which use another method (GJK).

#include <cmath>
#include <sstream>

#include <gtest/gtest.h>

#include <whisker/methods/closest_features.hpp>
#include <whisker/methods/hull_levels.hpp>
#include <whisker/queries.hpp>

#include "convex/hull_pairs.hpp"
#include "support/cases.hpp"

namespace whisker::test {
namespace {

using namespace methods;
void expect_agreement(const ConvexHull& a, const Pose& pose_a, const ConvexHull& b, const Pose& pose_b) {
  const ClosestFeatures march = closest_features(MarchingHull(a), pose_a, MarchingHull(b), pose_b);
  const Shape shape_a = a, shape_b = b;
  const Distance gjk = distance({shape_a, pose_a}, {shape_b, pose_b});
  const bool touching = touches({shape_a, pose_a}, {shape_b, pose_b});
  LevelTrack track;
  const LevelDistance levels =
      levels_distance(HullLevels(a, {.min_triangles = 8}), pose_a, HullLevels(b, {.min_triangles = 8}), pose_b, track);
  std::ostringstream text;
  text.precision(17);
  text << "march [" << march.lower << ", " << march.upper << "] touches " << static_cast<int>(march.touches)
       << ", distance [" << gjk.lower << ", " << gjk.upper << "] touches " << touching << ", levels [" << levels.lower
       << ", " << levels.upper << "]; vertices " << a.vertices().size() << " and " << b.vertices().size();
  ASSERT_LE(march.lower, gjk.upper) << text.str();
  ASSERT_LE(gjk.lower, march.upper) << text.str();
  ASSERT_LE(levels.lower, gjk.upper) << text.str();
  ASSERT_LE(gjk.lower, levels.upper) << text.str();
  ASSERT_EQ(levels.touches, march.touches) << text.str();
  if (march.touches == Answer::yes) {
    ASSERT_TRUE(touching) << text.str();
  }
  if (!touching) {
    ASSERT_GT(march.upper, 0) << text.str();
  }
}

TEST(MarchAgreement, RandomHulls) {
  Generator random = seeded(471);
  for (std::size_t i = 0; i < cases(2000); ++i) {
    const ConvexHull a = any_hull(random), b = any_hull(random);
    expect_agreement(a, random_pose(random, 1), b, random_pose(random, 1.5));
    ASSERT_FALSE(HasFatalFailure()) << "case " << i;
  }
}

TEST(MarchAgreement, QuantisedHullsInExactContact) {
  Generator random = seeded(472);
  for (std::size_t i = 0; i < cases(2000); ++i) {
    const ConvexHull a = quantised_hull(random, 2, whole(random, 1, 12));
    const ConvexHull b = quantised_hull(random, 2, whole(random, 1, 12));
    expect_agreement(a, Pose(scenes::axis_rotation(random), scenes::integer_vector(random, 2)), b,
                     Pose(scenes::axis_rotation(random), scenes::integer_vector(random, 3)));
    ASSERT_FALSE(HasFatalFailure()) << "case " << i;
  }
}

TEST(MarchAgreement, LargeHullsNearContact) {
  Generator random = seeded(473);
  for (std::size_t i = 0; i < cases(40); ++i) {
    const ConvexHull a = ellipsoid_hull(random, 800, {1, 1, 0.3}), b = ellipsoid_hull(random, 800, {1, 0.2, 0.2});
    const Pose pose_a = random_pose(random, 0.2);
    Pose pose_b(scenes::any_rotation(random), 3 * scenes::unit_vector(random));
    const ClosestFeatures first = closest_features(MarchingHull(a), pose_a, MarchingHull(b), pose_b);
    if (first.touches == Answer::no) {
      const double gap = scenes::power_of_ten(-whole(random, 2, 14));
      pose_b.set_translation(pose_b.translation() -
                             (first.upper - (scenes::chance(random, 3) ? -gap : gap)) * first.normal);
    }
    expect_agreement(a, pose_a, b, pose_b);
    ASSERT_FALSE(HasFatalFailure()) << "case " << i;
  }
}

}  // namespace
}  // namespace whisker::test
