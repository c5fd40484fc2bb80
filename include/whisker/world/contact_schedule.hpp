#pragma once

/// \file
/// ContactSchedule: finds contacts of moving bodies by testing each pair only when it could touch.
///
///     ContactSchedule schedule(world);
///     schedule.set_limits(stone, {.velocity = v, .acceleration = 10, .spin = 2});
///     for (double time = 0; time < 1; time += 0.01) {
///       const Vector3 fall(0, 0, -4.905 * time * time);
///       world.move(stone, Pose(start + time * v + fall));  // every body to its pose at `time`
///       for (const WorldPair& pair : schedule.advance(time)) push_apart(pair.a, pair.b);  // those that touch then
///     }
///
/// Each body promises limits on its motion. From these and the distance of a pair follows the earliest time at which
/// the pair can touch, and a heap orders the pairs by that time. Time is in any unit, as long as all velocities and
/// accelerations use the same one.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include <whisker/detail/held.hpp>
#include <whisker/world.hpp>

namespace whisker {

/// What a body promises about its motion until its limits are set again. Velocities are in the world frame.
struct MotionLimits {
  /// The current velocity of the origin of the body's frame.
  Vector3 velocity = Vector3::Zero();
  /// The largest change of the velocity per unit of time. 0 or larger.
  double acceleration = 0;
  /// The largest current angular speed, about any axis, in radians per unit of time. 0 or larger.
  double spin = 0;
  /// The largest growth of `spin` per unit of time. 0 or larger.
  double spin_acceleration = 0;
};

/// A lower bound on the time until two bodies touch that are `gap` apart along a direction: the time it takes to close
/// the gap at a speed of `closing` (negative if they separate) that grows by `acceleration` per unit of time. Infinite
/// if the gap never closes.
///
/// The bound is rigorous for any rotation if `closing` and `acceleration` include it: along the direction, no point of
/// a body moves farther than the origin of the body does, plus the rotation angle times the body's radius about that
/// origin. (The formula is that of the scheduler of Lin and Canny, 1991. They use the distance of the centers in place
/// of the radius, which is not a bound.)
double earliest_contact(double gap, double closing, double acceleration);

struct ContactScheduleOptions {
  /// The number of threads that `advance` uses: 0 for all that oneTBB provides, 1 for only the calling thread, n for at
  /// most n. A negative number is an Error. The answers do not depend on it.
  int threads = 0;
};

/// The pairs of some bodies of a world, in a heap ordered by the earliest time at which they can touch.
///
/// It stores all pairs of its bodies, n (n - 1) / 2 of them, so it is meant for some hundreds or thousands of bodies.
/// Which pairs count is decided by the world's layers, switches and filter when a body is added to the schedule. Two
/// threads must not use a schedule at once.
class ContactSchedule {
 public:
  /// A schedule with all current bodies of the world. The world must outlive the schedule, and must not be moved.
  /// Throws an Error if one of its bodies was added as an AABB, or `threads` is negative.
  explicit ContactSchedule(const World& world, const ContactScheduleOptions& options = {});

  /// Adds a body that was added to the world later. It is assumed not to move until its limits are set. Throws an Error
  /// if the body is already in the schedule, or was added to the world as an AABB.
  void add(BodyId body);
  /// Removes a body from the schedule. The world need not contain it any more. This and the following functions throw
  /// an Error if the body is not in the schedule.
  void remove(BodyId body);
  /// Sets the limits within which the body moves from the time of the last `advance` on, or from the first `advance` if
  /// there was none yet. The times of its pairs are recomputed; no pair is tested for that. Throws an Error if the
  /// velocity is not finite, or another limit is NaN or negative.
  void set_limits(BodyId body, const MotionLimits& limits);
  /// Must be called if the body has jumped or has a new shape. Its pairs are tested in the next `advance`.
  void reset(BodyId body);

  /// The pairs that touch at `time`, in ascending order, with the bodies at their poses in the world (World::pose,
  /// which needs no update). Tests only pairs that can touch by now if every body has kept its promise since the last
  /// call, and pairs that touched then. The span is valid until the next call. Throws an Error if `time` is not finite
  /// or is earlier than in the last call.
  std::span<const WorldPair> advance(double time);

  /// The number of pairs that the last `advance` tested.
  std::size_t looked_at() const;
  /// The number of pairs in the schedule.
  std::size_t pairs() const;
  /// The time at which the next pair must be tested; infinite if there is none.
  double next_time() const;

 private:
  struct Storage;
  Held<"ContactSchedule", Owned<Storage>> storage_;
};

}  // namespace whisker
