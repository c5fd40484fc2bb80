#pragma once

// How much of a surface lies in none of some spheres.

#include <cstddef>
#include <span>

#include <whisker/geometry/bounding_sphere.hpp>
#include <whisker/geometry/interval.hpp>
#include <whisker/mesh.hpp>

namespace whisker::spheres {

/// Bounds of the area of the triangles' points that are in no sphere. Triangles are halved, the largest first, until
/// each piece is in one sphere or away from all, or `max_pieces` have been looked at beyond the whole triangles.
Interval uncovered_area(std::span<const BoundingSphere> spheres, const Mesh& mesh, std::size_t max_pieces);

}  // namespace whisker::spheres
