#pragma once

// The AABB of a moving convex hull, found by hill climbing from the previous extreme vertices.

#include <array>
#include <cstdint>

#include <whisker/convex_hull.hpp>
#include <whisker/geometry/aabb.hpp>
#include <whisker/pose.hpp>

namespace whisker::world {

/// The vertices that defined the six sides of a hull's AABB when it was last computed. Any numbers if it never was.
using HullCorners = std::array<std::uint32_t, 6>;

/// Whether AABBs of this hull are found by climbing: it has enough vertices for that to be faster, and all its edges
/// are known (merged faces lack some; a hull of triangles lacks none).
bool is_climbed(const ConvexHull& hull);

/// The smallest AABB of a placed hull, up to rounding: that of Shape::bounds, or smaller by some of the last digits.
/// `is_near`: the hull has rotated only a little since `corners` were found.
Aabb hull_box(const ConvexHull& hull, const Pose& pose, bool is_near, HullCorners& corners);

}  // namespace whisker::world
