#pragma once

// Moves the spheres of a set one by one to reduce the protrusion of the whole set (Bradshaw 2002, algorithms 9 and 10),
// and removes spheres that contribute little (algorithm 11).

#include <vector>

#include <whisker/spheres/sphere_tree.hpp>

#include "spheres/sphere_shares.hpp"

namespace whisker::spheres {

/// The objective to minimize: a weighted sum of the worst protrusion and the root mean square. (The thesis's equation
/// 6.1 and its algorithm 10 disagree about weights and squares. This function uses the algorithm's squares, and both
/// weights.)
double objective(std::span<const Share> shares, const SphereOptimization& weights);

/// Moves and resizes each sphere by a search, the sphere that protrudes most first. A sphere takes all pieces that it
/// contains. A piece that it no longer contains goes to the sphere that must grow least. The result is never worse than
/// the input.
std::vector<Share> optimize(const Region& region, std::vector<Share> shares, const SphereOptimization& how);

/// Removes spheres while the worst protrusion stays below what the balance allows. Keeps at least `least` spheres.
std::vector<Share> balance(const Region& region, std::vector<Share> shares, const SphereBalance& allowed,
                           const SphereOptimization& how, std::size_t least);

}  // namespace whisker::spheres
