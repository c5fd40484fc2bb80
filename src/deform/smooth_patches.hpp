#pragma once

// Finds parts of a mesh that cannot touch themselves, from the directions of their normals and from their contours
// (Volino and Magnenat-Thalmann 1994). The parts are the subtrees of the tree that is traversed anyway: a subtree
// qualifies if all of its triangles face one way and its contour is proven to be simple. surface_contour.hpp explains
// why that suffices.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <whisker/mesh_data.hpp>

#include "deform/surface_contour.hpp"
#include "geometry/grouped.hpp"
#include "trees/oriented_tree.hpp"

namespace whisker::deform {

/// What does not change about a mesh and its tree while the mesh deforms.
struct NodeContours {
  /// The contours of the nodes whose contours are tested: the edges of the triangles below a node that have no twin
  /// (EdgeTwins) below it. Other nodes have no edges here: nodes with only leaves, because testing the contour would
  /// cost as much as searching for contacts, and nodes whose triangles are not connected, because stacked layers face
  /// one way but have contours that cross.
  geometry::Grouped<ContourEdge, std::size_t> of_node;
  /// For each vertex, the deepest node that contains all its triangles.
  std::vector<std::uint32_t> node_of_vertex;
};
NodeContours find_contours(const trees::OrientedTree& tree, std::span<const Index3> triangles,
                           std::size_t vertex_count);
/// Finds only the root's contour, which is faster.
NodeContours find_whole_contour(const trees::OrientedTree& tree, std::span<const Index3> triangles,
                                std::size_t vertex_count);

/// The directions V are the 16 in `mask_axes` and their opposites.
constexpr int mask_axes[16][3] = {{1, 0, 0},  {0, 1, 0}, {0, 0, 1},  {1, 1, 0}, {1, -1, 0}, {1, 0, 1},
                                  {1, 0, -1}, {0, 1, 1}, {0, 1, -1}, {1, 1, 1}, {1, 1, -1}, {1, -1, 1},
                                  {-1, 1, 1}, {2, 1, 0}, {0, 2, 1},  {1, 0, 2}};

/// For each leaf, the set of directions for which all its triangles' normals certainly have n · V > 0: bit k for axis
/// k, bit 16 + k for its opposite.
void set_leaf_masks(const trees::OrientedTree& tree, std::vector<std::uint32_t>& masks);

/// Working memory and result.
struct SmoothPatches {
  std::vector<std::uint32_t> leaf_masks, node_masks;
  /// For each node, 1 if nothing below it touches itself anywhere other than in shared vertices and edges.
  std::vector<std::uint8_t> is_smooth;
  std::size_t tested = 0;  ///< number of contours tested
  std::vector<std::uint32_t> waiting;
  ContourMemory memory;
};
void set_masks(const trees::OrientedTree& tree, SmoothPatches& patches);
/// The masks must be set.
void find_smooth(const trees::OrientedTree& tree, const NodeContours& contours, std::span<const Vector3> vertices,
                 SmoothPatches& patches);

}  // namespace whisker::deform
