#include "deform/swept_tree.hpp"

#include <algorithm>
#include <cmath>
#include <hwy/highway.h>
#include <limits>

#include <whisker/axis_box.hpp>

#include "trees/topology.hpp"

namespace whisker::deform {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

static_assert(trees::Topology::width == SweptNode::width && trees::Topology::leaf_size == SweptLeaf::width &&
              trees::Topology::max_depth == SweptTree::max_depth);

constexpr float infinity = std::numeric_limits<float>::infinity();

float round_down(double value) {
  const auto rounded = static_cast<float>(value);
  return static_cast<double>(rounded) > value ? std::nextafter(rounded, -infinity) : rounded;
}
float round_up(double value) {
  if (!(value <= 3e38)) return infinity;
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
        box.bound[3 * time + axis] = from_origin < -largest ? -infinity : rounded - error;
        box.bound[6 + 3 * time + axis] = from_origin > largest ? -infinity : -(rounded + error);
      }
    }
  }
}

void set_heights(std::span<const Vector3> start, std::span<const Vector3> end, const Vector3& origin,
                 Heights& heights) {
  constexpr double largest = 1e37;  // sums of three are still floats
  heights.vertices.resize(start.size());
  double reach = 0;
  for (std::size_t i = 0; i < start.size(); ++i) {
    for (int time = 0; time < 2; ++time) {
      const Vector3 from_origin = (time == 0 ? start[i] : end[i]) - origin;
      reach = std::max(reach, from_origin.cwiseAbs().maxCoeff());
      const Eigen::Vector3f v = from_origin.cwiseMax(-largest).cwiseMin(largest).cast<float>();
      const float x = v[0], y = v[1], z = v[2];
      float* const along = heights.vertices[i].along[time];
      along[0] = x + y;
      along[1] = x - y;
      along[2] = x + z;
      along[3] = x - z;
      along[4] = y + z;
      along[5] = y - z;
      along[6] = along[0] + z;
      along[7] = along[0] - z;
    }
  }
  // In units of 2^-24 of the largest coordinate: three roundings to floats, and sums of up to two and three; and three
  // for its part in a difference.
  heights.error = reach > largest ? std::numeric_limits<double>::infinity() : 12 * 0x1p-24 * reach + 0x1p-140;
}

ObliqueLimits oblique_limits(const Heights& a, const Heights& b, const WalkOptions& options) {
  ObliqueLimits limits;
  for (std::size_t k = 0; k < 8; ++k) {
    const Vector3 n(oblique[k][0], oblique[k][1], oblique[k][2]);
    const double kept = options.separation * n.norm() * (1 + 0x1p-50), shift = options.shift.dot(n);
    const double error = a.error + b.error + 0x1p-49 * options.shift.cwiseAbs().sum();
    limits.a_above[k] = round_up(kept - shift + error);
    limits.b_above[k] = round_up(kept + shift + error);
  }
  return limits;
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
  const trees::Topology topology = trees::build_topology(boxes, {});
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
      node.child[k] = from.child[k];
      if (from.items[k] == 0) continue;
      node.leaves |= 1u << k;
      node.child[k] = static_cast<std::uint32_t>(tree.leaf_items.size());
      tree.leaf_items.push_back({from.child[k], from.items[k]});
    }
  }
  tree.leaves.resize(tree.leaf_items.size());
  for (SweptLeaf& leaf : tree.leaves)
    set_empty(leaf);
  tree.items.reserve(count);
  for (const std::uint32_t number : topology.order) {
    SweptItem item{{}, number};
    std::copy_n(&vertices[corners * number], corners, item.vertices.begin());
    tree.items.push_back(item);
  }
  return tree;
}

namespace {

using Four = hn::FixedTag<float, 4>;
using FourFloats = hn::Vec<Four>;

/// The bounds of a FloatBoxes.
struct Bounds {
  FourFloats part[3];
};
Bounds load(const FloatBoxes& boxes) {
  return {{hn::LoadU(Four(), boxes.bound), hn::LoadU(Four(), boxes.bound + 4), hn::LoadU(Four(), boxes.bound + 8)}};
}
Bounds join(const Bounds& a, const Bounds& b) {
  return {{hn::Min(a.part[0], b.part[0]), hn::Min(a.part[1], b.part[1]), hn::Min(a.part[2], b.part[2])}};
}

void set_child(const Bounds& bounds, SweptNode& node, std::size_t k) {
  alignas(16) float bound[12];
  for (std::size_t i = 0; i < 3; ++i)
    hn::Store(bounds.part[i], Four(), bound + 4 * i);
  for (int time = 0; time < 2; ++time) {
    for (int axis = 0; axis < 3; ++axis) {
      node.lower[time][axis][k] = bound[3 * time + axis];
      node.upper[time][axis][k] = -bound[6 + 3 * time + axis];
    }
  }
}

/// Returns the box about all of it.
Bounds fit_leaf(const SweptTree& tree, const LeafItems& items, std::span<const FloatBoxes> boxes, SweptLeaf& leaf) {
  const Four d;
  const auto none = hn::Set(d, infinity);
  Bounds item[SweptLeaf::width] = {
      {{none, none, none}}, {{none, none, none}}, {{none, none, none}}, {{none, none, none}}};
  for (std::size_t i = 0; i < items.count; ++i) {
    const std::array<std::uint32_t, 3>& vertices = tree.items[items.first + i].vertices;
    item[i] = load(boxes[vertices[0]]);
    for (std::size_t k = 1; k < tree.corners; ++k)
      item[i] = join(item[i], load(boxes[vertices[k]]));
  }
  // Item by item to bound by bound.
  float* const to[2] = {leaf.lower[0][0], leaf.upper[0][0]};
  for (std::size_t part = 0; part < 3; ++part) {
    const auto p = item[0].part[part], q = item[1].part[part], r = item[2].part[part], s = item[3].part[part];
    const auto pr = hn::InterleaveLower(d, p, r), qs = hn::InterleaveLower(d, q, s);
    const auto pr2 = hn::InterleaveUpper(d, p, r), qs2 = hn::InterleaveUpper(d, q, s);
    const FourFloats bound[4] = {hn::InterleaveLower(d, pr, qs), hn::InterleaveUpper(d, pr, qs),
                                 hn::InterleaveLower(d, pr2, qs2), hn::InterleaveUpper(d, pr2, qs2)};
    for (std::size_t i = 0; i < 4; ++i) {
      const std::size_t at = 4 * part + i;
      hn::Store(at < 6 ? bound[i] : hn::Neg(bound[i]), d, to[at / 6] + SweptLeaf::width * (at % 6));
    }
  }
  return join(join(item[0], item[1]), join(item[2], item[3]));
}

/// The box about all children.
Bounds bounds_of(const SweptNode& node) {
  FloatBoxes all;
  for (int time = 0; time < 2; ++time) {
    for (int axis = 0; axis < 3; ++axis) {
      float low = node.lower[time][axis][0], high = node.upper[time][axis][0];
      for (std::size_t i = 1; i < SweptNode::width; ++i) {
        low = std::min(low, node.lower[time][axis][i]);
        high = std::max(high, node.upper[time][axis][i]);
      }
      all.bound[3 * time + axis] = low;
      all.bound[6 + 3 * time + axis] = -high;
    }
  }
  return load(all);
}

}  // namespace

void refit(SweptTree& tree, std::span<const FloatBoxes> boxes) {
  for (std::size_t n = tree.nodes.size(); n-- > 0;) {
    SweptNode& node = tree.nodes[n];
    for (std::size_t k = 0; k < node.size; ++k) {
      const std::uint32_t child = node.child[k];
      const bool is_leaf = (node.leaves >> k & 1) != 0;
      set_child(
          is_leaf ? fit_leaf(tree, tree.leaf_items[child], boxes, tree.leaves[child]) : bounds_of(tree.nodes[child]),
          node, k);
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
