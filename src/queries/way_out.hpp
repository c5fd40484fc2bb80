#pragma once

// The search for a translation that separates two shapes which are not both convex.

#include <span>

#include <whisker/queries.hpp>

#include "geometry/function_ref.hpp"

namespace whisker::queries {

/// The distance of two shapes after b has moved by a displacement.
using GapAfter = geometry::FunctionRef<Distance(const Vector3& by, const DistanceOptions& options)>;

/// Sets everything but the cost of a depth that is at least `lower`: to the best translation that `gap` verifies, along
/// the way out of `first`, if it has one, along the directions, and along the axes.
void find_way_out(const Placed& a, const Placed& b, const Depth& first, std::span<const Vector3> directions,
                  double lower, const GapAfter& gap, Depth& result);

}  // namespace whisker::queries
