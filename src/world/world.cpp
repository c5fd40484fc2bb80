#include <algorithm>
#include <string>
#include <utility>

#include <whisker/error.hpp>
#include <whisker/world.hpp>

#include "geometry/threads.hpp"
#include "world/broad_phases.hpp"
#include "world/world_storage.hpp"

namespace whisker {
namespace {

bool is_good(const Aabb& box) {
  const double *const low = box.lower.data(), *const high = box.upper.data();
  return (low[0] <= high[0]) & (low[1] <= high[1]) & (low[2] <= high[2]);
}

void check_box(const Aabb& box) {
  if (!is_good(box)) throw Error("world: a body's box must not be empty, and its bounds must be numbers");
}

void check_options(const BodyOptions& options) {
  if (!(options.margin >= 0)) throw Error("world: a body's margin must be a length, 0 or larger");
}

// Throws for a moved-from shape right away rather than at the next update.
void check_held(const Shape& shape) {
  static_cast<void>(shape.bounds());
}

void check_counts(std::size_t bodies, std::size_t others, const char* what) {
  if (bodies != others)
    throw Error("world: " + std::to_string(bodies) + " bodies but " + std::to_string(others) + " " + what +
                "; give one for each");
}

}  // namespace

std::uint32_t World::Storage::slot_of(BodyId id, const char* what) const {
  if (!has(id)) {
    throw Error(std::string("world: ") + what + ": there is no body " + std::to_string(id.slot) + "." +
                std::to_string(id.generation) + "; it was removed, or belongs to another world");
  }
  return id.slot;
}

void World::Storage::note_shape(const Shape& added) {
  if (const auto* hull = added.as<ConvexHull>()) has_climbed_hulls = has_climbed_hulls || world::is_climbed(*hull);
}

BodyId World::Storage::add(Shape added, const BodyOptions& with) {
  note_shape(added);
  std::uint32_t slot;
  if (!free_slots.empty()) {
    slot = free_slots.back();
    free_slots.pop_back();
    shape[slot] = std::move(added);
    next_body[slot] = with;
    is_live[slot] = 1;
  } else {
    slot = static_cast<std::uint32_t>(generation.size());
    if (slot == 0xFFFFFFFF) throw Error("world: it has the maximum number of bodies");
    generation.push_back(0);
    is_live.push_back(1);
    is_in_world.push_back(0);
    is_box.push_back(0);
    shape.push_back(std::move(added));
    pose.emplace_back();
    next_pose.emplace_back();
    next_box.emplace_back();
    body.emplace_back();
    next_body.push_back(with);
    box.emplace_back();
    is_changed.push_back(0);
    is_pending.push_back(0);
    is_static.push_back(0);
  }
  ++live_count;
  mark(slot, all_changed);
  return {slot, generation[slot]};
}

World::World(const WorldOptions& options) : storage_(std::make_unique<Storage>()) {
  check_threads("world", options.threads);
  storage_->options = options;
  storage_->broad_phase = world::make_broad_phase(options.broad_phase);
}
World::~World() = default;
World::World(World&&) noexcept = default;
World& World::operator=(World&&) noexcept = default;

BodyId World::add(Shape shape, const Pose& pose, const BodyOptions& options) {
  check_options(options);
  check_held(shape);
  const BodyId id = storage_->add(std::move(shape), options);
  storage_->is_box[id.slot] = 0;
  storage_->next_pose[id.slot] = pose;
  return id;
}

BodyId World::add_box(const Aabb& box, const BodyOptions& options) {
  check_box(box);
  check_options(options);
  const BodyId id = storage_->add(Sphere{0}, options);
  storage_->is_box[id.slot] = 1;
  storage_->next_box[id.slot] = box;
  return id;
}

void World::remove(BodyId body) {
  Storage& s = *storage_;
  const std::uint32_t slot = s.slot_of(body, "remove");
  s.is_live[slot] = 0;
  s.next_shape.erase(slot);
  --s.live_count;
  s.mark(slot, Storage::all_changed);
}

void World::move(BodyId body, const Pose& pose) {
  move(std::span<const BodyId>(&body, 1), std::span<const Pose>(&pose, 1));
}
void World::move_box(BodyId body, const Aabb& box) {
  move_boxes(std::span<const BodyId>(&body, 1), std::span<const Aabb>(&box, 1));
}

void World::move(std::span<const BodyId> bodies, std::span<const Pose> poses) {
  Storage& s = *storage_;
  check_counts(bodies.size(), poses.size(), "poses");
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const std::uint32_t slot = s.slot_of(bodies[i], "move");
    if (s.is_box[slot] != 0) throw Error("world: move: the body was added as a box; move_box moves it");
  }
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    s.next_pose[bodies[i].slot] = poses[i];
    s.mark(bodies[i].slot, Storage::place_changed);
  }
}

void World::move_boxes(std::span<const BodyId> bodies, std::span<const Aabb> boxes) {
  Storage& s = *storage_;
  check_counts(bodies.size(), boxes.size(), "boxes");
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (s.has(bodies[i]) && s.is_box[bodies[i].slot] != 0 && is_good(boxes[i])) continue;
    if (s.is_box[s.slot_of(bodies[i], "move")] == 0)
      throw Error("world: move: the body has a shape; move it to a pose");
    check_box(boxes[i]);
  }
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    s.next_box[bodies[i].slot] = boxes[i];
    s.mark(bodies[i].slot, Storage::place_changed);
  }
}

void World::reshape(BodyId body, Shape shape) {
  Storage& s = *storage_;
  const std::uint32_t slot = s.slot_of(body, "reshape");
  if (s.is_box[slot] != 0) throw Error("world: reshape: the body was added as a box; move_box moves it");
  check_held(shape);
  s.note_shape(shape);
  if (s.is_in_world[slot] == 0) {
    s.shape[slot] = std::move(shape);
  } else {
    s.next_shape.insert_or_assign(slot, std::move(shape));
  }
  s.mark(slot, Storage::all_changed);
}

void World::set_options(BodyId body, const BodyOptions& options) {
  const std::uint32_t slot = storage_->slot_of(body, "set_options");
  check_options(options);
  storage_->next_body[slot] = options;
  storage_->mark(slot, Storage::all_changed);
}

void World::switch_off(BodyId a, BodyId b) {
  const auto key = pair_key(storage_->slot_of(a, "switch_off"), storage_->slot_of(b, "switch_off"));
  if (a == b) throw Error("world: switch_off: a body does not form a pair with itself");
  if (storage_->next_switched_off.insert(key).second) storage_->switched.push_back(key);
}
void World::switch_on(BodyId a, BodyId b) {
  const auto key = pair_key(storage_->slot_of(a, "switch_on"), storage_->slot_of(b, "switch_on"));
  if (storage_->next_switched_off.erase(key) > 0) storage_->switched.push_back(key);
}

void World::set_filter(std::function<bool(BodyId, BodyId)> filter) {
  storage_->next_filter = std::move(filter);
}

std::size_t World::size() const {
  return storage_->live_count;
}
bool World::contains(BodyId body) const {
  const Storage& s = *storage_;
  return s.has(body);
}
const Shape& World::shape(BodyId body) const {
  const std::uint32_t slot = storage_->slot_of(body, "shape");
  if (storage_->is_box[slot] != 0) throw Error("world: shape: the body was added as a box");
  const auto next = storage_->next_shape.find(slot);
  return next != storage_->next_shape.end() ? next->second : storage_->shape[slot];
}
const Pose& World::pose(BodyId body) const {
  const std::uint32_t slot = storage_->slot_of(body, "pose");
  if (storage_->is_box[slot] != 0) throw Error("world: pose: the body was added as a box");
  return storage_->next_pose[slot];
}
const BodyOptions& World::options(BodyId body) const {
  return storage_->next_body[storage_->slot_of(body, "options")];
}
std::vector<BodyId> World::bodies() const {
  std::vector<BodyId> result;
  for (std::uint32_t slot = 0; slot < storage_->generation.size(); ++slot)
    if (storage_->is_live[slot] != 0) result.push_back(storage_->id_of(slot));
  return result;
}

bool World::may_meet(BodyId a, BodyId b) const {
  const Storage& s = *storage_;
  const std::uint32_t slot_a = s.slot_of(a, "may_meet"), slot_b = s.slot_of(b, "may_meet");
  if (slot_a == slot_b || !Storage::let_meet(s.next_body[slot_a], s.next_body[slot_b]) ||
      s.next_switched_off.contains(pair_key(slot_a, slot_b))) {
    return false;
  }
  const auto& filter = s.next_filter ? *s.next_filter : s.filter;
  return filter == nullptr || filter(std::min(a, b), std::max(a, b));
}

const UpdateReport& World::report() const {
  return storage_->report;
}
std::span<const WorldPair> World::touching() const {
  return storage_->touching;
}
std::span<const TouchEvent> World::events() const {
  return storage_->events;
}
std::span<const UnresolvedPair> World::unresolved() const {
  return storage_->unresolved;
}

}  // namespace whisker
