#pragma once

/// \file
/// The search tree of a mesh: how it is built (TreeOptions), and how good it is (Mesh::tree_report()).
///
///     const Mesh part(data, TreeOptions{.split = Split::morton, .threads = 4});  // quick to build
///     const TreeReport report = part.tree_report();
///     std::printf("%zu nodes, surface cost %g\n", report.nodes, report.surface_cost);
///
/// A node of the tree has up to eight children, each with an OBB in the node's own axes; a leaf has up to four
/// triangles. (The trees of DeformingMesh snapshots use AABBs.) The split changes the cost of queries, never their
/// results.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace whisker {

/// How a set of triangles is divided among the children of a node.
enum class Split : std::uint8_t {
  surface_area,  ///< Least expected cost by the surface area heuristic, from binned centers. The default: fast queries.
  mean,          ///< At the mean of the centers along the widest axis. Quicker to build.
  median,        ///< Into halves along the widest axis. The shallowest tree.
  morton,        ///< Along a space-filling curve (Morton order). By far the quickest to build.
  bottom_up,     ///< By joining neighboring clusters, smallest surface area first. Slow to build.
};

struct TreeOptions {
  Split split = Split::surface_area;
  /// How many threads build the tree: 0 all that oneTBB provides, 1 only the calling thread, n at most n. Negative is
  /// an Error. The tree does not depend on it.
  int threads = 0;
};

/// The boxes at one level of a tree, that is, at the same distance from its root.
struct TreeLevel {
  std::size_t boxes = 0;
  /// The mean length of the boxes' diagonals, in the mesh's unit.
  double mean_diagonal = 0;
  /// How much empty space the boxes contain: the mean of τ/d, where d is a box's diagonal and τ the distance from the
  /// triangles in the box to the box corner that is farthest from them. 0 for a box that is a point. (Gottschalk, Lin
  /// and Manocha 1996 define τ as the Hausdorff distance of box and triangles, which is attained at the corners where
  /// the triangles are convex.) Over a smooth surface, AABBs keep this value from level to level, while that of OBBs
  /// halves when their size halves.
  double looseness = 0;
};

/// The result of Mesh::tree_report().
struct TreeReport {
  std::size_t triangles = 0;
  std::size_t nodes = 0;   ///< Inner nodes, with up to eight children each.
  std::size_t leaves = 0;  ///< Leaves, with up to four triangles each.
  std::size_t depth = 0;   ///< Nodes on the longest path from the root to a leaf.
  /// How many boxes a random line through the root's box is expected to hit: the sum of the surface areas of all boxes
  /// below the root, divided by the root's. 0 if the root's box has no surface area.
  double surface_cost = 0;
  double mean_children = 0;       ///< Children per node, leaves included: 8 at best.
  double leaf_fill = 0;           ///< Triangles per leaf, divided by four: 1 if all leaves are full.
  std::size_t bytes = 0;          ///< Memory of the nodes and the leaves, which hold the triangles' order.
  double bytes_per_triangle = 0;  ///< `bytes` divided by `triangles`.
  std::vector<TreeLevel> levels;  ///< The children of the root come first. A leaf counts at the level of its box.
};

}  // namespace whisker
