#pragma once

// Fewer spheres for a region of the surface, by removing one after the other (Bradshaw 2002, algorithm 5).

#include <cstddef>
#include <vector>

#include "spheres/sphere_shares.hpp"

namespace whisker::spheres {

/// At most `count` of the shares. One is removed again and again: each of its pieces goes to the ball that it lies
/// deepest in, or that must grow least, and each ball that takes some is replaced by the better of the smallest one and
/// the one about its old center. Always that one is removed after which the balls that take its pieces, at worst, stand
/// off least more, or most less, than they and it did before.
std::vector<Share> burst(const Region& region, std::vector<Share> shares, std::size_t count);

}  // namespace whisker::spheres
