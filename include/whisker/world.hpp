#pragma once

/// \file
/// Many bodies: which of them touch, which are close, what is near a place.
///
///     World world;
///     const BodyId stone = world.add(hull, pose);
///     world.add(HalfSpace{}, {}, {.is_static = true});
///     for (;;) {
///       world.move(stone, next_pose());
///       world.update();                                         // the only call that works anything out
///       for (const WorldPair& pair : world.touching()) …        // every question after it is const
///     }

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <whisker/detail/held.hpp>
#include <whisker/first_contact.hpp>
#include <whisker/geometry/aabb.hpp>
#include <whisker/queries.hpp>
#include <whisker/world/broad_phase.hpp>

namespace whisker {

/// Names a body of a world, also after it was removed: never given to another one. Of one world, bodies that were added
/// earlier come first, unless they took the place of a removed one.
struct BodyId {
  std::uint32_t slot = 0xFFFFFFFF;
  std::uint32_t generation = 0;

  friend bool operator==(const BodyId&, const BodyId&) = default;
  friend auto operator<=>(const BodyId&, const BodyId&) = default;
};

/// What box a body has.
enum class BodyBoxKind : std::uint8_t {
  tight,  ///< The smallest that is easily found, anew at each move.
  cube,   ///< A cube about the body that holds it however it is turned: larger, and cheaper to move.
};

struct WorldOptions {
  /// How the pairs of bodies are found whose boxes overlap. Empty: bodies at rest are kept, as `static_and_moving`
  /// does, and all are swept anew where many move.
  BroadPhaseFactory broad_phase = {};
  BodyBoxKind boxes = BodyBoxKind::tight;
  /// Test the shapes of bodies whose boxes overlap. If not, such bodies count as touching.
  bool tests_shapes = true;
  /// How many threads `update` and the questions work with: 0 all that oneTBB gives, 1 the calling thread alone, n at
  /// most n; negative is an Error. The answers are the same.
  int threads = 0;
};

struct BodyOptions {
  /// It is not there to move: two such bodies are never a pair. It may be moved all the same.
  bool is_static = false;
  /// The layers that the body is in, a bit for each, and those that it meets. Two bodies are a pair if each is in a
  /// layer that the other meets.
  std::uint32_t layers = 1;
  std::uint32_t meets = 0xFFFFFFFF;
  /// The box about the shape is larger by this on every side: by how far the body may get until the next update, say,
  /// so that pairs are near before they touch. 0 or larger. A body that is a box has none.
  double margin = 0;
  /// The caller's.
  std::uint64_t user = 0;
};

/// Two bodies, the one with the smaller id first.
struct WorldPair {
  BodyId a;
  BodyId b;

  friend bool operator==(const WorldPair&, const WorldPair&) = default;
  friend auto operator<=>(const WorldPair&, const WorldPair&) = default;
};

/// What has become of a pair since the last update.
enum class TouchChange : std::uint8_t { began, stays, ended };
struct TouchEvent {
  WorldPair pair;
  TouchChange change = TouchChange::began;

  friend bool operator==(const TouchEvent&, const TouchEvent&) = default;
};

/// Limits of an update. What they leave open is `unresolved`, and waits for the next update.
///
/// Pairs that touched are tested first, the one that has waited longest before the others. Then come those that could
/// touch soonest, as their boxes tell: pairs that overlap as if they touched, and others by their gap over how fast it
/// got smaller since the last update; a pair that was seen to be apart counts as one update later. But every fourth
/// test goes to the pair that has waited longest, so that each is reached after finitely many updates, however small
/// the limits and however many pairs touch. The order depends on the bodies alone.
struct UpdateOptions {
  /// Test at most so many pairs of shapes.
  std::uint64_t budget = std::numeric_limits<std::uint64_t>::max();
  /// Begin no more tests after the tests have taken so many seconds; none, if not more than 0. What is unresolved then
  /// depends on the clock.
  double seconds = std::numeric_limits<double>::infinity();
};

/// What an update did.
struct UpdateReport {
  std::size_t moved = 0;       ///< Bodies that were added, removed, moved or changed.
  std::size_t pairs = 0;       ///< Pairs whose boxes overlap, and that are not filtered out.
  std::size_t tested = 0;      ///< Pairs whose shapes were tested.
  std::size_t touching = 0;    ///< Pairs that touch.
  std::size_t unresolved = 0;  ///< Pairs that the limits left open.
  Stop stop = Stop::exact;     ///< `budget` if any are.
  Cost cost;
  // By the clock on the wall; what is left of an update's time goes to the events.
  double seconds_boxes = 0;  ///< Taking over changes, and the boxes of what moved.
  double seconds_pairs = 0;  ///< The broad phase, and what becomes of the pairs of last time.
  double seconds_tests = 0;  ///< The tests of shapes.
};

/// A pair that an update left open: how far apart the bodies are, as their boxes tell.
struct UnresolvedPair {
  WorldPair pair;
  double lower = 0;
  double upper = std::numeric_limits<double>::infinity();
};

struct PairDistance {
  WorldPair pair;
  Distance distance;
};
struct PairContacts {
  WorldPair pair;
  Contacts contacts;
};
struct BodyDistance {
  BodyId body;
  Distance distance;  ///< From the shape that was asked about to the body.
};
struct BodyRayHit {
  BodyId body;
  RayHit hit;
};

/// Which bodies a question is about: those in one of these layers.
struct WorldFilter {
  std::uint32_t layers = 0xFFFFFFFF;
};

/// How a body goes on in a straight line: by `by` from time 0 to time 1.
struct BodyTranslation {
  BodyId body;
  Vector3 by = Vector3::Zero();
};

/// How a body moves from time 0 to time 1. It begins where the body is (`pose`).
struct BodyMotion {
  BodyId body;
  Motion motion;
};
struct PairImpact {
  WorldPair pair;
  MotionImpact impact;
};

/// Bodies, and what they touch.
///
/// Calls that are not const are not for two threads at once; everything const is, also while others ask. A change
/// counts from the next `update` on: until then every answer is about the world as it was at the last one. Answers come
/// in an order that depends on the bodies alone, and are the same whatever the number of threads (WorldOptions).
/// An id that names no body (any more) is an Error.
class World {
 public:
  /// Throws an Error if the options' broad phase is null, and what making it throws.
  explicit World(const WorldOptions& options = {});
  ~World();
  World(World&&) noexcept;
  World& operator=(World&&) noexcept;

  // Changes.

  BodyId add(Shape shape, const Pose& pose = {}, const BodyOptions& options = {});
  /// A body that is a box and nothing else, for who has shapes of their own: bounds may be infinite.
  BodyId add_box(const Aabb& box, const BodyOptions& options = {});
  /// A pair of a removed body that touched ends at the next update.
  void remove(BodyId body);
  /// Throws an Error for a body that was added as a box, which has no pose.
  void move(BodyId body, const Pose& pose);
  void move_box(BodyId body, const Aabb& box);
  /// Many at once: all ids are checked before the first body is moved.
  void move(std::span<const BodyId> bodies, std::span<const Pose> poses);
  void move_boxes(std::span<const BodyId> bodies, std::span<const Aabb> boxes);
  void reshape(BodyId body, Shape shape);
  void set_options(BodyId body, const BodyOptions& options);
  /// Bodies of a pair that is switched off do not meet, until it is switched on again or one of them is removed.
  void switch_off(BodyId a, BodyId b);
  void switch_on(BodyId a, BodyId b);
  /// Asked once for each pair whose boxes begin to overlap and that passes layers and switches, a the smaller id, and
  /// by questions: may the two meet? Asked anew for all when it is set. It must not change its answers. If it throws,
  /// the pair is unresolved, the update goes on and throws that at its end, and the next one asks anew.
  void set_filter(std::function<bool(BodyId a, BodyId b)> filter);

  /// Brings everything up to date: boxes, pairs, what touches, events. What a filter or a custom shape throws is thrown
  /// when all else is done; the pairs that it was about are unresolved.
  const UpdateReport& update(const UpdateOptions& options = {});

  // Bodies, as they are now.

  std::size_t size() const;
  bool contains(BodyId body) const;
  /// Throws an Error for a body that is a box.
  const Shape& shape(BodyId body) const;
  const Pose& pose(BodyId body) const;
  const BodyOptions& options(BodyId body) const;
  /// All, ascending.
  std::vector<BodyId> bodies() const;
  /// Whether layers, switches and the filter let two bodies meet.
  bool may_meet(BodyId a, BodyId b) const;

  // Questions, about the last update.

  const UpdateReport& report() const;
  /// The body's box.
  Aabb box(BodyId body) const;
  /// Pairs that touch, ascending. Exact where `touches` is; a pair that is unresolved is not among them.
  std::span<const WorldPair> touching() const;
  /// Pairs whose boxes overlap and that no filter keeps apart, ascending.
  std::vector<WorldPair> near_pairs() const;
  /// What began, stays and ended since the update before, by pair. A pair that is unresolved stays what it was.
  std::span<const TouchEvent> events() const;
  std::span<const UnresolvedPair> unresolved() const;

  /// All pairs that are at most `max_distance` apart and that no filter keeps apart, ascending, with their distances.
  /// Bodies that are boxes count as such. `options.threads`, if not 0, counts instead of the world's.
  std::vector<PairDistance> closer_than(double max_distance, const DistanceOptions& options = {}) const;
  /// The contacts of all touching pairs.
  std::vector<PairContacts> contacts(const ContactOptions& options = {}) const;

  /// Everything that touches a shape.
  std::vector<BodyId> touching(const Placed& shape, const WorldFilter& filter = {}) const;
  /// Everything whose box overlaps a box. A bound may be infinite; NaN is an Error.
  std::vector<BodyId> overlapping(const Aabb& box, const WorldFilter& filter = {}) const;
  /// The body that is nearest to a shape, the first of several; none if all are farther than `max_distance`.
  std::optional<BodyDistance> nearest(const Placed& shape,
                                      double max_distance = std::numeric_limits<double>::infinity(),
                                      const WorldFilter& filter = {}) const;
  /// The first body that a ray hits, the one with the smaller id of several.
  std::optional<BodyRayHit> cast_ray(const Ray& ray, RayRange range = {}, const WorldFilter& filter = {}) const;
  /// Everything that a ray hits, by where it hits, then by id.
  std::vector<BodyRayHit> cast_ray_all(const Ray& ray, RayRange range = {}, const WorldFilter& filter = {}) const;

  /// What these bodies meet first if they go so far, all at once, while the others stand still: for each pair that is
  /// not proven to miss its first contact, the earliest first (see first_contact.hpp).
  FirstContacts<PairImpact> first_contacts(std::span<const BodyTranslation> translations,
                                           const ImpactOptions& options = {}) const;
  /// The same for any motions. Throws an Error if one does not begin where its body is.
  FirstContacts<PairImpact> first_contacts(std::span<const BodyMotion> motions,
                                           const ImpactOptions& options = {}) const;

  /// Moves these bodies along, all to the same time: that of the first contact of two that do not touch at the start,
  /// or to the end if there is none. Returns the time. The two that meet then are as close as rounding allows, and do
  /// not touch yet. Takes effect with the next `update`, as `move` does. Throws an Error if a body was added as a box.
  double move_to_first_contact(std::span<const BodyMotion> motions, const ImpactOptions& options = {});

 private:
  const UpdateReport& update_here(const UpdateOptions& options);

  struct Storage;
  Held<"World", std::unique_ptr<Storage>> storage_;
};

}  // namespace whisker
