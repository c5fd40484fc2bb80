#pragma once

// Certified penetration depth of simple shapes.
//
// The depth of two convex cores that overlap is the least overlap of their extents over the normals of the faces of
// their Minkowski difference: the face normals of both, and the cross products of their edges. The overlap along any
// direction is an upper bound on the depth. The least overlap over all normals, minus what their rounding can hide, is
// a lower bound. Radii add to the depth of overlapping cores. If the cores are a distance d apart, the depth is the sum
// of the radii minus d.

#include <whisker/queries.hpp>

#include "convex/simple_shape.hpp"

namespace whisker::convex {

/// The depth of two simple shapes as whisker::depth defines it.
Depth depth_simple_simple(const SimpleShape& a, const SimpleShape& b);

}  // namespace whisker::convex
