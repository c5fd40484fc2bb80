#pragma once

// The exact intersection of two triangles, or of a triangle and a box, computed in integers without any floating point.
//
// All coordinates of a case are multiplied by one power of two, so that they become integers. A point is homogeneous,
// (x, y, z) / w with w > 0. One triangle is represented as a convex polygon and clipped by the closed half-spaces that
// describe the other set; the result is exactly the intersection. The library decides by signs of determinants of its
// input and never constructs a point, so the two methods have nothing in common.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include <boost/multiprecision/cpp_int.hpp>

#include <whisker/geometry/aabb.hpp>
#include <whisker/primitives.hpp>

namespace whisker::test {

using Integer = boost::multiprecision::cpp_int;
using Rational = boost::multiprecision::cpp_rational;

struct IntegerVector {
  Integer x, y, z;
};

inline IntegerVector operator-(const IntegerVector& a, const IntegerVector& b) {
  return {Integer(a.x - b.x), Integer(a.y - b.y), Integer(a.z - b.z)};
}
inline IntegerVector cross(const IntegerVector& a, const IntegerVector& b) {
  return {Integer(a.y * b.z - a.z * b.y), Integer(a.z * b.x - a.x * b.z), Integer(a.x * b.y - a.y * b.x)};
}
inline Integer dot(const IntegerVector& a, const IntegerVector& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
inline bool is_zero(const IntegerVector& a) {
  return a.x == 0 && a.y == 0 && a.z == 0;
}

/// (x, y, z) / w, w > 0.
struct HomogeneousPoint {
  IntegerVector v;
  Integer w;
};

inline bool same_point(const HomogeneousPoint& a, const HomogeneousPoint& b) {
  return a.v.x * b.w == b.v.x * a.w && a.v.y * b.w == b.v.y * a.w && a.v.z * b.w == b.v.z * a.w;
}

/// normal · x >= offset.
struct ClosedHalfSpace {
  IntegerVector normal;
  Integer offset;

  Integer value(const HomogeneousPoint& p) const { return dot(normal, p.v) - offset * p.w; }
};

/// The exponent of the lowest set bit of a nonzero double.
inline int lowest_bit(double value) {
  int exponent = 0;
  const double mantissa = std::frexp(value, &exponent);
  const auto whole = static_cast<long long>(std::ldexp(std::fabs(mantissa), 53));
  return exponent - 53 + __builtin_ctzll(static_cast<unsigned long long>(whole));
}

/// The power of two that turns the coordinates of a case into integers.
class CommonScale {
 public:
  void include(double value) {
    if (value != 0) exponent_ = std::min(exponent_, lowest_bit(value));
  }
  void include(const Vector3& v) {
    for (int k = 0; k < 3; ++k)
      include(v[k]);
  }
  void include(const Triangle& t) {
    include(t.a);
    include(t.b);
    include(t.c);
  }
  Integer integer(double value) const {
    if (value == 0) return 0;
    const int low = lowest_bit(value);
    const auto whole = static_cast<long long>(std::ldexp(value, -low));
    return Integer(whole) << static_cast<unsigned>(low - exponent_);
  }
  IntegerVector vector(const Vector3& v) const { return {integer(v[0]), integer(v[1]), integer(v[2])}; }
  /// Converts the scaled integer or fraction back to the unit of the case.
  Rational unscaled(const Integer& numerator, const Integer& denominator) const {
    Rational value(numerator, denominator);
    const Rational power(Integer(1) << static_cast<unsigned>(std::abs(exponent_ == no_exponent ? 0 : exponent_)));
    return exponent_ == no_exponent || exponent_ >= 0 ? Rational(value * power) : Rational(value / power);
  }

 private:
  static constexpr int no_exponent = std::numeric_limits<int>::max();
  int exponent_ = no_exponent;
};

/// The part of a convex polygon (or segment, or point) in a closed half-space. Corners may be repeated.
inline std::vector<HomogeneousPoint> clipped(const std::vector<HomogeneousPoint>& polygon,
                                             const ClosedHalfSpace& space) {
  std::vector<Integer> values;
  bool all_inside = true;
  for (const HomogeneousPoint& p : polygon) {
    values.push_back(space.value(p));
    all_inside = all_inside && values.back() >= 0;
  }
  if (all_inside) return polygon;
  std::vector<HomogeneousPoint> kept;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const std::size_t j = (i + 1) % polygon.size();
    if (values[i] >= 0) kept.push_back(polygon[i]);
    if ((values[i] > 0 && values[j] < 0) || (values[i] < 0 && values[j] > 0)) {
      const Integer wi = abs(values[j]);
      const Integer wj = abs(values[i]);
      const HomogeneousPoint& p = polygon[i];
      const HomogeneousPoint& q = polygon[j];
      kept.push_back(
          {{Integer(wi * p.v.x + wj * q.v.x), Integer(wi * p.v.y + wj * q.v.y), Integer(wi * p.v.z + wj * q.v.z)},
           Integer(wi * p.w + wj * q.w)});
    }
  }
  return kept;
}

inline ClosedHalfSpace half_space(const IntegerVector& normal, const IntegerVector& through) {
  return {normal, dot(normal, through)};
}
inline IntegerVector negated(const IntegerVector& v) {
  return {Integer(-v.x), Integer(-v.y), Integer(-v.z)};
}

/// Half-spaces whose intersection is the segment from `a` to `b`, or a point if they are equal.
inline std::vector<ClosedHalfSpace> segment_half_spaces(const IntegerVector& a, const IntegerVector& b) {
  std::vector<ClosedHalfSpace> spaces;
  const IntegerVector d = b - a;
  const std::array<IntegerVector, 3> axes = {IntegerVector{1, 0, 0}, IntegerVector{0, 1, 0}, IntegerVector{0, 0, 1}};
  for (const IntegerVector& axis : axes) {
    // A point is the intersection of three planes. A line is the intersection of the planes of d and two coordinate
    // directions.
    const IntegerVector normal = is_zero(d) ? axis : cross(d, axis);
    if (is_zero(normal)) continue;
    spaces.push_back(half_space(normal, a));
    spaces.push_back(half_space(negated(normal), a));
  }
  if (!is_zero(d)) {
    spaces.push_back(half_space(d, a));
    spaces.push_back(half_space(negated(d), b));
  }
  return spaces;
}

/// Half-spaces whose intersection is the triangle, whatever its rank.
inline std::vector<ClosedHalfSpace> triangle_half_spaces(const std::array<IntegerVector, 3>& p) {
  const IntegerVector normal = cross(p[1] - p[0], p[2] - p[0]);
  if (!is_zero(normal)) {
    std::vector<ClosedHalfSpace> spaces = {half_space(normal, p[0]), half_space(negated(normal), p[0])};
    for (std::size_t i = 0; i < 3; ++i) {
      spaces.push_back(half_space(cross(normal, p[(i + 1) % 3] - p[i]), p[i]));
    }
    return spaces;
  }
  // Collinear: the segment between the two corners that are farthest apart.
  std::size_t best = 0;
  Integer longest = -1;
  for (std::size_t i = 0; i < 3; ++i) {
    const IntegerVector edge = p[(i + 1) % 3] - p[i];
    const Integer length = dot(edge, edge);
    if (length > longest) {
      longest = length;
      best = i;
    }
  }
  return segment_half_spaces(p[best], p[(best + 1) % 3]);
}

/// The intersection of two convex sets, as the corners left by clipping. Repeated corners and straight corners are
/// possible.
inline std::vector<HomogeneousPoint> clipped_triangle(const std::array<IntegerVector, 3>& p,
                                                      const std::vector<ClosedHalfSpace>& spaces) {
  std::vector<HomogeneousPoint> polygon;
  for (const IntegerVector& corner : p)
    polygon.push_back({corner, 1});
  for (const ClosedHalfSpace& space : spaces) {
    polygon = clipped(polygon, space);
    if (polygon.empty()) break;
  }
  return polygon;
}

inline std::array<IntegerVector, 3> integer_corners(const CommonScale& scale, const Triangle& t) {
  return {scale.vector(t.a), scale.vector(t.b), scale.vector(t.c)};
}

inline bool oracle_touches(const Triangle& first, const Triangle& second) {
  CommonScale scale;
  scale.include(first);
  scale.include(second);
  return !clipped_triangle(integer_corners(scale, first), triangle_half_spaces(integer_corners(scale, second))).empty();
}

inline bool oracle_touches(const Triangle& triangle, const Aabb& box) {
  CommonScale scale;
  scale.include(triangle);
  scale.include(box.lower);
  scale.include(box.upper);
  const IntegerVector lower = scale.vector(box.lower);
  const IntegerVector upper = scale.vector(box.upper);
  const std::vector<ClosedHalfSpace> spaces = {half_space({1, 0, 0}, lower),  half_space({0, 1, 0}, lower),
                                               half_space({0, 0, 1}, lower),  half_space({-1, 0, 0}, upper),
                                               half_space({0, -1, 0}, upper), half_space({0, 0, -1}, upper)};
  return !clipped_triangle(integer_corners(scale, triangle), spaces).empty();
}

using RationalPoint = std::array<Rational, 3>;

/// The corners of the intersection of two triangles, without repeated or straight corners, in the unit of the input.
/// One corner is a point, two are the ends of a segment, three and more a convex polygon.
inline std::vector<RationalPoint> oracle_intersection(const Triangle& first, const Triangle& second) {
  CommonScale scale;
  scale.include(first);
  scale.include(second);
  const std::vector<HomogeneousPoint> corners =
      clipped_triangle(integer_corners(scale, first), triangle_half_spaces(integer_corners(scale, second)));
  std::vector<HomogeneousPoint> distinct;
  for (const HomogeneousPoint& p : corners) {
    const bool known = std::any_of(distinct.begin(), distinct.end(), [&](const auto& q) { return same_point(p, q); });
    if (!known) distinct.push_back(p);
  }
  std::vector<RationalPoint> points;
  for (const HomogeneousPoint& p : distinct) {
    points.push_back({scale.unscaled(p.v.x, p.w), scale.unscaled(p.v.y, p.w), scale.unscaled(p.v.z, p.w)});
  }
  // A corner between two others on a line is removed.
  const auto strictly_between = [](const RationalPoint& p, const RationalPoint& a, const RationalPoint& b) {
    RationalPoint u, v;
    for (std::size_t k = 0; k < 3; ++k) {
      u[k] = p[k] - a[k];
      v[k] = b[k] - p[k];
    }
    const bool parallel = u[1] * v[2] == u[2] * v[1] && u[2] * v[0] == u[0] * v[2] && u[0] * v[1] == u[1] * v[0];
    return parallel && Rational(u[0] * v[0] + u[1] * v[1] + u[2] * v[2]) > 0;
  };
  std::vector<RationalPoint> extreme;
  for (std::size_t i = 0; i < points.size(); ++i) {
    bool straight = false;
    for (std::size_t a = 0; a < points.size() && !straight; ++a) {
      for (std::size_t b = a + 1; b < points.size() && !straight; ++b) {
        straight = a != i && b != i && strictly_between(points[i], points[a], points[b]);
      }
    }
    if (!straight) extreme.push_back(points[i]);
  }
  return extreme;
}

}  // namespace whisker::test
