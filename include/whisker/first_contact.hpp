#pragma once

/// \file
/// When do two moving shapes first touch?
///
///     const MotionImpact hit = first_contact({stone, Straight{pose_a, by}}, {wall, Still{pose_b}});
///     if (hit.status == ImpactStatus::touch) stop_at(hit.time_lower, hit.point, hit.normal);
///     const bool ever = touches_during({stone, Straight{pose_a, by}}, {wall, Still{pose_b}});
///
/// Shapes move from time 0 to time 1, in a straight line or turning (motion.hpp). The motion is continuous, without
/// samples in time: a small shape never passes through a thin one undetected, however fast it is. All pairs of shapes
/// that have a `distance` are supported. The only exception is a half-space or plane that turns, which is an Error: it
/// has points that move infinitely fast.

#include <cstdint>
#include <limits>
#include <vector>

#include <whisker/motion.hpp>
#include <whisker/result.hpp>

namespace whisker {

enum class ImpactStatus : std::uint8_t {
  apart,              ///< Proven: the shapes share no point at any time in [0, 1].
  touching_at_start,  ///< `touches` is true for them at time 0.
  touch,              ///< They do not touch at time 0, but later; or, if not `certain`, they are not proven to miss.
};

struct ImpactOptions {
  /// Stop when time_upper - time_lower is at most this. Times run from 0 to 1. 0 or larger.
  double tolerance = 0;
  /// Stop after about this many tests of primitives (or support calls), with the bounds reached so far.
  std::uint64_t budget = std::numeric_limits<std::uint64_t>::max();
};

/// The first contact of two moving objects.
struct Impact {
  ImpactStatus status = ImpactStatus::apart;
  /// Best estimate of the time of first contact, in [time_lower, time_upper]. All three times are 1 if the objects stay
  /// apart, and 0 if they touch at the start.
  double time = 1;
  /// There is no contact before this time.
  double time_lower = 1;
  /// The first contact, if there is one, is no later than this time.
  double time_upper = 1;
  /// The contact is proven. False only with status `touch`: the objects pass each other so closely, or the contact
  /// begins so close to time 1, that it can be neither proven nor excluded; or the search ended early.
  bool certain = true;
  /// Where they touch at `time`, within rounding; world frame. If they touch at the start, a common point. Zero if
  /// apart.
  Vector3 point = Vector3::Zero();
  /// Unit vector from a to b at the contact: the normal of a plane that separates the two until `time_lower`. If they
  /// overlap at the start, the direction of the shortest translation that moves b out of a, or zero if that is not
  /// known, as for meshes. Zero if apart.
  Vector3 normal = Vector3::Zero();
  Stop stop = Stop::exact;
  Cost cost;
};

/// The first contact of two moving shapes.
struct MotionImpact : Impact {
  /// The poses of both shapes at `time_lower` (see pose_at). If rounding of those poses would make the shapes touch,
  /// the poses at a time that is earlier by as little as necessary. So `touches` is false for these poses, unless it is
  /// true at the start. The poses at time 1 if apart.
  Pose pose_a = {};
  Pose pose_b = {};
};

/// The first contacts among many moving objects. A Hit names the two objects that meet, and has a member `impact`.
template <class Hit>
struct FirstContacts {
  std::vector<Hit> hits;
  Cost cost;  ///< All work that was done, including the pairs that are proven to miss each other.
};

/// Finds when a and b first touch.
///
/// No contact is missed: both the status `apart` and `time_lower` are proven for all times. Exchanging a and b changes
/// only the sign of the normal and, for two meshes that touch at the start, which common point is returned.
///
/// Two convex shapes that move in a straight line are solved by a ray cast. The bounds are then usually about 1e-14
/// apart, in units of the time in which the shapes cross their own size, and at most 1e-11 (docs/motion.md). After the
/// first call on a thread nothing is allocated, unless the shapes touch at the start: `depth` then computes the normal.
///
/// All other pairs are solved by conservative advancement, in steps that are short enough for the remaining distance.
/// This takes one to two hundred distance queries for full precision, and fewer with a tolerance. Here `certain` means
/// that `touches` is true at pose_at(time_upper). Two shapes that pass within rounding error of each other, or stay
/// very close for long, end with Stop::limit and wide bounds.
///
/// Throws an Error if the pair has no `distance` (is_supported), a half-space or plane turns, a motion is not finite or
/// out of range (check() in motion.hpp), a CustomMotion returns an invalid value (motion.hpp), or the tolerance is
/// negative or NaN.
MotionImpact first_contact(const Moving& a, const Moving& b, const ImpactOptions& options = {});

/// Do a and b share a point at any time in [0, 1]? False only if that is proven. True if there is a contact, or if
/// rounding leaves the question open (first_contact() is then not `certain`).
///
/// For two bounded convex shapes that move in a straight line this is cheaper than first_contact(): it runs one GJK on
/// the volume that one shape sweeps relative to the other, and calls first_contact() only for close cases. For all
/// other pairs it costs as much as first_contact(). The work is added to `cost`, if given. Throws the Errors of
/// first_contact().
bool touches_during(const Moving& a, const Moving& b, Cost* cost = nullptr);

}  // namespace whisker
