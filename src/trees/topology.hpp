#pragma once

// The shape of an eight-wide tree: which items are in which leaf, and which nodes under which node. It knows nothing of
// the volumes that a node keeps for its children; those are filled in for a topology, and anew when the items move.

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
  /// No path from the root has more nodes, whatever the items.
  static constexpr std::size_t max_depth = 48;

  struct Node {
    /// Of an inner child its node; of a leaf where its items begin in `order`.
    std::array<std::uint32_t, width> child{};
    /// Of an inner child 0; of a leaf how many items it has, 1 to leaf_size.
    std::array<std::uint8_t, width> items{};
    /// How many children there are, 1 to 8: the first so many.
    std::uint8_t size = 0;
  };

  std::vector<Node> nodes;           // the root is nodes[0]; a node comes before its children, subtree by subtree
  std::vector<std::uint32_t> order;  // item numbers, leaf by leaf
};

/// The tree over items with these boxes (at least one; finite). The same boxes and split give the same tree, whatever
/// the number of threads.
Topology build_topology(std::span<const Aabb> boxes, const TreeOptions& options);

}  // namespace whisker::trees
