#pragma once

// The tree of regions of a surface, from its connections: what does not change while the surface deforms. Built once,
// by merging regions from the triangles up (P. Volino, N. Magnenat-Thalmann, "Efficient self-collision detection on
// smoothly discretized surface animations using geometrical shape regularity", 1994). Half-edges are numbered as in
// trees/edge_twins.hpp.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <whisker/mesh_data.hpp>
#include <whisker/vector.hpp>

#include "trees/edge_twins.hpp"

namespace whisker::methods::surfaces {

inline constexpr std::uint32_t no_number = trees::EdgeTwins::none;

struct SurfaceNode {
  std::array<std::uint32_t, 3> children = {no_number, no_number, no_number};  // the first `size`
  std::uint32_t size = 0;                                                     // 0 of a triangle, else 2 or 3
  std::uint32_t parent = no_number;
  std::uint32_t level = 0;      // the round of merging that made it; 0 of a triangle
  std::uint32_t first = 0;      // where its triangles begin in the tree's order…
  std::uint32_t triangles = 1;  // …and how many they are
  /// Made by merging regions over a common edge. Others put regions together that have none, or too many on one.
  bool is_surface = true;
};

/// Node t is triangle t, for all triangles; children come before their parents; the root is the last.
struct SurfaceTree {
  std::vector<SurfaceNode> nodes;
  std::vector<std::uint32_t> order;  // triangles; those of a node follow each other
  std::vector<std::uint32_t> place;  // of a triangle in that order

  std::uint32_t root() const { return static_cast<std::uint32_t>(nodes.size() - 1); }
  bool is_leaf(std::uint32_t node) const { return node < order.size(); }
  bool has(std::uint32_t node, std::uint32_t triangle) const {
    return place[triangle] - nodes[node].first < nodes[node].triangles;
  }
};

/// The merging order. Areas and lengths are those at the given positions. Level by level, the edges between regions are
/// taken by √area / length of contour of what they would make one, the largest first: two regions that are still single
/// become one; what is left over then goes to a pair next to it. So nodes have two or three children, and each level
/// about half as many regions as the one before. Regions that no edge joins, and those of which too few can be merged
/// because all hang on a few, are put together by nearness of their boxes. The same input gives the same tree.
/// `faces`: empty, or a number for each triangle; triangles of a face are merged first. At least one triangle; indices
/// in range; coordinates finite and up to `max_coordinate`.
SurfaceTree build_surface_tree(std::span<const Vector3> positions, std::span<const Index3> triangles,
                               std::span<const std::uint32_t> faces = {});

/// Lists of different lengths, one behind the other.
struct NumberLists {
  std::vector<std::size_t> ends;
  std::vector<std::uint32_t> items;

  std::size_t size() const { return ends.size(); }
  std::span<const std::uint32_t> operator[](std::size_t i) const {
    const std::size_t begin = i == 0 ? 0 : ends[i - 1];
    return {items.data() + begin, ends[i] - begin};
  }
};

struct SurfaceTopology {
  SurfaceTree tree;
  std::vector<std::uint32_t> twins;  // EdgeTwins::twin
  /// Of each node that is a surface: its half-edges whose twin is not in it. So an edge with three triangles, or with
  /// two that run the same way, stays on the contour of all that has one of them. Empty of other nodes.
  NumberLists contours;
  /// Of each vertex the places of its triangles in the tree's order, ascending.
  NumberLists places;
  /// Of each node, in ascending order: those of its vertices at which two of the regions around it meet. The regions
  /// around a node are its siblings and those of its ancestors, and what is beyond the surface's border. There are some
  /// four of them, whatever the size of the node.
  NumberLists junctions;
  /// Whether an edge has three triangles or more, or two that run the same way.
  bool has_odd_edges = false;
};

/// Whether a node has a triangle at a vertex.
bool has_vertex(const SurfaceTopology& topology, std::uint32_t node, std::uint32_t vertex);

/// Whether two nodes without a common triangle are next to each other: a junction of one is a vertex of the other. In
/// constant time, on meshes as they are.
///
/// It is so wherever they share a vertex, unless what they share has no end. At an end there is a triangle of neither;
/// if that is in the largest region around the first node that has the second in it, it is not in the one around the
/// second that has the first: the vertex is a junction of the second. (Volino's test asks for a junction of both. Many
/// pairs of regions of different sizes have none.)
bool are_next(const SurfaceTopology& topology, std::uint32_t a, std::uint32_t b);

SurfaceTopology build_surface_topology(std::span<const Vector3> positions, std::span<const Index3> triangles,
                                       std::span<const std::uint32_t> faces = {});

}  // namespace whisker::methods::surfaces
