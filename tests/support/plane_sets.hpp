#pragma once

// Convex sets in a plane, such as the faces of two shapes, and the middle of the intersection of two of them: the
// point, the midpoint of a segment, the centroid of an area. Discs are true discs.
//
// Polygons are clipped by half-planes. The intersection of a disc and a polygon is summed edge by edge, as seen from
// the disc's center. Everything is in long double, and none of it is done the way the library does it.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "support/convex_reference.hpp"

namespace whisker::test {

struct PlanePoint {
  Extended x = 0, y = 0;

  friend PlanePoint operator+(const PlanePoint& p, const PlanePoint& q) { return {p.x + q.x, p.y + q.y}; }
  friend PlanePoint operator-(const PlanePoint& p, const PlanePoint& q) { return {p.x - q.x, p.y - q.y}; }
  friend PlanePoint operator*(Extended s, const PlanePoint& p) { return {s * p.x, s * p.y}; }
};

inline Extended dot(const PlanePoint& p, const PlanePoint& q) {
  return p.x * q.x + p.y * q.y;
}
inline Extended cross(const PlanePoint& p, const PlanePoint& q) {
  return p.x * q.y - p.y * q.x;
}
inline Extended norm(const PlanePoint& p) {
  return std::sqrt(dot(p, p));
}

/// A point, a segment, a convex polygon (counter-clockwise), a disc, or the whole plane.
struct PlaneSet {
  std::vector<PlanePoint> corners;  // for a disc, its center
  Extended radius = 0;
  bool is_disc = false;
  bool is_everything = false;

  static PlaneSet everything() {
    PlaneSet set;
    set.is_everything = true;
    return set;
  }
  static PlaneSet disc(const PlanePoint& center, Extended radius) {
    PlaneSet set;
    set.corners = {center};
    set.radius = radius;
    set.is_disc = radius > 0;
    return set;
  }
  static PlaneSet of(std::vector<PlanePoint> corners) {
    PlaneSet set;
    set.corners = std::move(corners);
    return set;
  }

  bool is_area() const { return is_disc || corners.size() > 2; }
  bool is_segment() const { return !is_disc && corners.size() == 2; }
  bool is_point() const { return !is_everything && !is_disc && corners.size() == 1; }

  void shift(const PlanePoint& by) {
    for (PlanePoint& p : corners)
      p = p + by;
  }
  /// Rotates by an angle so small that its sine is the angle and its cosine is 1.
  void turn(const PlanePoint& about, Extended angle) {
    for (PlanePoint& p : corners)
      p = p + PlanePoint{-angle * (p.y - about.y), angle * (p.x - about.x)};
  }
};

/// The convex hull of points, counter-clockwise. Points within `tolerance` of the line between others are left out.
inline PlaneSet hull_of(std::vector<PlanePoint> points, Extended tolerance) {
  std::sort(points.begin(), points.end(),
            [](const PlanePoint& p, const PlanePoint& q) { return p.x != q.x ? p.x < q.x : p.y < q.y; });
  std::vector<PlanePoint> distinct;
  for (const PlanePoint& p : points) {
    const bool known =
        std::any_of(distinct.begin(), distinct.end(), [&](const PlanePoint& q) { return norm(p - q) <= tolerance; });
    if (!known) distinct.push_back(p);
  }
  if (distinct.size() < 3) return PlaneSet::of(distinct);
  const auto half = [&](auto begin, auto end) {
    std::vector<PlanePoint> chain;
    for (auto p = begin; p != end; ++p) {
      while (chain.size() >= 2) {
        const PlanePoint e = *p - chain[chain.size() - 2];
        if (cross(chain.back() - chain[chain.size() - 2], e) > tolerance * norm(e)) break;
        chain.pop_back();
      }
      chain.push_back(*p);
    }
    return chain;
  };
  std::vector<PlanePoint> lower = half(distinct.begin(), distinct.end());
  const std::vector<PlanePoint> upper = half(distinct.rbegin(), distinct.rend());
  lower.pop_back();
  lower.insert(lower.end(), upper.begin(), upper.end() - 1);
  if (lower.size() > 2) return PlaneSet::of(lower);
  // All points are on a line. Its two ends need not be the first and last in the order above.
  PlaneSet ends = PlaneSet::of({distinct.front(), distinct.back()});
  Extended longest = 0;
  for (const PlanePoint& p : distinct) {
    for (const PlanePoint& q : distinct) {
      if (norm(p - q) > longest) longest = norm(p - q), ends.corners = {p, q};
    }
  }
  return ends;
}

/// The middle of the intersection of two sets, and its extent.
struct SharedMiddle {
  PlanePoint middle;
  Extended extent = 0;                   ///< Its longest diameter, or an upper bound of it.
  int dimension = 0;                     ///< 0: a point, 1: a segment, 2: an area.
  std::vector<PlanePoint> corners = {};  ///< If the area is a polygon.
};

namespace plane_sets {

struct Moments {
  Extended area = 0;
  PlanePoint first;
};

inline Moments moments_of(const std::vector<PlanePoint>& polygon) {
  Moments sum;
  const PlanePoint& o = polygon[0];
  for (std::size_t i = 1; i + 1 < polygon.size(); ++i) {
    const PlanePoint p = polygon[i] - o, q = polygon[i + 1] - o;
    const Extended area = cross(p, q) / 2;
    sum.area += area;
    sum.first = sum.first + (area / 3) * (p + q);
  }
  return sum;
}

inline Extended extent_of(const std::vector<PlanePoint>& points) {
  Extended longest = 0;
  for (const PlanePoint& p : points) {
    for (const PlanePoint& q : points)
      longest = std::max(longest, norm(p - q));
  }
  return longest;
}

inline SharedMiddle middle_of_points(const std::vector<PlanePoint>& points) {
  SharedMiddle result;
  result.extent = extent_of(points);
  if (points.size() > 2) {
    const Moments m = moments_of(points);
    if (m.area > result.extent * result.extent * Extended(1e-13)) {
      result.middle = points[0] + (1 / m.area) * m.first;
      result.dimension = 2;
      result.corners = points;
      return result;
    }
  }
  result.dimension = result.extent > 0 ? 1 : 0;
  result.middle = points[0];
  for (const PlanePoint& p : points) {
    for (const PlanePoint& q : points) {
      if (result.extent > 0 && norm(p - q) == result.extent) result.middle = Extended(0.5) * (p + q);
    }
  }
  return result;
}

/// A point, segment or polygon, clipped by a polygon: the part that is inside all of its edges.
inline std::vector<PlanePoint> clipped(std::vector<PlanePoint> points, const std::vector<PlanePoint>& by) {
  for (std::size_t i = 0; i < by.size() && !points.empty(); ++i) {
    const PlanePoint from = by[i], edge = by[(i + 1) % by.size()] - from;
    std::vector<PlanePoint> kept;
    const std::size_t count = points.size();
    for (std::size_t j = 0; j < count; ++j) {
      const PlanePoint p = points[j], q = points[(j + 1) % count];
      const Extended at_p = cross(edge, p - from), at_q = cross(edge, q - from);
      if (at_p >= 0) kept.push_back(p);
      if ((at_p > 0 && at_q < 0) || (at_p < 0 && at_q > 0)) kept.push_back(p + (at_p / (at_p - at_q)) * (q - p));
    }
    points = kept;
  }
  return points;
}

/// The moments of the intersection of the disc around the origin with the triangle (origin, p, q), with the triangle's
/// sign.
inline Moments of_disc_and_triangle(const PlanePoint& p, const PlanePoint& q, Extended radius) {
  Moments sum;
  const auto triangle = [&sum](const PlanePoint& s, const PlanePoint& t) {
    const Extended area = cross(s, t) / 2;
    sum.area += area;
    sum.first = sum.first + (area / 3) * (s + t);
  };
  const auto sector = [&sum, radius](const PlanePoint& s, const PlanePoint& t) {
    const Extended from = std::atan2(s.y, s.x), by = std::atan2(cross(s, t), dot(s, t)), to = from + by;
    const Extended third = radius * radius * radius / 3;
    sum.area += radius * radius * by / 2;
    sum.first =
        sum.first + PlanePoint{third * (std::sin(to) - std::sin(from)), third * (std::cos(from) - std::cos(to))};
  };
  const PlanePoint e = q - p;
  const Extended ee = dot(e, e);
  if (!(ee > 0)) return sum;
  const Extended middle = -dot(p, e) / ee;
  const PlanePoint foot = p + middle * e;
  const Extended inside = radius * radius - dot(foot, foot);
  if (!(inside > 0)) {
    sector(p, q);
    return sum;
  }
  const Extended half = std::sqrt(inside / ee);
  const Extended enter = std::clamp<Extended>(middle - half, 0, 1), leave = std::clamp<Extended>(middle + half, 0, 1);
  const PlanePoint first = p + enter * e, second = p + leave * e;
  if (enter > 0) sector(p, first);
  triangle(first, second);
  if (leave < 1) sector(second, q);
  return sum;
}

inline std::optional<SharedMiddle> of_disc_and_polygon(const PlaneSet& disc, const std::vector<PlanePoint>& polygon) {
  Moments sum;
  const PlanePoint c = disc.corners[0];
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Moments part = of_disc_and_triangle(polygon[i] - c, polygon[(i + 1) % polygon.size()] - c, disc.radius);
    sum.area += part.area;
    sum.first = sum.first + part.first;
  }
  if (!(sum.area > disc.radius * disc.radius * Extended(1e-12))) return std::nullopt;
  SharedMiddle result;
  result.middle = c + (1 / sum.area) * sum.first;
  result.extent = std::min(2 * disc.radius, extent_of(polygon));
  result.dimension = 2;
  return result;
}

inline std::optional<SharedMiddle> of_discs(const PlaneSet& a, const PlaneSet& b) {
  const PlaneSet &small = a.radius <= b.radius ? a : b, &large = a.radius <= b.radius ? b : a;
  const PlanePoint between = large.corners[0] - small.corners[0];
  const Extended apart = norm(between), r = small.radius, s = large.radius;
  SharedMiddle result;
  result.dimension = 2;
  result.extent = 2 * r;
  if (apart <= s - r) {
    result.middle = small.corners[0];
    return result;
  }
  if (apart >= r + s) return std::nullopt;
  // The intersection is two circular segments over one chord, at `chord` from the small disc's center toward the large
  // one's.
  const Extended chord = (apart * apart + r * r - s * s) / (2 * apart);
  const auto beyond = [](Extended radius, Extended from, Moments& m) {  // the part of a disc with x >= from
    const Extended half = std::sqrt(std::max<Extended>(0, radius * radius - from * from));
    const Extended area = radius * radius * std::acos(std::clamp<Extended>(from / radius, -1, 1)) - from * half;
    m.area += area;
    m.first.x += 2 * half * half * half / 3;
  };
  Moments from_small, from_large;
  beyond(r, chord, from_small);
  beyond(s, apart - chord, from_large);  // relative to the large disc's center, looking back
  const Extended area = from_small.area + from_large.area;
  if (!(area > r * r * Extended(1e-12))) return std::nullopt;
  const Extended along = (from_small.first.x + apart * from_large.area - from_large.first.x) / area;
  result.middle = small.corners[0] + (along / apart) * between;
  if (chord > 0) result.extent = 2 * std::sqrt(std::max<Extended>(0, r * r - chord * chord));
  return result;
}

/// The part, within [0, 1], of a segment that is in the set; nothing if none of it is.
inline std::optional<std::pair<Extended, Extended>> part_inside(const PlanePoint& p, const PlanePoint& q,
                                                                const PlaneSet& set) {
  const PlanePoint e = q - p;
  Extended from = 0, to = 1;
  if (set.is_disc) {
    const PlanePoint d = p - set.corners[0];
    const Extended ee = dot(e, e), b = dot(d, e) / ee, c = (dot(d, d) - set.radius * set.radius) / ee;
    const Extended inside = b * b - c;
    if (inside < 0) return std::nullopt;
    from = std::max(from, -b - std::sqrt(inside));
    to = std::min(to, -b + std::sqrt(inside));
  } else {
    for (std::size_t i = 0; i < set.corners.size(); ++i) {
      const PlanePoint edge = set.corners[(i + 1) % set.corners.size()] - set.corners[i];
      const Extended at = cross(edge, p - set.corners[i]), change = cross(edge, e);
      if (change == 0) {
        if (at < 0) return std::nullopt;
      } else if (change > 0) {
        from = std::max(from, -at / change);
      } else {
        to = std::min(to, -at / change);
      }
    }
  }
  if (from > to) return std::nullopt;
  return std::pair(from, to);
}

/// Two segments. They count as collinear if the ends of the shorter are within `tolerance` of the line of the longer.
inline std::optional<SharedMiddle> of_segments(const PlaneSet& a, const PlaneSet& b, Extended tolerance) {
  const bool swap = norm(a.corners[1] - a.corners[0]) < norm(b.corners[1] - b.corners[0]);
  const PlaneSet &longer = swap ? b : a, &shorter = swap ? a : b;
  const PlanePoint p = longer.corners[0], e = longer.corners[1] - p, s = shorter.corners[0], f = shorter.corners[1] - s;
  const Extended length = norm(e), off_0 = cross(e, s - p) / length, off_1 = cross(e, s + f - p) / length;
  SharedMiddle result;
  if (std::abs(off_0) <= tolerance && std::abs(off_1) <= tolerance) {
    Extended from = dot(e, s - p) / dot(e, e), to = dot(e, s + f - p) / dot(e, e);
    if (from > to) std::swap(from, to);
    from = std::max<Extended>(0, from);
    to = std::min<Extended>(1, to);
    if (from > to) return std::nullopt;
    result.middle = p + ((from + to) / 2) * e;
    result.extent = (to - from) * length;
    result.dimension = 1;
    return result;
  }
  if ((off_0 > 0 && off_1 > 0) || (off_0 < 0 && off_1 < 0)) return std::nullopt;
  const PlanePoint at = s + (off_0 / (off_0 - off_1)) * f;
  const Extended along = dot(e, at - p) / dot(e, e);
  if (along < 0 || along > 1) return std::nullopt;
  result.middle = at;
  return result;
}

}  // namespace plane_sets

/// An upper bound, to first order, of how far the middle of a polygon moves if each corner moves by no more than `by`.
inline Extended middle_spread(const SharedMiddle& polygon, Extended by) {
  Extended sum = 0;
  for (std::size_t i = 0; i < polygon.corners.size(); ++i) {
    Extended square = 0;
    for (const PlanePoint& way : {PlanePoint{by, 0}, PlanePoint{0, by}}) {
      std::vector<PlanePoint> corners = polygon.corners;
      corners[i] = corners[i] + way;
      const PlanePoint moved = plane_sets::middle_of_points(corners).middle - polygon.middle;
      square += dot(moved, moved);
    }
    sum += std::sqrt(square);
  }
  return sum;
}

/// The middle of the intersection; nothing if the sets share no point. A single point counts as inside any set.
inline std::optional<SharedMiddle> shared_middle(const PlaneSet& a, const PlaneSet& b, Extended tolerance = 0) {
  using namespace plane_sets;
  if (a.is_everything && b.is_everything) return std::nullopt;
  if (a.is_point() || b.is_point()) return SharedMiddle{(a.is_point() ? a : b).corners[0], 0, 0};
  if (a.is_everything || b.is_everything) {
    const PlaneSet& set = a.is_everything ? b : a;
    if (set.is_disc) return SharedMiddle{set.corners[0], 2 * set.radius, 2};
    return middle_of_points(set.corners);
  }
  if (a.is_segment() && b.is_segment()) return of_segments(a, b, tolerance);
  if (a.is_segment() || b.is_segment()) {
    const PlaneSet &segment = a.is_segment() ? a : b, &area = a.is_segment() ? b : a;
    const PlanePoint p = segment.corners[0], e = segment.corners[1] - p;
    const auto part = part_inside(p, segment.corners[1], area);
    if (!part) return std::nullopt;
    return SharedMiddle{p + ((part->first + part->second) / 2) * e, (part->second - part->first) * norm(e), 1};
  }
  if (a.is_disc && b.is_disc) return of_discs(a, b);
  if (a.is_disc) return of_disc_and_polygon(a, b.corners);
  if (b.is_disc) return of_disc_and_polygon(b, a.corners);
  const std::vector<PlanePoint> common = clipped(a.corners, b.corners);
  if (common.empty()) return std::nullopt;
  return middle_of_points(common);
}

}  // namespace whisker::test
