#pragma once

/// \file
/// When do two moving shapes first touch?
///
///     const MotionImpact hit = first_contact({stone, Straight{pose_a, by}}, {wall, Still{pose_b}});
///     if (hit.status == ImpactStatus::touch) stop_at(hit.time_lower, hit.point, hit.normal);
///
/// Shapes move from time 0 to time 1, straight or turning. They are taken as they are: a small one does not pass
/// through a thin one between two looks, however fast it is. Taken are all pairs of shapes that have a `distance`. Only
/// a half-space or plane that turns is an Error: it has points that are infinitely fast.

#include <cstdint>
#include <limits>
#include <vector>

#include <whisker/motion.hpp>
#include <whisker/result.hpp>

namespace whisker {

enum class ImpactStatus : std::uint8_t {
  apart,              ///< Proven: no common point at any time in [0, 1].
  touching_at_start,  ///< `touches` is true of them at time 0.
  touch,              ///< They do not touch at time 0, but later; or, if not `certain`, they are not proven to miss.
};

struct ImpactOptions {
  /// Stop when time_upper - time_lower is at most this. Times run from 0 to 1.
  double tolerance = 0;
  /// Stop after about so many tests of primitives (or supports), with the bounds reached so far.
  std::uint64_t budget = std::numeric_limits<std::uint64_t>::max();
};

/// The first contact of two things that move.
struct Impact {
  ImpactStatus status = ImpactStatus::apart;
  /// Best estimate of the time of first contact, in [time_lower, time_upper]. All three are 1 if apart, and 0 if they
  /// touch at the start.
  double time = 1;
  /// There is no contact before this.
  double time_lower = 1;
  /// The first contact, if there is one, is no later than this.
  double time_upper = 1;
  /// There is a contact. False only with `touch`: they pass each other so closely, or the contact begins so close to
  /// time 1, that it can be neither proven nor excluded; or the search ended early.
  bool certain = true;
  /// Where they touch at `time`, within rounding; world frame. If they touch at the start, a common point. Zero if
  /// apart.
  Vector3 point = Vector3::Zero();
  /// Unit vector from a to b at the contact: of a plane that parts them until `time_lower`. If they overlap at the
  /// start, the direction along which b leaves a on the shortest way; zero if that is not known, as of meshes. Zero if
  /// apart.
  Vector3 normal = Vector3::Zero();
  Stop stop = Stop::exact;
  Cost cost;
};

/// The first contact of two moving shapes.
struct MotionImpact : Impact {
  /// Where both are at `time_lower` (see pose_at), or, where rounding of those poses would make them touch, as little
  /// earlier as it takes. So `touches` is false there, unless it was true at the start. At time 1 if apart.
  Pose pose_a = {};
  Pose pose_b = {};
};

/// What many things that move meet first. A hit has a member `impact`, and says who meets.
template <class Hit>
struct FirstContacts {
  std::vector<Hit> hits;
  Cost cost;  ///< All work that was done, also for pairs that are proven to miss each other.
};

/// When a and b first touch.
///
/// No contact is missed: a status `apart` is proven for all times, and `time_lower` is. The answers are the same with a
/// and b exchanged, but for the sign of the normal and, of two meshes that touch at the start, which common point.
///
/// Two convex shapes that move straight are worked by a ray cast: as a rule the bounds are apart by about 1e-14 of the
/// time in which the shapes cross their own size, at most by 1e-11 (docs/motion.md), and nothing is allocated once it
/// has run on a thread, unless the shapes touch at the start, where `depth` is asked for the normal. All others are
/// worked by steps that are short enough for the distance left (conservative advancement): a hundred or two distances
/// to the last digit, fewer with a tolerance. There `certain` means that `touches` is true at pose_at(time_upper), and
/// two that pass within rounding of each other, or keep very close for long, end with Stop::limit and wide bounds.
///
/// Throws an Error if the pair has no `distance` (is_supported), a half-space or plane turns, a motion is not finite,
/// or a motion of the caller's own gives what it must not (motion.hpp).
MotionImpact first_contact(const Moving& a, const Moving& b, const ImpactOptions& options = {});

/// Do a and b share a point at any time in [0, 1]? False only if that is proven; true if there is a contact, or where
/// rounding leaves it open (then `first_contact` is not `certain`). Cheaper than `first_contact`: one GJK on the volume
/// that a sweeps, seen from b.
bool touches_during(const Moving& a, const Moving& b, Cost* cost = nullptr);

}  // namespace whisker
