#pragma once

// The point of a simplex of one to four points that is nearest to the origin: the subalgorithm of GJK (Gilbert,
// Johnson, Keerthi 1988), by Voronoi regions (Ericson 2004), with cross products taken at the newest point.
//
// In real arithmetic the newest point always belongs to the result. For flat and needle-like simplices, rounding may
// contradict that. Then all sub-simplices that the signs do not rule out are evaluated, and the nearest of their points
// is taken. The result is always a point of the simplex, so only the number of steps depends on these signs.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "convex/vec3.hpp"

namespace whisker::convex {

/// Points of a Minkowski difference, the newest one last, with the weights of the point nearest to the origin. `slot`
/// is where the caller keeps the data of a point.
template <class V>
struct Simplex {
  using Point = V;
  using Real = typename Numbers<V>::Real;

  std::array<V, 4> w{};
  std::array<std::uint8_t, 4> slot{};
  std::array<Real, 4> weight{};
  int count = 0;
};

namespace simplex_detail {

template <class V>
struct OnSegment {
  typename Numbers<V>::Real share = 0.0;  // weight of q
  V v{};
};

template <class V>
WHISKER_INLINE OnSegment<V> nearest_on_segment(const V& p, const V& q) {
  using Real = typename Numbers<V>::Real;
  const V e = q - p;
  const Real along = -dot(p, e);
  const Real ee = dot(e, e);
  OnSegment<V> result;
  if (!(along > 0.0)) {
    result.v = p;
  } else if (!(along < ee)) {
    result.share = 1.0;
    result.v = q;
  } else {
    const Real inverse = 1.0 / ee;
    result.share = along * inverse;
    const V v = p + e * result.share;
    // Near the origin v has lost its direction to rounding. Any remaining component along e is an error.
    result.v = v - e * (dot(v, e) * inverse);
  }
  return result;
}

/// For cross products with a, which are the same for b - a and for b: returns the one that rounds less.
template <class V>
WHISKER_INLINE const V& nearer(const V& difference, const V& corner) {
  if constexpr (Numbers<V>::is_double) {
    return difference;
  } else {
    return to_double(dot(difference, difference)) <= to_double(dot(corner, corner)) ? difference : corner;
  }
}

/// The corner from which a plane's height over the origin is measured. In principle any corner will do. The nearest one
/// rounds least, which matters if the distances of the corners differ by nine orders of magnitude. Doubles do not get
/// that far.
template <class V>
WHISKER_INLINE const V& nearest_corner(const V& a, const V& b, const V& c) {
  if constexpr (Numbers<V>::is_double) {
    return a;
  } else {
    const double aa = to_double(dot(a, a)), bb = to_double(dot(b, b)), cc = to_double(dot(c, c));
    return aa <= bb ? (aa <= cc ? a : c) : (bb <= cc ? b : c);
  }
}

template <class V>
struct OnTriangle {
  std::array<typename Numbers<V>::Real, 3> weight{};  // of a, the newest, and of b and c
  V v{};
};

template <class V>
WHISKER_INLINE void take_segment(const OnSegment<V>& s, int first, int second, OnTriangle<V>& result,
                                 typename Numbers<V>::Real& best) {
  const auto length = dot(s.v, s.v);
  if (!(length < best)) return;
  best = length;
  result.v = s.v;
  result.weight = {0.0, 0.0, 0.0};
  result.weight[static_cast<std::size_t>(first)] = 1.0 - s.share;
  result.weight[static_cast<std::size_t>(second)] = s.share;
}

template <class V>
WHISKER_INLINE OnTriangle<V> nearest_on_triangle(const V& a, const V& b, const V& c) {
  using Real = typename Numbers<V>::Real;
  const V ab = b - a;
  const V ac = c - a;
  const V n = cross(ab, ac);
  const Real nn = dot(n, n);
  const Real of_b = -dot(n, cross(a, nearer(ac, c)));
  const Real of_c = -dot(n, cross(nearer(ab, b), a));
  OnTriangle<V> result;
  if (of_b > 0.0 && of_c > 0.0 && of_b + of_c < nn) {
    const Real inverse = 1.0 / nn;
    result.weight[1] = of_b * inverse;
    result.weight[2] = of_c * inverse;
    result.weight[0] = 1.0 - (result.weight[1] + result.weight[2]);
    if (!(result.weight[0] > 0.0)) result.weight[0] = 0.0;
    result.v = n * (dot(nearest_corner(a, b, c), n) * inverse);
    return result;
  }
  Real best = HUGE_VAL;
  const bool beyond_ac = !(of_b > 0.0);
  const bool beyond_ab = !(of_c > 0.0);
  if (beyond_ab) take_segment(nearest_on_segment(a, b), 0, 1, result, best);
  if (beyond_ac) take_segment(nearest_on_segment(a, c), 0, 2, result, best);
  if (!(beyond_ab || beyond_ac)) take_segment(nearest_on_segment(b, c), 1, 2, result, best);
  return result;
}

/// Keeps the points of s with positive weights. `out` may be s itself.
template <class AnySimplex>
WHISKER_INLINE void keep_positive(const AnySimplex& s, const std::array<typename AnySimplex::Real, 4>& weight,
                                  AnySimplex& out) {
  // Which points are kept is unpredictable, so there are no branches.
  std::size_t kept = 0;
  const auto count = static_cast<std::size_t>(s.count);
  for (std::size_t i = 0; i < count; ++i) {
    out.w[kept] = s.w[i];
    out.slot[kept] = s.slot[i];
    out.weight[kept] = weight[i];
    kept += weight[i] > 0.0 ? 1u : 0u;
  }
  out.count = static_cast<int>(kept);
}

}  // namespace simplex_detail

/// nearest_on_triangle, inlined.
template <class V>
struct InlineFace {
  WHISKER_INLINE simplex_detail::OnTriangle<V> operator()(const V& a, const V& b, const V& c) const {
    return simplex_detail::nearest_on_triangle(a, b, c);
  }
};

/// The point of the simplex nearest to the origin. `out` receives the points that carry it, with their weights. If
/// `inside` becomes true, the origin is in the tetrahedron, as far as doubles can tell, and `out` is the whole
/// tetrahedron. `OnFace` calls nearest_on_triangle for the faces of a tetrahedron. `AnySimplex` is Simplex or a type
/// with its members.
template <class AnySimplex, class OnFace = InlineFace<typename AnySimplex::Point>>
WHISKER_INLINE auto reduce(const AnySimplex& s, bool& inside, AnySimplex& out, const OnFace& on_face = {}) ->
    typename AnySimplex::Point {
  using V = typename AnySimplex::Point;
  using Real = typename AnySimplex::Real;
  using namespace simplex_detail;
  inside = false;
  if (s.count == 1) {
    keep_positive(s, {1.0, 0.0, 0.0, 0.0}, out);
    return s.w[0];
  }
  if (s.count == 2) {
    const OnSegment<V> on = nearest_on_segment(s.w[1], s.w[0]);
    keep_positive(s, {on.share, 1.0 - on.share, 0.0, 0.0}, out);
    return on.v;
  }
  if (s.count == 3) {
    const OnTriangle<V> on = nearest_on_triangle(s.w[2], s.w[1], s.w[0]);
    keep_positive(s, {on.weight[2], on.weight[1], on.weight[0], 0.0}, out);
    return on.v;
  }
  const V &a = s.w[3], &b = s.w[2], &c = s.w[1], &d = s.w[0];
  const V ab = b - a, ac = c - a, ad = d - a;
  const V n_abc = cross(ab, ac), n_acd = cross(ac, ad), n_adb = cross(ad, ab);
  const Real volume = dot(n_abc, ad);
  const Real of_d = -dot(n_abc, a), of_b = -dot(n_acd, a), of_c = -dot(n_adb, a);
  const Real of_a = volume - (of_b + of_c + of_d);
  // If the tetrahedron is flat, the signs are meaningless: the normal's rounding error is of the order of the product
  // of two edge lengths, and for a needle the normal is nothing but that error.
  constexpr double flat = 16 * Numbers<V>::roundoff;
  const double sizes = to_double(dot(ab, ab)) * to_double(dot(ac, ac)) * to_double(dot(ad, ad));
  const double rough = to_double(volume);
  const bool is_flat = !(rough * rough > flat * flat * sizes);
  const bool positive = volume > 0.0;
  const auto beyond = [&](const Real& share) { return is_flat || !(positive ? share > 0.0 : share < 0.0); };
  const bool out_abc = beyond(of_d), out_acd = beyond(of_b), out_adb = beyond(of_c);
  if (!out_abc && !out_acd && !out_adb && !beyond(of_a)) {
    inside = true;
    const Real inverse = 1.0 / volume;
    const std::array<Real, 4> weight = {of_d * inverse, of_c * inverse, of_b * inverse, of_a * inverse};
    out = s;
    out.weight = weight;
    return V();
  }
  Real best = HUGE_VAL;
  V v{};
  std::array<Real, 4> weight{};
  const auto look = [&](std::size_t newest, std::size_t second, std::size_t third) WHISKER_INLINE_LAMBDA {
    const OnTriangle<V> on = on_face(s.w[newest], s.w[second], s.w[third]);
    const Real length = dot(on.v, on.v);
    if (!(length < best)) return;
    best = length;
    v = on.v;
    weight = {0.0, 0.0, 0.0, 0.0};
    weight[newest] = on.weight[0];
    weight[second] = on.weight[1];
    weight[third] = on.weight[2];
  };
  if (out_abc) look(3, 2, 1);
  if (out_acd) look(3, 1, 0);
  if (out_adb) look(3, 0, 2);
  if (!(out_abc || out_acd || out_adb)) look(2, 1, 0);
  keep_positive(s, weight, out);
  return v;
}

/// The same by trying all corners, edges and faces, for simplices so flat that the signs above mislead. Does not test
/// whether the origin is inside.
template <class V>
V search(const Simplex<V>& s, Simplex<V>& out) {
  using Real = typename Numbers<V>::Real;
  using namespace simplex_detail;
  Real best = HUGE_VAL;
  V nearest{};
  std::array<Real, 4> weight{};
  const auto take = [&](const V& v, std::array<std::size_t, 3> corners, std::array<Real, 3> shares) {
    const Real squared = dot(v, v);
    if (!(squared < best)) return;
    best = squared;
    nearest = v;
    weight = {0.0, 0.0, 0.0, 0.0};
    for (std::size_t k = 0; k < 3; ++k)
      if (shares[k] > 0.0) weight[corners[k]] = shares[k];
  };
  const auto count = static_cast<std::size_t>(s.count);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = i + 1; j < count; ++j) {
      const OnSegment<V> on = nearest_on_segment(s.w[i], s.w[j]);
      take(on.v, {i, j, i}, {1.0 - on.share, on.share, 0.0});
      for (std::size_t k = j + 1; k < count; ++k) {
        const OnTriangle<V> face = nearest_on_triangle(s.w[i], s.w[j], s.w[k]);
        take(face.v, {i, j, k}, face.weight);
      }
    }
  }
  keep_positive(s, weight, out);
  return nearest;
}

/// The distance of the origin from all faces of a tetrahedron that contains it, up to a few roundings. 0 if rounding
/// leaves open whether it does. `size`: no corner is farther from the origin.
WHISKER_INLINE double tetrahedron_margin(const std::array<Vec3, 4>& w, double size) {
  double margin = HUGE_VAL;
  for (std::size_t apex = 0; apex < 4; ++apex) {
    const Vec3 &p = w[(apex + 1) & 3], &q = w[(apex + 2) & 3], &r = w[(apex + 3) & 3];
    const Vec3 e1 = q - p, e2 = r - p;
    Vec3 n = cross(e1, e2);
    const double length = norm(n);
    if (!(length > 0)) return 0;
    n = n * (1 / length);
    double h = std::min({dot(n, p), dot(n, q), dot(n, r)});
    double beyond = dot(n, w[apex]);
    if (h < 0) {
      h = -std::max({dot(n, p), dot(n, q), dot(n, r)});
      beyond = -beyond;
    }
    // The whole face is on one side of the origin, the opposite corner on the other, and the orientation is certain.
    if (!(h * length > 16 * 0x1p-53 * norm(e1) * norm(e2) * size) || !(beyond < 0)) return 0;
    margin = std::min(margin, h);
  }
  return margin;
}

}  // namespace whisker::convex
