#pragma once

// The depth of two bodies of revolution whose axes are parallel: a problem in the plane through both axes. If the axes
// coincide, all separating translations around the axis are equally long, and an expanding polytope would need
// thousands of points to prove it.

#include "convex/convex_body.hpp"
#include "convex/convex_frame.hpp"

namespace whisker::convex {

/// The depth of the cores if both are bodies of revolution about parallel axes, up to deviations that do not matter at
/// this relative tolerance: points, segments, cylinders, cones, ellipsoids with two equal radii. Among equally long
/// separating translations around one axis, the one that is best aligned with `hint` is taken, if `hint` is not zero.
/// Returns false if the bodies are not of this kind, or if rounding matters. Then nothing is known.
bool revolved_depth(const ConvexBody& a, const ConvexBody& b, FramePair& frame, double relative_tolerance,
                    const Vec3& hint, EpaResult& result);

}  // namespace whisker::convex
