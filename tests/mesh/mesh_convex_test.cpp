// Cylinders, cones, ellipsoids, convex hulls and custom convex shapes against meshes, height fields and compounds. The
// oracle runs the same query on every single triangle or part, which other tests of convex pairs have verified.

#include <cmath>
#include <cstdint>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/make/ground.hpp>
#include <whisker/make/make.hpp>
#include <whisker/queries.hpp>

#include "convex/pair_memory.hpp"
#include "convex/simple_convex.hpp"
#include "geometry/constants.hpp"
#include "support/cases.hpp"
#include "support/convex_cases.hpp"
#include "support/mesh_cases.hpp"

namespace whisker::test {
namespace {

constexpr std::size_t first_curved = static_cast<std::size_t>(ShapeKind::cylinder);
constexpr std::size_t curved_count = 5;

using Generator = std::mt19937_64;

/// A shape of one of the five kinds, numbered from 0. Most of them are ordinary, some are flat, slender or crowded.
Shape curved_shape(Generator& random, std::size_t kind, double by) {
  constexpr ConvexFamily families[] = {ConvexFamily::random,  ConvexFamily::random, ConvexFamily::random,
                                       ConvexFamily::slender, ConvexFamily::flat,   ConvexFamily::crowded};
  const auto family = families[whole(random, 0, 5)];
  if (kind + first_curved == static_cast<std::size_t>(ShapeKind::custom_convex)) {
    const Shape truth = convex_cases::scaled_shape(
        convex_cases::known_shape(random, scenes::chance(random, 2) ? 9 : 10, ConvexFamily::random), by);
    return convex_cases::custom(truth, scenes::chance(random, 2) ? 1e-6 : 1e-15).shape;
  }
  return convex_cases::scaled_shape(convex_cases::known_shape(random, kind + first_curved, family), by);
}

double support_error(const Shape& shape) {
  const auto* custom = shape.as<CustomConvex>();
  return custom != nullptr ? custom->support_error() : 0;
}

bool is_curved(const Shape& shape) {
  return shape.kind() != ShapeKind::convex_hull;
}

/// The placed triangles of a mesh or height field.
std::vector<Shape> triangles_of(const Shape& shape, const Pose& pose) {
  std::vector<Shape> triangles;
  const auto add = [&](const Triangle& t) {
    triangles.emplace_back(Triangle{place(pose, t.a), place(pose, t.b), place(pose, t.c)});
  };
  if (const auto* mesh = shape.as<Mesh>())
    for (std::size_t i = 0; i < mesh->triangle_count(); ++i)
      add(mesh->triangle(i));
  if (const auto* field = shape.as<HeightField>())
    for (std::size_t i = 0; i < field->triangle_count(); ++i)
      add(field->triangle(i));
  return triangles;
}

/// A surface and a curved shape.
struct Meeting {
  Shape surface;
  Shape shape;
  Pose surface_pose;
  Pose pose;

  Placed a() const { return {surface, surface_pose}; }
  Placed b() const { return {shape, pose}; }
  std::vector<Shape> triangles() const { return triangles_of(surface, surface_pose); }
  std::string text() const {
    std::ostringstream out;
    out << "surface " << show(surface_pose) << describe(shape) << " " << show(pose);
    return out.str();
  }
};

bool any_touches(const std::vector<Shape>& triangles, const Shape& shape, const Pose& pose) {
  for (const Shape& triangle : triangles)
    if (touches(triangle, {shape, pose})) return true;
  return false;
}

/// Moves the shape to where it just touches, or just does not, or to within a small gap.
void bring_near(Generator& random, Meeting& m) {
  const std::vector<Shape> triangles = m.triangles();
  const Triangle& t = *triangles[static_cast<std::size_t>(whole(random, 0, 1000)) % triangles.size()].as<Triangle>();
  const Vector3 target = (t.a + t.b + t.c) / 3;
  const Vector3 away = scenes::unit_vector(random);
  const auto at = [&](double length) { return Pose(m.pose.rotation(), target + length * away); };
  double touching = 0, apart = 8;
  m.pose = at(touching);
  if (!any_touches(triangles, m.shape, m.pose)) return;
  const int halvings = scenes::chance(random, 2) ? 30 : 70;
  for (int i = 0; i < halvings; ++i) {
    const double middle = touching + (apart - touching) / 2;
    if (middle == touching || middle == apart) break;
    (touches({m.surface, m.surface_pose}, {m.shape, at(middle)}) ? touching : apart) = middle;
  }
  m.pose = at(scenes::chance(random, 2) ? touching : apart);
}

HeightField some_field(Generator& random, std::size_t columns, std::size_t rows, double rough) {
  std::vector<double> heights;
  for (std::size_t i = 0; i < columns * rows; ++i)
    heights.push_back(rough * uniform(random, -1, 1));
  return HeightField(heights, columns, rows, 0.3, 0.25);
}

Meeting mesh_meeting(Generator& random, std::size_t number) {
  const std::size_t model = number / curved_count % small_meshes().size();
  Meeting m{small_meshes()[model], curved_shape(random, number % curved_count, 0.5), random_pose(random, 0.5),
            random_pose(random, 1.5)};
  if (scenes::chance(random, 2)) bring_near(random, m);
  return m;
}

Meeting field_meeting(Generator& random, std::size_t number) {
  const auto columns = static_cast<std::size_t>(whole(random, 2, 14));
  const auto rows = static_cast<std::size_t>(whole(random, 2, 14));
  Meeting m{some_field(random, columns, rows, scenes::chance(random, 3) ? 0 : 0.3),
            curved_shape(random, number % curved_count, 0.5), random_pose(random, 1), random_pose(random, 3)};
  if (scenes::chance(random, 2)) bring_near(random, m);
  return m;
}

/// If the support error leaves open whether a triangle touches, boxes may still prove that it does not.
void check_contacts_of_custom(const Meeting& m, const std::vector<Shape>& triangles,
                              const std::vector<std::uint32_t>& not_apart) {
  std::vector<std::uint32_t> ids;
  for (const Contact& contact : contacts(m.a(), m.b()).pairs)
    ids.push_back(contact.a.id);
  std::sort(ids.begin(), ids.end());
  ASSERT_TRUE(std::includes(not_apart.begin(), not_apart.end(), ids.begin(), ids.end())) << m.text();
  for (const std::uint32_t id : not_apart) {
    const bool overlaps = distance(triangles[id], m.b()).upper == 0;
    if (overlaps) {
      ASSERT_TRUE(std::binary_search(ids.begin(), ids.end(), id)) << m.text();
    }
  }
  for (const bool flipped : {false, true}) {
    ASSERT_EQ(flipped ? touches(m.b(), m.a()) : touches(m.a(), m.b()), !ids.empty()) << m.text();
    ASSERT_EQ((flipped ? contacts(m.b(), m.a()) : contacts(m.a(), m.b())).pairs.size(), ids.size()) << m.text();
  }
}

void check_touches_and_contacts(const Meeting& m, std::size_t& touching) {
  std::vector<std::uint32_t> truth;
  const std::vector<Shape> triangles = m.triangles();
  for (std::size_t i = 0; i < triangles.size(); ++i)
    if (touches(triangles[i], m.b())) truth.push_back(static_cast<std::uint32_t>(i));
  touching += truth.empty() ? 0u : 1u;
  if (support_error(m.shape) > 0) {
    check_contacts_of_custom(m, triangles, truth);
    return;
  }
  ASSERT_EQ(touches(m.a(), m.b()), !truth.empty()) << m.text();
  ASSERT_EQ(touches(m.b(), m.a()), !truth.empty()) << m.text();
  PairCache cache;
  for (const std::uint32_t guess : {PairMemory::none, 0u, 1u, 77u}) {
    memory_of(cache).touching_a = memory_of(cache).touching_b = guess;
    ASSERT_EQ(touches(m.a(), m.b(), {.cache = &cache}), !truth.empty()) << m.text();
  }
  for (const bool flipped : {false, true}) {
    const Contacts found = flipped ? contacts(m.b(), m.a()) : contacts(m.a(), m.b());
    std::vector<std::uint32_t> ids;
    for (const Contact& contact : found.pairs) {
      const Feature& of_surface = flipped ? contact.b : contact.a;
      ASSERT_EQ((flipped ? contact.a : contact.b), Feature{}) << m.text();
      ASSERT_EQ(of_surface.kind, FeatureKind::triangle) << m.text();
      ids.push_back(of_surface.id);
      const double slack = 1e-9 + 8 * support_error(m.shape);
      ASSERT_LE(distance(triangles[of_surface.id], {Sphere{0}, Pose(contact.segment.a)}).lower, slack) << m.text();
      ASSERT_LE(distance(m.b(), {Sphere{0}, Pose(contact.segment.a)}).lower, slack) << m.text();
    }
    std::sort(ids.begin(), ids.end());
    ASSERT_EQ(ids, truth) << m.text();
  }
  if (truth.size() > 1) {
    const Contacts few = contacts(m.a(), m.b(), {.max_count = truth.size() - 1});
    EXPECT_EQ(few.pairs.size(), truth.size() - 1);
    EXPECT_EQ(few.stop, Stop::count);
  }
}

struct Truth {
  double lower = infinity;
  double upper = infinity;
  std::uint32_t id = 0;
};

Truth true_distance(const Meeting& m) {
  Truth truth;
  const std::vector<Shape> triangles = m.triangles();
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    const Distance d = distance(triangles[i], m.b());
    truth.lower = std::min(truth.lower, d.lower);
    if (d.upper < truth.upper) {
      truth.upper = d.upper;
      truth.id = static_cast<std::uint32_t>(i);
    }
  }
  return truth;
}

void check_distance(Generator& random, const Meeting& m, std::size_t& apart) {
  const Truth truth = true_distance(m);
  const double rounding = 1e-14 + 4 * support_error(m.shape);  // everything is within a few units of the origin
  apart += truth.lower > 0 ? 1u : 0u;
  const Distance found = distance(m.a(), m.b());
  const bool is_mesh = m.surface.kind() == ShapeKind::mesh;
  ASSERT_LE(found.lower, truth.upper) << m.text();
  ASSERT_GE(found.upper, truth.lower) << m.text();
  ASSERT_LE(found.lower, found.upper) << m.text();
  ASSERT_GE(found.lower, truth.lower - rounding) << m.text();
  ASSERT_LE(found.upper, truth.upper + rounding) << m.text();
  if (support_error(m.shape) == 0) {
    ASSERT_EQ(touches(m.a(), m.b()), !(found.lower > 0)) << m.text();
  } else if (touches(m.a(), m.b())) {
    ASSERT_EQ(found.lower, 0) << m.text();
  } else {
    ASSERT_GT(found.upper, 0) << m.text();
  }
  if (is_mesh && found.upper > 0) {
    // All triangles that may be closest were measured, with the same results as by themselves. If the shape is curved,
    // a triangle's own result is refined after the triangle was chosen, and a neighbor that shares the closest edge may
    // then be a few ulps closer.
    ASSERT_EQ(found.upper, distance(m.triangles()[found.feature_a.id], m.b()).upper) << m.text();
    if (!is_curved(m.shape)) {
      ASSERT_EQ(found.upper, truth.upper) << m.text();
      ASSERT_EQ(found.feature_a.id, truth.id) << m.text();
    }
  }
  if (found.lower > 0) {
    ASSERT_NEAR((found.point_b - found.point_a).norm(), found.upper, 1e-9 + rounding) << m.text();
    ASSERT_NEAR(found.normal.norm(), 1, 1e-12);
  }
  const Distance reversed = distance(m.b(), m.a());
  ASSERT_EQ(reversed.lower, found.lower) << m.text();
  ASSERT_EQ(reversed.upper, found.upper) << m.text();
  ASSERT_EQ(reversed.point_a, found.point_b) << m.text();

  PairCache cache;
  for (int i = 0; i < 3; ++i) {
    const Distance cached = distance(m.a(), m.b(), {.cache = &cache});
    ASSERT_EQ(cached.upper, found.upper) << m.text();
    ASSERT_LE(cached.lower, truth.upper) << m.text();
    ASSERT_GE(cached.lower, truth.lower - rounding) << m.text();
    memory_of(cache).closest_a = static_cast<std::uint32_t>(whole(random, 0, 400));
  }
  for (const double tolerance : {1e-6, 1e-2, 1.0}) {
    const Distance rough = distance(m.a(), m.b(), {.tolerance = tolerance});
    ASSERT_LE(rough.lower, truth.upper) << m.text();
    ASSERT_GE(rough.upper, truth.lower) << m.text();
    ASSERT_LE(rough.upper - rough.lower, tolerance + (truth.upper - truth.lower) + rounding) << m.text();
  }
  for (const std::uint64_t budget : {0u, 1u, 10u, 100u}) {
    const Distance rough = distance(m.a(), m.b(), {.budget = budget});
    ASSERT_LE(rough.lower, truth.upper) << m.text();
    ASSERT_GE(rough.upper, truth.lower) << m.text();
    ASSERT_TRUE(std::isfinite(rough.upper));
  }
  for (const double part : {0.5, 0.999, 1.0, 1.001, 2.0}) {
    const double bound = part * truth.upper;
    const Distance bounded = distance(m.a(), m.b(), {.upper_bound = bound});
    ASSERT_LE(bounded.lower, truth.upper) << m.text();
    ASSERT_GE(bounded.upper, truth.lower) << m.text();
    if (truth.upper <= bound) {
      ASSERT_EQ(bounded.upper, found.upper) << m.text();
    }
    if (truth.lower > bound) {
      ASSERT_TRUE(closer_than(m.a(), m.b(), truth.upper));
      ASSERT_GT(bounded.lower, bound - rounding) << m.text();
    }
    ASSERT_EQ(closer_than(m.a(), m.b(), bound), !(truth.lower > bound)) << m.text();
    const Distance enough = distance(m.a(), m.b(), {.close_enough = bound});
    ASSERT_LE(enough.lower, truth.upper) << m.text();
    ASSERT_GE(enough.upper, truth.lower) << m.text();
    ASSERT_LE(enough.upper, std::max(bound, found.upper)) << m.text();
  }
}

TEST(MeshConvex, TouchesAndContactsAreThoseOfTheTriangles) {
  Generator random = seeded(301);
  std::size_t touching = 0;
  const std::size_t count = cases(800);
  for (std::size_t i = 0; i < count; ++i) {
    SCOPED_TRACE(i);
    check_touches_and_contacts(mesh_meeting(random, i), touching);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(touching, at_least(800) / 4);
  EXPECT_LT(touching, count * 3 / 4);
}

TEST(MeshConvex, DistanceIsThatOfTheClosestTriangle) {
  Generator random = seeded(302);
  std::size_t apart = 0;
  const std::size_t count = cases(320);
  for (std::size_t i = 0; i < count; ++i) {
    SCOPED_TRACE(i);
    const Meeting m = mesh_meeting(random, i);
    check_distance(random, m, apart);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(apart, count / 4);
}

TEST(HeightFieldConvex, TouchesAndContactsAreThoseOfTheTriangles) {
  Generator random = seeded(303);
  std::size_t touching = 0;
  const std::size_t count = cases(500);
  for (std::size_t i = 0; i < count; ++i) {
    SCOPED_TRACE(i);
    check_touches_and_contacts(field_meeting(random, i), touching);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(touching, count / 5);
}

TEST(HeightFieldConvex, DistanceIsThatOfTheClosestTriangle) {
  Generator random = seeded(304);
  std::size_t apart = 0;
  const std::size_t count = cases(250);
  for (std::size_t i = 0; i < count; ++i) {
    SCOPED_TRACE(i);
    const Meeting m = field_meeting(random, i);
    check_distance(random, m, apart);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(apart, count / 4);
}

TEST(MeshConvex, AnswersAreTheSameFarFromTheOriginAndInOtherUnits) {
  Generator random = seeded(305);
  for (std::size_t i = 0; i < cases(100); ++i) {
    SCOPED_TRACE(i);
    const double by = scenes::power_of_ten(whole(random, -80, 80));
    const std::size_t model = i % small_meshes().size();
    const Mesh mesh(scaled(small_models()[model].data, by));
    Meeting m{mesh, curved_shape(random, i % curved_count, 0.5 * by), random_pose(random, 0.5 * by),
              random_pose(random, 1.5 * by)};
    const Truth truth = true_distance(m);
    const Distance found = distance(m.a(), m.b());
    const double rounding = 1e-14 * by + 4 * support_error(m.shape);
    ASSERT_LE(found.lower, truth.upper) << m.text();
    ASSERT_GE(found.upper, truth.lower) << m.text();
    ASSERT_LE(found.upper - found.lower, truth.upper - truth.lower + rounding) << m.text();
    ASSERT_EQ(touches(m.a(), m.b()), any_touches(m.triangles(), m.shape, m.pose)) << m.text();
  }
}

/// One of each kind, no larger than a ball of radius `size`.
std::vector<Shape> one_of_each(double size) {
  std::vector<Vector3> corners;
  for (unsigned k = 0; k < 8; ++k)
    corners.emplace_back(Vector3((k & 1) != 0 ? 0.5 : -0.5, (k & 2) != 0 ? 0.5 : -0.5, (k & 4) != 0 ? 0.5 : -0.5) *
                         size);
  const std::vector<Vector3> flat(corners.begin(), corners.begin() + 4);
  const Shape ball = Ellipsoid{Vector3(size, 0.5 * size, 0.25 * size)};
  return {Cylinder{0.5 * size, size},
          Cone{0.5 * size, size},
          ball,
          ConvexHull(corners),
          ConvexHull(flat),
          CustomConvex(convex_cases::support_function(ball, 0), 1e-14 * size)};
}

TEST(MeshConvex, WhatIsInsideASolidMeshTouchesItAndWhatIsInsideASurfaceDoesNot) {
  Generator random = seeded(306);
  const MeshData data = make::box({.size_x = 4, .size_y = 4, .size_z = 4, .subdivisions = 3});
  const Shape solid = Mesh(data).solid(), surface = Mesh(data);
  for (std::size_t i = 0; i < cases(40); ++i) {
    const Pose outer = random_pose(random, 3);
    for (const Shape& shape : one_of_each(0.5)) {
      const Pose pose = compose(outer, random_pose(random, 0.6));
      EXPECT_TRUE(touches({solid, outer}, {shape, pose}));
      EXPECT_EQ(distance({shape, pose}, {solid, outer}).upper, 0);
      const Contacts found = contacts({solid, outer}, {shape, pose});
      ASSERT_EQ(found.pairs.size(), 1u);
      EXPECT_EQ(found.pairs[0].a, Feature{});
      EXPECT_EQ(found.pairs[0].b, Feature{});
      EXPECT_LE(distance({shape, pose}, {Sphere{0}, Pose(found.pairs[0].segment.a)}).lower, 1e-12);
      EXPECT_FALSE(touches({surface, outer}, {shape, pose}));
      EXPECT_GT(distance({surface, outer}, {shape, pose}).lower, 0.3);
      EXPECT_TRUE(contacts({surface, outer}, {shape, pose}).pairs.empty());
      const Pose outside = compose(outer, Pose(pose.rotation(), Vector3(5, 1, 1)));
      EXPECT_FALSE(touches({solid, outer}, {shape, outside}));
      EXPECT_EQ(depth({solid, outer}, {shape, outside}).upper, 0);
    }
  }
}

TEST(MeshConvex, AMeshInsideAConvexShapeTouchesIt) {
  Generator random = seeded(307);
  const MeshData data = make::torus({.major = 0.1, .minor = 0.03, .around = 10, .across = 6});
  const Shape solid = Mesh(data).solid(), surface = Mesh(data);
  for (std::size_t i = 0; i < cases(40); ++i) {
    const Pose outer = random_pose(random, 3);
    for (const Shape& shape : one_of_each(4)) {
      const Vector3 size = shape.bounds().upper - shape.bounds().lower;
      if (!(size.minCoeff() > 0)) continue;
      const Pose pose = compose(outer, random_pose(random, 0.2));
      for (const Shape* mesh : {&solid, &surface}) {
        EXPECT_TRUE(touches({*mesh, pose}, {shape, outer}));
        EXPECT_EQ(distance({shape, outer}, {*mesh, pose}).upper, 0);
        EXPECT_EQ(contacts({*mesh, pose}, {shape, outer}).pairs.size(), data.triangles.size());
      }
      // A ball around the mesh's center, which is not part of the mesh.
      const Depth found = depth({solid, pose}, {shape, outer});
      EXPECT_GT(found.lower, 0.4);
      EXPECT_LE(found.lower, found.upper);
    }
  }
}

// --- compounds ---------------------------------------------------------------------------------------------------

struct Parts {
  std::vector<CompoundPart> parts;

  Shape compound() const { return Compound(parts); }
};

Parts some_parts(Generator& random, std::size_t number) {
  Parts all;
  for (std::size_t kind = 0; kind < curved_count; ++kind)
    if (kind == number % curved_count || scenes::chance(random, 2))
      all.parts.push_back({curved_shape(random, kind, 0.4), random_pose(random, 0.8)});
  if (scenes::chance(random, 2)) all.parts.push_back({Sphere{0.2}, random_pose(random, 0.8)});
  if (scenes::chance(random, 2)) all.parts.push_back({Box{Vector3(0.3, 0.2, 0.4)}, random_pose(random, 0.8)});
  if (scenes::chance(random, 3)) all.parts.push_back({small_meshes()[number % 16], random_pose(random, 0.8)});
  return all;
}

TEST(CompoundConvex, AnswersAreThoseOfItsParts) {
  Generator random = seeded(308);
  std::size_t touching = 0;
  const std::size_t count = cases(300);
  for (std::size_t i = 0; i < count; ++i) {
    SCOPED_TRACE(i);
    const Parts parts = some_parts(random, i);
    const Shape compound = parts.compound();
    const Pose pose = random_pose(random, 0.7);
    std::vector<CompoundPart> others;
    switch (i / curved_count % 4) {
      case 0:
        others = {{curved_shape(random, i / 20 % curved_count, 0.5), Pose()}};
        break;
      case 1:
        others = {{small_meshes()[i / 20 % 16], Pose()}};
        break;
      case 2:
        others = {{some_field(random, 6, 7, 0.2), Pose()}};
        break;
      default:
        others = some_parts(random, i + 1).parts;
    }
    const Shape other = others.size() == 1 ? others[0].shape : Shape(Compound(others));
    const Pose other_pose = random_pose(random, 0.7);
    bool touch = false;
    double lower = infinity, upper = infinity;
    std::size_t pairs = 0;
    for (const CompoundPart& p : parts.parts) {
      for (const CompoundPart& q : others) {
        const Placed a(p.shape, compose(pose, p.pose));
        const Placed b(q.shape, others.size() == 1 ? other_pose : compose(other_pose, q.pose));
        touch = touch || touches(a, b);
        const Distance d = distance(a, b);
        lower = std::min(lower, d.lower);
        upper = std::min(upper, d.upper);
        pairs += contacts(a, b).pairs.size();
      }
    }
    touching += touch ? 1u : 0u;
    ASSERT_EQ(touches({compound, pose}, {other, other_pose}), touch);
    ASSERT_EQ(touches({other, other_pose}, {compound, pose}), touch);
    ASSERT_EQ(contacts({compound, pose}, {other, other_pose}).pairs.size(), pairs);
    const Distance found = distance({compound, pose}, {other, other_pose});
    ASSERT_LE(found.lower, upper);
    ASSERT_GE(found.upper, lower);
    ASSERT_NEAR(found.upper, upper, 1e-12);
    ASSERT_NEAR(found.lower, lower, 1e-12);
    ASSERT_EQ(found.lower > 0, !touch);
  }
  EXPECT_GT(touching, count / 5);
  EXPECT_LT(touching, count * 4 / 5);
}

// --- depth -------------------------------------------------------------------------------------------------------

/// After a move by `upper`, b does not touch any more. After a move by less than `lower`, in any direction, it does.
/// `touches` may be off by the error of a support function.
void check_depth(Generator& random, const Placed& a, const Placed& b, double error, const Depth& found) {
  const double rounding = 1e-12 + 4 * error;
  ASSERT_LE(found.lower, found.upper);
  const auto moved = [&](const Vector3& by) { return Pose(b.pose.rotation(), b.pose.translation() + by); };
  if (found.upper > 0) {
    ASSERT_NEAR(found.normal.norm(), 1, 1e-12);
    const Vector3 out = found.normal * (found.upper * (1 + 1e-12) + rounding);
    ASSERT_EQ(distance(a, {b.shape, moved(out)}).upper > 0, true);
    ASSERT_FALSE(touches(a, {b.shape, moved(out)}));
  }
  for (int i = 0; i < 24; ++i) {
    const Vector3 way = i == 0 ? found.normal : scenes::unit_vector(random);
    const double length = found.lower * (i < 12 ? 1 - 1e-9 : uniform(random, 0, 1));
    if (length > rounding) {
      ASSERT_TRUE(touches(a, {b.shape, moved(way * (length - rounding))}));
    }
  }
}

TEST(MeshConvex, DepthOfAConvexMeshIsThatOfItsHull) {
  Generator random = seeded(309);
  std::vector<MeshData> models = {make::box({.size_x = 1, .size_y = 0.7, .size_z = 1.3}),
                                  make::icosphere({.radius = 0.6, .subdivisions = 1}),
                                  make::random_hull({.points = 30, .radius_y = 0.6, .radius_z = 0.4})};
  std::size_t overlapping = 0, exact = 0;
  double widest = 0;
  for (std::size_t i = 0; i < cases(200); ++i) {
    SCOPED_TRACE(i);
    const MeshData& data = models[i / curved_count % models.size()];
    const Mesh mesh = Mesh(data).solid();
    const ConvexHull hull(data.vertices);
    const Shape shape = curved_shape(random, i % curved_count, 0.6);
    const Pose pose_a = random_pose(random, 0.5), pose_b = random_pose(random, 0.8);
    const Depth found = depth({Shape(mesh), pose_a}, {shape, pose_b});
    const Depth truth = depth({Shape(hull), pose_a}, {shape, pose_b});
    const double rounding = 1e-13 + 4 * support_error(shape);
    ASSERT_LE(found.lower, truth.upper + rounding) << describe(shape) << show(pose_a) << show(pose_b);
    ASSERT_GE(found.upper, truth.lower - rounding) << describe(shape) << show(pose_a) << show(pose_b);
    if (truth.lower > 0) {
      ++overlapping;
      exact += found.stop == Stop::exact ? 1u : 0u;
      if (found.upper > 1e-9) widest = std::max(widest, (found.upper - found.lower - rounding) / found.upper);
    }
    check_depth(random, {Shape(mesh), pose_a}, {shape, pose_b}, support_error(shape), found);
    if (HasFatalFailure()) return;
    const Depth reversed = depth({shape, pose_b}, {Shape(mesh), pose_a});
    ASSERT_EQ(reversed.lower, found.lower);
    ASSERT_EQ(reversed.upper, found.upper);
    ASSERT_EQ(reversed.normal, -found.normal);
  }
  std::printf("%zu overlap, %zu exactly known, the widest bounds %g of the depth\n", overlapping, exact, widest);
  EXPECT_GT(overlapping, cases(200) / 4);
  EXPECT_GT(exact, overlapping * 4 / 5);
  EXPECT_LT(widest, 2e-6);
}

TEST(MeshConvex, DepthOfAHollowMeshHoldsForMovedCopies) {
  Generator random = seeded(310);
  const std::vector<MeshData> models = {make::torus({.major = 0.6, .minor = 0.25, .around = 16, .across = 10}),
                                        unit(make::s_shape({.along = 8, .across = 8})), unit(make::chair())};
  std::size_t overlapping = 0, bounded = 0;
  for (std::size_t i = 0; i < cases(30); ++i) {
    SCOPED_TRACE(i);
    const Shape mesh = Mesh(models[i / curved_count % models.size()]).solid();
    const Shape shape = curved_shape(random, i % curved_count, 0.4);
    const Pose pose_a = random_pose(random, 0.5);
    const Pose pose_b = compose(pose_a, random_pose(random, 0.5));
    const Depth found = depth({mesh, pose_a}, {shape, pose_b});
    ASSERT_EQ(found.upper > 0, touches({mesh, pose_a}, {shape, pose_b}));
    check_depth(random, {mesh, pose_a}, {shape, pose_b}, support_error(shape), found);
    if (HasFatalFailure()) return;
    overlapping += found.upper > 0 ? 1u : 0u;
    bounded += found.lower > 0.25 * found.upper && found.upper > 0 ? 1u : 0u;
  }
  EXPECT_GT(overlapping, cases(30) / 3);
  EXPECT_GT(bounded, overlapping / 2);
}

TEST(HeightFieldConvex, DepthInFlatGroundIsThatInAHalfSpace) {
  Generator random = seeded(311);
  const std::vector<double> heights(21 * 21, 0.25);
  const Shape field = ground(HeightField(heights, 21, 21, 0.5, 0.5)), half_space = HalfSpace{Vector3(0, 0, 1), 0.25};
  std::size_t overlapping = 0;
  for (std::size_t i = 0; i < cases(60); ++i) {
    SCOPED_TRACE(i);
    const Shape shape = curved_shape(random, i % curved_count, 0.5);
    if (!(shape.bounds().upper.norm() + shape.bounds().lower.norm() < 2)) continue;  // the walls are farther away
    const Pose ground = random_pose(random, 1);
    const Pose local(scenes::any_rotation(random), Vector3(5, 5, uniform(random, -1, 1)));
    const Pose pose = compose(ground, local);
    const Depth found = depth({field, ground}, {shape, pose});
    const Depth truth = depth({half_space, ground}, {shape, pose});
    const double rounding = 1e-11 + 4 * support_error(shape);
    ASSERT_NEAR(found.lower, truth.lower, rounding) << describe(shape) << show(ground) << show(pose);
    ASSERT_NEAR(found.upper, truth.upper, rounding) << describe(shape) << show(ground) << show(pose);
    overlapping += truth.lower > 0 ? 1u : 0u;
  }
  EXPECT_GT(overlapping, cases(60) / 4);
}

TEST(HeightFieldConvex, DepthInRoughGroundHoldsForMovedCopies) {
  Generator random = seeded(312);
  std::size_t overlapping = 0;
  for (std::size_t i = 0; i < cases(30); ++i) {
    SCOPED_TRACE(i);
    const HeightField rough = some_field(random, 12, 12, 0.2);
    const Shape field = whisker::ground(rough), shape = curved_shape(random, i % curved_count, 0.5);
    const Pose ground = random_pose(random, 1);
    const Vector3 middle = rough.bounds().upper / 2;
    const Vector3 at(middle[0] + uniform(random, -0.5, 0.5), middle[1] + uniform(random, -0.5, 0.5),
                     uniform(random, -0.6, 0.6));
    const Pose pose = compose(ground, Pose(scenes::any_rotation(random), at));
    const Depth found = depth({field, ground}, {shape, pose});
    ASSERT_LE(found.lower, found.upper);
    if (touches({field, ground}, {shape, pose})) {
      ASSERT_GT(found.upper, 0);
    }
    if (!(found.upper > 0)) continue;
    ++overlapping;
    const auto moved = [&](const Vector3& by) { return Pose(pose.rotation(), pose.translation() + by); };
    const Vector3 out = found.normal * (found.upper * (1 + 1e-9) + 1e-9);
    EXPECT_EQ(depth({field, ground}, {shape, moved(out)}).upper, 0) << describe(shape) << show(ground) << show(pose);
    for (int k = 0; k < 8; ++k) {
      const Vector3 by = scenes::unit_vector(random) * (found.lower * 0.999 - 1e-9);
      if (found.lower > 1e-6) {
        ASSERT_GT(depth({field, ground}, {shape, moved(by)}).upper, 0);
      }
    }
  }
  EXPECT_GT(overlapping, cases(30) / 3);
}

TEST(CompoundConvex, DepthHoldsForMovedCopies) {
  Generator random = seeded(313);
  std::size_t overlapping = 0;
  for (std::size_t i = 0; i < cases(40); ++i) {
    SCOPED_TRACE(i);
    Parts parts;
    for (std::size_t kind = 0; kind < curved_count; ++kind)
      parts.parts.push_back({curved_shape(random, kind, 0.4), random_pose(random, 0.6)});
    const Shape compound = parts.compound();
    const Shape other = i % 2 == 0 ? curved_shape(random, i / 2 % curved_count, 0.5)
                                   : Shape(Mesh(make::box({.size_x = 0.8, .size_y = 0.5, .size_z = 0.6})).solid());
    const Pose pose = random_pose(random, 0.4), other_pose = random_pose(random, 0.7);
    const Depth found = depth({compound, pose}, {other, other_pose});
    ASSERT_EQ(found.upper > 0, touches({compound, pose}, {other, other_pose}));
    double error = support_error(other);
    for (const CompoundPart& part : parts.parts)
      error += support_error(part.shape);
    check_depth(random, {compound, pose}, {other, other_pose}, error, found);
    if (HasFatalFailure()) return;
    overlapping += found.upper > 0 ? 1u : 0u;
  }
  EXPECT_GT(overlapping, at_least(40) / 3);
}

// --- the depth of a point -------------------------------------------------------------------------------------------

TEST(ConvexCore, InnerDistanceIsTheDepthOfAPoint) {
  Generator random = seeded(314);
  std::size_t inside = 0, close = 0;
  for (std::size_t i = 0; i < cases(2000); ++i) {
    SCOPED_TRACE(i);
    const Shape shape = curved_shape(random, i % curved_count, 1);
    const Aabb box = shape.bounds();
    Vector3 point;
    for (int axis = 0; axis < 3; ++axis)
      point[axis] = scenes::chance(random, 6) ? 0 : uniform(random, box.lower[axis], box.upper[axis]);
    const whisker::convex::ConvexCore core(shape);
    Vector3 out;
    const double plain = whisker::convex::inner_distance(core, point, out);
    const double proven = whisker::convex::min_inner_distance(core, point);
    const Depth truth = depth({shape}, {Sphere{0}, Pose(point)});
    const double rounding = 1e-13 + 4 * support_error(shape);
    ASSERT_LE(proven, truth.upper + rounding) << describe(shape) << point.transpose();
    if (truth.upper == 0) {
      ASSERT_LE(plain, rounding) << describe(shape) << point.transpose();
      ASSERT_LE(-plain, distance({shape}, {Sphere{0}, Pose(point)}).upper + rounding) << describe(shape);
      continue;
    }
    ++inside;
    const double coarse = shape.kind() == ShapeKind::custom_convex ? 1e-3 : 1e-6;
    const double wide = rounding + (coarse > 1e-4 ? 1e-3 : 0) + 1e-9 * truth.upper;
    ASSERT_GE(plain, truth.lower - wide) << describe(shape) << point.transpose();
    ASSERT_LE(plain, truth.upper + wide) << describe(shape) << point.transpose();
    close += proven > (1 - coarse) * truth.lower - (coarse > 1e-4 ? 1e-3 : 1e-7) ? 1u : 0u;
    if (out.norm() > 1e-9 && shape.kind() != ShapeKind::custom_convex) {
      ASSERT_GE(out.norm(), truth.lower - 1e-6) << describe(shape) << point.transpose();
      ASSERT_LE(out.norm(), truth.upper + 1e-6) << describe(shape) << point.transpose();
      ASSERT_FALSE(depth({shape}, {Sphere{0}, Pose(point + out * 1.0001)}).lower > 1e-6) << describe(shape);
    }
  }
  EXPECT_GT(inside, cases(2000) / 4);
  EXPECT_GT(close, inside * 9 / 10);
}

TEST(MeshConvex, ASupportFunctionMayItselfAskWhisker) {
  const Shape mesh = Mesh(unit(make::torus({.around = 16, .across = 10}))).solid();
  const auto plain = [](const Vector3& d) { return Vector3(0.4 * d.normalized()); };
  const auto asking = [&](const Vector3& d) {
    const Vector3 point = plain(d);
    distance(mesh, {Sphere{0.1}, Pose(point)});
    depth(Cylinder{1, 2}, {Box{Vector3(1, 1, 1)}, Pose(point)});
    return point;
  };
  const Shape simple = CustomConvex(plain, 1e-15), nested = CustomConvex(asking, 1e-15);
  for (const double x : {0.0, 0.3, 0.5, 0.8, 1.0}) {
    const Pose pose(Vector3(x, 0.1, 0.05));
    EXPECT_EQ(touches(mesh, {nested, pose}), touches(mesh, {simple, pose}));
    EXPECT_EQ(distance(mesh, {nested, pose}).upper, distance(mesh, {simple, pose}).upper);
    EXPECT_EQ(contacts(mesh, {nested, pose}).pairs.size(), contacts(mesh, {simple, pose}).pairs.size());
  }
}

}  // namespace
}  // namespace whisker::test
