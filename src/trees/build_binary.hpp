#pragma once

// The ways to build the binary tree. Each sets `order` to the items' numbers, leaf by leaf.

#include <cstdint>
#include <span>
#include <vector>

#include <whisker/geometry/aabb.hpp>
#include <whisker/mesh_tree.hpp>

#include "trees/binary_tree.hpp"

namespace whisker::trees {

/// From the root down: a group of items is divided in two until it fits into a leaf. For Split::surface_area, mean and
/// median.
BinaryTree build_top_down(std::span<const Aabb> boxes, const TreeOptions& options, std::vector<std::uint32_t>& order);

/// From the leaves up. Along a space-filling curve, every cluster of items looks for the neighbor with which it has the
/// smallest surface, and two clusters that chose each other are joined (Meister and Bittner, "Parallel locally-ordered
/// clustering for bounding volume hierarchy construction", 2018).
BinaryTree build_bottom_up(std::span<const Aabb> boxes, bool parallel, std::vector<std::uint32_t>& order);

/// Over items sorted along a space-filling curve. A range of the curve is divided where the highest bit of the code
/// changes (Lauterbach et al., "Fast BVH construction on GPUs", 2009), moved to the nearest full leaf.
BinaryTree build_morton(std::span<const Aabb> boxes, bool parallel, std::vector<std::uint32_t>& order);

}  // namespace whisker::trees
