#pragma once

// The expanding polytope (van den Bergen 2001) on the Minkowski difference of two convex cores, as a loop without
// support mappings (see gjk.hpp).
//
// The cores part along a unit vector n once b has moved by h(n), the reach of the difference along n; the depth is the
// least h(n). Points of the difference that were found span a closed surface of triangles. Each h(n) is an upper bound.
// The lower bound does not rely on the surface being convex, nor on exact normals: if every triangle is positively
// oriented about the origin, the surface's projection to the sphere preserves orientation everywhere, so its degree is
// positive and it encloses every ball about the origin that it does not cut; what it encloses lies in the hull of its
// corners. And a triangle is at least as far from the origin as the least n·w of its corners, whatever unit vector n
// is.

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "convex/gjk.hpp"

namespace whisker::convex {

template <class V>
struct EpaFace {
  V normal;
  typename Numbers<V>::Real height = 0.0;  ///< the least normal·w of its corners
  std::array<std::uint16_t, 3> corner{};
  std::array<std::uint16_t, 3> across{};  ///< the face beyond the edge from corner i to corner i + 1
  bool is_positive = false;               ///< its orientation about the origin is proven
};

/// What the loop works in; used again from query to query.
template <class V>
struct EpaMemory {
  std::vector<SupportPoint<V>> points;
  std::vector<V> w;
  std::vector<EpaFace<V>> faces;
  std::vector<double> heights;  ///< of the faces; infinite where there is none
  /// The least height of each block of faces, and whether it is to be found anew.
  static constexpr std::size_t block = 64;
  std::vector<double> least;
  std::vector<std::uint8_t> is_stale;
  std::vector<std::uint16_t> free;
  std::vector<std::uint16_t> stack;
  std::vector<std::uint8_t> mark;  ///< of the faces
  struct Edge {
    std::uint16_t from, to, beyond;
  };
  std::vector<Edge> horizon;
  std::vector<std::uint16_t> face_from;  ///< of the corners: the new face whose edge on the horizon begins there

  void clear() {
    points.clear();
    w.clear();
    faces.clear();
    heights.clear();
    least.clear();
    is_stale.clear();
    free.clear();
    mark.clear();
  }
};

struct EpaGoal {
  double tolerance = 0;           ///< of upper - lower, in the common frame
  double relative_tolerance = 0;  ///< the same, as a share of upper
  int budget = 0x7FFFFFFF;        ///< supports
  std::size_t most_points = 64;
};

enum class EpaEnd : std::uint8_t {
  running,
  converged,
  stalled,  ///< nothing more can be gained with these numbers
  apart,    ///< a direction was found along which the cores do not overlap
  flat,     ///< the difference has no volume
  full,     ///< EpaGoal::most_points
  budget,
};

template <class V>
class EpaLoop {
 public:
  using Real = typename Numbers<V>::Real;
  static constexpr std::uint16_t none = 0xFFFF;

  /// `size`: how large coordinates of the difference are.
  EpaLoop(EpaMemory<V>& memory, double size, const EpaGoal& goal)
      : m_(memory), size_(size), tiny_(64 * Numbers<V>::roundoff * size), goal_(goal) {
    m_.clear();
  }

  void insert(const SupportPoint<V>& point) {
    m_.points.push_back(point);
    m_.w.push_back(point.a - point.b);
    m_.face_from.resize(std::max(m_.face_from.size(), m_.points.size()));
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
  /// Begins with inserted points and a closed surface of `corners`, whose faces meet as `across` says. False if it is
  /// not positively oriented about the origin everywhere: then nothing was gained.
  bool begin(std::span<const std::array<std::uint8_t, 3>> corners,
             std::span<const std::array<std::uint8_t, 3>> across) {
    for (std::size_t f = 0; f < corners.size(); ++f) {
      EpaFace<V> face;
      for (std::size_t i = 0; i < 3; ++i) {
        face.corner[i] = corners[f][i];
        face.across[i] = across[f][i];
      }
      measure(face);
      if (!(to_double(face.height) > tiny_) || !face.is_positive) return false;
      add_face(face);
    }
    return true;
  }

  /// The next unit vector along which to look for a support (of a along it, of b against it). False at the end.
  WHISKER_INLINE bool next(V& direction) {
    if (end_ != EpaEnd::running) return false;
    if (m_.faces.empty()) {
      if (!trial_direction(direction)) {
        end_ = EpaEnd::flat;
        return false;
      }
      direction_ = direction;
      return true;
    }
    const std::size_t nearest = nearest_face();
    current_ = static_cast<std::uint16_t>(nearest);
    lower_ = m_.faces[nearest].height;
    if (has_upper_ && is_close(upper_ - lower_)) {
      end_ = EpaEnd::converged;
      return false;
    }
    if (supports_ >= goal_.budget) {
      end_ = EpaEnd::budget;
      return false;
    }
    direction_ = m_.faces[nearest].normal;
    direction = direction_;
    return true;
  }

  void add(const SupportPoint<V>& point) {
    ++supports_;
    const V w = point.a - point.b;
    const Real reach = dot(direction_, w);
    if (!has_upper_ || reach < upper_) {
      upper_ = reach;
      has_upper_ = true;
      upper_direction_ = direction_;
      upper_point_ = point;
    }
    if (to_double(reach) < -tiny_) {
      end_ = EpaEnd::apart;
      return;
    }
    if (m_.faces.empty()) {
      grow(point, w);
      return;
    }
    const EpaFace<V>& face = m_.faces[current_];
    if (is_close(upper_ - face.height)) {
      end_ = EpaEnd::converged;
      return;
    }
    for (const std::uint16_t corner : face.corner) {
      if (is_same(point, w, corner)) {
        end_ = EpaEnd::stalled;
        return;
      }
    }
    if (m_.points.size() >= goal_.most_points) {
      end_ = EpaEnd::full;
      return;
    }
    if (!(to_double(reach - face.height) > 4 * Numbers<V>::roundoff * size_)) {
      end_ = EpaEnd::stalled;
      return;
    }
    if (!expand(point)) end_ = EpaEnd::stalled;
  }

  EpaEnd end() const { return end_; }
  int supports() const { return supports_; }
  /// Whether the surface has more points than it began with.
  bool grew() const { return grew_; }
  /// Of the depth; as computed.
  const Real& upper() const { return upper_; }
  const V& upper_direction() const { return upper_direction_; }
  const SupportPoint<V>& upper_point() const { return upper_point_; }
  /// The least height of all faces, if all of them are positively oriented; else 0. `is_positive(u, v, w)` is asked
  /// where the numbers could not tell.
  template <class IsPositive>
  Real certified_lower(const IsPositive& is_positive) const {
    if (m_.faces.empty()) return 0.0;
    Real lower = HUGE_VAL;
    for (std::size_t f = 0; f < m_.faces.size(); ++f) {
      if (m_.heights[f] == HUGE_VAL) continue;
      const EpaFace<V>& face = m_.faces[f];
      if (!(face.height > 0.0)) return 0.0;
      if (!face.is_positive && !is_positive(m_.w[face.corner[0]], m_.w[face.corner[1]], m_.w[face.corner[2]]))
        return 0.0;
      if (face.height < lower) lower = face.height;
    }
    return lower;
  }

 private:
  static double sqrt_of(double value) { return std::sqrt(value); }
  static geometry::DoubleDouble sqrt_of(geometry::DoubleDouble value) { return geometry::sqrt(value); }

  // The face of least height, the first of several, or of all if none has one.
  WHISKER_INLINE std::size_t nearest_face() {
    constexpr std::size_t block = EpaMemory<V>::block;
    std::size_t first = 0, end = m_.heights.size();
    if (end > 2 * block) {
      std::size_t best = 0;
      for (std::size_t b = 0; b < m_.least.size(); ++b) {
        if (m_.is_stale[b] != 0) {
          const auto begin = m_.heights.begin() + static_cast<std::ptrdiff_t>(b * block);
          m_.least[b] = *std::min_element(begin, begin + static_cast<std::ptrdiff_t>(std::min(block, end - b * block)));
          m_.is_stale[b] = 0;
        }
        if (m_.least[b] < m_.least[best]) best = b;
      }
      first = best * block;
      end = std::min(end, first + block);
    }
    std::size_t nearest = 0;
    double least = HUGE_VAL;
    for (std::size_t f = first; f < end; ++f) {
      if (m_.heights[f] < least) {
        least = m_.heights[f];
        nearest = f;
      }
    }
    return nearest;
  }
  void set_height(std::size_t face, double height) {
    m_.heights[face] = height;
    m_.is_stale[face / EpaMemory<V>::block] = 1;
  }

  bool is_close(const Real& gap) const {
    const double g = to_double(gap);
    return g <= goal_.tolerance || g <= goal_.relative_tolerance * to_double(upper_);
  }
  bool is_same(const SupportPoint<V>& point, const V& w, std::size_t other) const {
    const SupportPoint<V>& known = m_.points[other];
    if (point.has_vertices()) return point.vertex_a == known.vertex_a && point.vertex_b == known.vertex_b;
    return w.x == m_.w[other].x && w.y == m_.w[other].y && w.z == m_.w[other].z;
  }

  void measure(EpaFace<V>& face) const {
    const V &p = m_.w[face.corner[0]], &q = m_.w[face.corner[1]], &r = m_.w[face.corner[2]];
    const V e1 = q - p, e2 = r - p;
    const V n = cross(e1, e2);
    const Real squared = dot(n, n);
    const double first = to_double(dot(e1, e1)), second = to_double(dot(e2, e2));
    const double edges = first * second;
    // A needle has no normal to speak of; the direction of its point nearest to the origin does as well.
    if (!(to_double(squared) > 64 * 64 * Numbers<V>::roundoff * Numbers<V>::roundoff * edges)) {
      const simplex_detail::OnTriangle<V> on = simplex_detail::nearest_on_triangle(p, q, r);
      const Real length = sqrt_of(dot(on.v, on.v));
      if (to_double(length) > 0) {
        face.normal = on.v * (1.0 / length);
        face.height = least_along(face.normal, p, q, r);
      } else {
        face.height = 0.0;
      }
      face.is_positive = false;
      return;
    }
    const Real length = sqrt_of(squared);
    face.normal = n * (1.0 / length);
    face.height = least_along(face.normal, p, q, r);
    // w·n is what orients the triangle; n is off by rounding of its terms, edge times edge.
    face.is_positive = to_double(face.height) * to_double(length) > 8 * Numbers<V>::roundoff * (first + second) * size_;
  }
  static Real least_along(const V& n, const V& p, const V& q, const V& r) {
    const Real a = dot(n, p), b = dot(n, q), c = dot(n, r);
    const Real ab = a < b ? a : b;
    return ab < c ? ab : c;
  }

  std::uint16_t add_face(const EpaFace<V>& face) {
    if (m_.free.empty()) {
      m_.faces.push_back(face);
      m_.heights.push_back(0);
      m_.mark.push_back(0);
      if (m_.faces.size() > m_.least.size() * EpaMemory<V>::block) {
        m_.least.push_back(0);
        m_.is_stale.push_back(1);
      }
      set_height(m_.faces.size() - 1, to_double(face.height));
      return static_cast<std::uint16_t>(m_.faces.size() - 1);
    }
    const std::uint16_t index = m_.free.back();
    m_.free.pop_back();
    m_.faces[index] = face;
    set_height(index, to_double(face.height));
    m_.mark[index] = 0;
    return index;
  }

  // Points that do not add a dimension are of no use.
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

  // Two sides of one triangle: a closed surface, if a thin one.
  void begin_triangle() {
    for (const bool flipped : {false, true}) {
      EpaFace<V> face;
      face.corner = flipped ? std::array<std::uint16_t, 3>{0, 2, 1} : std::array<std::uint16_t, 3>{0, 1, 2};
      const std::uint16_t other = flipped ? 0 : 1;
      face.across = {other, other, other};
      measure(face);
      add_face(face);
    }
  }
  void begin_tetrahedron() {
    const V n = cross(m_.w[1] - m_.w[0], m_.w[2] - m_.w[0]);
    if (dot(n, m_.w[3] - m_.w[0]) > 0.0) {
      std::swap(m_.w[1], m_.w[2]);
      std::swap(m_.points[1], m_.points[2]);
    }
    static constexpr std::array<std::array<std::uint16_t, 3>, 4> corners = {
        {{0, 1, 2}, {0, 3, 1}, {0, 2, 3}, {1, 3, 2}}};
    static constexpr std::array<std::array<std::uint16_t, 3>, 4> across = {
        {{1, 3, 2}, {2, 3, 0}, {0, 3, 1}, {1, 2, 0}}};
    for (std::size_t f = 0; f < 4; ++f) {
      EpaFace<V> face;
      face.corner = corners[f];
      face.across = across[f];
      measure(face);
      add_face(face);
    }
  }

  bool sees(const EpaFace<V>& face, const V& w) const {
    return to_double(dot(face.normal, w) - face.height) > 8 * Numbers<V>::roundoff * size_;
  }
  // w on the line of an edge of a face that it does not see: a face from there would be a needle.
  bool is_in_line(std::uint16_t from, std::uint16_t to, const V& w) const {
    const V e = m_.w[to] - m_.w[from];
    const V d = w - m_.w[from];
    const V n = cross(e, d);
    return to_double(dot(n, n)) <= 0x1p-40 * Numbers<V>::roundoff * to_double(dot(e, e)) * to_double(dot(d, d));
  }

  // Replaces the faces that `point` sees, from the current one on, by a cone to it.
  bool expand(const SupportPoint<V>& point) {
    const V w = point.a - point.b;
    m_.stack.clear();
    m_.horizon.clear();
    m_.stack.push_back(current_);
    m_.mark[current_] = 1;
    std::size_t seen = 0;
    while (seen < m_.stack.size()) {
      const EpaFace<V>& face = m_.faces[m_.stack[seen]];
      for (const std::uint16_t beyond : face.across) {
        if (m_.mark[beyond] == 0) {
          m_.mark[beyond] = sees(m_.faces[beyond], w) ? 1 : 2;
          if (m_.mark[beyond] == 1) m_.stack.push_back(beyond);
        }
      }
      ++seen;
      if (seen < m_.stack.size()) continue;
      // Faces that w nearly lies in, and from whose edge it would make a needle, go as well.
      const std::size_t known = m_.stack.size();
      for (std::size_t k = 0; k < known; ++k) {
        const EpaFace<V>& f = m_.faces[m_.stack[k]];
        for (std::size_t i = 0; i < 3; ++i) {
          const std::uint16_t beyond = f.across[i];
          if (m_.mark[beyond] != 2 || !is_in_line(f.corner[i], f.corner[i == 2 ? 0 : i + 1], w)) continue;
          if (to_double(dot(m_.faces[beyond].normal, w) - m_.faces[beyond].height) < -64 * Numbers<V>::roundoff * size_)
            continue;
          m_.mark[beyond] = 1;
          m_.stack.push_back(beyond);
        }
      }
    }
    for (const std::uint16_t f : m_.stack) {
      const EpaFace<V>& face = m_.faces[f];
      for (std::size_t i = 0; i < 3; ++i) {
        if (m_.mark[face.across[i]] != 1) {
          m_.horizon.push_back({face.corner[i], face.corner[i == 2 ? 0 : i + 1], face.across[i]});
        }
      }
    }
    for (const std::uint16_t f : m_.stack)
      for (const std::uint16_t beyond : m_.faces[f].across)
        m_.mark[beyond] = m_.mark[beyond] == 2 ? 0 : m_.mark[beyond];
    if (m_.horizon.size() < 3) return false;
    // One closed line: every corner begins one edge, and walking them comes round to the start.
    for (const auto& edge : m_.horizon)
      m_.face_from[edge.from] = none;
    for (std::size_t i = 0; i < m_.horizon.size(); ++i) {
      if (m_.face_from[m_.horizon[i].from] != none) return false;
      m_.face_from[m_.horizon[i].from] = static_cast<std::uint16_t>(i);
    }
    std::size_t at = 0;
    for (std::size_t steps = 1;; ++steps) {
      at = m_.face_from[m_.horizon[at].to];
      if (at == 0) {
        if (steps != m_.horizon.size()) return false;
        break;
      }
      if (steps >= m_.horizon.size()) return false;
    }

    for (const std::uint16_t f : m_.stack) {
      set_height(f, HUGE_VAL);
      m_.mark[f] = 0;
      m_.free.push_back(f);
    }
    grew_ = true;
    const auto apex = static_cast<std::uint16_t>(m_.points.size());
    insert(point);
    for (const auto& edge : m_.horizon) {
      EpaFace<V> face;
      face.corner = {edge.from, edge.to, apex};
      measure(face);
      const std::uint16_t index = add_face(face);
      m_.face_from[edge.from] = index;
      m_.faces[index].across[0] = edge.beyond;
      EpaFace<V>& beyond = m_.faces[edge.beyond];
      for (std::size_t i = 0; i < 3; ++i) {
        if (beyond.corner[i] == edge.to && beyond.corner[i == 2 ? 0 : i + 1] == edge.from) beyond.across[i] = index;
      }
    }
    for (const auto& edge : m_.horizon) {
      const std::uint16_t face = m_.face_from[edge.from];
      const std::uint16_t after = m_.face_from[edge.to];
      m_.faces[face].across[1] = after;
      m_.faces[after].across[2] = face;
    }
    return true;
  }

  EpaMemory<V>& m_;
  double size_;
  double tiny_;
  EpaGoal goal_;
  EpaEnd end_ = EpaEnd::running;
  int supports_ = 0;
  int trial_ = 0;
  std::uint16_t current_ = 0;
  V direction_;
  Real lower_ = 0.0;
  Real upper_ = 0.0;
  bool has_upper_ = false;
  bool grew_ = false;
  V upper_direction_;
  SupportPoint<V> upper_point_;
};

}  // namespace whisker::convex
