#pragma once

// The middle of what two convex shapes share, if they are closest or deepest in each other along a direction and share
// more than one point.
//
// The points of a shape that are farthest along a direction are one point, a segment, a polygon or a disc. Two shapes
// that face each other along a unit vector n share the part where these two sets lie one behind the other along n: any
// pair of points there is a pair of closest points. The middle of a segment is its midpoint, that of an area its
// centroid.

#include <optional>

#include <whisker/queries.hpp>

namespace whisker::convex {

/// A pair of points in the world that differ by a multiple of the normal.
struct PointPair {
  Vector3 a = Vector3::Zero();
  Vector3 b = Vector3::Zero();
  Vector3 normal = Vector3::Zero();  ///< unit vector from a to b, as if they were apart
};

/// How accurately a direction and points along it are known.
struct Looseness {
  double turned = 0;   ///< error of heights along the direction as known; if not above `rounded`, it is exact
  double rounded = 0;  ///< error of heights along the exact direction
};

/// The middle of what the two shapes share along `normal`, a unit vector from a to b. Both shapes must be flat along it
/// (within `loose.turned`), or one of them may be a half-space or plane. The points are `gap` apart along the normal,
/// negative if the shapes overlap, and differ by a multiple of the exact normal of the shared faces or edges. Empty if
/// the shapes share one point, or if rounding hides what they share. Exchanging the shapes and negating the normal
/// exchanges the points.
std::optional<PointPair> shared_middle(const Placed& a, const Placed& b, const Vector3& normal, double gap,
                                       const Looseness& loose);

/// Whether a point of the world, projected along the direction, lies in the farthest part along it of a placed shape
/// that is flat there, or within `within` of that part.
bool farthest_holds(const Placed& placed, const Vector3& direction, const Vector3& point, double within);

/// The crossing, as projected along the normal, of two edges that are farthest along it and against it. Empty if they
/// do not cross.
std::optional<PointPair> crossing_of_edges(const Placed& a, const Placed& b, const Vector3& normal, double within);

}  // namespace whisker::convex
