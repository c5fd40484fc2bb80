// Whether spheres cover a mesh: proven in both directions, and achieved by growing.

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/error.hpp>
#include <whisker/make/make.hpp>
#include <whisker/mesh.hpp>
#include <whisker/spheres/sphere_tree.hpp>

#include "support/cases.hpp"

namespace whisker {
namespace {

using test::cases;
using test::seeded;
using test::uniform;

using Spheres = std::vector<BoundingSphere>;

/// The smallest |point - center| - radius.
double gap(const Spheres& spheres, const Vector3& point) {
  double least = std::numeric_limits<double>::infinity();
  for (const BoundingSphere& s : spheres)
    least = std::min(least, (point - s.center).norm() - s.radius);
  return least;
}

TEST(Coverage, OneTriangleInTwoSpheresThatOverlapOnIt) {
  const Mesh triangle(MeshData{{{0, 0, 0}, {4, 0, 0}, {2, 1, 0}}, {{0, 1, 2}}});
  const Spheres two = {{{1, 0, 0}, 1.5}, {{3, 0, 0}, 1.5}};
  EXPECT_EQ(check_coverage(two, triangle).answer, Answer::yes);
  // At x = 2, the first two reach up to √1.25 = 1.118. These reach √0.8 = 0.894, below the corner.
  const Spheres smaller = {{{1, 0, 0}, std::sqrt(1.8)}, {{3, 0, 0}, std::sqrt(1.8)}};
  const Coverage bare = check_coverage(smaller, triangle);
  EXPECT_EQ(bare.answer, Answer::no);
  EXPECT_GT(gap(smaller, bare.point), 0);
}

TEST(Coverage, AGapInTheMiddleOfATriangleIsFoundThoughItsCornersAreCovered) {
  const Mesh triangle(MeshData{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}}});
  Spheres spheres = {{{0, 0, 0}, 0.51}, {{1, 0, 0}, 0.6}, {{0, 1, 0}, 0.6}, {{0.5, 0.5, 0}, 0.3}};
  EXPECT_EQ(check_coverage(spheres, triangle).answer, Answer::yes);
  spheres.pop_back();
  const Coverage bare = check_coverage(spheres, triangle);
  EXPECT_EQ(bare.answer, Answer::no);
  EXPECT_GT(gap(spheres, bare.point), 0);
}

TEST(Coverage, SpheresThatMeetJustAtTheSurfaceAreNotCalledCoveredOrUncovered) {
  // The triangle is covered, but at (1, 0, 0) only by spheres that end there.
  const Mesh triangle(MeshData{{{0, 0, 0}, {2, 0, 0}, {1, 0, 0}}, {{0, 1, 2}}});
  const Spheres two = {{{0.25, 0, 0}, 0.75}, {{1.75, 0, 0}, 0.75}};
  EXPECT_NE(check_coverage(two, triangle, {.pieces_per_triangle = 1000}).answer, Answer::no);
}

TEST(Coverage, NoSphereAndBadSpheres) {
  const Mesh box(make::box());
  EXPECT_EQ(check_coverage({}, box).answer, Answer::no);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(check_coverage(Spheres{{Vector3::Zero(), nan}}, box), Error);
  EXPECT_THROW(check_coverage(Spheres{{Vector3::Constant(nan), 1}}, box), Error);
  EXPECT_THROW(check_coverage(Spheres{{Vector3::Zero(), -1}}, box), Error);
  EXPECT_THROW(grow_to_cover({}, box), Error);
}

TEST(Coverage, AnswersAgreeWithPointsOnTheSurfaceAndGrowingCovers) {
  auto random = seeded(9301);
  std::size_t covered = 0, uncovered = 0;
  const Mesh mesh(make::block());
  for (std::size_t n = 0; n < std::max<std::size_t>(cases(30), 30); ++n) {  // at least 30, so that both answers occur
    Spheres spheres;
    const int count = 1 + static_cast<int>(uniform(random, 0, 12));
    for (int i = 0; i < count; ++i) {
      spheres.push_back({{uniform(random, -1, 1), uniform(random, -0.5, 0.5), uniform(random, -0.3, 0.3)},
                         uniform(random, 0.1, 1.4)});
    }
    const Coverage answer = check_coverage(spheres, mesh);
    if (answer.answer == Answer::no) {
      ++uncovered;
      EXPECT_GT(gap(spheres, answer.point), 0);
    } else if (answer.answer == Answer::yes) {
      ++covered;
      for (int k = 0; k < 300; ++k) {
        const Triangle t = mesh.triangle(static_cast<std::size_t>(uniform(random, 0, 32)));
        const double u = uniform(random, 0, 1), v = uniform(random, 0, 1 - u);
        ASSERT_LE(gap(spheres, u * t.a + v * t.b + (1 - u - v) * t.c), 1e-14);
      }
    }
    const Spheres grown = grow_to_cover(spheres, mesh);
    ASSERT_EQ(grown.size(), spheres.size());
    for (std::size_t i = 0; i < grown.size(); ++i) {
      EXPECT_EQ(grown[i].center, spheres[i].center);
      EXPECT_GE(grown[i].radius, spheres[i].radius);
    }
    EXPECT_EQ(check_coverage(grown, mesh).answer, Answer::yes);
  }
  EXPECT_GT(covered, 0u);
  EXPECT_GT(uncovered, 0u);
}

}  // namespace
}  // namespace whisker
