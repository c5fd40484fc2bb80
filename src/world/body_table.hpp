#pragma once

// The bodies of a World and the first step of an update: applying what has changed, and setting the AABBs. Bodies are
// numbered by slot, and data that is needed for every body is kept in separate arrays.

#include <atomic>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include <whisker/world.hpp>

#include "world/hull_box.hpp"

namespace whisker::world {

struct BodyTable {
  explicit BodyTable(const WorldOptions& options) : box_kind(options.boxes), tests_shapes(options.tests_shapes) {}

  BodyBoxKind box_kind;
  bool tests_shapes;

  // Indexed by slot. The `next` values take effect at the next update.
  std::vector<std::uint32_t> generation;
  std::vector<std::uint8_t> is_live;      ///< added and not removed, at present
  std::vector<std::uint8_t> is_in_world;  ///< at the last update
  std::vector<std::uint8_t> is_box;       ///< it has no shape
  std::vector<Shape> shape;
  std::vector<std::uint32_t> shape_version;  ///< how often the slot was given a shape
  std::vector<Pose> pose, next_pose;
  std::vector<Aabb> next_box;  ///< of bodies that are only boxes
  std::vector<BodyOptions> body, next_body;
  std::vector<Aabb> box;
  /// The previous box, without margin, of a body that has changed. Set in updates that have limits; empty for new
  /// bodies.
  std::vector<Aabb> last_box;
  std::unordered_map<std::uint32_t, Shape> next_shape;
  bool has_climbed_hulls = false;  ///< Whether a hull was added whose box is found by climbing.
  std::vector<HullCorners> corners;

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

  bool has(BodyId id) const {
    return id.slot < generation.size() && generation[id.slot] == id.generation && is_live[id.slot] != 0;
  }
  /// The slot of a body. Throws an Error if there is no such body.
  std::uint32_t slot_of(BodyId id, const char* what) const;
  BodyId id_of(std::uint32_t slot) const { return {slot, generation[slot]}; }
  WorldPair pair_of(PairKey key) const { return {id_of(first_of(key)), id_of(second_of(key))}; }
  bool has_changed(PairKey key) const { return (is_changed[first_of(key)] | is_changed[second_of(key)]) != 0; }
  /// The AABB of a body's shape without margin, at the last update.
  Aabb bare_box(std::uint32_t slot) const;
  /// A body's shape for queries. A body that is only a box gets a box shape.
  struct Body {
    std::optional<Shape> made;
    const Shape* shape = nullptr;
    Pose pose;

    operator Placed() const { return {*shape, pose}; }
  };
  Body body_of(std::uint32_t slot) const;

  BodyId add(Shape shape, const BodyOptions& options);
  /// To be called before a shape is given to a body.
  void note_shape(const Shape& added);
  /// Marks a slot as changed since the last update. `how`: see `is_pending`.
  void mark(std::uint32_t slot, std::uint8_t how) {
    if (is_pending[slot] == 0) pending.push_back(slot);
    is_pending[slot] |= how;
  }

  /// The first step of an update.
  void take_changes(bool has_limits);
  /// To be called once events have named the removed bodies: their slots may be reused.
  void free_removed();

 private:
  void set_boxes(bool has_limits);
  void set_box(std::uint32_t slot, bool has_limits);
};

}  // namespace whisker::world
