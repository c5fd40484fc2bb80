#include "spheres/delaunay.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include <Eigen/Geometry>

#include <whisker/geometry/predicates.hpp>

namespace whisker::spheres {

namespace {

/// Distance of the corners of the first tetrahedron from the points, which are within 1 of the origin.
constexpr double far_away = 0x1p20;

/// The vertices of the face opposite vertex i, ordered such that orient3d of them and vertex i is positive.
constexpr std::size_t face_of[4][3] = {{1, 3, 2}, {0, 2, 3}, {0, 3, 1}, {0, 1, 2}};

/// A circumcenter is rejected if its distances to the vertices differ by more than this fraction.
constexpr double rounded_off = 1e-6;

/// Marks an empty table entry: no edge of a hole has this key, because an edge has its lower vertex first.
constexpr std::uint64_t no_edge = ~std::uint64_t{0};

}  // namespace

Delaunay::Delaunay()
    : positions_{{far_away, far_away, far_away},
                 {far_away, -far_away, -far_away},
                 {-far_away, far_away, -far_away},
                 {-far_away, -far_away, far_away}} {
  Tetrahedron all{{0, 1, 2, 3}, {none, none, none, none}};
  if (orient3d(positions_[0], positions_[1], positions_[2], positions_[3]) < 0)
    std::swap(all.vertices[0], all.vertices[1]);
  tetrahedra_.push_back(all);
  mark_.push_back(0);
  at_vertex_.assign(first_point, 0);
}

bool Delaunay::is_finite(std::uint32_t tetrahedron) const {
  const auto& vertices = tetrahedra_[tetrahedron].vertices;
  return std::all_of(vertices.begin(), vertices.end(), [](std::uint32_t v) { return v >= first_point && v != none; });
}

std::array<std::uint32_t, 3> Delaunay::face(const Tetrahedron& tetrahedron, std::size_t opposite) const {
  const std::size_t* corner = face_of[opposite];
  return {tetrahedron.vertices[corner[0]], tetrahedron.vertices[corner[1]], tetrahedron.vertices[corner[2]]};
}

std::size_t Delaunay::face_toward(const Tetrahedron& tetrahedron, const Vector3& point, std::size_t first) const {
  for (std::size_t k = first; k < first + 4; ++k) {
    const auto [a, b, c] = face(tetrahedron, k % 4);
    if (orient3d(positions_[a], positions_[b], positions_[c], point) < 0) return k % 4;
  }
  return 4;
}

bool Delaunay::ball_holds(const Tetrahedron& tetrahedron, const Vector3& point) const {
  const auto& v = tetrahedron.vertices;
  return insphere(positions_[v[0]], positions_[v[1]], positions_[v[2]], positions_[v[3]], point) > 0;
}

std::uint32_t Delaunay::locate(const Vector3& point, std::uint32_t from) const {
  // Walk through faces that have the point on their far side. Among cospherical tetrahedra, such a walk may cycle, so
  // it is abandoned after a while and all tetrahedra are searched.
  std::uint32_t at = from;
  for (std::size_t step = 0; step < 100 + tetrahedra_.size(); ++step) {
    const std::size_t exit = face_toward(tetrahedra_[at], point, step);
    if (exit == 4) return at;
    at = tetrahedra_[at].neighbors[exit];
    if (at == none) break;
  }
  for (std::uint32_t i = 0; i < tetrahedra_.size(); ++i)
    if (is_used(i) && face_toward(tetrahedra_[i], point, 0) == 4) return i;
  return none;
}

std::uint32_t Delaunay::new_slot() {
  if (!free_.empty()) {
    const std::uint32_t slot = free_.back();
    free_.pop_back();
    return slot;
  }
  tetrahedra_.emplace_back();
  mark_.push_back(0);
  return static_cast<std::uint32_t>(tetrahedra_.size() - 1);
}

void Delaunay::join(std::uint32_t tetrahedron, std::size_t opposite) {
  const auto& vertices = tetrahedra_[tetrahedron].vertices;
  const std::uint64_t u = vertices[(opposite + 1) % 3];
  const std::uint64_t v = vertices[(opposite + 2) % 3];
  const std::uint64_t edge = std::min(u, v) << 32 | std::max(u, v);
  const std::size_t mask = sides_.size() - 1;
  for (std::size_t at = (edge * 0x9E3779B97F4A7C15ull >> 32) & mask;; at = (at + 1) & mask) {
    Side& side = sides_[at];
    if (side.edge == no_edge) {
      side = {edge, tetrahedron, static_cast<std::uint32_t>(opposite)};
      return;
    }
    if (side.edge == edge) {
      tetrahedra_[tetrahedron].neighbors[opposite] = side.tetrahedron;
      tetrahedra_[side.tetrahedron].neighbors[side.opposite] = tetrahedron;
      return;
    }
  }
}

std::uint32_t Delaunay::insert(const Vector3& point, std::uint32_t near) {
  hole_.clear();
  made_.clear();
  std::uint32_t start = near != none && is_used(near) ? near : last_;
  // A point in an open ball is not a vertex, and the tetrahedra whose balls contain the point are connected.
  if (start != near || !ball_holds(tetrahedra_[start], point)) {
    start = locate(point, start);
    for (const std::uint32_t vertex : tetrahedra_[start].vertices) {
      if (positions_[vertex] == point) return vertex;
    }
  }
  const auto vertex = static_cast<std::uint32_t>(positions_.size());
  positions_.push_back(point);

  walls_.clear();
  ++insertion_;
  hole_.push_back(start);
  mark_[start] = insertion_;
  for (std::size_t k = 0; k < hole_.size(); ++k) {
    const Tetrahedron tetrahedron = tetrahedra_[hole_[k]];
    for (std::size_t i = 0; i < 4; ++i) {
      const std::uint32_t next = tetrahedron.neighbors[i];
      if (next != none && mark_[next] == insertion_) continue;
      if (next != none && ball_holds(tetrahedra_[next], point)) {
        mark_[next] = insertion_;
        hole_.push_back(next);
      } else {
        walls_.push_back({face(tetrahedron, i), next});
      }
    }
  }

  // Build a new tetrahedron on each wall. Two of them share the face spanned by the new point and an edge of the hole.
  sides_.assign(std::bit_ceil(3 * walls_.size()), {no_edge, none, 0});
  for (const Wall& wall : walls_) {
    const std::uint32_t slot = new_slot();
    made_.push_back(slot);
    tetrahedra_[slot] = {{wall.face[0], wall.face[1], wall.face[2], vertex}, {none, none, none, wall.behind}};
    mark_[slot] = 0;
    if (wall.behind != none) {
      // The neighbor may touch the hole in several faces. This face is opposite the vertex that is not in the wall.
      Tetrahedron& behind = tetrahedra_[wall.behind];
      for (std::size_t i = 0; i < 4; ++i) {
        if (std::ranges::find(wall.face, behind.vertices[i]) == wall.face.end()) behind.neighbors[i] = slot;
      }
    }
    for (std::size_t i = 0; i < 3; ++i) {
      at_vertex_[wall.face[i]] = slot;
      join(slot, i);
    }
  }
  at_vertex_.push_back(made_.front());
  for (const std::uint32_t slot : hole_) {
    tetrahedra_[slot].vertices[0] = none;
    free_.push_back(slot);
  }
  last_ = made_.front();
  return vertex;
}

void Delaunay::around(std::uint32_t vertex, std::vector<std::uint32_t>& found, std::vector<bool>& seen) const {
  if (seen.size() < tetrahedra_.size()) seen.resize(tetrahedra_.size(), false);
  found.assign(1, at_vertex_[vertex]);
  seen[found[0]] = true;
  for (std::size_t k = 0; k < found.size(); ++k) {
    const Tetrahedron& at = tetrahedra_[found[k]];
    for (std::size_t i = 0; i < 4; ++i) {
      const std::uint32_t next = at.neighbors[i];
      if (at.vertices[i] == vertex || next == none || seen[next]) continue;
      seen[next] = true;
      found.push_back(next);
    }
  }
  for (const std::uint32_t slot : found)
    seen[slot] = false;
}

std::optional<Vector3> Delaunay::circumcenter(std::uint32_t tetrahedron) const {
  const auto& vertices = tetrahedra_[tetrahedron].vertices;
  const Vector3& a = positions_[vertices[0]];
  const Vector3 u = positions_[vertices[1]] - a;
  const Vector3 v = positions_[vertices[2]] - a;
  const Vector3 w = positions_[vertices[3]] - a;
  const Vector3 sum = u.squaredNorm() * v.cross(w) + v.squaredNorm() * w.cross(u) + w.squaredNorm() * u.cross(v);
  const Vector3 center = a + sum / (2 * u.dot(v.cross(w)));
  const double radius = (a - center).norm();
  for (std::size_t i = 1; i < 4; ++i) {
    const double difference = std::abs((positions_[vertices[i]] - center).norm() - radius);
    if (!(difference <= rounded_off * radius)) return std::nullopt;
  }
  return center;
}

}  // namespace whisker::spheres
