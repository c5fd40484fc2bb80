#include "convex/touch_lanes.hpp"

#include <whisker/pose.hpp>

#include "geometry/place.hpp"

namespace whisker::convex {
namespace {

using Side = TouchBlock::Side;

bool is_flat(ShapeKind kind) {
  return kind == ShapeKind::half_space || kind == ShapeKind::plane;
}
bool is_round(ShapeKind kind) {
  return kind == ShapeKind::sphere || kind == ShapeKind::capsule;
}

void set_vector(const Vector3& v, double (*to)[TouchBlock::most], std::size_t i) {
  for (int k = 0; k < 3; ++k)
    to[k][i] = v[k];
}
void set_axes(const Pose& pose, std::size_t i, Side& side) {
  for (int k = 0; k < 9; ++k)
    side.axes[k][i] = pose.rotation().data()[k];
}

// How a shape is written into a block, for each kind of side.

void set_point(const Shape& shape, const Pose& pose, std::size_t i, TouchBlock&, Side& side) {
  set_vector(pose.translation(), side.center, i);
  side.radius[i] = shape.as<Sphere>()->radius;
}

void set_line(const Shape& shape, const Pose& pose, std::size_t i, TouchBlock&, Side& side) {
  set_vector(pose.translation(), side.center, i);
  for (int k = 6; k < 9; ++k)
    side.axes[k][i] = pose.rotation().data()[k];
  const auto* const capsule = shape.as<Capsule>();
  side.half[2][i] = capsule != nullptr ? capsule->length / 2 : 0;
  side.radius[i] = capsule != nullptr ? capsule->radius : shape.as<Sphere>()->radius;
}

void set_block(const Shape& shape, const Pose& pose, std::size_t i, TouchBlock&, Side& side) {
  set_vector(pose.translation(), side.center, i);
  set_axes(pose, i, side);
  set_vector(shape.as<Box>()->size / 2, side.half, i);
}

void set_any(const Shape& shape, const Pose& pose, std::size_t i, TouchBlock& block, Side& side) {
  if (shape.kind() == ShapeKind::box) {
    side.radius[i] = 0;
    return set_block(shape, pose, i, block, side);
  }
  set_axes(pose, i, side);
  side.half[0][i] = side.half[1][i] = 0;
  set_line(shape, pose, i, block, side);
}

void set_flat(const Shape& shape, const Pose& pose, std::size_t i, TouchBlock& block, Side& side) {
  const auto* const half_space = shape.as<HalfSpace>();
  const auto* const plane = shape.as<Plane>();
  set_vector(pose.translation(), side.center, i);
  set_vector(geometry::placed_direction(pose, plane != nullptr ? plane->normal : half_space->normal), side.half, i);
  block.offset[i] = plane != nullptr ? plane->offset : half_space->offset;
  block.plane[i] = plane != nullptr ? 1 : 0;
}

/// `comes_last`: whether a shape of this kind belongs on side b.
template <auto set_a, auto set_b, auto comes_last>
void fill(std::span<const BatchPair> pairs, TouchBlock& block) {
  for (std::size_t i = 0; i < TouchBlock::most; ++i) {
    if (i >= pairs.size() && i % 8 == 0) break;
    // Lanes without a pair repeat the last one.
    const BatchPair& pair = pairs[i < pairs.size() ? i : pairs.size() - 1];
    const bool exchanged = comes_last(pair.a->kind());
    set_a(exchanged ? *pair.b : *pair.a, exchanged ? *pair.pose_b : *pair.pose_a, i, block, block.a);
    set_b(exchanged ? *pair.a : *pair.b, exchanged ? *pair.pose_a : *pair.pose_b, i, block, block.b);
  }
}

void fill_for(TouchLanes test, std::span<const BatchPair> pairs, TouchBlock& block) {
  constexpr auto never = [](ShapeKind) { return false; };
  constexpr auto if_box = [](ShapeKind kind) { return kind == ShapeKind::box; };
  switch (test) {
    case TouchLanes::points:
      return fill<set_point, set_point, never>(pairs, block);
    case TouchLanes::lines:
      return fill<set_line, set_line, never>(pairs, block);
    case TouchLanes::point_block:
      return fill<set_point, set_block, if_box>(pairs, block);
    case TouchLanes::line_block:
      return fill<set_line, set_block, if_box>(pairs, block);
    case TouchLanes::blocks:
      return fill<set_block, set_block, never>(pairs, block);
    default:
      return fill<set_any, set_flat, is_flat>(pairs, block);
  }
}

}  // namespace

TouchLanes touch_lanes_of(ShapeKind a, ShapeKind b) {
  if (is_flat(a) || is_flat(b)) {
    const ShapeKind other = is_flat(a) ? b : a;
    return is_round(other) || other == ShapeKind::box ? TouchLanes::flat : TouchLanes::none;
  }
  const bool has_point = a == ShapeKind::sphere || b == ShapeKind::sphere;
  const bool has_block = a == ShapeKind::box || b == ShapeKind::box;
  if (is_round(a) && is_round(b)) return has_point && a == b ? TouchLanes::points : TouchLanes::lines;
  if (!has_block) return TouchLanes::none;
  if (a == b) return TouchLanes::blocks;
  if (has_point) return TouchLanes::point_block;
  return is_round(a) || is_round(b) ? TouchLanes::line_block : TouchLanes::none;
}

TouchVerdicts find_touches_in_lanes(TouchLanes test, std::span<const BatchPair> pairs) {
  TouchBlock block;
  fill_for(test, pairs, block);
  run_touch_lanes(test, pairs.size(), block);
  return block.verdicts;
}

}  // namespace whisker::convex
