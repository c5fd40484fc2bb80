#pragma once

// A tree of AABBs around moving vertices, edges or triangles: one AABB at the start of the step and one at its end. If
// one item is beyond another along an axis at both ends of the step, it is so throughout, however far both move. So
// items that move together stay separated. Plain structs, for code that is compiled once per instruction set.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <whisker/vector.hpp>

#include "geometry/function_ref.hpp"
#include "motion/linear_contact.hpp"

namespace whisker::deform {

/// AABBs at both ends of the step, in floats relative to an origin, rounded outward: first the lower bounds, then the
/// negated upper bounds. So the union of two boxes is the minimum of each.
struct FloatBoxes {
  float bound[12];
};

/// Up to four items with their boxes. Slots without an item hold boxes that overlap no finite box.
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
  std::uint32_t size;          ///< number of children
  std::uint32_t leaves;        ///< which children are leaves: bit k for child k
};

/// A vertex, an edge or a triangle.
struct alignas(16) SweptItem {
  std::array<std::uint32_t, 3> vertices;
  std::uint32_t number;
};

/// The items of a leaf: the place of the first, and their number.
struct LeafItems {
  std::uint32_t first;
  std::uint32_t count;
};

struct SweptTree {
  /// Maximum number of nodes on a path from the root.
  static constexpr std::size_t max_depth = 48;

  std::vector<SweptNode> nodes;   ///< the root first, and each node before its children
  std::vector<SweptLeaf> leaves;  ///< in the order of their items
  std::vector<LeafItems> leaf_items;
  std::vector<FloatBoxes> node_boxes, leaf_boxes;  ///< around each node or leaf as a whole
  std::vector<SweptItem> items;                    ///< by place
  std::size_t corners = 0;                         ///< corners per item: 1 to 3
};

/// The heights of a vertex along the eight directions of `oblique`, at both ends of the step, in floats relative to an
/// origin.
struct alignas(64) VertexHeights {
  float along[2][8];
};
constexpr int oblique[8][3] = {{1, 1, 0}, {1, -1, 0}, {1, 0, 1}, {1, 0, -1},
                               {0, 1, 1}, {0, 1, -1}, {1, 1, 1}, {1, 1, -1}};

/// The heights of all vertices. Each is off by less than `error`, which includes its share of the rounding when two
/// heights are subtracted.
struct Heights {
  std::vector<VertexHeights> vertices;
  double error = 0;
};
void set_heights(std::span<const motion::MovingVertex> vertices, const Vector3& origin, Heights& heights);

/// Computes the boxes of the vertices for a step.
void set_vertex_boxes(std::span<const motion::MovingVertex> vertices, const Vector3& origin,
                      std::vector<FloatBoxes>& boxes);

/// Builds the tree for items with `corners` corners each, whose vertices are at `positions`. The tree is not fitted to
/// a step yet. `threads`: as in TreeOptions.
SweptTree build_swept_tree(std::span<const Vector3> positions, std::span<const std::uint32_t> vertices,
                           std::size_t corners, int threads);

/// Fits the tree to a step in which the vertices have these boxes.
void refit(SweptTree& tree, std::span<const FloatBoxes> boxes);

/// The boxes of a node or leaf relative to another origin, `shift` away from the current one, and expanded by `wider`
/// on every side.
template <class Boxes>
Boxes shifted(const Boxes& boxes, const Vector3& shift, double wider);

/// Receives the found pairs, some hundreds at a time.
using PairSink = geometry::FunctionRef<void(const motion::NumberedPair* pairs, std::size_t count)>;

/// A tree and the heights of its vertices.
struct SweptItems {
  const SweptTree& tree;
  const Heights& heights;
};

struct WalkOptions {
  bool is_self;         ///< two trees of one mesh: pairs that share a vertex are skipped
  bool is_one;          ///< a tree against itself: each pair of items once, the smaller number first
  Vector3 shift;        ///< from b's origin to a's
  double separation;    ///< items are separated if they are farther apart than this
  bool at_end = false;  ///< only test the end of the step, ignoring the start
};

/// Thresholds for separation along the directions of `oblique`: two items are separated if a is above b by more than
/// `a_above`, or b above a by more than `b_above`, at both ends of the step. Rounded up to floats.
struct ObliqueLimits {
  alignas(64) float a_above[8];
  alignas(64) float b_above[8];
};
ObliqueLimits oblique_limits(const Heights& a, const Heights& b, const WalkOptions& options);

/// The same along the coordinate axes.
struct AxisLimits {
  std::array<float, 3> a_above, b_above;
};
AxisLimits axis_limits(const WalkOptions& options);

/// A node of each tree, to be tested against each other.
struct NodePair {
  std::uint32_t a, b;
};
inline constexpr NodePair root_pair[] = {{0, 0}};

/// Finds all pairs of items (with four vertices together) below some pairs of nodes that no axis and no direction of
/// `oblique` separates at both ends of the step. Returns the number of box tests.
std::uint64_t walk_pairs(const SweptItems& a, const SweptItems& b, const WalkOptions& options, const PairSink& sink,
                         std::span<const NodePair> nodes = root_pair);

/// The beginning of a search in parts, for several threads, at the end of the step only: descends from the roots until
/// at least `wanted` pairs of nodes are waiting, or there is nothing below. walk_pairs() then searches below some of
/// these pairs.
std::uint64_t begin_walk(const SweptItems& a, const SweptItems& b, const WalkOptions& options, std::size_t wanted,
                         std::vector<NodePair>& rest, const PairSink& sink);

}  // namespace whisker::deform
