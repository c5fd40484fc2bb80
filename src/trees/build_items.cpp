#include "trees/build_items.hpp"

#include <algorithm>
#include <cmath>

#include "trees/chunks.hpp"

namespace whisker::trees {
namespace {

Frame frame_around(const Aabb& around) {
  // Halved before subtracting, so that no difference of finite numbers overflows.
  const double extent = (0.5 * around.upper - 0.5 * around.lower).maxCoeff();
  Frame frame;
  frame.origin = around.lower;
  if (extent > 0) {
    int exponent = 0;
    std::frexp(extent, &exponent);
    frame.scale = std::ldexp(1.0, std::min(-exponent, std::numeric_limits<double>::max_exponent - 1));
  }
  return frame;
}

Float4 corner(const Vector3& point, std::uint32_t bits, const Frame& frame) {
  const Vector3 scaled = (0.5 * point - 0.5 * frame.origin) * frame.scale;
  return Float4{static_cast<float>(scaled.x()), static_cast<float>(scaled.y()), static_cast<float>(scaled.z()),
                static_cast<float>(bits)};
}

}  // namespace

Item make_item(std::span<const Aabb> boxes, std::uint32_t number, const Frame& frame) {
  return {corner(boxes[number].lower, number & 0xFFFF, frame), corner(boxes[number].upper, number >> 16, frame)};
}

Frame frame_of(std::span<const Aabb> boxes, bool parallel) {
  return frame_around(
      reduce_chunks<Aabb>(boxes.size(), parallel, [&](Aabb& around, std::size_t i) { around.include(boxes[i]); }));
}

Frame frame_of(std::span<const Aabb> boxes, std::span<const Item> items, const Frame& root) {
  Aabb around;
  for (const Item& item : items)
    around.include(boxes[item.number()]);
  Frame frame = frame_around(around);
  if (frame.scale > 0) {
    const double shrinking = root.scale / frame.scale;
    frame.surface = static_cast<float>(shrinking * shrinking);
  }
  return frame;
}

void make_items(std::span<const Aabb> boxes, const Frame& frame, std::span<Item> items, bool parallel) {
  for_all_in_chunks(boxes.size(), parallel,
                    [&](std::size_t i) { items[i] = make_item(boxes, static_cast<std::uint32_t>(i), frame); });
}

void move_to_frame(std::span<const Aabb> boxes, const Frame& frame, std::span<Item> items) {
  for (Item& item : items)
    item = make_item(boxes, item.number(), frame);
}

Bounds bounds_of(std::span<const Item> items, bool parallel) {
  return reduce_chunks<Bounds>(items.size(), parallel,
                               [&](Bounds& bounds, std::size_t i) { bounds.include(items[i]); });
}

}  // namespace whisker::trees
