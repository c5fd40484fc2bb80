#pragma once

// Splits a group of items by surface area, with bins along each axis.

#include <cstddef>
#include <span>

#include "trees/binary_tree.hpp"
#include "trees/build_items.hpp"

namespace whisker::trees {

/// A plane between the bins of a group's centers.
struct BinnedSplit {
  int axis = -1;  // -1: no plane divides the group
  float origin = 0;
  float scale = 0;
  int last = 0;  // the last bin of the left side
  std::size_t left_items = 0;

  bool on_left(const Item& item) const {
    return static_cast<int>((item.lower[axis] + item.upper[axis] - origin) * scale) <= last;
  }
};

/// Finds the plane between bins that minimizes the sum, over both sides, of the surface of the side's box times the
/// number of leaves that its items fill (Goldsmith and Salmon, "Automatic creation of object hierarchies for ray
/// tracing", 1987; bins: Wald, "On fast construction of SAH-based bounding volume hierarchies", 2007). No side has more
/// than `most` items.
BinnedSplit split_by_bins(std::span<const Item> items, const Bounds& bounds, std::size_t most, bool parallel);

}  // namespace whisker::trees
