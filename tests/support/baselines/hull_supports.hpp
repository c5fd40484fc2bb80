#pragma once

// Support functions of a convex hull from the literature: hill climbing over its edges, hill climbing with artificial
// neighbors, and descending a Dobkin-Kirkpatrick hierarchy. Baselines that the library's own table is compared with.
//
// Each is a body in the sense of gjk.hpp, in the hull's own frame. If several vertices are equally far, any of them is
// returned.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <numeric>
#include <span>
#include <vector>

#include <Eigen/Geometry>

#include <whisker/convex_hull.hpp>
#include <whisker/geometry/hull.hpp>
#include <whisker/vector.hpp>

namespace whisker::baselines {

/// Lists of numbers, stored one after the other.
struct NumberLists {
  std::vector<std::uint32_t> begin = {0};
  std::vector<std::uint32_t> numbers;

  std::size_t size() const { return begin.size() - 1; }
  std::span<const std::uint32_t> operator[](std::size_t i) const {
    return std::span(numbers).subspan(begin[i], begin[i + 1] - begin[i]);
  }
  void end_list() { begin.push_back(static_cast<std::uint32_t>(numbers.size())); }
};

/// For each vertex, the vertices that share an edge with it.
inline NumberLists edge_graph(const HullData& hull) {
  std::vector<std::uint64_t> edges;
  for (std::size_t f = 0; f < hull.face_count(); ++f) {
    const std::span<const std::uint32_t> face = hull.face(f);
    for (std::size_t i = 0; i < face.size(); ++i) {
      const std::uint64_t from = face[i], to = face[(i + 1) % face.size()];
      edges.push_back(from << 32 | to);
      edges.push_back(to << 32 | from);
    }
  }
  if (hull.dimension == 1) edges = {std::uint64_t{0} << 32 | 1, std::uint64_t{1} << 32 | 0};
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  NumberLists graph;
  std::size_t at = 0;
  for (std::uint64_t v = 0; v < hull.vertices.size(); ++v) {
    for (; at < edges.size() && edges[at] >> 32 == v; ++at)
      graph.numbers.push_back(static_cast<std::uint32_t>(edges[at]));
    graph.end_list();
  }
  return graph;
}

/// Descends a hierarchy of polyhedra (Dobkin and Kirkpatrick 1983). Each polyhedron is the previous one without an
/// independent set of vertices of low degree. The farthest vertex of the finer polyhedron is the farthest vertex of the
/// coarser one, or a removed neighbor of that vertex. There are O(log n) levels with a few vertices each.
class DobkinKirkpatrickSupport {
 public:
  explicit DobkinKirkpatrickSupport(const ConvexHull& hull)
      : vertices_(hull.vertices().begin(), hull.vertices().end()), top_(vertices_.size()) {
    std::iota(top_.begin(), top_.end(), 0u);
    if (hull.dimension() < 3) return;
    std::vector<std::uint32_t> names = top_;  // of the current level's vertices
    HullData level = convex_hull(vertices_);
    while (names.size() > smallest_top) {
      const NumberLists graph = edge_graph(level);
      const std::vector<char> removed = independent_set(graph);
      std::vector<Vector3> kept_points;
      std::vector<std::uint32_t> kept;
      for (std::uint32_t v = 0; v < names.size(); ++v) {
        if (removed[v] != 0) continue;
        kept.push_back(v);
        kept_points.push_back(level.vertices[v]);
      }
      if (kept.size() == names.size() || kept.size() < 4) break;
      HullData coarser = convex_hull(kept_points);
      if (coarser.dimension < 3) break;
      Step step;
      for (const std::uint32_t v : kept) {
        step.finer.push_back(v);
        for (const std::uint32_t neighbor : graph[v])
          if (removed[neighbor] != 0) {
            step.removed.numbers.push_back(neighbor);
            step.names.push_back(names[neighbor]);
          }
        step.removed.end_list();
      }
      steps_.push_back(std::move(step));
      std::vector<std::uint32_t> coarser_names;
      for (const std::uint32_t v : kept)
        coarser_names.push_back(names[v]);
      names = std::move(coarser_names);
      level = std::move(coarser);
    }
    top_ = names;
  }

  std::uint32_t farthest(const Vector3& direction) const {
    std::size_t at = 0;  // in the level's own numbers
    double most = direction.dot(vertices_[top_[0]]);
    for (std::size_t i = 1; i < top_.size(); ++i) {
      const double along = direction.dot(vertices_[top_[i]]);
      if (along > most) {
        most = along;
        at = i;
      }
    }
    std::uint32_t name = top_[at];
    for (std::size_t s = steps_.size(); s-- > 0;) {
      const Step& step = steps_[s];
      std::uint32_t next = step.finer[at];
      for (std::size_t i = step.removed.begin[at]; i < step.removed.begin[at + 1]; ++i) {
        const double along = direction.dot(vertices_[step.names[i]]);
        if (along > most) {
          most = along;
          next = step.removed.numbers[i];
          name = step.names[i];
        }
      }
      at = next;
    }
    return name;
  }
  Vector3 point(std::uint32_t name) const { return vertices_[name]; }
  std::size_t levels() const { return steps_.size() + 1; }

 private:
  static constexpr std::size_t smallest_top = 12;
  static constexpr std::size_t max_neighbors = 10;  // of a vertex that may be removed

  /// From a level's vertices to those of the next finer one.
  struct Step {
    std::vector<std::uint32_t> finer;  ///< The same vertex in the finer level.
    NumberLists removed;               ///< Its neighbors in the finer level that are not in this one.
    std::vector<std::uint32_t> names;  ///< The numbers of those neighbors in the hull.
  };

  static std::vector<char> independent_set(const NumberLists& graph) {
    std::vector<std::uint32_t> order(graph.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return graph[a].size() < graph[b].size(); });
    std::vector<char> removed(graph.size(), 0), blocked(graph.size(), 0);
    for (const std::uint32_t v : order) {
      if (blocked[v] != 0 || graph[v].size() > max_neighbors) continue;
      removed[v] = 1;
      for (const std::uint32_t neighbor : graph[v])
        blocked[neighbor] = 1;
    }
    return removed;
  }

  std::vector<Vector3> vertices_;
  std::vector<std::uint32_t> top_;
  std::vector<Step> steps_;  ///< Finest first.
};

/// Climbs over the hull's edges to the best neighbor until none is better, starting where the last search ended. On a
/// convex polyhedron, a local maximum is the global one.
class ClimbingSupport {
 public:
  explicit ClimbingSupport(const ConvexHull& hull) : vertices_(hull.vertices().begin(), hull.vertices().end()) {
    for (std::size_t v = 0; v < vertices_.size(); ++v) {
      const std::span<const std::uint32_t> neighbors = hull.neighbors(v);
      graph_.numbers.insert(graph_.numbers.end(), neighbors.begin(), neighbors.end());
      graph_.end_list();
    }
  }

  std::uint32_t farthest(const Vector3& direction) const {
    std::uint32_t at = last_;
    double most = direction.dot(vertices_[at]);
    for (bool moved = true; moved;) {
      moved = false;
      const std::uint32_t from = at;
      for (const std::uint32_t neighbor : graph_[from]) {
        const double along = direction.dot(vertices_[neighbor]);
        if (along > most) {
          most = along;
          at = neighbor;
          moved = true;
        }
      }
    }
    last_ = at;
    return at;
  }
  Vector3 point(std::uint32_t name) const { return vertices_[name]; }
  void start_from(std::uint32_t vertex) const { last_ = vertex; }

 private:
  friend ClimbingSupport with_artificial_neighbors(const ConvexHull& hull);

  std::vector<Vector3> vertices_;
  NumberLists graph_;
  mutable std::uint32_t last_ = 0;
};

/// The same with artificial neighbors, which allow long jumps (Ericson 2004): from each vertex, the supports along its
/// normal rotated by 90°, 45°, 22.5°…, down to about the length of an edge, each toward two sides. The sides differ
/// from vertex to vertex. So wherever the climb starts, some link covers about half of the way.
inline ClimbingSupport with_artificial_neighbors(const ConvexHull& hull) {
  ClimbingSupport result(hull);
  if (hull.dimension() < 3) return result;
  const std::size_t count = hull.vertices().size();
  std::vector<Vector3> normals(count, Vector3::Zero());
  for (std::size_t f = 0; f < hull.face_count(); ++f)
    for (const std::uint32_t v : hull.face(f))
      normals[v] += hull.planes()[f].normal;
  const DobkinKirkpatrickSupport links(hull);
  const double golden_angle = std::numbers::pi * (3 - std::sqrt(5.0));
  const double shortest = 2 / std::sqrt(static_cast<double>(count));
  NumberLists graph;
  for (std::size_t v = 0; v < count; ++v) {
    const std::size_t first = graph.numbers.size();
    const Vector3 normal = normals[v].normalized();
    const Vector3 across = normal.unitOrthogonal(), other = normal.cross(across);
    double side = golden_angle * static_cast<double>(v);
    for (double angle = std::numbers::pi / 2; angle > shortest; angle /= 2) {
      for (int i = 0; i < 2; ++i) {
        const Vector3 toward = std::cos(side) * across + std::sin(side) * other;
        graph.numbers.push_back(links.farthest(std::cos(angle) * normal + std::sin(angle) * toward));
        side += std::numbers::pi;
      }
      side += golden_angle;
    }
    const std::span<const std::uint32_t> edges = hull.neighbors(v);
    graph.numbers.insert(graph.numbers.end(), edges.begin(), edges.end());
    const auto begin = graph.numbers.begin() + static_cast<std::ptrdiff_t>(first);
    std::sort(begin, graph.numbers.end());
    graph.numbers.erase(std::unique(begin, graph.numbers.end()), graph.numbers.end());
    graph.end_list();
  }
  result.graph_ = std::move(graph);
  return result;
}

}  // namespace whisker::baselines
