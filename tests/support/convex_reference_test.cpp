// Tests the reference for convex shapes against definitions, closed forms, the exact reference for simple shapes, and
// itself.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/convex_cases.hpp"

namespace whisker::test {
namespace {

/// How far a point is outside the unit shape of a round body, in the body's own coordinates. Not positive inside.
Real outside(const ReferenceBody<Real>& body, const Vec<Real>& p) {
  using Core = ReferenceBody<Real>::Core;
  const Vec<Real> d = p - body.center;
  const Real whole = dot(body.axes[0], cross(body.axes[1], body.axes[2]));
  std::array<Real, 3> x;
  for (std::size_t i = 0; i < 3; ++i) {
    x[i] = dot(d, cross(body.axes[(i + 1) % 3], body.axes[(i + 2) % 3])) / whole;
    if (body.half_sizes[i] > 0)
      x[i] = x[i] / body.half_sizes[i];
    else
      x[i] = x[i] == 0 ? Real(0) : Real(1e30);
  }
  const Real side = root(Real(x[0] * x[0] + x[1] * x[1]));
  if (body.core == Core::ellipsoid) return root(Real(side * side + x[2] * x[2])) - 1;
  const Real caps = reference::magnitude(x[2]) - 1;
  if (body.core == Core::cylinder) return std::max(caps, Real(side - 1));
  return std::max(caps, Real(side - (1 - x[2]) / 2));
}

TEST(ConvexReference, SupportsAreFarthestPointsOfTheShapes) {
  std::mt19937_64 random = seeded(600);
  for (std::size_t i = 0; i < cases(300); ++i) {
    const std::size_t kind = 7 + i % 3;
    const Shape shape = convex_cases::known_shape(random, kind, ConvexFamily::slender);
    const Pose pose(scenes::sloppy(random, scenes::any_rotation(random)), random_vector(random, 2));
    const ReferenceBody<Real> body = reference_body<Real>(shape, pose);
    const Vec<Real> n = exactly<Real>(scenes::unit_vector(random));
    const Vec<Real> farthest = body.support(n);
    EXPECT_LE(outside(body, farthest), Real("1e-90")) << describe(shape);
    const Real reach = dot(farthest, n);
    for (int j = 0; j < 40; ++j) {  // points of the shape, by definition: t + R x
      Vector3 x = random_vector(random, 1);
      if (j % 2 == 0) x = scenes::unit_vector(random);
      Vec<Real> p = body.center;
      const double shrink = kind == 8 ? 0.5 * (1 - x.z()) : 1;
      for (int k = 0; k < 3; ++k) {
        const double size = k < 2 ? shrink * x[k] : x[k];
        p = p + (Real(size) * body.half_sizes[static_cast<std::size_t>(k)]) * body.axes[static_cast<std::size_t>(k)];
      }
      if (outside(body, p) > 0) continue;
      EXPECT_LE(dot(p, n), reach + Real("1e-90")) << describe(shape);
    }
  }
}

TEST(ConvexReference, SupportOfASphereOrCapsuleHasItsRadius) {
  const Pose pose(Vector3(1, 2, 3));
  const Vec<Real> up = {Real(0), Real(0), Real(2)};
  EXPECT_EQ(reference_support(Shape(Sphere{2}), pose, up).z, 5);
  EXPECT_EQ(reference_support(Shape(Capsule{1, 4}), pose, up).z, 6);
  EXPECT_EQ(reference_support(Shape(Cone{1, 4}), pose, up).z, 5);
  EXPECT_EQ(reference_support(Shape(Cone{1, 4}), pose, -up).z, 1);
}

/// Compares with the reference for simple shapes, which tries all features, on pairs that both support.
template <class N>
void compare_with_simple_reference(std::size_t count, const N& rounding, double depth_width) {
  std::mt19937_64 random = seeded(610);
  std::size_t deep = 0, apart = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t kind_a = i % simple_shape_count, kind_b = i / simple_shape_count % simple_shape_count;
    const Scene scene = make_scene(random, kind_a, kind_b, static_cast<Family>(random() % family_count));
    const Shape a = std::visit([](const auto& s) { return Shape(s); }, scene.a);
    const Shape b = std::visit([](const auto& s) { return Shape(s); }, scene.b);
    if (a.is_unbounded() && b.is_unbounded()) continue;
    const Truth truth = truth_about(scene.a, scene.pose_a, scene.b, scene.pose_b);
    const ReferencePair<N> pair(a, scene.pose_a, b, scene.pose_b);
    const ReferenceDistance<N> found = pair.distance();
    const Real size = Real(truth.size + scene.pose_a.translation().norm() + scene.pose_b.translation().norm());
    const Real slack = size * Real(rounding);
    EXPECT_LE(Real(found.lower), truth.distance + slack) << describe(scene);
    EXPECT_GE(Real(found.upper), truth.distance - slack) << describe(scene);
    const ReferenceGap<N> gap = pair.gap();
    const Real lower = std::max(Real(0), Real(-gap.upper)), upper = std::max(Real(0), Real(-gap.lower));
    EXPECT_LE(lower, truth.depth + slack) << describe(scene);
    EXPECT_GE(upper, truth.depth - slack) << describe(scene);
    EXPECT_LE(upper - lower, Real(depth_width) * truth.depth + size * Real("1e-15")) << describe(scene);
    if (truth.distance > 0) ++apart;
    if (truth.depth > 0) ++deep;
  }
  EXPECT_GT(deep, count / 8);
  EXPECT_GT(apart, count / 8);
}

TEST(ConvexReference, AgreesWithTheReferenceOfSimpleShapesInExtendedNumbers) {
  compare_with_simple_reference<Extended>(cases(3000), rounding_at(Extended(1)), 1e-9);
}

TEST(ConvexReference, AgreesWithTheReferenceOfSimpleShapesIn384Bits) {
  compare_with_simple_reference<Real>(cases(100), Real("1e-60"), 1e-9);
}

/// Checks each part of the proof separately.
TEST(ConvexReference, DistancesOf384BitsAreProvenToAThirtiethDigit) {
  const std::vector<ConvexPair> pairs = all_convex_pairs();
  Real widest = 0;
  std::size_t apart = 0;
  for (std::size_t i = 0; i < cases(110); ++i) {
    const ConvexPair& pair = pairs[i * 7 % pairs.size()];
    const ConvexCase c = make_convex_case(pair.first, pair.second, i);
    const ReferencePair<Real> reference(c.a.truth, c.pose_a, c.b.truth, c.pose_b);
    if (!reference.bounded()) continue;
    const ReferenceDistance<Real> d = reference.distance();
    const Real size = d.size, tiny = size * Real("1e-90");
    widest = std::max(widest, Real(d.width() / size));
    EXPECT_LE(d.width(), size * Real("1e-30")) << describe(c);
    EXPECT_LE(d.lower, d.upper) << describe(c);
    // The points are `upper` apart, and no direction separates a point from its shape.
    EXPECT_LE(reference::magnitude(Real(norm(d.point_a - d.point_b) - d.upper)), tiny + d.width()) << describe(c);
    for (const Vector3& n : {Vector3(1, 0, 0), Vector3(-1, 2, 0.5), Vector3(0.3, -1, -2)}) {
      const Vec<Real> direction = exactly<Real>(n);
      EXPECT_LE(dot(direction, d.point_a), reference.body_a().reach(direction) + tiny) << describe(c);
      EXPECT_LE(dot(direction, d.point_b), reference.body_b().reach(direction) + tiny) << describe(c);
    }
    if (d.lower > 0) {
      ++apart;
      EXPECT_GE(-reference.width_along(d.normal), d.lower) << describe(c);
      EXPECT_LE(reference::magnitude(Real(norm(d.normal) - 1)), Real("1e-90"));
    }
  }
  EXPECT_GT(apart, cases(110) / 8);
  std::printf("widest distance: %.2g of the size\n", widest.convert_to<double>());
}

/// Checks in extended precision that the bounds of every case are consistent, and how wide they are.
TEST(ConvexReference, ExtendedBoundsContainThoseOf384BitsAndAreNarrow) {
  struct Row {
    std::size_t count = 0, overlapping = 0, wide_distances = 0, wide_depths = 0;
    double widest_distance = 0, widest_depth = 0;
  };
  std::map<ConvexFamily, Row> rows;
  std::size_t checked = 0;
  for (const ConvexPair& pair : all_convex_pairs()) {
    for (std::size_t i = 0; i < cases(22); ++i) {
      const ConvexCase c = make_convex_case(pair.first, pair.second, 7000000 + i);
      const ConvexView view(c, false);
      const ReferenceGap<Extended> gap =
          view.gap({.relative_width = 1e-8, .width_of_size = 1e-17, .evaluations = 1500});
      Row& row = rows[c.family];
      ++row.count;
      if (gap.upper < 0) ++row.overlapping;
      EXPECT_LE(gap.lower, gap.upper) << describe(c);
      EXPECT_LE(view.truth.lower, view.truth.upper) << describe(c);
      const Extended apart = std::max(Extended(0), gap.upper);
      EXPECT_LE(view.truth.lower, apart + view.ulp / 4) << describe(c);
      // Narrow enough to judge an answer that may be off by 64 ulp plus a millionth of the depth.
      const Extended distance_ulps = view.truth.width() / view.ulp;
      row.widest_distance = std::max(row.widest_distance, static_cast<double>(distance_ulps));
      EXPECT_LE(distance_ulps, 1) << describe(c);
      const Extended allowed = 1e-6L * std::max(Extended(0), -gap.lower) + 64 * view.ulp;
      row.widest_depth = std::max(row.widest_depth, static_cast<double>(gap.width() / allowed));
      if (gap.width() > allowed / 4) ++row.wide_depths;
      if ((i + pair.first + pair.second) % 22 == 0) {
        ++checked;
        const ReferenceDistance<Real> exact = view.exact_distance();
        EXPECT_LE(Real(view.truth.lower), exact.upper) << describe(c);
        EXPECT_GE(Real(view.truth.upper), exact.lower) << describe(c);
        const ReferenceGap<Real> exact_gap = ReferencePair<Real>(c.a.truth, c.pose_a, c.b.truth, c.pose_b)
                                                 .gap({.relative_width = 1e-7, .evaluations = 200});
        EXPECT_LE(Real(gap.lower), exact_gap.upper) << describe(c);
        EXPECT_GE(Real(gap.upper), exact_gap.lower) << describe(c);
      }
    }
  }
  std::size_t wide = 0, overlapping = 0;
  for (const auto& [family, row] : rows) {
    std::printf(
        "%8s: %5zu cases, %4zu overlap; widest distance %.2g ulp; depth: widest %.2g of what is allowed, %zu "
        "above a quarter\n",
        std::string(name(family)).c_str(), row.count, row.overlapping, row.widest_distance, row.widest_depth,
        row.wide_depths);
    wide += row.wide_depths;
    overlapping += row.overlapping;
    EXPECT_GT(row.overlapping, row.count / 10) << name(family);
    EXPECT_LT(row.overlapping, row.count) << name(family);
  }
  EXPECT_LE(wide, overlapping / 10) << "the reference of depths is too wide too often";
  EXPECT_GT(checked, 0u);
}

TEST(ConvexReference, DepthsHaveTheirClosedForms) {
  const Shape cylinder = Cylinder{1, 4}, ball = Ellipsoid{Vector3(1, 1, 1)}, egg = Ellipsoid{Vector3(1, 2, 3)},
              cone = Cone{1, 2}, sphere = Sphere{2};
  const auto expect = [](const Shape& a, const Shape& b, const Vector3& at, double depth, double width) {
    const ReferenceGap<Extended> gap = ReferencePair<Extended>(a, Pose(), b, Pose(at)).gap();
    EXPECT_LE(-gap.upper, Extended(depth) * (1 + 1e-15L));
    EXPECT_GE(-gap.lower, Extended(depth) * (1 - 1e-15L));
    EXPECT_LE(static_cast<double>(gap.width()), width * depth);
  };
  expect(cylinder, cylinder, Vector3(0, 0, 0), 2, 1e-5);  // a ring of directions is equally good
  expect(cylinder, cylinder, Vector3(0, 0, 3.5), 0.5, 1e-9);
  expect(cylinder, cylinder, Vector3(1.5, 0, 0), 0.5, 1e-9);
  expect(ball, ball, Vector3(0, 0, 0), 2, 1e-3);  // all directions are equally good
  expect(egg, egg, Vector3(0, 0, 0), 2, 1e-9);
  expect(ball, sphere, Vector3(1, 0, 0), 2, 1e-9);
  expect(cone, cone, Vector3(0, 0, 1.75), 0.25, 1e-9);
}

/// Compares two methods for the same depths: all normals, and branch and bound.
TEST(ConvexReference, DepthsOfPolytopesAgreeByBothMethods) {
  std::mt19937_64 random = seeded(630);
  for (std::size_t i = 0; i < cases(20); ++i) {
    const Shape a = ConvexHull(convex_cases::ellipsoid_points(random, 8, Vector3(1, 0.7, 0.5)));
    const Shape b = ConvexHull(convex_cases::box_points(convex_cases::random_size(random)));
    const Pose pose(scenes::any_rotation(random), random_vector(random, 0.3));
    const ReferencePair<Extended> pair(a, Pose(), b, pose);
    const ReferencePair<Real> exact_pair(a, Pose(), b, pose);
    const ReferenceGap<Real> exact = depth_of_polytopes(exact_pair.body_a().points, exact_pair.body_b().points);
    if (!(exact.lower > 0)) continue;
    const ReferenceGap<Extended> bound = depth_of_cores(pair.body_a(), pair.body_b(), {}, DepthEffort());
    EXPECT_LE(Real(bound.lower), exact.upper);
    EXPECT_GE(Real(bound.upper), exact.lower);
    EXPECT_LE(bound.width(), 2e-10L * bound.upper + 1e-17L);
  }
}

/// The cases that should be near contact are.
TEST(ConvexCases, NearOnesAreNear) {
  std::size_t near = 0, count = 0;
  for (const ConvexPair& pair : all_convex_pairs()) {
    const ConvexCase c = make_convex_case(pair.first, pair.second, 11 * 3 + 1);
    ASSERT_EQ(c.family, ConvexFamily::near);
    const ConvexView view(c, false);
    const ReferenceGap<Extended> gap = view.gap({.relative_width = 0.1, .evaluations = 300});
    ++count;
    if (std::abs(gap.lower) < 2e-3L) ++near;
  }
  EXPECT_EQ(near, count);
}

TEST(ConvexCases, AreTheSameEveryTime) {
  for (const ConvexPair& pair : all_convex_pairs()) {
    for (std::size_t i = 0; i < convex_family_count; ++i) {
      EXPECT_EQ(describe(make_convex_case(pair.first, pair.second, i)),
                describe(make_convex_case(pair.first, pair.second, i)));
    }
  }
}

/// The noise of a custom shape stays within the declared error.
TEST(ConvexCases, CustomShapesKeepTheirWord) {
  std::mt19937_64 random = seeded(640);
  for (int i = 0; i < 200; ++i) {
    const Shape truth = convex_cases::known_shape(random, i % 2 == 0 ? 9 : 10, ConvexFamily::random);
    const KnownShape known = convex_cases::custom(truth, i % 4 < 2 ? 1e-6 : 0);
    const ReferenceBody<Extended> body = reference_body<Extended>(truth, Pose());
    const Vector3 direction = 7 * scenes::unit_vector(random);
    const Vec<Extended> p = exactly<Extended>(known.shape.support(direction));
    const Vec<Extended> n = exactly<Extended>(direction);
    const Extended allowed = Extended(known.error) + Extended(known.slack);
    EXPECT_LE(reference_distance(reference_point(p), body, wanted_width<Extended>()).lower, allowed);
    EXPECT_GE(dot(n, p) / norm(n), body.reach(n) / norm(n) - allowed);
  }
}

}  // namespace
}  // namespace whisker::test
