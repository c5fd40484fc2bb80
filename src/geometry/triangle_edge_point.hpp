#pragma once

// The point where an edge crosses a plane, or crosses a line in its own plane, rounded once and accurate however small
// the angle. Only for translation units of the library.
//
// The point is (|h_q| p + |h_p| q) / (|h_p| + |h_q|), where h are the heights (unscaled, as determinants) of the edge's
// ends p and q over the plane or line. The heights have opposite signs, so nothing cancels once they are known
// accurately. They are first computed in double-double arithmetic, with an error of about 2^-100 of the determinant's
// permanent. If one of them is too small relative to that error, everything is computed again in exact integers.

#include <algorithm>
#include <cmath>

#include <whisker/vector.hpp>

#include "geometry/double_double.hpp"
#include "geometry/exact_integer.hpp"

namespace whisker::geometry {

/// The largest magnitude of coordinates, and the smallest permanent, for which double-double determinants of three
/// factors keep their error bound: underflow adds less than 7 · 2^-1073 · 2^321 < 2^-748 to them.
inline constexpr double double_double_largest = 0x1p320;
inline constexpr double double_double_smallest_permanent = 0x1p-640;

/// A height counts as accurate if it is at least this fraction of the permanent. Its error is 2^-99 permanents, so its
/// relative error is then below 2^-58.
inline constexpr double accurate_fraction = 0x1p-40;

inline bool is_accurate(DoubleDouble height, double permanent) {
  return permanent >= double_double_smallest_permanent && std::abs(height.hi) >= accurate_fraction * permanent;
}

struct EdgeHeights {
  DoubleDouble p, q;
  bool accurate = false;
};

/// The heights of p and q over the plane through a, b, c.
inline EdgeHeights heights_over_plane(const Vector3& p, const Vector3& q, const Vector3& a, const Vector3& b,
                                      const Vector3& c) {
  const Vector3dd u = difference(b, a), v = difference(c, a);
  const Vector3dd to_p = difference(p, a), to_q = difference(q, a);
  const Vector3dd normal = cross(u, v);
  const double nx = std::abs(u.y.hi * v.z.hi) + std::abs(u.z.hi * v.y.hi);
  const double ny = std::abs(u.z.hi * v.x.hi) + std::abs(u.x.hi * v.z.hi);
  const double nz = std::abs(u.x.hi * v.y.hi) + std::abs(u.y.hi * v.x.hi);
  const double permanent_p = nx * std::abs(to_p.x.hi) + ny * std::abs(to_p.y.hi) + nz * std::abs(to_p.z.hi);
  const double permanent_q = nx * std::abs(to_q.x.hi) + ny * std::abs(to_q.y.hi) + nz * std::abs(to_q.z.hi);
  const DoubleDouble height_p = dot(normal, to_p), height_q = dot(normal, to_q);
  double largest = 0;
  for (const Vector3* point : {&p, &q, &a, &b, &c})
    largest =
        std::max(largest, std::max(std::max(std::abs((*point)[0]), std::abs((*point)[1])), std::abs((*point)[2])));
  const bool accurate =
      largest <= double_double_largest && is_accurate(height_p, permanent_p) && is_accurate(height_q, permanent_q);
  return {height_p, height_q, accurate};
}

/// The heights of p and q over the line through a and b, all projected along a coordinate axis.
inline EdgeHeights heights_over_line(int axis, const Vector3& p, const Vector3& q, const Vector3& a, const Vector3& b) {
  const int x = (axis + 1) % 3, y = (axis + 2) % 3;
  const DoubleDouble ux = difference(b[x], a[x]), uy = difference(b[y], a[y]);
  double largest = 0;
  for (const Vector3* point : {&p, &q, &a, &b})
    largest = std::max(largest, std::max(std::abs((*point)[x]), std::abs((*point)[y])));
  bool accurate = largest <= double_double_largest;
  const auto height = [&](const Vector3& point) {
    const DoubleDouble wx = difference(point[x], a[x]), wy = difference(point[y], a[y]);
    const DoubleDouble value = ux * wy - uy * wx;
    accurate = accurate && is_accurate(value, std::abs(ux.hi * wy.hi) + std::abs(uy.hi * wx.hi));
    return value;
  };
  const DoubleDouble height_p = height(p);
  const DoubleDouble height_q = height(q);
  return {height_p, height_q, accurate};
}

/// An integer as fraction · 2^exponent. The relative error of the fraction is below 2^-100.
struct LeadingPart {
  DoubleDouble fraction;
  int exponent = 0;
};

inline LeadingPart leading_part(const ExactInteger& a) {
  DoubleDouble value;
  const int limbs = std::min(a.size, 3);
  for (int i = 0; i < limbs; ++i) {
    const std::uint64_t limb = a.limb[a.size - 1 - i];
    const double high = static_cast<double>(limb >> 32) * 0x1p32;
    const double low = static_cast<double>(limb & 0xFFFFFFFFull);
    value = value * 0x1p64 + sum(high, low);
  }
  return {a.sign < 0 ? -value : value, 64 * (a.size - limbs)};
}

/// The weighted mean (|height_q| p + |height_p| q) / (|height_p| + |height_q|), for heights that are not zero. The
/// error of each coordinate is hardly more than half an ulp.
inline Vector3 exact_mean(const CommonUnit& unit, const Vector3& p, const Vector3& q, ExactInteger height_p,
                          ExactInteger height_q) {
  height_p.sign = height_q.sign = 1;
  const LeadingPart total = leading_part(height_q + height_p);
  Vector3 point;
  for (int k = 0; k < 3; ++k) {
    const LeadingPart part = leading_part(unit.integer(p[k]) * height_q + unit.integer(q[k]) * height_p);
    const DoubleDouble quotient = part.fraction / total.fraction;
    point[k] = std::ldexp(quotient.hi, part.exponent - total.exponent + unit.exponent);
  }
  return point;
}

inline Vector3 mean_by_heights(const Vector3& p, const Vector3& q, const EdgeHeights& heights) {
  const DoubleDouble height_p = abs(heights.p), height_q = abs(heights.q);
  const DoubleDouble fraction = height_p / (height_p + height_q);
  Vector3 point;
  for (int k = 0; k < 3; ++k) {
    const DoubleDouble value = p[k] + difference(q[k], p[k]) * fraction;
    point[k] = std::clamp(value.hi, std::min(p[k], q[k]), std::max(p[k], q[k]));
  }
  return point;
}

/// The point where the edge (p, q) crosses the plane through a, b, c. p and q must be strictly on opposite sides of it.
inline Vector3 edge_plane_point(const Vector3& p, const Vector3& q, const Vector3& a, const Vector3& b,
                                const Vector3& c) {
  const EdgeHeights heights = heights_over_plane(p, q, a, b, c);
  if (heights.accurate) return mean_by_heights(p, q, heights);
  const CommonUnit unit({{p.data(), 3}, {q.data(), 3}, {a.data(), 3}, {b.data(), 3}, {c.data(), 3}});
  return exact_mean(unit, p, q, determinant(unit, a.data(), b.data(), c.data(), p.data()),
                    determinant(unit, a.data(), b.data(), c.data(), q.data()));
}

/// The point where the edge (p, q) crosses the line through a and b in the same plane. The plane must not be edge-on
/// when seen along `axis`. p and q must be strictly on opposite sides of the line.
inline Vector3 edge_line_point(int axis, const Vector3& p, const Vector3& q, const Vector3& a, const Vector3& b) {
  const EdgeHeights heights = heights_over_line(axis, p, q, a, b);
  if (heights.accurate) return mean_by_heights(p, q, heights);
  const CommonUnit unit({{p.data(), 3}, {q.data(), 3}, {a.data(), 3}, {b.data(), 3}});
  const int x = (axis + 1) % 3, y = (axis + 2) % 3;
  const auto height = [&](const Vector3& point) {
    return det2(unit.difference(b[x], a[x]), unit.difference(b[y], a[y]), unit.difference(point[x], a[x]),
                unit.difference(point[y], a[y]));
  };
  return exact_mean(unit, p, q, height(p), height(q));
}

}  // namespace whisker::geometry
