#include "trees/box_tree.hpp"

#include <algorithm>

#include "geometry/lists.hpp"

namespace whisker::trees {
namespace {

void split(BoxTree& tree, std::span<const Aabb> boxes, std::size_t node, std::uint32_t begin, std::uint32_t end) {
  Aabb box;
  Aabb centers;
  for (std::uint32_t i = begin; i < end; ++i) {
    const Aabb& item = boxes[tree.order[i]];
    box.include(item);
    centers.include(Vector3(item.lower / 2 + item.upper / 2));
  }
  tree.nodes[node].box = box;
  if (end - begin <= BoxTree::leaf_size) {
    tree.nodes[node].first = begin;
    tree.nodes[node].count = end - begin;
    return;
  }
  Eigen::Index axis = 0;
  (centers.upper - centers.lower).maxCoeff(&axis);
  const auto center = [&](std::uint32_t item) { return boxes[item].lower[axis] / 2 + boxes[item].upper[axis] / 2; };
  const std::uint32_t middle = begin + (end - begin) / 2;
  const auto at = [&](std::uint32_t i) { return tree.order.begin() + static_cast<std::ptrdiff_t>(i); };
  std::nth_element(at(begin), at(middle), at(end), [&](std::uint32_t i, std::uint32_t j) {
    const double ci = center(i);
    const double cj = center(j);
    return ci != cj ? ci < cj : i < j;
  });
  const auto children = static_cast<std::uint32_t>(tree.nodes.size());
  tree.nodes[node].first = children;
  tree.nodes.resize(tree.nodes.size() + 2);
  split(tree, boxes, children, begin, middle);
  split(tree, boxes, children + 1, middle, end);
}

}  // namespace

BoxTree build_box_tree(std::span<const Aabb> boxes) {
  BoxTree tree;
  tree.order = geometry::numbers_below(boxes.size());
  tree.nodes.reserve(boxes.size());
  tree.nodes.resize(1);
  split(tree, boxes, 0, 0, static_cast<std::uint32_t>(boxes.size()));
  return tree;
}

}  // namespace whisker::trees
