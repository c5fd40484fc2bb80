#include "trees/box_tree.hpp"

#include "geometry/fixed_list.hpp"
#include "geometry/lists.hpp"
#include "geometry/placed_box.hpp"
#include "volumes/block.hpp"

namespace whisker::trees {
namespace {

class BoxTreeBuilder {
 public:
  BoxTreeBuilder(BoxTree& tree, std::span<const Aabb> boxes)
      : tree_(tree), boxes_(boxes), order_(geometry::numbers_below(boxes.size())) {
    tree.nodes.reserve(2 * boxes.size());
    tree.nodes.resize(1);
    fill(0, 0, static_cast<std::uint32_t>(boxes.size()));
  }

 private:
  /// Moves the half of the items [begin, end) with the lower centers to the front, and returns where the others begin.
  std::uint32_t halve(std::uint32_t begin, std::uint32_t end) {
    Aabb centers;
    for (std::uint32_t i = begin; i < end; ++i)
      centers.include(geometry::box_middle(boxes_[order_[i]]));
    Eigen::Index axis = 0;
    (centers.upper - centers.lower).maxCoeff(&axis);
    const auto center = [&](std::uint32_t item) { return boxes_[item].lower[axis] / 2 + boxes_[item].upper[axis] / 2; };
    const std::uint32_t middle = begin + (end - begin) / 2;
    const auto at = [&](std::uint32_t i) { return order_.begin() + static_cast<std::ptrdiff_t>(i); };
    std::nth_element(at(begin), at(middle), at(end), [&](std::uint32_t i, std::uint32_t j) {
      const double ci = center(i);
      const double cj = center(j);
      return ci != cj ? ci < cj : i < j;
    });
    return middle;
  }

  using Starts = geometry::FixedList<std::uint32_t, BoxTree::width + 1>;

  /// Halves the items [begin, end) up to `times` times, and notes where the pieces start.
  void divide(std::uint32_t begin, std::uint32_t end, int times, Starts& starts) {
    if (times == 0 || end - begin <= BoxTree::width) return starts.push_back(begin);
    const std::uint32_t middle = halve(begin, end);
    divide(begin, middle, times - 1, starts);
    divide(middle, end, times - 1, starts);
  }

  /// Makes the node from the items [begin, end).
  void fill(std::size_t node, std::uint32_t begin, std::uint32_t end) {
    if (end - begin == 1) {
      tree_.nodes[node].box = boxes_[order_[begin]];
      tree_.nodes[node].first = order_[begin];
      return;
    }
    Starts starts;  // of the children, and the end
    if (end - begin <= BoxTree::width) {
      if (end - begin > BoxTree::width / 2) halve(begin, end);  // neighbors come one after the other
      for (std::uint32_t i = begin; i < end; ++i)
        starts.push_back(i);
    } else {
      divide(begin, end, 3, starts);
    }
    starts.push_back(end);
    const auto count = static_cast<std::uint32_t>(starts.size() - 1);
    const auto first = static_cast<std::uint32_t>(tree_.nodes.size());
    const auto block = static_cast<std::uint32_t>(tree_.blocks.size());
    tree_.nodes.resize(first + count);
    tree_.blocks.emplace_back();
    Aabb box;
    for (std::uint32_t i = 0; i < count; ++i) {
      fill(first + i, starts[i], starts[i + 1]);
      box.include(tree_.nodes[first + i].box);
    }
    tree_.nodes[node] = {box, first, count, block};
    for (std::size_t k = 0; k < 3; ++k) {
      for (std::size_t i = 0; i < BoxTree::width; ++i) {
        constexpr float empty = std::numeric_limits<float>::quiet_NaN();
        const Aabb& child = tree_.nodes[first + std::min<std::size_t>(i, count - 1)].box;
        const auto axis = static_cast<Eigen::Index>(k);
        tree_.blocks[block].lower[k][i] = i < count ? volumes::float_down(child.lower[axis]) : empty;
        tree_.blocks[block].upper[k][i] = i < count ? volumes::float_up(child.upper[axis]) : empty;
      }
    }
  }

  BoxTree& tree_;
  std::span<const Aabb> boxes_;
  std::vector<std::uint32_t> order_;
};

}  // namespace

BoxTree build_box_tree(std::span<const Aabb> boxes) {
  BoxTree tree;
  BoxTreeBuilder(tree, boxes);
  return tree;
}

}  // namespace whisker::trees
