#pragma once

// A tree of AABBs over any items that have one, eight wide: the items of a node are halved up to three times, down to
// groups of at most eight, whose boxes are the leaves.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <whisker/geometry/aabb.hpp>

namespace whisker::trees {

struct BoxTree {
  static constexpr std::size_t width = 8;
  /// No path from the root is longer, because a node has an eighth of its parent's items, or a few.
  static constexpr std::size_t max_depth = 14;

  struct Node {
    Aabb box;
    std::uint32_t first = 0;  // leaf: the number of its item; inner: its first child, the others follow
    std::uint32_t count = 0;  // children; 0 for a leaf
    std::uint32_t block = 0;  // inner: the block with its children's boxes
    bool is_leaf() const { return count == 0; }
  };
  /// The boxes of a node's children in floats, rounded outward. An empty slot is NaN.
  struct alignas(32) Block {
    float lower[3][width];
    float upper[3][width];
  };

  std::vector<Node> nodes;  // the root is nodes[0]
  std::vector<Block> blocks;

  /// Calls `visit(leaf)` for the leaves whose boxes overlap this one, from left to right, until it returns true.
  /// Returns the number of boxes tested.
  template <class Visit>
  std::size_t visit_overlapping(const Aabb& box, const Visit& visit) const;

  /// Calls `visit(leaf)` for the leaves whose `nearness(box)` is wanted, children of a node nearest first, until it
  /// returns true. `nearness` must never be larger for a box than for one inside it. `wanted(nearness)` may accept less
  /// and less in the meantime. Returns the number of boxes tested.
  template <class Nearness, class Wanted, class Visit>
  std::size_t visit_nearest(const Nearness& nearness, const Wanted& wanted, const Visit& visit) const;
};

/// Builds the tree over `boxes` (at least one). Items are split at the median of their centers along the widest axis.
/// Ties are broken by number, so that the same boxes give the same tree.
BoxTree build_box_tree(std::span<const Aabb> boxes);

/// Whether the boxes share a point, or a bound is NaN.
inline bool may_overlap(const Aabb& a, const Aabb& b) {
  const double *const al = a.lower.data(), *const au = a.upper.data();
  const double *const bl = b.lower.data(), *const bu = b.upper.data();
  return !((al[0] > bu[0]) | (bl[0] > au[0]) | (al[1] > bu[1]) | (bl[1] > au[1]) | (al[2] > bu[2]) | (bl[2] > au[2]));
}

/// A search for the leaves that overlap a box in floats.
struct OverlapSearch {
  static constexpr std::size_t most = 16;

  float lower[3], upper[3];
  std::uint32_t stack[1 + BoxTree::max_depth * (BoxTree::width - 1)];  // nodes that are still to be looked at
  std::uint32_t waiting = 0;
  std::uint32_t found[most];
  std::uint32_t count = 0;
  std::size_t tests = 1;  // the root
};
/// Continues the search until it has found `most` leaves or is at its end.
void find_leaves(const BoxTree& tree, OverlapSearch& search);

template <class Visit>
std::size_t BoxTree::visit_overlapping(const Aabb& box, const Visit& visit) const {
  if (!may_overlap(nodes[0].box, box)) return 1;
  OverlapSearch search;
  for (int k = 0; k < 3; ++k) {
    // Rounded outward by more than the conversion to floats rounds.
    constexpr double most = std::numeric_limits<float>::max();
    constexpr float share = 0x1p-22f, least = std::numeric_limits<float>::min();
    const auto low = static_cast<float>(std::clamp(box.lower[k], -most, most));
    const auto high = static_cast<float>(std::clamp(box.upper[k], -most, most));
    search.lower[k] = low - (std::abs(low) * share + least);
    search.upper[k] = high + (std::abs(high) * share + least);
  }
  search.stack[search.waiting++] = 0;
  while (search.waiting > 0) {
    find_leaves(*this, search);
    for (std::uint32_t i = 0; i < search.count; ++i)
      if (visit(nodes[search.found[i]])) return search.tests;
  }
  return search.tests;
}

template <class Nearness, class Wanted, class Visit>
std::size_t BoxTree::visit_nearest(const Nearness& nearness, const Wanted& wanted, const Visit& visit) const {
  struct Next {
    double near;
    std::uint32_t node;
  };
  Next stack[1 + max_depth * (width - 1)];
  std::size_t waiting = 0, tests = 1;
  const double near_root = nearness(nodes[0].box);
  if (wanted(near_root)) stack[waiting++] = {near_root, 0};
  while (waiting > 0) {
    const Next next = stack[--waiting];
    if (!wanted(next.near)) continue;
    const Node& node = nodes[next.node];
    if (node.is_leaf()) {
      if (visit(node)) break;
      continue;
    }
    tests += node.count;
    const std::size_t begin = waiting;
    for (std::uint32_t child = node.first + node.count; child-- > node.first;) {
      const double near = nearness(nodes[child].box);
      if (!wanted(near)) continue;
      // The nearest is at the end, and of equally near ones the first.
      std::size_t at = waiting++;
      for (; at > begin && stack[at - 1].near < near; --at)
        stack[at] = stack[at - 1];
      stack[at] = {near, child};
    }
  }
  return tests;
}

}  // namespace whisker::trees
