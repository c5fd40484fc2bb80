#include "deform/smooth_patches.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "deform/contour.hpp"

namespace whisker::deform {
namespace {

using trees::OrientedNode;
using trees::OrientedTree;

/// A directed edge.
struct HalfEdge {
  std::uint32_t from;
  std::uint32_t to;
};

/// The edges without those that run both ways, once each. False if one runs the same way twice.
bool cancel(std::vector<HalfEdge>& edges) {
  const auto key = [](const HalfEdge& e) { return std::pair(std::min(e.from, e.to), std::max(e.from, e.to)); };
  std::sort(edges.begin(), edges.end(), [&](const HalfEdge& p, const HalfEdge& q) {
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

/// Adds the chains that the edges make. False, and nothing added, if a vertex is passed twice.
bool add_loops(std::vector<HalfEdge> edges, NodeContours& contours) {
  std::sort(edges.begin(), edges.end(), [](const HalfEdge& p, const HalfEdge& q) { return p.from < q.from; });
  for (std::size_t i = 0; i + 1 < edges.size(); ++i)
    if (edges[i].from == edges[i + 1].from) return false;
  const std::size_t first_vertex = contours.vertices.size(), first_loop = contours.loops.size();
  std::vector<bool> is_taken(edges.size());
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (is_taken[i]) continue;
    const std::size_t begin = contours.vertices.size();
    std::size_t at = i;
    while (!is_taken[at]) {
      is_taken[at] = true;
      contours.vertices.push_back(edges[at].from);
      const auto next = std::lower_bound(edges.begin(), edges.end(), edges[at].to,
                                         [](const HalfEdge& e, std::uint32_t v) { return e.from < v; });
      if (next == edges.end() || next->from != edges[at].to) {
        contours.vertices.resize(first_vertex);
        contours.loops.resize(first_loop);
        return false;
      }
      at = static_cast<std::size_t>(next - edges.begin());
    }
    contours.loops.push_back({begin, contours.vertices.size()});
  }
  return true;
}

}  // namespace

NodeContours find_contours(const OrientedTree& tree, std::span<const trees::LeafVertices> leaves) {
  // From the children up; a node's edges are dropped when its parent has taken them.
  struct Border {
    std::vector<HalfEdge> edges;
    bool is_good = true;
  };
  std::vector<Border> borders(tree.nodes.size());
  NodeContours contours;
  std::vector<std::uint32_t> loop_end(tree.nodes.size());  // of the nodes from the last down
  for (std::size_t n = tree.nodes.size(); n-- > 0;) {
    const OrientedNode& node = tree.nodes[n];
    Border& border = borders[n];
    for (int s = 0; s < 8; ++s) {
      if ((node.valid >> s & 1) == 0) continue;
      if (!node.is_leaf(s)) {
        Border& child = borders[node.index(s)];
        border.edges.insert(border.edges.end(), child.edges.begin(), child.edges.end());
        border.is_good = border.is_good && child.is_good;
        child.edges = {};
        continue;
      }
      const std::uint32_t* const vertex = leaves[node.index(s)].vertex;
      for (std::size_t i = 0; i < node.triangles(s); ++i)
        for (std::size_t c = 0; c < 3; ++c)
          border.edges.push_back({vertex[4 * c + i], vertex[4 * ((c + 1) % 3) + i]});
    }
    border.is_good = border.is_good && cancel(border.edges);
    if (border.is_good) add_loops(border.edges, contours);
    loop_end[n] = static_cast<std::uint32_t>(contours.loops.size());
  }
  // In the order of the nodes, although they were found from the last to the first.
  std::vector<NodeContours::Loop> loops;
  contours.first.reserve(tree.nodes.size() + 1);
  for (std::size_t n = 0; n < tree.nodes.size(); ++n) {
    contours.first.push_back(static_cast<std::uint32_t>(loops.size()));
    const std::size_t begin = n + 1 < tree.nodes.size() ? loop_end[n + 1] : 0;
    for (std::size_t i = begin; i < loop_end[n]; ++i)
      loops.push_back(contours.loops[i]);
  }
  contours.first.push_back(static_cast<std::uint32_t>(loops.size()));
  contours.loops = std::move(loops);
  return contours;
}

namespace {

/// Of the mask's directions the one that is most along `way`; the mask is not 0.
std::array<int, 3> best_direction(std::uint32_t mask, const Vector3& way) {
  std::array<int, 3> best{};
  double most = -1e300;
  for (; mask != 0; mask &= mask - 1) {
    const int bit = __builtin_ctz(mask), sign = bit < 16 ? 1 : -1;
    const int(&axis)[3] = mask_axes[bit % 16];
    const Vector3 v(sign * axis[0], sign * axis[1], sign * axis[2]);
    const double along = way.dot(v) / v.norm();
    if (along <= most) continue;
    most = along;
    best = {sign * axis[0], sign * axis[1], sign * axis[2]};
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
  thread_local std::vector<std::uint32_t> waiting;
  thread_local ContourTest test;
  waiting.assign({0});
  while (!waiting.empty()) {
    const std::uint32_t n = waiting.back();
    waiting.pop_back();
    const std::span<const NodeContours::Loop> loops(contours.loops.data() + contours.first[n],
                                                    contours.loops.data() + contours.first[n + 1]);
    const OrientedNode& node = tree.nodes[n];
    // Of a node with leaves alone the contour costs as much as looking for what touches.
    if (patches.node_masks[n] != 0 && !loops.empty() && node.leaves != node.valid) {
      ++patches.tested;
      test.clear(vertices[contours.vertices[loops.front().begin]], tree.scale);
      for (const NodeContours::Loop& loop : loops)
        test.add_loop(vertices, {contours.vertices.data() + loop.begin, contours.vertices.data() + loop.end});
      if (test.is_simple(best_direction(patches.node_masks[n], test.area()))) {
        patches.is_smooth[n] = 1;
        continue;
      }
    }
    for (int s = 0; s < 8; ++s)
      if ((node.valid >> s & 1) != 0 && !node.is_leaf(s)) waiting.push_back(node.index(s));
  }
}

}  // namespace whisker::deform
