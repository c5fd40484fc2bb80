#pragma once

// GJK and the expanding polytope on double-doubles: some hundred times slower than on doubles, for pairs that those
// leave open. The frame is the world's, scaled by a power of two, with its origin at the first body.

#include "convex/certificate.hpp"
#include "convex/convex_body.hpp"
#include "convex/epa.hpp"
#include "convex/gjk.hpp"

namespace whisker::convex {

struct ExactDistance {
  /// Of the shapes, their radii counted, over `scale`; all roundings counted. Not above 0: proven to overlap, or not
  /// proven to be apart.
  DoubleDouble lower;
  DoubleDouble upper;
  Vector3dd a;  ///< points of the cores
  Vector3dd b;
  Vector3dd between;  ///< from a to b: the direction that gave `lower`
  double scale = 1;
  int supports = 0;

  /// `lower` in the user's unit, rounded down; 0 where they are not proven to be apart.
  double lower_in_world() const {
    const double value = lower > 0.0 ? geometry::round_down(lower) / scale : 0;
    return value < 0x1p-1000 ? 0 : value;  // below, division is not exact any more
  }
};
ExactDistance exact_distance(const ConvexBody& a, const ConvexBody& b);

struct ExactDepth {
  DoubleDouble lower;  ///< of the cores, over `scale`; all roundings counted. Not above 0: not proven to overlap…
  DoubleDouble gap;    ///< …and then no farther apart than this
  DoubleDouble upper;
  Vector3dd direction;  ///< unit vector along which b leaves a
  Vector3dd a;          ///< the points of the cores that go farthest
  Vector3dd b;
  double scale = 1;
  int supports = 0;
};
/// Of bodies whose cores are not known to be apart. `relative_tolerance` and `tolerance` of upper - lower.
ExactDepth exact_depth(const ConvexBody& a, const ConvexBody& b, double relative_tolerance, double tolerance);

/// One way out: b leaves a along a direction of the world.
struct ExactWay {
  DoubleDouble upper;  ///< how far it is, radii counted, over `scale`; all roundings counted
  Vector3dd a;         ///< the points of the cores that go farthest
  Vector3dd b;
  double scale = 1;
};
/// `direction` is of unit length, nearly.
ExactWay exact_way(const ConvexBody& a, const ConvexBody& b, const Vector3& direction);

/// The point of a body's core farthest along a direction of the world, relative to `from`; and how far it goes. The
/// length of the direction does not matter for the point.
Reach exact_reach(const ConvexBody& body, const Vector3dd& direction, const Vector3& from);

}  // namespace whisker::convex
