#pragma once

// The leaves of a tree, found before its branches.
//
// A tree that is split from the root down ends unevenly: some regions turn out to need more spheres than others, and
// its worst leaf stands off far more than that of a flat set with as many spheres. So the leaves are looked for first,
// all on one level; the nodes above them are then made for whole leaves, and none gets more than its subtree has room
// for.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "spheres/sphere_shares.hpp"

namespace whisker::spheres {

/// Who gets which item, if each of `takers` has room for so many: a way of the least sum of costs. `costs` has those of
/// the first item by taker, then of the second. There must be room for all.
std::vector<std::uint32_t> cheapest_takers(std::span<const double> costs, std::size_t takers, std::size_t room);

/// As settle, but the pieces of a planned leaf (Piece::leaf) stay together, and no share has more than `most` of them,
/// or than it must if there are too many. It begins with the centers of `shares`.
std::vector<Share> settle_leaves(const Region& region, std::vector<Share> shares, std::size_t most);

}  // namespace whisker::spheres
