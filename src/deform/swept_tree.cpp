#include "deform/swept_tree.hpp"

#include <algorithm>
#include <cmath>
#include <hwy/highway.h>
#include <limits>

#include <whisker/geometry/aabb.hpp>

#include "trees/topology.hpp"
#include "volumes/block.hpp"

namespace whisker::deform {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

static_assert(trees::Topology::width == SweptNode::width && trees::Topology::leaf_size == SweptLeaf::width &&
              trees::Topology::max_depth == SweptTree::max_depth);

constexpr float infinity_f = std::numeric_limits<float>::infinity();

float round_up(double value) {
  return value <= 3e38 ? volumes::float_up(value) : infinity_f;
}

}  // namespace

void set_vertex_boxes(std::span<const motion::MovingVertex> vertices, const Vector3& origin,
                      std::vector<FloatBoxes>& boxes) {
  constexpr double largest = 3e38;  // about the largest float
  boxes.resize(vertices.size());
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    FloatBoxes& box = boxes[i];
    for (int time = 0; time < 2; ++time) {
      const double* const at = time == 0 ? vertices[i].start : vertices[i].end;
      for (int axis = 0; axis < 3; ++axis) {
        // The difference is off by 2^-53 of itself and the float by 2^-24, or by 2^-150 near the smallest floats.
        const double from_origin = at[axis] - origin[axis];
        const auto rounded = static_cast<float>(std::clamp(from_origin, -largest, largest));
        const float error = std::abs(rounded) * 0x1p-22f + 0x1p-148f;
        box.bound[3 * time + axis] = from_origin < -largest ? -infinity_f : rounded - error;
        box.bound[6 + 3 * time + axis] = from_origin > largest ? -infinity_f : -(rounded + error);
      }
    }
  }
}

void set_heights(std::span<const motion::MovingVertex> vertices, const Vector3& origin, Heights& heights) {
  constexpr double largest = 1e37;  // sums of three such values still fit in a float
  heights.vertices.resize(vertices.size());
  double reach = 0;
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    for (int time = 0; time < 2; ++time) {
      const Vector3 from_origin = Eigen::Map<const Vector3>(time == 0 ? vertices[i].start : vertices[i].end) - origin;
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
  // In units of 2^-24 of the largest coordinate: three roundings to float, the sums of two and of three terms, and
  // three more for its share in a difference.
  heights.error = reach > largest ? infinity_f : 12 * 0x1p-24 * reach + 0x1p-140;
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

AxisLimits axis_limits(const WalkOptions& options) {
  AxisLimits limits;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    // The shift itself is a rounded difference.
    const double kept = options.separation, shift = options.shift.data()[axis];
    const double error = 0x1p-50 * (kept + std::abs(shift));
    limits.a_above[axis] = round_up(kept - shift + error);
    limits.b_above[axis] = round_up(kept + shift + error);
  }
  return limits;
}

SweptTree build_swept_tree(std::span<const Vector3> positions, std::span<const std::uint32_t> vertices,
                           std::size_t corners, int threads) {
  const std::size_t count = vertices.size() / corners;
  std::vector<Aabb> boxes(count);
  for (std::size_t i = 0; i < count; ++i) {
    Aabb& box = boxes[i];
    box.lower = box.upper = positions[vertices[corners * i]];
    for (std::size_t k = 1; k < corners; ++k)
      box.include(positions[vertices[corners * i + k]]);
  }
  const trees::Topology topology = trees::build_topology(boxes, {.threads = threads});
  SweptTree tree;
  tree.corners = corners;
  // Leaves are in the memory order of their items.
  std::vector<std::uint32_t> leaf_at(count);  // indexed by the place of the leaf's first item
  for (const trees::Topology::Node& node : topology.nodes)
    for (std::size_t k = 0; k < node.size; ++k)
      if (node.items[k] > 0) leaf_at[node.child[k]] = node.items[k];
  for (std::uint32_t place = 0; place < count;) {
    const std::uint32_t items = leaf_at[place];
    leaf_at[place] = static_cast<std::uint32_t>(tree.leaf_items.size());
    tree.leaf_items.push_back({place, items});
    place += items;
  }
  tree.nodes.resize(topology.nodes.size());
  for (std::size_t n = 0; n < topology.nodes.size(); ++n) {
    const trees::Topology::Node& from = topology.nodes[n];
    SweptNode& node = tree.nodes[n];
    node.size = from.size;
    for (std::size_t k = 0; k < from.size; ++k) {
      node.child[k] = from.child[k];
      if (from.items[k] == 0) continue;
      node.leaves |= 1u << k;
      node.child[k] = leaf_at[from.child[k]];
    }
  }
  tree.leaves.resize(tree.leaf_items.size());
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

/// The bounds of a FloatBoxes as vectors.
struct Bounds {
  FourFloats part[3];
};
Bounds load(const FloatBoxes& boxes) {
  return {{hn::LoadU(Four(), boxes.bound), hn::LoadU(Four(), boxes.bound + 4), hn::LoadU(Four(), boxes.bound + 8)}};
}
void store(const Bounds& bounds, FloatBoxes& boxes) {
  for (std::size_t i = 0; i < 3; ++i)
    hn::StoreU(bounds.part[i], Four(), boxes.bound + 4 * i);
}
Bounds join(const Bounds& a, const Bounds& b) {
  return {{hn::Min(a.part[0], b.part[0]), hn::Min(a.part[1], b.part[1]), hn::Min(a.part[2], b.part[2])}};
}

Bounds no_bounds() {
  const auto none = hn::Set(Four(), infinity_f);
  return {{none, none, none}};
}

/// Stores four boxes into slots k to k + 3 of a leaf or node, transposed so that each bound is contiguous.
template <class Boxes>
void set_four(const Bounds (&of)[4], std::size_t k, Boxes& boxes) {
  const Four d;
  float* const to[2] = {boxes.lower[0][0] + k, boxes.upper[0][0] + k};
  for (std::size_t part = 0; part < 3; ++part) {
    const auto p = of[0].part[part], q = of[1].part[part], r = of[2].part[part], s = of[3].part[part];
    const auto pr = hn::InterleaveLower(d, p, r), qs = hn::InterleaveLower(d, q, s);
    const auto pr2 = hn::InterleaveUpper(d, p, r), qs2 = hn::InterleaveUpper(d, q, s);
    const FourFloats bound[4] = {hn::InterleaveLower(d, pr, qs), hn::InterleaveUpper(d, pr, qs),
                                 hn::InterleaveLower(d, pr2, qs2), hn::InterleaveUpper(d, pr2, qs2)};
    for (std::size_t i = 0; i < 4; ++i) {
      const std::size_t at = 4 * part + i;
      hn::Store(at < 6 ? bound[i] : hn::Neg(bound[i]), d, to[at / 6] + Boxes::width * (at % 6));
    }
  }
}

/// Returns the box around the whole leaf.
Bounds fit_leaf(const SweptTree& tree, const LeafItems& items, std::span<const FloatBoxes> boxes, SweptLeaf& leaf) {
  Bounds item[SweptLeaf::width] = {no_bounds(), no_bounds(), no_bounds(), no_bounds()};
  for (std::size_t i = 0; i < items.count; ++i) {
    const std::array<std::uint32_t, 3>& vertices = tree.items[items.first + i].vertices;
    item[i] = load(boxes[vertices[0]]);
    for (std::size_t k = 1; k < tree.corners; ++k)
      item[i] = join(item[i], load(boxes[vertices[k]]));
  }
  set_four(item, 0, leaf);
  return join(join(item[0], item[1]), join(item[2], item[3]));
}

}  // namespace

void refit(SweptTree& tree, std::span<const FloatBoxes> boxes) {
  tree.leaf_boxes.resize(tree.leaves.size());
  for (std::size_t i = 0; i < tree.leaves.size(); ++i)
    store(fit_leaf(tree, tree.leaf_items[i], boxes, tree.leaves[i]), tree.leaf_boxes[i]);
  tree.node_boxes.resize(tree.nodes.size());
  for (std::size_t n = tree.nodes.size(); n-- > 0;) {
    SweptNode& node = tree.nodes[n];
    Bounds all = no_bounds();
    for (std::size_t first = 0; first < SweptNode::width; first += 4) {
      Bounds child[4] = {no_bounds(), no_bounds(), no_bounds(), no_bounds()};
      for (std::size_t k = first; k < std::min<std::size_t>(node.size, first + 4); ++k) {
        const bool is_leaf = (node.leaves >> k & 1) != 0;
        child[k - first] = load((is_leaf ? tree.leaf_boxes : tree.node_boxes)[node.child[k]]);
        all = join(all, child[k - first]);
      }
      set_four(child, first, node);
    }
    store(all, tree.node_boxes[n]);
  }
}

template <class Boxes>
Boxes shifted(const Boxes& from, const Vector3& shift, double wider) {
  Boxes boxes = from;
  for (int time = 0; time < 2; ++time) {
    for (int axis = 0; axis < 3; ++axis) {
      for (std::size_t k = 0; k < Boxes::width; ++k) {
        float &lower = boxes.lower[time][axis][k], &upper = boxes.upper[time][axis][k];
        // The shift itself is a rounded difference.
        const double low = static_cast<double>(lower) + shift[axis], high = static_cast<double>(upper) + shift[axis];
        const double error = 0x1p-51 * (std::abs(shift[axis]) + std::max(std::abs(low), std::abs(high)) + wider);
        lower = volumes::float_down(low - wider - error);
        upper = round_up(high + wider + error);
      }
    }
  }
  return boxes;
}
template SweptNode shifted(const SweptNode&, const Vector3&, double);
template SweptLeaf shifted(const SweptLeaf&, const Vector3&, double);

}  // namespace whisker::deform
