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

/// What of a mesh and its tree does not change while the mesh deforms.
struct NodeContours {
  /// Of nodes whose contours are looked at: the edges of the triangles below the node that have no twin (EdgeTwins)
  /// below it. Node n has edges[first[n]] up to edges[first[n + 1]]. Others have none: those with leaves alone, of
  /// which it would cost as much as looking for what touches; those whose triangles do not hang together, since layers
  /// that lie on each other face one way but have contours that cross.
  std::vector<std::size_t> first;
  std::vector<ContourEdge> edges;
  /// Of each vertex the deepest node that has all its triangles below it.
  std::vector<std::uint32_t> node_of_vertex;
};
NodeContours find_contours(const trees::OrientedTree& tree, std::span<const Index3> triangles,
                           std::size_t vertex_count);
/// The root's contour alone, which is found sooner.
NodeContours find_whole_contour(const trees::OrientedTree& tree, std::span<const Index3> triangles,
                                std::size_t vertex_count);

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
  /// For each node 1 if nothing below it touches itself elsewhere than where it must.
  std::vector<std::uint8_t> is_smooth;
  std::size_t tested = 0;  ///< contours looked at
  std::vector<std::uint32_t> waiting;
  ContourMemory memory;
};
void set_masks(const trees::OrientedTree& tree, SmoothPatches& patches);
/// The masks are set.
void find_smooth(const trees::OrientedTree& tree, const NodeContours& contours, std::span<const Vector3> vertices,
                 SmoothPatches& patches);

}  // namespace whisker::deform
