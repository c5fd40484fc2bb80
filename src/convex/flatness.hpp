#pragma once

// What of a convex shape is farthest along a direction: a point, an edge or a face.

#include <cstdint>

#include <whisker/pose.hpp>
#include <whisker/shape.hpp>

namespace whisker::convex {

/// How large a bounded convex shape is, about: no point of it is farther than this from the origin of its frame, but
/// for rounding. 0 for other shapes.
double reach_of(const Shape& shape);

struct Flatness {
  /// 0: a point; 1: a segment (an edge, or a line on the side of a cylinder or cone); 2: a face.
  int dimension = 0;
  /// Of a segment: from one end to the other…
  Vector3 along = Vector3::Zero();
  /// …and the directions for which it is farthest, or another one like it on the side: unit vectors n with n · axis =
  /// rise.
  Vector3 axis = Vector3::Zero();
  double rise = 0;
};

/// Corners of two hulls at which a search for their distance ended.
struct HullCorners {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
};

/// Of a placed bounded convex shape, along a unit vector in the world. Points that are no more than `within` behind the
/// farthest count. A shape of the user's own is never known to be flat.
Flatness flat_along(const Shape& shape, const Pose& pose, const Vector3& direction, double within);

/// Whether two hulls share no more than a point along the normal from a to b, of which `corners` are farthest but for
/// rounding. False says nothing.
bool are_alone(const ConvexHull& a, const Pose& pose_a, const ConvexHull& b, const Pose& pose_b,
               const HullCorners& corners, const Vector3& normal, double within);

/// The outward normal, a unit vector, of the face that is best aligned with a direction, where `flat_along` has found
/// one. Zero if its corners are all but on one line.
Vector3 face_normal(const Shape& shape, const Pose& pose, const Vector3& direction);

/// An order of placed shapes by their numbers, so that rounding need not depend on which of two was named first.
bool comes_first(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b);

}  // namespace whisker::convex
