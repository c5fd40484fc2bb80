// The generalized winding number against the sum of all solid angles with fifty digits.

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <boost/math/constants/constants.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <gtest/gtest.h>

#include <whisker/compound.hpp>
#include <whisker/deforming_mesh.hpp>
#include <whisker/error.hpp>
#include <whisker/mesh_queries.hpp>
#include <whisker/simd.hpp>

#include "mesh/mesh_queries.hpp"
#include "support/error_of.hpp"
#include "support/mesh_cases.hpp"

namespace whisker {
namespace {

using test::cases;
using test::PlacedTriangles;
using test::Random;
using test::seeded;
using test::uniform;
using Digits = boost::multiprecision::cpp_bin_float_50;

struct WindingTruth {
  Digits lower = 0;
  Digits upper = 0;
};

/// The solid angle of a triangle divided by 4π. The point must not be on the triangle.
Digits turns_of(const Triangle& t, const Vector3& p) {
  using V = std::array<Digits, 3>;
  const auto from = [&](const Vector3& v) {
    return V{Digits(v[0]) - Digits(p[0]), Digits(v[1]) - Digits(p[1]), Digits(v[2]) - Digits(p[2])};
  };
  const auto dot = [](const V& x, const V& y) -> Digits { return x[0] * y[0] + x[1] * y[1] + x[2] * y[2]; };
  const V a = from(t.a), b = from(t.b), c = from(t.c);
  const V cross{b[1] * c[2] - b[2] * c[1], b[2] * c[0] - b[0] * c[2], b[0] * c[1] - b[1] * c[0]};
  const Digits x = sqrt(dot(a, a)), y = sqrt(dot(b, b)), z = sqrt(dot(c, c));
  const Digits over = dot(a, cross);
  if (over == 0) return 0;
  const Digits under = x * y * z + dot(a, b) * z + dot(b, c) * x + dot(c, a) * y;
  return atan2(over, under) / boost::math::constants::two_pi<Digits>();
}

WindingTruth truth_of(const std::vector<Triangle>& triangles, const Vector3& p) {
  WindingTruth sum;
  for (const Triangle& t : triangles) {
    if (t.a == t.b || t.b == t.c || t.c == t.a) continue;  // no area, wherever it is seen from
    if (touches_point_triangle(p, t)) {
      sum.lower -= 0.5;
      sum.upper += 0.5;
    } else {
      const Digits turns = turns_of(t, p);
      sum.lower += turns;
      sum.upper += turns;
    }
  }
  return sum;
}

std::string show(const WindingNumber& w) {
  return "[" + std::to_string(w.lower) + ", " + std::to_string(w.upper) + "]";
}

void expect_holds(const WindingNumber& found, const WindingTruth& truth, const std::string& what) {
  EXPECT_LE(Digits(found.lower), truth.lower) << what << " " << show(found);
  EXPECT_GE(Digits(found.upper), truth.upper) << what << " " << show(found);
}

MeshData without(MeshData data, Random& random, double share) {
  std::vector<Index3> kept;
  for (const Index3& t : data.triangles)
    if (uniform(random, 0, 1) >= share) kept.push_back(t);
  if (!kept.empty()) data.triangles = kept;
  return data;
}

MeshData some_mesh(Random& random, std::size_t i) {
  const auto point = [&] { return test::random_vector(random, 1); };
  const test::Model& model = test::small_models()[i % test::small_models().size()];
  switch (i % 5) {
    case 0:
      return model.data;
    case 1:  // with holes
      return without(model.data, random, 0.1);
    case 2: {  // a soup of all sizes, with duplicates, segments and points
      std::vector<Triangle> all;
      for (int k = 0; k < 60; ++k) {
        const double size = std::pow(10.0, uniform(random, -6, 0));
        const Vector3 a = point(), b = a + size * point(), c = a + size * point();
        all.insert(all.end(), {{a, b, c}, {a, b, c}, {a, b, (a + b) / 2}, {c, c, c}, {a, b, a + 1e-9 * (b - c)}});
      }
      return test::soup(all);
    }
    case 3: {  // some triangles reversed
      MeshData data = model.data;
      for (Index3& t : data.triangles)
        if (random() % 4 == 0) std::swap(t[0], t[1]);
      return data;
    }
    default:  // two that overlap
      return test::joined(model.data, test::moved(model.data, 0.3 * point()));
  }
}

TEST(WindingNumber, HoldsTheSumOfAllSolidAnglesWithEveryTolerance) {
  auto random = seeded(8101);
  std::size_t wide = 0, on_surface = 0;
  for (std::size_t i = 0; i < cases(60); ++i) {
    MeshData data = some_mesh(random, i);
    Pose pose = test::random_pose(random, 1);
    double size = 1;
    if (i % 4 == 1) pose = Pose();
    if (i % 7 == 3) pose.set_rotation(test::scenes::sloppy(random, pose.rotation()));
    if (i % 11 == 4) {
      pose.set_translation(pose.translation() + Vector3(1e6, -3e5, 2e6));
    } else if (i % 11 == 7) {
      data = test::moved(data, Vector3(-4e3, 2e4, 1e4));
    } else if (i % 6 == 5) {
      constexpr std::array<double, 4> scales{1e-88, 1e88, 1e-200, 1e-300};
      size = scales[i / 6 % 4];
      data = test::scaled(data, size);
      pose.set_translation(pose.translation() * size);
    }
    const Mesh mesh(data);
    const PlacedTriangles placed(mesh, pose);
    const Shape shape = mesh;
    for (int k = 0; k < 6; ++k) {
      const Triangle& near = placed.triangles[random() % placed.triangles.size()];
      const Vector3 inside = (near.a + near.b + near.c) / 3;
      Vector3 p;
      switch (k) {
        case 0:
          p = place(pose, mesh.bounds().lower / 2 + mesh.bounds().upper / 2) + size * test::random_vector(random, 0.5);
          break;
        case 1:
          p = inside + size * test::random_vector(random, std::pow(10.0, uniform(random, -15, -1)));
          break;
        case 2:
          p = random() % 2 == 0 ? near.a : Vector3((near.a + near.b) / 2);
          break;
        case 3:
          p = inside;
          break;
        case 4:  // next to an edge
          p = near.b + (near.c - near.b) * uniform(random, 0, 1) +
              size * test::random_vector(random, std::pow(10.0, uniform(random, -16, -8)));
          break;
        default:
          p = inside + size * test::random_vector(random, std::pow(10.0, uniform(random, 0, 6)));
      }
      if (!(p.cwiseAbs().maxCoeff() <= 1e90)) continue;
      const WindingTruth truth = truth_of(placed.triangles, p);
      if (truth.lower < truth.upper) ++on_surface;
      for (const double tolerance : {0.0, 1e-7, 1e-3, 1e-2, 0.3}) {
        const WindingNumber found = winding_number({shape, pose}, p, {.tolerance = tolerance});
        const std::string what = "case " + std::to_string(i) + "." + std::to_string(k) + " tolerance " +
                                 std::to_string(tolerance) + " width " + std::to_string(found.upper - found.lower);
        expect_holds(found, truth, what);
        if (found.stop == Stop::limit) {
          ++wide;
        } else {
          EXPECT_LE(found.upper - found.lower, std::max(tolerance, 1e-6)) << what;
        }
      }
    }
  }
  // Points on a surface, and those that rounding cannot distinguish from such points.
  EXPECT_GE(on_surface, test::at_least(30));
  EXPECT_LT(wide, cases(60) * 6 * 5 / 3);
}

TEST(WindingNumber, IsAsCloseAsRoundingAllowsOffTheSurface) {
  auto random = seeded(8102);
  for (std::size_t i = 0; i < cases(100); ++i) {
    const Mesh mesh(some_mesh(random, i));
    const Pose pose = test::random_pose(random, 1);
    const Shape shape = mesh;
    const Vector3 p = place(pose, test::random_vector(random, 1));
    if (closest_point({shape, pose}, p).lower < 1e-6) continue;
    const WindingNumber found = winding_number({shape, pose}, p, {.tolerance = 0});
    EXPECT_EQ(found.stop, Stop::exact);
    // From a point next to the line of an edge, a triangle of a soup spans less than half a turn, but nearly so.
    EXPECT_LT(found.upper - found.lower, 1e-7) << i;
    EXPECT_EQ(found.cost.primitive_tests, mesh.triangle_count());
  }
}

TEST(WindingNumber, OfClosedMeshesIsTheNumberOfTheRay) {
  auto random = seeded(8103);
  std::size_t inside = 0;
  for (std::size_t i = 0; i < cases(300); ++i) {
    const test::Model& model = test::medium_models()[i % test::medium_models().size()];
    if (!model.closed) continue;
    const Mesh& mesh = test::medium_meshes()[i % test::medium_models().size()];
    const Pose pose = test::random_pose(random, 10);
    const Vector3 p = place(pose, test::random_vector(random, 0.6));
    const Shape shape = mesh;
    const int exact = mesh::winding_number({mesh, pose}, p);
    for (const double tolerance : {0.0, 1e-4, 1e-2}) {
      const WindingNumber found = winding_number({shape, pose}, p, {.tolerance = tolerance});
      EXPECT_LE(found.lower, exact) << model.name;
      EXPECT_GE(found.upper, exact) << model.name;
      if (found.stop != Stop::limit) {
        EXPECT_EQ(std::lround(found.value()), exact) << model.name;
      }
    }
    if (exact != 0) ++inside;
  }
  EXPECT_GE(inside, test::at_least(30));
}

TEST(WindingNumber, OfASquareSeenFromAboveItsMiddleIsInClosedForm) {
  // The pyramid from the center of a cube to a face: a sixth of the full solid angle.
  const Shape square = Mesh(MeshData{{{-1, -1, 1}, {1, -1, 1}, {1, 1, 1}, {-1, 1, 1}}, {{0, 1, 2}, {0, 2, 3}}});
  const WindingNumber found = winding_number(square, Vector3::Zero(), {.tolerance = 0});
  EXPECT_NEAR(found.value(), 1.0 / 6, 1e-14);
  EXPECT_LE(found.lower, 1.0 / 6);
  EXPECT_GE(found.upper, 1.0 / 6);
  // From the front it is negative. On the square it is undecided by half a turn in each direction.
  EXPECT_NEAR(winding_number(square, Vector3(0, 0, 2)).value(), -1.0 / 6, 1e-12);
  const WindingNumber on = winding_number(square, Vector3(0.5, 0.2, 1));
  EXPECT_LE(on.lower, -0.5);
  EXPECT_GE(on.upper, 0.5);
  EXPECT_EQ(on.stop, Stop::limit);
  // Beside the square in its plane it is 0, and slightly above or below it is nearly half a turn.
  EXPECT_EQ(winding_number(square, Vector3(3, 0.2, 1), {.tolerance = 0}).value(), 0);
  EXPECT_NEAR(winding_number(square, Vector3(0.5, 0.2, std::nextafter(1, 0))).value(), 0.5, 1e-12);
  EXPECT_NEAR(winding_number(square, Vector3(0.5, 0.2, std::nextafter(1, 2))).value(), -0.5, 1e-12);
}

TEST(WindingNumber, CountsDoubledAndTurnedSurfaces) {
  const MeshData box = test::unit(make::box({.subdivisions = 4}));
  const Vector3 middle(0.01, 0.02, 0.03);
  EXPECT_NEAR(winding_number(Mesh(test::joined(box, box)), middle).value(), 2, 1e-2);
  EXPECT_NEAR(winding_number(Mesh(test::reversed(box)), middle).value(), -1, 1e-2);
  EXPECT_NEAR(winding_number(Mesh(test::joined(box, test::reversed(box))), middle).value(), 0, 1e-2);
  const Compound both({{Mesh(box), Pose()}, {Mesh(box), Pose(Vector3(0.2, 0, 0))}});
  EXPECT_NEAR(winding_number(both, middle).value(), 2, 1e-2);
  EXPECT_NEAR(winding_number(both, Vector3(-0.4, 0, 0)).value(), 1, 1e-2);
}

TEST(WindingNumber, OfManyTrianglesCostsLittleAndHolds) {
  auto random = seeded(8104);
  MeshData data = make::uv_sphere({.radius = 1, .stacks = 160});
  data = without(data, random, 0.05);
  const Shape shape = Mesh(data);
  const Mesh& mesh = *shape.as<Mesh>();
  std::uint64_t tests = 0;
  const std::size_t count = cases(100);
  for (std::size_t i = 0; i < count; ++i) {
    const Pose pose = test::random_pose(random, 3);
    const Vector3 p = place(pose, test::random_vector(random, 1.3));
    const WindingNumber close = winding_number({shape, pose}, p, {.tolerance = 0});
    for (const double tolerance : {1e-6, 1e-2}) {
      const WindingNumber found = winding_number({shape, pose}, p, {.tolerance = tolerance});
      EXPECT_LE(found.lower, close.upper);
      EXPECT_GE(found.upper, close.lower);
      if (found.stop != Stop::limit) {
        EXPECT_LE(found.upper - found.lower, tolerance);
      }
      if (tolerance == 1e-2) tests += found.cost.volume_tests + found.cost.primitive_tests;
    }
  }
  EXPECT_GT(mesh.triangle_count(), 45000u);
  EXPECT_LT(tests / count, 1000u);
}

TEST(WindingNumber, IsTheSameOnEveryInstructionSetAndInBatches) {
  auto random = seeded(8105);
  const Shape shape = Mesh(without(make::torus({.around = 60, .across = 30}), random, 0.1));
  const Pose pose = test::random_pose(random, 1);
  std::vector<Vector3> points;
  for (int i = 0; i < 500; ++i)
    points.push_back(place(pose, test::random_vector(random, 1.5)));
  std::vector<WindingNumber> first(points.size());
  winding_number({shape, pose}, points, first);
  for (const std::string& target : simd_targets()) {
    ASSERT_TRUE(use_simd_target(target));
    for (std::size_t i = 0; i < points.size(); ++i) {
      const WindingNumber found = winding_number({shape, pose}, points[i]);
      EXPECT_EQ(found.lower, first[i].lower) << target;
      EXPECT_EQ(found.upper, first[i].upper) << target;
    }
  }
  use_simd_target("");
}

TEST(WindingNumber, FollowsAMeshThatDeforms) {
  auto random = seeded(8106);
  const MeshData data = make::torus({.around = 40, .across = 20});
  DeformingMesh cloth(data);
  for (int step = 0; step < 4; ++step) {
    std::vector<Vector3> moved = data.vertices;
    for (Vector3& v : moved)
      v[2] += step * 0.1 * std::sin(3 * v[0]);
    cloth.set_vertices(moved);
    const Shape now = cloth.snapshot();
    const Shape again = Mesh({moved, data.triangles});
    const Shape same = now.as<Mesh>()->moved(moved);
    for (int i = 0; i < 50; ++i) {
      const Vector3 p = test::random_vector(random, 1.5);
      const WindingNumber close = winding_number(again, p, {.tolerance = 0});
      for (const Shape& shape : {now, again, same}) {
        const WindingNumber found = winding_number(shape, p);
        EXPECT_LE(found.lower, close.upper);
        EXPECT_GE(found.upper, close.lower);
      }
    }
  }
}

TEST(WindingNumber, SaysWhatItDoesNotTake) {
  const Shape mesh = Mesh(make::box());
  const Vector3 origin = Vector3::Zero();
  const double nan = std::nan("");
  EXPECT_NE(test::error_of([&] { winding_number(Shape(Sphere{1}), origin); }).find("meshes"), std::string::npos);
  EXPECT_NE(test::error_of([&] { winding_number(mesh, origin, {.tolerance = -1}); }).find("tolerance"),
            std::string::npos);
  EXPECT_NE(test::error_of([&] { winding_number(mesh, origin, {.tolerance = nan}); }).find("tolerance"),
            std::string::npos);
  EXPECT_NE(test::error_of([&] { winding_number(mesh, Vector3(0, nan, 0)); }).find("winding_number"),
            std::string::npos);
  std::vector<Vector3> points(3, origin);
  std::vector<WindingNumber> two(2);
  EXPECT_NE(test::error_of([&] { winding_number(mesh, points, two); }).find("3"), std::string::npos);
  // The largest possible tolerance.
  const WindingNumber any = winding_number(mesh, origin, {.tolerance = std::numeric_limits<double>::infinity()});
  EXPECT_LE(any.lower, 1);
  EXPECT_GE(any.upper, 1);
  EXPECT_TRUE(std::isfinite(any.lower) && std::isfinite(any.upper));
}

}  // namespace
}  // namespace whisker
