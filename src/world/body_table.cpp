#include "world/body_table.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include <whisker/error.hpp>

#include "geometry/raw_pose.hpp"
#include "world/parallel_ranges.hpp"

namespace whisker::world {
namespace {

/// A cube that contains the shape in any rotation about the origin of its frame.
Aabb cube_of(const Shape& shape, const Pose& pose) {
  const Aabb own = shape.bounds();
  const Vector3 reach = own.lower.cwiseAbs().cwiseMax(own.upper.cwiseAbs());
  const double radius = reach.stableNorm() * (1 + 0x1p-40);
  // Covers the tolerance of rotations and the rounding of placed points.
  const double far = pose.translation().cwiseAbs().maxCoeff();
  const Vector3 half = Vector3::Constant(radius * (1 + 4 * Pose::rotation_tolerance) + (radius + far) * 0x1p-48);
  return {pose.translation() - half, pose.translation() + half};
}

/// Whether the rotation is so small that climbing from a hull's previous extreme vertices is faster than a new search.
bool is_turned_little(const Pose& from, const Pose& to) {
  return (to.rotation() - from.rotation()).cwiseAbs().maxCoeff() < 0.25;
}

}  // namespace

std::uint32_t BodyTable::slot_of(BodyId id, const char* what) const {
  if (!has(id)) {
    throw Error(std::string("world: ") + what + ": there is no body " + std::to_string(id.slot) + "." +
                std::to_string(id.generation) + "; it was removed, or belongs to another world");
  }
  return id.slot;
}

void BodyTable::note_shape(const Shape& added) {
  if (const auto* hull = added.as<ConvexHull>()) has_climbed_hulls = has_climbed_hulls || is_climbed(*hull);
}

BodyId BodyTable::add(Shape added, const BodyOptions& with) {
  note_shape(added);
  std::uint32_t slot;
  if (!free_slots.empty()) {
    slot = free_slots.back();
    free_slots.pop_back();
  } else {
    slot = static_cast<std::uint32_t>(generation.size());
    if (slot == 0xFFFFFFFF) throw Error("world: it has the maximum number of bodies");
    const auto grow = [](auto&... rows) { (rows.emplace_back(), ...); };
    grow(generation, is_live, is_in_world, is_box, pose, next_pose, next_box, body, next_body, box, is_changed,
         is_pending, is_static);
    shape.emplace_back(Sphere{0});
    shape_version.emplace_back();
  }
  shape[slot] = std::move(added);
  ++shape_version[slot];
  next_body[slot] = with;
  is_live[slot] = 1;
  ++live_count;
  mark(slot, all_changed);
  return {slot, generation[slot]};
}

void BodyTable::take_changes(bool has_limits) {
  // Few changes are sorted; many are collected by a scan over all slots. Both give ascending order.
  const bool are_many = pending.size() > generation.size() / 8;
  if (are_many || changed.size() > generation.size() / 8) {
    is_changed.assign(generation.size(), 0);
  } else {
    for (const std::uint32_t slot : changed)
      is_changed[slot] = 0;
  }
  if (pending.size() == generation.size()) {
    changed.resize(pending.size());
    std::iota(changed.begin(), changed.end(), 0u);
  } else if (are_many) {
    changed.resize(generation.size());
    std::uint32_t* end = changed.data();
    for (std::uint32_t slot = 0; slot < is_pending.size(); ++slot) {
      *end = slot;
      end += is_pending[slot] != 0 ? 1 : 0;
    }
    changed.resize(pending.size());
  } else {
    changed = pending;
    std::sort(changed.begin(), changed.end());
  }
  pending.clear();
  for (auto& [slot, next] : next_shape) {
    if (is_live[slot] == 0) continue;
    shape[slot] = std::move(next);
    ++shape_version[slot];
  }
  next_shape.clear();
  set_boxes(has_limits);
}

Aabb BodyTable::bare_box(std::uint32_t slot) const {
  Aabb result = box[slot];
  const double margin = body[slot].margin;
  if (!tests_shapes || is_box[slot] != 0 || result.empty() || !(margin > 0 && margin < HUGE_VAL)) return result;
  for (int i = 0; i < 3; ++i) {
    // Two roundings: one from adding the margin, one from removing it.
    result.lower[i] += margin - (std::abs(result.lower[i]) + margin) * 0x1p-51;
    result.upper[i] -= margin - (std::abs(result.upper[i]) + margin) * 0x1p-51;
  }
  return result;
}

void BodyTable::set_box(std::uint32_t slot, bool has_limits) {
  const std::uint8_t how = is_pending[slot];
  if (has_limits) last_box[slot] = bare_box(slot);
  is_pending[slot] = 0;
  is_changed[slot] = 1;
  if (how != place_changed) {
    is_in_world[slot] = is_live[slot];
    if (is_live[slot] == 0) {
      box[slot] = Aabb();
      return;
    }
    body[slot] = next_body[slot];
    if ((body[slot].layers & body[slot].meets & 1) == 0) has_layers.store(true, std::memory_order_relaxed);
    is_static[slot] = body[slot].is_static ? 1 : 0;
  }
  if (is_box[slot] != 0) {
    box[slot] = next_box[slot];
    return;
  }
  const bool cube = box_kind == BodyBoxKind::cube && !shape[slot].is_unbounded();
  const ConvexHull* const hull = has_climbed_hulls && !cube ? shape[slot].as<ConvexHull>() : nullptr;
  if (hull != nullptr && is_climbed(*hull)) {
    const bool is_near = how == place_changed && is_turned_little(pose[slot], next_pose[slot]);
    box[slot] = hull_box(*hull, next_pose[slot], is_near, corners[slot]);
  } else {
    box[slot] = cube ? cube_of(shape[slot], next_pose[slot]) : shape[slot].bounds(next_pose[slot]);
  }
  pose[slot] = next_pose[slot];
  if (body[slot].margin > 0) {
    box[slot].lower.array() -= body[slot].margin;
    box[slot].upper.array() += body[slot].margin;
  }
}

void BodyTable::set_boxes(bool has_limits) {
  constexpr std::size_t grain = 512;
  if (has_limits) last_box.resize(box.size());
  if (has_climbed_hulls) corners.resize(box.size());
  for_numbers(changed.size(), grain, changed.size() >= 2 * grain,
              [&](std::size_t i) { set_box(changed[i], has_limits); });
}

BodyTable::Body BodyTable::body_of(std::uint32_t slot) const {
  Body result;
  if (is_box[slot] == 0) {
    result.shape = &shape[slot];
    result.pose = pose[slot];
    return result;
  }
  const Aabb& bounds = box[slot];
  if (!bounds.lower.allFinite() || !bounds.upper.allFinite()) {
    throw Error("world: body " + std::to_string(slot) + "." + std::to_string(generation[slot]) +
                " is an infinite box; add it as a half-space, or as a body with a shape");
  }
  result.made.emplace(Box{bounds.upper - bounds.lower});
  result.shape = &*result.made;
  geometry::raw_translation(result.pose) = bounds.lower + (bounds.upper - bounds.lower) / 2;
  return result;
}

void BodyTable::free_removed() {
  for (const std::uint32_t slot : changed) {
    if (is_live[slot] != 0) continue;
    ++generation[slot];
    shape[slot] = Sphere{0};
    free_slots.push_back(slot);
  }
}

}  // namespace whisker::world
