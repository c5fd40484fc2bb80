// Interruptible distances of sphere bodies: the bounds contain the distance of the solids at every budget, become
// tighter with every step, and do not depend on where a query was interrupted.

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/error.hpp>
#include <whisker/mesh_queries.hpp>
#include <whisker/simd.hpp>
#include <whisker/spheres/sphere_query.hpp>

#include "geometry/constants.hpp"
#include "spheres/sphere_body_cases.hpp"

namespace whisker {
namespace {

using test::BodyPair;
using test::cases;
using test::Random;
using test::random_body_pair;
using test::random_pose;
using test::seeded;
using test::sphere_bodies;
using test::uniform;

/// Checks that the bounds contain the truth.
void expect_holds(double lower, double upper, const Distance& truth, const std::string& which) {
  EXPECT_LE(lower, truth.upper) << which;
  EXPECT_GE(upper, truth.lower) << which;
  EXPECT_LE(lower, upper) << which;
  EXPECT_GE(lower, 0) << which;
}

bool surfaces_touch(const BodyPair& pair) {
  const auto surface = [](const Mesh& mesh) {
    return Mesh({{mesh.vertices().begin(), mesh.vertices().end()}, {mesh.triangles().begin(), mesh.triangles().end()}});
  };
  return touches({surface(pair.a->body.mesh()), pair.pose_a}, {surface(pair.b->body.mesh()), pair.pose_b});
}

struct Bounds {
  double lower, upper;
  bool operator==(const Bounds&) const = default;
};

TEST(SphereQuery, BoundsHoldTheTruthAtEveryBudgetAndOnlyTighten) {
  auto random = seeded(9501);
  SphereQuery query;
  std::size_t apart = 0, touching = 0, inside = 0;
  for (std::size_t i = 0; i < cases(567); ++i) {
    const BodyPair pair = random_body_pair(random, i);
    const Distance truth = pair.truth();
    (truth.upper > 0 ? apart : touching) += 1;
    query.restart({pair.a->body, pair.pose_a}, {pair.b->body, pair.pose_b});
    Bounds last{query.lower(), query.upper()};
    expect_holds(last.lower, last.upper, truth, pair.show() + ", roots");
    Stop stop = Stop::budget;
    while (stop == Stop::budget) {
      stop = query.advance({.budget = static_cast<std::uint64_t>(uniform(random, 1, 300))}, {.exact = false});
      const Bounds now{query.lower(), query.upper()};
      expect_holds(now.lower, now.upper, truth, pair.show() + ", " + std::to_string(query.operations()));
      EXPECT_GE(now.lower, last.lower) << pair.show();
      EXPECT_LE(now.upper, last.upper) << pair.show();
      last = now;
    }
    EXPECT_TRUE(stop == Stop::limit || stop == Stop::exact) << pair.show();
    EXPECT_EQ(stop == Stop::exact, last.lower == last.upper) << pair.show();
    if (truth.upper == 0 && !surfaces_touch(pair)) ++inside;
    stop = query.advance();
    EXPECT_EQ(stop, Stop::exact) << pair.show();
    expect_holds(query.lower(), query.upper(), truth, pair.show() + ", exact");
    EXPECT_LE(query.upper() - query.lower(), truth.upper - truth.lower) << pair.show();
  }
  EXPECT_GT(apart, cases(567) / 8);
  EXPECT_GT(touching, cases(567) / 8);
  EXPECT_GT(inside, cases(567) / 40);
}

TEST(SphereQuery, OneInsideTheOtherIsZeroAndOneInACavityIsNot) {
  const SphereBody &ball = test::sphere_body("ball"), &shell = test::sphere_body("shell"),
                   &speck = test::sphere_body("speck"), &parts = test::sphere_body("two parts");
  const auto bounds = [](const SphereBody& a, const SphereBody& b, const Vector3& at) {
    SphereQuery query(a, {b, Pose(at)});
    EXPECT_EQ(query.lower(), 0);  // the roots overlap
    query.advance({}, {.exact = false});
    return Bounds{query.lower(), query.upper()};
  };
  // Far from the surface of the ball, as measured with the leaves of both.
  EXPECT_EQ(bounds(ball, speck, {0.1, 0, 0}), (Bounds{0, 0}));
  EXPECT_EQ(bounds(speck, ball, {0.1, 0, 0}), (Bounds{0, 0}));
  const Bounds cavity = bounds(shell, speck, {0.1, 0, 0});
  const double truth = distance(shell.mesh(), Placed(speck.mesh(), Pose(Vector3(0.1, 0, 0)))).lower;
  EXPECT_GT(truth, 0.5);
  EXPECT_GT(cavity.lower, 0);
  EXPECT_LE(cavity.lower, truth);
  EXPECT_GE(cavity.upper, truth);
  // One part inside, the other far outside.
  EXPECT_EQ(bounds(ball, parts, {0.1, 0, 0}), (Bounds{0, 0}));
  EXPECT_EQ(bounds(parts, ball, {-0.1, 0, 0}), (Bounds{0, 0}));
}

/// Everything that a query reports.
struct Said {
  Distance distance;
  std::uint64_t updates, tests;
};
Said said(const SphereQuery& query) {
  return {query.result(), query.updates(), query.tests()};
}
void expect_same(const Said& p, const Said& q, const std::string& which) {
  EXPECT_EQ(p.distance.lower, q.distance.lower) << which;
  EXPECT_EQ(p.distance.upper, q.distance.upper) << which;
  EXPECT_EQ(p.distance.point_a, q.distance.point_a) << which;
  EXPECT_EQ(p.distance.point_b, q.distance.point_b) << which;
  EXPECT_EQ(p.distance.normal, q.distance.normal) << which;
  EXPECT_EQ(p.distance.stop, q.distance.stop) << which;
  EXPECT_EQ(p.distance.cost.primitive_tests, q.distance.cost.primitive_tests) << which;
  EXPECT_EQ(p.distance.feature_a, q.distance.feature_a) << which;
  EXPECT_EQ(p.distance.feature_b, q.distance.feature_b) << which;
  EXPECT_EQ(p.updates, q.updates) << which;
  EXPECT_EQ(p.tests, q.tests) << which;
}

TEST(SphereQuery, InterruptedAndResumedItEndsAsUninterrupted) {
  auto random = seeded(9502);
  for (std::size_t i = 0; i < cases(162); ++i) {
    const BodyPair pair = random_body_pair(random, i);
    const Placed a(pair.a->body, pair.pose_a), b(pair.b->body, pair.pose_b);
    SphereQuery whole(a, b);
    whole.advance({}, {.exact = false});
    SphereQuery pieces(a, b);
    // By operations, a few at a time; then with no time at all, and with a tolerance.
    for (int k = 0; k < 50; ++k)
      pieces.advance({.budget = static_cast<std::uint64_t>(uniform(random, 0, 20))}, {.exact = false});
    EXPECT_TRUE(pieces.lower() == pieces.upper() || pieces.advance({.seconds = 0}, {.exact = false}) != Stop::exact);
    pieces.advance({.budget = 1000}, {.tolerance = 0.2, .exact = false});
    pieces.advance({.seconds = 1e-6}, {.exact = false});
    pieces.advance({}, {.exact = false});
    expect_same(said(whole), said(pieces), pair.show());
    EXPECT_EQ(whole.advance(), Stop::exact);
    EXPECT_EQ(pieces.advance(), Stop::exact);
    expect_same(said(whole), said(pieces), pair.show());
    // In memory that was used for another query.
    pieces.restart(b, a);
    pieces.advance({.budget = 100});
    pieces.restart(a, b);
    pieces.advance();
    expect_same(said(whole), said(pieces), pair.show());
  }
}

TEST(SphereQuery, OperationsAreNeverMoreThanAllowed) {
  auto random = seeded(9503);
  for (std::size_t i = 0; i < cases(81); ++i) {
    const BodyPair pair = random_body_pair(random, i);
    SphereQuery query({pair.a->body, pair.pose_a}, {pair.b->body, pair.pose_b});
    EXPECT_EQ(query.operations(), 5u);
    std::uint64_t allowed = 5;
    Stop stop = Stop::budget;
    for (int k = 0; k < 1000 && stop == Stop::budget; ++k) {
      const auto more = static_cast<std::uint64_t>(uniform(random, 0, 60));
      allowed += more;
      stop = query.advance({.budget = more}, {.exact = false});
      EXPECT_LE(query.operations(), allowed);
      if (stop == Stop::budget) {
        EXPECT_GT(query.operations() + 3 * SphereBody::max_children, allowed);  // the budget is used up
      }
    }
    EXPECT_LE(query.updates(), pair.a->body.size() + pair.b->body.size());  // each once
  }
}

TEST(SphereQuery, AToleranceIsKept) {
  auto random = seeded(9504);
  for (std::size_t i = 0; i < cases(81); ++i) {
    const BodyPair pair = random_body_pair(random, i);
    const Distance truth = pair.truth();
    SphereQuery query({pair.a->body, pair.pose_a}, {pair.b->body, pair.pose_b});
    for (const double tolerance : {2.0, 0.5, 0.1, 1e-9}) {
      const Stop stop = query.advance({}, {.tolerance = tolerance});
      EXPECT_TRUE(stop == Stop::tolerance || stop == Stop::exact);
      EXPECT_LE(query.upper() - query.lower(), std::max(tolerance, truth.upper - truth.lower)) << pair.show();
      expect_holds(query.lower(), query.upper(), truth, pair.show());
    }
  }
}

TEST(SphereQuery, PointsAreOfTheSolidsAndNoFartherApartThanTheUpperBound) {
  auto random = seeded(9505);
  for (std::size_t i = 0; i < cases(162); ++i) {
    const BodyPair pair = random_body_pair(random, i);
    SphereQuery query({pair.a->body, pair.pose_a}, {pair.b->body, pair.pose_b});
    const double size = 4 + pair.pose_a.translation().norm();
    for (const std::uint64_t operations : {0u, 100u, 1000u, 100000u}) {
      query.advance({.budget = operations}, {.exact = false});
      const Distance d = query.result();
      EXPECT_LE((d.point_a - d.point_b).norm(), d.upper + 1e-13 * size) << pair.show();
      EXPECT_LE(signed_distance({pair.a->body.mesh(), pair.pose_a}, d.point_a).lower, 3e-9 * size) << pair.show();
      EXPECT_LE(signed_distance({pair.b->body.mesh(), pair.pose_b}, d.point_b).lower, 3e-9 * size) << pair.show();
      EXPECT_TRUE(d.normal.norm() == 0 || std::abs(d.normal.norm() - 1) < 1e-12);
    }
  }
}

/// Checks that a point lies in the ball around a sphere's center that reaches to the surface of the solid.
void expect_of_sphere(const test::NamedBody& body, const Pose& pose, const Feature& feature, const Vector3& point,
                      double size, const std::string& which) {
  ASSERT_EQ(feature.kind, FeatureKind::sphere) << which;
  ASSERT_LT(feature.id, body.body.size()) << which;
  const Vector3 center = place(pose, body.body.sphere(feature.id).center);
  const double from_surface = std::abs(signed_distance({body.body.mesh(), pose}, center).value());
  EXPECT_LE((point - center).norm(), from_surface + 3e-9 * size) << which;
}

TEST(SphereQuery, FeaturesNameTheSpheresOfTheUpperBoundOrTheTriangles) {
  auto random = seeded(9514);
  std::size_t of_spheres = 0, of_triangles = 0;
  for (std::size_t i = 0; i < cases(162); ++i) {
    const BodyPair pair = random_body_pair(random, i);
    SphereQuery query({pair.a->body, pair.pose_a}, {pair.b->body, pair.pose_b});
    const double size = 4 + pair.pose_a.translation().norm();
    for (const bool exact : {false, true}) {
      query.advance({.budget = 300}, {.exact = exact});
      const Distance d = query.result();
      EXPECT_EQ(d.feature_a.kind == FeatureKind::sphere, d.feature_b.kind == FeatureKind::sphere) << pair.show();
      if (d.feature_a.kind == FeatureKind::sphere) {
        ++of_spheres;
        expect_of_sphere(*pair.a, pair.pose_a, d.feature_a, d.point_a, size, pair.show());
        expect_of_sphere(*pair.b, pair.pose_b, d.feature_b, d.point_b, size, pair.show());
      } else {
        ++of_triangles;
        const Distance truth = distance({pair.a->body.mesh(), pair.pose_a}, {pair.b->body.mesh(), pair.pose_b});
        EXPECT_EQ(d.feature_a, truth.feature_a) << pair.show();
        EXPECT_EQ(d.feature_b, truth.feature_b) << pair.show();
      }
    }
  }
  EXPECT_GT(of_spheres, cases(162) / 8);
  EXPECT_GT(of_triangles, cases(162) / 8);
}

/// The smallest gap of all pairs of leaves, and the smallest of their upper bounds, computed one by one.
Bounds all_leaves(const BodyPair& pair) {
  Bounds least{infinity, infinity};
  for (std::size_t i = 0; i < pair.a->body.size(); ++i) {
    if (!pair.a->body.is_leaf(i)) continue;
    const BoundingSphere p = pair.a->body.sphere(i);
    const Vector3 center = place(pair.pose_a, p.center);
    const double height_p = signed_distance(pair.a->body.mesh(), p.center).value();
    for (std::size_t j = 0; j < pair.b->body.size(); ++j) {
      if (!pair.b->body.is_leaf(j)) continue;
      const BoundingSphere q = pair.b->body.sphere(j);
      const double apart = (center - place(pair.pose_b, q.center)).norm();
      least.lower = std::min(least.lower, std::max(0.0, apart - p.radius - q.radius));
      // Only pairs that could be the best are measured.
      if (apart + height_p - 4 > least.upper) continue;
      const double height_q = signed_distance(pair.b->body.mesh(), q.center).value();
      least.upper = std::min(least.upper, std::max(0.0, apart + height_p + height_q));
    }
  }
  return least;
}

TEST(SphereQuery, AtFullDepthItIsAsTightAsAllPairsOfLeaves) {
  auto random = seeded(9506);
  std::size_t seen = 0;
  for (std::size_t i = 0; i < cases(24); ++i) {
    const BodyPair pair = random_body_pair(random, 7 * i + (i % 2));  // apart and near
    if (pair.a->body.size() * pair.b->body.size() > 40000) continue;
    const Distance truth = pair.truth();
    SphereQuery query({pair.a->body, pair.pose_a}, {pair.b->body, pair.pose_b});
    query.advance({}, {.exact = false});
    if (truth.upper == 0) continue;
    ++seen;
    const Bounds leaves = all_leaves(pair);
    EXPECT_GE(query.lower(), std::min(leaves.lower, query.upper()) - 1e-8) << pair.show();
    EXPECT_LE(query.upper(), leaves.upper + 1e-8) << pair.show();
  }
  EXPECT_GT(seen, 0u);
}

TEST(SphereQuery, EveryInstructionSetGivesTheSame) {
  auto random = seeded(9507);
  for (std::size_t i = 0; i < cases(40); ++i) {
    const BodyPair pair = random_body_pair(random, i);
    std::vector<Said> all;
    for (const std::string& target : simd_targets()) {
      ASSERT_TRUE(use_simd_target(target));
      SphereQuery query({pair.a->body, pair.pose_a}, {pair.b->body, pair.pose_b});
      query.advance({.budget = 777}, {.exact = false});
      all.push_back(said(query));
    }
    use_simd_target("");
    for (const Said& other : all)
      expect_same(all.front(), other, pair.show());
  }
}

// --- other shapes ------------------------------------------------------------------------------------------------

std::vector<Shape> shapes() {
  const Mesh box(make::box({.size_x = 0.3}));
  return {Sphere{0.4},
          Sphere{0.01},
          Capsule{.radius = 0.1, .length = 0.5},
          whisker::Box{Vector3(0.2, 0.5, 0.3)},
          HalfSpace{},
          Plane{},
          Segment{{0, 0, 0}, {0.1, 0.2, 0.3}},
          Triangle{{0, 0, 0}, {0.3, 0, 0}, {0, 0.4, 0.1}},
          Cylinder{.radius = 0.2, .length = 0.4},
          Cone{.radius = 0.2, .length = 0.4},
          Ellipsoid{Vector3(0.1, 0.2, 0.3)},
          ConvexHull(std::vector<Vector3>{{0, 0, 0}, {0.3, 0, 0}, {0, 0.4, 0}, {0.1, 0.1, 0.5}}),
          HeightField(std::vector<double>{0, 0.2, 0, 0.1, -0.3, 0.1, 0, 0.2, 0}, 3, 3, 0.5, 0.5),
          box,
          box.solid(),
          Mesh(make::icosphere({.radius = 3, .subdivisions = 1})).solid(),
          Compound({{Sphere{0.1}, Pose(Vector3(0.5, 0, 0))}, {whisker::Box{Vector3(0.1, 0.1, 0.1)}, {}}})};
}

TEST(SphereQueryShapes, BoundsHoldTheTruthAtEveryBudgetAndOnlyTighten) {
  auto random = seeded(9508);
  const std::vector<Shape> all = shapes();
  SphereQuery query;
  std::size_t apart = 0, touching = 0;
  for (std::size_t i = 0; i < cases(270); ++i) {
    const Shape& shape = all[i % all.size()];
    const test::NamedBody& body = sphere_bodies()[i / all.size() % sphere_bodies().size()];
    const Pose pose_a = random_pose(random, 0.8), pose_b = random_pose(random, i % 2 == 0 ? 0.2 : 1.5);
    const std::string which =
        std::string(name(shape.kind())) + " " + test::show(pose_a) + ", " + body.name + " " + test::show(pose_b);
    const Distance truth = distance({shape, pose_a}, {body.body.mesh(), pose_b});
    (truth.upper > 0 ? apart : touching) += 1;
    query.restart({shape, pose_a}, {body.body, pose_b});
    Bounds last{query.lower(), query.upper()};
    Stop stop = Stop::budget;
    for (int k = 0; k < 40 && stop == Stop::budget; ++k) {
      stop = query.advance({.budget = static_cast<std::uint64_t>(uniform(random, 1, 60))}, {.exact = false});
      expect_holds(query.lower(), query.upper(), truth, which);
      EXPECT_GE(query.lower(), last.lower) << which;
      EXPECT_LE(query.upper(), last.upper) << which;
      last = {query.lower(), query.upper()};
    }
    query.advance();
    expect_holds(query.lower(), query.upper(), truth, which);
    EXPECT_LE(query.upper() - query.lower(), truth.upper - truth.lower) << which;
    if (truth.lower > 0 || truth.upper == 0) {
      EXPECT_EQ(touches({shape, pose_a}, {body.body, pose_b}), truth.upper == 0) << which;
    }
    const Distance one = distance({shape, pose_a}, {body.body, pose_b});
    EXPECT_EQ(one.lower, query.lower()) << which;
    EXPECT_EQ(one.upper, query.upper()) << which;
    const Distance rough = test::distance_by_spheres({shape, pose_a}, {body.body, pose_b});
    EXPECT_NE(rough.feature_a.kind, FeatureKind::sphere) << which;
    if (rough.feature_b.kind == FeatureKind::sphere) {
      expect_of_sphere(body, pose_b, rough.feature_b, rough.point_b, 8, which);
    }
  }
  EXPECT_GT(apart, cases(270) / 8);
  EXPECT_GT(touching, cases(270) / 8);
}

// --- queries in one call --------------------------------------------------------------------------------------------

TEST(SphereBodyQueries, TouchesIsThatOfTheSolids) {
  auto random = seeded(9509);
  std::size_t hits = 0;
  for (std::size_t i = 0; i < cases(567); ++i) {
    const BodyPair pair = random_body_pair(random, i);
    const bool truth = touches({pair.a->body.mesh(), pair.pose_a}, {pair.b->body.mesh(), pair.pose_b});
    hits += truth ? 1 : 0;
    Cost cost;
    EXPECT_EQ(touches({pair.a->body, pair.pose_a}, {pair.b->body, pair.pose_b}, &cost), truth) << pair.show();
    EXPECT_LE(2 * cost.volume_updates, 4096u);
    EXPECT_GT(cost.volume_tests, 0u);
  }
  EXPECT_GT(hits, cases(567) / 8);
  EXPECT_LT(hits, cases(567));
}

TEST(SphereBodyQueries, DistanceIsThatOfTheQuery) {
  auto random = seeded(9510);
  for (std::size_t i = 0; i < cases(81); ++i) {
    const BodyPair pair = random_body_pair(random, i);
    const Placed a(pair.a->body, pair.pose_a), b(pair.b->body, pair.pose_b);
    SphereQuery query(a, b);
    const Stop stop = query.advance({.budget = 200}, {.tolerance = 0.01});
    const Distance one = distance(a, b, {.tolerance = 0.01, .budget = 200});
    EXPECT_EQ(one.stop, stop);
    EXPECT_EQ(one.lower, query.lower());
    EXPECT_EQ(one.upper, query.upper());
    EXPECT_EQ(distance(a, b).upper, pair.truth().upper) << pair.show();
  }
}

TEST(SphereQuery, BadQuestionsAreErrors) {
  const SphereBody& body = sphere_bodies().front().body;
  SphereQuery query(body, body);
  EXPECT_THROW(SphereQuery().advance(), Error);
  EXPECT_THROW(SphereQuery().result(), Error);
  query.restart(body, body);
  EXPECT_THROW(query.advance({}, {.tolerance = -1}), Error);
  EXPECT_THROW(query.advance({}, {.tolerance = std::nan("")}), Error);
  EXPECT_THROW(query.advance({.seconds = std::nan("")}), Error);
}

}  // namespace
}  // namespace whisker
