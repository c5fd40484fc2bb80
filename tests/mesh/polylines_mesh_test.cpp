// The curves along which two surfaces intersect, assembled from the contacts' segments.

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/make/make.hpp>
#include <whisker/queries.hpp>

#include "support/mesh_cases.hpp"

namespace whisker {
namespace {

using test::cases;
using test::MeshPair;
using test::PlacedTriangles;
using test::random_pose;
using test::seeded;

double length_of(const Polyline& line) {
  double sum = 0;
  for (std::size_t i = 0; i + 1 < line.points.size(); ++i)
    sum += (line.points[i + 1] - line.points[i]).norm();
  if (line.closed && line.points.size() > 1) sum += (line.points.front() - line.points.back()).norm();
  return sum;
}

double length_of(const std::vector<Polyline>& lines) {
  double sum = 0;
  for (const Polyline& line : lines)
    sum += length_of(line);
  return sum;
}

double length_of(const Contacts& found) {
  double sum = 0;
  for (const Contact& contact : found.pairs)
    sum += (contact.segment.b - contact.segment.a).norm();
  return sum;
}

bool on_surface(const PlacedTriangles& surface, const Vector3& point, double off) {
  return std::any_of(surface.triangles.begin(), surface.triangles.end(),
                     [&](const Triangle& t) { return closest_points(point, t).distance <= off; });
}

TEST(MeshPolylines, OfNothingAreNone) {
  EXPECT_TRUE(polylines(Contacts{}).empty());
  const Shape ball = Mesh(make::icosphere());
  EXPECT_TRUE(polylines(contacts(ball, {ball, Pose(Vector3(5, 0, 0))})).empty());
}

TEST(MeshPolylines, OfTwoBallsAreOneCircle) {
  const Shape ball = Mesh(make::icosphere({.subdivisions = 4}));
  const Matrix3 turn = test::scenes::rotation_from(0.9, 0.1, 0.2, 0.3);  // so that no edges meet
  const std::vector<Polyline> lines = polylines(contacts(ball, {ball, Pose(turn, Vector3(1.2, 0.1, 0.05))}));
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_TRUE(lines[0].closed);
  EXPECT_NE(lines[0].points.front(), lines[0].points.back()) << "the last point is joined to the first, not repeated";
  const double apart = Vector3(1.2, 0.1, 0.05).norm(), radius = std::sqrt(1 - apart * apart / 4);
  EXPECT_NEAR(length_of(lines[0]), 2 * std::numbers::pi * radius, 0.02);
}

TEST(MeshPolylines, OfARodThroughABoxAreTwoLoops) {
  const Shape box = Mesh(make::box());
  const Shape rod = Mesh(make::cylinder({.radius = 0.2, .length = 3, .slices = 17}));
  const std::vector<Polyline> lines = polylines(contacts(box, {rod, Pose(Vector3(0.013, 0.007, 0.1))}));
  ASSERT_EQ(lines.size(), 2u);
  for (const Polyline& line : lines) {
    EXPECT_TRUE(line.closed);
    EXPECT_NEAR(length_of(line), 17 * 2 * 0.2 * std::sin(std::numbers::pi / 17), 1e-12);
    for (const Vector3& p : line.points)
      EXPECT_NEAR(std::abs(p.z()), 0.5, 1e-14);
  }
}

TEST(MeshPolylines, OfTwoSheetsThatCrossAreOneOpenLine) {
  const Shape sheet = Mesh(test::moved(test::integer_sheet(8, 8), Vector3(-4, -4, 0)));
  Matrix3 upright;
  upright << 1, 0, 0, 0, 0, -1, 0, 1, 0;
  const std::vector<Polyline> lines = polylines(contacts(sheet, {sheet, Pose(upright, Vector3(0.3, 0.4, 0.2))}));
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_FALSE(lines[0].closed);
  EXPECT_NEAR(length_of(lines[0]), 7.7, 1e-12);  // from -3.7 to 4 along x
  const auto [low, high] = std::minmax(lines[0].points.front().x(), lines[0].points.back().x());
  EXPECT_NEAR(low, -3.7, 1e-14);
  EXPECT_NEAR(high, 4, 1e-14);
}

TEST(MeshPolylines, OfClosedSurfacesInRandomPosesAreClosedAndLoseNothing) {
  auto random = seeded(3601);
  std::size_t loops = 0;
  for (std::size_t i = 0; i < cases(150); ++i) {
    const std::size_t count = test::small_models().size();
    const std::size_t k = i % count, m = (i * 5 + i / count) % count;
    // The chair's parts touch each other, where its curves branch.
    const auto simple = [](std::size_t n) {
      return test::small_models()[n].closed && test::small_models()[n].name != "chair";
    };
    if (!simple(k) || !simple(m)) continue;
    const Vector3 axis = test::scenes::unit_vector(random);  // general position
    const Pose pose(test::scenes::rotation_from(0.8, axis.x(), axis.y(), axis.z()), test::random_vector(random, 0.4));
    const MeshPair pair(test::small_meshes()[k], Pose(), test::small_meshes()[m], pose);
    const Contacts found = pair.find_contacts({});
    const std::vector<Polyline> lines = polylines(found);
    const PlacedTriangles a = pair.placed_a(), b = pair.placed_b();
    ASSERT_EQ(lines.empty(), found.pairs.empty()) << pair;
    for (const Polyline& line : lines) {
      ++loops;
      ASSERT_TRUE(line.closed) << pair;
      for (const Vector3& p : line.points) {
        ASSERT_TRUE(on_surface(a, p, test::eight_ulp(a, b))) << pair;
        ASSERT_TRUE(on_surface(b, p, test::eight_ulp(a, b))) << pair;
      }
    }
    ASSERT_NEAR(length_of(lines), length_of(found), 1e-12 * (1 + length_of(found))) << pair;
  }
  EXPECT_GT(loops, cases(150) / 8);
}

TEST(MeshPolylines, WithAToleranceJoinEndsThatAreFartherApart) {
  Contacts made;
  made.pairs = {{{}, {}, {{0, 0, 0}, {1, 0, 0}}}, {{}, {}, {{1.001, 0, 0}, {2, 0, 0}}}};
  EXPECT_EQ(polylines(made).size(), 2u);
  EXPECT_EQ(polylines(made, 0.01).size(), 1u);
  made.pairs[1].segment.a.x() = 1;
  EXPECT_EQ(polylines(made).size(), 1u);
  EXPECT_EQ(polylines(made, 0).size(), 1u);
  std::swap(made.pairs[1].segment.a, made.pairs[1].segment.b);
  const std::vector<Polyline> joined = polylines(made);
  ASSERT_EQ(joined.size(), 1u) << "whichever way a segment runs";
  EXPECT_EQ(joined[0].points.size(), 3u);
}

}  // namespace
}  // namespace whisker
