#pragma once

/// \file
/// Bounding volumes in motion: could two of them touch at any time of an interval, and when do they first?
///
///     const Motion swing = screw(from, to);
///     if (!may_touch(box_a, swing, box_b, Still{pose}, {0.25, 0.5})) …      // proven apart all that time
///     const Impact hit = first_touch(box_a, swing, box_b, Still{pose}, {.tolerance = 1e-6});
///
/// For one who walks trees of volumes of his own; shapes are asked by first_contact.hpp. A volume stands in the frame
/// of its body, and moves with it: a ball stays a ball, a box with edges along the body's axes turns as an oriented box
/// does. The truth is that of the stored numbers in real arithmetic (see motion.hpp and volumes.hpp).

#include <variant>

#include <whisker/first_contact.hpp>
#include <whisker/geometry/aabb.hpp>
#include <whisker/geometry/bounding_sphere.hpp>
#include <whisker/geometry/interval.hpp>
#include <whisker/geometry/obb.hpp>
#include <whisker/motion.hpp>
#include <whisker/result.hpp>

namespace whisker::methods {

/// A volume in the frame of a body. Lengths are finite.
using BodyVolume = std::variant<BoundingSphere, Aabb, Obb>;

/// Could a and b share a point at any time in t, which is within [0, 1]? False only if it is certain, rounding
/// included, that they do not; an empty Aabb touches nothing. One look at the whole interval: for boxes at 15 axes
/// that turn with them, at the two ends, with a bound of what the way between may add (docs/motion.md). That bound
/// shrinks with the square of the time, so an interval that is half as long is more than twice as well known.
///
/// Throws an Error for a motion of the caller's own (CustomMotion), one that is not finite, a volume that
/// is not finite, axes that are not at right angles to 1e-6, and a time outside [0, 1].
bool may_touch(const BodyVolume& a, const Motion& motion_a, const BodyVolume& b, const Motion& motion_b,
               const Interval& t = {0, 1});

/// When two volumes first touch, by halving the time, from the left.
///
/// `touching_at_start` is said only if it is proven. `certain`: they have a common point at time_upper; false only with
/// `touch`: what is so close that it can be neither proven nor excluded, as of two boxes that are flat; or the search
/// ended early. `time` is the middle of the bounds, or time_lower if not certain. `point` and `normal` are always zero:
/// volumes are only asked whether they are apart. In `cost`, `volume_tests` are the intervals of time looked at.
///
/// `tolerance`: how far the two times may be apart; 0 for the last digit, some 100 looks. `budget` counts looks; after
/// 2^17 of them, as for things that pass very closely all the time, or turn some ten thousand times, it ends by itself
/// with Stop::limit. Nothing is allocated. Throws as may_touch.
Impact first_touch(const BodyVolume& a, const Motion& motion_a, const BodyVolume& b, const Motion& motion_b,
                   const ImpactOptions& options = {});

}  // namespace whisker::methods
