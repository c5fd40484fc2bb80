#pragma once

// The point sets that the volumes' numbers represent, in exact rationals, with a test whether they contain a point; and
// input points of all kinds.

#include <array>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <Eigen/Geometry>
#include <boost/multiprecision/cpp_int.hpp>

#include <whisker/geometry/volumes.hpp>
#include <whisker/methods/kdop.hpp>
#include <whisker/methods/swept_sphere.hpp>

#include "support/cases.hpp"
#include "support/random_vectors.hpp"

namespace whisker::test {

using methods::fit_kdop;
using methods::fit_rectangle_sphere;
using methods::fit_segment_sphere;
using methods::fit_triangle_sphere;
using methods::Kdop;
using methods::RectangleSweptSphere;
using methods::SegmentSweptSphere;
using methods::TriangleSweptSphere;

using ExactRational = boost::multiprecision::cpp_rational;

/// The operators are friends, so that they are considered only for Rational3 (Boost and Eigen do not mix).
struct Rational3 {
  std::array<ExactRational, 3> entry;

  Rational3() = default;
  Rational3(const ExactRational& x, const ExactRational& y, const ExactRational& z) : entry{x, y, z} {}

  const ExactRational& operator[](std::size_t i) const { return entry[i]; }
  ExactRational& operator[](std::size_t i) { return entry[i]; }

  friend Rational3 operator+(const Rational3& a, const Rational3& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
  friend Rational3 operator-(const Rational3& a, const Rational3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
  friend Rational3 operator*(const ExactRational& s, const Rational3& a) { return {s * a[0], s * a[1], s * a[2]}; }
  friend ExactRational dot(const Rational3& a, const Rational3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
  friend Rational3 cross(const Rational3& a, const Rational3& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
  }
};

inline Rational3 exact(const Vector3& v) {
  return {ExactRational(v[0]), ExactRational(v[1]), ExactRational(v[2])};
}
inline ExactRational det(const Rational3& a, const Rational3& b, const Rational3& c) {
  return dot(a, cross(b, c));
}
inline Rational3 exact_place(const Pose& pose, const Rational3& x) {
  Rational3 result;
  for (int i = 0; i < 3; ++i) {
    result[static_cast<std::size_t>(i)] =
        ExactRational(pose.rotation()(i, 0)) * x[0] + ExactRational(pose.rotation()(i, 1)) * x[1] +
        ExactRational(pose.rotation()(i, 2)) * x[2] + ExactRational(pose.translation()[i]);
  }
  return result;
}

inline ExactRational squared_distance_segment(const Rational3& x, const Rational3& a, const Rational3& b) {
  const Rational3 e = b - a;
  const ExactRational length = dot(e, e);
  ExactRational t = length == 0 ? ExactRational(0) : dot(x - a, e) / length;
  if (t < 0) t = 0;
  if (t > 1) t = 1;
  const Rational3 d = x - (a + t * e);
  return dot(d, d);
}

inline ExactRational squared_distance_triangle(const Rational3& x, const Rational3& a, const Rational3& b,
                                               const Rational3& c) {
  const Rational3 e = b - a;
  const Rational3 f = c - a;
  const Rational3 d = x - a;
  const Rational3 n = cross(e, f);
  const ExactRational nn = dot(n, n);
  if (nn != 0) {
    const ExactRational s = dot(cross(d, f), n) / nn;
    const ExactRational t = dot(cross(e, d), n) / nn;
    if (s >= 0 && t >= 0 && s + t <= 1) {
      const ExactRational h = dot(d, n);
      return h * h / nn;
    }
  }
  return std::min(
      {squared_distance_segment(x, a, b), squared_distance_segment(x, b, c), squared_distance_segment(x, c, a)});
}

inline bool exactly_in(const Aabb& v, const Rational3& x) {
  for (std::size_t i = 0; i < 3; ++i) {
    const int k = static_cast<int>(i);
    if (x[i] < ExactRational(v.lower[k]) || x[i] > ExactRational(v.upper[k])) return false;
  }
  return true;
}
inline bool exactly_in(const BoundingSphere& v, const Rational3& x) {
  const Rational3 d = x - exact(v.center);
  return dot(d, d) <= ExactRational(v.radius) * ExactRational(v.radius);
}
inline bool exactly_in(const Obb& v, const Rational3& x) {
  const Rational3 d = x - exact(v.center);
  const std::array<Rational3, 3> g = {exact(v.axes.col(0)), exact(v.axes.col(1)), exact(v.axes.col(2))};
  const ExactRational whole = det(g[0], g[1], g[2]);
  const std::array<ExactRational, 3> u = {det(d, g[1], g[2]), det(g[0], d, g[2]), det(g[0], g[1], d)};
  for (std::size_t i = 0; i < 3; ++i) {
    const double half = v.half[static_cast<int>(i)];
    if (std::isfinite(half) && abs(u[i]) > ExactRational(half) * abs(whole)) return false;
  }
  return true;
}
template <std::size_t K>
bool exactly_in(const Kdop<K>& v, const Rational3& x) {
  for (std::size_t i = 0; i < K / 2; ++i) {
    const auto& d = Kdop<K>::directions[i];
    const ExactRational at = d[0] * x[0] + d[1] * x[1] + d[2] * x[2];
    if (at < ExactRational(v.lower[i]) || at > ExactRational(v.upper[i])) return false;
  }
  return true;
}
inline bool exactly_in(const SegmentSweptSphere& v, const Rational3& x) {
  return squared_distance_segment(x, exact(v.core.a), exact(v.core.b)) <=
         ExactRational(v.radius) * ExactRational(v.radius);
}
inline bool exactly_in(const TriangleSweptSphere& v, const Rational3& x) {
  return squared_distance_triangle(x, exact(v.core.a), exact(v.core.b), exact(v.core.c)) <=
         ExactRational(v.radius) * ExactRational(v.radius);
}
inline bool exactly_in(const RectangleSweptSphere& v, const Rational3& x) {
  const Rational3 c = exact(v.center);
  const Rational3 p = exact(v.edge_u);
  const Rational3 q = exact(v.edge_v);
  const ExactRational d = std::min(squared_distance_triangle(x, c + p + q, c + p - q, c - p + q),
                                   squared_distance_triangle(x, c - p - q, c + p - q, c - p + q));
  return d <= ExactRational(v.radius) * ExactRational(v.radius);
}

/// Input points of different kinds (0 to point_kinds - 1) and sizes.
inline constexpr int point_kinds = 12;

inline std::vector<Vector3> random_points(std::mt19937_64& random, int kind) {
  const std::size_t count = 1 + random() % 12;
  const auto number = [&] { return uniform(random, -1, 1); };
  const auto any = [&] { return Vector3(number(), number(), number()); };
  std::vector<Vector3> points;
  const Vector3 u = any();
  const Vector3 v = any();
  const Vector3 w = any();
  const Matrix3 turn = random_rotation(random);
  for (std::size_t i = 0; i < count; ++i) {
    switch (kind) {
      case 0:  // a cloud
        points.push_back(any());
        break;
      case 1:  // flat up to rounding
        points.push_back(w + number() * u + number() * v);
        break;
      case 2:  // exactly flat
        points.push_back({number(), number(), 0.375});
        break;
      case 3:  // on a line up to rounding
        points.push_back(w + number() * u);
        break;
      case 4:  // exactly on a line
        points.push_back(std::ldexp(static_cast<double>(random() % 64), -3) * Vector3(1, 2, -3));
        break;
      case 5:  // one point, repeated
        points.push_back(u);
        break;
      case 6:  // a small grid: duplicates, coplanar and cospherical points
        points.push_back(Vector3(static_cast<double>(random() % 3), static_cast<double>(random() % 3),
                                 static_cast<double>(random() % 2)));
        break;
      case 7:  // far from the origin
        points.push_back(Vector3(1e6, -3e7, 2e5) + 1e-3 * any());
        break;
      case 8:  // the largest numbers
        points.push_back(0.99 * max_coordinate * any());
        break;
      case 9:  // tiny ones
        points.push_back(1e-90 * any());
        break;
      case 10:  // a long, thin, rotated box
        points.push_back(turn * Vector3(number() * 10, number() * 0.1, number() * 1e-4));
        break;
      default:  // on a sphere
        points.push_back(turn * any().normalized());
        break;
    }
  }
  return points;
}

inline std::string describe(const std::vector<Vector3>& points) {
  std::string text;
  char line[128];
  for (const Vector3& p : points) {
    std::snprintf(line, sizeof line, "{%a, %a, %a}\n", p[0], p[1], p[2]);
    text += line;
  }
  return text;
}

/// A fit of each kind under one name: fit_as<X>(points).
template <class Volume>
struct Fit;
template <>
struct Fit<Aabb> {
  template <class Items>
  static Aabb fit(const Items& items) {
    return fit_aabb(std::span(items));
  }
};
template <>
struct Fit<BoundingSphere> {
  template <class Items>
  static BoundingSphere fit(const Items& items) {
    return fit_sphere(std::span(items));
  }
};
template <>
struct Fit<Obb> {
  template <class Items>
  static Obb fit(const Items& items) {
    return fit_obb(std::span(items));
  }
};
template <std::size_t K>
struct Fit<Kdop<K>> {
  template <class Items>
  static Kdop<K> fit(const Items& items) {
    return fit_kdop<K>(std::span(items));
  }
};
template <>
struct Fit<SegmentSweptSphere> {
  template <class Items>
  static SegmentSweptSphere fit(const Items& items) {
    return fit_segment_sphere(std::span(items));
  }
};
template <>
struct Fit<TriangleSweptSphere> {
  template <class Items>
  static TriangleSweptSphere fit(const Items& items) {
    return fit_triangle_sphere(std::span(items));
  }
};
template <>
struct Fit<RectangleSweptSphere> {
  template <class Items>
  static RectangleSweptSphere fit(const Items& items) {
    return fit_rectangle_sphere(std::span(items));
  }
};

template <class Volume>
Volume fit_as(const std::vector<Vector3>& points) {
  return Fit<Volume>::fit(std::span<const Vector3>(points));
}
template <class Volume>
Volume fit_as(const std::vector<Triangle>& triangles) {
  return Fit<Volume>::fit(std::span<const Triangle>(triangles));
}

/// A random unit vector with rational coordinates, for exact points of the boundary of a volume.
inline Rational3 rational_unit(std::mt19937_64& random) {
  // Stereographic projection: (2p, 2q, 1 - p² - q²) / (1 + p² + q²).
  const ExactRational p(static_cast<int>(random() % 41) - 20, 8);
  const ExactRational q(static_cast<int>(random() % 41) - 20, 8);
  const ExactRational n = 1 + p * p + q * q;
  return {2 * p / n, 2 * q / n, (random() % 2 == 0 ? 1 : -1) * (1 - p * p - q * q) / n};
}
inline Rational3 border_point(const Aabb& v, std::mt19937_64& random) {
  Rational3 x;
  for (std::size_t i = 0; i < 3; ++i) {
    const int k = static_cast<int>(i);
    x[i] = ExactRational(random() % 2 == 0 ? v.lower[k] : v.upper[k]);
  }
  return x;
}
inline Rational3 border_point(const BoundingSphere& v, std::mt19937_64& random) {
  return exact(v.center) + ExactRational(v.radius) * rational_unit(random);
}
inline Rational3 border_point(const Obb& v, std::mt19937_64& random) {
  Rational3 x = exact(v.center);
  for (int i = 0; i < 3; ++i)
    x = x + ExactRational(random() % 2 == 0 ? v.half[i] : -v.half[i]) * exact(v.axes.col(i));
  return x;
}
inline Rational3 border_point(const SegmentSweptSphere& v, std::mt19937_64& random) {
  return exact(random() % 2 == 0 ? v.core.a : v.core.b) + ExactRational(v.radius) * rational_unit(random);
}
inline Rational3 border_point(const TriangleSweptSphere& v, std::mt19937_64& random) {
  const std::array<Vector3, 3> corners = {v.core.a, v.core.b, v.core.c};
  return exact(corners[random() % 3]) + ExactRational(v.radius) * rational_unit(random);
}
inline Rational3 border_point(const RectangleSweptSphere& v, std::mt19937_64& random) {
  return exact(v.center) + ExactRational(random() % 2 == 0 ? 1 : -1) * exact(v.edge_u) +
         ExactRational(random() % 2 == 0 ? 1 : -1) * exact(v.edge_v) + ExactRational(v.radius) * rational_unit(random);
}

}  // namespace whisker::test
