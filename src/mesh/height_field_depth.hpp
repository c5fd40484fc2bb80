#pragma once

// The penetration depth of shapes in the ground under a height field.
//
// The ground is everything straight below the surface, down to infinity: all points q - s up with q on the surface, s
// >= 0, and up the third column of the pose's rotation. Its sides, below the border of the grid, are vertical walls.
//
// Lower bound: a translation that frees the shape moves each of its points out of the ground, and the ball around a
// point farther by the ball's radius. It also separates the shape from each single triangle. Upper bound: a translation
// after which neither the surface nor a wall touches the shape, grown by all rounding errors, and a point of the shape
// is not in the ground.

#include <whisker/queries.hpp>

#include "mesh/walk_side_kinds.hpp"

namespace whisker::mesh {

Depth depth_field_simple(const PlacedField& a, const convex::SimpleShape& b);

/// Throws an Error if the mesh is not solid.
Depth depth_field_mesh(const PlacedField& a, const PlacedMesh& b);

}  // namespace whisker::mesh
