#pragma once

// The lower bound of a depth if a whole range of separating translations is as short as the shortest, for example for a
// ball around a corner, given as a custom shape. An expanding polytope would have to be that fine over the whole range,
// in memory. Here the directions are visited once, triangle by triangle, and none of them is kept.

#include "convex/convex_frame.hpp"

namespace whisker::convex {

/// Searches all directions to raise `found.lower` to within the goal's tolerance of `found.upper`, which may decrease.
/// Returns whether this succeeded within the supports that the goal leaves, at most a few million. `found` is valid in
/// either case.
bool prove_depth(FramePair& frame, const EpaGoal& goal, EpaResult& found);

}  // namespace whisker::convex
