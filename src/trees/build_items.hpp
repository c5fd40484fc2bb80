#pragma once

// The items that the builders sort: each item's box as floats in the frame of its group, and its number.

#include <cstdint>
#include <limits>
#include <span>

#include <whisker/geometry/aabb.hpp>

namespace whisker::trees {

/// Four floats that are added and compared at once, by the vector extension of GCC and Clang, which exists on every
/// processor. The lanes are x, y, z and a spare lane.
using Float4 = float __attribute__((vector_size(16)));
using Int4 = std::int32_t __attribute__((vector_size(16)));

inline Float4 all(float value) {
  return Float4{value, value, value, value};
}
inline Float4 least(Float4 a, Float4 b) {
  return a < b ? a : b;
}
inline Float4 greatest(Float4 a, Float4 b) {
  return a > b ? a : b;
}

/// Half the surface of a box with these edges (x, y and z), with all edges slightly lengthened, so that segments still
/// differ by their length and a point does not have a surface of zero. Boxes are about 1 across.
inline float half_surface(Float4 edges) {
  edges += all(1e-6f);
  return edges[0] * (edges[1] + edges[2]) + edges[1] * edges[2];
}

/// Centers that differ by less than this along an axis, in a frame whose group is about 1 across, are treated as equal.
inline constexpr float min_spread = 1e-30f;

/// Maps a group of boxes to the unit cube: (x - origin) · scale. The scale is a power of two, so that nothing overflows
/// and small details keep their digits, whatever the coordinates.
struct Frame {
  Vector3 origin = Vector3::Zero();
  double scale = 0;
  float surface = 1;  // factor from areas in this frame to areas in the root's frame
};

/// One item. Lane 3 of the corners holds its number in two ordinary floats, 16 bits each. As the bits of one float, the
/// number could be a denormal, which slows arithmetic down.
struct Item {
  Float4 lower;
  Float4 upper;

  std::uint32_t number() const {
    return static_cast<std::uint32_t>(lower[3]) + (static_cast<std::uint32_t>(upper[3]) << 16);
  }
  /// Twice the center of the box. Splits only compare centers.
  Float4 center() const { return lower + upper; }
};

/// A box around boxes of a frame. Lane 3 is unused.
struct FloatBox {
  Float4 lower = all(std::numeric_limits<float>::max());
  Float4 upper = all(-std::numeric_limits<float>::max());

  template <class Other>
  void include(const Other& other) {
    lower = least(lower, other.lower);
    upper = greatest(upper, other.upper);
  }
  float half_surface() const { return trees::half_surface(upper - lower); }
};

/// The box around a group and the box around its items' centers, in their frame. Lane 3 is unused.
struct Bounds : FloatBox {
  FloatBox centers;

  void include(const Item& item) {
    FloatBox::include(item);
    centers.include(FloatBox{item.center(), item.center()});
  }
  void include(const Bounds& other) {
    FloatBox::include(other);
    centers.include(other.centers);
  }
  /// The axis along which the centers spread most. Ties go to the first axis.
  int widest_axis() const {
    const Float4 spread = centers.upper - centers.lower;
    const int axis = spread[1] > spread[0] ? 1 : 0;
    return spread[2] > spread[axis] ? 2 : axis;
  }
};

/// The frame of all the boxes.
Frame frame_of(std::span<const Aabb> boxes, bool parallel);
/// The frame of the boxes of these items only. `root` is the frame of all boxes.
Frame frame_of(std::span<const Aabb> boxes, std::span<const Item> items, const Frame& root);

Item make_item(std::span<const Aabb> boxes, std::uint32_t number, const Frame& frame);
/// One item for each box, in the same order.
void make_items(std::span<const Aabb> boxes, const Frame& frame, std::span<Item> items, bool parallel);
/// Converts the items to another frame.
void move_to_frame(std::span<const Aabb> boxes, const Frame& frame, std::span<Item> items);

Bounds bounds_of(std::span<const Item> items, bool parallel);

}  // namespace whisker::trees
