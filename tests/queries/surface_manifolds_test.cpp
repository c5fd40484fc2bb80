// The nearest contact of a convex shape with a surface of triangles is among its points: against signed distances, and
// for one margin after another.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>
#include <vector>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include <whisker/contact_manifold.hpp>
#include <whisker/height_field.hpp>
#include <whisker/make/ground.hpp>
#include <whisker/make/make.hpp>
#include <whisker/make/rounded.hpp>
#include <whisker/mesh_queries.hpp>

#include "support/cases.hpp"
#include "support/random_vectors.hpp"

namespace whisker {
namespace {

using test::cases;
using test::seeded;
using test::uniform;

/// A shape of about size 1 with edges, corners or neither.
struct NamedBody {
  std::string name;
  Shape shape;
};

std::vector<NamedBody> bodies_of_all_kinds() {
  return {{"sphere", Sphere{0.3}},
          {"box", Box{{1, 0.7, 0.5}}},
          {"capsule", Capsule{0.2, 0.7}},
          {"cylinder", Cylinder{0.4, 0.6}},
          {"cone", Cone{0.4, 0.8}},
          {"ellipsoid", Ellipsoid{{0.5, 0.3, 0.4}}},
          {"hull", ConvexHull(make::random_hull({.points = 20, .seed = 3}).vertices)},
          {"small hull", ConvexHull(std::vector<Vector3>{{0, 0, 0}, {1, 0, 0}, {0, 0.8, 0}, {0, 0.2, 0.6}})},
          {"rounded box", rounded(Box{{0.6, 0.5, 0.4}}, 0.1)}};
}

double least_gap(const std::vector<ContactManifold>& manifolds) {
  double least = HUGE_VAL;
  for (const ContactManifold& manifold : manifolds)
    for (const ManifoldPoint& p : manifold.points())
      least = std::min(least, p.gap);
  return least;
}

/// Of points of shapes of about size 1: an edge is only looked at if its point is nearer than those of the faces by
/// more than 2^-14 of the shape.
constexpr double nearer = 3e-4;

/// Checks the points at one margin after another against a distance, negative where the shapes overlap.
void expect_nearest_at_every_margin(const Placed& body, const Placed& surface, double lower, double upper,
                                    const std::string& name) {
  double last = HUGE_VAL;
  for (const double margin : {0.0, 0.001, 0.002, 0.005, 0.01, 0.03, 0.1}) {
    const double least = least_gap(contact_manifolds(body, surface, {.margin = margin}));
    const std::string where = name + " margin " + std::to_string(margin);
    if (upper <= margin - 1e-9) {
      EXPECT_LE(least, upper + nearer) << where;
    }
    if (lower > 0 && least < HUGE_VAL) {
      // Along the normal of a place, a gap is less than along the normal of the point.
      EXPECT_GE(least, lower - nearer) << where;
    }
    EXPECT_LE(least, last + nearer) << where << ": a larger margin lost the contact";
    last = std::min(last, least);
  }
}

/// Moves a body until it is `gap` away from a surface, along the normal of the distance.
Pose moved_near(const Shape& body, const Pose& pose, const Placed& surface, double gap) {
  const Distance far = distance({body, pose}, surface);
  return {pose.rotation(), pose.translation() + far.normal * (far.upper - gap)};
}

/// The triangles of a height field as a mesh, with shared vertices.
MeshData triangles_of(const HeightField& field) {
  MeshData data;
  const std::size_t columns = field.columns();
  for (std::size_t j = 0; j < field.rows(); ++j)
    for (std::size_t i = 0; i < columns; ++i)
      data.vertices.push_back(field.vertex(i, j));
  const auto at = [&](std::size_t i, std::size_t j) { return static_cast<std::uint32_t>(j * columns + i); };
  for (std::size_t j = 0; j + 1 < field.rows(); ++j) {
    for (std::size_t i = 0; i + 1 < columns; ++i) {
      data.triangles.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
      data.triangles.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
    }
  }
  return data;
}

struct SolidSurface {
  std::string name;
  Shape surface, convex;  // the same solid
};

/// A roof whose ridge is along y through the origin, as a closed prism: of triangles that end at these places along y,
/// with diagonals this way and that.
MeshData roof(const std::vector<double>& ends) {
  MeshData data;
  for (const double y : ends)
    data.vertices.insert(data.vertices.end(), {{0, y, 0}, {-0.5, y, -1}, {0.5, y, -1}});
  const auto last = static_cast<std::uint32_t>(data.vertices.size()) - 3;
  for (std::uint32_t i = 0; i < last; i += 3) {
    for (std::uint32_t k = 0; k < 3; ++k) {
      const std::uint32_t a = i + k, b = i + (k + 1) % 3, c = a + 3, d = b + 3;
      if ((i + k) % 2 == 0) {
        data.triangles.insert(data.triangles.end(), {{a, c, b}, {b, c, d}});
      } else {
        data.triangles.insert(data.triangles.end(), {{a, c, d}, {a, d, b}});
      }
    }
  }
  data.triangles.insert(data.triangles.end(), {{0, 1, 2}, {last, last + 2, last + 1}});
  return data;
}

TEST(SurfaceManifolds, TheNearestPointOfAConvexSolidIsThereAtEveryMargin) {
  auto random = seeded(1);
  const MeshData ball = make::icosphere({.radius = 0.5, .subdivisions = 3});
  const MeshData fine = make::icosphere({.radius = 0.5, .subdivisions = 5});
  const MeshData rough_data = make::random_hull({.points = 12, .seed = 4});
  const ConvexHull rough(rough_data.vertices);
  const Mesh rough_mesh = Mesh(rough_data).solid();
  const std::vector<SolidSurface> solids = {
      {"cube", Mesh(make::box({.subdivisions = 1})).solid(), Box{{1, 1, 1}}},
      {"fine cube", Mesh(make::box({.subdivisions = 5})).solid(), Box{{1, 1, 1}}},
      {"ball", Mesh(ball).solid(), ConvexHull(ball.vertices)},
      {"fine ball", Mesh(fine).solid(), ConvexHull(fine.vertices)},
      {"rough", rough_mesh, rough},
      {"rounded ball", rounded(Mesh(ball).solid(), 0.1), rounded(ConvexHull(ball.vertices), 0.1)},
      {"rounded cube", rounded(Mesh(make::box({.subdivisions = 2})).solid(), 0.1), rounded(Box{{1, 1, 1}}, 0.1)}};
  const std::vector<NamedBody> bodies = bodies_of_all_kinds();
  std::size_t overlapping = 0, apart = 0;
  for (std::size_t i = 0; i < cases(2000); ++i) {
    const NamedBody& body = bodies[i % bodies.size()];
    const SolidSurface& solid = solids[i / bodies.size() % solids.size()];
    const Pose outside(test::random_rotation(random), test::random_unit(random) * 3);
    const Pose pose = moved_near(body.shape, outside, solid.convex, uniform(random, -0.004, 0.008));
    const Distance truth = signed_distance({body.shape, pose}, solid.convex);
    ++(truth.upper < 0 ? overlapping : apart);
    expect_nearest_at_every_margin({body.shape, pose}, solid.surface, truth.lower, truth.upper,
                                   std::to_string(i) + " " + body.name + " " + solid.name);
  }
  EXPECT_GT(overlapping, cases(2000) / 5);
  EXPECT_GT(apart, cases(2000) / 5);
}

TEST(SurfaceManifolds, TheNearestPointOfATerrainIsThereAtEveryMargin) {
  auto random = seeded(2);
  const std::vector<NamedBody> bodies = bodies_of_all_kinds();
  std::size_t overlapping = 0, apart = 0;
  for (std::size_t i = 0; i < cases(1500); ++i) {
    const NamedBody& body = bodies[i % bodies.size()];
    // From gentle hills, most of whose edges are flush, to steep ones.
    const double height = std::pow(10, uniform(random, -3, 0));
    std::vector<double> heights;
    for (int k = 0; k < 64; ++k)
      heights.push_back(uniform(random, 0, 1) * height * 0.4);
    const HeightField field(heights, 8, 8, 0.4, 0.4);
    const Shape solid = ground(field);
    const std::vector<Shape> surfaces = {field, Mesh(triangles_of(field)), solid, rounded(field, 0.05),
                                         rounded(solid, 0.05)};
    const std::size_t kind = i / bodies.size() % surfaces.size();
    // Also beyond the border.
    const Pose above(test::random_rotation(random), {uniform(random, -0.5, 3.3), uniform(random, -0.5, 3.3), 2.5});
    const Shape& surface = surfaces[kind];
    const Pose pose = moved_near(body.shape, above, surface, uniform(random, -0.004, 0.008));
    const bool is_solid = kind == 2 || kind == 4;
    const Distance truth =
        is_solid ? signed_distance({body.shape, pose}, surface) : distance({body.shape, pose}, surface);
    ++(truth.upper <= 0 ? overlapping : apart);
    expect_nearest_at_every_margin({body.shape, pose}, surface, truth.lower, truth.upper,
                                   std::to_string(i) + " " + body.name + " " + std::to_string(kind));
  }
  EXPECT_GT(overlapping, cases(1500) / 6);
  EXPECT_GT(apart, cases(1500) / 6);
}

// The shortest way out of a single triangle may lead over the end of its edge, although the edge goes on.
TEST(SurfaceManifolds, ARidgeIsCrossedTheSameWayAtTheEndsOfItsTriangles) {
  auto random = seeded(3);
  std::vector<double> ends, heights;
  for (int i = -8; i <= 8; ++i) {
    ends.push_back(0.125 * i);
    heights.insert(heights.end(), {-1, 0, -1});
  }
  const Mesh mesh(roof(ends));
  const HeightField field(heights, 3, ends.size(), 0.5, 0.125);
  const Pose centered(Vector3(-0.5, -1, 0));
  const std::vector<Shape> surfaces = {mesh.solid(), mesh, field, ground(field)};
  // An edge of the box, or the tangent of the rim, crosses the ridge, and the rest is above it.
  const std::vector<NamedBody> bodies = {{"box", Box{{0.3, 0.3, 0.3}}}, {"cylinder", Cylinder{0.15, 0.3}}};
  const Vector3 low(0.15, 0, -0.15), up = Vector3::UnitZ();
  const Matrix3 low_down = Eigen::Quaterniond::FromTwoVectors(low, -up).toRotationMatrix();
  for (std::size_t i = 0; i < cases(400); ++i) {
    const NamedBody& body = bodies[i % bodies.size()];
    const double depth = uniform(random, 0.0005, 0.003), beside = uniform(random, -1, 1) * depth;
    const double yaw = std::numbers::pi / 2 + uniform(random, -0.5, 0.5);
    const Matrix3 rotation = Eigen::AngleAxisd(yaw, up).toRotationMatrix() * low_down;
    const Vector3 lowest(0, ends[1 + i / 2 % (ends.size() - 2)] + beside, -depth);
    const Pose pose(rotation, lowest - rotation * low);
    for (std::size_t k = 0; k < surfaces.size(); ++k) {
      const std::string where = std::to_string(i) + " " + body.name + " " + std::to_string(k);
      const std::vector<ContactManifold> places =
          contact_manifolds({body.shape, pose}, {surfaces[k], k < 2 ? Pose() : centered});
      ASSERT_EQ(places.size(), 1u) << where;
      EXPECT_LE((places[0].normal + up).norm(), 1e-6) << where;
      EXPECT_NEAR(least_gap(places), -depth, 1e-9) << where;
    }
  }
}

}  // namespace
}  // namespace whisker
