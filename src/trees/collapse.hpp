#pragma once

#include <cstdint>
#include <vector>

#include "trees/binary_tree.hpp"
#include "trees/topology.hpp"

namespace whisker::trees {

/// The eight-wide tree with the leaves of a binary one, and those of its inner nodes for which the expected number of
/// visits, the sum of their surfaces, is least.
Topology collapse(const BinaryTree& tree, std::vector<std::uint32_t> order, bool parallel);

}  // namespace whisker::trees
