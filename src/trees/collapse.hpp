#pragma once

// Collapses a binary tree into an eight-wide tree.

#include <cstdint>
#include <vector>

#include "trees/binary_tree.hpp"
#include "trees/topology.hpp"

namespace whisker::trees {

/// Builds the eight-wide tree that has the leaves of a binary tree and those of its inner nodes for which the expected
/// number of visits, the sum of their surfaces, is least.
Topology collapse(const BinaryTree& tree, std::vector<std::uint32_t> order, bool parallel);

}  // namespace whisker::trees
