#include "trees/oriented_check.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "trees/topology.hpp"

namespace whisker::trees {
namespace {

std::string about(const char* what, std::size_t number, const char* reason) {
  return std::string(what) + " " + std::to_string(number) + " of the tree " + reason;
}

/// The leaves under a node: their count and the range of their numbers.
struct Under {
  std::uint32_t count = 0;
  std::uint32_t begin = 0xFFFFFFFF;
  std::uint32_t end = 0;

  void include(const Under& other) {
    count += other.count;
    begin = std::min(begin, other.begin);
    end = std::max(end, other.end);
  }
};

/// Returns what is wrong with a leaf, or null. Marks its triangles in `seen`.
const char* fault_of_leaf(const TriangleLeaf& leaf, std::uint32_t triangles, std::vector<bool>& seen) {
  for (std::uint32_t i = 0; i < 4; ++i) {
    if (i >= triangles) {
      if (leaf.id[i] != leaf.id[triangles - 1]) return "has an unused slot that does not repeat its last triangle";
      continue;
    }
    if (leaf.id[i] >= seen.size()) return "refers to a triangle that does not exist";
    if (seen[leaf.id[i]]) return "contains a triangle that is already in a leaf";
    seen[leaf.id[i]] = true;
  }
  return nullptr;
}

}  // namespace

std::string check_links(OrientedTree& tree, std::size_t triangle_count) {
  const std::size_t nodes = tree.nodes.size();
  if (nodes == 0) return "the tree has no nodes";
  std::vector<std::uint8_t> level(nodes, 0);  // nodes on the path to it; 0 while no parent is known
  std::vector<bool> leaf_seen(tree.leaves.size(), false);
  std::vector<bool> triangle_seen(triangle_count, false);
  std::size_t leaves_found = 0, triangles_found = 0, depth = 0;
  level[0] = 1;
  for (std::size_t n = 0; n < nodes; ++n) {
    const OrientedNode& node = tree.nodes[n];
    if (level[n] == 0) return about("node", n, "has no parent before it");
    depth = std::max<std::size_t>(depth, level[n]);
    if (node.valid == 0 || (node.valid & (node.valid + 1)) != 0)
      return about("node", n, "has no children, or a gap between them");
    if ((node.leaves & ~node.valid) != 0) return about("node", n, "marks an unused child slot as a leaf");
    for (int i = 0; i < 8; ++i) {
      if ((node.valid >> i & 1) == 0) {
        if (node.child[i] != 0) return about("node", n, "has an entry in an unused child slot");
        continue;
      }
      const std::uint32_t index = node.index(i);
      if (node.is_leaf(i)) {
        if ((node.child[i] & OrientedNode::leaf_bit) == 0)
          return about("node", n, "marks a child as a leaf, but the child's index has no leaf bit");
        if (index >= tree.leaves.size()) return about("node", n, "has a leaf number that is out of range");
        if (leaf_seen[index]) return about("leaf", index, "is the child of two nodes");
        leaf_seen[index] = true;
        ++leaves_found;
        triangles_found += node.triangles(i);
        if (const char* fault = fault_of_leaf(tree.leaves[index], node.triangles(i), triangle_seen))
          return about("leaf", index, fault);
        continue;
      }
      if (node.child[i] != index)
        return about("node", n, "has a child whose index has the leaf bit, but does not mark it as a leaf");
      if (index >= nodes || index <= n) return about("node", n, "has a child that does not come after it");
      if (level[index] != 0) return about("node", index, "is the child of two nodes");
      if (level[n] >= Topology::max_depth) return about("node", n, "is too deep");
      level[index] = static_cast<std::uint8_t>(level[n] + 1);
    }
  }
  if (leaves_found != tree.leaves.size()) return "the tree has a leaf without a parent";
  if (triangles_found != triangle_count) return "the tree does not contain every triangle";

  // A refit relies on the leaves under a node being contiguous.
  std::vector<Under> under(nodes);
  for (std::size_t n = nodes; n-- > 0;) {
    const OrientedNode& node = tree.nodes[n];
    for (const unsigned i : node.children()) {
      const std::uint32_t index = node.index(i);
      under[n].include(node.is_leaf(i) ? Under{1, index, index + 1} : under[index]);
    }
    if (under[n].end - under[n].begin != under[n].count) return about("node", n, "has leaves that are not contiguous");
  }
  tree.depth = depth;
  return "";
}

}  // namespace whisker::trees
