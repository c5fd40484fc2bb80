// Sets of spheres against simple shapes and against each other: the truth with a hundred digits. Against all other
// shapes except meshes: the same query ball by ball.

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/error.hpp>
#include <whisker/make/make.hpp>
#include <whisker/spheres/sphere_set_queries.hpp>

#include "spheres/sphere_set_cases.hpp"
#include "support/reference_samples.hpp"

namespace whisker::test {
namespace {

/// A set whose first ball is the scene's, with others of its size around it.
SphereSet set_of(Random& random, const Scene& scene, std::size_t count) {
  const double radius = std::get<Sphere>(scene.a).radius;
  const double size = std::max(radius, scene.pose_a.translation().norm() * 0x1p-20);
  std::vector<Vector3> centers = {Vector3::Zero()};
  std::vector<double> radii = {radius};
  while (centers.size() < count) {
    centers.push_back(random_vector(random, 3 * size));
    radii.push_back(scenes::chance(random, 4) ? 0 : size * uniform(random, 0, 1));
  }
  return {centers, radii};
}

class SphereSetTruth : public testing::TestWithParam<std::size_t> {};

TEST_P(SphereSetTruth, IsWithinAllBounds) {
  Random random = seeded(7000 + GetParam());
  std::size_t touching = 0, apart = 0;
  for (std::size_t n = 0; n < cases(20 * family_count); ++n) {
    const Scene scene = make_scene(random, 0, GetParam(), static_cast<Family>(n % family_count));
    const SphereSet set = set_of(random, scene, 1 + random() % 5);
    const Shape other = make_shape(scene.b);
    const Placed a(other, scene.pose_b);
    const Placed b(set, scene.pose_a);
    const std::string which = describe(scene);
    std::vector<Interval> clear(set.size());
    clearances(a, {set, scene.pose_a}, clear);
    bool any = false;
    Real least = Real(1e300), uncertainty = 0;
    for (std::size_t i = 0; i < set.size(); ++i) {
      const Sphere ball{set.radius(i)};
      const Truth truth = truth_about(ball, Pose(place(scene.pose_a, set.center(i))), scene.b, scene.pose_b);
      any = any || truth.touching;
      least = std::min(least, truth.distance);
      uncertainty = std::max(uncertainty, truth.uncertainty);
      const Real gap = truth.distance - truth.depth;
      EXPECT_LE(Real(clear[i].lower), gap + truth.uncertainty) << which << i;
      EXPECT_GE(Real(clear[i].upper), gap - truth.uncertainty) << which << i;
      const double unit = spacing_of_doubles_at(truth.size);
      EXPECT_LE(Real(clear[i].upper) - Real(clear[i].lower), Real("1e-11") * abs(gap) + 64 * Real(unit)) << which << i;
    }
    if (any) {
      EXPECT_TRUE(touches(a, b)) << which;
    }
    ++(any ? touching : apart);
    const Distance found = distance(a, b);
    EXPECT_LE(Real(found.lower), least + uncertainty) << which;
    EXPECT_GE(Real(found.upper), least - uncertainty) << which;
    expect_as_one_by_one(a, set, scene.pose_a, which);
  }
  EXPECT_GT(touching, at_least(10));
  EXPECT_GT(apart, at_least(10));
}

INSTANTIATE_TEST_SUITE_P(SimpleShapes, SphereSetTruth, testing::Range(std::size_t{0}, simple_shape_count),
                         [](const auto& kind) { return std::string(simple_shape_name(kind.param)); });

HeightField some_terrain() {
  std::vector<double> heights;
  for (int j = 0; j < 12; ++j)
    for (int i = 0; i < 10; ++i)
      heights.push_back(0.2 * ((i * 7 + j * 5) % 4));
  return HeightField(heights, 10, 12, 0.3, 0.25);
}

std::vector<Shape> other_shapes() {
  const Mesh solid = Mesh(make::torus({.major = 1, .minor = 0.4, .around = 10, .across = 6})).solid();
  const ConvexHull hull(make::random_hull({.points = 30}).vertices);
  const Compound parts({{Box{Vector3(1, 1, 0.2)}, Pose(Vector3(0, 0, -0.5))},
                        {solid, Pose(Vector3(1, 0, 0))},
                        {Compound({{Capsule{0.2, 1}, Pose(Vector3(-1, 1, 0))}}), Pose(Vector3(0, 0, 0.5))}});
  const Compound on_ground({{HalfSpace{Vector3::UnitZ(), -1}, {}}, {Sphere{0.5}, Pose(Vector3(0, 0, 0.4))}});
  return {Cylinder{0.5, 1}, Cone{0.6, 1.5}, Ellipsoid{Vector3(0.4, 0.8, 1.1)}, hull, some_terrain(), parts, on_ground};
}

TEST(SphereSetShapes, AllOthersAnswerAsTheBallsDoOneByOne) {
  Random random = seeded(7100);
  for (const Shape& shape : other_shapes()) {
    for (std::size_t n = 0; n < cases(60); ++n) {
      const std::size_t count = n % 4 == 0 ? 70 : 1 + random() % 12;
      const SphereSet set = random_spheres(random, count, 0.5, n % 3 == 0 ? 0.02 : 0.2);
      const double spread = n % 5 == 0 ? 30 : 2;
      const Pose pose_a(scenes::any_rotation(random), random_vector(random, 1));
      const Pose pose_b(scenes::any_rotation(random), random_vector(random, spread));
      expect_as_one_by_one({shape, pose_a}, set, pose_b,
                           std::string(name(shape.kind())) + " case " + std::to_string(n));
    }
  }
}

TEST(SphereSetPairs, TheTruthIsWithinTheBounds) {
  Random random = seeded(7200);
  std::size_t touching = 0;
  for (std::size_t n = 0; n < cases(200); ++n) {
    const double scale = n % 10 == 0 ? 1e60 : n % 10 == 1 ? 1e-60 : 1;
    const SphereSet a = random_spheres(random, 1 + random() % 5, scale, 0.5 * scale);
    const SphereSet b = random_spheres(random, 1 + random() % 5, scale, 0.5 * scale);
    const double away = n % 7 == 0 ? 1e12 : 0;
    const Pose pose_a(scenes::any_rotation(random), scale * (Vector3(away, 0, 0) + random_vector(random, 1)));
    const Pose pose_b(scenes::any_rotation(random), scale * (Vector3(away, 0, 0) + random_vector(random, 1)));
    const Distance found = distance(Placed(a, pose_a), {b, pose_b});
    bool any = false;
    Real least = Real("1e300");
    Distance best;
    best.upper = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < b.size(); ++i) {
      for (std::size_t j = 0; j < a.size(); ++j) {
        const OneBall ball_a(a, pose_a, j), ball_b(b, pose_b, i);
        const Truth truth = truth_about(ball_a.sphere, ball_a.pose, ball_b.sphere, ball_b.pose);
        least = std::min(least, truth.distance);
        any = any || truth.touching;
        const Distance alone = distance({ball_a.sphere, ball_a.pose}, {ball_b.sphere, ball_b.pose});
        if (alone.upper < best.upper) {
          best = alone;
          best.feature_a = {0, FeatureKind::sphere, static_cast<std::uint32_t>(j)};
          best.feature_b = {0, FeatureKind::sphere, static_cast<std::uint32_t>(i)};
        }
      }
    }
    touching += any;
    EXPECT_EQ(touches(Placed(a, pose_a), Placed(b, pose_b)), any) << n;
    EXPECT_LE(Real(found.lower), least * (1 + Real("1e-90"))) << n;
    EXPECT_GE(Real(found.upper), least * (1 - Real("1e-90"))) << n;
    EXPECT_EQ(found.upper, best.upper) << n;
    EXPECT_EQ(found.feature_b, best.feature_b) << n;
    EXPECT_EQ(found.feature_a, best.feature_a) << n;
  }
  EXPECT_GT(touching, at_least(20));
}

TEST(SphereSetPairs, LargeSetsAnswerAsAllPairsDo) {
  Random random = seeded(7300);
  std::size_t touching = 0;
  for (std::size_t n = 0; n < cases(40); ++n) {
    const SphereSet a = random_spheres(random, 150, 1, 0.1), b = random_spheres(random, 100, 1, 0.1);
    const Pose pose_b(scenes::any_rotation(random), random_vector(random, 2.2));
    bool any = false;
    double least = std::numeric_limits<double>::infinity();
    std::uint32_t sphere = 0, other = 0;
    for (std::uint32_t i = 0; i < b.size(); ++i) {
      for (std::uint32_t j = 0; j < a.size(); ++j) {
        const OneBall ball_a(a, {}, j), ball_b(b, pose_b, i);
        any = any || touches(Placed(ball_a.sphere, ball_a.pose), Placed(ball_b.sphere, ball_b.pose));
        const Distance alone = distance(Placed(ball_a.sphere, ball_a.pose), Placed(ball_b.sphere, ball_b.pose));
        if (alone.upper < least) least = alone.upper, sphere = i, other = j;
      }
    }
    touching += any;
    const Distance found = distance(Placed(a), Placed(b, pose_b));
    EXPECT_EQ(touches(Placed(a), Placed(b, pose_b)), any) << n;
    EXPECT_EQ(found.upper, least) << n;
    EXPECT_EQ(found.feature_b, (Feature{0, FeatureKind::sphere, sphere})) << n;
    EXPECT_EQ(found.feature_a, (Feature{0, FeatureKind::sphere, other})) << n;
    if (least > 0) {
      const Distance bounded = distance(Placed(a), {b, pose_b}, {.upper_bound = least / 2});
      EXPECT_EQ(bounded.feature_a, Feature{});
      EXPECT_EQ(bounded.feature_b, Feature{});
      EXPECT_GT(bounded.lower, least / 2);
    }
  }
  EXPECT_GT(touching, 0u);
  EXPECT_LT(touching, cases(40));
}

TEST(SphereSetPairs, BallsThatTouchInOnePointTouch) {
  const SphereSet a(std::vector<Vector3>{{0, 0, 0}}, std::vector<double>{1});
  EXPECT_TRUE(touches(Placed(a), Placed(a, Pose(Vector3(2, 0, 0)))));
  EXPECT_FALSE(touches(Placed(a), Placed(a, Pose(Vector3(std::nextafter(2.0, 3), 0, 0)))));
}

TEST(SphereSetShapes, BadInputIsAnError) {
  const SphereSet set(std::vector<Vector3>{{0, 0, 0}}, std::vector<double>{1});
  const Shape box = Box{Vector3(1, 1, 1)};
  EXPECT_THROW(distance(box, Placed(set), {.upper_bound = -1}), Error);
  EXPECT_THROW(distance(box, Placed(set), {.upper_bound = std::nan("")}), Error);
  std::vector<Interval> two(2);
  EXPECT_THROW(clearances(box, set, two), Error);
  EXPECT_THROW(clearances(set, box, two), Error);
  EXPECT_THROW(first_touching(set, box), Error);
}

}  // namespace
}  // namespace whisker::test
