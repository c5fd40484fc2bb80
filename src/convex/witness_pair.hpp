#pragma once

// The pair of points at which two convex shapes that overlap come apart last.
//
// The way out along a unit vector n is the reach of a along n and of b against it. It is shortest, among the ways
// nearby, where a point of a that is farthest along n lies opposite a point of b that is farthest against it: these two
// then differ by the way itself. A search for the depth finds n up to a part in a thousand of curved shapes, since the
// way's length hardly depends on it there; here n is found up to rounding, from what it is square to: a face, two
// edges, an edge, or by Newton's method where both shapes are round.

#include <optional>

#include <whisker/pose.hpp>
#include <whisker/shape.hpp>

namespace whisker::convex {

struct WitnessPair {
  Vector3 direction = Vector3::Zero();  ///< b leaves a along it
  double length = 0;                    ///< up to rounding
  Vector3 a = Vector3::Zero();
  Vector3 b = Vector3::Zero();
};

/// From a direction that may be off by an angle of `turned`; lengths are rounded by `rounding`. What is found stands by
/// itself: a's point lies in what is farthest along the direction, b's in what is farthest against it, and they differ
/// by direction * length, all up to rounding. Where more than a point is shared it is the middle. Nothing if such a
/// pair is not found.
std::optional<WitnessPair> find_witness_pair(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b,
                                             const Vector3& direction, double turned, double rounding);

}  // namespace whisker::convex
