// The ground under a height field, in every query, against its twin: a closed solid mesh of the same surface, with
// walls and a floor far below. Where the floor is not near, all answers must be the same.

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <set>
#include <string>
#include <vector>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include <whisker/batch.hpp>
#include <whisker/contact_manifold.hpp>
#include <whisker/error.hpp>
#include <whisker/first_contact.hpp>
#include <whisker/make/ground.hpp>
#include <whisker/make/make.hpp>
#include <whisker/make/rounded.hpp>
#include <whisker/mass.hpp>
#include <whisker/mesh_queries.hpp>
#include <whisker/queries.hpp>
#include <whisker/spheres/sphere_body.hpp>
#include <whisker/spheres/sphere_set.hpp>
#include <whisker/spheres/sphere_tree.hpp>
#include <whisker/world.hpp>

#include "geometry/constants.hpp"
#include "support/error_of.hpp"
#include "support/random_shapes.hpp"

namespace whisker {
namespace {

using test::cases;
using test::error_of;
using test::random_pose;
using test::seeded;
using test::uniform;
using GroundRandom = std::mt19937_64;

constexpr double floor_depth = 40;

/// About 2 by 2 in size.
HeightField ground_field(GroundRandom& random, std::size_t i) {
  const auto side = [&] { return static_cast<std::size_t>(test::whole(random, 2, 9)); };
  const std::size_t columns = i % 5 == 4 ? 2 : side(), rows = i % 5 == 4 ? 2 : side();
  const double dx = 2.0 / static_cast<double>(columns - 1), dy = 2.0 / static_cast<double>(rows - 1);
  std::vector<double> heights;
  for (std::size_t k = 0; k < columns * rows; ++k)
    heights.push_back(i % 3 == 0 ? 0.25 : i % 3 == 1 ? 0.25 * test::whole(random, 0, 2) : uniform(random, -0.4, 0.4));
  return HeightField(heights, columns, rows, dx, dy);
}

/// The surface with its own numbers, then the walls and the floor.
Mesh twin_of(const HeightField& field, double bottom = floor_depth) {
  MeshData data;
  const auto columns = static_cast<std::uint32_t>(field.columns()), rows = static_cast<std::uint32_t>(field.rows());
  for (std::uint32_t j = 0; j < rows; ++j)
    for (std::uint32_t i = 0; i < columns; ++i)
      data.vertices.push_back(field.vertex(i, j));
  for (std::uint32_t j = 0; j + 1 < rows; ++j) {
    for (std::uint32_t i = 0; i + 1 < columns; ++i) {
      const std::uint32_t p = j * columns + i;
      data.triangles.push_back({p, p + 1, p + columns + 1});
      data.triangles.push_back({p, p + columns + 1, p + columns});
    }
  }
  std::vector<std::uint32_t> border;  // counter-clockwise from above
  for (std::uint32_t i = 0; i + 1 < columns; ++i)
    border.push_back(i);
  for (std::uint32_t j = 0; j + 1 < rows; ++j)
    border.push_back(j * columns + columns - 1);
  for (std::uint32_t i = columns - 1; i > 0; --i)
    border.push_back((rows - 1) * columns + i);
  for (std::uint32_t j = rows - 1; j > 0; --j)
    border.push_back(j * columns);
  const auto first = static_cast<std::uint32_t>(data.vertices.size()),
             count = static_cast<std::uint32_t>(border.size());
  for (const std::uint32_t v : border)
    data.vertices.push_back({data.vertices[v][0], data.vertices[v][1], -bottom});
  data.vertices.push_back({1, 1, -bottom});
  for (std::uint32_t k = 0; k < count; ++k) {
    const std::uint32_t next = (k + 1) % count;
    data.triangles.push_back({border[k], first + k, first + next});
    data.triangles.push_back({border[k], first + next, border[next]});
    data.triangles.push_back({first + count, first + next, first + k});
  }
  return Mesh(std::move(data)).solid();
}

MeshData small_model(MeshData data) {
  Aabb box;
  for (const Vector3& v : data.vertices)
    box.include(v);
  for (Vector3& v : data.vertices)
    v = (v - (box.lower + box.upper) / 2) * (0.6 / (box.upper - box.lower).maxCoeff());
  return data;
}

const std::vector<Shape>& ground_bodies() {
  static const std::vector<Vector3> corners = {
      {-0.3, 0, 0}, {0.3, 0, 0}, {0, 0.3, 0}, {0, -0.2, 0.3}, {0.1, 0.1, -0.3}};
  static const std::vector<double> ramp = {0, 0.1, 0.2, 0.3};
  static const Mesh ball = Mesh(small_model(make::icosphere({.subdivisions = 1}))).solid();
  static const std::vector<Shape> bodies = {
      Sphere{0.2},
      Sphere{0},
      Capsule{0.1, 0.4},
      Box{{0.5, 0.3, 0.2}},
      Segment{{-0.2, 0, 0}, {0.2, 0.1, 0.1}},
      Triangle{{-0.2, 0, 0}, {0.3, 0, 0.1}, {0, 0.3, 0}},
      Cylinder{0.2, 0.4},
      Cone{0.2, 0.4},
      Ellipsoid{{0.3, 0.2, 0.1}},
      ConvexHull(corners),
      CustomConvex([](const Vector3& d) { return Vector3(d.normalized() * 0.2); }, 1e-15),
      Mesh(small_model(make::torus({.around = 8, .across = 6}))).solid(),
      ball,
      Mesh(small_model(make::gear({.teeth = 5, .flank_points = 2}))),  // a surface
      HeightField(ramp, 2, 2, 0.3, 0.3),
      rounded(Box{{0.3, 0.2, 0.2}}, 0.1),
      rounded(ball, 0.05),
      Compound({{Sphere{0.1}, Pose()}, {Box{{0.4, 0.1, 0.1}}, Pose(Vector3(0.2, 0, 0.1))}}),
      SphereSet(std::vector<Vector3>{{0, 0, 0}, {0.2, 0, 0}}, std::vector<double>{0.2, 0.1}),
      SphereBody(build_sphere_tree(ball, {.depth = 1}), ball),
  };
  return bodies;
}

/// A field with its ground and its twin at one pose, and a body near it: above, crossing, below, or beside it.
struct GroundScene {
  HeightField field;
  Pose pose;
  Shape earth, twin, body;
  Pose at;
  std::string what;

  GroundScene(GroundRandom& random, std::size_t i, double bottom = floor_depth)
      : field(ground_field(random, i)),
        pose(i % 4 == 0 ? Pose() : random_pose(random, 2)),
        earth(ground(field)),
        twin(twin_of(field, bottom)),
        body(ground_bodies()[i % ground_bodies().size()]) {
    Vector3 local(uniform(random, -0.6, 2.6), uniform(random, -0.6, 2.6), uniform(random, -1.5, 1.2));
    if (i % 7 == 0) local[2] = uniform(random, -4, -1.5);
    at = compose(pose, Pose(test::scenes::any_rotation(random), local));
    what = std::string(name(body.kind())) + ", case " + std::to_string(i);
  }
  Placed placed_earth() const { return {earth, pose}; }
  Placed placed_twin() const { return {twin, pose}; }
  Placed placed_body() const { return {body, at}; }
  bool is_open() const {
    const auto* const mesh = body.as<Mesh>();
    return (mesh != nullptr && !mesh->is_solid()) || body.as<HeightField>() != nullptr;
  }
};

TEST(Ground, IsTouchedWhereItsTwinIs) {
  GroundRandom random = seeded(7101);
  std::size_t touching = 0, below = 0, apart = 0;
  for (std::size_t i = 0; i < cases(2000); ++i) {
    const GroundScene s(random, i);
    const bool truth = touches(s.placed_twin(), s.placed_body());
    ASSERT_EQ(touches(s.placed_earth(), s.placed_body()), truth) << s.what;
    ASSERT_EQ(touches(s.placed_body(), s.placed_earth()), truth) << s.what;
    PairCache cache;
    ASSERT_EQ(touches(s.placed_earth(), s.placed_body(), {.cache = &cache}), truth) << s.what;
    ASSERT_EQ(contacts(s.placed_earth(), s.placed_body()).pairs.empty(), !truth) << s.what;
    const bool on_surface = touches({s.field, s.pose}, s.placed_body());
    ++(truth ? on_surface ? touching : below : apart);
  }
  EXPECT_GT(touching, cases(2000) / 16);
  EXPECT_GT(below, cases(2000) / 8);
  EXPECT_GT(apart, cases(2000) / 8);
}

TEST(Ground, HasTheDistancesOfItsTwin) {
  GroundRandom random = seeded(7102);
  std::size_t apart = 0, at_walls = 0;
  for (std::size_t i = 0; i < cases(1500); ++i) {
    const GroundScene s(random, i);
    const Distance truth = distance(s.placed_twin(), s.placed_body());
    const Distance found = distance(s.placed_earth(), s.placed_body());
    ASSERT_LE(found.lower, found.upper) << s.what;
    ASSERT_LE(found.lower, truth.upper + 1e-12) << s.what;
    ASSERT_GE(found.upper, truth.lower - 1e-12) << s.what;
    // Walls are thicker by 3/2^45 of all coordinates. Their triangles are others than the twin's, so for these
    // shapes the search for the closest points ends elsewhere, with the width that docs/accuracy.md allows it.
    const std::set<ShapeKind> searched_kinds = {ShapeKind::cylinder, ShapeKind::cone, ShapeKind::ellipsoid,
                                                ShapeKind::convex_hull, ShapeKind::custom_convex};
    const double searched = searched_kinds.contains(s.body.kind()) ? 1e-9 * truth.upper : 0;
    ASSERT_LE(found.upper - found.lower, (truth.upper - truth.lower) + 3 * 0x1p-45 * 30 + searched) << s.what;
    ASSERT_EQ(found.upper == 0, touches(s.placed_earth(), s.placed_body())) << s.what;
    const Distance back = distance(s.placed_body(), s.placed_earth());
    ASSERT_EQ(back.upper, found.upper) << s.what;
    ASSERT_EQ(back.normal, -found.normal) << s.what;
    const double length = (found.point_b - found.point_a).norm();
    ASSERT_NEAR(length, found.upper, 1e-9) << s.what;
    ASSERT_LT(distance(s.placed_twin(), {Sphere{0}, Pose(found.point_a)}).lower, 1e-9) << s.what;
    ASSERT_LT(distance(s.placed_body(), {Sphere{0}, Pose(found.point_b)}).lower, 1e-9) << s.what;
    if (found.lower > 1e-6) {
      ++apart;
      ASSERT_NEAR(found.normal.dot(found.point_b - found.point_a), length, 1e-9) << s.what;
      at_walls += found.feature_a.kind == FeatureKind::whole ? 1u : 0u;
      ASSERT_TRUE(closer_than(s.placed_earth(), s.placed_body(), found.upper + 1e-9)) << s.what;
      ASSERT_FALSE(closer_than(s.placed_earth(), s.placed_body(), found.lower - 1e-9)) << s.what;
      const Distance none = distance(s.placed_earth(), s.placed_body(), {.upper_bound = found.lower / 2});
      ASSERT_GT(none.lower, found.lower / 2) << s.what;
      ASSERT_LE(none.lower, found.upper) << s.what;
      const Distance rough = distance(s.placed_earth(), s.placed_body(), {.tolerance = 0.01});
      ASSERT_LE(rough.lower, found.upper) << s.what;
      ASSERT_GE(rough.upper, found.lower) << s.what;
    }
  }
  EXPECT_GT(apart, cases(1500) / 8);
  EXPECT_GT(at_walls, cases(1500) / 40);
}

/// The sizes of the field and the body from the origins of their frames, plus the largest coordinate.
double sizes_and_coordinates(const GroundScene& s) {
  const auto largest = [](const Vector3& v) { return v.cwiseAbs().maxCoeff(); };
  const auto size = [](const Aabb& box) { return box.lower.cwiseAbs().cwiseMax(box.upper.cwiseAbs()).norm(); };
  return size(s.field.bounds()) + size(s.body.bounds()) +
         std::max(largest(s.pose.translation()), largest(s.at.translation()));
}

TEST(Ground, HasTheDepthAndSignedDistanceOfItsTwin) {
  GroundRandom random = seeded(7103);
  std::size_t deep = 0, open = 0;
  for (std::size_t i = 0; i < cases(500); ++i) {
    const GroundScene s(random, i);
    if (s.is_open()) {
      ++open;
      EXPECT_THROW(depth(s.placed_earth(), s.placed_body()), Error) << s.what;
      EXPECT_THROW(signed_distance(s.placed_earth(), s.placed_body()), Error) << s.what;
      continue;
    }
    const Depth truth = depth(s.placed_twin(), s.placed_body()), found = depth(s.placed_earth(), s.placed_body());
    ASSERT_LE(found.lower, truth.upper + 1e-9) << s.what;
    ASSERT_GE(found.upper, truth.lower - 1e-9) << s.what;
    const Distance sign = signed_distance(s.placed_earth(), s.placed_body());
    const Distance true_sign = signed_distance(s.placed_twin(), s.placed_body());
    ASSERT_LE(sign.lower, true_sign.upper + 1e-9) << s.what;
    ASSERT_GE(sign.upper, true_sign.lower - 1e-9) << s.what;
    if (!(found.upper > 0)) continue;
    ++deep;
    ASSERT_LE(sign.lower, -found.lower) << s.what;
    ASSERT_NEAR(found.normal.norm(), 1, 1e-12) << s.what;
    const Pose gone(s.at.rotation(), s.at.translation() + found.normal * (found.upper + 1e-9));
    ASSERT_FALSE(touches(s.placed_twin(), {s.body, gone})) << s.what;
    // As docs/guarantees.md promises.
    const bool is_curved = s.body.as<Cylinder>() != nullptr || s.body.as<Cone>() != nullptr ||
                           s.body.as<Ellipsoid>() != nullptr || s.body.as<CustomConvex>() != nullptr;
    const double allowed = (is_curved ? 0x1p-33 : 0x1p-42) * sizes_and_coordinates(s);
    ASSERT_LT((found.point_a - found.point_b - found.normal * found.upper).norm(), allowed) << s.what;
  }
  EXPECT_GT(deep, cases(500) / 4);
  EXPECT_GT(open, 0u);
}

TEST(Ground, ContainsThePointsOfItsTwin) {
  GroundRandom random = seeded(7104);
  std::size_t inside = 0, checked = 0;
  for (std::size_t i = 0; i < cases(60); ++i) {
    const GroundScene s(random, i);
    for (int k = 0; k < 40; ++k) {
      const Vector3 local(uniform(random, -0.3, 2.3), uniform(random, -0.3, 2.3), uniform(random, -3, 1));
      const Vector3 point = place(s.pose, local);
      const bool truth = contains(s.placed_twin(), point);
      ASSERT_EQ(contains(s.placed_earth(), point), truth) << s.what;
      inside += truth ? 1u : 0u;
      ++checked;
    }
    // Exactly on the surface, at a corner of the grid, and just above it.
    const Vector3 vertex = s.field.vertex(s.field.columns() - 1, 0);
    EXPECT_TRUE(contains({s.earth}, vertex));
    EXPECT_FALSE(contains({s.earth}, vertex + Vector3(0, 0, 1e-15)));
    EXPECT_TRUE(contains({s.earth}, vertex - Vector3(0, 0, 1e9)));
    EXPECT_FALSE(contains({s.earth}, vertex + Vector3(1e-15, 0, -1) + Vector3(1e-15, 0, 0)));
    EXPECT_THROW(contains({s.field}, vertex), Error);
  }
  EXPECT_GT(inside, checked / 5);
}

TEST(Ground, IsHitByRaysWhereItsTwinIs) {
  GroundRandom random = seeded(7105);
  std::size_t hits = 0, walls = 0, inside = 0;
  for (std::size_t i = 0; i < cases(300); ++i) {
    const GroundScene s(random, i);
    for (int k = 0; k < 12; ++k) {
      const Vector3 from(uniform(random, -2, 4), uniform(random, -2, 4), uniform(random, -4, 3));
      Vector3 to(uniform(random, -0.2, 2.2), uniform(random, -0.2, 2.2), uniform(random, -3, 0.5));
      if (k == 0) to = from - Vector3(0, 0, 1);
      if (k == 1) to = from + Vector3(1, 0, 0);
      const Ray ray{place(s.pose, from), place(s.pose, to) - place(s.pose, from)};
      const RayRange range = k % 4 == 3 ? RayRange{0.25, 0.9} : k % 4 == 2 ? RayRange{0, 1} : RayRange{};
      const auto truth = cast_ray(ray, s.placed_twin(), range);
      const auto found = cast_ray(ray, s.placed_earth(), range);
      // The floor, and what only a ground without one has.
      if ((truth && truth->point.norm() > 20) || (found && found->point.norm() > 20)) continue;
      ASSERT_EQ(found.has_value(), truth.has_value()) << s.what << ", ray " << k;
      if (!found) continue;
      ++hits;
      ASSERT_TRUE(found->certain) << s.what;
      ASSERT_EQ(found->inside, truth->inside) << s.what;
      ASSERT_LE(found->t_lower, truth->t_upper + 1e-12) << s.what;
      ASSERT_GE(found->t_upper, truth->t_lower - 1e-12) << s.what;
      ASSERT_LE(found->t_upper - found->t_lower, 1e-12) << s.what;
      // Of a ray that starts inside, it is that of the face where its line entered, and the ground has no floor.
      if (!found->inside || s.pose.rotation().col(2).dot(truth->normal) > -0.5) {
        ASSERT_LT((found->normal - truth->normal).norm(), 1e-9) << s.what << ", ray " << k;
      }
      if (found->inside) {
        ++inside;
      } else if (found->face) {
        ASSERT_EQ(found->face->triangle, truth->face->triangle) << s.what;
      } else {
        ++walls;
        ASSERT_GE(truth->face->triangle, s.field.triangle_count()) << s.what;
      }
    }
  }
  EXPECT_GT(hits, cases(300) * 4);
  EXPECT_GT(walls, cases(300) / 4);
  EXPECT_GT(inside, cases(300) / 4);
}

TEST(Ground, RaysAlongItsAxisComeFromTheDepth) {
  const HeightField flat(std::vector<double>(9, 1.0), 3, 3, 2, 2);
  const Shape earth = ground(flat);
  const auto up = cast_ray({{1, 1, -5}, {0, 0, 1}}, earth, line_range());
  ASSERT_TRUE(up && up->inside && up->certain);
  EXPECT_EQ(up->t, 6);
  EXPECT_GT(up->normal.z(), 0.5);
  const auto down = cast_ray({{1, 1, -5}, {0, 0, -1}}, earth, line_range());
  ASSERT_TRUE(down && !down->inside);
  EXPECT_EQ(down->t, -6);
  EXPECT_EQ(down->normal, Vector3(0, 0, 1));
  EXPECT_FALSE(cast_ray({{5, 1, -5}, {0, 0, 1}}, earth, line_range()));
  const auto still = cast_ray({{1, 1, -5}, {0, 0, 0}}, earth);
  ASSERT_TRUE(still && still->inside);
  EXPECT_FALSE(cast_ray({{1, 1, 1.5}, {0, 0, 0}}, earth));
  const auto below = cast_ray({{-1, 1, -100}, {1, 0, 0}}, earth);
  ASSERT_TRUE(below && !below->face);
  EXPECT_EQ(below->t, 1);
  EXPECT_EQ(below->normal, Vector3(-1, 0, 0));
}

TEST(Ground, IsFirstTouchedWhenItsTwinIs) {
  GroundRandom random = seeded(7106);
  std::size_t hit = 0, at_start = 0;
  for (std::size_t i = 0; i < cases(200); ++i) {
    const GroundScene s(random, i);
    if (s.body.as<SphereBody>() != nullptr) continue;
    const Vector3 by = place(s.pose, Vector3(uniform(random, 0, 2), uniform(random, 0, 2), -1)) - s.at.translation();
    const Moving moving{s.body, Straight{s.at, by}};
    const MotionImpact truth = first_contact({s.twin, Still{s.pose}}, moving);
    const MotionImpact found = first_contact({s.earth, Still{s.pose}}, moving);
    if (!truth.certain || !found.certain) continue;
    ASSERT_EQ(found.status, truth.status) << s.what;
    hit += found.status == ImpactStatus::touch ? 1u : 0u;
    at_start += found.status == ImpactStatus::touching_at_start ? 1u : 0u;
    ASSERT_LE(found.time_lower, truth.time_upper + 1e-9) << s.what;
    ASSERT_GE(found.time_upper, truth.time_lower - 1e-9) << s.what;
  }
  EXPECT_GT(hit, cases(200) / 6);
  EXPECT_GT(at_start, cases(200) / 6);
}

TEST(Ground, HasTheContactsOfTheSurface) {
  GroundRandom random = seeded(7107);
  std::size_t listed = 0;
  for (std::size_t i = 0; i < cases(400); ++i) {
    const GroundScene s(random, i);
    const double margin = i % 2 == 0 ? 0 : 0.1;
    const auto numbers = [&](const Placed& land) {
      std::multiset<std::pair<std::uint32_t, std::uint32_t>> found;
      for (const Contact& contact : contacts(land, s.placed_body(), {.margin = margin}).pairs)
        if (contact.a.kind == FeatureKind::triangle && contact.a.id < s.field.triangle_count())
          found.insert({contact.a.id, contact.b.id});
      return found;
    };
    ASSERT_EQ(numbers(s.placed_earth()), numbers(s.placed_twin())) << s.what;
    listed += numbers(s.placed_earth()).size();
    const Contacts all = contacts(s.placed_earth(), s.placed_body(), {.margin = margin});
    const Distance apart = distance(s.placed_twin(), s.placed_body());
    if (apart.lower > margin + 1e-9) {
      ASSERT_TRUE(all.pairs.empty()) << s.what;
    }
    if (apart.upper < margin - 1e-9) {
      ASSERT_FALSE(all.pairs.empty()) << s.what;
    }
    if (!s.is_open()) {
      contacts(s.placed_earth(), s.placed_body(), {.normals = true, .margin = margin});
    }
  }
  EXPECT_GT(listed, cases(400));
}

TEST(Ground, ManifoldsAreThoseOfItsTwinAndPushUp) {
  GroundRandom random = seeded(7108);
  std::size_t compared = 0, below = 0, left = 0, walls = 0;
  std::vector<ContactManifold> found, truth;
  for (std::size_t i = 0; i < cases(900); ++i) {
    // The middle of the ground is far below: surfaces that are not solid are touched from its side.
    const GroundScene s(random, i, 0x1p16);
    const double margin = 0.02;
    contact_manifolds(s.placed_earth(), s.placed_body(), {.margin = margin}, found);
    contact_manifolds(s.placed_twin(), s.placed_body(), {.margin = margin}, truth);
    const Distance apart = distance(s.placed_twin(), s.placed_body());
    if (apart.lower > margin + 1e-7) {
      ASSERT_TRUE(found.empty()) << s.what;
      continue;
    }
    if (apart.upper < margin - 1e-7) {
      ASSERT_FALSE(found.empty()) << s.what;
    }
    const Vector3 up = s.pose.rotation().col(2);
    // Far from the walls, everything is the same.
    const Vector3 local = s.pose.rotation().transpose() * (s.at.translation() - s.pose.translation());
    const bool is_inner = local[0] > 0.55 && local[0] < 1.45 && local[1] > 0.55 && local[1] < 1.45 && local[2] > -0.8;
    if (!is_inner) {
      ++walls;
      continue;
    }
    // A shape whose middle is behind all triangles that it touches, if it touches any, is deep: its only point is that
    // of the shortest way out, which is not on a triangle. In one of them that may have been found better, so it need
    // not be the same, but it must lead out of both.
    const bool is_below = touches(s.placed_earth(), s.placed_body()) && !touches({s.field, s.pose}, s.placed_body());
    const auto leads_out = [](const ContactManifold& place) {
      return place.feature_a.kind == FeatureKind::whole && place.lower < 0;
    };
    // The balls of a set are deep one by one, and so are the parts of a compound.
    const bool is_one = s.body.as<SphereSet>() == nullptr && s.body.as<Compound>() == nullptr;
    if (is_below || std::ranges::any_of(found, leads_out) || std::ranges::any_of(truth, leads_out)) {
      ++below;
      ASSERT_FALSE(found.empty()) << s.what;
      if (is_one && !s.is_open() && found.size() == 1 && leads_out(found[0])) {
        ++left;
        const Vector3 by = found[0].normal * (1e-7 - found[0].points()[0].gap);
        const Pose gone(s.at.rotation(), s.at.translation() + by);
        ASSERT_FALSE(touches(s.placed_twin(), {s.body, gone})) << s.what;
        ASSERT_FALSE(touches(s.placed_earth(), {s.body, gone})) << s.what;
      }
      continue;
    }
    for (const ContactManifold& place : found)
      ASSERT_TRUE(!s.body.has_support() || place.normal.dot(up) > -1e-6) << s.what;
    ASSERT_EQ(found.size(), truth.size()) << s.what;
    // The order of two places of meshes depends on the numbers of their triangles, which the twin has others of.
    const auto differ = [](const ContactManifold& p, const ContactManifold& q) {
      return (p.normal - q.normal).norm() + (p.points()[0].point_a - q.points()[0].point_a).norm();
    };
    for (const ContactManifold& place : found) {
      ++compared;
      const auto other = std::ranges::min_element(
          truth, {}, [&](const ContactManifold& candidate) { return differ(place, candidate); });
      ASSERT_LT((place.normal - other->normal).norm(), 1e-3) << s.what;
      truth.erase(other);
    }
  }
  EXPECT_GT(compared, cases(600) / 60);
  EXPECT_GT(below, cases(600) / 60);
  EXPECT_GT(left, cases(600) / 100);
  EXPECT_GT(walls, cases(600) / 10);
}

TEST(Ground, OfACompoundIsItsTwinThere) {
  GroundRandom random = seeded(7109);
  std::size_t deep = 0;
  for (std::size_t i = 0; i < cases(150); ++i) {
    const GroundScene s(random, i);
    const CompoundPart tower{Box{{0.2, 0.2, 3}}, Pose(Vector3(0.5, 0.5, 1))};
    const Shape earth = Compound({{s.earth, Pose()}, tower}), twin = Compound({{s.twin, Pose()}, tower});
    EXPECT_TRUE(earth.is_unbounded());
    EXPECT_EQ(touches({earth, s.pose}, s.placed_body()), touches({twin, s.pose}, s.placed_body())) << s.what;
    const Distance found = distance({earth, s.pose}, s.placed_body()),
                   truth = distance({twin, s.pose}, s.placed_body());
    EXPECT_LE(found.lower, truth.upper + 1e-12) << s.what;
    EXPECT_GE(found.upper, truth.lower - 1e-12) << s.what;
    EXPECT_EQ(contains({earth, s.pose}, s.at.translation()), contains({twin, s.pose}, s.at.translation())) << s.what;
    if (s.is_open()) continue;
    const Depth out = depth({earth, s.pose}, s.placed_body()), true_out = depth({twin, s.pose}, s.placed_body());
    EXPECT_LE(out.lower, true_out.upper + 1e-9) << s.what;
    EXPECT_GE(out.upper, true_out.lower - 1e-9) << s.what;
    deep += out.upper > 0 ? 1u : 0u;
  }
  EXPECT_GT(deep, cases(150) / 6);
}

TEST(Ground, RoundedIsItsRoundedTwin) {
  GroundRandom random = seeded(7110);
  std::size_t deep = 0, hits = 0;
  for (std::size_t i = 0; i < cases(200); ++i) {
    const GroundScene s(random, i);
    const Shape earth = rounded(s.earth, 0.1), twin = rounded(s.twin, 0.1);
    EXPECT_TRUE(earth.is_unbounded());
    EXPECT_EQ(touches({earth, s.pose}, s.placed_body()), touches({twin, s.pose}, s.placed_body())) << s.what;
    const Distance found = distance({earth, s.pose}, s.placed_body()),
                   truth = distance({twin, s.pose}, s.placed_body());
    EXPECT_LE(found.lower, truth.upper + 1e-12) << s.what;
    EXPECT_GE(found.upper, truth.lower - 1e-12) << s.what;
    std::vector<ContactManifold> places;
    contact_manifolds({earth, s.pose}, s.placed_body(), {}, places);
    if (found.upper == 0 && !s.is_open()) {
      EXPECT_FALSE(places.empty()) << s.what;
    }
    if (!s.is_open() && i % 4 == 0) {
      const Depth out = depth({earth, s.pose}, s.placed_body()), true_out = depth({twin, s.pose}, s.placed_body());
      EXPECT_LE(out.lower, true_out.upper + 1e-9) << s.what;
      EXPECT_GE(out.upper, true_out.lower - 1e-9) << s.what;
      deep += out.upper > 0 ? 1u : 0u;
    }
    for (int k = 0; k < 6; ++k) {
      const Vector3 from(uniform(random, -2, 4), uniform(random, -2, 4), uniform(random, -4, 3));
      Vector3 to(uniform(random, -0.2, 2.2), uniform(random, -0.2, 2.2), uniform(random, -3, 0.5));
      if (k == 0) to = from - Vector3(0, 0, 1);
      const Ray ray{place(s.pose, from), place(s.pose, to) - place(s.pose, from)};
      const auto hit = cast_ray(ray, {earth, s.pose}), true_hit = cast_ray(ray, {twin, s.pose});
      if ((true_hit && true_hit->point.norm() > 20) || (hit && hit->point.norm() > 20)) continue;
      ASSERT_EQ(hit.has_value(), true_hit.has_value()) << s.what << ", ray " << k;
      if (!hit) continue;
      ++hits;
      EXPECT_EQ(hit->inside, true_hit->inside) << s.what << ", ray " << k;
      EXPECT_LE(hit->t_lower, true_hit->t_upper + 1e-9) << s.what << ", ray " << k;
      EXPECT_GE(hit->t_upper, true_hit->t_lower - 1e-9) << s.what << ", ray " << k;
      EXPECT_NEAR(hit->t, true_hit->t, 1e-9) << s.what << ", ray " << k;
    }
  }
  EXPECT_GT(deep, cases(200) / 40);
  EXPECT_GT(hits, cases(200));
}

TEST(Ground, GoesOnIntoHalfSpacesAndPlanes) {
  const HeightField flat(std::vector<double>(4, 0.0), 2, 2, 1, 1);
  const Shape earth = ground(flat), land = flat;
  const Shape deep = HalfSpace{{0, 0, 1}, -100}, sky = HalfSpace{{0, 0, -1}, -1}, aside = HalfSpace{{1, 0, 0}, -1};
  const Shape level = Plane{{0, 0, 1}, -5}, slanted = Plane{{1, 0, 1}, -7}, wall = Plane{{1, 0, 0}, 3};
  for (const Shape& shape : {deep, level, slanted}) {
    EXPECT_TRUE(touches(earth, shape));
    EXPECT_FALSE(touches(land, shape));
    const Distance d = distance(earth, shape);
    EXPECT_EQ(d.upper, 0);
    EXPECT_LT(distance(shape, {Sphere{0}, Pose(d.point_a)}).upper, 1e-12);
    EXPECT_FALSE(contacts(earth, shape).pairs.empty());
  }
  for (const Shape& shape : {sky, aside, wall}) {
    EXPECT_FALSE(touches(earth, shape));
    EXPECT_TRUE(contacts(earth, shape).pairs.empty());
    EXPECT_EQ(distance(earth, shape).value(), distance(land, shape).value());
  }
  EXPECT_EQ(distance(earth, sky).value(), 1);
  EXPECT_EQ(depth(earth, deep).lower, infinity);
  EXPECT_EQ(depth(rounded(earth, 0.25), deep).lower, infinity);
  EXPECT_EQ(depth(earth, HalfSpace{{0, 0, -1}, 0.5}).value(), 0.5);
}

/// Two fields of size 2 by 2, at poses whose up directions are the same or at least 0.3 radians apart.
struct TwoGrounds {
  HeightField field_a, field_b;
  Pose pose_a, pose_b;
  Shape a, b, twin_a, twin_b;
  bool is_parallel;

  TwoGrounds(GroundRandom& random, std::size_t i)
      : field_a(ground_field(random, i)),
        field_b(ground_field(random, i / 2)),
        pose_a(i % 4 == 0 ? Pose() : random_pose(random, 1)),
        a(ground(field_a)),
        b(ground(field_b)),
        twin_a(twin_of(field_a)),
        twin_b(twin_of(field_b)),
        is_parallel(i % 2 == 0) {
    const Vector3 offset(uniform(random, -4, 4), uniform(random, -4, 4), uniform(random, -3, 3));
    const double angle = is_parallel ? 0 : uniform(random, 0.3, 3.1);
    const Vector3 axis = test::scenes::unit_vector(random);
    Matrix3 rotation = pose_a.rotation() * Eigen::AngleAxisd(angle, axis).toRotationMatrix();
    if (is_parallel) rotation = pose_a.rotation();
    pose_b = Pose(rotation, place(pose_a, offset));
    const Vector3 up_a = pose_a.rotation().col(2), up_b = rotation.col(2);
    if (!is_parallel && up_a.cross(up_b).norm() < 0.3) pose_b = Pose(pose_a.rotation() * flip(), pose_b.translation());
  }
  static Matrix3 flip() { return Eigen::AngleAxisd(2, Vector3(1, 0, 0)).toRotationMatrix(); }
};

TEST(Grounds, TwoAreAsFarAndAsDeepAsTheirTwins) {
  GroundRandom random = seeded(7111);
  std::size_t apart = 0, deep = 0;
  for (std::size_t i = 0; i < cases(400); ++i) {
    const TwoGrounds s(random, i);
    const Placed a(s.a, s.pose_a), b(s.b, s.pose_b), twin_a(s.twin_a, s.pose_a), twin_b(s.twin_b, s.pose_b);
    const Distance truth = distance(twin_a, twin_b), found = distance(a, b);
    ASSERT_LE(found.lower, truth.upper + 1e-9) << i;
    ASSERT_GE(found.upper, truth.lower - 1e-9) << i;
    ASSERT_LT(found.upper - found.lower, 1e-9) << i;
    ASSERT_NEAR((found.point_b - found.point_a).norm(), found.upper, 1e-9) << i;
    ASSERT_LT(distance(twin_a, {Sphere{0}, Pose(found.point_a)}).lower, 1e-9) << i;
    ASSERT_LT(distance(twin_b, {Sphere{0}, Pose(found.point_b)}).lower, 1e-9) << i;
    const Distance back = distance(b, a);
    ASSERT_NEAR(back.upper, found.upper, 1e-9) << i;
    if (truth.lower > 1e-9 || truth.upper == 0) {
      ASSERT_EQ(touches(a, b), truth.upper == 0) << i;
      ASSERT_EQ(contacts(a, b).pairs.size(), truth.upper == 0 ? 1u : 0u) << i;
    }
    const Depth out = depth(a, b);
    if (found.lower > 0) {
      ++apart;
      ASSERT_NEAR(found.normal.dot(found.point_b - found.point_a), found.upper, 1e-9) << i;
      ASSERT_EQ(out.upper, 0) << i;
      ASSERT_GT(signed_distance(a, b).lower, 0) << i;
      continue;
    }
    if (!(out.upper > 1e-9)) continue;
    ++deep;
    // Of the twins only a bounded way out is comparable.
    const Pose gone(s.pose_b.rotation(), s.pose_b.translation() + out.normal * (out.upper + 1e-9));
    ASSERT_FALSE(touches(a, {s.b, gone})) << i;
    ASSERT_FALSE(touches(twin_a, {s.twin_b, gone})) << i;
    ASSERT_LT((out.point_a - out.point_b - out.normal * out.upper).norm(), 1e-9) << i;
    if (s.is_parallel) {
      ASSERT_LT(out.upper - out.lower, 1e-9) << i;
      // Nothing shorter works.
      for (int k = 0; k < 8; ++k) {
        const Vector3 by = test::scenes::unit_vector(random) * (out.lower - 1e-6);
        ASSERT_TRUE(touches(a, {s.b, Pose(s.pose_b.rotation(), s.pose_b.translation() + by)})) << i;
      }
    }
    ASSERT_LE(signed_distance(a, b).upper, 0) << i;
    // With a radius.
    const Shape round = rounded(s.a, 0.1);
    ASSERT_TRUE(touches({round, s.pose_a}, b)) << i;
    if (i % 16 == 0) {
      const Depth around = depth({round, s.pose_a}, b);
      ASSERT_GE(around.upper, out.lower) << i;
      const Pose free(s.pose_b.rotation(), s.pose_b.translation() + around.normal * (around.upper + 1e-9));
      ASSERT_FALSE(touches({round, s.pose_a}, {s.b, free})) << i;
    }
  }
  EXPECT_GT(apart, cases(400) / 8);
  EXPECT_GT(deep, cases(400) / 8);
}

TEST(Grounds, TilesTouchAlongTheirBorder) {
  const HeightField flat(std::vector<double>(9, 0.0), 3, 3, 1, 1), high(std::vector<double>(9, 5.0), 3, 3, 1, 1);
  const Shape low = ground(flat), tall = ground(high);
  EXPECT_TRUE(touches(low, {tall, Pose(Vector3(2, 0, 0))}));
  EXPECT_NEAR(distance(low, {tall, Pose(Vector3(2.5, 0, 7))}).value(), 0.5, 1e-12);
  EXPECT_NEAR(depth(low, {tall, Pose(Vector3(1.75, 0.5, 7))}).value(), 0.25, 1e-12);
  EXPECT_NEAR(depth(low, {tall, Pose(Vector3(1.75, 0.5, 7))}).normal.x(), 1, 1e-12);
  // As parts of a compound, they are one ground.
  const Shape tiles = Compound({{low, Pose()}, {tall, Pose(Vector3(2, 0, 0))}});
  EXPECT_TRUE(touches(tiles, {Sphere{0.5}, Pose(Vector3(2, 1, -9))}));
  EXPECT_TRUE(touches(tiles, {low, Pose(Vector3(3.5, 0, 0))}));
  EXPECT_TRUE(contains(tiles, Vector3(3, 1, 4)));
  EXPECT_FALSE(contains(tiles, Vector3(1, 1, 4)));
  EXPECT_EQ(contact_manifolds({Box{{1, 1, 1}}, Pose(Vector3(1, 1, 0.499))}, tiles).size(), 1u);
  // Upside down, above each other: a cave.
  const Pose ceiling(Eigen::AngleAxisd(std::numbers::pi, Vector3::UnitX()).toRotationMatrix(), Vector3(0, 2, 3));
  EXPECT_NEAR(distance(low, {low, ceiling}).value(), 3, 1e-12);
  EXPECT_NEAR(distance(low, {low, ceiling}).normal.z(), 1, 1e-12);
}

TEST(Ground, InAWorldHoldsWhatFallsIntoIt) {
  const HeightField flat(std::vector<double>(25, 1.0), 5, 5, 1, 1);
  World world;
  const BodyId earth = world.add(ground(flat), Pose(), {.is_static = true});
  const BodyId deep = world.add(Sphere{0.25}, Pose(Vector3(2, 2, -50)));
  const BodyId on_top = world.add(Box{{1, 1, 1}}, Pose(Vector3(2, 2, 1.49)));
  const BodyId beside = world.add(Sphere{0.25}, Pose(Vector3(-1, 2, -50)));
  const BodyId above = world.add(rounded(Box{{0.2, 0.2, 0.2}}, 0.1), Pose(Vector3(1, 1, 1.5)));
  world.update();
  std::set<std::uint32_t> touching;
  for (const auto& pair : world.touching()) {
    ASSERT_TRUE(pair.a == earth || pair.b == earth);
    touching.insert((pair.a == earth ? pair.b : pair.a).slot);
  }
  EXPECT_EQ(touching, (std::set<std::uint32_t>{deep.slot, on_top.slot}));
  EXPECT_FALSE(touching.contains(beside.slot) || touching.contains(above.slot));
  const auto hit = world.cast_ray({{-3, 2, -50}, {1, 0, 0}});
  ASSERT_TRUE(hit);
  EXPECT_EQ(hit->body, beside);
  const auto below = world.cast_ray({{-3, 3, -50}, {1, 0, 0}});
  ASSERT_TRUE(below);
  EXPECT_EQ(below->body, earth);
  EXPECT_NEAR(below->hit.t, 3, 1e-12);
}

TEST(Ground, AnswersBatchesLikeSinglePoses) {
  GroundRandom random = seeded(7112);
  const GroundScene s(random, 2);
  std::vector<Pose> poses;
  for (int i = 0; i < 40; ++i)
    poses.push_back(
        compose(s.pose, Pose(Vector3(uniform(random, -1, 3), uniform(random, -1, 3), uniform(random, -3, 2)))));
  for (const Shape& body : ground_bodies()) {
    std::vector<Distance> far(poses.size());
    const auto touching = std::make_unique<bool[]>(poses.size());
    touches(s.placed_earth(), body, poses, {touching.get(), poses.size()});
    distance(s.placed_earth(), body, poses, far);
    for (std::size_t i = 0; i < poses.size(); ++i) {
      EXPECT_EQ(touching[i], touches(s.placed_earth(), {body, poses[i]})) << name(body.kind());
      EXPECT_EQ(far[i].upper, distance(s.placed_earth(), {body, poses[i]}).upper) << name(body.kind());
    }
  }
}

TEST(Ground, HoldsABoxByFourPointsAndPushesASunkenOneOut) {
  const HeightField flat(std::vector<double>(81, 1.0), 9, 9, 1, 1);
  const Shape earth = ground(flat), block = Box{{1, 2, 1}};
  const auto resting = contact_manifolds({block, Pose(Vector3(4.1, 4.2, 1.49))}, earth);
  ASSERT_EQ(resting.size(), 1u);
  EXPECT_EQ(resting[0].count, 4u);
  EXPECT_LT((resting[0].normal + Vector3::UnitZ()).norm(), 1e-12);
  EXPECT_NEAR(resting[0].lower, -0.01, 1e-12);
  for (const ManifoldPoint& p : resting[0].points()) {
    EXPECT_NEAR(p.gap, -0.01, 1e-12);
    EXPECT_NEAR(p.point_a.z(), 0.99, 1e-12);
    EXPECT_NEAR(p.point_b.z(), 1, 1e-12);
    EXPECT_NEAR(std::abs(p.point_a.x() - 4.1), 0.5, 1e-9);
    EXPECT_NEAR(std::abs(p.point_a.y() - 4.2), 1, 1e-9);
  }
  EXPECT_EQ(resting[0].feature_b.kind, FeatureKind::triangle);
  // Its middle below the surface, and all of it below.
  for (const double z : {0.9, 0.2, -1.0}) {
    const auto sunken = contact_manifolds({block, Pose(Vector3(4.1, 4.2, z))}, earth);
    ASSERT_EQ(sunken.size(), 1u) << z;
    EXPECT_LT((sunken[0].normal + Vector3::UnitZ()).norm(), 1e-6) << z;
    EXPECT_NEAR(sunken[0].lower, -(1.5 - z), 1e-6) << z;
  }
  // Deep, near the wall at x = 0: out through it.
  const auto at_wall = contact_manifolds({block, Pose(Vector3(0.25, 4.2, -6))}, earth);
  ASSERT_EQ(at_wall.size(), 1u);
  EXPECT_LT((at_wall[0].normal - Vector3::UnitX()).norm(), 1e-6);
  EXPECT_NEAR(at_wall[0].lower, -0.75, 1e-6);
  // Beside the wall, within the margin.
  const auto beside = contact_manifolds({block, Pose(Vector3(-0.505, 4.2, -6))}, earth, {.margin = 0.01});
  ASSERT_EQ(beside.size(), 1u);
  EXPECT_LT((beside[0].normal - Vector3::UnitX()).norm(), 1e-6);
  EXPECT_NEAR(beside[0].upper, 0.005, 1e-9);
  EXPECT_TRUE(contact_manifolds({block, Pose(Vector3(-0.52, 4.2, -6))}, earth, {.margin = 0.01}).empty());
}

TEST(Ground, IsLeftAcrossTheEdgeBetweenTwoWalls) {
  const HeightField flat(std::vector<double>(25, 1.0), 5, 5, 1, 1);
  const Shape earth = ground(flat);
  const Depth ball = depth(earth, {Sphere{0.5}, Pose(Vector3(-0.2, -0.2, -7))});
  EXPECT_NEAR(ball.lower, 0.5 - std::sqrt(0.08), 1e-9);
  EXPECT_NEAR(ball.upper, 0.5 - std::sqrt(0.08), 1e-9);
  EXPECT_LT((ball.normal - Vector3(-1, -1, 0).normalized()).norm(), 1e-6);
  // A box that is turned by 45 degrees shows its face to the edge.
  const Matrix3 turned = Eigen::AngleAxisd(std::numbers::pi / 4, Vector3::UnitZ()).toRotationMatrix();
  const Depth box = depth(earth, {Box{{1, 1, 1}}, Pose(turned, Vector3(-0.3, -0.3, -7))});
  EXPECT_NEAR(box.upper, 0.5 - 0.3 * std::sqrt(2), 1e-9);
  EXPECT_NEAR(box.lower, 0.5 - 0.3 * std::sqrt(2), 1e-9);
  // A plate that the ground goes through.
  const Depth plate = depth(earth, {Box{{20, 20, 2}}, Pose(Vector3(2, 2, -7))});
  EXPECT_GT(plate.lower, 0.5);
  EXPECT_NEAR(plate.upper, 9, 1e-9);
}

TEST(Ground, PushesSurfacesUp) {
  const HeightField flat(std::vector<double>(25, 1.0), 5, 5, 1, 1);
  const Shape earth = ground(flat);
  for (const Shape& open : {Shape(Mesh(make::box())), Shape(HeightField(std::vector<double>(4, 0.0), 2, 2, 1, 1))}) {
    const Pose deep(Vector3(2, 2, -9));
    const auto from_earth = contact_manifolds(earth, {open, deep});
    ASSERT_EQ(from_earth.size(), 1u);
    EXPECT_LT((from_earth[0].normal - Vector3::UnitZ()).norm(), 1e-12);
    ASSERT_EQ(from_earth[0].count, 1u);
    const ManifoldPoint p = from_earth[0].points()[0];
    EXPECT_NEAR(p.point_a.z(), 1, 1e-12);
    EXPECT_NEAR(p.gap, p.point_b.z() - 1, 1e-9);
    EXPECT_LT(distance({open, deep}, {Sphere{0}, Pose(p.point_b)}).upper, 1e-12);
    const auto from_open = contact_manifolds({open, deep}, earth);
    ASSERT_EQ(from_open.size(), 1u);
    EXPECT_LT((from_open[0].normal + Vector3::UnitZ()).norm(), 1e-12);
    // Just above it, within the margin: the closest points.
    const double lowest = open.bounds().lower.z();
    const auto above = contact_manifolds({open, Pose(Vector3(1.6, 1.7, 1.005 - lowest))}, earth, {.margin = 0.01});
    ASSERT_FALSE(above.empty());
    EXPECT_LT((above[0].normal + Vector3::UnitZ()).norm(), 1e-6);
    EXPECT_NEAR(above[0].upper, 0.005, 1e-9);
  }
}

TEST(Ground, WithARadiusIsLeftByLinesFromTheDepth) {
  const HeightField flat(std::vector<double>(9, 1.0), 3, 3, 2, 2);
  const Shape earth = rounded(ground(flat), 0.25);
  const auto up = cast_ray({{1, 1, -5}, {0, 0, 2}}, earth, line_range());
  ASSERT_TRUE(up && up->inside && up->certain);
  EXPECT_NEAR(up->t, 3.125, 1e-9);
  EXPECT_NEAR(up->normal.z(), 1, 1e-9);
  EXPECT_FALSE(cast_ray({{-0.3, 1, -5}, {0, 0, 2}}, earth, line_range()));
  // A slanted line enters through a wall, however deep that is.
  for (const double slope : {1.0, 0.1, 0.01}) {
    const auto slanted = cast_ray({{1, 1, 0}, {slope, 0, 1}}, earth, line_range());
    ASSERT_TRUE(slanted) << slope;
    EXPECT_FALSE(slanted->inside) << slope;
    EXPECT_NEAR(slanted->point.x(), -0.25, 1e-6) << slope;
    EXPECT_NEAR(slanted->normal.x(), -1, 1e-6) << slope;
    EXPECT_FALSE(slanted->face) << slope;
  }
}

TEST(Ground, OfOddFields) {
  // One cell, enormous and tiny coordinates, steps of a cliff.
  for (const double unit : {1.0, 0x1p-280, 0x1p280}) {
    const std::vector<double> heights = {0, unit, 0, unit};
    const HeightField cell(heights, 2, 2, unit, unit);
    const Shape earth = ground(cell), ball = Sphere{0.25 * unit};
    const auto at = [&](double x, double y, double z) { return Pose(Vector3(x, y, z) * unit); };
    EXPECT_TRUE(touches(earth, {ball, at(0.5, 0.5, -100)}));
    EXPECT_FALSE(touches(earth, {ball, at(-0.5, 0.5, -100)}));
    EXPECT_NEAR(distance(earth, {ball, at(-0.5, 0.5, -100)}).upper / unit, 0.25, 1e-9);
    EXPECT_NEAR(depth(earth, {ball, at(0.25, 0.5, -100)}).upper / unit, 0.5, 1e-9);
    EXPECT_NEAR(signed_distance(earth, {ball, at(0.5, 0.5, 2)}).lower / unit, std::sqrt(1.25) - 0.25, 1e-9);
    EXPECT_TRUE(contains(earth, Vector3(0.5, 0.5, 0.5) * unit));
    const auto hit = cast_ray({Vector3(-1, 0.5, -7) * unit, Vector3(unit, 0, 0)}, earth);
    ASSERT_TRUE(hit);
    EXPECT_NEAR(hit->t, 1, 1e-9);
    // Partly beyond the border, and around the whole ground.
    EXPECT_TRUE(touches(earth, {Box{Vector3(4, 4, 0.5) * unit}, at(0.5, 0.5, -9)}));
    EXPECT_GE(depth(earth, {Box{Vector3(4, 4, 0.5) * unit}, at(0.5, 0.5, -9)}).upper / unit, 2.5 - 1e-9);
    EXPECT_EQ(contacts(earth, {Box{Vector3(4, 4, 0.5) * unit}, at(0.5, 0.5, -9)}).pairs.size(), 1u);
  }
  const HeightField far(std::vector<double>(4, 0.0), 2, 2, 1, 1);
  const Pose away(Vector3(1e12, -1e12, 1e12));
  EXPECT_TRUE(touches({ground(far), away}, {Sphere{0.5}, Pose(Vector3(1e12, -1e12, 1e12 - 5))}));
  EXPECT_FALSE(touches({ground(far), away}, {Sphere{0.5}, Pose(Vector3(1e12 - 2, -1e12, 1e12 - 5))}));
}

TEST(Ground, OfASurfaceIsRefusedADepthAndSaysWhatToDo) {
  const HeightField flat(std::vector<double>(4, 0.0), 2, 2, 1, 1);
  const Shape earth = ground(flat), land = flat;
  EXPECT_EQ(name(earth.kind()), "ground");
  ASSERT_TRUE(surface_of_ground(earth));
  EXPECT_EQ(surface_of_ground(earth)->columns(), 2u);
  EXPECT_FALSE(surface_of_ground(land));
  EXPECT_EQ(earth.volume(), infinity);
  EXPECT_NE(error_of([&] { earth.centroid(); }).find("no centroid"), std::string::npos);
  EXPECT_NE(error_of([&] { mass_properties(earth); }).find("unbounded"), std::string::npos);
  const Motion turn = Turning{.start = Pose(), .turn = Vector3(0, 0, 1)};
  EXPECT_NE(error_of([&] {
              first_contact({earth, turn}, {Sphere{1}, Still{Pose(Vector3(0, 0, 9))}});
            }).find("ground"),
            std::string::npos);
  EXPECT_EQ(earth.bounds().lower[2], -infinity);
  EXPECT_NEAR(earth.bounds().lower[0], 0, 1e-14);
  EXPECT_NEAR(earth.bounds().upper[1], 1, 1e-14);
  EXPECT_NEAR(earth.bounds().upper[2], 0, 1e-14);

  // A height field is a surface in all queries, and says so.
  for (const Shape& body : {Shape(Sphere{1}), Shape(Mesh(make::box()).solid()), Shape(Compound({{Sphere{1}, Pose()}})),
                            Shape(SphereSet(std::vector<Vector3>{{0, 0, 0}}, std::vector<double>{1})), earth}) {
    EXPECT_NE(error_of([&] { depth(land, body); }).find("ground()"), std::string::npos) << name(body.kind());
    EXPECT_NE(error_of([&] { depth(body, land); }).find("ground()"), std::string::npos) << name(body.kind());
    EXPECT_NE(error_of([&] { signed_distance(land, body); }).find("ground()"), std::string::npos) << name(body.kind());
    EXPECT_FALSE(is_supported(Question::depth, ShapeKind::height_field, body.kind()));
  }
  EXPECT_NE(error_of([&] {
              signed_distance(Compound({{land, Pose()}}), Sphere{1});
            }).find("ground()"),
            std::string::npos);
  EXPECT_NE(error_of([&] { contact_manifolds(earth, earth); }).find("ground"), std::string::npos);
  EXPECT_TRUE(is_supported(Question::depth, earth.kind(), earth.kind()));
  EXPECT_TRUE(is_supported(Question::depth, earth.kind(), ShapeKind::compound));
  EXPECT_TRUE(is_supported(Question::signed_distance, earth.kind(), ShapeKind::sphere_set));
}

}  // namespace
}  // namespace whisker
