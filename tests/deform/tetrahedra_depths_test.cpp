// Depths of vertices in volumes of tetrahedra: the formulas, step by step, and what they are good for: neighbours
// agree, and moved by their depths bodies part.

#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <tbb/global_control.h>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/closest_points.hpp>
#include <whisker/error.hpp>
#include <whisker/tetrahedral_depths.hpp>

#include "deform/tetrahedra_cases.hpp"

namespace whisker {
namespace {

using test::brute_force;
using test::cases;
using test::disturbed;
using test::face_of;
using test::moved;
using test::seeded;
using test::uniform;
using test::Vertices;
using test::vertices_of;
using test::scenes::unit_vector;

using Meshes = std::vector<TetrahedralMesh>;

std::vector<VertexDepth> depths_of(const Meshes& meshes, const TetrahedralDepthOptions& options = {}) {
  TetrahedralContactFinder finder;
  TetrahedralContacts contacts;
  finder.find(meshes, contacts);
  TetrahedralDepthFinder depth_finder;
  std::vector<VertexDepth> depths;
  depth_finder.find(meshes, contacts, depths, options);
  return depths;
}

std::vector<VertexDepth> only(std::vector<VertexDepth> depths, std::uint32_t mesh, std::uint32_t other) {
  std::erase_if(depths, [&](const VertexDepth& d) { return d.mesh != mesh || d.other != other; });
  return depths;
}

/// How much depths and moves differ from one vertex to its neighbour, at most, as parts of how far these are apart.
struct Steepest {
  double depth = 0;
  double move = 0;
};
Steepest steepest(const Meshes& meshes, const std::vector<VertexDepth>& depths) {
  std::map<std::array<std::uint32_t, 3>, const VertexDepth*> by_vertex;
  for (const VertexDepth& d : depths)
    by_vertex[{d.mesh, d.other, d.vertex}] = &d;
  Steepest result;
  for (const VertexDepth& d : depths) {
    for (const std::uint32_t w : meshes[d.mesh].neighbours(d.vertex)) {
      const auto found = by_vertex.find({d.mesh, d.other, w});
      if (found == by_vertex.end()) continue;
      const VertexDepth& e = *found->second;
      const double apart = (meshes[d.mesh].vertices()[d.vertex] - meshes[d.mesh].vertices()[w]).norm();
      result.depth = std::max(result.depth, std::abs(d.depth - e.depth) / apart);
      result.move = std::max(result.move, (d.depth * d.direction - e.depth * e.direction).norm() / apart);
    }
  }
  return result;
}

void expect_sound(const std::vector<VertexDepth>& depths) {
  for (const VertexDepth& d : depths) {
    EXPECT_GE(d.depth, 0);
    EXPECT_TRUE(std::isfinite(d.depth));
    EXPECT_GE(d.lower, 0);
    if (d.source == DepthSource::none) {
      EXPECT_EQ(d.mesh, d.other);
      EXPECT_TRUE(d.direction.isZero(0));
    } else {
      EXPECT_NEAR(d.direction.norm(), 1, 1e-14);
    }
  }
}

/// The vertices of one mesh moved by their depths in another.
Vertices pushed(const TetrahedralMesh& mesh, const std::vector<VertexDepth>& depths, double times = 1) {
  Vertices at = vertices_of(mesh);
  for (const VertexDepth& d : depths)
    at[d.vertex] += times * d.depth * d.direction;
  return at;
}

/// A narrow box that was pressed from above far into a wide one: through its middle.
Meshes pressed() {
  Meshes meshes;
  meshes.emplace_back(moved(
      make::tetrahedral_box({.size_x = 0.8, .size_y = 0.8, .size_z = 2, .cells_x = 5, .cells_y = 5, .cells_z = 9}),
      Vector3(0.03, 0.02, 0.37)));
  meshes.emplace_back(
      make::tetrahedral_box({.size_x = 2, .size_y = 2, .size_z = 1.6, .cells_x = 6, .cells_y = 6, .cells_z = 5}));
  return meshes;
}
constexpr double pressed_top = 0.8;

TEST(TetrahedralDepths, ABoxPressedThroughTheMiddleGoesBackUp) {
  const Meshes meshes = pressed();
  const std::vector<VertexDepth> all = depths_of(meshes), upper = only(all, 0, 1);
  expect_sound(all);
  ASSERT_GT(upper.size(), 150u);
  std::size_t beyond_middle = 0;
  for (const VertexDepth& d : upper) {
    const double z = meshes[0].vertices()[d.vertex].z();
    EXPECT_NEAR(d.depth, pressed_top - z, 1e-12);
    EXPECT_NEAR((d.direction - Vector3::UnitZ()).norm(), 0, 1e-12);
    beyond_middle += z < 0 ? 1u : 0u;
  }
  EXPECT_GT(beyond_middle, 50u);
  // It parts them, and as one.
  for (const Vector3& v : pushed(meshes[0], upper))
    EXPECT_GE(v.z(), pressed_top - 1e-12);
  EXPECT_LE(steepest(meshes, upper).move, 1 + 1e-12);

  // The nearest points of the surface are on four sides and below.
  const std::vector<VertexDepth> nearest = only(depths_of(meshes, {.mode = DepthMode::nearest}), 0, 1);
  ASSERT_EQ(nearest.size(), upper.size());
  EXPECT_GT(steepest(meshes, nearest).move, 3);
  std::size_t down = 0;
  for (const VertexDepth& d : nearest)
    down += d.direction.z() < -0.9 ? 1u : 0u;
  EXPECT_GT(down, 20u);
}

TEST(TetrahedralDepths, ABladeInACubeGoesBackTheWayItCame) {
  // Thin, and beside the middle of the cube: nearest points are at its side.
  Meshes meshes;
  meshes.emplace_back(moved(
      make::tetrahedral_box({.size_x = 0.05, .size_y = 0.8, .size_z = 2, .cells_x = 1, .cells_y = 8, .cells_z = 20}),
      Vector3(0.3, 0, 0.7)));
  meshes.emplace_back(make::tetrahedral_box({}));
  const std::vector<VertexDepth> blade = only(depths_of(meshes), 0, 1);
  ASSERT_GT(blade.size(), 100u);
  for (const VertexDepth& d : blade) {
    EXPECT_NEAR(d.depth, 0.5 - meshes[0].vertices()[d.vertex].z(), 1e-12);
    EXPECT_GT(d.direction.z(), 1 - 1e-12);
  }
  const std::vector<VertexDepth> nearest = only(depths_of(meshes, {.mode = DepthMode::nearest}), 0, 1);
  EXPECT_GT(steepest(meshes, nearest).move, 3 * steepest(meshes, blade).move);
}

TEST(TetrahedralDepths, ASheetThroughACubeHasDepthsThatChangeSteadily) {
  // It leaves on four sides, so that there is no one way out: ways differ, but from vertex to vertex by little.
  Meshes meshes;
  meshes.emplace_back(
      make::tetrahedral_box({.size_x = 2, .size_y = 2, .size_z = 0.04, .cells_x = 25, .cells_y = 25, .cells_z = 1}));
  meshes.emplace_back(make::tetrahedral_box({.cells_x = 5, .cells_y = 5, .cells_z = 5}));
  const std::vector<VertexDepth> sheet = only(depths_of(meshes), 0, 1);
  expect_sound(sheet);
  ASSERT_GT(sheet.size(), 200u);
  const Steepest s = steepest(meshes, sheet);
  EXPECT_LE(s.depth, 2);
  std::printf("sheet: depth %.3f move %.3f\n", s.depth, s.move);
}

TEST(TetrahedralDepths, DeepBallsPart) {
  for (const double apart : {0.3, 0.7, 1.2, 1.7}) {
    Meshes meshes;
    meshes.emplace_back(make::tetrahedral_ball({.subdivisions = 3}));
    meshes.emplace_back(moved(make::tetrahedral_ball({.subdivisions = 3}), Vector3(0.01, 0.02, apart)));
    const std::vector<VertexDepth> all = depths_of(meshes);
    expect_sound(all);
    const std::vector<VertexDepth> lower = only(all, 0, 1), upper = only(all, 1, 0);
    ASSERT_FALSE(lower.empty());
    for (const VertexDepth& d : lower)
      EXPECT_LT(d.direction.z(), 0);
    for (const VertexDepth& d : upper)
      EXPECT_GT(d.direction.z(), 0);
    const Steepest s = steepest(meshes, all);
    const Steepest n = steepest(meshes, depths_of(meshes, {.mode = DepthMode::nearest}));
    double deepest = 0;
    Vector3 sum = Vector3::Zero();
    for (const VertexDepth& d : lower) {
      deepest = std::max(deepest, d.depth);
      sum += d.depth * d.direction;
    }
    std::printf("balls %.1f: consistent %.3f %.3f nearest %.3f %.3f deepest %.3f of %.3f\n", apart, s.depth, s.move,
                n.depth, n.move, deepest, 2 - apart);
    // Moved as one, by the deepest and the mean direction, they are apart but for the last bit.
    Vertices at = vertices_of(meshes[0]);
    for (Vector3& v : at)
      v += 1.001 * deepest * sum.normalized();
    Meshes parted = meshes;
    parted[0].set_vertices(at);
    TetrahedralContactFinder finder;
    TetrahedralContacts contacts;
    finder.find(parted, contacts, {.self = false});
    std::printf("   left: %zu of %zu\n", contacts.vertices.size(), all.size());
    // Vertices moved each by its own depth.
    parted = meshes;
    parted[0].set_vertices(pushed(meshes[0], lower));
    const std::vector<VertexDepth> left = only(depths_of(parted, {.mode = DepthMode::nearest}), 0, 1);
    double rest = 0;
    for (const VertexDepth& d : left)
      rest = std::max(rest, d.depth);
    std::printf("   rest depth %.3f of %zu\n", rest, left.size());
  }
}

}  // namespace
}  // namespace whisker
