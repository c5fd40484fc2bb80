#pragma once

// The tree of regions of a surface, derived from its connectivity, which does not change while the surface deforms.
// Built once, by merging regions from the triangles up (P. Volino, N. Magnenat-Thalmann, "Efficient self-collision
// detection on smoothly discretized surface animations using geometrical shape regularity", 1994). Half-edges are
// numbered as in trees/edge_twins.hpp.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <whisker/mesh_data.hpp>
#include <whisker/methods/surface_hierarchy.hpp>
#include <whisker/vector.hpp>

#include "geometry/grouped.hpp"
#include "trees/edge_twins.hpp"

namespace whisker::methods::surfaces {

inline constexpr std::uint32_t no_number = trees::EdgeTwins::none;

inline std::uint32_t from_vertex(std::span<const Index3> triangles, std::uint32_t half_edge) {
  return triangles[half_edge / 3][half_edge % 3];
}
inline std::uint32_t to_vertex(std::span<const Index3> triangles, std::uint32_t half_edge) {
  return triangles[half_edge / 3][(half_edge % 3 + 1) % 3];
}

/// A region that is not a surface combines regions that share no edge, or of which too many share edges with one
/// region.
struct SurfaceNode : SurfaceRegion {
  std::uint32_t first = 0;  // start of its triangles in the tree's order
};
static_assert(SurfaceRegion::none == no_number);

/// Node t is triangle t, for all triangles. Children come before their parents. The root is last.
struct SurfaceTree {
  std::vector<SurfaceNode> nodes;
  std::vector<std::uint32_t> order;  // triangles; those of a node are consecutive
  std::vector<std::uint32_t> place;  // of a triangle in that order

  std::uint32_t root() const { return static_cast<std::uint32_t>(nodes.size() - 1); }
  bool is_leaf(std::uint32_t node) const { return node < order.size(); }
  bool has(std::uint32_t node, std::uint32_t triangle) const {
    return place[triangle] - nodes[node].first < nodes[node].triangles;
  }
};

/// Builds the tree. Areas and lengths are those at the given positions. Level by level, the edges between regions are
/// processed in descending order of √area / contour length of the merged region. Two regions that are both still single
/// become one. Then each leftover region joins a neighboring pair. So nodes have two or three children, and each level
/// has about half as many regions as the one before. Regions that no edge connects, and those of which too few can be
/// merged because all are attached to only a few others, are combined by proximity of their boxes. The same input gives
/// the same tree. `faces` is empty, or has a number for each triangle: triangles of a face are merged first. There must
/// be at least one triangle, indices must be in range, and coordinates finite and up to `max_coordinate`.
SurfaceTree build_surface_tree(std::span<const Vector3> positions, std::span<const Index3> triangles,
                               std::span<const std::uint32_t> faces = {});

using NumberLists = geometry::Grouped<std::uint32_t, std::size_t>;

struct SurfaceTopology {
  SurfaceTree tree;
  std::vector<std::uint32_t> twins;  // EdgeTwins::twin
  /// For each node that is a surface, its half-edges whose twin is not in it. So an edge with three triangles, or with
  /// two of equal orientation, stays on the contour of every node that contains one of them. Empty for other nodes.
  NumberLists contours;
  /// For each vertex, the positions of its triangles in the tree's order, ascending.
  NumberLists places;
  /// For each node, in ascending order, those of its vertices at which two of the regions around it meet. The regions
  /// around a node are its siblings, the siblings of its ancestors, and the outside of the surface's border. A node has
  /// about four junctions, regardless of its size.
  NumberLists junctions;
  /// Whether an edge has three or more triangles, or two of equal orientation.
  bool has_odd_edges = false;
};

/// Whether a node has a triangle at a vertex.
bool has_vertex(const SurfaceTopology& topology, std::uint32_t node, std::uint32_t vertex);

/// Whether two nodes without a common triangle are adjacent: whether a junction of one is a vertex of the other. Takes
/// constant time on real meshes.
///
/// The result is true whenever the nodes share a vertex, unless their common border has no end. At an end of the common
/// border there is a triangle of neither node. If that triangle is in the region around the first node that contains
/// the second, it is not in the region around the second node that contains the first. The vertex is then a junction of
/// the second node. (Volino's test requires a junction of both nodes. Many pairs of regions of different sizes have
/// none.)
bool are_next(const SurfaceTopology& topology, std::uint32_t a, std::uint32_t b);

SurfaceTopology build_surface_topology(std::span<const Vector3> positions, std::span<const Index3> triangles,
                                       std::span<const std::uint32_t> faces = {});

}  // namespace whisker::methods::surfaces
