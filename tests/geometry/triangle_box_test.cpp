// Triangles against boxes: the exact test against integer arithmetic, and the accuracy of the approximate tests.

#include <array>
#include <cmath>
#include <cstdio>
#include <limits>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include <whisker/geometry/triangle_tests.hpp>

#include "geometry/constants.hpp"
#include "geometry/triangle_cases.hpp"
#include "geometry/triangle_oracle.hpp"
#include "support/cases.hpp"

namespace whisker {
namespace {

using test::PairFamily;

const Aabb cube{{0, 0, 0}, {1, 1, 1}};

TEST(TriangleBox, ATriangleInsideAroundAndApart) {
  EXPECT_TRUE(touches_triangle_box({{0.1, 0.1, 0.1}, {0.2, 0.1, 0.1}, {0.1, 0.2, 0.3}}, cube));
  EXPECT_TRUE(touches_triangle_box({{-9, -9, 0.5}, {9, -9, 0.5}, {0, 20, 0.5}}, cube));
  EXPECT_FALSE(touches_triangle_box({{-9, -9, 1.5}, {9, -9, 1.5}, {0, 20, 1.5}}, cube));
}

TEST(TriangleBox, TouchingACornerCountsAndOneUlpOffDoesNot) {
  // The plane x + y + z = 3 meets the cube in (1, 1, 1) only.
  EXPECT_TRUE(touches_triangle_box({{3, 0, 0}, {0, 3, 0}, {0, 0, 3}}, cube));
  const double more = std::nextafter(3, 4);
  EXPECT_FALSE(touches_triangle_box({{more, 0, 0}, {0, more, 0}, {0, 0, more}}, cube));
}

TEST(TriangleBox, AnEdgeAgainstAnEdgeIsFoundByTheCrossAxes) {
  // Seen along z, the edge from (2, 0) to (0, 2) touches the cube's edge at (1, 1).
  EXPECT_TRUE(touches_triangle_box({{2, 0, 0.5}, {0, 2, 0.5}, {3, 3, 0.7}}, cube));
  EXPECT_FALSE(touches_triangle_box({{std::nextafter(2, 3), 0, 0.5}, {0, 2, 0.5}, {3, 3, 0.7}}, cube));
}

TEST(TriangleBox, AnEmptyBoxTouchesNothing) {
  const Triangle everywhere{{-9, -9, -9}, {9, 9, 9}, {9, -9, 3}};
  for (const Aabb& empty :
       {Aabb{}, Aabb{{0, 0, 0}, {1, -1, 1}}, Aabb{{0, 0, std::numeric_limits<double>::quiet_NaN()}, {1, 1, 1}}}) {
    EXPECT_FALSE(touches_triangle_box(everywhere, empty));
    EXPECT_FALSE(touches_triangle_box_clipping(everywhere, empty));
    EXPECT_FALSE(touches_triangle_box_bounds(everywhere, empty));
  }
}

TEST(TriangleBox, InfiniteBoundsAreHalfSpacesAndSlabs) {
  const Aabb slab{{-infinity, 0, -infinity}, {infinity, 1, infinity}};
  EXPECT_TRUE(touches_triangle_box({{5, -3, 7}, {5, 4, 9}, {6, 5, 100}}, slab));
  EXPECT_FALSE(touches_triangle_box({{5, 3, 7}, {5, 4, 9}, {6, 5, 100}}, slab));
  const Aabb all{Vector3::Constant(-infinity), Vector3::Constant(infinity)};
  EXPECT_TRUE(touches_triangle_box({{5, 3, 7}, {5, 4, 9}, {6, 5, 100}}, all));
  EXPECT_TRUE(touches_triangle_box_clipping({{5, 3, 7}, {5, 4, 9}, {6, 5, 100}}, all));
  // A quarter-space that the triangle passes diagonally.
  const Aabb quarter{{0, 0, -infinity}, {infinity, infinity, infinity}};
  EXPECT_FALSE(touches_triangle_box({{-3, 2, 0}, {2, -3, 0}, {-4, -4, 5}}, quarter));
  EXPECT_FALSE(touches_triangle_box_clipping({{-3, 2, 0}, {2, -3, 0}, {-4, -4, 5}}, quarter));
  EXPECT_TRUE(touches_triangle_box({{-3, 3, 0}, {3, -3, 0}, {-4, -4, 5}}, quarter));
}

TEST(TriangleBox, FlatAndPointBoxes) {
  const Triangle slanted{{0, 0, 0}, {2, 0, 2}, {0, 2, 2}};
  const auto point = [](const Vector3& p) { return Aabb{p, p}; };
  EXPECT_TRUE(touches_triangle_box(slanted, point({0.5, 0.5, 1})));
  EXPECT_FALSE(touches_triangle_box(slanted, point({0.5, 0.5, std::nextafter(1, 2)})));
  EXPECT_TRUE(touches_triangle_box(slanted, {{-1, -1, 1}, {0.5, 0.5, 1}}));
  EXPECT_FALSE(touches_triangle_box(slanted, {{-1, -1, 1}, {0.5, std::nextafter(0.5, 0), 1}}));
}

Aabb random_box(std::mt19937_64& random, const Triangle& source, const Triangle& other) {
  Aabb box;
  box.include(source.a);
  box.include(source.b);
  const int kind = test::whole(random, 0, 9);
  if (kind == 0) box.upper = box.lower;                                   // a point
  if (kind <= 2) box.upper[test::whole(random, 0, 2)] = box.lower[kind];  // possibly empty or flat
  if (kind == 3) box.lower[1] = box.upper[1];                             // flat
  if (kind == 4) box.upper = (box.lower + box.upper) / 2;
  if (kind == 5) box = Aabb{other.a.cwiseMin(source.c), other.a.cwiseMax(source.c)};  // through the triangle's corner
  return box;
}

double largest_coordinate_of(const Triangle& t) {
  return std::max({t.a.cwiseAbs().maxCoeff(), t.b.cwiseAbs().maxCoeff(), t.c.cwiseAbs().maxCoeff()});
}

TEST(TriangleBox, AgreesWithIntegerArithmeticAndTheConservativeTestsMissNothing) {
  auto random = test::seeded(301);
  const std::size_t per_family = test::cases(8000);
  std::size_t total = 0, touching = 0, clipping_more = 0, bounds_more = 0;
  for (int family = 0; family < static_cast<int>(PairFamily::count); ++family) {
    for (std::size_t n = 0; n < per_family; ++n) {
      const test::TrianglePair pair = test::random_pair(random, static_cast<PairFamily>(family));
      const Triangle& t = pair.first;
      const Aabb box = random_box(random, pair.second, t);
      const bool truth = !box.empty() && test::oracle_touches(t, box);
      const Triangle corners{box.lower, box.upper, box.upper};
      ASSERT_EQ(touches_triangle_box(t, box), truth) << test::text_of(t) << test::text_of(corners);
      ASSERT_EQ(touches_triangle_box({t.c, t.b, t.a}, box), truth) << test::text_of(t) << test::text_of(corners);
      const bool clipping = touches_triangle_box_clipping(t, box);
      const bool bounds = touches_triangle_box_bounds(t, box);
      ASSERT_TRUE(clipping || !truth) << test::text_of(t) << test::text_of(corners);
      ASSERT_TRUE(bounds || !truth) << test::text_of(t) << test::text_of(corners);
      if (clipping && !truth) {
        // Then the box misses by less than the documented margin.
        const Vector3 margin = Vector3::Constant(1.5e-14 * largest_coordinate_of(t) + 0x1p-990);
        const Aabb grown{box.lower - margin, box.upper + margin};
        ASSERT_TRUE(test::oracle_touches(t, grown)) << test::text_of(t) << test::text_of(corners);
        ++clipping_more;
      }
      touching += truth ? 1u : 0u;
      bounds_more += bounds && !truth ? 1u : 0u;
      ++total;
    }
  }
  EXPECT_GT(touching, total / 10);
  EXPECT_GT(bounds_more, total / 100);
  std::printf("%zu cases, %zu touch; also said to touch: %zu by clipping, %zu by bounds\n", total, touching,
              clipping_more, bounds_more);
}

TEST(TriangleBox, GeneralPositionTellsHowOftenTheApproximateTestsDiffer) {
  // Triangles and boxes of similar size in random places. Clipping agrees with the exact test on all of them.
  auto random = test::seeded(302);
  const std::size_t total = test::cases(20000);
  std::size_t touching = 0, clipping_more = 0, bounds_more = 0;
  for (std::size_t n = 0; n < total; ++n) {
    const Vector3 o = test::random_vector(random, 0.5);
    const Triangle t{o + test::random_vector(random, 1), o + test::random_vector(random, 1),
                     o + test::random_vector(random, 1)};
    Aabb box;
    const Vector3 c = test::random_vector(random, 0.7);
    box.include(c + test::random_vector(random, 0.5));
    box.include(c + test::random_vector(random, 0.5));
    const bool truth = test::oracle_touches(t, box);
    ASSERT_EQ(touches_triangle_box(t, box), truth);
    clipping_more += touches_triangle_box_clipping(t, box) != truth ? 1u : 0u;
    bounds_more += touches_triangle_box_bounds(t, box) != truth ? 1u : 0u;
    touching += truth ? 1u : 0u;
  }
  EXPECT_EQ(clipping_more, 0u);
  std::printf("%zu in general position, %zu touch; also said to touch: %zu by clipping, %zu by bounds\n", total,
              touching, clipping_more, bounds_more);
}

TEST(TriangleBox, TheClippingTestMissesNoContactOfOneUlp) {
  // Boxes with a corner that is rounded from a point of the triangle: about half touch, all by less than rounding.
  auto random = test::seeded(303);
  const std::size_t total = test::cases(20000);
  std::size_t touching = 0;
  for (std::size_t n = 0; n < total; ++n) {
    const double far = test::whole(random, 0, 1) == 0 ? 0 : 1000;
    const Vector3 o = Vector3::Constant(far);
    const Triangle t{o + test::random_vector(random, 1), o + test::random_vector(random, 1),
                     o + test::random_vector(random, 1)};
    const double s = test::uniform(random, 0, 1), r = test::uniform(random, 0, 1 - s);
    const Vector3 p = t.a + s * (t.b - t.a) + r * (t.c - t.a);
    // The corner of the box that comes first along the triangle's normal, so that the box touches only there.
    const Vector3 normal = (t.b - t.a).cross(t.c - t.a);
    Aabb box;
    box.include(p);
    Vector3 opposite = p;
    for (int k = 0; k < 3; ++k)
      opposite[k] += normal[k] > 0 ? test::uniform(random, 0, 1) : test::uniform(random, -1, 0);
    box.include(opposite);
    const bool truth = test::oracle_touches(t, box);
    const Triangle corners{box.lower, box.upper, box.upper};
    ASSERT_EQ(touches_triangle_box(t, box), truth) << test::text_of(t) << test::text_of(corners);
    ASSERT_TRUE(touches_triangle_box_clipping(t, box) || !truth) << test::text_of(t) << test::text_of(corners);
    touching += truth ? 1u : 0u;
  }
  EXPECT_GT(touching, total / 4);
  EXPECT_LT(touching, total - total / 4);
  std::printf("%zu boxes within rounding of the triangle, %zu touch\n", total, touching);
}

}  // namespace
}  // namespace whisker
