// On which side of a plane a point lies, and where an edge crosses the plane, against exact rationals.

#include "geometry/plane_side.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "support/cases.hpp"
#include "support/random_vectors.hpp"
#include "support/reference.hpp"

namespace whisker {
namespace {

using geometry::ExactPlane;
using test::cases;
using test::exactly;
using test::seeded;
using test::whole;

test::Rational height_over(const ExactPlane& plane, const Vector3& point) {
  return dot(exactly<test::Rational>(plane.normal),
             exactly<test::Rational>(point) - exactly<test::Rational>(plane.origin)) -
         test::Rational(plane.offset);
}

int sign_of(const test::Rational& value) {
  return value > 0 ? 1 : value < 0 ? -1 : 0;
}

/// A coordinate from one of several ranges: small integers, ordinary numbers, and the extremes.
double any_coordinate(std::mt19937_64& random, int range) {
  const double unit = test::uniform(random, -1, 1);
  switch (range) {
    case 0:
      return whole(random, -3, 3);
    case 1:
      return unit;
    case 2:
      return unit * 1e90;
    case 3:
      return unit * 1e-300;
    case 4:
      return std::ldexp(unit, whole(random, -1000, 290));
    default:
      return 1e6 + unit;
  }
}

Vector3 any_vector(std::mt19937_64& random, int range) {
  return {any_coordinate(random, range), any_coordinate(random, range), any_coordinate(random, range)};
}

TEST(PlaneSide, IsExactForAllMagnitudes) {
  auto random = seeded(7101);
  std::size_t on = 0;
  for (std::size_t i = 0; i < cases(30'000); ++i) {
    const int range = static_cast<int>(i % 6);
    ExactPlane plane{any_vector(random, whole(random, 0, 5)), any_vector(random, range), 0};
    const Vector3 point = i % 5 == 0 ? plane.origin : any_vector(random, range);
    // Offsets at, just beside, and away from the height of the point.
    const double height = plane.normal.dot(point - plane.origin);
    if (i % 4 == 1) plane.offset = height;
    if (i % 4 == 2) plane.offset = std::nextafter(height, whole(random, 0, 1) == 0 ? -1e300 : 1e300);
    if (i % 4 == 3) plane.offset = any_coordinate(random, whole(random, 0, 5));
    const int truth = sign_of(height_over(plane, point));
    ASSERT_EQ(side_of(plane, point), truth) << plane.normal.transpose() << ", " << plane.origin.transpose() << ", "
                                            << plane.offset << ", " << point.transpose();
    ASSERT_EQ(side_of_exact(plane, point), truth);
    on += truth == 0 ? 1 : 0;
  }
  EXPECT_GT(on, cases(3000));
}

TEST(PlaneSide, OfTwoVectorsThatCancelIsExact) {
  // The products are 2^-60 apart.
  const ExactPlane plane{{1 + 0x1p-30, -1, 0}, {0, 0, 0}, 0};
  EXPECT_EQ(side_of(plane, {1 - 0x1p-30, 1, 0}), -1);
  EXPECT_EQ(side_of(plane, {1 - 0x1p-30, 1 - 0x1p-53, 0}), 1);
  EXPECT_EQ(side_of(plane, {1, 1 + 0x1p-30, 5}), 0);
}

TEST(CrossingPoint, IsWithinItsBoundOfTheTruePoint) {
  auto random = seeded(7102);
  std::size_t crossed = 0;
  for (std::size_t i = 0; i < cases(6000); ++i) {
    const int range = static_cast<int>(i % 6);
    ExactPlane plane{any_vector(random, whole(random, 0, 5)), any_vector(random, range), 0};
    if (plane.normal.isZero(0)) continue;
    Vector3 p = any_vector(random, range), q = any_vector(random, range);
    // Also edges that hardly rise, and ends close to the plane.
    if (i % 3 == 0) q = p + 1e-9 * (q - p);
    plane.offset = plane.normal.dot((p + (q - p) * test::uniform(random, 0, 1)) - plane.origin);
    if (!std::isfinite(plane.offset)) continue;
    test::Rational low = height_over(plane, p), high = height_over(plane, q);
    if (low > high) {
      std::swap(low, high);
      std::swap(p, q);
    }
    if (!(low < 0 && high > 0)) continue;
    ++crossed;
    const Vector3 found = crossing_point(plane, p, q);
    const test::Vec<test::Rational> a = exactly<test::Rational>(p), b = exactly<test::Rational>(q);
    const test::Vec<test::Rational> truth = a + (low / (low - high)) * (b - a), is = exactly<test::Rational>(found);
    const test::Rational off[3] = {abs(is.x - truth.x), abs(is.y - truth.y), abs(is.z - truth.z)};
    for (int k = 0; k < 3; ++k) {
      const double largest = std::max(std::abs(p[k]), std::abs(q[k]));
      ASSERT_LE(off[k], test::Rational(0x1p-52) * test::Rational(largest) + test::Rational(0x1p-1070)) << i;
      ASSERT_GE(found[k], std::min(p[k], q[k]));
      ASSERT_LE(found[k], std::max(p[k], q[k]));
    }
  }
  EXPECT_GT(crossed, cases(1500));
}

}  // namespace
}  // namespace whisker
