#pragma once

// Moving the spheres of a set one by one for a smaller protrusion of all (Bradshaw 2002, algorithms 9 and 10), and
// leaving spheres out that save little (algorithm 11).

#include <vector>

#include <whisker/spheres/sphere_tree.hpp>

#include "spheres/sphere_shares.hpp"

namespace whisker::spheres {

/// What is made smaller: the worst protrusion and the root of the mean square, weighted. (The thesis's equation 6.1 and
/// its algorithm 10 disagree about weights and squares; here are the algorithm's squares, and both weights.)
double objective(std::span<const Share> shares, const SphereOptimization& weights);

/// Moves and sizes each sphere by a search, the one that stands off most first. A sphere takes all pieces that it
/// holds; what it holds no longer goes to the sphere that must grow least. Never worse than it was.
std::vector<Share> optimize(const Region& region, std::vector<Share> shares, const SphereOptimization& how);

/// Removes spheres while the worst protrusion is below what the balance allows. At least `least` are left.
std::vector<Share> balance(const Region& region, std::vector<Share> shares, const SphereBalance& allowed,
                           const SphereOptimization& how, std::size_t least);

}  // namespace whisker::spheres
