// Small groups are sorted along each axis once. The three sorted rows are then divided together, down to the leaves.

#include "trees/build_small_group.hpp"

#include <algorithm>
#include <array>

namespace whisker::trees {
namespace {

using Row = std::array<std::uint8_t, small_group>;  // positions in the group, sorted along one axis
using Rows = std::array<Row, 3>;

/// The first `left` items along an axis go to the left side. Also holds the half surfaces of both sides.
struct Cut {
  std::size_t axis = 0;
  std::size_t left = 0;
  float left_surface = 0;
  float right_surface = 0;
};

class SmallGroup {
 public:
  SmallGroup(std::span<Item> items, const GroupPlace& place, Split split, BinaryTree& tree)
      : items_(items), place_(place), split_(split), tree_(tree) {
    std::copy(items.begin(), items.end(), copy_.begin());
  }

  void run(const Bounds& bounds) { build(sorted_rows(bounds), items_.size(), bounds.half_surface(), place_.depth); }

 private:
  /// Moves every item to the place whose number is the count of items before it. Quadratic, but without branches.
  Rows sorted_rows(const Bounds& bounds) const {
    const std::size_t size = items_.size();
    // 26 bits of center and 5 bits of position, so that all keys differ.
    constexpr float steps = 67108860.0f;
    const Float4 spread = bounds.centers.upper - bounds.centers.lower;
    Float4 scale = all(0);
    for (int axis = 0; axis < 3; ++axis) {
      if (spread[axis] > min_spread) scale[axis] = steps / spread[axis];
    }
    alignas(16) std::array<std::array<std::int32_t, small_group>, 3> keys;
    for (auto& row : keys)
      row.fill(std::numeric_limits<std::int32_t>::max());
    for (std::size_t i = 0; i < size; ++i) {
      const Int4 key = __builtin_convertvector((copy_[i].center() - bounds.centers.lower) * scale, Int4);
      for (std::size_t axis = 0; axis < 3; ++axis) {
        keys[axis][i] = (std::min(key[axis], (1 << 26) - 1) << 5) | static_cast<std::int32_t>(i);
      }
    }
    Rows rows;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      for (std::size_t i = 0; i < size; ++i) {
        const std::int32_t key = keys[axis][i];
        std::int32_t place = 0;
        for (const std::int32_t other : keys[axis])
          place += other < key ? 1 : 0;
        rows[axis][static_cast<std::size_t>(place)] = static_cast<std::uint8_t>(i);
      }
    }
    return rows;
  }

  void build(const Rows& rows, std::size_t size, float half_surface, std::size_t depth) {
    const std::size_t self = tree_.size();
    tree_.push_back({half_surface * place_.surface + min_surface, static_cast<std::uint32_t>(place_.first + done_),
                     static_cast<std::uint32_t>(size), 0});
    if (size <= Topology::leaf_size) {
      for (std::size_t i = 0; i < size; ++i)
        items_[done_++] = copy_[rows[0][i]];
      return;
    }
    const std::size_t most = max_items_below(depth);
    const Cut cut = split_ == Split::surface_area ? cut_by_surface(rows, size, most) : cut_widest(rows, size, most);

    std::uint32_t on_left = 0;  // a bit for each item
    for (std::size_t i = 0; i < cut.left; ++i)
      on_left |= 1u << rows[cut.axis][i];
    Rows left_rows;
    Rows right_rows;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      std::size_t left = 0;
      std::size_t right = 0;
      for (std::size_t i = 0; i < size; ++i) {
        const std::uint8_t item = rows[axis][i];
        const std::size_t is_left = (on_left >> item) & 1u;
        left_rows[axis][left] = item;
        right_rows[axis][right] = item;
        left += is_left;
        right += 1 - is_left;
      }
    }
    build(left_rows, cut.left, cut.left_surface, depth + 1);
    tree_[self].right = static_cast<std::uint32_t>(tree_.size() - self);
    build(right_rows, size - cut.left, cut.right_surface, depth + 1);
  }

  Cut cut_by_surface(const Rows& rows, std::size_t size, std::size_t most) const {
    std::array<bool, small_group> allowed;  // sizes of the left side
    for (std::size_t left = 1; left < size; ++left) {
      allowed[left] = blocks(left) + blocks(size - left) == blocks(size) && std::max(left, size - left) <= most;
    }
    Cut best;
    float best_cost = std::numeric_limits<float>::max();
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const Row& row = rows[axis];
      std::array<float, small_group> right_surface;
      FloatBox side;
      for (std::size_t i = size - 1; i > 0; --i) {
        side.include(copy_[row[i]]);
        if (allowed[i]) right_surface[i] = side.half_surface();
      }
      side = FloatBox{};
      for (std::size_t left = 1; left < size; ++left) {
        side.include(copy_[row[left - 1]]);
        if (!allowed[left]) continue;
        const float left_surface = side.half_surface();
        const float cost = left_surface * static_cast<float>(blocks(left)) +
                           right_surface[left] * static_cast<float>(blocks(size - left));
        if (cost < best_cost) {
          best_cost = cost;
          best = {axis, left, left_surface, right_surface[left]};
        }
      }
    }
    return best;
  }

  /// Cuts along the axis where the centers spread most, at their mean or median, moved to where the leaves are full.
  Cut cut_widest(const Rows& rows, std::size_t size, std::size_t most) const {
    Cut cut;
    float widest = -1;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const float spread = center(rows, axis, size - 1) - center(rows, axis, 0);
      if (spread > widest) {
        widest = spread;
        cut.axis = axis;
      }
    }
    cut.left = full_half(size);
    if (split_ == Split::mean && widest > 0) {
      float sum = 0;
      for (std::size_t i = 0; i < size; ++i)
        sum += center(rows, cut.axis, i);
      const float mean = sum / static_cast<float>(size);
      std::size_t below = 0;
      while (below < size && center(rows, cut.axis, below) < mean)
        ++below;
      const std::size_t full_leaves = (below + Topology::leaf_size / 2) / Topology::leaf_size;
      const std::size_t left = std::clamp<std::size_t>(full_leaves, 1, blocks(size) - 1) * Topology::leaf_size;
      if (std::max(left, size - left) <= most) cut.left = left;
    }
    FloatBox left_side;
    for (std::size_t i = 0; i < cut.left; ++i)
      left_side.include(copy_[rows[cut.axis][i]]);
    FloatBox right_side;
    for (std::size_t i = cut.left; i < size; ++i)
      right_side.include(copy_[rows[cut.axis][i]]);
    cut.left_surface = left_side.half_surface();
    cut.right_surface = right_side.half_surface();
    return cut;
  }

  float center(const Rows& rows, std::size_t axis, std::size_t i) const {
    const Item& item = copy_[rows[axis][i]];
    return item.lower[axis] + item.upper[axis];
  }

  std::span<Item> items_;
  std::array<Item, small_group> copy_;
  GroupPlace place_;
  Split split_;
  std::size_t done_ = 0;
  BinaryTree& tree_;
};

}  // namespace

void build_small_group(std::span<Item> items, const Bounds& bounds, const GroupPlace& place, Split split,
                       BinaryTree& tree) {
  SmallGroup(items, place, split, tree).run(bounds);
}

}  // namespace whisker::trees
