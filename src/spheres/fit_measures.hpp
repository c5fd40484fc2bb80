#pragma once

// Measures the area and the volumes in which spheres and a solid differ.

#include <cstddef>
#include <cstdint>
#include <span>

#include <whisker/geometry/bounding_sphere.hpp>
#include <whisker/geometry/interval.hpp>
#include <whisker/spheres/sphere_tree.hpp>

#include "spheres/protrusion.hpp"

namespace whisker::spheres {

/// Bounds on the area of the part of the triangles that is in no sphere. Triangles are halved, the largest first, until
/// each piece is in one sphere or away from all, or `max_pieces` pieces have been examined in addition to the whole
/// triangles.
Interval uncovered_area(std::span<const BoundingSphere> spheres, const Mesh& mesh, std::size_t max_pieces);

struct VolumeEstimates {
  Estimate wasted;     ///< Inside a sphere, outside the solid.
  Estimate uncovered;  ///< Inside the solid, outside all spheres.
};

/// Shoots rays along z through a box around everything, two at random positions in each cell of a grid over its base.
/// The volume is the mean length of a ray in the region times the base area ("mean-sample", Bradshaw 2002, section
/// 4.4). The difference between the two rays of a cell gives the error.
VolumeEstimates estimate_volumes(std::span<const BoundingSphere> spheres, const Solid& solid, std::size_t rays,
                                 std::uint64_t seed);

}  // namespace whisker::spheres
