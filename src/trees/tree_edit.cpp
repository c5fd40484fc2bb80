#include "trees/tree_edit.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "geometry/least_of.hpp"

namespace whisker::trees {
namespace {

constexpr std::size_t max_in_leaf = Topology::leaf_size;

std::uint32_t leaf_entry(std::uint32_t leaf, std::size_t size) {
  return OrientedNode::leaf_bit | static_cast<std::uint32_t>(size - 1) << OrientedNode::count_shift | leaf;
}

unsigned child_count(const OrientedNode& node) {
  return static_cast<unsigned>(__builtin_popcount(node.valid));  // children are in the first slots
}

}  // namespace

TreeEditor::TreeEditor(OrientedTree& tree, std::span<const Vector3> vertices, std::span<const Index3> triangles,
                       std::size_t old_triangle_count)
    : tree_(tree),
      vertices_(vertices),
      triangles_(triangles),
      place_of_node_(tree.nodes.size()),
      place_of_leaf_(tree.leaves.size()),
      leaf_of_(std::max(old_triangle_count, triangles.size())) {
  // Unreachable nodes and leaves stay where they are: only those that are reached count.
  std::vector<std::uint32_t> waiting = {0};
  while (!waiting.empty()) {
    const std::uint32_t n = waiting.back();
    waiting.pop_back();
    const OrientedNode& node = tree.nodes[n];
    for (std::uint32_t s = 0; s < child_count(node); ++s) {
      const std::uint32_t index = node.index(s);
      if (node.is_leaf(s)) {
        place_of_leaf_[index] = {n, s};
        for (const std::uint32_t id : tree.leaves[index].id)
          leaf_of_[id] = index;
      } else {
        place_of_node_[index] = {n, s};
        waiting.push_back(index);
      }
    }
  }
}

std::size_t TreeEditor::size_of(std::uint32_t leaf) const {
  const Place place = place_of_leaf_[leaf];
  return tree_.nodes[place.node].triangles(place.slot);
}

void TreeEditor::set_leaf(std::uint32_t leaf, std::span<const std::uint32_t> ids) {
  for (std::size_t i = 0; i < max_in_leaf; ++i)
    tree_.leaves[leaf].id[i] = ids[std::min(i, ids.size() - 1)];
  for (const std::uint32_t id : ids)
    leaf_of_[id] = leaf;
}

void TreeEditor::set_child_leaf(Place place, std::uint32_t leaf, std::span<const std::uint32_t> ids) {
  OrientedNode& node = tree_.nodes[place.node];
  node.valid = static_cast<std::uint8_t>(node.valid | 1u << place.slot);
  node.leaves = static_cast<std::uint8_t>(node.leaves | 1u << place.slot);
  node.child[place.slot] = leaf_entry(leaf, ids.size());
  place_of_leaf_[leaf] = place;
  set_leaf(leaf, ids);
  set_box(place, box_of(ids));
}

void TreeEditor::set_box(Place place, const Aabb& box) {
  OrientedNode& node = tree_.nodes[place.node];
  const Aabb local = relative_to(node, box);
  for (int k = 0; k < 3; ++k) {
    node.center[k][place.slot] = static_cast<float>(local.lower[k] / 2 + local.upper[k] / 2);
    node.half[k][place.slot] = static_cast<float>(local.upper[k] / 2 - local.lower[k] / 2);
  }
}

Aabb TreeEditor::relative_to(const OrientedNode& node, const Aabb& box) const {
  return {box.lower * tree_.scale - node.origin_point(), box.upper * tree_.scale - node.origin_point()};
}

Aabb TreeEditor::box_of(std::span<const std::uint32_t> ids) const {
  Aabb box;
  for (const std::uint32_t id : ids)
    for (const std::uint32_t v : triangles_[id])
      box.include(vertices_[v]);
  return box;
}

void TreeEditor::move_child(Place from, Place to) {
  OrientedNode& node = tree_.nodes[from.node];
  node.child[to.slot] = node.child[from.slot];
  const bool is_leaf = node.is_leaf(from.slot);
  node.leaves = static_cast<std::uint8_t>((node.leaves & ~(1u << to.slot)) | (is_leaf ? 1u : 0u) << to.slot);
  for (int k = 0; k < 3; ++k) {
    node.center[k][to.slot] = node.center[k][from.slot];
    node.half[k][to.slot] = node.half[k][from.slot];
  }
  (is_leaf ? place_of_leaf_ : place_of_node_)[node.index(to.slot)] = to;
}

void TreeEditor::remove_child(Place place) {
  for (;;) {
    OrientedNode& node = tree_.nodes[place.node];
    const unsigned last = child_count(node) - 1;
    if (place.slot != last) move_child({place.node, last}, place);
    node.valid = static_cast<std::uint8_t>(node.valid & ~(1u << last));
    node.leaves = static_cast<std::uint8_t>(node.leaves & ~(1u << last));
    node.child[last] = 0;
    if (node.valid != 0 || place.node == 0) return;
    place = place_of_node_[place.node];
  }
}

void TreeEditor::remove(std::uint32_t triangle) {
  if (is_too_deep_) return;
  const std::uint32_t leaf = leaf_of_[triangle];
  const std::size_t size = size_of(leaf);
  const Place place = place_of_leaf_[leaf];
  if (size == 1) return remove_child(place);
  std::array<std::uint32_t, max_in_leaf> ids{};
  std::size_t left = 0;
  for (std::size_t i = 0; i < size; ++i)
    if (tree_.leaves[leaf].id[i] != triangle) ids[left++] = tree_.leaves[leaf].id[i];
  set_leaf(leaf, {ids.data(), left});
  tree_.nodes[place.node].child[place.slot] = leaf_entry(leaf, left);
}

void TreeEditor::renumber(std::uint32_t from, std::uint32_t to) {
  if (is_too_deep_) return;
  const std::uint32_t leaf = leaf_of_[from];
  std::replace(std::begin(tree_.leaves[leaf].id), std::end(tree_.leaves[leaf].id), from, to);
  leaf_of_[to] = leaf;
}

void TreeEditor::add(std::uint32_t triangle) {
  if (is_too_deep_) return;
  const Aabb box = box_of({&triangle, 1});
  Place place;
  std::size_t depth = 1;  // nodes on the path
  // Descends to a leaf, each time to the child whose box grows least.
  for (;;) {
    const OrientedNode& node = tree_.nodes[place.node];
    const Aabb local = relative_to(node, box);
    const auto area = [](const Vector3& w) { return w[0] * w[1] + w[1] * w[2] + w[2] * w[0]; };
    const auto growth = [&](std::uint32_t s) {
      Aabb grown = node.box_of(s);
      grown.include(local);
      return area(grown.upper - grown.lower) - area(2 * node.half_of(s));
    };
    place.slot = geometry::least_of(child_count(node), growth).number;
    if (node.is_leaf(place.slot)) break;
    place.node = node.index(place.slot);
    ++depth;
  }
  const std::uint32_t leaf = tree_.nodes[place.node].index(place.slot);
  const std::size_t size = size_of(leaf);
  std::array<std::uint32_t, max_in_leaf + 1> ids{};
  std::copy_n(tree_.leaves[leaf].id, size, ids.begin());
  ids[size] = triangle;
  if (size < max_in_leaf) return set_child_leaf(place, leaf, {ids.data(), size + 1});

  // Splits the leaf into two leaves, side by side if there is room, otherwise in a new node of their own.
  const Aabb all = box_of(ids);
  int axis = 0;
  (all.upper - all.lower).maxCoeff(&axis);
  const auto middle = [&](std::uint32_t id) {
    const Aabb one = box_of({&id, 1});
    return one.lower[axis] / 2 + one.upper[axis] / 2;
  };
  std::sort(ids.begin(), ids.end(), [&](std::uint32_t p, std::uint32_t q) {
    const double a = middle(p), b = middle(q);
    return a < b || (a == b && p < q);
  });
  const auto other = static_cast<std::uint32_t>(tree_.leaves.size());
  tree_.leaves.emplace_back();
  place_of_leaf_.emplace_back();
  constexpr std::size_t half = (max_in_leaf + 1) / 2;
  const std::span<const std::uint32_t> low(ids.data(), half), high(ids.data() + half, ids.size() - half);
  if (const unsigned count = child_count(tree_.nodes[place.node]); count < 8) {
    set_child_leaf(place, leaf, low);
    set_child_leaf({place.node, count}, other, high);
    return;
  }
  if (depth == Topology::max_depth) {
    is_too_deep_ = true;
    return;
  }
  const auto below = static_cast<std::uint32_t>(tree_.nodes.size());
  OrientedNode made = tree_.nodes[place.node];  // copies its axes and origin
  made.valid = made.leaves = 0;
  std::fill(std::begin(made.child), std::end(made.child), 0u);
  tree_.nodes.push_back(made);
  place_of_node_.push_back(place);
  OrientedNode& above = tree_.nodes[place.node];
  above.leaves = static_cast<std::uint8_t>(above.leaves & ~(1u << place.slot));
  above.child[place.slot] = below;
  set_box(place, all);
  set_child_leaf({below, 0}, leaf, low);
  set_child_leaf({below, 1}, other, high);
}

bool TreeEditor::finish() {
  if (is_too_deep_) return false;
  std::vector<OrientedNode> nodes;
  std::vector<TriangleLeaf> leaves;
  nodes.reserve(tree_.nodes.size());
  leaves.reserve(tree_.leaves.size());
  tree_.depth = 0;
  struct Step {
    std::uint32_t node;  // in the new order
    std::uint32_t slot;  // the next child to visit
  };
  std::vector<Step> path = {{0, 0}};
  nodes.push_back(tree_.nodes.front());
  while (!path.empty()) {
    tree_.depth = std::max(tree_.depth, path.size());
    Step& step = path.back();
    OrientedNode& node = nodes[step.node];
    if (step.slot == child_count(node)) {
      path.pop_back();
      continue;
    }
    const std::uint32_t slot = step.slot++;
    const std::uint32_t index = node.index(slot);
    if (node.is_leaf(slot)) {
      node.child[slot] = leaf_entry(static_cast<std::uint32_t>(leaves.size()), node.triangles(slot));
      leaves.push_back(tree_.leaves[index]);
    } else {
      const auto below = static_cast<std::uint32_t>(nodes.size());
      node.child[slot] = below;
      path.push_back({below, 0});
      nodes.push_back(tree_.nodes[index]);  // after the last use of `node` and `step`
    }
  }
  tree_.nodes = std::move(nodes);
  tree_.leaves = std::move(leaves);
  return true;
}

}  // namespace whisker::trees
