#pragma once

// The binary tree that is built first, and the ways to build it. build_topology turns it into an eight-wide tree.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trees/topology.hpp"

namespace whisker::trees {

/// Added to every node's surface, in the frame of the root, so that among trees over points the one with the fewest
/// nodes is best.
inline constexpr float min_surface = 1e-30f;

/// A node that covers the items [first, first + count) of the order. Up to Topology::leaf_size items make a leaf. Nodes
/// are laid out depth first: the left child follows its parent, and a subtree is one contiguous range that can be
/// moved.
struct BinaryNode {
  float half_surface = 0;  // of the box around its items, in the frame of the root
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  std::uint32_t right = 0;  // offset from this node to its right child; 0 for a leaf

  bool is_leaf() const { return count <= Topology::leaf_size; }
};
using BinaryTree = std::vector<BinaryNode>;

/// How many leaves n items fill.
inline std::size_t blocks(std::size_t n) {
  return (n + Topology::leaf_size - 1) / Topology::leaf_size;
}

/// Half of the items, rounded to full leaves: between 1 and n - 1 if n is more than a leaf holds.
inline std::size_t full_half(std::size_t n) {
  return (blocks(n) + 1) / 2 * Topology::leaf_size;
}

/// The most items that a child may have if its parent has `depth` nodes above it. With this many, halving still ends
/// within Topology::max_depth nodes on a path. A builder whose split leaves more on one side halves the items instead.
inline std::size_t max_items_below(std::size_t depth) {
  const std::size_t left = Topology::max_depth - 1 - depth;
  return Topology::leaf_size << std::min<std::size_t>(left, 40);
}

// The ways to build the tree. Each sets `order` to the items' numbers, leaf by leaf.

/// From the root down: a group of items is divided in two until it fits into a leaf. For Split::surface_area, mean and
/// median.
BinaryTree build_top_down(std::span<const Aabb> boxes, const TreeOptions& options, std::vector<std::uint32_t>& order);

/// From the leaves up. Along a space-filling curve, every cluster of items looks for the neighbor with which it has the
/// smallest surface, and two clusters that chose each other are joined (Meister and Bittner, "Parallel locally-ordered
/// clustering for bounding volume hierarchy construction", 2018).
BinaryTree build_bottom_up(std::span<const Aabb> boxes, bool parallel, std::vector<std::uint32_t>& order);

/// Over items sorted along a space-filling curve. A range of the curve is divided where the highest bit of the code
/// changes (Lauterbach et al., "Fast BVH construction on GPUs", 2009), moved to the nearest full leaf.
BinaryTree build_morton(std::span<const Aabb> boxes, bool parallel, std::vector<std::uint32_t>& order);

}  // namespace whisker::trees
