// The pairs of shapes that the queries support: is_supported agrees with what happens.

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include <whisker/contact_manifold.hpp>
#include <whisker/error.hpp>
#include <whisker/first_contact.hpp>
#include <whisker/make/ground.hpp>
#include <whisker/make/make.hpp>
#include <whisker/make/rounded.hpp>
#include <whisker/queries.hpp>
#include <whisker/spheres/sphere_tree.hpp>

namespace whisker {
namespace {

/// One shape of every kind, in the order of ShapeKind.
const std::vector<Shape>& one_of_each() {
  static const std::vector<Vector3> corners = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  static const std::vector<double> heights = {0, 0.1, 0.2, 0.3};
  static const std::vector<Shape> shapes = {
      Sphere{0.5},
      Capsule{0.2, 1},
      Box{Vector3(1, 2, 3)},
      HalfSpace{Vector3(0, 0, 1), 0.25},
      Plane{Vector3(1, 2, 2), 0.5},
      Segment{{0, 0, 0}, {1, 1, 1}},
      Triangle{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
      Cylinder{0.5, 1},
      Cone{0.5, 1},
      Ellipsoid{Vector3(0.5, 0.6, 0.7)},
      ConvexHull(corners),
      CustomConvex([](const Vector3& d) { return d.normalized(); }),
      Mesh(make::box()).solid(),
      HeightField(heights, 2, 2, 1, 1),
      Compound({{Sphere{0.5}, Pose()}}),
      SphereSet(std::vector<Vector3>{{0, 0, 0}, {0.4, 0, 0}}, std::vector<double>{0.5, 0.25}),
      SphereBody(build_sphere_tree(Mesh(make::box()), {.depth = 1}), Mesh(make::box()).solid()),
  };
  return shapes;
}

constexpr Question questions[] = {Question::touches, Question::distance, Question::depth, Question::signed_distance};

const char* word(Question question) {
  return question == Question::touches    ? "touches"
         : question == Question::distance ? "distance"
         : question == Question::depth    ? "depth"
                                          : "signed_distance";
}

ShapeKind kind(std::size_t i) {
  return static_cast<ShapeKind>(i);
}

/// Runs a query and checks that it returns an answer.
void ask(Question question, const Placed& a, const Placed& b) {
  switch (question) {
    case Question::touches:
      touches(a, b);
      return;
    case Question::distance: {
      const Distance found = distance(a, b);
      EXPECT_GE(found.lower, 0);
      EXPECT_LE(found.lower, found.upper);
      EXPECT_TRUE(std::isfinite(found.upper));
      return;
    }
    case Question::depth: {
      const Depth found = depth(a, b);
      EXPECT_GE(found.lower, 0);
      EXPECT_LE(found.lower, found.upper);
      return;
    }
    case Question::signed_distance: {
      const Distance found = signed_distance(a, b);
      EXPECT_LE(found.lower, found.upper);
      EXPECT_LT(found.upper, std::numeric_limits<double>::infinity());
      return;
    }
  }
}

TEST(Dispatch, TheListHasOneShapeOfEveryKind) {
  ASSERT_EQ(one_of_each().size(), shape_kind_count);
  for (std::size_t i = 0; i < shape_kind_count; ++i)
    EXPECT_EQ(one_of_each()[i].kind(), kind(i));
}

TEST(Dispatch, IsSupportedIsSymmetric) {
  for (const Question question : questions) {
    for (std::size_t i = 0; i < shape_kind_count; ++i) {
      for (std::size_t j = 0; j < shape_kind_count; ++j) {
        EXPECT_EQ(is_supported(question, kind(i), kind(j)), is_supported(question, kind(j), kind(i)))
            << word(question) << " " << name(kind(i)) << " " << name(kind(j));
      }
    }
  }
}

TEST(Dispatch, EveryPairIsSupportedButTheDepthOfHeightFields) {
  for (const Question question : questions) {
    for (std::size_t i = 0; i < shape_kind_count; ++i) {
      for (std::size_t j = 0; j < shape_kind_count; ++j) {
        const bool is_land = kind(i) == ShapeKind::height_field || kind(j) == ShapeKind::height_field;
        EXPECT_EQ(is_supported(question, kind(i), kind(j)),
                  !((question == Question::depth || question == Question::signed_distance) && is_land))
            << word(question) << " " << name(kind(i)) << " " << name(kind(j));
      }
    }
  }
}

TEST(Dispatch, EveryPairEitherAnswersOrRefusesByName) {
  std::vector<Pose> poses = {Pose(), Pose(Vector3(0.1, 0.2, 0.3)), Pose(Vector3(50, 60, 70))};
  poses.emplace_back(Eigen::AngleAxisd(1, Vector3(1, 2, 3).normalized()).toRotationMatrix(), Vector3(0.4, 0.1, -0.2));
  std::size_t answered = 0, refused = 0;
  for (const Question question : questions) {
    for (std::size_t i = 0; i < shape_kind_count; ++i) {
      for (std::size_t j = 0; j < shape_kind_count; ++j) {
        for (const Pose& pose : poses) {
          const std::string pair =
              std::string(word(question)) + " " + std::string(name(kind(i))) + " " + std::string(name(kind(j)));
          const Shape& a = one_of_each()[i];
          const Shape& b = one_of_each()[j];
          try {
            ask(question, a, {b, pose});
            EXPECT_TRUE(is_supported(question, kind(i), kind(j))) << pair << " answers though it is not supported";
            ++answered;
          } catch (const Error& error) {
            const std::string message = error.what();
            EXPECT_FALSE(is_supported(question, kind(i), kind(j))) << pair << " is supported but says: " << message;
            EXPECT_NE(message.find(word(question)), std::string::npos) << message;
            EXPECT_NE(message.find(name(kind(i))), std::string::npos) << message;
            EXPECT_NE(message.find(name(kind(j))), std::string::npos) << message;
            ++refused;
          }
        }
      }
    }
  }
  EXPECT_EQ(answered + refused, std::size(questions) * shape_kind_count * shape_kind_count * poses.size());
}

TEST(Dispatch, GroundsAndRoundedShapesAnswerWithEveryKind) {
  const HeightField field = *one_of_each()[13].as<HeightField>();
  const std::vector<Shape> made = {
      ground(field),       rounded(ground(field), 0.1),     rounded(Plane{Vector3(0, 1, 1), 0.2}, 0.1),
      rounded(field, 0.1), rounded(Mesh(make::box()), 0.1), rounded(Box{{1, 2, 3}}, 0.1)};
  std::vector<Shape> all = one_of_each();
  all.insert(all.end(), made.begin(), made.end());
  std::vector<Pose> poses = {Pose(), Pose(Vector3(0.1, 0.2, 0.3)), Pose(Vector3(50, 60, 70))};
  poses.emplace_back(Eigen::AngleAxisd(1, Vector3(1, 2, 3).normalized()).toRotationMatrix(), Vector3(0.4, 0.1, -0.2));
  const auto is_refused = [](Question question, const Shape& a, const Shape& b) {
    // A height field with a radius is a shell, so the pair has a depth. Without one it is refused, except by a shell.
    const bool needs_inside = question == Question::depth || question == Question::signed_distance;
    const auto is_field = [](const Shape& s) { return s.kind() == ShapeKind::height_field; };
    const auto has_radius = [](const Shape& s) { return unrounded(s).has_value(); };
    return needs_inside && (is_field(a) || is_field(b)) && !has_radius(a) && !has_radius(b);
  };
  for (const Shape& a : made) {
    for (const Shape& b : all) {
      for (const Pose& pose : poses) {
        // A ball by its support function, about a corner of a triangle: seconds, and no other algorithm.
        if (b.kind() == ShapeKind::custom_convex && &pose == &poses[0]) continue;
        const std::string pair = std::string(name(a.kind())) + " and " + std::string(name(b.kind()));
        for (const Question question : questions) {
          const bool refused = is_refused(question, a, b);
          EXPECT_EQ(is_supported(question, a.kind(), b.kind()), !refused) << word(question) << " " << pair;
          EXPECT_EQ(is_supported(question, b.kind(), a.kind()), !refused) << word(question) << " " << pair;
          if (refused) {
            EXPECT_THROW(ask(question, a, {b, pose}), Error) << word(question) << " " << pair;
            continue;
          }
          EXPECT_NO_THROW(ask(question, a, {b, pose})) << word(question) << " " << pair;
          EXPECT_NO_THROW(ask(question, {b, pose}, a)) << word(question) << " " << pair;
        }
        EXPECT_EQ(contacts(a, {b, pose}).pairs.empty(), !touches(a, {b, pose})) << pair;
        EXPECT_EQ(touches({b, pose}, a), touches(a, {b, pose})) << pair;
        EXPECT_NO_THROW(contacts(a, {b, pose}, {.normals = true, .margin = 0.1})) << pair;
        const MotionImpact impact = first_contact({a, Still{}}, {b, Straight{pose, Vector3(-1, -2, -1)}});
        EXPECT_EQ(impact.status == ImpactStatus::touching_at_start, touches(a, {b, pose})) << pair;
        EXPECT_EQ(touches_during({a, Still{}}, {b, Straight{pose, Vector3(-1, -2, -1)}}),
                  impact.status != ImpactStatus::apart)
            << pair;
        if (a.is_unbounded() && b.is_unbounded()) {
          EXPECT_THROW(contact_manifolds(a, {b, pose}), Error) << pair;
        } else {
          const std::vector<ContactManifold> places = contact_manifolds(a, {b, pose});
          EXPECT_EQ(places.empty(), !touches(a, {b, pose})) << pair;
          EXPECT_EQ(contact_manifolds({b, pose}, a).size(), places.size()) << pair;
        }
      }
    }
  }
}

TEST(Dispatch, TheRefusalNamesTheKindsInTheOrderAsked) {
  const auto message_of = [](std::size_t i, std::size_t j) {
    try {
      depth(one_of_each()[i], one_of_each()[j]);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no refusal");
  };
  const std::string message = message_of(13, 14), reversed = message_of(14, 13);
  EXPECT_LT(message.find("height field"), message.find("compound")) << message;
  EXPECT_LT(reversed.find("compound"), reversed.find("height field")) << reversed;
}

TEST(Dispatch, EveryKindHasItsOwnName) {
  for (std::size_t i = 0; i < shape_kind_count; ++i) {
    EXPECT_FALSE(name(kind(i)).empty());
    for (std::size_t j = 0; j < i; ++j)
      EXPECT_NE(name(kind(i)), name(kind(j)));
  }
}

TEST(Dispatch, ABadToleranceIsRefused) {
  for (const double bad : {-1e-300, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THROW(distance(one_of_each()[0], one_of_each()[12], {.tolerance = bad}), Error) << bad;
    EXPECT_THROW(distance(one_of_each()[0], one_of_each()[0], {.tolerance = bad}), Error) << bad;
  }
}

TEST(Dispatch, AnInfiniteToleranceStillGivesBoundsThatContainTheTruth) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Shape mesh = Mesh(make::box());
  for (const double tolerance : {infinity, 1e308, 1e90}) {
    const Distance apart = distance(mesh, {mesh, Pose(Vector3(3, 0, 0))}, {.tolerance = tolerance});
    EXPECT_LE(apart.lower, 2) << tolerance;
    EXPECT_GE(apart.upper, 2) << tolerance;
    EXPECT_TRUE(std::isfinite(apart.upper)) << tolerance;
  }
}

}  // namespace
}  // namespace whisker
