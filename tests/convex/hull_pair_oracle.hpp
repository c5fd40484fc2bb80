#pragma once

// The true answers about two placed convex hulls, by brute force over all pairs of features: doubles select the pairs
// that may be closest, and 384-bit numbers measure those. Placed vertices are R x + t without rounding.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <whisker/convex_hull.hpp>
#include <whisker/pose.hpp>

#include "support/reference_polytope.hpp"

namespace whisker::test {

struct PlacedHull {
  const ConvexHull* hull = nullptr;
  std::vector<Vec<Real>> exact;
  std::vector<Vec<double>> rough;  // relative to a vertex of the pair, in units of the pair's size
  std::vector<std::array<std::uint32_t, 3>> triangles;
};

inline Vec<Real> placed_exactly(const Pose& pose, const Vector3& x) {
  const auto row = [&](int i) {
    return Real(pose.rotation()(i, 0)) * Real(x[0]) + Real(pose.rotation()(i, 1)) * Real(x[1]) +
           Real(pose.rotation()(i, 2)) * Real(x[2]) + Real(pose.translation()[i]);
  };
  return {row(0), row(1), row(2)};
}

inline PlacedHull place_hull(const ConvexHull& hull, const Pose& pose) {
  PlacedHull result;
  result.hull = &hull;
  for (const Vector3& v : hull.vertices())
    result.exact.push_back(placed_exactly(pose, v));
  for (std::size_t f = 0; f < hull.face_count(); ++f) {
    const auto face = hull.face(f);
    for (std::size_t i = 1; i + 1 < face.size(); ++i)
      result.triangles.push_back({face[0], face[i], face[i + 1]});
  }
  return result;
}

inline void make_rough(PlacedHull& hull, const Vec<Real>& origin, const Real& size) {
  hull.rough.clear();
  for (const Vec<Real>& v : hull.exact) {
    const Vec<Real> d = (Real(1) / size) * (v - origin);
    hull.rough.push_back({d.x.convert_to<double>(), d.y.convert_to<double>(), d.z.convert_to<double>()});
  }
}

namespace hull_pair {

/// The squared distance of two segments.
template <class N>
N segments(const Vec<N>& p, const Vec<N>& p2, const Vec<N>& q, const Vec<N>& q2) {
  const Vec<N> d = p2 - p, e = q2 - q;
  const N dd = dot(d, d), ee = dot(e, e);
  N best = dot(q - p, q - p);
  const auto offer = [&](const Vec<N>& a, const Vec<N>& b) {
    const N squared = dot(b - a, b - a);
    if (squared < best) best = squared;
  };
  offer(p, q2), offer(p2, q), offer(p2, q2);
  const auto onto = [&](const Vec<N>& x, const Vec<N>& from, const Vec<N>& along, const N& length2) {
    if (!(length2 > 0)) return;
    const N t = dot(x - from, along) / length2;
    if (t > 0 && t < 1) offer(x, from + t * along);
  };
  onto(p, q, e, ee), onto(p2, q, e, ee), onto(q, p, d, dd), onto(q2, p, d, dd);
  const Vec<N> n = cross(d, e);
  const N nn = dot(n, n);
  if (nn > 0) {
    const N s = dot(q - p, cross(e, n)) / nn, t = dot(q - p, cross(d, n)) / nn;
    if (s > 0 && s < 1 && t > 0 && t < 1) offer(p + s * d, q + t * e);
  }
  return best;
}

/// The squared distance of a point from a triangle's plane if its foot lies in the triangle, otherwise a large number.
template <class N>
N point_over_triangle(const Vec<N>& p, const Vec<N>& a, const Vec<N>& b, const Vec<N>& c, const N& slack) {
  const Vec<N> n = cross(b - a, c - a);
  const N nn = dot(n, n);
  if (!(nn > 0)) return N(1e300);
  for (const auto& [from, to] : {std::pair(a, b), std::pair(b, c), std::pair(c, a)}) {
    if (dot(cross(to - from, p - from), n) < -slack * nn) return N(1e300);
  }
  const N h = dot(p - a, n);
  return h * h / nn;
}

/// Whether the segment and the triangle share a point. Coplanar configurations are left to the distances.
template <class N>
bool pierces(const Vec<N>& p, const Vec<N>& q, const Vec<N>& a, const Vec<N>& b, const Vec<N>& c, const N& slack) {
  const Vec<N> n = cross(b - a, c - a);
  const N hp = dot(p - a, n), hq = dot(q - a, n);
  if ((hp > slack && hq > slack) || (hp < -slack && hq < -slack)) return false;
  const Vec<N> d = q - p;
  const N x = dot(cross(d, a - p), b - p), y = dot(cross(d, b - p), c - p), z = dot(cross(d, c - p), a - p);
  return (x >= -slack && y >= -slack && z >= -slack) || (x <= slack && y <= slack && z <= slack);
}

template <class N>
bool inside(const PlacedHull& hull, const std::vector<Vec<N>>& vertices, const Vec<N>& p, const N& slack) {
  if (hull.hull->dimension() != 3) return false;
  for (std::size_t f = 0; f < hull.hull->face_count(); ++f) {
    const auto face = hull.hull->face(f);
    const Vec<N>& a = vertices[face[0]];
    if (dot(cross(vertices[face[1]] - a, vertices[face[2]] - a), p - a) > slack) return false;
  }
  return true;
}

}  // namespace hull_pair

struct HullTruth {
  bool overlap = false;  ///< The hulls share a point.
  Real distance = 0;     ///< 0 if the hulls overlap.
  double size = 0;       ///< The largest coordinate relative to a vertex of the pair.
};

inline HullTruth truth_about(PlacedHull a, PlacedHull b) {
  using namespace hull_pair;
  const Vec<Real> origin = a.exact[0];
  Real size = 0;
  for (const PlacedHull* h : {&a, &b}) {
    for (const Vec<Real>& v : h->exact) {
      const Vec<Real> d = v - origin;
      size = std::max({size, Real(abs(d.x)), Real(abs(d.y)), Real(abs(d.z))});
    }
  }
  if (size == 0) size = 1;
  make_rough(a, origin, size);
  make_rough(b, origin, size);
  HullTruth truth;
  truth.size = size.convert_to<double>();

  // Overlap test: an edge of one hull through a face of the other, or a vertex inside.
  const auto crosses = [&](const PlacedHull& x, const PlacedHull& y) {
    for (const HullEdge& e : x.hull->edges()) {
      for (const auto& t : y.triangles) {
        if (!hull_pair::pierces(x.rough[e.begin], x.rough[e.end], y.rough[t[0]], y.rough[t[1]], y.rough[t[2]], 1e-9)) {
          continue;
        }
        if (cross(y.exact[t[1]] - y.exact[t[0]], y.exact[t[2]] - y.exact[t[0]]).is_zero()) continue;
        const Vec<Real> n = cross(y.exact[t[1]] - y.exact[t[0]], y.exact[t[2]] - y.exact[t[0]]);
        if (dot(x.exact[e.begin] - y.exact[t[0]], n) == 0 && dot(x.exact[e.end] - y.exact[t[0]], n) == 0) continue;
        if (hull_pair::pierces(x.exact[e.begin], x.exact[e.end], y.exact[t[0]], y.exact[t[1]], y.exact[t[2]], Real(0)))
          return true;
      }
    }
    for (std::size_t v = 0; v < x.rough.size(); ++v) {
      if (inside(y, y.rough, x.rough[v], 1e-9) && inside(y, y.exact, x.exact[v], Real(0))) return true;
    }
    return false;
  };
  if (crosses(a, b) || crosses(b, a)) {
    truth.overlap = true;
    return truth;
  }

  // Pairs that may be closest: two segments (a point is a segment of length zero), or a vertex and a triangle.
  const auto segments_of = [](const PlacedHull& h) {
    std::vector<std::array<std::uint32_t, 2>> list;
    for (const HullEdge& e : h.hull->edges())
      list.push_back({e.begin, e.end});
    if (list.empty()) list.push_back({0, 0});
    return list;
  };
  const auto edges_a = segments_of(a), edges_b = segments_of(b);
  double least = std::numeric_limits<double>::infinity();
  for (const auto& e : edges_a) {
    for (const auto& f : edges_b)
      least = std::min(least, hull_pair::segments(a.rough[e[0]], a.rough[e[1]], b.rough[f[0]], b.rough[f[1]]));
  }
  const double limit = std::sqrt(least) * (1 + 1e-7) + 1e-7;
  const auto visit = [&](auto&& use) {
    for (const auto& e : edges_a) {
      for (const auto& f : edges_b) {
        use(hull_pair::segments(a.rough[e[0]], a.rough[e[1]], b.rough[f[0]], b.rough[f[1]]),
            [&] { return hull_pair::segments(a.exact[e[0]], a.exact[e[1]], b.exact[f[0]], b.exact[f[1]]); });
      }
    }
    const auto over = [&](const PlacedHull& x, const PlacedHull& y) {
      for (std::size_t v = 0; v < x.rough.size(); ++v) {
        for (const auto& t : y.triangles) {
          use(point_over_triangle(x.rough[v], y.rough[t[0]], y.rough[t[1]], y.rough[t[2]], 1e-6),
              [&] { return point_over_triangle(x.exact[v], y.exact[t[0]], y.exact[t[1]], y.exact[t[2]], Real(0)); });
        }
      }
    };
    over(a, b);
    over(b, a);
  };
  Real best = std::numeric_limits<double>::max();
  visit([&](double squared, auto&& measure) {
    if (std::sqrt(squared) > limit) return;
    const Real exact = measure();
    if (exact < best) best = exact;
  });
  truth.distance = square_root(best);
  truth.overlap = truth.distance == 0;
  return truth;
}

/// Bounds of the distance that follow from the direction between two points of the hulls, in 384 bits. Fast, for large
/// hulls.
struct HullBounds {
  Real lower, upper;
};
inline HullBounds bounds_along(const PlacedHull& a, const PlacedHull& b, const Vec<Real>& pa, const Vec<Real>& pb) {
  const Vec<Real> gap = pb - pa;
  const Real length = square_root(dot(gap, gap));
  if (length == 0) return {Real(0), Real(0)};
  const Vec<Real> n = (Real(1) / length) * gap;
  Real high = dot(n, a.exact[0]), low = dot(n, b.exact[0]);
  for (const Vec<Real>& v : a.exact)
    high = std::max(high, Real(dot(n, v)));
  for (const Vec<Real>& v : b.exact)
    low = std::min(low, Real(dot(n, v)));
  return {low - high, length};
}

}  // namespace whisker::test
