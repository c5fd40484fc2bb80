// Builds coarser levels by removing vertices: D. Dobkin, D. Kirkpatrick, "Determining the separation of preprocessed
// polyhedra" (1990), with the importance rule and the relaxation of Ehmann and Lin (2000).
//
// Flat vertices are removed, no two of them adjacent, so that each leaves a hole of its own. The hull of the remaining
// vertices fills the holes. That hull lies inside the original: it is scaled about the original's centroid until it
// contains the original. Then every vertex is moved back toward the centroid as far as convexity and the original
// allow. Ehmann and Lin look up which fine vertices lie in the cone of a face; here a climb on the original finds the
// decisive one.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include <Eigen/Geometry>

#include "geometry/lists.hpp"
#include "geometry/unit_vector.hpp"
#include "methods/marching/hull_levels.hpp"
#include "shapes/internals.hpp"

namespace whisker::methods::marching {
namespace {

using Kind = FeatureKind;

// How far from flat each vertex is: the sum of 1 - cos(angle between the faces) over its edges.
std::vector<double> importance_of_vertices(const ConvexHull& hull) {
  std::vector<double> importance(hull.vertices().size(), 0);
  for (const HullEdge& e : hull.edges()) {
    const double bend = 1 - hull.planes()[e.left].normal.dot(hull.planes()[e.right].normal);
    importance[e.begin] += bend;
    importance[e.end] += bend;
  }
  return importance;
}

// Marks the vertices to remove, in order of increasing importance. No two of them are neighbors.
std::vector<bool> vertices_to_remove(const ConvexHull& hull, double max_importance) {
  const std::vector<double> importance = importance_of_vertices(hull);
  std::vector<std::uint32_t> order = geometry::numbers_below(importance.size());
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return importance[a] != importance[b] ? importance[a] < importance[b] : a < b;
  });
  std::vector<bool> remove(importance.size(), false), excluded(importance.size(), false);
  for (const std::uint32_t v : order) {
    if (!(importance[v] <= max_importance)) break;
    if (excluded[v]) continue;
    remove[v] = true;
    for (const std::uint32_t w : hull.neighbors(v))
      excluded[w] = true;
  }
  return remove;
}

// The vertices around a vertex, counterclockwise. Empty if an adjacent face is not a triangle.
std::vector<std::uint32_t> ring_of(const MarchHull& hull, std::uint32_t v) {
  std::unordered_map<std::uint32_t, std::uint32_t> next;
  for (const MarchHull::Spoke& spoke : hull.spokes[v]) {
    for (const std::uint32_t f : hull.edges[spoke.edge].faces) {
      const auto face = hull.hull.face(f);
      if (face.size() != 3) return {};
      const std::size_t at = face[0] == v ? 0 : face[1] == v ? 1 : 2;
      next[face[(at + 1) % 3]] = face[(at + 2) % 3];
    }
  }
  std::vector<std::uint32_t> ring = {next.begin()->first};
  while (ring.size() < next.size())
    ring.push_back(next[ring.back()]);
  std::rotate(ring.begin(), std::min_element(ring.begin(), ring.end()), ring.end());
  return ring;
}

constexpr std::uint32_t missing = 0xffffffffu;

// The edge between two vertices of a hull.
std::uint32_t edge_between(const MarchHull& hull, std::uint32_t v, std::uint32_t w) {
  for (const MarchHull::Spoke& spoke : hull.spokes[v]) {
    if (spoke.other == w) return spoke.edge;
  }
  return missing;
}

// A corner of the face on the other side of the edge pq from w; p if there is none.
std::uint32_t corner_beyond(const MarchHull& hull, std::uint32_t p, std::uint32_t q, std::uint32_t w) {
  const std::uint32_t edge = edge_between(hull, p, q);
  if (edge == missing) return p;
  for (const std::uint32_t f : hull.edges[edge].faces) {
    const auto face = hull.hull.face(f);
    if (std::ranges::find(face, w) != face.end()) continue;
    for (const std::uint32_t v : face) {
      if (v != p && v != q) return v;
    }
  }
  return p;
}

// Moves the vertices of a polyhedron around the finest hull back toward the center, one after the other.
class Relaxation {
 public:
  Relaxation(const ConvexHull& hull, std::vector<Vector3>& points, const Vector3& center, const MarchHull& finest)
      : marching_(hull), hull_(storage_of(marching_)), points_(points), center_(center), finest_(finest) {
    const Aabb box = hull.bounds();
    margin_ = 1e-12 * (box.upper - box.lower).maxCoeff();
  }

  // Neighbors restrict each other: a second round gains a little, further rounds almost nothing.
  void relax(double farthest_in) {
    constexpr int max_rounds = 2;
    double moved = 1;
    for (int round = 0; round < max_rounds && moved > 0.01; ++round) {
      moved = 0;
      for (std::uint32_t v = 0; v < points_.size(); ++v)
        moved = std::max(moved, relax_vertex(v, farthest_in));
    }
  }

 private:
  // Returns how far the vertex moved, as a fraction of its distance from the center.
  double relax_vertex(std::uint32_t v, double farthest_in) {
    const std::vector<std::uint32_t> ring = ring_of(hull_, v);
    if (ring.size() < 3) return 0;
    std::vector<std::uint32_t> beyond;
    for (std::size_t i = 0; i < ring.size(); ++i)
      beyond.push_back(corner_beyond(hull_, ring[i], ring[(i + 1) % ring.size()], v));
    const Vector3 arm = points_[v] - center_;
    double good = 1, bad = farthest_in;
    constexpr int halvings = 12;
    for (int i = 0; i < halvings; ++i) {
      const double middle = (good + bad) / 2;
      (is_allowed(ring, beyond, center_ + middle * arm) ? good : bad) = middle;
    }
    points_[v] = center_ + good * arm;
    return 1 - good;
  }

  // Whether the finest hull and the polyhedron's other vertices nearby would be below all faces around the vertex if it
  // were at `at`.
  bool is_allowed(const std::vector<std::uint32_t>& ring, const std::vector<std::uint32_t>& beyond, const Vector3& at) {
    const std::size_t count = ring.size();
    for (std::size_t i = 0; i < count; ++i) {
      const Vector3& p = points_[ring[i]];
      const Vector3& q = points_[ring[(i + 1) % count]];
      const Vector3 normal = geometry::unit_vector((p - at).cross(q - at));
      const auto is_below = [&](const Vector3& x) { return normal.dot(x - at) < -margin_; };
      if (!(normal.dot(at - center_) > 0)) return false;
      if (beyond[i] != ring[i] && !is_below(points_[beyond[i]])) return false;
      if (count > 3 && !is_below(points_[ring[(i + 2) % count]])) return false;
      if (count > 3 && !is_below(points_[ring[(i + count - 1) % count]])) return false;
      start_ = highest_vertex(finest_, start_, normal);
      if (!is_below(finest_.hull.vertices()[start_])) return false;
    }
    return true;
  }

  MarchingHull marching_;
  const MarchHull& hull_;
  std::vector<Vector3>& points_;
  Vector3 center_;
  const MarchHull& finest_;
  double margin_ = 0;
  std::uint32_t start_ = 0;
};

// A level whose vertices are named by the vertices of the original that they came from.
struct NamedLevel {
  MarchingHull hull;
  std::vector<std::uint32_t> name;                         // by vertex
  std::unordered_map<std::uint32_t, std::uint32_t> index;  // by name

  NamedLevel(MarchingHull hull_, std::vector<std::uint32_t> name_) : hull(std::move(hull_)), name(std::move(name_)) {
    for (std::uint32_t v = 0; v < name.size(); ++v)
      index[name[v]] = v;
  }
};

// The vertex of `to` that has the same name as vertex v of `from`.
std::uint32_t same_vertex(const NamedLevel& from, std::uint32_t v, const NamedLevel& to) {
  const auto found = to.index.find(from.name[v]);
  return found == to.index.end() ? missing : found->second;
}

// The counterparts in `to` of a feature's vertices.
std::vector<std::uint32_t> counterparts(const NamedLevel& from, const Feature& feature, const NamedLevel& to) {
  return geometry::mapped(storage_of(from.hull).vertices_of(feature),
                          [&](std::uint32_t v) { return same_vertex(from, v, to); });
}

// The feature of `to` with these vertices, if it was kept between the levels. Its id is `missing` if there is none.
Feature same_feature(const std::vector<std::uint32_t>& vertices, Kind kind, const NamedLevel& to) {
  const MarchHull& hull = storage_of(to.hull);
  if (std::ranges::find(vertices, missing) != vertices.end()) return {0, kind, missing};
  if (kind == Kind::vertex) return {0, kind, vertices[0]};
  const std::uint32_t edge = edge_between(hull, vertices[0], vertices[1]);
  if (kind == Kind::edge || edge == missing) return {0, kind, edge};
  for (const std::uint32_t f : hull.edges[edge].faces) {
    if (hull.hull.face(f).size() == vertices.size() && hull.has_vertices(hull_face(f), vertices)) return hull_face(f);
  }
  return {0, kind, missing};
}

// The vertex of the finer level that has no counterpart in the coarser one and is a neighbor of all the given vertices:
// its removal made the hole that they border.
std::uint32_t removed_between(const NamedLevel& fine, const NamedLevel& coarse, std::span<const std::uint32_t> around) {
  const MarchHull& hull = storage_of(fine.hull);
  if (around.empty() || around[0] == missing) return missing;
  for (const MarchHull::Spoke& spoke : hull.spokes[around[0]]) {
    if (same_vertex(fine, spoke.other, coarse) != missing) continue;
    const bool all = std::all_of(around.begin() + 1, around.end(), [&](std::uint32_t v) {
      return v != missing && edge_between(hull, spoke.other, v) != missing;
    });
    if (all) return spoke.other;
  }
  return missing;
}

template <class Link>
Links link_all(const MarchHull& hull, const Link& link) {
  Links links;
  for (const Kind kind : {Kind::vertex, Kind::edge, Kind::face}) {
    for (std::uint32_t id = 0; id < hull.count(kind); ++id)
      links.push_back(link(Feature{0, kind, id}));
  }
  return links;
}

// A kept feature is linked to itself, a feature that fills a hole to the vertex that was removed there.
Links removal_children(const NamedLevel& coarse, const NamedLevel& fine) {
  return link_all(storage_of(coarse.hull), [&](Feature feature) -> Feature {
    const std::vector<std::uint32_t> vertices = counterparts(coarse, feature, fine);
    const Feature same = same_feature(vertices, feature.kind, fine);
    if (same.id != missing) return same;
    const std::uint32_t removed = removed_between(fine, coarse, vertices);
    if (removed != missing) return hull_vertex(removed);
    return hull_vertex(vertices[0] != missing ? vertices[0] : 0);
  });
}

// A kept feature is linked to itself, a removed one to a vertex at the rim of the hole.
Links removal_parents(const NamedLevel& fine, const NamedLevel& coarse) {
  const MarchHull& hull = storage_of(fine.hull);
  return link_all(hull, [&](Feature feature) -> Feature {
    const std::vector<std::uint32_t> vertices = counterparts(fine, feature, coarse);
    const Feature same = same_feature(vertices, feature.kind, coarse);
    if (same.id != missing) return same;
    for (const std::uint32_t v : vertices) {
      if (v != missing) return hull_vertex(v);
    }
    for (const MarchHull::Spoke& spoke : hull.spokes[hull.vertices_of(feature)[0]]) {
      const std::uint32_t v = same_vertex(fine, spoke.other, coarse);
      if (v != missing) return hull_vertex(v);
    }
    return hull_vertex(0);
  });
}

}  // namespace

void add_removal_levels(std::vector<Level>& levels, const HullLevelOptions& options) {
  const MarchingHull finest = levels[0].hull;
  const Vector3 center = finest.hull().centroid();
  const auto original = finest.hull().vertices();

  ConvexHull skeleton = finest.hull();  // hull of the remaining vertices at their original positions
  std::vector<std::uint32_t> names = geometry::numbers_below(original.size());
  NamedLevel below(finest, names);
  while (levels.size() < options.max_levels) {
    const std::vector<bool> remove = vertices_to_remove(skeleton, options.max_importance);
    std::vector<std::uint32_t> kept;
    for (std::uint32_t v = 0; v < remove.size(); ++v) {
      if (!remove[v]) kept.push_back(names[v]);
    }
    if (kept.size() == names.size() || kept.size() < 4) return;
    std::vector<Vector3> points = geometry::picked(original, kept);
    skeleton = ConvexHull(points);
    names = geometry::picked(kept, skeleton.vertex_points());
    if (skeleton.dimension() != 3) return;
    if (triangle_count(skeleton) < std::max<std::size_t>(options.min_triangles, 4)) return;

    const std::optional<double> factor = bounding_factor(skeleton, center, storage_of(finest));
    if (!factor) return;  // the centroid is outside
    points.assign(skeleton.vertices().begin(), skeleton.vertices().end());
    for (Vector3& p : points)
      p = center + (*factor * (1 + 0x1p-36)) * (p - center);
    Relaxation(skeleton, points, center, storage_of(finest)).relax(1 / *factor);
    const std::optional<ConvexHull> outer = enclosing_hull(points, center, 1, storage_of(finest));
    if (!outer || triangle_count(*outer) < options.min_triangles) return;
    // Relaxation may have flattened vertices of the level below. A level that is no simpler is skipped.
    if (triangle_count(*outer) >= triangle_count(below.hull.hull())) continue;
    // A level that deviates by more than the hull's own size is useless.
    const double deviation = deviation_from(*outer, finest);
    if (!(deviation <= storage_of(finest).extent)) return;
    NamedLevel coarse(MarchingHull(*outer), geometry::picked(names, outer->vertex_points()));
    levels.back().parent = removal_parents(below, coarse);
    levels.push_back({coarse.hull, deviation, removal_children(coarse, below), {}});
    below = std::move(coarse);
  }
}

}  // namespace whisker::methods::marching
