#pragma once

/// \file
/// Bounding volumes in motion: whether two of them can touch at any time in an interval, and when they first do.
///
///     const Motion swing = screw(from, to);
///     if (!may_touch(box_a, swing, box_b, Still{pose}, {0.25, 0.5})) return;      // proven apart at all these times
///     const Impact hit = first_touch(box_a, swing, box_b, Still{pose}, {.tolerance = 1e-6});
///
/// This is for callers that traverse their own trees of bounding volumes; for shapes use first_contact.hpp. A volume is
/// given in the frame of its body and moves with it: a ball stays a ball, and an AABB of the body's frame rotates like
/// an oriented box. The answers are about the stored numbers in real arithmetic (see motion.hpp and
/// geometry/volumes.hpp).

#include <variant>

#include <whisker/first_contact.hpp>
#include <whisker/geometry/aabb.hpp>
#include <whisker/geometry/bounding_sphere.hpp>
#include <whisker/geometry/interval.hpp>
#include <whisker/geometry/obb.hpp>
#include <whisker/motion.hpp>
#include <whisker/result.hpp>

namespace whisker::methods {

/// A volume in the frame of a body. Its lengths must be finite.
using BodyVolume = std::variant<BoundingSphere, Aabb, Obb>;

/// Whether a and b can share a point at any time in the interval t, which must be within [0, 1]. False only if it is
/// certain, rounding included, that they share none. An empty Aabb touches nothing.
///
/// The whole interval is tested at once. For boxes, 15 separating axes that rotate with the boxes are evaluated at both
/// ends of the interval, with a bound on what the motion in between can add (docs/motion.md). That bound shrinks with
/// the square of the interval's length: for an interval half as long it is a quarter.
///
/// Throws an Error for a CustomMotion, a motion or volume that is not finite, axes that are not at right angles to
/// 1e-6, and a time outside [0, 1].
bool may_touch(const BodyVolume& a, const Motion& motion_a, const BodyVolume& b, const Motion& motion_b,
               const Interval& t = {0, 1});

/// When two volumes first touch, found by bisecting the time from the left. The fields of Impact mean here:
///
///  - `status` is `touching_at_start` only if that is proven.
///  - `certain` means that the volumes have a common point at time_upper. It is false only with the status `touch`: if
///    they are so close that a contact can be neither proven nor excluded, as for two flat boxes, or if the search
///    ended early.
///  - `time` is the middle of the bounds, or time_lower if not `certain`.
///  - `point` and `normal` are always zero, because volumes are only tested for being apart.
///  - `cost.volume_tests` counts the time intervals tested.
///
/// The option `tolerance` is how far apart the two time bounds may be. With 0 the search goes to the last digit, in
/// some 100 tests. The option `budget` limits the number of tests. After 2^17 tests the search ends by itself with
/// Stop::limit; this happens for volumes that stay very close all the time, or that make some ten thousand turns.
/// Nothing is allocated. Throws as may_touch does.
Impact first_touch(const BodyVolume& a, const Motion& motion_a, const BodyVolume& b, const Motion& motion_b,
                   const ImpactOptions& options = {});

}  // namespace whisker::methods
