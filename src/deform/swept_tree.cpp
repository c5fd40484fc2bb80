#include "deform/swept_tree.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <whisker/axis_box.hpp>

#include "trees/topology.hpp"

namespace whisker::deform {
namespace {

static_assert(trees::Topology::width == SweptNode::width && trees::Topology::leaf_size == SweptLeaf::width &&
              trees::Topology::max_depth == SweptTree::max_depth);

constexpr float infinity = std::numeric_limits<float>::infinity();

float round_down(double value) {
  const auto rounded = static_cast<float>(value);
  return static_cast<double>(rounded) > value ? std::nextafter(rounded, -infinity) : rounded;
}
float round_up(double value) {
  const auto rounded = static_cast<float>(value);
  return static_cast<double>(rounded) < value ? std::nextafter(rounded, infinity) : rounded;
}

template <class Boxes>
void set_empty(Boxes& boxes) {
  for (int end = 0; end < 2; ++end) {
    for (int axis = 0; axis < 3; ++axis) {
      std::fill_n(boxes.lower[end][axis], Boxes::width, infinity);
      std::fill_n(boxes.upper[end][axis], Boxes::width, -infinity);
    }
  }
}

}  // namespace

void set_vertex_boxes(std::span<const Vector3> start, std::span<const Vector3> end, const Vector3& origin,
                      std::vector<FloatBoxes>& boxes) {
  constexpr double largest = 3e38;  // of floats, or nearly so
  boxes.resize(start.size());
  for (std::size_t i = 0; i < start.size(); ++i) {
    FloatBoxes& box = boxes[i];
    for (int time = 0; time < 2; ++time) {
      const Vector3& at = time == 0 ? start[i] : end[i];
      for (int axis = 0; axis < 3; ++axis) {
        // The difference and the float are off by 2^-53 and 2^-24 of it, or, near the least of floats, by 2^-150.
        const double from_origin = at[axis] - origin[axis];
        const auto rounded = static_cast<float>(std::clamp(from_origin, -largest, largest));
        const float error = std::abs(rounded) * 0x1p-22f + 0x1p-148f;
        box.lower[time][axis] = from_origin < -largest ? -infinity : rounded - error;
        box.upper[time][axis] = from_origin > largest ? infinity : rounded + error;
      }
    }
  }
}

SweptTree build_swept_tree(std::span<const Vector3> positions, std::span<const std::uint32_t> vertices,
                           std::size_t corners) {
  const std::size_t count = vertices.size() / corners;
  std::vector<AxisBox> boxes(count);
  for (std::size_t i = 0; i < count; ++i) {
    AxisBox& box = boxes[i];
    box.lower = box.upper = positions[vertices[corners * i]];
    for (std::size_t k = 1; k < corners; ++k) {
      const Vector3& corner = positions[vertices[corners * i + k]];
      box.lower = box.lower.cwiseMin(corner);
      box.upper = box.upper.cwiseMax(corner);
    }
  }
  trees::Topology topology = trees::build_topology(boxes, {});
  SweptTree tree;
  tree.corners = corners;
  tree.nodes.resize(topology.nodes.size());
  for (std::size_t n = 0; n < topology.nodes.size(); ++n) {
    const trees::Topology::Node& from = topology.nodes[n];
    SweptNode& node = tree.nodes[n];
    node = SweptNode{};
    set_empty(node);
    node.size = from.size;
    for (std::size_t k = 0; k < from.size; ++k) {
      node.items[k] = from.items[k];
      node.child[k] = from.child[k];
      if (from.items[k] == 0) continue;
      node.child[k] = static_cast<std::uint32_t>(tree.leaf_begins.size());
      tree.leaf_begins.push_back(from.child[k]);
    }
  }
  tree.leaves.resize(tree.leaf_begins.size());
  for (SweptLeaf& leaf : tree.leaves)
    set_empty(leaf);
  tree.order = std::move(topology.order);
  tree.vertices.reserve(vertices.size());
  for (const std::uint32_t item : tree.order)
    for (std::size_t k = 0; k < corners; ++k)
      tree.vertices.push_back(vertices[corners * item + k]);
  return tree;
}

namespace {

/// Child k of a node becomes the box about all that are below it.
template <class Boxes>
void enclose(const Boxes& below, SweptNode& node, std::size_t k) {
  for (int time = 0; time < 2; ++time) {
    for (int axis = 0; axis < 3; ++axis) {
      float low = below.lower[time][axis][0], high = below.upper[time][axis][0];
      for (std::size_t i = 1; i < Boxes::width; ++i) {
        low = std::min(low, below.lower[time][axis][i]);
        high = std::max(high, below.upper[time][axis][i]);
      }
      node.lower[time][axis][k] = low;
      node.upper[time][axis][k] = high;
    }
  }
}

void fit_leaf(const SweptTree& tree, std::uint32_t begin, std::size_t items, std::span<const FloatBoxes> boxes,
              SweptLeaf& leaf) {
  const std::uint32_t* vertex = tree.vertices.data() + tree.corners * begin;
  for (std::size_t i = 0; i < items; ++i) {
    FloatBoxes box = boxes[*vertex++];
    for (std::size_t k = 1; k < tree.corners; ++k) {
      const FloatBoxes& corner = boxes[*vertex++];
      for (int time = 0; time < 2; ++time) {
        for (int axis = 0; axis < 3; ++axis) {
          box.lower[time][axis] = std::min(box.lower[time][axis], corner.lower[time][axis]);
          box.upper[time][axis] = std::max(box.upper[time][axis], corner.upper[time][axis]);
        }
      }
    }
    for (int time = 0; time < 2; ++time) {
      for (int axis = 0; axis < 3; ++axis) {
        leaf.lower[time][axis][i] = box.lower[time][axis];
        leaf.upper[time][axis][i] = box.upper[time][axis];
      }
    }
  }
}

}  // namespace

void refit(SweptTree& tree, std::span<const FloatBoxes> boxes) {
  for (std::size_t n = tree.nodes.size(); n-- > 0;) {
    SweptNode& node = tree.nodes[n];
    for (std::size_t k = 0; k < node.size; ++k) {
      const std::uint32_t child = node.child[k];
      if (node.items[k] > 0) {
        fit_leaf(tree, tree.leaf_begins[child], node.items[k], boxes, tree.leaves[child]);
        enclose(tree.leaves[child], node, k);
      } else {
        enclose(tree.nodes[child], node, k);
      }
    }
  }
}

namespace {

template <class Boxes>
void shift_boxes(const Vector3& shift, double wider, Boxes& boxes) {
  for (int time = 0; time < 2; ++time) {
    for (int axis = 0; axis < 3; ++axis) {
      for (std::size_t k = 0; k < Boxes::width; ++k) {
        float &lower = boxes.lower[time][axis][k], &upper = boxes.upper[time][axis][k];
        // The shift itself is a rounded difference.
        const double low = static_cast<double>(lower) + shift[axis], high = static_cast<double>(upper) + shift[axis];
        const double error = 0x1p-51 * (std::abs(shift[axis]) + std::max(std::abs(low), std::abs(high)) + wider);
        lower = round_down(low - wider - error);
        upper = round_up(high + wider + error);
      }
    }
  }
}

}  // namespace

SweptNode shifted(const SweptNode& node, const Vector3& shift, double wider) {
  SweptNode result = node;
  shift_boxes(shift, wider, result);
  return result;
}
SweptLeaf shifted(const SweptLeaf& leaf, const Vector3& shift, double wider) {
  SweptLeaf result = leaf;
  shift_boxes(shift, wider, result);
  return result;
}

}  // namespace whisker::deform
