#pragma once

// A flat set of spheres by a method for regions.

#include <whisker/spheres/sphere_tree.hpp>

#include "spheres/protrusion.hpp"
#include "spheres/reduce.hpp"

namespace whisker::spheres {

/// At most `most` spheres. The options are known to be in their ranges; of their method and builder nothing is taken.
SphereSet build_set(const Solid& solid, int max_count, const SphereSetOptions& options, const RegionMethod& method);

}  // namespace whisker::spheres
