// The support table of hulls: it finds the farthest vertex in every direction, on all instruction sets.

#include "shapes/hull_support.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/Geometry>
#include <boost/multiprecision/cpp_int.hpp>
#include <gtest/gtest.h>

#include <whisker/convex_hull.hpp>
#include <whisker/simd.hpp>

#include "shapes/internals.hpp"
#include "support/baselines/exact_climb.hpp"
#include "support/cases.hpp"
#include "support/count_allocations.hpp"
#include "support/random_vectors.hpp"

namespace whisker {
namespace {

using baselines::climb_support;
using test::cases;
using test::random_unit;
using test::seeded;
using test::uniform;

using Points = std::vector<Vector3>;
using Rational = boost::multiprecision::cpp_rational;

Points on_ellipsoid(std::mt19937_64& random, std::size_t count, const Vector3& radii) {
  Points points;
  for (std::size_t i = 0; i < count; ++i)
    points.push_back(random_unit(random).cwiseProduct(radii));
  return points;
}

Points prism(std::size_t sides, double height, bool is_turned) {
  Points points;
  const Matrix3 turn = Eigen::Quaterniond(0.4, 0.3, -0.7, 0.5).normalized().toRotationMatrix();
  for (std::size_t i = 0; i < sides; ++i) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(sides);
    for (const double z : {-height / 2, height / 2}) {
      const Vector3 corner(std::cos(angle), std::sin(angle), z);
      points.push_back(is_turned ? Vector3(turn * corner) : corner);
    }
  }
  return points;
}

Points polygon(std::size_t sides, double z) {
  Points points = prism(sides, 0, false);
  for (Vector3& p : points)
    p[2] = z;
  return points;
}

Points dome(std::mt19937_64& random, std::size_t count) {
  Points points = on_ellipsoid(random, count, Vector3(1, 1, 0.1));
  for (Vector3& p : points)
    p[2] = std::abs(p[2]);
  return points;
}

Points moved(Points points, double scale, const Vector3& by) {
  for (Vector3& p : points)
    p = scale * p + by;
  return points;
}

// A sphere cut by many planes that are almost the same: on each of six sides a cap of points on a very flat bowl.
Points nearly_coplanar(std::mt19937_64& random, std::size_t count) {
  Points points;
  for (std::size_t i = 0; i < count; ++i) {
    const double u = uniform(random, -1, 1), v = uniform(random, -1, 1);
    Vector3 p(u, v, (i % 2 == 0 ? 1 : -1) * (2 - 1e-13 * (u * u + v * v)));
    std::swap(p[2], p[static_cast<Eigen::Index>(i / 2 % 3)]);
    points.push_back(p);
  }
  return points;
}

struct Named {
  std::string name;
  Points points;
};

std::vector<Named> all_shapes() {
  auto random = seeded(71);
  std::vector<Named> shapes;
  for (const std::size_t count :
       {1u, 2u, 3u, 4u, 7u, 8u, 9u, 16u, 24u, 32u, 41u, 48u, 56u, 64u, 65u, 128u, 500u, 2048u, 4096u}) {
    shapes.push_back({"ellipsoid " + std::to_string(count), on_ellipsoid(random, count, Vector3(1, 0.8, 0.6))});
  }
  shapes.push_back({"needle", on_ellipsoid(random, 600, Vector3(100, 0.1, 0.1))});
  shapes.push_back({"turned needle", moved(prism(300, 1000, true), 0.01, Vector3(0.3, 0.2, 0.1))});
  shapes.push_back({"disc", on_ellipsoid(random, 600, Vector3(1, 1, 1e-7))});
  shapes.push_back({"raised disc", moved(on_ellipsoid(random, 600, Vector3(1, 1, 1e-7)), 1, Vector3(0, 0, 5))});
  shapes.push_back({"raised film", moved(on_ellipsoid(random, 600, Vector3(1, 1, 1e-11)), 1, Vector3(0, 0, 0.7))});
  shapes.push_back({"box", prism(4, 1, false)});
  shapes.push_back({"prism of 50 sides", prism(50, 1, false)});
  shapes.push_back({"cylinder of 1000 sides", prism(1000, 1, false)});
  shapes.push_back({"turned cylinder of 1000 sides", prism(1000, 2, true)});
  shapes.push_back({"polygon of 300 sides", polygon(300, 0)});
  shapes.push_back({"raised polygon of 300 sides", polygon(300, 0.7)});
  shapes.push_back({"dome", dome(random, 1000)});
  shapes.push_back({"nearly coplanar", nearly_coplanar(random, 2000)});
  for (const double far : {1e3, 1e8, 1e12, 1e15}) {
    shapes.push_back({"far by " + std::to_string(far),
                      moved(on_ellipsoid(random, 500, Vector3(1, 0.8, 0.6)), 1, Vector3(far, -0.3 * far, 0.01 * far))});
  }
  for (const double size : {1e-200, 1e-139, 1e-80, 1e80}) {
    shapes.push_back({"size " + std::to_string(std::log10(size)),
                      moved(on_ellipsoid(random, 500, Vector3(1, 0.8, 0.6)), size, Vector3(size, 0, 0))});
  }
  return shapes;
}

Vector3 nudged(std::mt19937_64& random, const Vector3& d) {
  Vector3 result = d;
  for (int axis = 0; axis < 3; ++axis) {
    const double toward = random() % 2 == 0 ? HUGE_VAL : -HUGE_VAL;
    if (random() % 3 != 0) result[axis] = std::nextafter(result[axis], toward);
  }
  return result;
}

// The hardest directions for a table over directions.
std::vector<Vector3> hard_directions(std::mt19937_64& random, const ConvexHull& hull, std::size_t count) {
  std::vector<Vector3> directions;
  const auto add = [&](const Vector3& d) {
    if (!d.allFinite() || d.cwiseAbs().maxCoeff() < 1e-150) return;
    directions.push_back(d);
    directions.push_back(nudged(random, d));
  };
  // All combinations with zeros of both signs.
  for (const double x : {-1.0, -0.0, 0.0, 1.0}) {
    for (const double y : {-1.0, -0.0, 0.0, 1.0}) {
      for (const double z : {-1.0, -0.0, 0.0, 1.0}) {
        add({x, y, z});
        add({x, y, 1e-17 * z});
        add({1e-150 * x, y, 1e-9 * z});
      }
    }
  }
  const HullSupport& table = support_table_of(hull);
  for (std::size_t i = 0; i < count; ++i) {
    add(random_unit(random));
    add(random_unit(random) * std::pow(10.0, uniform(random, -148, 148)));
    add(random_unit(random).cwiseProduct(Vector3(1, std::pow(10.0, uniform(random, -20, 0)), 1e-5)));
    if (hull.face_count() > 0) {
      const Vector3& normal = hull.planes()[random() % hull.face_count()].normal;
      add(normal);
      add(normal + uniform(random, -1e-9, 1e-9) * random_unit(random));
      add(normal + uniform(random, -1e-15, 1e-15) * random_unit(random));
    }
    if (!hull.edges().empty()) {
      const HullEdge& edge = hull.edges()[random() % hull.edges().size()];
      const Vector3 along = hull.vertices()[edge.end] - hull.vertices()[edge.begin];
      add(along.cross(random_unit(random)) / along.norm());
      if (edge.left != HullEdge::no_face) {
        const double t = uniform(random, 0, 1);
        add(t * hull.planes()[edge.left].normal + (1 - t) * hull.planes()[edge.right].normal);
      }
    }
    if (table.has_cells()) {
      // On the borders of the cells, and where four of them meet.
      const double side = table.weight[0] / table.scale[0];
      const double a = side * static_cast<double>(random() % table.grid);
      double b = side * static_cast<double>(random() % table.grid);
      if (random() % 2 == 0) b = uniform(random, 0, 1 - a);
      if (a + b > 1) continue;
      const auto sign = [&] { return random() % 2 == 0 ? 1.0 : -1.0; };
      const Vector3 d(sign() * a / table.weight[0], sign() * b / table.weight[1],
                      sign() * (1 - a - b) / table.weight[2]);
      add(d);
      // As far off as an approximate reciprocal may be.
      add(d.cwiseProduct(Vector3(1 + uniform(random, -1e-4, 1e-4), 1 + uniform(random, -1e-4, 1e-4), 1)));
    }
  }
  return directions;
}

// The vertex that the contract specifies, by a plain loop.
std::uint32_t first_highest(const HullSupport& table, const Vector3& d) {
  std::uint32_t best = 0;
  double best_height = -HUGE_VAL;
  for (std::uint32_t v = 0; v < table.count; ++v) {
    const double height = (d[0] * table.x[v] + d[1] * table.y[v]) + d[2] * table.z[v];
    if (height > best_height) {
      best_height = height;
      best = v;
    }
  }
  return best;
}

class AllTargets : public testing::Test {
 protected:
  ~AllTargets() override { use_simd_target(""); }
};
using HullSupportOnAllTargets = AllTargets;

TEST(HullSupport, KeepsTheVerticesAlignedAndPaddedWithTheFirst) {
  for (const Named& shape : all_shapes()) {
    const ConvexHull hull(shape.points);
    const HullSupport& table = support_table_of(hull);
    ASSERT_EQ(table.count, hull.vertices().size()) << shape.name;
    EXPECT_EQ(table.padded % 8, 0u);
    EXPECT_GE(table.padded, table.count);
    EXPECT_LT(table.padded, table.count + 8);
    for (const double* p : {table.x, table.y, table.z})
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % 64, 0u);
    for (std::uint32_t v = 0; v < table.padded; ++v) {
      EXPECT_EQ(Vector3(table.x[v], table.y[v], table.z[v]), hull.vertices()[v < table.count ? v : 0]);
    }
  }
}

TEST(HullSupport, HasCellsIfThereAreManyVertices) {
  for (const Named& shape : all_shapes()) {
    const ConvexHull hull(shape.points);
    if (shape.name == "size -200.000000") {
      EXPECT_FALSE(support_table_of(hull).has_cells()) << "heights along a direction of 1e-150 would vanish";
    } else {
      EXPECT_EQ(support_table_of(hull).has_cells(), hull.vertices().size() > 64) << shape.name;
    }
  }
}

TEST_F(HullSupportOnAllTargets, FindsTheFirstOfTheHighestVertices) {
  auto random = seeded(72);
  for (const Named& shape : all_shapes()) {
    const ConvexHull hull(shape.points);
    const HullSupport& table = support_table_of(hull);
    const std::vector<Vector3> directions = hard_directions(random, hull, cases(100));
    std::vector<std::uint32_t> expected;
    for (const Vector3& d : directions)
      expected.push_back(first_highest(table, d));
    for (const std::string& target : simd_targets()) {
      ASSERT_TRUE(use_simd_target(target));
      for (std::size_t i = 0; i < directions.size(); ++i) {
        const Vector3& d = directions[i];
        ASSERT_EQ(hull_support(table, d), expected[i])
            << shape.name << " on " << target << " along " << d[0] << ' ' << d[1] << ' ' << d[2];
      }
    }
  }
}

// The candidates include the vertex that is the farthest in real numbers along a direction with more digits than the
// one that is looked up.
TEST_F(HullSupportOnAllTargets, CandidatesIncludeTheExactlyFarthestVertex) {
  auto random = seeded(73);
  for (const Named& shape : all_shapes()) {
    const ConvexHull hull(shape.points);
    const HullSupport& table = support_table_of(hull);
    const auto exact_height = [&](const Vector3& d, const Vector3& rest, std::uint32_t v) {
      return (Rational(d[0]) + Rational(rest[0])) * Rational(table.x[v]) +
             (Rational(d[1]) + Rational(rest[1])) * Rational(table.y[v]) +
             (Rational(d[2]) + Rational(rest[2])) * Rational(table.z[v]);
    };
    for (Vector3 d : hard_directions(random, hull, cases(2))) {
      d *= std::ldexp(1.0, -std::ilogb(d.cwiseAbs().maxCoeff()));
      const Vector3 rest = uniform(random, -0x1p-54, 0x1p-54) * d.cwiseProduct(random_unit(random));
      // Only those that doubles cannot tell apart from the highest need the exact comparison.
      const Vector3 highest = hull.vertices()[hull_support(table, d)];
      const double enough = d.dot(highest) - 0x1p-47 * table.size;
      std::vector<std::uint32_t> best;
      Rational best_height;
      for (std::uint32_t v = 0; v < table.count; ++v) {
        if (d.dot(hull.vertices()[v]) < enough) continue;
        const Rational height = exact_height(d, rest, v);
        if (!best.empty() && height < best_height) continue;
        if (!best.empty() && height > best_height) best.clear();
        best_height = height;
        best.push_back(v);
      }
      for (const std::string& target : simd_targets()) {
        ASSERT_TRUE(use_simd_target(target));
        std::vector<std::uint32_t> candidates;
        visit_candidates(table, d, [&](std::uint32_t v) { candidates.push_back(v); });
        ASSERT_TRUE(std::find_first_of(best.begin(), best.end(), candidates.begin(), candidates.end()) != best.end())
            << shape.name << " on " << target << " along " << d[0] << ' ' << d[1] << ' ' << d[2];
        // With cells, there are few: that is their use.
        if (table.has_cells() && shape.name == "ellipsoid 4096") {
          EXPECT_LT(candidates.size(), 65u);
        }
      }
    }
  }
}

// An approximate reciprocal assigns directions next to a border to the cell on its other side. Here the farthest vertex
// changes from one to another next to a border, so that with exact cell borders the cell on the other side would
// contain only one of them.
TEST_F(HullSupportOnAllTargets, FindsItInTheCellOnTheOtherSideOfABorder) {
  auto random = seeded(82);
  for (std::size_t round = 0; round < cases(30); ++round) {
    Points points = on_ellipsoid(random, 2000, Vector3(0.1, 0.1, 0.1));  // gives a fine grid; never the farthest
    points.emplace_back(-1, -1, -1);
    points.resize(points.size() + 2);
    Vector3& one = points[points.size() - 2];
    Vector3& other = points[points.size() - 1];
    const double beyond = uniform(random, -0x1p-15, 0x1p-15);
    double weight[3] = {1, 1, 1};
    HullSupport table;
    double place = 0;
    for (int i = 0; i < 6; ++i) {  // the weights depend a little on the two vertices
      const double grid = 29;
      const double border = std::floor(0.7 * grid) / (table.has_cells() ? table.scale[0] / table.weight[0] : grid);
      place = border * (1 + beyond);
      const Vector3 across = 0.01 * Vector3(weight[0] * (1 - place), -place * weight[1], -place * weight[2]);
      one = Vector3(1, 1, 1) + across;
      other = Vector3(1, 1, 1) - across;
      table = build_hull_support(points);
      ASSERT_TRUE(table.has_cells());
      ASSERT_EQ(table.grid, 29u);
      std::copy_n(table.weight, 3, weight);
    }
    for (std::size_t i = 0; i < 200; ++i) {
      const double a = place * (1 + uniform(random, -0x1p-14, 0x1p-14));
      const double b = uniform(random, 0, 1 - a);
      const Vector3 d = uniform(random, 0.5, 1) * Vector3(a / weight[0], b / weight[1], (1 - a - b) / weight[2]);
      const std::uint32_t expected = first_highest(table, d);
      ASSERT_GE(expected, 2001u);
      for (const std::string& target : simd_targets()) {
        ASSERT_TRUE(use_simd_target(target));
        ASSERT_EQ(hull_support(table, d), expected) << target;
      }
    }
  }
}

// The corners of the vertices' regions of directions, some of which are next to a border of cells.
TEST_F(HullSupportOnAllTargets, FindsItNextToEveryFaceNormal) {
  auto random = seeded(81);
  for (const std::size_t count : {100u, 1000u, 3000u}) {
    const ConvexHull hull(on_ellipsoid(random, count, Vector3(1, 0.9, 0.8)));
    const HullSupport& table = support_table_of(hull);
    for (std::size_t face = 0; face < hull.face_count(); ++face) {
      const Vector3& normal = hull.planes()[face].normal;
      Vector3 middle = Vector3::Zero();
      for (const std::uint32_t v : hull.face(face))
        middle += hull.vertices()[v] / static_cast<double>(hull.face(face).size());
      for (const std::uint32_t v : hull.face(face)) {
        // Moves into the region of this vertex by much less than a cell.
        const Vector3 outward = hull.vertices()[v] - middle;
        const Vector3 d = normal + std::pow(10.0, uniform(random, -10, -4)) / outward.norm() * outward;
        const std::uint32_t expected = first_highest(table, d);
        for (const std::string& target : simd_targets()) {
          ASSERT_TRUE(use_simd_target(target));
          ASSERT_EQ(hull_support(table, d), expected) << count << " on " << target << ", face " << face;
        }
      }
    }
  }
}

TEST_F(HullSupportOnAllTargets, ScansAnyNumberOfVertices) {
  auto random = seeded(73);
  for (std::size_t count = 1; count <= 300; ++count) {
    // Small integers, so that many vertices are equally high.
    Points points;
    for (std::size_t i = 0; i < count; ++i) {
      points.emplace_back(static_cast<double>(random() % 5) - 2, static_cast<double>(random() % 5) - 2,
                          static_cast<double>(random() % 5) - 2);
    }
    HullSupport table = build_hull_support(points);
    table.grid = 0;  // scanned, however many there are
    for (std::size_t i = 0; i < cases(20); ++i) {
      const Vector3 d(static_cast<double>(random() % 5) - 2, static_cast<double>(random() % 5) - 2,
                      static_cast<double>(random() % 3) - 1);
      for (const std::string& target : simd_targets()) {
        ASSERT_TRUE(use_simd_target(target));
        ASSERT_EQ(hull_support(table, d), first_highest(table, d)) << count << " on " << target;
      }
    }
  }
}

TEST_F(HullSupportOnAllTargets, CellsKnowAllOfManyEquallyHighVertices) {
  auto random = seeded(74);
  for (std::size_t round = 0; round < cases(10); ++round) {
    Points points;
    for (std::size_t i = 0; i < 400; ++i) {
      points.emplace_back(static_cast<double>(random() % 9) - 4, static_cast<double>(random() % 9) - 4,
                          static_cast<double>(random() % 9) - 4);
    }
    const HullSupport table = build_hull_support(points);
    ASSERT_TRUE(table.has_cells());
    for (std::size_t i = 0; i < 500; ++i) {
      const Vector3 d(static_cast<double>(random() % 9) - 4, static_cast<double>(random() % 9) - 4,
                      static_cast<double>(random() % 9) - 4);
      if (d.isZero()) continue;
      for (const std::string& target : simd_targets()) {
        ASSERT_TRUE(use_simd_target(target));
        ASSERT_EQ(hull_support(table, d), first_highest(table, d)) << target;
      }
    }
  }
}

TEST_F(HullSupportOnAllTargets, CellsNameMoreThan65536Vertices) {
  auto random = seeded(75);
  const HullSupport table = build_hull_support(on_ellipsoid(random, 70000, Vector3(1, 1, 1)));
  ASSERT_NE(table.wide_cells, nullptr);
  for (std::size_t i = 0; i < cases(300); ++i) {
    const Vector3 d = random_unit(random);
    const std::uint32_t expected = first_highest(table, d);
    for (const std::string& target : simd_targets()) {
      ASSERT_TRUE(use_simd_target(target));
      ASSERT_EQ(hull_support(table, d), expected) << target;
    }
  }
}

TEST(HullSupport, IsNoMoreThanSixRoundingsShortOfTheTruth) {
  auto random = seeded(76);
  for (const Named& shape : all_shapes()) {
    const ConvexHull hull(shape.points);
    if (hull.vertices().size() > 600) continue;  // long double is slow, and larger hulls add nothing
    const HullSupport& table = support_table_of(hull);
    const auto height = [&](const Vector3& d, std::uint32_t v) {
      return static_cast<long double>(d[0]) * table.x[v] + static_cast<long double>(d[1]) * table.y[v] +
             static_cast<long double>(d[2]) * table.z[v];
    };
    for (const Vector3& d : hard_directions(random, hull, cases(30))) {
      long double highest = -std::numeric_limits<long double>::infinity();
      long double rounding = 0;
      for (std::uint32_t v = 0; v < table.count; ++v) {
        highest = std::max(highest, height(d, v));
        const Vector3& vertex = hull.vertices()[v];
        long double size = 0;
        for (int axis = 0; axis < 3; ++axis)
          size += std::abs(static_cast<long double>(d[axis]) * vertex[axis]);
        rounding = std::max(rounding, 0x1p-53L * size);
      }
      // (1 + 2^-50) covers the rounding of long double itself, and 2^-1070 covers products that underflow.
      ASSERT_LE(highest - height(d, hull_support(table, d)), 6 * (1 + 0x1p-50L) * rounding + 0x1p-1070L) << shape.name;
    }
  }
}

TEST(HullSupport, IsWhatTheHullSays) {
  auto random = seeded(77);
  for (const Named& shape : all_shapes()) {
    const ConvexHull hull(shape.points);
    for (std::size_t i = 0; i < cases(50); ++i) {
      const Vector3 d = random_unit(random);
      int exponent = 0;
      std::frexp(d.cwiseAbs().maxCoeff(), &exponent);
      const Vector3 scaled = d * std::ldexp(1.0, 1 - exponent);
      const std::uint32_t expected = first_highest(support_table_of(hull), scaled);
      EXPECT_EQ(hull.support(d), expected) << shape.name;
      EXPECT_EQ(hull.support(0x1p-1000 * scaled), expected) << shape.name;
      EXPECT_EQ(hull.support(0x1p1000 * scaled), expected) << shape.name;
    }
    EXPECT_EQ(hull.support(Vector3::Zero()), 0u);
    EXPECT_LT(hull.support(Vector3(HUGE_VAL, 0, 0)), hull.vertices().size());
    EXPECT_LT(hull.support(Vector3(std::nan(""), 1, 0)), hull.vertices().size());
  }
}

TEST(HullSupport, OfMergedFacesIsExactToo) {
  auto random = seeded(78);
  HullOptions options;
  options.merge_distance = 0.01;
  const ConvexHull hull(on_ellipsoid(random, 400, Vector3(1, 1, 0.7)), options);
  ASSERT_TRUE(support_table_of(hull).has_cells());
  for (const Vector3& d : hard_directions(random, hull, cases(200)))
    ASSERT_EQ(hull_support(support_table_of(hull), d), first_highest(support_table_of(hull), d));
}

TEST(HullSupport, TakesNoMemoryToLookUp) {
  auto random = seeded(79);
  for (const std::size_t count : {20u, 60u, 1000u}) {
    const ConvexHull hull(on_ellipsoid(random, count, Vector3(1, 1, 1)));
    const Vector3 d = random_unit(random);
    const std::size_t before = allocations.load();
    hull_support(support_table_of(hull), d);
    hull.support(d);
    climb_support(hull, 0, d);
    EXPECT_EQ(allocations.load(), before);
  }
}

TEST(ClimbSupport, EndsAtAHighestVertexInRealNumbers) {
  auto random = seeded(80);
  for (const Named& shape : all_shapes()) {
    const ConvexHull hull(shape.points);
    const std::span<const Vector3> vertices = hull.vertices();
    const std::vector<Vector3> directions = hard_directions(random, hull, 4);
    for (std::size_t i = 0; i < std::min<std::size_t>(cases(40), directions.size()); ++i) {
      const Vector3& d = directions[random() % directions.size()];
      const auto start = static_cast<std::uint32_t>(random() % vertices.size());
      const std::uint32_t found = climb_support(hull, start, d);
      const auto height = [&](const Vector3& v) {
        return Rational(d[0]) * Rational(v[0]) + Rational(d[1]) * Rational(v[1]) + Rational(d[2]) * Rational(v[2]);
      };
      // Computes the exact height only of the vertices that come near.
      const Rational best = height(vertices[found]);
      const auto rough = [&](const Vector3& v) { return (d[0] * v[0] + d[1] * v[1]) + d[2] * v[2]; };
      const double near = rough(vertices[found]);
      for (const Vector3& v : vertices) {
        const double size = d.cwiseAbs().dot(v.cwiseAbs()) + d.cwiseAbs().dot(vertices[found].cwiseAbs());
        if (rough(v) < near - 0x1p-50 * size) continue;
        ASSERT_LE(height(v), best) << shape.name << " along " << d[0] << ' ' << d[1] << ' ' << d[2];
      }
    }
  }
}

}  // namespace
}  // namespace whisker
