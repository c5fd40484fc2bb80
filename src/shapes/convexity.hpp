#pragma once

// Whether a closed mesh bounds a convex body.

#include <optional>

#include <whisker/mesh_data.hpp>

namespace whisker {

/// A point inside, the mean of the corners, if the surface, in its own exact coordinates, is the border of a convex
/// body and faces outward; else nothing. A surface with a triangle of no area, or with an edge that more than two
/// triangles share, counts as not convex.
///
/// After Mehlhorn, Näher, Seel, Seidel, Schilz, Schirra and Uhrig, "Checking geometric programs" (1999): a closed
/// surface is that of a convex body if it bends outward, or not at all, at every edge, and if it encloses some point
/// once, seen from which every face is seen from behind. O(n log n).
std::optional<Vector3> middle_of_convex(const MeshData& mesh);

}  // namespace whisker
