#pragma once

// The internal storage of a World. Bodies are numbered by slot, and data that is needed for every body is kept in
// separate arrays.

#include <atomic>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <whisker/world.hpp>

#include "world/box_pairs.hpp"
#include "world/hull_box.hpp"
#include "world/static_tree.hpp"

namespace whisker::world {

/// A pair whose boxes overlap.
struct PairRecord {
  static constexpr std::uint32_t no_cache = 0xFFFFFFFF;

  PairKey key = 0;
  std::uint32_t cache = no_cache;
  bool is_refused : 1 = false;  ///< by the user's filter
  bool is_new : 1 = false;      ///< it had not been tested before this update
  bool was_touching : 1 = false;
  bool is_touching = false;
  /// The number of updates in a row in which the pair was due but not tested, at most 65535. 0: its state is known. (So
  /// the longest waiting pairs can be told apart as long as an update tests more than one in 16,000 pairs.)
  std::uint16_t waited = 0;
  static constexpr std::uint16_t longest_wait = 0xFFFF;

  bool is_open() const { return waited != 0; }
};
static_assert(sizeof(PairRecord) == 16);

/// A tree of the world's boxes for queries, built by the first query.
struct QueryTree {
  StaticTree tree;
  std::vector<std::uint32_t> unbounded;  ///< bodies with infinite boxes, ascending
};

}  // namespace whisker::world

namespace whisker {

struct World::Storage {
  WorldOptions options;
  std::unique_ptr<BroadPhase> broad_phase;

  // Indexed by slot. The `next` values take effect at the next update.
  std::vector<std::uint32_t> generation;
  std::vector<std::uint8_t> is_live;      ///< added and not removed, at present
  std::vector<std::uint8_t> is_in_world;  ///< at the last update
  std::vector<std::uint8_t> is_box;       ///< it has no shape
  std::vector<Shape> shape;
  std::vector<Pose> pose, next_pose;
  std::vector<Aabb> next_box;  ///< of bodies that are only boxes
  std::vector<BodyOptions> body, next_body;
  std::vector<Aabb> box;
  /// The previous box, without margin, of a body that has changed. Set in updates that have limits; empty for new
  /// bodies.
  std::vector<Aabb> last_box;
  std::unordered_map<std::uint32_t, Shape> next_shape;
  bool has_climbed_hulls = false;  ///< Whether a hull was added whose box is found by climbing.
  std::vector<world::HullCorners> corners;

  std::vector<std::uint8_t> is_changed;  ///< since the last update; during and after it: between the last two
  std::vector<std::uint32_t> changed;
  /// By slot, what has changed since the last update: only the pose or box, or also the options or existence of the
  /// body.
  static constexpr std::uint8_t place_changed = 1, all_changed = 3;
  std::vector<std::uint8_t> is_pending;
  std::vector<std::uint32_t> pending;
  std::vector<std::uint8_t> is_static;
  std::vector<std::uint32_t> free_slots;  ///< the last one is used next
  std::size_t live_count = 0;
  /// Whether some body is, or ever was, outside the first layer or not meeting it. If false, layers separate no two
  /// bodies, and the broad phase already skips pairs of static bodies.
  std::atomic<bool> has_layers = false;

  std::function<bool(BodyId, BodyId)> filter;                      ///< the one of the last update
  std::optional<std::function<bool(BodyId, BodyId)>> next_filter;  ///< set since then
  bool filter_is_new = false;
  std::exception_ptr filter_error;  ///< the first one thrown by the filter in this update
  std::unordered_set<PairKey> switched_off, next_switched_off;
  std::vector<PairKey> switched;  ///< pairs that were switched on or off since the last update

  std::vector<PairKey> found;  ///< by the broad phase
  std::vector<world::PairRecord> records, next_records;
  std::vector<PairKey> ended;             ///< pairs that touched and no longer do
  std::vector<PairKey> begun;             ///< pairs that touch and did not before
  std::vector<std::uint32_t> to_test;     ///< indices of records, ascending
  std::vector<std::uint32_t> test_order;  ///< the first of them, in the order in which they are tested
  std::vector<std::uint64_t> by_urgency, by_wait;
  std::vector<std::uint8_t> is_taken;
  std::size_t tests_before = 0;  ///< tests done so far in updates with limits
  std::deque<PairCache> caches;
  std::vector<std::uint32_t> free_caches;

  std::vector<WorldPair> touching, next_touching;
  std::vector<TouchEvent> events;
  std::vector<UnresolvedPair> unresolved;
  UpdateReport report;

  mutable std::mutex tree_mutex;
  mutable std::unique_ptr<world::QueryTree> tree;  ///< null until needed

  /// The slot of a body. Throws an Error if there is no such body.
  std::uint32_t slot_of(BodyId id, const char* what) const;
  BodyId id_of(std::uint32_t slot) const { return {slot, generation[slot]}; }
  WorldPair pair_of(PairKey key) const { return {id_of(first_of(key)), id_of(second_of(key))}; }
  /// Marks a slot as changed since the last update. `how`: see `is_pending`.
  void mark(std::uint32_t slot, std::uint8_t how) {
    if (is_pending[slot] == 0) pending.push_back(slot);
    is_pending[slot] |= how;
  }
  bool has(BodyId id) const {
    return id.slot < generation.size() && generation[id.slot] == id.generation && is_live[id.slot] != 0;
  }
  BodyId add(Shape shape, const BodyOptions& options);
  /// To be called before a shape is given to a body.
  void note_shape(const Shape& added);

  static bool let_meet(const BodyOptions& a, const BodyOptions& b) {
    return (a.layers & b.meets) != 0 && (b.layers & a.meets) != 0 && !(a.is_static && b.is_static);
  }
  /// Whether two bodies may form a pair, ignoring the user's filter.
  bool may_meet(std::uint32_t a, std::uint32_t b) const {
    return let_meet(body[a], body[b]) && (switched_off.empty() || !switched_off.contains(pair_key(a, b)));
  }
  /// The same, including the filter.
  bool is_pair(std::uint32_t a, std::uint32_t b) const;

  /// The AABB of a body's shape without margin, at the last update.
  Aabb bare_box(std::uint32_t slot) const;

  // The steps of an update.
  void take_changes(bool has_limits);
  void set_boxes(bool has_limits);
  void set_box(std::uint32_t slot, bool has_limits);
  /// Runs the broad phase. If it throws, the changes are pending again.
  void find_pairs();
  void merge_pairs();
  /// Estimates from the boxes in how many updates a pair may touch. Used only to order tests.
  double updates_to_contact(const world::PairRecord& record) const;
  /// Determines the first `count` tests, in order.
  void order_tests(std::size_t count);
  std::exception_ptr test_pairs(const UpdateOptions& limits);
  void report_events();
  void report_changes();
  void report_all();

  const world::QueryTree& query_tree() const;
  /// A body's shape for queries. A body that is only a box gets a box shape.
  struct Body {
    std::optional<Shape> made;
    const Shape* shape = nullptr;
    Pose pose;
  };
  Body body_of(std::uint32_t slot) const;
  /// The bodies in the filter's layers whose boxes overlap this one, ascending.
  void find_overlapping(const Aabb& around, const WorldFilter& filter, std::vector<std::uint32_t>& found) const;
};

}  // namespace whisker
