// Mesh: the data that it accepts and refuses, and its measures.

#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include <gtest/gtest.h>

#include <whisker/error.hpp>
#include <whisker/make/make.hpp>
#include <whisker/mesh.hpp>
#include <whisker/pose.hpp>

#include "geometry/constants.hpp"
#include "support/cases.hpp"
#include "support/mesh_edits.hpp"

namespace whisker {
namespace {

using test::cases;
using test::joined;
using test::nan;
using test::seeded;
using test::uniform;
using test::unshared;

/// The message of the Error that `make` throws; empty if it throws none.
template <class Make>
std::string mesh_error_of(Make&& make) {
  try {
    make();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

bool says(const std::string& message, const std::string& part) {
  return message.find(part) != std::string::npos;
}

MeshData tetrahedron() {
  return {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}}};
}

MeshData reversed(MeshData data) {
  for (Index3& t : data.triangles)
    std::swap(t[1], t[2]);
  return data;
}

MeshData moved(MeshData data, const Vector3& by) {
  for (Vector3& v : data.vertices)
    v += by;
  return data;
}

MeshData scaled(MeshData data, double by) {
  for (Vector3& v : data.vertices)
    v *= by;
  return data;
}

TEST(Mesh, RefusesAnIndexOutOfRangeAndNamesIt) {
  MeshData data = tetrahedron();
  data.triangles[2][1] = 4;
  const std::string message = mesh_error_of([&] { Mesh{data}; });
  EXPECT_TRUE(says(message, "triangle 2") && says(message, "vertex 4") && says(message, "4 vertices")) << message;
  data.triangles[2][1] = std::numeric_limits<std::uint32_t>::max();
  EXPECT_TRUE(says(mesh_error_of([&] { Mesh{data}; }), "4294967295"));
}

TEST(Mesh, RefusesAVertexThatIsNotFiniteAndNamesIt) {
  for (const double bad : {nan, infinity, -infinity}) {
    for (int axis = 0; axis < 3; ++axis) {
      MeshData data = tetrahedron();
      data.vertices[3][axis] = bad;
      const std::string message = mesh_error_of([&] { Mesh{data}; });
      EXPECT_TRUE(says(message, "mesh") && says(message, "vertex 3")) << message;
    }
  }
}

TEST(Mesh, RefusesAVertexThatIsNotFiniteEvenIfNoTriangleUsesIt) {
  MeshData data = tetrahedron();
  data.vertices.push_back({nan, 0, 0});
  EXPECT_TRUE(says(mesh_error_of([&] { Mesh{data}; }), "vertex 4"));
}

TEST(Mesh, RefusesCoordinatesBeyondTheLargest) {
  MeshData data = tetrahedron();
  data.vertices[1][2] = -max_coordinate;
  EXPECT_NO_THROW(Mesh{data});
  data.vertices[1][2] = -std::nextafter(max_coordinate, infinity);
  EXPECT_TRUE(says(mesh_error_of([&] { Mesh{data}; }), "vertex 1"));
}

TEST(Mesh, RefusesToBeEmpty) {
  EXPECT_TRUE(says(mesh_error_of([] { Mesh{MeshData{}}; }), "no triangle"));
  EXPECT_TRUE(says(mesh_error_of([] { Mesh{MeshData{{{0, 0, 0}}, {}}}; }), "no triangle"));
}

TEST(Mesh, KeepsWhatItWasGiven) {
  MeshData data = unshared(tetrahedron());
  data.vertices.push_back({7, 8, 9});  // in no triangle
  data.triangles.push_back({0, 0, 1});
  const Mesh mesh(data);
  ASSERT_EQ(mesh.vertices().size(), data.vertices.size());
  ASSERT_EQ(mesh.triangle_count(), data.triangles.size());
  for (std::size_t i = 0; i < data.vertices.size(); ++i)
    EXPECT_EQ(mesh.vertices()[i], data.vertices[i]);
  for (std::size_t i = 0; i < data.triangles.size(); ++i) {
    EXPECT_EQ(mesh.triangles()[i], data.triangles[i]);
    EXPECT_EQ(mesh.triangle(i).b, data.vertices[data.triangles[i][1]]);
  }
  EXPECT_EQ(mesh.bounds().lower, Vector3(0, 0, 0)) << "unused vertices do not count";
  EXPECT_EQ(mesh.bounds().upper, Vector3(1, 1, 1));
}

TEST(Mesh, CopiesShareTheirStorage) {
  const Mesh mesh(make::icosphere());
  const Mesh copy = mesh;
  const Mesh solid = mesh.solid();
  EXPECT_EQ(copy.vertices().data(), mesh.vertices().data());
  EXPECT_EQ(solid.triangles().data(), mesh.triangles().data());
  EXPECT_FALSE(mesh.is_solid()) << "solid() leaves the mesh itself a surface";
  EXPECT_TRUE(solid.is_solid());
  EXPECT_TRUE(solid.solid().is_solid());
}

TEST(MeshSolid, IsMadeFromEveryClosedModel) {
  for (const make::Model& model : make::models()) {
    std::vector<double> values;
    for (const make::Parameter& p : model.parameters)
      values.push_back(p.initial);
    const Mesh mesh(model.build(values));
    if (model.closed) {
      EXPECT_TRUE(mesh.solid().is_solid()) << model.name;
      EXPECT_GT(mesh.solid().volume(), 0) << model.name;
    } else {
      EXPECT_THROW(mesh.solid(), Error) << model.name;
    }
    EXPECT_EQ(mesh.volume(), 0) << model.name << ": a surface has no volume";
  }
}

TEST(MeshSolid, RefusesAnOpenMeshAndCountsWhatIsOpen) {
  MeshData data = tetrahedron();
  data.triangles.pop_back();
  const std::string message = mesh_error_of([&] { Mesh(data).solid(); });
  EXPECT_TRUE(says(message, "not closed") && says(message, "3 boundary edges")) << message;
}

TEST(MeshSolid, RefusesAMeshThatIsInsideOut) {
  const std::string message = mesh_error_of([] { Mesh(reversed(tetrahedron())).solid(); });
  EXPECT_TRUE(says(message, "inside out")) << message;
  EXPECT_TRUE(says(mesh_error_of([] {
                     Mesh(moved(reversed(tetrahedron()), {1e6, -3e7, 2e5})).solid();
                   }),
                   "inside out"));
}

TEST(MeshSolid, RefusesOneTriangleTurnedAround) {
  MeshData data = tetrahedron();
  std::swap(data.triangles[1][0], data.triangles[1][1]);
  const std::string message = mesh_error_of([&] { Mesh(data).solid(); });
  EXPECT_TRUE(says(message, "not closed") && says(message, "3 edges whose two triangles face different ways"))
      << message;
}

TEST(MeshSolid, RefusesAnEdgeOfThreeTriangles) {
  MeshData data = tetrahedron();
  data.vertices.push_back({-1, -1, 0});
  data.triangles.push_back({0, 1, 4});
  const std::string message = mesh_error_of([&] { Mesh(data).solid(); });
  EXPECT_TRUE(says(message, "not closed") && says(message, "1 non-manifold edge")) << message;
}

TEST(MeshSolid, RefusesADuplicateTriangle) {
  MeshData data = tetrahedron();
  data.triangles.push_back(data.triangles[0]);
  EXPECT_THROW(Mesh(data).solid(), Error);
}

TEST(MeshSolid, TakesASoupOfUnsharedVertices) {
  for (const MeshData& data : {tetrahedron(), make::torus({.around = 12, .across = 8}), make::gear({.teeth = 9})}) {
    const Mesh soup = Mesh(unshared(data)).solid();
    const Mesh shared = Mesh(data).solid();
    EXPECT_DOUBLE_EQ(soup.volume(), shared.volume());
    EXPECT_LT((soup.centroid() - shared.centroid()).norm(), 1e-12);
  }
}

TEST(MeshSolid, TakesCollapsedTrianglesAndComponents) {
  MeshData data = joined(tetrahedron(), moved(tetrahedron(), {5, 0, 0}));
  data.triangles.push_back({0, 0, 1});
  data.triangles.push_back({2, 2, 2});
  const Mesh solid = Mesh(data).solid();
  EXPECT_NEAR(solid.volume(), 2.0 / 6, 1e-15);
  EXPECT_LT((solid.centroid() - Vector3(2.75, 0.25, 0.25)).norm(), 1e-14);
}

TEST(MeshSolid, TakesACavity) {
  const MeshData shell = joined(make::box({.size_x = 3, .size_y = 3, .size_z = 3}), reversed(make::box()));
  const Mesh solid = Mesh(shell).solid();
  EXPECT_NEAR(solid.volume(), 26, 1e-12);
  EXPECT_LT(solid.centroid().norm(), 1e-14);
}

TEST(MeshSolid, OfNoVolumeIsNotCalledInsideOut) {
  // A triangle and its back: closed, and facing neither outward nor inward. Rounding must not decide that it is inside
  // out.
  auto random = seeded(51);
  std::size_t refused = 0;
  for (std::size_t i = 0; i < cases(2000); ++i) {
    MeshData data;
    for (int k = 0; k < 3; ++k)
      data.vertices.emplace_back(uniform(random, -1, 1), uniform(random, -1, 1), uniform(random, -1, 1));
    data.triangles = {{0, 1, 2}, {2, 1, 0}};
    if (says(mesh_error_of([&] { Mesh(data).solid(); }), "inside out")) ++refused;
  }
  EXPECT_EQ(refused, 0u) << "of " << cases(2000);
}

TEST(MeshMeasures, OfABoxAreExact) {
  const Mesh mesh = Mesh(make::box({.size_x = 2, .size_y = 4, .size_z = 8, .subdivisions = 3})).solid();
  EXPECT_NEAR(mesh.area(), 2 * (8 + 16 + 32), 1e-12);
  EXPECT_NEAR(mesh.volume(), 64, 1e-12);
  EXPECT_LT(mesh.centroid().norm(), 1e-14);
  EXPECT_EQ(mesh.bounds().lower, Vector3(-1, -2, -4));
  EXPECT_EQ(mesh.bounds().upper, Vector3(1, 2, 4));
}

TEST(MeshMeasures, OfFineRoundMeshesComeCloseToTheFormulas) {
  const double pi = std::numbers::pi;
  const Mesh ball = Mesh(make::icosphere({.radius = 2, .subdivisions = 5})).solid();
  EXPECT_NEAR(ball.volume() / (4.0 / 3 * pi * 8), 1, 2e-3);
  EXPECT_NEAR(ball.area() / (4 * pi * 4), 1, 2e-3);
  const Mesh ring = Mesh(make::torus({.major = 3, .minor = 1, .around = 200, .across = 100})).solid();
  EXPECT_NEAR(ring.volume() / (2 * pi * pi * 3), 1, 2e-3);
  EXPECT_NEAR(ring.area() / (4 * pi * pi * 3), 1, 2e-3);
  EXPECT_LT(ring.centroid().norm(), 1e-12);
}

TEST(MeshMeasures, FarFromTheOriginLoseNothingButTheRoundingOfTheVertices) {
  const Vector3 far(1 << 20, -(1 << 22), 1 << 21);  // small integers survive the translation exactly
  const Mesh mesh = Mesh(moved(scaled(tetrahedron(), 6), far)).solid();
  EXPECT_NEAR(mesh.volume(), 36, 1e-12);
  EXPECT_LT((mesh.centroid() - (far + Vector3(1.5, 1.5, 1.5))).norm(), 1e-8);
}

TEST(MeshMeasures, OfTheLargestAndSmallestSizesAreFiniteAndRight) {
  for (const double scale : {1e90, 1e80, 1e70, 1e-70, 1e-80, 1e-90}) {
    const Mesh mesh = Mesh(scaled(tetrahedron(), scale)).solid();
    EXPECT_NEAR(mesh.volume() / scale / scale / scale, 1.0 / 6, 1e-15) << scale;
    EXPECT_NEAR(mesh.area() / scale / scale, 1.5 + std::sqrt(3.0) / 2, 1e-14) << scale;
    EXPECT_LT((mesh.centroid() / scale - Vector3::Constant(0.25)).norm(), 1e-14)
        << "scale " << scale << ": " << mesh.centroid().transpose() / scale;
    EXPECT_LT((Mesh(scaled(tetrahedron(), scale)).centroid() / scale -
               Vector3::Constant((1.5 / 3 + std::sqrt(3.0) / 6 - 0.5 / 3) / (1.5 + std::sqrt(3.0) / 2)))
                  .norm(),
              1e-14)
        << "scale " << scale << ", of area";
  }
}

TEST(MeshMeasures, OfASurfaceAreThoseOfItsArea) {
  MeshData data;  // a square of side 2 and, far away, a triangle without area
  data.vertices = {{0, 0, 5}, {2, 0, 5}, {2, 2, 5}, {0, 2, 5}, {100, 0, 0}, {101, 0, 0}, {102, 0, 0}};
  data.triangles = {{0, 1, 2}, {0, 2, 3}, {4, 5, 6}};
  const Mesh mesh(data);
  EXPECT_DOUBLE_EQ(mesh.area(), 4);
  EXPECT_EQ(mesh.volume(), 0);
  EXPECT_LT((mesh.centroid() - Vector3(1, 1, 5)).norm(), 1e-13);
}

TEST(MeshMeasures, OfDegenerateTrianglesAreThoseOfTheirPoints) {
  const Mesh point(MeshData{{{1, 2, 3}}, {{0, 0, 0}}});
  EXPECT_EQ(point.area(), 0);
  EXPECT_EQ(point.centroid(), Vector3(1, 2, 3));
  EXPECT_EQ(point.bounds().lower, point.bounds().upper);
  const Mesh segment(MeshData{{{0, 0, 0}, {2, 0, 0}}, {{0, 1, 1}, {0, 0, 1}}});
  EXPECT_EQ(segment.area(), 0);
  EXPECT_LT((segment.centroid() - Vector3(1, 0, 0)).norm(), 1e-15) << "center of the vertices in use";
}

}  // namespace
}  // namespace whisker
