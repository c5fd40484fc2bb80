// Eight triangles at a time against the corners of a shape, compared with plain sums in higher precision.

#include "convex/triangle_heights.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include <whisker/convex_hull.hpp>
#include <whisker/simd.hpp>

#include "shapes/hull_support.hpp"
#include "shapes/internals.hpp"
#include "support/cases.hpp"
#include "support/random_vectors.hpp"

namespace whisker {
namespace {

using convex::PlacedCorners;
using convex::TriangleBlock;
using test::uniform;
using Precise = Eigen::Matrix<long double, 3, 1>;

Precise precise(const Vector3& v) {
  return v.cast<long double>();
}

/// A shape and some triangles around it, with everything that measure_triangles() is given.
struct HeightsCase {
  std::vector<Vector3> vertices;
  PlacedCorners corners;
  convex::TrianglesFrame frame;
  std::vector<std::array<Vector3, 3>> triangles;

  explicit HeightsCase(std::mt19937_64& random) {
    const auto count = static_cast<std::size_t>(uniform(random, 1, 60));
    const ConvexHull hull([&] {
      std::vector<Vector3> points;
      for (std::size_t i = 0; i < count; ++i)
        points.push_back(test::random_vector(random, 1));
      return points;
    }());
    const HullSupport& table = support_table_of(hull);
    const Matrix3 rotation = test::random_rotation(random);
    frame.factor = 0.5;
    convex::place_corners(table.x, table.y, table.z, table.count, convex::PlainRotation(rotation), frame.factor,
                          corners);
    for (const Vector3& v : hull.vertices())
      vertices.push_back(rotation * v * frame.factor);
    const Matrix3 turn = test::random_rotation(random);
    const Vector3 shift = test::random_vector(random, 1), origin = test::random_vector(random, 1);
    Vector3 middle = Vector3::Zero();
    for (const Vector3& v : vertices)
      middle += v / static_cast<double>(vertices.size());
    frame.rotation = convex::PlainRotation(turn);
    for (int i = 0; i < 3; ++i) {
      frame.translation[i] = shift[i];
      frame.origin[i] = origin[i];
      frame.middle[i] = middle[i];
    }
    frame.one_sided = uniform(random, 0, 1) < 0.5;
    frame.limit = uniform(random, 0, 0.1);
    frame.slack = 0x1p-44;
    const auto amount = static_cast<std::size_t>(uniform(random, 1, 8.999));
    for (std::size_t i = 0; i < amount; ++i) {
      const double size = std::exp2(uniform(random, -6, 4));
      const Vector3 at = turn.transpose() * (test::random_vector(random, 2) + origin - shift);
      triangles.push_back({at, at + test::random_vector(random, size), at + test::random_vector(random, size)});
    }
    if (uniform(random, 0, 1) < 0.2) triangles[0][2] = triangles[0][1];  // without area
    if (uniform(random, 0, 1) < 0.2) triangles[0][2] *= 1e200;           // too large
  }

  TriangleBlock measure() const {
    TriangleBlock block;
    block.count = static_cast<std::uint32_t>(triangles.size());
    for (std::size_t i = 0; i < triangles.size(); ++i)
      for (std::size_t k = 0; k < 3; ++k)
        for (int axis = 0; axis < 3; ++axis)
          block.corners[k][axis][i] = triangles[i][k][axis];
    convex::measure_triangles(corners, frame, block);
    return block;
  }
};

Vector3 column(const double (&rows)[3][TriangleBlock::most], std::size_t i) {
  return {rows[0][i], rows[1][i], rows[2][i]};
}

TEST(TriangleHeights, AreThoseOfPlainSums) {
  auto random = test::seeded(1);
  std::size_t odd = 0, behind = 0, near = 0, far = 0;
  for (std::size_t n = 0; n < test::cases(3000); ++n) {
    const HeightsCase given(random);
    const TriangleBlock block = given.measure();
    EXPECT_EQ(block.plain >> given.triangles.size(), 0u) << "no bits for lanes that are not used";
    for (std::size_t i = 0; i < given.triangles.size(); ++i) {
      const bool is_plain = (block.plain >> i & 1) != 0;
      const bool is_behind = (block.behind >> i & 1) != 0, is_near = (block.near >> i & 1) != 0;
      EXPECT_FALSE((is_behind || is_near) && !is_plain);
      if (!is_plain) {
        const auto& t = given.triangles[i];
        const double sine = (t[1] - t[0]).normalized().cross((t[2] - t[0]).normalized()).norm();
        EXPECT_TRUE(!(sine > 0x1p-39) || (t[2] - t[0]).norm() > 1e50 || !std::isfinite(sine)) << "a plain triangle";
        ++odd;
        continue;
      }
      // In the shape's frame, from the block, which must agree with the given corners.
      Precise corner[3];
      for (std::size_t k = 0; k < 3; ++k) {
        const Vector3 at = column(block.corners[k], i);
        corner[k] = precise(at);
        Vector3 expected = Vector3::Zero();
        for (int row = 0; row < 3; ++row)
          for (int axis = 0; axis < 3; ++axis)
            expected[row] += given.frame.rotation.rows[row][axis] * given.triangles[i][k][axis];
        for (int row = 0; row < 3; ++row)
          expected[row] = (expected[row] + given.frame.translation[row] - given.frame.origin[row]) * given.frame.factor;
        EXPECT_LT((expected - at).norm(), 1e-13 * (4 + at.norm()));
      }
      const Precise middle(given.frame.middle[0], given.frame.middle[1], given.frame.middle[2]);
      Precise normal = (corner[1] - corner[0]).cross(corner[2] - corner[0]).normalized();
      const bool is_under = normal.dot(middle - corner[0]) < 0;
      if (is_under) normal = -normal;
      const long double above = normal.dot(middle - corner[0]);
      const double size = block.size[i];
      const double thin =
          static_cast<double>((corner[1] - corner[0]).cross(corner[2] - corner[0]).norm()) / (size * size);
      const double error = 1e-14 * (4 + size) / thin;
      if (std::abs(static_cast<double>(above)) > error) {
        EXPECT_EQ(is_behind, is_under && given.frame.one_sided);
      }
      behind += is_behind ? 1u : 0u;
      if (is_behind || std::abs(static_cast<double>(above)) <= error) continue;
      EXPECT_NEAR(static_cast<double>((normal - precise(column(block.normal, i))).norm()), 0, 1e-14 / thin);
      EXPECT_NEAR(static_cast<double>(above), block.above[i], error);
      std::vector<long double> heights;
      for (const Vector3& v : given.vertices)
        heights.push_back(normal.dot(precise(v) - corner[0]));
      const auto lowest = static_cast<std::size_t>(block.lowest[i]);
      ASSERT_LT(lowest, heights.size());
      EXPECT_NEAR(static_cast<double>(heights[lowest]), block.height[i], error);
      long double gap = heights[lowest];
      std::sort(heights.begin(), heights.end());
      EXPECT_NEAR(static_cast<double>(heights[0]), block.height[i], error) << "the lowest";
      if (heights.size() > 1) {
        EXPECT_NEAR(static_cast<double>(heights[1]), block.second[i], error) << "the second lowest";
      }
      for (std::size_t k = 0; k < 3; ++k) {
        Precise out = (corner[(k + 1) % 3] - corner[k]).cross(normal).normalized();
        if (is_under) out = -out;
        EXPECT_NEAR(static_cast<double>((out - precise(column(block.out[k], i))).norm()), 0, 1e-13 / thin);
        long double least = HUGE_VALL;
        for (const Vector3& v : given.vertices)
          least = std::min(least, out.dot(precise(v) - corner[k]));
        gap = std::max(gap, least);
      }
      if (gap <= given.frame.limit) {
        EXPECT_TRUE(is_near) << "within the limit";
      } else if (gap > given.frame.limit + 100 * error) {
        EXPECT_FALSE(is_near) << "a plane proves that it is farther";
      }
      near += is_near ? 1u : 0u;
      far += is_near ? 0u : 1u;
    }
  }
  for (const std::size_t count : {odd, behind, near, far})
    EXPECT_GT(count, test::at_least(200));
}

TEST(TriangleHeights, TheLowestCornerIsTheFirstOfTheLowest) {
  auto random = test::seeded(2);
  for (std::size_t n = 0; n < test::cases(500); ++n) {
    const HeightsCase given(random);
    const Vector3 d = test::random_unit(random);
    std::uint32_t best = 0;
    const auto height = [&](std::uint32_t i) {
      const Vector3 v = given.corners.at(i);
      return (d[0] * v[0] + d[1] * v[1]) + d[2] * v[2];
    };
    for (std::uint32_t i = 1; i < given.corners.count; ++i)
      if (height(i) < height(best)) best = i;
    EXPECT_EQ(convex::lowest_corner(given.corners, d), best);
  }
}

TEST(TriangleHeights, AreTheSameOnEveryInstructionSet) {
  auto random = test::seeded(3);
  for (std::size_t n = 0; n < test::cases(200); ++n) {
    const HeightsCase given(random);
    const TriangleBlock best = given.measure();
    for (const std::string& target : simd_targets()) {
      ASSERT_TRUE(use_simd_target(target));
      const TriangleBlock block = given.measure();
      EXPECT_EQ(block.plain, best.plain);
      EXPECT_EQ(block.behind, best.behind);
      EXPECT_EQ(block.near, best.near);
      for (std::size_t i = 0; i < given.triangles.size(); ++i) {
        if ((best.plain >> i & 1) == 0) continue;
        EXPECT_EQ(column(block.normal, i), column(best.normal, i));
        for (std::size_t k = 0; k < 3; ++k)
          EXPECT_EQ(column(block.out[k], i), column(best.out[k], i));
        EXPECT_EQ(block.size[i], best.size[i]);
        EXPECT_EQ(block.above[i], best.above[i]);
        EXPECT_EQ(block.height[i], best.height[i]);
        EXPECT_EQ(block.second[i], best.second[i]);
        EXPECT_EQ(block.lowest[i], best.lowest[i]);
      }
    }
    use_simd_target("");
  }
}

}  // namespace
}  // namespace whisker
