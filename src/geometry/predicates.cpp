#include <cmath>
#include <initializer_list>
#include <span>

#include <whisker/geometry/predicates.hpp>

#include "geometry/constants.hpp"
#include "geometry/double_double.hpp"
#include "geometry/exact_integer.hpp"
#include "geometry/expansion.hpp"
#include "geometry/predicates_inline.hpp"

namespace whisker::geometry {
namespace {

/// A range of magnitudes in which expansions of products of `degree` differences are exact (see expansion.hpp).
///
/// A nonzero coordinate of at least `smallest` = 2^-k is a multiple of 2^(-k-52), and so are differences. A product of
/// `degree` differences is a multiple of 2^(-degree (k+52)), which must be at least 2^-1074. `largest` = 2^m bounds a
/// determinant by 72 * 2^(degree (m+1)), which must stay below 2^1023.
struct Window {
  double smallest;
  double largest;
};
constexpr Window degree2{0x1p-485, 0x1p500};  // 2 (485 + 52) = 1074; 2 (500 + 1) + 7 = 1009
constexpr Window degree3{0x1p-306, 0x1p330};  // 3 (306 + 52) = 1074; 3 (330 + 1) + 7 = 1000

bool inside(Window window, std::initializer_list<std::span<const double>> points) {
  for (const std::span<const double> point : points)
    for (const double value : point) {
      const double magnitude = std::abs(value);
      if (!((magnitude >= window.smallest && magnitude <= window.largest) || magnitude == 0)) return false;
    }
  return true;
}

/// A 2x2 determinant of doubles, exactly.
Expansion<4> det2(double a, double b, double c, double d) {
  return to_expansion(two_product(a, d)) - to_expansion(two_product(b, c));
}

bool same_point(const double* a, const double* b) {
  return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

/// A second filter for nearly coplanar points whose exact differences u, v, w are pairs of doubles: the sign of
/// (u × v) · w if it is certain, else 0. Within the window for degree 3 nothing underflows, because every partial
/// result is a multiple of 2^-1074. A monomial has passed through two products of relative error 8 u² and three sums of
/// 3 u² + 13 u³, less than 26 u² in total. The bound is 32 u² of the permanent, which itself is accurate to 8 u, so it
/// is larger. If the bound underflows, the error is below 2^-1074 and a multiple of it, so it is 0.
int orient3d_in_double_doubles(const Vector3dd& u, const Vector3dd& v, const Vector3dd& w) {
  constexpr double error = 32 * unit_roundoff * unit_roundoff;
  const DoubleDouble determinant = dot(cross(u, v), w);
  const Vector3 up = to_vector3(u).cwiseAbs();
  const Vector3 vp = to_vector3(v).cwiseAbs();
  const Vector3 wp = to_vector3(w).cwiseAbs();
  const double permanent = wp[0] * (up[1] * vp[2] + up[2] * vp[1]) + wp[1] * (up[2] * vp[0] + up[0] * vp[2]) +
                           wp[2] * (up[0] * vp[1] + up[1] * vp[0]);
  return sign_beyond(determinant.hi, error * permanent);
}

}  // namespace

int sign_det2_exact(double a, double b, double c, double d) {
  if ((a == 0 || d == 0) && (b == 0 || c == 0)) return 0;
  const double entries[4] = {a, b, c, d};
  if (inside(degree2, {entries})) return det2(a, b, c, d).sign();
  const CommonUnit unit({entries});
  if (!unit.finite) return 0;
  return det2(unit.integer(a), unit.integer(b), unit.integer(c), unit.integer(d)).sign;
}

int sign_of_dot_exact(const double* u, const double* v) {
  if (inside(degree2, {{u, 3}, {v, 3}})) return exact_dot(u, v).sign();
  const CommonUnit unit({{u, 3}, {v, 3}});
  if (!unit.finite) return 0;
  return (unit.integer(u[0]) * unit.integer(v[0]) + unit.integer(u[1]) * unit.integer(v[1]) +
          unit.integer(u[2]) * unit.integer(v[2]))
      .sign;
}

int orient2d_exact(const double* a, const double* b, const double* c) {
  if (inside(degree2, {{a, 2}, {b, 2}, {c, 2}})) {
    const Exact2 ux = two_diff(b[0], a[0]), uy = two_diff(b[1], a[1]);
    const Exact2 vx = two_diff(c[0], a[0]), vy = two_diff(c[1], a[1]);
    if (ux.low == 0 && uy.low == 0 && vx.low == 0 && vy.low == 0)
      return det2(ux.high, uy.high, vx.high, vy.high).sign();
    return (to_expansion(ux) * vy - to_expansion(uy) * vx).sign();
  }
  const CommonUnit unit({{a, 2}, {b, 2}, {c, 2}});
  if (!unit.finite) return 0;
  return det2(unit.difference(b[0], a[0]), unit.difference(b[1], a[1]), unit.difference(c[0], a[0]),
              unit.difference(c[1], a[1]))
      .sign;
}

int orient3d_exact(const double* a, const double* b, const double* c, const double* d) {
  // The most common exact zeros: two points are equal, or all four agree in a coordinate.
  if (same_point(a, b) || same_point(a, c) || same_point(a, d) || same_point(b, c) || same_point(b, d) ||
      same_point(c, d))
    return 0;
  for (int i = 0; i < 3; ++i)
    if (a[i] == b[i] && a[i] == c[i] && a[i] == d[i]) return 0;
  if (inside(degree3, {{a, 3}, {b, 3}, {c, 3}, {d, 3}})) {
    const auto from_a = [a](const double* p) {
      return Vector3dd{difference(p[0], a[0]), difference(p[1], a[1]), difference(p[2], a[2])};
    };
    const Vector3dd u = from_a(b), v = from_a(c), w = from_a(d);
    const auto is_double = [](const Vector3dd& x) { return x.x.lo == 0 && x.y.lo == 0 && x.z.lo == 0; };
    if (is_double(u) && is_double(v) && is_double(w)) {
      return (det2(u.y.hi, u.z.hi, v.y.hi, v.z.hi) * w.x.hi + det2(u.z.hi, u.x.hi, v.z.hi, v.x.hi) * w.y.hi +
              det2(u.x.hi, u.y.hi, v.x.hi, v.y.hi) * w.z.hi)
          .sign();
    }
    const int sign = orient3d_in_double_doubles(u, v, w);
    if (sign != 0) return sign;
  }
  const CommonUnit unit({{a, 3}, {b, 3}, {c, 3}, {d, 3}});
  return unit.finite ? determinant(unit, a, b, c, d).sign : 0;
}

int incircle_exact(const double* a, const double* b, const double* c, const double* d) {
  const CommonUnit unit({{a, 2}, {b, 2}, {c, 2}, {d, 2}});
  if (!unit.finite) return 0;
  const ExactInteger ax = unit.difference(a[0], d[0]), ay = unit.difference(a[1], d[1]);
  const ExactInteger bx = unit.difference(b[0], d[0]), by = unit.difference(b[1], d[1]);
  const ExactInteger cx = unit.difference(c[0], d[0]), cy = unit.difference(c[1], d[1]);
  return ((ax * ax + ay * ay) * det2(bx, by, cx, cy) + (bx * bx + by * by) * det2(cx, cy, ax, ay) +
          (cx * cx + cy * cy) * det2(ax, ay, bx, by))
      .sign;
}

int insphere_exact(const double* a, const double* b, const double* c, const double* d, const double* e) {
  const CommonUnit unit({{a, 3}, {b, 3}, {c, 3}, {d, 3}, {e, 3}});
  if (!unit.finite) return 0;
  const ExactInteger ax = unit.difference(a[0], e[0]), ay = unit.difference(a[1], e[1]);
  const ExactInteger bx = unit.difference(b[0], e[0]), by = unit.difference(b[1], e[1]);
  const ExactInteger cx = unit.difference(c[0], e[0]), cy = unit.difference(c[1], e[1]);
  const ExactInteger dx = unit.difference(d[0], e[0]), dy = unit.difference(d[1], e[1]);
  const ExactInteger az = unit.difference(a[2], e[2]), bz = unit.difference(b[2], e[2]);
  const ExactInteger cz = unit.difference(c[2], e[2]), dz = unit.difference(d[2], e[2]);
  const ExactInteger ab = det2(ax, ay, bx, by), bc = det2(bx, by, cx, cy), cd = det2(cx, cy, dx, dy);
  const ExactInteger da = det2(dx, dy, ax, ay), ac = det2(ax, ay, cx, cy), bd = det2(bx, by, dx, dy);
  const ExactInteger abc = az * bc - bz * ac + cz * ab;
  const ExactInteger bcd = bz * cd - cz * bd + dz * bc;
  const ExactInteger cda = cz * da + dz * ac + az * cd;
  const ExactInteger dab = dz * ab + az * bd + bz * da;
  const auto lift = [](const ExactInteger& x, const ExactInteger& y, const ExactInteger& z) {
    return x * x + y * y + z * z;
  };
  return ((lift(cx, cy, cz) * dab - lift(dx, dy, dz) * abc) + (lift(ax, ay, az) * bcd - lift(bx, by, bz) * cda)).sign;
}

}  // namespace whisker::geometry

namespace whisker {

int orient2d(const Vector2& a, const Vector2& b, const Vector2& c) {
  return geometry::orient2d_filtered(a.data(), b.data(), c.data());
}

int orient2d(double ax, double ay, double bx, double by, double cx, double cy) {
  return orient2d(Vector2(ax, ay), Vector2(bx, by), Vector2(cx, cy));
}

int orient3d(const Vector3& a, const Vector3& b, const Vector3& c, const Vector3& d) {
  return geometry::orient3d_filtered(a, b, c, d);
}

int incircle(const Vector2& a, const Vector2& b, const Vector2& c, const Vector2& d) {
  return geometry::incircle_filtered(a.data(), b.data(), c.data(), d.data());
}

int insphere(const Vector3& a, const Vector3& b, const Vector3& c, const Vector3& d, const Vector3& e) {
  return geometry::insphere_filtered(a.data(), b.data(), c.data(), d.data(), e.data());
}

}  // namespace whisker
