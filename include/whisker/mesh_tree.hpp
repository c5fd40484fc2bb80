#pragma once

/// \file
/// The search tree of a mesh: how it is built (TreeOptions), and how good it is, in numbers (Mesh::tree_report()).

#include <cstddef>
#include <cstdint>
#include <vector>

namespace whisker {

/// How a set of triangles is divided among the children of a node.
enum class Split : std::uint8_t {
  surface_area,  ///< Where the expected cost by surface area is least, from binned centers. The default: best to query.
  mean,          ///< At the mean of the centers along the widest axis. Quicker to build.
  median,        ///< Into halves along the widest axis. The flattest tree.
  morton,        ///< Along a space-filling curve. By far the quickest to build.
  bottom_up,     ///< By joining neighbors, smallest surface first. Slow to build.
};

struct TreeOptions {
  Split split = Split::surface_area;
  /// How many threads build: 0 all that oneTBB gives, 1 the calling thread alone, n at most n; negative is an Error.
  /// The tree is the same.
  int threads = 0;
};

/// The boxes of a tree that are equally far from its root.
struct TreeLevel {
  std::size_t boxes = 0;
  /// The mean of their diagonals, in the mesh's unit.
  double mean_diagonal = 0;
  /// How much air is in them: the mean of τ/d, where τ is how far the corner of a box that is farthest from the
  /// triangles in it is from them, and d the box's diagonal; 0 for a box that is a point. (Gottschalk, Lin and Manocha
  /// 1996 take the Hausdorff distance of box and triangles for τ, which is that of the corners where the triangles are
  /// convex.) Over a smooth surface boxes along the axes keep it from level to level, and oriented ones halve it when
  /// they halve in size.
  double looseness = 0;
};

/// What Mesh::tree_report() says.
struct TreeReport {
  std::size_t triangles = 0;
  std::size_t nodes = 0;   ///< Of up to eight children each.
  std::size_t leaves = 0;  ///< Of up to four triangles each.
  std::size_t depth = 0;   ///< Nodes on the longest path from the root to a leaf.
  /// The boxes that a random line through the root's box is expected to meet: their surfaces, in sum, over the root's.
  /// 0 if the root's box has no surface.
  double surface_cost = 0;
  double mean_children = 0;  ///< Of a node, leaves included: 8 at best.
  double leaf_fill = 0;      ///< Triangles in a leaf over four: 1 if all leaves are full.
  std::size_t bytes = 0;     ///< Of nodes, leaves and the triangles' order.
  double bytes_per_triangle = 0;
  std::vector<TreeLevel> levels;  ///< The children of the root first; leaves count where they hang.
};

}  // namespace whisker
