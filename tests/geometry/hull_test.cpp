// Convex hulls of points: random, flat, degenerate and large sets, checked in exact arithmetic.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <numbers>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include <whisker/error.hpp>
#include <whisker/geometry/hull.hpp>

#include "geometry/hull_oracle.hpp"
#include "support/cases.hpp"
#include "support/random_vectors.hpp"

namespace whisker {
namespace {

using test::cases;
using test::expect_closed_surface;
using test::expect_exact_hull;
using test::expect_planes_enclose;
using test::random_rotation;
using test::random_unit;
using test::random_vector;
using test::seeded;
using test::uniform;

using Points = std::vector<Vector3>;

Points cube_corners() {
  Points points;
  for (int i = 0; i < 8; ++i)
    points.emplace_back(i & 1, (i >> 1) & 1, (i >> 2) & 1);
  return points;
}

Points prism(int sides, double height) {
  Points points;
  for (int i = 0; i < sides; ++i) {
    const double angle = 2 * std::numbers::pi * i / sides;
    points.emplace_back(std::cos(angle), std::sin(angle), 0);
    points.emplace_back(std::cos(angle), std::sin(angle), height);
  }
  return points;
}

Points turned(const Points& points, const Matrix3& rotation) {
  Points result;
  for (const Vector3& p : points)
    result.push_back(rotation * p);
  return result;
}

// Makes a hull and checks all its guarantees. If there are many points, its planes are checked against few of them.
HullData checked_hull(const Points& points) {
  const HullData hull = convex_hull(points);
  expect_exact_hull(points, hull);
  expect_planes_enclose(hull.vertices.size() * hull.face_count() < 20000 ? Points(hull.vertices) : Points(), hull);
  return hull;
}

// Faces as sets of coordinates, which can be compared between permutations of the input.
std::set<std::vector<std::array<double, 3>>> faces_by_coordinates(const HullData& hull) {
  std::set<std::vector<std::array<double, 3>>> faces;
  for (std::size_t f = 0; f < hull.face_count(); ++f) {
    std::vector<std::array<double, 3>> face;
    for (const std::uint32_t v : hull.face(f)) {
      const Vector3& p = hull.vertices[v];
      face.push_back({p[0] + 0.0, p[1] + 0.0, p[2] + 0.0});
    }
    std::rotate(face.begin(), std::min_element(face.begin(), face.end()), face.end());
    faces.insert(face);
  }
  return faces;
}

TEST(Hull, OneToFourPointsGiveThePointSegmentTriangleAndTetrahedron) {
  const Points points = {{1, 2, 3}, {4, 5, 7}, {-1, 0, 2}, {0, 0, 9}};
  for (std::size_t n = 1; n <= 4; ++n) {
    const Points some(points.begin(), points.begin() + static_cast<std::ptrdiff_t>(n));
    const HullData hull = checked_hull(some);
    EXPECT_EQ(hull.dimension, static_cast<int>(n) - 1);
    EXPECT_EQ(hull.vertices.size(), n);
    EXPECT_EQ(hull.face_count(), n == 4 ? 4u : n == 3 ? 2u : 0u);
  }
}

TEST(Hull, ManyEqualPointsAreOnePoint) {
  const Points points(100000, Vector3(0.1, 0.2, 0.3));
  const HullData hull = checked_hull(points);
  EXPECT_EQ(hull.dimension, 0);
  EXPECT_EQ(hull.vertex_points, std::vector<std::uint32_t>{0});
}

TEST(Hull, NegativeZeroEqualsZero) {
  const Points points = {{0.0, -0.0, 0.0}, {-0.0, 0.0, -0.0}, {-0.0, -0.0, -0.0}};
  EXPECT_EQ(checked_hull(points).dimension, 0);
}

TEST(Hull, CollinearPointsGiveTheirTwoEnds) {
  Points points;
  for (int i = 0; i < 50; ++i)
    points.push_back(Vector3(1, 2, -3) * ((i * 17) % 50));
  const HullData hull = checked_hull(points);
  EXPECT_EQ(hull.dimension, 1);
  EXPECT_EQ(hull.vertices.size(), 2u);
}

TEST(Hull, PointsOneUlpOffALineAreFlatNotASegment) {
  Points points = {{0, 0, 0}, {1, 1, 1}, {0.5, 0.5, 0.5}};
  points[2][2] = std::nextafter(0.5, 1);
  EXPECT_EQ(checked_hull(points).dimension, 2);
}

TEST(Hull, APointOneUlpOffAPlaneMakesASolid) {
  Points points = {{0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}, {0.5, 0.5, std::nextafter(1.0, 2)}};
  const HullData up = checked_hull(points);
  EXPECT_EQ(up.dimension, 3);
  EXPECT_EQ(up.face_count(), 5u);
  points.back()[2] = 1;
  const HullData flat = checked_hull(points);
  EXPECT_EQ(flat.dimension, 2);
  EXPECT_EQ(flat.vertices.size(), 4u);
}

TEST(Hull, FlatPointsGiveOnePolygonWithTwoSides) {
  auto random = seeded(11);
  for (std::size_t n = 0; n < cases(60); ++n) {
    // Integer combinations of two integer vectors are exactly coplanar.
    const Vector3 u(uniform(random, -9, 9) < 0 ? 3 : 0, 2, std::floor(uniform(random, -5, 5)));
    const Vector3 v(std::floor(uniform(random, -5, 5)), std::floor(uniform(random, -5, 5)), 7);
    Points points;
    for (int i = 0; i < 40; ++i) {
      points.push_back(std::floor(uniform(random, -6, 6)) * u + std::floor(uniform(random, -6, 6)) * v);
    }
    const HullData hull = checked_hull(points);
    ASSERT_EQ(hull.dimension, 2);
    ASSERT_EQ(hull.face_count(), 2u);
    ASSERT_EQ(hull.face(0).size(), hull.vertices.size());
    ASSERT_EQ(hull.planes[0].normal, -hull.planes[1].normal);
    if (HasFatalFailure()) return;
  }
}

TEST(Hull, CubeWithPointsOnFacesEdgesAndInsideHasEightCornersAndSixSquares) {
  auto random = seeded(12);
  Points points;
  for (int i = 0; i < 300; ++i) {
    Vector3 p(uniform(random, 0, 1), uniform(random, 0, 1), uniform(random, 0, 1));
    for (int k = 0; k < i % 3; ++k)
      p[(i + k) % 3] = (i >> (k + 3)) & 1;
    points.push_back(p);
  }
  for (const Vector3& p : cube_corners())
    points.push_back(p);
  std::shuffle(points.begin(), points.end(), random);
  const HullData hull = checked_hull(points);
  EXPECT_EQ(hull.vertices.size(), 8u);
  ASSERT_EQ(hull.face_count(), 6u);
  for (std::size_t f = 0; f < 6; ++f)
    EXPECT_EQ(hull.face(f).size(), 4u);
}

TEST(Hull, GridPointsGiveTheirBox) {
  Points points;
  for (int i = 0; i < 12 * 11 * 10; ++i)
    points.emplace_back(i % 12, (i / 12) % 11, i / 132);
  auto random = seeded(13);
  for (int round = 0; round < 5; ++round) {
    const HullData hull = checked_hull(points);
    EXPECT_EQ(hull.vertices.size(), 8u);
    EXPECT_EQ(hull.face_count(), 6u);
    std::shuffle(points.begin(), points.end(), random);
  }
}

TEST(Hull, SmallIntegerPointsWithManyCoplanarAndCollinearOnesAreExact) {
  auto random = seeded(14);
  for (std::size_t n = 0; n < cases(600); ++n) {
    const int range = 1 + static_cast<int>(n % 5);
    const std::size_t count = 1 + n % 40;
    std::uniform_int_distribution<int> coordinate(-range, range);
    Points points;
    for (std::size_t i = 0; i < count; ++i) {
      points.emplace_back(coordinate(random), coordinate(random), coordinate(random));
    }
    checked_hull(points);
    if (HasFatalFailure()) FAIL() << "case " << n;
  }
}

TEST(Hull, PointsThatDifferByUnitsInTheLastPlaceAreExact) {
  auto random = seeded(15);
  for (std::size_t n = 0; n < cases(300); ++n) {
    std::uniform_int_distribution<int> step(-2, 2);
    const Vector3 center = random_vector(random);
    Points points;
    for (int i = 0; i < 30; ++i) {
      Vector3 p = center;
      for (int k = 0; k < 3; ++k)
        p[k] += step(random) * std::ldexp(1.0, -52) * (n % 3 == 0 && k == 2 ? 0 : 1);
      points.push_back(p);
    }
    checked_hull(points);
    if (HasFatalFailure()) FAIL() << "case " << n;
  }
}

TEST(Hull, NearlyCoplanarPointsOfATurnedPlaneAreExact) {
  auto random = seeded(16);
  for (std::size_t n = 0; n < cases(40); ++n) {
    const Matrix3 rotation = random_rotation(random);
    Points points;
    for (int i = 0; i < 60; ++i) {
      points.push_back(rotation * Vector3(uniform(random, -1, 1), uniform(random, -1, 1), 0.25));
    }
    checked_hull(points);
    if (HasFatalFailure()) FAIL() << "case " << n;
  }
}

TEST(Hull, TurnedGridsAreExact) {
  auto random = seeded(17);
  for (std::size_t n = 0; n < cases(15); ++n) {
    Points points;
    for (int i = 0; i < 125; ++i)
      points.emplace_back(i % 5, (i / 5) % 5, i / 25);
    checked_hull(turned(points, random_rotation(random)));
    if (HasFatalFailure()) FAIL() << "case " << n;
  }
}

TEST(Hull, PrismsAndTheirTurnedCopiesAreExact) {
  auto random = seeded(18);
  for (const int sides : {3, 4, 5, 6, 8, 12, 17, 40}) {
    const Points points = prism(sides, 1.5);
    const HullData hull = checked_hull(points);
    EXPECT_EQ(hull.vertices.size(), points.size());
    EXPECT_EQ(hull.face_count(), static_cast<std::size_t>(sides) + 2);
    EXPECT_EQ(checked_hull(turned(points, random_rotation(random))).vertices.size(), points.size());
  }
}

TEST(Hull, RandomPointsOnSphereInBallAndOnThinEllipsoidsAreExact) {
  auto random = seeded(19);
  for (std::size_t n = 0; n < cases(30); ++n) {
    Points sphere;
    Points ball;
    Points ellipsoid;
    for (int i = 0; i < 120; ++i) {
      sphere.push_back(random_unit(random));
      ball.push_back(random_unit(random) * std::cbrt(uniform(random, 0, 1)));
      ellipsoid.push_back(random_unit(random).cwiseProduct(Vector3(1000, 1, n % 2 == 0 ? 1 : 1e-3)));
    }
    // In a dense sphere, rounding moves a few points inside. Of 120 points it moves none.
    EXPECT_EQ(checked_hull(sphere).vertices.size(), sphere.size());
    checked_hull(ball);
    checked_hull(ellipsoid);
    if (HasFatalFailure()) FAIL() << "case " << n;
  }
}

TEST(Hull, HugeTinyAndMixedScalesAreExact) {
  auto random = seeded(20);
  for (const double scale : {1e90, 1e-90, 1e300, 1e-300, 0x1p-1060, 0x1p1023}) {
    for (int n = 0; n < 10; ++n) {
      Points points;
      for (int i = 0; i < 25; ++i) {
        const Vector3 p = n % 2 == 0 ? random_vector(random) : Vector3(random_vector(random) * 3).array().floor() / 3;
        points.push_back(p * scale);
      }
      checked_hull(points);
      if (HasFatalFailure()) FAIL() << "scale " << scale << " case " << n;
    }
  }
  for (int n = 0; n < 10; ++n) {
    Points points;
    for (int i = 0; i < 20; ++i) {
      points.push_back(random_vector(random).cwiseProduct(
          Vector3(std::pow(10, uniform(random, -300, 300)), std::pow(10, uniform(random, -300, 300)), 1)));
    }
    checked_hull(points);
    if (HasFatalFailure()) FAIL() << "mixed case " << n;
  }
}

TEST(Hull, PermutationsGiveTheSameHull) {
  auto random = seeded(21);
  for (std::size_t n = 0; n < cases(60); ++n) {
    Points points;
    for (int i = 0; i < 200; ++i) {
      const Vector3 p = random_vector(random);
      points.push_back(n % 2 == 0 ? p : Vector3((p * 4).array().round()));
    }
    const auto faces = faces_by_coordinates(convex_hull(points));
    for (int round = 0; round < 4; ++round) {
      std::shuffle(points.begin(), points.end(), random);
      ASSERT_EQ(faces_by_coordinates(convex_hull(points)), faces);
    }
  }
}

TEST(Hull, TheSameInputGivesTheSameOutput) {
  auto random = seeded(22);
  Points points;
  for (int i = 0; i < 5000; ++i)
    points.push_back(random_unit(random));
  const HullData a = convex_hull(points);
  const HullData b = convex_hull(points);
  EXPECT_EQ(a.vertex_points, b.vertex_points);
  EXPECT_EQ(a.face_vertices, b.face_vertices);
  EXPECT_EQ(a.face_begin, b.face_begin);
  for (std::size_t f = 0; f < a.face_count(); ++f)
    ASSERT_EQ(a.planes[f].offset, b.planes[f].offset);
}

TEST(Hull, ManyPointsOnFewPositionsKeepTheLowestIndex) {
  auto random = seeded(23);
  Points positions;
  for (int i = 0; i < 20; ++i)
    positions.push_back(random_vector(random));
  Points points;
  for (int i = 0; i < 100000; ++i)
    points.push_back(positions[static_cast<std::size_t>(random() % 20)]);
  checked_hull(points);
}

// Sets on which hull algorithms are known to become quadratic or to lose points, large enough that this would be
// noticed.
TEST(Hull, LargeDegenerateSetsCloseUp) {
  const int n = 20000;
  std::map<std::string, Points> sets;
  for (int i = 0; i < n; ++i) {
    const double angle = 2 * std::numbers::pi * i / n;
    const Vector3 rim(std::cos(angle), std::sin(angle), 0);
    sets["circle"].push_back(rim);
    sets["cylinder"].push_back(rim + Vector3(0, 0, i % 2));
    sets["cone"].push_back(i == 0 ? Vector3(0, 0, 1) : rim);
    sets["double cone"].push_back(i < 2 ? Vector3(0, 0, i == 0 ? 9 : -9) : rim);
    sets["grid"].emplace_back(i % 27, (i / 27) % 27, i / 729);
    sets["two arcs"].push_back(i % 2 == 0 ? Vector3(rim[0] - 2, rim[1], 0) : Vector3(2 - rim[0], 0, rim[1]));
  }
  for (const auto& [name, points] : sets) {
    const HullData hull = convex_hull(points);
    expect_closed_surface(hull);
    if (HasFatalFailure()) FAIL() << name;
  }
  EXPECT_EQ(convex_hull(sets["cone"]).dimension, 3);
  EXPECT_EQ(convex_hull(sets["circle"]).dimension, 2);
}

TEST(Hull, LargeRandomSetsCloseUp) {
  auto random = seeded(24);
  Points sphere;
  for (int i = 0; i < 10000; ++i)
    sphere.push_back(random_unit(random));
  const HullData hull = convex_hull(sphere);
  expect_closed_surface(hull);
  EXPECT_GT(hull.vertices.size(), 9900u);
}

TEST(HullMerge, TurnedBoxesHaveSixFacesAgain) {
  auto random = seeded(25);
  std::size_t slivers = 0;
  for (std::size_t n = 0; n < cases(200); ++n) {
    Points points = turned(cube_corners(), random_rotation(random));
    for (Vector3& p : points)
      p = p.cwiseProduct(Vector3::Ones()) * 3 + Vector3(5, -7, 9);
    slivers += convex_hull(points).face_count() - 6;
    const HullData hull = convex_hull(points, {.merge_distance = 1e-12});
    ASSERT_EQ(hull.face_count(), 6u);
    ASSERT_EQ(hull.vertices.size(), 8u);
    expect_closed_surface(hull);
    expect_planes_enclose(points, hull);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(slivers, 0u) << "without merging some turned boxes have slivers, else this proves nothing";
}

TEST(HullMerge, TurnedPrismsHaveTheirCapsAgain) {
  auto random = seeded(26);
  for (const int sides : {5, 6, 9, 24}) {
    const Points points = turned(prism(sides, 1), random_rotation(random));
    const HullData hull = convex_hull(points, {.merge_distance = 1e-12});
    EXPECT_EQ(hull.face_count(), static_cast<std::size_t>(sides) + 2);
    expect_closed_surface(hull);
    expect_planes_enclose(points, hull);
  }
}

TEST(HullMerge, AThinPlateKeepsItsSides) {
  auto random = seeded(27);
  for (int n = 0; n < 20; ++n) {
    Points points = cube_corners();
    for (Vector3& p : points)
      p[2] *= 1e-6;
    points = turned(points, random_rotation(random));
    const HullData hull = convex_hull(points, {.merge_distance = 1e-5});
    EXPECT_EQ(hull.face_count(), 6u);
    expect_closed_surface(hull);
    expect_planes_enclose(points, hull);
  }
}

TEST(HullMerge, AnyDistanceKeepsAllCornersAndAClosedSurfaceInsideItsPlanes) {
  auto random = seeded(28);
  for (std::size_t n = 0; n < cases(60); ++n) {
    Points points;
    for (int i = 0; i < 60; ++i)
      points.push_back(random_unit(random));
    const HullData exact = convex_hull(points);
    std::size_t faces = exact.face_count();
    for (const double distance : {1e-3, 1e-2, 0.1, 10.0}) {
      const HullData hull = convex_hull(points, {.merge_distance = distance});
      ASSERT_EQ(hull.vertex_points, exact.vertex_points);
      ASSERT_LE(hull.face_count(), exact.face_count());
      faces = std::min(faces, hull.face_count());
      expect_closed_surface(hull);
      expect_planes_enclose(points, hull);
      if (HasFatalFailure()) FAIL() << "case " << n << " distance " << distance;
    }
    ASSERT_LT(faces, exact.face_count());
  }
}

TEST(Hull, BadInputIsNamed) {
  const auto message_of = [](const Points& points, const HullOptions& options = {}) {
    try {
      convex_hull(points, options);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("nothing thrown");
  };
  EXPECT_NE(message_of({}).find("no points"), std::string::npos);
  Points points = cube_corners();
  points[5][1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(message_of(points).find("point 5 is not finite"), std::string::npos);
  points[3][2] = std::numeric_limits<double>::infinity();
  EXPECT_NE(message_of(points).find("point 3 is not finite"), std::string::npos);
  EXPECT_NE(message_of(cube_corners(), {.merge_distance = -1}).find("merge_distance"), std::string::npos);
}

}  // namespace
}  // namespace whisker
