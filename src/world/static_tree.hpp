#pragma once

// A tree of boxes that stay where they are, sixteen wide and without pointers: items sorted along a space-filling
// curve, sixteen of them in a block, sixteen blocks under a block of the next level, and so on. Bounds are floats,
// rounded outward; what is found is asked again in doubles, of which the tree has its own copy in its order.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <whisker/geometry/aabb.hpp>

#include "geometry/constants.hpp"
#include "trees/build_items.hpp"

namespace whisker::world {

/// Sixteen boxes, one after the other: an empty one has a lower bound above its upper one.
struct alignas(64) RestBlock {
  static constexpr std::size_t width = 16;
  float lower[3][width];
  float upper[3][width];
};

class StaticTree {
 public:
  static constexpr std::uint32_t none = 0xFFFFFFFF;

  /// Over the boxes with these numbers, which are not empty.
  void build(std::span<const Aabb> boxes, std::span<const std::uint32_t> numbers);
  /// Takes an item out. It may be one that is not in the tree.
  void remove(std::uint32_t number);
  bool contains(std::uint32_t number) const { return number < place_.size() && place_[number] != none; }
  std::size_t size() const { return size_; }
  /// Items that were there when it was built.
  std::size_t built_size() const { return number_.size(); }

  /// Where a box is along the curve that the items are sorted by, in `curve_bits` bits.
  static constexpr int curve_bits = 30;
  std::uint64_t along_curve(const Aabb& box) const;

  /// Appends the numbers of the items whose boxes overlap this one, bounds included.
  void find(const Aabb& box, std::vector<std::uint32_t>& found) const;

  /// Visits the items by how near their boxes are, nearest first, until they are farther than `farthest()`, which may
  /// shrink on the way. `nearness(box)`: never more for a box than for one within it; infinite: not to be visited.
  template <class Nearness, class Farthest, class Visit>
  void visit_nearest(const Nearness& nearness, const Farthest& farthest, const Visit& visit) const;

 private:
  Aabb box_in(const RestBlock& block, std::size_t slot) const {
    return {{block.lower[0][slot], block.lower[1][slot], block.lower[2][slot]},
            {block.upper[0][slot], block.upper[1][slot], block.upper[2][slot]}};
  }

  std::vector<std::vector<RestBlock>> levels_;  // the first holds the items, the last is one block
  std::vector<Aabb> boxes_;                     // of the items, in their order
  std::vector<std::uint32_t> number_;           // the same
  std::vector<std::uint32_t> place_;            // by number: where it is in that order
  std::size_t size_ = 0;
  trees::Frame frame_;
};

template <class Nearness, class Farthest, class Visit>
void StaticTree::visit_nearest(const Nearness& nearness, const Farthest& farthest, const Visit& visit) const {
  if (size_ == 0) return;
  struct Next {
    double near;
    std::uint32_t level;  // 0: an item
    std::uint32_t at;
    // The nearest first, items before blocks, then by place: the order must not depend on the heap.
    bool operator<(const Next& other) const {
      if (near != other.near) return near > other.near;
      return level != other.level ? level > other.level : at > other.at;
    }
  };
  std::vector<Next> heap;
  const auto push = [&](const Next& next) {
    if (!(next.near <= farthest())) return;
    heap.push_back(next);
    std::push_heap(heap.begin(), heap.end());
  };
  const auto top = static_cast<std::uint32_t>(levels_.size());
  heap.push_back({-infinity, top, 0});  // level l + 1 stands for a block of levels_[l]
  while (!heap.empty()) {
    std::pop_heap(heap.begin(), heap.end());
    const Next next = heap.back();
    heap.pop_back();
    if (!(next.near <= farthest())) return;
    if (next.level == 0) {
      visit(number_[next.at]);
      continue;
    }
    const RestBlock& block = levels_[next.level - 1][next.at];
    for (std::size_t slot = 0; slot < RestBlock::width; ++slot) {
      const Aabb box = box_in(block, slot);
      if (box.empty()) continue;
      const auto at = static_cast<std::uint32_t>(next.at * RestBlock::width + slot);
      push({next.level == 1 ? nearness(boxes_[at]) : nearness(box), next.level - 1, at});
    }
  }
}

/// Walks the levels, the last first, and appends the places of the items that overlap the box.
void find_places(std::span<const std::vector<RestBlock>> levels, const float (&lower)[3], const float (&upper)[3],
                 std::vector<std::uint32_t>& found);

}  // namespace whisker::world
