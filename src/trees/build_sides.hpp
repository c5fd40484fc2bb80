#pragma once

// Builds the two subtrees of a binary node, one after the other or in parallel.

#include <cstddef>
#include <tbb/parallel_invoke.h>

#include "trees/binary_tree.hpp"

namespace whisker::trees {

/// Smaller groups of items are not worth a task.
inline constexpr std::size_t task_items = 4096;

/// Calls left(tree) and right(tree), each of which adds its subtree. The last node of `tree` is their parent.
template <typename Left, typename Right>
void build_sides(BinaryTree& tree, bool in_tasks, Left&& left, Right&& right) {
  const std::size_t parent = tree.size() - 1;
  if (in_tasks) {
    BinaryTree right_tree;
    tbb::parallel_invoke([&] { left(tree); }, [&] { right(right_tree); });
    tree[parent].right = static_cast<std::uint32_t>(tree.size() - parent);
    tree.insert(tree.end(), right_tree.begin(), right_tree.end());
  } else {
    left(tree);
    tree[parent].right = static_cast<std::uint32_t>(tree.size() - parent);
    right(tree);
  }
}

}  // namespace whisker::trees
