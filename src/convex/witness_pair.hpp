#pragma once

// The pair of points at which two overlapping convex shapes lose contact last.
//
// The separating translation along a unit vector n has the length of a's extent along n plus b's extent against it. It
// is a local minimum where a point of a that is farthest along n lies opposite a point of b that is farthest against
// it: these two points then differ by the translation itself. For curved shapes, a search for the depth finds n only to
// about one part in a thousand, because the length hardly depends on n there. Here n is found up to rounding, from what
// it is perpendicular to: a face, two edges, an edge, or by Newton's method if both shapes are round.

#include <optional>

#include <whisker/queries.hpp>

namespace whisker::convex {

struct WitnessPair {
  Vector3 direction = Vector3::Zero();  ///< b leaves a along it
  double length = 0;                    ///< up to rounding
  Vector3 a = Vector3::Zero();
  Vector3 b = Vector3::Zero();
};

/// Starts from a direction that may be off by an angle of `turned`. Lengths are rounded by `rounding`. The result is
/// valid by itself: a's point is among the farthest along the direction, b's among the farthest against it, and they
/// differ by direction * length, all up to rounding. If more than a point is shared, it is the middle. Empty if no such
/// pair is found.
std::optional<WitnessPair> find_witness_pair(const Placed& a, const Placed& b, const Vector3& direction, double turned,
                                             double rounding);

}  // namespace whisker::convex
