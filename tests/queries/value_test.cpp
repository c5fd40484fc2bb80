// value(): exact answers come out exactly, and every value lies within the bounds.

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/compound.hpp>
#include <whisker/convex_hull.hpp>
#include <whisker/height_field.hpp>
#include <whisker/make/ground.hpp>
#include <whisker/make/make.hpp>
#include <whisker/make/rounded.hpp>
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
  EXPECT_EQ(signed_distance(a, b).value(), gap);
  EXPECT_EQ(signed_distance(b, a).value(), gap);
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

/// Shapes that reach from -1/2 to 1/2 along x, at y = z = 0.
struct UnitShape {
  std::string name;
  Shape shape;
  bool has_inside = true;
};

std::vector<UnitShape> unit_shapes() {
  std::vector<Vector3> corners;
  for (const double x : {-0.5, 0.5})
    for (const double y : {-0.5, 0.5})
      for (const double z : {-0.5, 0.5})
        corners.emplace_back(x, y, z);
  const std::vector<double> flat(9, 0.0);
  Matrix3 toward_x;  // the ground's up
  toward_x << 0, 0, 1, 1, 0, 0, 0, 1, 0;
  return {
      {"box", Box{{1, 1, 1}}},
      {"sphere", Sphere{0.5}},
      {"capsule", Capsule{0.5, 1}},
      {"cylinder", Cylinder{0.5, 1}},
      {"ellipsoid", Ellipsoid{{0.5, 0.25, 0.75}}},
      {"hull", ConvexHull(corners)},
      {"rounded box", rounded(Box{{0.5, 0.5, 0.5}}, 0.25)},
      {"mesh", Mesh(make::box()).solid()},
      {"rounded mesh", rounded(Mesh(make::box({.size_x = 0.5, .size_y = 0.5, .size_z = 0.5})).solid(), 0.25)},
      {"compound",
       Compound({{Box{{0.5, 1, 1}}, Pose(Vector3(-0.25, 0, 0))}, {Box{{0.5, 1, 1}}, Pose(Vector3(0.25, 0, 0))}})},
      {"segment", Segment{{-0.5, 0, 0}, {0.5, 0, 0}}, false},
      {"triangle", Triangle{{-0.5, -0.5, 0}, {0.5, 0, 0}, {-0.5, 0.5, 0}}, false},
      {"half-space", HalfSpace{{1, 0, 0}, 0.5}},
      {"ground", Compound({{ground(HeightField(flat, 3, 3, 2, 2)), Pose(toward_x, Vector3(0.5, -2, -2))}})},
  };
}

TEST(Value, OfEveryPairInContactIsZeroAndOfNeatPlacesIsExact) {
  const std::vector<UnitShape> shapes = unit_shapes();
  for (const UnitShape& a : shapes) {
    for (const UnitShape& b : shapes) {
      if (b.name == "half-space" || b.name == "ground") continue;
      for (const double gap : {0.0, 1.0, 0.5, -0.25}) {
        const Placed second(b.shape, Pose(Vector3(1 + gap, 0, 0)));
        const std::string what = a.name + ", " + b.name + ", " + std::to_string(gap);
        EXPECT_EQ(distance(a.shape, second).value(), std::max(gap, 0.0)) << what;
        if (gap < 0 && !(a.has_inside && b.has_inside)) continue;
        const Depth deep = depth(a.shape, second);
        const Distance s = signed_distance(a.shape, second);
        EXPECT_EQ(deep.value(), std::max(-gap, 0.0)) << what;
        EXPECT_EQ(s.value(), gap) << what;
        EXPECT_LE(s.lower, s.value()) << what;
        EXPECT_GE(s.upper, s.value()) << what;
        EXPECT_NE(s.normal, Vector3(Vector3::Zero())) << what;
      }
    }
    const Placed point(Sphere{0}, Pose(Vector3(0.5, 0, 0)));
    EXPECT_EQ(signed_distance(a.shape, point).value(), 0) << a.name;
  }
}

/// Bounds around a number, whose width is this share of it.
Distance bounds_around(double number, double share, Stop stop = Stop::exact) {
  return {.lower = number * (1 - share / 3),
          .upper = number * (1 + share * 2 / 3),
          .point_b = {number * (1 + share * 2 / 3), 0, 0},
          .normal = {1, 0, 0},
          .stop = stop,
          .cost = {}};
}

TEST(Value, IsARoundNumberWhereTheBoundsAreCloseEnoughForItsDigits) {
  for (const Stop stop : {Stop::exact, Stop::limit}) {
    EXPECT_EQ(bounds_around(1, 0x1p-14, stop).value(), 1);
    EXPECT_EQ(bounds_around(1.25, 0x1p-20, stop).value(), 1.25);
    EXPECT_EQ(bounds_around(1 + 0x1p-20, 0x1p-34, stop).value(), 1 + 0x1p-20);
    // Too wide for so many digits: the middle.
    const Distance one = bounds_around(1, 0x1p-11, stop), digits = bounds_around(1 + 0x1p-20, 0x1p-31, stop);
    EXPECT_EQ(one.value(), middle_of(one.lower, one.upper));
    EXPECT_EQ(digits.value(), middle_of(digits.lower, digits.upper));
  }
  for (const Stop stop : {Stop::tolerance, Stop::budget}) {
    const Distance early = bounds_around(1, 0x1p-20, stop);
    EXPECT_EQ(early.value(), middle_of(early.lower, early.upper));
  }
  Distance below = bounds_around(-1.25, 0x1p-20);
  std::swap(below.lower, below.upper);
  EXPECT_EQ(below.value(), -1.25);
  const Depth deep{
      .lower = 0.25 - 0x1p-24, .upper = 0.25 + 0x1p-22, .normal = {1, 0, 0}, .stop = Stop::exact, .cost = {}};
  EXPECT_EQ(deep.value(), 0.25);
  // Bounds that contain 0: only an exact answer is 0.
  Distance around{.lower = -3e-3, .upper = 1e-3, .normal = {1, 0, 0}, .stop = Stop::exact, .cost = {}};
  EXPECT_EQ(around.value(), 0);
  around.stop = Stop::limit;
  EXPECT_EQ(around.value(), -1e-3);
}

TEST(Value, IsRarelyARoundNumberByAccident) {
  auto random = seeded(803);
  std::size_t accidents = 0;
  const std::size_t count = cases(100000);
  for (std::size_t i = 0; i < count; ++i) {
    const double number = std::uniform_real_distribution<>(0.5, 2)(random);
    const Distance found = bounds_around(number, std::ldexp(1.0, -static_cast<int>(whole(random, 1, 43))));
    const double value = found.value();
    ASSERT_LE(found.lower, value);
    ASSERT_LE(value, found.upper);
    if (value != middle_of(found.lower, found.upper)) ++accidents;
  }
  EXPECT_LT(accidents, count / 2000);
  EXPECT_GT(accidents, 0u);
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
    const Distance either = signed_distance({a, pose_a}, {b, pose_b});
    ASSERT_LE(either.lower, either.value());
    ASSERT_LE(either.value(), either.upper);
  }
}

}  // namespace
}  // namespace whisker
