#include "deform/surface_topology.hpp"

#include <algorithm>
#include <utility>

#include "deform/surface_edges.hpp"

namespace whisker::deform {

namespace {

void set_twins(SurfaceTopology& topology, std::span<const Index3> triangles) {
  topology.twins.assign(3 * triangles.size(), no_number);
  const std::vector<EdgeSide> sides = sorted_edge_sides(triangles);
  for (std::size_t i = 0; i < sides.size();) {
    std::size_t end = i + 1;
    while (end < sides.size() && sides[i].same_edge(sides[end]))
      ++end;
    const std::uint32_t p = sides[i].half_edge, q = sides[end - 1].half_edge;
    if (end - i == 2 && p / 3 != q / 3 && from_vertex(triangles, p) != from_vertex(triangles, q)) {
      topology.twins[p] = q;
      topology.twins[q] = p;
    } else if (end - i > 1) {
      topology.has_odd_edges = true;
    }
    i = end;
  }
}

void set_contours(SurfaceTopology& topology) {
  const SurfaceTree& tree = topology.tree;
  NumberLists& contours = topology.contours;
  contours.ends.reserve(tree.nodes.size());
  for (std::uint32_t n = 0; n < tree.nodes.size(); ++n) {
    const SurfaceNode& node = tree.nodes[n];
    if (tree.is_leaf(n)) {
      for (std::uint32_t k = 0; k < 3; ++k)
        contours.items.push_back(3 * n + k);
    } else if (node.is_surface) {
      for (std::uint32_t k = 0; k < node.size; ++k) {
        const std::size_t end = contours.ends[node.children[k]], begin = end - contours[node.children[k]].size();
        for (std::size_t i = begin; i < end; ++i) {
          const std::uint32_t half_edge = contours.items[i], twin = topology.twins[half_edge];
          if (twin == no_number || !tree.has(n, twin / 3)) contours.items.push_back(half_edge);
        }
      }
    }
    contours.ends.push_back(contours.items.size());
  }
}

/// The triangles at each vertex.
NumberLists triangles_at_vertices(std::size_t vertices, std::span<const Index3> triangles) {
  NumberLists at;
  at.ends.assign(vertices, 0);
  const auto for_each = [&](const auto& visit) {
    for (std::uint32_t t = 0; t < triangles.size(); ++t) {
      const Index3& v = triangles[t];
      visit(v[0], t);
      if (v[1] != v[0]) visit(v[1], t);
      if (v[2] != v[0] && v[2] != v[1]) visit(v[2], t);
    }
  };
  for_each([&](std::uint32_t v, std::uint32_t) { ++at.ends[v]; });
  std::size_t sum = 0;
  for (std::size_t& end : at.ends)
    end = std::exchange(sum, sum + end);
  at.items.resize(sum);
  // Begins become ends.
  for_each([&](std::uint32_t v, std::uint32_t t) { at.items[at.ends[v]++] = t; });
  return at;
}

/// Up from the triangles at a vertex to where they are in one node, every node on the way has the vertex on its border.
/// How many regions around a node have the vertex too is that of its parent, and the siblings that have it.
void set_junctions(SurfaceTopology& topology, std::size_t vertices, std::span<const Index3> triangles) {
  const SurfaceTree& tree = topology.tree;
  std::vector<bool> is_open(vertices);
  for (std::uint32_t h = 0; h < topology.twins.size(); ++h)
    if (topology.twins[h] == no_number) is_open[from_vertex(triangles, h)] = is_open[to_vertex(triangles, h)] = true;
  const NumberLists at = triangles_at_vertices(vertices, triangles);

  std::vector<std::pair<std::uint32_t, std::uint32_t>> found;  // node, vertex
  std::vector<std::uint32_t> heap, seen, around(tree.nodes.size()), with_vertex(tree.nodes.size(), 0);
  for (std::uint32_t v = 0; v < vertices; ++v) {
    heap.assign(at[v].begin(), at[v].end());
    if (heap.empty()) continue;
    // The least number first, so that children come before their parents.
    std::make_heap(heap.begin(), heap.end(), std::greater<>());
    seen.clear();
    while (heap.size() > 1) {
      std::pop_heap(heap.begin(), heap.end(), std::greater<>());
      const std::uint32_t node = heap.back(), parent = tree.nodes[node].parent;
      seen.push_back(node);
      // A parent is in the heap once, however many of its children have the vertex.
      if (with_vertex[parent]++ == 0) {
        heap.back() = parent;
        std::push_heap(heap.begin(), heap.end(), std::greater<>());
      } else {
        heap.pop_back();
      }
    }
    around[heap.front()] = is_open[v] ? 1 : 0;
    for (std::size_t i = seen.size(); i-- > 0;) {
      const std::uint32_t parent = tree.nodes[seen[i]].parent;
      around[seen[i]] = around[parent] + with_vertex[parent] - 1;
      if (around[seen[i]] >= 2) found.emplace_back(seen[i], v);
    }
    for (const std::uint32_t node : seen)
      with_vertex[tree.nodes[node].parent] = 0;
  }

  NumberLists& junctions = topology.junctions;
  junctions.ends.assign(tree.nodes.size(), 0);
  for (const auto& [node, v] : found)
    ++junctions.ends[node];
  std::size_t sum = 0;
  for (std::size_t& end : junctions.ends)
    end = std::exchange(sum, sum + end);
  junctions.items.resize(sum);
  for (const auto& [node, v] : found)
    junctions.items[junctions.ends[node]++] = v;
}

}  // namespace

SurfaceTopology build_surface_topology(std::span<const Vector3> positions, std::span<const Index3> triangles,
                                       std::span<const std::uint32_t> faces) {
  SurfaceTopology topology;
  topology.tree = build_surface_tree(positions, triangles, faces);
  set_twins(topology, triangles);
  set_contours(topology);
  set_junctions(topology, positions.size(), triangles);
  return topology;
}

}  // namespace whisker::deform
