#pragma once

// Whether simple shapes touch, in plain doubles, for nearly all pairs.

#include <whisker/queries.hpp>

namespace whisker::convex {

enum class QuickTouch : unsigned char { unknown, no, yes };

/// For spheres, capsules and segments with each other (not two segments), and for spheres with boxes and triangles.
QuickTouch find_quick_touch(const Placed& a, const Placed& b);
/// For a half-space or plane and a sphere, capsule, box, cylinder, cone or ellipsoid, in either order.
QuickTouch find_quick_flat_touch(const Placed& a, const Placed& b);

}  // namespace whisker::convex
