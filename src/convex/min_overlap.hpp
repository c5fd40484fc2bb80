#pragma once

// The direction along which two bounded cores overlap least: the separating-axis test, in double-double.

#include "convex/certificate.hpp"

namespace whisker::convex {

/// Bounds on the least overlap over all directions, in the scaled world. Negative if the cores are apart: then -upper
/// is a lower bound on their distance, and lower has no meaning.
struct MinOverlap {
  DoubleDouble lower;
  DoubleDouble upper;
  Vector3dd direction;  ///< Unit vector of the shortest translation by which b leaves a.
  Vector3dd point_a;    ///< The point of a farthest along it.
  Vector3dd point_b;    ///< The point of b farthest against it.
};

/// The least overlap over the normals of the faces of the cores' Minkowski difference: the face normals of both cores
/// and the cross products of their edges.
MinOverlap min_overlap(const SimpleShape& a, const SimpleShape& b);

}  // namespace whisker::convex
