// Mass properties of shapes without a formula, against shapes that have one and against integrals over slices.

#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include <whisker/error.hpp>
#include <whisker/make/ground.hpp>
#include <whisker/make/make.hpp>
#include <whisker/make/rounded.hpp>
#include <whisker/mass.hpp>
#include <whisker/mesh_queries.hpp>
#include <whisker/shape.hpp>

#include "shapes/kind_traits.hpp"
#include "shapes/mass_body.hpp"
#include "support/cases.hpp"
#include "support/error_of.hpp"
#include "support/random_vectors.hpp"

namespace whisker::general_mass_test {
namespace {

using test::cases;
using test::error_of;
using test::normal_pose;
using test::random_vector;
using test::seeded;
using test::uniform;

/// How far apart the bounds are, relative to the volume and to the size.
struct Apart {
  double volume = 0, center = 0, covariance = 0;
};

/// Fails unless the bounds and tight bounds of the same body have a number in common, in every field.
Apart expect_same(const MassProperties& body, const MassProperties& truth) {
  Apart apart;
  const double size = std::sqrt(middle(truth.covariance).trace());
  EXPECT_TRUE(overlaps(body.volume, truth.volume)) << body.volume.lower << " " << body.volume.upper;
  EXPECT_EQ(body.mass, body.volume);
  apart.volume = width(body.volume) / middle(truth.volume);
  const IntervalMatrix3 inertia = body.inertia(), true_inertia = truth.inertia();
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_TRUE(overlaps(body.center[k], truth.center[k])) << k;
    apart.center = std::max(apart.center, width(body.center[k]) / size);
    for (std::size_t l = 0; l < 3; ++l) {
      EXPECT_TRUE(overlaps(body.covariance(k, l), truth.covariance(k, l))) << k << l;
      EXPECT_TRUE(overlaps(inertia(k, l), true_inertia(k, l))) << k << l;
      apart.covariance = std::max(apart.covariance, width(body.covariance(k, l)) / (size * size));
    }
  }
  const PrincipalAxes axes = principal_axes(body), true_axes = principal_axes(truth);
  for (std::size_t k = 0; k < 3; ++k)
    EXPECT_TRUE(overlaps(axes.moments[k], true_axes.moments[k])) << k;
  return apart;
}

void expect_same(const MassProperties& body, const MassProperties& truth, double volume, double others) {
  const Apart apart = expect_same(body, truth);
  EXPECT_LE(apart.volume, volume * 1.01);
  EXPECT_LE(apart.center, others);
  EXPECT_LE(apart.covariance, others);
}

CustomConvex custom(const Shape& shape, double error = 1e-14) {
  return CustomConvex([shape](const Vector3& d) { return shape.support(d); }, error);
}

// --- custom convex shapes --------------------------------------------------------------------------------------------

TEST(GeneralMass, OfCustomShapesIsThatOfTheShapesTheyCopy) {
  auto random = seeded(830);
  for (std::size_t i = 0; i < cases(4); ++i) {
    const auto length = [&] { return uniform(random, 0.3, 3); };
    std::vector<Vector3> points;
    for (int n = 0; n < 12; ++n)
      points.push_back(random_vector(random, 2) + Vector3(3, 0, 0));
    for (const Shape& shape :
         {Shape(Ellipsoid{{length(), length(), length()}}), Shape(Box{{length(), length(), length()}}),
          Shape(Cylinder{length(), length()}), Shape(Cone{length(), length()}), Shape(ConvexHull(points))}) {
      expect_same(mass_properties(custom(shape), {.tolerance = 0.01}), mass_properties(shape), 0.01, 0.03);
      if (i > 0) continue;
      const double r = uniform(random, 0.05, 1);
      expect_same(mass_properties(rounded(custom(shape), r), {.tolerance = 0.01}), mass_properties(rounded(shape, r)),
                  0.01, 0.03);
      if (HasFailure()) FAIL() << name(shape.kind()) << " in case " << i;
    }
  }
}

TEST(GeneralMass, OfCustomPolyhedraIsFoundExactly) {
  const Apart apart = expect_same(mass_properties(custom(Box{{1, 2, 3}}, 0)), mass_properties(Box{{1, 2, 3}}));
  EXPECT_LT(apart.volume, 1e-11);
  EXPECT_LT(apart.covariance, 1e-11);
}

TEST(GeneralMass, OfFlatCustomShapesNeedsARadius) {
  const Shape sheet = custom(Box{{1, 2, 0}});
  EXPECT_NE(error_of([&] { mass_properties(sheet); }).find("cannot be told from 0"), std::string::npos);
  expect_same(mass_properties(rounded(sheet, 0.1)), mass_properties(rounded(Box{{1, 2, 0}}, 0.1)), 1e-3, 5e-3);
}

TEST(GeneralMass, OfCustomShapesAllowsForTheDeclaredError) {
  // The function is off by up to its error, in either direction.
  auto random = seeded(831);
  const double error = 0.01;
  const CustomConvex rough(
      [&](const Vector3& d) -> Vector3 { return d.stableNormalized() * (1 + uniform(random, -error, error)); }, error);
  const MassProperties body = mass_properties(rough);
  expect_same(body, mass_properties(Sphere{1}));
  EXPECT_GT(width(body.volume), 3 * error);
  EXPECT_LT(width(body.volume), 20 * error * 4.2);
}

TEST(GeneralMass, BecomesTighterWithTheTolerance) {
  const Shape egg = custom(Ellipsoid{{1, 2, 3}});
  const MassProperties truth = mass_properties(Ellipsoid{{1, 2, 3}});
  for (const double tolerance : {0.1, 0.01, 0.001})
    expect_same(mass_properties(egg, {.tolerance = tolerance}), truth, tolerance, 3 * tolerance);
  const Apart coarse = expect_same(mass_properties(egg, {.tolerance = 1e-3, .max_steps = 200}), truth);
  EXPECT_GT(coarse.volume, 0.01);
}

// --- rounded meshes --------------------------------------------------------------------------------------------------

/// Adds a box, turned inside out if asked.
void add_box(MeshData& mesh, const Vector3& size, const Vector3& at, bool is_inside_out = false) {
  const auto first = static_cast<std::uint32_t>(mesh.vertices.size());
  for (int i = 0; i < 8; ++i) {
    const Vector3 corner((i & 1) != 0 ? 0.5 : -0.5, (i & 2) != 0 ? 0.5 : -0.5, (i & 4) != 0 ? 0.5 : -0.5);
    mesh.vertices.push_back(at + size.cwiseProduct(corner));
  }
  const std::array<std::array<std::uint32_t, 4>, 6> sides = {
      {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}}};
  for (const auto& side : sides) {
    for (Index3 t : {Index3{side[0], side[1], side[2]}, Index3{side[0], side[2], side[3]}}) {
      for (std::uint32_t& v : t)
        v += first;
      if (is_inside_out) std::swap(t[1], t[2]);
      mesh.triangles.push_back(t);
    }
  }
}

MassProperties boxes(const std::vector<std::pair<Vector3, Vector3>>& size_and_place, double r) {
  std::vector<CompoundPart> parts;
  for (const auto& [size, place] : size_and_place)
    parts.push_back({rounded(Box{size}, r), Pose(place)});
  return mass_properties(Compound(parts));
}

TEST(GeneralMass, OfRoundedMeshesOfSeveralPartsIsTheSumOfThem) {
  for (const double r : {0.4, 0.05, 1e-3}) {
    MeshData two;
    add_box(two, {1, 1, 1}, {-1, 0, 0});
    add_box(two, {1, 2, 0.5}, {1, 0.25, 0});
    const MassProperties truth = boxes({{{1, 1, 1}, {-1, 0, 0}}, {{1, 2, 0.5}, {1, 0.25, 0}}}, r);
    expect_same(mass_properties(rounded(Mesh(two).solid(), r), {.tolerance = 0.01}), truth, 0.01, 0.1);
    // Far away from the origin.
    for (Vector3& v : two.vertices)
      v += Vector3(1e6, 0, -1e6);
    const MassProperties far = truth.placed(Pose(Vector3(1e6, 0, -1e6)));
    expect_same(mass_properties(rounded(Mesh(two).solid(), r), {.tolerance = 0.01}), far, 0.01, 0.1);
    if (HasFailure()) FAIL() << r;
  }
}

TEST(GeneralMass, OfMeshesThatAreConvexIsTheSameByTheGeneralWay) {
  // A ball in a ball is not convex, because its surface winds twice around the middle. Each point counts once.
  const MeshData ball = make::icosphere();
  MeshData twice = ball;
  const auto count = static_cast<std::uint32_t>(ball.vertices.size());
  for (const Vector3& v : ball.vertices)
    twice.vertices.push_back(0.75 * v);
  for (const Index3& t : ball.triangles)
    twice.triangles.push_back({t[0] + count, t[1] + count, t[2] + count});
  for (const double r : {0.5, 0.02})
    expect_same(mass_properties(rounded(Mesh(twice).solid(), r), {.tolerance = 0.02}),
                mass_properties(rounded(Mesh(ball).solid(), r)), 0.02, 0.2);
}

TEST(GeneralMass, OfOpenMeshesIsThatOfAShell) {
  const MeshData sheet = {{{-0.5, -1, 0}, {0.5, -1, 0}, {0.5, 1, 0}, {-0.5, 1, 0}}, {{0, 1, 2}, {0, 2, 3}}};
  for (const double r : {1.0, 0.2, 0.05})
    expect_same(mass_properties(rounded(Mesh(sheet), r), {.tolerance = 0.01}), boxes({{{1, 2, 0}, {0, 0, 0}}}, r), 0.01,
                0.1);
  // A closed surface that is not solid is hollow.
  MeshData box;
  add_box(box, {2, 2, 2}, {0, 0, 0});
  const double r = 0.25, inner = 2 - 2 * r;
  const MassProperties shell = mass_properties(rounded(Mesh(box), r), {.tolerance = 0.01});
  const Interval truth = boxes({{{2, 2, 2}, {0, 0, 0}}}, r).volume - Interval(inner * inner * inner);
  EXPECT_TRUE(overlaps(shell.volume, truth));
  EXPECT_LT(width(shell.volume), 0.0101 * truth.upper);
  EXPECT_TRUE(contains(shell.center, Vector3(0, 0, 0)));
  // The hollow is as symmetric as the box.
  const Interval moment =
      boxes({{{2, 2, 2}, {0, 0, 0}}}, r).covariance(0, 0) * boxes({{{2, 2, 2}, {0, 0, 0}}}, r).volume;
  const Interval hollow = Interval(inner * inner * inner) * square(Interval(inner)) / 12;
  EXPECT_TRUE(overlaps(shell.covariance(1, 1), (moment - hollow) / truth));
}

TEST(GeneralMass, OfARoundedHeightFieldIsThatOfAShell) {
  const std::vector<double> flat(6, 0.25);
  const MassProperties body = mass_properties(rounded(HeightField(flat, 3, 2, 1, 1.5), 0.2), {.tolerance = 0.01});
  expect_same(body, boxes({{{2, 1.5, 0}, {1, 0.75, 0.25}}}, 0.2), 0.01, 0.1);
  // A fold, against the mesh of its triangles. The two bounds may differ, but contain the same truth.
  const std::vector<double> fold = {0, 1, 0, 0, 1, 0};
  const MeshData mesh{{{0, 0, 0}, {1, 0, 1}, {2, 0, 0}, {0, 1, 0}, {1, 1, 1}, {2, 1, 0}},
                      {{0, 1, 4}, {0, 4, 3}, {1, 2, 5}, {1, 5, 4}}};
  expect_same(mass_properties(rounded(HeightField(fold, 3, 2, 1, 1), 0.2), {.tolerance = 0.01}),
              mass_properties(rounded(Mesh(mesh), 0.2), {.tolerance = 0.01}), 0.01, 0.1);
}

TEST(GeneralMass, OfAHollowSolidKeepsTheCavity) {
  MeshData hollow;
  add_box(hollow, {2, 2, 2}, {0, 0, 0});
  add_box(hollow, {1, 1, 1}, {0, 0, 0}, true);
  for (const double r : {0.2, 0.01}) {
    const double inner = 1 - 2 * r;
    const MassProperties body = mass_properties(rounded(Mesh(hollow).solid(), r), {.tolerance = 0.01});
    const MassProperties box = boxes({{{2, 2, 2}, {0, 0, 0}}}, r);
    const Interval cavity = Interval(inner * inner * inner);
    const Interval truth = box.volume - cavity;
    EXPECT_TRUE(overlaps(body.volume, truth)) << r;
    EXPECT_LT(width(body.volume), 0.0101 * truth.upper);
    EXPECT_TRUE(overlaps(body.covariance(2, 2),
                         (box.volume * box.covariance(2, 2) - cavity * square(Interval(inner)) / 12) / truth));
  }
}

TEST(GeneralMass, OfAPartThatIsInsideOutCountsItAsSolid) {
  // The winding number is -1 in it, which is not 0.
  MeshData mesh;
  add_box(mesh, {2, 2, 2}, {-2, 0, 0});
  add_box(mesh, {1, 1, 1}, {1.5, 0, 0}, true);
  for (const double r : {0.3, 0.01}) {
    const MassProperties body = mass_properties(rounded(Mesh(mesh).solid(), r), {.tolerance = 0.02});
    expect_same(body, boxes({{{2, 2, 2}, {-2, 0, 0}}, {{1, 1, 1}, {1.5, 0, 0}}}, r), 0.02, 0.2);
  }
}

TEST(GeneralMass, OfAnAngleFillsItsInnerEdge) {
  // An L of height 1, from two boxes that share a square. At a distance ρ around the L, in its plane, the area is
  // A + P ρ + (5π/4 - 1) ρ²: five outer corners, and one inner corner where two strips overlap.
  const std::vector<Vector3> corners = {{0, 0, 0}, {2, 0, 0}, {2, 1, 0}, {1, 1, 0}, {1, 2, 0}, {0, 2, 0}};
  MeshData angle;
  for (const double z : {0.0, 1.0})
    for (const Vector3& v : corners)
      angle.vertices.push_back(v + Vector3(0, 0, z));
  for (const Index3& t : {Index3{0, 1, 2}, Index3{0, 2, 3}, Index3{0, 3, 4}, Index3{0, 4, 5}}) {
    angle.triangles.push_back({t[0], t[2], t[1]});
    angle.triangles.push_back({t[0] + 6, t[1] + 6, t[2] + 6});
  }
  for (std::uint32_t i = 0; i < 6; ++i) {
    const std::uint32_t j = (i + 1) % 6;
    angle.triangles.push_back({i, j, j + 6});
    angle.triangles.push_back({i, j + 6, i + 6});
  }
  for (const double r : {0.5, 0.1, 0.01}) {
    const MassProperties body = mass_properties(rounded(Mesh(angle).solid(), r), {.tolerance = 0.005});
    const double pi = std::numbers::pi, bend = 5 * pi / 4 - 1;
    // The slices between the heights 0 and 1, and those of the radius √(r² - z²) above and below.
    const double truth = (3 + 8 * r + bend * r * r) + 2 * (3 * r + 8 * pi * r * r / 4 + bend * 2 * r * r * r / 3);
    EXPECT_LT(body.volume.lower, truth * (1 + 1e-12)) << r;
    EXPECT_GT(body.volume.upper, truth * (1 - 1e-12)) << r;
    EXPECT_LT(width(body.volume), 0.00505 * truth) << r;
    EXPECT_TRUE(contains(body.center.z, 0.5));
    EXPECT_TRUE(overlaps(body.center.x, body.center.y));
  }
}

TEST(GeneralMass, OfRoundedMeshesAgreesWithSamples) {
  auto random = seeded(832);
  const std::vector<Shape> shapes = {rounded(Mesh(make::torus()).solid(), 0.1),
                                     rounded(Mesh(make::gear()).solid(), 0.3), rounded(Mesh(make::torus()), 0.05)};
  for (const Shape& shape : shapes) {
    const MassProperties body = mass_properties(shape, {.tolerance = 0.05});
    const Aabb box = shape.bounds({});
    const Vector3 size = box.upper - box.lower;
    const int count = 20000;
    double inside = 0;
    Vector3 first = Vector3::Zero();
    Matrix3 second = Matrix3::Zero();
    for (int i = 0; i < count; ++i) {
      const Vector3 x =
          box.lower + size.cwiseProduct(Vector3(uniform(random, 0, 1), uniform(random, 0, 1), uniform(random, 0, 1)));
      if (!contains(shape, x)) continue;
      ++inside;
      first += x;
      second += x * x.transpose();
    }
    first /= inside;
    second = second / inside - first * first.transpose();
    // Five standard deviations.
    const double share = inside / count, doubt = 5 * std::sqrt(1 / inside);
    const double volume = share * size.prod(), extent = std::sqrt(second.trace());
    EXPECT_LT(body.volume.lower, volume * (1 + doubt));
    EXPECT_GT(body.volume.upper, volume * (1 - doubt));
    for (std::size_t k = 0; k < 3; ++k) {
      const double at = first[static_cast<int>(k)];
      EXPECT_TRUE(overlaps(body.center[k], Interval(at - doubt * extent, at + doubt * extent)));
      for (std::size_t l = 0; l < 3; ++l) {
        const double entry = second(static_cast<int>(k), static_cast<int>(l)), more = 3 * doubt * extent * extent;
        EXPECT_TRUE(overlaps(body.covariance(k, l), Interval(entry - more, entry + more)));
      }
    }
  }
}

// --- other shapes, and refusals --------------------------------------------------------------------------------------

TEST(GeneralMass, OfRoundedCompoundsAndSetsIsThatOfTheirParts) {
  const double r = 0.3;
  const Compound parts({{Box{{1, 2, 3}}, Pose(Vector3(1, 0, 0))}, {Sphere{0.5}}, {custom(Box{{1, 1, 1}})}});
  const MassOptions options{.tolerance = 0.01};
  const std::vector<MassProperties> bodies = {
      mass_properties(rounded(Box{{1, 2, 3}}, r)).placed(Pose(Vector3(1, 0, 0))), mass_properties(Sphere{0.8}),
      mass_properties(rounded(Box{{1, 1, 1}}, r))};
  expect_same(mass_properties(rounded(parts, r), options), combined(bodies), 0.01, 0.03);
  // Nested, and with other options than those whose result is kept.
  const Compound nested({{rounded(parts, r)}, {rounded(parts, r), Pose(Vector3(9, 0, 0))}});
  const Interval loose = mass_properties(nested, {.tolerance = 0.2}).volume;
  const Interval tight = mass_properties(nested, options).volume;
  EXPECT_LT(width(tight), width(loose));
  EXPECT_TRUE(overlaps(tight, 2 * combined(bodies).volume));

  const Shape set = SphereSet(std::vector<Vector3>{{0, 0, 0}, {1, 0, 0}}, std::vector<double>{0.5, 0.25});
  const Shape grown = SphereSet(std::vector<Vector3>{{0, 0, 0}, {1, 0, 0}}, std::vector<double>{0.5 + r, 0.25 + r});
  expect_same(mass_properties(rounded(set, r)), mass_properties(grown), 1e-14, 1e-14);
  expect_same(mass_properties(rounded(rounded(Box{{1, 2, 3}}, 0.25), 0.5)),
              mass_properties(rounded(Box{{1, 2, 3}}, 0.75)), 1e-14, 1e-14);
  EXPECT_EQ(mass_properties(rounded(Cone{1, 2}, 0)).volume, mass_properties(Cone{1, 2}).volume);
}

TEST(GeneralMass, ApproachesTheShapeAndTheBall) {
  std::vector<Vector3> points = {{0, 0, 0}, {2, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};
  for (const Shape& shape : {Shape(ConvexHull(points)), Shape(Box{{1, 2, 3}}), Shape(Cylinder{1, 2}), Shape(Cone{1, 2}),
                             Shape(Ellipsoid{{1, 2, 3}})}) {
    const MassProperties alone = mass_properties(shape);
    for (const double r : {1e-100, 1e-30, 1e-9}) {
      const MassProperties body = mass_properties(rounded(shape, r));
      EXPECT_NEAR(middle(body.volume) / middle(alone.volume), 1, 1e-12 + 10 * r) << name(shape.kind());
      EXPECT_LT((middle(body.covariance) - middle(alone.covariance)).norm(), 1e-12 + 20 * r) << name(shape.kind());
      EXPECT_LT(width(body.volume), 1e-11);
      EXPECT_LE(alone.volume.lower, body.volume.upper);
    }
    for (const double r : {1e9, 1e30, 1e80}) {
      const MassProperties body = mass_properties(rounded(shape, r)), ball = mass_properties(Sphere{r});
      EXPECT_NEAR(middle(body.volume) / middle(ball.volume), 1, 1e-12 + 20 / r) << name(shape.kind());
      EXPECT_NEAR(middle(body.covariance)(1, 1) / middle(ball.covariance)(1, 1), 1, 1e-12 + 20 / r);
      EXPECT_GE(body.volume.upper, ball.volume.lower);
      EXPECT_LT(width(body.volume) / body.volume.lower, 1e-13);
    }
  }
}

TEST(GeneralMass, OfThinShapesIsStillTight) {
  // A needle, a sliver and a thin disk, compared with what they nearly are.
  const MassProperties rod = mass_properties(Capsule{0.5, 2});
  for (const double thin : {1e-8, 1e-20, 1e-40, 1e-200}) {
    for (const Shape& shape :
         {Shape(Ellipsoid{{thin, thin, 1}}), Shape(Box{{thin, thin, 2}}), Shape(Cylinder{thin, 2}),
          Shape(Triangle{{0, 0, -1}, {0, 0, 1}, {thin, 0, 0}}),
          Shape(ConvexHull(std::vector<Vector3>{{0, 0, -1}, {0, 0, 1}, {thin, 0, 0}, {0, thin, 0.5}}))}) {
      const MassProperties body = mass_properties(rounded(shape, 0.5));
      if (thin < 1e-150 && shape.kind() == ShapeKind::convex_hull) {
        EXPECT_TRUE(overlaps(body.volume, rod.volume));  // areas underflow, so its angles are not known
        continue;
      }
      EXPECT_NEAR(middle(body.volume) / middle(rod.volume), 1, 1e-12 + 10 * thin) << name(shape.kind()) << thin;
      EXPECT_LT(width(body.volume), 1e-12) << name(shape.kind()) << thin;
      EXPECT_LT((middle(body.covariance) - middle(rod.covariance)).norm(), 1e-12 + 10 * thin)
          << name(shape.kind()) << thin;
      for (const Interval& entry : body.covariance.entry)
        EXPECT_LT(width(entry), 1e-12) << name(shape.kind()) << thin;
    }
    const MassProperties disk = mass_properties(rounded(Ellipsoid{{1, 1, 0}}, 0.5));
    const MassProperties thick = mass_properties(rounded(Ellipsoid{{1, 1, thin}}, 0.5));
    EXPECT_NEAR(middle(thick.volume) / middle(disk.volume), 1, 1e-12 + 10 * thin);
    EXPECT_LT(width(thick.volume), 1e-11);
  }
}

struct HalfTorus : RegisteredShape::Data, shapes::WithMass {
  Aabb bounds(const Pose&) const override { return {Vector3::Constant(-2), Vector3::Constant(2)}; }
  double volume() const override { return 1; }
  Vector3 centroid() const override { return Vector3(3, 0, 0); }
  shapes::MassBody mass() const override {
    return {.volume = 2, .offset = {3, 0, 0}, .covariance = IntervalMatrix3::identity()};
  }
};

TEST(GeneralMass, OfARegisteredKindIsWhatItProvides) {
  static const ShapeKind kind = shapes::register_kind({.name = "half-torus", .has_inside = true});
  const Shape shape = RegisteredShape(kind, std::make_shared<HalfTorus>());
  EXPECT_EQ(mass_properties(shape).volume, Interval(2));
  EXPECT_EQ(mass_properties(shape).center, IntervalVector3(Vector3(3, 0, 0)));
  EXPECT_NE(error_of([&] { mass_properties(rounded(shape, 1)); }).find("no method for a rounded half-torus"),
            std::string::npos);
}

TEST(GeneralMass, IsRefusedWithTheReason) {
  const auto refusal = [](const Shape& shape, const MassOptions& options = {}) {
    return error_of([&] { mass_properties(shape, options); });
  };
  const auto says = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos ? testing::AssertionSuccess() : testing::AssertionFailure() << text;
  };
  const std::vector<double> altitudes(4, 1.0);
  const HeightField land(altitudes, 2, 2, 1, 1);
  EXPECT_TRUE(says(refusal(ground(land)), "(ground): it is unbounded"));
  EXPECT_TRUE(says(refusal(rounded(ground(land), 0.5)), "(rounded ground): it is unbounded"));
  // A rounded field is a shell: here a square with a radius, 1 by 1.
  const Interval shell = mass_properties(rounded(land, 0.5), {.tolerance = 0.05}).volume;
  const double square = 1 + std::numbers::pi / 2 + std::numbers::pi / 6;
  EXPECT_LE(shell.lower, square);
  EXPECT_GE(shell.upper, square);
  EXPECT_TRUE(says(refusal(rounded(HalfSpace{}, 0.5)), "(half-space): it is unbounded"));
  const Shape skin = rounded(Mesh(make::icosphere()), 1e-9);
  EXPECT_TRUE(says(refusal(skin, {.max_steps = 1000}), "not proven to be positive after"));
  for (const double bad : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_TRUE(says(refusal(skin, {.tolerance = bad}), "the tolerance must be positive and finite"));
  EXPECT_TRUE(says(refusal(skin, {.max_steps = 0}), "max_steps is 0"));
  const CustomConvex broken([calls = 0](const Vector3& d) mutable -> Vector3 {
    return ++calls > 40 ? Vector3::Constant(std::numeric_limits<double>::quiet_NaN()) : Vector3(d.normalized());
  });
  EXPECT_TRUE(says(refusal(broken), "not finite"));
}

}  // namespace
}  // namespace whisker::general_mass_test
