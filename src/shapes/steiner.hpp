#pragma once

// The mass of a convex body with a radius around it, from integrals over the body.
//
// All points within a distance r of a convex body K are K itself, and the points x + t n with 0 < t <= r, where x is a
// point of the border and n a unit normal there: one normal in a face, an arc of them on an edge, a part of the unit
// sphere at a corner. The volume element is (1 + t/R1)(1 + t/R2) dS dt, with the radii of curvature (J. Steiner 1840).
// So the integral of a polynomial over the rounded body is a polynomial of r, whose coefficients are integrals over the
// border, over its mean curvature (dH = (1/R1 + 1/R2) dS; on an edge the exterior angle times the length) and over its
// Gaussian curvature (dK; at a corner the solid angle of its normals):
//
//   ∫ 1    = V + r S + r²/2 ∫ dH + r³ 4π/3
//   ∫ x    = ∫_K x + r ∫ x dS + r²/2 ∫ x dH + r³/3 ∫ x dK
//   ∫ x xᵀ = ∫_K x xᵀ + r ∫ x xᵀ dS + r² V 1 + r²/2 ∫ x xᵀ dH + r³/3 (2 S 1 - ∫ n nᵀ dS + ∫ x xᵀ dK)
//            + r⁴ ∫ h(u) u uᵀ du + r⁵ 4π/15 1
//
// The terms with one n were replaced: ∫ x nᵀ dS = V 1 and ∫ x nᵀ dH = S 1 - ∫ n nᵀ dS by the divergence theorem in the
// body and on its border. The r⁴/4 term is ∫ n nᵀ dH + 2 ∫ x nᵀ dK, an integral over all directions u. There dH is
// (Δh + 2h) du and x is ∇h + h u, with h the support function and the derivatives on the sphere, and integration by
// parts gives ∫ (2 - 4 u uᵀ) h du + 2 ∫ (4 u uᵀ - 1) h du.

#include <optional>
#include <span>

#include <whisker/primitives.hpp>

#include "shapes/mass_body.hpp"

namespace whisker {
class Shape;
}

namespace whisker::shapes {

/// The integrals above, in units of 2^exponent and relative to `origin`.
struct SteinerIntegrals {
  struct Moments {
    Interval total;
    IntervalVector3 first;
    IntervalMatrix3 second;
  };
  Moments body;
  Moments surface;
  Moments edges;            ///< over dH
  Moments corners;          ///< over dK
  IntervalMatrix3 normals;  ///< ∫ n nᵀ dS
  IntervalMatrix3 support;  ///< ∫ h u uᵀ du
  Vector3 origin = Vector3::Zero();
  int exponent = 0;

  /// The same in units of 2^new_exponent.
  SteinerIntegrals in_units(int new_exponent) const;
  /// The body with a radius around it.
  MassBody around(double radius) const;
};

/// The unit of length for a body of this size and a radius: then no term overflows.
int steiner_exponent(double size, double radius);

SteinerIntegrals steiner_integrals(const Box& box, int exponent);
SteinerIntegrals steiner_integrals(const Cylinder& cylinder, int exponent);
SteinerIntegrals steiner_integrals(const Cone& cone, int exponent);
/// Of the convex hull of the points, which may be flat, a segment or a point.
SteinerIntegrals steiner_integrals(std::span<const Vector3> points, double radius);
/// The ellipsoid with a radius around it.
MassBody rounded_ellipsoid(const Ellipsoid& ellipsoid, double radius);

/// The angle of a point whose sine and cosine, in any common unit, lie in these intervals; the sine is not negative.
/// Rigorous if the C library's atan2 is correct to one ulp.
Interval angle_of(const Interval& sine, const Interval& cosine);

/// A shape with a radius around it; nothing if there is no such formula for it.
std::optional<MassBody> rounded_body(const Shape& shape, double radius);

}  // namespace whisker::shapes
