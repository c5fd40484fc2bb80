#include "deform/smooth_patches.hpp"

#include <algorithm>
#include <utility>

#include <Eigen/Geometry>

namespace whisker::deform {
namespace {

using trees::OrientedNode;
using trees::OrientedTree;

/// The edges without those that run both ways, once each. False if one runs the same way twice.
bool cancel(std::vector<ContourEdge>& edges) {
  const auto key = [](const ContourEdge& e) { return std::pair(std::min(e.from, e.to), std::max(e.from, e.to)); };
  std::sort(edges.begin(), edges.end(), [&](const ContourEdge& p, const ContourEdge& q) {
    return key(p) < key(q) || (key(p) == key(q) && p.from < q.from);
  });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < edges.size();) {
    if (i + 1 == edges.size() || key(edges[i]) != key(edges[i + 1])) {
      edges[kept++] = edges[i++];
      continue;
    }
    if (edges[i].from == edges[i + 1].from || (i + 2 < edges.size() && key(edges[i]) == key(edges[i + 2])))
      return false;
    i += 2;
  }
  edges.resize(kept);
  return true;
}

}  // namespace

NodeContours find_contours(const OrientedTree& tree, std::span<const trees::LeafVertices> leaves) {
  struct Border {
    std::vector<ContourEdge> edges;
    bool is_good = true;
  };
  std::vector<Border> borders(tree.nodes.size());
  for (std::size_t n = tree.nodes.size(); n-- > 0;) {
    const OrientedNode& node = tree.nodes[n];
    Border& border = borders[n];
    for (int s = 0; s < 8; ++s) {
      if ((node.valid >> s & 1) == 0) continue;
      if (!node.is_leaf(s)) {
        const Border& child = borders[node.index(s)];
        border.edges.insert(border.edges.end(), child.edges.begin(), child.edges.end());
        border.is_good = border.is_good && child.is_good;
        continue;
      }
      const std::uint32_t* const vertex = leaves[node.index(s)].vertex;
      for (std::size_t i = 0; i < node.triangles(s); ++i)
        for (std::size_t c = 0; c < 3; ++c)
          border.edges.push_back({vertex[4 * c + i], vertex[4 * ((c + 1) % 3) + i]});
    }
    border.is_good = border.is_good && cancel(border.edges);
    if (!border.is_good) border.edges = {};
  }
  NodeContours contours;
  contours.first.reserve(tree.nodes.size() + 1);
  for (const Border& border : borders) {
    contours.first.push_back(contours.edges.size());
    contours.edges.insert(contours.edges.end(), border.edges.begin(), border.edges.end());
  }
  contours.first.push_back(contours.edges.size());
  return contours;
}

namespace {

/// Of the mask's directions the one that is most along `way`; the mask is not 0.
Vector3 best_direction(std::uint32_t mask, const Vector3& way) {
  Vector3 best = Vector3::Zero();
  double most = -1e300;
  for (; mask != 0; mask &= mask - 1) {
    const int bit = __builtin_ctz(mask), sign = bit < 16 ? 1 : -1;
    const int(&axis)[3] = mask_axes[bit % 16];
    const Vector3 v = Vector3(axis[0], axis[1], axis[2]) * (0.5 * sign);  // entries up to 1
    const double along = way.dot(v) / v.norm();
    if (along <= most) continue;
    most = along;
    best = v;
  }
  return best;
}

}  // namespace

void find_smooth(const OrientedTree& tree, const NodeContours& contours, std::span<const Vector3> vertices,
                 SmoothPatches& patches) {
  set_leaf_masks(tree, patches.leaf_masks);
  const std::size_t count = tree.nodes.size();
  patches.node_masks.resize(count);
  patches.is_smooth.assign(count, 0);
  patches.tested = 0;
  for (std::size_t n = count; n-- > 0;) {
    const OrientedNode& node = tree.nodes[n];
    std::uint32_t mask = 0xFFFFFFFF;
    for (unsigned rest = node.valid; rest != 0; rest &= rest - 1) {
      const int s = __builtin_ctz(rest);
      mask &= (node.is_leaf(s) ? patches.leaf_masks : patches.node_masks)[node.index(s)];
    }
    patches.node_masks[n] = mask;
  }
  std::vector<std::uint32_t>& waiting = patches.waiting;
  waiting.assign({0});
  while (!waiting.empty()) {
    const std::uint32_t n = waiting.back();
    waiting.pop_back();
    const OrientedNode& node = tree.nodes[n];
    const std::span<const ContourEdge> contour(contours.edges.data() + contours.first[n],
                                               contours.edges.data() + contours.first[n + 1]);
    // Of a node with leaves alone the contour costs as much as looking for what touches.
    if (patches.node_masks[n] != 0 && !contour.empty() && node.leaves != node.valid) {
      ++patches.tested;
      // Twice the area as a vector: about the mean normal.
      Vector3 area = Vector3::Zero();
      const Vector3& origin = vertices[contour.front().from];
      for (const ContourEdge& edge : contour)
        area += ((vertices[edge.from] - origin) * tree.scale).cross((vertices[edge.to] - origin) * tree.scale);
      if (contour_is_simple(vertices, contour, best_direction(patches.node_masks[n], area), patches.memory)) {
        patches.is_smooth[n] = 1;
        continue;
      }
    }
    for (int s = 0; s < 8; ++s)
      if ((node.valid >> s & 1) != 0 && !node.is_leaf(s)) waiting.push_back(node.index(s));
  }
}

}  // namespace whisker::deform
