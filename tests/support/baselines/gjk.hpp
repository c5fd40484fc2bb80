#pragma once

// The distance of two convex bodies by textbook GJK (Gilbert, Johnson and Keerthi 1988; the closest point of a simplex
// by Voronoi regions after Ericson 2004), in plain double: the baseline that the library is compared with.
//
// A body is anything with
//     std::uint32_t farthest(const Vector3& direction) const;   // id of its point farthest along the direction
//     Vector3 point(std::uint32_t name) const;
// so that a simplex can be stored by ids and evaluated again at another pose.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include <Eigen/Geometry>

#include <whisker/vector.hpp>

namespace whisker::baselines {

/// The hull of some points. Its support function scans all of them.
struct ScannedPoints {
  std::span<const Vector3> points;

  std::uint32_t farthest(const Vector3& direction) const {
    std::uint32_t best = 0;
    double most = direction.dot(points[0]);
    for (std::uint32_t i = 1; i < points.size(); ++i) {
      const double along = direction.dot(points[i]);
      if (along > most) {
        most = along;
        best = i;
      }
    }
    return best;
  }
  Vector3 point(std::uint32_t name) const { return points[name]; }
};

/// A body swept along `by`: the hull of its positions at the beginning and the end. Its support function needs no
/// second copy of the points: along d it is that of the body, translated if d · by > 0 (Ericson 2004; without the
/// doubling of Xavier 1997).
template <class Body>
struct Swept {
  const Body& body;
  Vector3 by;

  std::uint32_t farthest(const Vector3& direction) const {
    return 2 * body.farthest(direction) + (direction.dot(by) > 0 ? 1u : 0u);
  }
  Vector3 point(std::uint32_t name) const {
    const Vector3 at = body.point(name / 2);
    return name % 2 == 1 ? Vector3(at + by) : at;
  }
};

/// A translated body.
template <class Body>
struct Moved {
  const Body& body;
  Vector3 by;

  std::uint32_t farthest(const Vector3& direction) const { return body.farthest(direction); }
  Vector3 point(std::uint32_t name) const { return body.point(name) + by; }
};

/// A simplex given by the ids of its points, from which the next search can start.
struct GjkStart {
  std::array<std::uint32_t, 4> a{}, b{};
  int count = 0;
};

struct GjkOptions {
  /// Stop as soon as a direction separates the bodies. The distance is then only a lower bound.
  bool touch_only = false;
  /// Relative gap of the bounds at which the search stops.
  double tolerance = 1e-14;
  int max_iterations = 200;
};

struct GjkAnswer {
  bool touching = false;
  double lower = 0;  ///< Of the distance, from the last supporting plane.
  double upper = 0;  ///< The distance of the two points.
  Vector3 point_a = Vector3::Zero(), point_b = Vector3::Zero();
  int iterations = 0;
  bool converged = true;
};

namespace simplex {

/// Points of the Minkowski difference, and the weights of the point closest to the origin.
struct Simplex {
  std::array<Vector3, 4> w;
  std::array<std::uint32_t, 4> a{}, b{};
  std::array<double, 4> weight{};
  int count = 0;
};

/// The points and weights that give the closest point found so far.
struct Closest {
  double squared = std::numeric_limits<double>::infinity();
  Vector3 point = Vector3::Zero();
  std::array<double, 4> weight{};

  void offer(const Vector3& candidate, const std::array<double, 4>& weights) {
    const double candidate_squared = candidate.squaredNorm();
    if (candidate_squared < squared) {
      squared = candidate_squared;
      point = candidate;
      weight = weights;
    }
  }
};

inline void try_vertex(const Simplex& s, std::size_t i, Closest& best) {
  std::array<double, 4> weights{};
  weights[i] = 1;
  best.offer(s.w[i], weights);
}

inline void try_edge(const Simplex& s, std::size_t i, std::size_t j, Closest& best) {
  const Vector3 e = s.w[j] - s.w[i];
  const double along = -s.w[i].dot(e), length = e.squaredNorm();
  if (along <= 0 || !(length > 0)) return try_vertex(s, i, best);
  if (along >= length) return try_vertex(s, j, best);
  std::array<double, 4> weights{};
  weights[j] = along / length;
  weights[i] = 1 - weights[j];
  best.offer(s.w[i] + weights[j] * e, weights);
}

/// Voronoi regions of a triangle and the origin (Ericson 2004, section 5.1.5).
inline void try_triangle(const Simplex& s, std::size_t i, std::size_t j, std::size_t k, Closest& best) {
  const Vector3 &a = s.w[i], &b = s.w[j], &c = s.w[k];
  const Vector3 ab = b - a, ac = c - a;
  const Vector3 n = ab.cross(ac);
  const double area = n.squaredNorm();
  if (!(area > 1e-28 * ab.squaredNorm() * ac.squaredNorm())) {  // a needle: only its edges matter
    try_edge(s, i, j, best);
    try_edge(s, j, k, best);
    return try_edge(s, k, i, best);
  }
  const double u = n.dot(b.cross(c)), v = n.dot(c.cross(a)), w = n.dot(a.cross(b));
  if (u > 0 && v > 0 && w > 0) {
    std::array<double, 4> weights{};
    const double sum = u + v + w;
    weights[i] = u / sum;
    weights[j] = v / sum;
    weights[k] = w / sum;
    return best.offer((a.dot(n) / area) * n, weights);
  }
  if (u <= 0) try_edge(s, j, k, best);
  if (v <= 0) try_edge(s, k, i, best);
  if (w <= 0) try_edge(s, i, j, best);
}

/// The closest point of a tetrahedron: the best of the faces that have the origin outside, or the origin itself if
/// there is none. A flat tetrahedron is treated as having no inside; otherwise the search would report bodies as
/// touching that do not touch.
inline void try_tetrahedron(const Simplex& s, Closest& best) {
  constexpr std::array<std::array<std::size_t, 4>, 4> faces = {
      {{0, 1, 2, 3}, {0, 3, 1, 2}, {0, 2, 3, 1}, {1, 3, 2, 0}}};
  bool inside = true;
  for (const auto& [i, j, k, opposite] : faces) {
    const Vector3 e1 = s.w[j] - s.w[i], e2 = s.w[k] - s.w[i], up = s.w[opposite] - s.w[i];
    const Vector3 n = e1.cross(e2);
    const double height = n.dot(up), origin = -n.dot(s.w[i]);
    const bool flat = std::abs(height) <= 1e-14 * n.norm() * up.norm();
    if (flat || (height > 0) != (origin > 0) || origin == 0) {
      inside = false;
      try_triangle(s, i, j, k, best);
    }
  }
  if (!inside) return;
  best.squared = 0;
  best.point = Vector3::Zero();
  const double volume = (s.w[1] - s.w[0]).dot((s.w[2] - s.w[0]).cross(s.w[3] - s.w[0]));
  best.weight[1] = -s.w[0].dot((s.w[2] - s.w[0]).cross(s.w[3] - s.w[0])) / volume;
  best.weight[2] = -s.w[0].dot((s.w[3] - s.w[0]).cross(s.w[1] - s.w[0])) / volume;
  best.weight[3] = -s.w[0].dot((s.w[1] - s.w[0]).cross(s.w[2] - s.w[0])) / volume;
  best.weight[0] = 1 - best.weight[1] - best.weight[2] - best.weight[3];
}

inline Closest closest_to_origin(const Simplex& s) {
  Closest best;
  switch (s.count) {
    case 1:
      try_vertex(s, 0, best);
      break;
    case 2:
      try_edge(s, 0, 1, best);
      break;
    case 3:
      try_triangle(s, 0, 1, 2, best);
      break;
    default:
      try_tetrahedron(s, best);
  }
  return best;
}

/// Drops the points that have no weight.
inline void reduce(Simplex& s, const Closest& closest) {
  int kept = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(s.count); ++i) {
    if (!(closest.weight[i] > 0)) continue;
    const auto to = static_cast<std::size_t>(kept++);
    s.w[to] = s.w[i];
    s.a[to] = s.a[i];
    s.b[to] = s.b[i];
    s.weight[to] = closest.weight[i];
  }
  s.count = kept;
}

}  // namespace simplex

/// The distance of a and b. `start` gives the first simplex and receives the last one. It may be null.
template <class BodyA, class BodyB>
GjkAnswer gjk(const BodyA& a, const BodyB& b, const GjkOptions& options = {}, GjkStart* start = nullptr) {
  simplex::Simplex s;
  const auto append = [&](std::uint32_t of_a, std::uint32_t of_b) {
    const auto at = static_cast<std::size_t>(s.count++);
    s.a[at] = of_a;
    s.b[at] = of_b;
    s.w[at] = a.point(of_a) - b.point(of_b);
    s.weight[at] = 0;
  };
  if (start != nullptr && start->count > 0) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(start->count); ++i)
      append(start->a[i], start->b[i]);
  } else {
    append(a.farthest(Vector3::UnitX()), b.farthest(-Vector3::UnitX()));
  }

  GjkAnswer answer;
  simplex::Closest closest = simplex::closest_to_origin(s);
  double size = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(s.count); ++i)
    size = std::max(size, s.w[i].squaredNorm());
  for (;; ++answer.iterations) {
    const double previous = closest.squared;
    simplex::reduce(s, closest);
    if (closest.squared <= 1e-30 * size) {  // the origin, up to rounding
      answer.touching = true;
      break;
    }
    const Vector3 v = closest.point;
    const std::uint32_t of_a = a.farthest(-v), of_b = b.farthest(v);
    const Vector3 w = a.point(of_a) - b.point(of_b);
    const double along = v.dot(w);
    answer.lower = std::max(answer.lower, along / std::sqrt(closest.squared));
    if (options.touch_only && along > 0) break;
    bool known = false;
    for (std::size_t i = 0; i < static_cast<std::size_t>(s.count); ++i)
      known = known || (s.a[i] == of_a && s.b[i] == of_b);
    if (known || closest.squared - along <= options.tolerance * closest.squared) break;
    if (answer.iterations == options.max_iterations) {
      answer.converged = false;
      break;
    }
    const simplex::Simplex before = s;
    append(of_a, of_b);
    size = std::max(size, w.squaredNorm());
    const simplex::Closest next = simplex::closest_to_origin(s);
    if (!(next.squared < previous)) {  // only rounding is left
      s = before;
      break;
    }
    closest = next;
  }
  if (!answer.touching) answer.upper = std::sqrt(closest.squared);
  for (std::size_t i = 0; i < static_cast<std::size_t>(s.count); ++i) {
    answer.point_a += s.weight[i] * a.point(s.a[i]);
    answer.point_b += s.weight[i] * b.point(s.b[i]);
  }
  if (start != nullptr) {
    start->count = std::min(s.count, 4);
    start->a = s.a;
    start->b = s.b;
  }
  return answer;
}

}  // namespace whisker::baselines
