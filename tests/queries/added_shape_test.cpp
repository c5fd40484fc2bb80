// A shape that is not built in: a solid torus, which is not convex, with a closed form against spheres. This file has
// all of it: its data, its traits and its rows. Everything else must work with it as it is.

#include <cmath>
#include <memory>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/batch.hpp>
#include <whisker/contact_manifold.hpp>
#include <whisker/error.hpp>
#include <whisker/first_contact.hpp>
#include <whisker/make/make.hpp>
#include <whisker/make/rounded.hpp>
#include <whisker/queries.hpp>
#include <whisker/world.hpp>

#include "queries/pair_rows.hpp"
#include "shapes/kind_traits.hpp"
#include "support/cases.hpp"
#include "support/error_of.hpp"
#include "support/random_shapes.hpp"

// A namespace of its own: other tests of this module have tori and balls as well.
namespace whisker::added_shape {
namespace {

using test::cases;
using test::random_pose;
using test::seeded;
using test::uniform;

// A solid torus about the z axis: all points within `tube` of a circle of radius `ring` in the plane z = 0.
struct Torus : RegisteredShape::Data {
  Torus(double ring_, double tube_) : ring(ring_), tube(tube_) {}

  Aabb bounds(const Pose& pose) const override {
    Aabb box;
    for (int i = 0; i < 3; ++i) {
      const double reach = ring * std::hypot(pose.rotation()(i, 0), pose.rotation()(i, 1)) + tube;
      const double slack = 0x1p-48 * (reach + std::abs(pose.translation()[i]));
      box.lower[i] = pose.translation()[i] - reach - slack;
      box.upper[i] = pose.translation()[i] + reach + slack;
    }
    return box;
  }
  double volume() const override { return 2 * std::numbers::pi * std::numbers::pi * ring * tube * tube; }
  Vector3 centroid() const override { return Vector3::Zero(); }

  double ring, tube;
};

const Torus& torus_of(const Placed& placed) {
  return static_cast<const Torus&>(placed.shape.as<RegisteredShape>()->data());
}

Pose at(double x, double y, double z) {
  return {Matrix3::Identity(), Vector3(x, y, z)};
}

struct TorusSphere {
  static Distance distance(const Placed& a, const Placed& b, const DistanceOptions&) {
    const Torus& torus = torus_of(a);
    const double radius = b.shape.as<Sphere>()->radius;
    const Vector3 center = a.pose.rotation().transpose() * (b.pose.translation() - a.pose.translation());
    const double across = std::hypot(center[0], center[1]);
    const Vector3 outward = across > 0 ? Vector3(center[0] / across, center[1] / across, 0) : Vector3(Vector3::UnitX());
    const Vector3 on_ring = torus.ring * outward;
    const double apart = std::hypot(across - torus.ring, center[2]);
    const double gap = apart - torus.tube - radius;
    // Thirty roundings of the largest length, and the tolerance of the rotation.
    const double size =
        apart + torus.ring + torus.tube + radius + a.pose.translation().norm() + b.pose.translation().norm();
    const double error = 0x1p-48 * size + 2 * Pose::rotation_tolerance * (apart + torus.ring);
    Distance result;
    ++result.cost.primitive_tests;
    result.lower = std::max(0.0, gap - error);
    result.upper = std::max(0.0, gap + error);
    const Vector3 normal = a.pose.rotation() * (apart > 0 ? Vector3((center - on_ring) / apart) : outward);
    result.point_a = place(a.pose, on_ring) + normal * (gap > 0 ? torus.tube : std::max(0.0, apart - radius));
    result.point_b = gap > 0 ? Vector3(b.pose.translation() - normal * radius) : result.point_a;
    result.normal = normal;
    return result;
  }
  static bool touches(const Placed& a, const Placed& b, PairCache*, Cost& cost) {
    ++cost.primitive_tests;
    return !(distance(a, b, {}).lower > 0);
  }
  static void contacts(const Placed& a, const Placed& b, const ContactOptions& options, Contacts& result) {
    queries::contact_of_single_features<TorusSphere>(a, b, options, result);
  }
};

const ShapeKind torus_kind = [] {
  const ShapeKind kind = shapes::register_kind({.name = "torus", .has_inside = true});
  queries::register_pair<TorusSphere>(kind, ShapeKind::sphere);
  return kind;
}();

Shape torus(double ring, double tube) {
  return RegisteredShape(torus_kind, std::make_shared<Torus>(ring, tube));
}

// The distance of a solid torus and a ball, in long double, negative if they overlap.
double true_gap(double ring, double tube, const Pose& pose, const Vector3& center, double radius) {
  using Real = long double;
  Real own[3] = {};
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k)
      own[i] += Real(pose.rotation()(k, i)) * (Real(center[k]) - Real(pose.translation()[k]));
  const Real across = std::sqrt(own[0] * own[0] + own[1] * own[1]) - ring;
  return static_cast<double>(std::sqrt(across * across + own[2] * own[2]) - tube - radius);
}

TEST(AddedShape, IsAShape) {
  const Shape shape = torus(2, 0.5);
  EXPECT_EQ(name(shape.kind()), "torus");
  EXPECT_NEAR(shape.volume(), 2 * std::numbers::pi * std::numbers::pi * 0.5, 1e-12);
  EXPECT_EQ(shape.centroid(), Vector3::Zero());
  EXPECT_FALSE(shape.is_unbounded());
  EXPECT_FALSE(shape.has_support());
  EXPECT_NEAR(shape.bounds().upper[0], 2.5, 1e-12);
  EXPECT_NEAR(shape.bounds().upper[2], 0.5, 1e-12);
  EXPECT_EQ(shape.as<Sphere>(), nullptr);
  const Shape copy = shape;
  EXPECT_EQ(copy.kind(), shape.kind());
  EXPECT_TRUE(is_supported(Question::touches, torus_kind, ShapeKind::sphere));
  EXPECT_TRUE(is_supported(Question::distance, ShapeKind::sphere, torus_kind));
  EXPECT_FALSE(is_supported(Question::depth, torus_kind, ShapeKind::sphere));
  EXPECT_FALSE(is_supported(Question::touches, torus_kind, ShapeKind::box));
}

TEST(AddedShape, TouchesAndDistanceInBothOrders) {
  auto random = seeded(501);
  const double ring = 1, tube = 0.25;
  const Shape shape = torus(ring, tube);
  int touching = 0, in_the_hole = 0;
  for (std::size_t i = 0; i < cases(2000); ++i) {
    const Pose pose = random_pose(random, 1);
    const double radius = uniform(random, 0, 0.6);
    const Shape ball = Sphere{radius};
    const Pose at(Matrix3::Identity(),
                  pose.translation() + 2 * test::scenes::unit_vector(random) * uniform(random, 0, 1));
    const double gap = true_gap(ring, tube, pose, at.translation(), radius);
    if (std::abs(gap) < 1e-8) continue;
    const Placed a{shape, pose}, b{ball, at};
    EXPECT_EQ(touches(a, b), gap < 0);
    EXPECT_EQ(touches(b, a), gap < 0);
    touching += gap < 0;
    in_the_hole += gap > 0 && (at.translation() - pose.translation()).norm() < ring - tube;
    const Distance ab = distance(a, b), ba = distance(b, a);
    EXPECT_LE(ab.lower, std::max(gap, 0.0));
    EXPECT_GE(ab.upper, std::max(gap, 0.0));
    EXPECT_LT(ab.upper - ab.lower, 4.1 * Pose::rotation_tolerance * (ab.value() + tube + radius + ring));
    EXPECT_EQ(ba.lower, ab.lower);
    EXPECT_EQ(ba.upper, ab.upper);
    EXPECT_EQ(ba.point_a, ab.point_b);
    EXPECT_EQ(ba.point_b, ab.point_a);
    EXPECT_EQ(ba.normal, -ab.normal);
    EXPECT_LT(std::abs(true_gap(ring, tube, pose, ab.point_a, 0)), gap > 0 ? 1e-12 : tube + 1e-12);
    EXPECT_EQ(closer_than(a, b, 0.3), gap <= 0.3);
    EXPECT_EQ(contacts(b, a).pairs.size(), gap < 0 ? 1u : 0u);
  }
  EXPECT_GT(touching, 100);
  EXPECT_GT(in_the_hole, 10);
}

// Against a fine mesh, which knows nothing of the closed form.
TEST(AddedShape, IsAsFarAsItsMesh) {
  auto random = seeded(502);
  const double ring = 1, tube = 0.25;
  const Mesh mesh = Mesh(make::torus({.major = ring, .minor = tube, .around = 200, .across = 80})).solid();
  // By how much the chords of both circles are inside.
  const double off = 1.25 * (1 - std::cos(std::numbers::pi / 200)) + tube * (1 - std::cos(std::numbers::pi / 80));
  for (std::size_t i = 0; i < cases(100); ++i) {
    const Pose pose = random_pose(random, 1), at = random_pose(random, 2);
    const Shape ball = Sphere{0.1};
    const Distance expected = distance({mesh, pose}, {ball, at}),
                   found = distance({torus(ring, tube), pose}, {ball, at});
    EXPECT_NEAR(found.upper, expected.upper, off + 1e-9);
  }
}

TEST(AddedShape, WorksInAWorld) {
  auto random = seeded(503);
  World world;
  const Shape shape = torus(1, 0.3);
  struct Body {
    BodyId id;
    double radius;  // 0 for a torus
    Pose pose;
  };
  std::vector<Body> bodies;
  for (int i = 0; i < 150; ++i) {
    const bool is_torus = i % 5 == 0;
    // Tori do not meet each other: that pair has no row.
    const Pose at = is_torus ? Pose(random_pose(random, 0).rotation(), Vector3(3.0 * (i / 5), 0, 0))
                             : Pose(Matrix3::Identity(), Vector3(uniform(random, -2, 90), uniform(random, -1.5, 1.5),
                                                                 uniform(random, -1.5, 1.5)));
    const double radius = is_torus ? 0 : uniform(random, 0.05, 0.5);
    bodies.push_back({world.add(is_torus ? shape : Shape(Sphere{radius}), at), radius, at});
  }
  for (int step = 0; step < 3; ++step) {
    for (Body& body : bodies) {
      if (body.radius == 0) continue;
      body.pose = Pose(Matrix3::Identity(), body.pose.translation() + 0.2 * test::scenes::unit_vector(random));
      world.move(body.id, body.pose);
    }
    world.update();
    std::size_t expected = 0, found = 0;
    for (const Body& a : bodies) {
      if (a.radius != 0) continue;
      for (const Body& b : bodies)
        expected += b.radius != 0 && true_gap(1, 0.3, a.pose, b.pose.translation(), b.radius) < 0 ? 1u : 0u;
    }
    for (const WorldPair& pair : world.touching())
      found += world.shape(pair.a).kind() == torus_kind || world.shape(pair.b).kind() == torus_kind ? 1u : 0u;
    EXPECT_EQ(found, expected);
    EXPECT_GT(expected, 3u);
  }
}

TEST(AddedShape, WorksInACompound) {
  auto random = seeded(504);
  const double ring = 1, tube = 0.25;
  for (std::size_t i = 0; i < cases(200); ++i) {
    const Pose first = random_pose(random, 1), second = random_pose(random, 1), whole = random_pose(random, 1);
    const Compound links({{torus(ring, tube), first}, {torus(ring, tube), second}, {Sphere{0.2}, second}});
    EXPECT_NEAR(links.volume(), 4 * std::numbers::pi * std::numbers::pi * tube * tube + Shape(Sphere{0.2}).volume(),
                1e-9);
    const Shape ball = Sphere{0.15};
    const Pose at = random_pose(random, 2);
    const Distance found = distance({links, whole}, {ball, at});
    double gap = (place(whole, second.translation()) - at.translation()).norm() - 0.35;
    for (const Pose& part : {first, second})
      gap = std::min(gap, true_gap(ring, tube, compose(whole, part), at.translation(), 0.15));
    EXPECT_NEAR(found.upper, std::max(gap, 0.0), 1e-8);
    if (std::abs(gap) < 1e-8) continue;
    EXPECT_EQ(touches({links, whole}, {ball, at}), gap < 0);
    EXPECT_EQ(touches({ball, at}, {links, whole}), gap < 0);
    // A compound of balls against it.
    const Compound balls({{ball, Pose()}, {ball, Pose(Matrix3::Identity(), Vector3(50, 0, 0))}});
    EXPECT_EQ(touches({links, whole}, {balls, at}), gap < 0);
  }
}

TEST(AddedShape, MovesAndIsAskedInBatches) {
  const Shape shape = torus(1, 0.25), ball = Sphere{0.25};
  // Through the hole, and onto the ring.
  const Vector3 down(0, 0, -4);
  const MotionImpact through = first_contact({shape, Still{}}, {ball, Straight{at(0, 0, 2), down}});
  EXPECT_EQ(through.status, ImpactStatus::apart);
  const MotionImpact onto = first_contact({shape, Still{}}, {ball, Straight{at(1, 0, 2), down}}, {.tolerance = 1e-6});
  ASSERT_EQ(onto.status, ImpactStatus::touch);
  EXPECT_LE(onto.time_lower, 1.5 / 4);
  EXPECT_GE(onto.time_upper, 1.5 / 4);
  EXPECT_LT(onto.time_upper - onto.time_lower, 1e-5);
  EXPECT_TRUE(touches_during({shape, Still{}}, {ball, Straight{at(1, 0, 2), down}}));

  const std::vector<Pose> poses = {at(0, 0, 0), at(1, 0, 0), at(2, 0, 0)};
  bool touching[3];
  touches({shape, {}}, ball, poses, touching);
  EXPECT_FALSE(touching[0]);
  EXPECT_TRUE(touching[1]);
  EXPECT_FALSE(touching[2]);
}

TEST(AddedShape, CanBeRounded) {
  const Shape shape = torus(1, 0.25), thick = rounded(shape, 0.25), ball = Sphere{0.25};
  EXPECT_EQ(unrounded(thick)->shape.kind(), torus_kind);
  EXPECT_NEAR(distance(thick, {ball, at(0, 0, 0)}).upper, 0.25, 1e-8);
  EXPECT_NEAR(distance({ball, at(2, 0, 0)}, thick).upper, 0.25, 1e-8);
  EXPECT_TRUE(touches(thick, {ball, at(1.7, 0, 0)}));
  EXPECT_FALSE(touches(thick, {ball, at(1.8, 0, 0)}));
  EXPECT_EQ(contacts(thick, {ball, at(1.7, 0, 0)}).pairs.size(), 1u);
  const Depth out = depth(thick, {ball, at(1.7, 0, 0)});
  EXPECT_NEAR(out.lower, 0.05, 1e-8);
  EXPECT_NEAR(out.upper, 0.05, 1e-8);
  EXPECT_NE(test::error_of([&] { touches(thick, Box{}); }).find("a torus and a box"), std::string::npos);
  EXPECT_NE(test::error_of([&] { touches(shape, rounded(Box{}, 1)); }).find("a box and a torus"), std::string::npos);
  EXPECT_NE(test::error_of([&] {
              cast_ray({Vector3::Zero(), Vector3::UnitX()}, thick);
            }).find("rounded torus"),
            std::string::npos);
}

TEST(AddedShape, IsRefusedByNameWhereItHasNoRow) {
  const Shape shape = torus(1, 0.25);
  EXPECT_EQ(test::error_of([&] { touches(shape, Box{}); }),
            "touches: not supported between a torus and a box; is_supported() tells which pairs are supported");
  EXPECT_NE(test::error_of([&] { depth(shape, Sphere{1}); }).find("a torus and a sphere"), std::string::npos);
  EXPECT_NE(test::error_of([&] {
              cast_ray({Vector3::Zero(), Vector3::UnitX()}, shape);
            }).find("torus"),
            std::string::npos);
  EXPECT_NE(test::error_of([&] { contact_manifold(shape, Sphere{1}); }).find("torus"), std::string::npos);
  EXPECT_NE(test::error_of([&] {
              touches(Compound({{shape, {}}}), Box{});
            }).find("torus (a part of a compound)"),
            std::string::npos);
  EXPECT_THROW(shapes::register_kind({}), Error);
}

}  // namespace
}  // namespace whisker::added_shape
