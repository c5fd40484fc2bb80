// The quick answers for spheres with cylinders and cones, which doubles decide: their bounds agree with those of the
// search, and they do answer.

#include "convex/quick_revolved.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "convex/convex_body.hpp"
#include "convex/convex_queries.hpp"
#include "convex/quick_distance.hpp"
#include "support/cases.hpp"
#include "support/random_shapes.hpp"
#include "support/random_vectors.hpp"

namespace whisker::test {
namespace {

using convex::convex_body;
using convex::Quick;

/// A pose whose rotation is off by up to the allowed 1e-9 in one case of four.
Pose bent_pose(std::mt19937_64& random) {
  Pose pose = random_pose(random, 1);
  if (whole(random, 0, 3) > 0) return pose;
  Matrix3 rotation = pose.rotation();
  for (int i = 0; i < 9; ++i)
    rotation.data()[i] += uniform(random, -1e-10, 1e-10);
  return {rotation, pose.translation()};
}

TEST(QuickRevolved, BoundsAgreeWithThoseOfTheSearch) {
  auto random = seeded(9301);
  const std::size_t count = cases(4000);
  std::size_t apart_count = 0, deep_count = 0, inside_count = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto length = [&] { return whole(random, 0, 9) == 0 ? 0.0 : uniform(random, 0.05, 1); };
    const Shape ball = Sphere{length()};
    const Shape other = i % 2 == 0 ? Shape(Cylinder{length(), length()}) : Shape(Cone{length(), length()});
    const Placed a(ball, bent_pose(random)), b(other, bent_pose(random));
    Distance apart;
    Depth deep;
    const Quick quick =
        i % 4 < 2 ? convex::find_quick_revolved(a, b, apart, &deep) : convex::find_quick_revolved(b, a, apart, &deep);
    if (quick == Quick::unknown) continue;
    const bool is_deep = deep.upper > 0;
    ++(is_deep ? deep_count : apart_count);
    const Vector3 out = i % 4 < 2 ? Vector3(-deep.normal) : deep.normal;
    if (is_deep && out.dot(a.pose.translation() - (i % 4 < 2 ? deep.point_b : deep.point_a)) < 0) ++inside_count;
    const Distance distance = convex::distance_convex_convex(convex_body(ball, a.pose), convex_body(other, b.pose), {});
    const Depth depth = convex::depth_convex_convex(convex_body(ball, a.pose), convex_body(other, b.pose), {});
    EXPECT_LE(apart.lower, distance.upper) << i;
    EXPECT_LE(deep.lower, depth.upper) << i;
    if (is_deep) {
      EXPECT_GE(deep.upper, depth.lower) << i;
      const Vector3 off = deep.point_a - deep.point_b - deep.normal * deep.upper;
      EXPECT_LE(off.norm(), 1e-13) << i;
      // The search finds what is left of the way out.
      const Vector3 by = deep.normal * (deep.upper * (1 + 1e-9) + 1e-12);
      const Pose moved(b.pose.rotation(), b.pose.translation() + (i % 4 < 2 ? by : Vector3(-by)));
      EXPECT_LE(convex::depth_convex_convex(convex_body(ball, a.pose), convex_body(other, moved), {}).lower, 1e-15)
          << i;
    } else {
      EXPECT_GE(apart.upper, distance.lower) << i;
      EXPECT_LE(std::abs((apart.point_b - apart.point_a).norm() - apart.upper), 1e-13) << i;
      EXPECT_LE((apart.point_b - apart.point_a - apart.normal * apart.upper).norm(), 1e-13) << i;
    }
    EXPECT_LE(deep.upper - deep.lower, 1e-10 * deep.upper) << i;
    EXPECT_LE(apart.upper - apart.lower, 1e-10 * apart.upper) << i;
  }
  EXPECT_GT(apart_count, count / 5);
  EXPECT_GT(deep_count, count / 8);
  EXPECT_GT(inside_count, count / 80);
}

TEST(QuickRevolved, PointsAreOnTheRimHoweverNearTheAxis) {
  // Squares of such lengths underflow.
  std::size_t found = 0, all = 0;
  for (double offset = 0x1p-560; offset < 0x1p-400; offset *= 1.3) {
    const Shape ball = Sphere{0.5};
    for (const Shape& other : {Shape(Cylinder{1, 10}), Shape(Cone{1, 10})}) {
      Distance apart;
      Depth deep;
      const Placed at(ball, Pose(Vector3(offset, 0, 0)));
      ++all;
      if (convex::find_quick_revolved(at, {other, Pose()}, apart, &deep) == Quick::unknown) continue;
      ++found;
      ASSERT_GT(deep.upper, 0) << offset;
      const Vector3 p = deep.point_b;
      const double radius = other.kind() == ShapeKind::cylinder ? 1 : 0.5 - p.z() / 10;  // at this height
      EXPECT_NEAR(std::hypot(p.x(), p.y()), radius, 1e-12) << offset;
      EXPECT_LE((deep.point_a - deep.point_b - deep.normal * deep.upper).norm(), 1e-12) << offset;
    }
  }
  EXPECT_GE(found, all / 2);
}

TEST(QuickRevolved, PointsUnderATiltThatUnderflowsAreInTheShape) {
  std::size_t found = 0, all = 0;
  for (double tilt = 0x1p-560; tilt < 0x1p-400; tilt *= 1.3) {
    const Shape shapes[] = {Cylinder{1, 2}, Cone{1, 2}, Ellipsoid{{1, 2, 0}}};
    for (const Shape& shape : shapes) {
      for (const double height : {-0.99, 1e-3}) {
        const Shape ground = HalfSpace{{1.2 * tilt, 0, 1}, height};
        Distance apart;
        ++all;
        const Quick quick = convex::find_quick_flat(shape, ground, apart, nullptr);
        if (quick == Quick::unknown || apart.upper > 0) continue;
        ++found;
        EXPECT_LE(std::hypot(apart.point_a.x(), apart.point_a.y()), shape.kind() == ShapeKind::ellipsoid ? 2 : 1)
            << name(shape.kind()) << " " << tilt;
      }
    }
  }
  EXPECT_GE(found, all / 2);
}

TEST(QuickRevolved, DecidesNearlyAllPairsThatAreNotTooCloseToTell) {
  auto random = seeded(9302);
  const std::size_t count = cases(2000);
  std::size_t found = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto length = [&] { return uniform(random, 0.2, 1); };
    const Shape ball = Sphere{length()};
    const Shape other = i % 2 == 0 ? Shape(Cylinder{length(), length()}) : Shape(Cone{length(), length()});
    Distance apart;
    Depth deep;
    const Quick quick =
        convex::find_quick_revolved({ball, random_pose(random, 1)}, {other, random_pose(random, 1)}, apart, &deep);
    found += quick != Quick::unknown ? 1u : 0u;
  }
  EXPECT_GE(static_cast<double>(found), 0.99 * static_cast<double>(count));
}

}  // namespace
}  // namespace whisker::test
