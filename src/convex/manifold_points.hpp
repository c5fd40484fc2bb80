#pragma once

// The points of a contact manifold, from the two faces that look at each other.

#include <whisker/contact_manifold.hpp>

#include "convex/support_face.hpp"

namespace whisker::convex {

/// What the points are made from. Lengths and points are relative to an origin near the contact.
struct ManifoldInput {
  SupportFace a;
  SupportFace b;
  Vector3 normal = Vector3::Zero();     ///< From a to b, a unit vector.
  Vector3 witness_a = Vector3::Zero();  ///< A pair of closest or of deepest points.
  Vector3 witness_b = Vector3::Zero();
  double limit = 0;      ///< Points with a larger gap are left out.
  double max_angle = 0;  ///< See ManifoldOptions.
  /// b is a plane, seen from a; `normal` is its own up to sign, `height` that of the origin over it, along -normal.
  bool plane = false;
  double height = 0;
};

/// Fills in points and count; normal, too, which may be brought into line with a face that it is off by rounding.
void find_manifold_points(ManifoldInput& input, ContactManifold& manifold);

}  // namespace whisker::convex
