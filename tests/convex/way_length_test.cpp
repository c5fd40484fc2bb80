// The length of a translation that separates two shapes, against exact rationals.

#include <algorithm>
#include <random>
#include <vector>

#include <boost/multiprecision/cpp_int.hpp>
#include <gtest/gtest.h>

#include <whisker/pose.hpp>
#include <whisker/shape.hpp>

#include "convex/convex_exact.hpp"
#include "convex/hull_pairs.hpp"
#include "support/cases.hpp"
#include "support/random_shapes.hpp"

namespace whisker::way_length_test {
namespace {

using convex::convex_body;
using convex::ConvexBody;
using Rational = boost::multiprecision::cpp_rational;

/// How far the core reaches along a direction, in real numbers.
Rational exact_reach_of(const ConvexBody& body, const Vector3& along) {
  Rational farthest = 0;
  for (std::uint32_t i = 0; i < body.vertex_count(); ++i) {
    const Vector3 v = body.vertex(i);
    Rational reach = 0;
    for (int row = 0; row < 3; ++row) {
      Rational at = body.pose.translation()[row];
      for (int k = 0; k < 3; ++k)
        at += Rational(body.pose.rotation()(row, k)) * Rational(v[k]);
      reach += Rational(along[row]) * at;
    }
    if (i == 0 || reach > farthest) farthest = reach;
  }
  return farthest;
}

Rational square(const Rational& x) {
  return x * x;
}

TEST(WayLength, IsNeverShorterThanTheTranslationAndHardlyLonger) {
  auto random = test::seeded(77);
  const auto any_shape = [&]() -> Shape {
    switch (test::whole(random, 0, 5)) {
      case 0:
        return Box{Vector3(1, 0.5, 0.01)};
      case 1:
        return Capsule{0.3, 1};
      case 2:  // a triangle is placed in the world at once
        return Triangle{{0, 0, 0}, {1, 0, 0}, {0, 1, 0.5}};
      case 3:  // two of these have no size
        return Sphere{0.4};
      case 4:
        return test::ellipsoid_hull(random, 150, {1, 0.7, 0.4});
      default:
        return test::any_hull(random);
    }
  };
  std::size_t deep = 0;
  for (std::size_t n = 0; n < test::cases(300); ++n) {
    const double far = n % 4 == 0 ? 1e6 : 0.5;
    const Shape shape_a = any_shape(), shape_b = any_shape();
    const Pose pose_a = test::random_pose(random, far), pose_b = test::random_pose(random, 0.5);
    const ConvexBody a = convex_body(shape_a, pose_a), b = convex_body(shape_b, pose_b);
    const Vector3 along = n % 3 == 0 ? Vector3(Vector3::UnitZ()) : test::scenes::unit_vector(random);
    const Rational scaled = exact_reach_of(a, along) + exact_reach_of(b, -along);  // times the length of `along`
    const Rational squared = square(Rational(along[0])) + square(Rational(along[1])) + square(Rational(along[2]));
    const Rational radii = Rational(a.radius) + Rational(b.radius);
    const Rational found = Rational(convex::way_length(a, b, along)) - radii;
    const double apart = (pose_b.translation() - pose_a.translation()).norm();
    const Rational slack = 0x1p-47 * (a.size + b.size + apart + a.radius + b.radius);
    const auto is_at_least = [&](const Rational& length) {
      if (scaled <= 0) return length >= 0 || square(length) * squared <= square(scaled);
      return length > 0 && square(length) * squared >= square(scaled);
    };
    ASSERT_TRUE(is_at_least(found)) << n;
    ASSERT_FALSE(is_at_least(found - slack)) << n;
    deep += scaled > 0 ? 1u : 0u;
  }
  EXPECT_GT(deep, test::cases(300) / 5);
}

}  // namespace
}  // namespace whisker::way_length_test
