#pragma once

// A tree of boxes about triangles in motion: one at the start of the step and one at its end. Two things of which one
// is beyond the other along an axis at both ends are so all along, however far both go: what moves together stays
// apart.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <whisker/axis_box.hpp>
#include <whisker/mesh_data.hpp>

#include "trees/topology.hpp"

namespace whisker::deform {

/// The boxes of a node's children at both ends, in floats relative to the tree's origin, rounded outward. Places
/// without a child hold boxes that meet no finite one.
struct alignas(64) SweptNode {
  float lower[2][3][8];
  float upper[2][3][8];
};

struct SweptTree {
  trees::Topology topology;
  std::vector<SweptNode> nodes;
  /// The boxes of the triangles likewise, in the topology's order; some more at the end meet none.
  std::vector<float> lower[2][3];
  std::vector<float> upper[2][3];
  Vector3 origin = Vector3::Zero();
};

/// The tree for triangles that are at `start`.
SweptTree build_swept_tree(std::span<const Vector3> start, std::span<const Index3> triangles);

/// Fits it to a step.
void refit(SweptTree& tree, std::span<const Vector3> start, std::span<const Vector3> end,
           std::span<const Index3> triangles);

/// Two leaves of up to four triangles: where those begin in the topologies' orders, and how many they are.
struct LeafPair {
  std::uint32_t first_a, first_b;
  std::uint8_t count_a, count_b;
};

struct FloatBoxes {
  float lower[2][3];
  float upper[2][3];
};

/// Child k of a node, larger by `wider` on every side, in the frame of another tree: `shift` goes from the other's
/// origin to this one's.
FloatBoxes shifted(const SweptNode& node, unsigned k, const Vector3& shift, double wider);

/// Which of a node's children the boxes may meet: a bit for each.
unsigned meeting(const SweptNode& node, const FloatBoxes& boxes);

/// The same for the triangle at a place of the order, and for up to four triangles from a place on.
FloatBoxes shifted(const SweptTree& tree, std::uint32_t place, const Vector3& shift, double wider);
unsigned meeting(const SweptTree& tree, std::uint32_t place, std::uint32_t count, const FloatBoxes& boxes);

/// A bit for each child that there is: beyond the range of floats boxes are infinite, and meet empty ones too.
inline unsigned children_of(const trees::Topology::Node& node) {
  return (1u << node.size) - 1;
}

/// A leaf of one tree against the subtree of the other.
template <class Visit>
void descend(const SweptTree& a, const SweptTree& b, std::uint32_t in_a, unsigned i, std::uint32_t in_b, unsigned j,
             const Vector3& shift, double separation, std::uint64_t& volume_tests, Visit&& visit) {
  const trees::Topology::Node &node_a = a.topology.nodes[in_a], &node_b = b.topology.nodes[in_b];
  const bool leaf_is_a = node_a.items[i] > 0;
  const SweptTree& tree = leaf_is_a ? b : a;
  const FloatBoxes boxes =
      leaf_is_a ? shifted(a.nodes[in_a], i, shift, separation) : shifted(b.nodes[in_b], j, -shift, separation);
  // Of each node on the way down its other children wait.
  std::array<std::uint32_t, trees::Topology::max_depth * trees::Topology::width> waiting;
  std::size_t count = 0;
  waiting[count++] = leaf_is_a ? node_b.child[j] : node_a.child[i];
  while (count > 0) {
    const std::uint32_t at = waiting[--count];
    const trees::Topology::Node& node = tree.topology.nodes[at];
    volume_tests += 8;
    for (unsigned hit = meeting(tree.nodes[at], boxes) & children_of(node); hit != 0; hit &= hit - 1) {
      const auto k = static_cast<unsigned>(std::countr_zero(hit));
      if (node.items[k] == 0) {
        waiting[count++] = node.child[k];
      } else if (leaf_is_a) {
        visit(LeafPair{node_a.child[i], node.child[k], node_a.items[i], node.items[k]});
      } else {
        visit(LeafPair{node.child[k], node_b.child[j], node.items[k], node_b.items[j]});
      }
    }
  }
}

/// Calls visit(LeafPair) for all pairs of leaves whose boxes come as close as `separation`. With `is_self`, of a tree
/// with itself, each two leaves once, and each leaf with itself.
template <class Visit>
void walk_pairs(const SweptTree& a, const SweptTree& b, bool is_self, double separation, std::uint64_t& volume_tests,
                Visit&& visit) {
  using Node = trees::Topology::Node;
  const Vector3 shift = a.origin - b.origin;
  struct Pair {
    std::uint32_t a, b;
  };
  std::vector<Pair> waiting = {{0, 0}};
  while (!waiting.empty()) {
    const Pair pair = waiting.back();
    waiting.pop_back();
    const Node &node_a = a.topology.nodes[pair.a], &node_b = b.topology.nodes[pair.b];
    const bool same = is_self && pair.a == pair.b;
    for (unsigned i = 0; i < node_a.size; ++i) {
      const FloatBoxes boxes = shifted(a.nodes[pair.a], i, shift, separation);
      unsigned hit = meeting(b.nodes[pair.b], boxes) & children_of(node_b);
      volume_tests += 8;
      if (same) hit &= ~((1u << i) - 1);
      for (; hit != 0; hit &= hit - 1) {
        const auto j = static_cast<unsigned>(std::countr_zero(hit));
        const bool leaf_a = node_a.items[i] > 0, leaf_b = node_b.items[j] > 0;
        if (leaf_a && leaf_b) {
          visit(LeafPair{node_a.child[i], node_b.child[j], node_a.items[i], node_b.items[j]});
        } else if (leaf_a || leaf_b) {
          descend(a, b, pair.a, i, pair.b, j, shift, separation, volume_tests, visit);
        } else {
          waiting.push_back({node_a.child[i], node_b.child[j]});
        }
      }
    }
  }
}

}  // namespace whisker::deform
