#pragma once

// Quality measures of a tree.

#include <cstddef>
#include <span>

#include <whisker/geometry/aabb.hpp>

#include "trees/topology.hpp"

namespace whisker::trees {

struct TopologyReport {
  std::size_t nodes = 0;
  std::size_t leaves = 0;
  std::size_t depth = 0;  // nodes on the longest path from the root
  /// The total surface of the boxes around all nodes and leaves, relative to that of the root: how many of them a
  /// random line that hits the root's box is expected to hit. 0 if the root's box has no surface.
  double surface_cost = 0;
  double leaf_fill = 0;      // items per leaf over Topology::leaf_size: 1 if all leaves are full
  double mean_children = 0;  // per node, leaves included
};

TopologyReport report_topology(const Topology& topology, std::span<const Aabb> boxes);

}  // namespace whisker::trees
