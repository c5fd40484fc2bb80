#include "trees/topology.hpp"

#include <algorithm>
#include <tbb/parallel_invoke.h>

#include "geometry/fixed_list.hpp"
#include "geometry/threads.hpp"
#include "trees/binary_tree.hpp"

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

constexpr std::size_t width = Topology::width;
// Subtrees of fewer binary nodes are not worth a task.
constexpr std::size_t task_nodes = 4096;

// [k - 1]: the least cost in up to k places. The last entry is the cost of the children of a wide node.
using Costs = std::array<float, width>;

/// Collapses a binary tree into the eight-wide tree that has its leaves, and those of its inner nodes for which the
/// expected number of visits, the sum of their surfaces, is least.
///
/// Finds which nodes of the binary tree stay, from the leaves up by dynamic programming, after Ylitie, Karras and
/// Laine, "Efficient Incoherent Ray Traversal on GPUs Through Compressed Wide BVHs" (2017), section 3.1. For every
/// binary node it computes the cost of the subtree if it may take up to k of its wide parent's eight places.
class Collapse {
 public:
  Collapse(const BinaryTree& tree, Topology& topology) : tree_(tree), costs_(tree.size()), topology_(topology) {}

  void run(bool parallel) {
    find_costs(0, tree_.size(), parallel);
    topology_.nodes.reserve(tree_.size() / 8 + 1);
    emit(0);
  }

 private:
  void find_costs(std::size_t node, std::size_t end, bool parallel) {
    if (parallel && end - node > task_nodes) {
      const std::size_t right = node + tree_[node].right;
      tbb::parallel_invoke([&] { find_costs(node + 1, right, true); }, [&] { find_costs(right, end, true); });
      find_cost(node);
      return;
    }
    for (std::size_t i = end; i-- > node;)
      find_cost(i);
  }

  void find_cost(std::size_t index) {
    const BinaryNode& node = tree_[index];
    Costs& costs = costs_[index];
    if (node.is_leaf()) {
      costs.fill(0);  // leaves are part of every wide tree
      return;
    }
    const Costs& left = costs_[index + 1];
    const Costs& right = costs_[index + node.right];
    for (std::size_t places = 2; places <= width; ++places) {
      float best = left[0] + right[places - 2];
      for (std::size_t given = 2; given < places; ++given) {
        best = std::min(best, left[given - 1] + right[places - given - 1]);
      }
      costs[places - 1] = best;
    }
    costs[0] = node.half_surface + costs[width - 1];
    for (std::size_t places = 2; places < width; ++places)
      costs[places - 1] = std::min(costs[places - 1], costs[0]);
  }

  using Places = geometry::FixedList<std::size_t, width>;

  /// Adds to `places` the nodes that represent the children of a binary node in up to `count` places, 2 or more.
  void divide(std::size_t index, std::size_t count, Places& places) const {
    const std::size_t left = index + 1;
    const std::size_t right = index + tree_[index].right;
    std::size_t best = 1;
    for (std::size_t given = 2; given < count; ++given) {
      if (costs_[left][given - 1] + costs_[right][count - given - 1] <
          costs_[left][best - 1] + costs_[right][count - best - 1]) {
        best = given;
      }
    }
    place(left, best, places);
    place(right, count - best, places);
  }

  void place(std::size_t index, std::size_t count, Places& places) const {
    if (count == 1 || tree_[index].is_leaf() || costs_[index][count - 1] == costs_[index][0]) {
      places.push_back(index);
    } else {
      divide(index, count, places);
    }
  }

  /// Adds the wide node of an inner binary node, or of a leaf that is the whole tree, and everything below it.
  std::uint32_t emit(std::size_t index) {
    Places places;
    if (tree_[index].is_leaf()) {
      places.push_back(index);
    } else {
      divide(index, width, places);
    }
    const std::size_t made = topology_.nodes.size();
    topology_.nodes.emplace_back();
    for (const std::size_t at : places) {
      const BinaryNode& below = tree_[at];
      const std::uint32_t child = below.is_leaf() ? below.first : emit(at);
      Topology::Node& node = topology_.nodes[made];
      node.items[node.size] = static_cast<std::uint8_t>(below.is_leaf() ? below.count : 0);
      node.child[node.size++] = child;
    }
    return static_cast<std::uint32_t>(made);
  }

  const BinaryTree& tree_;
  std::vector<Costs> costs_;
  Topology& topology_;
};

}  // namespace

Topology build_topology(std::span<const Aabb> boxes, const TreeOptions& options) {
  Topology topology;
  with_tasks("tree", options.threads, [&](bool parallel) {
    const BinaryTree tree = build_binary(boxes, options, topology.order);
    Collapse(tree, topology).run(parallel);
  });
  return topology;
}

}  // namespace whisker::trees
