#pragma once

// Sphere trees by grids: grid and hybrid.

#include <whisker/spheres/sphere_tree.hpp>

#include "spheres/protrusion.hpp"

namespace whisker::methods {

/// `is_hybrid`: a node's sphere is the smallest around its region, and SphereTree::min_error has the one that stands
/// off least. The options are known to be in their ranges.
SphereTree build_grid_tree(const spheres::Solid& solid, const SphereTreeOptions& options, bool is_hybrid);

}  // namespace whisker::methods
