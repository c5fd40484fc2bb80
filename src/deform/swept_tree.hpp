#pragma once

// A tree of boxes about vertices, edges or triangles in motion: one at the start of the step and one at its end. Two
// things of which one is beyond the other along an axis at both ends are so all along, however far both go: what moves
// together stays apart. Plain structs, for code that is compiled once per instruction set.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <whisker/vector.hpp>

namespace whisker::deform {

/// Boxes at both ends along the three axes, in floats relative to an origin, rounded outward: the lower bounds, then
/// the upper ones, negated. So the box about two is the least of each.
struct FloatBoxes {
  float bound[12];
};

/// Up to four items with their boxes. Places without an item hold boxes that meet no finite one.
struct alignas(64) SweptLeaf {
  static constexpr std::size_t width = 4;
  float lower[2][3][width];
  float upper[2][3][width];
};

/// Up to eight children with their boxes.
struct alignas(64) SweptNode {
  static constexpr std::size_t width = 8;
  float lower[2][3][width];
  float upper[2][3][width];
  std::uint32_t child[width];  ///< a node or a leaf
  std::uint8_t items[width];   ///< of a leaf how many it has; 0 of a node
  std::uint32_t size;          ///< how many children there are
};

/// A vertex, an edge or a triangle.
struct alignas(16) SweptItem {
  std::array<std::uint32_t, 3> vertices;
  std::uint32_t number;
};

struct SweptTree {
  /// No path from the root has more nodes.
  static constexpr std::size_t max_depth = 48;

  std::vector<SweptNode> nodes;  ///< the root first, and each before its children
  std::vector<SweptLeaf> leaves;
  std::vector<std::uint32_t> leaf_begins;  ///< the places of their first items
  std::vector<SweptItem> items;            ///< place by place
  std::size_t corners = 0;                 ///< of an item: 1 to 3
};

/// Where vertices are in a step.
void set_vertex_boxes(std::span<const Vector3> start, std::span<const Vector3> end, const Vector3& origin,
                      std::vector<FloatBoxes>& boxes);

/// The tree for items with so many corners each, whose vertices are at `positions`; not fitted to a step yet.
SweptTree build_swept_tree(std::span<const Vector3> positions, std::span<const std::uint32_t> vertices,
                           std::size_t corners);

/// Fits it to a step, in which the vertices have these boxes.
void refit(SweptTree& tree, std::span<const FloatBoxes> boxes);

/// The same boxes about another origin, `shift` from this one's, and larger by `wider` on every side.
SweptNode shifted(const SweptNode& node, const Vector3& shift, double wider);
SweptLeaf shifted(const SweptLeaf& leaf, const Vector3& shift, double wider);

/// Pairs, each the places of an item of either tree, are handed over some hundreds at a time.
struct PairSink {
  void* context;
  void (*take)(void* context, const std::uint32_t* places_a, const std::uint32_t* places_b, std::size_t count);
};

struct WalkOptions {
  bool is_self;       ///< a tree with itself: each two items once
  Vector3 shift;      ///< from b's origin to a's
  double separation;  ///< boxes meet that come as close as this
};

/// All pairs of items whose boxes meet. Returns how many boxes were compared.
std::uint64_t walk_pairs(const SweptTree& a, const SweptTree& b, const WalkOptions& options, const PairSink& sink);

}  // namespace whisker::deform
