#pragma once

// Where two convex shapes that are closest, or deepest in each other, along a direction share more than one point: the
// middle of what they share.
//
// The points of a shape that are farthest along a direction are one point, a segment, a polygon or a disc. Two shapes
// that face each other along a unit vector n share what of these two sets lies one behind the other along n: any pair
// of points of it is a pair of closest points. Of a segment the middle is taken, of an area its centroid.

#include <optional>

#include <whisker/pose.hpp>
#include <whisker/shape.hpp>

namespace whisker::convex {

/// A pair of points, in the world, that differ by a multiple of the normal.
struct PointPair {
  Vector3 a = Vector3::Zero();
  Vector3 b = Vector3::Zero();
  Vector3 normal = Vector3::Zero();  ///< unit vector from a to b, were they apart
};

/// How well a direction and points along it are known.
struct Looseness {
  double turned = 0;   ///< heights along the direction may be off by this, as it is known; if no more, it is exact
  double rounded = 0;  ///< and by this if it were exact
};

/// The middle of what the two share along `normal`, a unit vector from a to b, of shapes that are both flat along it
/// (within `loose.turned`); b may also be a half-space or plane. The points are `gap` apart along the normal, negative
/// if the shapes overlap, and differ by a multiple of the exact normal of the faces or edges that are shared. Nothing
/// if they share one point, or rounding hides what they share. The same, exchanged, with the shapes exchanged and the
/// normal turned round.
std::optional<PointPair> shared_middle(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b,
                                       const Vector3& normal, double gap, const Looseness& loose);

/// Whether a point of the world lies, seen along the direction, in what is farthest along it of a placed shape that is
/// flat there, `within` of its border.
bool farthest_holds(const Shape& shape, const Pose& pose, const Vector3& direction, const Vector3& point,
                    double within);

/// Where two edges, farthest along the normal and against it, cross, seen along it. Nothing if they do not.
std::optional<PointPair> crossing_of_edges(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b,
                                           const Vector3& normal, double within);

}  // namespace whisker::convex
