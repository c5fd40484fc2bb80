// signed_distance of convex shapes against references of a hundred digits, and of proven bounds.

#include <algorithm>
#include <cmath>
#include <ostream>

#include <gtest/gtest.h>

#include <whisker/queries.hpp>

#include "geometry/constants.hpp"
#include "support/convex_cases.hpp"
#include "support/reference_samples.hpp"

namespace whisker::test {
namespace {

class SignedDistanceOfSimplePair : public testing::TestWithParam<KindPair> {};

INSTANTIATE_TEST_SUITE_P(All, SignedDistanceOfSimplePair, testing::ValuesIn(all_kind_pairs()), kind_pair_name);

TEST_P(SignedDistanceOfSimplePair, BoundsContainTheTruthAndAreOnlyRoundingApart) {
  check_all(GetParam(), [](const View& view, std::ostream& wrong) {
    const Distance s = signed_distance(view.a, view.b);
    if (view.truth.inseparable) {
      if (s.lower != -infinity || s.upper != -infinity) wrong << "[" << s.lower << ", " << s.upper << "]";
      return;
    }
    const Real truth = view.truth.distance - view.truth.depth;
    if (!(Real(s.lower) <= truth + view.truth.uncertainty && Real(s.upper) >= truth - view.truth.uncertainty)) {
      wrong << digits(truth) << " is not in [" << s.lower << ", " << s.upper << "]";
    } else if (!(Real(s.upper) - Real(s.lower) <= 2 * view.tolerance(abs(truth)))) {
      wrong << "[" << s.lower << ", " << s.upper << "] is wide for " << digits(truth);
    }
  });
}

TEST_P(SignedDistanceOfSimplePair, NormalAndPointsBelongTogetherAndTheSignIsThatOfTouches) {
  WitnessPoints points;
  check_all(GetParam(), [&](const View& view, std::ostream& wrong) {
    const Distance s = signed_distance(view.a, view.b);
    if (touches(view.a, view.b) ? !(s.lower <= 0) : !(s.lower >= 0 && s.upper > 0))
      wrong << "touches is " << touches(view.a, view.b) << " for [" << s.lower << ", " << s.upper << "]; ";
    if (view.truth.inseparable) return;
    if (!is_finite(s.point_a) || !is_finite(s.point_b) || !is_finite(s.normal)) wrong << "not finite; ";
    if (s.normal == Vector3::Zero()) {
      if (s.lower > 0 || s.upper < 0) wrong << "no normal for [" << s.lower << ", " << s.upper << "]; ";
      return;
    }
    if (!is_unit(s.normal)) wrong << "normal of length " << s.normal.norm() << "; ";
    const double coordinate = std::max(s.point_a.lpNorm<Eigen::Infinity>(), s.point_b.lpNorm<Eigen::Infinity>());
    const Real off_a = distance_to(view.set_a, s.point_a), off_b = distance_to(view.set_b, s.point_b);
    if (!points.allows(view, off_a, coordinate)) wrong << "point_a is " << digits(off_a) << " off a; ";
    if (!points.allows(view, off_b, coordinate)) wrong << "point_b is " << digits(off_b) << " off b; ";
    const Real along = dot(exactly<Real>(s.normal), exactly<Real>(s.point_b) - exactly<Real>(s.point_a));
    const Real truth = view.truth.distance - view.truth.depth;
    if (abs(along - truth) > 2 * view.tolerance(abs(truth), coordinate))
      wrong << "points are " << digits(along) << " apart along the normal, not " << digits(truth);
    if (s.upper > 0) return;
    PlacedSet<Real> moved = view.set_b;
    moved.translate(-Real(s.lower) * exactly<Real>(s.normal));
    const Gap<Real> after = gap(view.set_a, moved);
    if (after.inseparable || -after.value > view.tolerance(abs(truth)))
      wrong << "after the move by " << -s.lower << " they overlap by " << digits(-after.value);
  });
  points.expect_few_far();
}

class SignedDistanceOfConvexPair : public testing::TestWithParam<ConvexPair> {};

INSTANTIATE_TEST_SUITE_P(All, SignedDistanceOfConvexPair, testing::ValuesIn(all_convex_pairs()), convex_pair_name);

TEST_P(SignedDistanceOfConvexPair, BoundsContainTheTruthWithAndWithoutACache) {
  PairCache cache;
  for (std::size_t i = 0; i < cases(22); ++i) {
    const ConvexCase c = make_convex_case(GetParam().first, GetParam().second, i);
    const Placed a(c.a.shape, c.pose_a), b(c.b.shape, c.pose_b);
    const Distance s = signed_distance(a, b);
    const Distance d = distance(a, b);
    const Depth p = depth(a, b);
    // distance and depth are compared with references of their own.
    EXPECT_LE(s.lower, d.upper - p.lower) << describe(c);
    EXPECT_GE(s.upper, d.lower - p.upper) << describe(c);
    if (touches(a, b)) {
      EXPECT_LE(s.lower, 0) << describe(c);
    } else {
      EXPECT_GE(s.lower, 0) << describe(c);
      EXPECT_GT(s.upper, 0) << describe(c);
    }
    // The same work gives the same numbers.
    if (d.lower > 0) {
      EXPECT_EQ(s.lower, d.lower) << describe(c);
      EXPECT_EQ(s.upper, d.upper) << describe(c);
      EXPECT_EQ(s.point_a, d.point_a) << describe(c);
      EXPECT_EQ(s.normal, d.normal) << describe(c);
    } else if (p.lower > 0) {
      const double size = 1e-6 * p.upper + 1e-9 * std::max(s.point_a.norm(), s.point_b.norm());
      EXPECT_LE(s.upper - s.lower, 2 * (p.upper - p.lower) + size) << describe(c);
    }
    const Distance back = signed_distance(b, a);
    EXPECT_EQ(back.lower, s.lower) << describe(c);
    EXPECT_EQ(back.upper, s.upper) << describe(c);
    EXPECT_EQ(back.normal, Vector3(-s.normal)) << describe(c);
    EXPECT_EQ(back.point_a, s.point_b) << describe(c);
    // The cache is from other shapes and poses.
    const Distance warm = signed_distance(a, b, {.cache = &cache}), again = signed_distance(a, b, {.cache = &cache});
    for (const Distance& w : {warm, again}) {
      EXPECT_LE(w.lower, d.upper - p.lower) << describe(c);
      EXPECT_GE(w.upper, d.lower - p.upper) << describe(c);
      EXPECT_EQ(w.lower > 0, s.lower > 0) << describe(c);
    }
  }
}

}  // namespace
}  // namespace whisker::test
