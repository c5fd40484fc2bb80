#pragma once

// Finds the leaves of a sphere tree before its inner nodes.
//
// A tree that is split from the root down ends up uneven: some regions turn out to need more spheres than others, and
// the worst leaf protrudes far more than the worst sphere of a flat set of equal size. So the leaves are found first,
// all on one level. The nodes above are then made for whole leaves, and no node gets more leaves than its subtree has
// room for.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "spheres/sphere_shares.hpp"

namespace whisker::spheres {

/// Assigns each item to one of `takers`, each with room for `room` items, at the smallest sum of costs. Returns the
/// taker of each item. `costs` lists the costs of the first item for each taker, then of the second item, and so on.
/// There must be room for all items.
std::vector<std::uint32_t> cheapest_takers(std::span<const double> costs, std::size_t takers, std::size_t room);

/// Like settle, but keeps the pieces of a planned leaf (Piece::leaf) together. No share has more than `most` leaves, or
/// more than necessary if there are too many leaves. Starts with the centers of `shares`.
std::vector<Share> settle_leaves(const Region& region, std::vector<Share> shares, std::size_t most);

}  // namespace whisker::spheres
