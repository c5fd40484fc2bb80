#pragma once

// A binary tree of AABBs over any items that have one: the simplest tree that makes mesh queries sublinear.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <whisker/geometry/aabb.hpp>

namespace whisker::trees {

struct BoxTree {
  struct Node {
    Aabb box;
    std::uint32_t first = 0;  // leaf: its first item in `order`; inner: its first child, the other one follows
    std::uint32_t count = 0;  // items of a leaf; 0 for an inner node
    bool is_leaf() const { return count != 0; }
  };

  /// No path from the root is longer, because items are halved at every level.
  static constexpr std::size_t max_depth = 34;
  static constexpr std::size_t leaf_size = 4;

  std::vector<Node> nodes;           // the root is nodes[0]
  std::vector<std::uint32_t> order;  // item numbers, leaf by leaf
};

/// Builds the tree over `boxes` (at least one). Items are split at the median of their centers along the widest axis.
/// Ties are broken by number, so that the same boxes give the same tree.
BoxTree build_box_tree(std::span<const Aabb> boxes);

}  // namespace whisker::trees
