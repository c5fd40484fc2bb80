#pragma once

// The data of a VolumeTree, and its traversals, written once for every kind of block.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <queue>
#include <variant>
#include <vector>

#include <whisker/geometry/closest_points.hpp>
#include <whisker/geometry/triangle_tests.hpp>
#include <whisker/methods/volume_tree.hpp>

#include "geometry/constants.hpp"
#include "geometry/place.hpp"
#include "methods/volume_trees/volume_blocks.hpp"
#include "shapes/internals.hpp"
#include "trees/topology.hpp"

namespace whisker::methods {

struct VolumeTree::Storage {
  using Blocks = std::variant<std::vector<volume_trees::SphereBlock>, std::vector<volume_trees::AabbBlock>,
                              std::vector<volume_trees::ObbBlock>, std::vector<volume_trees::KdopBlock<14>>,
                              std::vector<volume_trees::KdopBlock<18>>, std::vector<volume_trees::KdopBlock<26>>,
                              std::vector<volume_trees::SegmentBlock>, std::vector<volume_trees::TriangleBlock>,
                              std::vector<volume_trees::RectangleBlock>>;

  MeshData data;
  VolumeTreeOptions options;
  trees::Topology topology;
  Blocks blocks;    // one for each node: its children's volumes, in the mesh's frame
  double size = 0;  // largest 1-norm of a vertex
};

using VolumeTreeStorage = StorageOf<VolumeTree>;

namespace volume_trees {

/// One side of a query.
template <class Block>
struct VolumeSide {
  const VolumeTreeStorage& tree;
  const std::vector<Block>& blocks;
  const Pose& pose;

  Triangle triangle(std::uint32_t number) const {
    const Index3& t = tree.data.triangles[number];
    const auto corner = [&](std::size_t k) { return geometry::placed_point(pose, tree.data.vertices[t[k]]); };
    return {corner(0), corner(1), corner(2)};
  }
};

/// b's mesh frame in a's, with a bound on the displacement due to the poses' rounding and their deviation from
/// rotations.
struct VolumePairFrame {
  volumes::Relative relative;
  double shrink = 1;  // a distance in a's frame times this is a lower bound on that in the world

  VolumePairFrame(const Pose& a, double size_a, const Pose& b, double size_b) {
    const double skew = volumes::skew_of(a.rotation());
    relative.rotation = a.rotation().transpose() * b.rotation();
    relative.translation = a.rotation().transpose() * (b.translation() - a.translation());
    const double between = volumes::sum_of_sizes(b.translation() - a.translation()) + size_b;
    // The transpose is not exactly the inverse. The second term covers rounding, including that of place() on both
    // sides.
    relative.error = 8 * skew * between + 128 * unit_roundoff *
                                              (volumes::sum_of_sizes(a.translation()) +
                                               volumes::sum_of_sizes(b.translation()) + size_a + size_b);
    shrink = 1 - 4 * skew;
  }
};

/// A node of each tree, and the selected children of each.
struct VolumeEntry {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::uint8_t children_a = 0xff;
  std::uint8_t children_b = 0xff;
  double lower = 0;
};

/// Visits the child pairs of an entry. Bit 8 i + j of the mask selects child i of a and child j of b. Calls
/// `push(entry, k)` for pairs to descend into, and `leaves(first_a, count_a, first_b, count_b, k)` for pairs of leaves.
template <class Block, class Push, class Leaves>
void each_child_pair(const VolumeSide<Block>& a, const VolumeSide<Block>& b, const VolumeEntry& entry,
                     std::uint64_t mask, Push&& push, Leaves&& leaves) {
  const trees::Topology::Node& node_a = a.tree.topology.nodes[entry.a];
  const trees::Topology::Node& node_b = b.tree.topology.nodes[entry.b];
  for (; mask != 0; mask &= mask - 1) {
    const std::size_t k = static_cast<std::size_t>(std::countr_zero(mask));
    const std::size_t i = k / 8;
    const std::size_t j = k % 8;
    const bool leaf_a = node_a.items[i] > 0;
    const bool leaf_b = node_b.items[j] > 0;
    const auto only = [](std::size_t slot) { return static_cast<std::uint8_t>(1u << slot); };
    if (leaf_a && leaf_b) {
      leaves(node_a.child[i], node_a.items[i], node_b.child[j], node_b.items[j], k);
    } else if (leaf_a) {
      push(VolumeEntry{entry.a, node_b.child[j], only(i), 0xff, 0}, k);
    } else if (leaf_b) {
      push(VolumeEntry{node_a.child[i], entry.b, 0xff, only(j), 0}, k);
    } else {
      push(VolumeEntry{node_a.child[i], node_b.child[j], 0xff, 0xff, 0}, k);
    }
  }
}

/// The mask of the child pairs that an entry has.
template <class Block>
std::uint64_t pairs_of(const VolumeSide<Block>& a, const VolumeSide<Block>& b, const VolumeEntry& entry, Cost& cost) {
  const auto present = [](const trees::Topology::Node& node, std::uint8_t children) {
    return static_cast<std::uint32_t>(children) & ((1u << node.size) - 1);
  };
  const std::uint32_t of_a = present(a.tree.topology.nodes[entry.a], entry.children_a);
  const std::uint32_t of_b = present(b.tree.topology.nodes[entry.b], entry.children_b);
  std::uint64_t mask = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    if ((of_a >> i & 1u) != 0) mask |= static_cast<std::uint64_t>(of_b) << (8 * i);
  }
  cost.volume_updates += static_cast<std::uint64_t>(std::popcount(of_b));
  cost.volume_tests += static_cast<std::uint64_t>(std::popcount(mask));
  return mask;
}

/// Finds all pairs of triangles that touch. `found(pair)` returns true to end the traversal.
template <class Block, class Found>
void walk_touching(const VolumeSide<Block>& a, const VolumeSide<Block>& b, Cost& cost, Found&& found) {
  const VolumePairFrame frame(a.pose, a.tree.size, b.pose, b.tree.size);
  std::vector<VolumeEntry> stack = {VolumeEntry{}};
  bool done = false;
  while (!stack.empty() && !done) {
    const VolumeEntry entry = stack.back();
    stack.pop_back();
    std::uint64_t mask = pairs_of(a, b, entry, cost);
    mask &= volumes::overlaps(a.blocks[entry.a], b.blocks[entry.b], frame.relative);
    each_child_pair(
        a, b, entry, mask, [&](const VolumeEntry& next, std::size_t) { stack.push_back(next); },
        [&](std::uint32_t first_a, std::uint32_t count_a, std::uint32_t first_b, std::uint32_t count_b, std::size_t) {
          for (std::uint32_t i = first_a; i < first_a + count_a && !done; ++i) {
            const std::uint32_t number_a = a.tree.topology.order[i];
            const Triangle triangle = a.triangle(number_a);
            for (std::uint32_t j = first_b; j < first_b + count_b && !done; ++j) {
              const std::uint32_t number_b = b.tree.topology.order[j];
              ++cost.primitive_tests;
              if (touches_triangle_triangle(triangle, b.triangle(number_b)))
                done = found(TrianglePair{number_a, number_b});
            }
          }
        });
  }
}

/// Two triangles and their distance according to closest_points(); exactly 0 if they share a point.
struct NearestTriangles {
  double distance = infinity;
  TrianglePair triangles;
};

template <class Block>
NearestTriangles walk_distance(const VolumeSide<Block>& a, const VolumeSide<Block>& b, Cost& cost) {
  const VolumePairFrame frame(a.pose, a.tree.size, b.pose, b.tree.size);
  const auto farther = [](const VolumeEntry& x, const VolumeEntry& y) { return x.lower > y.lower; };
  std::priority_queue<VolumeEntry, std::vector<VolumeEntry>, decltype(farther)> queue(farther);
  queue.push(VolumeEntry{});
  NearestTriangles best;
  while (!queue.empty() && queue.top().lower < best.distance) {
    const VolumeEntry entry = queue.top();
    queue.pop();
    const std::uint64_t mask = pairs_of(a, b, entry, cost);
    double lower[64];
    volumes::lower_bounds(a.blocks[entry.a], b.blocks[entry.b], frame.relative, lower);
    each_child_pair(
        a, b, entry, mask,
        [&](VolumeEntry next, std::size_t k) {
          next.lower = std::max(entry.lower, lower[k] * frame.shrink);
          if (next.lower < best.distance) queue.push(next);
        },
        [&](std::uint32_t first_a, std::uint32_t count_a, std::uint32_t first_b, std::uint32_t count_b, std::size_t k) {
          if (!(lower[k] * frame.shrink < best.distance)) return;
          for (std::uint32_t i = first_a; i < first_a + count_a; ++i) {
            const std::uint32_t number_a = a.tree.topology.order[i];
            const Triangle triangle = a.triangle(number_a);
            for (std::uint32_t j = first_b; j < first_b + count_b; ++j) {
              const std::uint32_t number_b = b.tree.topology.order[j];
              const Triangle other = b.triangle(number_b);
              ++cost.primitive_tests;
              double apart = closest_points(triangle, other).distance;
              if (apart < best.distance && touches_triangle_triangle(triangle, other)) apart = 0;
              if (apart < best.distance) best = {apart, {number_a, number_b}};
            }
          }
        });
  }
  return best;
}

}  // namespace volume_trees
}  // namespace whisker::methods
