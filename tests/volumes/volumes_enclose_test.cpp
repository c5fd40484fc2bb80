// Every volume contains what it was fitted to, merged from, grown by or placed from, in exact rationals.

#include <gtest/gtest.h>

#include <whisker/error.hpp>

#include "volumes/exact_volumes.hpp"

namespace whisker {
namespace {

using namespace test;

template <class Volume>
class VolumeEncloses : public testing::Test {};

using Volumes = testing::Types<Aabb, BoundingSphere, Obb, Kdop<14>, Kdop<18>, Kdop<26>, SegmentSweptSphere,
                               TriangleSweptSphere, RectangleSweptSphere>;
TYPED_TEST_SUITE(VolumeEncloses, Volumes);

// Points that the volume contains exactly: those it was fitted to, and points of its boundary if it has simple ones.
template <class Volume>
std::vector<Rational3> points_of(const Volume& volume, const std::vector<Vector3>& fitted, std::mt19937_64& random) {
  std::vector<Rational3> points;
  for (const Vector3& point : fitted)
    points.push_back(exact(point));
  if constexpr (requires { border_point(volume, random); }) {
    for (int i = 0; i < 4; ++i)
      points.push_back(border_point(volume, random));
  }
  return points;
}

TYPED_TEST(VolumeEncloses, ThePointsItWasFittedTo) {
  auto random = seeded(31001);
  for (std::size_t i = 0; i < cases(96); ++i) {
    const std::vector<Vector3> points = random_points(random, static_cast<int>(i % point_kinds));
    const TypeParam volume = fit_as<TypeParam>(points);
    const Aabb box = bounds(volume);
    for (const Vector3& point : points) {
      ASSERT_TRUE(exactly_in(volume, exact(point))) << describe(points);
      ASSERT_TRUE(contains(volume, point)) << describe(points);
      ASSERT_TRUE(box.contains(point)) << describe(points);
    }
  }
}

TYPED_TEST(VolumeEncloses, TheTrianglesItWasFittedTo) {
  auto random = seeded(31002);
  for (std::size_t i = 0; i < cases(48); ++i) {
    std::vector<Triangle> triangles;
    std::vector<Vector3> corners;
    const std::size_t count = 1 + random() % 4;
    for (std::size_t k = 0; k < count; ++k) {
      std::vector<Vector3> some = random_points(random, static_cast<int>(i % point_kinds));
      while (some.size() < 3)
        some.push_back(some[0]);
      triangles.push_back({some[0], some[1], some[2]});
      corners.insert(corners.end(), {some[0], some[1], some[2]});
    }
    const TypeParam volume = fit_as<TypeParam>(triangles);
    for (const Vector3& corner : corners)
      ASSERT_TRUE(exactly_in(volume, exact(corner))) << describe(corners);
  }
}

TYPED_TEST(VolumeEncloses, BothThatItWasMergedFrom) {
  auto random = seeded(31003);
  for (std::size_t i = 0; i < cases(48); ++i) {
    const int kind = static_cast<int>(i % point_kinds);
    const std::vector<Vector3> points_a = random_points(random, kind);
    const std::vector<Vector3> points_b = random_points(random, i % 3 == 0 ? 0 : kind);
    const TypeParam a = fit_as<TypeParam>(points_a);
    const TypeParam b = fit_as<TypeParam>(points_b);
    const TypeParam both = merge(a, b);
    for (const Rational3& x : points_of(a, points_a, random))
      ASSERT_TRUE(exactly_in(both, x)) << describe(points_a) << describe(points_b);
    for (const Rational3& x : points_of(b, points_b, random))
      ASSERT_TRUE(exactly_in(both, x)) << describe(points_a) << describe(points_b);
  }
}

TYPED_TEST(VolumeEncloses, BallsAroundItsPointsWhenGrown) {
  auto random = seeded(31004);
  for (std::size_t i = 0; i < cases(48); ++i) {
    const std::vector<Vector3> points = random_points(random, static_cast<int>(i % point_kinds));
    const TypeParam volume = fit_as<TypeParam>(points);
    const double length = std::ldexp(uniform(random, 0, 1), static_cast<int>(random() % 60) - 50);
    const TypeParam grown = grow(volume, length);
    for (const Rational3& x : points_of(volume, points, random)) {
      ASSERT_TRUE(exactly_in(grown, x + ExactRational(length) * rational_unit(random))) << describe(points) << length;
      const Rational3 step = {ExactRational(0), ExactRational(length), ExactRational(0)};
      ASSERT_TRUE(exactly_in(grown, x + step)) << describe(points) << length;
    }
  }
}

TYPED_TEST(VolumeEncloses, ItsPointsWhenPlaced) {
  auto random = seeded(31005);
  for (std::size_t i = 0; i < cases(48); ++i) {
    const std::vector<Vector3> points = random_points(random, static_cast<int>(i % point_kinds));
    const TypeParam volume = fit_as<TypeParam>(points);
    Pose pose = normal_pose(random, i % 2 == 0 ? 1 : 1e5);
    // Any pose that a query accepts: here one that is nearly as inexact as allowed.
    if (i % 5 == 0) pose.set_rotation(pose.rotation() * (1 + 4e-10));
    if (i % 5 == 1) {
      Matrix3 skew = pose.rotation();
      skew.col(0) += 4e-10 * skew.col(1);
      pose.set_rotation(skew);
    }
    if (i % 7 == 0) pose.set_rotation(Matrix3::Identity());
    const TypeParam placed = place(pose, volume);
    for (const Rational3& x : points_of(volume, points, random))
      ASSERT_TRUE(exactly_in(placed, exact_place(pose, x))) << describe(points);
    for (const Vector3& x : points)
      ASSERT_TRUE(exactly_in(placed, exact(place(pose, x)))) << describe(points);
  }
}

TYPED_TEST(VolumeEncloses, OnlyWhatIsGoodToFit) {
  const std::vector<Vector3> none;
  EXPECT_THROW(fit_as<TypeParam>(none), Error);
  EXPECT_THROW(fit_as<TypeParam>(std::vector<Triangle>()), Error);
  EXPECT_THROW(fit_as<TypeParam>(std::vector<Vector3>{{0, 0, 0}, {0, std::nan(""), 0}}), Error);
  EXPECT_THROW(fit_as<TypeParam>(std::vector<Vector3>{{0, 0, 2e90}}), Error);
  const TypeParam volume = fit_as<TypeParam>(std::vector<Vector3>{{0, 0, 0}, {1, 2, 3}});
  EXPECT_THROW(grow(volume, -1), Error);
  EXPECT_THROW(grow(volume, std::nan("")), Error);
}

TEST(ObbFit, EveryFitEncloses) {
  auto random = seeded(31006);
  for (std::size_t i = 0; i < cases(48); ++i) {
    const std::vector<Vector3> points = random_points(random, static_cast<int>(i % point_kinds));
    for (const BoxFit fit : {BoxFit::vertices, BoxFit::hull_vertices, BoxFit::hull_area}) {
      const Obb box = fit_obb(points, fit);
      for (const Vector3& point : points)
        ASSERT_TRUE(exactly_in(box, exact(point))) << describe(points);
    }
    const Matrix3 axes = random_rotation(random);
    const Obb box = fit_obb(points, axes);
    EXPECT_EQ(box.axes, axes);
    for (const Vector3& point : points)
      ASSERT_TRUE(exactly_in(box, exact(point))) << describe(points);
  }
}

TEST(SphereFit, RitterEncloses) {
  auto random = seeded(31007);
  for (std::size_t i = 0; i < cases(96); ++i) {
    const std::vector<Vector3> points = random_points(random, static_cast<int>(i % point_kinds));
    const BoundingSphere ball = fit_sphere(points, SphereFit::ritter);
    for (const Vector3& point : points)
      ASSERT_TRUE(exactly_in(ball, exact(point))) << describe(points);
    EXPECT_GE(ball.radius, fit_sphere(points).radius * (1 - 1e-12));
  }
}

TEST(ObbPlace, PlacedManyTimesStaysABox) {
  auto random = seeded(31008);
  Obb box = fit_obb(random_points(random, 10));
  const Vector3 before = box.half;
  Pose pose = normal_pose(random, 1);
  pose.set_rotation(pose.rotation() * (1 + 4e-10));
  for (int i = 0; i < 1000; ++i)
    box = place(pose, box);
  const Matrix3 product = box.axes.transpose() * box.axes;
  EXPECT_LE((product - Matrix3::Identity()).cwiseAbs().maxCoeff(), 1e-15);
  // It grows with the stretching of the poses, and by rounding.
  for (int i = 0; i < 3; ++i)
    EXPECT_LE(box.half[i], before[i] * (1 + 1e-6) + 1e-8);
}

TEST(ObbMerge, AxesThatAreNoBoxAreRefused) {
  Obb box;
  box.axes(0, 1) = 1e-3;
  EXPECT_THROW(merge(box, Obb()), Error);
  EXPECT_THROW(grow(box, 1), Error);
  EXPECT_THROW(place(Pose(), box), Error);
}

TEST(AabbVolume, TheEmptyBoxIsNeutral) {
  const Aabb empty;
  const Aabb box = fit_aabb(std::vector<Vector3>{{0, 0, 0}, {1, 1, 1}});
  EXPECT_TRUE(grow(empty, 1).empty());
  EXPECT_TRUE(place(Pose(), empty).empty());
  EXPECT_EQ(merge(empty, box).upper, box.upper);
  EXPECT_FALSE(overlaps(empty, box));
  EXPECT_FALSE(overlaps(empty, Pose(), box, Pose()));
  EXPECT_EQ(distance_bounds(empty, box).upper, std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace whisker
