#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <limits>
#include <string>
#include <utility>

#include <whisker/error.hpp>
#include <whisker/world.hpp>

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

World::World(const WorldOptions& options) {
  check_threads("world", options.threads);
  storage_ = std::make_unique<Storage>(options);
}

BodyId World::add(Shape shape, const Pose& pose, const BodyOptions& options) {
  world::BodyTable& s = storage_->bodies;
  check_options(options);
  check_held(shape);
  const BodyId id = s.add(std::move(shape), options);
  s.is_box[id.slot] = 0;
  s.next_pose[id.slot] = pose;
  return id;
}

BodyId World::add_box(const Aabb& box, const BodyOptions& options) {
  world::BodyTable& s = storage_->bodies;
  check_box(box);
  check_options(options);
  const BodyId id = s.add(Sphere{0}, options);
  s.is_box[id.slot] = 1;
  s.next_box[id.slot] = box;
  return id;
}

void World::remove(BodyId body) {
  world::BodyTable& s = storage_->bodies;
  const std::uint32_t slot = s.slot_of(body, "remove");
  s.is_live[slot] = 0;
  s.next_shape.erase(slot);
  --s.live_count;
  s.mark(slot, s.all_changed);
}

void World::move(BodyId body, const Pose& pose) {
  move(std::span<const BodyId>(&body, 1), std::span<const Pose>(&pose, 1));
}
void World::move_box(BodyId body, const Aabb& box) {
  move_boxes(std::span<const BodyId>(&body, 1), std::span<const Aabb>(&box, 1));
}

void World::move(std::span<const BodyId> bodies, std::span<const Pose> poses) {
  world::BodyTable& s = storage_->bodies;
  check_counts(bodies.size(), poses.size(), "poses");
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const std::uint32_t slot = s.slot_of(bodies[i], "move");
    if (s.is_box[slot] != 0) throw Error("world: move: the body was added as a box; move_box moves it");
  }
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    s.next_pose[bodies[i].slot] = poses[i];
    s.mark(bodies[i].slot, s.place_changed);
  }
}

void World::move_boxes(std::span<const BodyId> bodies, std::span<const Aabb> boxes) {
  world::BodyTable& s = storage_->bodies;
  check_counts(bodies.size(), boxes.size(), "boxes");
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (s.has(bodies[i]) && s.is_box[bodies[i].slot] != 0 && is_good(boxes[i])) continue;
    if (s.is_box[s.slot_of(bodies[i], "move")] == 0)
      throw Error("world: move: the body has a shape; move it to a pose");
    check_box(boxes[i]);
  }
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    s.next_box[bodies[i].slot] = boxes[i];
    s.mark(bodies[i].slot, s.place_changed);
  }
}

void World::reshape(BodyId body, Shape shape) {
  world::BodyTable& s = storage_->bodies;
  const std::uint32_t slot = s.slot_of(body, "reshape");
  if (s.is_box[slot] != 0) throw Error("world: reshape: the body was added as a box; move_box moves it");
  check_held(shape);
  s.note_shape(shape);
  if (s.is_in_world[slot] == 0) {
    s.shape[slot] = std::move(shape);
    ++s.shape_version[slot];
  } else {
    s.next_shape.insert_or_assign(slot, std::move(shape));
  }
  s.mark(slot, s.all_changed);
}

void World::set_options(BodyId body, const BodyOptions& options) {
  world::BodyTable& s = storage_->bodies;
  const std::uint32_t slot = s.slot_of(body, "set_options");
  check_options(options);
  s.next_body[slot] = options;
  s.mark(slot, s.all_changed);
}

void World::switch_off(BodyId a, BodyId b) {
  const auto key = pair_key(storage_->bodies.slot_of(a, "switch_off"), storage_->bodies.slot_of(b, "switch_off"));
  if (a == b) throw Error("world: switch_off: a body does not form a pair with itself");
  if (storage_->pairs.next_switched_off.insert(key).second) storage_->pairs.switched.push_back(key);
}
void World::switch_on(BodyId a, BodyId b) {
  const auto key = pair_key(storage_->bodies.slot_of(a, "switch_on"), storage_->bodies.slot_of(b, "switch_on"));
  if (storage_->pairs.next_switched_off.erase(key) > 0) storage_->pairs.switched.push_back(key);
}

void World::set_filter(std::function<bool(BodyId, BodyId)> filter) {
  storage_->pairs.next_filter = std::move(filter);
}

const UpdateReport& World::update(const UpdateOptions& options) {
  Storage& s = *storage_;
  with_threads("world", s.threads, [&] {
    if (std::isnan(options.seconds)) throw Error("world: update: the seconds are NaN; omit them for no limit");
    using Clock = std::chrono::steady_clock;
    s.report = {};
    s.tree.drop();
    s.pairs.take_filter();
    auto last = Clock::now();
    const auto seconds = [&] {
      const auto before = std::exchange(last, Clock::now());
      return std::chrono::duration<double>(last - before).count();
    };
    s.bodies.take_changes(options.budget < std::numeric_limits<std::uint64_t>::max() || options.seconds < HUGE_VAL);
    s.report.moved = s.bodies.changed.size();
    s.report.seconds_boxes = seconds();
    s.pairs.find(s.bodies);
    s.report.seconds_pairs = seconds();
    const std::exception_ptr error = s.tests.run(s.bodies, s.pairs, options, s.report);
    s.report.seconds_tests = seconds();
    s.events.find(s.bodies, s.pairs, s.report);
    s.bodies.free_removed();
    s.pairs.forget_removed(s.bodies);
    if (s.pairs.filter_error) std::rethrow_exception(s.pairs.filter_error);
    if (error) std::rethrow_exception(error);
  });
  return s.report;
}

std::size_t World::size() const {
  return storage_->bodies.live_count;
}
bool World::contains(BodyId body) const {
  return storage_->bodies.has(body);
}
const Shape& World::shape(BodyId body) const {
  const world::BodyTable& s = storage_->bodies;
  const std::uint32_t slot = s.slot_of(body, "shape");
  if (s.is_box[slot] != 0) throw Error("world: shape: the body was added as a box");
  const auto next = s.next_shape.find(slot);
  return next != s.next_shape.end() ? next->second : s.shape[slot];
}
const Pose& World::pose(BodyId body) const {
  const world::BodyTable& s = storage_->bodies;
  const std::uint32_t slot = s.slot_of(body, "pose");
  if (s.is_box[slot] != 0) throw Error("world: pose: the body was added as a box");
  return s.next_pose[slot];
}
const BodyOptions& World::options(BodyId body) const {
  return storage_->bodies.next_body[storage_->bodies.slot_of(body, "options")];
}
std::vector<BodyId> World::bodies() const {
  const world::BodyTable& s = storage_->bodies;
  std::vector<BodyId> result;
  for (std::uint32_t slot = 0; slot < s.generation.size(); ++slot)
    if (s.is_live[slot] != 0) result.push_back(s.id_of(slot));
  return result;
}

bool World::may_meet(BodyId a, BodyId b) const {
  const world::BodyTable& s = storage_->bodies;
  const world::PairTable& pairs = storage_->pairs;
  const std::uint32_t slot_a = s.slot_of(a, "may_meet"), slot_b = s.slot_of(b, "may_meet");
  if (slot_a == slot_b || !world::let_meet(s.next_body[slot_a], s.next_body[slot_b]) ||
      pairs.next_switched_off.contains(pair_key(slot_a, slot_b))) {
    return false;
  }
  const auto& filter = pairs.next_filter ? *pairs.next_filter : pairs.filter;
  return filter == nullptr || filter(std::min(a, b), std::max(a, b));
}

const UpdateReport& World::report() const {
  return storage_->report;
}
std::span<const WorldPair> World::touching() const {
  return storage_->events.touching;
}
std::span<const TouchEvent> World::events() const {
  return storage_->events.events;
}
std::span<const UnresolvedPair> World::unresolved() const {
  return storage_->events.unresolved;
}

}  // namespace whisker
