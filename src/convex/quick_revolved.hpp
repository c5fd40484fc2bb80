#pragma once

// Spheres with cylinders and cones, in plain doubles, for nearly all pairs.

#include <whisker/queries.hpp>

#include "convex/quick_distance.hpp"

namespace whisker::convex {

/// The distance of a sphere and a cylinder or cone, in either order, or with `deep` the depth if they overlap, as
/// find_quick_distance returns them.
Quick find_quick_revolved(const Placed& a, const Placed& b, Distance& result, Depth* deep);

}  // namespace whisker::convex
