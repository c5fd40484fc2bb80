#pragma once

// Makes a hull again from what its construction left of the given points.

#include <cstdint>
#include <span>
#include <vector>

#include <whisker/convex_hull.hpp>

namespace whisker::shapes {

/// HullOptions::merge_distance that the hull was built with.
double merge_distance_of(const ConvexHull& hull);

/// The hull with these vertices(), vertex_points() and merge distance. It equals the one that it was built as from all
/// points, to the last bit, because nothing in a hull depends on the points that are not vertices. Throws an Error if
/// one of them is not a vertex of their hull, and the Errors of ConvexHull. The vertex points are not checked.
ConvexHull hull_of_vertices(std::span<const Vector3> vertices, std::vector<std::uint32_t> vertex_points,
                            double merge_distance);

}  // namespace whisker::shapes
