#pragma once

// Normals of triangles with bounds on their rounding error. This uses the same reasoning as the filters in
// geometry/predicates_inline.hpp: each sum of products is accompanied by its permanent, which is the same sum with
// absolute values and only additions, with `underflow_guard` added after every product.

#include <cmath>

#include <whisker/vector.hpp>

#include "geometry/constants.hpp"
#include "geometry/predicates_inline.hpp"

namespace whisker::deform {

/// (b - a) × (c - a) in doubles. Each component is off by less than 5 u times that component of the permanent: 4
/// roundings, namely two differences, their product, and the difference of two products.
struct Normal {
  Vector3 value;
  Vector3 permanent;
};

inline Normal normal_of(const Vector3& a, const Vector3& b, const Vector3& c) {
  const double ux = b[0] - a[0], uy = b[1] - a[1], uz = b[2] - a[2];
  const double vx = c[0] - a[0], vy = c[1] - a[1], vz = c[2] - a[2];
  const double uy_vz = uy * vz, uz_vy = uz * vy;
  const double uz_vx = uz * vx, ux_vz = ux * vz;
  const double ux_vy = ux * vy, uy_vx = uy * vx;
  return {{uy_vz - uz_vy, uz_vx - ux_vz, ux_vy - uy_vx},
          {std::abs(uy_vz) + std::abs(uz_vy) + geometry::underflow_guard,
           std::abs(uz_vx) + std::abs(ux_vz) + geometry::underflow_guard,
           std::abs(ux_vy) + std::abs(uy_vx) + geometry::underflow_guard}};
}

/// |v| for vectors whose squared length may overflow. Accurate to a few roundings.
inline double length_of(const Vector3& v) {
  const double largest = v.cwiseAbs().maxCoeff();
  return largest > 0 ? largest * (v / largest).norm() : 0;
}

/// The approximate area of a triangle.
inline double area_of(const Vector3& a, const Vector3& b, const Vector3& c) {
  return length_of(normal_of(a, b, c).value) / 2;
}

/// The dot product of the normal and a direction: twice the area of the triangle projected along the direction,
/// positive if it runs counterclockwise when viewed against the direction. 7 roundings: the normal's 4, a product, two
/// sums.
struct SignedArea {
  double value;
  double permanent;

  /// 0 if the sign is not certain.
  int sign() const { return geometry::sign_beyond(value, 8 * unit_roundoff * permanent); }
};

inline SignedArea signed_area(const Vector3& a, const Vector3& b, const Vector3& c, const Vector3& direction) {
  const Normal n = normal_of(a, b, c);
  return {direction[0] * n.value[0] + direction[1] * n.value[1] + direction[2] * n.value[2],
          std::abs(direction[0]) * n.permanent[0] + std::abs(direction[1]) * n.permanent[1] +
              std::abs(direction[2]) * n.permanent[2] + geometry::underflow_guard};
}

}  // namespace whisker::deform
