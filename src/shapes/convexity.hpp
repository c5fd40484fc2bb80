#pragma once

// Decides whether a closed mesh bounds a convex body.

#include <optional>

#include <whisker/mesh_data.hpp>

namespace whisker {

/// If the surface, in its own exact coordinates, is the boundary of a convex body and faces outward, returns a point
/// inside it: the mean of the corners. Otherwise returns nothing. A surface with a triangle of zero area, or with an
/// edge that more than two triangles share, counts as not convex.
///
/// After Mehlhorn, Näher, Seel, Seidel, Schilz, Schirra and Uhrig, "Checking geometric programs" (1999): a closed
/// surface bounds a convex body if it bends outward, or not at all, at every edge, and if it winds exactly once around
/// some point that is behind every face. O(n log n).
std::optional<Vector3> middle_of_convex(const MeshData& mesh);

}  // namespace whisker
