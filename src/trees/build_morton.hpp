#pragma once

// Builds a binary tree along a space-filling curve.

#include <cstdint>
#include <span>
#include <vector>

#include <whisker/geometry/aabb.hpp>

#include "trees/binary_tree.hpp"

namespace whisker::trees {

/// Builds the binary tree over items sorted along a space-filling curve. A range of the curve is divided where the
/// highest bit of the code changes (Lauterbach et al., "Fast BVH construction on GPUs", 2009), moved to the nearest
/// full leaf. `order` is set to the items' numbers, leaf by leaf.
BinaryTree build_morton(std::span<const Aabb> boxes, bool parallel, std::vector<std::uint32_t>& order);

}  // namespace whisker::trees
