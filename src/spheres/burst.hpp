#pragma once

// Reduces the spheres of a surface region by removing them one by one (Bradshaw 2002, algorithm 5).

#include <cstddef>
#include <vector>

#include "spheres/sphere_shares.hpp"

namespace whisker::spheres {

/// Returns at most `count` of the shares. Spheres are removed one by one: each piece of the removed share goes to the
/// ball that contains it most deeply, or that must grow least. Each ball that takes pieces is replaced by the better of
/// the smallest ball and the ball around its old center. Each step removes the share for which the worst protrusion
/// among the balls that take its pieces increases least, or decreases most, compared to the worst among them and the
/// removed share before.
std::vector<Share> burst(const Region& region, std::vector<Share> shares, std::size_t count);

}  // namespace whisker::spheres
