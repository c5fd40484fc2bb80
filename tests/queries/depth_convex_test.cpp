// depth of every pair of convex shapes of which one is a cylinder, cone, ellipsoid, convex hull or custom shape,
// against a reference that proves its own bounds.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <ostream>
#include <random>
#include <sstream>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/queries.hpp>

#include "support/convex_cases.hpp"

namespace whisker::test {
namespace {

/// The allowed error relative to the depth.
double part_of_depth(const ConvexPair& pair) {
  return pair.flat_faced() ? 1e-9 : 1e-6;
}

LimitCount& limits() {
  static LimitCount counted;
  return counted;
}

class ListGivenUp : public testing::Environment {
 public:
  void TearDown() override { limits().check(); }
};
const testing::Environment* const list_given_up = testing::AddGlobalTestEnvironment(new ListGivenUp);

class DepthOfConvexPair : public testing::TestWithParam<ConvexPair> {
 protected:
  void SetUp() override { ASSERT_TRUE(GetParam().supported(Question::depth)) << "depth is not supported"; }
};

INSTANTIATE_TEST_SUITE_P(All, DepthOfConvexPair, testing::ValuesIn(all_convex_pairs()), convex_pair_name);

/// Known bounds of the depth.
struct DepthBounds {
  Extended lower = 0, upper = 0;

  explicit DepthBounds(const ReferenceGap<Extended>& gap)
      : lower(std::max(Extended(0), -gap.upper)), upper(std::max(Extended(0), -gap.lower)) {}
};

void check_bounds(const ConvexView& view, const DepthBounds& truth, const Depth& d, std::ostream& wrong) {
  if (!(d.lower >= 0 && d.lower <= d.upper && std::isfinite(d.upper))) {
    wrong << "bounds [" << d.lower << ", " << d.upper << "] are none; ";
  } else if (Extended(d.lower) > truth.upper + view.slack || Extended(d.upper) < truth.lower - view.slack) {
    wrong << "depth [" << number(truth.lower) << ", " << number(truth.upper) << "] is not in [" << d.lower << ", "
          << d.upper << "], ulp " << number(view.ulp) << "; ";
  }
}

void check_accuracy(const ConvexView& view, const DepthBounds& truth, const Depth& d, double part,
                    std::ostream& wrong) {
  const Extended allowed = view.allowed(truth.upper, part);
  const Extended value = Extended(d.value());
  const Extended off = std::max(truth.lower - value, value - truth.upper);
  if (!(off <= allowed)) {
    wrong << "value " << d.value() << " is off [" << number(truth.lower) << ", " << number(truth.upper) << "] by "
          << number(off / view.ulp) << " ulp of the size; ";
  }
  if (!(Extended(d.upper) - Extended(d.lower) <= 2 * allowed)) {  // so that their middle is known to be right
    wrong << "bounds [" << d.lower << ", " << d.upper << "] are "
          << number((Extended(d.upper) - Extended(d.lower)) / view.ulp) << " ulp of the size apart, stop "
          << static_cast<int>(d.stop) << "; ";
  }
}

void check_witness(const ConvexView& view, const DepthBounds& truth, const Depth& d, double part, std::ostream& wrong) {
  if (!d.point_a.allFinite() || !d.point_b.allFinite() || !d.normal.allFinite()) {
    wrong << "points or direction are not finite; ";
    return;
  }
  if (d.normal == Vector3::Zero()) {
    if (d.lower > 0) wrong << "direction is zero, depth at least " << d.lower << "; ";
    return;
  }
  if (d.upper == 0) wrong << "depth is 0 along " << d.normal.transpose() << "; ";
  if (!(std::abs(d.normal.norm() - 1) <= 1e-14)) {
    wrong << "normal " << d.normal.transpose() << " of length " << d.normal.norm() << "; ";
    return;
  }
  const double coordinate = std::max(d.point_a.lpNorm<Eigen::Infinity>(), d.point_b.lpNorm<Eigen::Infinity>());
  const Extended allowed = view.allowed(truth.upper, part) + 64 * spacing_of_doubles_at(coordinate);
  const Extended off_a = view.off_a(d.point_a), off_b = view.off_b(d.point_b);
  if (off_a > allowed) wrong << "point_a " << d.point_a.transpose() << " is " << number(off_a) << " off a; ";
  if (off_b > allowed) wrong << "point_b " << d.point_b.transpose() << " is " << number(off_b) << " off b; ";
  const Vec<Extended> direction = exactly<Extended>(d.normal);
  const Vec<Extended> between = exactly<Extended>(d.point_a) - exactly<Extended>(d.point_b);
  const Extended off = norm(between - Extended(d.upper) * direction);
  if (off > allowed) {
    wrong << "points do not belong together: " << number(off) << " off upper " << d.upper << " along the direction; ";
  }
  if (!view.reference.bounded()) return;
  const Extended width = view.reference.width_along(direction);
  if (width > Extended(d.upper) + allowed) {
    wrong << "after the move by " << d.upper << " along " << d.normal.transpose() << " they overlap by "
          << number(width - Extended(d.upper)) << "; ";
  }
}

void check_mirror(const Depth& there, const Depth& back, std::ostream& wrong) {
  if (there.lower != back.lower || there.upper != back.upper || there.stop != back.stop) {
    wrong << "[" << there.lower << ", " << there.upper << "] but swapped [" << back.lower << ", " << back.upper
          << "]; ";
  }
  if (there.point_a != back.point_b || there.point_b != back.point_a || there.normal != Vector3(-back.normal)) {
    wrong << "points or direction are not mirrored by the other order: " << there.point_a.transpose() << " | "
          << there.point_b.transpose() << " | " << there.normal.transpose() << " but swapped "
          << back.point_a.transpose() << " | " << back.point_b.transpose() << " | " << back.normal.transpose() << "; ";
  }
}

void check_depth(const ConvexView& view, const Depth& d, double part, std::ostream& wrong) {
  std::vector<Vec<Extended>> hints;
  if (d.normal != Vector3::Zero()) hints.push_back(exactly<Extended>(d.normal));
  const DepthBounds truth(
      view.gap({.relative_width = 0.05 * part, .width_of_size = 1e-17, .evaluations = 1500}, hints));
  check_bounds(view, truth, d, wrong);
  check_accuracy(view, truth, d, part, wrong);
  check_witness(view, truth, d, part, wrong);
  // If both shapes are equal and at the same place, both orders are the same query.
  const bool is_twice = view.a.pose.rotation() == view.b.pose.rotation() &&
                        view.a.pose.translation() == view.b.pose.translation() &&
                        describe(view.known_a.truth) == describe(view.known_b.truth);
  if (!is_twice) check_mirror(d, depth(view.b, view.a), wrong);
  const bool touching = touches(view.a, view.b);
  if (!touching && d.upper != 0) wrong << "apart, but the depth is up to " << d.upper << "; ";
}

TEST_P(DepthOfConvexPair, BoundsPointsAndDirectionAreRightAndMirrored) {
  const double part = part_of_depth(GetParam());
  check_convex(GetParam(), cases(33), [part](const ConvexView& view, std::ostream& wrong) {
    const Depth d = depth(view.a, view.b);
    limits().count(view.what, "depth", d.stop, d.lower, d.upper);
    check_depth(view, d, part, wrong);
  });
}

/// One of the random cases, identified by its numbers.
struct NamedCase {
  std::uint64_t seed;
  std::size_t first, second, number;
};

/// Difficult cases, in which bounds may become too wide or the search may end with Stop::limit.
void check_named(std::initializer_list<NamedCase> named) {
  for (const NamedCase& n : named) {
    const ConvexCase c = make_convex_case(n.first, n.second, n.number, n.seed);
    const ConvexView view(c, n.number / convex_family_count % 2 == 1);
    std::ostringstream wrong;
    wrong.precision(17);
    const Depth d = depth(view.a, view.b);
    if (d.stop != Stop::exact) wrong << "stop " << static_cast<int>(d.stop) << "; ";
    check_depth(view, d, part_of_depth({n.first, n.second}), wrong);
    EXPECT_EQ(wrong.str(), "") << "seed " << n.seed << ", " << describe(c);
  }
}

TEST(HardDepths, SmallOnesInHugeOnes) {
  check_named({{101, 1, 7, 1095}, {108, 1, 7, 1315}, {102, 1, 7, 2000015}, {107, 5, 7, 171}});
}

TEST(HardDepths, SlenderOnes) {
  check_named({{102, 1, 7, 423}});
}

TEST(HardDepths, RoundOnesAboutNearlyOneAxis) {
  check_named({{103, 8, 8, 707}, {107, 8, 8, 377}, {104, 7, 7, 1191}, {106, 0, 8, 923}});
}

TEST(HardDepths, RoundingOfUnequalSizes) {
  check_named({{101, 7, 10, 72},
               {102, 6, 10, 17},
               {102, 8, 10, 1183},
               {103, 7, 10, 149},
               {105, 1, 10, 501},
               {105, 5, 10, 908},
               {108, 1, 10, 919},
               {108, 2, 10, 853},
               {108, 10, 10, 116}});
}

TEST(HardDepths, RoundingOfFlatOnes) {
  check_named({{104, 5, 9, 287}, {105, 9, 10, 257}, {105, 10, 10, 510}});
}

TEST(HardDepths, PlanesAndShapesWithoutSize) {
  check_named({{101, 4, 8, 323}, {105, 3, 7, 1115}, {107, 4, 8, 2000167}});
}

TEST(HardDepths, SupportErrorsOfUnequalSize) {
  check_named({{1, 11, 11, 148}, {1, 11, 11, 303}});
}

TEST(HardDepths, HullsThatReachEquallyFarFromTheirCommonOrigin) {
  check_named({{6, 10, 10, 146}});
}

TEST(HardDepths, BallsOfTheUsersOwnAboutACorner) {
  check_named({{108, 2, 11, 1236}, {103, 8, 11, 443}, {115, 1, 11, 119}});
}

/// Shapes that differ only in the order of their numbers, so that neither their places nor their sizes tell which of
/// them comes first.
TEST(DepthOfShapesAtOnePlace, IsMirrored) {
  std::mt19937_64 random = seeded(4714);
  for (std::size_t i = 0; i < cases(20); ++i) {
    const double x = uniform(random, 0.1, 1), y = uniform(random, 0.1, 1), z = uniform(random, 0.1, 1);
    const Vector3 size(x, y, z), other(z, x, y);
    const auto hull = [](const Vector3& of) { return Shape(ConvexHull(convex_cases::box_points(of))); };
    const auto custom = [](const Vector3& of) { return convex_cases::custom(Ellipsoid{of}, 0).shape; };
    const std::vector<std::pair<Shape, Shape>> pairs = {
        {Box{size}, Box{other}},
        {Capsule{x, 2 * y}, Capsule{y, 2 * x}},
        {Cylinder{x, 2 * y}, Cylinder{y, 2 * x}},
        {Cone{x, 2 * y}, Cone{y, 2 * x}},
        {Ellipsoid{size}, Ellipsoid{other}},
        {Segment{Vector3(-x, y, z), Vector3(x, -y, z)}, Segment{Vector3(x, y, z), Vector3(-x, -y, z)}},
        {Triangle{Vector3(-x, y, z), Vector3(x, -y, z), Vector3(0, 0, -z)},
         Triangle{Vector3(x, y, z), Vector3(-x, -y, z), Vector3(0, 0, -z)}},
        {hull(size), hull(other)},
        {custom(size), custom(other)}};
    const Pose pose(scenes::any_rotation(random), i % 2 == 0 ? random_vector(random, 2) : Vector3(0, 0, 0));
    for (const auto& [a, b] : pairs) {
      std::ostringstream wrong;
      wrong.precision(17);
      check_mirror(depth({a, pose}, {b, pose}), depth({b, pose}, {a, pose}), wrong);
      EXPECT_EQ(wrong.str(), "") << describe(a) << " and " << describe(b) << ", number " << i;
    }
  }
}

TEST_P(DepthOfConvexPair, BoundsContainTheTruthOf384Bits) {
  check_convex(
      GetParam(), cases(1),
      [](const ConvexView& view, std::ostream& wrong) {
        const Depth d = depth(view.a, view.b);
        const ReferenceGap<Real> gap =
            ReferencePair<Real>(view.known_a.truth, view.a.pose, view.known_b.truth, view.b.pose)
                .gap({.relative_width = 1e-8, .evaluations = 100});
        const Real slack = Real(view.slack);
        if (Real(d.lower) > std::max(Real(0), Real(-gap.lower)) + slack ||
            Real(d.upper) < std::max(Real(0), Real(-gap.upper)) - slack) {
          wrong << "depth [" << number(Real(-gap.upper)) << ", " << number(Real(-gap.lower)) << "] is not in ["
                << d.lower << ", " << d.upper << "]";
        }
      },
      1000001 + 11 * GetParam().first);  // near contact: just inside or just outside
}

TEST_P(DepthOfConvexPair, AToleranceKeepsTheBoundsTrue) {
  const double part = part_of_depth(GetParam());
  check_convex(
      GetParam(), cases(6),
      [part](const ConvexView& view, std::ostream& wrong) {
        const DepthBounds truth(view.gap({.relative_width = 1e-3, .evaluations = 1000}));
        for (const double tolerance : {1e-3, 0.1, 1.0}) {
          const double wanted = tolerance * static_cast<double>(truth.upper);
          const Depth d = depth(view.a, view.b, {.tolerance = wanted});
          check_bounds(view, truth, d, wrong);
          if (Extended(d.upper) - Extended(d.lower) > Extended(wanted) + 2 * view.allowed(truth.upper, part)) {
            wrong << "tolerance " << wanted << " gives [" << d.lower << ", " << d.upper << "]; ";
          }
        }
      },
      2000000);
}

TEST_P(DepthOfConvexPair, AWarmCacheGivesBoundsThatOverlapTheColdOnes) {
  const double part = part_of_depth(GetParam());
  PairCache carried;  // carried from case to case, so that it belongs to another pair each time
  check_convex(
      GetParam(), cases(5),
      [part, &carried](const ConvexView& view, std::ostream& wrong) {
        PairCache own;
        const double size = static_cast<double>(view.ulp) * 0x1p50;
        Pose pose = view.b.pose;
        for (int step = 0; step < 12; ++step) {
          const Placed b(view.b.shape, pose);
          const Depth cold = depth(view.a, b);
          for (PairCache* cache : {&own, &carried}) {
            const Depth warm = depth(view.a, b, {.cache = cache});
            if (!(warm.lower >= 0 && warm.lower <= warm.upper) || warm.lower > cold.upper || cold.lower > warm.upper) {
              wrong << "step " << step << ": cold [" << cold.lower << ", " << cold.upper << "], warm [" << warm.lower
                    << ", " << warm.upper << "]; ";
            }
            const Extended allowed = 2 * view.allowed(Extended(cold.upper), part);
            if (Extended(warm.upper) - Extended(warm.lower) > allowed + Extended(cold.upper) - Extended(cold.lower)) {
              wrong << "step " << step << ": warm bounds [" << warm.lower << ", " << warm.upper << "] are wide; ";
            }
          }
          pose = moved_on(pose, 0.005, size * Vector3(0.01, -0.004, 0.007));
        }
      },
      3000000);
}

void check_hint(const ConvexView& view, const Vector3& hint, double slack, double part, std::ostream& wrong) {
  const Depth shortest = depth(view.a, view.b);
  const Depth d = depth(view.a, view.b, {.hint = hint, .hint_slack = slack});
  const Extended allowed = 2 * view.allowed(Extended(shortest.upper), part);
  if (!(d.lower >= 0 && d.lower <= d.upper) || d.lower > shortest.upper || d.upper < shortest.lower) {
    wrong << "[" << d.lower << ", " << d.upper << "], without the hint [" << shortest.lower << ", " << shortest.upper
          << "]; ";
  }
  if (Extended(d.upper) > (1 + Extended(slack)) * Extended(shortest.upper) + allowed) {
    wrong << "the way is " << d.upper << ", the shortest " << shortest.upper << " and the slack " << slack << "; ";
  }
  if (d.normal == Vector3::Zero() || !view.reference.bounded()) return;
  const Pose moved(view.b.pose.rotation(), view.b.pose.translation() + d.normal * d.upper);
  const ReferencePair<Extended> after(view.known_a.truth, view.a.pose, view.known_b.truth, moved);
  if (-after.gap({.relative_width = 1e-3, .evaluations = 300}).upper > allowed) {
    wrong << "the way " << d.upper << " along " << d.normal.transpose() << " does not part them; ";
  }
  const Vec<Extended> between = exactly<Extended>(d.point_a) - exactly<Extended>(d.point_b);
  if (norm(between - Extended(d.upper) * exactly<Extended>(d.normal)) > allowed) {
    wrong << "points do not belong together; ";
  }
  if (d.normal.dot(hint) < shortest.normal.dot(hint) - 1e-6 * hint.norm()) {
    wrong << "goes less along the hint than the shortest way; ";
  }
}

TEST_P(DepthOfConvexPair, AHintChoosesAmongTheWaysOutThatAreLittleLonger) {
  const double part = part_of_depth(GetParam());
  std::mt19937_64 random = seeded(4713 + 100 * GetParam().first + GetParam().second);
  check_convex(
      GetParam(), cases(11),
      [part, &random](const ConvexView& view, std::ostream& wrong) {
        const Vector3 hint = uniform(random, 0.1, 10) * scenes::unit_vector(random);
        const double slack = uniform(random, 0, 1);
        check_hint(view, hint, slack, part, wrong);
      },
      4000000);
}

/// Where rounding leaves several ways out equally short, the witness points turn them by more than the hint does.
TEST(HardDepths, HintsAmongWaysOutThatRoundingMakesEqual) {
  struct Hinted {
    NamedCase named;
    Vector3 hint;
    double slack;
  };
  for (const auto& [n, hint, slack] :
       {Hinted{{1, 7, 7, 4000090}, Vector3(0.863387, -0.361571, 0.351894), 0.754677},
        Hinted{{2, 5, 9, 4000013}, Vector3(0.486075, 0.637399, -0.597874), 0.257057},
        Hinted{{2, 6, 11, 4000078}, Vector3(-0.630023, -0.0537998, -0.774711), 0.206118},
        Hinted{{3, 2, 11, 4000023}, Vector3(0.459542, -0.886573, 0.0529977), 0.332268}}) {
    const ConvexCase c = make_convex_case(n.first, n.second, n.number, n.seed);
    const ConvexView view(c, n.number / convex_family_count % 2 == 1);
    std::ostringstream wrong;
    wrong.precision(17);
    check_hint(view, hint, slack, part_of_depth({n.first, n.second}), wrong);
    EXPECT_EQ(wrong.str(), "") << "seed " << n.seed << ", " << describe(c);
  }
}

// ---- cases with closed forms

/// Other libraries err by the depth itself here: two round bodies of 20 cm that overlap by 2 mm.
TEST(DepthOfCylinders, TwoMillimetersInTwentyCentimetersIsFoundToAMillionth) {
  if (!is_supported(Question::depth, ShapeKind::cylinder, ShapeKind::cylinder)) GTEST_FAIL() << "not supported";
  const Shape cylinder = Cylinder{0.1, 0.2};
  std::mt19937_64 random = seeded(520);
  double worst = 0;
  for (std::size_t i = 0; i < cases(100); ++i) {
    const Pose pose_a(scenes::any_rotation(random), Vector3::Zero());
    ConvexCase c{convex_cases::known(cylinder),
                 convex_cases::known(cylinder),
                 pose_a,
                 Pose(scenes::any_rotation(random), random_vector(random, 0.3)),
                 ConvexFamily::near,
                 i};
    convex_cases::move_to_gap(random, c, 0.2, -0.002);
    const ConvexView view(c, false);
    const DepthBounds truth(view.gap({.relative_width = 1e-9, .evaluations = 3000}));
    const Depth d = depth(view.a, view.b);
    const Extended off = std::max(truth.lower - Extended(d.value()), Extended(d.value()) - truth.upper);
    worst = std::max(worst, static_cast<double>(off / truth.upper));
    EXPECT_LE(off, 1e-6L * truth.upper) << describe(c);
    EXPECT_LE(d.lower, static_cast<double>(truth.upper)) << describe(c);
    EXPECT_GE(d.upper, static_cast<double>(truth.lower)) << describe(c);
  }
  RecordProperty("worst_relative_error", std::to_string(worst));
}

void expect_depth(const Placed& a, const Placed& b, double expected) {
  const Depth d = depth(a, b);
  EXPECT_LE(d.lower, expected * (1 + 1e-15));
  EXPECT_GE(d.upper, expected * (1 - 1e-15));
  EXPECT_NEAR(d.value(), expected, 1e-6 * expected + 1e-14);
}

TEST(DepthOfRoundShapes, ConcentricAndCoaxialOnesHaveTheirClosedForms) {
  if (!is_supported(Question::depth, ShapeKind::cylinder, ShapeKind::cone)) GTEST_FAIL() << "not supported";
  const Shape cylinder = Cylinder{1, 4}, disc = Cylinder{1, 0}, rod = Cylinder{0, 4},
              ball = Ellipsoid{Vector3(1, 1, 1)}, egg = Ellipsoid{Vector3(1, 2, 3)}, cone = Cone{1, 2};
  expect_depth(cylinder, cylinder, 2);                                // sideways
  expect_depth(cylinder, {cylinder, Pose(Vector3(0, 0, 3.5))}, 0.5);  // along the axis
  expect_depth(cylinder, {cylinder, Pose(Vector3(1.5, 0, 0))}, 0.5);  // side to side
  expect_depth(disc, disc, 0);                                        // in one plane
  expect_depth(rod, rod, 0);
  expect_depth(ball, ball, 2);
  expect_depth(egg, egg, 2);
  expect_depth(ball, {Sphere{2}, Pose(Vector3(1, 0, 0))}, 2);
  expect_depth(cone, {cone, Pose(Vector3(0, 0, 1.75))}, 0.25);  // tip in base
}

/// Only the support function of such a ball is known, and a whole range of ways out are equally long.
TEST(DepthOfCustomBalls, AboutACornerAndAboutOneCenterIsKnownToAMillionth) {
  if (!is_supported(Question::depth, ShapeKind::box, ShapeKind::custom_convex)) GTEST_FAIL() << "not supported";
  const auto ball = [](double radius) {
    return Shape(CustomConvex([radius](const Vector3& d) { return Vector3(d * (radius / d.norm())); }));
  };
  struct Asked {
    Shape a;
    Vector3 corner;
    double expected;
  };
  for (const Asked& asked : {Asked{Box{Vector3(2, 4, 6)}, Vector3(1, 2, -3), 1},
                             Asked{Segment{Vector3(0, 0, 0), Vector3(5, 1, 0)}, Vector3(5, 1, 0), 1},
                             Asked{ball(1.5), Vector3(0, 0, 0), 2.5}}) {
    const Pose pose(asked.corner);
    const Depth d = depth(asked.a, {ball(1), pose});
    EXPECT_EQ(d.stop, Stop::exact);
    EXPECT_LE(d.lower, asked.expected);
    EXPECT_GE(d.upper, asked.expected);
    EXPECT_LE(d.upper - d.lower, 2e-6 * asked.expected);
    EXPECT_LE(d.cost.primitive_tests, 3'500'000u);
    const Depth cut = depth(asked.a, {ball(1), pose}, {.budget = 50'000});
    EXPECT_EQ(cut.stop, Stop::budget);
    EXPECT_LE(cut.cost.primitive_tests, 52'000u);
    EXPECT_LE(cut.lower, asked.expected);
    EXPECT_GE(cut.upper, asked.expected);
  }
}

}  // namespace
}  // namespace whisker::test
