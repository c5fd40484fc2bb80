#include "spheres/delaunay.hpp"

#include <algorithm>
#include <unordered_map>

#include <whisker/predicates.hpp>

namespace whisker::spheres {

namespace {

/// How far the corners of the first tetrahedron are from the points, which are within 1 of the origin.
constexpr double far_away = 0x1p20;

/// The vertices of the face opposite vertex i, such that orient3d of them and vertex i is positive.
constexpr std::size_t face_of[4][3] = {{1, 3, 2}, {0, 2, 3}, {0, 3, 1}, {0, 1, 2}};

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
}

bool Delaunay::is_finite(std::uint32_t tetrahedron) const {
  const auto& vertices = tetrahedra_[tetrahedron].vertices;
  return std::all_of(vertices.begin(), vertices.end(), [](std::uint32_t v) { return v >= first_point && v != none; });
}

std::array<std::uint32_t, 3> Delaunay::face(const Tetrahedron& tetrahedron, std::size_t opposite) const {
  const std::size_t* corner = face_of[opposite];
  return {tetrahedron.vertices[corner[0]], tetrahedron.vertices[corner[1]], tetrahedron.vertices[corner[2]]};
}

int Delaunay::side_of_face(const Tetrahedron& tetrahedron, std::size_t opposite, const Vector3& point) const {
  const auto [a, b, c] = face(tetrahedron, opposite);
  return orient3d(positions_[a], positions_[b], positions_[c], point);
}

bool Delaunay::ball_holds(const Tetrahedron& tetrahedron, const Vector3& point) const {
  const auto& v = tetrahedron.vertices;
  return insphere(positions_[v[0]], positions_[v[1]], positions_[v[2]], positions_[v[3]], point) > 0;
}

std::uint32_t Delaunay::locate(const Vector3& point) const {
  // Walk through faces that the point is beyond. Among tetrahedra on one sphere such a walk may go round in a circle,
  // so it is given up after a while, and all are searched.
  std::uint32_t at = last_;
  for (std::size_t step = 0; step < 100 + tetrahedra_.size(); ++step) {
    std::size_t exit = 4;
    for (std::size_t k = 0; k < 4 && exit == 4; ++k) {
      const std::size_t i = (step + k) % 4;
      if (side_of_face(tetrahedra_[at], i, point) < 0) exit = i;
    }
    if (exit == 4) return at;
    at = tetrahedra_[at].neighbors[exit];
    if (at == none) break;
  }
  for (std::uint32_t i = 0; i < tetrahedra_.size(); ++i) {
    if (!is_used(i)) continue;
    bool inside = true;
    for (std::size_t k = 0; k < 4 && inside; ++k)
      inside = side_of_face(tetrahedra_[i], k, point) >= 0;
    if (inside) return i;
  }
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

std::uint32_t Delaunay::insert(const Vector3& point) {
  const std::uint32_t start = locate(point);
  for (const std::uint32_t vertex : tetrahedra_[start].vertices) {
    if (positions_[vertex] == point) return vertex;
  }
  const auto vertex = static_cast<std::uint32_t>(positions_.size());
  positions_.push_back(point);

  // The hole, and its faces with the tetrahedra behind them.
  struct Wall {
    std::array<std::uint32_t, 3> face;
    std::uint32_t behind;
  };
  std::vector<Wall> walls;
  ++insertion_;
  hole_.assign(1, start);
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
        walls.push_back({face(tetrahedron, i), next});
      }
    }
  }

  // A new tetrahedron on each wall. Two of them share the face of the new point and an edge of the hole.
  struct Side {
    std::uint32_t tetrahedron;
    std::size_t opposite;
  };
  std::unordered_map<std::uint64_t, Side> open;
  std::vector<std::uint32_t> made;
  made.reserve(walls.size());
  for (const Wall& wall : walls) {
    const std::uint32_t slot = new_slot();
    made.push_back(slot);
    tetrahedra_[slot] = {{wall.face[0], wall.face[1], wall.face[2], vertex}, {none, none, none, wall.behind}};
    mark_[slot] = 0;
    if (wall.behind != none) {
      // It may meet the hole in several faces: this one is opposite the vertex that is not in the wall.
      Tetrahedron& behind = tetrahedra_[wall.behind];
      for (std::size_t i = 0; i < 4; ++i) {
        if (std::find(wall.face.begin(), wall.face.end(), behind.vertices[i]) == wall.face.end())
          behind.neighbors[i] = slot;
      }
    }
    for (std::size_t i = 0; i < 3; ++i) {
      const std::uint64_t u = wall.face[(i + 1) % 3];
      const std::uint64_t v = wall.face[(i + 2) % 3];
      const std::uint64_t edge = std::min(u, v) << 32 | std::max(u, v);
      const auto [found, is_new] = open.try_emplace(edge, Side{slot, i});
      if (is_new) continue;
      tetrahedra_[slot].neighbors[i] = found->second.tetrahedron;
      tetrahedra_[found->second.tetrahedron].neighbors[found->second.opposite] = slot;
    }
  }
  for (const std::uint32_t slot : hole_) {
    tetrahedra_[slot].vertices[0] = none;
    free_.push_back(slot);
  }
  last_ = made.front();
  return vertex;
}

}  // namespace whisker::spheres
