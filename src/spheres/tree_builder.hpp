#pragma once

// Builds sphere trees with a region method: merge, expand, combined, or a given function.

#include <whisker/spheres/sphere_tree.hpp>

#include "spheres/protrusion.hpp"
#include "spheres/reduce.hpp"

namespace whisker::spheres {

/// The options must be in their valid ranges. Their method and builder are ignored.
SphereTree build_tree(const Solid& solid, const SphereTreeOptions& options, const RegionMethod& method);

}  // namespace whisker::spheres
