#pragma once

// How often a surface, closed or not, winds round a point: the solid angles that its triangles are seen under, added up
// and divided by 4π (Jacobson, Kavan and Sorkine-Hornung, "Robust inside-outside segmentation using generalized winding
// numbers", 2013).
//
// Near triangles are added one by one. Of patches far away a second-order expansion is taken (Barill, Dickson, Schmidt,
// Levin and Jacobson, "Fast winding numbers for soups and clouds", 2018), for which that paper has no bound; ours:
//
// With r = c - p from the point to the patch's center, R = |r|, and d from the center to a point of the patch, |d| <= ρ
// < R, what an area dA with normal n adds is n·K(r + d) dA, where K(x) = x / (4π |x|³) = -∇(1 / (4π |x|)). The
// potential has the expansion 1/|r + d| = Σ_l (-1)^l |d|^l P_l(cos γ) / R^(l+1), and by Laplace's integral |d|^l
// P_l(cos γ) is the mean over φ of (k_φ·d)^l, with k_φ = e + i u_φ, e the unit vector along r and u_φ those square to
// it. Its derivative along n is the mean of l (k_φ·d)^(l-1) (k_φ·n), and |k_φ·d| <= |d|, |k_φ·n| <= 1, since the real
// and the imaginary part of k_φ are unit vectors square to each other. So the term of order l - 1 of n·K is at most l
// |d|^(l-1) / (4π R^(l+1)), and all from the third order on, with s = ρ / R, at most
//
//   Σ_{l>=4} l |d|² ρ^(l-3) / (4π R^(l+1)) = |d|² s (4 - 3 s) / (1 - s)² / (4π R⁴),
//
// which integrated over the patch has ∫ |d|² for its only moment. The terms that are kept, over 4π:
//
//   ∫ n·r / R³  +  ∫ n·d / R³ - 3 ∫ (n·r) (d·r) / R⁵
//     +  15/2 ∫ (d·r)² (n·r) / R⁷ - 3/2 ∫ (2 (d·n) (d·r) + |d|² (n·r)) / R⁵,
//
// where the last integrand is three times the trace of the symmetric tensor of the one before it.
//
// What rounding does to places is bounded too: if no corner moves by more than e against the point, and nothing comes
// nearer than g, a triangle's solid angle changes by no more than its edges sweep: (perimeter + 6 e) e / g², for the
// triangle, its image and what the edges sweep are a closed surface that does not wind round the point.

#include "mesh/mesh_queries.hpp"

namespace whisker::mesh {

struct WindingBounds {
  double lower = 0;
  double upper = 0;
  Cost cost;
};

/// Bounds of the placed mesh's winding number about a point, no farther apart than the tolerance where rounding allows;
/// with 0 as close as rounding allows. A triangle that the point lies on counts as anything from -1/2 to 1/2.
/// The same on every instruction set.
WindingBounds generalized_winding(const PlacedMesh& mesh, const Vector3& point, double tolerance);

}  // namespace whisker::mesh
