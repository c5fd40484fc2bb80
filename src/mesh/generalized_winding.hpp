#pragma once

// The generalized winding number: how often a surface, closed or not, winds around a point. It is the sum of the solid
// angles of the triangles as seen from the point, divided by 4π (Jacobson, Kavan and Sorkine-Hornung, "Robust
// inside-outside segmentation using generalized winding numbers", 2013).
//
// Near triangles are added one by one. Distant patches are approximated by a second-order expansion (Barill, Dickson,
// Schmidt, Levin and Jacobson, "Fast winding numbers for soups and clouds", 2018). That paper gives no error bound.
// Ours is as follows.
//
// Let r = c - p be the vector from the point to the patch's center, R = |r|, and d the vector from the center to a
// point of the patch, with |d| <= ρ < R. An area element dA with normal n contributes n·K(r + d) dA, where K(x) = x /
// (4π |x|³) = -∇(1 / (4π |x|)). The potential has the expansion 1/|r + d| = Σ_l (-1)^l |d|^l P_l(cos γ) / R^(l+1). By
// Laplace's integral, |d|^l P_l(cos γ) is the mean over φ of (k_φ·d)^l, with k_φ = e + i u_φ, where e is the unit
// vector along r and u_φ are the unit vectors perpendicular to e. Its derivative along n is the mean of l (k_φ·d)^(l-1)
// (k_φ·n). Here |k_φ·d| <= |d| and |k_φ·n| <= 1, since the real and the imaginary part of k_φ are perpendicular unit
// vectors. So the term of order l - 1 of n·K is at most l |d|^(l-1) / (4π R^(l+1)), and all terms from the third order
// on, with s = ρ / R, sum to at most
//
//   Σ_{l>=4} l |d|² ρ^(l-3) / (4π R^(l+1)) = |d|² s (4 - 3 s) / (1 - s)² / (4π R⁴).
//
// Integrated over the patch, this bound needs only the moment ∫ |d|². The terms that are kept, each to be divided by
// 4π, are
//
//   ∫ n·r / R³  +  ∫ n·d / R³ - 3 ∫ (n·r) (d·r) / R⁵
//     +  15/2 ∫ (d·r)² (n·r) / R⁷ - 3/2 ∫ (2 (d·n) (d·r) + |d|² (n·r)) / R⁵,
//
// where the last integrand is three times the trace of the symmetric tensor of the integrand before it.
//
// The rounding of positions is bounded too. If no corner moves by more than e relative to the point, and nothing comes
// nearer to the point than g, then a triangle's solid angle changes by no more than what its edges sweep, which is at
// most (perimeter + 6 e) e / g². The reason: the triangle, its image and the surface that the edges sweep form a closed
// surface that does not wind around the point.

#include "mesh/mesh_queries.hpp"

namespace whisker::mesh {

struct WindingBounds {
  double lower = 0;
  double upper = 0;
  Cost cost;
};

/// Bounds on the placed mesh's winding number about a point. They are no farther apart than the tolerance, where
/// rounding allows. With a tolerance of 0 they are as close as rounding allows. A triangle that contains the point
/// counts as anything from -1/2 to 1/2. The result is the same on every instruction set.
WindingBounds generalized_winding(const PlacedMesh& mesh, const Vector3& point, double tolerance);

}  // namespace whisker::mesh
