#include <algorithm>
#include <array>
#include <cstddef>

#include "trees/binary_tree.hpp"
#include "trees/build_binned.hpp"
#include "trees/build_items.hpp"
#include "trees/build_sides.hpp"
#include "trees/build_small_group.hpp"
#include "trees/chunks.hpp"

namespace whisker::trees {
namespace {

// A group this small in its frame gets its own frame. Of a float's 24 bits, 12 are then still left for the group.
constexpr float min_extent = 1.0f / 4096;

struct Sum {
  double value = 0;
  void include(const Sum& other) { value += other.value; }
};

class TopDown {
 public:
  TopDown(std::span<const Aabb> boxes, const TreeOptions& options)
      : boxes_(boxes),
        split_(options.split),
        parallel_(options.threads != 1),
        root_(frame_of(boxes, options.threads != 1)),
        items_(boxes.size()),
        spare_(boxes.size()) {
    make_items(boxes, root_, items_, parallel_);
  }

  BinaryTree run(std::vector<std::uint32_t>& order) {
    BinaryTree tree;
    tree.reserve(boxes_.size());
    build(0, boxes_.size(), 0, root_, tree);
    order.resize(boxes_.size());
    for_all_in_chunks(order.size(), parallel_, [&](std::size_t i) { order[i] = items_[i].number(); });
    return tree;
  }

 private:
  /// Adds the subtree of items [first, first + count), below `depth` nodes, to `tree`.
  void build(std::size_t first, std::size_t count, std::size_t depth, Frame frame, BinaryTree& tree) {
    const std::span<Item> items(items_.data() + first, count);
    Bounds bounds = bounds_of(items, parallel_);
    if (count > Topology::leaf_size && extent(bounds) < min_extent) {
      const Frame closer = frame_of(boxes_, items, root_);
      if (closer.scale > frame.scale) {
        frame = closer;
        move_to_frame(boxes_, frame, items);
        bounds = bounds_of(items, parallel_);
      }
    }
    if (count <= small_group) {
      build_small_group(items, bounds, {first, depth, frame.surface}, split_, tree);
      return;
    }
    tree.push_back({bounds.half_surface() * frame.surface + min_surface, static_cast<std::uint32_t>(first),
                    static_cast<std::uint32_t>(count), 0});

    const std::size_t left = divide(items, spare_.data() + first, bounds, max_items_below(depth));
    build_sides(
        tree, parallel_ && count >= task_items, [&](BinaryTree& side) { build(first, left, depth + 1, frame, side); },
        [&](BinaryTree& side) { build(first + left, count - left, depth + 1, frame, side); });
  }

  static float extent(const Bounds& bounds) {
    const Float4 edges = bounds.upper - bounds.lower;
    return std::max({edges[0], edges[1], edges[2]});
  }

  /// Moves the items of the left side before the others and returns their number.
  std::size_t divide(std::span<Item> items, Item* spare, const Bounds& bounds, std::size_t most) const {
    const int axis = bounds.widest_axis();
    const bool apart = bounds.centers.upper[axis] > bounds.centers.lower[axis];
    if (apart && split_ == Split::surface_area) {
      const BinnedSplit split = split_by_bins(items, bounds, most, parallel_);
      if (split.axis >= 0) {
        partition(items, spare, [&](const Item& item) { return split.on_left(item); });
        return split.left_items;
      }
    }
    if (apart && split_ == Split::mean) {
      const std::size_t left = divide_at_mean(items, spare, axis);
      if (left != 0 && std::max(left, items.size() - left) <= most) return left;
    }
    const std::size_t half = full_half(items.size());
    if (apart) select(items, spare, half, bounds, axis);
    return half;
  }

  std::size_t divide_at_mean(std::span<Item> items, Item* spare, int axis) const {
    const Sum sum = reduce_chunks<Sum>(items.size(), parallel_, [&](Sum& part, std::size_t i) {
      part.value += items[i].lower[axis] + items[i].upper[axis];
    });
    const auto mean = static_cast<float>(sum.value / static_cast<double>(items.size()));
    const auto on_left = [axis, mean](const Item& item) { return item.lower[axis] + item.upper[axis] < mean; };
    return partition(items, spare, on_left);
  }

  /// Moves the first `count` items along an axis before the others, with equal centers ordered by number. Bins tell
  /// which items need no comparison.
  void select(std::span<Item> items, Item* spare, std::size_t count, const Bounds& bounds, int axis) const {
    constexpr std::size_t bins = 256;
    const float origin = bounds.centers.lower[axis];
    const float spread = bounds.centers.upper[axis] - origin;
    const float scale = spread > min_spread ? static_cast<float>(bins) * 0.9999f / spread : 0;
    const auto bin_of = [=](const Item& item) {
      return static_cast<std::size_t>((item.lower[axis] + item.upper[axis] - origin) * scale);
    };
    std::array<std::size_t, bins> in_bin{};
    for (const Item& item : items)
      ++in_bin[bin_of(item)];
    std::size_t bin = 0;
    std::size_t before = 0;
    while (before + in_bin[bin] <= count)
      before += in_bin[bin++];

    partition(items, spare, [&](const Item& item) { return bin_of(item) < bin; });
    const std::span<Item> rest = items.subspan(before);
    if (rest.size() > in_bin[bin]) partition(rest, spare, [&](const Item& item) { return bin_of(item) == bin; });
    const std::span<Item> equal = rest.first(in_bin[bin]);
    std::nth_element(equal.begin(), equal.begin() + static_cast<std::ptrdiff_t>(count - before), equal.end(),
                     [axis](const Item& a, const Item& b) {
                       const float at_a = a.lower[axis] + a.upper[axis];
                       const float at_b = b.lower[axis] + b.upper[axis];
                       return at_a != at_b ? at_a < at_b : a.number() < b.number();
                     });
  }

  /// Moves the items of the left side before the others and returns their number. Stable, so that the order does not
  /// depend on how the work is divided.
  template <typename OnLeft>
  std::size_t partition(std::span<Item> items, Item* spare, OnLeft&& on_left) const {
    if (parallel_ && items.size() > 4 * chunk_length) return partition_in_chunks(items, spare, on_left);
    std::size_t left = 0;
    std::size_t right = 0;
    // Branch-free: every item is written to both sides, and the copy on the wrong side is overwritten.
    for (const Item& at : items) {
      const Item item = at;
      const std::size_t is_left = on_left(item) ? 1 : 0;
      items[left] = item;
      spare[right] = item;
      left += is_left;
      right += 1 - is_left;
    }
    std::copy(spare, spare + right, items.data() + left);
    return left;
  }

  template <typename OnLeft>
  static std::size_t partition_in_chunks(std::span<Item> items, Item* spare, OnLeft&& on_left) {
    std::vector<std::size_t> left(chunk_count(items.size()));
    for_numbered_chunks(items.size(), true, [&](std::size_t chunk, std::size_t first, std::size_t last) {
      left[chunk] = static_cast<std::size_t>(std::count_if(items.data() + first, items.data() + last, on_left));
    });
    std::size_t all_left = 0;
    for (std::size_t& count : left) {
      all_left += count;
      count = all_left - count;
    }
    for_numbered_chunks(items.size(), true, [&](std::size_t chunk, std::size_t first, std::size_t last) {
      Item* left_end = spare + left[chunk];
      Item* right_end = spare + all_left + (first - left[chunk]);
      for (std::size_t i = first; i < last; ++i)
        *(on_left(items[i]) ? left_end++ : right_end++) = items[i];
    });
    for_chunks(items.size(), true, [&](std::size_t first, std::size_t last) {
      std::copy(spare + first, spare + last, items.data() + first);
    });
    return all_left;
  }

  std::span<const Aabb> boxes_;
  Split split_;
  bool parallel_;
  Frame root_;
  std::vector<Item> items_;
  std::vector<Item> spare_;
};

}  // namespace

BinaryTree build_top_down(std::span<const Aabb> boxes, const TreeOptions& options, std::vector<std::uint32_t>& order) {
  return TopDown(boxes, options).run(order);
}

}  // namespace whisker::trees
