// value(): exact answers come out exactly, and every value lies within the bounds.

#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/make/make.hpp>
#include <whisker/mesh_queries.hpp>
#include <whisker/queries.hpp>

#include "support/cases.hpp"
#include "support/random_shapes.hpp"

namespace whisker {
namespace {

using test::cases;
using test::seeded;
using test::whole;

/// Rotations between the axes, and by the angle of the triangle with sides 3, 4 and 5 around z.
std::vector<Matrix3> neat_rotations() {
  Matrix3 quarter, third, pythagoras;
  quarter << 0, -1, 0, 1, 0, 0, 0, 0, 1;
  third << 0, 0, 1, 1, 0, 0, 0, 1, 0;
  pythagoras << 0.6, -0.8, 0, 0.8, 0.6, 0, 0, 0, 1;
  return {Matrix3::Identity(), quarter, third, quarter * third, pythagoras};
}

/// `b` moved along the world's axes, so that the gap between the two is `gap`, or minus the overlap.
void expect_gap(const Placed& a, const Placed& b, double gap) {
  const Distance apart = distance(a, b), back = distance(b, a);
  EXPECT_EQ(apart.value(), std::max(gap, 0.0));
  EXPECT_EQ(back.value(), std::max(gap, 0.0));
  const Depth deep = depth(a, b);
  EXPECT_EQ(deep.value(), std::max(-gap, 0.0));
}

TEST(Value, OfBoxesAlongAnAxisIsExact) {
  auto random = seeded(801);
  const std::vector<Matrix3> rotations = neat_rotations();
  for (std::size_t i = 0; i < cases(400); ++i) {
    const Matrix3& turn = rotations[i % 4];  // exact
    const Vector3 size_a(whole(random, 1, 9), whole(random, 1, 9), whole(random, 1, 9));
    const Vector3 size_b(whole(random, 1, 9), whole(random, 1, 9), whole(random, 1, 9));
    const Vector3 at(whole(random, -50, 50), whole(random, -50, 50), whole(random, -50, 50));
    const int axis = static_cast<int>(i % 3);
    for (const double gap : {0.0, 1.0, 2.0, 0.375, 17.0, 1024.0, -0.125}) {
      const Vector3 by = (size_a[axis] / 2 + size_b[axis] / 2 + gap) * Vector3::Unit(axis);
      const Shape a = Box{size_a}, b = Box{size_b};
      expect_gap({a, Pose(turn, at)}, {b, Pose(turn, at + turn * by)}, gap);
    }
  }
}

TEST(Value, OfRoundShapesInPythagoreanPlacesIsExact) {
  const std::vector<Vector3> ways = {{3, 4, 0}, {0, 5, 12}, {8, 0, 15}, {1, 2, 2}, {2, 3, 6}, {-4, 4, 7}, {-7, 0, 0}};
  for (const Vector3& way : ways) {
    const double length = std::round(way.norm());
    for (const double radius : {0.5, 1.0, 2.0}) {
      for (const double other : {0.25, 1.0, 3.0}) {
        for (const Vector3& at : {Vector3(0, 0, 0), Vector3(5, -7, 11), Vector3(1000, 2000, -3000)}) {
          const double gap = length - radius - other;
          const Shape a = Sphere{radius}, b = Sphere{other};
          expect_gap({a, Pose(at)}, {b, Pose(at + way)}, gap);
          // Contact along the same way.
          const Shape grown = Sphere{length - other};
          if (length > other) expect_gap({grown, Pose(at)}, {b, Pose(at + way)}, 0);
        }
      }
    }
    // Parallel capsules, side by side in the plane z = 0.
    if (way[2] != 0) continue;
    const Shape a = Capsule{.radius = 1, .length = 2}, b = Capsule{.radius = 0.5, .length = 6};
    expect_gap({a, Pose()}, {b, Pose(way)}, length - 1.5);
  }
}

TEST(Value, OfBoxesAndPlanesIsExact) {
  const std::vector<Matrix3> rotations = neat_rotations();
  for (const Matrix3& turn : rotations) {  // around z, or between the axes
    const Shape box = Box{Vector3(2, 2, 2)}, ground = HalfSpace{.normal = {0, 0, 1}, .offset = 0},
                plane = Plane{.normal = {0, 0, 1}, .offset = 0};
    for (int height = -3; height <= 40; ++height) {
      const double up = height / 4.0;
      const Pose pose(turn, Vector3(3, -2, up));
      EXPECT_EQ(distance({box, pose}, ground).value(), std::max(0.0, up - 1)) << up;
      EXPECT_EQ(depth({box, pose}, ground).value(), std::max(0.0, 1 - up)) << up;
      EXPECT_EQ(distance({box, pose}, plane).value(), std::max(0.0, std::abs(up) - 1)) << up;
    }
  }
}

TEST(Value, OfOtherShapesThatAreNeatlyApartIsExact) {
  const std::vector<Vector3> corners = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const Shape hull = ConvexHull(corners), cylinder = Cylinder{.radius = 1, .length = 2};
  const Shape mesh = Mesh(make::box()).solid();
  for (int gap = 0; gap <= 12; ++gap) {
    EXPECT_EQ(distance(hull, {hull, Pose(Vector3(1 + gap, 0, 0))}).value(), gap);
    EXPECT_EQ(distance(cylinder, {cylinder, Pose(Vector3(0, 0, 2 + gap))}).value(), gap);
    const double side = mesh.bounds().upper[0] - mesh.bounds().lower[0];
    EXPECT_EQ(distance(mesh, {mesh, Pose(Vector3(side + gap, 0, 0))}).value(), gap);
  }
  // A sign is kept.
  const double half = mesh.bounds().upper[0];
  EXPECT_EQ(signed_distance(mesh, Vector3(half / 2, 0, 0)).value(), -half / 2);
  EXPECT_EQ(signed_distance(mesh, Vector3(2 + half, 0, 0)).value(), 2);
  EXPECT_EQ(signed_distance(mesh, Vector3(half, 0, 0)).value(), 0);
}

TEST(Value, LiesWithinTheBoundsAndIsTheirMiddleWhereTheSearchStoppedEarly) {
  Distance found{
      .lower = 1, .upper = 1.5, .point_b = {1.5, 0, 0}, .normal = {1, 0, 0}, .stop = Stop::tolerance, .cost = {}};
  EXPECT_EQ(found.value(), 1.25);
  found.upper = std::numeric_limits<double>::infinity();
  EXPECT_EQ(found.value(), found.upper);
  Depth deep{.lower = 0, .upper = 0.5, .normal = {1, 0, 0}, .stop = Stop::limit, .cost = {}};
  EXPECT_EQ(deep.value(), 0.25);
  deep.upper = std::numeric_limits<double>::infinity();
  EXPECT_EQ(deep.value(), deep.upper);
  auto random = seeded(802);
  for (std::size_t i = 0; i < cases(2000); ++i) {
    const auto draw = [&](std::size_t kind) {
      return std::visit([](const auto& s) { return Shape(s); }, test::scenes::random_shape(random, kind));
    };
    const Shape a = draw(i % 7), b = draw(i / 7 % 7);
    const Pose pose_a(test::scenes::any_rotation(random), test::random_vector(random, 2));
    const Pose pose_b(test::scenes::any_rotation(random), test::random_vector(random, 2));
    const Distance apart = distance({a, pose_a}, {b, pose_b});
    ASSERT_LE(apart.lower, apart.value());
    ASSERT_LE(apart.value(), apart.upper);
    const Depth overlap = depth({a, pose_a}, {b, pose_b});
    ASSERT_LE(overlap.lower, overlap.value());
    ASSERT_LE(overlap.value(), overlap.upper);
  }
}

}  // namespace
}  // namespace whisker
