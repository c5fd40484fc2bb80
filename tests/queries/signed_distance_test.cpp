// signed_distance of two shapes: every kind against every kind, compared with distance, depth and touches; the fields
// of the result, the options, and batches.

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include <whisker/batch.hpp>
#include <whisker/error.hpp>
#include <whisker/geometry/closest_points.hpp>
#include <whisker/make/ground.hpp>
#include <whisker/make/make.hpp>
#include <whisker/make/rounded.hpp>
#include <whisker/mesh_queries.hpp>
#include <whisker/queries.hpp>
#include <whisker/spheres/sphere_tree.hpp>

#include "support/cases.hpp"
#include "support/error_of.hpp"
#include "support/random_vectors.hpp"

namespace whisker {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

/// Shapes of every kind, about one unit large.
const std::vector<Shape>& signed_shapes() {
  static const std::vector<Vector3> corners = {{-1, 0, 0},     {1, 0, 0},       {0, 1, 0},       {0, -0.5, 1},
                                               {0.3, 0.2, -1}, {0.5, 0.7, 0.5}, {-0.5, 0.4, 0.6}};
  static const std::vector<double> heights = {0, 0.1, 0.2, 0.3, 0, 0.4, 0.1, 0.2, 0.3};
  static const std::vector<Shape> shapes = {
      Sphere{0.5},
      Capsule{0.2, 1},
      Box{Vector3(1, 0.5, 1.5)},
      HalfSpace{Vector3(0.1, 0, 1), 0.25},
      Plane{Vector3(1, 2, 2), 0.5},
      Segment{{0, 0, 0}, {1, 1, 1}},
      Triangle{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
      Cylinder{0.5, 1},
      Cone{0.5, 1},
      Ellipsoid{Vector3(0.5, 0.6, 0.7)},
      ConvexHull(corners),
      CustomConvex([](const Vector3& d) { return Vector3(d.normalized() * 0.5); }, 1e-15),
      Mesh(make::torus({.major = 0.6, .minor = 0.3, .around = 12, .across = 8})).solid(),
      ground(HeightField(heights, 3, 3, 1, 1)),
      Compound({{Sphere{0.4}, Pose()}, {Box{Vector3(1, 0.3, 0.3)}, Pose(Vector3(0.5, 0, 0.4))}}),
      SphereSet(std::vector<Vector3>{{0, 0, 0}, {0.4, 0, 0}}, std::vector<double>{0.5, 0.25}),
      SphereBody(build_sphere_tree(Mesh(make::box()), {.depth = 1}), Mesh(make::box()).solid()),
      Mesh(make::box()).solid(),
  };
  return shapes;
}

Pose turned_pose(std::mt19937_64& random, double spread) {
  const Eigen::Quaterniond turn(test::uniform(random, 0.1, 1), test::uniform(random, -1, 1),
                                test::uniform(random, -1, 1), test::uniform(random, -1, 1));
  return Pose(turn.normalized().toRotationMatrix(), test::random_vector(random, spread));
}

double largest_coordinate(const Distance& s) {
  return std::max({1.0, s.point_a.cwiseAbs().maxCoeff(), s.point_b.cwiseAbs().maxCoeff()});
}

/// What is wrong with a signed distance in itself.
void check_fields(const Distance& s, std::ostream& wrong) {
  if (!(s.lower <= s.upper)) wrong << "bounds [" << s.lower << ", " << s.upper << "]; ";
  if (!s.point_a.allFinite() || !s.point_b.allFinite() || !s.normal.allFinite()) wrong << "not finite; ";
  const bool is_zero = s.normal == Vector3::Zero();
  if (!is_zero && !(std::abs(s.normal.norm() - 1) <= 1e-13)) wrong << "normal of length " << s.normal.norm() << "; ";
  if (s.lower == -inf) {
    if (!is_zero || !s.point_a.isZero(0)) wrong << "a normal though nothing separates them; ";
    return;
  }
  if (is_zero && (s.lower > 0 || s.upper < 0)) wrong << "no normal for [" << s.lower << ", " << s.upper << "]; ";
  if (is_zero || s.upper == inf) return;
  const double along = s.lower > 0 ? s.upper : s.lower;
  const double off = (s.point_b - s.point_a - s.normal * along).norm();
  // The direction of curved shapes that are apart is known to about the root of the bounds' precision.
  const double part = s.lower > 0 ? 1e-6 : 1e-9;
  const double allowed = part * largest_coordinate(s) + (s.lower > 0 || s.upper < 0 ? 0 : s.upper - s.lower);
  if (!(off <= allowed)) wrong << "points are " << off << " off normal * " << along << "; ";
}

/// Compares it with the other queries. The bounds of all of them hold, so they intersect.
void check_agreement(const Placed& a, const Placed& b, const Distance& s, std::ostream& wrong) {
  const bool touching = touches(a, b);
  const Distance d = distance(a, b);
  const Depth p = depth(a, b);
  if (p.lower == inf) {
    if (s.lower != -inf || s.upper != -inf) wrong << "infinite depth, but [" << s.lower << ", " << s.upper << "]; ";
    return;
  }
  const double rounding = 1e-13;
  const double lower = d.lower - p.upper, upper = d.upper - p.lower;
  if (s.lower > upper + rounding || s.upper < lower - rounding) {
    wrong << "[" << s.lower << ", " << s.upper << "] but distance [" << d.lower << ", " << d.upper << "] and depth ["
          << p.lower << ", " << p.upper << "]; ";
  }
  if (touching ? !(s.lower <= 0) : !(s.lower >= 0 && s.upper > 0)) {
    wrong << (touching ? "touching" : "apart") << " but [" << s.lower << ", " << s.upper << "]; ";
  }
}

/// The other order gives the mirror image.
void check_exchange(const Placed& a, const Placed& b, const Distance& s, std::ostream& wrong) {
  const Distance back = signed_distance(b, a);
  if (back.lower != s.lower || back.upper != s.upper || back.stop != s.stop)
    wrong << "swapped [" << back.lower << ", " << back.upper << "]; ";
  // The points of two compounds come from a search that moves the second one.
  const double off = (back.point_a - s.point_b).norm() + (back.point_b - s.point_a).norm();
  const bool are_compounds = a.shape.kind() == ShapeKind::compound && b.shape.kind() == ShapeKind::compound;
  if (back.normal != Vector3(-s.normal) || !(off <= (are_compounds ? 1e-12 : 0)))
    wrong << "swapped normal " << back.normal.transpose() << " for " << s.normal.transpose() << ", points " << off
          << " off; ";
  if (back.feature_a != s.feature_b || back.feature_b != s.feature_a) wrong << "swapped features differ; ";
}

TEST(SignedDistance, AgreesWithDistanceDepthAndTouchesForEveryPairOfKinds) {
  const std::vector<Shape>& shapes = signed_shapes();
  auto random = test::seeded(101);
  std::size_t apart = 0, deep = 0, failed = 0;
  for (const Shape& a : shapes) {
    for (const Shape& b : shapes) {
      ASSERT_EQ(is_supported(Question::signed_distance, a.kind(), b.kind()),
                is_supported(Question::depth, a.kind(), b.kind()));
      if (!is_supported(Question::signed_distance, a.kind(), b.kind())) {
        EXPECT_NE(test::error_of([&] { signed_distance(a, b); }).find("signed_distance: not supported"),
                  std::string::npos);
        continue;
      }
      for (std::size_t i = 0; i < test::cases(6); ++i) {
        const Pose pose_a = turned_pose(random, 0.4), pose_b = turned_pose(random, i % 2 == 0 ? 0.6 : 1.6);
        const Placed placed_a(a, pose_a), placed_b(b, pose_b);
        std::ostringstream wrong;
        wrong.precision(17);
        const Distance s = signed_distance(placed_a, placed_b);
        check_fields(s, wrong);
        check_agreement(placed_a, placed_b, s, wrong);
        check_exchange(placed_a, placed_b, s, wrong);
        apart += s.lower > 0 ? 1u : 0u;
        deep += s.upper < 0 ? 1u : 0u;
        if (!wrong.str().empty() && ++failed <= 5)
          ADD_FAILURE() << name(a.kind()) << " " << name(b.kind()) << " case " << i << ": " << wrong.str();
      }
    }
  }
  EXPECT_EQ(failed, 0u);
  EXPECT_GE(apart, test::at_least(200));
  EXPECT_GE(deep, test::at_least(400));
}

TEST(SignedDistance, OfAMovingPairIsTheSameWithACache) {
  const std::vector<Shape>& shapes = signed_shapes();
  auto random = test::seeded(102);
  for (const Shape& a : shapes) {
    for (const Shape& b : shapes) {
      if (!is_supported(Question::signed_distance, a.kind(), b.kind())) continue;
      const Pose turn = turned_pose(random, 0.2);
      PairCache cache, other;
      for (int step = 0; step <= 8; ++step) {  // through a and out again
        const Pose pose(turn.rotation(), turn.translation() + Vector3(1.4 - 0.35 * step, 0.1, 0.05 * step));
        const Distance cold = signed_distance(a, {b, pose});
        const Distance warm = signed_distance(a, {b, pose}, {.cache = &cache});
        const Distance back = signed_distance({b, pose}, a, {.cache = &other});
        std::ostringstream wrong;
        wrong.precision(17);
        check_fields(warm, wrong);
        EXPECT_EQ(wrong.str(), "") << name(a.kind()) << " " << name(b.kind());
        for (const Distance& s : {warm, back}) {
          EXPECT_LE(s.lower, cold.upper + 1e-12) << name(a.kind()) << " " << name(b.kind()) << " step " << step;
          EXPECT_GE(s.upper, cold.lower - 1e-12) << name(a.kind()) << " " << name(b.kind()) << " step " << step;
          EXPECT_EQ(s.lower > 0, cold.lower > 0) << name(a.kind()) << " " << name(b.kind()) << " step " << step;
        }
      }
    }
  }
}

// ---- closed forms

TEST(SignedDistance, OfSpheresIsTheDistanceOfTheirCentersMinusTheRadii) {
  auto random = test::seeded(103);
  for (std::size_t i = 0; i < test::cases(2000); ++i) {
    const double ra = test::uniform(random, 0, 1), rb = test::uniform(random, 0, 1);
    const Vector3 ca = test::random_vector(random, 1), cb = test::random_vector(random, 1);
    const Distance s = signed_distance({Sphere{ra}, Pose(ca)}, {Sphere{rb}, Pose(cb)});
    const long double x = static_cast<long double>(cb.x()) - ca.x(), y = static_cast<long double>(cb.y()) - ca.y(),
                      z = static_cast<long double>(cb.z()) - ca.z();
    const long double truth = std::sqrt(x * x + y * y + z * z) - ra - rb;
    EXPECT_LE(s.lower, truth + 1e-18L);
    EXPECT_GE(s.upper, truth - 1e-18L);
    EXPECT_LE(s.upper - s.lower, 1e-14);
    EXPECT_LE((s.normal - (cb - ca).normalized()).norm(), 1e-12);
    EXPECT_LE((s.point_a - (ca + s.normal * ra)).norm(), 1e-13);
    EXPECT_LE((s.point_b - (cb - s.normal * rb)).norm(), 1e-13);
  }
}

TEST(SignedDistance, OfStackedBoxesIsTheirGap) {
  const Shape slab = Box{{4, 4, 1}}, brick = Box{{1, 1, 1}};
  const Shape hull = ConvexHull(std::vector<Vector3>{{-.5, -.5, -.5},
                                                     {.5, -.5, -.5},
                                                     {-.5, .5, -.5},
                                                     {.5, .5, -.5},
                                                     {-.5, -.5, .5},
                                                     {.5, -.5, .5},
                                                     {-.5, .5, .5},
                                                     {.5, .5, .5}});
  const Shape solid = Mesh(make::box()).solid();
  const Shape parts = Compound({{Box{{1, 1, 1}}, Pose()}});
  for (const Shape* const upper : {&brick, &hull, &solid, &parts}) {
    for (const double gap : {0.5, 0.25, 0.0, -0.25, -0.375}) {
      const Pose pose(Vector3(0.25, 0.5, 1 + gap));
      const Distance s = signed_distance(slab, {*upper, pose});
      EXPECT_LE(s.lower, gap) << name(upper->kind());
      EXPECT_GE(s.upper, gap) << name(upper->kind());
      EXPECT_LE(s.upper - s.lower, 1e-12) << name(upper->kind()) << " at " << gap;
      // Also in contact.
      EXPECT_LE((s.normal - Vector3::UnitZ()).norm(), 1e-12) << name(upper->kind()) << " at " << gap;
      EXPECT_NEAR(s.point_a.z(), 0.5, 1e-12) << name(upper->kind()) << " at " << gap;
      EXPECT_NEAR(s.point_b.z(), 0.5 + gap, 1e-12) << name(upper->kind()) << " at " << gap;
      const Distance back = signed_distance({*upper, pose}, slab);
      EXPECT_EQ(back.normal, Vector3(-s.normal));
    }
  }
}

TEST(SignedDistance, OfShapesThatTouchHasADirectionInWhichTheyPart) {
  // Each shape's lowest point is z = 0, or it is a plane there.
  struct Standing {
    Shape shape;
    double height;
  };
  const std::vector<Standing> above = {
      {Sphere{0.5}, 0.5},
      {Capsule{0.5, 1}, 1},
      {Box{{1, 1, 1}}, 0.5},
      {Triangle{{0, 0, 0}, {1, 0, 1}, {0, 1, 1}}, 0},
      {Segment{{0, 0, 0}, {0, 0, 1}}, 0},
      {Segment{{-1, 0, 0}, {1, 0, 0}}, 0},
      {Cylinder{0.5, 1}, 0.5},
      {Cone{0.5, 1}, 0.5},
      {Ellipsoid{{0.5, 0.5, 0.5}}, 0.5},
      {ConvexHull(std::vector<Vector3>{{0, 0, 0}, {1, 0, 1}, {0, 1, 1}, {-1, -1, 1}}), 0},
      {Mesh(make::box()).solid(), 0.5},
      {Compound({{Box{{1, 1, 1}}, Pose()}}), 0.5}};
  std::vector<Standing> below = above;
  for (Standing& b : below)
    b.shape = Shape(b.shape);
  below.push_back({HalfSpace{{0, 0, -1}, 0}, 0});
  below.push_back({Plane{{0, 0, 1}, 0}, 0});
  Matrix3 flip;
  flip << 1, 0, 0, 0, -1, 0, 0, 0, -1;
  for (const Standing& a : below) {
    for (const Standing& b : above) {
      const Pose pose_a(flip, Vector3(0, 0, -a.height)), pose_b(Vector3(0, 0, b.height));
      const Distance s = signed_distance({a.shape, pose_a}, {b.shape, pose_b});
      const std::string what = std::string(name(a.shape.kind())) + " " + std::string(name(b.shape.kind()));
      EXPECT_LE(s.lower, 0) << what;
      EXPECT_GE(s.upper, 0) << what;
      EXPECT_LE(s.upper - s.lower, 1e-12) << what;
      EXPECT_NEAR(s.normal.norm(), 1, 1e-13) << what;
      // After a small step along the normal they are apart.
      const Pose moved(pose_b.rotation(), pose_b.translation() + 1e-3 * s.normal);
      EXPECT_FALSE(touches({a.shape, pose_a}, {b.shape, moved})) << what << " along " << s.normal.transpose();
    }
  }
}

TEST(SignedDistance, OfParallelUnboundedShapesThatTouchHasADirectionInWhichTheyPart) {
  auto random = test::seeded(4409);
  const Shape below = HalfSpace{}, above = HalfSpace{{0, 0, -2}, 0}, plane = Plane{}, turned = Plane{{0, 0, -3}, 0};
  const Shape slab = rounded(Plane{{0, 0, 1}, 0}, 0.5), turned_slab = rounded(Plane{{0, 0, -1}, 0}, 0.25);
  struct Standing {
    Shape a, b;
    double height;   // of b above a, along z
    double outward;  // the direction along z in which b leaves a; 0 for either
    bool is_same = false;
  };
  const std::vector<Standing> pairs = {
      {below, plane, 0, 1},         {above, plane, 0, -1},         {below, turned, 0, 1}, {below, above, 0, 1},
      {plane, plane, 0, 0, true},   {plane, turned, 0, 0},         {below, slab, 0.5, 1}, {above, slab, -0.5, -1},
      {slab, plane, 0.5, 1},        {slab, plane, -0.5, -1},       {slab, slab, 1, 1},    {slab, turned, -0.5, -1},
      {slab, turned_slab, 0.75, 1}, {turned_slab, slab, -0.75, -1}};
  for (const Standing& pair : pairs) {
    for (const bool exchanged : {false, true}) {
      const Pose none, up(Vector3(0, 0, pair.height));
      const Placed first(pair.a, none), second(pair.b, up);
      const Placed &a = exchanged ? second : first, &b = exchanged ? first : second;
      const std::string what = std::string(name(a.shape.kind())) + " " + std::string(name(b.shape.kind())) + " at " +
                               std::to_string(pair.height);
      const Distance s = signed_distance(a, b);
      ASSERT_LE(s.lower, 0) << what;
      ASSERT_GE(s.upper, 0) << what;
      EXPECT_EQ(s.value(), 0) << what;
      ASSERT_EQ(std::abs(s.normal[2]), 1) << what;
      if (pair.outward != 0) {
        EXPECT_EQ(s.normal[2], exchanged ? -pair.outward : pair.outward) << what;
      }
      const Pose gone(b.pose.rotation(), b.pose.translation() + 1e-3 * s.normal);
      EXPECT_FALSE(touches(a, {b.shape, gone})) << what;
      // Exchanged shapes have the opposite normal, unless nothing tells which of the two is first.
      if (!pair.is_same) {
        EXPECT_EQ(signed_distance(b, a).normal, Vector3(-s.normal)) << what;
      }
    }
  }
  // In any place. Rounding decides whether shapes that were placed together touch.
  std::size_t touching = 0;
  for (std::size_t i = 0; i < test::cases(200); ++i) {
    const Standing& pair = pairs[i % pairs.size()];
    const Pose at = turned_pose(random, 2);
    const Pose there(at.rotation(), at.translation() + at.rotation() * Vector3(0, 0, pair.height));
    const Distance s = signed_distance({pair.a, at}, {pair.b, there});
    if (!(s.lower <= 0) || s.lower == -inf) continue;
    ++touching;
    ASSERT_NEAR(s.normal.norm(), 1, 1e-14);
    ASSERT_FALSE(touches({pair.a, at}, {pair.b, Pose(at.rotation(), there.translation() + 1e-3 * s.normal)}));
  }
  EXPECT_GT(touching, test::cases(200) / 8);
}

TEST(SignedDistance, OfShapesThatNothingSeparatesHasNoNormal) {
  const Distance points = signed_distance(Sphere{0}, Sphere{0});
  EXPECT_EQ(points.lower, 0);
  EXPECT_EQ(points.upper, 0);
  EXPECT_EQ(points.normal, Vector3(Vector3::Zero()));
  EXPECT_EQ(points.point_a, Vector3(Vector3::Zero()));
  const Distance crossed = signed_distance(HalfSpace{{0, 0, 1}, 0}, Plane{{1, 0, 0}, 0});
  EXPECT_EQ(crossed.lower, -inf);
  EXPECT_EQ(crossed.upper, -inf);
  EXPECT_EQ(crossed.value(), -inf);
  EXPECT_EQ(crossed.normal, Vector3(Vector3::Zero()));
}

TEST(SignedDistance, OfAGapThatOnlyAnExactTestSeesHasANormal) {
  Matrix3 turn;
  turn << 1, 1.3280115235073032e-11, 1.5865179601271889e-11, -1.3280115235084525e-11, 1, 7.2443296236507047e-13,
      -1.5865179601262267e-11, -7.2443296257576182e-13, 1;
  const Shape a = Segment{{-1, -1, 1}, {0, -1, 1}}, b = Segment{{-2, 1, -2}, {1, 1, -2}};
  const Pose pose_a(turn, {0.73260868362802922, -1.3104111092497237, 0.79545546224166896});
  const Pose pose_b(turn, {2.2326086836490644, -3.3104111092674708, 3.7954554622193202});
  ASSERT_FALSE(touches({a, pose_a}, {b, pose_b}));
  const Distance s = signed_distance({a, pose_a}, {b, pose_b});
  EXPECT_EQ(s.lower, 0);
  EXPECT_GT(s.upper, 0);
  EXPECT_LT(s.upper, 1e-20);
  EXPECT_NEAR(s.normal.norm(), 1, 1e-13);
  EXPECT_EQ(signed_distance({b, pose_b}, {a, pose_a}).normal, Vector3(-s.normal));
}

// ---- features

double off_triangle(const Triangle& t, const Pose& pose, const Vector3& point) {
  const Triangle placed{place(pose, t.a), place(pose, t.b), place(pose, t.c)};
  return closest_points(point, placed).distance;
}

TEST(SignedDistance, FeaturesAreWhatThePointsLieOn) {
  const Mesh torus = Mesh(make::torus({.major = 0.6, .minor = 0.3, .around = 12, .across = 8})).solid();
  const Mesh cube = Mesh(make::box()).solid();
  const SphereSet balls(std::vector<Vector3>{{0, 0, 0}, {0.4, 0, 0}, {0, 0.7, 0}}, std::vector<double>{0.5, 0.25, 0.4});
  const std::vector<CompoundPart> parts = {
      {Sphere{0.4}, Pose()}, {Box{Vector3(1, 0.3, 0.3)}, Pose(Vector3(0.5, 0, 0.4))}, {torus, Pose(Vector3(-1, 0, 0))}};
  const std::vector<Shape> shapes = {torus, cube, balls, Compound(parts)};
  const std::vector<Shape> others = {
      torus, cube, balls, Compound(parts), ConvexHull(make::torus().vertices), Box{{1, 1, 1}}, HalfSpace{{0, 0, 1}, 0}};
  auto random = test::seeded(104);
  std::size_t deep = 0, triangles = 0;
  const auto check = [&](const Shape& shape, const Pose& pose, const Feature& feature, const Vector3& point) {
    const double size = 1e-9 * (1 + point.norm());
    if (const auto* const mesh = shape.as<Mesh>()) {
      ASSERT_EQ(feature.kind, FeatureKind::triangle);
      ASSERT_LT(feature.id, mesh->triangle_count());
      EXPECT_LE(off_triangle(mesh->triangle(feature.id), pose, point), size);
      ++triangles;
    } else if (shape.as<SphereSet>() != nullptr) {
      ASSERT_EQ(feature.kind, FeatureKind::sphere);
      EXPECT_NEAR((place(pose, balls.center(feature.id)) - point).norm(), balls.radius(feature.id), size);
    } else if (shape.as<Compound>() != nullptr) {
      ASSERT_LT(feature.part, parts.size());
      const Pose part_pose = compose(pose, parts[feature.part].pose);
      if (feature.part == 2) {
        ASSERT_EQ(feature.kind, FeatureKind::triangle);
        EXPECT_LE(off_triangle(torus.triangle(feature.id), part_pose, point), size);
      } else {
        EXPECT_EQ(feature.kind, FeatureKind::whole);
        EXPECT_LE(distance({parts[feature.part].shape, part_pose}, {Sphere{0}, Pose(point)}).lower, size);
      }
    } else {
      EXPECT_EQ(feature, Feature());
    }
  };
  for (const Shape& a : shapes) {
    for (const Shape& b : others) {
      for (std::size_t i = 0; i < test::cases(6); ++i) {
        const Pose pose_a = turned_pose(random, 0.3), pose_b = turned_pose(random, i < 2 ? 2.5 : 0.9);
        const Distance s = signed_distance({a, pose_a}, {b, pose_b});
        SCOPED_TRACE(std::string(name(a.kind())) + " " + std::string(name(b.kind())) + " " + std::to_string(s.lower));
        if (s.lower <= 0 && s.upper >= 0) continue;
        deep += s.upper < 0 ? 1u : 0u;
        check(a, pose_a, s.feature_a, s.point_a);
        check(b, pose_b, s.feature_b, s.point_b);
      }
    }
  }
  EXPECT_GE(deep, test::at_least(40));
  EXPECT_GE(triangles, test::at_least(60));
}

// ---- height fields

TEST(SignedDistance, OfAShapeInTheGroundIsNegative) {
  const std::vector<double> flat(16, 0.0);
  const Shape land = ground(HeightField(flat, 4, 4, 1, 1));
  const auto at = [&](double height) { return signed_distance(land, {Sphere{0.25}, Pose(Vector3(1.3, 1.4, height))}); };
  EXPECT_NEAR(at(1).value(), 0.75, 1e-12);
  EXPECT_NEAR(at(0.125).value(), -0.125, 1e-12);
  EXPECT_NEAR(at(-0.5).value(), -0.75, 1e-12);  // does not touch the surface
  EXPECT_LE((at(1).normal - Vector3::UnitZ()).norm(), 1e-12);
  EXPECT_LE((at(-0.5).normal - Vector3::UnitZ()).norm(), 1e-9);
  EXPECT_EQ(at(0.125).feature_a.kind, FeatureKind::triangle);
  // Deep below, the wall at the border is nearer, and is no triangle.
  const Distance wall = signed_distance(land, {Sphere{0.25}, Pose(Vector3(0.5, 1.5, -5))});
  EXPECT_NEAR(wall.value(), -0.75, 1e-9);
  EXPECT_EQ(wall.feature_a, Feature());
}

// ---- options

TEST(SignedDistance, StopsBeyondTheUpperBound) {
  auto random = test::seeded(105);
  for (const Shape& a : signed_shapes()) {
    for (const Shape& b : signed_shapes()) {
      if (!is_supported(Question::signed_distance, a.kind(), b.kind())) continue;
      const Pose pose = turned_pose(random, 0.2);
      const Pose far(pose.rotation(), pose.translation() + Vector3(6, 0, 0));
      const Distance full = signed_distance(a, {b, far});
      const Distance s = signed_distance(a, {b, far}, {.upper_bound = 0.5});
      if (full.lower > 0.5) {
        EXPECT_GT(s.lower, 0.5) << name(a.kind()) << " " << name(b.kind());
        EXPECT_LE(s.lower, full.upper) << name(a.kind()) << " " << name(b.kind());
      } else {
        EXPECT_LE(s.lower, full.upper);
        EXPECT_GE(s.upper, full.lower);
      }
    }
  }
}

TEST(SignedDistance, WithAToleranceStillDecidesTheSign) {
  auto random = test::seeded(106);
  for (const Shape& a : signed_shapes()) {
    for (const Shape& b : signed_shapes()) {
      if (!is_supported(Question::signed_distance, a.kind(), b.kind())) continue;
      for (int i = 0; i < 3; ++i) {
        const Pose pose = turned_pose(random, 1.2);
        const Distance full = signed_distance(a, {b, pose}), s = signed_distance(a, {b, pose}, {.tolerance = 0.5});
        EXPECT_LE(s.lower, full.upper) << name(a.kind()) << " " << name(b.kind());
        EXPECT_GE(s.upper, full.lower) << name(a.kind()) << " " << name(b.kind());
        if (full.upper < 0) {
          EXPECT_LE(s.lower, 0) << name(a.kind()) << " " << name(b.kind());
        }
        if (full.lower > 0) {
          EXPECT_GE(s.lower, 0) << name(a.kind()) << " " << name(b.kind());
          EXPECT_GT(s.upper, 0) << name(a.kind()) << " " << name(b.kind());
        }
      }
    }
  }
}

TEST(SignedDistance, WithABudgetHasBoundsThatHold) {
  const Shape torus = signed_shapes()[12];
  auto random = test::seeded(107);
  for (int i = 0; i < 20; ++i) {
    const Pose pose = turned_pose(random, 0.8);
    const Distance full = signed_distance(torus, {torus, pose});
    for (const std::uint64_t budget : {std::uint64_t{0}, std::uint64_t{50}, std::uint64_t{5000}}) {
      const Distance s = signed_distance(torus, {torus, pose}, {.budget = budget});
      EXPECT_LE(s.lower, full.upper);
      EXPECT_GE(s.upper, full.lower);
    }
  }
}

TEST(SignedDistance, RefusesWhatDepthRefusesAndBadOptions) {
  const Shape sheet = Mesh(make::box());
  const Shape ball = Sphere{1}, land = *surface_of_ground(signed_shapes()[13]);
  const Pose far(Vector3(50, 0, 0));
  const auto error = [&](const Shape& a, const Shape& b, const SignedDistanceOptions& options = {}) {
    return test::error_of([&] { signed_distance(a, {b, far}, options); });
  };
  EXPECT_NE(error(sheet, ball).find("signed_distance: the mesh is a surface"), std::string::npos);
  EXPECT_NE(error(ball, Compound({{sheet, Pose()}})).find("signed_distance: a mesh of the compound is a surface"),
            std::string::npos);
  EXPECT_NE(error(Compound({{land, Pose()}}), ball).find("height field"), std::string::npos);
  EXPECT_NE(error(land, land).find("signed_distance: not supported"), std::string::npos);
  EXPECT_NE(error(land, ball).find("use its ground()"), std::string::npos);
  EXPECT_NE(error(ball, ball, {.tolerance = -1}).find("signed_distance: the tolerance"), std::string::npos);
  EXPECT_NE(error(ball, ball, {.upper_bound = test::nan}).find("signed_distance: the upper bound"), std::string::npos);
}

TEST(SignedDistance, TakesAShapeWithAPoseWhereThePointFormTakesAPoint) {
  const Shape cube = Mesh(make::box({.size_x = 2, .size_y = 2, .size_z = 2})).solid();
  const Shape ball = Sphere{0.5};
  const Pose pose(Vector3(3, 0, 0));
  EXPECT_NEAR(signed_distance(cube, {ball, pose}).value(), 1.5, 1e-12);
  EXPECT_NEAR(signed_distance(cube, {3, 0, 0}).value(), 2, 1e-12);
  EXPECT_NEAR(signed_distance(cube, {ball, pose}, {.tolerance = 0}).value(), 1.5, 1e-12);
}

// ---- batches

bool same_distance(const Distance& a, const Distance& b) {
  return a.lower == b.lower && a.upper == b.upper && a.point_a == b.point_a && a.point_b == b.point_b &&
         a.normal == b.normal && a.feature_a == b.feature_a && a.feature_b == b.feature_b && a.stop == b.stop &&
         a.cost == b.cost;
}

TEST(SignedDistanceBatch, EqualsSingleQueriesBitForBit) {
  const std::vector<Shape>& shapes = signed_shapes();
  auto random = test::seeded(108);
  std::vector<Pose> poses;
  for (int i = 0; i < 70; ++i)
    poses.push_back(turned_pose(random, 1.5));
  std::vector<ShapePair> pairs;
  std::size_t apart = 0, deep = 0;
  for (const std::size_t i : {std::size_t{0}, std::size_t{2}, std::size_t{10}, std::size_t{12}, std::size_t{15}}) {
    for (const std::size_t j : {std::size_t{1}, std::size_t{2}, std::size_t{10}, std::size_t{17}}) {
      const Shape &a = shapes[i], &b = shapes[j];
      std::vector<Distance> answers(poses.size());
      for (const int threads : {0, 1}) {
        signed_distance({a, poses[3]}, b, poses, {.threads = threads}, answers);
        for (std::size_t k = 0; k < poses.size(); ++k) {
          const Distance single = signed_distance({a, poses[3]}, {b, poses[k]});
          EXPECT_TRUE(same_distance(answers[k], single)) << name(a.kind()) << " " << name(b.kind()) << " pose " << k;
          apart += single.lower > 0 ? 1u : 0u;
          deep += single.upper < 0 ? 1u : 0u;
        }
      }
      for (std::size_t k = 0; k + 1 < poses.size(); ++k)
        pairs.push_back({&a, &b, poses[k], poses[k + 1]});
    }
  }
  EXPECT_GE(apart, 100u);
  EXPECT_GE(deep, 100u);
  std::vector<Distance> answers(pairs.size());
  signed_distance(pairs, answers);
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    EXPECT_TRUE(
        same_distance(answers[k], signed_distance({*pairs[k].a, pairs[k].pose_a}, {*pairs[k].b, pairs[k].pose_b})))
        << "pair " << k;
  }
}

TEST(SignedDistanceBatch, RefusesACacheSpansOfDifferentSizesAndOpenMeshes) {
  const Shape box = Box{{1, 1, 1}}, sheet = Mesh(make::box());
  const std::vector<Pose> poses(3);
  std::vector<Distance> answers(3), few(2);
  PairCache cache;
  EXPECT_NE(test::error_of([&] { signed_distance(box, box, poses, {.cache = &cache}, answers); }).find("cache"),
            std::string::npos);
  EXPECT_NE(test::error_of([&] { signed_distance(box, box, poses, few); }).find("signed_distance: 3 poses"),
            std::string::npos);
  EXPECT_NE(test::error_of([&] { signed_distance(box, sheet, poses, answers); }).find("pose 0: the mesh is a surface"),
            std::string::npos);
  const std::vector<ShapePair> pairs = {{&box, nullptr, Pose(), Pose()}};
  EXPECT_NE(test::error_of([&] { signed_distance(pairs, std::span(answers).first(1)); }).find("pair 0"),
            std::string::npos);
}

}  // namespace
}  // namespace whisker
