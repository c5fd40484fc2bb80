#pragma once

// The vertex, edge or face of a polyhedron that a point on its border lies on.

#include <whisker/queries.hpp>

namespace whisker::convex {

/// How far a point may be off a feature that contains it.
struct FeatureSlack {
  double within = 0;  ///< rounding: a vertex or edge that is closer than this contains the point
  double below = 0;   ///< a face contains the point if it is at most this far below it; `within` or more
};

/// The feature of a placed ConvexHull, Box, Triangle or Segment on which a point of its border lies: the smallest that
/// contains the point. `outward`, a unit vector in the world, tells on which side the point lies if the shape is flat,
/// and where the search begins: at the corner that is farthest along it. Whole for a point that lies on none, and for
/// shapes of other kinds.
Feature feature_at_point(const Shape& shape, const Pose& pose, const Vector3& point, const Vector3& outward,
                         const FeatureSlack& slack);

}  // namespace whisker::convex
