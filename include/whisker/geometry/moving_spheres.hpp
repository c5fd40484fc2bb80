#pragma once

/// \file
/// When do two spheres that move in straight lines first touch?
///
///     const Impact c = first_contact_spheres({.start = a0, .end = a1, .radius = 1}, {…});
///     if (c.status == ImpactStatus::touch) stop_at(c.time, c.point, c.normal);
///
/// Each center is at start + t (end - start), t from 0 to 1; the answers are about those real numbers. Whether the
/// spheres overlap at the start is decided exactly; that they never touch is said only if it is proven.

#include <whisker/first_contact.hpp>
#include <whisker/vector.hpp>

namespace whisker {

/// A sphere whose center moves evenly from `start` (t = 0) to `end` (t = 1). The radius is >= 0.
struct MovingSphere {
  Vector3 start = Vector3::Zero();
  Vector3 end = Vector3::Zero();
  double radius = 0;
};

/// When two spheres first touch.
///
/// `touching_at_start` means here that they overlap: at t = 0 the centers are closer than the sum of the radii, decided
/// exactly. Spheres that touch at t = 0 in one point have the status `touch` with the time 0, whether they then
/// approach or part: that is their first contact.
///
/// `certain` is false if the spheres pass so closely (about 1e-30 of their size) that a touch can be neither proven nor
/// excluded; `stop` is then `limit`, else `exact`. `point` is where they touch; if they overlap at the start, the
/// middle of the overlap along the line of centers. `normal` is the unit vector from a's center to b's at `time`, +x if
/// the centers coincide. `cost` counts one primitive test.
///
/// Coordinates and radii 0 or from 1e-90 to 1e90 in magnitude. Throws nothing.
Impact first_contact_spheres(const MovingSphere& a, const MovingSphere& b);

}  // namespace whisker
