// Height fields: the walk over the pyramid against the test of every triangle.

#include <cmath>
#include <limits>
#include <vector>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include <whisker/error.hpp>
#include <whisker/height_field.hpp>

#include "geometry/constants.hpp"
#include "support/cases.hpp"
#include "support/random_vectors.hpp"

namespace whisker {
namespace {

using test::cases;
using test::normal_pose;
using test::seeded;
using test::uniform;

HeightField random_field(std::mt19937_64& random, std::size_t columns, std::size_t rows, double relief, bool whole,
                         double dx = 1, double dy = 1) {
  std::vector<double> heights(columns * rows);
  for (double& h : heights) {
    h = uniform(random, -relief, relief);
    if (whole) h = std::round(h);
  }
  return {heights, columns, rows, dx, dy};
}

/// Every triangle; the smallest t, and of equal ones the lowest index.
std::optional<RayHit> by_brute_force(const Ray& ray, const HeightField& field, RayRange range,
                                     const Pose* pose = nullptr) {
  std::optional<RayHit> best;
  for (std::size_t i = 0; i < field.triangle_count(); ++i) {
    auto hit = pose != nullptr ? ray_triangle(ray, field.triangle(i), *pose, range)
                               : ray_triangle(ray, field.triangle(i), {}, range);
    if (!hit || (best && best->t <= hit->t)) continue;
    hit->face->triangle = i;
    best = hit;
  }
  return best;
}

void expect_same(const std::optional<RayHit>& walked, const std::optional<RayHit>& expected, const Ray& ray) {
  ASSERT_EQ(walked.has_value(), expected.has_value())
      << std::hexfloat << ray.origin.transpose() << " d " << ray.direction.transpose();
  if (!walked) return;
  EXPECT_EQ(walked->t, expected->t);
  EXPECT_EQ(walked->t_lower, expected->t_lower);
  EXPECT_EQ(walked->t_upper, expected->t_upper);
  EXPECT_EQ(walked->point, expected->point);
  EXPECT_EQ(walked->normal, expected->normal);
  EXPECT_EQ(walked->face->triangle, expected->face->triangle);
}

RayRange random_range(std::mt19937_64& random) {
  switch (std::uniform_int_distribution<int>(0, 3)(random)) {
    case 0:
      return line_range();
    case 1:
      return segment_range();
    case 2:
      return {-1, 0.5};
    default:
      return ray_range();
  }
}

TEST(HeightField, WalkAgreesWithBruteForceOnRandomRays) {
  auto random = seeded(2101);
  std::size_t hits = 0;
  for (std::size_t i = 0; i < cases(3000); ++i) {
    const std::size_t columns = 2 + random() % 13, rows = 2 + random() % 13;
    const HeightField field = random_field(random, columns, rows, i % 3 == 0 ? 3 : 0.3, false, uniform(random, 0.3, 2),
                                           uniform(random, 0.3, 2));
    const Vector3 size = field.bounds().upper;
    const auto point = [&] {
      return Vector3(uniform(random, -0.3, 1.3) * size[0], uniform(random, -0.3, 1.3) * size[1],
                     uniform(random, -3, 3));
    };
    Vector3 origin = point();
    if (i % 5 == 0) origin += (point() - origin) * 1e6;
    const Ray ray{origin, point() - origin};
    const RayRange range = random_range(random);
    const auto walked = ray_height_field(ray, field, {}, range);
    expect_same(walked, by_brute_force(ray, field, range), ray);
    if (HasFatalFailure()) return;
    if (walked) ++hits;
  }
  EXPECT_GT(hits, cases(3000) / 5);
}

TEST(HeightField, WalkAgreesWithBruteForceAlongGridLinesAndThroughVertices) {
  auto random = seeded(2102);
  for (std::size_t i = 0; i < cases(4000); ++i) {
    // Dyadic and non-dyadic spacings: with the latter, grid lines are at rounded coordinates.
    const double spacing = i % 2 == 0 ? 1.0 : 0.1;
    const HeightField field = random_field(random, 2 + random() % 9, 2 + random() % 9, 2, i % 3 == 0, spacing, spacing);
    const auto vertex = [&] { return field.vertex(random() % field.columns(), random() % field.rows()); };
    Vector3 origin = vertex();
    Vector3 target = vertex();
    switch (i % 6) {
      case 0:  // Straight down on a vertex.
        origin[2] += 5;
        target = origin - Vector3::UnitZ();
        break;
      case 1:  // Along a grid line.
        origin[0] = -1;
        origin[1] = target[1];
        break;
      case 2:  // Along the diagonal.
        origin = field.vertex(0, 0);
        target = field.vertex(1, 1);
        origin[2] += 1;
        break;
      case 3:  // At a vertex from above.
        origin = Vector3(uniform(random, -1, 9), uniform(random, -1, 9), 5);
        break;
      case 4:  // Level, at the height of a vertex.
        origin[2] = target[2];
        break;
      default:
        break;
    }
    const Ray ray{origin, target - origin};
    if (ray.direction == Vector3::Zero()) continue;
    const RayRange range = random_range(random);
    expect_same(ray_height_field(ray, field, {}, range), by_brute_force(ray, field, range), ray);
    if (HasFatalFailure()) return;
  }
}

TEST(HeightField, PlacedWalkAgreesWithBruteForceOnPlacedTriangles) {
  auto random = seeded(2103);
  for (std::size_t i = 0; i < cases(1500); ++i) {
    const HeightField field = random_field(random, 2 + random() % 9, 2 + random() % 9, 1, false, 0.7, 1.3);
    Pose pose = normal_pose(random, 9);
    if (i % 4 == 0) pose.set_rotation(Matrix3::Identity());
    const auto vertex = [&] { return field.vertex(random() % field.columns(), random() % field.rows()); };
    const Vector3 target = place(pose, vertex());
    Vector3 origin = i % 3 == 0
                         ? place(pose, vertex())
                         : place(pose, Vector3(uniform(random, -3, 9), uniform(random, -3, 9), uniform(random, 1, 4)));
    if (i % 7 == 0) origin += (origin - target) * 1e5;
    const Ray ray{origin, target - origin};
    if (ray.direction == Vector3::Zero()) continue;
    const RayRange range = random_range(random);
    expect_same(ray_height_field(ray, field, pose, range), by_brute_force(ray, field, range, &pose), ray);
    if (HasFatalFailure()) return;
  }
}

TEST(HeightField, NoVerticalRayFallsThroughAnywhere) {
  auto random = seeded(2104);
  const HeightField field = random_field(random, 17, 9, 2, false, 0.1, 0.3);
  const Aabb box = field.bounds();
  for (std::size_t i = 0; i < cases(20000); ++i) {
    Vector3 origin(uniform(random, 0, box.upper[0]), uniform(random, 0, box.upper[1]), 9);
    const Vector3 vertex = field.vertex(random() % 17, random() % 9);
    if (i % 3 != 0) origin[0] = vertex[0];
    if (i % 3 != 1) origin[1] = vertex[1];
    const auto hit = ray_height_field({origin, -Vector3::UnitZ()}, field);
    ASSERT_TRUE(hit) << origin.transpose();
    EXPECT_NEAR(hit->point[2], *field.height_at(origin[0], origin[1]), 1e-13);
    EXPECT_GT(hit->normal[2], 0);
  }
}

TEST(HeightField, BothSidesOfABlockRejectRays) {
  // A level field, and rays that pass below it and above it: no triangle is looked at.
  const std::vector<double> heights(65 * 65, 10.0);
  const HeightField field(heights, 65, 65, 1, 1);
  for (const double z : {9.0, 11.0}) {
    Cost cost;
    EXPECT_FALSE(ray_height_field({{-1, 7.3, z}, {1, 0.5, 0}}, field, {}, {}, &cost));
    EXPECT_EQ(cost.primitive_tests, 0u);
    EXPECT_EQ(cost.volume_tests, 1u);
  }
  Cost cost;
  EXPECT_TRUE(ray_height_field({{7.3, 9.2, 20}, {0, 0, -1}}, field, {}, {}, &cost));
  EXPECT_EQ(cost.primitive_tests, 2u);
  EXPECT_LE(cost.volume_tests, 4u * 6 + 1);
}

TEST(HeightField, PyramidHoldsTheRangeOfItsCells) {
  auto random = seeded(2105);
  for (std::size_t round = 0; round < cases(20); ++round) {
    const HeightField field = random_field(random, 2 + random() % 40, 2 + random() % 40, 5, false);
    const int top = field.levels() - 1;
    EXPECT_EQ(field.block_columns(top), 1u);
    EXPECT_EQ(field.block_rows(top), 1u);
    for (int level = 0; level <= top; ++level) {
      for (std::size_t j = 0; j < field.block_rows(level); ++j) {
        for (std::size_t i = 0; i < field.block_columns(level); ++i) {
          double lowest = infinity, highest = -infinity;
          for (std::size_t y = j << level; y <= std::min((j + 1) << level, field.rows() - 1); ++y) {
            for (std::size_t x = i << level; x <= std::min((i + 1) << level, field.columns() - 1); ++x) {
              lowest = std::min(lowest, field.height(x, y));
              highest = std::max(highest, field.height(x, y));
            }
          }
          EXPECT_EQ(field.block_range(level, i, j).lowest, lowest);
          EXPECT_EQ(field.block_range(level, i, j).highest, highest);
        }
      }
    }
  }
}

TEST(HeightField, InterpolatesOnItsTriangles) {
  const std::vector<double> heights = {0, 1, 5,  //
                                       2, 4, 8};
  const HeightField field(heights, 3, 2, 2, 4);
  EXPECT_EQ(field.columns(), 3u);
  EXPECT_EQ(field.rows(), 2u);
  EXPECT_EQ(field.cell_count(), 2u);
  EXPECT_EQ(field.triangle_count(), 4u);
  EXPECT_EQ(field.vertex(2, 1), Vector3(4, 4, 8));
  EXPECT_EQ(*field.height_at(0, 0), 0);
  EXPECT_EQ(*field.height_at(4, 4), 8);
  EXPECT_EQ(*field.height_at(1, 2), 2);      // Middle of the diagonal from 0 to 4.
  EXPECT_EQ(*field.height_at(1.5, 1), 1.5);  // Below it: 0, 1, 4 with weights 1/4, 1/2, 1/4.
  EXPECT_FALSE(field.height_at(-0.001, 0));
  EXPECT_FALSE(field.height_at(0, 4.001));
  EXPECT_FALSE(field.height_at(std::numeric_limits<double>::quiet_NaN(), 0));
  EXPECT_EQ(field.bounds().lower, Vector3(0, 0, 0));
  EXPECT_EQ(field.bounds().upper, Vector3(4, 4, 8));
  const Triangle first = field.triangle(0);
  EXPECT_EQ(first.b, Vector3(2, 0, 1));
  EXPECT_EQ(first.c, Vector3(2, 4, 4));
  const Vector3 normal = *field.normal_at(1.5, 1);
  EXPECT_LE((normal - (first.b - first.a).cross(first.c - first.a).normalized()).norm(), 1e-15);
  EXPECT_GT(normal[2], 0);
}

TEST(HeightField, CopiesShareAndOutliveTheOriginal) {
  std::optional<HeightField> field(std::in_place, std::vector<double>{1, 2, 3, 4}, 2u, 2u, 1.0, 1.0);
  const HeightField copy = *field;
  field.reset();
  EXPECT_EQ(copy.height(1, 1), 4);
}

TEST(HeightField, RefusesBadInputByName) {
  const std::vector<double> four = {1, 2, 3, 4};
  EXPECT_THROW(HeightField(four, 1, 4, 1, 1), Error);
  EXPECT_THROW(HeightField(four, 3, 2, 1, 1), Error);
  EXPECT_THROW(HeightField(four, 2, 2, 0, 1), Error);
  EXPECT_THROW(HeightField(four, 2, 2, 1, infinity), Error);
  EXPECT_THROW(HeightField(four, 2, 2, std::nan(""), 1), Error);
  EXPECT_THROW(HeightField({}, 0, 0, 1, 1), Error);
  const std::vector<double> hole = {1, 2, std::nan(""), 4};
  try {
    const HeightField field(hole, 2, 2, 1, 1);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("column 0, row 1"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace whisker
