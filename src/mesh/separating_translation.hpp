#pragma once

// Upper bounds on the penetration depth of a solid mesh and another body: translations after which the two are proven
// to be apart.
//
// After a translation that separates the two, their nearest features show how far b may move back while the two stay
// apart. The planes that were met limit this motion, and the shortest translation that satisfies all of them is tried
// next (after Je, Tang, Lee, Lee and Kim, "PolyDepth", 2012). Whatever this estimate says, a translation counts only
// once `touches` has found the two apart.

#include <cstdint>
#include <span>

#include "mesh/depth_body.hpp"

namespace whisker::mesh {

/// Improves `upper` and `normal` of the best translation known, along the given directions (unit vectors, most
/// promising first) and around the best of them. Afterward, b moved by normal * upper is apart from a: certified. Stops
/// once the bounds differ by no more than the tolerance, or once the budget is used up. a must be a mesh.
void find_separating_translation(const DepthBody& a, const DepthBody& b, std::span<const Vector3> directions,
                                 double tolerance, std::uint64_t budget, Depth& best, Cost& cost);

}  // namespace whisker::mesh
