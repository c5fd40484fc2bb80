#pragma once

// Sorts items along a space-filling curve.

#include <cstdint>
#include <span>
#include <vector>

#include <whisker/geometry/aabb.hpp>

#include "trees/build_items.hpp"

namespace whisker::trees {

/// An item and the position of its box's center along the Z curve of Morton (1966): 21 bits each of x, y and z.
struct MortonItem {
  std::uint64_t code = 0;
  std::uint32_t number = 0;
};

/// The code of a box's center in the cube of `frame`.
std::uint64_t morton_code(const Aabb& box, const Frame& frame);

/// All items sorted by code, equal ones by number.
std::vector<MortonItem> morton_order(std::span<const Aabb> boxes, const Frame& frame, bool parallel);

}  // namespace whisker::trees
