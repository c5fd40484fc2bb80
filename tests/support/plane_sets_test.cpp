// Tests the middles that the tests of witness points expect against sums over a fine grid.

#include "support/plane_sets.hpp"

#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "support/cases.hpp"

namespace whisker::test {
namespace {

bool holds(const PlaneSet& set, const PlanePoint& p) {
  if (set.is_disc) return norm(p - set.corners[0]) <= set.radius;
  for (std::size_t i = 0; i < set.corners.size(); ++i) {
    if (cross(set.corners[(i + 1) % set.corners.size()] - set.corners[i], p - set.corners[i]) < 0) return false;
  }
  return true;
}

PlaneSet some_area(std::mt19937_64& random) {
  const PlanePoint at = {uniform(random, -0.4, 0.4), uniform(random, -0.4, 0.4)};
  if (random() % 2 == 0) return PlaneSet::disc(at, uniform(random, 0.2, 0.7));
  std::vector<PlanePoint> points;
  for (int i = 0; i < 8; ++i)
    points.push_back(at + PlanePoint{uniform(random, -0.6, 0.6), uniform(random, -0.6, 0.6)});
  return hull_of(points, 1e-15L);
}

TEST(PlaneSets, TheMiddleOfACommonAreaIsThatOfItsGridPoints) {
  std::mt19937_64 random = seeded(7001);
  int areas = 0;
  for (int i = 0; i < 120; ++i) {
    const PlaneSet a = some_area(random), b = some_area(random);
    constexpr int steps = 400;
    PlanePoint sum;
    Extended count = 0;
    for (int x = 0; x < steps; ++x) {
      for (int y = 0; y < steps; ++y) {
        const PlanePoint p = {-1.2L + 2.4L * (x + 0.5L) / steps, -1.2L + 2.4L * (y + 0.5L) / steps};
        if (!holds(a, p) || !holds(b, p)) continue;
        sum = sum + p;
        count += 1;
      }
    }
    if (count < 500) continue;
    ++areas;
    const auto shared = shared_middle(a, b);
    ASSERT_TRUE(shared.has_value());
    EXPECT_EQ(shared->dimension, 2);
    EXPECT_LE(norm(shared->middle - (1 / count) * sum), 1e-3L) << a.is_disc << b.is_disc;
  }
  EXPECT_GE(areas, 60);
}

TEST(PlaneSets, TheMiddleOfALineIsThatOfItsPartInside) {
  std::mt19937_64 random = seeded(7002);
  int lines = 0;
  for (int i = 0; i < 200; ++i) {
    const PlaneSet area = some_area(random);
    const PlanePoint p = {uniform(random, -1, 1), uniform(random, -1, 1)},
                     q = {uniform(random, -1, 1), uniform(random, -1, 1)};
    constexpr int steps = 20000;
    PlanePoint sum;
    Extended count = 0;
    for (int s = 0; s < steps; ++s) {
      const PlanePoint at = p + ((s + 0.5L) / steps) * (q - p);
      if (holds(area, at)) sum = sum + at, count += 1;
    }
    const auto shared = shared_middle(PlaneSet::of({p, q}), area);
    EXPECT_EQ(shared.has_value(), count > 0);
    if (!shared || count < 10) continue;
    ++lines;
    EXPECT_LE(norm(shared->middle - (1 / count) * sum), 1e-3L);
  }
  EXPECT_GE(lines, 60);
}

TEST(PlaneSets, LinesThatCrossShareAPointAndLinesThatOverlapAPart) {
  const PlaneSet a = PlaneSet::of({{0, 0}, {4, 0}});
  const auto crossing = shared_middle(a, PlaneSet::of({{1, -1}, {2, 1}}));
  ASSERT_TRUE(crossing.has_value());
  EXPECT_EQ(crossing->dimension, 0);
  EXPECT_EQ(crossing->middle.x, 1.5L);
  const auto along = shared_middle(a, PlaneSet::of({{9, 0}, {3, 0}}));
  ASSERT_TRUE(along.has_value());
  EXPECT_EQ(along->dimension, 1);
  EXPECT_EQ(along->middle.x, 3.5L);
  EXPECT_FALSE(shared_middle(a, PlaneSet::of({{1, 1}, {2, 1}})).has_value());
}

}  // namespace
}  // namespace whisker::test
