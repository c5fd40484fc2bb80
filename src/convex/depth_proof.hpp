#pragma once

// The lower bound of a depth where a whole range of ways out is as short as the shortest: a ball about a corner, say,
// given as a shape of the user's own. An expanding polytope would have to be as fine as that all over the range, in
// memory. Here the directions are gone through once, triangle by triangle, and nothing of them is kept.

#include "convex/convex_frame.hpp"

namespace whisker::convex {

/// Raises `found.lower` to the goal's distance from `found.upper`, which may become less, by looking at all directions.
/// Returns whether that was done with the supports that the goal leaves, and some millions at most. `found` is right in
/// either case.
bool prove_depth(FramePair& frame, const EpaGoal& goal, EpaResult& found);

}  // namespace whisker::convex
