#pragma once

// Traverses a tree against itself to find triangles that touch. Plain structs, for code that is compiled once per
// instruction set.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <whisker/result.hpp>
#include <whisker/self_contacts.hpp>

#include "trees/aligned_fit.hpp"
#include "trees/oriented_tree.hpp"

namespace whisker::deform {

/// The AABBs of a leaf's triangles. Like the corners, they are along the mesh's axes and relative to the origin of the
/// leaf's node.
struct alignas(32) LeafBoxes {
  float lower[3][4];
  float upper[3][4];
};
void set_leaf_boxes(const trees::OrientedTree& tree, std::vector<LeafBoxes>& boxes);

struct SelfTree {
  const trees::OrientedTree& tree;
  std::span<const trees::LeafVertices> leaves;
  std::span<const LeafBoxes> boxes;
  std::span<const Vector3> vertices;
  std::span<const Index3> triangles;
  /// For each node, 1 if nothing below it needs to be searched. Empty if that is not known.
  std::span<const std::uint8_t> is_smooth;
};

/// Two nodes, or a node with itself, that are still to be tested, and which of their children to consider.
struct SelfEntry {
  std::uint32_t a;
  std::uint32_t b;
  std::uint8_t children_a;
  std::uint8_t children_b;
};

struct FoundPairs {
  std::vector<TrianglePair> pairs;
  Cost cost;
  std::size_t limit = 0;  ///< The search ends when there are more pairs than this.

  bool is_full() const { return pairs.size() > limit; }
};

/// Processes the entries and everything that follows from them, from the last to the first, until none are left.
void look_at_all(const SelfTree& tree, std::vector<SelfEntry>& entries, FoundPairs& found);
/// Processes the entries and everything that follows from them, from the first to the last, until none are left or
/// there are at least `count`.
void expand_until(const SelfTree& tree, std::vector<SelfEntry>& entries, std::size_t count, FoundPairs& found);

}  // namespace whisker::deform
