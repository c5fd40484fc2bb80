#pragma once

// The depth of two bodies of revolution whose axes are parallel: a question in the plane through both. Where the axes
// are one, all ways out round it are as long, and an expanding polytope would need thousands of points to say so.

#include "convex/convex_body.hpp"
#include "convex/convex_frame.hpp"

namespace whisker::convex {

/// The depth of the cores, if both are bodies of revolution about parallel axes, but for what does not matter at this
/// relative tolerance: points, segments, cylinders, cones, ellipsoids with two equal radii. Of ways out round one axis
/// that one is taken which goes best along `hint`, if that is not zero. False if they are not, or if rounding matters:
/// then nothing is known.
bool revolved_depth(const ConvexBody& a, const ConvexBody& b, FramePair& frame, double relative_tolerance,
                    const Vec3& hint, EpaResult& result);

}  // namespace whisker::convex
