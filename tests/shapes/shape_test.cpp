// Shape, the handle for every kind: its bounds, measures and support function, against the definitions of
// docs/guarantees.md with fifty digits.

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <gtest/gtest.h>

#include <whisker/error.hpp>
#include <whisker/make/make.hpp>
#include <whisker/shape.hpp>
#include <whisker/spheres/sphere_tree.hpp>

#include "geometry/constants.hpp"
#include "support/cases.hpp"
#include "support/random_shapes.hpp"

namespace whisker {
namespace {

using test::cases;
using test::nan;
using test::seeded;
using test::uniform;

using Digits = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<50>, boost::multiprecision::et_off>;
using Vector = std::array<Digits, 3>;

Vector exact(const Vector3& v) {
  return {Digits(v[0]), Digits(v[1]), Digits(v[2])};
}

Digits dot(const Vector& a, const Vector& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// How far each shape reaches along d (of any length), in its own frame: the exact support function.

Digits reach(const Sphere& s, const Vector& d) {
  return Digits(s.radius) * sqrt(dot(d, d));
}
Digits reach(const Capsule& s, const Vector& d) {
  return Digits(s.radius) * sqrt(dot(d, d)) + Digits(s.length) / 2 * abs(d[2]);
}
Digits reach(const Box& s, const Vector& d) {
  Digits sum = 0;
  for (int i = 0; i < 3; ++i)
    sum += Digits(s.size[i]) / 2 * abs(d[static_cast<std::size_t>(i)]);
  return sum;
}
Digits reach(const Segment& s, const Vector& d) {
  return std::max(dot(d, exact(s.a)), dot(d, exact(s.b)));
}
Digits reach(const Triangle& s, const Vector& d) {
  return std::max(reach(Segment{s.a, s.b}, d), dot(d, exact(s.c)));
}
Digits reach(const Cylinder& s, const Vector& d) {
  return Digits(s.radius) * sqrt(d[0] * d[0] + d[1] * d[1]) + Digits(s.length) / 2 * abs(d[2]);
}
Digits reach(const Cone& s, const Vector& d) {
  const Digits apex = Digits(s.length) / 2 * d[2];
  return std::max<Digits>(apex, Digits(s.radius) * sqrt(d[0] * d[0] + d[1] * d[1]) - apex);
}
Digits reach(const Ellipsoid& s, const Vector& d) {
  Digits sum = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const Digits term = Digits(s.radii[static_cast<int>(i)]) * d[i];
    sum += term * term;
  }
  return sqrt(sum);
}
Digits reach(const ConvexHull& s, const Vector& d) {
  Digits best = dot(d, exact(s.vertices()[0]));
  for (const Vector3& v : s.vertices())
    best = std::max(best, dot(d, exact(v)));
  return best;
}

// How far each placed shape reaches along a world axis, up (+1) or down (-1).

template <class T>
Digits placed_reach(const T& s, const Pose& pose, int axis, int sign) {  // the image t + R x
  Vector row = exact(Vector3(pose.rotation().row(axis)));
  for (Digits& x : row)
    x *= sign;
  return Digits(pose.translation()[axis]) * sign + reach(s, row);
}
Digits placed_reach(const Sphere& s, const Pose& pose, int axis, int sign) {  // the ball around t
  return Digits(pose.translation()[axis]) * sign + Digits(s.radius);
}
Digits placed_reach(const Capsule& s, const Pose& pose, int axis, int sign) {  // around t ± R (0, 0, length / 2)
  return Digits(pose.translation()[axis]) * sign + abs(Digits(pose.rotation()(axis, 2))) * Digits(s.length) / 2 +
         Digits(s.radius);
}
Digits placed_reach(const Segment& s, const Pose& pose, int axis, int sign) {
  return Digits(std::max(sign * place(pose, s.a)[axis], sign * place(pose, s.b)[axis]));
}
Digits placed_reach(const Triangle& s, const Pose& pose, int axis, int sign) {
  return std::max(placed_reach(Segment{s.a, s.b}, pose, axis, sign), Digits(sign * place(pose, s.c)[axis]));
}
Digits placed_reach(const Mesh& s, const Pose& pose, int axis, int sign) {
  Digits best = placed_reach(s.triangle(0), pose, axis, sign);
  for (std::size_t i = 0; i < s.triangle_count(); ++i)
    best = std::max(best, placed_reach(s.triangle(i), pose, axis, sign));
  return best;
}
Digits placed_reach(const HeightField& s, const Pose& pose, int axis, int sign) {
  Digits best = placed_reach(s.triangle(0), pose, axis, sign);
  for (std::size_t i = 0; i < s.triangle_count(); ++i)
    best = std::max(best, placed_reach(s.triangle(i), pose, axis, sign));
  return best;
}

Vector3 random_lengths(std::mt19937_64& random) {
  Vector3 v;
  for (int i = 0; i < 3; ++i)
    v[i] = test::scenes::chance(random, 8)
               ? 0
               : uniform(random, 0, 2) * test::scenes::power_of_ten(test::whole(random, -3, 0));
  return v;
}

Pose random_pose(std::mt19937_64& random, double size) {
  Pose pose(test::scenes::any_rotation(random), size * test::random_vector(random, 2));
  if (test::scenes::chance(random, 4)) pose.set_rotation(test::scenes::sloppy(random, pose.rotation()));
  if (test::scenes::chance(random, 6)) pose.set_translation(pose.translation() * 1e9);
  if (test::scenes::chance(random, 6)) pose.set_translation(Vector3::Zero());
  return pose;
}

template <class T>
T random_shape(std::mt19937_64& random, double scale) {
  const Vector3 lengths = scale * random_lengths(random);
  const auto point = [&] { return Vector3(scale * test::random_vector(random, 1)); };
  if constexpr (std::is_same_v<T, Sphere>) return {lengths[0]};
  if constexpr (std::is_same_v<T, Capsule> || std::is_same_v<T, Cylinder> || std::is_same_v<T, Cone>) {
    return {lengths[0], lengths[1]};
  }
  if constexpr (std::is_same_v<T, Box> || std::is_same_v<T, Ellipsoid>) return {lengths};
  if constexpr (std::is_same_v<T, Segment>) return {point(), point()};
  if constexpr (std::is_same_v<T, Triangle>) return {point(), point(), point()};
  if constexpr (std::is_same_v<T, ConvexHull>) {
    std::vector<Vector3> points;
    for (int i = test::whole(random, 1, 12); i > 0; --i)
      points.push_back(point());
    return ConvexHull(points);
  }
}

double size_of(const Shape& shape) {
  const Aabb box = shape.bounds();
  return box.lower.cwiseAbs().cwiseMax(box.upper.cwiseAbs()).maxCoeff();
}

/// The sizes at which everything is tried. whisker's range is coordinates of 1e-90 to 1e90.
constexpr double scales[] = {1, 1, 1, 1e-3, 1e-60, 1e60, 2e-90, 1e80};

/// The allowed excess of bounds if every number is 0.
constexpr double tiny = 4 * std::numeric_limits<double>::min();

/// Checks that the bounds contain the shape exactly and, if `slack` is finite, that they exceed it by no more than
/// that.
template <class T>
void expect_bounds(const T& s, const Shape& shape, const Pose& pose, const Aabb& bounds, double slack) {
  for (int axis = 0; axis < 3; ++axis) {
    const Digits up = placed_reach(s, pose, axis, 1);
    const Digits down = -placed_reach(s, pose, axis, -1);
    // The bounds may meet the exact value, which is known only to fifty digits.
    const Digits hair = abs(up) * Digits(1e-40) + abs(down) * Digits(1e-40);
    ASSERT_GE(Digits(bounds.upper[axis]), up - hair)
        << name(shape.kind()) << ": sticks out along " << axis << " by " << double(up - Digits(bounds.upper[axis]))
        << " of " << double(up) << "; rotation\n"
        << pose.rotation() << "\nRtR - 1\n"
        << pose.rotation().transpose() * pose.rotation() - Matrix3::Identity();
    ASSERT_LE(Digits(bounds.lower[axis]), down + hair)
        << name(shape.kind()) << ": sticks out along -" << axis << " by " << double(Digits(bounds.lower[axis]) - down);
    ASSERT_LE(double(Digits(bounds.upper[axis]) - up), slack + tiny) << name(shape.kind()) << ": loose along " << axis;
    ASSERT_LE(double(down - Digits(bounds.lower[axis])), slack + tiny)
        << name(shape.kind()) << ": loose along -" << axis;
  }
}

template <class T>
class BoundedConvex : public testing::Test {};
using BoundedConvexKinds =
    testing::Types<Sphere, Capsule, Box, Segment, Triangle, Cylinder, Cone, Ellipsoid, ConvexHull>;
TYPED_TEST_SUITE(BoundedConvex, BoundedConvexKinds);

TYPED_TEST(BoundedConvex, BoundsEncloseItExactlyAndTightly) {
  auto random = seeded(91);
  for (std::size_t i = 0; i < cases(300); ++i) {
    const TypeParam s = random_shape<TypeParam>(random, scales[i % std::size(scales)]);
    const Shape shape = s;
    expect_bounds(s, shape, Pose(), shape.bounds(), 1e-12 * size_of(shape));
    if (testing::Test::HasFatalFailure()) return;
  }
}

TYPED_TEST(BoundedConvex, PlacedBoundsEncloseItExactlyAndTightly) {
  auto random = seeded(92);
  for (std::size_t i = 0; i < cases(1000); ++i) {
    const double scale = scales[i % std::size(scales)];
    const TypeParam s = random_shape<TypeParam>(random, scale);
    const Shape shape = s;
    const Pose pose = random_pose(random, scale);
    const double slack = 1e-12 * (size_of(shape) + pose.translation().cwiseAbs().maxCoeff());
    expect_bounds(s, shape, pose, shape.bounds(pose), slack);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TYPED_TEST(BoundedConvex, PlacedBoundsWithASloppyRotationStillEncloseIt) {
  auto random = seeded(93);
  for (std::size_t i = 0; i < cases(300); ++i) {
    const TypeParam s = random_shape<TypeParam>(random, 1);
    const Shape shape = s;
    Pose pose(test::scenes::sloppy(random, test::scenes::any_rotation(random)), Vector3::Zero());
    expect_bounds(s, shape, pose, shape.bounds(pose), 1e-8 * size_of(shape));
    if (testing::Test::HasFatalFailure()) return;
  }
}

TYPED_TEST(BoundedConvex, SupportIsAPointOfItThatNothingExceeds) {
  auto random = seeded(94);
  for (std::size_t i = 0; i < cases(400); ++i) {
    const double scale = scales[i % std::size(scales)];
    const TypeParam s = random_shape<TypeParam>(random, scale);
    const Shape shape = s;
    ASSERT_TRUE(shape.has_support());
    Vector3 direction = test::scenes::unit_vector(random);
    if (i % 5 == 1) direction = test::scenes::integer_vector(random, 1);  // ties, and sometimes zero
    if (i % 5 == 2) direction *= 1e100;
    if (i % 5 == 3) direction *= 1e-100;
    if (i % 5 == 4) direction[test::whole(random, 0, 2)] = -0.0;
    const Vector3 point = shape.support(direction);
    const Digits rounding = Digits(1e-15) * Digits(size_of(shape));
    const Digits length = sqrt(dot(exact(direction), exact(direction)));
    ASSERT_LE(reach(s, exact(direction)) - dot(exact(direction), exact(point)), 4 * length * rounding)
        << name(shape.kind()) << " along " << direction.transpose() << ": " << point.transpose();
    // A point is in a convex set iff no direction separates them.
    for (int k = 0; k < 20; ++k) {
      const Vector other = exact(k < 3 ? Vector3(Vector3::Unit(k)) : test::scenes::unit_vector(random));
      ASSERT_LE(dot(other, exact(point)) - reach(s, other), 4 * rounding)
          << name(shape.kind()) << ": support " << point.transpose() << " is not in the shape";
    }
  }
}

TYPED_TEST(BoundedConvex, CentroidIsInIt) {
  auto random = seeded(95);
  for (std::size_t i = 0; i < cases(200); ++i) {
    const TypeParam s = random_shape<TypeParam>(random, scales[i % std::size(scales)]);
    const Shape shape = s;
    const Vector3 center = shape.centroid();
    ASSERT_TRUE(center.allFinite());
    EXPECT_GE(shape.volume(), 0);
    for (int k = 0; k < 20; ++k) {
      const Vector d = exact(test::scenes::unit_vector(random));
      ASSERT_LE(dot(d, exact(center)) - reach(s, d), Digits(1e-14) * Digits(size_of(shape))) << name(shape.kind());
    }
  }
}

TEST(ShapeBounds, OfPlacedMeshesAndHeightFieldsEncloseThem) {
  auto random = seeded(96);
  for (std::size_t i = 0; i < cases(60); ++i) {
    const double scale = scales[i % std::size(scales)];
    MeshData data = make::torus({.around = 8, .across = 5});
    for (Vector3& v : data.vertices)
      v *= scale;
    const Mesh mesh(data);
    const Shape shape = mesh;
    expect_bounds(mesh, shape, Pose(), shape.bounds(), 0.0);
    const Pose pose = random_pose(random, scale);
    expect_bounds(mesh, shape, pose, shape.bounds(pose), infinity);
    std::vector<double> heights;
    for (int k = 0; k < 12; ++k)
      heights.push_back(scale * uniform(random, -1, 1));
    const HeightField field(heights, 4, 3, scale * 0.3, scale * 0.2);
    const Shape land = field;
    expect_bounds(field, land, Pose(), land.bounds(), 0);
    expect_bounds(field, land, pose, land.bounds(pose), infinity);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(ShapeBounds, OfUnboundedShapesEncloseThem) {
  auto random = seeded(97);
  for (std::size_t i = 0; i < cases(2000); ++i) {
    Vector3 normal = test::scenes::unit_vector(random) * test::scenes::power_of_ten(test::whole(random, -2, 2));
    if (i % 2 == 0) normal = uniform(random, 0.1, 3) * (i % 4 == 0 ? 1 : -1) * Vector3::Unit(test::whole(random, 0, 2));
    const double offset = uniform(random, -2, 2);
    Pose pose = i % 3 == 0 ? Pose() : random_pose(random, 1);
    // The plane's points: t + m offset / |m|² and everything perpendicular to m, where m is the placed normal.
    const Vector m = exact(place_direction(pose, normal));
    const Vector tangent_seed = exact(test::random_vector(random, 100));
    for (const bool solid : {false, true}) {
      const Shape shape = solid ? Shape(HalfSpace{normal, offset}) : Shape(Plane{normal, offset});
      const Aabb bounds = i % 3 == 0 ? shape.bounds() : shape.bounds(pose);
      const Digits below = solid ? Digits(uniform(random, 0, 5)) : Digits(0);
      const Digits along = (Digits(offset) - below - dot(m, tangent_seed)) / dot(m, m);
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const Digits y = Digits(pose.translation()[static_cast<int>(axis)]) + tangent_seed[axis] + along * m[axis];
        ASSERT_LE(y, Digits(bounds.upper[static_cast<int>(axis)]))
            << (solid ? "half-space " : "plane ") << normal.transpose() << ", offset " << offset << ", rotation\n"
            << pose.rotation();
        ASSERT_GE(y, Digits(bounds.lower[static_cast<int>(axis)]))
            << (solid ? "half-space " : "plane ") << normal.transpose() << ", offset " << offset << ", rotation\n"
            << pose.rotation();
      }
    }
  }
}

TEST(ShapeBounds, OfAPlaneWithASloppyRotationStillEncloseIt) {
  // The placed plane is all y with m·(y - t) = offset, where m is the placed normal: a shorter m moves it farther out.
  for (const double stretch : {1 - 4.9e-10, 1 + 4.9e-10}) {
    const Pose pose(stretch * Matrix3::Identity(), Vector3::Zero());
    for (const bool solid : {false, true}) {
      const Shape shape = solid ? Shape(HalfSpace{Vector3::UnitZ(), 1}) : Shape(Plane{Vector3::UnitZ(), 1});
      const Digits height = Digits(1) / Digits(place_direction(pose, Vector3::UnitZ())[2]);
      EXPECT_GE(Digits(shape.bounds(pose).upper[2]), height) << (solid ? "half-space" : "plane");
      EXPECT_LE(Digits(shape.bounds(pose).lower[2]), height) << (solid ? "half-space" : "plane");
    }
  }
}

TEST(ShapeBounds, OfAHalfSpaceAreTheSameWithAndWithoutTheIdentity) {
  const Shape ground = HalfSpace{Vector3::UnitZ(), 2};
  EXPECT_NEAR(ground.bounds().upper[2], 2, 1e-14);
  EXPECT_NEAR(ground.bounds(Pose()).upper[2], 2, 1e-12);
  EXPECT_EQ(ground.bounds().lower[2], -infinity);
  EXPECT_EQ(ground.bounds(Pose()).upper[0], infinity);
}

// --- making shapes -----------------------------------------------------------------------------------------------

std::vector<Vector3> tetrahedron_points() {
  return {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
}

TEST(Shape, HoldsEveryKindAndKnowsWhichItIs) {
  const std::vector<double> heights = {0, 1, 2, 3};
  const Mesh mesh(make::box());
  const std::vector<std::pair<Shape, std::string>> shapes = {
      {Sphere{1}, "sphere"},
      {Capsule{1, 2}, "capsule"},
      {Box{{1, 2, 3}}, "box"},
      {HalfSpace{}, "half-space"},
      {Plane{}, "plane"},
      {Segment{}, "segment"},
      {Triangle{}, "triangle"},
      {Cylinder{1, 2}, "cylinder"},
      {Cone{1, 2}, "cone"},
      {Ellipsoid{{1, 2, 3}}, "ellipsoid"},
      {ConvexHull(tetrahedron_points()), "convex hull"},
      {CustomConvex([](const Vector3& d) { return d.normalized(); }), "custom convex"},
      {mesh, "mesh"},
      {HeightField(heights, 2, 2, 1, 1), "height field"},
      {Compound({{Sphere{1}, Pose()}}), "compound"},
      {SphereSet(std::vector<Vector3>{{0, 0, 0}}, std::vector<double>{1}), "sphere set"},
      {SphereBody(build_sphere_tree(mesh, {.depth = 1}), mesh.solid()), "sphere body"},
  };
  ASSERT_EQ(shapes.size(), shape_kind_count);
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const Shape& shape = shapes[i].first;
    EXPECT_EQ(shape.kind(), static_cast<ShapeKind>(i));
    EXPECT_EQ(name(shape.kind()), shapes[i].second);
    const int held =
        (shape.as<Sphere>() != nullptr) + (shape.as<Capsule>() != nullptr) + (shape.as<Box>() != nullptr) +
        (shape.as<HalfSpace>() != nullptr) + (shape.as<Plane>() != nullptr) + (shape.as<Segment>() != nullptr) +
        (shape.as<Triangle>() != nullptr) + (shape.as<Cylinder>() != nullptr) + (shape.as<Cone>() != nullptr) +
        (shape.as<Ellipsoid>() != nullptr) + (shape.as<ConvexHull>() != nullptr) +
        (shape.as<CustomConvex>() != nullptr) + (shape.as<Mesh>() != nullptr) + (shape.as<HeightField>() != nullptr) +
        (shape.as<Compound>() != nullptr) + (shape.as<SphereSet>() != nullptr) + (shape.as<SphereBody>() != nullptr);
    EXPECT_EQ(held, 1) << shapes[i].second;
    const bool unbounded = shape.kind() == ShapeKind::half_space || shape.kind() == ShapeKind::plane;
    EXPECT_EQ(shape.is_unbounded(), unbounded) << shapes[i].second;
    EXPECT_EQ(shape.has_support(), !unbounded && i < 12) << shapes[i].second;
    if (!shape.has_support()) {
      try {
        shape.support({0, 0, 1});
        ADD_FAILURE() << shapes[i].second;
      } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find(shapes[i].second), std::string::npos) << error.what();
      }
    }
    EXPECT_EQ(shape.visit([](const auto& s) { return sizeof(s); }) > 0, true);
  }
  EXPECT_EQ(shapes[2].first.as<Box>()->size, Vector3(1, 2, 3));
  EXPECT_EQ(shapes[1].first.as<Capsule>()->length, 2);
}

TEST(Shape, CopiesShareWhatIsLarge) {
  const Shape mesh = Mesh(make::icosphere());
  const Shape copy = mesh;
  EXPECT_EQ(copy.as<Mesh>()->vertices().data(), mesh.as<Mesh>()->vertices().data());
  const Shape hull = ConvexHull(tetrahedron_points());
  const Shape hull_copy = hull;
  EXPECT_TRUE(same_storage(*hull.as<ConvexHull>(), *hull_copy.as<ConvexHull>()));
  Shape other = Sphere{1};
  other = mesh;
  EXPECT_EQ(other.as<Mesh>()->triangles().data(), mesh.as<Mesh>()->triangles().data());
  EXPECT_LE(sizeof(Shape), 128u) << "simple shapes are held inline, so a shape is as large as the largest of them";
}

struct BadShape {
  const char* says;
  std::function<Shape()> make;
};

TEST(Shape, RefusesBadNumbersAndNamesThem) {
  std::vector<BadShape> bad;
  for (const double x : {nan, infinity, -infinity, -1.0, -1e-300, 1.0001e90, 1e300}) {
    bad.push_back({"sphere: radius", [x] { return Shape(Sphere{x}); }});
    bad.push_back({"capsule: radius", [x] { return Shape(Capsule{x, 1}); }});
    bad.push_back({"capsule: length", [x] { return Shape(Capsule{1, x}); }});
    bad.push_back({"cylinder: radius", [x] { return Shape(Cylinder{x, 1}); }});
    bad.push_back({"cylinder: length", [x] { return Shape(Cylinder{1, x}); }});
    bad.push_back({"cone: radius", [x] { return Shape(Cone{x, 1}); }});
    bad.push_back({"cone: length", [x] { return Shape(Cone{1, x}); }});
    for (int i = 0; i < 3; ++i) {
      Vector3 v(1, 1, 1);
      v[i] = x;
      bad.push_back({"box: size", [v] { return Shape(Box{v}); }});
      bad.push_back({"ellipsoid: radii", [v] { return Shape(Ellipsoid{v}); }});
    }
  }
  for (const double x : {nan, infinity, -infinity, -1.0001e90, 1e300}) {
    for (int i = 0; i < 3; ++i) {
      Vector3 v(1, 1, 1);
      v[i] = x;
      const Vector3 o(0, 0, 0);
      bad.push_back({"segment: a", [=] { return Shape(Segment{v, o}); }});
      bad.push_back({"segment: b", [=] { return Shape(Segment{o, v}); }});
      bad.push_back({"triangle: a", [=] { return Shape(Triangle{v, o, o}); }});
      bad.push_back({"triangle: b", [=] { return Shape(Triangle{o, v, o}); }});
      bad.push_back({"triangle: c", [=] { return Shape(Triangle{o, o, v}); }});
      bad.push_back({"half-space: normal", [=] { return Shape(HalfSpace{v, 0}); }});
      bad.push_back({"plane: normal", [=] { return Shape(Plane{v, 0}); }});
      const std::vector<Vector3> points = {o, v, {0, 1, 0}, {0, 0, 1}};
      bad.push_back({"point 1", [=] { return Shape(ConvexHull(points)); }});
    }
    bad.push_back({"half-space: offset", [=] { return Shape(HalfSpace{Vector3::UnitZ(), x}); }});
    bad.push_back({"plane: offset", [=] { return Shape(Plane{Vector3::UnitZ(), x}); }});
  }
  bad.push_back({"half-space: normal", [] { return Shape(HalfSpace{Vector3::Zero(), 0}); }});
  bad.push_back({"plane: normal", [] { return Shape(Plane{Vector3::Zero(), 1}); }});
  bad.push_back({"half-space: normal", [] { return Shape(HalfSpace{Vector3(-0.0, 0, -0.0), 1}); }});
  bad.push_back({"plane: offset", [] { return Shape(Plane{Vector3(1e-80, 0, 0), 1e20}); }});
  bad.push_back({"no points", [] { return Shape(ConvexHull(std::vector<Vector3>{})); }});
  const std::vector<double> heights = {0, 1, nan, 3}, tall = {0, 1, 2e90, 3}, flat = {0, 1, 2, 3};
  bad.push_back({"height field", [=] { return Shape(HeightField(heights, 2, 2, 1, 1)); }});
  bad.push_back({"height field", [=] { return Shape(HeightField(tall, 2, 2, 1, 1)); }});
  bad.push_back({"height field", [=] { return Shape(HeightField(flat, 2, 2, 2e90, 1)); }});
  bad.push_back({"height field", [=] { return Shape(HeightField(flat, 2, 2, 1, -1)); }});
  bad.push_back({"height field", [=] { return Shape(HeightField(flat, 4, 1, 1, 1)); }});
  for (const BadShape& shape : bad) {
    try {
      shape.make();
      ADD_FAILURE() << shape.says << ": a bad number is taken";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(shape.says), std::string::npos) << error.what() << " / " << shape.says;
    }
  }
}

TEST(Shape, TakesTheExtremesThatAreAllowed) {
  EXPECT_NO_THROW(Shape(Sphere{0}));
  EXPECT_NO_THROW(Shape(Sphere{1e90}));
  EXPECT_NO_THROW(Shape(Box{Vector3(0, 1e90, 0)}));
  EXPECT_NO_THROW(Shape(Segment{{1e90, -1e90, 0}, {1e90, -1e90, 0}}));
  EXPECT_NO_THROW(Shape(Plane{Vector3(0, 1e-60, 0), -1e20}));
  EXPECT_NO_THROW(Shape(HalfSpace{Vector3(0, 1e90, 0), -1e170}));
  EXPECT_NO_THROW(Shape(Sphere{-0.0}));
}

// --- measures ----------------------------------------------------------------------------------------------------

TEST(ShapeMeasures, AreTheFormulas) {
  const double pi = std::numbers::pi;
  EXPECT_DOUBLE_EQ(Shape(Sphere{2}).volume(), 32 * pi / 3);
  EXPECT_DOUBLE_EQ(Shape(Capsule{2, 3}).volume(), 32 * pi / 3 + 12 * pi);
  EXPECT_DOUBLE_EQ(Shape(Box{{2, 3, 4}}).volume(), 24);
  EXPECT_DOUBLE_EQ(Shape(Cylinder{2, 3}).volume(), 12 * pi);
  EXPECT_DOUBLE_EQ(Shape(Cone{2, 3}).volume(), 4 * pi);
  EXPECT_DOUBLE_EQ(Shape(Ellipsoid{{1, 2, 3}}).volume(), 8 * pi);
  EXPECT_DOUBLE_EQ(Shape(ConvexHull(tetrahedron_points())).volume(), 1.0 / 6);
  EXPECT_EQ(Shape(HalfSpace{}).volume(), infinity);
  EXPECT_EQ(Shape(Plane{}).volume(), 0);
  EXPECT_EQ(Shape(Segment{{0, 0, 0}, {1, 0, 0}}).volume(), 0);
  EXPECT_EQ(Shape(Triangle{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}).volume(), 0);
  EXPECT_THROW(Shape(HalfSpace{}).centroid(), Error);
  EXPECT_THROW(Shape(Plane{}).centroid(), Error);
  EXPECT_EQ(Shape(Cone{2, 4}).centroid(), Vector3(0, 0, -1));
  EXPECT_EQ(Shape(Segment{{1, 2, 3}, {3, 2, 1}}).centroid(), Vector3(2, 2, 2));
  EXPECT_LT((Shape(Triangle{{0, 0, 3}, {3, 0, 3}, {0, 3, 3}}).centroid() - Vector3(1, 1, 3)).norm(), 1e-15);
  EXPECT_LT((Shape(ConvexHull(tetrahedron_points())).centroid() - Vector3::Constant(0.25)).norm(), 1e-15);
}

TEST(ShapeMeasures, AgreeWithFineMeshes) {
  struct Case {
    Shape shape;
    MeshData mesh;
  };
  const std::vector<Case> all = {
      {Sphere{1.5}, make::icosphere({.radius = 1.5, .subdivisions = 5})},
      {Box{{1, 2, 3}}, make::box({.size_x = 1, .size_y = 2, .size_z = 3, .subdivisions = 4})},
      {Cylinder{0.7, 2}, make::cylinder({.radius = 0.7, .length = 2, .slices = 300})},
      {Cone{0.7, 2}, make::cone({.radius = 0.7, .length = 2, .slices = 300})},
      {Capsule{0.7, 2}, make::capsule({.radius = 0.7, .length = 2, .slices = 200, .stacks = 50})},
  };
  for (const Case& one : all) {
    const Shape mesh = Mesh(one.mesh).solid();
    EXPECT_NEAR(one.shape.volume() / mesh.volume(), 1, 2e-3) << name(one.shape.kind());
    EXPECT_GE(one.shape.volume(), mesh.volume() * (1 - 1e-14)) << name(one.shape.kind()) << ": the mesh is inscribed";
    EXPECT_LT((one.shape.centroid() - mesh.centroid()).norm(), 2e-3) << name(one.shape.kind());
    EXPECT_LT((one.shape.bounds().upper - mesh.bounds().upper).norm(), 2e-3) << name(one.shape.kind());
  }
}

TEST(ShapeMeasures, CentroidOfAHeightFieldIsThatOfItsArea) {
  const std::vector<double> flat(12, 5.0);
  const Shape land = HeightField(flat, 4, 3, 2, 3);
  EXPECT_LT((land.centroid() - Vector3(3, 3, 5)).norm(), 1e-14);
  EXPECT_EQ(land.volume(), 0);
}

TEST(Shape, SupportAlongAHugeDirectionIsStillFarthest) {
  const Shape segment = Segment{{0, 1e10, 0}, {1e10, 0, 0}};
  EXPECT_EQ(segment.support({1e300, 9e299, 0}), Vector3(1e10, 0, 0));
  EXPECT_EQ(segment.support({9e299, 1e300, 0}), Vector3(0, 1e10, 0));
}

}  // namespace
}  // namespace whisker
