#pragma once

// The filters of the exact predicates, inline for hot loops, with the exact fallback out of line.
//
// `orient3d_filtered(a, b, c, d)` is `whisker::orient3d` with its filter inlined: it returns the exact sign.
// `quick_orient3d` is the filter alone: +1 or -1 if the sign is certain, 0 if it is not (0 never means "exactly zero").
// Points are pointers to two or three doubles.
//
// Why a filter is correct. It evaluates the determinant D in doubles, and also the permanent P: the same formula with
// absolute values of all factors and + for every -, and with `underflow_guard` added after every product.
//  - Without underflow, each monomial of D has passed through at most n roundings (see the constants below for n), so
//    |D - exact| <= ((1+u)^n - 1) Π with u = 2^-53, and Π the exact permanent. All terms of P are positive and each has
//    passed at most n + 5 roundings, so P >= (1-u)^(n+5) Π. Hence |D - exact| <= (n u + 1000 u²) P for n <= 16, which
//    is less than the rounded product (n+1) u * P. So D has the right sign if |D| > (n+1) u P. (Shewchuk 1997,
//    section 4.2, counts the same way, with a little less slack.)
//  - With underflow, a product is off by a further w <= 2^-1075 (underflow never harms sums). In D this error is
//    multiplied by at most the factors that the product is multiplied by. P carries the guard g = 2^-1000 through the
//    same factors, and (n+1) u g > 2^20 w. So the bound grows by far more than the error, including P's own loss.
//  - With overflow, |D| <= P also holds for the rounded values because rounding is monotone. So an infinite D meets an
//    infinite P, and inf > inf is false, as is any comparison with NaN. The filter then returns 0.

#include <cmath>

#include <whisker/vector.hpp>

#include "geometry/constants.hpp"

namespace whisker::geometry {

inline constexpr double underflow_guard = 0x1p-1000;

inline constexpr double det2_error = 3 * unit_roundoff;       // n = 2: a product, the difference
inline constexpr double dot_error = 4 * unit_roundoff;        // n = 3: a product, two sums
inline constexpr double orient2d_error = 5 * unit_roundoff;   // n = 4: two differences, their product, the difference
inline constexpr double orient3d_error = 9 * unit_roundoff;   // n = 8: a 2x2 minor 4, a factor 1, product 1, sums 2
inline constexpr double incircle_error = 12 * unit_roundoff;  // n = 11: a 2x2 minor 4, the lift 4, product 1, sums 2
inline constexpr double insphere_error = 17 * unit_roundoff;  // n = 16: a 3x3 minor 8, the lift 5, product 1, sums 2

// The exact stages, for any finite doubles.
int sign_det2_exact(double a, double b, double c, double d);
int sign_of_dot_exact(const double* u, const double* v);
int orient2d_exact(const double* a, const double* b, const double* c);
int orient3d_exact(const double* a, const double* b, const double* c, const double* d);
int incircle_exact(const double* a, const double* b, const double* c, const double* d);
int insphere_exact(const double* a, const double* b, const double* c, const double* d, const double* e);

/// The sign of `value` if its magnitude exceeds `bound`, else 0.
inline int sign_beyond(double value, double bound) {
  // Without a branch, because the sign of a determinant is unpredictable.
  return static_cast<int>(value > bound) - static_cast<int>(value < -bound);
}

/// The exact sign of ad - bc.
inline int sign_det2(double a, double b, double c, double d) {
  const double left = a * d;
  const double right = b * c;
  const double permanent = std::abs(left) + std::abs(right) + underflow_guard;
  const int sign = sign_beyond(left - right, det2_error * permanent);
  return sign != 0 ? sign : sign_det2_exact(a, b, c, d);
}

/// The exact sign of u · v.
inline int sign_of_dot(const Vector3& u, const Vector3& v) {
  const double x = u[0] * v[0];
  const double y = u[1] * v[1];
  const double z = u[2] * v[2];
  const double permanent = std::abs(x) + std::abs(y) + std::abs(z) + underflow_guard;
  const int sign = sign_beyond(x + y + z, dot_error * permanent);
  return sign != 0 ? sign : sign_of_dot_exact(u.data(), v.data());
}

/// Whether u × v is exactly zero. The zero vector is parallel to every vector, and opposite vectors are parallel.
inline bool exactly_parallel(const Vector3& u, const Vector3& v) {
  return sign_det2(u[0], u[1], v[0], v[1]) == 0 && sign_det2(u[1], u[2], v[1], v[2]) == 0 &&
         sign_det2(u[2], u[0], v[2], v[0]) == 0;
}

inline int quick_orient2d(const double* a, const double* b, const double* c) {
  const double left = (b[0] - a[0]) * (c[1] - a[1]);
  const double right = (b[1] - a[1]) * (c[0] - a[0]);
  const double permanent = std::abs(left) + std::abs(right) + underflow_guard;
  return sign_beyond(left - right, orient2d_error * permanent);
}

inline int orient2d_filtered(const double* a, const double* b, const double* c) {
  const int sign = quick_orient2d(a, b, c);
  return sign != 0 ? sign : orient2d_exact(a, b, c);
}

inline int quick_orient3d(const double* a, const double* b, const double* c, const double* d) {
  const double ux = b[0] - a[0], uy = b[1] - a[1], uz = b[2] - a[2];
  const double vx = c[0] - a[0], vy = c[1] - a[1], vz = c[2] - a[2];
  const double wx = d[0] - a[0], wy = d[1] - a[1], wz = d[2] - a[2];
  const double uy_vz = uy * vz, uz_vy = uz * vy;
  const double uz_vx = uz * vx, ux_vz = ux * vz;
  const double ux_vy = ux * vy, uy_vx = uy * vx;
  const double determinant = wx * (uy_vz - uz_vy) + wy * (uz_vx - ux_vz) + wz * (ux_vy - uy_vx);
  const double permanent = std::abs(wx) * (std::abs(uy_vz) + std::abs(uz_vy) + underflow_guard) +
                           std::abs(wy) * (std::abs(uz_vx) + std::abs(ux_vz) + underflow_guard) +
                           std::abs(wz) * (std::abs(ux_vy) + std::abs(uy_vx) + underflow_guard) + underflow_guard;
  return sign_beyond(determinant, orient3d_error * permanent);
}

inline int orient3d_filtered(const double* a, const double* b, const double* c, const double* d) {
  const int sign = quick_orient3d(a, b, c, d);
  return sign != 0 ? sign : orient3d_exact(a, b, c, d);
}

inline int orient3d_filtered(const Vector3& a, const Vector3& b, const Vector3& c, const Vector3& d) {
  return orient3d_filtered(a.data(), b.data(), c.data(), d.data());
}

inline int quick_incircle(const double* a, const double* b, const double* c, const double* d) {
  const double ax = a[0] - d[0], ay = a[1] - d[1];
  const double bx = b[0] - d[0], by = b[1] - d[1];
  const double cx = c[0] - d[0], cy = c[1] - d[1];
  const double bx_cy = bx * cy, by_cx = by * cx;
  const double cx_ay = cx * ay, cy_ax = cy * ax;
  const double ax_by = ax * by, ay_bx = ay * bx;
  const double a_lift = ax * ax + ay * ay;
  const double b_lift = bx * bx + by * by;
  const double c_lift = cx * cx + cy * cy;
  const double determinant = a_lift * (bx_cy - by_cx) + b_lift * (cx_ay - cy_ax) + c_lift * (ax_by - ay_bx);
  const double g = underflow_guard;
  const double permanent = (a_lift + g) * (std::abs(bx_cy) + std::abs(by_cx) + g) +
                           (b_lift + g) * (std::abs(cx_ay) + std::abs(cy_ax) + g) +
                           (c_lift + g) * (std::abs(ax_by) + std::abs(ay_bx) + g) + g;
  return sign_beyond(determinant, incircle_error * permanent);
}

inline int incircle_filtered(const double* a, const double* b, const double* c, const double* d) {
  const int sign = quick_incircle(a, b, c, d);
  return sign != 0 ? sign : incircle_exact(a, b, c, d);
}

inline int quick_insphere(const double* a, const double* b, const double* c, const double* d, const double* e) {
  const double g = underflow_guard;
  const double ax = a[0] - e[0], ay = a[1] - e[1], az = a[2] - e[2];
  const double bx = b[0] - e[0], by = b[1] - e[1], bz = b[2] - e[2];
  const double cx = c[0] - e[0], cy = c[1] - e[1], cz = c[2] - e[2];
  const double dx = d[0] - e[0], dy = d[1] - e[1], dz = d[2] - e[2];
  // The 2x2 minors in x and y (ab = ax by - ay bx and so on), and their permanents.
  const double ax_by = ax * by, ay_bx = ay * bx, bx_cy = bx * cy, by_cx = by * cx;
  const double cx_dy = cx * dy, cy_dx = cy * dx, dx_ay = dx * ay, dy_ax = dy * ax;
  const double ax_cy = ax * cy, ay_cx = ay * cx, bx_dy = bx * dy, by_dx = by * dx;
  const double ab = ax_by - ay_bx, bc = bx_cy - by_cx, cd = cx_dy - cy_dx;
  const double da = dx_ay - dy_ax, ac = ax_cy - ay_cx, bd = bx_dy - by_dx;
  const double ab_p = std::abs(ax_by) + std::abs(ay_bx) + g, bc_p = std::abs(bx_cy) + std::abs(by_cx) + g;
  const double cd_p = std::abs(cx_dy) + std::abs(cy_dx) + g, da_p = std::abs(dx_ay) + std::abs(dy_ax) + g;
  const double ac_p = std::abs(ax_cy) + std::abs(ay_cx) + g, bd_p = std::abs(bx_dy) + std::abs(by_dx) + g;
  const double az_p = std::abs(az), bz_p = std::abs(bz), cz_p = std::abs(cz), dz_p = std::abs(dz);
  // The 3x3 minors in x, y and z.
  const double abc = az * bc - bz * ac + cz * ab;
  const double bcd = bz * cd - cz * bd + dz * bc;
  const double cda = cz * da + dz * ac + az * cd;
  const double dab = dz * ab + az * bd + bz * da;
  const double abc_p = az_p * bc_p + bz_p * ac_p + cz_p * ab_p + g;
  const double bcd_p = bz_p * cd_p + cz_p * bd_p + dz_p * bc_p + g;
  const double cda_p = cz_p * da_p + dz_p * ac_p + az_p * cd_p + g;
  const double dab_p = dz_p * ab_p + az_p * bd_p + bz_p * da_p + g;
  const double a_lift = ax * ax + ay * ay + az * az;
  const double b_lift = bx * bx + by * by + bz * bz;
  const double c_lift = cx * cx + cy * cy + cz * cz;
  const double d_lift = dx * dx + dy * dy + dz * dz;
  const double determinant = (c_lift * dab - d_lift * abc) + (a_lift * bcd - b_lift * cda);
  const double permanent =
      ((c_lift + g) * dab_p + (d_lift + g) * abc_p) + ((a_lift + g) * bcd_p + (b_lift + g) * cda_p) + g;
  return sign_beyond(determinant, insphere_error * permanent);
}

inline int insphere_filtered(const double* a, const double* b, const double* c, const double* d, const double* e) {
  const int sign = quick_insphere(a, b, c, d, e);
  return sign != 0 ? sign : insphere_exact(a, b, c, d, e);
}

}  // namespace whisker::geometry
