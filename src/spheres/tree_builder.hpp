#pragma once

// Sphere trees by a method for regions: merge, expand, combined, or one that is given.

#include <whisker/spheres/sphere_tree.hpp>

#include "spheres/protrusion.hpp"
#include "spheres/reduce.hpp"

namespace whisker::spheres {

/// The options are known to be in their ranges; of their method and builder nothing is taken.
SphereTree build_tree(const Solid& solid, const SphereTreeOptions& options, const RegionMethod& method);

}  // namespace whisker::spheres
