#pragma once

// Parts of a mesh that cannot touch themselves, by the directions of their normals and by their contours (Volino and
// Magnenat-Thalmann 1994), on the tree that is walked anyway: what is below a node, if all of it faces one way and its
// contour is proven to be simple. Why that suffices stands in surface_contour.hpp.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <whisker/mesh_data.hpp>

#include "deform/surface_contour.hpp"
#include "trees/aligned_fit.hpp"
#include "trees/oriented_tree.hpp"

namespace whisker::deform {

/// The contours of what is below each node: the edges of its triangles, less those that run both ways.
struct NodeContours {
  /// Node n has edges[first[n]] up to edges[first[n + 1]]; none also if an edge runs the same way twice.
  std::vector<std::size_t> first;
  std::vector<ContourEdge> edges;
};
NodeContours find_contours(const trees::OrientedTree& tree, std::span<const trees::LeafVertices> leaves);

/// Directions V are the 16 of `mask_axes` and their opposites.
constexpr int mask_axes[16][3] = {{1, 0, 0},  {0, 1, 0}, {0, 0, 1},  {1, 1, 0}, {1, -1, 0}, {1, 0, 1},
                                  {1, 0, -1}, {0, 1, 1}, {0, 1, -1}, {1, 1, 1}, {1, 1, -1}, {1, -1, 1},
                                  {-1, 1, 1}, {2, 1, 0}, {0, 2, 1},  {1, 0, 2}};

/// For each leaf the directions with which all its triangles' normals certainly have n · V > 0: bit k for axis k, bit
/// 16 + k for its opposite.
void set_leaf_masks(const trees::OrientedTree& tree, std::vector<std::uint32_t>& masks);

/// Working memory, and the answer.
struct SmoothPatches {
  std::vector<std::uint32_t> leaf_masks, node_masks;
  /// For each node 1 if nothing below it touches itself elsewhere than where it must; known for those only whose
  /// parent is not so.
  std::vector<std::uint8_t> is_smooth;
  std::size_t tested = 0;  ///< contours looked at
  std::vector<std::uint32_t> waiting;
  ContourMemory memory;
};
void find_smooth(const trees::OrientedTree& tree, const NodeContours& contours, std::span<const Vector3> vertices,
                 SmoothPatches& patches);

}  // namespace whisker::deform
