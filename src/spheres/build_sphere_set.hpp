#pragma once

// Builds a flat set of spheres with a region method.

#include <whisker/spheres/sphere_tree.hpp>

#include "spheres/protrusion.hpp"
#include "spheres/reduce.hpp"

namespace whisker::spheres {

/// Returns at most `max_count` spheres. The options must be in their valid ranges. Their method and builder are
/// ignored.
SphereSet build_set(const Solid& solid, int max_count, const SphereSetOptions& options, const RegionMethod& method);

}  // namespace whisker::spheres
