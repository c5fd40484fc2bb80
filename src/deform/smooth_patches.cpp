#include "deform/smooth_patches.hpp"

#include <algorithm>

#include <Eigen/Geometry>

#include "geometry/disjoint_sets.hpp"
#include "simd/set_bits.hpp"
#include "trees/edge_twins.hpp"

namespace whisker::deform {
namespace {

using trees::OrientedNode;
using trees::OrientedTree;

/// Maps triangles to nodes and nodes to parents.
class Places {
 public:
  Places(const OrientedTree& tree, std::size_t triangle_count) : parent_(tree.nodes.size()), node_of_(triangle_count) {
    for (std::uint32_t n = 0; n < tree.nodes.size(); ++n) {
      const OrientedNode& node = tree.nodes[n];
      for (const unsigned s : node.children()) {
        if (!node.is_leaf(s)) {
          parent_[node.index(s)] = n;
          continue;
        }
        for (std::uint32_t i = 0; i < node.triangles(s); ++i)
          node_of_[tree.leaves[node.index(s)].id[i]] = n;
      }
    }
  }

  std::uint32_t parent(std::uint32_t node) const { return parent_[node]; }
  /// The node that holds the triangle's leaf.
  std::uint32_t node_of(std::uint32_t triangle) const { return node_of_[triangle]; }
  /// The deepest node that contains both, or is one of them. A node's number is larger than its parent's.
  std::uint32_t common(std::uint32_t a, std::uint32_t b) const {
    while (a != b)
      (a > b ? a : b) = parent_[std::max(a, b)];
    return a;
  }

 private:
  std::vector<std::uint32_t> parent_;
  std::vector<std::uint32_t> node_of_;
};

/// For each half-edge, the deepest node that contains both its triangle and its twin's. EdgeTwins::none if it has no
/// twin.
std::vector<std::uint32_t> common_nodes(const Places& places, std::span<const std::uint32_t> twin) {
  std::vector<std::uint32_t> common(twin.size(), trees::EdgeTwins::none);
  for (std::uint32_t h = 0; h < twin.size(); ++h)
    if (twin[h] != trees::EdgeTwins::none && h < twin[h])
      common[h] = common[twin[h]] = places.common(places.node_of(h / 3), places.node_of(twin[h] / 3));
  return common;
}

/// For each node, whether it has inner nodes below it and all triangles below it are connected through edges.
std::vector<std::uint8_t> find_connected(const OrientedTree& tree, std::span<const std::uint32_t> twin,
                                         std::span<const std::uint32_t> common) {
  // Neighboring pairs are grouped by the deepest node that contains both. Processing nodes from last to first joins
  // everything below a node before any pairs that reach outside it.
  const std::size_t count = tree.nodes.size();
  const geometry::Grouped<std::uint32_t> sides = geometry::group<std::uint32_t>(count, [&](const auto& visit) {
    for (std::uint32_t h = 0; h < twin.size(); ++h)
      if (twin[h] != trees::EdgeTwins::none && h < twin[h]) visit(common[h], h);
  });
  geometry::DisjointSets sets(twin.size() / 3);
  std::vector<std::uint32_t> parts(count);
  std::vector<std::uint8_t> is_connected(count);
  for (std::size_t n = count; n-- > 0;) {
    const OrientedNode& node = tree.nodes[n];
    for (const unsigned s : node.children())
      parts[n] += node.is_leaf(s) ? node.triangles(s) : parts[node.index(s)];
    for (const std::uint32_t h : sides[n])
      if (sets.join(h / 3, twin[h] / 3)) --parts[n];
    is_connected[n] = parts[n] == 1 && node.leaves != node.valid;
  }
  return is_connected;
}

}  // namespace

NodeContours find_contours(const OrientedTree& tree, std::span<const Index3> triangles, std::size_t vertex_count) {
  const std::vector<std::uint32_t> twin = trees::find_edge_twins(triangles, vertex_count).twin;
  const Places places(tree, triangles.size());
  const std::vector<std::uint32_t> common = common_nodes(places, twin);
  const std::vector<std::uint8_t> is_connected = find_connected(tree, twin, common);
  NodeContours contours;
  // Walks up from each half-edge's triangle until its twin's triangle is below the node too.
  contours.of_node = geometry::group<ContourEdge, std::size_t>(tree.nodes.size(), [&](const auto& visit) {
    for (std::uint32_t t = 0; t < triangles.size(); ++t) {
      for (std::uint32_t k = 0; k < 3; ++k) {
        const ContourEdge edge{triangles[t][k], triangles[t][(k + 1) % 3]};
        for (std::uint32_t n = places.node_of(t); n != common[3 * t + k]; n = places.parent(n)) {
          if (is_connected[n] != 0) visit(n, edge);
          if (n == 0) break;
        }
      }
    }
  });

  constexpr std::uint32_t none = 0xFFFFFFFF;
  contours.node_of_vertex.assign(vertex_count, none);
  for (std::uint32_t t = 0; t < triangles.size(); ++t) {
    for (const std::uint32_t v : triangles[t]) {
      std::uint32_t& node = contours.node_of_vertex[v];
      node = node == none ? places.node_of(t) : places.common(node, places.node_of(t));
    }
  }
  return contours;
}

NodeContours find_whole_contour(const OrientedTree& tree, std::span<const Index3> triangles, std::size_t vertex_count) {
  const std::vector<std::uint32_t> twin = trees::find_edge_twins(triangles, vertex_count).twin;
  NodeContours contours;
  std::vector<ContourEdge>& edges = contours.of_node.items;
  for (std::uint32_t h = 0; h < twin.size(); ++h)
    if (twin[h] == trees::EdgeTwins::none)
      edges.push_back({triangles[h / 3][h % 3], triangles[h / 3][(h % 3 + 1) % 3]});
  contours.of_node.first.assign(tree.nodes.size() + 1, edges.size());
  contours.of_node.first[0] = 0;
  contours.node_of_vertex.assign(vertex_count, 0);
  return contours;
}

namespace {

/// The direction in the mask that is best aligned with `way`. The mask must not be 0.
Vector3 best_direction(std::uint32_t mask, const Vector3& way) {
  Vector3 best = Vector3::Zero();
  double most = -1e300;
  for (const unsigned bit : simd::SetBits(mask)) {
    const int(&axis)[3] = mask_axes[bit % 16];
    const double half = bit < 16 ? 0.5 : -0.5;  // so that no component is larger than 1
    const Vector3 v = Vector3(axis[0], axis[1], axis[2]) * half;
    const double along = way.dot(v) / v.norm();
    if (along <= most) continue;
    most = along;
    best = v;
  }
  return best;
}

}  // namespace

void set_masks(const OrientedTree& tree, SmoothPatches& patches) {
  set_leaf_masks(tree, patches.leaf_masks);
  patches.node_masks.resize(tree.nodes.size());
  for (std::size_t n = tree.nodes.size(); n-- > 0;) {
    const OrientedNode& node = tree.nodes[n];
    std::uint32_t mask = 0xFFFFFFFF;
    for (const unsigned s : node.children())
      mask &= (node.is_leaf(s) ? patches.leaf_masks : patches.node_masks)[node.index(s)];
    patches.node_masks[n] = mask;
  }
}

void find_smooth(const OrientedTree& tree, const NodeContours& contours, std::span<const Vector3> vertices,
                 SmoothPatches& patches) {
  const std::size_t count = tree.nodes.size();
  patches.is_smooth.assign(count, 0);
  patches.tested = 0;
  std::vector<std::uint32_t>& waiting = patches.waiting;
  waiting.assign({0});
  while (!waiting.empty()) {
    const std::uint32_t n = waiting.back();
    waiting.pop_back();
    const OrientedNode& node = tree.nodes[n];
    const std::span<const ContourEdge> contour = contours.of_node[n];
    if (patches.node_masks[n] != 0 && !contour.empty()) {
      ++patches.tested;
      // Twice the vector area, which is roughly along the mean normal.
      Vector3 area = Vector3::Zero();
      const Vector3& origin = vertices[contour.front().from];
      for (const ContourEdge& edge : contour)
        area += ((vertices[edge.from] - origin) * tree.scale).cross((vertices[edge.to] - origin) * tree.scale);
      if (contour_is_simple(vertices, contour, best_direction(patches.node_masks[n], area), patches.memory)) {
        patches.is_smooth[n] = 1;
        continue;
      }
    }
    for (const unsigned s : node.children())
      if (!node.is_leaf(s)) waiting.push_back(node.index(s));
  }
  // Everything below a smooth node is smooth.
  for (std::size_t n = 0; n < count; ++n) {
    if (patches.is_smooth[n] == 0) continue;
    const OrientedNode& node = tree.nodes[n];
    for (const unsigned s : node.children())
      if (!node.is_leaf(s)) patches.is_smooth[node.index(s)] = 1;
  }
}

}  // namespace whisker::deform
