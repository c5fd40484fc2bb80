#pragma once

// Common parts of the exact triangle tests: signs of points against a triangle's plane, the corner that is alone on its
// side, and projections along a coordinate axis that keep a plane a plane. Only for translation units of the library.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include <whisker/primitives.hpp>
#include <whisker/vector.hpp>

#include "geometry/predicates_inline.hpp"

namespace whisker::geometry {

/// The signs of three points against a plane as six bits: bit i is set if point i is above, bit 3 + i if it is below.
struct Sides {
  static constexpr unsigned all_on = 0;
  static constexpr unsigned all_above = 7;
  static constexpr unsigned all_below = 7 << 3;

  unsigned code = all_on;

  /// True if no sign is 0.
  bool certain() const { return ((code | code >> 3) & 7) == 7; }
  bool apart() const { return (code == all_above) | (code == all_below); }
  int sign(unsigned i) const { return static_cast<int>(code >> i & 1u) - static_cast<int>(code >> (3 + i) & 1u); }
};

constexpr unsigned sides_code(int first, int second, int third) {
  const auto bits = [](bool a, bool b, bool c) { return (a ? 1u : 0u) | (b ? 2u : 0u) | (c ? 4u : 0u); };
  return bits(first > 0, second > 0, third > 0) | bits(first < 0, second < 0, third < 0) << 3;
}

/// The corner of a triangle that a plane cuts off, and its side of the plane.
///
/// The plane meets each of the two edges at the lone corner in one point. The lone corner and either of the two others
/// are never on the same side and never both on the plane. But the lone corner alone, or one or both of the others, may
/// be on the plane.
struct LoneCorner {
  std::uint8_t index = 0;
  std::uint8_t next = 1;  ///< The corner after it.
  std::uint8_t last = 2;  ///< The corner after `next`.
  bool above = false;
};

constexpr LoneCorner find_lone_corner(const std::array<int, 3>& sign) {
  for (unsigned i = 0; i < 3; ++i) {
    const unsigned j = (i + 1) % 3, k = (i + 2) % 3;
    if (sign[i] * sign[j] > 0 || sign[i] * sign[k] > 0) continue;
    const bool above = sign[i] > sign[j] && sign[i] > sign[k];
    const bool below = sign[i] < sign[j] && sign[i] < sign[k];
    if (!above && !below) continue;
    return {static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(j), static_cast<std::uint8_t>(k), above};
  }
  return {};
}

/// Indexed by Sides::code. Entries for all_below, all_on and all_above have no meaning.
inline constexpr std::array<LoneCorner, 64> lone_corners = [] {
  std::array<LoneCorner, 64> table{};
  for (int a = -1; a <= 1; ++a)
    for (int b = -1; b <= 1; ++b)
      for (int c = -1; c <= 1; ++c)
        table[sides_code(a, b, c)] = find_lone_corner({a, b, c});
  return table;
}();

inline LoneCorner lone_corner(Sides sides) {
  return lone_corners[sides.code];
}

/// Two doubles that are processed at once, and their bits.
using TwoDoubles [[gnu::vector_size(16)]] = double;
using TwoWords [[gnu::vector_size(16)]] = std::int64_t;

inline TwoDoubles magnitude(TwoDoubles a) {
  return std::bit_cast<TwoDoubles>(std::bit_cast<TwoWords>(a) & TwoWords{INT64_MAX, INT64_MAX});
}
inline TwoDoubles smaller(TwoDoubles a, TwoDoubles b) {
  return a < b ? a : b;
}
inline TwoDoubles larger(TwoDoubles a, TwoDoubles b) {
  return a > b ? a : b;
}

/// The sides of each other's planes that the corners of two triangles are on, as far as rounded arithmetic can decide.
struct QuickSides {
  bool apart = false;  ///< One is certainly strictly on one side of the other's plane. The rest is then not set.
  Sides first;         ///< The first triangle's corners against the second's plane. A sign of 0 means "not certain".
  Sides second;
};

inline constexpr double sides_guard = 0x1p-960;

/// The filter of orient3d for all six corners at once. One lane holds the plane of the second triangle and the corners
/// of the first, the other lane the plane of the first and the corners of the second.
///
/// It is `quick_orient3d` with the normal, and one bound for three points, computed once per plane. The bound uses the
/// largest |coordinate difference| of the three points along each axis, so it is at least each point's own bound. Both
/// planes at once cost less than one after the other, because it is hard to predict which of the two separates the
/// triangles. An overflow makes the bound infinite or NaN, and then nothing is certain.
inline QuickSides quick_sides(const Triangle& first, const Triangle& second) {
  const auto plane = [&](const Vector3& a, const Vector3& b, int k) { return TwoDoubles{b[k], a[k]}; };
  const auto corner = [&](const Vector3& a, const Vector3& b, int k) { return TwoDoubles{a[k], b[k]}; };
  const TwoDoubles ax = plane(first.a, second.a, 0), ay = plane(first.a, second.a, 1), az = plane(first.a, second.a, 2);
  const TwoDoubles ux = plane(first.b, second.b, 0) - ax, uy = plane(first.b, second.b, 1) - ay;
  const TwoDoubles vx = plane(first.c, second.c, 0) - ax, vy = plane(first.c, second.c, 1) - ay;
  const TwoDoubles uz = plane(first.b, second.b, 2) - az, vz = plane(first.c, second.c, 2) - az;
  const TwoDoubles uy_vz = uy * vz, uz_vy = uz * vy;
  const TwoDoubles uz_vx = uz * vx, ux_vz = ux * vz;
  const TwoDoubles ux_vy = ux * vy, uy_vx = uy * vx;
  const TwoDoubles nx = uy_vz - uz_vy, ny = uz_vx - ux_vz, nz = ux_vy - uy_vx;

  const TwoDoubles px = corner(first.a, second.a, 0) - ax, py = corner(first.a, second.a, 1) - ay;
  const TwoDoubles qx = corner(first.b, second.b, 0) - ax, qy = corner(first.b, second.b, 1) - ay;
  const TwoDoubles rx = corner(first.c, second.c, 0) - ax, ry = corner(first.c, second.c, 1) - ay;
  const TwoDoubles pz = corner(first.a, second.a, 2) - az;
  const TwoDoubles qz = corner(first.b, second.b, 2) - az;
  const TwoDoubles rz = corner(first.c, second.c, 2) - az;
  const TwoDoubles p = px * nx + py * ny + pz * nz;
  const TwoDoubles q = qx * nx + qy * ny + qz * nz;
  const TwoDoubles r = rx * nx + ry * ny + rz * nz;

  const TwoDoubles x = larger(larger(magnitude(px), magnitude(qx)), magnitude(rx));
  const TwoDoubles y = larger(larger(magnitude(py), magnitude(qy)), magnitude(ry));
  const TwoDoubles z = larger(larger(magnitude(pz), magnitude(qz)), magnitude(rz));
  // A guard against underflow as in predicates_inline.hpp. It is larger, so that the bound of a flat determinant, a
  // common case, is not a subnormal number, which would be slow.
  static_assert(sides_guard >= underflow_guard && sides_guard * orient3d_error >= 0x1p-1022);
  const TwoDoubles g = {sides_guard, sides_guard};
  const TwoDoubles permanent = x * (magnitude(uy_vz) + magnitude(uz_vy) + g) +
                               y * (magnitude(uz_vx) + magnitude(ux_vz) + g) +
                               z * (magnitude(ux_vy) + magnitude(uy_vx) + g) + g;
  const TwoDoubles bound = permanent * orient3d_error;

  const TwoWords apart = (smaller(smaller(p, q), r) > bound) | (larger(larger(p, q), r) < -bound);
  if ((apart[0] | apart[1]) != 0) return {true, {}, {}};
  const TwoWords code = ((p > bound) & 1) | ((q > bound) & 2) | ((r > bound) & 4) | ((p < -bound) & 8) |
                        ((q < -bound) & 16) | ((r < -bound) & 32);
  return {false, {static_cast<unsigned>(code[0])}, {static_cast<unsigned>(code[1])}};
}

/// The exact signs of orient3d(plane.a, plane.b, plane.c, corner) for the corners of `points`. Signs that are not 0 in
/// `known` are already known.
inline Sides exact_sides(const Triangle& plane, const Triangle& points, Sides known) {
  if (known.certain()) return known;
  const auto sign = [&](unsigned i, const Vector3& point) {
    if (known.sign(i) != 0) return known.sign(i);
    return orient3d_exact(plane.a.data(), plane.b.data(), plane.c.data(), point.data());
  };
  return {sides_code(sign(0, points.a), sign(1, points.b), sign(2, points.c))};
}

/// Two proper triangles whose planes cross, sorted so that the order of their ends on the common line of the planes
/// follows from orientations.
///
/// With p the lone corner, each triangle cuts that line between its edges pq and pr. Assume that each p is above the
/// other triangle's plane (if it is not, the other's q and r are swapped). Then the line has a direction in which p1q1
/// meets it before p1r1, and p2r2 before p2q2. And orient3d(p1, x1, p2, x2), for x = q or r, is negative if the edge
/// p1x1 meets the line before p2x2 does, and zero if both meet it in the same point. (It is the product of the gap
/// along the line and of the heights of both edges over the other's plane, and these heights are not zero.)
struct CrossingTriangles {
  struct Cut {
    const Vector3 *p, *q, *r;
    /// Signs of p, q, r against the other triangle's plane: p >= 0, q and r <= 0.
    int side_p, side_q, side_r;
  };
  Cut first, second;
};

inline CrossingTriangles sorted_crossing(const Triangle& first, const Triangle& second, Sides sides1, Sides sides2) {
  const auto cut = [](const Triangle& t, Sides sides, LoneCorner lone, bool other_above) -> CrossingTriangles::Cut {
    const std::array<const Vector3*, 3> corners = {&t.a, &t.b, &t.c};
    const unsigned p = lone.index, q = other_above ? lone.next : lone.last, r = other_above ? lone.last : lone.next;
    const int flip = lone.above ? 1 : -1;
    return {corners[p], corners[q], corners[r], flip * sides.sign(p), flip * sides.sign(q), flip * sides.sign(r)};
  };
  const LoneCorner lone1 = lone_corner(sides1);
  const LoneCorner lone2 = lone_corner(sides2);
  return {cut(first, sides1, lone1, lone2.above), cut(second, sides2, lone2, lone1.above)};
}

/// orient2d of the points projected along coordinate axis `axis` (0, 1, 2): the sign of component `axis` of
/// (b-a) × (c-a).
inline int orient_along(int axis, const Vector3& a, const Vector3& b, const Vector3& c) {
  const int u = axis == 2 ? 0 : axis + 1;
  const int v = axis == 0 ? 2 : axis - 1;
  const double a2[2] = {a[u], a[v]};
  const double b2[2] = {b[u], b[v]};
  const double c2[2] = {c[u], c[v]};
  return orient2d_filtered(a2, b2, c2);
}

/// A coordinate axis along which three points are projected to a proper triangle. `turn` is +1 if they are
/// counter-clockwise there. There is no such axis (axis = -1, turn = 0) if and only if the points are collinear.
struct ViewAxis {
  int axis = -1;
  int turn = 0;
};

inline ViewAxis view_axis(const Vector3& a, const Vector3& b, const Vector3& c) {
  // Rounding only affects which axis is tried first. The result itself is an exact sign.
  const Vector3 u = b - a;
  const Vector3 v = c - a;
  const double nx = std::abs(u[1] * v[2] - u[2] * v[1]);
  const double ny = std::abs(u[2] * v[0] - u[0] * v[2]);
  const double nz = std::abs(u[0] * v[1] - u[1] * v[0]);
  const int first = nz >= nx && nz >= ny ? 2 : (nx >= ny ? 0 : 1);
  for (int i = 0; i < 3; ++i) {
    const int axis = (first + i) % 3;
    const int turn = orient_along(axis, a, b, c);
    if (turn != 0) return {axis, turn};
  }
  return {};
}

/// Whether a comes before b, comparing x, then y, then z. Along any line this is the order of the points on it.
inline bool comes_before(const Vector3& a, const Vector3& b) {
  if (a[0] != b[0]) return a[0] < b[0];
  if (a[1] != b[1]) return a[1] < b[1];
  return a[2] < b[2];
}

/// The segment covered by a triangle with collinear corners. Its ends are in the order of `comes_before`.
inline Segment collinear_extent(const Triangle& t) {
  const Vector3* low = &t.a;
  const Vector3* high = &t.a;
  for (const Vector3* corner : {&t.b, &t.c}) {
    if (comes_before(*corner, *low)) low = corner;
    if (comes_before(*high, *corner)) high = corner;
  }
  return {*low, *high};
}

inline Segment ordered(const Segment& s) {
  return comes_before(s.b, s.a) ? Segment{s.b, s.a} : s;
}

}  // namespace whisker::geometry
