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

struct SeparatingTranslation {
  double upper = 0;                     ///< b moved by direction * upper is apart from a: certified
  Vector3 direction = Vector3::Zero();  ///< of length 1
  bool spent = false;                   ///< the budget ran out
};

struct SeparationGoal {
  double lower = 0;      ///< no translation shorter than this separates the two
  double tolerance = 0;  ///< stop once upper - lower is at most this
  std::uint64_t budget = 0;
};

/// Improves `best` along the given directions (unit vectors, most promising first) and around the best of them. a must
/// be a mesh.
void find_separating_translation(const DepthBody& a, const DepthBody& b, const SeparationGoal& goal,
                                 std::span<const Vector3> directions, SeparatingTranslation& best, Cost& cost);

}  // namespace whisker::mesh
