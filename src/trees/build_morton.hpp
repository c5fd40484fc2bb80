#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <whisker/geometry/aabb.hpp>

#include "trees/binary_tree.hpp"

namespace whisker::trees {

/// The binary tree over items sorted along a space-filling curve: a stretch of the curve is divided where the highest
/// bit of the code changes (Lauterbach et al., "Fast BVH construction on GPUs", 2009), moved to the next full leaf.
/// `order` gets the items' numbers, leaf by leaf.
BinaryTree build_morton(std::span<const Aabb> boxes, bool parallel, std::vector<std::uint32_t>& order);

}  // namespace whisker::trees
