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

#include "motion/linear_contact.hpp"

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
  std::uint32_t size;          ///< how many children there are
  std::uint32_t leaves;        ///< which of them are leaves: bit k for child k
};

/// A vertex, an edge or a triangle.
struct alignas(16) SweptItem {
  std::array<std::uint32_t, 3> vertices;
  std::uint32_t number;
};

/// The items of a leaf: the place of the first, and how many.
struct LeafItems {
  std::uint32_t first;
  std::uint32_t count;
};

struct SweptTree {
  /// No path from the root has more nodes.
  static constexpr std::size_t max_depth = 48;

  std::vector<SweptNode> nodes;   ///< the root first, and each before its children
  std::vector<SweptLeaf> leaves;  ///< in the order of their items
  std::vector<LeafItems> leaf_items;
  std::vector<FloatBoxes> node_boxes, leaf_boxes;  ///< about all of each
  std::vector<SweptItem> items;                    ///< place by place
  std::size_t corners = 0;                         ///< of an item: 1 to 3
};

/// Where a vertex is along the eight directions of `oblique`, at both ends, in floats about an origin.
struct alignas(64) VertexHeights {
  float along[2][8];
};
constexpr int oblique[8][3] = {{1, 1, 0}, {1, -1, 0}, {1, 0, 1}, {1, 0, -1},
                               {0, 1, 1}, {0, 1, -1}, {1, 1, 1}, {1, 1, -1}};

/// Of all vertices. A height is off by less than `error`, and so is what they are from each other.
struct Heights {
  std::vector<VertexHeights> vertices;
  double error = 0;
};
void set_heights(std::span<const motion::MovingVertex> vertices, const Vector3& origin, Heights& heights);

/// Where vertices are in a step.
void set_vertex_boxes(std::span<const motion::MovingVertex> vertices, const Vector3& origin,
                      std::vector<FloatBoxes>& boxes);

/// The tree for items with so many corners each, whose vertices are at `positions`; not fitted to a step yet.
/// `threads`: as in TreeOptions.
SweptTree build_swept_tree(std::span<const Vector3> positions, std::span<const std::uint32_t> vertices,
                           std::size_t corners, int threads);

/// Fits it to a step, in which the vertices have these boxes.
void refit(SweptTree& tree, std::span<const FloatBoxes> boxes);

/// The same boxes about another origin, `shift` from this one's, and larger by `wider` on every side.
SweptNode shifted(const SweptNode& node, const Vector3& shift, double wider);
SweptLeaf shifted(const SweptLeaf& leaf, const Vector3& shift, double wider);

/// Pairs are handed over some hundreds at a time.
struct PairSink {
  void* context;
  void (*take)(void* context, const motion::NumberedPair* pairs, std::size_t count);
};

/// A tree and where its vertices are.
struct SweptItems {
  const SweptTree& tree;
  const Heights& heights;
};

struct WalkOptions {
  bool is_self;         ///< two trees of one mesh: pairs that share a vertex are left out
  bool is_one;          ///< a tree with itself: each two items once, the one with the smaller number first
  Vector3 shift;        ///< from b's origin to a's
  double separation;    ///< items are parted if they are farther apart than this
  bool at_end = false;  ///< at the end of the step alone: where it began does not matter
};

/// How much farther than b an item of a may begin along the directions of `oblique`, at both ends, and b than a, if
/// they are not parted; no less than that, in floats.
struct ObliqueLimits {
  alignas(64) float a_above[8];
  alignas(64) float b_above[8];
};
ObliqueLimits oblique_limits(const Heights& a, const Heights& b, const WalkOptions& options);

/// The same along the axes.
struct AxisLimits {
  float a_above[3];
  float b_above[3];
};
AxisLimits axis_limits(const WalkOptions& options);

/// All pairs of items, of four vertices together, that no axis and no direction of `oblique` parts at both ends of the
/// step. Returns how many boxes were compared.
std::uint64_t walk_pairs(const SweptItems& a, const SweptItems& b, const WalkOptions& options, const PairSink& sink);

/// Nodes of both trees that are to be looked at together.
struct NodePair {
  std::uint32_t a, b;
};
/// The same in parts, for several threads, at the end of the step: first from the roots down until at least so many
/// pairs of nodes wait (or there is nothing below); then what is below some of these.
std::uint64_t begin_walk(const SweptItems& a, const SweptItems& b, const WalkOptions& options, std::size_t wanted,
                         std::vector<NodePair>& rest, const PairSink& sink);
std::uint64_t walk_pairs_below(const SweptItems& a, const SweptItems& b, const WalkOptions& options,
                               std::span<const NodePair> nodes, const PairSink& sink);

}  // namespace whisker::deform
