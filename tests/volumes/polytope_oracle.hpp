#pragma once

// The distance of two convex polytopes with 400 bits, by trying every pair of features. Slow and simple.

#include <algorithm>
#include <array>
#include <vector>

#include <boost/multiprecision/cpp_bin_float.hpp>

#include <whisker/geometry/volumes.hpp>
#include <whisker/methods/kdop.hpp>
#include <whisker/methods/swept_sphere.hpp>

namespace whisker::test {

using methods::Kdop;
using methods::RectangleSweptSphere;
using methods::SegmentSweptSphere;
using methods::TriangleSweptSphere;

using Real =
    boost::multiprecision::number<boost::multiprecision::cpp_bin_float<400, boost::multiprecision::digit_base_2>,
                                  boost::multiprecision::et_off>;

/// The operators are friends, so that they are considered only for Real3 (Boost and Eigen do not mix).
struct Real3 {
  Real x, y, z;

  friend Real3 operator+(const Real3& a, const Real3& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  friend Real3 operator-(const Real3& a, const Real3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  friend Real3 operator*(const Real& s, const Real3& a) { return {s * a.x, s * a.y, s * a.z}; }
  friend Real dot(const Real3& a, const Real3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
  friend Real3 cross(const Real3& a, const Real3& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
  }
};

inline Real3 real(const Vector3& v) {
  return {Real(v[0]), Real(v[1]), Real(v[2])};
}

/// A point, segment, triangle, parallelogram or parallelepiped.
struct Polytope {
  std::vector<Real3> vertices;
  std::vector<std::array<std::size_t, 2>> edges;
  std::vector<std::array<std::size_t, 3>> faces;
  /// For a parallelepiped, its generators (half edges) and center, to test whether points are inside.
  std::vector<Real3> generators;
  Real3 center;

  bool holds(const Real3& p) const {
    if (generators.size() < 3) return false;
    const Real3 d = p - center;
    const Real whole = abs(dot(generators[0], cross(generators[1], generators[2])));
    return whole > 0 && abs(dot(d, cross(generators[1], generators[2]))) <= whole &&
           abs(dot(d, cross(generators[2], generators[0]))) <= whole &&
           abs(dot(d, cross(generators[0], generators[1]))) <= whole;
  }
};

/// center + Σ ± generators[i], with up to three.
inline Polytope parallelepiped(const Real3& center, const std::vector<Real3>& generators) {
  Polytope result;
  result.center = center;
  result.generators = generators;
  const std::size_t count = std::size_t{1} << generators.size();
  for (std::size_t corner = 0; corner < count; ++corner) {
    Real3 at = center;
    for (std::size_t k = 0; k < generators.size(); ++k)
      at = corner >> k & 1u ? at + generators[k] : at - generators[k];
    result.vertices.push_back(at);
  }
  for (std::size_t corner = 0; corner < count; ++corner) {
    for (std::size_t k = 0; k < generators.size(); ++k) {
      const std::size_t u = std::size_t{1} << k;
      if ((corner & u) != 0) continue;
      result.edges.push_back({corner, corner | u});
      for (std::size_t m = k + 1; m < generators.size(); ++m) {
        const std::size_t v = std::size_t{1} << m;
        if ((corner & v) != 0) continue;
        result.faces.push_back({corner, corner | u, corner | v});
        result.faces.push_back({corner | u | v, corner | u, corner | v});
      }
    }
  }
  return result;
}

inline Polytope triangle_polytope(const Real3& a, const Real3& b, const Real3& c) {
  Polytope result;
  result.vertices = {a, b, c};
  result.edges = {{0, 1}, {1, 2}, {2, 0}};
  result.faces = {{0, 1, 2}};
  return result;
}

inline Polytope placed(const Pose& pose, Polytope polytope) {
  const Real3 x = real(pose.rotation().col(0));
  const Real3 y = real(pose.rotation().col(1));
  const Real3 z = real(pose.rotation().col(2));
  const auto turn = [&](const Real3& v) { return v.x * x + v.y * y + v.z * z; };
  for (Real3& v : polytope.vertices)
    v = turn(v) + real(pose.translation());
  for (Real3& g : polytope.generators)
    g = turn(g);
  polytope.center = turn(polytope.center) + real(pose.translation());
  return polytope;
}

inline Real squared(const Real3& v) {
  return dot(v, v);
}

inline Real point_segment(const Real3& p, const Real3& a, const Real3& b) {
  const Real3 e = b - a;
  const Real length = squared(e);
  Real t = length == 0 ? Real(0) : Real(dot(p - a, e) / length);
  t = std::clamp(t, Real(0), Real(1));
  return squared(p - (a + t * e));
}

/// Only above the triangle's interior. The edges are tested separately.
inline Real point_face(const Real3& p, const Real3& a, const Real3& b, const Real3& c) {
  const Real3 n = cross(b - a, c - a);
  const Real nn = squared(n);
  if (nn == 0) return squared(p - a);
  const Real s = dot(cross(p - a, c - a), n);
  const Real t = dot(cross(b - a, p - a), n);
  if (s < 0 || t < 0 || s + t > nn) return squared(p - a);
  const Real h = dot(p - a, n);
  return h * h / nn;
}

inline Real segment_segment(const Real3& a, const Real3& b, const Real3& c, const Real3& d) {
  Real best =
      std::min({point_segment(a, c, d), point_segment(b, c, d), point_segment(c, a, b), point_segment(d, a, b)});
  const Real3 e = b - a;
  const Real3 f = d - c;
  const Real3 r = c - a;
  const Real ee = squared(e);
  const Real ff = squared(f);
  const Real ef = dot(e, f);
  const Real whole = ee * ff - ef * ef;
  if (whole > 0) {
    const Real s = (dot(r, e) * ff - dot(r, f) * ef) / whole;
    const Real t = (dot(r, e) * ef - dot(r, f) * ee) / whole;
    if (s >= 0 && s <= 1 && t >= 0 && t <= 1) best = std::min(best, squared((a + s * e) - (c + t * f)));
  }
  return best;
}

inline bool segment_meets_face(const Real3& p, const Real3& q, const Real3& a, const Real3& b, const Real3& c) {
  const Real3 n = cross(b - a, c - a);
  const Real at_p = dot(p - a, n);
  const Real at_q = dot(q - a, n);
  if (at_p * at_q > 0 || at_p == at_q) return false;  // coplanar: the edges detect it
  const Real3 x = p + (at_p / (at_p - at_q)) * (q - p);
  const Real nn = squared(n);
  const Real s = dot(cross(x - a, c - a), n);
  const Real t = dot(cross(b - a, x - a), n);
  return s >= 0 && t >= 0 && s + t <= nn;
}

/// The squared distance.
inline Real polytope_distance(const Polytope& a, const Polytope& b) {
  if (a.holds(b.vertices[0]) || b.holds(a.vertices[0])) return 0;
  Real best = squared(a.vertices[0] - b.vertices[0]);
  for (const auto* pair : {&a, &b}) {
    const Polytope& one = *pair;
    const Polytope& other = pair == &a ? b : a;
    for (const auto& f : other.faces) {
      const Real3& p = other.vertices[f[0]];
      const Real3& q = other.vertices[f[1]];
      const Real3& r = other.vertices[f[2]];
      for (const auto& e : one.edges) {
        if (segment_meets_face(one.vertices[e[0]], one.vertices[e[1]], p, q, r)) return 0;
      }
      for (const Real3& v : one.vertices)
        best = std::min(best, point_face(v, p, q, r));
    }
    for (const Real3& v : one.vertices) {
      for (const auto& e : other.edges)
        best = std::min(best, point_segment(v, other.vertices[e[0]], other.vertices[e[1]]));
    }
  }
  for (const auto& e : a.edges) {
    for (const auto& f : b.edges)
      best = std::min(best, segment_segment(a.vertices[e[0]], a.vertices[e[1]], b.vertices[f[0]], b.vertices[f[1]]));
  }
  for (const Real3& v : a.vertices) {
    for (const Real3& w : b.vertices)
      best = std::min(best, squared(v - w));
  }
  return best;
}

inline Polytope core_of(const BoundingSphere& v) {
  return parallelepiped(real(v.center), {});
}
inline Polytope core_of(const Aabb& v) {
  const Real half(0.5);
  const Real3 d = half * (real(v.upper) - real(v.lower));
  return parallelepiped(half * (real(v.upper) + real(v.lower)),
                        {{d.x, Real(0), Real(0)}, {Real(0), d.y, Real(0)}, {Real(0), Real(0), d.z}});
}
inline Polytope core_of(const Obb& v) {
  return parallelepiped(real(v.center), {Real(v.half[0]) * real(v.axes.col(0)), Real(v.half[1]) * real(v.axes.col(1)),
                                         Real(v.half[2]) * real(v.axes.col(2))});
}
inline Polytope core_of(const SegmentSweptSphere& v) {
  const Real half(0.5);
  return parallelepiped(half * (real(v.core.a) + real(v.core.b)), {half * (real(v.core.b) - real(v.core.a))});
}
inline Polytope core_of(const TriangleSweptSphere& v) {
  return triangle_polytope(real(v.core.a), real(v.core.b), real(v.core.c));
}
inline Polytope core_of(const RectangleSweptSphere& v) {
  return parallelepiped(real(v.center), {real(v.edge_u), real(v.edge_v)});
}
/// For a k-DOP that is a box: its other faces only touch it.
template <std::size_t K>
Polytope core_of(const Kdop<K>& v) {
  return core_of(bounds(v));
}

template <class Volume>
double radius_of(const Volume& volume) {
  if constexpr (requires { volume.radius; }) {
    return volume.radius;
  } else {
    return 0;
  }
}

}  // namespace whisker::test
