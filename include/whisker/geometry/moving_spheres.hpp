#pragma once

/// \file
/// When two spheres that move along straight lines first touch.
///
///     const MovingSphere a{.start = {-3, 0, 0}, .end = {3, 0, 0}, .radius = 1};
///     const MovingSphere b{.start = {3, 0, 0}, .end = {3, 0, 0}, .radius = 2};
///     const Impact c = first_contact_spheres(a, b);
///     if (c.status == ImpactStatus::touch) stop_at(c.time, c.point, c.normal);
///
/// Each center is at start + t (end - start) for t from 0 to 1, and the answers are about these real numbers. Whether
/// the spheres overlap at the start is decided exactly. The status `apart` is returned only if it is proven.

#include <whisker/first_contact.hpp>
#include <whisker/vector.hpp>

namespace whisker {

/// A sphere whose center moves uniformly from `start` (t = 0) to `end` (t = 1). The radius is 0 or larger.
struct MovingSphere {
  Vector3 start = Vector3::Zero();
  Vector3 end = Vector3::Zero();
  double radius = 0;
};

/// The first contact of two moving spheres. The fields of Impact mean here:
///
///  - `status` is `touching_at_start` if the spheres overlap at t = 0, that is, if the centers are closer than the sum
///    of the radii; decided exactly. If they touch in a single point at t = 0, the status is `touch` with the time 0,
///    whether they then approach or separate: that is their first contact.
///  - `certain` is false if the spheres pass so closely (about 1e-30 of their size) that a touch can be neither proven
///    nor excluded. Then `stop` is `limit`; otherwise it is `exact`.
///  - `point` is where the spheres touch. If they overlap at the start, it is the middle of the overlap along the line
///    of centers.
///  - `normal` is the unit vector from a's center to b's at `time`, or +x if the centers coincide.
///  - `cost` counts one primitive test.
///
/// Coordinates and radii must be 0 or have a magnitude from 1e-90 to 1e90; this is not checked. Throws nothing.
Impact first_contact_spheres(const MovingSphere& a, const MovingSphere& b);

}  // namespace whisker
