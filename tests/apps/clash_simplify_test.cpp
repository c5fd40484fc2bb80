// Simplified meshes for the report, and the plan of which meshes it simplifies.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include <whisker/geometry/closest_points.hpp>
#include <whisker/make/make.hpp>
#include <whisker/mesh.hpp>

#include "clash/report_scene.hpp"
#include "clash/simplify.hpp"

namespace whisker::clash {
namespace {

// Every triangle with its own vertices.
MeshData soup(const MeshData& mesh) {
  MeshData result;
  for (const Index3& t : mesh.triangles) {
    const auto first = static_cast<std::uint32_t>(result.vertices.size());
    for (const std::uint32_t corner : t)
      result.vertices.push_back(mesh.vertices[corner]);
    result.triangles.push_back({first, first + 1, first + 2});
  }
  return result;
}

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
  const MeshData joined = welded(soup(gear));
  EXPECT_EQ(joined.vertices.size(), gear.vertices.size());
  EXPECT_EQ(joined.triangles.size(), gear.triangles.size());
  EXPECT_EQ(all_corners(joined), all_corners(gear));
  EXPECT_EQ(open_edges(joined), 0u);
}

TEST(Welded, LeavesOutWhatCannotBeSeen) {
  MeshData mesh;
  mesh.vertices = {{9, 9, 9}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {-0.0, 0, -0.0}};
  mesh.triangles = {{1, 2, 3}, {1, 1, 2}, {1, 2, 4}};  // vertex 4 coincides with vertex 1
  const MeshData result = welded(mesh);
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
      const SimplifiedMesh fewer = simplified(mesh, most);
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
      const Aabb before = box_around(mesh), after = box_around(fewer.mesh);
      EXPECT_TRUE((after.lower.array() >= before.lower.array() - 1e-12).all());
      EXPECT_TRUE((after.upper.array() <= before.upper.array() + 1e-12).all());
    }
  }
}

TEST(Simplified, ASphereStaysARoundClosedBall) {
  const MeshData ball = make::icosphere({1, 5});
  for (const std::size_t most : {5000u, 1000u, 200u}) {
    const SimplifiedMesh fewer = simplified(ball, most);
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
  EXPECT_TRUE(simplified(make::icosphere({1, 4}), 3).mesh.triangles.empty());
  MeshData point;
  point.vertices.assign(3, Vector3(1, 2, 3));
  point.triangles.assign(10, {0, 1, 2});
  EXPECT_TRUE(simplified(point, 5).mesh.triangles.empty());
}

TEST(KeptNear, KeepsWhatIsNearThePointsAndJoinsTheRestWithoutAGap) {
  const MeshData ball = make::icosphere({1, 5});  // 20,480 triangles
  const std::vector<Vector3> points{{1, 0, 0}, {0, -0.9, 0.3}};
  for (const std::size_t most : {8000u, 2000u, 600u}) {
    const CutMesh cut = kept_near(ball, points, most);
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
  EXPECT_EQ(kept_near(ball, points, 20'480).mesh.triangles, ball.triangles);
}

// ---- The plan ----

Assembly assembly_of(const std::vector<std::pair<int, std::uint32_t>>& meshes_and_parts) {
  Assembly assembly;
  for (const auto& [subdivisions, parts] : meshes_and_parts) {
    MeshData data = make::icosphere({1, subdivisions});
    const Mesh mesh(data);
    assembly.meshes.push_back({std::move(data), mesh.solid(), true, ""});
    for (std::uint32_t i = 0; i < parts; ++i) {
      assembly.parts.push_back({"part " + std::to_string(assembly.parts.size()),
                                "",
                                static_cast<std::uint32_t>(assembly.meshes.size() - 1),
                                Pose(),
                                {}});
    }
  }
  return assembly;
}

Findings finding_between(std::uint32_t a, std::uint32_t b) {
  Findings findings;
  Finding finding;
  finding.a = a;
  finding.b = b;
  finding.position = {1, 0, 0};
  findings.all.push_back(finding);
  return findings;
}

struct Totals {
  std::size_t stored = 0;
  std::size_t drawn = 0;
};

Totals totals_of(const Assembly& assembly, const PageScene& scene) {
  Totals totals;
  std::vector<std::size_t> triangles;
  for (const PageMesh& mesh : scene.meshes) {
    triangles.push_back(mesh_of(assembly, mesh).triangles.size());
    totals.stored += triangles.back();
  }
  for (const std::uint32_t mesh : scene.mesh_of_part)
    totals.drawn += triangles[mesh] == 0 ? 12 : triangles[mesh];
  return totals;
}

TEST(PageScene, SmallScenesAreWhole) {
  const Assembly assembly = assembly_of({{3, 5}, {2, 40}});
  const PageScene scene = plan_scene(assembly, finding_between(0, 7), {});
  EXPECT_TRUE(scene.notes.empty());
  EXPECT_EQ(scene.meshes.size(), 2u);  // parts share meshes
  EXPECT_EQ(totals_of(assembly, scene).stored, 1280u + 320u);
  for (const PageMesh& mesh : scene.meshes)
    EXPECT_EQ(mesh.detail, Detail::whole);
}

TEST(PageScene, PartsWithFindingsGoFirstAndBudgetsHold) {
  // 5,120 triangles with 1 part, 20,480 with 3 parts, 1,280 with 50 parts.
  const Assembly assembly = assembly_of({{4, 1}, {5, 3}, {3, 50}});
  const Findings findings = finding_between(0, 4);  // the first part and one of the fifty
  for (const PageBudget budget :
       {PageBudget{20'000, 100'000}, PageBudget{10'000, 30'000}, PageBudget{3'000, 6'000}, PageBudget{1'000, 2'500}}) {
    const PageScene scene = plan_scene(assembly, findings, budget);
    const Totals totals = totals_of(assembly, scene);
    EXPECT_LE(totals.stored, budget.stored);
    EXPECT_LE(totals.drawn, budget.drawn);
    EXPECT_FALSE(scene.notes.empty());
    const auto detail = [&](std::size_t part) { return scene.meshes[scene.mesh_of_part[part]].detail; };
    EXPECT_NE(detail(0), Detail::simplified);
    EXPECT_NE(detail(0), Detail::box);
    EXPECT_NE(detail(4), Detail::box);
    EXPECT_NE(detail(1), Detail::whole);
    if (budget.stored >= 10'000) {
      EXPECT_EQ(detail(0), Detail::whole);
    }
  }
}

TEST(PageScene, TheSameMeshMayBeWholeForAPartWithFindingsAndABoxForOthers) {
  const Assembly assembly = assembly_of({{3, 1000}});
  const PageScene scene = plan_scene(assembly, finding_between(0, 1), {2'000, 20'000});
  EXPECT_EQ(scene.meshes[scene.mesh_of_part[0]].detail, Detail::whole);
  EXPECT_EQ(scene.meshes[scene.mesh_of_part[1]].detail, Detail::whole);
  EXPECT_EQ(scene.meshes[scene.mesh_of_part[2]].detail, Detail::box);
  EXPECT_EQ(scene.notes, std::vector<std::string>{"998 parts are drawn as their boxes."});
}

}  // namespace
}  // namespace whisker::clash
