// Welded and simplified meshes: every triangle is there or within a cell of its place, and closed meshes stay closed.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include <whisker/editing/simplify.hpp>
#include <whisker/error.hpp>
#include <whisker/geometry/closest_points.hpp>
#include <whisker/geometry/volumes.hpp>
#include <whisker/make/make.hpp>

#include "support/mesh_edits.hpp"

namespace whisker {
namespace {

double distance_to_vertices(const Vector3& point, const MeshData& mesh) {
  double nearest = std::numeric_limits<double>::infinity();
  for (const Vector3& vertex : mesh.vertices)
    nearest = std::min(nearest, (vertex - point).norm());
  return nearest;
}

// Edges that have different numbers of triangles in the two directions.
std::size_t open_edges(const MeshData& mesh) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> balance;
  for (const Index3& t : mesh.triangles) {
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t from = t[k], to = t[(k + 1) % 3];
      balance[{std::min(from, to), std::max(from, to)}] += from < to ? 1 : -1;
    }
  }
  return static_cast<std::size_t>(
      std::count_if(balance.begin(), balance.end(), [](const auto& edge) { return edge.second != 0; }));
}

using Corners = std::array<std::array<double, 3>, 3>;

Corners corners_of(const MeshData& mesh, const Index3& triangle) {
  Corners corners;
  for (std::size_t k = 0; k < 3; ++k) {
    const Vector3& v = mesh.vertices[triangle[k]];
    corners[k] = {v.x(), v.y(), v.z()};
  }
  std::rotate(corners.begin(), std::min_element(corners.begin(), corners.end()), corners.end());
  return corners;
}

std::set<Corners> all_corners(const MeshData& mesh) {
  std::set<Corners> result;
  for (const Index3& triangle : mesh.triangles)
    result.insert(corners_of(mesh, triangle));
  return result;
}

TEST(Welded, JoinsVerticesAtOnePlaceAndKeepsAllTriangles) {
  const MeshData gear = make::gear({.teeth = 17, .bore = 3});
  const MeshData joined = weld_mesh(test::unshared(gear));
  EXPECT_EQ(joined.vertices.size(), gear.vertices.size());
  EXPECT_EQ(joined.triangles.size(), gear.triangles.size());
  EXPECT_EQ(all_corners(joined), all_corners(gear));
  EXPECT_EQ(open_edges(joined), 0u);
}

TEST(Welded, LeavesOutWhatCannotBeSeen) {
  MeshData mesh;
  mesh.vertices = {{9, 9, 9}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {-0.0, 0, -0.0}};
  mesh.triangles = {{1, 2, 3}, {1, 1, 2}, {1, 2, 4}};  // vertex 4 coincides with vertex 1
  const MeshData result = weld_mesh(mesh);
  EXPECT_EQ(result.vertices.size(), 3u);
  ASSERT_EQ(result.triangles.size(), 1u);
  EXPECT_EQ(result.triangles[0], (Index3{0, 1, 2}));
}

TEST(Simplified, HasAtMostWhatIsAskedForAndStaysWithinACell) {
  const std::vector<MeshData> meshes{make::icosphere({1, 4}),   make::torus(),
                                     make::gear({.teeth = 40}), make::wrinkled_torus({.around = 100}),
                                     make::terrain(),           make::chair()};
  for (const MeshData& mesh : meshes) {
    for (const std::size_t most : {2000u, 500u, 100u}) {
      const SimplifiedMesh fewer = simplify_mesh(mesh, most);
      if (mesh.triangles.size() <= most) {
        EXPECT_EQ(fewer.cell, 0);
        EXPECT_EQ(fewer.mesh.triangles, mesh.triangles);
        continue;
      }
      ASSERT_LE(fewer.mesh.triangles.size(), most);
      if (most < 500 && fewer.mesh.triangles.empty()) continue;  // some meshes cannot be made that small
      ASSERT_FALSE(fewer.mesh.triangles.empty());
      const double diagonal = std::sqrt(3.0) * fewer.cell;
      for (const Vector3& vertex : fewer.mesh.vertices)
        EXPECT_LE(distance_to_vertices(vertex, mesh), diagonal);
      const Aabb before = fit_aabb(mesh.vertices), after = fit_aabb(fewer.mesh.vertices);
      EXPECT_TRUE((after.lower.array() >= before.lower.array() - 1e-12).all());
      EXPECT_TRUE((after.upper.array() <= before.upper.array() + 1e-12).all());
    }
  }
}

TEST(Simplified, ASphereStaysARoundClosedBall) {
  const MeshData ball = make::icosphere({1, 5});
  for (const std::size_t most : {5000u, 1000u, 200u}) {
    const SimplifiedMesh fewer = simplify_mesh(ball, most);
    EXPECT_GT(fewer.mesh.triangles.size(), most / 4);  // not far fewer than allowed
    EXPECT_EQ(open_edges(fewer.mesh), 0u);
    double six_volumes = 0;
    for (const Index3& t : fewer.mesh.triangles)
      six_volumes += fewer.mesh.vertices[t[0]].dot(fewer.mesh.vertices[t[1]].cross(fewer.mesh.vertices[t[2]]));
    EXPECT_NEAR(six_volumes / 6, 4.18879, 4.18879 * 3 * fewer.cell);
    EXPECT_LT(fewer.cell, 10 / std::sqrt(static_cast<double>(most)));
  }
}

TEST(Simplified, WhatCannotBeMadeSmallIsEmpty) {
  EXPECT_TRUE(simplify_mesh(make::icosphere({1, 4}), 3).mesh.triangles.empty());
  MeshData point;
  point.vertices.assign(3, Vector3(1, 2, 3));
  point.triangles.assign(10, {0, 1, 2});
  EXPECT_TRUE(simplify_mesh(point, 5).mesh.triangles.empty());
}

TEST(KeptNear, KeepsWhatIsNearThePointsAndJoinsTheRestWithoutAGap) {
  const MeshData ball = make::icosphere({1, 5});  // 20,480 triangles
  const std::vector<Vector3> points{{1, 0, 0}, {0, -0.9, 0.3}};
  for (const std::size_t most : {8000u, 2000u, 600u}) {
    const SimplifiedMesh cut = simplify_mesh(ball, most, points);
    EXPECT_LE(cut.mesh.triangles.size(), most);
    EXPECT_GE(cut.mesh.triangles.size(), most / 2);
    EXPECT_GT(cut.kept_within, 0.05);
    const std::set<Corners> drawn = all_corners(cut.mesh);
    std::size_t near = 0;
    for (const Index3& t : ball.triangles) {
      const Triangle triangle{ball.vertices[t[0]], ball.vertices[t[1]], ball.vertices[t[2]]};
      const double distance =
          std::min(closest_points(points[0], triangle).distance, closest_points(points[1], triangle).distance);
      if (distance >= cut.kept_within) continue;
      ++near;
      EXPECT_TRUE(drawn.contains(corners_of(ball, t)));
    }
    EXPECT_GT(near, most / 4);
    EXPECT_EQ(open_edges(cut.mesh), 0u);
  }
  // If the budget suffices for all triangles, all are kept.
  EXPECT_EQ(simplify_mesh(ball, 20'480, points).mesh.triangles, ball.triangles);
}

TEST(Simplified, SizesFromTheSmallestDoublesToTheLargest) {
  for (const double size : {0x1p-1060, 1e-200, 1.0, 1e89}) {
    MeshData ball = make::icosphere({1, 3});
    for (Vector3& vertex : ball.vertices)
      vertex *= size;
    EXPECT_EQ(simplify_mesh(ball, 400).mesh.triangles.empty(), size < 1e-290) << size;
  }
}

TEST(Simplified, BadInputIsAnError) {
  MeshData mesh = make::box();
  mesh.triangles[3][1] = 8;
  EXPECT_THROW(weld_mesh(mesh), Error);
  EXPECT_THROW(simplify_mesh(mesh, 5), Error);
  mesh = make::box();
  mesh.vertices[2].y() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(weld_mesh(mesh), Error);
  EXPECT_THROW(simplify_mesh(mesh, 100), Error);
  mesh.vertices[2].y() = 1e100;
  EXPECT_THROW(simplify_mesh(mesh, 5), Error);
}

}  // namespace
}  // namespace whisker
