// How tight the fits are, and the special cases of the oriented box: flat, thin and infinite boxes, and frusta.

#include <limits>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include <whisker/methods/kdop.hpp>
#include <whisker/methods/swept_sphere.hpp>

#include "geometry/constants.hpp"
#include "volumes/exact_volumes.hpp"
#include "volumes/polytope_oracle.hpp"

namespace whisker {
namespace {

using namespace test;

// The smallest ball, by trying the ball of every subset of at most four points.
Real brute_force_radius(const std::vector<Vector3>& points) {
  const std::size_t n = points.size();
  Real best(-1);
  const auto consider = [&](const Real3& center) {
    Real reach(0);
    for (const Vector3& p : points)
      reach = std::max(reach, squared(real(p) - center));
    if (best < 0 || reach < best) best = reach;
  };
  const Real half(0.5);
  for (std::size_t i = 0; i < n; ++i) {
    const Real3 a = real(points[i]);
    consider(a);
    for (std::size_t j = i + 1; j < n; ++j) {
      const Real3 e = real(points[j]) - a;
      consider(a + half * e);
      for (std::size_t k = j + 1; k < n; ++k) {
        const Real3 f = real(points[k]) - a;
        const Real3 normal = cross(e, f);
        const Real nn = squared(normal);
        if (nn > 0) {
          const Real3 offset = squared(f) * cross(normal, e) - squared(e) * cross(normal, f);
          consider(a + (half / nn) * offset);
        }
        for (std::size_t m = k + 1; m < n; ++m) {
          const Real3 g = real(points[m]) - a;
          const Real whole = dot(normal, g);
          if (whole == 0) continue;
          const Real3 offset = squared(e) * cross(f, g) + squared(f) * cross(g, e) + squared(g) * normal;
          consider(a + (half / whole) * offset);
        }
      }
    }
  }
  return sqrt(best);
}

TEST(SphereFit, MinimalIsTheSmallestOfAllBalls) {
  auto random = seeded(33001);
  for (std::size_t i = 0; i < cases(120); ++i) {
    const std::vector<Vector3> points = random_points(random, static_cast<int>(i % point_kinds));
    const Real least = brute_force_radius(points);
    const Real found(fit_sphere(points).radius);
    double largest = 0;
    for (const Vector3& p : points)
      largest = std::max(largest, p.cwiseAbs().maxCoeff());
    ASSERT_GE(found, least * Real(1 - 1e-30)) << describe(points);
    ASSERT_LE(found, least * Real(1 + 1e-12) + Real(4 * 0x1p-53 * largest)) << describe(points);
  }
}

std::vector<Vector3> turned_box(const Matrix3& axes, const Vector3& center, const Vector3& half) {
  std::vector<Vector3> corners;
  for (int i = 0; i < 8; ++i)
    corners.push_back(
        center + axes * Vector3(i & 1 ? half[0] : -half[0], i & 2 ? half[1] : -half[1], i & 4 ? half[2] : -half[2]));
  return corners;
}

TEST(ObbFit, RecoversATurnedBox) {
  auto random = seeded(33002);
  for (std::size_t i = 0; i < cases(60); ++i) {
    const Vector3 half(uniform(random, 2, 3), uniform(random, 0.8, 1.2), uniform(random, 0.1, 0.4));
    const std::vector<Vector3> corners = turned_box(random_rotation(random), Vector3(1, -2, 0.5), half);
    for (const BoxFit fit : {BoxFit::vertices, BoxFit::hull_vertices, BoxFit::hull_area}) {
      const Obb box = fit_obb(corners, fit);
      for (int k = 0; k < 3; ++k)
        ASSERT_NEAR(box.half[k], half[k], 1e-12);
    }
  }
}

TEST(ObbFit, FlatLineAndPointHaveNoThickness) {
  // Exactly flat and exactly straight, but slanted: sums of short numbers.
  auto random = seeded(33003);
  const auto simple = [&] { return std::ldexp(static_cast<double>(random() % 1024), -8); };
  std::vector<Vector3> flat;
  std::vector<Vector3> line;
  for (int i = 0; i < 20; ++i) {
    flat.push_back(simple() * Vector3(1, 1, 0) + 0x1p-8 * simple() * Vector3(0, 1, -1));
    line.push_back(simple() * Vector3(1, 2, -3));
  }
  // Only the rounding of the axes is left: 40 roundings of the size.
  for (const BoxFit fit : {BoxFit::hull_vertices, BoxFit::hull_area}) {
    const Obb box = fit_obb(flat, fit);
    EXPECT_LT(box.half[1], 0x1p-5);
    EXPECT_LT(box.half[2], 40 * 0x1p-53 * 8);
  }
  const Obb thin = fit_obb(line);
  EXPECT_LT(thin.half[1], 40 * 0x1p-53 * 16);
  EXPECT_LT(thin.half[2], 40 * 0x1p-53 * 16);
  const std::vector<Vector3> exact_flat = {{0, 0, 2}, {4, 0, 2}, {4, 1, 2}, {0, 1, 2}, {1, 0.5, 2}};
  EXPECT_EQ(fit_obb(exact_flat).half[2], 0);
  const Obb point = fit_obb(std::vector<Vector3>(5, Vector3(0.1, 0.2, 0.3)));
  EXPECT_EQ(point.half, Vector3::Zero());
  EXPECT_EQ(point.center, Vector3(0.1, 0.2, 0.3));
}

TEST(ObbFit, InsidePointsAndDenseCornersDoNotTurnTheHullFit) {
  auto random = seeded(33004);
  const Vector3 half(3, 1, 0.5);
  std::vector<Vector3> points = turned_box(Matrix3::Identity(), Vector3::Zero(), half);
  for (int i = 0; i < 2000; ++i) {  // a cluster along a slanted line inside
    const double t = uniform(random, -0.4, 0.4);
    points.push_back({2 * t, 2 * t, t});
  }
  EXPECT_GT(fit_obb(points, BoxFit::vertices).half.prod(), 1.5 * half.prod());
  EXPECT_NEAR(fit_obb(points, BoxFit::hull_vertices).half.prod(), half.prod(), 1e-12);
  EXPECT_NEAR(fit_obb(points, BoxFit::hull_area).half.prod(), half.prod(), 1e-12);
  // Corners crowded at one end of the hull: only the area-based fit is not affected.
  for (int i = 0; i < 300; ++i) {
    const double t = uniform(random, 0, 1.5);
    points.push_back(Vector3(3 - 1e-3 * std::cos(t), 1 - 1e-3 * std::sin(t), 0.5) + Vector3(1e-3, 1e-3, 1e-3 * t));
  }
  EXPECT_GT(fit_obb(points, BoxFit::hull_vertices).half.prod(), 1.2 * half.prod());
  EXPECT_LT(fit_obb(points, BoxFit::hull_area).half.prod(), 1.05 * half.prod());
}

// An independent decision: 15 products of exact generators.
bool exactly_apart(const Obb& a, const Obb& b) {
  std::vector<Rational3> axes;
  std::vector<ExactRational> half;
  for (const Obb* box : {&a, &b}) {
    for (int i = 0; i < 3; ++i) {
      axes.push_back(exact(box->axes.col(i)));
      half.push_back(ExactRational(box->half[i]));
    }
  }
  const Rational3 between = exact(b.center) - exact(a.center);
  for (std::size_t p = 0; p < 6; ++p) {
    for (std::size_t q = p + 1; q < 6; ++q) {
      const Rational3 direction = cross(axes[p], axes[q]);
      ExactRational reach = 0;
      for (std::size_t k = 0; k < 6; ++k)
        reach += half[k] * abs(dot(axes[k], direction));
      if (abs(dot(between, direction)) > reach) return true;
    }
  }
  return false;
}

TEST(ObbOverlap, BoxesRectanglesAndSegmentsAgreeWithExactAxes) {
  auto random = seeded(33005);
  std::size_t apart_count = 0;
  const std::size_t count = cases(400);
  for (std::size_t i = 0; i < count; ++i) {
    std::array<Obb, 2> box;
    for (Obb& b : box) {
      b.axes = random_rotation(random);
      for (int k = 0; k < 3; ++k) {
        b.center[k] = uniform(random, -1, 1);
        b.half[k] = random() % 3 == 0 ? 0 : uniform(random, 0, 1);
      }
    }
    if (i % 4 == 0) box[1].axes = box[0].axes;  // parallel edges
    if (i % 4 == 1) box[1].center = box[0].center + box[0].half[0] * box[0].axes.col(0);
    const bool apart = exactly_apart(box[0], box[1]);
    apart_count += apart ? 1 : 0;
    if (!apart) {
      ASSERT_TRUE(overlaps(box[0], box[1]));
    }
    if (exactly_apart(grow(box[0], 1e-13), box[1])) {
      ASSERT_FALSE(overlaps(box[0], box[1]));
    }
  }
  EXPECT_GT(apart_count, count / 5);
  EXPECT_LT(apart_count, count * 4 / 5);
}

TEST(ObbOverlap, InfiniteBoxesAreSlabsRaysAndPlanes) {
  auto random = seeded(33006);
  for (std::size_t i = 0; i < cases(200); ++i) {
    const Matrix3 axes = random_rotation(random);
    Obb small{random_rotation(random), Vector3(uniform(random, -2, 2), uniform(random, -2, 2), 0), {0.1, 0.2, 0.3}};
    // A slab: two infinite lengths. The distance of its middle plane from the box's center decides.
    const Obb slab{axes, Vector3(0.5, 0, 0), {infinity, infinity, 0.25}};
    const double height = axes.col(2).dot(small.center - slab.center);
    const double reach = (small.axes.transpose() * axes.col(2)).cwiseAbs().dot(small.half);
    const double gap = std::abs(height) - reach - 0.25;
    if (gap > 1e-12) {
      EXPECT_FALSE(overlaps(slab, small));
      const Interval d = distance_bounds(slab, small);
      EXPECT_LE(d.lower, gap + 1e-15);
      EXPECT_NEAR(d.lower, gap, 1e-12);
      EXPECT_NEAR(d.upper, gap, 1e-12);
    }
    if (gap < 0) {
      EXPECT_TRUE(overlaps(slab, small));
    }
    // A thick ray through the center of the box touches it, however the axes are rounded.
    Obb ray{axes, small.center, {infinity, 0.01, 0.01}};
    EXPECT_TRUE(overlaps(ray, small));
    ray.center += 5 * axes.col(1);
    EXPECT_FALSE(overlaps(ray, small));
    // Moving along the ray changes nothing.
    ray.center += 1000 * axes.col(0);
    EXPECT_FALSE(overlaps(ray, small));
    // Parallel planes, exactly; and planes that are not quite parallel intersect somewhere.
    const Obb plane{axes, Vector3::Zero(), {infinity, infinity, 0}};
    Obb other = plane;
    other.center = 0.5 * axes.col(2);
    EXPECT_FALSE(overlaps(plane, other));
    EXPECT_NEAR(distance_bounds(plane, other).lower, 0.5, 1e-14);
    other.axes = (Eigen::AngleAxisd(1e-12, axes.col(0)) * axes).eval();
    EXPECT_TRUE(overlaps(plane, other));
    // The whole space.
    const Obb space{axes, Vector3::Zero(), Vector3::Constant(infinity)};
    EXPECT_TRUE(overlaps(space, small));
    EXPECT_TRUE(contains(space, Vector3(1e90, 0, 0)));
    const Obb both = merge(slab, small);
    EXPECT_EQ(both.half[0], infinity);
    EXPECT_EQ(both.half[1], infinity);
    EXPECT_TRUE(exactly_in(both, exact(small.center)));
    const Pose pose = normal_pose(random, 3);
    EXPECT_EQ(overlaps(slab, pose, small, pose), !(gap > 1e-12) || overlaps(slab, small));
  }
}

TEST(ObbFrustum, OutsideAndInsideAreProven) {
  // A frustum along -z from 1 to 10, 45° to each side.
  const Frustum view{{HalfSpace{{0, 0, 1}, -1}, HalfSpace{{0, 0, -1}, 10}, HalfSpace{{1, 0, 1}, 0},
                      HalfSpace{{-1, 0, 1}, 0}, HalfSpace{{0, 1, 1}, 0}, HalfSpace{{0, -1, 1}, 0}}};
  const Obb inside{Matrix3::Identity(), Vector3(0, 0, -5), Vector3::Constant(1)};
  EXPECT_EQ(classify(inside, view), FrustumSide::inside);
  const Obb behind{Matrix3::Identity(), Vector3(0, 0, 3), Vector3::Constant(1)};
  EXPECT_EQ(classify(behind, view), FrustumSide::outside);
  const Obb crossing{Matrix3::Identity(), Vector3(0, 0, -1), Vector3::Constant(0.5)};
  EXPECT_EQ(classify(crossing, view), FrustumSide::unknown);
  const Obb touching{Matrix3::Identity(), Vector3(0, 0, 0), Vector3::Constant(1)};
  EXPECT_TRUE(overlaps(touching, view));
  const Obb slab{Matrix3::Identity(), Vector3(0, 0, 3), {infinity, infinity, 1}};
  EXPECT_EQ(classify(slab, view), FrustumSide::outside);
  auto random = seeded(33007);
  for (std::size_t i = 0; i < cases(1000); ++i) {
    const Obb box{random_rotation(random),
                  Vector3(uniform(random, -8, 8), uniform(random, -8, 8), uniform(random, -14, 3)),
                  Vector3(uniform(random, 0, 2), uniform(random, 0, 2), uniform(random, 0, 2))};
    const FrustumSide side = classify(box, view);
    for (int k = 0; k < 8; ++k) {
      const Rational3 corner = border_point(box, random);
      bool in = true;
      for (const HalfSpace& plane : view.planes)
        in = in && dot(exact(plane.normal), corner) <= ExactRational(plane.offset);
      if (in) {
        ASSERT_NE(side, FrustumSide::outside);
      } else {
        ASSERT_NE(side, FrustumSide::inside);
      }
    }
  }
}

TEST(SweptSphereFit, FollowsTheShape) {
  auto random = seeded(33008);
  const Matrix3 turn = random_rotation(random);
  std::vector<Vector3> rod;
  std::vector<Vector3> plate;
  for (int i = 0; i < 400; ++i) {
    const double angle = uniform(random, 0, 6.3);
    rod.push_back(turn * Vector3(uniform(random, -5, 5), 0.5 * std::cos(angle), 0.5 * std::sin(angle)));
    plate.push_back(turn * Vector3(uniform(random, -5, 5), uniform(random, -3, 3), uniform(random, -0.1, 0.1)));
  }
  EXPECT_LT(fit_segment_sphere(rod).radius, 0.56);
  EXPECT_LT(fit_rectangle_sphere(plate).radius, 0.25);
  EXPECT_LT(surface_area(fit_rectangle_sphere(plate)), 0.7 * surface_area(fit_segment_sphere(plate)));
  EXPECT_LT(surface_area(fit_segment_sphere(rod)), 0.5 * surface_area(fit_sphere(rod)));
  const Triangle triangle{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  EXPECT_EQ(fit_triangle_sphere(std::span<const Triangle>(&triangle, 1)).radius, 0);
}

}  // namespace
}  // namespace whisker
