#pragma once

// The volumes in which some spheres and a solid differ, by rays.

#include <cstddef>
#include <cstdint>
#include <span>

#include <whisker/geometry/bounding_sphere.hpp>
#include <whisker/spheres/sphere_tree.hpp>

#include "spheres/protrusion.hpp"

namespace whisker::spheres {

struct VolumeEstimates {
  Estimate wasted;     ///< In a sphere, not in the solid.
  Estimate uncovered;  ///< In the solid, in no sphere.
};

/// Rays along z through a box around all, two at random in each cell of a grid over its base: the volume is the mean
/// length of a ray in the region times the base ("mean-sample", Bradshaw 2002, section 4.4), and how much the two rays
/// of a cell differ tells the error.
VolumeEstimates estimate_volumes(std::span<const BoundingSphere> spheres, const Solid& solid, std::size_t rays,
                                 std::uint64_t seed);

}  // namespace whisker::spheres
