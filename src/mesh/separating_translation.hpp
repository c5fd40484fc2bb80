#pragma once

// Upper bounds of the depth of a solid mesh and another body that overlap: translations after which they are proven to
// be apart.
//
// From a translation that parts the two, the nearest features say how b may move back while they stay apart: the motion
// is held up by the planes that were met, and the shortest translation that keeps to all of these is tried next (after
// Je, Tang, Lee, Lee and Kim, "PolyDepth", 2012). Whatever it says, a translation counts only once `touches` has found
// the two apart.

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
  double lower = 0;      ///< no translation shorter than this will do
  double tolerance = 0;  ///< stop once upper - lower is at most this
  std::uint64_t budget = 0;
};

/// Improves on `best` along the directions given (unit vectors, the most hopeful first) and around the best of them.
/// a is a mesh.
void find_separating_translation(const DepthBody& a, const DepthBody& b, const SeparationGoal& goal,
                                 std::span<const Vector3> directions, SeparatingTranslation& best, Cost& cost);

}  // namespace whisker::mesh
