#pragma once

// Normals of triangles and how far rounding may have taken them off. As the filters of geometry/predicates_inline.hpp,
// whose reasoning holds here too: next to a sum of products stands its permanent, the same with absolute values and +,
// and `underflow_guard` after every product.

#include <cmath>

#include <whisker/vector.hpp>

#include "geometry/constants.hpp"
#include "geometry/predicates_inline.hpp"

namespace whisker::deform {

/// (b - a) × (c - a) in doubles. Each entry is off by less than 5 u of that of the permanent: 4 roundings, two
/// differences, their product and the difference of two.
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

/// |v| where its square may overflow; right to a few roundings.
inline double length_of(const Vector3& v) {
  const double largest = v.cwiseAbs().maxCoeff();
  return largest > 0 ? largest * (v / largest).norm() : 0;
}

/// About the area of a triangle.
inline double area_of(const Vector3& a, const Vector3& b, const Vector3& c) {
  return length_of(normal_of(a, b, c).value) / 2;
}

/// The normal times a direction: twice the area of the triangle as it is seen along it, positive if it runs
/// counter-clockwise seen against it. 7 roundings: the normal's 4, a product, two sums.
struct SignedArea {
  double value;
  double permanent;

  /// 0 if it is not certain.
  int sign() const { return geometry::sign_beyond(value, 8 * unit_roundoff * permanent); }
};

inline SignedArea signed_area(const Vector3& a, const Vector3& b, const Vector3& c, const Vector3& direction) {
  const Normal n = normal_of(a, b, c);
  return {direction[0] * n.value[0] + direction[1] * n.value[1] + direction[2] * n.value[2],
          std::abs(direction[0]) * n.permanent[0] + std::abs(direction[1]) * n.permanent[1] +
              std::abs(direction[2]) * n.permanent[2] + geometry::underflow_guard};
}

}  // namespace whisker::deform
