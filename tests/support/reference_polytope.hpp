#pragma once

// Points, segments, triangles and parallelepipeds in any number type, with distance and depth by brute force.
//
// Everything here follows from the definitions. The closest points of two polytopes lie on a pair of features, so all
// pairs are tried. The depth of two overlapping polytopes is the distance from the origin to the boundary of their
// Minkowski difference. Its facets are the faces of either polytope and the parallelograms of two edges, so all of them
// are tried. With `Rational` numbers, squared distances are exact. With `Real`, they are good to a hundred digits.
// `double` is used only to steer generators of test cases.

#include <array>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <boost/multiprecision/cpp_int.hpp>

namespace whisker::test {

namespace bmp = boost::multiprecision;

/// 384 bits, 115 digits: every double converts exactly.
using Real = bmp::number<bmp::cpp_bin_float<384, bmp::digit_base_2>, bmp::et_off>;
using Rational = bmp::number<bmp::cpp_rational_backend, bmp::et_off>;

template <class N>
struct Vec {
  N x = N(0), y = N(0), z = N(0);

  friend Vec operator+(const Vec& a, const Vec& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  friend Vec operator-(const Vec& a, const Vec& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  friend Vec operator*(const N& s, const Vec& a) { return {s * a.x, s * a.y, s * a.z}; }
  Vec operator-() const { return {-x, -y, -z}; }
  bool is_zero() const { return x == 0 && y == 0 && z == 0; }
};

template <class N>
N dot(const Vec<N>& a, const Vec<N>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

template <class N>
Vec<N> cross(const Vec<N>& a, const Vec<N>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

inline double square_root(double x) {
  return std::sqrt(x);
}
inline Real square_root(const Real& x) {
  return bmp::sqrt(x);
}

template <class N>
N length(const Vec<N>& a) {
  return square_root(dot(a, a));
}

/// A point, segment, triangle, parallelogram or parallelepiped. Never degenerate: a flat box or a collinear triangle is
/// converted to the lower-dimensional polytope that it is, so that every edge has a length, every face an area and
/// every solid a volume.
template <class N>
struct Polytope {
  struct Edge {
    std::size_t start, direction;  // from vertices[start] along directions[direction]
  };
  struct FacePlane {
    Vec<N> normal;         // not a unit vector
    Vec<N> first, second;  // dot products with these are coordinates along the face's two edges
    N inverse_normal_squared;
  };
  struct Face {
    std::size_t corner, plane;  // spanned from vertices[corner]
    bool triangle;
  };

  std::vector<Vec<N>> vertices;
  std::vector<Vec<N>> directions;
  std::vector<Edge> edges;
  std::vector<FacePlane> planes;
  std::vector<Face> faces;
  bool solid = false;

  std::size_t add_plane(const Vec<N>& e1, const Vec<N>& e2) {
    const Vec<N> n = cross(e1, e2);
    const N inverse = N(1) / dot(n, n);
    planes.push_back({n, inverse * cross(e2, n), inverse * cross(n, e1), inverse});
    return planes.size() - 1;
  }

  void translate(const Vec<N>& by) {
    for (Vec<N>& v : vertices)
      v = v + by;
  }
};

template <class N>
Polytope<N> make_point(const Vec<N>& p) {
  Polytope<N> result;
  result.vertices = {p};
  return result;
}

template <class N>
Polytope<N> make_segment(const Vec<N>& p, const Vec<N>& q) {
  const Vec<N> e = q - p;
  if (e.is_zero()) return make_point(p);
  Polytope<N> result;
  result.vertices = {p, q};
  result.directions = {e};
  result.edges = {{0, 0}};
  return result;
}

template <class N>
Polytope<N> make_triangle(const Vec<N>& a, const Vec<N>& b, const Vec<N>& c) {
  const Vec<N> ab = b - a, bc = c - b, ca = a - c;
  if (cross(ab, bc).is_zero()) {  // collinear: the hull is the longest of the three sides
    const N lab = dot(ab, ab), lbc = dot(bc, bc), lca = dot(ca, ca);
    if (lab >= lbc && lab >= lca) return make_segment(a, b);
    return lbc >= lca ? make_segment(b, c) : make_segment(c, a);
  }
  Polytope<N> result;
  result.vertices = {a, b, c};
  result.directions = {ab, bc, ca};
  result.edges = {{0, 0}, {1, 1}, {2, 2}};
  result.faces = {{0, result.add_plane(ab, -ca), true}};
  return result;
}

/// All center + sum of lambda_i half_axes_i, with every lambda in [-1, 1].
template <class N>
Polytope<N> make_parallelepiped(const Vec<N>& center, const std::array<Vec<N>, 3>& half_axes) {
  Polytope<N> result;
  Vec<N> corner = center;
  for (const Vec<N>& half : half_axes) {
    if (half.is_zero()) continue;
    result.directions.push_back(N(2) * half);
    corner = corner - half;
  }
  const std::size_t count = result.directions.size();
  for (std::size_t bits = 0; bits < (std::size_t{1} << count); ++bits) {
    Vec<N> vertex = corner;
    for (std::size_t i = 0; i < count; ++i) {
      if (bits >> i & 1) vertex = vertex + result.directions[i];
    }
    result.vertices.push_back(vertex);
    for (std::size_t i = 0; i < count; ++i) {
      if (!(bits >> i & 1)) result.edges.push_back({bits, i});
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = i + 1; j < count; ++j) {
      const std::size_t plane = result.add_plane(result.directions[i], result.directions[j]);
      const std::size_t other = count == 3 ? 3 - i - j : count;
      result.faces.push_back({0, plane, false});
      if (count == 3) result.faces.push_back({std::size_t{1} << other, plane, false});
    }
  }
  result.solid = count == 3;
  return result;
}

template <class N>
struct ClosestPoints {
  N squared_distance = N(0);
  Vec<N> point_a, point_b;
};

namespace polytope {

template <class N>
bool in_unit_interval(const N& s) {
  return s >= 0 && s <= 1;
}

/// Whether the projection of corner + `offset` onto the face's plane lies in the face.
template <class N>
bool over_face(const typename Polytope<N>::FacePlane& plane, bool triangle, const Vec<N>& offset) {
  const N s = dot(offset, plane.first);
  if (!in_unit_interval(s)) return false;
  const N t = dot(offset, plane.second);
  if (!in_unit_interval(t)) return false;
  return !triangle || s + t <= 1;
}

/// Tries the vertices of `a` against the edges, faces and interior of `b`, and the edges of `a` through the faces of
/// `b`.
template <class N, class Offer>
void try_features(const Polytope<N>& a, const Polytope<N>& b, const Offer& offer) {
  for (const auto& edge : b.edges) {
    const Vec<N>& e = b.directions[edge.direction];
    const N ee = dot(e, e);
    for (const Vec<N>& v : a.vertices) {
      const Vec<N> d = v - b.vertices[edge.start];
      const N de = dot(d, e);
      if (de < 0 || de > ee) continue;
      offer(v, b.vertices[edge.start] + (de / ee) * e);
    }
  }
  for (const auto& face : b.faces) {
    const auto& plane = b.planes[face.plane];
    std::vector<N> heights;
    for (const Vec<N>& v : a.vertices) {
      const Vec<N> d = v - b.vertices[face.corner];
      heights.push_back(dot(d, plane.normal));
      if (over_face<N>(plane, face.triangle, d)) {
        offer(v, v - (heights.back() * plane.inverse_normal_squared) * plane.normal);
      }
    }
    for (const auto& edge : a.edges) {
      const N& from = heights[edge.start];
      const N along = dot(a.directions[edge.direction], plane.normal);
      if (!(from > 0 && from + along < 0) && !(from < 0 && from + along > 0)) continue;
      const Vec<N> through = a.vertices[edge.start] + (-from / along) * a.directions[edge.direction];
      if (over_face<N>(plane, face.triangle, through - b.vertices[face.corner])) offer(through, through);
    }
  }
  if (b.solid) {
    const N determinant = dot(b.directions[0], cross(b.directions[1], b.directions[2]));
    for (const Vec<N>& v : a.vertices) {
      const Vec<N> d = v - b.vertices[0];
      bool inside = true;
      for (std::size_t i = 0; i < 3 && inside; ++i) {
        const Vec<N> other = cross(b.directions[(i + 1) % 3], b.directions[(i + 2) % 3]);
        inside = in_unit_interval(N(dot(d, other) / determinant));
      }
      if (inside) offer(v, v);
    }
  }
}

}  // namespace polytope

/// The closest points of two polytopes. If the polytopes share a point, both are the same shared point (any of them).
template <class N>
ClosestPoints<N> closest_points(const Polytope<N>& a, const Polytope<N>& b) {
  ClosestPoints<N> best;
  best.point_a = a.vertices[0];
  best.point_b = b.vertices[0];
  const Vec<N> first = best.point_b - best.point_a;
  best.squared_distance = dot(first, first);
  const auto offer = [&best](const Vec<N>& pa, const Vec<N>& pb) {
    const Vec<N> d = pb - pa;
    const N squared = dot(d, d);
    if (squared < best.squared_distance) best = {squared, pa, pb};
  };
  for (const Vec<N>& va : a.vertices) {
    for (const Vec<N>& vb : b.vertices)
      offer(va, vb);
  }
  polytope::try_features(a, b, offer);
  polytope::try_features(b, a, [&offer](const Vec<N>& pb, const Vec<N>& pa) { offer(pa, pb); });
  for (std::size_t i = 0; i < a.directions.size(); ++i) {
    for (std::size_t j = 0; j < b.directions.size(); ++j) {
      const Vec<N>&ea = a.directions[i], &eb = b.directions[j];
      const Vec<N> n = cross(ea, eb);
      if (n.is_zero()) continue;
      const N inverse = N(1) / dot(n, n);
      const Vec<N> along_a = inverse * cross(eb, n), along_b = inverse * cross(ea, n);
      for (const auto& edge_a : a.edges) {
        if (edge_a.direction != i) continue;
        for (const auto& edge_b : b.edges) {
          if (edge_b.direction != j) continue;
          const Vec<N>&pa = a.vertices[edge_a.start], &pb = b.vertices[edge_b.start];
          const Vec<N> d = pb - pa;
          const N s = dot(d, along_a);
          if (!polytope::in_unit_interval(s)) continue;
          const N t = dot(d, along_b);
          if (!polytope::in_unit_interval(t)) continue;
          offer(pa + s * ea, pb + t * eb);
        }
      }
    }
  }
  return best;
}

/// The minimum and maximum of direction · x over the polytope.
template <class N>
std::pair<N, N> range_along(const Polytope<N>& a, const Vec<N>& direction) {
  N low = dot(a.vertices[0], direction), high = low;
  for (std::size_t i = 1; i < a.vertices.size(); ++i) {
    const N along = dot(a.vertices[i], direction);
    if (along < low) low = along;
    if (along > high) high = along;
  }
  return {low, high};
}

template <class N>
struct Escape {
  N depth = N(0);
  Vec<N> direction;  // unit; b leaves a along it
};

/// How far b must move to leave a, for polytopes that share a point. 0 if the Minkowski difference is flat.
template <class N>
Escape<N> escape(const Polytope<N>& a, const Polytope<N>& b) {
  std::vector<Vec<N>> normals, directions = a.directions;
  directions.insert(directions.end(), b.directions.begin(), b.directions.end());
  for (const auto& plane : a.planes)
    normals.push_back(plane.normal);
  for (const auto& plane : b.planes)
    normals.push_back(plane.normal);
  for (const Vec<N>& ea : a.directions) {
    for (const Vec<N>& eb : b.directions) {
      const Vec<N> n = cross(ea, eb);
      if (!n.is_zero()) normals.push_back(n);
    }
  }
  bool flat = true;
  for (const Vec<N>& n : normals) {
    for (const Vec<N>& e : directions) {
      if (dot(n, e) != 0) flat = false;
    }
  }
  Escape<N> best;
  if (flat) {  // any direction perpendicular to everything is a shortest way out, if there is one
    if (!normals.empty()) best.direction = (N(1) / length(normals[0])) * normals[0];
    return best;
  }
  bool found = false;
  for (const Vec<N>& n : normals) {
    const auto [low_a, high_a] = range_along(a, n);
    const auto [low_b, high_b] = range_along(b, n);
    const N scale = N(1) / length(n);
    const N forward = (high_a - low_b) * scale, backward = (high_b - low_a) * scale;
    if (!found || forward < best.depth) best = {forward, scale * n};
    found = true;
    if (backward < best.depth) best = {backward, (-scale) * n};
  }
  if (best.depth < 0) best.depth = N(0);
  return best;
}

}  // namespace whisker::test
