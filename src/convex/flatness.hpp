#pragma once

// The feature of a convex shape that is farthest along a direction: a point, an edge or a face.

#include <cstdint>

#include <whisker/queries.hpp>

namespace whisker::convex {

/// The approximate size of a bounded convex shape: no point is farther than this from the origin of its frame, except
/// for rounding. 0 for other shapes.
double reach_of(const Shape& shape);

struct Flatness {
  /// 0: a point; 1: a segment (an edge, or a line on the side of a cylinder or cone); 2: a face.
  int dimension = 0;
  /// For a segment: the vector from one end to the other.
  Vector3 along = Vector3::Zero();
  /// For a segment: the directions for which it, or another line like it on the side, is farthest. These are the unit
  /// vectors n with n · axis = rise.
  Vector3 axis = Vector3::Zero();
  double rise = 0;
};

/// Corners of two hulls at which a search for their distance ended.
struct HullCorners {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
};

/// The farthest feature of a placed bounded convex shape along a unit vector in the world. Points that are at most
/// `within` behind the farthest point count. A custom shape is never known to be flat.
Flatness flat_along(const Placed& placed, const Vector3& direction, double within);

/// Whether two hulls share no more than a point along the normal from a to b. `corners` are their farthest corners,
/// except for rounding. False means unknown.
bool are_alone(const ConvexHull& a, const Pose& pose_a, const ConvexHull& b, const Pose& pose_b,
               const HullCorners& corners, const Vector3& normal, double within);

/// The outward unit normal of the face that is best aligned with a direction, where `flat_along` has found a face. Zero
/// if its corners are nearly on one line.
Vector3 face_normal(const Placed& placed, const Vector3& direction);

/// An order of placed shapes by their numbers, so that rounding does not depend on which shape was named first.
bool comes_first(const Placed& a, const Placed& b);

}  // namespace whisker::convex
