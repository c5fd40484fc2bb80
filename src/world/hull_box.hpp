#pragma once

// The box of a convex hull that moves: found by climbing over the hull from where it was last.

#include <array>
#include <cstdint>

#include <whisker/convex_hull.hpp>
#include <whisker/geometry/aabb.hpp>
#include <whisker/pose.hpp>

namespace whisker::world {

/// The vertices on which the six sides of a hull's box lay when it was last found; any numbers where it never was.
using HullCorners = std::array<std::uint32_t, 6>;

/// Whether boxes of this hull are found by climbing: it has vertices enough for that to be faster, and its edges are
/// all there (merged faces lack some; a hull of triangles has none).
bool is_climbed(const ConvexHull& hull);

/// The smallest box around a placed hull, but for rounding: that of Shape::bounds or, by some of the last digits,
/// smaller. `is_near`: the hull has turned little since `corners` were found.
Aabb hull_box(const ConvexHull& hull, const Pose& pose, bool is_near, HullCorners& corners);

}  // namespace whisker::world
