#pragma once

// Parts of a mesh that cannot touch themselves, by the directions of their normals and by their contours (Volino and
// Magnenat-Thalmann 1994), proven.
//
// Let all triangles below a node have n · V > 0 for some direction V. Seen along V the surface then keeps its
// orientation everywhere, so over every point off its contours lie as many points of it as the contours wind round it
// (the degree of the projection, all of whose local degrees are positive; where triangles share more or less than edges
// of two, take the surface with its sheets apart). If the contours do not meet themselves or each other, and just one
// of them winds positively, that is nowhere more than 1: no two points of the surface lie above each other, so no two
// triangles touch but in what they share. Two parts would have two such contours, so it is in one piece, too.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <whisker/mesh_data.hpp>

#include "trees/aligned_fit.hpp"
#include "trees/oriented_tree.hpp"

namespace whisker::deform {

/// The contours of what is below each node, if they are closed chains of edges that pass no vertex twice.
struct NodeContours {
  /// Node n has contours loops[first[n]] up to loops[first[n + 1]]; none also if it has no such.
  std::vector<std::uint32_t> first;
  struct Loop {
    std::size_t begin;
    std::size_t end;  ///< of its vertices in `vertices`
  };
  std::vector<Loop> loops;
  std::vector<std::uint32_t> vertices;
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
};
void find_smooth(const trees::OrientedTree& tree, const NodeContours& contours, std::span<const Vector3> vertices,
                 SmoothPatches& patches);

}  // namespace whisker::deform
