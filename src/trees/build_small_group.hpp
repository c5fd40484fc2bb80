#pragma once

// Builds the last levels above the leaves, where most of the nodes are, for every top-down split.

#include <cstddef>
#include <span>

#include <whisker/mesh_tree.hpp>

#include "trees/binary_tree.hpp"
#include "trees/build_items.hpp"

namespace whisker::trees {

/// Groups of up to this many items are small.
inline constexpr std::size_t small_group = 32;

/// The position of a small group.
struct GroupPlace {
  std::size_t first = 0;  // its first item in the order of all
  std::size_t depth = 0;  // nodes above it
  float surface = 1;      // Frame::surface of its items
};

/// Adds the whole subtree of a small group to `tree` and sorts its items by leaf. Groups are divided only where this
/// needs no more leaves than before. On meshes the expected cost is the same as without this rule, within 0.2 %, and
/// fewer leaves need less memory.
void build_small_group(std::span<Item> items, const Bounds& bounds, const GroupPlace& place, Split split,
                       BinaryTree& tree);

}  // namespace whisker::trees
