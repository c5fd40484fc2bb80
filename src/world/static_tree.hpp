#pragma once

// A tree of resting boxes, sixteen wide and without pointers: items are sorted along a space-filling curve, sixteen
// items form a block, sixteen blocks form a block of the next level, and so on. Bounds are floats, rounded outward.
// Results are confirmed in doubles, of which the tree keeps its own copy in its own order.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <whisker/geometry/aabb.hpp>

#include "geometry/constants.hpp"
#include "trees/build_items.hpp"
#include "world/box_pairs.hpp"

namespace whisker::world {

/// Sixteen boxes, with each bound contiguous. In an empty slot the lower bound is above the upper one.
struct alignas(64) RestBlock {
  static constexpr std::size_t width = 16;
  float lower[3][width];
  float upper[3][width];
};

/// A search for the items that overlap a box in floats. The levels are traversed from the last.
struct PlaceSearch {
  static constexpr std::size_t most = 32;

  explicit PlaceSearch(const Aabb& box);

  float lower[3], upper[3];
  /// For each level, the blocks still to be visited: the children of one block of the level above, as a bit set. 2^32
  /// items make eight levels.
  struct Left {
    std::uint32_t first;  // index of the block that bit 0 represents
    unsigned bits;
  };
  Left left[16];
  std::size_t level = 0;
  enum class State { fresh, under_way, ended } state = State::fresh;
  std::uint32_t found[most];  // indices of items in tree order, the first `count`
  std::size_t count = 0;
};
/// Continues the search until it has found `most` items or has ended.
void find_places(std::span<const std::vector<RestBlock>> levels, PlaceSearch& search);

class StaticTree {
 public:
  static constexpr std::uint32_t none = 0xFFFFFFFF;

  /// Builds the tree from the boxes with these numbers, which must not be empty.
  void build(std::span<const Aabb> boxes, std::span<const std::uint32_t> numbers);
  /// Removes an item. Does nothing if the item is not in the tree.
  void remove(std::uint32_t number);

  /// The position of a box along the curve by which the items are sorted, in `curve_bits` bits.
  static constexpr int curve_bits = 30;
  std::uint64_t along_curve(const Aabb& box) const;

  /// Appends the numbers of the items whose boxes overlap this one; touching boxes count.
  void find(const Aabb& box, std::vector<std::uint32_t>& found) const;
  /// Calls `visit(number)` for them, until it returns true. Returns whether it did. Finds only a few at a time.
  template <class Visit>
  bool any_overlapping(const Aabb& box, const Visit& visit) const;

  /// Visits the items in order of their boxes' distance, nearest first, until they are farther than `farthest()`, which
  /// may shrink in the meantime. `nearness(box)` must never be larger for a box than for one inside it. If it is
  /// infinite, the box is skipped.
  template <class Nearness, class Farthest, class Visit>
  void visit_nearest(const Nearness& nearness, const Farthest& farthest, const Visit& visit) const;

 private:
  Aabb box_in(const RestBlock& block, std::size_t slot) const {
    return {{block.lower[0][slot], block.lower[1][slot], block.lower[2][slot]},
            {block.upper[0][slot], block.upper[1][slot], block.upper[2][slot]}};
  }

  std::vector<std::vector<RestBlock>> levels_;  // the first holds the items, the last is a single block
  std::vector<Aabb> boxes_;                     // of the items, in tree order
  std::vector<std::uint32_t> number_;           // of the items, in tree order
  std::vector<std::uint32_t> place_;            // by number: its index in tree order
  std::size_t size_ = 0;
  trees::Frame frame_;
};

template <class Visit>
bool StaticTree::any_overlapping(const Aabb& box, const Visit& visit) const {
  if (size_ == 0 || box.empty()) return false;
  for (PlaceSearch search(box); search.state != PlaceSearch::State::ended;) {
    find_places(levels_, search);
    for (std::size_t i = 0; i < search.count; ++i) {
      const std::uint32_t place = search.found[i];
      if (overlap(boxes_[place], box) && visit(number_[place])) return true;
    }
  }
  return false;
}

template <class Nearness, class Farthest, class Visit>
void StaticTree::visit_nearest(const Nearness& nearness, const Farthest& farthest, const Visit& visit) const {
  if (size_ == 0) return;
  struct Next {
    double near;
    std::uint32_t level;  // 0: an item
    std::uint32_t at;
    // The nearest first, items before blocks, then by index, so that the order does not depend on the heap.
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
  heap.push_back({-infinity, top, 0});  // level l + 1 means a block of levels_[l]
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

}  // namespace whisker::world
