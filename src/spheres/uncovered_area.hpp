#pragma once

// Bounds the area of a surface that lies in none of the given spheres.

#include <cstddef>
#include <span>

#include <whisker/geometry/bounding_sphere.hpp>
#include <whisker/geometry/interval.hpp>
#include <whisker/mesh.hpp>

namespace whisker::spheres {

/// Bounds on the area of the part of the triangles that is in no sphere. Triangles are halved, the largest first, until
/// each piece is in one sphere or away from all, or `max_pieces` pieces have been examined in addition to the whole
/// triangles.
Interval uncovered_area(std::span<const BoundingSphere> spheres, const Mesh& mesh, std::size_t max_pieces);

}  // namespace whisker::spheres
