// Mass properties: volume, center of mass and inertia with bounds, against exact integrals.

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <numbers>
#include <string>
#include <type_traits>
#include <vector>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include <whisker/error.hpp>
#include <whisker/io.hpp>
#include <whisker/make/make.hpp>
#include <whisker/mass.hpp>
#include <whisker/shape.hpp>
#include <whisker/spheres/sphere_tree.hpp>

#include "shapes/kind_traits.hpp"
#include "support/cases.hpp"
#include "support/error_of.hpp"
#include "support/mesh_cases.hpp"
#include "support/random_vectors.hpp"
#include "support/reference_mass.hpp"

namespace whisker::mass_test {
namespace {

using test::cases;
using test::error_of;
using test::normal_pose;
using test::random_vector;
using test::Rational;
using test::Real;
using test::seeded;
using test::uniform;
using namespace test::mass;
using Random = std::mt19937_64;

double any_length(Random& random) {
  return std::exp2(uniform(random, -10, 10));
}

Shape any_primitive(Random& random) {
  const double a = any_length(random), b = any_length(random), c = any_length(random);
  switch (test::whole(random, 0, 5)) {
    case 0:
      return Sphere{a};
    case 1:
      return Capsule{a, b};
    case 2:
      return Box{{a, b, c}};
    case 3:
      return Cylinder{a, b};
    case 4:
      return Cone{a, b};
    default:
      return Ellipsoid{{a, b, c}};
  }
}

// --- shapes ----------------------------------------------------------------------------------------------------------

TEST(Mass, OfPrimitivesContainsTheTruthAndIsSomeUlpsWide) {
  auto random = seeded(801);
  Widths widths;
  for (std::size_t i = 0; i < cases(600); ++i) {
    const Shape shape = any_primitive(random);
    widths.include(expect_truth(shape, reference(shape)));
    if (HasFailure()) FAIL() << name(shape.kind()) << " in case " << i;
  }
  EXPECT_LT(widths.largest(), 3e-15);
}

TEST(Mass, OfPrimitivesAtTheEndsOfTheRange) {
  for (const double size : {1e90, 1e60, 1e-60, 1e-100}) {
    const std::vector<Shape> shapes = {Sphere{size},
                                       Capsule{size, size / 3},
                                       Capsule{size, 0},
                                       Capsule{1e-30 * size, size},
                                       Box{{size, size / 7, size}},
                                       Cylinder{size, size / 5},
                                       Cone{size / 3, size},
                                       Ellipsoid{{size, size / 2, size / 3}}};
    for (const Shape& shape : shapes) {
      if (shape.volume() < 1e-300) continue;  // the volume of the thinnest is no double
      const MassProperties body = mass_properties(shape);
      EXPECT_LT(expect_truth(body, reference(shape)).largest(), 3e-15) << size << name(shape.kind());
      // A body of mass 1 has an inertia where density times volume times length² is none.
      const Matrix3 inertia = middle(body.with_mass(1).inertia());
      EXPECT_TRUE(inertia.allFinite() && inertia.trace() > 0);
      const PrincipalAxes axes = principal_axes(body.with_mass(1));
      EXPECT_NEAR(middle(axes.moments).sum() / inertia.trace(), 1, 1e-14);
    }
  }
  // Thin and long, where r² alone, or the product of two sides, would underflow.
  for (const Shape& shape :
       {Shape(Cylinder{1e-170, 1e90}), Shape(Box{{1e-160, 1e90, 1e-160}}), Shape(Ellipsoid{{1e-160, 1e-160, 1e90}})}) {
    const MassProperties body = mass_properties(shape);
    EXPECT_LT(width(body.volume) / body.volume.lower, 1e-14);
    EXPECT_TRUE(holds(body.volume, reference(shape).volume, reference(shape).volume));
  }
}

TEST(Mass, OfSimpleShapesIsExact) {
  const MassProperties box = mass_properties(Box{{2, 4, 6}});
  EXPECT_EQ(box.volume, Interval(48));
  EXPECT_EQ(box.center, IntervalVector3(Vector3(0, 0, 0)));
  EXPECT_EQ(middle(box.covariance)(2, 2), 3);
  EXPECT_EQ(middle(box.inertia())(0, 0), 48 * (16 + 36) / 12);
  const MassProperties cone = mass_properties(Cone{1, 4});
  EXPECT_EQ(cone.center, IntervalVector3(Vector3(0, 0, -1)));
  // Nothing but π is rounded here.
  for (const double length : {0.25, 1.0, 8.0}) {
    const MassProperties cylinder = mass_properties(Cylinder{1, length});
    EXPECT_TRUE(holds(cylinder.volume, reference(Cylinder{1, length}).volume, Real(0)));
    EXPECT_EQ(cylinder.volume, Interval(3.141592653589793, 3.1415926535897936) * length);
  }
  EXPECT_TRUE(contains(Interval(4.18879020478639, 4.1887902047864), mass_properties(Sphere{1}).volume));
}

TEST(Mass, OfHullsContainsTheTruth) {
  auto random = seeded(802);
  Widths widths;
  for (std::size_t i = 0; i < cases(60); ++i) {
    const Vector3 size(any_length(random), any_length(random), any_length(random));
    const Vector3 at = i % 3 == 0 ? Vector3(random_vector(random, 1e6 * size.maxCoeff())) : Vector3::Zero();
    std::vector<Vector3> points;
    for (int n = test::whole(random, 4, 60); n > 0; --n)
      points.push_back(at + size.cwiseProduct(random_vector(random)));
    const ConvexHull hull(points);
    if (hull.dimension() < 3) continue;
    widths.include(expect_truth(Shape(hull), polyhedron<Rational>(hull)));
    if (HasFailure()) FAIL() << "case " << i;
  }
  EXPECT_LT(widths.largest(), 1e-12);
}

TEST(Mass, OfAHullWithMergedFacesIsThatOfItsFans) {
  auto random = seeded(803);
  const Matrix3 rotation = test::random_rotation(random);
  std::vector<Vector3> points;
  for (int i = 0; i < 40; ++i) {  // a prism, whose rounded corners are not quite coplanar
    const double angle = 2 * std::numbers::pi * (i / 2) / 20;
    points.emplace_back(rotation * Vector3(std::cos(angle), std::sin(angle), i % 2));
  }
  const ConvexHull hull(points, {.merge_distance = 1e-9});
  ASSERT_EQ(hull.face_count(), 22u);
  std::vector<Index3> triangles;
  for (std::size_t f = 0; f < hull.face_count(); ++f)
    for (std::size_t i = 1; i + 1 < hull.face(f).size(); ++i)
      triangles.push_back({hull.face(f)[0], hull.face(f)[i], hull.face(f)[i + 1]});
  EXPECT_LT(expect_truth(Shape(hull), polyhedron<Rational>(hull.vertices(), triangles)).largest(), 1e-13);
}

TEST(Mass, OfModelsContainsTheTruthWhereverTheyAre) {
  auto random = seeded(804);
  for (const test::Model& model : test::small_models()) {
    if (!model.closed) continue;
    Widths widths;
    for (int i = 0; i < 6; ++i) {
      MeshData data = model.data;
      const Pose pose = i == 0 ? Pose() : normal_pose(random, i == 2 ? 1e6 : 1);
      for (Vector3& v : data.vertices)
        v = place(pose, v);
      if (i == 3) data = test::scaled(data, 1e-60);
      if (i == 4) data = test::scaled(data, 1e89);
      if (i == 5)
        for (Vector3& v : data.vertices)
          v = v.cwiseProduct(Vector3(1e80, 1, 1e-120));
      const Mesh mesh = Mesh(data).solid();
      widths.include(i == 2 ? expect_truth(Shape(mesh), polyhedron<Rational>(mesh))
                            : expect_truth(Shape(mesh), polyhedron<Real>(mesh)));
      if (HasFailure()) FAIL() << model.name << " in case " << i;
    }
    EXPECT_LT(widths.largest(), 1e-12) << model.name;
  }
}

TEST(Mass, OfMeshesWithManyTrianglesStaysTight) {
  for (const MeshData& data : {make::icosphere({.subdivisions = 5}), make::torus({.around = 200, .across = 80}),
                               make::gear({.teeth = 200, .bore = 5, .flank_points = 20})}) {
    const Mesh mesh = Mesh(data).solid();
    EXPECT_LT(expect_truth(Shape(mesh), polyhedron<Real>(mesh)).largest(), 1e-12) << mesh.triangle_count();
  }
}

TEST(Mass, OfPublicMeshesContainsTheTruth) {
  const char* folder = std::getenv("WHISKER_DATA");
  if (folder == nullptr || *folder == '\0') GTEST_SKIP() << "WHISKER_DATA is not set: the public meshes are not tested";
  int solids = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(folder) / "meshes")) {
    if (entry.path().extension() != ".obj") continue;
    const Mesh mesh = load_mesh(entry.path());
    if (!mesh.can_be_solid()) {
      EXPECT_THROW(mass_properties(mesh), Error);
      continue;
    }
    ++solids;
    const Widths widths = expect_truth(Shape(mesh.solid()), polyhedron<Real>(mesh));
    EXPECT_LT(widths.largest(), 1e-12) << entry.path();
  }
  EXPECT_GE(solids, 2);
}

TEST(Mass, OfASphereBodyIsThatOfItsMesh) {
  const Mesh mesh = Mesh(make::block()).solid();
  const SphereBody body(build_sphere_tree(mesh, {.depth = 1}), mesh);
  EXPECT_EQ(mass_properties(body).inertia(), mass_properties(mesh).inertia());
}

// Here sums of doubles lose most or all digits.
TEST(Mass, OfMeshesWithCancellationIsAsTight) {
  const Mesh cube = box_mesh({1, 2, 3});
  const MeshData data{{cube.vertices().begin(), cube.vertices().end()},
                      {cube.triangles().begin(), cube.triangles().end()}};
  // Two boxes at a great distance from each other, of which one weighs nearly nothing.
  MeshData far = test::joined(test::scaled(data, 1e-5), test::moved(data, {3e7, -2e7, 1e7}));
  // A plate and a needle, turned so that no axis sees how thin they are.
  auto random = seeded(805);
  const auto thin = [&](const Vector3& size) {
    MeshData result = data;
    const Matrix3 rotation = test::random_rotation(random);
    for (Vector3& v : result.vertices)
      v = rotation * size.cwiseProduct(v);
    return result;
  };
  for (const MeshData& hard : {far, test::joined(data, test::moved(data, {1e9, 0, 0})), thin({1, 1, 1e-8}),
                               thin({1, 1e-7, 1e-7}), test::moved(thin({1, 1, 1e-6}), {1e6, 1e6, -1e6})}) {
    const Mesh mesh = Mesh(hard).solid();
    EXPECT_LT(expect_truth(mass_properties(mesh), polyhedron<Rational>(mesh)).largest(), 1e-12);
  }
}

TEST(Mass, OfASolidThatOverlapsItselfCountsTwice) {
  const Mesh cube = box_mesh({1, 2, 3});
  const MeshData data{{cube.vertices().begin(), cube.vertices().end()},
                      {cube.triangles().begin(), cube.triangles().end()}};
  const Mesh twice = Mesh(test::joined(data, test::moved(data, {0.5, 0, 0}))).solid();
  EXPECT_NEAR(middle(mass_properties(twice).volume), 12, 1e-13);
  expect_truth(Shape(twice), polyhedron<Rational>(twice));
}

TEST(Mass, OfFineMeshesApproachesThatOfTheShapeThatTheyApproximate) {
  const MassProperties ball = mass_properties(Sphere{1});
  double before = 1;
  for (const int subdivisions : {2, 3, 4, 5}) {
    const MassProperties mesh = mass_properties(Mesh(make::icosphere({.subdivisions = subdivisions})).solid());
    // Inscribed, so less of everything, and four times closer with every level.
    EXPECT_LT(mesh.volume.upper, ball.volume.lower);
    EXPECT_LT(mesh.inertia()(0, 0).upper, ball.inertia()(0, 0).lower);
    const double missing = 1 - middle(mesh.inertia())(0, 0) / middle(ball.inertia())(0, 0);
    EXPECT_LT(missing, before / 3.5);
    before = missing;
  }
  EXPECT_LT(before, 3e-3);
  const MassProperties tube = mass_properties(Mesh(make::cylinder({.slices = 720})).solid());
  const make::Cylinder made;
  const MassProperties cylinder = mass_properties(Cylinder{made.radius, made.length});
  EXPECT_LT((middle(tube.covariance) - middle(cylinder.covariance)).norm(), 1e-4);
  EXPECT_NEAR(middle(tube.volume) / middle(cylinder.volume), 1, 1e-4);
}

// --- sums ------------------------------------------------------------------------------------------------------------

TEST(Mass, OfSphereSetsIsTheSumOfTheBalls) {
  auto random = seeded(806);
  for (std::size_t i = 0; i < cases(50); ++i) {
    std::vector<Vector3> centers;
    std::vector<double> radii;
    const Vector3 at = i % 4 == 0 ? Vector3(1e6, -2e6, 3e6) : Vector3::Zero();
    for (int n = test::whole(random, 1, 100); n > 0; --n) {
      centers.push_back(at + random_vector(random, 2));
      radii.push_back(n % 7 == 3 ? 0 : uniform(random, 0.01, 1));
    }
    radii[0] = 0.5;
    const double scale = i % 5 == 1 ? 1e-95 : i % 5 == 2 ? 1e80 : 1;
    for (Vector3& center : centers)
      center *= scale;
    for (double& radius : radii)
      radius *= scale;
    const Shape set = SphereSet(centers, radii);
    EXPECT_LT(expect_truth(set, reference(set)).largest(), 1e-13) << i;
  }
}

TEST(Mass, OfManyBallsIsAsTight) {
  auto random = seeded(813);
  std::vector<Vector3> centers;
  std::vector<double> radii;
  for (int i = 0; i < 20000; ++i) {
    centers.push_back(random_vector(random, 2));
    radii.push_back(uniform(random, 0.01, 0.1));
  }
  const Shape set = SphereSet(centers, radii);
  EXPECT_LT(expect_truth(set, reference(set)).largest(), 1e-14);
}

TEST(Mass, OfCompoundsIsTheSumOfTheParts) {
  auto random = seeded(807);
  const Mesh mesh(test::small_models()[3].data);
  for (std::size_t i = 0; i < cases(60); ++i) {
    std::vector<CompoundPart> parts;
    const Vector3 at = i % 3 == 0 ? Vector3(1e6, -2e6, 3e6) : Vector3::Zero();
    for (int n = test::whole(random, 1, 5); n > 0; --n) {
      Pose pose = normal_pose(random, 10);
      pose.set_translation(at + pose.translation());
      // As far from orthogonal as a pose may be.
      if (i % 4 == 0) pose.set_rotation(pose.rotation() * (1 + 4e-10));
      parts.push_back({any_primitive(random), pose});
    }
    if (i % 2 == 0) parts.push_back({mesh.solid(), normal_pose(random, 3)});
    if (i % 5 == 0) parts.push_back({Compound(parts), normal_pose(random, 3)});
    const Shape compound = Compound(parts);
    EXPECT_LT(expect_truth(mass_properties(compound), reference(compound)).largest(), 1e-12) << i;
    EXPECT_NEAR(compound.volume() / middle(mass_properties(compound).volume), 1, 1e-12);
    const double size = 1 + compound.centroid().norm();
    EXPECT_LT((compound.centroid() - middle(mass_properties(compound).center)).norm(), 1e-8 * size);
  }
}

TEST(Mass, OfPartsFarFromTheOriginOfAllFramesIsAsTight) {
  // Two meshes that have large coordinates of their own, and poses that take them back.
  auto random = seeded(808);
  for (std::size_t i = 0; i < cases(20); ++i) {
    const Vector3 far = random_vector(random, 1e7);
    const auto part = [&] {
      MeshData data = test::small_models()[9].data;
      const Pose turn = normal_pose(random, 1);
      for (Vector3& v : data.vertices)
        v = place(turn, v) + far;
      Pose pose = normal_pose(random, 1);
      pose.set_translation(random_vector(random) - pose.rotation() * far);
      return CompoundPart{Mesh(data).solid(), pose};
    };
    const Shape compound = Compound({part(), part()});
    EXPECT_LT(expect_truth(mass_properties(compound), reference(compound)).largest(), 1e-12);
  }
}

TEST(Mass, OfACompoundOfOnePartIsThatOfThePart) {
  const MassProperties alone = mass_properties(Cone{2, 3});
  const MassProperties part = mass_properties(Compound({{Cone{2, 3}}, {Sphere{0}}, {Box{{1, 1, 0}}}}));
  EXPECT_EQ(part.volume, alone.volume);
  EXPECT_NEAR((middle(part.inertia()) - middle(alone.inertia())).norm(), 0, 1e-14);
}

TEST(Mass, OfACompoundNestedByDoublingVisitsEachOnce) {
  Compound row({{Box{{1, 1, 1}}}});
  for (int i = 0; i < 31; ++i)
    row = Compound({{row, Pose(Vector3(std::ldexp(1.0, i), 0, 0))}, {row}});
  const auto start = std::chrono::steady_clock::now();
  const MassProperties bar = mass_properties(row);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
  EXPECT_EQ(bar.volume, Interval(0x1p31));
  EXPECT_TRUE(contains(bar.center.x, (0x1p31 - 1) / 2));
  // A bar of 2^31 × 1 × 1.
  EXPECT_TRUE(overlaps(bar.covariance(1, 1), Interval(1) / 12));
  EXPECT_TRUE(overlaps(bar.covariance(0, 0), Interval(0x1p62) / 12));
  EXPECT_LT(width(bar.covariance(0, 0)), 1e-12 * 0x1p62);
}

TEST(Mass, OfSumsThatAreNoDoublesHasBoundsAroundThem) {
  // Nothing is rounded here, except for the distance of the two boxes.
  const MassProperties two = mass_properties(
      Compound({{Box{{1, 1, 1}}, Pose(Vector3(1, 0, 0))}, {Box{{1, 1, 1}}, Pose(Vector3(-0x1p-60, 0, 0))}}));
  EXPECT_TRUE(holds(two.center.x, Real((Real(1) - Real(0x1p-60)) / 2), Real(0)));
  // The sum of the coordinates is 2^-120, which no running sum of 106 bits sees.
  std::vector<MassProperties> points;
  for (const double x : {0.0, 1.0, 0x1p-60, 0x1p-120, -1.0, -0x1p-60})
    points.push_back({1, 1, Vector3(x, 0, 0), {}});
  EXPECT_TRUE(holds(combined(points).center.x, Real(Real(0x1p-120) / 6), Real(0)));
}

TEST(Mass, OfBodiesOfSeveralDensitiesIsCombined) {
  auto random = seeded(809);
  for (std::size_t i = 0; i < cases(50); ++i) {
    std::vector<MassProperties> bodies;
    Integrals<Real> truth;
    Real volume = 0;
    for (int n = test::whole(random, 1, 4); n > 0; --n) {
      const Shape shape = any_primitive(random);
      const Pose pose = normal_pose(random, 10);
      const double density = any_length(random);
      bodies.push_back(mass_properties(shape).with_density(density).placed(pose));
      Integrals<Real> part = placed(reference(shape), pose);
      volume += part.volume;
      for (Real* const number : {&part.volume, &part.first[0], &part.first[1], &part.first[2]})
        *number *= density;
      for (auto& row : part.second)
        for (Real& number : row)
          number *= density;
      truth += part;
    }
    MassProperties whole = combined(bodies);
    EXPECT_TRUE(holds(whole.volume, volume, volume));
    whole.volume = whole.mass;  // which is what the reference has
    EXPECT_LT(expect_truth(whole, truth).largest(), 1e-12) << i;
  }
  EXPECT_NE(error_of([] { combined({}); }).find("no body"), std::string::npos);
  const std::vector<MassProperties> nothing(1);
  EXPECT_NE(error_of([&] { combined(nothing); }).find("body 0 is not positive"), std::string::npos);
}

// --- the body ----------------------------------------------------------------------------------------------------

TEST(Mass, MovesWithItsPose) {
  auto random = seeded(810);
  for (std::size_t i = 0; i < cases(100); ++i) {
    const Shape shape = any_primitive(random);
    const Pose pose = normal_pose(random, i % 2 == 0 ? 10 : 1e5);
    EXPECT_LT(expect_truth(mass_properties(shape).placed(pose), placed(reference(shape), pose)).covariance, 1e-13);
    const Shape box = Box{{any_length(random), any_length(random), any_length(random)}};
    expect_truth(mass_properties(box).placed(pose), placed(polyhedron<Rational>(box_mesh(box.as<Box>()->size)), pose));
  }
}

TEST(Mass, AboutAnotherPointFollowsTheParallelAxisTheorem) {
  auto random = seeded(811);
  for (std::size_t i = 0; i < cases(30); ++i) {
    const Mesh box = box_mesh({any_length(random), any_length(random), any_length(random)});
    const Vector3 point = random_vector(random, 10);
    const IntervalMatrix3 inertia = mass_properties(box).inertia_about(point);
    const Integrals<Rational> truth = polyhedron<Rational>(box);
    for (std::size_t k = 0; k < 3; ++k)
      for (std::size_t l = 0; l < 3; ++l) {
        EXPECT_TRUE(holds(inertia(k, l),
                          truth.inertia(k, l, {Rational(point[0]), Rational(point[1]), Rational(point[2])}),
                          Rational(0)));
        EXPECT_EQ(inertia(k, l), inertia(l, k));
      }
  }
}

TEST(Mass, HasTheDensityOrTheMassThatItIsGiven) {
  const MassProperties box = mass_properties(Box{{1, 2, 3}});
  EXPECT_EQ(box.mass, Interval(6));
  const MassProperties steel = box.with_density(7850);
  EXPECT_EQ(steel.mass, Interval(6 * 7850));
  EXPECT_EQ(steel.volume, Interval(6));
  EXPECT_TRUE(contains(steel.inertia()(0, 0), 7850 * 6 * 13.0 / 12));
  const MassProperties light = steel.with_mass(0.5);
  EXPECT_EQ(light.mass, Interval(0.5));
  EXPECT_EQ(light.covariance, box.covariance);
  EXPECT_TRUE(overlaps(light.inertia()(2, 2), Interval(5) / 24));
  for (const double bad : {0.0, -1.0, test::nan, std::numeric_limits<double>::infinity()}) {
    EXPECT_NE(error_of([&] { box.with_mass(bad); }).find("the mass must be positive and finite"), std::string::npos);
    EXPECT_NE(error_of([&] { box.with_density(bad); }).find("the density must be positive"), std::string::npos);
  }
}

TEST(PrincipalAxes, DiagonalizeTheInertia) {
  auto random = seeded(812);
  for (std::size_t i = 0; i < cases(200); ++i) {
    const Shape shape = any_primitive(random);
    const Pose pose = i % 3 == 0 ? Pose() : normal_pose(random, 5);
    expect_principal(mass_properties(shape).placed(pose).with_mass(2.5), placed(reference(shape), pose), 3e-14);
    if (HasFailure()) FAIL() << name(shape.kind()) << " in case " << i;
  }
  for (const test::Model& model : test::small_models()) {
    if (!model.closed) continue;
    const Mesh mesh = Mesh(model.data).solid();
    expect_principal(mass_properties(mesh).with_mass(1), polyhedron<Real>(mesh), 1e-12);
    if (HasFailure()) FAIL() << model.name;
  }
}

TEST(PrincipalAxes, HaveTheMomentsOfEveryTensorWithinTheBounds) {
  auto random = seeded(814);
  for (std::size_t i = 0; i < cases(100); ++i) {
    MassProperties body{1, 1, {}, {}};
    for (std::size_t k = 0; k < 3; ++k)
      for (std::size_t l = k; l < 3; ++l) {
        const double entry = uniform(random, k == l ? 2 : -1, k == l ? 4 : 1);
        const double spread = uniform(random, 0, 0.3);
        body.covariance(k, l) = body.covariance(l, k) = Interval(entry, entry + spread);
        // Three equal moments, except for what is off the diagonal.
        if (i % 2 == 0)
          body.covariance(k, l) = body.covariance(l, k) = k == l ? Interval(3) : Interval(-spread, spread);
      }
    const PrincipalAxes axes = principal_axes(body);
    for (int draw = 0; draw < 20; ++draw) {
      std::array<std::array<Real, 3>, 3> c;
      for (std::size_t k = 0; k < 3; ++k)
        for (std::size_t l = k; l < 3; ++l) {
          const Interval& entry = body.covariance(k, l);
          c[k][l] = c[l][k] = draw % 2 == 0 ? (random() % 2 == 0 ? entry.lower : entry.upper)
                                            : uniform(random, entry.lower, entry.upper);
        }
      std::array<std::array<Real, 3>, 3> tensor;
      const Real trace = c[0][0] + c[1][1] + c[2][2];
      for (std::size_t k = 0; k < 3; ++k)
        for (std::size_t l = 0; l < 3; ++l)
          tensor[k][l] = k == l ? Real(trace - c[k][l]) : Real(-c[k][l]);
      const std::array<Real, 3> exact = eigenvalues(tensor);
      for (std::size_t k = 0; k < 3; ++k)
        EXPECT_TRUE(holds(axes.moments[k], exact[k], Real(1))) << i << " " << draw << " " << k;
    }
  }
}

TEST(PrincipalAxes, OfEqualMomentsAreTheFrame) {
  EXPECT_EQ(principal_axes(mass_properties(Sphere{2})).pose.rotation(), Matrix3::Identity());
  EXPECT_EQ(principal_axes(mass_properties(Box{{2, 2, 2}})).pose.rotation(), Matrix3::Identity());
  // The least moment of a long cylinder is that about its axis.
  const PrincipalAxes rod = principal_axes(mass_properties(Cylinder{1, 10}));
  EXPECT_EQ(rod.pose.rotation().col(0), Vector3(0, 0, 1));
  EXPECT_EQ(rod.moments.y, rod.moments.z);
  const PrincipalAxes box = principal_axes(mass_properties(Box{{1, 2, 3}}));
  EXPECT_EQ(middle(box.moments), Vector3(2.5, 5, 6.5));
}

// --- refusals --------------------------------------------------------------------------------------------------------

struct Ring : RegisteredShape::Data {
  Aabb bounds(const Pose&) const override { return {Vector3::Constant(-2), Vector3::Constant(2)}; }
  double volume() const override { return 1; }
  Vector3 centroid() const override { return Vector3::Zero(); }
};

TEST(Mass, IsRefusedWithTheReason) {
  const auto refusal = [](const Shape& shape) { return error_of([&] { mass_properties(shape); }); };
  const auto says = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos ? testing::AssertionSuccess() : testing::AssertionFailure() << text;
  };
  EXPECT_TRUE(says(refusal(HalfSpace{}), "mass properties (half-space): it is unbounded"));
  EXPECT_TRUE(says(refusal(Plane{}), "(plane): it has no inside"));
  EXPECT_TRUE(says(refusal(Segment{{0, 0, 0}, {1, 0, 0}}), "(segment): it has no inside"));
  EXPECT_TRUE(says(refusal(Triangle{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}), "(triangle): it has no inside"));
  const std::vector<double> altitudes(4, 1.0);
  EXPECT_TRUE(says(refusal(HeightField(altitudes, 2, 2, 1, 1)), "(height field): it has no inside"));
  EXPECT_TRUE(says(refusal(Mesh(make::icosphere())), "(mesh): it is a surface; use a solid, Mesh::solid()"));
  static const ShapeKind ring = shapes::register_kind({.name = "mass-ring", .has_inside = true});
  EXPECT_TRUE(says(refusal(RegisteredShape(ring, std::make_shared<Ring>())), "(mass-ring): a kind that is not built"));

  for (const Shape& flat :
       {Shape(Sphere{0}), Shape(Capsule{0, 1}), Shape(Box{{1, 0, 1}}), Shape(Cylinder{1, 0}), Shape(Cone{0, 1}),
        Shape(Ellipsoid{{1, 1, 0}}), Shape(ConvexHull(std::vector<Vector3>{{0, 0, 0}, {1, 0, 0}, {0, 1, 1}})),
        Shape(SphereSet(std::vector<Vector3>{{1, 2, 3}}, std::vector<double>{0.0})),
        Shape(Compound({{Sphere{0}}, {Box{{0, 1, 1}}}}))})
    EXPECT_TRUE(says(refusal(flat), "its volume is 0")) << name(flat.kind());
  EXPECT_TRUE(says(refusal(Sphere{1e-120}), "cannot be told from 0"));

  // Closed but without volume: in a coordinate plane, and in another.
  const MeshData sheet = {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}, {0, 2, 1}}};
  EXPECT_TRUE(says(refusal(Mesh(sheet).solid()), "its volume is 0"));
  MeshData slanted = sheet;
  slanted.vertices = {{0.1, 0.2, 0.3}, {1.3, 0.7, 0.5}, {0.4, 1.1, 0.9}};
  EXPECT_TRUE(says(refusal(Mesh(slanted).solid()), "cannot be told from 0"));

  const Compound inner({{Sphere{1}}, {Mesh(make::icosphere())}});
  EXPECT_TRUE(
      says(refusal(Compound({{inner}, {Sphere{1}}})), "(compound): part 0 (compound): part 1 (mesh): it is a surface"));
  EXPECT_TRUE(says(refusal(Compound({{Sphere{1}}, {HalfSpace{}}})), "part 1 (half-space): it is unbounded"));
  EXPECT_TRUE(says(refusal(Compound({{Sphere{1}}, {Segment{}}})), "part 1 (segment): it has no inside"));

  Mesh mesh = Mesh(make::icosphere()).solid();
  const Shape taken = std::move(mesh);
  EXPECT_TRUE(says(refusal(mesh), "(mesh): Mesh: it is empty"));  // NOLINT: used after the move on purpose
}

}  // namespace
}  // namespace whisker::mass_test
