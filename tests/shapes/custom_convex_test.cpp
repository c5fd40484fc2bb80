// CustomConvex: a shape given by its support function.

#include <cmath>
#include <limits>
#include <memory>
#include <string>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include <whisker/custom_convex.hpp>
#include <whisker/error.hpp>
#include <whisker/shape.hpp>

#include "geometry/constants.hpp"
#include "support/cases.hpp"

namespace whisker {
namespace {

using test::cases;
using test::nan;
using test::seeded;
using test::uniform;

/// A box with the full lengths `size` around `center`, given by its support function.
CustomConvex custom_box(const Vector3& size, const Vector3& center, double error = 0) {
  return CustomConvex(
      [=](const Vector3& d) {
        Vector3 point = center;
        for (int i = 0; i < 3; ++i)
          point[i] += std::copysign(size[i] / 2, d[i]);
        return point;
      },
      error);
}

TEST(CustomConvex, RefusesAnEmptyFunction) {
  EXPECT_THROW(CustomConvex{CustomConvex::Support()}, Error);
}

TEST(CustomConvex, RefusesABadSupportError) {
  for (const double bad : {nan, infinity, -infinity, -1e-300}) {
    try {
      custom_box({1, 1, 1}, {0, 0, 0}, bad);
      ADD_FAILURE() << bad << " is taken";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("support error"), std::string::npos) << error.what();
    }
  }
}

TEST(CustomConvex, RefusesAFunctionWhosePointsAreNotFinite) {
  for (const double bad : {nan, infinity, -infinity}) {
    for (int axis = 0; axis < 3; ++axis) {
      for (const double side : {-1.0, 1.0}) {
        const auto support = [=](const Vector3& d) {
          return d[axis] * side > 0 ? Vector3(bad * Vector3::Unit(axis)) : Vector3(Vector3::Zero());
        };
        EXPECT_THROW(CustomConvex{support}, Error) << bad << " along " << axis;
      }
    }
  }
}

TEST(CustomConvex, RefusesPointsBeyondTheLargestCoordinate) {
  EXPECT_NO_THROW(custom_box(Vector3::Constant(2e90), {0, 0, 0}));
  EXPECT_THROW(Shape(custom_box(Vector3::Constant(3e90), {0, 0, 0})), Error);
}

TEST(CustomConvex, LetsAnErrorOfTheUsersFunctionThrough) {
  const auto support = [](const Vector3&) -> Vector3 { throw std::logic_error("mine"); };
  EXPECT_THROW(CustomConvex{support}, std::logic_error);
}

TEST(CustomConvex, BoundsEncloseTheShapeAndItsSupportError) {
  const CustomConvex exact = custom_box({2, 4, 6}, {10, 20, 30});
  EXPECT_TRUE(exact.bounds().contains({9, 18, 27}));
  EXPECT_TRUE(exact.bounds().contains({11, 22, 33}));
  EXPECT_LT((exact.bounds().upper - Vector3(11, 22, 33)).norm(), 1e-13);
  EXPECT_LT((exact.bounds().lower - Vector3(9, 18, 27)).norm(), 1e-13);
  const CustomConvex vague = custom_box({2, 4, 6}, {10, 20, 30}, 0.5);
  EXPECT_TRUE(vague.bounds().contains({8.5, 17.5, 26.5}));
  EXPECT_TRUE(vague.bounds().contains({11.5, 22.5, 33.5}));
  EXPECT_FALSE(vague.bounds().contains({11.6, 22, 33}));
  EXPECT_EQ(vague.support_error(), 0.5);
}

TEST(CustomConvex, PlacedBoundsEncloseTheShapeAndItsSupportError) {
  auto random = seeded(61);
  for (std::size_t i = 0; i < cases(200); ++i) {
    const Vector3 size(uniform(random, 0, 2), uniform(random, 0, 2), uniform(random, 0, 2));
    const Vector3 center(uniform(random, -3, 3), uniform(random, -3, 3), uniform(random, -3, 3));
    const double error = uniform(random, 0, 0.1);
    const Shape shape = custom_box(size, center, error);
    const Vector3 axis = Vector3(uniform(random, -1, 1), uniform(random, -1, 1), uniform(random, 0.1, 1)).normalized();
    const Pose pose(Eigen::AngleAxisd(uniform(random, -3, 3), axis).toRotationMatrix(), Vector3(5, 6, 7));
    const Aabb bounds = shape.bounds(pose);
    for (int corner = 0; corner < 8; ++corner) {
      Vector3 local = center;
      for (int k = 0; k < 3; ++k)
        local[k] += (corner >> k & 1 ? 0.5 : -0.5) * size[k];
      const Vector3 point = place(pose, local);
      // The true shape may reach `error` beyond the function's points in every direction.
      for (int k = 0; k < 3; ++k) {
        EXPECT_LE(point[k] + error, bounds.upper[k] + 1e-14);
        EXPECT_GE(point[k] - error, bounds.lower[k] - 1e-14);
      }
    }
  }
}

TEST(CustomConvex, NeverHandsTheFunctionAZeroDirection) {
  const auto asked_with_zero = std::make_shared<bool>(false);
  const Shape shape = CustomConvex([=](const Vector3& d) {
    if (d.isZero(0)) *asked_with_zero = true;
    return Vector3(1, 2, 3);
  });
  EXPECT_EQ(shape.support(Vector3::Zero()), Vector3(1, 2, 3));
  EXPECT_FALSE(*asked_with_zero);
}

TEST(CustomConvex, IsAShapeWithSupportButWithoutVolume) {
  const Shape shape = custom_box({2, 2, 2}, {0, 0, 0});
  EXPECT_EQ(shape.kind(), ShapeKind::custom_convex);
  EXPECT_TRUE(shape.has_support());
  EXPECT_FALSE(shape.is_unbounded());
  EXPECT_EQ(shape.support({1, -1, 1}), Vector3(1, -1, 1));
  EXPECT_THROW(shape.volume(), Error);
  EXPECT_THROW(shape.centroid(), Error);
}

TEST(CustomConvex, CopiesShareOneFunction) {
  const auto calls = std::make_shared<int>(0);
  const CustomConvex shape([calls](const Vector3& d) {
    ++*calls;
    return d;
  });
  const long before = calls.use_count();
  const CustomConvex copy = shape;
  EXPECT_EQ(calls.use_count(), before) << "the function was copied";
  const int asked = *calls;
  copy.support({1, 0, 0});
  shape.support({1, 0, 0});
  EXPECT_EQ(*calls, asked + 2);
}

}  // namespace
}  // namespace whisker
