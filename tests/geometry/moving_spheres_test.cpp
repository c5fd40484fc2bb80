// Two spheres in linear motion, compared with a hundred digits and exact rationals.

#include <cmath>
#include <random>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <boost/multiprecision/cpp_int.hpp>
#include <gtest/gtest.h>

#include <whisker/geometry/moving_spheres.hpp>

#include "support/cases.hpp"
#include "support/random_vectors.hpp"

namespace whisker {
namespace {

using Digits200 =
    boost::multiprecision::number<boost::multiprecision::cpp_bin_float<200>, boost::multiprecision::et_off>;
using Rational = boost::multiprecision::cpp_rational;
using test::cases;
using test::random_vector;
using test::seeded;
using test::uniform;

struct Truth {
  ImpactStatus status = ImpactStatus::apart;
  Digits200 time = 0;
};

Truth truth_of(const MovingSphere& a, const MovingSphere& b) {
  const Rational reach = Rational(a.radius) + Rational(b.radius);
  Rational gap = -reach * reach;
  Digits200 dd = 0, dv = 0, vv = 0;
  for (int i = 0; i < 3; ++i) {
    const Rational between = Rational(b.start[i]) - Rational(a.start[i]);
    gap += between * between;
    const Digits200 d = Digits200(b.start[i]) - Digits200(a.start[i]);
    const Digits200 v = (Digits200(b.end[i]) - Digits200(b.start[i])) - (Digits200(a.end[i]) - Digits200(a.start[i]));
    dd += d * d;
    dv += d * v;
    vv += v * v;
  }
  if (gap < 0) return {ImpactStatus::touching_at_start, 0};
  if (gap == 0) return {ImpactStatus::touch, 0};
  const Digits200 r = Digits200(a.radius) + Digits200(b.radius);
  const Digits200 disc = dv * dv - vv * (dd - r * r);
  if (vv == 0 || disc < 0 || dv >= 0) return {};
  const Digits200 t = (dd - r * r) / (-dv + sqrt(disc));
  if (t > 1) return {};
  return {ImpactStatus::touch, t};
}

struct SphereCounts {
  std::size_t apart = 0, overlapping = 0, touching = 0, uncertain = 0;
};

void expect_truth(const MovingSphere& a, const MovingSphere& b, SphereCounts& counts) {
  const Truth truth = truth_of(a, b);
  const Impact c = first_contact_spheres(a, b);
  ASSERT_EQ(c.cost.primitive_tests, 1u);
  ASSERT_EQ(c.stop, c.certain ? Stop::exact : Stop::limit);
  if (c.status == ImpactStatus::touch && !c.certain) {
    ++counts.uncertain;
    if (truth.status == ImpactStatus::apart) return;
  }
  ASSERT_EQ(static_cast<int>(c.status), static_cast<int>(truth.status))
      << std::hexfloat << a.start.transpose() << " -> " << a.end.transpose() << " r " << a.radius << "; "
      << b.start.transpose() << " -> " << b.end.transpose() << " r " << b.radius;
  if (truth.status == ImpactStatus::apart) {
    ++counts.apart;
    return;
  }
  ++(truth.status == ImpactStatus::touch ? counts.touching : counts.overlapping);
  ASSERT_LE(Digits200(c.time_lower), truth.time);
  ASSERT_GE(Digits200(c.time_upper), truth.time);
  ASSERT_LE(c.time_lower, c.time);
  ASSERT_LE(c.time, c.time_upper);
  ASSERT_NEAR(c.normal.norm(), 1, 1e-14);
}

TEST(MovingSpheres, TimeBoundsContainTheTruth) {
  auto random = seeded(1401);
  SphereCounts counts;
  for (std::size_t i = 0; i < cases(20000); ++i) {
    MovingSphere a{random_vector(random, 4), random_vector(random, 4), uniform(random, 0, 1)};
    MovingSphere b{random_vector(random, 4), random_vector(random, 4), uniform(random, 0, 1)};
    if (i % 5 == 0) a.start = a.start * 1e6;  // From far away.
    if (i % 7 == 0) b.end = b.start;          // One at rest.
    if (i % 11 == 0) {                        // Both along one axis.
      for (Vector3* v : {&a.start, &a.end, &b.start, &b.end})
        (*v)[1] = (*v)[2] = 0;
    }
    expect_truth(a, b, counts);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(counts.apart, cases(20000) / 10);
  EXPECT_GT(counts.touching, cases(20000) / 20);
  EXPECT_GT(counts.overlapping, cases(20000) / 100);
  EXPECT_EQ(counts.uncertain, 0u);
}

TEST(MovingSpheres, GrazingPassesAreBoundedOrSaidToBeUncertain) {
  auto random = seeded(1402);
  SphereCounts counts;
  for (std::size_t i = 0; i < cases(10000); ++i) {
    const double r = uniform(random, 0.1, 1);
    // Passes at the sum of the radii, up to rounding or a little more.
    const double offset = (2 * r) * (1 + uniform(random, -1, 1) * std::pow(10, uniform(random, -17, -10)));
    const double shift = uniform(random, -3, 3);
    expect_truth({{-5, shift, 0}, {5, shift, 0}, r},
                 {{0, shift + offset, 0}, {uniform(random, -1, 1), shift + offset, 0}, r}, counts);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(counts.apart, 0u);
  EXPECT_GT(counts.touching, 0u);
}

TEST(MovingSpheres, SmallIntegersTouchExactly) {
  auto random = seeded(1403);
  SphereCounts counts;
  std::uniform_int_distribution<int> coordinate(-3, 3);
  const auto vector = [&] { return Vector3(coordinate(random), coordinate(random), coordinate(random)); };
  for (std::size_t i = 0; i < cases(20000); ++i) {
    const MovingSphere a{vector(), vector(), static_cast<double>(i % 3)};
    const MovingSphere b{vector(), vector(), static_cast<double>(i / 3 % 3)};
    expect_truth(a, b, counts);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(counts.touching, cases(20000) / 50);
}

TEST(MovingSpheres, TinyAndHugeScale) {
  auto random = seeded(1404);
  for (const double scale : {1e-85, 1e85}) {
    SphereCounts counts;
    for (std::size_t i = 0; i < cases(2000); ++i) {
      expect_truth(
          {scale * random_vector(random, 2), scale * random_vector(random, 2), scale * uniform(random, 0.1, 1)},
          {scale * random_vector(random, 2), scale * random_vector(random, 2), scale * uniform(random, 0.1, 1)},
          counts);
      if (HasFatalFailure()) return;
    }
    EXPECT_GT(counts.touching, 0u);
  }
}

TEST(MovingSpheres, ReportsOverlapAtTheStartAndTouchingThereAsWhatTheyAre) {
  const MovingSphere still{{0, 0, 0}, {0, 0, 0}, 1};
  EXPECT_EQ(first_contact_spheres(still, {{1.5, 0, 0}, {9, 0, 0}, 1}).status, ImpactStatus::touching_at_start);
  const Impact touching = first_contact_spheres(still, {{2, 0, 0}, {9, 0, 0}, 1});
  EXPECT_EQ(touching.status, ImpactStatus::touch);
  EXPECT_EQ(touching.time, 0);
  EXPECT_EQ(touching.time_upper, 0);
  EXPECT_TRUE(touching.certain);
  // Also if they approach each other, and if they are at rest.
  EXPECT_EQ(first_contact_spheres(still, {{2, 0, 0}, {0, 0, 0}, 1}).status, ImpactStatus::touch);
  EXPECT_EQ(first_contact_spheres(still, {{2, 0, 0}, {2, 0, 0}, 1}).status, ImpactStatus::touch);
  EXPECT_EQ(touching.point, Vector3(1, 0, 0));
  EXPECT_EQ(first_contact_spheres(still, {{std::nextafter(2.0, 3.0), 0, 0}, {9, 0, 0}, 1}).status, ImpactStatus::apart);
  EXPECT_EQ(first_contact_spheres(still, {{std::nextafter(2.0, 1.0), 0, 0}, {9, 0, 0}, 1}).status,
            ImpactStatus::touching_at_start);
  const Impact same = first_contact_spheres(still, still);
  EXPECT_EQ(same.status, ImpactStatus::touching_at_start);
  EXPECT_EQ(same.normal, Vector3::UnitX());
}

TEST(MovingSpheres, GivesTimePointAndNormal) {
  const Impact c = first_contact_spheres({{-4, 0, 0}, {4, 0, 0}, 1}, {{4, 0, 0}, {4, 0, 0}, 2});
  EXPECT_EQ(c.status, ImpactStatus::touch);
  EXPECT_TRUE(c.certain);
  EXPECT_EQ(c.time, 0.625);
  EXPECT_EQ(c.point, Vector3(2, 0, 0));
  EXPECT_EQ(c.normal, Vector3::UnitX());
}

TEST(MovingSpheres, WithoutRelativeMotionNothingHappens) {
  const Vector3 step(3, 1, 7);
  EXPECT_EQ(first_contact_spheres({{0, 0, 0}, step, 1}, {{3, 0, 0}, Vector3(3, 0, 0) + step, 1}).status,
            ImpactStatus::apart);
}

TEST(MovingSpheres, AFastSphereDoesNotTunnel) {
  const Impact c = first_contact_spheres({{-1e6, 0.05, 0}, {1e6, 0.05, 0}, 0.01}, {{0, 0, 0}, {0, 0, 0}, 0.05});
  EXPECT_EQ(c.status, ImpactStatus::touch);
  EXPECT_NEAR(c.time, 0.5, 1e-6);
}

TEST(MovingSpheres, ContactAtTheVeryEndCounts) {
  EXPECT_EQ(first_contact_spheres({{0, 0, 0}, {1, 0, 0}, 1}, {{3, 0, 0}, {3, 0, 0}, 1}).status, ImpactStatus::touch);
  EXPECT_EQ(first_contact_spheres({{0, 0, 0}, {0.999, 0, 0}, 1}, {{3, 0, 0}, {3, 0, 0}, 1}).status,
            ImpactStatus::apart);
}

}  // namespace
}  // namespace whisker
