#pragma once

// Builds sphere trees with grids: the grid and hybrid methods.

#include <whisker/spheres/sphere_tree.hpp>

#include "spheres/protrusion.hpp"

namespace whisker::methods {

/// The options must be in their valid ranges.
SphereTree build_grid_tree(const spheres::Solid& solid, const SphereTreeOptions& options);
/// The same with two spheres per node: a node's sphere is the smallest around its region, and SphereTree::min_error has
/// the sphere that protrudes least.
SphereTree build_hybrid_tree(const spheres::Solid& solid, const SphereTreeOptions& options);

}  // namespace whisker::methods
