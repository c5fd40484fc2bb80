#pragma once

// The depths of curved shapes for which an expanding polytope would need too many points, because many separating
// translations are as short as the shortest.

#include "convex/convex_frame.hpp"

namespace whisker::convex {

// Two bodies of revolution whose axes are parallel: a problem in the plane through both axes. If the axes coincide, all
// separating translations around the axis are equally long, and an expanding polytope would need thousands of points to
// prove it.

/// The depth of the cores if both are bodies of revolution about parallel axes, up to deviations that do not matter at
/// this relative tolerance: points, segments, cylinders, cones, ellipsoids with two equal radii. Among equally long
/// separating translations around one axis, the one that is best aligned with `hint` is taken, if `hint` is not zero.
/// Returns false if the bodies are not of this kind, or if rounding matters. Then nothing is known.
bool revolved_depth(const ConvexBody& a, const ConvexBody& b, FramePair& frame, double relative_tolerance,
                    const Vec3& hint, EpaResult& result);

// A whole range of separating translations is as short as the shortest, for example for a ball around a corner, given
// as a custom shape. An expanding polytope would have to be that fine over the whole range, in memory. Here the
// directions are visited once, triangle by triangle, and none of them is kept.

/// Searches all directions to raise `found.lower` to within the goal's tolerance of `found.upper`, which may decrease.
/// Returns whether this succeeded within the supports that the goal leaves, at most a few million. `found` is valid in
/// either case.
bool prove_depth(FramePair& frame, const EpaGoal& goal, EpaResult& found);

}  // namespace whisker::convex
