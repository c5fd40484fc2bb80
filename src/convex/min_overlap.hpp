#pragma once

// The direction along which two bounded cores overlap least: the separating-axis test, in double-double.

#include "convex/certificate.hpp"

namespace whisker::convex {

/// Bounds of the least overlap over all directions, in the scaled world. Negative where the cores are apart: then
/// -upper is a lower bound of their distance, and lower means nothing.
struct MinOverlap {
  DoubleDouble lower;
  DoubleDouble upper;
  Vector3dd direction;  ///< Unit vector along which b leaves a by the shortest way.
  Vector3dd point_a;    ///< The point of a farthest along it.
  Vector3dd point_b;    ///< The point of b farthest against it.
};

/// The least overlap over the normals of the faces of the cores' Minkowski difference: the face normals of both and the
/// cross products of their edges.
MinOverlap min_overlap(const SimpleShape& a, const SimpleShape& b);

}  // namespace whisker::convex
