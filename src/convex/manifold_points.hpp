#pragma once

// The points of a contact manifold, from the two faces that face each other.

#include <whisker/contact_manifold.hpp>

#include "convex/support_face.hpp"

namespace whisker::convex {

/// The name of a corner or an edge in an id.
constexpr std::uint32_t corner_name(std::uint32_t number) {
  return 0x40000000u | (number & 0x3FFFFFFFu);
}
constexpr std::uint32_t edge_name(std::uint32_t number) {
  return 0x80000000u | (number & 0x3FFFFFFFu);
}

/// The input for the points. Lengths and points are relative to an origin near the contact.
struct ManifoldInput {
  SupportFace a;
  SupportFace b;
  Vector3 normal = Vector3::Zero();     ///< From a to b, a unit vector.
  Vector3 witness_a = Vector3::Zero();  ///< A pair of closest or deepest points.
  Vector3 witness_b = Vector3::Zero();
  /// The faces are a part of what touches, and their points are joined with those of other faces. There is no witness,
  /// and points that are close together or on the chord between their neighbors stay: one may be a corner of the whole.
  bool is_part = false;
  double limit = 0;      ///< Points with a larger gap are dropped.
  double max_angle = 0;  ///< See ManifoldOptions.
  /// b is a plane. `normal` is its normal up to sign, and `height` is the height of the origin over it, along -normal.
  bool plane = false;
  double height = 0;
};

/// Of a part, only points that the faces share are found, and there may be none.
///
/// Sets the points and their count, and the normal, which may be aligned with a face that it differs from by rounding.
void find_manifold_points(ManifoldInput& input, ContactManifold& manifold);

}  // namespace whisker::convex
