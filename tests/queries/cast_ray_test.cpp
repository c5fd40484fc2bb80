// cast_ray with every kind of shape: meshes and height fields against all their triangles, hulls against rationals.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <Eigen/Geometry>
#include <boost/multiprecision/cpp_int.hpp>
#include <gtest/gtest.h>

#include <whisker/error.hpp>
#include <whisker/make/make.hpp>
#include <whisker/queries.hpp>

#include "geometry/constants.hpp"
#include "support/cases.hpp"
#include "support/random_shapes.hpp"
#include "support/random_vectors.hpp"

namespace whisker {
namespace {

using boost::multiprecision::cpp_rational;
using test::cases;
using test::nan;
using test::random_vector;
using test::seeded;
using test::turned_pose;
using test::uniform;
using Random = std::mt19937_64;

void expect_same(const std::optional<RayHit>& found, const std::optional<RayHit>& truth, const std::string& where) {
  ASSERT_EQ(found.has_value(), truth.has_value()) << where;
  if (!found) return;
  ASSERT_EQ(found->t, truth->t) << where;
  ASSERT_EQ(found->t_lower, truth->t_lower) << where;
  ASSERT_EQ(found->t_upper, truth->t_upper) << where;
  ASSERT_EQ(found->normal, truth->normal) << where;
  ASSERT_EQ(found->inside, truth->inside) << where;
  ASSERT_EQ(found->certain, truth->certain) << where;
  ASSERT_EQ(found->face.has_value(), truth->face.has_value()) << where;
}

// --- simple shapes -----------------------------------------------------------------------------------------------

TEST(CastRay, AtASimpleShapeIsItsOwnFunction) {
  auto random = seeded(161);
  std::size_t hits = 0;
  for (std::size_t i = 0; i < cases(1000); ++i) {
    const Ray ray{random_vector(random, 3), random_vector(random, 1)};
    const RayRange range = i % 3 == 0 ? ray_range() : i % 3 == 1 ? segment_range() : line_range();
    const Pose pose = turned_pose(random, 2);
    const Sphere sphere{1.5};
    const Capsule capsule{0.7, 2};
    const Box box{{1, 2, 3}};
    const HalfSpace half_space{{1, 2, 3}, 0.5};
    const Plane plane{{1, -2, 3}, 0.5};
    const Triangle triangle{{-2, 0, 0}, {2, 0, 0}, {0, 3, 1}};
    const Cylinder cylinder{1, 2};
    const Cone cone{1, 2};
    const Ellipsoid ellipsoid{{1, 1.5, 2}};
    const auto cast = [&](const Shape& shape) { return cast_ray(ray, {shape, pose}, range); };
    ASSERT_NO_FATAL_FAILURE(expect_same(cast(sphere), ray_sphere(ray, sphere, pose, range), "sphere"));
    ASSERT_NO_FATAL_FAILURE(expect_same(cast(capsule), ray_capsule(ray, capsule, pose, range), "capsule"));
    ASSERT_NO_FATAL_FAILURE(expect_same(cast(box), ray_box(ray, box, pose, range), "box"));
    ASSERT_NO_FATAL_FAILURE(expect_same(cast(half_space), ray_half_space(ray, half_space, pose, range), "half-space"));
    ASSERT_NO_FATAL_FAILURE(expect_same(cast(plane), ray_plane(ray, plane, pose, range), "plane"));
    ASSERT_NO_FATAL_FAILURE(expect_same(cast(triangle), ray_triangle(ray, triangle, pose, range), "triangle"));
    ASSERT_NO_FATAL_FAILURE(expect_same(cast(cylinder), ray_cylinder(ray, cylinder, pose, range), "cylinder"));
    ASSERT_NO_FATAL_FAILURE(expect_same(cast(cone), ray_cone(ray, cone, pose, range), "cone"));
    ASSERT_NO_FATAL_FAILURE(expect_same(cast(ellipsoid), ray_ellipsoid(ray, ellipsoid, pose, range), "ellipsoid"));
    hits += cast(sphere) ? 1u : 0u;
  }
  EXPECT_GT(hits, 0u);
}

TEST(CastRay, HitsASegmentExactlyWhereItIsMet) {
  const Shape segment = Segment{{-1, 0, 0}, {3, 0, 0}};
  const auto straight_down = [&](double x, double y) { return cast_ray({{x, y, 5}, {0, 0, -1}}, segment); };
  for (const double x : {-1.0, 0.0, 0.1, 2.999, 3.0}) {
    const auto hit = straight_down(x, 0);
    ASSERT_TRUE(hit) << x;
    EXPECT_EQ(hit->t, 5);
    EXPECT_EQ(hit->point, Vector3(x, 0, 0));
    EXPECT_LE(hit->normal.dot(Vector3(0, 0, -1)), 0);
  }
  EXPECT_FALSE(straight_down(std::nextafter(-1.0, -2.0), 0));
  EXPECT_FALSE(straight_down(std::nextafter(3.0, 4.0), 0));
  EXPECT_FALSE(straight_down(0, 1e-300));
  EXPECT_FALSE(straight_down(0, -0x1p-60));
  const auto along = cast_ray({{-5, 0, 0}, {2, 0, 0}}, segment);
  ASSERT_TRUE(along);
  EXPECT_EQ(along->t, 2);
  const auto from_within = cast_ray({{1, 0, 0}, {1, 0, 0}}, segment);
  ASSERT_TRUE(from_within);
  EXPECT_EQ(from_within->t, 0);
  const Shape point = Segment{{1, 2, 3}, {1, 2, 3}};
  EXPECT_TRUE(cast_ray({{0, 0, 0}, {1, 2, 3}}, point));
  EXPECT_FALSE(cast_ray({{0, 0, 0}, {1, 2, 3.0000001}}, point));
  const Pose lifted(Vector3(0, 0, 7));
  EXPECT_EQ(cast_ray({{0, 0, 9}, {0, 0, -1}}, {segment, lifted})->t, 2);
}

TEST(CastRay, FromInsideASolidHitsAtTheStart) {
  const std::vector<Vector3> corners = {{-1, -1, -1}, {3, -1, -1}, {-1, 3, -1}, {-1, -1, 3}};
  const std::vector<Shape> solids = {Sphere{1},
                                     Capsule{1, 1},
                                     Box{{2, 2, 2}},
                                     Cylinder{1, 2},
                                     Cone{2, 2},
                                     Ellipsoid{{1, 2, 3}},
                                     HalfSpace{{0, 0, 1}, 1},
                                     ConvexHull(corners),
                                     Mesh(make::icosphere()).solid(),
                                     Compound({{Sphere{1}, Pose()}, {Sphere{1}, Pose(Vector3(9, 0, 0))}})};
  for (const Shape& shape : solids) {
    const auto hit = cast_ray({{0.1, 0.05, -0.1}, {1, 0.3, 0.2}}, shape);
    ASSERT_TRUE(hit) << name(shape.kind());
    EXPECT_EQ(hit->t, 0) << name(shape.kind()) << ": the first point that belongs to the shape is the origin";
    EXPECT_TRUE(hit->inside) << name(shape.kind());
  }
}

TEST(CastRay, FromInsideASurfaceHitsItsWall) {
  const Shape shell = Mesh(make::box({.size_x = 2, .size_y = 2, .size_z = 2}));
  const auto hit = cast_ray({{0.1, 0.2, 0.3}, {0, 0, 2}}, shell);
  ASSERT_TRUE(hit);
  EXPECT_NEAR(hit->t, 0.35, 1e-15);
  EXPECT_FALSE(hit->inside);
  EXPECT_LT((hit->normal - Vector3(0, 0, -1)).norm(), 1e-15) << "on the side that the ray comes from";
}

// --- meshes and height fields ------------------------------------------------------------------------------------

/// The first hit of all triangles. At the same t, the one with the lowest number counts.
template <class TriangleOf>
std::optional<RayHit> brute_force(const Ray& ray, std::size_t count, const TriangleOf& triangle, const Pose& pose,
                                  const RayRange& range) {
  std::optional<RayHit> best;
  for (std::size_t i = 0; i < count; ++i) {
    std::optional<RayHit> hit = ray_triangle(ray, triangle(i), pose, range);
    if (!hit || (best && hit->t >= best->t)) continue;
    best = hit;
    best->face->triangle = i;
  }
  return best;
}

/// A ray at a target: to a random point near it, to a corner, to the middle of an edge, or along an edge.
Ray ray_at(Random& random, std::size_t manner, const Triangle& placed) {
  const Vector3 from = random_vector(random, 5);
  switch (manner % 5) {
    case 0:
      return {from, random_vector(random, 1) - from};
    case 1:
      return {from, placed.a - from};
    case 2:
      return {from, placed.a / 2 + placed.b / 2 - from};
    case 3:
      return {placed.a - 3 * (placed.b - placed.a), placed.b - placed.a};
    default:
      return {from, (placed.a + placed.b + placed.c) / 3 - from};
  }
}

void expect_first_hit(const std::optional<RayHit>& found, const std::optional<RayHit>& truth, std::size_t number) {
  const std::string where = "case " + std::to_string(number);
  ASSERT_NO_FATAL_FAILURE(expect_same(found, truth, where));
  if (!found) return;
  ASSERT_EQ(found->face->triangle, truth->face->triangle) << where;
  ASSERT_EQ(found->face->u, truth->face->u) << where;
  ASSERT_EQ(found->face->v, truth->face->v) << where;
}

TEST(CastRayAtMesh, FindsTheFirstOfAllTriangles) {
  auto random = seeded(171);
  const std::vector<Mesh> meshes = {Mesh(make::gear({.teeth = 9})),
                                    Mesh(make::torus({.around = 16, .across = 8})),
                                    Mesh(make::s_shape({.along = 8, .across = 8})),
                                    Mesh(make::icosphere({.subdivisions = 2})),
                                    Mesh(make::box({.subdivisions = 4})),
                                    Mesh(make::cloth_sheet({.columns = 10, .rows = 10, .folds = 2}))};
  std::size_t hits = 0;
  for (std::size_t i = 0; i < cases(3000); ++i) {
    const Mesh& mesh = meshes[i % meshes.size()];
    Pose pose = i % 4 == 0 ? Pose() : turned_pose(random, 2);
    if (i % 7 == 0) pose.set_translation(pose.translation() * 1e6);
    const auto pick = static_cast<std::size_t>(uniform(random, 0, static_cast<double>(mesh.triangle_count())));
    const Triangle local = mesh.triangle(std::min(pick, mesh.triangle_count() - 1));
    const Triangle placed{place(pose, local.a), place(pose, local.b), place(pose, local.c)};
    const Ray ray = ray_at(random, i / 2, placed);
    const RayRange range = i % 5 == 0 ? line_range() : i % 5 == 1 ? segment_range() : ray_range();
    const Shape shape = mesh;
    const auto truth = brute_force(
        ray, mesh.triangle_count(), [&](std::size_t k) { return mesh.triangle(k); }, pose, range);
    ASSERT_NO_FATAL_FAILURE(expect_first_hit(cast_ray(ray, {shape, pose}, range), truth, i));
    hits += truth ? 1u : 0u;
  }
  EXPECT_GT(hits, cases(3000) / 3);
}

TEST(CastRayAtMesh, FindsTheFirstAtAnyScale) {
  auto random = seeded(175);
  std::size_t hits = 0;
  for (std::size_t i = 0; i < cases(500); ++i) {
    const double scale = std::array{1e-60, 1e60, 1e-88, 1e88}[i % 4];
    MeshData data = make::torus({.around = 12, .across = 6});
    for (Vector3& v : data.vertices)
      v *= scale;
    const Mesh mesh(data);
    const Shape shape = mesh;
    Pose pose = turned_pose(random, 2);
    pose.set_translation(pose.translation() * scale);
    const Triangle local = mesh.triangle(i % mesh.triangle_count());
    const Triangle target{place(pose, local.a) / scale, place(pose, local.b) / scale, place(pose, local.c) / scale};
    Ray ray = ray_at(random, i / 4, target);
    ray.origin *= scale;
    ray.direction *= scale;
    const auto truth = brute_force(
        ray, mesh.triangle_count(), [&](std::size_t k) { return mesh.triangle(k); }, pose, ray_range());
    ASSERT_NO_FATAL_FAILURE(expect_first_hit(cast_ray(ray, {shape, pose}), truth, i));
    hits += truth ? 1u : 0u;
  }
  EXPECT_GT(hits, cases(500) / 5);
}

TEST(CastRayAtMesh, NoRaySlipsThroughAClosedMesh) {
  auto random = seeded(172);
  const Mesh mesh(make::icosphere({.subdivisions = 2}));
  const Shape shape = mesh;
  for (std::size_t i = 0; i < cases(1000); ++i) {
    const Pose pose = turned_pose(random, 2);
    const Vector3 center = pose.translation();
    const auto pick = static_cast<std::size_t>(uniform(random, 0, static_cast<double>(mesh.vertices().size())));
    const Vector3 corner = place(pose, mesh.vertices()[std::min(pick, mesh.vertices().size() - 1)]);
    // From the center through a corner, and from beyond the corner back to the center.
    ASSERT_TRUE(cast_ray({center, corner - center}, {shape, pose})) << i;
    ASSERT_TRUE(cast_ray({corner + 2 * (corner - center), center - corner}, {shape, pose})) << i;
  }
}

TEST(CastRayAtMesh, OfDegenerateTriangles) {
  const Shape shape = Mesh(MeshData{{{0, 0, 0}, {1, 0, 0}, {5, 5, 5}}, {{0, 1, 0}, {2, 2, 2}}});
  EXPECT_TRUE(cast_ray({{0.5, 0, 3}, {0, 0, -1}}, shape));
  EXPECT_FALSE(cast_ray({{0.5, 1e-9, 3}, {0, 0, -1}}, shape));
  const auto point = cast_ray({{5, 5, 9}, {0, 0, -1}}, shape);
  ASSERT_TRUE(point);
  EXPECT_EQ(point->face->triangle, 1u);
}

TEST(CastRayAtHeightField, FindsTheFirstOfAllTriangles) {
  auto random = seeded(173);
  std::size_t hits = 0;
  for (std::size_t i = 0; i < cases(1500); ++i) {
    std::vector<double> heights;
    for (int k = 0; k < 9 * 7; ++k)
      heights.push_back(i % 3 == 0 ? std::floor(uniform(random, 0, 3)) : uniform(random, 0, 1));
    const HeightField field(heights, 9, 7, 0.25, 0.5);
    const Shape shape = field;
    const Pose pose = i % 4 == 0 ? Pose() : turned_pose(random, 2);
    const auto pick = static_cast<std::size_t>(uniform(random, 0, static_cast<double>(field.triangle_count())));
    const Triangle local = field.triangle(std::min(pick, field.triangle_count() - 1));
    const Triangle placed{place(pose, local.a), place(pose, local.b), place(pose, local.c)};
    const Ray ray = ray_at(random, i / 2, placed);
    const RayRange range = i % 5 == 0 ? line_range() : i % 5 == 1 ? segment_range() : ray_range();
    const auto truth = brute_force(
        ray, field.triangle_count(), [&](std::size_t k) { return field.triangle(k); }, pose, range);
    ASSERT_NO_FATAL_FAILURE(expect_first_hit(cast_ray(ray, {shape, pose}, range), truth, i));
    hits += truth ? 1u : 0u;
  }
  EXPECT_GT(hits, cases(1500) / 3);
}

// --- compounds ---------------------------------------------------------------------------------------------------

TEST(CastRayAtCompound, OfASinglePointHitsNoTurnedPartThatItIsNotIn) {
  const Pose turned(test::scenes::rotation_from(1, 2, 3, 4), Vector3(1, 1, 1));
  const std::vector<Vector3> corners = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const std::vector<Shape> shapes = {ConvexHull(corners), Plane{{0, 0, 1}, -3}, HalfSpace{{0, 0, 1}, -3},
                                     Compound({{ConvexHull(corners), Pose()}, {Plane{{0, 0, 1}, -3}, Pose()}})};
  for (const Shape& shape : shapes) {
    for (const RayRange& range : {segment_range(), RayRange{}, line_range()}) {
      EXPECT_FALSE(cast_ray({place(turned, Vector3(5, 6, 7)), Vector3::Zero()}, {shape, turned}, range))
          << name(shape.kind());
    }
  }
  EXPECT_TRUE(cast_ray({place(turned, Vector3(0.1, 0.1, 0.1)), Vector3::Zero()}, {shapes[0], turned}));
}

TEST(CastRayAtCompound, FindsTheFirstOfItsParts) {
  auto random = seeded(174);
  std::size_t hits = 0;
  for (std::size_t i = 0; i < cases(500); ++i) {
    std::vector<CompoundPart> parts = {{Sphere{0.8}, turned_pose(random, 2)},
                                       {Box{{1, 2, 1}}, turned_pose(random, 2)},
                                       {Mesh(make::torus({.around = 8, .across = 5})), turned_pose(random, 2)},
                                       {Cone{1, 1}, turned_pose(random, 2)}};
    const Pose inner = turned_pose(random, 2), outer = turned_pose(random, 2);
    const Compound compound(parts);
    const Shape flat = compound, nested = Compound({{compound, inner}});
    const Vector3 from = random_vector(random, 8);
    const Ray ray{from, outer.translation() + random_vector(random, 2) - from};
    const auto first_of_parts = [&](const Pose& pose) {
      std::optional<RayHit> first;
      for (const CompoundPart& part : parts) {
        const auto hit = cast_ray(ray, {part.shape, compose(pose, part.pose)});
        if (hit && (!first || hit->t < first->t)) first = hit;
      }
      return first;
    };
    ASSERT_NO_FATAL_FAILURE(expect_same(cast_ray(ray, {flat, outer}), first_of_parts(outer), "flat"));
    ASSERT_NO_FATAL_FAILURE(
        expect_same(cast_ray(ray, {nested, outer}), first_of_parts(compose(outer, inner)), "nested"));
    hits += cast_ray(ray, {flat, outer}) ? 1u : 0u;
  }
  EXPECT_GT(hits, cases(500) / 10);
}

TEST(CastRayAtCompound, OfAFullLineThatAHalfSpaceFillsFromTheBeginning) {
  // The line is in the half-space from minus infinity on, so nothing later can be the first point.
  const Shape shape = Compound({{HalfSpace{Vector3::UnitX(), 0}, Pose()}, {Sphere{1}, Pose(Vector3(-10, 0, 0))}});
  const auto hit = cast_ray({{0, 0, 0}, {1, 0, 0}}, shape, line_range());
  ASSERT_TRUE(hit);
  EXPECT_TRUE(hit->inside) << "t = " << hit->t;
}

// --- convex hulls ------------------------------------------------------------------------------------------------

using Exact = std::array<cpp_rational, 3>;

Exact exact(const Vector3& v) {
  return {cpp_rational(v[0]), cpp_rational(v[1]), cpp_rational(v[2])};
}
Exact operator-(const Exact& a, const Exact& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
cpp_rational dot(const Exact& a, const Exact& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
Exact cross(const Exact& a, const Exact& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// The image R x + t of the pose's doubles.
Exact placed_exactly(const Pose& pose, const Vector3& v) {
  Exact result = exact(pose.translation());
  for (int i = 0; i < 3; ++i)
    result[static_cast<std::size_t>(i)] += dot(exact(Vector3(pose.rotation().row(i))), exact(v));
  return result;
}

struct Stretch {
  cpp_rational enter = -1000000, exit = 1000000;
  bool missed = false;
};

/// The part of the line that is in the exact hull of the placed vertices, whose faces are exactly planar.
Stretch true_stretch(const Ray& ray, const ConvexHull& hull, const Pose& pose) {
  std::vector<Exact> vertices;
  for (const Vector3& v : hull.vertices())
    vertices.push_back(placed_exactly(pose, v));
  const Exact origin = exact(ray.origin), direction = exact(ray.direction);
  Stretch stretch;
  for (std::size_t f = 0; f < hull.face_count(); ++f) {
    const auto face = hull.face(f);
    const Exact& a = vertices[face[0]];
    const Exact normal = cross(vertices[face[1]] - a, vertices[face[2]] - a);  // outward
    const cpp_rational slope = dot(normal, direction), height = dot(normal, a - origin);
    if (slope == 0) {
      if (height < 0) stretch.missed = true;
      continue;
    }
    const cpp_rational t = height / slope;
    if (slope < 0) {
      stretch.enter = std::max(stretch.enter, t);
    } else {
      stretch.exit = std::min(stretch.exit, t);
    }
  }
  if (stretch.enter > stretch.exit) stretch.missed = true;
  return stretch;
}

TEST(CastRayAtHull, BoundsHoldTheTrueEntry) {
  auto random = seeded(181);
  std::size_t hits = 0, outside_bounds = 0;
  double worst = 0;
  const std::size_t count = cases(400);
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<Vector3> points;
    for (int k = 0; k < 12; ++k)
      points.push_back(random_vector(random, 1));
    const ConvexHull hull(points);
    ASSERT_EQ(hull.dimension(), 3);
    const Shape shape = hull;
    const Pose pose = i % 2 == 0 ? Pose() : turned_pose(random, 2);
    const Vector3 from = random_vector(random, 6);
    const Ray ray{from, place(pose, random_vector(random, 0.8)) - from};
    const Stretch truth = true_stretch(ray, hull, pose);
    const auto hit = cast_ray(ray, {shape, pose}, line_range());
    if (!truth.missed) {
      ASSERT_TRUE(hit) << i << ": a line that meets the hull is never said to miss it";
    }
    if (!hit) continue;
    ++hits;
    if (truth.missed) {
      // A miss that is not proven must be within rounding of a hit.
      ASSERT_LT(cpp_rational(truth.enter - truth.exit), cpp_rational(1e-12)) << i;
      continue;
    }
    const double off =
        std::max(double(cpp_rational(hit->t_lower) - truth.enter), double(truth.enter - cpp_rational(hit->t_upper)));
    ASSERT_NEAR(hit->t, double(truth.enter), 1e-10) << i;
    if (cpp_rational(hit->t_lower) > truth.enter || cpp_rational(hit->t_upper) < truth.enter) {
      ++outside_bounds;
      worst = std::max(worst, off);
    }
  }
  EXPECT_EQ(outside_bounds, 0u) << "of " << hits << " hits; worst by " << worst;
  EXPECT_GT(hits, count / 3);
}

TEST(CastRayAtHull, IsCertainOnlyOfTrueHits) {
  // Lines that graze a corner or an edge, on either side by a few last bits.
  auto random = seeded(184);
  std::size_t certain = 0, uncertain = 0, wrong = 0, lost = 0;
  for (std::size_t i = 0; i < cases(400); ++i) {
    std::vector<Vector3> points;
    for (int k = 0; k < 10; ++k)
      points.push_back(random_vector(random, 1));
    const ConvexHull hull(points);
    const Shape shape = hull;
    const Vector3 center = shape.centroid();
    const HullEdge edge = hull.edges()[i % hull.edges().size()];
    const double along = i % 2 == 0 ? 0 : uniform(random, 0.1, 0.9);
    const Vector3 corner =
        hull.vertices()[edge.begin] + along * (hull.vertices()[edge.end] - hull.vertices()[edge.begin]);
    const Vector3 outward = (corner - center).normalized();
    const Vector3 across = outward.cross(random_vector(random, 1)).normalized();
    const Vector3 aim = corner + uniform(random, -4, 4) * 0x1p-53 * outward;
    const Ray ray{aim - 3 * across, across};
    const Stretch truth = true_stretch(ray, hull, Pose());
    const auto hit = cast_ray(ray, shape);
    if (!hit && !truth.missed) ++lost;
    if (hit && hit->certain && truth.missed) ++wrong;
    if (hit) ++(hit->certain ? certain : uncertain);
  }
  EXPECT_EQ(lost, 0u);
  EXPECT_EQ(wrong, 0u) << "lines proven to hit that miss; certain " << certain << ", uncertain " << uncertain;
}

TEST(CastRayAtHull, OfABoxIsHitLikeTheBox) {
  std::vector<Vector3> corners;
  for (int i = 0; i < 8; ++i)
    corners.emplace_back(i & 1 ? 1 : -1, i & 2 ? 2 : -2, i & 4 ? 3 : -3);
  const Shape hull = ConvexHull(corners), box = Box{{2, 4, 6}};
  auto random = seeded(182);
  for (std::size_t i = 0; i < cases(500); ++i) {
    const Pose pose = turned_pose(random, 2);
    const Ray ray{random_vector(random, 8), random_vector(random, 1)};
    const auto a = cast_ray(ray, {hull, pose}), b = cast_ray(ray, {box, pose});
    ASSERT_EQ(a.has_value(), b.has_value()) << i;
    if (!a) continue;
    ASSERT_NEAR(a->t, b->t, 1e-9 * (1 + b->t)) << i;
    ASSERT_EQ(a->inside, b->inside) << i;
    ASSERT_LT((a->normal - b->normal).norm(), 1e-9) << i;
  }
}

TEST(CastRayAtHull, ThatIsFlatIsHitLikeItsPolygon) {
  const std::vector<Vector3> square = {{0, 0, 1}, {2, 0, 1}, {2, 2, 1}, {0, 2, 1}};
  const Shape flat = ConvexHull(square);
  ASSERT_EQ(flat.as<ConvexHull>()->dimension(), 2);
  const auto down = [&](double x, double y) { return cast_ray({{x, y, 5}, {0, 0, -1}}, flat); };
  const auto middle = down(1, 1);
  ASSERT_TRUE(middle);
  EXPECT_EQ(middle->t, 4);
  EXPECT_TRUE(down(0, 0)) << "a corner";
  EXPECT_TRUE(down(2, 1)) << "an edge";
  EXPECT_FALSE(down(3, 1)) << "beside the polygon, in its plane";
  EXPECT_FALSE(down(-1e-6, 1));
  EXPECT_FALSE(cast_ray({{1, 1, 0}, {0, 0, -1}}, flat)) << "behind the ray";
  const auto along = cast_ray({{-3, 1, 1}, {1, 0, 0}}, flat);
  ASSERT_TRUE(along) << "a ray in the polygon's plane";
  EXPECT_NEAR(along->t, 3, 1e-12);
  EXPECT_FALSE(cast_ray({{-3, 5, 1}, {1, 0, 0}}, flat)) << "in the plane, past the polygon";
}

TEST(CastRayAtHull, ThatIsFlatAnywhereIsHitLikeItsTriangles) {
  auto random = seeded(183);
  std::size_t hits = 0, misses = 0;
  for (std::size_t i = 0; i < cases(500); ++i) {
    // Integer points in one plane are exactly flat.
    const Vector3 u(std::floor(uniform(random, 1, 5)), std::floor(uniform(random, -4, 5)),
                    std::floor(uniform(random, -4, 5)));
    const Vector3 v(std::floor(uniform(random, -4, 5)), std::floor(uniform(random, 5, 9)),
                    std::floor(uniform(random, -4, 5)));
    std::vector<Vector3> points;
    for (int k = 0; k < 8; ++k)
      points.push_back(std::floor(uniform(random, -4, 5)) * u + std::floor(uniform(random, -4, 5)) * v);
    const ConvexHull hull(points);
    if (hull.dimension() != 2) continue;
    const Shape shape = hull;
    const Pose pose = turned_pose(random, 2);
    const auto face = hull.face(0);
    const Vector3 from = random_vector(random, 80);
    const Vector3 target = place(pose, Vector3(uniform(random, -5, 5) * u + uniform(random, -5, 5) * v));
    const Ray ray{from, target - from};
    const auto fan = [&](std::size_t k) {
      return Triangle{hull.vertices()[face[0]], hull.vertices()[face[k + 1]], hull.vertices()[face[k + 2]]};
    };
    const auto truth = brute_force(ray, face.size() - 2, fan, pose, {});
    const auto found = cast_ray(ray, {shape, pose});
    ASSERT_EQ(found.has_value(), truth.has_value()) << i;
    ++(truth ? hits : misses);
    if (truth) {
      ASSERT_NEAR(found->t, truth->t, 1e-12) << i;
    }
  }
  EXPECT_GT(hits, cases(500) / 10);
  EXPECT_GT(misses, cases(500) / 10);
}

TEST(CastRayAtHull, ThatIsASegmentOrAPointIsHitOnlyThere) {
  const Shape segment = ConvexHull(std::vector<Vector3>{{0, 0, 0}, {2, 0, 0}, {1, 0, 0}});
  ASSERT_EQ(segment.as<ConvexHull>()->dimension(), 1);
  const auto hit = cast_ray({{1, 0, 5}, {0, 0, -1}}, segment);
  ASSERT_TRUE(hit);
  EXPECT_EQ(hit->t, 5);
  EXPECT_FALSE(hit->inside);
  EXPECT_FALSE(cast_ray({{1, 1, 5}, {0, 0, -1}}, segment));
  EXPECT_FALSE(cast_ray({{3, 0, 5}, {0, 0, -1}}, segment));
  const Shape point = ConvexHull(std::vector<Vector3>{{1, 2, 3}});
  ASSERT_EQ(point.as<ConvexHull>()->dimension(), 0);
  const auto met = cast_ray({{1, 2, 5}, {0, 0, -1}}, point);
  ASSERT_TRUE(met);
  EXPECT_EQ(met->t, 2);
  EXPECT_FALSE(cast_ray({{1, 2.5, 5}, {0, 0, -1}}, point));
}

// --- refused input, and limiting cases of the definition -----------------------------------------------------------

TEST(CastRay, RefusesBadRaysRangesAndPoses) {
  const Shape shape = Sphere{1};
  for (const double bad : {nan, infinity, -infinity, 1.1e90}) {
    for (int i = 0; i < 3; ++i) {
      Ray origin, direction;
      origin.origin[i] = bad;
      direction.direction[i] = bad;
      EXPECT_THROW(cast_ray(origin, shape), Error) << bad;
      EXPECT_THROW(cast_ray(direction, shape), Error) << bad;
    }
  }
  EXPECT_THROW(cast_ray({}, shape, {nan, 1}), Error);
  EXPECT_THROW(cast_ray({}, shape, {0, nan}), Error);
}

TEST(CastRay, RefusesACustomShapeByName) {
  const Shape custom = CustomConvex([](const Vector3& d) { return d.normalized(); });
  for (const Shape& shape : {custom, Shape(Compound({{custom, Pose()}}))}) {
    try {
      cast_ray({}, shape);
      ADD_FAILURE();
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("custom convex"), std::string::npos) << error.what();
    }
  }
}

TEST(CastRay, OfAnEmptyRangeHitsNothing) {
  EXPECT_FALSE(cast_ray({{0, 0, 0}, {1, 0, 0}}, Shape(Sphere{1}), {1, 0}));
  EXPECT_FALSE(cast_ray({{0, 0, 0}, {1, 0, 0}}, Shape(Mesh(make::box())), {1, 0}));
  const std::vector<double> heights(4, 0.0);
  EXPECT_FALSE(cast_ray({{0, 0, 1}, {0, 0, -1}}, Shape(HeightField(heights, 2, 2, 1, 1)), {3, 2}));
}

TEST(CastRay, WithoutADirectionAsksAboutItsOrigin) {
  const Ray in{{0.25, 0.25, 0}, {0, 0, 0}}, out{{5, 5, 5}, {0, 0, 0}};
  const std::vector<double> heights(4, 0.0);
  const std::vector<Shape> shapes = {Sphere{1},
                                     Box{{2, 2, 2}},
                                     HalfSpace{{0, 0, 1}, 0},
                                     Plane{{0, 0, 1}, 0},
                                     Triangle{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
                                     Mesh(MeshData{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}, {0, 1, 2}}}),
                                     HeightField(heights, 2, 2, 1, 1),
                                     Compound({{Sphere{1}, Pose()}})};
  for (const Shape& shape : shapes) {
    const auto hit = cast_ray(in, shape);
    ASSERT_TRUE(hit) << name(shape.kind());
    EXPECT_EQ(hit->t, 0) << name(shape.kind());
    if (shape.kind() == ShapeKind::mesh || shape.kind() == ShapeKind::height_field) {
      ASSERT_TRUE(hit->face) << name(shape.kind());
      EXPECT_EQ(hit->face->triangle, 0u) << name(shape.kind()) << ": of several the lowest";
    }
    EXPECT_FALSE(cast_ray(out, shape)) << name(shape.kind());
  }
}

TEST(CastRay, NearerThanTheStartOrFartherThanTheEndDoesNotCount) {
  for (const Shape& shape : {Shape(Box{{2, 2, 2}}), Shape(Mesh(make::box({.size_x = 2, .size_y = 2, .size_z = 2})))}) {
    const Ray ray{{-5, 0.1, 0.2}, {1, 0, 0}};
    EXPECT_FALSE(cast_ray(ray, shape, {0, 3.9})) << name(shape.kind());
    EXPECT_TRUE(cast_ray(ray, shape, {0, 4})) << name(shape.kind());
    EXPECT_FALSE(cast_ray(ray, shape, {6.1, 100})) << name(shape.kind());
    EXPECT_FALSE(cast_ray({{5, 0.1, 0.2}, {1, 0, 0}}, shape)) << name(shape.kind());
    const auto behind = cast_ray({{5, 0.1, 0.2}, {1, 0, 0}}, shape, line_range());
    ASSERT_TRUE(behind) << name(shape.kind());
    EXPECT_EQ(behind->t, -6) << name(shape.kind());
  }
}

}  // namespace
}  // namespace whisker
