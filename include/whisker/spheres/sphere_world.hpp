#pragma once

/// \file
/// SphereWorld: time-critical collision detection of many sphere bodies. All pairs are refined together, coarse spheres
/// first, until the time or the operations of a frame are used up. The result is what is known by then, with a bound of
/// its error (P. Hubbard 1995; C. O'Sullivan and J. Dingliana 1999; G. Bradshaw 2002).
///
///     SphereWorld world;
///     const BodyId stone = world.add(body, pose), anvil = world.add(other);
///     for (const Pose& next : path) {
///       world.move(stone, next);
///       world.begin_step();
///       world.advance({.seconds = 0.001});                       // may be repeated while there is time left
///       SphereFrame frame = world.collect(OpenSpheres::repulsion);
///       for (const SpherePair& pair : world.pairs())
///         for (const SphereContact& contact : world.contacts(pair)) push_apart(pair.a, pair.b, contact);
///     }

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>

#include <whisker/detail/held.hpp>
#include <whisker/spheres/sphere_body.hpp>
#include <whisker/spheres/sphere_contacts.hpp>
#include <whisker/spheres/sphere_query.hpp>
#include <whisker/world.hpp>

namespace whisker {

/// Two bodies whose root spheres overlap.
struct SpherePair {
  BodyId a;  ///< The body with the lower id.
  BodyId b;
  double priority = 0;  ///< As the priority function returned it; 0 without one.
  SpherePairState state = SpherePairState::open;
  std::size_t first_contact = 0;  ///< The index of its first contact among those of the last collect().
  std::size_t contact_count = 0;  ///< The number of its contacts in the last collect().
  /// An upper bound of the distance of the solids, as of the last collect(). Infinite if that has no contact of the
  /// pair.
  double upper = std::numeric_limits<double>::infinity();
};

/// A summary of what is known of the current step.
struct SphereFrame {
  std::size_t pairs = 0;           ///< Pairs of bodies whose root spheres overlap.
  std::size_t open_pairs = 0;      ///< Pairs that are still open.
  std::size_t touching_pairs = 0;  ///< Pairs that have a contact.
  std::size_t contacts = 0;        ///< The number of contacts, that is, pairs of spheres.
  bool is_resolved = true;         ///< No pair is open.
  // Statistics of the contacts' errors; 0 if there is no contact.
  double worst_error = 0;
  double best_error = 0;
  double root_mean_square_error = 0;
  // Work since begin_step(), without the roots, which belong to the broad phase.
  std::uint64_t updates = 0;  ///< Spheres transformed to the world frame: at most once per step, and only if tested.
  std::uint64_t tests = 0;    ///< Tests of two spheres.
  /// The work as SphereBudget counts it.
  std::uint64_t operations() const { return 2 * updates + tests; }
};

/// A set of moving sphere bodies. Each frame: move the bodies, call begin_step(), call advance() as often as time
/// allows, and collect() the contacts. One thread at a time may use a world, and advance() runs on the calling thread.
/// After the busiest frame so far nothing more is allocated.
class SphereWorld {
 public:
  SphereWorld();

  /// Adds a body, which takes part from the next step on. The world keeps a copy, which shares the body's data.
  BodyId add(const SphereBody& body, const Pose& pose = {});
  /// `remove` and `move` take effect with the next step. Until then all results refer to the bodies and poses of the
  /// current step. These and the next two functions throw an Error if there is no such body.
  void remove(BodyId body);
  void move(BodyId body, const Pose& pose);
  /// The pose that was set last, which the next step uses.
  const Pose& pose(BodyId body) const;
  const SphereBody& body(BodyId body) const;
  /// The number of bodies.
  std::size_t size() const;

  /// The importance of a pair. Pairs with larger values are refined first, until they are resolved. Pairs of equal
  /// priority are refined together. The function is called for each pair in begin_step(), with the state and bounds of
  /// an untested pair. A result of NaN is an Error, and minus infinity excludes the pair. A function with two values
  /// makes two priority classes. A new world has no function: all pairs are equal and refined in turn (round robin).
  using Priority = std::function<double(const SpherePair& pair)>;
  void set_priority(Priority priority);

  /// Starts a step: takes over the poses of all bodies, finds the pairs whose root spheres overlap, and discards the
  /// results of the last step. If the priority function throws, the exception is passed on and there are no pairs.
  void begin_step();
  /// Opens spheres of all pairs, breadth first, until everything is known (`exact`) or the budget of this call is used
  /// up (`budget`). Operations that a call leaves over, because the next refinement needs more, are added to the next
  /// call of the same step. When no spheres of a pair overlap any more, a test of the triangles decides whether one
  /// solid lies inside the other; it does not count as operations. The results of a step do not depend on how its
  /// operations are divided among calls. Throws an Error if the seconds of the budget are NaN.
  Stop advance(const SphereBudget& budget = {});

  /// Computes the contacts from what is known so far: those of resolved pairs of spheres, and those of open pairs as
  /// `open` says. May be called any number of times between calls of advance().
  SphereFrame collect(OpenSpheres open = OpenSpheres::repulsion);

  /// The pairs of the current step, sorted by their bodies. The span is valid until the next begin_step().
  std::span<const SpherePair> pairs() const;
  /// The contacts of the last collect(), pair by pair, and within a pair in the order in which they were found. The
  /// spans are valid until the next collect() or begin_step().
  std::span<const SphereContact> contacts() const;
  std::span<const SphereContact> contacts(const SpherePair& pair) const;

 private:
  struct Storage;
  Held<"SphereWorld", Owned<Storage>> storage_;
};

}  // namespace whisker
