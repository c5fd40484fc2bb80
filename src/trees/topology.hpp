#pragma once

// The shape of an eight-wide tree: which items are in which leaf, and which nodes are under which node. It does not
// include the bounding volumes that a node keeps for its children. Those are filled in for a topology, and again when
// the items move.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <whisker/geometry/aabb.hpp>
#include <whisker/mesh_tree.hpp>

namespace whisker::trees {

struct Topology {
  static constexpr std::size_t width = 8;
  static constexpr std::size_t leaf_size = 4;
  /// No path from the root has more nodes than this, whatever the items.
  static constexpr std::size_t max_depth = 48;
  /// The most children that wait in a walk that visits one node after the other: each visit replaces one by up to
  /// eight.
  static constexpr std::size_t max_waiting = (width - 1) * max_depth + width;

  struct Node {
    /// Inner child: its node. Leaf: where its items begin in `order`.
    std::array<std::uint32_t, width> child{};
    /// Inner child: 0. Leaf: its number of items, 1 to leaf_size.
    std::array<std::uint8_t, width> items{};
    /// The number of children, 1 to 8. They are in the first slots.
    std::uint8_t size = 0;
  };

  std::vector<Node> nodes;           // the root is nodes[0]; a node comes before its children, subtree by subtree
  std::vector<std::uint32_t> order;  // item numbers, leaf by leaf
};

/// Builds the tree over items with these boxes (at least one; finite). The same boxes and split give the same tree,
/// whatever the number of threads.
Topology build_topology(std::span<const Aabb> boxes, const TreeOptions& options);

}  // namespace whisker::trees
