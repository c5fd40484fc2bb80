#pragma once

// GJK and the expanding polytope on double-doubles, about a hundred times slower than on doubles, for pairs that
// doubles leave open. The frame is the world's, scaled by a power of two, with its origin at the first body.

#include "convex/certificate.hpp"
#include "convex/convex_body.hpp"
#include "convex/epa.hpp"
#include "convex/gjk.hpp"

namespace whisker::convex {

struct ExactDistance {
  /// Bounds on the distance of the shapes, radii included, multiplied by `scale`, with all rounding errors accounted
  /// for. If `upper` is not above 0, the shapes are proven to overlap. If `lower` is not above 0, they are not proven
  /// to be apart.
  DoubleDouble lower;
  DoubleDouble upper;
  Vector3dd a;  ///< points of the cores
  Vector3dd b;
  Vector3dd between;  ///< from a to b: the direction that gave `lower`
  double scale = 1;
  int supports = 0;

  /// `lower` in the user's unit, rounded down. 0 if the shapes are not proven to be apart.
  double lower_in_world() const { return unscaled_down(lower, scale); }
};
ExactDistance exact_distance(const ConvexBody& a, const ConvexBody& b);

/// For the cores, times `scale`, all rounding included. If `lower` is not above 0, overlap is not proven…
struct ExactDepth : EpaFound<Vector3dd> {
  DoubleDouble gap;  ///< …and the cores are at most this far apart
  double scale = 1;
};
/// For bodies whose cores are not known to be apart. The tolerances apply to upper - lower.
ExactDepth exact_depth(const ConvexBody& a, const ConvexBody& b, double relative_tolerance, double tolerance);

/// A bound on the length of one separating translation, radii included: b leaves a along a direction of the world, of
/// nearly unit length. All rounding errors are accounted for.
double exact_way_length(const ConvexBody& a, const ConvexBody& b, const Vector3& direction);

/// The same. For cores with vertices it is computed in doubles, and exceeds the length by a few dozen roundoffs of the
/// sizes and of the distance of the origins; for others it is exact.
double way_length(const ConvexBody& a, const ConvexBody& b, const Vector3& direction);

/// The point of a body's core farthest along a direction of the world, relative to `from`, and its height along the
/// direction. The length of the direction does not matter for the point.
Reach exact_reach(const ConvexBody& body, const Vector3dd& direction, const Vector3& from);

}  // namespace whisker::convex
