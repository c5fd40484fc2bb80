#pragma once

// Computes how far the corners of many triangles reach along three axes.

#include <whisker/geometry/aabb.hpp>

namespace whisker::trees {

/// Corners in double, leaf by leaf, 12 each as in TriangleLeaf.
struct LeafCorners {
  double x[12];
  double y[12];
  double z[12];
};

/// The least and the largest axes.col(i) · (p - from), in double, over all corners p of the leaves from `begin` to
/// `end`.
Aabb project_corners(const LeafCorners* begin, const LeafCorners* end, const Matrix3& axes, const Vector3& from);

}  // namespace whisker::trees
