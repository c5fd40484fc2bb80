// touches between every pair of simple shapes, against the reference; and refused input.

#include <cmath>
#include <functional>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/error.hpp>
#include <whisker/queries.hpp>

#include "geometry/constants.hpp"
#include "support/reference_samples.hpp"

namespace whisker::test {
namespace {

class TouchOfSimplePair : public testing::TestWithParam<KindPair> {};

INSTANTIATE_TEST_SUITE_P(All, TouchOfSimplePair, testing::ValuesIn(all_kind_pairs()), kind_pair_name);

TEST_P(TouchOfSimplePair, IsTrueWhereTheyShareAPoint) {
  check_all(GetParam(), [](const View& view, std::ostream& wrong) {
    if (view.truth.touching && !touches(view.a, view.b)) {
      wrong << "they share a point (depth " << digits(view.truth.depth) << ")";
    }
  });
}

TEST_P(TouchOfSimplePair, IsFalseWhereTheyAreApartByMoreThanRounding) {
  check_all(GetParam(), [](const View& view, std::ostream& wrong) {
    if (view.truth.distance > Real("1e-12") * Real(view.truth.size) && touches(view.a, view.b)) {
      wrong << "they are " << digits(view.truth.distance) << " apart";
    }
  });
}

TEST_P(TouchOfSimplePair, IsTheSameInEitherOrderAndWithACost) {
  check_all(GetParam(), [](const View& view, std::ostream& wrong) {
    const bool there = touches(view.a, view.b);
    Cost cost;
    if (there != touches(view.b, view.a)) wrong << "the orders differ";
    if (there != touches(view.a, view.b, &cost)) wrong << "the cost changes the answer";
  });
}

class ExactTouchOfSimplePair : public testing::TestWithParam<KindPair> {};

INSTANTIATE_TEST_SUITE_P(SegmentsAndTriangles, ExactTouchOfSimplePair,
                         testing::Values(KindPair{5, 5}, KindPair{5, 6}, KindPair{6, 6}), kind_pair_name);

TEST_P(ExactTouchOfSimplePair, IsTrueIfAndOnlyIfThePlacedSetsShareAPoint) {
  check_all(GetParam(), [](const View& view, std::ostream& wrong) {
    if (view.truth.touching != touches(view.a, view.b)) {
      wrong << "touching is " << view.truth.touching << ", distance " << digits(view.truth.distance);
    }
  });
}

TEST(SimplePairs, AreAllSupported) {
  for (std::size_t a = 0; a < simple_shape_count; ++a) {
    for (std::size_t b = 0; b < simple_shape_count; ++b) {
      for (const Question question : {Question::touches, Question::distance, Question::depth}) {
        EXPECT_TRUE(is_supported(question, static_cast<ShapeKind>(a), static_cast<ShapeKind>(b)))
            << simple_shape_name(a) << " " << simple_shape_name(b);
      }
    }
  }
}

TEST(SimplePairs, KindsAreInTheOrderOfTheReference) {
  std::mt19937_64 random = seeded(311);
  for (std::size_t kind = 0; kind < simple_shape_count; ++kind) {
    const Shape shape = make_shape(scenes::random_shape(random, kind));
    EXPECT_EQ(static_cast<std::size_t>(shape.kind()), kind);
  }
}

// ---- refused input

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// Expects an Error with a message, and nothing else.
void expect_refused(const SimpleShape& shape) {
  Scene scene;
  scene.a = shape;
  try {
    make_shape(shape);
    ADD_FAILURE() << "accepted: " << describe(scene);
  } catch (const Error& error) {
    EXPECT_FALSE(std::string(error.what()).empty());
  }
}

TEST(SimpleShapeInput, LengthsThatAreNegativeNotFiniteOrTooLargeAreRefused) {
  for (const double bad : {not_a_number, infinity, -infinity, -1.0, -1e-300, std::nextafter(1e90, infinity), 1e300}) {
    expect_refused(Sphere{bad});
    expect_refused(Capsule{bad, 1});
    expect_refused(Capsule{1, bad});
    for (int axis = 0; axis < 3; ++axis) {
      Vector3 size(1, 1, 1);
      size[axis] = bad;
      expect_refused(Box{size});
    }
  }
}

TEST(SimpleShapeInput, CoordinatesThatAreNotFiniteOrTooLargeAreRefused) {
  for (const double bad : {not_a_number, infinity, -infinity, std::nextafter(1e90, infinity), -1e91}) {
    for (int axis = 0; axis < 3; ++axis) {
      Vector3 point(1, 2, 3);
      point[axis] = bad;
      const Vector3 good(4, 5, 6);
      expect_refused(Segment{point, good});
      expect_refused(Segment{good, point});
      expect_refused(Triangle{point, good, Vector3::Zero()});
      expect_refused(Triangle{good, point, Vector3::Zero()});
      expect_refused(Triangle{good, Vector3::Zero(), point});
    }
  }
}

TEST(SimpleShapeInput, NormalsThatAreZeroOrNotFiniteAndOffsetsThatAreNotFiniteAreRefused) {
  expect_refused(HalfSpace{Vector3::Zero(), 1});
  expect_refused(Plane{Vector3::Zero(), 1});
  for (const double bad : {not_a_number, infinity, -infinity}) {
    expect_refused(HalfSpace{Vector3::UnitX(), bad});
    expect_refused(Plane{Vector3::UnitX(), bad});
    for (int axis = 0; axis < 3; ++axis) {
      Vector3 normal(1, 2, 3);
      normal[axis] = bad;
      expect_refused(HalfSpace{normal, 1});
      expect_refused(Plane{normal, 1});
    }
  }
}

TEST(SimpleShapeInput, ZeroAndTheLargestLengthAreAccepted) {
  for (const double good : {0.0, 5e-324, 1e90}) {
    EXPECT_NO_THROW(make_shape(Sphere{good}));
    EXPECT_NO_THROW(make_shape(Capsule{good, good}));
    EXPECT_NO_THROW(make_shape(Box{Vector3(good, good, good)}));
    EXPECT_NO_THROW(make_shape(Segment{Vector3(-good, good, good), Vector3(good, good, good)}));
    EXPECT_NO_THROW(make_shape(Triangle{Vector3(-good, good, good), Vector3(good, good, good), Vector3::Zero()}));
  }
}

}  // namespace
}  // namespace whisker::test
