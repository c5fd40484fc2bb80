#pragma once

/// \file
/// Looking at pairs of moving bodies only when they could touch.
///
///     ContactSchedule schedule(world);
///     schedule.set_limits(stone, {.velocity = v, .acceleration = 9.81, .spin = 2});
///     …                                         // move the bodies to where they are at `time`
///     for (const WorldPair& pair : schedule.advance(time)) …    // those that touch then

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>

#include <whisker/detail/held.hpp>
#include <whisker/world.hpp>

namespace whisker {

/// What a body promises of its motion until it says otherwise.
struct MotionLimits {
  /// Of the origin of the body's frame, now.
  Vector3 velocity = Vector3::Zero();
  /// The velocity changes by no more than this per unit of time.
  double acceleration = 0;
  /// The body turns by no more than this now, in radians per unit of time…
  double spin = 0;
  /// …and that grows by no more than this.
  double spin_acceleration = 0;
};

/// A lower bound on the time in which two bodies come into contact that are `gap` apart along a direction: how long it
/// takes at least to close it at a speed of `closing` (negative: they part) that grows by `acceleration`. Infinite if
/// they never do.
///
/// No point of a body moves along the direction by more than its origin does and, for the turn, the angle times the
/// body's radius about that origin: that makes the bound rigorous, whatever way the body turns. (The formula is the
/// scheduler's of Lin and Canny, 1991, which has the distance of the centers for the radius, and that is no bound.)
double earliest_contact(double gap, double closing, double acceleration);

struct ContactScheduleOptions {
  /// How many threads `advance` looks at pairs with: 0 all that oneTBB gives, 1 the calling thread alone, n at most n;
  /// negative is an Error. The answers are the same.
  int threads = 0;
};

/// The pairs of some bodies of a world, in a heap by when they can touch at the earliest.
///
/// It works out all pairs of its bodies, so it is for some hundreds or thousands of them. Which pairs count is what the
/// world's layers, switches and filter say when a body is added here. Not for two threads at once.
class ContactSchedule {
 public:
  /// With all bodies that the world has, which must live as long as the schedule.
  explicit ContactSchedule(const World& world, const ContactScheduleOptions& options = {});
  ~ContactSchedule();
  ContactSchedule(ContactSchedule&&) noexcept;
  ContactSchedule& operator=(ContactSchedule&&) noexcept;

  /// Takes in a body that was added to the world later. It stands still until it says otherwise.
  void add(BodyId body);
  /// Leaves a body out, also one that the world has no more.
  void remove(BodyId body);
  /// From now on, the time of the last `advance`, the body moves within these limits. Its pairs get new times; none is
  /// looked at for that.
  void set_limits(BodyId body, const MotionLimits& limits);
  /// The body has jumped, or has another shape: its pairs are looked at in the next `advance`.
  void reset(BodyId body);

  /// The pairs that touch at `time`, ascending, when the bodies stand where the world's `pose` says. Looked at are only
  /// pairs that can touch by now if every body has kept its promise since the last call, and those that touched then.
  /// Throws an Error if time goes back.
  std::span<const WorldPair> advance(double time);

  /// Pairs that the last `advance` looked at, and pairs that there are.
  std::size_t looked_at() const;
  std::size_t pairs() const;
  /// When the next pair is to be looked at; infinite if none is.
  double next_time() const;

 private:
  struct Storage;
  Held<"ContactSchedule", std::unique_ptr<Storage>> storage_;
};

}  // namespace whisker
