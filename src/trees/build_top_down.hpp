#pragma once

// Builds a binary tree from the root down.

#include <cstdint>
#include <span>
#include <vector>

#include <whisker/geometry/aabb.hpp>
#include <whisker/mesh_tree.hpp>

#include "trees/binary_tree.hpp"

namespace whisker::trees {

/// Builds the binary tree from the root down: a group of items is divided in two until it fits into a leaf. For
/// Split::surface_area, mean and median. `order` is set to the items' numbers, leaf by leaf.
BinaryTree build_top_down(std::span<const Aabb> boxes, const TreeOptions& options, std::vector<std::uint32_t>& order);

}  // namespace whisker::trees
