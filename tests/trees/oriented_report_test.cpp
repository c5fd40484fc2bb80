// The report of a mesh's tree: counts that can be verified, and numbers that are known for simple surfaces.

#include "trees/oriented_report.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include <whisker/make/make.hpp>
#include <whisker/mesh.hpp>
#include <whisker/mesh_tree.hpp>

#include "shapes/mesh_storage.hpp"

namespace whisker {
namespace {

TEST(TreeReport, OneTriangleIsOneLeafOfItsOwnBox) {
  const TreeReport report = Mesh(MeshData{{{0, 0, 0}, {4, 0, 0}, {0, 3, 0}}, {{0, 1, 2}}}).tree_report();
  EXPECT_EQ(report.triangles, 1u);
  EXPECT_EQ(report.nodes, 1u);
  EXPECT_EQ(report.leaves, 1u);
  EXPECT_EQ(report.depth, 1u);
  EXPECT_EQ(report.bytes, 320u + 160u);
  EXPECT_EQ(report.bytes_per_triangle, 480);
  EXPECT_EQ(report.leaf_fill, 0.25);
  EXPECT_EQ(report.mean_children, 1);
  EXPECT_NEAR(report.surface_cost, 1, 1e-6);
  ASSERT_EQ(report.levels.size(), 1u);
  EXPECT_EQ(report.levels[0].boxes, 1u);
  EXPECT_GE(report.levels[0].mean_diagonal, 5 - 1e-6);
}

TEST(TreeReport, APointHasNoSurfaceAndNoAir) {
  const Mesh mesh(MeshData{{{1, 2, 3}}, std::vector<Index3>(100, Index3{0, 0, 0})});
  const TreeReport report = mesh.tree_report();
  EXPECT_EQ(report.triangles, 100u);
  EXPECT_TRUE(std::isfinite(report.surface_cost));
  for (const TreeLevel& level : report.levels)
    EXPECT_TRUE(std::isfinite(level.looseness));
}

TEST(TreeReport, CountsAreThoseOfTheTree) {
  for (const Split split : {Split::surface_area, Split::mean, Split::median, Split::morton, Split::bottom_up}) {
    const Mesh mesh(make::torus({.around = 80, .across = 40}), {.split = split});
    const TreeReport report = mesh.tree_report();
    const trees::OrientedTree& tree = storage_of(mesh).oriented;
    EXPECT_EQ(report.triangles, 6400u);
    EXPECT_EQ(report.nodes, tree.nodes.size());
    EXPECT_EQ(report.leaves, tree.leaves.size());
    EXPECT_EQ(report.depth, tree.depth);
    ASSERT_EQ(report.levels.size(), tree.depth);
    std::size_t boxes = 0;
    for (const TreeLevel& level : report.levels)
      boxes += level.boxes;
    EXPECT_EQ(boxes, tree.nodes.size() - 1 + tree.leaves.size());
    EXPECT_GT(report.leaf_fill, 0.25);
    EXPECT_LE(report.leaf_fill, 1);
    EXPECT_LE(report.mean_children, 8);
    EXPECT_EQ(report.bytes, 320 * tree.nodes.size() + 160 * tree.leaves.size());
    EXPECT_GT(report.surface_cost, 1);
  }
}

TEST(TreeReport, BoxesOfAFlatSheetHaveAirAtTheirEdgesOnly) {
  // A square of right triangles, halved along its axes: the boxes fill it, except for those of single triangles.
  MeshData data;
  for (int y = 0; y <= 32; ++y)
    for (int x = 0; x <= 32; ++x)
      data.vertices.emplace_back(x, y, 0);
  for (std::uint32_t y = 0; y < 32; ++y) {
    for (std::uint32_t x = 0; x < 32; ++x) {
      const std::uint32_t v = 33 * y + x;
      data.triangles.push_back({v, v + 1, v + 34});
      data.triangles.push_back({v, v + 34, v + 33});
    }
  }
  const TreeReport report = Mesh(data).tree_report();
  for (const TreeLevel& level : report.levels)
    EXPECT_LT(level.looseness, 0.3);
  EXPECT_LT(report.levels[0].looseness, 0.1);
  EXPECT_GT(report.levels[0].mean_diagonal, report.levels[1].mean_diagonal);
}

TEST(TreeReport, ACornerOfABoxIsAsFarFromASphereAsItIs) {
  // The box of a whole icosphere is about a cube around it. Its corners are sqrt(3) - 1 off, relative to a diagonal of
  // 2 sqrt(3).
  trees::OrientedTree tree = storage_of(Mesh(make::icosphere({.subdivisions = 3}))).oriented;
  // A new root above the old one, with one child: the union of the boxes of the old root's children.
  const trees::OrientedNode old = tree.nodes[0];
  trees::OrientedNode root{};
  root.valid = 1;
  root.child[0] = 1;
  for (int i = 0; i < 3; ++i) {
    root.half[i][0] = static_cast<float>(tree.scale);  // 1 in the tree's unit
    root.axes[i][i] = 1;
  }
  tree.nodes.insert(tree.nodes.begin(), root);
  for (std::size_t n = 1; n < tree.nodes.size(); ++n)
    for (int i = 0; i < 8; ++i)
      if ((tree.nodes[n].valid >> i & 1) != 0 && !tree.nodes[n].is_leaf(i)) ++tree.nodes[n].child[i];
  ++tree.depth;
  ASSERT_EQ(tree.nodes[1].valid, old.valid);
  const TreeReport report = trees::report_tree(tree);
  ASSERT_EQ(report.levels[0].boxes, 1u);
  EXPECT_NEAR(report.levels[0].mean_diagonal, 2 * std::sqrt(3), 1e-6);
  EXPECT_NEAR(report.levels[0].looseness, (std::sqrt(3) - 1) / (2 * std::sqrt(3)), 0.01);
}

TEST(TreeReport, OnASmoothSurfaceObbesGetTighterAsTheyGetSmaller) {
  const TreeReport report = Mesh(make::icosphere({.subdivisions = 6})).tree_report();
  ASSERT_GE(report.levels.size(), 4u);
  // From level 0 to level 2, the boxes become about eight times smaller, and the empty space in them shrinks
  // accordingly.
  EXPECT_LT(report.levels[2].mean_diagonal, report.levels[0].mean_diagonal / 4);
  EXPECT_LT(report.levels[2].looseness, report.levels[0].looseness);
}

TEST(TreeReport, TheSurfaceAreaHeuristicIsNoWorseThanTheOthers) {
  const MeshData data = make::gear({.teeth = 30});
  const double best = Mesh(data).tree_report().surface_cost;
  EXPECT_LT(best, 1.1 * Mesh(data, {.split = Split::median}).tree_report().surface_cost);
  EXPECT_LT(best, 1.1 * Mesh(data, {.split = Split::morton}).tree_report().surface_cost);
}

}  // namespace
}  // namespace whisker
