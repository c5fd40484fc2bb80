// Contact manifolds of every pair of kinds: against those of convex shapes, against distances, and along motions.

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include <whisker/contact_manifold.hpp>
#include <whisker/error.hpp>
#include <whisker/make/make.hpp>
#include <whisker/make/rounded.hpp>
#include <whisker/mesh_queries.hpp>
#include <whisker/spheres/sphere_tree.hpp>

#include "support/cases.hpp"
#include "support/random_vectors.hpp"

namespace whisker {
namespace {

using test::cases;
using test::seeded;
using test::uniform;

/// A grid of n by n cells of side 1 from the origin, each of two triangles, with these altitudes.
template <class Altitude>
MeshData ground(int n, const Altitude& altitude) {
  MeshData data;
  for (int j = 0; j <= n; ++j)
    for (int i = 0; i <= n; ++i)
      data.vertices.push_back({static_cast<double>(i), static_cast<double>(j), altitude(i, j)});
  const auto at = [&](int i, int j) { return static_cast<std::uint32_t>(j * (n + 1) + i); };
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) {
      data.triangles.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
      data.triangles.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
    }
  }
  return data;
}
MeshData flat_ground(int n) {
  return ground(n, [](int, int) { return 0.0; });
}

std::set<std::uint64_t> ids_of(std::span<const ContactManifold> manifolds) {
  std::set<std::uint64_t> ids;
  for (const ContactManifold& manifold : manifolds)
    for (const ManifoldPoint& p : manifold.points())
      ids.insert(p.id);
  return ids;
}

std::size_t point_count(std::span<const ContactManifold> manifolds) {
  std::size_t count = 0;
  for (const ContactManifold& manifold : manifolds)
    count += manifold.count;
  return count;
}

/// The area that the points enclose, as seen along the normal.
double area(const ContactManifold& manifold) {
  Vector3 sum = Vector3::Zero();
  for (std::uint32_t i = 1; i + 1 < manifold.count; ++i) {
    sum += (manifold.storage[i].point_a - manifold.storage[0].point_a)
               .cross(manifold.storage[i + 1].point_a - manifold.storage[0].point_a);
  }
  return std::abs(sum.dot(manifold.normal)) / 2;
}

/// Checks everything that holds for all manifolds of two shapes of about size 1.
void check(const Placed& a, const Placed& b, double margin, const std::vector<ContactManifold>& manifolds) {
  EXPECT_EQ(ids_of(manifolds).size(), point_count(manifolds)) << "ids are unique";
  for (const ContactManifold& manifold : manifolds) {
    ASSERT_GE(manifold.count, 1u);
    ASSERT_LE(manifold.count, ContactManifold::max_points);
    EXPECT_NEAR(manifold.normal.norm(), 1, 1e-12);
    EXPECT_LE(manifold.lower, manifold.upper);
    double least = HUGE_VAL;
    for (const ManifoldPoint& p : manifold.points()) {
      EXPECT_LE(p.gap, margin + 1e-9);
      EXPECT_NEAR(p.gap, manifold.normal.dot(p.point_b - p.point_a), 1e-9);
      EXPECT_LE(distance(a, {Sphere{0}, Pose(p.point_a)}).lower, 1e-9) << "point_a is a point of a";
      EXPECT_LE(distance(b, {Sphere{0}, Pose(p.point_b)}).lower, 1e-9) << "point_b is a point of b";
      least = std::min(least, p.gap);
    }
    EXPECT_NEAR(least, manifold.upper, 1e-9 + (manifold.upper - manifold.lower));
  }
}

/// The same points, in any order.
void expect_same_points(const ContactManifold& a, const ContactManifold& b, double tolerance) {
  ASSERT_EQ(a.count, b.count);
  EXPECT_LT((a.normal - b.normal).norm(), tolerance);
  for (const ManifoldPoint& p : a.points()) {
    const auto is_there = [&](const ManifoldPoint& q) {
      return (p.point_a - q.point_a).norm() < tolerance && (p.point_b - q.point_b).norm() < tolerance &&
             std::abs(p.gap - q.gap) < tolerance;
    };
    EXPECT_TRUE(std::any_of(b.points().begin(), b.points().end(), is_there)) << p.point_a.transpose();
  }
}

TEST(ContactManifolds, ConvexShapesHaveTheirOneManifold) {
  auto random = seeded(1);
  const Shape box = Box{{1, 1, 1}}, hull = ConvexHull(std::vector<Vector3>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}});
  for (std::size_t i = 0; i < cases(200); ++i) {
    const Pose pose(test::random_rotation(random), test::random_vector(random, 1.2));
    const ContactManifold one = contact_manifold(box, {hull, pose}, {.margin = 0.1});
    const std::vector<ContactManifold> all = contact_manifolds(box, {hull, pose}, {.margin = 0.1});
    ASSERT_EQ(all.size(), one.count > 0 ? 1u : 0u);
    if (!all.empty()) expect_same_points(all[0], one, 1e-15);
  }
}

TEST(ContactManifolds, AFlatMeshIsTouchedLikeAFlatBox) {
  auto random = seeded(2);
  const Shape mesh = Mesh(flat_ground(8));
  const Shape slab = Box{{8, 8, 2}};
  const Pose under(Vector3(4, 4, -1));
  const std::vector<Shape> bodies = {Box{{1, 0.6, 0.4}},
                                     Cylinder{0.4, 0.5},
                                     Capsule{0.2, 0.8},
                                     Sphere{0.5},
                                     ConvexHull(make::random_hull({.points = 30, .seed = 5}).vertices),
                                     Cone{0.5, 0.7},
                                     Ellipsoid{{0.5, 0.4, 0.3}}};
  std::size_t touching = 0;
  for (std::size_t i = 0; i < cases(300); ++i) {
    const Shape& body = bodies[i % bodies.size()];
    Matrix3 turn = test::random_rotation(random);
    if (i % 3 == 0) turn = Eigen::AngleAxisd(uniform(random, 0, 6), Vector3::UnitZ()).toRotationMatrix();
    Pose pose(turn, Vector3(uniform(random, 2, 6), uniform(random, 2, 6), 0));
    const double height = uniform(random, -0.01, 0.015);
    pose = Pose(turn, pose.translation() + Vector3(0, 0, height - body.bounds(pose).lower.z()));
    const std::vector<ContactManifold> on_mesh = contact_manifolds({body, pose}, mesh, {.margin = 0.01});
    const ContactManifold on_slab = contact_manifold({body, pose}, {slab, under}, {.margin = 0.01});
    check({body, pose}, mesh, 0.01, on_mesh);
    if (on_slab.count == 0) {
      EXPECT_TRUE(on_mesh.empty()) << i;
      continue;
    }
    ++touching;
    ASSERT_EQ(on_mesh.size(), 1u) << i << " " << name(body.kind());
    EXPECT_LT((on_mesh[0].normal - on_slab.normal).norm(), 1e-9) << i;
    // The deepest point is the same.
    EXPECT_NEAR(on_mesh[0].upper, on_slab.upper, 1e-7) << i;
    EXPECT_GE(area(on_mesh[0]), 0.9 * area(on_slab)) << i << " " << name(body.kind());
    // Each triangle gives a disc other corners.
    if (body.as<Cylinder>() != nullptr || body.as<Cone>() != nullptr) continue;
    for (const ManifoldPoint& p : on_slab.points()) {
      double nearest = HUGE_VAL;
      for (const ManifoldPoint& q : on_mesh[0].points())
        nearest = std::min(nearest, (p.point_b - q.point_b).norm());
      EXPECT_LT(nearest, 2e-3) << i << " " << name(body.kind());
    }
  }
  EXPECT_GT(touching, cases(300) / 4);
}

TEST(ContactManifolds, ABoxSlidesOverAFlatMeshWithoutABump) {
  const Shape box = Box{{0.9, 0.7, 0.5}};
  for (const bool is_field : {false, true}) {
    const std::vector<double> heights(81, 0.0);
    const Shape plain = is_field ? Shape(HeightField(heights, 9, 9, 1, 1)) : Shape(Mesh(flat_ground(8)));
    ManifoldMemory memory;
    std::vector<ContactManifold> manifolds;
    std::set<std::uint64_t> ids;
    for (std::size_t step = 0; step < cases(400); ++step) {
      const double t = static_cast<double>(step) / static_cast<double>(cases(400));
      // 1e-4 deep, over edges and corners of the mesh, slowly turning.
      const Pose pose(Eigen::AngleAxisd(t, Vector3::UnitZ()).toRotationMatrix(), {2 + 4 * t, 3 + 2 * t, 0.2499});
      contact_manifolds({box, pose}, plain, {.margin = 0.01, .memory = &memory}, manifolds);
      ASSERT_EQ(manifolds.size(), 1u) << step;
      ASSERT_EQ(manifolds[0].count, 4u) << step;
      EXPECT_LT((manifolds[0].normal - Vector3(0, 0, -1)).norm(), 1e-15);
      for (const ManifoldPoint& p : manifolds[0].points()) {
        EXPECT_NEAR(p.gap, -1e-4, 1e-12);
        const Vector3 local = pose.rotation().transpose() * (p.point_a - pose.translation());
        EXPECT_NEAR(std::abs(local.x()), 0.45, 1e-12) << "a corner of the box";
        EXPECT_NEAR(std::abs(local.y()), 0.35, 1e-12);
      }
      const std::set<std::uint64_t> now = ids_of(manifolds);
      if (step > 0) {
        EXPECT_EQ(now, ids) << "the corners keep their names at step " << step;
      }
      ids = now;
    }
  }
}

TEST(ContactManifolds, EdgesOfTrianglesAreFeltOnlyWhereTheSurfaceBendsOutward) {
  // A ridge along y at x = 4, a valley at x = 2.
  const auto altitude = [](int i, int) { return i <= 2 ? -0.3 * i : i <= 4 ? 0.3 * (i - 4) : -0.3 * (i - 4); };
  const Shape land = Mesh(ground(8, altitude));
  const Shape ball = Sphere{0.5};
  // Just over the ridge the normal is vertical: neither triangle's.
  const std::vector<ContactManifold> ridge = contact_manifolds({ball, Pose(Vector3(4, 3.3, 0.499))}, land);
  ASSERT_EQ(ridge.size(), 1u);
  EXPECT_LT((ridge[0].normal - Vector3(0, 0, -1)).norm(), 1e-9);
  EXPECT_EQ(ridge[0].count, 1u);
  EXPECT_NEAR(ridge[0].storage[0].gap, -0.001, 1e-9);
  // In the valley there are two places, with the normals of the two slopes.
  const double slope = std::hypot(1, 0.3);
  const std::vector<ContactManifold> valley =
      contact_manifolds({ball, Pose(Vector3(2, 3.3, -0.6 + 0.499 * slope))}, land);
  ASSERT_EQ(valley.size(), 2u);
  for (const ContactManifold& place : valley) {
    EXPECT_NEAR(std::abs(place.normal.x()), 0.3 / slope, 1e-9);
    EXPECT_NEAR(place.normal.z(), -1 / slope, 1e-9);
    EXPECT_NEAR(place.storage[0].gap, -0.001, 1e-9);
  }
  EXPECT_LT(valley[0].normal.x() * valley[1].normal.x(), 0);
  // On a slope, over an edge between flush triangles, there is only the slope.
  const Vector3 up = Vector3(-0.3, 0, 1).normalized();
  const std::vector<ContactManifold> flush = contact_manifolds({ball, Pose(Vector3(3, 3, -0.3) + 0.499 * up)}, land);
  ASSERT_EQ(flush.size(), 1u);
  EXPECT_LT((flush[0].normal + up).norm(), 1e-9);
}

/// Whether a manifold has a point within a small distance of one on a.
bool has_point_at(const ContactManifold& manifold, const Vector3& on_a, double tolerance) {
  return std::any_of(manifold.points().begin(), manifold.points().end(),
                     [&](const ManifoldPoint& p) { return (p.point_a - on_a).norm() < tolerance; });
}

TEST(ContactManifolds, ARidgeUnderAFaceIsTouchedAtBothEnds) {
  // The ridge bends by less than max_angle, so that all is one place. It crosses the border of the box's face between
  // the corners, which hang over.
  const auto altitude = [](int i, int) { return -0.02 * std::abs(i - 4); };
  const Shape land = Mesh(ground(8, altitude)), box = Box{{1, 0.8, 0.5}};
  auto random = seeded(30);
  for (std::size_t i = 0; i < cases(200); ++i) {
    // Nearly level: it rocks along the ridge and over it, and both ends stay.
    const Matrix3 turn = (Eigen::AngleAxisd(uniform(random, -1e-3, 1e-3), Vector3::UnitX()) *
                          Eigen::AngleAxisd(uniform(random, -1e-3, 1e-3), Vector3::UnitY()))
                             .toRotationMatrix();
    const Pose pose(turn, Vector3(uniform(random, 3.8, 4.2), uniform(random, 3.6, 4.4), 0.25));
    const std::vector<ContactManifold> found = contact_manifolds({box, pose}, land, {.margin = 0.02});
    check({box, pose}, land, 0.02, found);
    ASSERT_EQ(found.size(), 1u);
    for (const double side : {-0.4, 0.4}) {
      // Where the box's lower border is over the ridge.
      const double x = (4 - pose.translation().x() - turn(0, 1) * side - turn(0, 2) * -0.25) / turn(0, 0);
      const Vector3 end = turn * Vector3(x, side, -0.25) + pose.translation();
      EXPECT_TRUE(has_point_at(found[0], end, 2e-3)) << i << " " << side;
    }
    for (const double x : {-0.5, 0.5})
      for (const double y : {-0.4, 0.4})
        EXPECT_TRUE(has_point_at(found[0], turn * Vector3(x, y, -0.25) + pose.translation(), 2e-3)) << i;
  }
}

TEST(ContactManifolds, TheSurfaceEndsAtItsBorder) {
  const Shape land = Mesh(flat_ground(4)), ball = Sphere{0.5};
  // Beside the border, level with it.
  const std::vector<ContactManifold> beside = contact_manifolds({ball, Pose(Vector3(4.499, 2.2, 0))}, land);
  ASSERT_EQ(beside.size(), 1u);
  EXPECT_LT((beside[0].normal - Vector3(-1, 0, 0)).norm(), 1e-6);
  EXPECT_TRUE(contact_manifolds({ball, Pose(Vector3(4.501, 2.2, 0))}, land).empty());
  EXPECT_EQ(contact_manifolds({ball, Pose(Vector3(4.501, 2.2, 0))}, land, {.margin = 0.01}).size(), 1u);
}

TEST(ContactManifolds, ThereArePointsExactlyWhereShapesAreWithinTheMargin) {
  auto random = seeded(3);
  const double bumps = 0.4;
  const Mesh open(ground(6, [&](int, int) { return uniform(random, 0, bumps); }));
  const Mesh solid = Mesh(make::torus({.major = 2, .minor = 0.7})).solid();
  std::vector<double> heights;
  for (const Vector3& v : open.vertices())
    heights.push_back(v.z());
  const HeightField field(heights, 7, 7, 1, 1);
  const std::vector<Shape> surfaces = {open, solid, field};
  const std::vector<Shape> bodies = {Box{{0.7, 0.5, 0.4}},
                                     Sphere{0.4},
                                     Capsule{0.2, 0.6},
                                     Cylinder{0.3, 0.6},
                                     Cone{0.4, 0.6},
                                     Ellipsoid{{0.5, 0.4, 0.2}},
                                     ConvexHull(make::random_hull({.points = 20, .seed = 3}).vertices),
                                     Segment{{-0.4, 0, 0}, {0.4, 0.1, 0}},
                                     Triangle{{-0.4, 0, 0}, {0.4, 0.1, 0}, {0, 0.4, 0.2}},
                                     HalfSpace{Vector3(0.1, 0.2, 1), -1},
                                     Plane{Vector3(0.3, 0.2, 1), 0.2}};
  std::size_t near = 0, apart = 0;
  for (std::size_t i = 0; i < cases(1500); ++i) {
    const Shape& surface = surfaces[i % surfaces.size()];
    const Shape& body = bodies[i / surfaces.size() % bodies.size()];
    const Vector3 center =
        surface.kind() == ShapeKind::mesh && surface.as<Mesh>()->is_solid() ? Vector3(0, 0, 0) : Vector3(3, 3, 0.4);
    const Pose pose(test::random_rotation(random),
                    center + test::random_vector(random, 2.5).cwiseProduct(Vector3(1, 1, 0.4)));
    const double margin = i % 2 == 0 ? 0 : 0.05;
    const Distance gap = distance({body, pose}, surface);
    const std::vector<ContactManifold> found = contact_manifolds({body, pose}, surface, {.margin = margin});
    if (gap.lower > margin + 1e-9) {
      EXPECT_TRUE(found.empty()) << i;
      ++apart;
    } else if (gap.upper < margin - 1e-9 || gap.upper == 0) {
      EXPECT_FALSE(found.empty()) << i << " " << name(body.kind()) << " and " << name(surface.kind());
      ++near;
    }
    if (!(body.as<Plane>() || body.as<HalfSpace>())) check({body, pose}, surface, margin, found);
    // Exchanged shapes have the same places, seen from the other side.
    const std::vector<ContactManifold> back = contact_manifolds(surface, {body, pose}, {.margin = margin});
    ASSERT_EQ(back.size(), found.size());
    for (std::size_t k = 0; k < found.size(); ++k) {
      EXPECT_EQ(back[k].normal, -found[k].normal);
      EXPECT_EQ(back[k].count, found[k].count);
      EXPECT_EQ(back[k].feature_a, found[k].feature_b);
      EXPECT_EQ(back[k].storage[0].point_a, found[k].storage[found[k].count - 1].point_b);
    }
  }
  EXPECT_GT(near, cases(1500) / 8);
  EXPECT_GT(apart, cases(1500) / 8);
}

TEST(ContactManifolds, AHeightFieldIsTouchedLikeTheMeshOfItsTriangles) {
  auto random = seeded(4);
  std::vector<double> heights(49);
  for (double& h : heights)
    h = uniform(random, 0, 0.5);
  const HeightField field(heights, 7, 7, 1, 1);
  const Mesh mesh(ground(6, [&](int i, int j) { return heights[static_cast<std::size_t>(7 * j + i)]; }));
  const Shape hull = ConvexHull(make::random_hull({.points = 24, .seed = 9}).vertices);
  std::size_t touching = 0;
  for (std::size_t i = 0; i < cases(200); ++i) {
    const Pose pose(test::random_rotation(random),
                    {uniform(random, 1, 5), uniform(random, 1, 5), uniform(random, 0.5, 1.4)});
    const std::vector<ContactManifold> on_field = contact_manifolds({hull, pose}, field, {.margin = 0.02});
    const std::vector<ContactManifold> on_mesh = contact_manifolds({hull, pose}, mesh, {.margin = 0.02});
    ASSERT_EQ(on_field.size(), on_mesh.size());
    for (std::size_t k = 0; k < on_field.size(); ++k) {
      expect_same_points(on_field[k], on_mesh[k], 1e-12);
      EXPECT_EQ(on_field[k].feature_b, on_mesh[k].feature_b);
    }
    touching += on_field.empty() ? 0u : 1u;
  }
  EXPECT_GT(touching, cases(200) / 4);
}

TEST(ContactManifolds, AShapeDeepInsideASolidLeavesItTheShortestWay) {
  const Mesh block = Mesh(make::box({.size_x = 4, .size_y = 4, .size_z = 4})).solid();
  const Shape ball = Sphere{0.25};
  const std::vector<ContactManifold> inside = contact_manifolds({ball, Pose(Vector3(0.1, 0, 1.2))}, block);
  ASSERT_EQ(inside.size(), 1u);
  EXPECT_LT((inside[0].normal - Vector3(0, 0, -1)).norm(), 1e-9);
  EXPECT_NEAR(inside[0].upper, -1.05, 1e-9);
}

TEST(ContactManifolds, AWholeSolidInsideAShapeLeavesItTheShortestWay) {
  const Shape ball = Mesh(make::icosphere({.radius = 0.1, .subdivisions = 2})).solid();
  const Shape box = Box{{4, 4, 4}}, large = Sphere{3};
  for (const Shape& shape : {box, large}) {
    const Pose at(Vector3(0.1, 0.3, 1.2));
    const Distance deep = signed_distance(shape, {ball, at});
    const auto found = contact_manifolds(shape, {ball, at}, {.margin = 0.01});
    ASSERT_EQ(found.size(), 1u) << name(shape.kind());
    ASSERT_EQ(found[0].points().size(), 1u);
    EXPECT_GT(found[0].normal.dot(deep.normal), 1 - 1e-6) << name(shape.kind());
    EXPECT_NEAR(found[0].points()[0].gap, deep.value(), 1e-6 - deep.lower + deep.upper) << name(shape.kind());
  }
}

TEST(ContactManifolds, APostUnderASlabHoldsItUpOnlyWhereverItStands) {
  const MeshData data = make::box({.size_x = 0.1, .size_y = 0.1, .size_z = 0.4});
  const Shape leg = Mesh(data).solid(), slab = Box{{4, 3, 1}};
  std::vector<Vector3> corners;
  for (int i = 0; i < 8; ++i)
    corners.push_back({i & 1 ? 2.0 : -2.0, i & 2 ? 1.5 : -1.5, i & 4 ? 0.5 : -0.5});
  const Shape hull = ConvexHull(corners);
  auto random = seeded(2231);
  for (std::size_t i = 0; i < cases(200); ++i) {
    const Shape& above = i % 2 == 0 ? slab : hull;
    const double deep = std::exp2(uniform(random, -30, -7));
    // All of the post is under the slab, and farther from its rim than twice the margin.
    const Pose at(Vector3(uniform(random, -1.9, 1.9), uniform(random, -1.4, 1.4), 0.7 - deep));
    const double margin = i % 3 == 0 ? 0 : 0.01;
    const auto found = contact_manifolds(above, {leg, at}, {.margin = margin});
    ASSERT_EQ(found.size(), 1u) << i;
    EXPECT_GT(found[0].normal.z(), 1 - 1e-9) << i;
    EXPECT_EQ(found[0].points().size(), 4u) << i;
    for (const ManifoldPoint& point : found[0].points())
      EXPECT_NEAR(point.gap, -deep, 1e-12) << i;
  }
}

TEST(ContactManifolds, AnOpenSheetOverAnotherKeepsItsCornersHoweverNear) {
  MeshData ground, sheet;
  ground.vertices = {{-2, -2, 0}, {2, -2, 0}, {2, 2, 0}, {-2, 2, 0}};
  ground.triangles = {{0, 1, 2}, {0, 2, 3}};
  sheet.vertices = {{0.3, -0.5, 0}, {1.3, -0.5, 0}, {1.3, 0.5, 0}, {0.3, 0.5, 0}};
  sheet.triangles = {{0, 1, 2}, {0, 2, 3}};
  MeshData turned = sheet;
  turned.triangles = {{0, 2, 1}, {0, 3, 2}};
  for (const double height : {1e-9, 1e-7, 1e-5, 1e-4, 1e-3, 3e-3, 9e-3}) {
    for (const double side : {1.0, -1.0}) {
      for (const MeshData& data : {sheet, turned}) {
        const Shape under = Mesh(ground), over = Mesh(data);
        for (const bool exchanged : {false, true}) {
          const Pose at(Vector3(0, 0, side * height));
          const auto found = exchanged ? contact_manifolds({over, at}, under, {.margin = 0.01})
                                       : contact_manifolds(under, {over, at}, {.margin = 0.01});
          ASSERT_EQ(found.size(), 1u) << height << " " << side;
          EXPECT_EQ(found[0].points().size(), 4u) << height << " " << side << " " << exchanged;
          EXPECT_GT(found[0].normal.z() * side * (exchanged ? -1 : 1), 0.999) << height;
          for (const ManifoldPoint& point : found[0].points())
            EXPECT_NEAR(point.gap, height, 1e-12);
        }
      }
    }
  }
}

TEST(ContactManifolds, TwoMeshesTouchLikeTheSolidsThatTheyBound) {
  const Shape crate = Mesh(make::box()).solid(), floor = Mesh(flat_ground(6));
  const double depth = 1e-3;
  const Pose pose(Eigen::AngleAxisd(0.3, Vector3::UnitZ()).toRotationMatrix(), Vector3(3.1, 2.9, 0.5 - depth));
  const std::vector<ContactManifold> found = contact_manifolds({crate, pose}, floor, {.margin = 0.01});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_LT((found[0].normal - Vector3(0, 0, -1)).norm(), 1e-9);
  EXPECT_NEAR(found[0].upper, -depth, 1e-9);
  check({crate, pose}, floor, 0.01, found);
  // All four corners of the crate are among the points.
  for (const double x : {-0.5, 0.5}) {
    for (const double y : {-0.5, 0.5}) {
      const Vector3 corner = place(pose, {x, y, -0.5});
      EXPECT_TRUE(std::any_of(found[0].points().begin(), found[0].points().end(),
                              [&](const ManifoldPoint& p) { return (p.point_a - corner).norm() < 1e-9; }));
    }
  }
}

TEST(ContactManifolds, CrossingEdgesOfTwoMeshesTouchLikeThoseOfHulls) {
  // Two long boxes that stand on an edge, one across the other.
  auto random = seeded(13);
  const MeshData beam = make::box({.size_x = 4, .size_y = 1, .size_z = 1});
  const Shape mesh = Mesh(beam).solid(), open = Mesh(beam), hull = ConvexHull(beam.vertices);
  const Matrix3 on_edge = Eigen::AngleAxisd(std::acos(-1.0) / 4, Vector3::UnitX()).toRotationMatrix();
  for (std::size_t i = 0; i < cases(100); ++i) {
    const Matrix3 turn = test::random_rotation(random);
    const double angle = uniform(random, 0.6, 2.5), gap = uniform(random, -0.02, 0.009);
    const Pose pose_a(turn * on_edge, Vector3::Zero());
    const Pose pose_b(turn * Eigen::AngleAxisd(angle, Vector3::UnitZ()).toRotationMatrix() * on_edge,
                      turn * Vector3(uniform(random, -0.5, 0.5), uniform(random, -0.5, 0.5), std::sqrt(2.0) + gap));
    const ContactManifold expected = contact_manifold({hull, pose_a}, {hull, pose_b}, {.margin = 0.01});
    ASSERT_EQ(expected.count, 1u);
    for (const Shape& b : {mesh, open}) {
      const std::vector<ContactManifold> found = contact_manifolds({mesh, pose_a}, {b, pose_b}, {.margin = 0.01});
      ASSERT_EQ(found.size(), 1u) << "gap " << gap;
      expect_same_points(found[0], expected, 1e-9);
      check({mesh, pose_a}, {b, pose_b}, 0.01, found);
    }
  }
}

TEST(ContactManifolds, AnOpenMeshIsTouchedFromBothSides) {
  const Shape crate = Mesh(make::box()).solid();
  MeshData turned = flat_ground(6);
  for (Index3& t : turned.triangles)
    std::swap(t[1], t[2]);
  for (const MeshData& data : {flat_ground(6), turned}) {
    const Shape sheet = Mesh(data);
    for (const double side : {-1.0, 1.0}) {
      const Pose pose(Eigen::AngleAxisd(0.3, Vector3::UnitZ()).toRotationMatrix(), Vector3(3.1, 2.9, side * 0.499));
      const std::vector<ContactManifold> found = contact_manifolds({crate, pose}, sheet, {.margin = 0.01});
      ASSERT_EQ(found.size(), 1u);
      EXPECT_LT((found[0].normal - Vector3(0, 0, -side)).norm(), 1e-9);
      EXPECT_NEAR(found[0].upper, -1e-3, 1e-9);
      EXPECT_NEAR(area(found[0]), 1, 1e-9);
      check({crate, pose}, sheet, 0.01, found);
    }
  }
}

TEST(ContactManifolds, EveryFootOfATableIsARegionOfItsOwn) {
  // A table in one mesh, as it stands and as a soup whose triangles share no vertices.
  MeshData table;
  const auto add_box = [&](const Vector3& size, const Vector3& center) {
    const auto first = static_cast<std::uint32_t>(table.vertices.size());
    const MeshData box = make::box({.size_x = size.x(), .size_y = size.y(), .size_z = size.z()});
    for (const Vector3& v : box.vertices)
      table.vertices.push_back(v + center);
    for (const Index3& t : box.triangles)
      table.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
  };
  add_box({4, 3, 0.2}, {0, 0, 1.1});
  for (const double x : {-1.8, 1.8})
    for (const double y : {-1.3, 1.3})
      add_box({0.3, 0.2, 1}, {x, y, 0.5});
  MeshData soup;
  for (const Index3& t : table.triangles) {
    const auto first = static_cast<std::uint32_t>(soup.vertices.size());
    for (const std::uint32_t v : t)
      soup.vertices.push_back(table.vertices[v]);
    soup.triangles.push_back({first, first + 1, first + 2});
  }
  // One triangle under all feet, and small ones of which each foot covers several.
  MeshData wide{{{-20, -20, 0}, {40, -20, 0}, {-20, 40, 0}}, {{0, 1, 2}}};
  MeshData fine = flat_ground(80);
  for (Vector3& v : fine.vertices)
    v = 0.1 * v - Vector3(4.03, 4.07, 0);
  const Pose pose(Eigen::AngleAxisd(0.4, Vector3::UnitZ()).toRotationMatrix(), Vector3(0.1, -0.2, -1e-3));
  for (const MeshData* const data : {&table, &soup}) {
    for (const MeshData* const under : {&wide, &fine}) {
      const Shape shape = Mesh(*data), floor = Mesh(*under);
      const std::vector<ContactManifold> found = contact_manifolds({shape, pose}, floor, {.margin = 0.01});
      ASSERT_EQ(found.size(), 4u);
      check({shape, pose}, floor, 0.01, found);
      std::set<std::pair<bool, bool>> feet;
      for (const ContactManifold& manifold : found) {
        EXPECT_LT((manifold.normal - Vector3(0, 0, -1)).norm(), 1e-9);
        EXPECT_EQ(manifold.count, 4u);
        EXPECT_NEAR(area(manifold), 0.06, 1e-9) << "the whole foot";
        const Vector3 at = pose.rotation().transpose() * (manifold.storage[0].point_a - pose.translation());
        feet.insert({at.x() > 0, at.y() > 0});
      }
      EXPECT_EQ(feet.size(), 4u);
    }
  }
}

TEST(ContactManifolds, CurvedMeshesHaveAHandfulOfPointsPerRegion) {
  // Two balls of many triangles, one above the other. Many triangles are within the margin, and no two normals agree.
  const Shape ball = Mesh(make::icosphere({.subdivisions = 4})).solid();
  for (const double gap : {-1e-3, -1e-4, 0.0, 1e-3, 5e-3}) {
    auto random = seeded(12);
    for (std::size_t i = 0; i < cases(10); ++i) {
      const Pose pose_a(test::random_rotation(random), Vector3::Zero());
      const Vector3 up = test::random_unit(random);
      const Pose pose_b(test::random_rotation(random), (2 + gap) * up);
      const std::vector<ContactManifold> found = contact_manifolds({ball, pose_a}, {ball, pose_b}, {.margin = 0.01});
      ASSERT_FALSE(found.empty());
      check({ball, pose_a}, {ball, pose_b}, 0.01, found);
      EXPECT_LE(point_count(found), 30u) << "gap " << gap;
      // Points that touch have the normals of their triangles, which are less than 0.05 from those of the balls there.
      for (const ContactManifold& manifold : found) {
        const double most = manifold.upper < -1e-9 ? 0.11 : 0.2;
        EXPECT_GT(manifold.normal.dot(up), std::cos(most)) << "gap " << gap;
      }
    }
  }
}

TEST(ContactManifolds, PartsOfCompoundsAndBallsOfSetsAreNamed) {
  const Shape table = Compound({{Box{{0.2, 0.2, 1}}, Pose(Vector3(-1, 0, 0.5))},
                                {Box{{0.2, 0.2, 1}}, Pose(Vector3(1, 0, 0.5))},
                                {Box{{3, 1, 0.1}}, Pose(Vector3(0, 0, 1.05))}});
  const Shape floor = HalfSpace{};
  const std::vector<ContactManifold> legs = contact_manifolds({table, Pose(Vector3(0, 0, -1e-3))}, floor);
  ASSERT_EQ(legs.size(), 2u);
  std::set<std::uint32_t> parts;
  for (const ContactManifold& leg : legs) {
    EXPECT_EQ(leg.count, 4u);
    EXPECT_NEAR(leg.upper, -1e-3, 1e-12);
    parts.insert(leg.feature_a.part);
  }
  EXPECT_EQ(parts, (std::set<std::uint32_t>{0, 1}));
  EXPECT_EQ(ids_of(legs).size(), 8u);

  const Shape balls = SphereSet(std::vector<Vector3>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 3}},
                                std::vector<double>{0.5, 0.5, 0.5, 0.5});
  for (const Shape& under : {floor, Shape(Mesh(flat_ground(6)))}) {
    const Pose pose(Vector3(2.3, 2.3, 0.499));
    const std::vector<ContactManifold> place = contact_manifolds({balls, pose}, under);
    ASSERT_EQ(place.size(), 1u);
    EXPECT_EQ(place[0].count, 3u);
    EXPECT_NEAR(place[0].upper, -1e-3, 1e-9);
    EXPECT_EQ(place[0].feature_a.kind, FeatureKind::sphere);
    EXPECT_LT(place[0].feature_a.id, 3u);
    check({balls, pose}, under, 0, place);
  }
}

TEST(ContactManifolds, EveryPairOfKindsIsAnswered) {
  const std::vector<double> heights = {0, 0.1, 0.2, 0.3};
  const std::vector<Shape> shapes = {
      Sphere{0.5},
      Capsule{0.2, 1},
      Box{Vector3(1, 2, 3)},
      HalfSpace{Vector3(0, 0, 1), 0.25},
      Plane{Vector3(1, 2, 2), 0.5},
      Segment{{0, 0, 0}, {1, 1, 1}},
      Triangle{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
      Cylinder{0.5, 1},
      Cone{0.5, 1},
      Ellipsoid{Vector3(0.5, 0.6, 0.7)},
      ConvexHull(std::vector<Vector3>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}),
      CustomConvex([](const Vector3& d) { return d.normalized(); }),
      Mesh(make::box()).solid(),
      Mesh(make::box()),
      HeightField(heights, 2, 2, 1, 1),
      Compound({{Sphere{0.5}, Pose()}, {Mesh(make::box()).solid(), Pose(Vector3(0.7, 0, 0))}}),
      SphereSet(std::vector<Vector3>{{0, 0, 0}, {0.4, 0, 0}}, std::vector<double>{0.5, 0.25}),
      SphereBody(build_sphere_tree(Mesh(make::box()), {.depth = 1}), Mesh(make::box()).solid()),
      rounded(Box{{0.6, 0.5, 0.4}}, 0.2),
      rounded(Mesh(make::box()).solid(), 0.1),
  };
  auto random = seeded(5);
  for (const Shape& a : shapes) {
    for (const Shape& b : shapes) {
      if (a.is_unbounded() && b.is_unbounded()) {
        EXPECT_THROW(contact_manifolds(a, b), Error);
        continue;
      }
      for (std::size_t i = 0; i < cases(12); ++i) {
        const Pose pose(test::random_rotation(random), test::random_vector(random, 1.5));
        const std::vector<ContactManifold> found = contact_manifolds(a, {b, pose}, {.margin = 0.01});
        const Distance gap = distance(a, {b, pose});
        if (gap.lower > 0.011) {
          EXPECT_TRUE(found.empty()) << name(a.kind()) << " " << name(b.kind());
        }
        if (gap.upper == 0) {
          EXPECT_FALSE(found.empty()) << name(a.kind()) << " " << name(b.kind());
        }
        EXPECT_EQ(ids_of(found).size(), point_count(found));
        for (const ContactManifold& manifold : found) {
          EXPECT_NEAR(manifold.normal.norm(), 1, 1e-9) << name(a.kind()) << " " << name(b.kind());
          for (const ManifoldPoint& p : manifold.points())
            EXPECT_TRUE(p.point_a.allFinite() && p.point_b.allFinite() && std::isfinite(p.gap));
        }
      }
    }
  }
}

TEST(ContactManifolds, ARadiusMovesThePoints) {
  const Shape land = Mesh(flat_ground(6));
  const Pose pose(Vector3(3.1, 2.9, 0.349));
  const std::vector<ContactManifold> found =
      contact_manifolds({rounded(Box{{0.9, 0.7, 0.5}}, 0.1), pose}, land, {.margin = 0.01});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].count, 4u);
  EXPECT_LT((found[0].normal - Vector3(0, 0, -1)).norm(), 1e-12);
  EXPECT_NEAR(found[0].upper, -0.001, 1e-12);
  for (const ManifoldPoint& p : found[0].points()) {
    EXPECT_NEAR(p.point_a.z(), -0.001, 1e-12);
    EXPECT_NEAR(p.point_b.z(), 0, 1e-12);
    EXPECT_NEAR(std::abs(p.point_a.x() - 3.1), 0.45, 1e-12);
  }
  const Shape skin = rounded(land, 0.1);
  const std::vector<ContactManifold> above = contact_manifolds(skin, {Sphere{0.5}, Pose(Vector3(3.1, 2.9, 0.599))});
  ASSERT_EQ(above.size(), 1u);
  EXPECT_NEAR(above[0].upper, -0.001, 1e-9);
  EXPECT_NEAR(above[0].storage[0].point_a.z(), 0.1, 1e-9);
  EXPECT_LT((above[0].normal - Vector3(0, 0, 1)).norm(), 1e-9);
}

TEST(ContactManifolds, NamesStayWithPointsThatStayAndNeverJump) {
  auto random = seeded(6);
  const Shape land = Mesh(ground(6, [&](int, int) { return uniform(random, 0, 0.3); }));
  const std::vector<Shape> bodies = {Box{{0.9, 0.7, 0.5}}, Cylinder{0.4, 0.6},
                                     ConvexHull(make::random_hull({.points = 32, .seed = 2}).vertices)};
  std::size_t stayed = 0, kept = 0;
  for (std::size_t i = 0; i < cases(30); ++i) {
    const Shape& body = bodies[i % bodies.size()];
    const Aabb box = body.bounds();
    const double far = 0.02 * (box.upper - box.lower).maxCoeff();
    ManifoldMemory memory;
    std::vector<ContactManifold> manifolds;
    std::map<std::uint64_t, ManifoldMemory::Point> last;
    Pose pose(test::random_rotation(random), {uniform(random, 2, 4), uniform(random, 2, 4), 0.45});
    const Vector3 velocity = test::random_vector(random, 0.01), spin = test::random_vector(random, 0.01);
    for (int frame = 0; frame < 40; ++frame) {
      contact_manifolds({body, pose}, land, {.margin = 0.02, .memory = &memory}, manifolds);
      std::map<std::uint64_t, ManifoldMemory::Point> now;
      for (const ManifoldMemory::Point& p : memory.points)
        now[p.id] = p;
      EXPECT_EQ(now.size(), point_count(manifolds));
      EXPECT_EQ(ids_of(manifolds).size(), now.size());
      for (const ManifoldMemory::Point& p : memory.points) {
        const auto before = last.find(p.id);
        if (before != last.end()) {
          EXPECT_LT((p.in_a - before->second.in_a).norm(), far) << "a kept name does not jump";
          EXPECT_LT((p.in_b - before->second.in_b).norm(), far);
        }
        const bool was_near = std::any_of(last.begin(), last.end(), [&](const auto& entry) {
          return (p.in_a - entry.second.in_a).norm() < far && (p.in_b - entry.second.in_b).norm() < far;
        });
        stayed += was_near ? 1u : 0u;
        kept += was_near && before != last.end() ? 1u : 0u;
      }
      last = std::move(now);
      pose = Pose(Eigen::AngleAxisd(spin.norm(), spin.normalized()).toRotationMatrix() * pose.rotation(),
                  pose.translation() + Vector3(velocity.x(), velocity.y(), 0));
    }
  }
  EXPECT_GT(stayed, cases(300));
  EXPECT_GT(static_cast<double>(kept), 0.9 * static_cast<double>(stayed));
}

TEST(ContactManifolds, MagnitudesDoNotMatter) {
  for (const double scale : {1e-120, 1e-6, 1e6, 1e60}) {
    MeshData data = flat_ground(4);
    for (Vector3& v : data.vertices)
      v *= scale;
    const Mesh mesh(data);
    const Shape box = Box{Vector3(0.9, 0.7, 0.5) * scale};
    const Pose pose(Vector3(2.1, 1.9, 0.2499) * scale);
    const std::vector<ContactManifold> found = contact_manifolds({box, pose}, mesh, {.margin = 0.01 * scale});
    ASSERT_EQ(found.size(), 1u) << scale;
    EXPECT_EQ(found[0].count, 4u);
    EXPECT_NEAR(found[0].storage[0].gap / scale, -1e-4, 1e-10);
  }
}

TEST(ContactManifolds, BadOptionsAreErrors) {
  const Shape mesh = Mesh(make::box()), ball = Sphere{1};
  EXPECT_THROW(contact_manifolds(mesh, ball, {.margin = -1}), Error);
  EXPECT_THROW(contact_manifolds(mesh, ball, {.margin = NAN}), Error);
  EXPECT_THROW(contact_manifolds(mesh, ball, {.max_angle = 2}), Error);
  EXPECT_THROW(contact_manifolds(HalfSpace{}, Plane{}), Error);
  EXPECT_THROW(contact_manifold(mesh, ball), Error);
}

}  // namespace
}  // namespace whisker
