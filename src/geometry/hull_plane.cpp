#include "geometry/hull_plane.hpp"

#include <algorithm>
#include <cmath>

#include <whisker/geometry/aabb.hpp>

#include "geometry/constants.hpp"
#include "geometry/expansion.hpp"
#include "geometry/ordered_sums.hpp"
#include "geometry/predicates_inline.hpp"

namespace whisker::geometry {
namespace {

// If the relative error of a normal is at most this, the plane is moved outward by that error times the diameter.
constexpr double good_normal = 24 * unit_roundoff;

struct Normal {
  Vector3 direction = Vector3::Zero();  // not normalized
  double relative_error = infinity;     // error of the vector relative to its length
};

// u × v of two differences that are rounded.
Normal normal_in_doubles(const Vector3& u, const Vector3& v) {
  const double uy_vz = u[1] * v[2], uz_vy = u[2] * v[1];
  const double uz_vx = u[2] * v[0], ux_vz = u[0] * v[2];
  const double ux_vy = u[0] * v[1], uy_vx = u[1] * v[0];
  Normal normal;
  normal.direction = Vector3(uy_vz - uz_vy, uz_vx - ux_vz, ux_vy - uy_vx);
  const double permanent = std::abs(uy_vz) + std::abs(uz_vy) + std::abs(uz_vx) + std::abs(ux_vz) + std::abs(ux_vy) +
                           std::abs(uy_vx) + underflow_guard;
  // Four roundings per product (two differences, product, sum), plus one as slack for this bound itself.
  normal.relative_error = 5 * unit_roundoff * permanent / normal.direction.cwiseAbs().maxCoeff();
  return normal;
}

// The exact difference of two coordinates as high + low, both multiplied by 2^shift.
Exact2 scaled_difference(double a, double b, int shift) {
  const Exact2 d = two_diff(a, b);
  return {std::ldexp(d.high, shift), std::ldexp(d.low, shift)};
}

// The coordinate uy vz - uz vy of u × v in twice the working precision.
double minor_twice(const Exact2& uy, const Exact2& vz, const Exact2& uz, const Exact2& vy) {
  const Exact2 left = two_product(uy.high, vz.high);
  const Exact2 right = two_product(uz.high, vy.high);
  const Exact2 top = two_diff(left.high, right.high);
  const double rest =
      (left.low - right.low) + ((uy.high * vz.low + uy.low * vz.high) - (uz.high * vy.low + uz.low * vy.high));
  return top.high + (top.low + rest);
}

// (b - a) × (c - a), with exact differences and products in twice the working precision.
Normal normal_in_double_doubles(const Vector3& a, const Vector3& b, const Vector3& c) {
  const double u_size = (b - a).cwiseAbs().maxCoeff();
  const double v_size = (c - a).cwiseAbs().maxCoeff();
  Normal normal;
  if (!(u_size > 0) || !(v_size > 0)) return normal;
  int u_exponent = 0;
  int v_exponent = 0;
  std::frexp(u_size, &u_exponent);
  std::frexp(v_size, &v_exponent);
  Exact2 u[3];
  Exact2 v[3];
  for (int k = 0; k < 3; ++k) {
    u[k] = scaled_difference(b[k], a[k], -u_exponent);
    v[k] = scaled_difference(c[k], a[k], -v_exponent);
  }
  normal.direction = Vector3(minor_twice(u[1], v[2], u[2], v[1]), minor_twice(u[2], v[0], u[0], v[2]),
                             minor_twice(u[0], v[1], u[1], v[0]));
  // All |u|, |v| < 1. So in each coordinate the dropped products low·low and the roundings of the small terms are below
  // 20 units of roundoff squared, and underflow is far below that. The final sum is rounded once.
  const double largest = normal.direction.cwiseAbs().maxCoeff();
  normal.relative_error = 2 * unit_roundoff + 64 * unit_roundoff * unit_roundoff / largest;
  return normal;
}

// A bound on the rounding error of normal·x in doubles, for every x within the largest coordinates.
double dot_rounding(const Vector3& normal, const Vector3& largest) {
  return 5 * unit_roundoff *
             (std::abs(normal[0]) * largest[0] + std::abs(normal[1]) * largest[1] + std::abs(normal[2]) * largest[2]) +
         underflow_guard;
}

// The plane at height `base` (a rounded dot product with the normal), moved outward by `slack` and by two roundings:
// that of `base`, and that of a caller who evaluates normal·x.
HullPlane moved_outward(const Vector3& normal, double base, double slack, const Vector3& largest) {
  const double move = (slack + 2 * dot_rounding(normal, largest)) * (1 + 0x1p-40);
  return {normal, std::nextafter(base + move, infinity)};
}

}  // namespace

EnclosedPoints::EnclosedPoints(std::span<const Vector3> points_) : points(points_) {
  Aabb box;
  for (const Vector3& p : points)
    box.include(p);
  largest = box.lower.cwiseAbs().cwiseMax(box.upper.cwiseAbs());
  const Vector3 size = box.upper - box.lower;
  diameter = (size[0] + size[1] + size[2]) * (1 + 0x1p-40);
}

HullPlane supporting_plane(const EnclosedPoints& enclosed, const Vector3& normal) {
  const Vector3 unit = unit_vector(normal);
  return supporting_plane_of_unit(enclosed, unit.isZero() ? Vector3(Vector3::UnitZ()) : unit);
}

HullPlane supporting_plane_of_unit(const EnclosedPoints& enclosed, const Vector3& unit_normal) {
  double base = -infinity;
  for (const Vector3& p : enclosed.points)
    base = std::max(base, dot(unit_normal, p));
  return moved_outward(unit_normal, base, 0, enclosed.largest);
}

HullPlane enclosing_plane(const EnclosedPoints& enclosed, std::span<const std::uint32_t> face) {
  // Three corners far apart give the best-conditioned normal.
  const Vector3& a = enclosed.points[face[0]];
  const Vector3& b = enclosed.points[face[face.size() / 3]];
  const Vector3& c = enclosed.points[face[2 * face.size() / 3]];
  Normal normal = normal_in_doubles(b - a, c - a);
  if (!(normal.relative_error <= good_normal)) normal = normal_in_double_doubles(a, b, c);
  if (!(normal.relative_error <= good_normal)) return supporting_plane(enclosed, normal.direction);
  // For every x, the true unit normal satisfies normal·(x - a) <= 0, so the computed normal gives at most its error
  // times |x - a|. Normalizing it adds five roundings.
  const Vector3 unit = unit_vector(normal.direction);
  const double slack = (2 * normal.relative_error + 8 * unit_roundoff) * enclosed.diameter;
  return moved_outward(unit, dot(unit, a), slack, enclosed.largest);
}

}  // namespace whisker::geometry
