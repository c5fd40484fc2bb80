#pragma once

/// \file
/// World: keeps many bodies and finds which of them touch, which are close to each other, and what is near a place.
///
///     World world;
///     const BodyId stone = world.add(hull, pose);
///     world.add(HalfSpace{}, {}, {.is_static = true});
///     for (const Pose& next : path) {
///       world.move(stone, next);
///       world.update();  // finds the pairs that touch
///       for (const WorldPair& pair : world.touching()) push_apart(pair.a, pair.b);
///     }
///
/// Every body has an AABB. In an update, a broad phase (world/broad_phase.hpp) finds the pairs of bodies whose AABBs
/// overlap, and the narrow phase tests their shapes with `touches` (queries.hpp). Pairs that stay close keep a
/// PairCache. All lengths are in the user's unit, and all poses, points and boxes are in the world frame.

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include <whisker/contact_manifold.hpp>
#include <whisker/detail/held.hpp>
#include <whisker/first_contact.hpp>
#include <whisker/geometry/aabb.hpp>
#include <whisker/queries.hpp>
#include <whisker/world/broad_phase.hpp>

namespace whisker {

/// Identifies a body of a world. An id is never reused, even after its body is removed. Within one world, ids are
/// ordered by when the bodies were added, except that a new body may take the slot of a removed one.
struct BodyId {
  std::uint32_t slot = 0xFFFFFFFF;
  std::uint32_t generation = 0;

  friend auto operator<=>(const BodyId&, const BodyId&) = default;
};

/// Which AABB a body gets.
enum class BodyBoxKind : std::uint8_t {
  tight,  ///< The smallest AABB that is cheap to compute, recomputed at each move.
  cube,   ///< A cube that contains the body in any orientation: larger, but cheaper to move.
};

struct WorldOptions {
  /// How pairs of bodies with overlapping AABBs are found. If empty, the world uses the default broad phase: it keeps
  /// the bodies at rest, as `static_and_moving` does, and sweeps all bodies again when many move.
  BroadPhaseFactory broad_phase = {};
  BodyBoxKind boxes = BodyBoxKind::tight;
  /// Whether to test the shapes of bodies whose AABBs overlap. If false, such bodies count as touching.
  bool tests_shapes = true;
  /// The number of threads for `update` and for queries: 0 for all that oneTBB provides, 1 for only the calling thread,
  /// n for at most n. A negative number is an Error. The answers do not depend on it.
  int threads = 0;
};

struct BodyOptions {
  /// Marks a body that normally does not move. Two static bodies never form a pair. Moving one is still allowed.
  bool is_static = false;
  /// The layers that the body is in, one bit each. Two bodies can form a pair only if each is in a layer that the other
  /// one `meets`.
  std::uint32_t layers = 1;
  /// The layers that the body can collide with, one bit each.
  std::uint32_t meets = 0xFFFFFFFF;
  /// Enlarges the AABB of the shape by this length on every side, for example by how far the body may move until the
  /// next update, so that pairs are found before they touch. 0 or larger. Ignored for a body that was added as an AABB.
  double margin = 0;
  /// Free for the caller's use.
  std::uint64_t user = 0;
};

/// Two bodies, the one with the smaller id first.
struct WorldPair {
  BodyId a;
  BodyId b;

  friend auto operator<=>(const WorldPair&, const WorldPair&) = default;
};

/// How the contact of a pair changed since the previous update.
enum class TouchChange : std::uint8_t { began, stays, ended };
/// A pair that touches, or that touched at the previous update.
struct TouchEvent {
  WorldPair pair;
  TouchChange change = TouchChange::began;

  friend bool operator==(const TouchEvent&, const TouchEvent&) = default;
};

/// Limits on the narrow phase of an update. Pairs that are not tested because of them are `unresolved`, and are
/// candidates again in the next update.
///
/// Pairs that touched are tested first, starting with the one that has waited longest. Next come the pairs that could
/// touch soonest, estimated from the ellipsoids inscribed in their AABBs: pairs whose ellipsoids overlap first, then
/// the others by the gap divided by the rate at which it has closed since the last update. A pair that a test has found
/// to be apart counts as one update later. Every fourth test, however, goes to the pair that has waited longest. So
/// every pair is tested after finitely many updates, however small the limits are and however many pairs touch. The
/// order depends only on the bodies.
struct UpdateOptions {
  /// Test at most this many pairs of shapes.
  std::uint64_t budget = std::numeric_limits<std::uint64_t>::max();
  /// Start no more tests once the tests have taken this many seconds. With 0 or less, no shapes are tested. Which pairs
  /// are unresolved then depends on timing. NaN is an Error.
  double seconds = std::numeric_limits<double>::infinity();
};

/// What an update did.
struct UpdateReport {
  std::size_t moved = 0;       ///< Bodies that were added, removed, moved or changed.
  std::size_t pairs = 0;       ///< Pairs whose AABBs overlap and that are not filtered out.
  std::size_t tested = 0;      ///< Pairs whose shapes were tested.
  std::size_t touching = 0;    ///< Pairs that touch.
  std::size_t unresolved = 0;  ///< Pairs that were not resolved because of the limits, or because of an exception.
  Stop stop = Stop::exact;     ///< `budget` if any pairs are unresolved.
  Cost cost;
  // Wall-clock times. The rest of an update's time goes into the events.
  double seconds_boxes = 0;  ///< Applying the changes, and computing the AABBs of bodies that moved.
  double seconds_pairs = 0;  ///< The broad phase, and merging its pairs with those of the previous update.
  double seconds_tests = 0;  ///< The narrow phase.
};

/// A pair that an update did not resolve, with bounds on the distance of the bodies that follow from their AABBs
/// (without the margin).
struct UnresolvedPair {
  WorldPair pair;
  double lower = 0;
  double upper = std::numeric_limits<double>::infinity();
};

struct PairDistance {
  WorldPair pair;
  Distance distance;  ///< From pair.a to pair.b.
};
struct PairContacts {
  WorldPair pair;
  Contacts contacts;  ///< Between pair.a and pair.b.
};
struct PairManifold {
  WorldPair pair;
  ContactManifold manifold;  ///< One of those between pair.a and pair.b.
};
struct BodyDistance {
  BodyId body;
  Distance distance;  ///< From the query shape to the body.
};
struct BodyRayHit {
  BodyId body;
  RayHit hit;
};

/// Restricts a query to the bodies that are in at least one of these layers.
struct WorldFilter {
  std::uint32_t layers = 0xFFFFFFFF;
};

/// A straight motion of a body at constant velocity, by the vector `by` from time 0 to time 1.
struct BodyTranslation {
  BodyId body;
  Vector3 by = Vector3::Zero();
};

/// Any motion of a body from time 0 to time 1. It must start at the body's pose at the last update.
struct BodyMotion {
  BodyId body;
  Motion motion;
};
/// The first contact of two bodies.
struct PairImpact {
  WorldPair pair;
  MotionImpact impact;  ///< With pair.a as the first shape and pair.b as the second.
};

/// Many bodies, and which of them touch.
///
/// Non-const calls must not run at the same time as any other call. Const calls may run on any number of threads at
/// once. Changes take effect at the next `update`: until then, queries refer to the world as it was at the last update.
/// Results are sorted in an order that depends only on the bodies, and are the same for any number of threads
/// (WorldOptions). Passing an id that does not identify a body of this world is an Error, except to `contains`.
class World {
 public:
  /// Throws an Error if the factory of the broad phase returns null or `threads` is negative, and whatever the factory
  /// throws.
  explicit World(const WorldOptions& options = {});

  // Changes. They take effect at the next update.

  /// Adds a body. The world shares the shape's storage. Throws an Error if the margin is negative or NaN, or the shape
  /// was moved from.
  BodyId add(Shape shape, const Pose& pose = {}, const BodyOptions& options = {});
  /// Adds a body that is only an AABB, for callers that keep their own shapes. Bounds may be infinite, but then any
  /// test or query that needs the box as a shape throws an Error. Throws an Error if the box is empty or has a NaN.
  BodyId add_box(const Aabb& box, const BodyOptions& options = {});
  /// Removes a body. If it was touching another one, that contact ends at the next update.
  void remove(BodyId body);
  /// Sets the pose of a body. Throws an Error for a body that was added as an AABB, which has no pose.
  void move(BodyId body, const Pose& pose);
  /// Sets the box of a body that was added as an AABB. Throws an Error for any other body, and as add_box does.
  void move_box(BodyId body, const Aabb& box);
  /// Moves many bodies: body i to pose i. Everything is checked first, so either all bodies move or, with an Error,
  /// none. Throws an Error if the spans differ in size.
  void move(std::span<const BodyId> bodies, std::span<const Pose> poses);
  void move_boxes(std::span<const BodyId> bodies, std::span<const Aabb> boxes);
  /// Replaces the shape of a body. Throws an Error for a body that was added as an AABB.
  void reshape(BodyId body, Shape shape);
  void set_options(BodyId body, const BodyOptions& options);
  /// Excludes one pair of bodies, until it is switched on again or one of the two is removed.
  void switch_off(BodyId a, BodyId b);
  void switch_on(BodyId a, BodyId b);
  /// Sets a function that decides whether two bodies may form a pair; `a` is the smaller id. An update calls it once
  /// for each pair whose AABBs begin to overlap and that passes layers and switches, and again for all pairs after it
  /// is set. Queries about pairs call it too, on the calling thread. For the same two bodies it must always return the
  /// same answer. It may itself call whisker.
  ///
  /// If it throws in an update, the pair is unresolved, the update continues, and throws that exception at its end. The
  /// next update calls the function again.
  void set_filter(std::function<bool(BodyId a, BodyId b)> filter);

  /// Brings everything up to date: AABBs, pairs, contacts and events. If the filter or a custom shape throws, the
  /// affected pairs are unresolved, and the exception is rethrown after everything else is done. An exception of the
  /// broad phase ends the update; the next one processes the same changes again.
  const UpdateReport& update(const UpdateOptions& options = {});

  // Bodies, including changes that no update has processed yet. Returned references are valid until the next change.

  std::size_t size() const;
  bool contains(BodyId body) const;
  /// Throws an Error for a body that was added as an AABB. So does `pose`.
  const Shape& shape(BodyId body) const;
  const Pose& pose(BodyId body) const;
  const BodyOptions& options(BodyId body) const;
  /// The ids of all bodies, in ascending order.
  std::vector<BodyId> bodies() const;
  /// Whether static flags, layers, switches and the filter allow two bodies to form a pair.
  bool may_meet(BodyId a, BodyId b) const;

  // Queries about the world at the last update. Returned spans and references are valid until the next update.

  const UpdateReport& report() const;
  /// The body's AABB, including the margin.
  Aabb box(BodyId body) const;
  /// The pairs that touch, in ascending order. Exact where `touches` is exact. Unresolved pairs are not included.
  std::span<const WorldPair> touching() const;
  /// The pairs whose AABBs overlap and that are not filtered out, in ascending order.
  std::vector<WorldPair> near_pairs() const;
  /// The contacts that began, continue, or ended since the previous update, sorted by pair. An unresolved pair keeps
  /// its last known state and has no event.
  std::span<const TouchEvent> events() const;
  /// The pairs that the last update did not resolve, in ascending order.
  std::span<const UnresolvedPair> unresolved() const;

  /// All pairs that are at most `max_distance` apart and that are not filtered out, in ascending order, with their
  /// distances. A body that was added as an AABB counts as a box. `options.threads`, if not 0, overrides the number of
  /// threads of the world. Throws an Error if `max_distance` is NaN or negative or `options.cache` is not null, and the
  /// Errors of `distance`.
  std::vector<PairDistance> closer_than(double max_distance, const DistanceOptions& options = {}) const;
  /// The contacts of all touching pairs (see `contacts` in queries.hpp).
  std::vector<PairContacts> contacts(const ContactOptions& options = {}) const;

  /// The contact manifolds of all pairs (contact_manifold.hpp), in ascending order of the pairs, on all threads. Of the
  /// pairs whose AABBs overlap, so give bodies a margin (BodyOptions) of at least half of `options.margin`. A world
  /// that is only asked for manifolds need not test its shapes in `update` (WorldOptions::tests_shapes).
  ///
  /// The world remembers the points of every pair from one call to the next: a point keeps its id while it stays where
  /// it is, as with ManifoldOptions::memory, and ids are unique within a pair. Therefore this call is not const. Throws
  /// an Error if `options` has a cache or a memory, which the world provides, and the Errors of contact_manifolds().
  /// The result is valid until the next call of this function; pairs are those of the last update.
  std::span<const PairManifold> manifolds(const ManifoldOptions& options = {});

  /// All bodies that touch a shape, in ascending order.
  std::vector<BodyId> touching(const Placed& shape, const WorldFilter& filter = {}) const;
  /// Whether any body touches a shape. Stops at the first one that it finds, so it is much cheaper than `touching`
  /// where there are many. Runs on the calling thread.
  bool touches(const Placed& shape, const WorldFilter& filter = {}) const;
  /// The body with the smallest id that touches a shape; nothing if there is none. Tests the bodies in ascending order
  /// and stops there. Runs on the calling thread.
  std::optional<BodyId> first_touching(const Placed& shape, const WorldFilter& filter = {}) const;
  /// All bodies whose AABBs overlap a box, in ascending order. Its bounds may be infinite; NaN is an Error.
  std::vector<BodyId> overlapping(const Aabb& box, const WorldFilter& filter = {}) const;
  /// The body nearest to a shape, the one with the smallest id if several are equally near. Nothing if all bodies are
  /// farther than `max_distance`, which must be 0 or larger.
  std::optional<BodyDistance> nearest(const Placed& shape,
                                      double max_distance = std::numeric_limits<double>::infinity(),
                                      const WorldFilter& filter = {}) const;
  /// The first body that a ray hits, the one with the smallest id if several are hit at the same point. Throws the
  /// Errors of `cast_ray` in queries.hpp.
  std::optional<BodyRayHit> cast_ray(const Ray& ray, RayRange range = {}, const WorldFilter& filter = {}) const;
  /// All bodies that a ray hits, sorted by `hit.t`, then by id.
  std::vector<BodyRayHit> cast_ray_all(const Ray& ray, RayRange range = {}, const WorldFilter& filter = {}) const;

  /// The first contacts of bodies that translate all at once, while the other bodies stay still. The result has one
  /// entry for each pair that is not proven to miss, earliest first (see first_contact.hpp). Throws an Error if a
  /// translation is not finite or a body is listed twice.
  FirstContacts<PairImpact> first_contacts(std::span<const BodyTranslation> translations,
                                           const ImpactOptions& options = {}) const;
  /// The same for arbitrary motions. Throws an Error if a motion does not start at its body's pose at the last update.
  FirstContacts<PairImpact> first_contacts(std::span<const BodyMotion> motions,
                                           const ImpactOptions& options = {}) const;

  /// Moves bodies along their motions, all to the same time, and returns that time: the first contact of two bodies
  /// that do not touch at the start, or 1 if there is none. The two bodies that meet are then as close as rounding
  /// allows, but do not touch yet. Takes effect at the next `update`, like `move`. Throws the Errors of
  /// `first_contacts`, and one if a body was added as an AABB.
  double move_to_first_contact(std::span<const BodyMotion> motions, const ImpactOptions& options = {});

 private:
  struct Storage;
  Held<"World", Owned<Storage>> storage_;
};

}  // namespace whisker
