#pragma once

/// \file
/// When do two spheres that move in straight lines first touch?
///
///     const SpheresContact c = first_contact_spheres({.start = a0, .end = a1, .radius = 1}, {…});
///     if (c.status == SpheresStatus::touch) stop_at(c.time, c.point, c.normal);
///
/// Each center is at start + t (end - start), t from 0 to 1; the answers are about those real numbers. Whether the
/// spheres overlap at the start is decided exactly; that they never touch is said only if it is proven.

#include <whisker/vector.hpp>

namespace whisker {

/// A sphere whose center moves evenly from `start` (t = 0) to `end` (t = 1). The radius is >= 0.
struct MovingSphere {
  Vector3 start = Vector3::Zero();
  Vector3 end = Vector3::Zero();
  double radius = 0;
};

enum class SpheresStatus {
  apart,                 ///< Proven: no common point at any t in [0, 1].
  overlapping_at_start,  ///< At t = 0 the centers are closer than the sum of the radii: not a first contact, but not
                         ///< missed.
  touch,                 ///< They do not overlap at t = 0, and first touch at `time` (which may be 0).
};

struct SpheresContact {
  SpheresStatus status = SpheresStatus::apart;
  /// The first time of contact, best estimate, and bounds that contain it. 0 if overlapping at the start; 1 if apart.
  double time = 1;
  double time_lower = 1;
  double time_upper = 1;
  /// False if the spheres pass so closely (about 1e-30 of their size) that a touch can be neither proven nor excluded.
  bool certain = true;
  /// Where they touch; if they overlap at the start, the middle of the overlap along the line of centers. Zero if
  /// apart.
  Vector3 point = Vector3::Zero();
  /// Unit vector from the first center to the second at `time`; +x if the centers coincide. Zero if apart.
  Vector3 normal = Vector3::Zero();
};

/// Coordinates and radii 0 or from 1e-90 to 1e90 in magnitude. Throws nothing.
SpheresContact first_contact_spheres(const MovingSphere& a, const MovingSphere& b);

}  // namespace whisker
