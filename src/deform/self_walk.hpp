#pragma once

// Walking a tree against itself for triangles that touch. Plain structs, for code that is compiled once per instruction
// set.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <whisker/result.hpp>
#include <whisker/self_contacts.hpp>

#include "trees/aligned_fit.hpp"
#include "trees/oriented_tree.hpp"

namespace whisker::deform {

/// About each of a leaf's triangles, as its corners are: along the mesh's axes, relative to the origin of its node.
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
  /// For each node 1 if nothing below it is to be looked for; empty where that is not known.
  std::span<const std::uint8_t> is_smooth;
};

/// Two nodes, or one with itself, still to be looked at, and which of their children.
struct SelfEntry {
  std::uint32_t a;
  std::uint32_t b;
  std::uint8_t children_a;
  std::uint8_t children_b;
};

struct FoundPairs {
  std::vector<TrianglePair> pairs;
  Cost cost;
  std::size_t limit = 0;  ///< More than so many are of no interest: the search ends.

  bool is_full() const { return pairs.size() > limit; }
};

/// Looks at the entries, and at what follows from them, from the last to the first, until there are none.
void look_at_all(const SelfTree& tree, std::vector<SelfEntry>& entries, FoundPairs& found);
/// Looks at the entries, and at what follows from them, from the first to the last, until there are none or at least so
/// many.
void expand_until(const SelfTree& tree, std::vector<SelfEntry>& entries, std::size_t count, FoundPairs& found);

}  // namespace whisker::deform
