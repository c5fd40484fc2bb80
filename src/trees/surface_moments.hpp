#pragma once

// Moments of the patches of a surface, for searches that see the surface from afar: where each patch is, how large it
// is and which way it faces, to second order.

#include <span>
#include <vector>

#include <whisker/mesh_data.hpp>

#include "trees/oriented_tree.hpp"

namespace whisker::trees {

/// The moments of the triangles under each of a node's eight children, in the tree's unit, along the mesh's axes. With
/// y a point of the patch, n the normal there and d = y - (the node's origin + center), the integrals are over the
/// patch:
struct alignas(64) PatchMoments {
  float center[3][8];  ///< relative to the node's origin; about the center of area
  float normal[3][8];  ///< ∫ n
  float spread[6][8];  ///< ∫ (d_i n_j + d_j n_i) / (1 if i ≠ j, else 2): xx, yy, zz, xy, xz, yz
  /// The coefficients of ∫ (d·r)² (n·r) as a cubic form of r: xxx, yyy, zzz, xxy, xxz, yyx, yyz, zzx, zzy, xyz.
  float third[10][8];
  /// Upper bounds:
  float radius[8];   ///< no |d| is larger
  float area[8];     ///< ∫ 1, plus a little for each thin triangle: see moment_error
  float inertia[8];  ///< ∫ |d|²
  float edges[8];    ///< the perimeters of all triangles, each enlarged by edge_slack
};
static_assert(sizeof(PatchMoments) == 832);

/// `normal` is off by less than this fraction of `area`. `spread`, as a matrix, is off by less than this fraction of
/// `area` · `radius`. Each coefficient of `third` is off by less than this fraction of itself plus this fraction of
/// `area` · `radius`². The error is the rounding to floats, which is far more than the sums have lost.
inline constexpr double moment_error = 0x1p-23;
inline constexpr double edge_slack = 0x1p-16;

struct SurfaceMoments {
  std::vector<PatchMoments> nodes;  ///< numbered as in the tree
  PatchMoments whole{};             ///< slot 0: the whole mesh, relative to the root's origin
};

/// O(n).
SurfaceMoments surface_moments(const OrientedTree& tree, std::span<const Vector3> vertices,
                               std::span<const Index3> triangles);

}  // namespace whisker::trees
