// The curves in which a plane cuts a surface, against all triangles in exact rationals and against closed forms.

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/compound.hpp>
#include <whisker/height_field.hpp>
#include <whisker/make/make.hpp>
#include <whisker/mesh_queries.hpp>

#include "support/error_of.hpp"
#include "support/mesh_cases.hpp"
#include "support/section_truth.hpp"

namespace whisker {
namespace {

using test::cases;
using test::SectionTruth;
using test::seeded;

const Plane xy_plane{.normal = {0, 0, 1}, .offset = 0};

/// The signed area of a curve in a plane with this unit normal.
double section_area(const Polyline& curve, const Vector3& normal) {
  double sum = 0;
  for (std::size_t i = 0; i < curve.points.size(); ++i) {
    const Vector3 p = curve.points[i] - curve.points[0],
                  q = curve.points[(i + 1) % curve.points.size()] - curve.points[0];
    sum += normal.dot(p.cross(q)) / 2;
  }
  return sum;
}

/// A mesh, its pose and a plane, with what their section must be.
struct SectionCase {
  MeshData data;
  Pose pose;
  Plane plane;
  Pose plane_pose;

  std::vector<Polyline> find() const { return section({Mesh(data), pose}, {plane, plane_pose}); }
  std::string check(bool is_closed) const {
    return SectionTruth(data, pose, plane, plane_pose).difference(find(), is_closed);
  }
};

TEST(Section, OfABoxIsItsOutlineWithTheInsideOnTheLeft) {
  const Shape box = Mesh(make::box({.size_x = 2, .size_y = 3, .size_z = 4}));
  for (const double height : {-1.9, 0.0, 0.5}) {
    const std::vector<Polyline> found = section(box, Plane{.normal = {0, 0, 2}, .offset = 2 * height});
    ASSERT_EQ(found.size(), 1u);
    EXPECT_TRUE(found[0].closed);
    EXPECT_NEAR(section_area(found[0], Vector3::UnitZ()), 6, 1e-14);
    const std::vector<Polyline> turned = section(box, Plane{.normal = {0, 0, -1}, .offset = -height});
    ASSERT_EQ(turned.size(), 1u);
    EXPECT_NEAR(section_area(turned[0], -Vector3::UnitZ()), 6, 1e-14) << "counter-clockwise from the other side too";
  }
}

TEST(Section, OfACubeAcrossItsDiagonalIsAHexagon) {
  // Through the midpoints of six edges, and of the diagonals of six faces.
  const std::vector<Polyline> found = section(Mesh(make::box()), Plane{.normal = {1, 1, 1}, .offset = 0});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].closed);
  EXPECT_NEAR(section_area(found[0], Vector3(1, 1, 1).normalized()), 3 * std::sqrt(3.0) / 4, 1e-15);
}

TEST(Section, OfABallIsACircle) {
  const Shape ball = Mesh(make::icosphere({.radius = 2, .subdivisions = 5}));
  const Vector3 normal = Vector3(1, 2, -3).normalized();
  for (const double offset : {-1.5, 0.0, 0.4}) {
    const std::vector<Polyline> found = section(ball, Plane{normal, offset});
    ASSERT_EQ(found.size(), 1u);
    EXPECT_TRUE(found[0].closed);
    EXPECT_NEAR(section_area(found[0], normal), std::numbers::pi * (4 - offset * offset), 0.03);
  }
}

TEST(Section, OfATorusHasAHoleThatGoesClockwise) {
  const Shape torus = Mesh(make::torus({.major = 3, .minor = 1, .around = 400, .across = 100}));
  const std::vector<Polyline> across = section(torus, Plane{{0, 0, 1}, 0.3});
  ASSERT_EQ(across.size(), 2u);
  const double half = std::sqrt(1 - 0.09), pi = std::numbers::pi;
  double areas[2] = {section_area(across[0], Vector3::UnitZ()), section_area(across[1], Vector3::UnitZ())};
  std::sort(areas, areas + 2);
  EXPECT_NEAR(areas[0], -pi * (3 - half) * (3 - half), 0.05);
  EXPECT_NEAR(areas[1], pi * (3 + half) * (3 + half), 0.05);
  const std::vector<Polyline> along = section(torus, Plane{{1, 0, 0}, 0.001});
  ASSERT_EQ(along.size(), 2u) << "through the axis: two discs";
  for (const Polyline& disc : along)
    EXPECT_NEAR(section_area(disc, Vector3::UnitX()), pi, 0.01);
}

TEST(Section, ThroughAFaceIsItsOutlineOnceFromEitherSide) {
  const SectionCase top{make::box({.subdivisions = 3}), {}, {{0, 0, 1}, 0.5}, {}};
  const SectionCase bottom{make::box({.subdivisions = 3}), {}, {{0, 0, 1}, -0.5}, {}};
  for (const SectionCase* const one : {&top, &bottom}) {
    EXPECT_EQ(one->check(true), "");
    const std::vector<Polyline> found = one->find();
    ASSERT_EQ(found.size(), 1u);
    EXPECT_TRUE(found[0].closed);
    EXPECT_EQ(found[0].points.size(), 12u);
    EXPECT_NEAR(section_area(found[0], Vector3::UnitZ()), 1, 1e-15) << "the face is on the left";
  }
}

TEST(Section, OfAnOpenSheetInThePlaneIsItsBorder) {
  for (const bool is_turned : {false, true}) {
    const MeshData sheet = test::integer_sheet(4, 3);
    const SectionCase one{is_turned ? test::reversed(sheet) : sheet, {}, xy_plane, {}};
    EXPECT_EQ(one.check(false), "");
    const std::vector<Polyline> found = one.find();
    ASSERT_EQ(found.size(), 1u);
    EXPECT_TRUE(found[0].closed);
    EXPECT_EQ(section_area(found[0], Vector3::UnitZ()), 12) << "whichever way the sheet faces";
  }
}

TEST(Section, TrianglesWithoutAreaAreInsideWhatLiesInThePlane) {
  // A square whose diagonal has a vertex on one side only, with a triangle without area between the two sides.
  MeshData square;
  square.vertices = {{0, 0, 0}, {2, 0, 0}, {2, 2, 0}, {0, 2, 0}, {1, 1, 0}};
  square.triangles = {{0, 1, 2}, {0, 2, 4}, {0, 4, 3}, {4, 2, 3}};
  for (const MeshData& data : {square, test::reversed(square)}) {
    const std::vector<Polyline> found = section(Mesh(data), xy_plane);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_TRUE(found[0].closed);
    EXPECT_EQ(found[0].points.size(), 4u);
    EXPECT_EQ(section_area(found[0], Vector3::UnitZ()), 4);
  }
  // Placed so far away that all vertices are the same point, which lies on the plane.
  const Pose far(Vector3(1e30, 0, 0));
  for (const Polyline& curve : section({Mesh(test::scaled(square, 1e-3)), far}, {xy_plane, far}))
    for (const Vector3& point : curve.points)
      EXPECT_EQ(point.x(), 1e30);
}

TEST(Section, ThroughAStepIsTheLowerOutlineAndTheFootOfTheUpperPart) {
  // Stairs: a box from z = -1 to 0, and on half of its top a box up to z = 1, as one closed surface.
  MeshData stairs;
  stairs.vertices = {{0, 0, -1}, {2, 0, -1}, {2, 1, -1}, {0, 1, -1}, {0, 0, 0}, {2, 0, 0}, {2, 1, 0},
                     {0, 1, 0},  {1, 0, 0},  {1, 1, 0},  {0, 0, 1},  {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
  const auto quad = [&](std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
    stairs.triangles.push_back({a, b, c});
    stairs.triangles.push_back({a, c, d});
  };
  quad(0, 3, 2, 1);  // the bottom
  quad(1, 2, 6, 5);  // x = 2
  quad(3, 0, 4, 7);  // x = 0, below and above
  quad(7, 4, 10, 13);
  quad(4, 8, 11, 10);  // y = 0 above, and below
  stairs.triangles.push_back({0, 1, 8});
  stairs.triangles.push_back({0, 8, 4});
  stairs.triangles.push_back({1, 5, 8});
  quad(9, 7, 13, 12);  // y = 1 above, and below
  stairs.triangles.push_back({2, 3, 9});
  stairs.triangles.push_back({3, 7, 9});
  stairs.triangles.push_back({2, 9, 6});
  quad(8, 5, 6, 9);      // the tread
  quad(8, 9, 12, 11);    // the riser
  quad(10, 11, 12, 13);  // the top
  const SectionCase one{stairs, {}, xy_plane, {}};
  ASSERT_TRUE(Mesh(stairs).can_be_solid());
  EXPECT_EQ(one.check(true), "");
  const std::vector<Polyline> found = one.find();
  ASSERT_EQ(found.size(), 2u);
  EXPECT_TRUE(found[0].closed);
  EXPECT_EQ(section_area(found[0], Vector3::UnitZ()), 2);
  EXPECT_FALSE(found[1].closed);
  EXPECT_EQ(found[1].points, (std::vector<Vector3>{{1, 0, 0}, {1, 1, 0}})) << "the upper part is on the left";
}

TEST(Section, ReportsRidgesAndVerticesThatOnlyTouch) {
  // A roof below the plane, whose ridge touches it, and a spike above it, whose tip does.
  MeshData roof;
  roof.vertices = {{0, 0, -1}, {3, 0, -1}, {3, 2, -1}, {0, 2, -1}, {1, 1, 0}, {2, 1, 0}};
  roof.triangles = {{0, 1, 5}, {0, 5, 4}, {1, 2, 5}, {2, 3, 4}, {2, 4, 5}, {3, 0, 4}, {0, 3, 2}, {0, 2, 1}};
  MeshData spike;
  spike.vertices = {{9, 9, 0}, {9, 8, 1}, {10, 10, 1}, {8, 10, 1}};
  spike.triangles = {{0, 2, 1}, {0, 3, 2}, {0, 1, 3}, {1, 2, 3}};
  const SectionCase one{test::joined(roof, spike), {}, xy_plane, {}};
  EXPECT_EQ(one.check(true), "");
  const std::vector<Polyline> found = one.find();
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].points, (std::vector<Vector3>{{1, 1, 0}, {2, 1, 0}}));
  EXPECT_FALSE(found[0].closed);
  EXPECT_EQ(found[1].points, (std::vector<Vector3>{{9, 9, 0}}));
  EXPECT_FALSE(found[1].closed);
}

TEST(Section, ThroughASaddleSplitsTheCurvesAtTheVertex) {
  // Two square pyramids of walls that meet in one vertex on the plane: two loops, not an eight.
  const SectionCase one{test::joined(test::moved(make::box({.subdivisions = 2}), {0.5, 0.5, 0}),
                                     test::moved(make::box({.subdivisions = 2}), {-0.5, -0.5, 0})),
                        {},
                        xy_plane,
                        {}};
  const std::vector<Polyline> found = one.find();
  EXPECT_EQ(one.check(true), "");
  ASSERT_EQ(found.size(), 2u);
  for (const Polyline& curve : found)
    EXPECT_NEAR(section_area(curve, Vector3::UnitZ()), 1, 1e-15);
}

TEST(Section, JoinsVerticesAtEqualPositions) {
  const MeshData torus = make::torus({.around = 20, .across = 12});
  const Plane plane{{0.05, 0.1, 1}, 0.05};
  const std::vector<Polyline> shared = section(Mesh(torus), plane), apart = section(Mesh(test::unshared(torus)), plane);
  ASSERT_EQ(shared.size(), apart.size());
  EXPECT_EQ(shared.size(), 2u);
  for (const Polyline& curve : apart)
    EXPECT_TRUE(curve.closed);
  EXPECT_EQ((SectionCase{test::unshared(torus), {}, plane, {}}.check(true)), "");
}

/// A plane of one of several kinds at a placed mesh.
void choose_plane(std::mt19937_64& random, std::size_t kind, SectionCase& one) {
  const auto vertex = [&] { return place(one.pose, one.data.vertices[random() % one.data.vertices.size()]); };
  const double size = test::bounds_of(one.data).upper.cwiseAbs().maxCoeff();
  switch (kind) {
    case 0:  // anywhere
      one.plane = {test::random_vector(random), 0};
      one.plane.offset = one.plane.normal.dot(one.pose.translation()) + size * test::uniform(random, -0.5, 0.5);
      return;
    case 1:  // exactly through a vertex
      one.plane = {test::random_vector(random), 0};
      one.plane_pose = Pose(test::scenes::any_rotation(random), vertex());
      return;
    case 2: {  // along an axis, at the height of a vertex
      const int axis = test::whole(random, 0, 2);
      one.plane = {Vector3::Zero(), vertex()[axis] * 2};
      one.plane.normal[axis] = 2;
      if (test::whole(random, 0, 1) == 0) one.plane = {-one.plane.normal, -one.plane.offset};
      return;
    }
    default: {  // through the three corners of a triangle, up to rounding, or exactly if they are small integers
      const Index3& t = one.data.triangles[random() % one.data.triangles.size()];
      const Vector3 a = place(one.pose, one.data.vertices[t[0]]), b = place(one.pose, one.data.vertices[t[1]]),
                    c = place(one.pose, one.data.vertices[t[2]]);
      const Vector3 normal = (b - a).cross(c - a);
      if (normal.isZero(0)) return;
      one.plane = {normal * std::ldexp(1.0, -std::ilogb(normal.cwiseAbs().maxCoeff())), 0};
      one.plane_pose = Pose(a);
      return;
    }
  }
}

TEST(Section, OfEveryModelIsThatOfAllItsTriangles) {
  auto random = seeded(7201);
  std::size_t cut = 0, through = 0;
  const std::size_t models = test::small_models().size();
  for (std::size_t i = 0; i < cases(480); ++i) {
    const test::Model& model = test::small_models()[i % models];
    SectionCase one{model.data, {}, {}, {}};
    // In place, turned, and far away; at other sizes.
    const double size = i % 7 != 0 ? 1 : i % 2 == 0 ? 1e80 : 1e-150;
    one.data = test::scaled(one.data, size);
    if (i / models % 3 == 1) one.pose = test::random_pose(random, size);
    if (i / models % 3 == 2) one.pose = test::random_pose(random, 1e9 * size);
    choose_plane(random, i / models % 4, one);
    const SectionTruth truth(one.data, one.pose, one.plane, one.plane_pose);
    // The chair's boxes touch each other: its edges in the plane have more than two triangles.
    const bool is_closed = model.closed && model.name != "chair";
    ASSERT_EQ(truth.difference(one.find(), is_closed), "") << model.name << " " << i;
    cut += static_cast<std::size_t>(truth.segments.size() > 2);
    through += static_cast<std::size_t>(std::any_of(truth.nodes.begin(), truth.nodes.end(), [](const auto& node) {
      return node.first.first == node.first.second;
    }));
  }
  EXPECT_GT(cut, cases(250));
  EXPECT_GT(through, cases(150));
}

/// The surface of random cells of a grid of 3 × 3 × 3, as triangles with shared vertices. Full of faces, edges and
/// vertices in planes between the cells. Edges where four faces meet occur.
MeshData cell_surface(std::mt19937_64& random) {
  bool full[5][5][5] = {};
  for (int x = 1; x < 4; ++x)
    for (int y = 1; y < 4; ++y)
      for (int z = 1; z < 4; ++z)
        full[x][y][z] = test::whole(random, 0, 2) > 0;
  MeshData data;
  for (int x = 0; x < 5; ++x)
    for (int y = 0; y < 5; ++y)
      for (int z = 0; z < 5; ++z)
        data.vertices.emplace_back(x, y, z);
  const auto vertex = [](const Vector3& p) {
    return static_cast<std::uint32_t>(std::lround(p.x() * 25 + p.y() * 5 + p.z()));
  };
  for (int x = 1; x < 4; ++x) {
    for (int y = 1; y < 4; ++y) {
      for (int z = 1; z < 4; ++z) {
        if (!full[x][y][z]) continue;
        for (int axis = 0; axis < 3; ++axis) {
          for (const int toward : {0, 1}) {
            const int next[3] = {x + (axis == 0 ? 2 * toward - 1 : 0), y + (axis == 1 ? 2 * toward - 1 : 0),
                                 z + (axis == 2 ? 2 * toward - 1 : 0)};
            if (full[next[0]][next[1]][next[2]]) continue;
            Vector3 corner(x, y, z), u = Vector3::Zero(), v = Vector3::Zero();
            corner[axis] += toward;
            u[(axis + 1) % 3] = 1;
            v[(axis + 2) % 3] = 1;
            if (toward == 0) std::swap(u, v);
            const std::uint32_t a = vertex(corner), b = vertex(corner + u), c = vertex(corner + u + v),
                                d = vertex(corner + v);
            data.triangles.push_back({a, b, c});
            data.triangles.push_back({a, c, d});
          }
        }
      }
    }
  }
  return data;
}

TEST(Section, OfRandomCellsThroughTheirFacesEdgesAndVertices) {
  auto random = seeded(7202);
  std::size_t whole_loops = 0;
  for (std::size_t i = 0; i < cases(600); ++i) {
    SectionCase one{cell_surface(random), {}, {}, {}};
    if (one.data.triangles.empty()) continue;
    if (i % 4 == 0) one.pose = Pose(Vector3(1e7, -3, 5));
    // Planes with small integers pass exactly through many vertices, and along faces and edges.
    one.plane = {test::scenes::integer_vector(random, 1 + static_cast<int>(i % 2)), 0};
    if (one.plane.normal.isZero(0)) one.plane.normal = Vector3::UnitX();
    one.plane.offset = one.plane.normal.dot(one.pose.translation()) + test::whole(random, 0, 12);
    const SectionTruth truth(one.data, one.pose, one.plane, one.plane_pose);
    const std::vector<Polyline> found = one.find();
    ASSERT_EQ(truth.difference(found, false), "") << i;
    // The surface is closed, so every step that is part of the curves just below is part of a loop.
    for (const Polyline& curve : found)
      whole_loops += static_cast<std::size_t>(curve.closed);
    if (one.plane.normal.cwiseAbs().sum() == 1) {
      ASSERT_EQ(truth.difference(found, true), "") << i;
    }
  }
  EXPECT_GT(whole_loops, cases(200));
}

TEST(Section, IsTheSameForEveryTreeAndForAnyCopy) {
  const MeshData data = test::medium_models()[3].data;
  const Plane plane{{0.3, -0.2, 0.9}, 0.04};
  const std::vector<Polyline> first = section(Mesh(data), plane);
  ASSERT_FALSE(first.empty());
  for (const Split split : test::all_splits) {
    const std::vector<Polyline> other = section(Mesh(data, {.split = split}), plane);
    ASSERT_EQ(other.size(), first.size());
    for (std::size_t i = 0; i < first.size(); ++i) {
      EXPECT_EQ(other[i].points, first[i].points);
      EXPECT_EQ(other[i].closed, first[i].closed);
    }
  }
}

TEST(Section, CostsAsMuchAsWhatItFinds) {
  const Plane plane{{0.2, 0.1, 1}, 0.3};
  Cost small, large;
  const std::size_t points = section(Mesh(make::icosphere({.subdivisions = 4})), plane, &small)[0].points.size();
  const std::size_t more = section(Mesh(make::icosphere({.subdivisions = 7})), plane, &large)[0].points.size();
  // Eight times as many triangles are cut, of sixty-four times as many.
  EXPECT_GT(small.primitive_tests, 0u);
  EXPECT_NEAR(static_cast<double>(more) / static_cast<double>(points), 8, 1);
  EXPECT_LT(large.primitive_tests, 4 * more);
  EXPECT_LT(large.volume_tests, 12 * small.volume_tests);
  EXPECT_LT(large.volume_tests + large.primitive_tests, 327'680u / 20);
  // Far away, nothing is looked at but the root's children.
  Cost none;
  EXPECT_TRUE(section(Mesh(make::icosphere({.subdivisions = 7})), Plane{{0, 0, 1}, 5}, &none).empty());
  EXPECT_LE(none.volume_tests, 9u);
  EXPECT_EQ(none.primitive_tests, 0u);
}

TEST(Section, OfAHeightFieldIsThatOfItsTriangles) {
  auto random = seeded(7203);
  for (std::size_t i = 0; i < cases(40); ++i) {
    std::vector<double> heights;
    for (int k = 0; k < 9 * 7; ++k)
      heights.push_back(i % 2 == 0 ? test::whole(random, -1, 1) : test::uniform(random, -1, 1));
    const HeightField field(heights, 9, 7, 0.5, 0.75);
    SectionCase one{{}, i % 3 == 0 ? Pose() : test::random_pose(random, 2), {}, {}};
    for (std::size_t j = 0; j < 7; ++j)
      for (std::size_t k = 0; k < 9; ++k)
        one.data.vertices.push_back(field.vertex(k, j));
    for (std::uint32_t j = 0; j < 6; ++j) {
      for (std::uint32_t k = 0; k < 8; ++k) {
        const std::uint32_t a = j * 9 + k;
        one.data.triangles.push_back({a, a + 1, a + 10});
        one.data.triangles.push_back({a, a + 10, a + 9});
      }
    }
    choose_plane(random, i % 4, one);
    if (i % 3 == 0) one.plane = xy_plane;  // also through the vertices at height 0
    const std::vector<Polyline> found = section({field, one.pose}, {one.plane, one.plane_pose});
    ASSERT_EQ(SectionTruth(one.data, one.pose, one.plane, one.plane_pose).difference(found, false), "") << i;
    const std::vector<Polyline> mesh = one.find();
    ASSERT_EQ(mesh.size(), found.size());
    for (std::size_t k = 0; k < mesh.size(); ++k)
      ASSERT_EQ(mesh[k].points, found[k].points);
  }
  Cost cost;
  std::vector<double> slope;
  for (int k = 0; k < 200 * 200; ++k)
    slope.push_back(k / 200 * 0.1);
  section(HeightField(slope, 200, 200, 1, 1), Plane{{0, 0, 1}, 10.05}, &cost);
  EXPECT_LT(cost.volume_tests + cost.primitive_tests, 79'202u / 20);
}

TEST(Section, OfACompoundIsThatOfItsParts) {
  const Shape ball = Mesh(make::icosphere());
  const Triangle flap{{0, 0, -1}, {1, 0, -1}, {0, 0, 1}};
  const Pose left(Vector3(-3, 0, 0)), whole(test::scenes::rotation_from(1, 2, 3, 4), Vector3(1, 1, 1));
  const Shape parts = Compound({{ball, left}, {flap, {}}});
  const Plane plane{{0.1, 0, 1}, 0.2};
  const std::vector<Polyline> found = section({parts, whole}, {plane, whole});
  const std::vector<Polyline> first = section({ball, compose(whole, left)}, {plane, whole});
  ASSERT_EQ(found.size(), 2u);
  ASSERT_EQ(first.size(), 1u);
  EXPECT_EQ(found[0].points, first[0].points);
  EXPECT_EQ(found[1].points.size(), 2u);
  EXPECT_FALSE(found[1].closed);
  const std::vector<Polyline> chord = section(flap, xy_plane);
  ASSERT_EQ(chord.size(), 1u);
  EXPECT_EQ(chord[0].points, (std::vector<Vector3>{{0, 0, 0}, {0.5, 0, 0}}));
}

TEST(Section, RefusesOtherShapes) {
  const Shape ball = Mesh(make::icosphere());
  EXPECT_EQ(test::error_of([&] { section(ball, HalfSpace{}); }),
            "section: not supported for a half-space; it takes a Plane as its second shape");
  EXPECT_EQ(test::error_of([&] { section(Sphere{1}, Plane{}); }),
            "section: a sphere is not made of triangles; it takes meshes, height fields, triangles and compounds of "
            "them");
  EXPECT_NE(test::error_of([&] { section(Compound({{ball, {}}, {Sphere{1}, {}}}), Plane{}); }), "no error");
}

TEST(Section, WithExtremeCoordinatesHasNoNaN) {
  MeshData data;
  data.vertices = {{1e90, 0, -1e-300}, {-1e90, 1e90, 1e-300}, {0, -1e90, -1e-300}, {1e-300, 0, 1e90}};
  data.triangles = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
  for (const Vector3& normal : {Vector3(0, 0, 1), Vector3(1e-300, 1e90, 1e-8), Vector3(1e-90, 0, 1e90)}) {
    for (const double offset : {0.0, 1e-310}) {
      const SectionCase one{data, {}, {normal, offset}, {}};
      EXPECT_EQ(one.check(true), "") << normal.transpose();
    }
  }
}

// --- contacts of a mesh and a plane ------------------------------------------------------------------------------

double length_of_contacts(const Contacts& found) {
  double sum = 0;
  for (const Contact& contact : found.pairs)
    sum += (contact.segment.b - contact.segment.a).norm();
  return sum;
}

TEST(PlaneContacts, AreTheChordsOfTheTriangles) {
  auto random = seeded(7204);
  std::size_t chords = 0, flat = 0, corners = 0;
  const std::size_t models = test::small_models().size();
  for (std::size_t i = 0; i < cases(160); ++i) {
    SectionCase one{test::small_models()[i % models].data, {}, {}, {}};
    if (i / models % 3 == 1) one.pose = test::random_pose(random, 1);
    choose_plane(random, i / models % 4, one);
    const Mesh mesh(one.data);
    const Shape shape = mesh, plane = one.plane;
    const Contacts found = contacts({shape, one.pose}, {plane, one.plane_pose});
    std::vector<const Contact*> of(mesh.triangle_count(), nullptr);
    for (const Contact& contact : found.pairs) {
      ASSERT_EQ(contact.a.kind, FeatureKind::triangle);
      ASSERT_EQ(contact.b, Feature());
      ASSERT_EQ(of[contact.a.id], nullptr) << "each triangle once";
      of[contact.a.id] = &contact;
    }
    for (std::size_t t = 0; t < of.size(); ++t) {
      const Index3& corner = mesh.triangles()[t];
      MeshData single;
      for (const std::uint32_t v : corner)
        single.vertices.push_back(one.data.vertices[v]);
      single.triangles = {{0, 1, 2}};
      const SectionTruth truth(single, one.pose, one.plane, one.plane_pose);
      ASSERT_EQ(of[t] != nullptr, !truth.nodes.empty()) << "exact";
      if (of[t] == nullptr) continue;
      const Segment segment = of[t]->segment;
      if (truth.segments.size() == 1) {
        ASSERT_EQ(truth.difference({{{segment.a, segment.b}, false}}, false) == "" ||
                      truth.difference({{{segment.b, segment.a}, false}}, false) == "",
                  true);
        ++chords;
      } else if (truth.segments.empty()) {
        ASSERT_EQ(segment.a, segment.b);
        ASSERT_EQ(truth.difference({{{segment.a}, false}}, false), "");
        ++corners;
      } else {
        double longest = 0;
        for (std::size_t k = 0; k < 3; ++k)
          longest = std::max(
              longest, (place(one.pose, single.vertices[k]) - place(one.pose, single.vertices[(k + 1) % 3])).norm());
        ASSERT_NEAR((segment.b - segment.a).norm(), longest, 1e-15 * longest);
        ++flat;
      }
    }
    // The other way round, and with fewer.
    const Contacts back = contacts({plane, one.plane_pose}, {shape, one.pose});
    ASSERT_EQ(back.pairs.size(), found.pairs.size());
    for (std::size_t k = 0; k < back.pairs.size(); ++k) {
      ASSERT_EQ(back.pairs[k].b, found.pairs[k].a);
      ASSERT_EQ(back.pairs[k].segment.a, found.pairs[k].segment.a);
    }
    ASSERT_EQ(touches({shape, one.pose}, {plane, one.plane_pose}), !found.pairs.empty());
    ASSERT_EQ(distance({shape, one.pose}, {plane, one.plane_pose}).upper == 0, !found.pairs.empty());
    const Contacts none = contacts({shape, one.pose}, {plane, one.plane_pose}, {.segments = false});
    for (const Contact& contact : none.pairs)
      ASSERT_TRUE(contact.segment.a.isZero(0) && contact.segment.b.isZero(0));
  }
  EXPECT_GT(chords, cases(1000));
  EXPECT_GT(flat, cases(100));
  EXPECT_GT(corners, cases(50));
}

TEST(PlaneContacts, AreJoinedIntoTheSection) {
  const Shape torus = Mesh(make::torus({.around = 60, .across = 30}));
  const Pose pose(test::scenes::rotation_from(0.9, 0.1, 0.2, 0.3), Vector3(1e3, 2, 3));
  const Shape plane = Plane{{0.1, 0.2, 1}, 0.05};
  const Pose at(Vector3(1e3, 2, 3));
  const Contacts found = contacts({torus, pose}, {plane, at});
  const std::vector<Polyline> joined = polylines(found, 0), cut = section({torus, pose}, {plane, at});
  ASSERT_EQ(joined.size(), 2u);
  ASSERT_EQ(cut.size(), 2u);
  std::size_t points = 0;
  for (const Polyline& curve : joined) {
    EXPECT_TRUE(curve.closed) << "ends of neighboring triangles are the same doubles";
    points += curve.points.size();
  }
  EXPECT_EQ(points, cut[0].points.size() + cut[1].points.size());
  EXPECT_GT(length_of_contacts(found), 1);
}

TEST(PlaneContacts, OfAHeightFieldAreChordsToo) {
  std::vector<double> heights;
  for (int j = 0; j < 20; ++j)
    for (int i = 0; i < 20; ++i)
      heights.push_back((i - 9.3) * (i - 9.3) + (j - 9.1) * (j - 9.1));
  const Shape bowl = HeightField(heights, 20, 20, 1, 1);
  const Contacts found = contacts(bowl, Plane{{0, 0, 1}, 30});
  const std::vector<Polyline> joined = polylines(found, 0), cut = section(bowl, Plane{{0, 0, 1}, 30});
  ASSERT_EQ(joined.size(), 1u);
  ASSERT_EQ(cut.size(), 1u);
  EXPECT_TRUE(joined[0].closed);
  EXPECT_EQ(joined[0].points.size(), cut[0].points.size());
}

TEST(PlaneTouches, AreExactForTrianglesAndSegmentsToTheLastBit) {
  auto random = seeded(7205);
  std::size_t touching = 0, apart = 0;
  for (std::size_t i = 0; i < cases(4000); ++i) {
    const double far = i % 2 == 0 ? 1.0 : 1e8, size = i % 5 == 0 ? 1e-280 : 1.0;
    const Triangle t{size * test::random_vector(random, far), size * test::random_vector(random, far),
                     size * test::random_vector(random, far)};
    const Vector3 normal = test::random_vector(random);
    const double height = std::min({normal.dot(t.a), normal.dot(t.b), normal.dot(t.c)});
    const double offset = i % 3 == 0   ? std::nextafter(height, -HUGE_VAL)
                          : i % 3 == 1 ? height
                                       : std::nextafter(height, HUGE_VAL);
    const auto lowest = [&](std::initializer_list<Vector3> corners) {
      test::Rational least = 0;
      bool any = false;
      for (const Vector3& corner : corners) {
        const test::Rational at = dot(test::exactly<test::Rational>(normal), test::exactly<test::Rational>(corner));
        if (!any || at < least) least = at;
        any = true;
      }
      return least;
    };
    const bool truth = lowest({t.a, t.b, t.c}) <= test::Rational(offset);
    ASSERT_EQ(touches(t, Plane{normal, offset}), truth) << i;
    ASSERT_EQ(touches(HalfSpace{normal, offset}, t), truth) << i;
    ASSERT_EQ(distance(t, Plane{normal, offset}).upper == 0, truth) << i;
    ASSERT_EQ(distance(t, HalfSpace{normal, offset}).upper == 0, truth) << i;
    if (!truth) {
      ASSERT_EQ(depth(t, HalfSpace{normal, offset}).upper, 0) << i;
    }
    const Segment s{t.a, t.b};
    const bool of_segment = lowest({t.a, t.b}) <= test::Rational(offset);
    ASSERT_EQ(touches(s, HalfSpace{normal, offset}), of_segment) << i;
    (truth ? touching : apart) += 1;
  }
  EXPECT_GT(touching, cases(500));
  EXPECT_GT(apart, cases(500));
}

}  // namespace
}  // namespace whisker
