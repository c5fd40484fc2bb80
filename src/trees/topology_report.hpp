#pragma once

// How good a tree is, in numbers.

#include <cstddef>
#include <span>

#include <whisker/geometry/aabb.hpp>

#include "trees/topology.hpp"

namespace whisker::trees {

struct TopologyReport {
  std::size_t nodes = 0;
  std::size_t leaves = 0;
  std::size_t depth = 0;  // nodes on the longest path from the root
  /// The surfaces of the boxes around all nodes and leaves, in sum, over that of the root: how many of them a random
  /// line that meets the root's box is expected to meet. 0 if the root's box has no surface.
  double surface_cost = 0;
  double leaf_fill = 0;      // items a leaf over Topology::leaf_size: 1 if all leaves are full
  double mean_children = 0;  // of a node, leaves included
};

TopologyReport report_topology(const Topology& topology, std::span<const Aabb> boxes);

}  // namespace whisker::trees
