// Rays against triangles, compared with exact rationals, and closed meshes that no ray passes through undetected.

#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include <Eigen/Geometry>
#include <boost/multiprecision/cpp_int.hpp>
#include <gtest/gtest.h>

#include <whisker/geometry/predicates.hpp>
#include <whisker/ray.hpp>

#include "geometry/constants.hpp"
#include "support/cases.hpp"
#include "support/random_vectors.hpp"

namespace whisker {
namespace {

using Rational = boost::multiprecision::cpp_rational;
using test::cases;
using test::normal_pose;
using test::random_vector;
using test::seeded;
using test::uniform;

/// dot and cross are friends, so that they do not hide other functions of these names.
struct RVector {
  Rational x, y, z;

  friend Rational dot(const RVector& a, const RVector& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
  friend RVector cross(const RVector& a, const RVector& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
  }
};

RVector rational(const Vector3& v) {
  return {Rational(v[0]), Rational(v[1]), Rational(v[2])};
}
RVector operator-(const RVector& a, const RVector& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
bool is_zero(const RVector& a) {
  return a.x == 0 && a.y == 0 && a.z == 0;
}

/// A closed interval of t, possibly unbounded.
struct Interval {
  bool empty = false;
  bool has_lower = false;
  bool has_upper = false;
  Rational lower, upper;

  void at_least(const Rational& t) {
    if (!has_lower || t > lower) lower = t;
    has_lower = true;
  }
  void at_most(const Rational& t) {
    if (!has_upper || t < upper) upper = t;
    has_upper = true;
  }
  /// Keeps the t with constant + t * slope >= 0.
  void keep(const Rational& constant, const Rational& slope) {
    if (slope == 0) {
      if (constant < 0) empty = true;
    } else if (slope > 0) {
      at_least(-constant / slope);
    } else {
      at_most(-constant / slope);
    }
  }
};

/// All t with o + t d in the triangle: the definition, in rationals. d is not zero.
Interval triangle_interval(const RVector& o, const RVector& d, const std::array<RVector, 3>& v) {
  Interval all;
  const RVector n = cross(v[1] - v[0], v[2] - v[0]);
  if (!is_zero(n)) {
    // In the plane, and on the inner side of each edge.
    const Rational slope = dot(n, d);
    const Rational level = dot(n, o - v[0]);
    all.keep(level, slope);
    all.keep(-level, -slope);
    for (std::size_t i = 0; i < 3; ++i) {
      const RVector inward = cross(n, v[(i + 1) % 3] - v[i]);
      all.keep(dot(inward, o - v[i]), dot(inward, d));
    }
    return all;
  }
  // A segment or a point: the two corners farthest apart.
  RVector a = v[0], b = v[0];
  for (std::size_t i = 0; i < 3; ++i) {
    const RVector e = v[(i + 1) % 3] - v[i];
    if (dot(e, e) > dot(b - a, b - a)) {
      a = v[i];
      b = v[(i + 1) % 3];
    }
  }
  const RVector e = b - a;
  // On the line of the segment (both cross products with e vanish), between its ends.
  if (is_zero(e)) {
    all.keep(o.x - a.x, d.x);
    all.keep(a.x - o.x, -d.x);
    all.keep(o.y - a.y, d.y);
    all.keep(a.y - o.y, -d.y);
    all.keep(o.z - a.z, d.z);
    all.keep(a.z - o.z, -d.z);
    return all;
  }
  const RVector constant = cross(o - a, e);
  const RVector slope = cross(d, e);
  all.keep(constant.x, slope.x);
  all.keep(-constant.x, -slope.x);
  all.keep(constant.y, slope.y);
  all.keep(-constant.y, -slope.y);
  all.keep(constant.z, slope.z);
  all.keep(-constant.z, -slope.z);
  all.keep(dot(o - a, e), dot(d, e));
  all.keep(dot(b - o, e), -dot(d, e));
  return all;
}

/// The first t of the range that is in the triangle.
std::optional<Rational> first_in(Interval all, RayRange range) {
  if (range.lower > -infinity) all.at_least(Rational(range.lower));
  if (range.upper < infinity) all.at_most(Rational(range.upper));
  if (all.empty || (all.has_lower && all.has_upper && all.lower > all.upper)) return std::nullopt;
  return all.lower;
}

std::optional<Rational> truth(const Ray& ray, const Triangle& t, RayRange range) {
  return first_in(
      triangle_interval(rational(ray.origin), rational(ray.direction), {rational(t.a), rational(t.b), rational(t.c)}),
      range);
}

void expect_truth(const Ray& ray, const Triangle& t, RayRange range) {
  const auto expected = truth(ray, t, range);
  const auto hit = ray_triangle(ray, t, {}, range);
  ASSERT_EQ(hit.has_value(), expected.has_value())
      << std::hexfloat << "o " << ray.origin.transpose() << " d " << ray.direction.transpose() << " a "
      << t.a.transpose() << " b " << t.b.transpose() << " c " << t.c.transpose() << " range " << range.lower << " "
      << range.upper;
  if (!hit) return;
  EXPECT_TRUE(hit->certain);
  EXPECT_LE(Rational(hit->t_lower), *expected);
  EXPECT_GE(Rational(hit->t_upper), *expected);
  EXPECT_LE(hit->t_lower, hit->t);
  EXPECT_LE(hit->t, hit->t_upper);
  const double length = ray.direction.norm();
  const double largest = std::max({ray.origin.cwiseAbs().maxCoeff(), t.a.cwiseAbs().maxCoeff(),
                                   t.b.cwiseAbs().maxCoeff(), t.c.cwiseAbs().maxCoeff()});
  const double allowed = 1e-12 * std::abs(hit->t) * length + 8 * (std::nextafter(largest, infinity) - largest);
  EXPECT_LE((hit->t_upper - hit->t_lower) * length, allowed);
  EXPECT_NEAR(hit->normal.norm(), 1, 1e-14);
  EXPECT_LE(hit->normal.dot(ray.direction), 1e-14 * length);
  ASSERT_TRUE(hit->face.has_value());
  EXPECT_GE(hit->face->u, 0);
  EXPECT_GE(hit->face->v, 0);
  EXPECT_LE(hit->face->u + hit->face->v, 1 + 1e-15);
  // The weights give the same point as t.
  const Vector3 by_weights = (1 - hit->face->u - hit->face->v) * t.a + hit->face->u * t.b + hit->face->v * t.c;
  EXPECT_LE((by_weights - hit->point).norm(), 1e-9 * (largest + std::abs(hit->t) * length));
}

Vector3 random_grid_vector(std::mt19937_64& random, int size) {
  std::uniform_int_distribution<int> coordinate(-size, size);
  return {static_cast<double>(coordinate(random)), static_cast<double>(coordinate(random)),
          static_cast<double>(coordinate(random))};
}

RayRange random_range(std::mt19937_64& random) {
  switch (std::uniform_int_distribution<int>(0, 4)(random)) {
    case 0:
      return ray_range();
    case 1:
      return segment_range();
    case 2:
      return line_range();
    case 3:
      return {-0.5, 0.5};
    default:
      return {0.25, 3};
  }
}

TEST(RayTriangle, HitsWithSignedParameterAndWeights) {
  const Triangle t{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  const auto hit = ray_triangle({{0.25, 0.5, 2}, {0, 0, -4}}, t);
  ASSERT_TRUE(hit);
  EXPECT_EQ(hit->t, 0.5);
  EXPECT_EQ(hit->point, Vector3(0.25, 0.5, 0));
  EXPECT_EQ(hit->normal, Vector3(0, 0, 1));
  EXPECT_DOUBLE_EQ(hit->face->u, 0.25);
  EXPECT_DOUBLE_EQ(hit->face->v, 0.5);
  EXPECT_FALSE(ray_triangle({{0.25, 0.5, 2}, {0, 0, 4}}, t));
  const auto behind = ray_triangle({{0.25, 0.5, 2}, {0, 0, 4}}, t, {}, line_range());
  ASSERT_TRUE(behind);
  EXPECT_EQ(behind->t, -0.5);
  EXPECT_EQ(behind->normal, Vector3(0, 0, -1));
}

TEST(RayTriangle, EndsOfTheRangeCount) {
  const Triangle t{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  EXPECT_TRUE(ray_triangle({{0.25, 0.25, 1}, {0, 0, -1}}, t, {}, segment_range()));
  EXPECT_FALSE(ray_triangle({{0.25, 0.25, std::nextafter(1.0, 2.0)}, {0, 0, -1}}, t, {}, segment_range()));
  EXPECT_TRUE(ray_triangle({{0.25, 0.25, 0}, {0, 0, -1}}, t));
  EXPECT_FALSE(ray_triangle({{0.25, 0.25, -5e-324}, {0, 0, -1}}, t));
  EXPECT_FALSE(ray_triangle({{0.25, 0.25, 1}, {0, 0, -1}}, t, {}, {2, 1}));
}

TEST(RayTriangle, PathInThePlaneHitsAtTheFirstPointOfTheOverlap) {
  const Triangle t{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}};
  const auto across = ray_triangle({{-1, 1, 0}, {1, 0, 0}}, t);
  ASSERT_TRUE(across);
  EXPECT_EQ(across->t, 1);
  const auto from_inside = ray_triangle({{1, 1, 0}, {1, 0, 0}}, t);
  ASSERT_TRUE(from_inside);
  EXPECT_EQ(from_inside->t, 0);
  const auto along_edge = ray_triangle({{8, 0, 0}, {-2, 0, 0}}, t);
  ASSERT_TRUE(along_edge);
  EXPECT_EQ(along_edge->t, 2);
  const auto corner = ray_triangle({{-1, 5, 0}, {1, -1, 0}}, t);
  ASSERT_TRUE(corner);
  EXPECT_EQ(corner->t, 1);
  EXPECT_FALSE(ray_triangle({{-1, 5.000000000000001, 0}, {1, -1, 0}}, t));
}

TEST(RayTriangle, ZeroDirectionAsksAboutThePoint) {
  const Triangle t{{0, 0, 0}, {3, 0, 0}, {0, 3, 3}};
  EXPECT_TRUE(ray_triangle({{1, 1, 1}, {0, 0, 0}}, t));
  EXPECT_FALSE(ray_triangle({{1, 1, std::nextafter(1.0, 2.0)}, {0, 0, 0}}, t));
  const auto hit = ray_triangle({{1, 1, 1}, {0, 0, 0}}, t, {}, {0.5, 2});
  ASSERT_TRUE(hit);
  EXPECT_EQ(hit->t, 0.5);
  EXPECT_EQ(ray_triangle({{1, 1, 1}, {0, 0, 0}}, t, {}, line_range())->t, 0);
}

TEST(RayTriangle, PlacedTriangleHasTheCornersOfPlace) {
  auto random = seeded(1201);
  for (std::size_t i = 0; i < cases(2000); ++i) {
    const Pose pose = normal_pose(random, 3);
    const Triangle t{random_vector(random, 1), random_vector(random, 1), random_vector(random, 1)};
    const Triangle placed{place(pose, t.a), place(pose, t.b), place(pose, t.c)};
    const Ray ray = ray_between(random_vector(random, 5), (placed.a + placed.b + placed.c) / 3);
    const auto hit = ray_triangle(ray, t, pose);
    const auto expected = ray_triangle(ray, placed);
    ASSERT_TRUE(hit && expected);
    EXPECT_EQ(hit->t, expected->t);
  }
}

TEST(RayTriangle, AgreesWithRationalsOnRandomInput) {
  auto random = seeded(1202);
  for (std::size_t i = 0; i < cases(2000); ++i) {
    const Triangle t{random_vector(random, 1), random_vector(random, 1), random_vector(random, 1)};
    const Vector3 origin = random_vector(random, 2);
    const Vector3 target = i % 2 == 0 ? random_vector(random, 1) : Vector3((t.a + t.b + t.c) / 3);
    expect_truth({origin, target - origin}, t, random_range(random));
    if (HasFatalFailure()) return;
  }
}

TEST(RayTriangle, AgreesWithRationalsOnSmallIntegersWhereEverythingIsDegenerate) {
  auto random = seeded(1203);
  for (std::size_t i = 0; i < cases(8000); ++i) {
    const int size = i % 3 == 0 ? 1 : (i % 3 == 1 ? 2 : 4);
    const Triangle t{random_grid_vector(random, size), random_grid_vector(random, size),
                     random_grid_vector(random, size)};
    const Ray ray{random_grid_vector(random, size), random_grid_vector(random, size)};
    if (ray.direction == Vector3::Zero()) continue;
    expect_truth(ray, t, random_range(random));
    if (HasFatalFailure()) return;
  }
}

TEST(RayTriangle, AgreesWithRationalsOnSliversAndAimedRays) {
  auto random = seeded(1204);
  for (std::size_t i = 0; i < cases(4000); ++i) {
    Triangle t{random_vector(random, 1), random_vector(random, 1), random_vector(random, 1)};
    // The third corner is near or on the line of the first two, up to rounding.
    if (i % 2 == 0)
      t.c = t.a + uniform(random, -1, 2) * (t.b - t.a) + uniform(random, -1, 1) * 1e-16 * random_vector(random, 1);
    const double s = uniform(random, 0, 1);
    Vector3 target;
    switch (i % 5) {
      case 0:
        target = t.a;
        break;
      case 1:
        target = t.a + s * (t.b - t.a);
        break;
      case 2:
        target = t.c + s * (t.b - t.c);
        break;
      case 3:
        target = t.a + s * 0.5 * (t.b - t.a) + s * 0.5 * (t.c - t.a);
        break;
      default:
        target = t.b;
    }
    Vector3 origin = random_vector(random, 2);
    // In the triangle's plane, up to rounding.
    if (i % 7 == 0) origin = t.a + uniform(random, -2, 2) * (t.b - t.a) + uniform(random, -2, 2) * (t.c - t.a);
    if (i % 11 == 0) origin = target;
    Vector3 direction = target - origin;
    if (i % 11 == 0) direction = random_vector(random, 1);
    if (i % 13 == 0) direction = t.b - t.a;
    expect_truth({origin, direction}, t, random_range(random));
    if (HasFatalFailure()) return;
  }
}

TEST(RayTriangle, AgreesWithRationalsAtTinyAndHugeScale) {
  auto random = seeded(1205);
  for (const double scale : {1e-88, 1e88}) {
    for (std::size_t i = 0; i < cases(600); ++i) {
      const auto vector = [&](double size) -> Vector3 {
        // Coordinates are zero or larger than the documented smallest magnitude.
        Vector3 v = random_vector(random, size);
        for (int k = 0; k < 3; ++k)
          v[k] = scale * (std::abs(v[k]) < 0.05 ? 0.0 : v[k]);
        return v;
      };
      const Triangle t{vector(1), vector(1), vector(1)};
      const Vector3 origin = vector(2);
      Vector3 direction = (i % 2 == 0 ? t.a : Vector3((t.a + t.b) / 2)) - origin;
      if (i % 3 == 0) direction = vector(1) / scale;
      expect_truth({origin, direction}, t, random_range(random));
      if (HasFatalFailure()) return;
    }
  }
}

/// A closed mesh that is star-shaped around the origin.
struct ClosedMesh {
  std::vector<Vector3> vertices;
  std::vector<std::array<std::size_t, 3>> triangles;

  Triangle triangle(std::size_t i) const {
    return {vertices[triangles[i][0]], vertices[triangles[i][1]], vertices[triangles[i][2]]};
  }
  bool encloses_origin() const {
    for (std::size_t i = 0; i < triangles.size(); ++i) {
      const Triangle t = triangle(i);
      if (orient3d(t.a, t.b, t.c, Vector3::Zero()) >= 0) return false;
    }
    return true;
  }
};

/// The octahedron with every face divided into four, twice: 128 triangles.
ClosedMesh fine_octahedron() {
  ClosedMesh mesh;
  mesh.vertices = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
  mesh.triangles = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4}, {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
  for (int round = 0; round < 2; ++round) {
    std::vector<std::array<std::size_t, 3>> finer;
    std::vector<std::array<std::size_t, 3>> middles;  // low corner, high corner, middle
    const auto middle = [&](std::size_t a, std::size_t b) {
      for (const auto& m : middles) {
        if (m[0] == std::min(a, b) && m[1] == std::max(a, b)) return m[2];
      }
      mesh.vertices.push_back((mesh.vertices[a] + mesh.vertices[b]).normalized());
      middles.push_back({std::min(a, b), std::max(a, b), mesh.vertices.size() - 1});
      return mesh.vertices.size() - 1;
    };
    for (const auto& t : mesh.triangles) {
      const std::size_t ab = middle(t[0], t[1]), bc = middle(t[1], t[2]), ca = middle(t[2], t[0]);
      finer.push_back({t[0], ab, ca});
      finer.push_back({ab, t[1], bc});
      finer.push_back({ca, bc, t[2]});
      finer.push_back({ab, bc, ca});
    }
    mesh.triangles = finer;
  }
  return mesh;
}

/// Checks that every ray from the origin to corners, edges and faces of the mesh hits it.
void expect_watertight(const ClosedMesh& mesh, std::mt19937_64& random, std::size_t rays, std::size_t& shot) {
  ASSERT_TRUE(mesh.encloses_origin());
  std::uniform_int_distribution<std::size_t> pick(0, mesh.triangles.size() - 1);
  std::uniform_int_distribution<int> power(-3, 3);
  for (std::size_t i = 0; i < rays; ++i) {
    const Triangle t = mesh.triangle(pick(random));
    Vector3 direction;
    switch (i % 4) {
      case 0:  // Exactly through a corner.
        direction = std::ldexp(1.0, power(random)) * t.a;
        break;
      case 1:  // Through an edge: exactly if the sum is not rounded, otherwise nearly.
        direction = t.a + t.b;
        break;
      case 2:
        direction = t.b + uniform(random, 0, 1) * (t.c - t.b);
        break;
      default:  // Within rounding of a corner.
        direction = t.c * uniform(random, 0.5, 2);
    }
    std::size_t hits = 0;
    for (std::size_t k = 0; k < mesh.triangles.size(); ++k) {
      if (ray_triangle({Vector3::Zero(), direction}, mesh.triangle(k))) ++hits;
    }
    ++shot;
    ASSERT_GE(hits, 1u) << std::hexfloat << direction.transpose();
  }
}

TEST(RayTriangle, NoRaySlipsThroughAnEdgeOrCornerOfAClosedMesh) {
  auto random = seeded(1206);
  std::size_t shot = 0;
  // Rounded coordinates; coordinates on a grid, where sums and multiples are exact; and random bumps.
  const ClosedMesh smooth = fine_octahedron();
  expect_watertight(smooth, random, cases(30000), shot);
  if (HasFatalFailure()) return;
  ClosedMesh grid = smooth;
  for (Vector3& v : grid.vertices)
    v = (v * 1024).array().round().matrix();
  expect_watertight(grid, random, cases(30000), shot);
  if (HasFatalFailure()) return;
  for (std::size_t round = 0; round < 5; ++round) {
    ClosedMesh bumpy = smooth;
    for (Vector3& v : bumpy.vertices)
      v *= uniform(random, 0.9, 1.1);
    expect_watertight(bumpy, random, cases(6000), shot);
    if (HasFatalFailure()) return;
  }
  RecordProperty("rays", static_cast<int>(shot));
}

TEST(RayTriangle, NoRaySlipsThroughAClosedMeshOfSlivers) {
  auto random = seeded(1207);
  std::size_t shot = 0;
  // Flattened, stretched and rotated obliquely, until the triangles are needles with an aspect ratio of 1e13.
  for (const double flat : {1e-4, 1e-8, 1e-13}) {
    ClosedMesh needles = fine_octahedron();
    for (Vector3& v : needles.vertices) {
      v[2] *= flat;
      v = Vector3(v[0] * 0.6 - v[1] * 0.8 + v[2] * 0.3, v[0] * 0.8 + v[1] * 0.6, v[2] + 0.1 * v[0]);
    }
    if (!needles.encloses_origin()) continue;  // The flattest mesh may be folded because of rounding.
    expect_watertight(needles, random, cases(15000), shot);
    if (HasFatalFailure()) return;
  }
  EXPECT_GE(shot, cases(15000));
}

TEST(RayTriangle, LinesFromOutsideCrossAClosedMeshThatTheyAimInto) {
  ClosedMesh mesh = fine_octahedron();
  for (Vector3& v : mesh.vertices)
    v = (v * 1024).array().round().matrix();
  ASSERT_TRUE(mesh.encloses_origin());
  for (std::size_t i = 0; i < cases(20000); ++i) {
    // Exactly through the origin, which is inside: the line must hit the mesh on both sides.
    const Vector3& corner = mesh.vertices[i % mesh.vertices.size()];
    const Vector3 direction = corner * std::ldexp(1.0, static_cast<int>(i % 7));
    const Vector3 origin = -direction * static_cast<double>(1 + i % 5) * 4;
    std::size_t before = 0, after = 0;
    for (std::size_t k = 0; k < mesh.triangles.size(); ++k) {
      const double middle = static_cast<double>(1 + i % 5) * 4;
      if (ray_triangle({origin, direction}, mesh.triangle(k), {}, {-infinity, middle})) ++before;
      if (ray_triangle({origin, direction}, mesh.triangle(k), {}, {middle, infinity})) ++after;
    }
    ASSERT_GE(before, 1u);
    ASSERT_GE(after, 1u);
  }
}

}  // namespace
}  // namespace whisker
