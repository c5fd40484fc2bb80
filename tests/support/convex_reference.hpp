#pragma once

// The true answers about two placed convex shapes, computed only from the definitions in docs/guarantees.md.
//
// A bounded convex shape is represented by its support function in closed form, in any number type. Half-spaces and
// planes have closed forms on top of it. Every result comes with its own proof: a distance is bounded from below by the
// width of a slab between support planes and from above by the distance of two points of the shapes. A depth is bounded
// from below by how far points of the Minkowski difference reach and from above by the width along a direction. So it
// does not matter how those points and directions were found. `Real` (384 bits) gives the truth to 1e-30 of the size.
// `Extended` gives it to a thousandth of a double's last bit, and is fast enough to be used in every case.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <queue>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include <whisker/convex_hull.hpp>
#include <whisker/pose.hpp>
#include <whisker/primitives.hpp>
#include <whisker/shape.hpp>

#include "support/reference.hpp"

namespace whisker::test {

/// At least 64 bits.
using Extended = long double;

inline Extended root(Extended x) {
  return std::sqrt(x);
}
inline Real root(const Real& x) {
  return bmp::sqrt(x);
}

template <class N>
N norm(const Vec<N>& v) {
  return root(N(dot(v, v)));
}

/// An upper bound of the rounding error of a sum of products of numbers of about `size`.
template <class N>
N rounding_at(const N& size) {
  return size * N(64) * std::numeric_limits<N>::epsilon();
}

/// The width of the bounds, relative to the size, at which the search for a distance stops.
inline void wanted_width(Extended& width) {
  width = rounding_at(Extended(1));
}
inline void wanted_width(Real& width) {
  width = Real("1e-31");
}
template <class N>
N wanted_width() {
  N width;
  wanted_width(width);
  return width;
}

/// A placed bounded convex set: all points within `radius` of a core that is given by its support function.
template <class N>
struct ReferenceBody {
  enum class Core { points, cylinder, cone, ellipsoid };

  Core core = Core::points;
  std::vector<Vec<N>> points;   // for Core::points
  Vec<N> center;                // for the others: all points center + sum of x_i axes_i…
  std::array<Vec<N>, 3> axes;   // …where x lies in the unit shape scaled by…
  std::array<N, 3> half_sizes;  // …these half sizes along the axes
  N radius = N(0);

  /// A point of the core farthest along `n`.
  Vec<N> support(const Vec<N>& n) const {
    if (core == Core::points) {
      std::size_t best = 0;
      N reach = dot(points[0], n);
      for (std::size_t i = 1; i < points.size(); ++i) {
        const N along = dot(points[i], n);
        if (along > reach) reach = along, best = i;
      }
      return points[best];
    }
    // n · (R x) = (Rᵀ n) · x, and x is farthest where the gradient of the unit ball's norm is along Rᵀ n.
    std::array<N, 3> m;
    for (std::size_t i = 0; i < 3; ++i)
      m[i] = half_sizes[i] * dot(axes[i], n);
    if (core == Core::ellipsoid) {
      const N s = root(N(m[0] * m[0] + m[1] * m[1] + m[2] * m[2]));
      return s > 0 ? at(m[0] / s, m[1] / s, m[2] / s) : center;
    }
    const N s = root(N(m[0] * m[0] + m[1] * m[1]));
    const N x = s > 0 ? N(m[0] / s) : N(0), y = s > 0 ? N(m[1] / s) : N(0);
    if (core == Core::cylinder) return at(x, y, m[2] >= 0 ? N(1) : N(-1));
    return m[2] >= s - m[2] ? at(N(0), N(0), N(1)) : at(x, y, N(-1));
  }

  /// The maximum of n · x over the set, including the radius. n need not be a unit vector.
  N reach(const Vec<N>& n) const { return dot(n, support(n)) + radius * norm(n); }

  /// An upper bound of the numbers from which a support point is computed.
  N extent() const {
    N sum = norm(center);
    if (core == Core::points) {
      for (const Vec<N>& p : points)
        sum = std::max(sum, norm(p));
    } else {
      for (std::size_t i = 0; i < 3; ++i)
        sum = sum + half_sizes[i] * norm(axes[i]);
    }
    return sum + radius;
  }

  Vec<N> some_point() const { return core == Core::points ? points[0] : center; }

  /// The largest absolute value of any coordinate of the set.
  N max_coordinate() const {
    N largest = N(0);
    const auto look_at = [&largest](const N& x) { largest = std::max(largest, x < 0 ? N(-x) : x); };
    for (int i = 0; i < 3; ++i) {
      const Vec<N> axis = {N(i == 0), N(i == 1), N(i == 2)};
      look_at(reach(axis));
      look_at(reach(-axis));
    }
    return largest;
  }

  void translate(const Vec<N>& by) {
    center = center + by;
    for (Vec<N>& p : points)
      p = p + by;
  }

 private:
  Vec<N> at(const N& x, const N& y, const N& z) const {
    return center + ((x * half_sizes[0]) * axes[0] + ((y * half_sizes[1]) * axes[1] + (z * half_sizes[2]) * axes[2]));
  }
};

template <class N>
ReferenceBody<N> reference_point(const Vec<N>& p) {
  ReferenceBody<N> body;
  body.points = {p};
  return body;
}

/// The placed shape minus `origin`. Only for bounded convex shapes whose point set is known (not CustomConvex).
template <class N>
ReferenceBody<N> reference_body(const Shape& shape, const Pose& pose, const Vec<N>& origin = {}) {
  using Core = typename ReferenceBody<N>::Core;
  ReferenceBody<N> body;
  const auto round = [&](Core core, const Vector3& half_sizes_twice) {
    body.core = core;
    for (int i = 0; i < 3; ++i) {
      body.axes[static_cast<std::size_t>(i)] = exactly<N>(pose.rotation().col(i));
      body.half_sizes[static_cast<std::size_t>(i)] = N(half_sizes_twice[i]) / N(2);
    }
    body.center = exactly<N>(pose.translation()) - origin;
  };
  const auto image = [&](const Vector3& p) {
    Vec<N> placed = exactly<N>(pose.translation()) - origin;
    for (int i = 0; i < 3; ++i)
      placed = placed + N(p[i]) * exactly<N>(pose.rotation().col(i));
    return placed;
  };
  shape.visit([&](const auto& s) {
    using S = std::decay_t<decltype(s)>;
    if constexpr (std::is_same_v<S, Cylinder>) {
      round(Core::cylinder, {2 * s.radius, 2 * s.radius, s.length});
    } else if constexpr (std::is_same_v<S, Cone>) {
      round(Core::cone, {2 * s.radius, 2 * s.radius, s.length});
    } else if constexpr (std::is_same_v<S, Ellipsoid>) {
      round(Core::ellipsoid, 2 * s.radii);
    } else if constexpr (std::is_same_v<S, ConvexHull>) {
      for (const Vector3& v : s.vertices())
        body.points.push_back(image(v));
    } else if constexpr (std::is_same_v<S, Sphere> || std::is_same_v<S, Capsule> || std::is_same_v<S, Box>) {
      const PlacedSet<N> set = place_set<N>(s, Pose(pose.rotation(), Vector3::Zero()));
      const Vec<N> at = exactly<N>(pose.translation()) - origin;  // keeps the digits far from the world's origin
      for (const Vec<N>& p : set.core.vertices)
        body.points.push_back(p + at);
      body.radius = set.radius;
    } else if constexpr (std::is_same_v<S, Segment> || std::is_same_v<S, Triangle>) {
      for (const Vec<N>& p : place_set<N>(s, pose).core.vertices)
        body.points.push_back(p - origin);
    } else {
      throw std::logic_error("the reference knows no set of points for this shape");
    }
  });
  return body;
}

/// A point of the placed shape farthest along `direction`, including the radius of a sphere or capsule.
template <class N>
Vec<N> reference_support(const Shape& shape, const Pose& pose, const Vec<N>& direction) {
  const ReferenceBody<N> body = reference_body<N>(shape, pose);
  const Vec<N> p = body.support(direction);
  const N unit = norm(direction);
  return unit > 0 ? p + (body.radius / unit) * direction : p;
}

// ---- distance

/// Bounds of a distance and their proof.
template <class N>
struct ReferenceDistance {
  N lower = N(0), upper = N(0);
  Vec<N> point_a, point_b;   // points of the shapes, `upper` apart
  Vec<N> normal;             // unit, from a to b: normal of the slab of width `lower`; zero if there is none
  bool overlapping = false;  // the cores share a point, up to the number type's rounding
  N size = N(0);             // of the numbers that the result was computed from
  int iterations = 0;

  N width() const { return upper - lower; }
};

namespace convex {

/// A point of the Minkowski difference a - b, and the points of a and b that it comes from.
template <class N>
struct Corner {
  Vec<N> w, a, b;
};

template <class N>
Corner<N> corner(const ReferenceBody<N>& a, const ReferenceBody<N>& b, const Vec<N>& along) {
  Corner<N> c;
  c.a = a.support(along);
  c.b = b.support(-along);
  c.w = c.a - c.b;
  return c;
}

/// Up to four corners with weights, which give a point of the difference.
template <class N>
struct Combination {
  std::vector<Corner<N>> corners;
  std::vector<N> weights;
  Vec<N> along;  // the direction to the point

  Corner<N> point() const {
    Corner<N> sum;
    for (std::size_t i = 0; i < corners.size(); ++i) {
      sum.a = sum.a + weights[i] * corners[i].a;
      sum.b = sum.b + weights[i] * corners[i].b;
      sum.w = sum.w + weights[i] * corners[i].w;
    }
    return sum;
  }
};

/// Computes the weights of the point of the corners' affine hull that is nearest to the origin. Returns false if not
/// all weights are positive or the corners are not affinely independent. Uses areas and volumes of differences of
/// corners, which keep their digits where corners are close together. `along` receives the direction to that point,
/// more accurately than the weights give it.
template <class N>
bool project(const std::vector<Corner<N>>& c, std::vector<N>& weights, Vec<N>& along) {
  const std::size_t count = c.size();
  weights.assign(count, N(0));
  N whole = N(0);
  if (count == 1) {
    weights[0] = whole = N(1);
    along = c[0].w;
  } else if (count == 2) {
    const Vec<N> e = c[1].w - c[0].w;
    whole = dot(e, e);
    weights[0] = dot(e, c[1].w);
    weights[1] = -dot(e, c[0].w);
    if (whole > 0) {
      along = c[0].w + (weights[1] / whole) * e;
      along = along - (dot(along, e) / whole) * e;
    }
  } else if (count == 3) {
    const Vec<N> n = cross(c[1].w - c[0].w, c[2].w - c[0].w);
    whole = dot(n, n);
    for (std::size_t i = 0; i < 3; ++i) {
      const Vec<N>& p = c[(i + 1) % 3].w;
      weights[i] = dot(n, cross(p, c[(i + 2) % 3].w - p));
    }
    along = dot(n, c[0].w) < 0 ? -n : n;
  } else {
    const auto volume = [](const Vec<N>& p, const Vec<N>& q, const Vec<N>& r, const Vec<N>& s) {
      return dot(p - s, cross(q - p, r - p));
    };
    const Vec<N> zero;
    whole = volume(c[0].w, c[1].w, c[2].w, c[3].w);
    weights[0] = volume(c[1].w, c[2].w, c[3].w, zero);
    weights[1] = -volume(c[0].w, c[2].w, c[3].w, zero);
    weights[2] = volume(c[0].w, c[1].w, c[3].w, zero);
    weights[3] = -volume(c[0].w, c[1].w, c[2].w, zero);
    if (whole > 0) {
      for (N& x : weights)
        x = -x;
    } else {
      whole = -whole;
    }
    along = zero;
  }
  if (!(whole > 0)) return false;
  N sum = N(0);
  for (const N& x : weights) {
    if (!(x > 0)) return false;
    sum = sum + x;
  }
  for (N& x : weights)
    x = x / sum;
  return true;
}

/// The point of the corners' hull nearest to the origin, found by trying all faces of the simplex. Whatever the
/// rounding, the result is a point of the hull.
template <class N>
Combination<N> nearest(const std::vector<Corner<N>>& corners) {
  Combination<N> best;
  N least = N(0);
  const std::size_t count = corners.size();
  std::vector<Corner<N>> chosen;
  std::vector<N> weights;
  Vec<N> along;
  for (std::size_t bits = (std::size_t{1} << count) - 1; bits > 0; --bits) {
    chosen.clear();
    for (std::size_t i = 0; i < count; ++i) {
      if (bits >> i & 1) chosen.push_back(corners[i]);
    }
    if (!project(chosen, weights, along)) continue;
    Vec<N> v;
    for (std::size_t i = 0; i < chosen.size(); ++i)
      v = v + weights[i] * chosen[i].w;
    const N squared = dot(v, v);
    if (!best.corners.empty() && squared >= least) continue;
    least = squared;
    best.corners = chosen;
    best.weights = weights;
    best.along = chosen.size() == 4 ? v : along;
  }
  return best;
}

}  // namespace convex

/// The distance of two bodies by the method of Gilbert, Johnson and Keerthi (1988), with the simplest possible
/// subroutine. `wanted`: the width of the bounds at which to stop, relative to the size of the difference.
template <class N>
ReferenceDistance<N> reference_distance(const ReferenceBody<N>& a, const ReferenceBody<N>& b, const N& wanted,
                                        const Vec<N>& guess = {}, int most = 500) {
  using namespace convex;
  ReferenceDistance<N> result;
  Combination<N> simplex;
  Vec<N> along = guess;
  if (along.is_zero()) along = b.some_point() - a.some_point();
  if (along.is_zero()) along = {N(1), N(0), N(0)};
  simplex.corners = {corner(a, b, along)};
  simplex.weights = {N(1)};
  simplex.along = simplex.corners[0].w;
  const N size = a.extent() + b.extent();
  result.size = size;
  N lower = N(0);
  bool slab = false;
  const N radii = a.radius + b.radius;
  Corner<N> v = simplex.point();
  N apart = norm(v.w);
  const auto offer_slab = [&](const Vec<N>& from_b_to_a, const Vec<N>& w) {
    const N unit = norm(from_b_to_a);
    if (!(unit > 0)) return;
    const N wide = dot(from_b_to_a, w) / unit;
    if (!slab || wide > lower) {
      lower = wide, slab = true;
      result.normal = (N(-1) / unit) * from_b_to_a;
    }
  };
  offer_slab(-along, v.w);
  for (result.iterations = 1; result.iterations < most; ++result.iterations) {
    if (!(apart > rounding_at(size))) {
      result.overlapping = true;
      break;
    }
    const Corner<N> next = corner(a, b, -simplex.along);
    offer_slab(simplex.along, next.w);
    if (apart - lower <= wanted * size) break;
    std::vector<Corner<N>> corners = simplex.corners;
    if (corners.size() == 4) break;  // it contains the origin except for rounding
    corners.push_back(next);
    Combination<N> better = nearest(corners);
    if (better.corners.empty()) break;
    const Corner<N> point = better.point();
    const N closer = norm(point.w);
    if (!(closer < apart)) break;  // only rounding is left
    simplex = better;
    v = point;
    apart = closer;
  }
  result.upper = apart - radii + rounding_at(size);
  result.lower = lower - radii - rounding_at(size);
  if (result.overlapping || !(result.lower > 0)) result.lower = N(0);
  if (!(result.upper > 0)) result.upper = N(0);
  if (result.lower > result.upper) result.lower = result.upper;
  result.point_a = v.a;
  result.point_b = v.b;
  if (apart > 0 && radii > 0) {  // from the cores to the surfaces; where these overlap, to one common point
    const N reach_a = std::min(a.radius, apart), reach_b = std::min(b.radius, N(apart - reach_a));
    result.point_a = v.a - (reach_a / apart) * v.w;
    result.point_b = v.b + (reach_b / apart) * v.w;
  }
  return result;
}

/// Bounds of the gap of two shapes. A positive gap is the distance, a negative one is minus the depth. If no
/// translation separates the shapes, `inseparable` is set.
template <class N>
struct ReferenceGap {
  N lower = N(0), upper = N(0);
  bool inseparable = false;
  Vec<N> direction;  // unit: b leaves a along it, or is apart from a along it
  N size = N(0);     // of the numbers that the result was computed from
  std::size_t evaluations = 0;

  N width() const { return upper - lower; }
};

// ---- depth

struct DepthEffort {
  double relative_width = 1e-10;    ///< Stop when the bounds are this close, relative to the depth…
  double width_of_size = 0;         ///< …or relative to the size of the difference.
  std::size_t evaluations = 20000;  ///< Or after this many support points.
};

namespace convex {

/// All directions in a spherical triangle, with a lower bound of the support function over them.
template <class N>
struct Patch {
  std::array<Vec<N>, 3> corners;  // unit vectors
  std::array<Vec<N>, 3> points;   // support points there, used for the bounds of subpatches
  N lower = N(0);

  friend bool operator<(const Patch& x, const Patch& y) { return x.lower > y.lower; }  // the lowest comes first
};

template <class N>
Vec<N> unit(const Vec<N>& v) {
  return (N(1) / norm(v)) * v;
}

/// For a point p of the set and n = sum of l_i n_i with l_i >= 0 and |n| = 1: h(n) >= n·p >= min_i n_i·p, because the
/// l_i sum up to at least 1 (the n_i are unit vectors).
template <class N>
N min_reach(const std::array<Vec<N>, 3>& corners, const Vec<N>& p) {
  return std::min({N(dot(corners[0], p)), N(dot(corners[1], p)), N(dot(corners[2], p))});
}

/// The largest min_reach over the hull of `points`: the value of a matrix game, solved on all pairs and triples of
/// points. Any combination gives a valid bound.
template <class N, std::size_t Count>
N best_least_reach(const std::array<Vec<N>, 3>& corners, const std::array<Vec<N>, Count>& points) {
  std::array<std::array<N, 3>, Count> reach;
  N best = N(0);
  for (std::size_t i = 0; i < Count; ++i) {
    for (std::size_t k = 0; k < 3; ++k)
      reach[i][k] = dot(corners[k], points[i]);
    best = std::max(best, std::min({reach[i][0], reach[i][1], reach[i][2]}));
  }
  const auto offer = [&](const Vec<N>& q) { best = std::max(best, min_reach(corners, q)); };
  for (std::size_t i = 0; i < Count; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      for (std::size_t k = 0; k < 3; ++k) {
        const std::size_t l = (k + 1) % 3;  // where the reach along two corners is equal
        const N di = reach[i][k] - reach[i][l], dj = reach[j][k] - reach[j][l];
        if (!((di > 0 && dj < 0) || (di < 0 && dj > 0))) continue;
        const N s = di / (di - dj);
        offer((N(1) - s) * points[i] + s * points[j]);
      }
      for (std::size_t m = 0; m < j; ++m) {
        // Weights for which the reach along all three corners is equal: they give the origin in the plane of the
        // differences of reach.
        const std::array<std::size_t, 3> ids = {i, j, m};
        std::array<N, 3> x, y, weight;
        for (std::size_t t = 0; t < 3; ++t) {
          x[t] = reach[ids[t]][0] - reach[ids[t]][1];
          y[t] = reach[ids[t]][1] - reach[ids[t]][2];
        }
        for (std::size_t t = 0; t < 3; ++t) {
          const std::size_t u = (t + 1) % 3, v = (t + 2) % 3;
          weight[t] = x[u] * y[v] - x[v] * y[u];
        }
        const bool positive = weight[0] > 0 && weight[1] > 0 && weight[2] > 0;
        const bool negative = weight[0] < 0 && weight[1] < 0 && weight[2] < 0;
        if (!positive && !negative) continue;
        const N sum = weight[0] + weight[1] + weight[2];
        offer((weight[0] / sum) * points[i] + ((weight[1] / sum) * points[j] + (weight[2] / sum) * points[m]));
      }
    }
  }
  return best;
}

}  // namespace convex

/// The depth of two bodies whose cores share a point: the minimum of h(n), the support function of a - b, over all unit
/// directions, by branch and bound. `hints` are directions to try first; they need not be unit vectors.
template <class N>
ReferenceGap<N> depth_of_cores(const ReferenceBody<N>& a, const ReferenceBody<N>& b, const std::vector<Vec<N>>& hints,
                               const DepthEffort& effort) {
  using namespace convex;
  ReferenceGap<N> found;  // holds the depth here, with its sign
  bool any = false;
  const N size = a.extent() + b.extent();
  Vec<N> lowest;                                // the support point along the best direction
  std::vector<std::pair<N, Vec<N>>> shortest;   // the support points nearest to the origin, which are corners of the
                                                // boundary
  std::vector<Vec<N>> anchors;                  // points of the difference close to its boundary where the boundary is
                                                // near the origin
  const auto evaluate = [&](const Vec<N>& n) {  // n is a unit vector
    ++found.evaluations;
    const Vec<N> w = corner(a, b, n).w;
    const N h = dot(n, w);
    const N squared = dot(w, w);
    if (shortest.size() < 3 || squared < shortest.back().first) {
      bool known = false;
      for (const auto& [other, p] : shortest)
        known = known || other == squared;
      if (!known) {
        if (shortest.size() == 3) shortest.pop_back();
        shortest.emplace_back(squared, w);
        std::sort(shortest.begin(), shortest.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
      }
    }
    if (!any || h < found.upper) found.upper = h, found.direction = n, lowest = w, any = true;
    return w;
  };
  const auto settle = [&](Vec<N> n) {
    // From a point just outside the boundary along n, the nearest point of the difference gives a better direction,
    // until the direction stays the same. That nearest point is a combination of support points, so it is an anchor for
    // the bounds.
    for (int step = 0; step < 40; ++step) {
      const N before = dot(n, evaluate(n));
      const N out = before + std::max(N(before * N(1e-3)), N(size * N(1e-12)));
      ReferenceBody<N> moved = b;
      moved.translate(out * n);  // a - (b + o) = (a - b) - o
      const auto nearest = reference_distance(a, moved, wanted_width<N>(), n, 60);
      if (nearest.normal.is_zero()) break;
      const Vec<N> next = nearest.normal;
      const N after = dot(next, evaluate(next));
      anchors.push_back(nearest.point_a - nearest.point_b + out * n);
      if (anchors.size() > 6) anchors.erase(anchors.begin());
      if (!(after < before - before * N(1e-13))) break;
      n = next;
    }
  };
  for (const Vec<N>& hint : hints) {
    if (norm(hint) > 0) evaluate(unit(hint));
  }
  const auto enough = [&] {
    return found.upper * N(effort.relative_width) + size * N(effort.width_of_size) + rounding_at(size);
  };
  std::priority_queue<Patch<N>> queue;
  const auto bound = [&](Patch<N>& patch, const Vec<N>& inherited) {
    const Vec<N> w = evaluate(unit(patch.corners[0] + patch.corners[1] + patch.corners[2]));
    N best = std::max(patch.lower, min_reach(patch.corners, w));
    for (const Vec<N>& p : patch.points)
      best = std::max(best, min_reach(patch.corners, p));
    for (const Vec<N>& p : anchors)
      best = std::max(best, min_reach(patch.corners, p));
    for (const auto& [squared, p] : shortest)
      best = std::max(best, min_reach(patch.corners, p));
    if (found.upper - best > enough()) {
      const std::array<Vec<N>, 8> points = {
          patch.points[0], patch.points[1], patch.points[2],    w,
          inherited,       lowest,          shortest[0].second, anchors.empty() ? lowest : anchors.back()};
      best = std::max(best, best_least_reach(patch.corners, points));
    }
    patch.lower = std::max(N(0), best);
  };
  std::vector<Patch<N>> start;
  for (int octant = 0; octant < 8; ++octant) {
    const N sx = octant & 1 ? N(-1) : N(1), sy = octant & 2 ? N(-1) : N(1), sz = octant & 4 ? N(-1) : N(1);
    Patch<N> patch;
    patch.corners = {Vec<N>{sx, N(0), N(0)}, Vec<N>{N(0), sy, N(0)}, Vec<N>{N(0), N(0), sz}};
    for (std::size_t i = 0; i < 3; ++i)
      patch.points[i] = evaluate(patch.corners[i]);
    start.push_back(patch);
  }
  settle(found.direction);
  for (Patch<N>& patch : start) {
    bound(patch, patch.points[0]);
    queue.push(patch);
  }
  N settled_at = found.upper;
  while (true) {
    found.lower = queue.top().lower;
    if (found.upper - found.lower <= enough()) break;
    if (found.evaluations >= effort.evaluations) break;
    if (found.upper < settled_at - settled_at * N(1e-9)) {
      settle(found.direction);
      settled_at = found.upper;
    }
    const Patch<N> patch = queue.top();
    queue.pop();
    std::array<Vec<N>, 3> middles, points;
    for (std::size_t i = 0; i < 3; ++i) {
      middles[i] = unit(patch.corners[(i + 1) % 3] + patch.corners[(i + 2) % 3]);
      points[i] = evaluate(middles[i]);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      Patch<N> part;
      part.lower = patch.lower;
      if (i == 3) {
        part.corners = middles;
        part.points = points;
      } else {
        part.corners = {patch.corners[i], middles[(i + 2) % 3], middles[(i + 1) % 3]};
        part.points = {patch.points[i], points[(i + 2) % 3], points[(i + 1) % 3]};
      }
      bound(part, i == 3 ? patch.points[0] : points[i]);
      queue.push(part);
    }
  }
  found.lower = std::max(N(0), N(found.lower - rounding_at(size)));
  found.upper = std::max(N(0), N(found.upper + rounding_at(size)));
  return found;
}

/// The same for two polytopes with few corners, exact up to the number type's rounding. The smallest width lies along
/// the normal of a face of one polytope or along the cross product of an edge of each. All normals of three corners and
/// of two pairs of corners are tried.
template <class N>
ReferenceGap<N> depth_of_polytopes(const std::vector<Vec<N>>& a, const std::vector<Vec<N>>& b) {
  const auto edges_of = [](const std::vector<Vec<N>>& points) {
    std::vector<Vec<N>> edges;
    for (std::size_t i = 0; i < points.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j)
        edges.push_back(points[i] - points[j]);
    }
    return edges;
  };
  std::vector<Vec<N>> edges = edges_of(a);
  for (const Vec<N>& e : edges_of(b))
    edges.push_back(e);
  std::vector<Vec<N>> normals;
  for (int i = 0; i < 3; ++i)
    normals.push_back({N(i == 0), N(i == 1), N(i == 2)});
  for (std::size_t i = 0; i < edges.size(); ++i) {
    for (std::size_t j = 0; j < 3; ++j)  // for the case that all edges are parallel
      normals.push_back(cross(edges[i], normals[j]));
    for (std::size_t j = 0; j < i; ++j)
      normals.push_back(cross(edges[i], edges[j]));
  }
  ReferenceGap<N> found;
  bool any = false;
  N size = N(0);
  const auto range = [](const std::vector<Vec<N>>& points, const Vec<N>& n) {
    N low = dot(points[0], n), high = low;
    for (std::size_t i = 1; i < points.size(); ++i) {
      const N along = dot(points[i], n);
      if (along < low) low = along;
      if (along > high) high = along;
    }
    return std::pair<N, N>(low, high);
  };
  for (const Vec<N>& e : edges)
    size = std::max(size, norm(e));
  for (const Vec<N>& n : normals) {
    const N long_ = norm(n);
    if (!(long_ > size * size * N(1e-60)) && !(long_ >= N(1))) continue;  // skips parallel edges
    ++found.evaluations;
    const auto [low_a, high_a] = range(a, n);
    const auto [low_b, high_b] = range(b, n);
    const N forward = (high_a - low_b) / long_, backward = (high_b - low_a) / long_;
    if (!any || forward < found.upper) found.upper = forward, found.direction = (N(1) / long_) * n, any = true;
    if (backward < found.upper) found.upper = backward, found.direction = (N(-1) / long_) * n;
  }
  found.lower = std::max(N(0), N(found.upper - rounding_at(size)));
  found.upper = std::max(N(0), N(found.upper + rounding_at(size)));
  return found;
}

/// Polytopes with at most this many corners in total get the exact depth.
inline constexpr std::size_t few_corners = 16;

/// Whether the point set of the shape is known here through a support function.
inline bool has_reference_body(const Shape& shape) {
  return shape.has_support() && shape.kind() != ShapeKind::custom_convex;
}

namespace convex {

template <class N>
ReferenceGap<N> gap_to_side(const Shape& side, const Pose& pose, const ReferenceBody<N>& body, const Vec<N>& origin) {
  PlacedSet<N> set;
  const bool plane = side.kind() == ShapeKind::plane;
  if (plane)
    set = place_set<N>(*side.as<Plane>(), pose);
  else
    set = place_set<N>(*side.as<HalfSpace>(), pose);
  const Vec<N> to_origin = set.origin - origin;
  const N long_ = norm(set.normal);
  const Vec<N> n = (N(1) / long_) * set.normal;
  const N height = dot(n, to_origin) + set.offset / long_;
  const N above = -body.reach(-n) - height, below = height - body.reach(n);
  ReferenceGap<N> gap;
  gap.upper = plane ? std::max(above, below) : above;
  gap.direction = plane && below > above ? -n : n;
  const N size = norm(to_origin) + body.extent() + (set.offset < 0 ? N(-set.offset) : set.offset) / long_;
  gap.size = size;
  gap.lower = gap.upper - rounding_at(size);
  gap.upper = gap.upper + rounding_at(size);
  return gap;
}

}  // namespace convex

/// Two placed shapes. At least one has a reference body; the other also has one or is a half-space or plane.
template <class N>
class ReferencePair {
 public:
  ReferencePair(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b)
      : a_(a), b_(b), pose_a_(pose_a), pose_b_(pose_b) {
    // All coordinates are relative to one of the two shapes, so that sets far from the origin keep their digits.
    origin_ = exactly<N>(a.is_unbounded() ? pose_b.translation() : pose_a.translation());
    if (!a.is_unbounded()) body_a_ = reference_body<N>(a, pose_a, origin_);
    if (!b.is_unbounded()) body_b_ = reference_body<N>(b, pose_b, origin_);
  }

  bool bounded() const { return !a_.is_unbounded() && !b_.is_unbounded(); }
  const ReferenceBody<N>& body_a() const { return body_a_; }
  const ReferenceBody<N>& body_b() const { return body_b_; }
  const Vec<N>& origin() const { return origin_; }

  /// The largest coordinate of either set in the world. For a half-space or plane, only its pose's translation counts.
  double max_coordinate() const {
    const auto of = [&](const Shape& shape, const Pose& pose, const ReferenceBody<N>& body) {
      if (shape.is_unbounded()) return pose.translation().template lpNorm<Eigen::Infinity>();
      ReferenceBody<N> placed = body;
      placed.translate(origin_);
      return static_cast<double>(placed.max_coordinate());
    };
    return std::max(of(a_, pose_a_, body_a_), of(b_, pose_b_, body_b_));
  }

  /// Bounds of the distance; 0 where the shapes overlap. `wanted`: the width of the bounds, relative to the size.
  ReferenceDistance<N> distance(const N& wanted = wanted_width<N>(), const Vec<N>& guess = {}) const {
    if (bounded()) return settled(reference_distance(body_a_, body_b_, wanted, guess), false);
    const ReferenceGap<N> gap = side_gap();
    ReferenceDistance<N> result;
    result.lower = std::max(N(0), gap.lower);
    result.upper = std::max(N(0), gap.upper);
    result.normal = gap.direction;
    result.size = gap.size;
    return result;
  }

  /// The width along a direction: if b is moved by it along `n` / |n|, b does not overlap a. Negative if they are
  /// apart.
  N width_along(const Vec<N>& n) const { return (body_a_.reach(n) + body_b_.reach(-n)) / norm(n); }

  /// Bounds of the gap, positive or negative. `hints`: directions to try for the depth.
  ReferenceGap<N> gap(const DepthEffort& effort = {}, std::vector<Vec<N>> hints = {}) const {
    if (!bounded()) return side_gap();
    const N radii = body_a_.radius + body_b_.radius;
    ReferenceBody<N> core_a = body_a_, core_b = body_b_;
    core_a.radius = core_b.radius = N(0);
    const ReferenceDistance<N> cores = settled(reference_distance(core_a, core_b, wanted_width<N>()), true);
    ReferenceGap<N> gap;
    if (cores.lower > 0) {
      gap.lower = cores.lower - radii;
      gap.upper = cores.upper - radii;
      gap.direction = cores.normal;
      return gap;
    }
    using Core = typename ReferenceBody<N>::Core;
    const bool few = core_a.core == Core::points && core_b.core == Core::points &&
                     core_a.points.size() + core_b.points.size() <= few_corners;
    if (few && std::is_same_v<N, Real>) {  // 64 bits are too few for the normals of nearly parallel edges
      gap = depth_of_polytopes(core_a.points, core_b.points);
    } else {
      if (!cores.normal.is_zero()) hints.push_back(cores.normal);
      add_hints(body_a_, hints);
      add_hints(body_b_, hints);
      gap = depth_of_cores(core_a, core_b, hints, effort);
      if constexpr (std::is_same_v<N, Extended>) {
        const N enough = gap.upper * N(effort.relative_width) + cores.size * (N(effort.width_of_size) + N(0x1p-52));
        if (few && gap.width() > enough) {
          const ReferencePair<Real> exact_pair(a_, pose_a_, b_, pose_b_);
          const ReferenceGap<Real> exact = depth_of_polytopes(exact_pair.body_a().points, exact_pair.body_b().points);
          gap.lower = exact.lower.convert_to<N>() - rounding_at(cores.size);
          gap.upper = exact.upper.convert_to<N>() + rounding_at(cores.size);
          gap.direction = {exact.direction.x.convert_to<N>(), exact.direction.y.convert_to<N>(),
                           exact.direction.z.convert_to<N>()};
        }
      }
    }
    const N deepest = gap.upper + radii, least = gap.lower + radii;
    const bool inside = gap.lower > 0;  // proven: the origin is inside the difference of the cores
    gap.lower = -deepest;
    gap.upper = inside ? -least : cores.upper - radii;
    return gap;
  }

 private:
  /// Where 64 bits leave a distance open (nearly parallel faces, slivers), computes it with 384 bits.
  ReferenceDistance<N> settled(ReferenceDistance<N> found, bool cores) const {
    if constexpr (std::is_same_v<N, Extended>) {
      if (found.overlapping || found.width() <= found.size * N(0x1p-55)) return found;
      const ReferencePair<Real> exact_pair(a_, pose_a_, b_, pose_b_);
      ReferenceBody<Real> a = exact_pair.body_a(), b = exact_pair.body_b();
      if (cores) a.radius = b.radius = Real(0);
      const ReferenceDistance<Real> exact = reference_distance(a, b, wanted_width<Real>());
      const auto rounded = [](const Vec<Real>& v) {
        return Vec<N>{v.x.convert_to<N>(), v.y.convert_to<N>(), v.z.convert_to<N>()};
      };
      const N rounding = 4 * std::numeric_limits<N>::epsilon();
      found.lower = exact.lower.convert_to<N>() * (1 - rounding);
      found.upper = exact.upper.convert_to<N>() * (1 + rounding);
      found.point_a = rounded(exact.point_a);
      found.point_b = rounded(exact.point_b);
      found.normal = rounded(exact.normal);
      found.overlapping = exact.overlapping || exact.upper < exact.size * Real(1e-60);
    } else {
      static_cast<void>(cores);
    }
    return found;
  }

  static void add_hints(const ReferenceBody<N>& body, std::vector<Vec<N>>& hints) {
    if (body.core == ReferenceBody<N>::Core::points) return;
    for (std::size_t i = 0; i < 3; ++i) {
      const Vec<N> n = cross(body.axes[(i + 1) % 3], body.axes[(i + 2) % 3]);
      hints.push_back(n);
      hints.push_back(-n);
    }
  }

  ReferenceGap<N> side_gap() const {
    if (b_.is_unbounded()) {
      ReferenceGap<N> gap = convex::gap_to_side<N>(b_, pose_b_, body_a_, origin_);
      gap.direction = -gap.direction;
      return gap;
    }
    return convex::gap_to_side<N>(a_, pose_a_, body_b_, origin_);
  }

  const Shape& a_;
  const Shape& b_;
  Pose pose_a_, pose_b_;
  Vec<N> origin_;
  ReferenceBody<N> body_a_, body_b_;
};

/// The distance of two placed shapes to 1e-30 of their size.
inline ReferenceDistance<Real> reference_distance(const Shape& a, const Pose& pose_a, const Shape& b,
                                                  const Pose& pose_b) {
  return ReferencePair<Real>(a, pose_a, b, pose_b).distance();
}

}  // namespace whisker::test
