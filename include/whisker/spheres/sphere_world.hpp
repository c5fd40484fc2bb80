#pragma once

/// \file
/// SphereWorld: many sphere bodies, all of whose pairs are looked at together, coarse spheres first, until the time or
/// the operations of a frame are used up. What is known then is the answer, with a bound of its error (P. Hubbard
/// 1995; C. O'Sullivan and J. Dingliana 1999; G. Bradshaw 2002).
///
///     SphereWorld world;
///     const BodyId stone = world.add(body, pose);
///     for (;;) {
///       world.move(stone, next_pose());
///       world.begin_step();
///       world.advance({.seconds = 0.001});                       // again and again, if there is time left
///       SphereFrame frame = world.collect(OpenSpheres::repulsion);
///       for (const SpherePair& pair : world.pairs())
///         for (const SphereContact& contact : world.contacts(pair)) push_apart(pair.a, pair.b, contact);
///     }

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>

#include <whisker/detail/held.hpp>
#include <whisker/spheres/sphere_body.hpp>
#include <whisker/world.hpp>

namespace whisker {

enum class SpherePairState : std::uint8_t {
  open,      ///< Spheres overlap that were not opened yet.
  contacts,  ///< All was opened, and leaves overlap.
  apart,     ///< Proven: the solids share no point.
  inside,    ///< Proven: one solid, or a part of it, lies inside the other. Their surfaces are apart.
};

/// Two bodies whose root spheres overlap.
struct SpherePair {
  BodyId a;  ///< The smaller one.
  BodyId b;
  double priority = 0;
  SpherePairState state = SpherePairState::open;
  std::size_t first_contact = 0;  ///< Its contacts, among those of the last collect().
  std::size_t contact_count = 0;
  /// The solids are no farther apart than this, as far as the last collect() has looked. Infinite if it reports no
  /// contact.
  double upper = std::numeric_limits<double>::infinity();
};

/// What is known of a frame.
struct SphereFrame {
  std::size_t pairs = 0;           ///< Pairs of bodies whose root spheres overlap.
  std::size_t open_pairs = 0;      ///< Of these, those not looked at to the end.
  std::size_t touching_pairs = 0;  ///< Those with a contact.
  std::size_t contacts = 0;        ///< Pairs of spheres.
  bool is_resolved = true;         ///< No pair is open.
  // Of the contacts' errors; 0 if there is none.
  double worst_error = 0;
  double best_error = 0;
  double root_mean_square_error = 0;
  // Since begin_step(), without the roots, which are the broad phase's.
  std::uint64_t updates = 0;  ///< Spheres brought to the world: each once a step at most, and only if it is tested.
  std::uint64_t tests = 0;    ///< Tests of two spheres.
  std::uint64_t operations() const { return 2 * updates + tests; }
};

/// Not for two threads at once; advance() runs on the caller's thread. Nothing is allocated once a world has seen its
/// busiest frame.
class SphereWorld {
 public:
  SphereWorld();
  ~SphereWorld();
  SphereWorld(SphereWorld&&) noexcept;
  SphereWorld& operator=(SphereWorld&&) noexcept;

  /// From the next step on.
  BodyId add(const SphereBody& body, const Pose& pose = {});
  /// These throw an Error if there is no such body. `remove` and `move` count from the next step on: until then, what
  /// was found holds for where bodies stood.
  void remove(BodyId body);
  void move(BodyId body, const Pose& pose);
  const Pose& pose(BodyId body) const;
  const SphereBody& body(BodyId body) const;
  std::size_t size() const;

  /// How much a pair matters: larger comes first, until it is resolved; pairs of equal priority advance together.
  /// Called for each pair in begin_step(); state and bounds are those of a pair that was not looked at. NaN is an
  /// Error; minus infinity leaves the pair out. Two classes are a function with two values. Without a function, which
  /// is how a world begins, all are equal: round robin.
  using Priority = std::function<double(const SpherePair& pair)>;
  void set_priority(Priority priority);

  /// Takes over where the bodies stand, finds the pairs whose root spheres overlap, and forgets what was known. If the
  /// priority throws, there is no pair.
  void begin_step();
  /// Opens spheres of all pairs, breadth first, until all is known (`exact`) or the budget of this call is used up
  /// (`budget`). What is left of a call's operations because the next step takes more goes to the next call of the same
  /// step. Where no spheres of a pair overlap any more, the triangles tell whether one lies inside the other: that is
  /// counted in no operations. How a step's operations are divided into calls does not matter to what it finds.
  Stop advance(const SphereBudget& budget = {});

  /// Works out the contacts of what is known now: of resolved pairs of spheres, and of open ones as `open` says. May be
  /// called between two advances as often as one likes.
  SphereFrame collect(OpenSpheres open = OpenSpheres::repulsion);

  /// In the order of their bodies.
  std::span<const SpherePair> pairs() const;
  /// Those of the last collect(), pair by pair; of a pair in the order in which they were found.
  std::span<const SphereContact> contacts() const;
  std::span<const SphereContact> contacts(const SpherePair& pair) const;

 private:
  struct Storage;
  Held<"SphereWorld", std::unique_ptr<Storage>> storage_;
};

}  // namespace whisker
