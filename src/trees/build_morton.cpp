#include <algorithm>
#include <bit>
#include <cstddef>

#include "geometry/lists.hpp"
#include "trees/binary_tree.hpp"
#include "trees/build_items.hpp"
#include "trees/build_sides.hpp"
#include "trees/chunks.hpp"
#include "trees/morton.hpp"

namespace whisker::trees {
namespace {

class Curve {
 public:
  Curve(std::span<const Aabb> boxes, bool parallel)
      : boxes_(boxes),
        parallel_(parallel),
        root_(frame_of(boxes, parallel)),
        sorted_(morton_order(boxes, root_, parallel)),
        items_(boxes.size()) {
    for_all_in_chunks(boxes.size(), parallel,
                      [&](std::size_t i) { items_[i] = make_item(boxes_, sorted_[i].number, root_); });
  }

  BinaryTree run(std::vector<std::uint32_t>& order) {
    BinaryTree tree;
    tree.reserve(boxes_.size() / 2 + 1);
    build(0, boxes_.size(), 0, root_, tree);
    order = geometry::mapped(sorted_, &MortonItem::number);
    return tree;
  }

 private:
  /// Adds the subtree of items [first, first + count), below `depth` nodes, to `tree`. Returns the box of the items.
  FloatBox build(std::size_t first, std::size_t count, std::size_t depth, const Frame& frame, BinaryTree& tree) {
    const std::size_t self = tree.size();
    FloatBox box;
    if (count > Topology::leaf_size && sorted_[first].code == sorted_[first + count - 1].code) {
      const std::span<Item> items(items_.data() + first, count);
      const Frame closer = frame_of(boxes_, items, root_);
      if (closer.scale > frame.scale) {
        for (const Item& item : items)
          box.include(item);
        move_closer(first, count, closer);
        build(first, count, depth, closer, tree);
        return box;  // in the frame of the caller
      }
    }
    tree.push_back({0, static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(count), 0});
    if (count <= Topology::leaf_size) {
      for (std::size_t i = 0; i < count; ++i)
        box.include(items_[first + i]);
    } else {
      const std::size_t left = divide(first, count, max_items_below(depth));
      FloatBox right_box;
      build_sides(
          tree, parallel_ && count >= task_items,
          [&](BinaryTree& side) { box = build(first, left, depth + 1, frame, side); },
          [&](BinaryTree& side) { right_box = build(first + left, count - left, depth + 1, frame, side); });
      box.include(right_box);
    }
    tree[self].half_surface = box.half_surface() * frame.surface + min_surface;
    return box;
  }

  /// Computes new codes for a range of items that are all in one cell.
  void move_closer(std::size_t first, std::size_t count, const Frame& frame) {
    const std::span<MortonItem> stretch(sorted_.data() + first, count);
    for (MortonItem& item : stretch)
      item.code = morton_code(boxes_[item.number], frame);
    std::sort(stretch.begin(), stretch.end(), [](const MortonItem& a, const MortonItem& b) {
      return a.code != b.code ? a.code < b.code : a.number < b.number;
    });
    for (std::size_t i = first; i < first + count; ++i)
      items_[i] = make_item(boxes_, sorted_[i].number, frame);
  }

  std::size_t divide(std::size_t first, std::size_t count, std::size_t most) const {
    const std::uint64_t low = sorted_[first].code;
    const std::uint64_t high = sorted_[first + count - 1].code;
    if (low != high) {
      // The codes of the right side are at least this.
      const std::uint64_t border = high & ~((std::uint64_t{1} << (std::bit_width(low ^ high) - 1)) - 1);
      const auto begin = sorted_.begin() + static_cast<std::ptrdiff_t>(first);
      const auto at = std::lower_bound(begin, begin + static_cast<std::ptrdiff_t>(count), border,
                                       [](const MortonItem& item, std::uint64_t code) { return item.code < code; });
      const std::size_t full_leaves =
          (static_cast<std::size_t>(at - begin) + Topology::leaf_size / 2) / Topology::leaf_size;
      const std::size_t left = std::clamp<std::size_t>(full_leaves, 1, blocks(count) - 1) * Topology::leaf_size;
      if (std::max(left, count - left) <= most) return left;
    }
    return full_half(count);
  }

  std::span<const Aabb> boxes_;
  bool parallel_;
  Frame root_;
  std::vector<MortonItem> sorted_;
  std::vector<Item> items_;
};

}  // namespace

BinaryTree build_morton(std::span<const Aabb> boxes, bool parallel, std::vector<std::uint32_t>& order) {
  return Curve(boxes, parallel).run(order);
}

}  // namespace whisker::trees
