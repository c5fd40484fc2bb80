#pragma once

// Builds a binary tree from the leaves up.

#include <cstdint>
#include <span>
#include <vector>

#include <whisker/geometry/aabb.hpp>

#include "trees/binary_tree.hpp"

namespace whisker::trees {

/// Builds the binary tree from the leaves up. Along a space-filling curve, every cluster of items looks for the
/// neighbor with which it has the smallest surface, and two clusters that chose each other are joined (Meister and
/// Bittner, "Parallel locally-ordered clustering for bounding volume hierarchy construction", 2018). `order` is set to
/// the items' numbers, leaf by leaf.
BinaryTree build_bottom_up(std::span<const Aabb> boxes, bool parallel, std::vector<std::uint32_t>& order);

}  // namespace whisker::trees
