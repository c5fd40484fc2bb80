#pragma once

// How deep shapes are in the ground under a height field.
//
// The ground is everything straight below the surface, down to infinity: all q - s up with q on the surface, s >= 0 and
// up the third column of the pose's rotation. Its sides, below the border of the grid, are upright walls.
//
// Lower bound: a translation that frees the shape carries each of its points out of the ground, and the ball about the
// point as far again as its radius; it also parts the shape from each single triangle. Upper bound: a translation after
// which neither the surface nor a wall touches the shape, grown by all rounding, and a point of it is not in the
// ground.

#include <whisker/queries.hpp>

#include "geometry/constants.hpp"
#include "mesh/walk_side_kinds.hpp"

namespace whisker::mesh {

Depth depth_field_simple(const PlacedField& a, const convex::SimpleShape& b);

/// Throws an Error if the mesh is not solid.
Depth depth_field_mesh(const PlacedField& a, const PlacedMesh& b);

}  // namespace whisker::mesh
