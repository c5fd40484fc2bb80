#include "geometry/hull_quickhull.hpp"

#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include <whisker/geometry/aabb.hpp>

#include "geometry/constants.hpp"
#include "geometry/disjoint_sets.hpp"
#include "geometry/predicates_inline.hpp"

// Quickhull (C. B. Barber, D. P. Dobkin, H. Huhdanpaa, "The quickhull algorithm for convex hulls", 1996) with exact
// signs in place of thick facets.
//
// The current hull is a closed surface of triangles ("facets") around the simplex. A facet sees a point if the point
// lies STRICTLY above its plane, exactly. Why this stays sound with coplanar facets and points:
//  - Coplanar facets see the same points, so the facets that see p are whole faces of the true polyhedron. These faces
//    project one to one from p, so they form a disc, connected through edges, whose border is a simple loop.
//  - A new facet joins p to an edge of a facet that sees p. p is off that facet's plane, hence off the edge's line. So
//    no new facet is degenerate, and its plane is always defined.
//  - A new facet coplanar with a kept one extends that face. This may leave a vertex inside an edge or a face. The
//    surface remains a triangulation of the true hull's boundary, and such vertices are dropped at the end, when each
//    set of coplanar facets becomes one polygon.
//  - A point that was seen by a removed facet and lies outside the new hull is seen by a NEW facet. If all facets that
//    saw it are gone, only new ones can see it. If one of them is left, then, because these facets are connected, both
//    facets at some edge of the border loop see the point: a removed facet g and a kept facet h. The new facet at that
//    edge lies between the planes of g and h: its plane is αg + βh with α, β >= 0, not both 0. So it sees the point as
//    well.
// The choice of the next point affects only speed: the point farthest from its facet, in plain doubles. Facets with
// many outside points take turns. Finishing one region first, while its surroundings are still coarse, would make
// facets of extreme shape that see too much (100,000 points on the rims of a cylinder then take 25 times as long).
// Facets with few points are finished at once, while they are in the processor's cache.

namespace whisker::geometry {
namespace {

constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

// Up to this number of outside points counts as few.
constexpr std::uint32_t few_points = 16;

constexpr std::uint32_t after(std::uint32_t corner) {
  return corner == 2 ? 0 : corner + 1;
}

struct Facet {
  Vector3 normal;             // (b - a) × (c - a) in doubles
  Vector3 origin;             // a
  double error;               // beyond this, normal·(x - origin) has the right sign, for every given point x
  double farthest_height;     // height of the farthest outside point, in doubles
  std::uint32_t vertex[3];    // a, b, c: counter-clockwise from outside
  std::uint32_t neighbor[3];  // across the edge vertex[i] -> vertex[i + 1]
  std::uint32_t outside;      // head of the list of points assigned to this facet, which sees them: the farthest
  std::uint32_t outside_count;
  std::uint32_t stamp;  // the round in which `sees` was last determined
  bool sees;            // whether it sees the new point of that round
  bool alive;

  /// The corner that is this vertex, which the facet has.
  std::uint32_t corner_at(std::uint32_t point) const {
    std::uint32_t corner = 0;
    while (vertex[corner] != point)
      ++corner;
    return corner;
  }
};

class Quickhull {
 public:
  explicit Quickhull(std::span<const Vector3> points)
      : points_(points), next_(points.size(), none), facet_from_(points.size(), none) {
    Aabb box;
    for (const Vector3& p : points)
      box.include(p);
    extent_ = (box.upper - box.lower) * (1 + 0x1p-50);
  }

  void run(std::array<std::uint32_t, 4> simplex) {
    start(simplex);
    while (!few_.empty() || many_done_ < many_.size()) {
      std::uint32_t facet;
      if (!few_.empty()) {
        facet = few_.back();
        few_.pop_back();
      } else {
        facet = many_[many_done_++];
      }
      // Entries may be stale: the facet may have been removed, or its slot may hold a newer facet with an entry of its
      // own.
      if (facets_[facet].alive && facets_[facet].outside != none) add_farthest_of(facet);
    }
  }

  FaceLoops merged_faces() const;

 private:
  double height(const Facet& facet, const Vector3& p) const {
    return facet.normal[0] * (p[0] - facet.origin[0]) + facet.normal[1] * (p[1] - facet.origin[1]) +
           facet.normal[2] * (p[2] - facet.origin[2]);
  }

  // The exact sign of the point's height above the facet.
  int side(const Facet& facet, const Vector3& p, double rounded_height) const {
    const int sign = sign_beyond(rounded_height, facet.error);
    if (sign != 0) return sign;
    return orient3d_filtered(points_[facet.vertex[0]], points_[facet.vertex[1]], points_[facet.vertex[2]], p);
  }

  int side(const Facet& facet, const Vector3& p) const { return side(facet, p, height(facet, p)); }

  std::uint32_t make_facet(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    std::uint32_t index;
    if (free_.empty()) {
      index = static_cast<std::uint32_t>(facets_.size());
      facets_.emplace_back();
    } else {
      index = free_.back();
      free_.pop_back();
    }
    Facet& f = facets_[index];
    f.vertex[0] = a;
    f.vertex[1] = b;
    f.vertex[2] = c;
    const Vector3& pa = points_[a];
    const Vector3 u = points_[b] - pa;
    const Vector3 v = points_[c] - pa;
    const double uy_vz = u[1] * v[2], uz_vy = u[2] * v[1];
    const double uz_vx = u[2] * v[0], ux_vz = u[0] * v[2];
    const double ux_vy = u[0] * v[1], uy_vx = u[1] * v[0];
    f.normal = Vector3(uy_vz - uz_vy, uz_vx - ux_vz, ux_vy - uy_vx);
    f.origin = pa;
    // The permanent of predicates_inline.hpp, with the extent of all points for |x - origin|: one bound for all x.
    const double permanent = extent_[0] * (std::abs(uy_vz) + std::abs(uz_vy) + underflow_guard) +
                             extent_[1] * (std::abs(uz_vx) + std::abs(ux_vz) + underflow_guard) +
                             extent_[2] * (std::abs(ux_vy) + std::abs(uy_vx) + underflow_guard) + underflow_guard;
    f.error = (orient3d_error + unit_roundoff) * permanent;
    f.outside = none;
    f.outside_count = 0;
    f.farthest_height = -infinity;
    f.stamp = 0;
    f.alive = true;
    return index;
  }

  // Assigns the point to the first candidate facet that sees it. If none does, the point is inside the hull and
  // dropped.
  void hand_over(std::uint32_t point, std::span<const std::uint32_t> candidates) {
    const Vector3& p = points_[point];
    for (const std::uint32_t index : candidates) {
      Facet& facet = facets_[index];
      const double h = height(facet, p);
      if (side(facet, p, h) <= 0) continue;
      ++facet.outside_count;
      if (facet.outside == none || h > facet.farthest_height) {
        facet.farthest_height = h;
        next_[point] = facet.outside;
        facet.outside = point;
      } else {
        next_[point] = next_[facet.outside];
        next_[facet.outside] = point;
      }
      return;
    }
  }

  void start(std::array<std::uint32_t, 4> s) {
    if (orient3d_filtered(points_[s[0]], points_[s[1]], points_[s[2]], points_[s[3]]) > 0) std::swap(s[0], s[1]);
    // s[3] is below the facet s[0], s[1], s[2].
    facets_.reserve(64);
    const std::uint32_t base = make_facet(s[0], s[1], s[2]);
    std::uint32_t sides[3];
    for (std::uint32_t i = 0; i < 3; ++i)
      sides[i] = make_facet(s[after(i)], s[i], s[3]);
    for (std::uint32_t i = 0; i < 3; ++i) {
      facets_[base].neighbor[i] = sides[i];
      facets_[sides[i]].neighbor[0] = base;
      facets_[sides[i]].neighbor[1] = sides[after(after(i))];  // across s[i] -> s[3]
      facets_[sides[i]].neighbor[2] = sides[after(i)];         // across s[3] -> s[i + 1]
    }
    new_ = {base, sides[0], sides[1], sides[2]};
    for (std::uint32_t p = 0; p < points_.size(); ++p)
      hand_over(p, new_);
    list_new_facets();
  }

  void add_farthest_of(std::uint32_t first) {
    const std::uint32_t point = facets_[first].outside;
    const Vector3 p = points_[point];
    facets_[first].outside = next_[point];
    ++round_;

    // Collect all facets that see the point, and the border of their region. The new facet over the border edge u -> v
    // is (u, v, point). facet_from_[u] finds it.
    seeing_.clear();
    new_.clear();
    facets_[first].stamp = round_;
    facets_[first].sees = true;
    seeing_.push_back(first);
    for (std::size_t i = 0; i < seeing_.size(); ++i) {
      const std::uint32_t seeing = seeing_[i];
      for (std::uint32_t e = 0; e < 3; ++e) {
        const std::uint32_t other = facets_[seeing].neighbor[e];
        Facet& neighbor = facets_[other];
        if (neighbor.stamp != round_) {
          neighbor.stamp = round_;
          neighbor.sees = side(neighbor, p) > 0;
          if (neighbor.sees) seeing_.push_back(other);
        }
        if (neighbor.sees) continue;
        const std::uint32_t u = facets_[seeing].vertex[e];
        const std::uint32_t v = facets_[seeing].vertex[after(e)];
        const std::uint32_t fresh = make_facet(u, v, point);  // may move facets_
        Facet& kept = facets_[other];
        kept.neighbor[kept.corner_at(v)] = fresh;
        facets_[fresh].neighbor[0] = other;
        facets_[fresh].stamp = round_;
        facets_[fresh].sees = false;
        facet_from_[u] = fresh;
        new_.push_back(fresh);
      }
    }
    for (const std::uint32_t fresh : new_) {
      const std::uint32_t following = facet_from_[facets_[fresh].vertex[1]];
      facets_[fresh].neighbor[1] = following;
      facets_[following].neighbor[2] = fresh;
    }

    for (const std::uint32_t seeing : seeing_) {
      std::uint32_t q = facets_[seeing].outside;
      while (q != none) {
        const std::uint32_t following = next_[q];
        hand_over(q, new_);
        q = following;
      }
      facets_[seeing].alive = false;
      free_.push_back(seeing);
    }
    list_new_facets();
  }

  void list_new_facets() {
    for (const std::uint32_t fresh : new_) {
      const std::uint32_t count = facets_[fresh].outside_count;
      if (count > few_points) {
        many_.push_back(fresh);
      } else if (count > 0) {
        few_.push_back(fresh);
      }
    }
  }

  std::span<const Vector3> points_;
  Vector3 extent_;
  std::vector<Facet> facets_;
  std::vector<std::uint32_t> free_;        // removed facets, for reuse
  std::vector<std::uint32_t> next_;        // per point: the next in its facet's list
  std::vector<std::uint32_t> facet_from_;  // per point: the new facet whose border edge begins at the point
  std::vector<std::uint32_t> few_;         // facets that may have a few outside points: a stack
  std::vector<std::uint32_t> many_;        // facets that may have many outside points: a queue
  std::size_t many_done_ = 0;
  std::vector<std::uint32_t> seeing_;
  std::vector<std::uint32_t> new_;
  std::uint32_t round_ = 0;
};

FaceLoops Quickhull::merged_faces() const {
  // Coplanar neighbors belong to one face.
  DisjointSets faces(facets_.size());
  for (std::uint32_t f = 0; f < facets_.size(); ++f) {
    const Facet& facet = facets_[f];
    if (!facet.alive) continue;
    for (std::uint32_t e = 0; e < 3; ++e) {
      const std::uint32_t g = facet.neighbor[e];
      if (g < f) continue;
      const Facet& other = facets_[g];
      const std::uint32_t apex = other.vertex[after(after(other.corner_at(facet.vertex[after(e)])))];
      if (side(facet, points_[apex]) == 0) faces.join(f, g);
    }
  }
  std::vector<std::uint32_t> face(facets_.size());
  for (std::uint32_t f = 0; f < facets_.size(); ++f)
    face[f] = faces.root(f);

  // An extreme point has three or more faces around it, a point inside an edge two, and a point inside a face one.
  std::vector<std::uint32_t> degree(points_.size(), 0);
  std::size_t corners = 0;
  for (std::uint32_t f = 0; f < facets_.size(); ++f) {
    if (!facets_[f].alive) continue;
    for (std::uint32_t e = 0; e < 3; ++e) {
      if (face[facets_[f].neighbor[e]] == face[f]) continue;
      ++degree[facets_[f].vertex[e]];
      ++corners;
    }
  }

  FaceLoops loops;
  loops.vertices.reserve(corners);
  std::vector<unsigned char> done(facets_.size(), 0);
  for (std::uint32_t root = 0; root < facets_.size(); ++root) {
    if (!facets_[root].alive) continue;
    for (std::uint32_t first_edge = 0; first_edge < 3; ++first_edge) {
      if (face[facets_[root].neighbor[first_edge]] == face[root] || done[face[root]] != 0) continue;
      // Walk around the face's border once.
      done[face[root]] = 1;
      std::uint32_t f = root;
      std::uint32_t e = first_edge;
      do {
        const std::uint32_t v = facets_[f].vertex[e];
        if (degree[v] >= 3) loops.vertices.push_back(v);
        // Turn around the edge's end until the next border edge.
        e = after(e);
        while (face[facets_[f].neighbor[e]] == face[f]) {
          const std::uint32_t pivot = facets_[f].vertex[e];
          f = facets_[f].neighbor[e];
          e = facets_[f].corner_at(pivot);
        }
      } while (f != root || e != first_edge);
      loops.begin.push_back(static_cast<std::uint32_t>(loops.vertices.size()));
    }
  }
  return loops;
}

}  // namespace

FaceLoops quickhull(std::span<const Vector3> points, std::array<std::uint32_t, 4> simplex) {
  Quickhull hull(points);
  hull.run(simplex);
  return hull.merged_faces();
}

}  // namespace whisker::geometry
