#pragma once

/// \file
/// A pile of bodies of many kinds in a bowl, a mesh: do they come to rest?

#include <cstddef>
#include <cstdint>
#include <vector>

#include <whisker/mesh.hpp>

#include "playground/solver.hpp"

namespace playground {

/// A bowl of triangles with bumps, wide enough for `count` bodies of about unit size.
whisker::Mesh bumpy_bowl(std::size_t count);

/// Boxes, hulls, capsules, cylinders, balls, crosses and cones in turn, of random sizes, most of them a little smaller
/// than 1.
whisker::Shape mixed_shape(std::size_t number, std::uint64_t seed);

/// Adds the bowl and, in layers above it, the bodies, turned at random.
void add_mixed_pile(Solver& solver, std::size_t count, std::uint64_t seed);

/// The fastest body, in sizes per second.
double largest_speed(const Solver& solver);

/// The farthest that a point of a body has moved away from where it was, in sizes of the body.
double largest_way(const Solver& solver, const std::vector<whisker::Pose>& from);

}  // namespace playground
