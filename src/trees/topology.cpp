#include "trees/topology.hpp"

#include <utility>

#include "geometry/threads.hpp"
#include "trees/build_binary.hpp"
#include "trees/collapse.hpp"

namespace whisker::trees {
namespace {

BinaryTree build_binary(std::span<const Aabb> boxes, const TreeOptions& options, std::vector<std::uint32_t>& order) {
  switch (options.split) {
    case Split::morton:
      return build_morton(boxes, options.threads != 1, order);
    case Split::bottom_up:
      return build_bottom_up(boxes, options.threads != 1, order);
    case Split::surface_area:
    case Split::mean:
    case Split::median:
      break;
  }
  return build_top_down(boxes, options, order);
}

}  // namespace

Topology build_topology(std::span<const Aabb> boxes, const TreeOptions& options) {
  Topology topology;
  with_tasks("tree", options.threads, [&](bool parallel) {
    std::vector<std::uint32_t> order;
    const BinaryTree tree = build_binary(boxes, options, order);
    topology = collapse(tree, std::move(order), parallel);
  });
  return topology;
}

}  // namespace whisker::trees
