// Shapes with a radius around them, against answers that are computed in other ways: to a hundred digits from the
// polytopes without radius, by brute force over triangles, from closed forms of shapes that are the same, and by
// sampling.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/batch.hpp>
#include <whisker/contact_manifold.hpp>
#include <whisker/error.hpp>
#include <whisker/first_contact.hpp>
#include <whisker/make/ground.hpp>
#include <whisker/make/make.hpp>
#include <whisker/make/rounded.hpp>
#include <whisker/mesh_queries.hpp>
#include <whisker/queries.hpp>
#include <whisker/spheres/sphere_set_queries.hpp>
#include <whisker/spheres/sphere_tree.hpp>
#include <whisker/world.hpp>

#include "support/cases.hpp"
#include "support/error_of.hpp"
#include "support/random_shapes.hpp"
#include "support/reference.hpp"

namespace whisker::rounded_shapes {
namespace {

using test::cases;
using test::error_of;
using test::Family;
using test::PlacedSet;
using test::random_pose;
using test::Real;
using test::seeded;
using test::uniform;

constexpr double inf = std::numeric_limits<double>::infinity();

Shape shape_of(const test::SimpleShape& simple) {
  return std::visit([](const auto& s) { return Shape(s); }, simple);
}

Pose at(double x, double y, double z) {
  return {Matrix3::Identity(), Vector3(x, y, z)};
}

Pose moved(const Pose& pose, const Vector3& by) {
  return {pose.rotation(), pose.translation() + by};
}

MeshData box_mesh(double x, double y, double z) {
  return make::box({.size_x = x, .size_y = y, .size_z = z});
}

Mesh bumpy_ball() {
  MeshData data = make::icosphere({.radius = 1, .subdivisions = 2});
  for (std::size_t i = 0; i < data.vertices.size(); ++i)
    data.vertices[i] *= 1 + 0.2 * std::sin(5 * data.vertices[i].x()) * std::cos(4 * data.vertices[i].y());
  return Mesh(data);
}

HeightField hills() {
  std::vector<double> heights;
  for (int j = 0; j < 9; ++j)
    for (int i = 0; i < 9; ++i)
      heights.push_back(0.3 * std::sin(1.1 * i) * std::cos(0.9 * j));
  return HeightField(heights, 9, 9, 0.25, 0.25);
}

Vector3 ball_support(const Vector3& d) {
  return 0.7 * d.stableNormalized();
}

const SphereBody& sphere_body() {
  static const SphereBody body(build_sphere_tree(Mesh(make::box()), {.depth = 1}), Mesh(make::box()).solid());
  return body;
}

ConvexHull tetrahedron() {
  return ConvexHull(std::vector<Vector3>{{0, 0, 0}, {1.5, 0, 0}, {0.2, 1, 0}, {0.1, 0.3, 1.2}});
}

bool has_open_mesh(const Shape& shape) {
  return (shape.as<Mesh>() != nullptr && !shape.as<Mesh>()->is_solid()) || shape.as<HeightField>() != nullptr;
}

/// Shapes that are rounded in all tests of pairs.
std::vector<Shape> inner_shapes() {
  return {Box{{1, 0.5, 1.5}},
          Segment{{-0.5, 0, 0.2}, {0.6, 0.3, 0}},
          Triangle{{0, 0, 0}, {1, 0.2, 0}, {0.1, 0.8, 0.3}},
          Cylinder{0.5, 1},
          Cone{0.6, 1.2},
          Ellipsoid{{0.4, 0.6, 0.9}},
          tetrahedron(),
          CustomConvex(ball_support, 1e-15),
          bumpy_ball().solid(),
          bumpy_ball(),
          hills()};
}

/// What they meet.
std::vector<Shape> other_shapes() {
  std::vector<Shape> shapes = inner_shapes();
  shapes.insert(shapes.end(), {Sphere{0.4}, Capsule{0.2, 1}, HalfSpace{{0, 0.1, 1}, -0.2}, Plane{{1, 0, 0.2}, 0.1},
                               Compound({{Box{{0.5, 0.5, 0.5}}, at(0.3, 0, 0)}, {Sphere{0.3}, at(-0.4, 0, 0)}}),
                               SphereSet(std::vector<Vector3>{{0, 0, 0}, {0.4, 0, 0}}, std::vector<double>{0.5, 0.25}),
                               sphere_body()});
  return shapes;
}

// --- which shape it is ---------------------------------------------------------------------------------------------

TEST(Rounded, OfARoundShapeIsAShapeOfTheSameKind) {
  EXPECT_EQ(rounded(Sphere{1}, 0.5).as<Sphere>()->radius, 1.5);
  EXPECT_EQ(rounded(Capsule{1, 3}, 0.5).as<Capsule>()->radius, 1.5);
  EXPECT_EQ(rounded(Capsule{1, 3}, 0.5).as<Capsule>()->length, 3);
  const Shape ground = rounded(HalfSpace{{0, 0, 2}, 1}, 0.5);
  EXPECT_EQ(ground.as<HalfSpace>()->offset, 2);
  EXPECT_EQ(ground.as<HalfSpace>()->normal, Vector3(0, 0, 2));
  const Shape set = rounded(SphereSet(std::vector<Vector3>{{1, 2, 3}}, std::vector<double>{0.25}), 0.5);
  EXPECT_EQ(set.as<SphereSet>()->radius(0), 0.75);
  EXPECT_EQ(set.as<SphereSet>()->center(0), Vector3(1, 2, 3));
}

TEST(Rounded, KeepsTheShapeAndTheRadius) {
  const Shape once = rounded(Box{{1, 2, 3}}, 0.25);
  EXPECT_EQ(name(once.kind()), "rounded convex shape");
  ASSERT_TRUE(unrounded(once));
  EXPECT_EQ(unrounded(once)->shape.as<Box>()->size, Vector3(1, 2, 3));
  EXPECT_EQ(unrounded(once)->radius, 0.25);
  const Shape twice = rounded(once, 0.5);
  EXPECT_EQ(unrounded(twice)->shape.kind(), ShapeKind::box);
  EXPECT_EQ(unrounded(twice)->radius, 0.75);
  EXPECT_FALSE(unrounded(Box{{1, 2, 3}}));
  EXPECT_FALSE(unrounded(rounded(Sphere{1}, 1)));

  EXPECT_EQ(rounded(Box{{1, 2, 3}}, 0).kind(), ShapeKind::box);
  EXPECT_EQ(unrounded(rounded(once, 0))->radius, 0.25);

  const Shape skin = rounded(bumpy_ball(), 0.1);
  EXPECT_EQ(name(skin.kind()), "rounded surface");
  EXPECT_EQ(unrounded(skin)->shape.kind(), ShapeKind::mesh);
  EXPECT_FALSE(skin.has_support());
  const Shape body = sphere_body();
  EXPECT_EQ(unrounded(rounded(body, 0.1))->shape.kind(), ShapeKind::mesh);

  const Shape both = rounded(Compound({{Sphere{1}, at(1, 0, 0)}, {Box{{1, 1, 1}}, at(0, 1, 0)}}), 0.5);
  const auto parts = both.as<Compound>()->parts();
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].shape.as<Sphere>()->radius, 1.5);
  EXPECT_EQ(parts[0].pose.translation(), Vector3(1, 0, 0));
  EXPECT_EQ(unrounded(parts[1].shape)->radius, 0.5);
}

TEST(Rounded, RefusesBadRadii) {
  const Box box{{1, 1, 1}};
  EXPECT_NE(error_of([&] { rounded(box, -1); }).find("negative"), std::string::npos);
  EXPECT_NE(error_of([&] { rounded(box, std::nan("")); }).find("NaN"), std::string::npos);
  EXPECT_NE(error_of([&] { rounded(box, inf); }).find("infinite"), std::string::npos);
  EXPECT_NE(error_of([&] { rounded(box, 2e90); }).find("1e90"), std::string::npos);
  EXPECT_NE(error_of([&] { rounded(rounded(box, 7e89), 7e89); }).find("1e90"), std::string::npos);
  EXPECT_NE(error_of([&] { rounded(Sphere{7e89}, 7e89); }).find("1e90"), std::string::npos);
}

TEST(Rounded, SupportAndBoundsReachOutByTheRadius) {
  auto random = seeded(901);
  for (const Shape& inner : inner_shapes()) {
    const Shape shape = rounded(inner, 0.3);
    EXPECT_EQ(shape.has_support(), inner.has_support());
    EXPECT_FALSE(shape.is_unbounded());
    for (std::size_t i = 0; i < cases(20); ++i) {
      const Vector3 direction = test::scenes::unit_vector(random);
      if (inner.has_support()) {
        const Vector3 far = shape.support(direction);
        EXPECT_NEAR(direction.dot(far), direction.dot(inner.support(direction)) + 0.3, 1e-14);
        EXPECT_NEAR(distance(inner, {Sphere{0}, Pose(far)}).upper, 0.3, 1e-12);
      }
      const Pose pose = random_pose(random, 2);
      const Aabb box = shape.bounds(pose), core = inner.bounds(pose);
      EXPECT_TRUE(((core.lower - box.lower).array() >= 0.3).all());
      EXPECT_TRUE(((box.upper - core.upper).array() >= 0.3).all());
      EXPECT_TRUE(((core.lower - box.lower).array() <= 0.3 + 1e-14).all());
      EXPECT_TRUE(((box.upper - core.upper).array() <= 0.3 + 1e-14).all());
    }
  }
  EXPECT_THROW(rounded(bumpy_ball(), 1).support(Vector3::UnitX()), Error);
}

// --- volume and centroid -------------------------------------------------------------------------------------------

/// Volume and centroid of a shape by points on a grid that is moved at random.
struct Sampled {
  double volume = 0;
  Vector3 centroid = Vector3::Zero();

  Sampled(const Shape& inner, double radius, int n, std::mt19937_64& random) {
    Aabb box = inner.bounds();
    box.lower.array() -= radius;
    box.upper.array() += radius;
    const Vector3 step = (box.upper - box.lower) / n;
    std::size_t count = 0;
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        for (int k = 0; k < n; ++k) {
          const Vector3 in_cell(uniform(random, 0, 1), uniform(random, 0, 1), uniform(random, 0, 1));
          const Vector3 p = box.lower + step.cwiseProduct(Vector3(i, j, k) + in_cell);
          if (!closer_than(inner, {Sphere{0}, Pose(p)}, radius)) continue;
          ++count;
          centroid += (p - centroid) / static_cast<double>(count);
        }
      }
    }
    volume = step.prod() * static_cast<double>(count);
  }
};

TEST(Rounded, VolumeAndCentroidAreThoseOfSamples) {
  auto random = seeded(902);
  const std::vector<Vector3> flat = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 0.5, 0}};
  for (const Shape& inner : {Shape(Box{{1, 0.5, 1.5}}), Shape(Segment{{0, 0, 0}, {1, 1, 0}}),
                             Shape(Triangle{{0, 0, 0}, {1, 0.2, 0}, {0.1, 0.8, 0.3}}), Shape(Cylinder{0.5, 1}),
                             Shape(Cone{0.6, 1.2}), Shape(tetrahedron()), Shape(ConvexHull(flat))}) {
    for (const double radius : {0.2, 1.0}) {
      const Shape shape = rounded(inner, radius);
      const Sampled sampled(inner, radius, 40, random);
      EXPECT_NEAR(shape.volume(), sampled.volume, 0.01 * sampled.volume) << name(inner.kind());
      EXPECT_LT((shape.centroid() - sampled.centroid).norm(), 0.005) << name(inner.kind());
    }
  }
}

TEST(Rounded, VolumeHasTheClosedForm) {
  constexpr double pi = std::numbers::pi;
  EXPECT_NEAR(rounded(Box{{1, 2, 3}}, 0.5).volume(), 6 + 22 * 0.5 + pi * 6 * 0.25 + 4 * pi / 3 * 0.125, 1e-13);
  std::vector<Vector3> corners;
  for (int i = 0; i < 8; ++i)
    corners.emplace_back(i & 1 ? 0.5 : -0.5, i & 2 ? 1 : -1, i & 4 ? 1.5 : -1.5);
  const Shape box = rounded(Box{{1, 2, 3}}, 0.7), hull = rounded(ConvexHull(corners), 0.7);
  EXPECT_NEAR(hull.volume(), box.volume(), 1e-12);
  EXPECT_LT(hull.centroid().norm(), 1e-14);
  const Vector3 a(1, 2, 3), b(1, 2, 5);
  const Shape rod = rounded(Segment{a, b}, 0.25);
  EXPECT_NEAR(rod.volume(), Shape(Capsule{0.25, 2}).volume(), 1e-14);
  EXPECT_LT((rod.centroid() - Vector3(1, 2, 4)).norm(), 1e-14);
  // Triangles and hulls without area or length.
  const double ball = Shape(Sphere{0.25}).volume();
  EXPECT_NEAR(rounded(Triangle{a, b, b}, 0.25).volume(), rod.volume(), 1e-14);
  EXPECT_LT((rounded(Triangle{a, b, b}, 0.25).centroid() - Vector3(1, 2, 4)).norm(), 1e-14);
  EXPECT_NEAR(rounded(Triangle{a, a, a}, 0.25).volume(), ball, 1e-15);
  EXPECT_NEAR(rounded(ConvexHull(std::vector<Vector3>{a}), 0.25).volume(), ball, 1e-15);
  EXPECT_NEAR(rounded(ConvexHull(std::vector<Vector3>{a, b}), 0.25).volume(), rod.volume(), 1e-14);
  EXPECT_TRUE(std::isfinite(rounded(Box{{1e90, 1e90, 1e90}}, 1e90).volume()));
  EXPECT_TRUE(rounded(Triangle{{1e90, 0, 0}, {0, 1e90, 0}, {0, 0, 1e90}}, 1e90).centroid().allFinite());
  // Compounds sum up.
  const Compound two({{Box{{1, 2, 3}}, at(5, 0, 0)}, {Sphere{0.5}, {}}});
  EXPECT_NEAR(rounded(two, 0.5).volume(), rounded(Box{{1, 2, 3}}, 0.5).volume() + Shape(Sphere{1}).volume(), 1e-12);
}

TEST(Rounded, VolumeWithoutAClosedFormIsAnError) {
  EXPECT_NEAR(rounded(Ellipsoid{{2, 2, 2}}, 1).volume(), Shape(Sphere{3}).volume(), 1e-12);
  EXPECT_EQ(rounded(Ellipsoid{{1, 2, 3}}, 1).centroid(), Vector3::Zero());
  EXPECT_NE(error_of([] { rounded(bumpy_ball(), 1).volume(); }).find("mesh"), std::string::npos);
  EXPECT_NE(error_of([] { rounded(bumpy_ball(), 1).centroid(); }).find("centroid"), std::string::npos);
  EXPECT_NE(error_of([] { rounded(CustomConvex(ball_support), 1).volume(); }).find("custom"), std::string::npos);
}

// --- convex shapes, to a hundred digits ----------------------------------------------------------------------------

/// Bounds are that wide at most, in units of the largest coordinate of the scene.
constexpr double rounding = 0x1p-44;

struct RoundedPair {
  test::Scene scene;
  double radius_a = 0, radius_b = 0;

  Shape a() const { return rounded(shape_of(scene.a), radius_a); }
  Shape b() const { return rounded(shape_of(scene.b), radius_b); }
  PlacedSet<Real> set_a() const { return with_radius(scene.a, scene.pose_a, radius_a); }
  PlacedSet<Real> set_b() const { return with_radius(scene.b, scene.pose_b, radius_b); }

  static PlacedSet<Real> with_radius(const test::SimpleShape& shape, const Pose& pose, double radius) {
    PlacedSet<Real> set = test::place_set<Real>(shape, pose);
    set.radius += Real(radius);
    return set;
  }
};

double size_of(const RoundedPair& pair) {
  return test::largest_coordinate_of(pair.set_a()).convert_to<double>() +
         test::largest_coordinate_of(pair.set_b()).convert_to<double>();
}

/// Box, segment or triangle, rounded, with every simple shape, which is rounded too if it is one of these.
template <class Check>
void each_pair(unsigned seed, std::size_t count, const Check& check) {
  auto random = seeded(seed);
  const std::size_t round_kinds[] = {2, 5, 6};
  for (std::size_t i = 0; i < cases(count); ++i) {
    const std::size_t kind_a = round_kinds[i % 3], kind_b = i / 3 % 7;
    RoundedPair pair;
    pair.scene = test::make_scene(random, kind_a, kind_b, static_cast<Family>(i % test::family_count));
    const double gap = test::gap(test::place_set<Real>(pair.scene.a, pair.scene.pose_a),
                                 test::place_set<Real>(pair.scene.b, pair.scene.pose_b))
                           .value.convert_to<double>();
    const double size = size_of(pair);
    switch (i / 5 % 5) {
      case 0:  // as large as the gap, up to a bit
        pair.radius_a = gap > 0 ? gap : size;
        break;
      case 1:
        pair.radius_a = std::abs(gap) * uniform(random, 0, 2);
        break;
      case 2:
        pair.radius_a = size * uniform(random, 0, 1);
        break;
      case 3:
        pair.radius_a = size * 1e-12;
        break;
      default:
        pair.radius_a = size * 1e6;
    }
    if (!(pair.radius_a < 1e89)) continue;
    if ((kind_b == 2 || kind_b > 4) && test::scenes::chance(random, 2))
      pair.radius_b = pair.radius_a * uniform(random, 0, 1);
    check(pair);
  }
}

TEST(RoundedConvex, DistanceContainsTheTruth) {
  int apart = 0, touching = 0;
  each_pair(903, 1500, [&](const RoundedPair& pair) {
    const Shape a = pair.a(), b = pair.b();
    const Real gap = test::gap(pair.set_a(), pair.set_b()).value;
    const double truth = std::max(0.0, gap.convert_to<double>()), size = size_of(pair);
    const Placed at_a(a, pair.scene.pose_a), at_b(b, pair.scene.pose_b);
    const Distance d = distance(at_a, at_b);
    EXPECT_LE(d.lower, truth * (1 + 1e-15));
    EXPECT_GE(d.upper, truth * (1 - 1e-15));
    EXPECT_LE(d.upper - d.lower, rounding * size + 1e-9 * truth) << name(pair.scene.family);
    EXPECT_EQ(touches(at_a, at_b), !(d.lower > 0));
    if (gap <= 0) {
      EXPECT_TRUE(touches(at_a, at_b));
    }
    (d.lower > 0 ? apart : touching) += 1;
    // The points belong to the shapes and are as far apart as they say.
    EXPECT_NEAR((d.point_b - d.point_a).norm(), d.upper, 4 * rounding * size + 1e-9 * truth);
    PlacedSet<Real> point = PlacedSet<Real>::point(test::exactly<Real>(d.point_a));
    EXPECT_LE(test::gap(pair.set_a(), point).value, Real(0x1p-38 * size)) << name(pair.scene.family);
    point = PlacedSet<Real>::point(test::exactly<Real>(d.point_b));
    EXPECT_LE(test::gap(pair.set_b(), point).value, Real(0x1p-38 * size)) << name(pair.scene.family);
    // In the other order.
    const Distance other = distance(at_b, at_a);
    EXPECT_EQ(other.lower, d.lower);
    EXPECT_EQ(other.upper, d.upper);
    EXPECT_EQ(other.normal, -d.normal);
    EXPECT_EQ(other.point_a, d.point_b);
  });
  EXPECT_GT(apart, 100);
  EXPECT_GT(touching, 100);
}

TEST(RoundedConvex, DepthContainsTheTruth) {
  int deep = 0;
  each_pair(904, 1000, [&](const RoundedPair& pair) {
    const Shape a = pair.a(), b = pair.b();
    const Real gap = test::gap(pair.set_a(), pair.set_b()).value;
    const double truth = std::max(0.0, -gap.convert_to<double>()), size = size_of(pair);
    const Placed at_a(a, pair.scene.pose_a), at_b(b, pair.scene.pose_b);
    const Depth d = depth(at_a, at_b);
    EXPECT_LE(d.lower, truth * (1 + 1e-15));
    EXPECT_GE(d.upper, truth * (1 - 1e-15));
    EXPECT_LE(d.upper - d.lower, rounding * size + 1e-9 * truth) << name(pair.scene.family);
    if (!(d.upper > 0)) return;
    ++deep;
    PlacedSet<Real> moved_b = pair.set_b();
    moved_b.translate(Real(d.upper) * test::exactly<Real>(d.normal));
    EXPECT_GE(test::gap(pair.set_a(), moved_b).value, Real(-4 * rounding * size)) << name(pair.scene.family);
    EXPECT_LT((d.point_a - d.point_b - d.normal * d.upper).norm(), 0x1p-40 * size);
    const Depth other = depth(at_b, at_a);
    EXPECT_EQ(other.lower, d.lower);
    EXPECT_EQ(other.upper, d.upper);
    if (other.normal == -d.normal) return;
    // Shapes about the same center leave each other either way.
    moved_b = pair.set_b();
    moved_b.translate(Real(-d.upper) * test::exactly<Real>(d.normal));
    EXPECT_EQ(other.normal, d.normal);
    EXPECT_GE(test::gap(pair.set_a(), moved_b).value, Real(-4 * rounding * size)) << name(pair.scene.family);
  });
  EXPECT_GT(deep, 300);
}

TEST(RoundedConvex, SegmentIsACapsule) {
  auto random = seeded(905);
  const Shape rod = rounded(Segment{{0, 0, -1}, {0, 0, 1}}, 0.4), capsule = Capsule{0.4, 2};
  const std::vector<Shape> others = other_shapes();
  for (std::size_t i = 0; i < cases(20) * others.size(); ++i) {
    const Shape& other = others[i % others.size()];
    const Pose pose = random_pose(random, 1), place = random_pose(random, 2);
    const Distance is = distance({rod, pose}, {other, place}), as = distance({capsule, pose}, {other, place});
    const double slack = 1e-12;
    EXPECT_LE(is.lower, as.upper + slack) << name(other.kind());
    EXPECT_GE(is.upper, as.lower - slack) << name(other.kind());
    EXPECT_LT(is.upper - is.lower, 1e-6 + slack) << name(other.kind());
    if (as.lower > 1e-9 || as.upper == 0) {
      EXPECT_EQ(touches({rod, pose}, {other, place}), as.upper == 0) << name(other.kind());
    }
    const Ray ray{place.translation() * 3, test::scenes::unit_vector(random) * 0.3 - place.translation()};
    const auto hit = cast_ray(ray, {rod, pose}), same = cast_ray(ray, {capsule, pose});
    ASSERT_EQ(hit.has_value(), same.has_value());
    if (!hit) continue;
    EXPECT_NEAR(hit->t, same->t, 1e-9);
    EXPECT_LE(hit->t_lower, same->t_upper);
    EXPECT_GE(hit->t_upper, same->t_lower);
    EXPECT_LT((hit->normal - same->normal).norm(), 1e-6);
    EXPECT_EQ(hit->inside, same->inside);
  }
}

TEST(RoundedConvex, CurvedShapesAreAsFarAsWithoutTheRadius) {
  auto random = seeded(906);
  const std::vector<Shape> shapes = inner_shapes();
  int apart = 0, shallow = 0, deep = 0;
  for (std::size_t i = 0; i < 8 * 8 * cases(6); ++i) {
    const Shape &inner_a = shapes[i % 8], &inner_b = shapes[i / 8 % 8];
    const double radius_a = uniform(random, 0, 0.5), radius_b = i % 3 == 0 ? 0 : uniform(random, 0, 0.5);
    const Shape a = rounded(inner_a, radius_a), b = rounded(inner_b, radius_b);
    const Pose pose_a = random_pose(random, 1), pose_b = random_pose(random, 1.5);
    const Distance inner = distance({inner_a, pose_a}, {inner_b, pose_b}), d = distance({a, pose_a}, {b, pose_b});
    const double radii = radius_a + radius_b, slack = 1e-12;
    EXPECT_LE(d.lower, std::max(0.0, inner.upper - radii) + slack);
    EXPECT_GE(d.upper, std::max(0.0, inner.lower - radii) - slack);
    EXPECT_LT(d.upper - d.lower, 1e-7);
    EXPECT_EQ(touches({a, pose_a}, {b, pose_b}), !(d.lower > 0));
    EXPECT_EQ(closer_than({a, pose_a}, {b, pose_b}, d.upper + 1e-6), true);
    if (d.lower > 1e-5) {
      EXPECT_EQ(closer_than({a, pose_a}, {b, pose_b}, d.lower - 1e-6), false);
    }
    const Depth out = depth({a, pose_a}, {b, pose_b});
    if (inner.lower > radii + slack) {
      ++apart;
      EXPECT_EQ(out.upper, 0);
      continue;
    }
    Depth core;
    if (inner.upper == 0) core = depth({inner_a, pose_a}, {inner_b, pose_b});
    (inner.upper == 0 ? deep : shallow) += 1;
    const double least = inner.upper == 0 ? core.lower + radii : radii - inner.upper;
    const double most = inner.upper == 0 ? core.upper + radii : radii - inner.lower;
    EXPECT_LE(out.lower, most + slack);
    EXPECT_GE(out.upper, std::max(0.0, least) - slack);
    EXPECT_LE(out.upper - out.lower, 3e-6 * out.upper + slack) << name(inner_a.kind()) << name(inner_b.kind());
    EXPECT_LE(distance({a, pose_a}, {b, moved(pose_b, out.normal * (out.upper - 1e-5))}).lower, 0) << out.upper;
    EXPECT_GE(distance({a, pose_a}, {b, moved(pose_b, out.normal * (out.upper + 1e-9))}).upper, 1e-10);
    EXPECT_LT((out.point_a - out.point_b - out.normal * out.upper).norm(), 1e-9);
    EXPECT_LT(distance({a, pose_a}, {Sphere{0}, Pose(out.point_a)}).lower, 1e-8);
    EXPECT_LT(distance({b, pose_b}, {Sphere{0}, Pose(out.point_b)}).lower, 1e-8);
  }
  EXPECT_GT(apart, 20);
  EXPECT_GT(shallow, 20);
  EXPECT_GT(deep, 20);
}

TEST(RoundedConvex, TouchesAtARadiusOfExactlyTheGap) {
  const Box box{{2, 2, 2}};
  for (const double scale : {1.0, 0x1p-290, 0x1p280}) {
    const Shape a = rounded(Box{box.size * scale}, scale), b = rounded(Box{box.size * scale}, 2 * scale);
    const Pose beside = at(5 * scale, 0, 0);  // a gap of 3
    EXPECT_TRUE(touches(a, {b, beside}));
    EXPECT_EQ(distance(a, {b, beside}).lower, 0);
    EXPECT_NEAR(distance(a, {b, beside}).upper, 0, 1e-14 * scale);
    EXPECT_NEAR(depth(a, {b, beside}).upper, 0, 1e-13 * scale);
    const Pose farther = at(5 * scale * (1 + 1e-14), 0, 0);
    EXPECT_FALSE(touches(a, {b, farther}));
    EXPECT_GT(distance(a, {b, farther}).lower, 0);
  }
  // A radius far below the rounding of everything else, and one that hides the shape.
  EXPECT_FALSE(touches(rounded(box, 1e-300), {box, at(3, 0, 0)}));
  EXPECT_TRUE(touches(rounded(box, 1e-300), {box, at(2, 0, 0)}));
  EXPECT_TRUE(touches(rounded(box, 1e90), {box, at(1e89, 0, 0)}));
  EXPECT_NEAR(depth(rounded(box, 1e90), {box, at(1e89, 0, 0)}).upper, 9e89, 1e76);
}

TEST(RoundedConvex, WarmStartsDoNotChangeAnswers) {
  auto random = seeded(907);
  const Shape a = rounded(Cylinder{0.5, 1}, 0.2), b = rounded(tetrahedron(), 0.3);
  PairCache cache;
  Pose pose = at(0.5, 0.3, 0.2);
  for (std::size_t i = 0; i < cases(200); ++i) {
    pose = Pose(pose.rotation(), pose.translation() + 0.1 * test::scenes::unit_vector(random));
    EXPECT_EQ(touches(a, {b, pose}, {.cache = &cache}), touches(a, {b, pose}));
    const Distance warm = distance(a, {b, pose}, {.cache = &cache}), cold = distance(a, {b, pose});
    EXPECT_NEAR(warm.upper, cold.upper, 1e-9);
    EXPECT_EQ(warm.lower > 0, cold.lower > 0);
    const Depth deep = depth(a, {b, pose}, {.cache = &cache});
    EXPECT_NEAR(deep.upper, depth(a, {b, pose}).upper, 1e-5);
  }
}

TEST(RoundedConvex, ManifoldOfARoundedBoxOnTheGround) {
  // The flat part of the bottom, 2 by 1, is 0.25 below the box.
  const Shape block = rounded(Box{{2, 1, 1}}, 0.25);
  for (const Shape& ground : {Shape(HalfSpace{{0, 0, 1}, 0}), Shape(Box{{8, 8, 2}}), rounded(Box{{8, 8, 1.5}}, 0.25)}) {
    const Pose below = ground.kind() == ShapeKind::half_space ? Pose() : at(0, 0, -1);
    const ContactManifold manifold = contact_manifold({block, at(0, 0, 0.7)}, {ground, below});
    ASSERT_EQ(manifold.count, 4u) << name(ground.kind());
    EXPECT_NEAR(manifold.lower, -0.05, 1e-12);
    EXPECT_NEAR(manifold.upper, -0.05, 1e-12);
    EXPECT_LT((manifold.normal + Vector3::UnitZ()).norm(), 1e-12);
    for (std::size_t i = 0; i < manifold.count; ++i) {
      const ManifoldPoint& p = manifold.storage[i];
      EXPECT_NEAR(std::abs(p.point_a.x()), 1, 1e-9);
      EXPECT_NEAR(std::abs(p.point_a.y()), 0.5, 1e-9);
      EXPECT_NEAR(p.point_a.z(), -0.05, 1e-12);
      EXPECT_NEAR(p.point_b.z(), 0, 1e-12);
      EXPECT_NEAR(p.gap, -0.05, 1e-12);
    }
  }
  // Distances and depths return the middle of what is shared.
  const Distance gap = distance({block, at(0.3, 0.2, 1.5)}, Box{{8, 8, 1}});
  EXPECT_NEAR(gap.upper, 0.25, 1e-12);
  EXPECT_LT((gap.point_a - Vector3(0.3, 0.2, 0.75)).norm(), 1e-9);
  EXPECT_LT((gap.point_b - Vector3(0.3, 0.2, 0.5)).norm(), 1e-9);
  const Depth deep = depth({block, at(0.3, 0.2, 1.2)}, Box{{8, 8, 1}});
  EXPECT_NEAR(deep.upper, 0.05, 1e-12);
  EXPECT_LT((deep.point_a - Vector3(0.3, 0.2, 0.45)).norm(), 1e-9);
}

// --- meshes and height fields --------------------------------------------------------------------------------------

/// The triangles of a mesh or height field, in the world.
std::vector<Triangle> triangles_of(const Shape& shape, const Pose& pose) {
  std::vector<Triangle> triangles;
  const auto add = [&](const Triangle& t) {
    triangles.push_back({place(pose, t.a), place(pose, t.b), place(pose, t.c)});
  };
  if (const auto* mesh = shape.as<Mesh>()) {
    for (std::size_t i = 0; i < mesh->triangle_count(); ++i)
      add(mesh->triangle(i));
  } else if (const auto* field = shape.as<HeightField>()) {
    for (std::size_t i = 0; i < field->triangle_count(); ++i)
      add(field->triangle(i));
  }
  return triangles;
}

TEST(RoundedSurface, ContactsAreAllTrianglesWithinTheRadii) {
  auto random = seeded(908);
  const std::vector<Shape> others = {Sphere{0.4},
                                     Box{{1, 0.5, 1.5}},
                                     Cylinder{0.5, 1},
                                     tetrahedron(),
                                     bumpy_ball(),
                                     hills(),
                                     Plane{{1, 0, 0.2}, 0.1},
                                     Capsule{0.2, 1},
                                     HalfSpace{{0, 0.1, 1}, -0.2}};
  std::size_t found = 0;
  for (std::size_t i = 0; i < 2 * others.size() * cases(2); ++i) {
    const Shape inner_a = i % 2 == 0 ? Shape(bumpy_ball()) : Shape(hills());
    const Shape& inner_b = others[i / 2 % others.size()];
    const double radius_a = uniform(random, 0.01, 0.2);
    const bool is_flat = inner_b.is_unbounded();
    const double radius_b = is_flat || i % 3 == 0 ? 0 : uniform(random, 0.01, 0.2), radii = radius_a + radius_b;
    const Shape a = rounded(inner_a, radius_a), b = rounded(inner_b, radius_b);
    const Pose pose_a = random_pose(random, 1), pose_b = random_pose(random, 1);
    const Contacts contacts_ab = contacts({a, pose_a}, {b, pose_b});
    const std::vector<Triangle> of_a = triangles_of(inner_a, pose_a), of_b = triangles_of(inner_b, pose_b);
    std::vector<std::pair<std::size_t, std::size_t>> near, maybe, got;
    for (std::size_t k = 0; k < of_a.size(); ++k) {
      const auto look = [&](const Placed& other, std::size_t number) {
        const Distance d = distance(of_a[k], other);
        if (d.upper < radii - 1e-9) near.emplace_back(k, number);
        if (d.lower < radii + 1e-9) maybe.emplace_back(k, number);
      };
      if (of_b.empty()) look({inner_b, pose_b}, 0);
      for (std::size_t l = 0; l < of_b.size(); ++l)
        look(of_b[l], l);
    }
    for (const Contact& contact : contacts_ab.pairs) {
      got.emplace_back(contact.a.id, contact.b.id);
      EXPECT_EQ(contact.a.kind, FeatureKind::triangle);
      EXPECT_EQ(contact.b.kind, of_b.empty() ? FeatureKind::whole : FeatureKind::triangle);
      EXPECT_EQ(contact.segment.a, contact.segment.b);
      const Placed point(Sphere{0}, Pose(contact.segment.a));
      EXPECT_LT(distance(of_a[contact.a.id], point).lower, radius_a + 1e-9);
      const double off =
          of_b.empty() ? distance({inner_b, pose_b}, point).lower : distance(of_b[contact.b.id], point).lower;
      EXPECT_LT(off, radius_b + 1e-9);
    }
    std::sort(got.begin(), got.end());
    EXPECT_TRUE(std::adjacent_find(got.begin(), got.end()) == got.end());
    EXPECT_TRUE(std::includes(got.begin(), got.end(), near.begin(), near.end()));
    EXPECT_TRUE(std::includes(maybe.begin(), maybe.end(), got.begin(), got.end()));
    found += got.size();
    EXPECT_EQ(touches({a, pose_a}, {b, pose_b}), !got.empty());
    EXPECT_EQ(contacts({b, pose_b}, {a, pose_a}).pairs.size(), got.size());
    if (got.size() > 2) {
      const Contacts few = contacts({a, pose_a}, {b, pose_b}, {.max_count = 2, .segments = false});
      EXPECT_EQ(few.pairs.size(), 2u);
      EXPECT_EQ(few.stop, Stop::count);
      EXPECT_EQ(few.pairs[0].segment.a, Vector3::Zero());
    }
    // The distance is that of the nearest pair.
    double least = inf;
    if (of_b.empty() && !is_flat)
      for (const Triangle& t : of_a)
        least = std::min(least, distance(rounded(t, radius_a), {b, pose_b}).upper);
    const Distance d = distance({a, pose_a}, {b, pose_b});
    if (least < inf) {
      EXPECT_NEAR(d.upper, least, 1e-7);
      EXPECT_LE(d.lower, least);
    }
  }
  EXPECT_GT(found, 1000u);
}

TEST(RoundedSurface, AShapeInsideASolidIsOneContact) {
  const Shape solid = rounded(Mesh(box_mesh(4, 4, 4)).solid(), 0.1), ball = Sphere{0.5};
  const Contacts inside = contacts(solid, ball);
  ASSERT_EQ(inside.pairs.size(), 1u);
  EXPECT_EQ(inside.pairs[0].a, Feature());
  EXPECT_EQ(inside.pairs[0].b, Feature());
  EXPECT_LE(inside.pairs[0].segment.a.norm(), 0.5);
  // In a shell there is nothing.
  const Shape shell = rounded(Mesh(box_mesh(4, 4, 4)), 0.1);
  EXPECT_TRUE(contacts(shell, ball).pairs.empty());
  EXPECT_FALSE(touches(shell, ball));
  EXPECT_NEAR(distance(shell, ball).upper, 1.4, 1e-12);
  EXPECT_TRUE(touches(solid, ball));
}

/// Every rounded shape with every shape.
TEST(RoundedSurface, AllPairsOfKindsAgreeWithTheShapesWithoutRadii) {
  auto random = seeded(909);
  const std::vector<Shape> inner = inner_shapes(), others = other_shapes();
  std::size_t deep = 0, refused = 0;
  for (std::size_t i = 0; i < inner.size() * others.size() * cases(3); ++i) {
    const Shape& inner_a = inner[i % inner.size()];
    const Shape& b = others[i / inner.size() % others.size()];
    const double radius = uniform(random, 0.05, 0.4);
    const Shape a = rounded(inner_a, radius);
    const Pose pose_a = random_pose(random, 0.8), pose_b = random_pose(random, 1.2);
    const Placed at_a(a, pose_a), at_b(b, pose_b), core_a(inner_a, pose_a);
    const std::string what = std::string(name(inner_a.kind())) + " and " + std::string(name(b.kind()));
    const Distance core = distance(core_a, at_b), d = distance(at_a, at_b);
    EXPECT_LE(d.lower, d.upper) << what;
    EXPECT_LE(d.lower, std::max(0.0, core.upper - radius) + 1e-12) << what;
    EXPECT_GE(d.upper, std::max(0.0, core.lower - radius) - 1e-12) << what;
    EXPECT_LE(d.upper - d.lower, 1e-6) << what;
    if (std::abs(core.upper - radius) > 1e-6) {
      EXPECT_EQ(touches(at_a, at_b), closer_than(core_a, at_b, radius)) << what;
      EXPECT_EQ(touches(at_b, at_a), touches(at_a, at_b)) << what;
      EXPECT_EQ(contacts(at_a, at_b).pairs.empty(), !touches(at_a, at_b)) << what;
    }
    if (d.lower > 0) {
      EXPECT_NEAR((d.point_b - d.point_a).norm(), d.upper, 1e-6) << what;
      EXPECT_NEAR(d.normal.norm(), 1, 1e-12) << what;
      EXPECT_GT(d.normal.dot(d.point_b - d.point_a), 0.99 * d.upper) << what;
    }
    EXPECT_LT(distance(core_a, {Sphere{0}, Pose(d.point_a)}).lower, radius + 1e-6) << what;
    EXPECT_LT(distance(at_b, {Sphere{0}, Pose(d.point_b)}).lower, 1e-6) << what;
    const Distance other = distance(at_b, at_a);
    EXPECT_NEAR(other.upper, d.upper, 1e-9) << what;
    EXPECT_LE((other.normal + d.normal).norm(), 1e-4) << what;
    EXPECT_EQ(other.feature_a, d.feature_b) << what;
    EXPECT_EQ(other.feature_b, d.feature_a) << what;
    if (d.lower > 0) {
      EXPECT_EQ(d.feature_a, core.feature_a) << what;
    }
    EXPECT_TRUE(closer_than(at_a, at_b, d.upper + 1e-6)) << what;
    if (d.lower > 1e-5) {
      EXPECT_FALSE(closer_than(at_a, at_b, d.lower - 1e-6)) << what;
    }

    // Surfaces without an inside have no depth.
    Depth out;
    const std::string error = error_of([&] { out = depth(at_a, at_b); });
    if (error != "no error") {
      ++refused;
      const auto is_field = [](const Shape& s) { return s.kind() == ShapeKind::height_field; };
      const auto is_open = [](const Shape& s) { return s.as<Mesh>() != nullptr && !s.as<Mesh>()->is_solid(); };
      EXPECT_TRUE(is_field(inner_a) || is_field(b) || is_open(b)) << what << ": " << error;
      continue;
    }
    EXPECT_LE(out.lower, out.upper) << what;
    if (d.lower > 0) {
      EXPECT_EQ(out.upper, 0) << what;
    }
    if (core.upper < radius - 1e-9) {
      EXPECT_GE(out.lower, radius - core.upper - 1e-6) << what;
    }
    if (!(out.upper > 0) || !std::isfinite(out.upper)) continue;
    ++deep;
    EXPECT_NEAR(out.normal.norm(), 1, 1e-12) << what;
    const Placed gone(b, moved(pose_b, out.normal * (out.upper + 1e-9)));
    EXPECT_GE(distance(core_a, gone).upper, radius) << what;
    EXPECT_EQ(depth(at_a, gone).lower, 0) << what;
    EXPECT_LT((out.point_a - out.point_b - out.normal * out.upper).norm(), 1e-5) << what;
    const Depth back = depth(at_b, at_a);
    EXPECT_LE(back.lower, out.upper) << what;
    EXPECT_GE(back.upper, out.lower) << what;
  }
  EXPECT_GT(deep, 100u);
  EXPECT_EQ(refused, 0u);
}

TEST(RoundedSurface, DepthOfConvexSolidsIsExact) {
  auto random = seeded(910);
  const Mesh cube = Mesh(box_mesh(2, 2, 2)).solid();
  for (std::size_t i = 0; i < cases(60); ++i) {
    const double radius = uniform(random, 0.01, 0.5);
    const Shape as_mesh = rounded(cube, radius), as_box = rounded(Box{{2, 2, 2}}, radius);
    const Shape b = i % 2 == 0 ? Shape(Box{{1, 1, 1}}) : Shape(Sphere{0.5});
    const Pose pose = random_pose(random, 1), place = random_pose(random, 1.5);
    const Depth mesh = depth({as_mesh, pose}, {b, place}), box = depth({as_box, pose}, {b, place});
    EXPECT_LE(mesh.lower, box.upper + 1e-12);
    EXPECT_GE(mesh.upper, box.lower - 1e-12);
    EXPECT_LT(mesh.upper - mesh.lower, 1e-8) << mesh.upper;
    EXPECT_EQ(mesh.stop, Stop::exact);
  }
}

TEST(RoundedSurface, SignedDistancesTellTheTriangleBelowThePoint) {
  auto random = seeded(916);
  std::size_t deep = 0, apart = 0;
  for (std::size_t i = 0; i < cases(120); ++i) {
    const double radius = uniform(random, 0.05, 0.3);
    const HeightField field = hills();
    const std::vector<Shape> inner = {bumpy_ball().solid(), bumpy_ball(), field, ground(field)};
    const Shape& core = inner[i % inner.size()];
    const Shape b = i / 4 % 2 == 0 ? Shape(Sphere{0.3}) : Shape(Box{{0.5, 0.4, 0.6}});
    const Pose pose_a = random_pose(random, 0.5), pose_b = random_pose(random, 1.2);
    const Shape a = rounded(core, radius);
    const Placed at_a(a, pose_a), at_b(b, pose_b);
    const Distance s = signed_distance(at_a, at_b), back = signed_distance(at_b, at_a);
    EXPECT_EQ(back.feature_b, s.feature_a);
    EXPECT_EQ(s.feature_b, Feature());
    if (s.normal.isZero(0)) continue;
    (s.upper < 0 ? deep : apart) += 1;
    const bool is_ground = surface_of_ground(core).has_value();
    const std::vector<Triangle> triangles = triangles_of(is_ground ? Shape(field) : core, pose_a);
    const Placed point(Sphere{0}, Pose(s.point_a));
    if (is_ground && s.feature_a == Feature()) {
      // At a wall: no triangle is as near as the radius.
      EXPECT_GT(distance({field, pose_a}, point).lower, radius + 1e-9);
      continue;
    }
    ASSERT_EQ(s.feature_a.kind, FeatureKind::triangle) << name(core.kind());
    EXPECT_NEAR(distance(triangles[s.feature_a.id], point).upper, radius, 1e-5) << name(core.kind());
  }
  EXPECT_GT(deep, cases(120) / 8);
  EXPECT_GT(apart, cases(120) / 8);
}

TEST(RoundedSurface, DepthOfAShellIsTheWayOutOfItsWall) {
  // A wall in the plane z = 0, 0.2 thick, and a ball whose center is in it.
  const std::vector<Vector3> corners = {{-5, -5, 0}, {5, -5, 0}, {5, 5, 0}, {-5, 5, 0}};
  const Mesh wall(MeshData{corners, {{0, 1, 2}, {0, 2, 3}}});
  const Shape thick = rounded(wall, 0.1);
  const Depth out = depth(thick, {Sphere{0.5}, at(0.3, 0.2, 0)});
  EXPECT_NEAR(out.lower, 0.6, 1e-9);
  EXPECT_NEAR(out.upper, 0.6, 1e-9);
  EXPECT_NEAR(std::abs(out.normal.z()), 1, 1e-9);
  const Depth shallow = depth(thick, {Sphere{0.5}, at(0.3, 0.2, 0.55)});
  EXPECT_NEAR(shallow.lower, 0.05, 1e-12);
  EXPECT_NEAR(shallow.upper, 0.05, 1e-9);
  EXPECT_NEAR(shallow.normal.z(), 1, 1e-9);
}

TEST(RoundedSurface, WallsOfAGroundAreRoundedToo) {
  // A block of ground with x and y from 0 to 4: the nearest way out is through the wall at x = 0.
  const HeightField flat(std::vector<double>(9, 0.0), 3, 3, 2, 2);
  const Shape ground = rounded(whisker::ground(flat), 0.25);
  for (const Shape& b : {Shape(Sphere{0.5}), Shape(Box{{1, 1, 1}}), rounded(Box{{0.5, 0.5, 0.5}}, 0.25)}) {
    const Depth out = depth(ground, {b, at(0.3, 2, -10)});
    EXPECT_NEAR(out.lower, 1.05, 1e-9) << name(b.kind());
    EXPECT_NEAR(out.upper, 1.05, 1e-6) << name(b.kind());
    EXPECT_LT((out.normal + Vector3::UnitX()).norm(), 1e-6) << name(b.kind());
    EXPECT_LT((out.point_a - out.point_b - out.normal * out.upper).norm(), 1e-6) << name(b.kind());
    // Beside the wall, within the radius and beyond it.
    EXPECT_NEAR(depth(ground, {b, at(-0.6, 2, -10)}).upper, 0.15, 1e-6) << name(b.kind());
    EXPECT_EQ(depth(ground, {b, at(-0.76, 2, -10)}).upper, 0) << name(b.kind());
  }
}

TEST(RoundedSurface, DepthInAGroundIsMeasuredFromTheRaisedGround) {
  const HeightField flat(std::vector<double>(25, 0.0), 5, 5, 10, 10);
  const Shape ground = rounded(whisker::ground(flat), 0.25);
  const Depth deep = depth(ground, {Sphere{0.5}, at(20, 20, -3)});
  EXPECT_NEAR(deep.lower, 3.75, 1e-9);
  EXPECT_NEAR(deep.upper, 3.75, 1e-9);
  EXPECT_NEAR(deep.normal.z(), 1, 1e-9);
  EXPECT_TRUE(touches(ground, {Sphere{0.5}, at(20, 20, -3)}));
  EXPECT_NEAR(depth(ground, {Sphere{0.5}, at(20, 20, 0.7)}).upper, 0.05, 1e-9);
  EXPECT_EQ(depth(ground, {Sphere{0.5}, at(20, 20, 0.8)}).upper, 0);
  const Depth part = depth(Compound({{ground, {}}}), {Sphere{0.5}, at(20, 20, -3)});
  EXPECT_NEAR(part.lower, 3.75, 1e-9);
  EXPECT_NEAR(part.upper, 3.75, 1e-6);
}

TEST(RoundedSurface, ARoundedHeightFieldIsAShell) {
  const HeightField flat(std::vector<double>(25, 0.0), 5, 5, 10, 10);
  const Shape shell = rounded(flat, 0.25);
  EXPECT_FALSE(touches(shell, {Sphere{0.5}, at(20, 20, -3)}));
  EXPECT_EQ(depth(shell, {Sphere{0.5}, at(20, 20, -3)}).upper, 0);
  for (const double side : {-1.0, 1.0}) {
    const Depth out = depth(shell, {Sphere{0.5}, at(21, 22, side * 0.7)});
    EXPECT_NEAR(out.upper, 0.05, 1e-9);
    EXPECT_NEAR(out.lower, 0.05, 1e-9);
    EXPECT_NEAR(out.normal.z(), side, 1e-9);
  }
}

// --- slabs ---------------------------------------------------------------------------------------------------------

TEST(RoundedPlane, IsABoxWithoutEnd) {
  auto random = seeded(931);
  std::size_t deep = 0, apart = 0, hits = 0;
  const std::vector<Shape> others = other_shapes();
  for (std::size_t i = 0; i < others.size() * cases(8); ++i) {
    const Shape& b = others[i % others.size()];
    if (b.is_unbounded()) continue;
    const double radius = uniform(random, 0.05, 0.6), offset = uniform(random, -1, 1);
    const Shape slab = rounded(Plane{{0, 0, 2}, 2 * offset}, radius), box = Box{{4000, 4000, 2 * radius}};
    const Pose pose = random_pose(random, 1), pose_b = random_pose(random, 2.5);
    const Pose pose_box = compose(pose, at(0, 0, offset));
    const Placed at_slab(slab, pose), at_box(box, pose_box), at_b(b, pose_b);
    const std::string what = std::string(name(b.kind())) + ", case " + std::to_string(i);
    const Distance truth = distance(at_box, at_b), found = distance(at_slab, at_b);
    EXPECT_LE(found.lower, truth.upper + 1e-9) << what;
    EXPECT_GE(found.upper, truth.lower - 1e-9) << what;
    EXPECT_EQ(touches(at_slab, at_b), touches(at_box, at_b)) << what;
    EXPECT_EQ(contacts(at_b, at_slab).pairs.empty(), !touches(at_box, at_b)) << what;
    apart += found.lower > 0 ? 1u : 0u;
    std::vector<ContactManifold> places;
    contact_manifolds(at_slab, at_b, {.margin = 0.01}, places);
    if (truth.lower > 0.0101) {
      EXPECT_TRUE(places.empty()) << what;
    }
    if (truth.upper < 0.0099) {
      EXPECT_FALSE(places.empty()) << what;
    }
    if (is_supported(Question::depth, b.kind(), ShapeKind::box) && !has_open_mesh(b)) {
      const Depth out = depth(at_slab, at_b), true_out = depth(at_box, at_b);
      EXPECT_LE(out.lower, true_out.upper + 1e-9) << what;
      EXPECT_GE(out.upper, true_out.lower - 1e-9) << what;
      const Distance sign = signed_distance(at_slab, at_b), true_sign = signed_distance(at_box, at_b);
      EXPECT_LE(sign.lower, true_sign.upper + 1e-9) << what;
      EXPECT_GE(sign.upper, true_sign.lower - 1e-9) << what;
      if (out.upper > 0) {
        ++deep;
        EXPECT_LT((out.point_a - out.point_b - out.normal * out.upper).norm(), 1e-6) << what;
        EXPECT_EQ(depth(at_slab, {b, moved(pose_b, out.normal * (out.upper + 1e-9))}).lower, 0) << what;
        EXPECT_EQ(places.empty(), false) << what;
      }
      if (b.has_support()) {
        EXPECT_LT(out.upper - out.lower, 1e-9) << what;
        const ContactManifold one = contact_manifold(at_slab, at_b, {.margin = 0.01});
        EXPECT_EQ(one.count > 0, !places.empty()) << what;
        EXPECT_EQ(contact_manifold(at_b, at_slab, {.margin = 0.01}).count, one.count) << what;
        const MotionImpact meet = first_contact({slab, Still{pose}}, {b, Straight{pose_b, -pose_b.translation()}});
        const MotionImpact true_meet =
            first_contact({box, Still{pose_box}}, {b, Straight{pose_b, -pose_b.translation()}});
        if (meet.certain && true_meet.certain) {
          EXPECT_EQ(meet.status, true_meet.status) << what;
          EXPECT_NEAR(meet.time, true_meet.time, 1e-6) << what;
        }
      }
    }
    const Shape parts = Compound({{slab, Pose()}, {Sphere{0.1}, at(0, 0, 9)}});
    EXPECT_EQ(touches({parts, pose}, at_b), touches(at_box, at_b)) << what;
    const Vector3 point = test::random_vector(random, 2);
    EXPECT_EQ(contains(at_slab, point), contains(at_box, point)) << what;
    const Ray ray{point, test::random_vector(random, 2)};
    const RayRange range = i % 3 == 0 ? line_range() : RayRange{};
    const auto hit = cast_ray(ray, at_slab, range), true_hit = cast_ray(ray, at_box, range);
    if (true_hit && true_hit->point.norm() > 1000) continue;
    ASSERT_EQ(hit.has_value(), true_hit.has_value()) << what;
    if (!hit) continue;
    ++hits;
    EXPECT_EQ(hit->inside, true_hit->inside) << what;
    EXPECT_NEAR(hit->t, true_hit->t, 1e-9) << what;
    EXPECT_LE(hit->t_lower, hit->t) << what;
    EXPECT_GE(hit->t_upper, hit->t) << what;
    EXPECT_LT((hit->normal - true_hit->normal).norm(), 1e-9) << what;
  }
  EXPECT_GT(deep, 20u);
  EXPECT_GT(apart, 20u);
  EXPECT_GT(hits, 20u);
}

TEST(RoundedPlane, MeetsOtherUnboundedShapes) {
  const Shape slab = rounded(Plane{{0, 0, 1}, 1}, 0.25);
  EXPECT_EQ(name(slab.kind()), "rounded plane");
  EXPECT_TRUE(slab.is_unbounded());
  EXPECT_EQ(slab.volume(), inf);
  EXPECT_THROW(slab.centroid(), Error);
  EXPECT_EQ(unrounded(slab)->radius, 0.25);
  EXPECT_EQ(unrounded(rounded(slab, 0.5))->radius, 0.75);
  EXPECT_EQ(distance(slab, Plane{{0, 0, 1}, 3}).value(), 1.75);
  EXPECT_EQ(distance(slab, HalfSpace{{0, 0, 1}, 0}).value(), 0.75);
  EXPECT_EQ(distance(slab, {slab, at(0, 0, 1)}).value(), 0.5);
  EXPECT_TRUE(touches(slab, HalfSpace{{1, 0, 0}, 0}));
  EXPECT_NEAR(depth(slab, {slab, at(0, 0, 0.4)}).value(), 0.1, 1e-15);
  EXPECT_EQ(depth(slab, HalfSpace{{0, 0, 1}, 1}).value(), 0.25);
  EXPECT_EQ(depth(slab, HalfSpace{{1, 0, 0}, 1}).lower, inf);
  const Depth just = depth(slab, {Box{{1, 1, 1}}, at(0, 0, 1.5)});
  EXPECT_EQ(just.value(), 0.25);
  EXPECT_NEAR(just.normal.z(), 1, 1e-15);
  EXPECT_EQ(depth({Box{{1, 1, 1}}, at(0, 0, 0.5)}, slab).normal.z(), 1);
}

// --- rays ----------------------------------------------------------------------------------------------------------

/// The first hit of a rounded box as the union of three boxes and of capsules around its edges, by their closed forms.
std::optional<RayHit> ray_rounded_box(const Ray& ray, const Box& box, double radius, const Pose& pose,
                                      const RayRange& range) {
  std::optional<RayHit> first;
  const auto take = [&](const std::optional<RayHit>& hit) {
    if (hit && (!first || hit->t < first->t)) first = hit;
  };
  const auto local = [&](const Matrix3& rotation, const Vector3& center) {
    return compose(pose, Pose(rotation, center));
  };
  for (int axis = 0; axis < 3; ++axis) {
    Box wide = box;
    wide.size[axis] += 2 * radius;
    take(ray_box(ray, wide, pose, range));
    Matrix3 turn = Matrix3::Zero();  // takes z to the axis
    for (int k = 0; k < 3; ++k)
      turn((axis + 1 + k) % 3, k) = 1;
    for (const int u : {-1, 1}) {
      for (const int v : {-1, 1}) {
        Vector3 center = Vector3::Zero();
        center[(axis + 1) % 3] = u * box.size[(axis + 1) % 3] / 2;
        center[(axis + 2) % 3] = v * box.size[(axis + 2) % 3] / 2;
        take(ray_capsule(ray, Capsule{radius, box.size[axis]}, local(turn, center), range));
      }
    }
  }
  return first;
}

TEST(RoundedRays, HitARoundedBoxWhereItsPartsAreHit) {
  auto random = seeded(911);
  const Box box{{2, 1, 3}};
  const Mesh faces(box_mesh(2, 1, 3));
  const Shape solid = Mesh(faces).solid();
  int hits = 0, misses = 0, inside = 0;
  for (std::size_t i = 0; i < cases(1500); ++i) {
    const double radius = uniform(random, 0.01, 1);
    const Pose pose = random_pose(random, 2);
    const Vector3 from = pose.translation() + test::scenes::unit_vector(random) * uniform(random, 0, 8);
    const Vector3 to = pose.translation() + test::scenes::unit_vector(random) * uniform(random, 0, 3);
    const Ray ray{from, (to - from) * uniform(random, 0.1, 10)};
    const RayRange range = i % 4 == 0 ? line_range() : i % 4 == 1 ? RayRange{0, 0.3} : RayRange{};
    const auto expected = ray_rounded_box(ray, box, radius, pose, range);
    for (const Shape& inner : {Shape(box), solid}) {
      if (inner.kind() == ShapeKind::mesh && i % 5 != 0) continue;
      const auto hit = cast_ray(ray, {rounded(inner, radius), pose}, range);
      if (expected && !expected->certain) continue;
      ASSERT_EQ(hit.has_value(), expected.has_value()) << name(inner.kind());
      if (!hit) {
        ++misses;
        continue;
      }
      ++hits;
      inside += hit->inside;
      EXPECT_TRUE(hit->certain);
      const double speed = ray.direction.norm();
      EXPECT_NEAR(hit->t * speed, expected->t * speed, 1e-7);
      EXPECT_LE(hit->t_lower, hit->t);
      EXPECT_GE(hit->t_upper, hit->t);
      EXPECT_LE(hit->t_lower, expected->t + 1e-12 / speed);
      EXPECT_GE(hit->t_upper, expected->t - 1e-12 / speed);
      EXPECT_EQ(hit->point, ray.origin + hit->t * ray.direction);
      EXPECT_EQ(hit->inside, expected->inside);
      EXPECT_EQ(hit->face.has_value(), inner.kind() == ShapeKind::mesh && !hit->inside);
      if (hit->face) {
        // The point of the triangle is as far from the hit as the radius.
        const Triangle t = solid.as<Mesh>()->triangle(hit->face->triangle);
        const double u = hit->face->u, v = hit->face->v;
        const Vector3 below = place(pose, t.a * (1 - u - v) + t.b * u + t.c * v);
        EXPECT_NEAR((below - hit->point).norm(), radius, 1e-9);
        EXPECT_GE(std::min({u, v, 1 - u - v}), -1e-15);
      }
      if (hit->inside) {
        EXPECT_EQ(hit->t, range.lower);
        if (inner.kind() == ShapeKind::mesh) {
          EXPECT_EQ(hit->normal, Vector3::Zero());
        }
        continue;
      }
      EXPECT_NEAR(hit->normal.norm(), 1, 1e-12);
      const Distance off = distance({box, pose}, {Sphere{0}, Pose(hit->point)});
      EXPECT_LT((hit->normal - off.normal).norm(), 1e-5);
      // Not grazing: as accurate as the documentation of rays says.
      if (hit->normal.dot(ray.direction) < -0.1 * speed) {
        EXPECT_LT((hit->t_upper - hit->t_lower) * speed, 1e-12);
      }
    }
  }
  EXPECT_GT(hits, 200);
  EXPECT_GT(misses, 200);
  EXPECT_GT(inside, 50);
}

TEST(RoundedRays, HitRoundedSurfacesWhereARoundedTriangleIsHitFirst) {
  auto random = seeded(912);
  for (std::size_t i = 0; i < cases(150); ++i) {
    const Shape inner = i % 2 == 0 ? Shape(bumpy_ball()) : Shape(hills());
    const double radius = uniform(random, 0.01, 0.4);
    const Pose pose = random_pose(random, 1);
    const Ray ray{pose.translation() + 4 * test::scenes::unit_vector(random), Vector3::Zero()};
    const Vector3 to =
        place(pose, inner.bounds().lower + uniform(random, 0, 1) * (inner.bounds().upper - inner.bounds().lower));
    const Ray path{ray.origin, to - ray.origin};
    const auto hit = cast_ray(path, {rounded(inner, radius), pose});
    std::optional<RayHit> first;
    for (const Triangle& t : triangles_of(inner, pose)) {
      const auto of_triangle = cast_ray(path, rounded(t, radius));
      if (of_triangle && (!first || of_triangle->t < first->t)) first = of_triangle;
    }
    ASSERT_EQ(hit.has_value(), first.has_value());
    if (!hit) continue;
    EXPECT_NEAR(hit->t, first->t, 1e-9);
    EXPECT_TRUE(hit->certain);
    EXPECT_LE(hit->t_lower, first->t_upper);
    EXPECT_GE(hit->t_upper, first->t_lower);
    EXPECT_NEAR(distance({inner, pose}, {Sphere{0}, Pose(hit->point)}).upper, radius, 1e-9);
    EXPECT_LT(hit->normal.dot(path.direction), 0);
  }
}

TEST(RoundedRays, FromInsideAndWithoutADirection) {
  const Shape shell = rounded(Mesh(box_mesh(4, 4, 4)), 0.5);
  const auto wall = cast_ray({Vector3::Zero(), {2, 0, 0}}, shell);
  ASSERT_TRUE(wall);
  EXPECT_NEAR(wall->t, 0.75, 1e-12);
  EXPECT_FALSE(wall->inside);
  EXPECT_LT((wall->normal + Vector3::UnitX()).norm(), 1e-9);
  const Shape solid = rounded(Mesh(box_mesh(4, 4, 4)).solid(), 0.5), block = rounded(Box{{4, 4, 4}}, 0.5);
  for (const Shape& shape : {solid, block}) {
    const auto start = cast_ray({Vector3::Zero(), {2, 0, 0}}, shape);
    ASSERT_TRUE(start);
    EXPECT_TRUE(start->inside);
    EXPECT_EQ(start->t, 0);
    EXPECT_EQ(start->t_upper, 0);
    const auto line = cast_ray({Vector3::Zero(), {2, 0, 0}}, shape, line_range());
    ASSERT_TRUE(line);
    EXPECT_NEAR(line->t, -1.25, 1e-12);
    EXPECT_LT((line->normal + Vector3::UnitX()).norm(), 1e-9);
  }
  for (const Shape& shape : {shell, solid, block}) {
    EXPECT_TRUE(cast_ray({{2.2, 0, 0}, Vector3::Zero()}, shape));
    EXPECT_TRUE(cast_ray({{2.2, 0, 0}, Vector3::Zero()}, shape)->certain);
    EXPECT_EQ(cast_ray({{2.2, 0, 0}, Vector3::Zero()}, shape, {3, 4})->t, 3);
    EXPECT_FALSE(cast_ray({{2.6, 0, 0}, Vector3::Zero()}, shape));
    EXPECT_FALSE(cast_ray({{5, 0, 0}, {1, 0, 0}}, shape));
    EXPECT_FALSE(cast_ray({{5, 0, 0}, {-1, 0, 0}}, shape, {0, 2.4}));
    EXPECT_TRUE(cast_ray({{5, 0, 0}, {-1, 0, 0}}, shape, {0, 2.6}));
    EXPECT_FALSE(cast_ray({{5, 0, 0}, {-1, 0, 0}}, shape, {10, 12}));
    EXPECT_FALSE(cast_ray({{5, 0, 0}, {-1, 0, 0}}, shape, {2, 1}));
    // Very far, and past the rounded edge within the box around it.
    EXPECT_NEAR(cast_ray({{1e9, 0, 0}, {-1, 0, 0}}, shape)->t, 1e9 - 2.5, 1e-5);
    EXPECT_FALSE(cast_ray({{2.45, 2.45, -9}, {0, 0, 1}}, shape));
    EXPECT_TRUE(cast_ray({{2.3, 2.3, -9}, {0, 0, 1}}, shape));
  }
  const auto custom = cast_ray({{3, 0, 0}, {-1, 0, 0}}, rounded(CustomConvex(ball_support, 1e-15), 0.3));
  ASSERT_TRUE(custom);
  EXPECT_NEAR(custom->t, 2, 1e-9);
  EXPECT_TRUE(std::isfinite(custom->t_upper));
}

// --- hard input ----------------------------------------------------------------------------------------------------

/// Rounded shapes and what they meet, all lengths multiplied by a factor.
std::vector<Shape> scaled_shapes(double by) {
  MeshData box = box_mesh(1.5, 1, 1);
  for (Vector3& v : box.vertices)
    v *= by;
  return {rounded(Box{Vector3(1, 0.5, 1.5) * by}, 0.2 * by), rounded(Cylinder{0.5 * by, by}, 0.2 * by),
          rounded(Mesh(box).solid(), 0.3 * by), rounded(Mesh(box), 0.1 * by), Sphere{0.4 * by}};
}

TEST(RoundedHard, AnswersAreTheSameInAnyUnitAndFarAway) {
  auto random = seeded(914);
  const std::vector<Shape> plain = scaled_shapes(1);
  for (const std::pair<double, double>& scene : {std::pair(0x1p-280, 0.0), {0x1p280, 0.0}, {1.0, 1e7}}) {
    const double unit = scene.first, far = scene.second;
    const std::vector<Shape> shapes = scaled_shapes(unit);
    const double slack = far > 0 ? 1e-7 : 1e-9;
    for (std::size_t i = 0; i < 25 * cases(8); ++i) {
      const std::size_t k = i % 5, l = i / 5 % 5;
      const Pose pose_a = random_pose(random, 1), pose_b = random_pose(random, 1);
      const auto in_unit = [&](const Pose& pose) {
        return Pose(pose.rotation(), pose.translation() * unit + Vector3::Constant(far));
      };
      const Placed a(plain[k], pose_a), b(plain[l], pose_b);
      const Placed there_a(shapes[k], in_unit(pose_a)), there_b(shapes[l], in_unit(pose_b));
      const Distance d = distance(a, b), there = distance(there_a, there_b);
      EXPECT_NEAR(there.upper / unit, d.upper, slack);
      EXPECT_TRUE(there.point_a.allFinite() && there.point_b.allFinite() && there.normal.allFinite());
      const Depth deep = depth(a, b), deep_there = depth(there_a, there_b);
      EXPECT_NEAR(deep_there.lower / unit, deep.lower, 1e-5 + slack);
      EXPECT_TRUE(std::isfinite(deep_there.upper));
      EXPECT_TRUE(deep_there.point_a.allFinite() && deep_there.normal.allFinite());
      if (d.upper > 1e-6 || deep.lower > 1e-6) {
        EXPECT_EQ(touches(there_a, there_b), touches(a, b));
        EXPECT_EQ(contacts(there_a, there_b).pairs.empty(), contacts(a, b).pairs.empty());
      }
      const Ray ray{Vector3(5, 4, 3), Vector3(-5, -4, -3) + pose_a.translation()};
      const auto hit = cast_ray(ray, a),
                 hit_there = cast_ray({ray.origin * unit + Vector3::Constant(far), ray.direction * unit}, there_a);
      ASSERT_EQ(hit_there.has_value(), hit.has_value());
      if (hit) {
        EXPECT_NEAR(hit_there->t, hit->t, 1e-6);
        EXPECT_LT(hit_there->t_upper - hit_there->t_lower, 1e-6);
      }
    }
  }
}

TEST(RoundedHard, DegenerateTrianglesAreRodsAndBalls) {
  const Vector3 p(-1, 0, 0), q(1, 0, 0);
  const std::vector<std::pair<Shape, Shape>> same = {
      {rounded(Mesh(MeshData{{p, q, q}, {{0, 1, 2}}}), 0.25), rounded(Segment{p, q}, 0.25)},
      {rounded(Mesh(MeshData{{p, p, p}, {{0, 1, 2}}}), 0.25), rounded(Segment{p, p}, 0.25)},
      {rounded(Box{{2, 0, 0}}, 0.25), rounded(Segment{p, q}, 0.25)},
      {rounded(ConvexHull(std::vector<Vector3>{p, q}), 0.25), rounded(Segment{p, q}, 0.25)},
      {rounded(Ellipsoid{{0.5, 0.5, 0.5}}, 0.25), Sphere{0.75}},
      {rounded(Cylinder{0, 0}, 0.25), Sphere{0.25}}};
  auto random = seeded(915);
  for (const auto& [a, b] : same) {
    for (std::size_t i = 0; i < cases(20); ++i) {
      const Pose pose = random_pose(random, 2), at_b = random_pose(random, 0.5);
      const Shape other = i % 2 == 0 ? Shape(Box{{1, 1, 1}}) : Shape(Sphere{0.2});
      const Distance one = distance({a, at_b}, {other, pose}), two = distance({b, at_b}, {other, pose});
      EXPECT_NEAR(one.upper, two.upper, 1e-9) << name(a.kind());
      EXPECT_EQ(touches({a, at_b}, {other, pose}), touches({b, at_b}, {other, pose})) << name(a.kind());
      EXPECT_NEAR(depth({a, at_b}, {other, pose}).lower, depth({b, at_b}, {other, pose}).lower, 1e-5) << name(a.kind());
      const Ray ray{Vector3(3, 2, 1), pose.translation() * 0.2 - Vector3(3, 2, 1)};
      const auto hit = cast_ray(ray, {a, at_b}), same_hit = cast_ray(ray, {b, at_b});
      ASSERT_EQ(hit.has_value(), same_hit.has_value()) << name(a.kind());
      if (hit) {
        EXPECT_NEAR(hit->t, same_hit->t, 1e-8) << name(a.kind());
      }
    }
  }
}

TEST(RoundedHard, RaysThatGrazeAreNeverLost) {
  // At the radius exactly, a bit inside and a bit outside.
  for (const Shape& shape : {rounded(Box{{2, 2, 2}}, 0.5), rounded(Mesh(box_mesh(2, 2, 2)), 0.5)}) {
    EXPECT_TRUE(cast_ray({{-9, 0, 1.5}, {1, 0, 0}}, shape));
    EXPECT_TRUE(cast_ray({{-9, 0, 1.5 - 1e-9}, {1, 0, 0}}, shape));
    EXPECT_FALSE(cast_ray({{-9, 0, 1.5 + 1e-9}, {1, 0, 0}}, shape));
    EXPECT_NEAR(cast_ray({{-9, 0, 1.5 - 1e-9}, {1, 0, 0}}, shape)->t, 8 - std::sqrt(1e-9), 1e-6);
    const auto graze = cast_ray({{-9, 0, 1.5}, {1, 0, 0}}, shape);
    EXPECT_LE(graze->t_lower, 8);
    EXPECT_GE(graze->t_upper, 8);
  }
}

// --- everything else ------------------------------------------------------------------------------------------------

TEST(RoundedMotion, FirstContactIsWhereTheDistanceIsTheRadius) {
  const std::vector<Shape> movers = {rounded(Box{{1, 1, 1}}, 0.25), rounded(Mesh(make::box()).solid(), 0.25)};
  for (const Shape& mover : movers) {
    for (const Shape& wall : {Shape(Box{{2, 8, 8}}), Shape(Mesh(box_mesh(2, 8, 8)).solid()),
                              rounded(Box{{1, 8, 8}}, 0.5), rounded(Mesh(box_mesh(1, 8, 8)), 0.5)}) {
      // From x = -5 by 10: the wall begins at -1, the mover ends at 0.75.
      const MotionImpact hit =
          first_contact({mover, Straight{at(-5, 0, 0), {10, 0, 0}}}, {wall, Still{}}, {.tolerance = 1e-9});
      ASSERT_EQ(hit.status, ImpactStatus::touch);
      EXPECT_LE(hit.time_lower, 0.325);
      EXPECT_GE(hit.time_upper, 0.325);
      EXPECT_LT(hit.time_upper - hit.time_lower, 1e-8);
      EXPECT_NEAR(hit.normal.x(), 1, 1e-6);
      EXPECT_NEAR(hit.point.x(), -1, 1e-6);
      EXPECT_TRUE(touches_during({mover, Straight{at(-5, 0, 0), {10, 0, 0}}}, {wall, Still{}}));
      EXPECT_FALSE(touches_during({mover, Straight{at(-5, 0, 0), {3.2, 0, 0}}}, {wall, Still{}}));
    }
    const MotionImpact on_plane = first_contact({mover, Straight{at(0, 0, 2), {0, 0, -4}}},
                                                {HalfSpace{{0, 0, 1}, 0}, Still{}}, {.tolerance = 1e-9});
    ASSERT_EQ(on_plane.status, ImpactStatus::touch);
    EXPECT_NEAR(on_plane.time, 1.25 / 4, 1e-8);
  }
}

TEST(RoundedMany, BatchesWorldsAndCompoundsAskTheSamePairs) {
  auto random = seeded(913);
  const std::vector<Shape> shapes = {rounded(Box{{1, 0.5, 0.8}}, 0.2), rounded(bumpy_ball().solid(), 0.1),
                                     rounded(tetrahedron(), 0.3), Sphere{0.5}, Box{{1, 1, 1}}};
  std::vector<Pose> poses;
  for (std::size_t i = 0; i < 40; ++i)
    poses.push_back(random_pose(random, 4));
  for (const Shape& a : shapes) {
    for (const Shape& b : shapes) {
      std::vector<Distance> distances(poses.size());
      const auto touching = std::make_unique<bool[]>(poses.size());
      touches({a, poses[0]}, b, poses, {touching.get(), poses.size()});
      distance({a, poses[0]}, b, poses, distances);
      for (std::size_t i = 0; i < poses.size(); ++i) {
        EXPECT_EQ(touching[i], touches({a, poses[0]}, {b, poses[i]}));
        EXPECT_EQ(distances[i].upper, distance({a, poses[0]}, {b, poses[i]}).upper);
      }
    }
  }

  World world;
  std::vector<BodyId> ids;
  std::size_t expected = 0;
  for (std::size_t i = 0; i < poses.size(); ++i)
    ids.push_back(world.add(shapes[i % shapes.size()], poses[i]));
  world.update();
  for (std::size_t i = 0; i < poses.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      expected += touches({shapes[i % shapes.size()], poses[i]}, {shapes[j % shapes.size()], poses[j]}) ? 1u : 0u;
  EXPECT_EQ(world.touching().size(), expected);
  EXPECT_GT(expected, 5u);
  const Ray ray{{-20, 0, 0}, {1, 0, 0}};
  double first = inf;
  for (std::size_t i = 0; i < poses.size(); ++i)
    if (const auto hit = cast_ray(ray, {shapes[i % shapes.size()], poses[i]})) first = std::min(first, hit->t);
  const auto hit = world.cast_ray(ray);
  ASSERT_EQ(hit.has_value(), first < inf);
  if (hit) {
    EXPECT_NEAR(hit->hit.t, first, 1e-9);
  }

  // A rounded compound is the union of its rounded parts.
  for (std::size_t i = 0; i < cases(30); ++i) {
    const Pose pose = random_pose(random, 2), place = random_pose(random, 2);
    const Compound plain({{Box{{1, 2, 0.5}}, poses[0]}, {bumpy_ball().solid(), poses[1]}, {Sphere{0.3}, poses[2]}});
    const Shape whole = rounded(plain, 0.25);
    const Shape other = i % 2 == 0 ? Shape(Cylinder{0.5, 2}) : rounded(Cylinder{0.4, 1.8}, 0.1);
    const Distance d = distance({whole, pose}, {other, place}), core = distance({plain, pose}, {other, place});
    EXPECT_NEAR(d.upper, std::max(0.0, core.upper - 0.25), 1e-8);
    EXPECT_EQ(touches({whole, pose}, {other, place}), !(d.lower > 0));
    EXPECT_EQ(d.feature_a.part, core.feature_a.part);
    const Depth out = depth({whole, pose}, {other, place});
    if (out.upper > 0) {
      EXPECT_GE(distance({plain, pose}, {other, moved(place, out.normal * (out.upper + 1e-9))}).upper, 0.25);
    }
    const Ray down{place.translation() + Vector3(0, 0, 20), {0, 0, -1}};
    const auto on_whole = cast_ray(down, {whole, pose});
    double least = inf;
    for (const CompoundPart& part : whole.as<Compound>()->parts())
      if (const auto on_part = cast_ray(down, {part.shape, compose(pose, part.pose)}))
        least = std::min(least, on_part->t);
    ASSERT_EQ(on_whole.has_value(), least < inf);
    if (on_whole) {
      EXPECT_NEAR(on_whole->t, least, 1e-9);
    }
  }
}

TEST(RoundedMany, SphereSetsAgainstRoundedShapes) {
  const Shape block = rounded(Box{{2, 2, 2}}, 0.5), skin = rounded(Mesh(box_mesh(2, 2, 2)).solid(), 0.5);
  const SphereSet set(std::vector<Vector3>{{3, 0, 0}, {0, 2, 0}, {0, 0, 0}}, std::vector<double>{0.25, 0.75, 0.1});
  for (const Shape& shape : {block, skin}) {
    std::vector<Interval> answers(3);
    clearances(shape, Shape(set), answers);
    EXPECT_NEAR(answers[0].lower, 1.25, 1e-9);
    EXPECT_NEAR(answers[1].lower, -0.25, 1e-6);
    EXPECT_NEAR(answers[2].lower, -1.6, 1e-6);
    EXPECT_EQ(first_touching(shape, Shape(set)), 1u);
  }
}

TEST(RoundedMany, ContainsPointsWithinTheRadius) {
  for (const Shape& shape : {rounded(Box{{2, 2, 2}}, 0.5), rounded(Mesh(box_mesh(2, 2, 2)).solid(), 0.5)}) {
    EXPECT_TRUE(contains(shape, {0.1, 0.2, 0.3}));
    EXPECT_TRUE(contains(shape, {1.49, 0, 0}));
    EXPECT_FALSE(contains(shape, {1.51, 0, 0}));
    EXPECT_FALSE(contains(shape, {1.36, 1.36, 0}));
    EXPECT_TRUE(contains(shape, {1.35, 1.35, 0}));
  }
  EXPECT_FALSE(contains(rounded(Mesh(box_mesh(2, 2, 2)), 0.5), {0, 0, 0}));
}

TEST(RoundedMany, IsSupportedSaysWhatHappens) {
  const ShapeKind convex = rounded(Box{{1, 1, 1}}, 1).kind(), surface = rounded(bumpy_ball(), 1).kind();
  for (std::size_t i = 0; i < shape_kind_count; ++i) {
    for (const ShapeKind kind : {convex, surface}) {
      const auto other = static_cast<ShapeKind>(i);
      for (const Question question : {Question::touches, Question::distance, Question::depth}) {
        EXPECT_TRUE(is_supported(question, kind, other)) << name(other);
        EXPECT_TRUE(is_supported(question, other, kind)) << name(other);
      }
    }
  }
  EXPECT_TRUE(is_supported(Question::depth, convex, surface));
  EXPECT_TRUE(is_supported(Question::depth, surface, surface));
  EXPECT_NE(error_of([] { contact_manifold(rounded(bumpy_ball(), 1), Sphere{1}); }).find("rounded surface"),
            std::string::npos);
}

}  // namespace
}  // namespace whisker::rounded_shapes
