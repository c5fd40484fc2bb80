#include "methods/surfaces/surface_topology.hpp"

#include <algorithm>
#include <utility>

namespace whisker::methods::surfaces {

namespace {

void set_contours(SurfaceTopology& topology) {
  const SurfaceTree& tree = topology.tree;
  NumberLists& contours = topology.contours;
  contours.first.reserve(tree.nodes.size() + 1);
  contours.first.push_back(0);
  for (std::uint32_t n = 0; n < tree.nodes.size(); ++n) {
    const SurfaceNode& node = tree.nodes[n];
    if (tree.is_leaf(n)) {
      for (std::uint32_t k = 0; k < 3; ++k)
        contours.items.push_back(3 * n + k);
    } else if (node.is_surface) {
      for (std::uint32_t k = 0; k < node.size; ++k) {
        const std::size_t end = contours.first[node.children[k] + 1];
        for (std::size_t i = contours.first[node.children[k]]; i < end; ++i) {
          const std::uint32_t half_edge = contours.items[i], twin = topology.twins[half_edge];
          if (twin == no_number || !tree.has(n, twin / 3)) contours.items.push_back(half_edge);
        }
      }
    }
    contours.first.push_back(contours.items.size());
  }
}

void set_places(SurfaceTopology& topology, std::size_t vertices, std::span<const Index3> triangles) {
  topology.places = geometry::group<std::uint32_t, std::size_t>(vertices, [&](const auto& visit) {
    for (std::uint32_t place = 0; place < triangles.size(); ++place) {
      const Index3& v = triangles[topology.tree.order[place]];
      visit(v[0], place);
      if (v[1] != v[0]) visit(v[1], place);
      if (v[2] != v[0] && v[2] != v[1]) visit(v[2], place);
    }
  });
}

/// Going up from the triangles at a vertex to the node that contains them all, every node on the way has the vertex on
/// its border. The number of regions around a node that also have the vertex is that of its parent, plus the siblings
/// that have it.
void set_junctions(SurfaceTopology& topology, std::size_t vertices, std::span<const Index3> triangles) {
  const SurfaceTree& tree = topology.tree;
  std::vector<bool> is_open(vertices);
  for (std::uint32_t h = 0; h < topology.twins.size(); ++h)
    if (topology.twins[h] == no_number) is_open[from_vertex(triangles, h)] = is_open[to_vertex(triangles, h)] = true;

  std::vector<std::pair<std::uint32_t, std::uint32_t>> found;  // node, vertex
  std::vector<std::uint32_t> heap, seen, around(tree.nodes.size()), with_vertex(tree.nodes.size(), 0);
  for (std::uint32_t v = 0; v < vertices; ++v) {
    heap.clear();
    for (const std::uint32_t place : topology.places[v])
      heap.push_back(tree.order[place]);
    if (heap.empty()) continue;
    // The lowest index first, so that children come before their parents.
    std::make_heap(heap.begin(), heap.end(), std::greater<>());
    seen.clear();
    while (heap.size() > 1) {
      std::pop_heap(heap.begin(), heap.end(), std::greater<>());
      const std::uint32_t node = heap.back(), parent = tree.nodes[node].parent;
      seen.push_back(node);
      // A parent is in the heap once, regardless of how many of its children have the vertex.
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

  topology.junctions = geometry::group<std::uint32_t, std::size_t>(tree.nodes.size(), [&](const auto& visit) {
    for (const auto& [node, v] : found)
      visit(node, v);
  });
}

}  // namespace

bool has_vertex(const SurfaceTopology& topology, std::uint32_t node, std::uint32_t vertex) {
  const std::span<const std::uint32_t> places = topology.places[vertex];
  const SurfaceNode& of = topology.tree.nodes[node];
  const auto place = std::ranges::lower_bound(places, of.first);
  return place != places.end() && *place - of.first < of.triangles;
}

bool are_next(const SurfaceTopology& topology, std::uint32_t a, std::uint32_t b) {
  return std::ranges::any_of(topology.junctions[a], [&](std::uint32_t v) { return has_vertex(topology, b, v); }) ||
         std::ranges::any_of(topology.junctions[b], [&](std::uint32_t v) { return has_vertex(topology, a, v); });
}

SurfaceTopology build_surface_topology(std::span<const Vector3> positions, std::span<const Index3> triangles,
                                       std::span<const std::uint32_t> faces) {
  SurfaceTopology topology;
  topology.tree = build_surface_tree(positions, triangles, faces);
  trees::EdgeTwins twins = trees::find_edge_twins(triangles, positions.size());
  topology.twins = std::move(twins.twin);
  topology.has_odd_edges = twins.has_odd_edges;
  set_contours(topology);
  set_places(topology, positions.size(), triangles);
  set_junctions(topology, positions.size(), triangles);
  return topology;
}

}  // namespace whisker::methods::surfaces
