// Points, rays and regions against meshes: every result is compared with all the placed triangles, one by one.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/error.hpp>
#include <whisker/mesh_queries.hpp>
#include <whisker/simd.hpp>

#include "convex/pair_memory.hpp"
#include "geometry/constants.hpp"
#include "support/mesh_cases.hpp"

namespace whisker {
namespace {

using test::cases;
using test::PlacedTriangles;
using test::Random;
using test::Real;
using test::seeded;
using test::uniform;

/// A mesh of any kind at any pose, and its triangles in world coordinates.
struct Scene {
  std::string what;
  Mesh mesh;
  bool closed;
  Pose pose;
  PlacedTriangles placed;
  double size;  ///< approximate size of the mesh

  Scene(std::string what_, Mesh mesh_, bool closed_, const Pose& pose_)
      : what(std::move(what_)), mesh(std::move(mesh_)), closed(closed_), pose(pose_), placed(mesh, pose) {
    size = (mesh.bounds().upper - mesh.bounds().lower).maxCoeff();
    if (size == 0) size = std::max(mesh.bounds().upper.cwiseAbs().maxCoeff(), 1.0);
  }
  Shape shape() const { return mesh; }
  Shape solid() const { return mesh.solid(); }
  const Triangle& any_triangle(Random& random) const { return placed.triangles[random() % placed.triangles.size()]; }
};

MeshData degenerate(Random& random, std::size_t which) {
  const auto point = [&] { return test::random_vector(random, 1); };
  switch (which % 6) {
    case 0:
      return test::soup({{point(), point(), point()}});
    case 1: {
      // All vertices coincide.
      const Vector3 p = point();
      return test::soup(std::vector<Triangle>(37, Triangle{p, p, p}));
    }
    case 2: {
      // Duplicates, segments and points.
      std::vector<Triangle> all;
      for (int i = 0; i < 20; ++i) {
        const Vector3 a = point(), b = point(), c = point();
        all.insert(all.end(), {{a, b, c}, {a, b, c}, {a, b, b}, {c, c, c}, {a, b, (a + b) / 2}});
      }
      return test::soup(all);
    }
    case 3:
      return test::integer_sheet(7, 9);
    case 4: {
      // Slivers, and sizes of every magnitude.
      std::vector<Triangle> all;
      for (int i = 0; i < 60; ++i) {
        const double size = std::pow(10.0, uniform(random, -9, 0));
        const Vector3 a = point(), b = a + size * point();
        all.push_back({a, b, b + size * 1e-9 * point()});
        all.push_back({a, b, b + size * point()});
      }
      return test::soup(all);
    }
    default:
      return test::joined(test::unit(make::box({.subdivisions = 2})), test::moved(test::unit(make::box()), {1, 0, 0}));
  }
}

Scene make_scene(Random& random, std::size_t i) {
  MeshData data;
  std::string what;
  bool closed = false;
  if (i % 3 == 2) {
    data = degenerate(random, i / 3);
    what = "degenerate " + std::to_string(i / 3 % 6);
  } else {
    const test::Model& model = test::small_models()[i % test::small_models().size()];
    data = model.data;
    what = model.name;
    closed = model.closed;
  }
  Pose pose = test::random_pose(random, 1);
  if (i % 5 == 0) pose.set_rotation(test::scenes::axis_rotation(random));
  if (i % 5 == 1) pose = Pose();
  if (i % 7 == 3) pose.set_rotation(test::scenes::sloppy(random, pose.rotation()));
  if (i % 11 == 4) {
    pose.set_translation(pose.translation() + Vector3(1e6, -3e5, 2e6));
  } else if (i % 11 == 7) {
    data = test::moved(data, Vector3(-4e3, 2e4, 1e4));
  } else if (i % 13 == 5) {
    const double scale = i % 2 == 0 ? 1e-88 : 1e88;
    data = test::scaled(data, scale);
    pose.set_translation(pose.translation() * scale);
    what += " scaled";
  }
  return Scene(what, Mesh(data), closed, pose);
}

Vector3 corner_or_edge_point(Random& random, const Triangle& t) {
  switch (random() % 5) {
    case 0:
      return t.a;
    case 1:
      return t.b;
    case 2:
      return (t.b + t.c) / 2;
    case 3:
      return (t.a + t.b + t.c) / 3;
    default:
      return t.a + 0.25 * (t.b - t.a) + 0.25 * (t.c - t.a);
  }
}

/// Points anywhere around the mesh, on it, close to it and far away.
Vector3 query_point(Random& random, const Scene& scene) {
  const Vector3 on = corner_or_edge_point(random, scene.any_triangle(random));
  switch (random() % 6) {
    case 0:
      return on;
    case 1:
      return on + 1e-9 * scene.size * test::random_vector(random, 1);
    case 2:
      return on + 0.1 * scene.size * test::random_vector(random, 1);
    case 3:
      return on + std::min(1e4 * scene.size, 1e90) / 2 * test::random_vector(random, 1);
    default:
      return on + scene.size * test::random_vector(random, 1);
  }
}

Ray query_ray(Random& random, const Scene& scene) {
  const Vector3 from = query_point(random, scene);
  Vector3 to = corner_or_edge_point(random, scene.any_triangle(random));
  switch (random() % 6) {
    case 0: {
      // Along an edge.
      const Triangle& t = scene.any_triangle(random);
      return {t.a - (t.b - t.a), t.b - t.a};
    }
    case 1:
      return {from, scene.size * Vector3::Unit(static_cast<int>(random() % 3))};
    case 2:
      return {from, Vector3::Zero()};
    case 3:
      to += scene.size * test::random_vector(random, 1);
      break;
    default:
      break;
  }
  return {from, to - from};
}

RayRange query_range(Random& random) {
  switch (random() % 5) {
    case 0:
      return segment_range();
    case 1:
      return line_range();
    case 2:
      return {-infinity, 0.5};
    case 3: {
      const double start = uniform(random, -1, 2);
      return {start, start + uniform(random, 0, 2)};
    }
    default:
      return ray_range();
  }
}

std::vector<SurfaceHit> all_hits(const Scene& scene, const Ray& ray, const RayRange& range) {
  std::vector<SurfaceHit> hits;
  for (std::size_t i = 0; i < scene.placed.triangles.size(); ++i) {
    if (std::optional<RayHit> hit = ray_triangle(ray, scene.placed.triangles[i], {}, range)) {
      hit->face->triangle = i;
      hits.push_back({*hit, {0, FeatureKind::triangle, static_cast<std::uint32_t>(i)}});
    }
  }
  std::stable_sort(hits.begin(), hits.end(),
                   [](const SurfaceHit& p, const SurfaceHit& q) { return p.hit.t < q.hit.t; });
  return hits;
}

template <class Work>
void on_every_target(const Work& work) {
  for (const std::string& target : simd_targets()) {
    ASSERT_TRUE(use_simd_target(target));
    SCOPED_TRACE(target);
    work();
    if (testing::Test::HasFatalFailure()) break;
  }
  use_simd_target("");
}

// --- rays --------------------------------------------------------------------------------------------------------

TEST(SurfaceRays, HitTheTrianglesThatBruteForceHitsOnEveryTarget) {
  std::size_t hit_count = 0;
  on_every_target([&] {
    auto random = seeded(501);
    std::vector<SurfaceHit> found;
    for (std::size_t i = 0; i < cases(120); ++i) {
      const Scene scene = make_scene(random, i);
      const Shape shape = scene.shape();
      for (int k = 0; k < 12; ++k) {
        const Ray ray = query_ray(random, scene);
        const RayRange range = query_range(random);
        const std::vector<SurfaceHit> truth = all_hits(scene, ray, range);
        cast_ray_all(ray, {shape, scene.pose}, range, found);
        ASSERT_EQ(found.size(), truth.size()) << i << " " << scene.what << " ray " << k;
        for (std::size_t h = 0; h < truth.size(); ++h) {
          ASSERT_EQ(found[h].feature, truth[h].feature) << i << " " << scene.what;
          ASSERT_EQ(found[h].hit.t, truth[h].hit.t);
          ASSERT_EQ(found[h].hit.face->triangle, found[h].feature.id);
        }
        ASSERT_EQ(ray_hits(ray, {shape, scene.pose}, range), !truth.empty()) << i << " " << scene.what;
        const std::optional<RayHit> first = cast_ray(ray, {shape, scene.pose}, range);
        ASSERT_EQ(first.has_value(), !truth.empty()) << i << " " << scene.what;
        if (first) {
          ASSERT_EQ(first->t, truth.front().hit.t);
          ASSERT_EQ(first->face->triangle, truth.front().feature.id) << i << " " << scene.what;
          ++hit_count;
        }
        if (scene.closed) {
          const Shape solid = scene.solid();
          ASSERT_EQ(ray_hits(ray, {solid, scene.pose}, range), cast_ray(ray, {solid, scene.pose}, range).has_value())
              << i << " " << scene.what;
        }
      }
    }
  });
  EXPECT_GT(hit_count, cases(120) * 3);
}

TEST(SurfaceRays, ThroughACornerHitEveryTriangleThere) {
  const Shape sheet = Mesh(test::integer_sheet(4, 4));
  std::vector<SurfaceHit> hits;
  cast_ray_all({{2, 2, 5}, {0, 0, -1}}, sheet, {}, hits);
  EXPECT_EQ(hits.size(), 6u);
  cast_ray_all({{2.5, 2.5, 5}, {0, 0, -1}}, sheet, {}, hits);
  EXPECT_EQ(hits.size(), 2u);
  cast_ray_all({{2.5, 2.25, 5}, {0, 0, -1}}, sheet, {}, hits);
  EXPECT_EQ(hits.size(), 1u);
  cast_ray_all({{2.5, 2.25, 5}, {0, 0, -1}}, sheet, {0, 4.5}, hits);
  EXPECT_TRUE(hits.empty());
  // In the plane of the sheet, along a row of cells.
  cast_ray_all({{-1, 0.5, 0}, {1, 0, 0}}, sheet, {}, hits);
  EXPECT_EQ(hits.size(), 8u);
}

TEST(SurfaceRays, HitHeightFieldsAndCompoundsPartByPart) {
  auto random = seeded(502);
  std::vector<SurfaceHit> found;
  for (std::size_t i = 0; i < cases(60); ++i) {
    std::vector<double> heights(9 * 7);
    for (double& h : heights)
      h = i % 3 == 0 ? std::round(uniform(random, 0, 2)) : uniform(random, 0, 2);
    const HeightField field(heights, 9, 7, 0.5, 0.75);
    const Mesh box(test::unit(make::box({.subdivisions = 2})));
    const Pose inner = test::random_pose(random, 1), outer = test::random_pose(random, 2);
    const Compound nested({{Shape(box), inner}, {Shape(Triangle{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}), Pose()}});
    const Shape shape = Compound({{Shape(field), inner}, {Shape(nested), Pose(Vector3(1, 0, 0))}});
    const Pose field_pose = compose(outer, inner);
    const Pose nested_pose = compose(outer, Pose(Vector3(1, 0, 0)));
    for (int k = 0; k < 12; ++k) {
      const Vector3 target = place(field_pose, field.vertex(random() % 9, random() % 7));
      Ray ray{test::random_vector(random, 6), Vector3::Zero()};
      ray.direction = target - ray.origin;
      if (k % 4 == 0)
        ray = {place(field_pose, {uniform(random, 0, 4), uniform(random, 0, 4), 9}),
               place_direction(field_pose, {0, 0, -1})};
      if (k == 5) ray = {target, Vector3::Zero()};
      const RayRange range = query_range(random);
      std::vector<Feature> truth;
      for (std::size_t t = 0; t < field.triangle_count(); ++t)
        if (ray_triangle(ray, field.triangle(t), field_pose, range))
          truth.push_back({0, FeatureKind::triangle, static_cast<std::uint32_t>(t)});
      for (std::size_t t = 0; t < box.triangle_count(); ++t)
        if (ray_triangle(ray, box.triangle(t), compose(nested_pose, inner), range))
          truth.push_back({1, FeatureKind::triangle, static_cast<std::uint32_t>(t)});
      if (ray_triangle(ray, {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, compose(nested_pose, Pose()), range))
        truth.push_back({2, FeatureKind::triangle, 0});
      cast_ray_all(ray, {shape, outer}, range, found);
      ASSERT_EQ(found.size(), truth.size()) << i << " ray " << k;
      for (const Feature& feature : truth) {
        ASSERT_TRUE(std::any_of(found.begin(), found.end(), [&](const SurfaceHit& h) { return h.feature == feature; }));
      }
      ASSERT_TRUE(std::is_sorted(found.begin(), found.end(),
                                 [](const SurfaceHit& p, const SurfaceHit& q) { return p.hit.t < q.hit.t; }));
      ASSERT_EQ(ray_hits(ray, {shape, outer}, range), !truth.empty());
    }
  }
}

// --- points ------------------------------------------------------------------------------------------------------

Real distance_of(const Scene& scene, const Vector3& point) {
  // First in double; then, for all triangles that may be closest, with a hundred digits.
  std::vector<double> rough;
  for (const Triangle& t : scene.placed.triangles)
    rough.push_back(closest_points(point, t).distance);
  const double least = *std::min_element(rough.begin(), rough.end());
  const double slack =
      1e-11 * least + 64 * test::spacing_of_doubles_at(std::max(scene.placed.largest, point.cwiseAbs().maxCoeff()));
  Real truth = Real(std::numeric_limits<double>::max());
  for (std::size_t i = 0; i < rough.size(); ++i) {
    if (rough[i] <= least + slack) {
      truth = std::min(truth, test::exact_distance({point, point, point}, scene.placed.triangles[i]));
    }
  }
  return truth;
}

TEST(SurfacePoints, BoundTheExactDistanceOnEveryTarget) {
  std::vector<Distance> before;
  on_every_target([&] {
    auto random = seeded(511);
    std::vector<Distance> now;
    for (std::size_t i = 0; i < cases(90); ++i) {
      const Scene scene = make_scene(random, i);
      const Shape shape = scene.shape();
      for (int k = 0; k < 8; ++k) {
        const Vector3 point = query_point(random, scene);
        const Distance found = closest_point({shape, scene.pose}, point);
        now.push_back(found);
        if (!before.empty()) continue;  // the results are equal: compared below
        const Real truth = distance_of(scene, point);
        const double ulp = test::spacing_of_doubles_at(std::max(scene.placed.largest, point.cwiseAbs().maxCoeff()));
        ASSERT_LE(Real(found.lower), truth) << i << " " << scene.what << " point " << k;
        ASSERT_GE(Real(found.upper), truth) << i << " " << scene.what << " point " << k;
        ASSERT_LE(Real(found.upper - found.lower), Real(1e-12) * truth + Real(8 * ulp)) << i << " " << scene.what;
        ASSERT_EQ(found.stop, Stop::exact);
        ASSERT_LT(found.feature_a.id, scene.mesh.triangle_count());
        // The point lies on the triangle and is at the reported distance.
        const Triangle& t = scene.placed.triangles[found.feature_a.id];
        ASSERT_LE(closest_points(found.point_a, t).distance, 8 * ulp) << i << " " << scene.what;
        ASSERT_NEAR(((found.point_a - point) / scene.size).norm(), found.upper / scene.size,
                    1e-12 * found.upper / scene.size + 8 * ulp / scene.size);
        const bool on = std::any_of(scene.placed.triangles.begin(), scene.placed.triangles.end(),
                                    [&](const Triangle& one) { return touches_point_triangle(point, one); });
        ASSERT_EQ(found.upper == 0, on) << i << " " << scene.what;
        ASSERT_EQ(found.feature_a.kind, FeatureKind::triangle);
        ASSERT_EQ(found.feature_b, Feature{});
        ASSERT_EQ(found.point_b, point);
        if (on) {
          ASSERT_EQ(found.normal, Vector3(Vector3::Zero())) << i << " " << scene.what;
        } else {
          ASSERT_NEAR(found.normal.norm(), 1, 1e-14) << i << " " << scene.what;
          ASSERT_LE(((found.point_b - found.point_a - found.normal * found.upper) / scene.size).norm(),
                    1e-12 * found.upper / scene.size + 16 * ulp / scene.size)
              << i << " " << scene.what;
        }
      }
    }
    if (before.empty()) before = now;
    ASSERT_EQ(now.size(), before.size());
    for (std::size_t i = 0; i < now.size(); ++i) {
      ASSERT_EQ(now[i].lower, before[i].lower) << i;
      ASSERT_EQ(now[i].upper, before[i].upper) << i;
      ASSERT_EQ(now[i].feature_a, before[i].feature_a) << i;
      ASSERT_EQ(now[i].point_a, before[i].point_a) << i;
      ASSERT_EQ(now[i].cost.volume_tests, before[i].cost.volume_tests) << i;
    }
  });
}

TEST(SurfacePoints, HoldTheirBoundsUnderToleranceAndUpperBound) {
  auto random = seeded(512);
  std::size_t beyond = 0;
  for (std::size_t i = 0; i < cases(200); ++i) {
    const Scene scene = make_scene(random, i);
    const Shape shape = scene.shape();
    const Vector3 point = query_point(random, scene);
    const Distance exact = closest_point({shape, scene.pose}, point);
    const double tolerance = exact.upper * std::pow(10.0, uniform(random, -6, 0.5));
    const Distance rough = closest_point({shape, scene.pose}, point, {.tolerance = tolerance});
    ASSERT_LE(rough.lower, exact.upper) << i << " " << scene.what;
    ASSERT_GE(rough.upper, exact.lower) << i << " " << scene.what;
    ASSERT_LE(rough.upper - rough.lower, tolerance + (exact.upper - exact.lower) + 1e-12 * exact.upper);
    ASSERT_LE(rough.cost.volume_tests, exact.cost.volume_tests);
    const double bound = exact.upper * uniform(random, 0, 2);
    const Distance limited = closest_point({shape, scene.pose}, point, {.upper_bound = bound});
    if (limited.upper == infinity) {
      ++beyond;
      ASSERT_GT(limited.lower, bound);
      ASSERT_LE(limited.lower, exact.upper);
      ASSERT_EQ(limited.stop, Stop::tolerance);
      ASSERT_EQ(limited.feature_a, Feature{});
      ASSERT_EQ(limited.normal, Vector3(Vector3::Zero()));
      ASSERT_EQ(limited.point_a, Vector3(Vector3::Zero()));
      ASSERT_EQ(limited.point_b, point);
    } else {
      ASSERT_EQ(limited.upper, exact.upper) << i << " " << scene.what;
      ASSERT_EQ(limited.feature_a, exact.feature_a) << i << " " << scene.what;
    }
    if (bound >= exact.upper) {
      ASSERT_EQ(limited.upper, exact.upper) << i << " " << scene.what;
    }
    if (bound < exact.lower * (1 - 1e-9)) {
      ASSERT_EQ(limited.upper, infinity) << i << " " << scene.what;
    }
  }
  EXPECT_GT(beyond, cases(200) / 10);
}

TEST(SurfacePoints, AreContainedWhereTheSurfaceWindsRoundThemOrTheyAreOnIt) {
  std::size_t inside = 0;
  on_every_target([&] {
    auto random = seeded(513);
    for (std::size_t i = 0; i < cases(120); ++i) {
      const Scene scene = make_scene(random, i);
      if (!scene.closed) continue;
      const Shape solid = scene.solid();
      for (int k = 0; k < 8; ++k) {
        const Vector3 point = query_point(random, scene);
        const bool on = std::any_of(scene.placed.triangles.begin(), scene.placed.triangles.end(),
                                    [&](const Triangle& t) { return touches_point_triangle(point, t); });
        const bool truth = on || test::winding_number(random, scene.placed, point) != 0;
        ASSERT_EQ(contains({solid, scene.pose}, point), truth) << i << " " << scene.what;
        const Distance found = signed_distance({solid, scene.pose}, point);
        const Distance closest = closest_point({solid, scene.pose}, point);
        ASSERT_EQ(found.feature_a, closest.feature_a);
        ASSERT_EQ(found.point_a, closest.point_a);
        ASSERT_EQ(found.point_b, point);
        ASSERT_EQ(found.normal, truth ? Vector3(-closest.normal) : closest.normal) << i << " " << scene.what;
        const double ulp = test::spacing_of_doubles_at(std::max(scene.placed.largest, point.cwiseAbs().maxCoeff()));
        ASSERT_LE(((found.point_b - found.point_a - found.normal * found.value()) / scene.size).norm(),
                  1e-12 * closest.upper / scene.size + 16 * ulp / scene.size)
            << i << " " << scene.what;
        if (truth) {
          ASSERT_EQ(found.lower, -closest.upper) << i << " " << scene.what;
          ASSERT_EQ(found.upper, -closest.lower);
        } else {
          ASSERT_EQ(found.lower, closest.lower) << i << " " << scene.what;
          ASSERT_EQ(found.upper, closest.upper);
        }
        inside += truth && !on ? 1u : 0u;
      }
    }
  });
  EXPECT_GT(inside, cases(120) / 4);
}

TEST(SurfacePoints, NormalsPointOutOfASolidOnBothSides) {
  const Mesh cube = Mesh(make::box({.size_x = 2, .size_y = 2, .size_z = 2})).solid();
  const Distance foot = closest_point(cube, {3, 0, 0});
  EXPECT_NEAR(foot.value(), 2, 1e-15);
  EXPECT_EQ(foot.point_a, Vector3(1, 0, 0));
  EXPECT_EQ(foot.point_b, Vector3(3, 0, 0));
  EXPECT_EQ(foot.normal, Vector3(1, 0, 0));
  EXPECT_EQ(closest_point(cube, {0.5, 0, 0}).normal, Vector3(-1, 0, 0));
  const Distance out = signed_distance(cube, {3, 0, 0}), in = signed_distance(cube, {0.5, 0, 0});
  EXPECT_NEAR(out.value(), 2, 1e-15);
  EXPECT_NEAR(in.value(), -0.5, 1e-15);
  EXPECT_EQ(out.normal, Vector3(1, 0, 0));
  EXPECT_EQ(in.normal, Vector3(1, 0, 0));
  EXPECT_EQ(in.point_a, Vector3(1, 0, 0));
  EXPECT_EQ(in.point_b, Vector3(0.5, 0, 0));
  const Distance on = signed_distance(cube, {1, 0.25, 0});
  EXPECT_EQ(on.lower, 0);
  EXPECT_EQ(on.upper, 0);
  EXPECT_EQ(on.normal, Vector3(0, 0, 0));
  EXPECT_EQ(on.point_a, Vector3(1, 0.25, 0));
  const Distance far_inside = signed_distance(cube, {0, 0, 0}, {.upper_bound = 0.25});
  EXPECT_EQ(far_inside.value(), -HUGE_VAL);
  const Distance far_outside = signed_distance(cube, {9, 0, 0}, {.upper_bound = 0.25});
  EXPECT_EQ(far_outside.value(), HUGE_VAL);
  EXPECT_EQ(far_inside.lower, -infinity);
  EXPECT_LT(far_inside.upper, -0.25);
  EXPECT_EQ(far_inside.normal, Vector3(0, 0, 0));
}

TEST(SurfacePoints, OfACompoundAreThoseOfItsClosestPart) {
  auto random = seeded(514);
  const Mesh box = Mesh(test::unit(make::box())).solid(), ball = Mesh(test::unit(make::icosphere())).solid();
  for (std::size_t i = 0; i < cases(100); ++i) {
    const Pose inner = test::random_pose(random, 1), outer = test::random_pose(random, 1);
    const Shape shape = Compound({{Shape(box), Pose()}, {Shape(ball), inner}});
    const Vector3 point = test::random_vector(random, 2);
    const Shape box_shape = box, ball_shape = ball;
    const Distance a = closest_point({box_shape, compose(outer, Pose())}, point);
    const Distance b = closest_point({ball_shape, compose(outer, inner)}, point);
    const Distance found = closest_point({shape, outer}, point);
    ASSERT_EQ(found.upper, std::min(a.upper, b.upper));
    ASSERT_EQ(found.lower, std::min(a.lower, b.lower));
    ASSERT_EQ(found.feature_a.part, b.upper < a.upper ? 1u : 0u);
    ASSERT_EQ(found.point_b, point);
    ASSERT_EQ(found.normal, b.upper < a.upper ? b.normal : a.normal);
    ASSERT_EQ(contains({shape, outer}, point), contains({box_shape, compose(outer, Pose())}, point) ||
                                                   contains({ball_shape, compose(outer, inner)}, point));
  }
}

TEST(SurfacePoints, AreInCurvedShapesByTheirFormulas) {
  auto random = seeded(517);
  std::array<std::size_t, 2> seen = {};
  for (std::size_t i = 0; i < cases(2000); ++i) {
    const double radius = uniform(random, 0.3, 1), length = uniform(random, 0.3, 2);
    const Vector3 radii(radius, length, uniform(random, 0.1, 1));
    const Shape cylinder = Cylinder{radius, length}, cone = Cone{radius, length}, ellipsoid = Ellipsoid{radii};
    const Pose pose = test::random_pose(random, 1);
    const Vector3 local = test::random_vector(random, 1);
    const Vector3 point = pose.rotation() * local + pose.translation();
    const double out = std::hypot(local[0], local[1]), up = std::abs(local[2]) - length / 2;
    const double slope = out - radius * (0.5 - local[2] / length);
    // A measure of how far the point is outside, which is 0 on the boundary.
    const std::array<double, 3> outside = {std::max(out - radius, up), std::max(slope, up),
                                           local.cwiseQuotient(radii).norm() - 1};
    const std::array<const Shape*, 3> shapes = {&cylinder, &cone, &ellipsoid};
    for (std::size_t k = 0; k < shapes.size(); ++k) {
      if (std::abs(outside[k]) < 1e-12) continue;
      ASSERT_EQ(contains({*shapes[k], pose}, point), outside[k] < 0) << i << " " << k;
      ++seen[outside[k] < 0];
    }
  }
  EXPECT_GT(seen[0], cases(1000));
  EXPECT_GT(seen[1], cases(500));
  const Shape wedge = ConvexHull(std::vector<Vector3>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}});
  EXPECT_TRUE(contains(wedge, Vector3(0.25, 0.25, 0.5)));
  EXPECT_FALSE(contains(wedge, Vector3(0.25, 0.25, std::nextafter(0.5, 1))));
}

// --- regions -----------------------------------------------------------------------------------------------------

TEST(SurfaceRegions, HoldTheTrianglesThatBruteForceFindsOnEveryTarget) {
  std::size_t count = 0;
  on_every_target([&] {
    auto random = seeded(521);
    std::vector<std::uint32_t> ids;
    for (std::size_t i = 0; i < cases(120); ++i) {
      const Scene scene = make_scene(random, i);
      const Shape shape = scene.shape();
      for (int k = 0; k < 6; ++k) {
        const Vector3 p = query_point(random, scene);
        Aabb box;
        box.include(p);
        if (k % 3 != 0) box.include(p + 0.3 * scene.size * test::random_vector(random, 1));
        if (k == 4) box.upper[0] = infinity;
        if (k == 5) box.lower[2] = -infinity;
        std::vector<std::uint32_t> truth;
        for (std::uint32_t t = 0; t < scene.placed.triangles.size(); ++t)
          if (touches_triangle_box(scene.placed.triangles[t], box)) truth.push_back(t);
        triangles_in_box({shape, scene.pose}, box, ids);
        ASSERT_EQ(ids, truth) << i << " " << scene.what << " box " << k;
        count += ids.size();

        const double radius = k % 3 == 0 ? 0 : scene.size * uniform(random, 0, 0.3);
        truth.clear();
        for (std::uint32_t t = 0; t < scene.placed.triangles.size(); ++t)
          if (touches(Shape(scene.placed.triangles[t]), {Shape(Sphere{radius}), Pose(p)})) truth.push_back(t);
        triangles_in_sphere({shape, scene.pose}, p, radius, ids);
        ASSERT_EQ(ids, truth) << i << " " << scene.what << " ball " << k;
        count += ids.size();
      }
    }
    triangles_in_box(Shape(Mesh(test::integer_sheet(2, 2))), Aabb(), ids);
    ASSERT_TRUE(ids.empty());
  });
  EXPECT_GT(count, cases(120));
}

// --- distance options --------------------------------------------------------------------------------------------

TEST(MeshDistanceSimple, HoldsItsBoundsUnderEveryOption) {
  auto random = seeded(531);
  for (std::size_t i = 0; i < cases(400); ++i) {
    const Scene scene = make_scene(random, i);
    const Shape shape = scene.shape();
    const double s = scene.size;
    const Vector3 p = test::random_vector(random, 1), q = test::random_vector(random, 1);
    const Vector3 r = test::random_vector(random, 1);
    const std::vector<Shape> others = {Shape(Sphere{0.1 * s}),
                                       Shape(Capsule{0.1 * s, s}),
                                       Shape(Box{Vector3(0.3, 0.5, 0.1) * s}),
                                       Shape(HalfSpace{p, 0.3 * s}),
                                       Shape(Plane{p, 0.3 * s}),
                                       Shape(Segment{s * p, s * q}),
                                       Shape(Triangle{s * p, s * q, s * r})};
    const Shape& other = others[i % others.size()];
    const Placed a{shape, scene.pose};
    const Pose pose(test::scenes::any_rotation(random), query_point(random, scene));
    const Placed b{other, pose};
    const Distance exact = distance(a, b);
    ASSERT_EQ(exact.stop, Stop::exact);
    ASSERT_EQ(exact.feature_a.kind, FeatureKind::triangle);
    double least = infinity, highest = infinity;
    for (const Triangle& t : scene.placed.triangles) {
      const Distance one = distance(Shape(t), b);
      least = std::min(least, one.lower);
      highest = std::min(highest, one.upper);
    }
    const double ulp = 8 * test::spacing_of_doubles_at(std::max(scene.placed.largest, pose.translation().norm()));
    ASSERT_LE(exact.lower, highest) << i << " " << scene.what;
    ASSERT_GE(exact.upper, least) << i << " " << scene.what;
    ASSERT_LE(exact.upper, highest + 1e-12 * highest + ulp) << i << " " << scene.what;
    ASSERT_GE(exact.lower, least - 1e-12 * least - ulp) << i << " " << scene.what;

    const double tolerance = exact.upper * std::pow(10.0, uniform(random, -4, 0.5));
    const Distance rough = distance(a, b, {.tolerance = tolerance});
    ASSERT_LE(rough.lower, highest) << i << " " << scene.what;
    ASSERT_GE(rough.upper, least) << i << " " << scene.what;
    ASSERT_LE(rough.upper - rough.lower, tolerance + 1e-12 * exact.upper + ulp) << i << " " << scene.what;

    for (const std::uint64_t budget : {0u, 3u, 20u, 200u}) {
      const Distance stopped = distance(a, b, {.budget = budget});
      ASSERT_LE(stopped.lower, highest) << i << " " << scene.what << " budget " << budget;
      ASSERT_GE(stopped.upper, least) << i << " " << scene.what << " budget " << budget;
      ASSERT_LT(stopped.upper, infinity);
    }

    const Distance near = distance(a, b, {.close_enough = 2 * exact.upper});
    ASSERT_LE(near.lower, highest) << i << " " << scene.what;
    ASSERT_GE(near.upper, least);
    ASSERT_LE(near.upper, 2 * exact.upper + ulp);

    const double bound = exact.upper * uniform(random, 0, 2);
    const Distance limited = distance(a, b, {.upper_bound = bound});
    if (limited.upper == infinity) {
      ASSERT_GT(limited.lower, bound) << i << " " << scene.what;
      ASSERT_LE(limited.lower, highest) << i << " " << scene.what;
      ASSERT_GT(highest, bound);
    } else {
      ASSERT_EQ(limited.upper, exact.upper) << i << " " << scene.what;
    }
    ASSERT_EQ(closer_than(a, b, exact.upper), true);
    if (exact.lower > 0) {
      ASSERT_EQ(closer_than(a, b, exact.lower * (1 - 1e-9)), false) << i << " " << scene.what;
    }

    // Caches: new, of this pair, and with arbitrary contents.
    PairCache cache;
    for (int k = 0; k < 3; ++k) {
      const Distance cached = distance(a, b, {.cache = &cache});
      ASSERT_EQ(cached.lower, exact.lower) << i << " " << scene.what;
      ASSERT_EQ(cached.upper, exact.upper) << i << " " << scene.what;
      if (exact.upper > 0) {  // if triangles touch, any of them is right
        ASSERT_EQ(cached.feature_a, exact.feature_a) << i << " " << scene.what;
      }
      ASSERT_EQ(touches(a, b, {.cache = &cache}), touches(a, b));
      if (k == 1) {
        memory_of(cache).closest_a = static_cast<std::uint32_t>(random() % scene.mesh.triangle_count());
        memory_of(cache).touching_a = static_cast<std::uint32_t>(random());
      }
    }
  }
}

// --- batches and errors ------------------------------------------------------------------------------------------

TEST(SurfaceBatches, AnswerLikeSingleCalls) {
  auto random = seeded(541);
  const Scene scene("gear", Mesh(test::unit(make::gear({.teeth = 12}))), true, test::random_pose(random, 1));
  const Shape solid = scene.solid();
  const Placed placed{solid, scene.pose};
  std::vector<Vector3> points;
  std::vector<Ray> rays;
  for (std::size_t i = 0; i < 1000; ++i) {
    points.push_back(query_point(random, scene));
    rays.push_back(query_ray(random, scene));
  }
  std::vector<Distance> closest(points.size());
  std::vector<Distance> signed_ones(points.size());
  std::vector<std::optional<RayHit>> first(rays.size());
  const std::unique_ptr<bool[]> in(new bool[points.size()]), any(new bool[rays.size()]);
  closest_point(placed, points, closest);
  signed_distance(placed, points, signed_ones);
  contains(placed, points, {in.get(), points.size()});
  cast_ray(rays, placed, first);
  ray_hits(rays, placed, {any.get(), rays.size()});
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Distance one = closest_point(placed, points[i]);
    ASSERT_EQ(closest[i].lower, one.lower);
    ASSERT_EQ(closest[i].upper, one.upper);
    ASSERT_EQ(closest[i].feature_a, one.feature_a);
    ASSERT_EQ(closest[i].point_a, one.point_a);
    ASSERT_EQ(closest[i].normal, one.normal);
    ASSERT_EQ(signed_ones[i].lower, signed_distance(placed, points[i]).lower);
    ASSERT_EQ(signed_ones[i].normal, signed_distance(placed, points[i]).normal);
    ASSERT_EQ(in[i], contains(placed, points[i]));
    const std::optional<RayHit> hit = cast_ray(rays[i], placed);
    ASSERT_EQ(first[i].has_value(), hit.has_value());
    if (hit) {
      ASSERT_EQ(first[i]->t, hit->t);
    }
    ASSERT_EQ(any[i], hit.has_value());
  }
}

template <class Work>
std::string error_of(const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(SurfaceErrors, NameWhatIsWrong) {
  const Shape surface = Mesh(test::integer_sheet(2, 2));
  const Shape ball = Sphere{1};
  std::vector<SurfaceHit> hits;
  std::vector<std::uint32_t> ids;
  const Vector3 bad(0, std::numeric_limits<double>::quiet_NaN(), 0);
  EXPECT_EQ(error_of([&] { contains(surface, Vector3(0, 0, 0)); }),
            "contains: the mesh is a surface, which has no inside; make it solid() first (it must be closed)");
  EXPECT_NE(error_of([&] { signed_distance(ball, Vector3(0, 0, 0)); }).find("sphere"), std::string::npos);
  EXPECT_NE(error_of([&] { closest_point(ball, Vector3(0, 0, 0)); }).find("sphere"), std::string::npos);
  EXPECT_NE(error_of([&] { cast_ray_all({}, ball, {}, hits); }).find("sphere"), std::string::npos);
  EXPECT_NE(error_of([&] { triangles_in_box(ball, Aabb(), ids); }).find("sphere"), std::string::npos);
  EXPECT_EQ(error_of([&] { closest_point(surface, bad); }), "closest_point: the point is NaN or infinite");
  EXPECT_NE(error_of([&] { closest_point(surface, Vector3(0, 0, 0), {.tolerance = -1}); }), "");
  EXPECT_NE(error_of([&] { triangles_in_sphere(surface, {0, 0, 0}, -1, ids); }), "");
  const std::vector<Vector3> points = {{0, 0, 0}, bad};
  std::vector<Distance> answers(2);
  EXPECT_EQ(error_of([&] { closest_point(surface, points, answers); }),
            "closest_point: point 1: the point is NaN or infinite");
  answers.resize(3);
  EXPECT_NE(error_of([&] { closest_point(surface, points, answers); }).find("the span for the answers has size 3"),
            std::string::npos);
  EXPECT_TRUE(contains(ball, Vector3(0.5, 0, 0)));
  EXPECT_FALSE(contains(ball, Vector3(1.5, 0, 0)));
}

}  // namespace
}  // namespace whisker
