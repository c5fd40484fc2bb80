#pragma once

// Quality measures of a tree's topology, to compare the ways of building it.

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

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

/// Half the surface of a box scaled by `scale`.
inline double half_surface(const Aabb& box, double scale) {
  const Vector3 edges = (0.5 * box.upper - 0.5 * box.lower) * scale;
  return edges.x() * (edges.y() + edges.z()) + edges.y() * edges.z();
}

inline TopologyReport report_topology(const Topology& topology, std::span<const Aabb> boxes) {
  TopologyReport report;
  report.nodes = topology.nodes.size();
  Aabb whole;
  for (const Aabb& box : boxes)
    whole.include(box);
  const double extent = (0.5 * whole.upper - 0.5 * whole.lower).maxCoeff();
  const double scale = extent > 0 ? 1 / extent : 0;

  // A node comes before its children, so going backward, the children's boxes and depths are already known.
  std::vector<Aabb> box(topology.nodes.size());
  std::vector<std::size_t> depth(topology.nodes.size());
  double surface = 0;
  std::size_t children = 0;
  for (std::size_t i = topology.nodes.size(); i-- > 0;) {
    const Topology::Node& node = topology.nodes[i];
    children += node.size;
    for (std::size_t k = 0; k < node.size; ++k) {
      if (node.items[k] == 0) {
        box[i].include(box[node.child[k]]);
        depth[i] = std::max(depth[i], depth[node.child[k]]);
        continue;
      }
      ++report.leaves;
      Aabb leaf;
      for (std::size_t at = 0; at < node.items[k]; ++at)
        leaf.include(boxes[topology.order[node.child[k] + at]]);
      surface += half_surface(leaf, scale);
      box[i].include(leaf);
    }
    ++depth[i];
    surface += half_surface(box[i], scale);
  }
  report.depth = depth[0];
  const double root_surface = half_surface(whole, scale);
  report.surface_cost = root_surface > 0 ? surface / root_surface : 0;
  report.leaf_fill = static_cast<double>(boxes.size()) / static_cast<double>(report.leaves * Topology::leaf_size);
  report.mean_children = static_cast<double>(children) / static_cast<double>(report.nodes);
  return report;
}

}  // namespace whisker::trees
