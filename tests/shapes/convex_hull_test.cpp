// ConvexHull: its volume, center, edges and neighbors, support and containment, against exact arithmetic.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include <whisker/convex_hull.hpp>
#include <whisker/error.hpp>
#include <whisker/geometry/separating_axis.hpp>

#include "geometry/hull_oracle.hpp"
#include "support/cases.hpp"
#include "support/random_vectors.hpp"

namespace whisker {
namespace {

using test::cases;
using test::Integer3;
using test::random_vector;
using test::seeded;
using test::uniform;

using Points = std::vector<Vector3>;

Points box_corners(const Vector3& lower, const Vector3& size) {
  Points points;
  for (int i = 0; i < 8; ++i)
    points.push_back(lower + size.cwiseProduct(Vector3(i & 1, (i >> 1) & 1, (i >> 2) & 1)));
  return points;
}

Points random_points(std::mt19937_64& random, std::size_t count) {
  Points points;
  for (std::size_t i = 0; i < count; ++i)
    points.push_back(random_vector(random));
  return points;
}

// Points of a small integer lattice, of every dimension.
Points lattice_points(std::mt19937_64& random) {
  const bool flat = random() % 3 == 0;
  const bool straight = flat && random() % 2 == 0;
  Points points;
  const std::size_t count = 1 + random() % 12;
  for (std::size_t i = 0; i < count; ++i) {
    points.emplace_back(double(random() % 4), straight ? 2.0 : double(random() % 4), flat ? 1.0 : double(random() % 4));
  }
  return points;
}

TEST(ConvexHull, ABoxHasItsVolumeCenterFacesEdgesAndNeighbors) {
  const ConvexHull hull(box_corners({1, 2, 3}, {2, 3, 4}));
  EXPECT_EQ(hull.dimension(), 3);
  EXPECT_EQ(hull.vertices().size(), 8u);
  EXPECT_EQ(hull.face_count(), 6u);
  EXPECT_EQ(hull.edges().size(), 12u);
  EXPECT_NEAR(hull.volume(), 24, 1e-13);
  EXPECT_LT((hull.centroid() - Vector3(2, 3.5, 5)).norm(), 1e-14);
  EXPECT_EQ(hull.bounds().lower, Vector3(1, 2, 3));
  EXPECT_EQ(hull.bounds().upper, Vector3(3, 5, 7));
  for (std::size_t v = 0; v < 8; ++v)
    EXPECT_EQ(hull.neighbors(v).size(), 3u);
  EXPECT_EQ(hull.polyhedron().directions.size(), 3u) << "parallel edges share a direction";
  EXPECT_EQ(hull.polyhedron().normals.size(), 6u);
}

TEST(ConvexHull, EdgesAndNeighborsMatchTheFaces) {
  auto random = seeded(41);
  for (std::size_t n = 0; n < cases(100); ++n) {
    const ConvexHull hull(n % 2 == 0 ? random_points(random, 30) : lattice_points(random));
    std::set<std::pair<std::uint32_t, std::uint32_t>> expected;
    for (std::size_t f = 0; f < hull.face_count(); ++f) {
      const auto face = hull.face(f);
      for (std::size_t i = 0; i < face.size(); ++i) {
        const std::uint32_t u = face[i];
        const std::uint32_t v = face[(i + 1) % face.size()];
        expected.insert({std::min(u, v), std::max(u, v)});
      }
    }
    if (hull.dimension() == 1) expected.insert({0, 1});
    ASSERT_EQ(hull.edges().size(), expected.size());
    std::size_t neighbor_count = 0;
    for (std::size_t v = 0; v < hull.vertices().size(); ++v) {
      const auto around = hull.neighbors(v);
      neighbor_count += around.size();
      ASSERT_TRUE(std::is_sorted(around.begin(), around.end()));
    }
    ASSERT_EQ(neighbor_count, 2 * expected.size());
    for (const HullEdge& edge : hull.edges()) {
      ASSERT_TRUE(expected.contains({edge.begin, edge.end}));
      const auto around = hull.neighbors(edge.begin);
      ASSERT_TRUE(std::binary_search(around.begin(), around.end(), edge.end));
      if (hull.dimension() == 1) {
        ASSERT_EQ(edge.left, HullEdge::no_face);
        ASSERT_EQ(edge.right, HullEdge::no_face);
        continue;
      }
      const auto runs = [&](std::uint32_t f, std::uint32_t from, std::uint32_t to) {
        const auto face = hull.face(f);
        for (std::size_t i = 0; i < face.size(); ++i) {
          if (face[i] == from && face[(i + 1) % face.size()] == to) return true;
        }
        return false;
      };
      ASSERT_TRUE(runs(edge.left, edge.begin, edge.end));
      ASSERT_TRUE(runs(edge.right, edge.end, edge.begin));
    }
  }
}

TEST(ConvexHull, FlatHullsSegmentsAndPointsHaveNoVolumeAndTheirOwnCenter) {
  const ConvexHull square(Points{{0, 0, 2}, {4, 0, 2}, {4, 2, 2}, {0, 2, 2}, {1, 1, 2}});
  EXPECT_EQ(square.dimension(), 2);
  EXPECT_EQ(square.volume(), 0);
  EXPECT_LT((square.centroid() - Vector3(2, 1, 2)).norm(), 1e-15);
  EXPECT_EQ(square.edges().size(), 4u);
  const ConvexHull triangle(Points{{0, 0, 0}, {3, 0, 0}, {0, 6, 0}});
  EXPECT_LT((triangle.centroid() - Vector3(1, 2, 0)).norm(), 1e-15);
  const ConvexHull segment(Points{{0, 0, 0}, {1, 1, 1}, {4, 4, 4}});
  EXPECT_EQ(segment.dimension(), 1);
  EXPECT_EQ(segment.volume(), 0);
  EXPECT_LT((segment.centroid() - Vector3(2, 2, 2)).norm(), 1e-15);
  EXPECT_EQ(segment.edges().size(), 1u);
  const ConvexHull point(Points{{1, 2, 3}});
  EXPECT_EQ(point.dimension(), 0);
  EXPECT_EQ(point.centroid(), Vector3(1, 2, 3));
  EXPECT_EQ(point.support({1, 0, 0}), 0u);
  EXPECT_TRUE(point.neighbors(0).empty());
}

TEST(ConvexHull, VolumeAndCenterMatchExactIntegrals) {
  auto random = seeded(42);
  for (std::size_t n = 0; n < cases(200); ++n) {
    const Points points = lattice_points(random);
    const ConvexHull hull(points);
    if (hull.dimension() != 3) continue;
    // Signed tetrahedra from the origin. All numbers are small integers, so this is exact.
    double six_volumes = 0;
    Vector3 moment = Vector3::Zero();
    for (std::size_t f = 0; f < hull.face_count(); ++f) {
      const auto face = hull.face(f);
      for (std::size_t i = 1; i + 1 < face.size(); ++i) {
        const Vector3& a = hull.vertices()[face[0]];
        const Vector3& b = hull.vertices()[face[i]];
        const Vector3& c = hull.vertices()[face[i + 1]];
        const double six = a.dot(b.cross(c));
        six_volumes += six;
        moment += six * (a + b + c);
      }
    }
    ASSERT_NEAR(hull.volume(), six_volumes / 6, 1e-13);
    ASSERT_LT((hull.centroid() - moment / (4 * six_volumes)).norm(), 1e-13);
  }
}

TEST(ConvexHull, VolumeFarFromTheOriginAndAtExtremeScales) {
  EXPECT_NEAR(ConvexHull(box_corners({1e6, -1e6, 1e6}, {1, 1, 1})).volume(), 1, 1e-9);
  EXPECT_NEAR(ConvexHull(box_corners({0, 0, 0}, Vector3::Constant(1e90))).volume() / 1e270, 1, 1e-14);
  EXPECT_NEAR(ConvexHull(box_corners({0, 0, 0}, Vector3::Constant(1e-90))).volume() / 1e-270, 1, 1e-14);
}

TEST(ConvexHull, SupportIsTheFarthestVertexAndTiesGoToTheLowest) {
  auto random = seeded(43);
  for (std::size_t n = 0; n < cases(200); ++n) {
    const Points points = random_points(random, 50);
    const ConvexHull hull(points);
    const Vector3 direction = random_vector(random);
    double farthest = -std::numeric_limits<double>::infinity();
    for (const Vector3& p : points) {
      farthest = std::max(farthest, (direction[0] * p[0] + direction[1] * p[1]) + direction[2] * p[2]);
    }
    const Vector3& v = hull.vertices()[hull.support(direction)];
    ASSERT_NEAR(direction.dot(v), farthest, 1e-15);
  }
  const ConvexHull box(box_corners({0, 0, 0}, {1, 1, 1}));
  EXPECT_EQ(box.support({0, 0, 0}), 0u);
  EXPECT_EQ(box.support({1, 0, 0}), 1u);
  EXPECT_EQ(box.support({0, 0, 1}), 4u);
}

// A point is outside exactly if it becomes a vertex of the hull when added to the points, which hull_test checks in
// integers. (A point equal to a vertex does not, because the lower index is kept.)
bool exactly_contains(const Points& points, const Vector3& p) {
  Points extended = points;
  extended.push_back(p);
  const HullData hull = convex_hull(extended);
  return !std::binary_search(hull.vertex_points.begin(), hull.vertex_points.end(),
                             static_cast<std::uint32_t>(points.size()));
}

TEST(ConvexHull, ContainsIsExactOnLatticesInEveryDimension) {
  auto random = seeded(44);
  std::size_t inside = 0;
  for (std::size_t n = 0; n < cases(1500); ++n) {
    const Points points = lattice_points(random);
    const ConvexHull hull(points);
    for (int i = 0; i < 20; ++i) {
      const Vector3 p(double(random() % 7) / 2, double(random() % 7) / 2, double(random() % 7) / 2);
      const bool expected = exactly_contains(points, p);
      ASSERT_EQ(hull.contains(p), expected);
      if (expected) ++inside;
    }
    for (const Vector3& p : points)
      ASSERT_TRUE(hull.contains(p));
  }
  EXPECT_GT(inside, cases(1500));
}

TEST(ConvexHull, ContainsTellsOneUnitInTheLastPlace) {
  auto random = seeded(45);
  const ConvexHull box(box_corners({0.1, 0.1, 0.1}, {0.7, 0.7, 0.7}));
  const Vector3 upper = box.bounds().upper;
  EXPECT_TRUE(box.contains(upper));
  EXPECT_FALSE(box.contains({upper[0], std::nextafter(upper[1], 2), upper[2]}));
  EXPECT_TRUE(box.contains({upper[0], std::nextafter(upper[1], 0), upper[2]}));
  for (std::size_t n = 0; n < cases(300); ++n) {
    const Points points = random_points(random, 12);
    const ConvexHull hull(points);
    ASSERT_EQ(hull.dimension(), 3);
    // A rounded point of a face is on one side or the other. Integers decide which.
    const auto face = hull.face(random() % hull.face_count());
    const Vector3 weights = random_vector(random).cwiseAbs();
    const Vector3 p = (weights[0] * hull.vertices()[face[0]] + weights[1] * hull.vertices()[face[1]] +
                       weights[2] * hull.vertices()[face[2]]) /
                      weights.sum();
    Points all(hull.vertices().begin(), hull.vertices().end());
    all.push_back(p);
    const std::vector<Integer3> exact = test::to_integers(all);
    bool expected = true;
    for (std::size_t f = 0; f < hull.face_count(); ++f) {
      const Integer3& a = exact[hull.face(f)[0]];
      const Integer3 normal =
          test::cross(test::minus(exact[hull.face(f)[1]], a), test::minus(exact[hull.face(f)[2]], a));
      if (test::dot(normal, test::minus(exact.back(), a)) > 0) expected = false;
    }
    ASSERT_EQ(hull.contains(p), expected);
  }
}

TEST(ConvexHull, MergedFacesStillContainAllPoints) {
  auto random = seeded(46);
  for (std::size_t n = 0; n < cases(50); ++n) {
    const Matrix3 rotation =
        Eigen::AngleAxis<double>(uniform(random, 0, 3), random_vector(random).normalized()).toRotationMatrix();
    Points points = box_corners({-1, -2, -3}, {2, 4, 6});
    for (Vector3& p : points)
      p = rotation * p;
    const ConvexHull hull(points, {.merge_distance = 1e-12});
    ASSERT_EQ(hull.face_count(), 6u);
    ASSERT_EQ(hull.edges().size(), 12u);
    ASSERT_EQ(hull.polyhedron().directions.size(), 3u);
    for (const Vector3& p : points)
      ASSERT_TRUE(hull.contains(p));
    ASSERT_TRUE(hull.contains(Vector3::Zero()));
    ASSERT_FALSE(hull.contains(points[0] * 1.001));
  }
}

TEST(ConvexHull, CopiesShareTheirDataAndOutliveTheFirst) {
  auto random = seeded(47);
  auto* first = new ConvexHull(random_points(random, 20));
  const ConvexHull copy = *first;
  EXPECT_TRUE(same_storage(*first, copy));
  EXPECT_EQ(first->vertices().data(), copy.vertices().data());
  delete first;
  std::thread reader([&copy] { EXPECT_LT(copy.support({1, 2, 3}), copy.vertices().size()); });
  EXPECT_GT(copy.volume(), 0);
  reader.join();
}

TEST(ConvexHull, BadInputIsNamed) {
  const auto message_of = [](const Points& points) {
    try {
      const ConvexHull hull(points);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("nothing thrown");
  };
  EXPECT_NE(message_of({}).find("no points"), std::string::npos);
  EXPECT_NE(message_of({{0, 0, 0}, {0, 2e90, 0}}).find("point 1"), std::string::npos);
  EXPECT_NE(message_of({{0, 0, 0}, {0, 2e90, 0}}).find("1e90"), std::string::npos);
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_NE(message_of({{0, 0, 0}, {1, 0, 0}, {0, 0, infinity}}).find("point 2 is not finite"), std::string::npos);
}

}  // namespace
}  // namespace whisker
