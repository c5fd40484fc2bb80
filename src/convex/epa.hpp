#pragma once

// The expanding polytope (van den Bergen 2001) on the Minkowski difference of two convex cores, as a loop without
// support functions (see gjk.hpp).
//
// The cores separate along a unit vector n once b has moved by h(n), the extent of the difference along n. The depth is
// the least h(n). The points of the difference that were found span a closed surface of triangles. Each h(n) is an
// upper bound. The lower bound relies neither on a convex surface nor on exact normals. If every triangle is positively
// oriented about the origin, the surface's projection to the sphere preserves orientation everywhere. So its degree is
// positive, and the surface encloses every ball about the origin that it does not cut. What it encloses lies in the
// hull of its corners. And a triangle is at least as far from the origin as the least n·w of its corners, for any unit
// vector n.

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "convex/gjk.hpp"

namespace whisker::convex {

template <class V>
struct EpaFace {
  V normal{};
  typename Numbers<V>::Real height = 0.0;  ///< the least normal·w of its corners
  std::array<std::uint16_t, 3> corner{};
  std::array<std::uint16_t, 3> across{};  ///< the face across the edge from corner i to corner i + 1
  bool is_positive = false;               ///< its orientation about the origin is proven
  bool is_needle = false;                 ///< its third corner is nearly on the line of the other two
};

/// The working memory of the loop, reused from query to query.
template <class V>
struct EpaMemory {
  std::vector<SupportPoint<V>> points;
  std::vector<V> w;
  std::vector<std::uint32_t> point_mark;
  std::vector<EpaFace<V>> faces;
  std::vector<std::uint32_t> mark;  ///< marks of the faces
  std::vector<double> heights;      ///< heights of the faces; infinite if a face is unused
  /// The least height of each block of faces, and whether it must be recomputed.
  static constexpr std::size_t block = 64;
  std::vector<double> least;
  std::vector<std::uint8_t> is_stale;
  std::vector<std::uint16_t> free;     ///< indices of unused faces
  std::vector<std::uint16_t> visible;  ///< the faces that a new point sees
  struct Edge {
    std::uint16_t from, to, beyond;
  };
  std::vector<Edge> horizon;        ///< the edges around the visible faces, in order
  std::vector<EpaFace<V>> fresh;    ///< the faces from those edges to the new point
  std::vector<std::uint16_t> also;  ///< faces to replace although the new point does not see them
  struct Visit {
    std::uint16_t face;
    std::uint8_t edge, left;
  };
  std::vector<Visit> stack;

  void clear() {
    points.clear();
    w.clear();
    point_mark.clear();
    faces.clear();
    mark.clear();
    heights.clear();
    least.clear();
    is_stale.clear();
    free.clear();
  }
};

/// Computes a face's normal, height and flags from its corners. `size` bounds the coordinates.
template <class V>
void measure_face(const V* w, double size, EpaFace<V>& face) {
  using Real = typename Numbers<V>::Real;
  constexpr double roundoff = Numbers<V>::roundoff;
  const V &p = w[face.corner[0]], &q = w[face.corner[1]], &r = w[face.corner[2]];
  const auto min_along = [&](const V& n) {
    const Real a = dot(n, p), b = dot(n, q), c = dot(n, r);
    const Real ab = a < b ? a : b;
    return ab < c ? ab : c;
  };
  // Use the corner between the two shorter edges: at its tip, the normal of a long triangle would be lost to rounding.
  V e1 = q - p, e2 = r - p;
  const V opposite = r - q;
  double first = to_double(dot(e1, e1)), second = to_double(dot(e2, e2));
  const double third = to_double(dot(opposite, opposite));
  if (third < std::max(first, second)) {
    if (first < second) {
      e2 = -e1;
      e1 = opposite;
      second = first;
      first = third;
    } else {
      e1 = -e2;
      e2 = -opposite;
      first = second;
      second = third;
    }
  }
  const V n = cross(e1, e2);
  const Real squared = dot(n, n);
  const double edges = first * second;
  face.is_needle = to_double(squared) <= 0x1p-40 * roundoff * edges;
  // The face has no meaningful normal. The direction of its point nearest to the origin serves instead.
  if (!(to_double(squared) > 64 * 64 * roundoff * roundoff * edges)) {
    const simplex_detail::OnTriangle<V> on = simplex_detail::nearest_on_triangle(p, q, r);
    const Real length = sqrt_of(dot(on.v, on.v));
    face.height = 0.0;
    if (to_double(length) > 0) {
      face.normal = on.v * (1.0 / length);
      face.height = min_along(face.normal);
    }
    face.is_positive = false;
    return;
  }
  const Real length = sqrt_of(squared);
  face.normal = n * (1.0 / length);
  face.height = min_along(face.normal);
  // w·n orients the triangle. The error of n is the rounding of its terms, edge times edge.
  face.is_positive = to_double(face.height) * to_double(length) > 8 * roundoff * (first + second) * size;
}

struct EpaGoal {
  double tolerance = 0;           ///< for upper - lower, in the common frame
  double relative_tolerance = 0;  ///< the same, as a fraction of upper
  int budget = 0x7FFFFFFF;        ///< number of supports
  std::size_t max_points = 64;
};

enum class EpaEnd : std::uint8_t {
  running,
  converged,
  stalled,  ///< no further progress is possible in this precision
  apart,    ///< a direction was found along which the cores do not overlap
  flat,     ///< the difference has no volume
  full,     ///< EpaGoal::max_points
  budget,
};

/// Bounds on the depth of two cores, and the shortest separating translation that was found.
template <class V>
struct EpaFound {
  using Real = typename Numbers<V>::Real;

  EpaEnd end = EpaEnd::running;
  int supports = 0;
  Real lower = 0.0;  ///< as computed, certified except for the pair's errors
  Real upper = 0.0;
  V direction{};  ///< unit vector along which `upper` was found; b leaves a along it
  V a{};          ///< the points of the cores that are farthest along it, a pair if that is known
  V b{};

  /// Takes the extent of the difference along a unit vector, where it has this support, as the upper bound.
  WHISKER_INLINE void take(const Real& reach, const V& along, const SupportPoint<V>& point) {
    upper = reach;
    direction = along;
    a = point.a;
    b = point.b;
  }
};

template <class V>
class EpaLoop {
 public:
  using Real = typename Numbers<V>::Real;
  static constexpr std::uint16_t none = 0xFFFF;

  /// `size` bounds the coordinates of the difference.
  EpaLoop(EpaMemory<V>& memory, double size, const EpaGoal& goal)
      : m_(memory), size_(size), tiny_(64 * Numbers<V>::roundoff * size), goal_(goal) {
    m_.clear();
  }

  void insert(const SupportPoint<V>& point) {
    m_.points.push_back(point);
    m_.w.push_back(point.a - point.b);
    m_.point_mark.push_back(0);
  }
  /// Begins with the inserted points, one to four.
  void begin() {
    drop_flat_points();
    if (m_.w.size() == 4) {
      begin_tetrahedron();
    } else if (m_.w.size() == 3) {
      begin_triangle();
    } else {
      trial_ = 0;
    }
  }
  /// The next unit vector for a support (of a along it, of b against it). Returns false at the end.
  WHISKER_INLINE bool next(V& direction) {
    if (found_.end != EpaEnd::running) return false;
    if (m_.faces.empty()) {
      if (!trial_direction(direction)) return finish(EpaEnd::flat);
      direction_ = direction;
      return true;
    }
    const std::size_t nearest = nearest_face();
    current_ = static_cast<std::uint16_t>(nearest);
    if (found_.supports > 0 && is_close(found_.upper - m_.faces[nearest].height)) return finish(EpaEnd::converged);
    if (found_.supports >= goal_.budget) return finish(EpaEnd::budget);
    direction_ = m_.faces[nearest].normal;
    direction = direction_;
    return true;
  }

  /// Adds the support found for the direction.
  void add(const SupportPoint<V>& point) {
    ++found_.supports;
    const V w = point.a - point.b;
    const Real reach = dot(direction_, w);
    if (found_.supports == 1 || reach < found_.upper) found_.take(reach, direction_, point);
    if (to_double(reach) < -tiny_) {
      found_.end = EpaEnd::apart;
    } else if (m_.faces.empty()) {
      grow(point, w);
    } else {
      found_.end = end_at(m_.faces[current_], point, w, reach);
      if (found_.end == EpaEnd::running && !expand(point)) found_.end = EpaEnd::stalled;
    }
  }

  /// Everything except for the lower bound.
  const EpaFound<V>& found() const { return found_; }
  /// The least height of all faces if all of them are positively oriented, else 0. `is_positive(u, v, w)` is called for
  /// faces whose orientation is not yet proven.
  template <class IsPositive>
  Real certified_lower(const IsPositive& is_positive) {
    if (m_.faces.empty()) return 0.0;
    if (unproven_ > 0) {
      for (std::size_t f = 0; f < m_.faces.size(); ++f) {
        const EpaFace<V>& face = m_.faces[f];
        if (m_.heights[f] == HUGE_VAL || face.is_positive) continue;
        if (!is_positive(m_.w[face.corner[0]], m_.w[face.corner[1]], m_.w[face.corner[2]])) return 0.0;
      }
    }
    const Real lower = m_.faces[nearest_face()].height;
    return lower > 0.0 ? lower : Real(0.0);
  }

 private:
  // The face of least height, the first if there are several. If no face has a height, the first face.
  WHISKER_INLINE std::size_t nearest_face() {
    constexpr std::size_t block = EpaMemory<V>::block;
    std::size_t first = 0, end = m_.heights.size();
    if (end > 2 * block) {
      std::size_t best = 0;
      for (std::size_t b = 0; b < m_.least.size(); ++b) {
        if (m_.is_stale[b] != 0) {
          const double* const begin = m_.heights.data() + b * block;
          m_.least[b] = *std::min_element(begin, begin + std::min(block, end - b * block));
          m_.is_stale[b] = 0;
        }
        if (m_.least[b] < m_.least[best]) best = b;
      }
      first = best * block;
      end = std::min(end, first + block);
    }
    const double* const heights = m_.heights.data();
    return static_cast<std::size_t>(std::min_element(heights + first, heights + end) - heights);
  }
  void set_height(std::size_t face, double height) {
    m_.heights[face] = height;
    m_.is_stale[face / EpaMemory<V>::block] = 1;
  }

  bool finish(EpaEnd end) {
    found_.end = end;
    return false;
  }
  // Whether the loop ends at a face whose support is `point`, at this height.
  EpaEnd end_at(const EpaFace<V>& face, const SupportPoint<V>& point, const V& w, const Real& reach) const {
    if (is_close(found_.upper - face.height)) return EpaEnd::converged;
    for (const std::uint16_t corner : face.corner)
      if (is_same(point, w, corner)) return EpaEnd::stalled;
    if (m_.points.size() >= goal_.max_points) return EpaEnd::full;
    const bool is_higher = to_double(reach - face.height) > 4 * Numbers<V>::roundoff * size_;
    return is_higher ? EpaEnd::running : EpaEnd::stalled;
  }
  bool is_close(const Real& gap) const {
    const double g = to_double(gap);
    return g <= goal_.tolerance || g <= goal_.relative_tolerance * to_double(found_.upper);
  }
  bool is_same(const SupportPoint<V>& point, const V& w, std::size_t other) const {
    const SupportPoint<V>& known = m_.points[other];
    if (point.has_vertices()) return point.vertex_a == known.vertex_a && point.vertex_b == known.vertex_b;
    return w.x == m_.w[other].x && w.y == m_.w[other].y && w.z == m_.w[other].z;
  }

  std::uint16_t add_face(const EpaFace<V>& face) {
    unproven_ += face.is_positive ? 0 : 1;
    if (m_.free.empty()) {
      m_.free.push_back(static_cast<std::uint16_t>(m_.faces.size()));
      m_.faces.push_back(face);
      m_.heights.push_back(0);
      m_.mark.push_back(0);
      if (m_.faces.size() > m_.least.size() * EpaMemory<V>::block) {
        m_.least.push_back(0);
        m_.is_stale.push_back(1);
      }
    }
    const std::uint16_t index = m_.free.back();
    m_.free.pop_back();
    m_.faces[index] = face;
    set_height(index, to_double(face.height));
    m_.mark[index] = 0;
    return index;
  }

  // Removes points that do not add a dimension.
  void drop_flat_points() {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < m_.w.size(); ++i) {
      if (adds_dimension(m_.w[i], kept)) {
        m_.w[kept] = m_.w[i];
        m_.points[kept] = m_.points[i];
        ++kept;
      }
    }
    m_.w.resize(kept);
    m_.points.resize(kept);
  }
  bool adds_dimension(const V& w, std::size_t known) const {
    if (known == 0) return true;
    const V d = w - m_.w[0];
    const double length = to_double(sqrt_of(dot(d, d)));
    if (!(length > tiny_)) return false;
    if (known == 1) return true;
    const V e = m_.w[1] - m_.w[0];
    const V n = cross(e, d);
    const double along = to_double(sqrt_of(dot(e, e)));
    if (known == 2) return to_double(sqrt_of(dot(n, n))) > tiny_ * std::max(along, length);
    const V f = m_.w[2] - m_.w[0];
    const V m = cross(e, f);
    return std::abs(to_double(dot(m, d))) > tiny_ * to_double(sqrt_of(dot(m, m)));
  }

  // While there are fewer than three points: directions that could add a dimension.
  bool trial_direction(V& direction) {
    if (m_.w.size() <= 1) {
      if (trial_ >= 6) return false;
      const double sign = trial_ % 2 == 0 ? 1.0 : -1.0;
      direction = V{trial_ / 2 == 0 ? sign : 0.0, trial_ / 2 == 1 ? sign : 0.0, trial_ / 2 == 2 ? sign : 0.0};
    } else {
      if (trial_ >= 4) return false;
      const V e = m_.w[1] - m_.w[0];
      const double x = std::abs(to_double(e.x)), y = std::abs(to_double(e.y)), z = std::abs(to_double(e.z));
      const V axis = x <= y && x <= z ? V{1.0, 0.0, 0.0} : y <= z ? V{0.0, 1.0, 0.0} : V{0.0, 0.0, 1.0};
      V across = cross(e, axis);
      if (trial_ >= 2) across = cross(e, across * (1.0 / sqrt_of(dot(across, across))));
      across = across * (1.0 / sqrt_of(dot(across, across)));
      direction = trial_ % 2 == 0 ? across : -across;
    }
    ++trial_;
    return true;
  }
  void grow(const SupportPoint<V>& point, const V& w) {
    if (!adds_dimension(w, m_.w.size())) return;
    insert(point);
    trial_ = 0;
    if (m_.w.size() == 3) begin_triangle();
  }

  void begin_face(const std::array<std::uint16_t, 3>& corner, const std::array<std::uint16_t, 3>& across) {
    EpaFace<V> face;
    face.corner = corner;
    face.across = across;
    measure_face(m_.w.data(), size_, face);
    add_face(face);
  }
  // The two sides of one triangle: a closed surface, although a thin one.
  void begin_triangle() {
    begin_face({0, 1, 2}, {1, 1, 1});
    begin_face({0, 2, 1}, {0, 0, 0});
  }
  void begin_tetrahedron() {
    const V n = cross(m_.w[1] - m_.w[0], m_.w[2] - m_.w[0]);
    if (dot(n, m_.w[3] - m_.w[0]) > 0.0) {
      std::swap(m_.w[1], m_.w[2]);
      std::swap(m_.points[1], m_.points[2]);
    }
    begin_face({0, 1, 2}, {1, 3, 2});
    begin_face({0, 3, 1}, {2, 3, 0});
    begin_face({0, 2, 3}, {0, 3, 1});
    begin_face({1, 3, 2}, {1, 2, 0});
  }

  bool sees(const EpaFace<V>& face, const V& w) const {
    return to_double(dot(face.normal, w) - face.height) > 8 * Numbers<V>::roundoff * size_;
  }
  bool is_also_replaced(std::uint16_t face) const {
    return std::find(m_.also.begin(), m_.also.end(), face) != m_.also.end();
  }
  // Finds the faces that w sees, starting from the current one, and the edges around them in order. Returns false if
  // these edges are not one closed loop.
  bool find_horizon(const V& w) {
    ++pass_;
    m_.visible.clear();
    m_.horizon.clear();
    m_.stack.clear();
    m_.mark[current_] = pass_;
    m_.visible.push_back(current_);
    m_.stack.push_back({current_, 0, 3});
    while (!m_.stack.empty()) {
      auto& visit = m_.stack.back();
      if (visit.left == 0) {
        m_.stack.pop_back();
        continue;
      }
      const std::size_t i = visit.edge;
      visit.edge = static_cast<std::uint8_t>(i == 2 ? 0 : i + 1);
      --visit.left;
      const EpaFace<V>& face = m_.faces[visit.face];
      const std::uint16_t beyond = face.across[i];
      if (m_.mark[beyond] == pass_) continue;
      const std::uint16_t from = face.corner[i], to = face.corner[i == 2 ? 0 : i + 1];
      const EpaFace<V>& other = m_.faces[beyond];
      if (!sees(other, w) && !is_also_replaced(beyond)) {
        m_.horizon.push_back({from, to, beyond});
        continue;
      }
      m_.mark[beyond] = pass_;
      m_.visible.push_back(beyond);
      // Continue from the edge after the one that was crossed.
      const std::uint8_t next = other.corner[0] == to && other.corner[1] == from   ? 1
                                : other.corner[1] == to && other.corner[2] == from ? 2
                                                                                   : 0;
      m_.stack.push_back({beyond, next, 2});
    }
    if (m_.horizon.size() < 3) return false;
    std::uint16_t at = m_.horizon.back().to;
    for (const auto& edge : m_.horizon) {
      if (edge.from != at || m_.point_mark[at] == pass_) return false;
      m_.point_mark[at] = pass_;
      at = edge.to;
    }
    return true;
  }

  // Faces in whose plane w nearly lies, and with whose edge w would make a needle, must be replaced as well. Returns
  // whether there are any new ones.
  bool replace_more(const V& w) {
    bool more = false;
    for (std::size_t i = 0; i < m_.horizon.size(); ++i) {
      if (!m_.fresh[i].is_needle) continue;
      const std::uint16_t beyond = m_.horizon[i].beyond;
      const EpaFace<V>& face = m_.faces[beyond];
      if (to_double(dot(face.normal, w) - face.height) < -64 * Numbers<V>::roundoff * size_) continue;
      if (is_also_replaced(beyond)) continue;
      m_.also.push_back(beyond);
      more = true;
    }
    return more;
  }

  // Replaces the faces that `point` sees by a cone to it.
  bool expand(const SupportPoint<V>& point) {
    const auto apex = static_cast<std::uint16_t>(m_.points.size());
    insert(point);
    const V w = m_.w[apex];
    m_.also.clear();
    std::size_t count = 0;
    do {
      if (!find_horizon(w)) {
        m_.points.pop_back();
        m_.w.pop_back();
        m_.point_mark.pop_back();
        return false;
      }
      count = m_.horizon.size();
      if (m_.fresh.size() < count) m_.fresh.resize(count);
      for (std::size_t i = 0; i < count; ++i) {
        m_.fresh[i].corner = {m_.horizon[i].from, m_.horizon[i].to, apex};
        m_.fresh[i].across[0] = m_.horizon[i].beyond;
        measure_face(m_.w.data(), size_, m_.fresh[i]);
      }
    } while (replace_more(w));

    for (const std::uint16_t f : m_.visible) {
      set_height(f, HUGE_VAL);
      unproven_ -= m_.faces[f].is_positive ? 0 : 1;
      m_.free.push_back(f);
    }
    // Each new face lies between the one before it and the one after it.
    std::uint16_t before = none, first = none;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint16_t index = add_face(m_.fresh[i]);
      const auto& edge = m_.horizon[i];
      EpaFace<V>& beyond = m_.faces[edge.beyond];
      for (std::size_t k = 0; k < 3; ++k) {
        if (beyond.corner[k] == edge.to && beyond.corner[k == 2 ? 0 : k + 1] == edge.from) beyond.across[k] = index;
      }
      if (i == 0) {
        first = index;
      } else {
        m_.faces[before].across[1] = index;
        m_.faces[index].across[2] = before;
      }
      before = index;
    }
    m_.faces[before].across[1] = first;
    m_.faces[first].across[2] = before;
    return true;
  }

  EpaMemory<V>& m_;
  double size_;
  double tiny_;
  EpaGoal goal_;
  EpaFound<V> found_;
  int trial_ = 0;
  std::uint16_t current_ = 0;
  V direction_{};
  std::uint32_t pass_ = 0;
  int unproven_ = 0;  // number of faces that are not proven positive
};

}  // namespace whisker::convex
