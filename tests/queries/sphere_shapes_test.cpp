// Sphere sets and sphere bodies as shapes like any other: in every query, in a World and in a Compound. A set answers
// as a compound of its balls, a body as its mesh.

#include <cmath>
#include <numbers>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/batch.hpp>
#include <whisker/contact_manifold.hpp>
#include <whisker/error.hpp>
#include <whisker/first_contact.hpp>
#include <whisker/make/make.hpp>
#include <whisker/queries.hpp>
#include <whisker/spheres/sphere_contacts.hpp>
#include <whisker/spheres/sphere_query.hpp>
#include <whisker/spheres/sphere_set_queries.hpp>
#include <whisker/spheres/sphere_tree.hpp>
#include <whisker/world.hpp>

#include "support/cases.hpp"
#include "support/error_of.hpp"
#include "support/random_shapes.hpp"

// A namespace of its own: other tests of this module have tori and balls as well.
namespace whisker::sphere_shapes {
namespace {

using test::cases;
using test::random_pose;
using test::seeded;
using test::uniform;

struct Balls {
  SphereSet set;
  Compound compound;
};

Balls random_balls(std::mt19937_64& random, std::size_t count) {
  std::vector<Vector3> centers;
  std::vector<double> radii;
  std::vector<CompoundPart> parts;
  for (std::size_t i = 0; i < count; ++i) {
    centers.emplace_back(uniform(random, -1, 1), uniform(random, -1, 1), uniform(random, -1, 1));
    radii.push_back(uniform(random, 0.05, 0.4));
    parts.push_back({Sphere{radii.back()}, Pose(centers.back())});
  }
  return {SphereSet(centers, radii), Compound(parts)};
}

const Mesh& solid_torus() {
  static const Mesh mesh = Mesh(make::torus({.around = 24, .across = 12})).solid();
  return mesh;
}

const SphereBody& torus_body() {
  static const SphereBody body(build_sphere_tree(solid_torus(), {.depth = 2}), solid_torus());
  return body;
}

std::vector<Shape> other_shapes(std::mt19937_64& random) {
  const Balls balls = random_balls(random, 3);
  return {Sphere{0.4},
          Capsule{0.2, 1},
          Box{Vector3(0.5, 0.6, 0.7)},
          Cylinder{0.3, 0.8},
          HalfSpace{Vector3(0, 0, 1), -1},
          Mesh(make::icosphere({.radius = 0.7, .subdivisions = 2})).solid(),
          Compound({{Box{}, Pose()}, {Sphere{0.5}, Pose(Vector3(1, 0, 0))}}),
          balls.set,
          torus_body()};
}

bool overlap(const Distance& a, const Distance& b, double slack) {
  return a.lower <= b.upper + slack && b.lower <= a.upper + slack;
}

TEST(SphereShapes, AreShapesWithBoundsVolumeAndCentroid) {
  auto random = seeded(601);
  for (std::size_t n = 0; n < cases(50); ++n) {
    const Balls balls = random_balls(random, 1 + n % 70);
    const Shape set = balls.set, parts = balls.compound;
    const Pose pose = random_pose(random, 3);
    for (const auto& [found, expected] :
         {std::pair(set.bounds(), parts.bounds()), std::pair(set.bounds(pose), parts.bounds(pose))}) {
      EXPECT_LT((found.lower - expected.lower).cwiseAbs().maxCoeff(), 1e-12);
      EXPECT_LT((found.upper - expected.upper).cwiseAbs().maxCoeff(), 1e-12);
    }
    EXPECT_NEAR(set.volume(), parts.volume(), 1e-12 * parts.volume());
    EXPECT_LT((set.centroid() - parts.centroid()).norm(), 1e-12);
    EXPECT_EQ(set.as<SphereSet>()->size(), balls.set.size());
  }
  const Shape points = SphereSet(std::vector<Vector3>{{0, 0, 0}, {2, 0, 0}}, std::vector<double>{0, 0});
  EXPECT_EQ(points.volume(), 0);
  EXPECT_LT((points.centroid() - Vector3(1, 0, 0)).norm(), 1e-15);
  const Shape body = torus_body(), mesh = solid_torus();
  const Pose pose = random_pose(random, 3);
  EXPECT_EQ(body.bounds(pose).lower, mesh.bounds(pose).lower);
  EXPECT_EQ(body.bounds(pose).upper, mesh.bounds(pose).upper);
  EXPECT_EQ(body.volume(), mesh.volume());
  EXPECT_EQ(body.centroid(), mesh.centroid());
}

TEST(SphereShapes, ASetAnswersAsACompoundOfItsBallsInBothOrders) {
  auto random = seeded(602);
  for (std::size_t n = 0; n < cases(60); ++n) {
    const Balls balls = random_balls(random, 1 + n % 12);
    const Pose pose_a = random_pose(random, 1.5), pose_b = random_pose(random, 1.5);
    for (const Shape& other : other_shapes(random)) {
      const std::string which = std::string(name(other.kind())) + " " + std::to_string(n);
      const Placed a(other, pose_a), set(balls.set, pose_b), parts(balls.compound, pose_b);
      EXPECT_EQ(touches(a, set), touches(a, parts)) << which;
      EXPECT_EQ(touches(set, a), touches(a, set)) << which;
      const Distance found = distance(a, set), flipped = distance(set, a), expected = distance(a, parts);
      EXPECT_TRUE(overlap(found, expected, 1e-12)) << which;
      EXPECT_EQ(found.feature_b.kind, FeatureKind::sphere) << which;
      EXPECT_EQ(flipped.lower, found.lower) << which;
      EXPECT_EQ(flipped.upper, found.upper) << which;
      if (other.as<SphereSet>() == nullptr) {
        EXPECT_EQ(flipped.feature_a, found.feature_b) << which;
        EXPECT_EQ(flipped.point_a, found.point_b) << which;
        EXPECT_EQ(flipped.normal, -found.normal) << which;
      }
      EXPECT_EQ(closer_than(a, set, 0.2), closer_than(a, parts, 0.2)) << which;
      // Balls that touch, each once per feature of the other shape.
      const Contacts contacts_of_set = contacts(a, set), contacts_of_parts = contacts(a, parts);
      ASSERT_EQ(contacts_of_set.pairs.size(), contacts_of_parts.pairs.size()) << which;
      std::size_t sum_set = 0, sum_parts = 0;
      for (std::size_t i = 0; i < contacts_of_set.pairs.size(); ++i) {
        EXPECT_EQ(contacts_of_set.pairs[i].b.kind, FeatureKind::sphere) << which;
        sum_set += contacts_of_set.pairs[i].b.id;
        sum_parts += contacts_of_parts.pairs[i].b.part;
      }
      EXPECT_EQ(sum_set, sum_parts) << which;
      EXPECT_LE(contacts(set, a, {.max_count = 1}).pairs.size(), 1u) << which;
      if (n % 10 != 0) continue;
      const Depth deep = depth(a, set), deep_parts = depth(a, parts);
      EXPECT_LE(deep.lower, deep_parts.upper + 1e-9) << which;
      EXPECT_LE(deep_parts.lower, deep.upper + 1e-9) << which;
      EXPECT_EQ(deep.upper > 0, deep_parts.upper > 0) << which;
    }
  }
}

TEST(SphereShapes, ABodyAnswersAsItsMesh) {
  auto random = seeded(603);
  for (std::size_t n = 0; n < cases(40); ++n) {
    const Pose pose_a = random_pose(random, 1.2), pose_b = random_pose(random, 0.5);
    for (const Shape& other : other_shapes(random)) {
      const std::string which = std::string(name(other.kind())) + " " + std::to_string(n);
      const Placed a(other, pose_a), body(torus_body(), pose_b), mesh(solid_torus(), pose_b);
      EXPECT_EQ(touches(a, body), touches(a, mesh)) << which;
      EXPECT_EQ(touches(body, a), touches(a, mesh)) << which;
      EXPECT_TRUE(overlap(distance(a, body), distance(a, mesh), 1e-9)) << which;
      EXPECT_TRUE(overlap(distance(body, a), distance(a, mesh), 1e-9)) << which;
      const Distance rough = distance(a, body, {.budget = 50});
      EXPECT_TRUE(overlap(rough, distance(a, mesh), 1e-9)) << which;
      EXPECT_EQ(contacts(a, body).pairs.size(), contacts(a, mesh).pairs.size()) << which;
      if (n % 10 == 0) {
        EXPECT_EQ(depth(a, body).upper, depth(a, mesh).upper) << which;
      }
    }
  }
}

TEST(SphereShapes, RaysHitTheFirstBallAndTheSolid) {
  auto random = seeded(604);
  std::size_t hits = 0;
  for (std::size_t n = 0; n < cases(300); ++n) {
    const Balls balls = random_balls(random, 8);
    const Pose pose = random_pose(random, 1);
    const Vector3 from = pose.translation() + 3 * test::scenes::unit_vector(random);
    const Ray ray{from, pose.translation() + test::scenes::unit_vector(random) - from};
    const auto found = cast_ray(ray, {balls.set, pose}), expected = cast_ray(ray, {balls.compound, pose});
    ASSERT_EQ(found.has_value(), expected.has_value());
    if (found) {
      ++hits;
      EXPECT_NEAR(found->t, expected->t, 1e-12);
      EXPECT_LT((found->normal - expected->normal).norm(), 1e-9);
    }
    const auto of_body = cast_ray(ray, {torus_body(), pose}), of_mesh = cast_ray(ray, {solid_torus(), pose});
    ASSERT_EQ(of_body.has_value(), of_mesh.has_value());
    if (of_body) {
      EXPECT_EQ(of_body->t, of_mesh->t);
    }
  }
  EXPECT_GT(hits, cases(300) / 10);
}

TEST(SphereShapes, LiveInAWorldAndInACompound) {
  auto random = seeded(605);
  for (std::size_t n = 0; n < cases(5); ++n) {
    World world;
    std::vector<std::pair<Shape, Pose>> bodies;
    const auto add = [&](const Shape& shape) {
      bodies.emplace_back(shape, random_pose(random, 4));
      world.add(bodies.back().first, bodies.back().second);
    };
    for (int i = 0; i < 12; ++i) {
      const Balls balls = random_balls(random, 6);
      add(balls.set);
      add(Compound({{balls.set, random_pose(random, 1)}, {torus_body(), Pose(Vector3(1, 0, 0))}, {Box{}, Pose()}}));
      add(torus_body());
      add(Box{Vector3(0.5, 0.5, 0.5)});
      add(solid_torus());
    }
    world.update();
    std::size_t expected = 0;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j)
        expected += touches({bodies[i].first, bodies[i].second}, {bodies[j].first, bodies[j].second}) ? 1u : 0u;
    }
    EXPECT_EQ(world.touching().size(), expected);
    EXPECT_GT(expected, 10u);
  }
}

TEST(SphereShapes, APartOfACompoundAnswersAsItDoesAlone) {
  auto random = seeded(606);
  for (std::size_t n = 0; n < cases(40); ++n) {
    const Balls balls = random_balls(random, 5);
    const Pose part = random_pose(random, 1), whole = random_pose(random, 1), other = random_pose(random, 1);
    const Shape box = Box{Vector3(0.4, 0.5, 0.6)};
    for (const Shape& shape : {Shape(balls.set), Shape(torus_body())}) {
      const Compound compound({{Sphere{0.01}, Pose(Vector3(100, 0, 0))}, {shape, part}});
      const Placed alone(shape, compose(whole, part)), b(box, other);
      EXPECT_EQ(touches({compound, whole}, b), touches(alone, b));
      const Distance found = distance({compound, whole}, b), expected = distance(alone, b);
      EXPECT_TRUE(overlap(found, expected, 1e-12));
      EXPECT_EQ(found.feature_a.part, 1u);
    }
  }
}

TEST(SphereShapes, MoveAndAreAskedInBatches) {
  const SphereSet pair(std::vector<Vector3>{{-1, 0, 0}, {1, 0, 0}}, std::vector<double>{0.5, 0.5});
  const Vector3 by(0, 0, -4);
  // A ball flies between the two, then onto one of them.
  const Shape ball = Sphere{0.25};
  EXPECT_FALSE(touches_during({pair, Still{}}, {ball, Straight{Pose(Vector3(0, 0, 2)), by}}));
  const MotionImpact hit =
      first_contact({pair, Still{}}, {ball, Straight{Pose(Vector3(1, 0, 2)), by}}, {.tolerance = 1e-6});
  ASSERT_EQ(hit.status, ImpactStatus::touch);
  EXPECT_LE(hit.time_lower, 1.25 / 4);
  EXPECT_GE(hit.time_upper, 1.25 / 4);
  const std::vector<Pose> poses = {Pose(), Pose(Vector3(0, 0, 0.7)), Pose(Vector3(1, 0, 0))};
  bool touching[3];
  touches(ball, pair, poses, touching);
  EXPECT_FALSE(touching[0]);
  EXPECT_FALSE(touching[1]);
  EXPECT_TRUE(touching[2]);
  Distance distances[3];
  distance({ball, {}}, pair, poses, distances);
  for (std::size_t i = 0; i < 3; ++i) {
    const Distance one = distance(ball, {pair, poses[i]});
    EXPECT_EQ(distances[i].upper, one.upper);
    EXPECT_EQ(distances[i].feature_b, one.feature_b);
  }
  const Shape body = torus_body();
  distance({ball, {}}, body, poses, distances);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_EQ(distances[i].upper, distance(ball, {body, poses[i]}).upper);
}

TEST(SphereShapes, RefuseByName) {
  const Shape set = SphereSet(std::vector<Vector3>{{0, 0, 0}}, std::vector<double>{1});
  EXPECT_NE(test::error_of([&] { contact_manifold(set, Sphere{1}); }).find("a sphere set may touch"),
            std::string::npos);
  EXPECT_EQ(test::error_of([&] { SphereQuery(set, set); }), "sphere query: the second shape must be a SphereBody");
  EXPECT_EQ(test::error_of([&] { sphere_contacts(set, set); }),
            "sphere_contacts: the second shape must be a SphereBody");
}

}  // namespace
}  // namespace whisker::sphere_shapes
