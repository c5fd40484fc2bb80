// Intersection curves: how many there are, whether they are closed, and how long they are.

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <set>
#include <vector>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include <whisker/error.hpp>
#include <whisker/make/make.hpp>
#include <whisker/queries.hpp>

#include "support/cases.hpp"

namespace whisker {
namespace {

using std::numbers::pi;

double length(const Polyline& line) {
  double sum = line.closed ? (line.points.front() - line.points.back()).norm() : 0;
  for (std::size_t i = 1; i < line.points.size(); ++i)
    sum += (line.points[i] - line.points[i - 1]).norm();
  return sum;
}

double length(const std::vector<Polyline>& lines) {
  double sum = 0;
  for (const Polyline& line : lines)
    sum += length(line);
  return sum;
}

std::size_t closed(const std::vector<Polyline>& lines) {
  return static_cast<std::size_t>(
      std::count_if(lines.begin(), lines.end(), [](const Polyline& l) { return l.closed; }));
}

std::vector<Polyline> curves(const Mesh& a, const Mesh& b, const Pose& pose) {
  return polylines(contacts(Shape(a), {Shape(b), pose}));
}

Contacts segments(std::initializer_list<Segment> all) {
  Contacts result;
  for (const Segment& segment : all)
    result.pairs.push_back({{}, {}, segment});
  return result;
}

const Vector3 p(1, 2, 3), q(2, 2, 3), r(2, 4, 3), s(5, 5, 5), t(6, 5, 5);

TEST(Polylines, NoContactsGiveNone) {
  EXPECT_TRUE(polylines(Contacts{}).empty());
}

TEST(Polylines, JoinsSegmentsOfAnyDirectionAndOrder) {
  const std::vector<Polyline> lines = polylines(segments({{r, q}, {s, t}, {p, q}}));
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].points, (std::vector<Vector3>{r, q, p}));
  EXPECT_FALSE(lines[0].closed);
  EXPECT_EQ(lines[1].points, (std::vector<Vector3>{s, t}));
}

TEST(Polylines, ALoopIsClosedAndDoesNotRepeatItsFirstPoint) {
  const std::vector<Polyline> lines = polylines(segments({{p, q}, {r, q}, {r, p}}));
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_TRUE(lines[0].closed);
  EXPECT_EQ(lines[0].points.size(), 3u);
  EXPECT_DOUBLE_EQ(length(lines), (q - p).norm() + (r - q).norm() + (p - r).norm());
}

TEST(Polylines, ASegmentThatIsThereTwiceIsNoLoop) {
  const std::vector<Polyline> lines = polylines(segments({{p, q}, {q, p}, {p, q}, {q, r}}));
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_FALSE(lines[0].closed);
  EXPECT_EQ(lines[0].points.size(), 3u);
}

TEST(Polylines, ThreeEndsThatMeetEndEachCurve) {
  const std::vector<Polyline> lines = polylines(segments({{p, q}, {q, r}, {s, q}, {s, t}}));
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(closed(lines), 0u);
  for (const Polyline& line : lines)
    EXPECT_TRUE(line.points.front() == q || line.points.back() == q);
}

TEST(Polylines, TwoLoopsThroughOnePointAreTwoLoops) {
  const Vector3 u(0, 9, 9);
  const std::vector<Polyline> lines = polylines(segments({{p, q}, {q, r}, {r, p}, {p, s}, {s, u}, {u, p}}));
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(closed(lines), 2u);
  EXPECT_EQ(lines[0].points.front(), p);
  EXPECT_EQ(lines[1].points.front(), p);
}

TEST(Polylines, PointsAreLeftOutUnlessThereIsNothingElse) {
  EXPECT_EQ(polylines(segments({{s, s}, {p, q}, {r, r}})).size(), 1u);
  const std::vector<Polyline> points = polylines(segments({{s, s}, {p, p}, {s, s}}));
  ASSERT_EQ(points.size(), 2u);
  EXPECT_EQ(points[0].points, std::vector<Vector3>{s});
  EXPECT_EQ(points[1].points, std::vector<Vector3>{p});
}

TEST(Polylines, EndsWithinTheToleranceAreOneAndOthersAreNot) {
  auto random = test::seeded(41);
  for (std::size_t i = 0; i < test::cases(2000); ++i) {
    const double tolerance = std::pow(10, test::uniform(random, -14, -3));
    const auto off = [&](double by) { return test::uniform(random, -by, by) * tolerance; };
    const Vector3 at(test::uniform(random, -1, 1), test::uniform(random, -1, 1), test::uniform(random, -1, 1));
    const Vector3 beside = at + Vector3(off(1), off(1), off(1)) * 0.99;
    EXPECT_EQ(polylines(segments({{p, at}, {beside, s}}), tolerance).size(), 1u) << i;
    const Vector3 away = at + Vector3(off(1), off(1), off(1) > 0 ? 2.4 * tolerance : -2.4 * tolerance);
    EXPECT_EQ(polylines(segments({{p, at}, {away, s}}), tolerance).size(), 2u) << i;
  }
}

TEST(Polylines, ToleranceZeroAsksForEqualEnds) {
  const Vector3 next(std::nextafter(q.x(), 3), q.y(), q.z());
  EXPECT_EQ(polylines(segments({{p, q}, {next, r}}), 0).size(), 2u);
  EXPECT_EQ(polylines(segments({{p, q}, {next, r}})).size(), 1u);
  const Vector3 zero(0, 0, 0), minus_zero(-0.0, 0, -0.0);
  EXPECT_EQ(polylines(segments({{p, zero}, {minus_zero, r}}), 0).size(), 1u);
}

TEST(Polylines, AToleranceLargerThanAllLeavesAPoint) {
  EXPECT_EQ(polylines(segments({{p, q}, {q, r}, {s, t}}), 100).size(), 1u);
}

TEST(Polylines, AToleranceThatIsNoLengthIsAnError) {
  EXPECT_THROW(polylines({}, std::nan("")), Error);
  EXPECT_THROW(polylines({}, std::numeric_limits<double>::infinity()), Error);
}

TEST(Polylines, EverySegmentIsOnOneCurveAndNoneTwice) {
  auto random = test::seeded(42);
  for (std::size_t i = 0; i < test::cases(300); ++i) {
    // An arbitrary graph on the points of a small grid.
    Contacts all;
    std::set<std::pair<int, int>> edges;
    double sum = 0;
    const auto at = [](int n) { return Vector3(n % 4, n / 4 % 4, n / 16); };
    for (std::size_t k = 0; k < 1 + random() % 60; ++k) {
      const int from = static_cast<int>(random() % 32), to = static_cast<int>(random() % 32);
      all.pairs.push_back({{}, {}, {at(from), at(to)}});
      if (from == to || !edges.insert({std::min(from, to), std::max(from, to)}).second) continue;
      sum += (at(from) - at(to)).norm();
    }
    const std::vector<Polyline> lines = polylines(all);
    if (edges.empty()) continue;
    std::size_t found = 0;
    for (const Polyline& line : lines) {
      EXPECT_GE(line.points.size(), line.closed ? 3u : 2u);
      found += line.points.size() - (line.closed ? 0 : 1);
    }
    EXPECT_EQ(found, edges.size());
    EXPECT_NEAR(length(lines), sum, 1e-12 * sum);
  }
}

TEST(Polylines, SpheresMeetInACircle) {
  const Mesh ball(make::icosphere({.radius = 1, .subdivisions = 5}));
  auto random = test::seeded(43);
  for (std::size_t i = 0; i < test::cases(10); ++i) {
    const Vector3 axis = Vector3(test::uniform(random, -1, 1), test::uniform(random, -1, 1), 1).normalized();
    const double apart = test::uniform(random, 0.5, 1.7);
    const Pose pose(Eigen::AngleAxisd(test::uniform(random, -3, 3), axis).toRotationMatrix(), axis * apart);
    const std::vector<Polyline> lines = curves(ball, ball, pose);
    ASSERT_EQ(lines.size(), 1u) << i;
    EXPECT_TRUE(lines[0].closed);
    const double circle = 2 * pi * std::sqrt(1 - apart * apart / 4);
    EXPECT_NEAR(length(lines), circle, 0.03 * circle) << i;
  }
}

TEST(Polylines, ToriThatCrossTwiceMeetInTwoLoopsAndLinkedOnesInNone) {
  const Mesh torus(make::torus({.major = 1, .minor = 0.2, .around = 96, .across = 48}));
  const Pose raised(Matrix3::Identity(), Vector3(1, 0, 0.013));  // no two tubes at the same height
  const std::vector<Polyline> two = curves(torus, torus, raised);
  EXPECT_EQ(two.size(), closed(two));
  EXPECT_EQ(two.size(), 2u);
  const Pose linked(Eigen::AngleAxisd(pi / 2, Vector3::UnitX()).toRotationMatrix(), Vector3(1, 0, 0));
  EXPECT_TRUE(curves(torus, torus, linked).empty());
}

TEST(Polylines, ARodThroughABoxMakesTwoRectanglesOfKnownLength) {
  const Mesh box(make::box({.size_x = 4, .size_y = 4, .size_z = 2, .subdivisions = 3}));
  const Mesh rod(make::box({.size_x = 1, .size_y = 0.5, .size_z = 10, .subdivisions = 4}));
  const Matrix3 turn = Eigen::AngleAxisd(0.4, Vector3::UnitZ()).toRotationMatrix();
  const std::vector<Polyline> lines = curves(box, rod, Pose(turn, Vector3(0.31, -0.17, 0.05)));
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(closed(lines), 2u);
  EXPECT_NEAR(length(lines[0]), 3, 1e-13);
  EXPECT_NEAR(length(lines[1]), 3, 1e-13);
  // Aligned with the axes, everything is degenerate: edges in planes, corners on edges.
  const std::vector<Polyline> straight = curves(box, rod, Pose());
  ASSERT_EQ(straight.size(), 2u);
  EXPECT_EQ(closed(straight), 2u);
  EXPECT_NEAR(length(straight), 6, 1e-13);
}

TEST(Polylines, ASheetThroughASphereMakesOneCircle) {
  const Mesh ball(make::uv_sphere({.radius = 1, .stacks = 32}));
  const Mesh sheet(MeshData{{{-2, -2, 0}, {2, -2, 0}, {2, 2, 0}, {-2, 2, 0}}, {{0, 1, 2}, {0, 2, 3}}});
  for (const double height : {0.0, 0.3, -0.61}) {  // at 0 the sheet contains the edges of the equator
    const std::vector<Polyline> lines = curves(ball, sheet, Pose(Vector3(0.01, 0.02, height)));
    ASSERT_EQ(lines.size(), 1u) << height;
    EXPECT_TRUE(lines[0].closed);
    const double circle = 2 * pi * std::sqrt(1 - height * height);
    EXPECT_NEAR(length(lines), circle, 0.01 * circle);
  }
}

TEST(Polylines, ASheetThatEndsInsideTheSphereMakesAnOpenCurve) {
  const Mesh ball(make::uv_sphere({.radius = 1, .stacks = 32}));
  const Mesh sheet(MeshData{{{0.013, -2, 0}, {2, -2, 0}, {2, 2, 0}, {0.013, 2, 0}}, {{0, 1, 2}, {0, 2, 3}}});
  const std::vector<Polyline> lines = curves(ball, sheet, Pose(Vector3(0, 0, 0.3)));
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_FALSE(lines[0].closed);
  const double radius = std::sqrt(1 - 0.09);
  EXPECT_NEAR(length(lines), 2 * radius * std::acos(0.013 / radius), 0.01);
}

TEST(Polylines, FacesInOnePlaneAndManyCopiesOfAPointDoNotHang) {
  const Mesh box(make::box({.subdivisions = 12}));
  const Contacts stacked = contacts(Shape(box), {Shape(box), Pose(Vector3(0.05, 0.03, 1))});
  ASSERT_GT(stacked.pairs.size(), 300u);
  EXPECT_FALSE(polylines(stacked).empty());
  EXPECT_FALSE(polylines(contacts(Shape(box), Shape(box))).empty());
  Contacts many;
  many.pairs.assign(200'000, Contact{{}, {}, {p, p}});
  EXPECT_EQ(polylines(many).size(), 1u);
  for (std::size_t i = 0; i < many.pairs.size(); ++i)
    many.pairs[i].segment.b = Vector3(2, 2, static_cast<double>(i));  // a star
  EXPECT_EQ(polylines(many).size(), many.pairs.size());
}

TEST(Polylines, FarFromTheOriginCurvesStayWhole) {
  const Mesh ball(make::icosphere({.radius = 1, .subdivisions = 4}));
  const Vector3 far(1e6, -3e6, 2e6);
  const Shape shape = ball;
  const std::vector<Polyline> lines =
      polylines(contacts({shape, Pose(far)}, {shape, Pose(Vector3(far + Vector3(0.9, 0.4, 0.2)))}));
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_TRUE(lines[0].closed);
}

}  // namespace
}  // namespace whisker
