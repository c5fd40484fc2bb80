#pragma once

// The data fitted to a surface's regions with every new set of positions: volumes, and bounds on their normals.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <whisker/methods/surface_hierarchy.hpp>

#include "methods/surfaces/surface_topology.hpp"

namespace whisker::methods::surfaces {

/// The number of pairs of opposite faces of a volume.
constexpr std::size_t axis_count(SurfaceVolume volume) {
  constexpr std::array<std::size_t, 5> counts = {3, 7, 9, 13, 31};
  return counts[static_cast<std::size_t>(volume)];
}
inline constexpr std::size_t max_axes = axis_count(SurfaceVolume::kdop62);

/// Calls `visit` with the volume's number of axes as a constant.
template <class Visit>
void with_axis_count(SurfaceVolume volume, const Visit& visit) {
  [&]<std::size_t... count>(std::index_sequence<count...>) {
    ((axis_count(volume) == count ? visit(std::integral_constant<std::size_t, count>()) : void()), ...);
  }
  (std::index_sequence<3, 7, 9, 13, 31>());
}

/// One direction of each pair, the three coordinate axes first. No entry is larger than 1.
std::span<const Vector3> volume_axes(SurfaceVolume volume);

/// The directions for which each node stores whether all its normals are on that side, at most 64, with no entry larger
/// than 1. Empty for cones.
std::vector<Vector3> mask_directions(SurfaceVolume volume, SurfaceCurvature curvature);

/// All vectors v with v · axis >= cosine |v| |axis|. A cosine of 0 or less means that there is no cone: nothing is
/// known.
struct NormalCone {
  Vector3 axis = Vector3::Zero();  // of length 1 up to a few rounding errors
  double cosine = 0;
};
/// Returns a cone that contains both.
NormalCone merged(const NormalCone& p, const NormalCone& q);

/// Fits the volumes of all nodes. `bounds` has, for each node, the lower bounds along its axes, then the negated upper
/// bounds. `heights` is the same for vertices.
void fit_volumes(SurfaceVolume volume, std::span<const Vector3> positions, std::span<const Index3> triangles,
                 const SurfaceTree& tree, std::vector<double>& heights, std::vector<double>& bounds);

/// Whether two volumes are farther apart along some axis than `reach` (from reaches()) allows.
template <std::size_t axes>
bool are_apart(const double* p, const double* q, const double* reach) {
  bool apart = false;
  for (std::size_t i = 0; i < axes; ++i)
    apart |= p[i] + q[axes + i] > reach[i] || q[i] + p[axes + i] > reach[i];
  return apart;
}
/// For each axis, the largest gap possible between the bounds of objects that are no farther apart than `distance`.
/// Rounded up, including the rounding error of the gap. 0 for 0.
std::array<double, max_axes> reaches(SurfaceVolume volume, double distance);

/// For each triangle, the margin by which its normal must stay away from 90 degrees: 0, 1 or 2 times an angle.
std::vector<std::uint8_t> contour_margins(std::span<const Vector3> positions, std::span<const Index3> triangles,
                                          std::span<const std::uint32_t> twins);

/// For each node, bit i is set if every triangle in it has nonzero area and a normal that is certainly within 90
/// degrees of directions[i]. If there are margins, the limit is reduced by `angle` (in degrees) times the triangle's
/// margin.
void fit_masks(std::span<const Vector3> directions, std::span<const Vector3> positions,
               std::span<const Index3> triangles, const SurfaceTree& tree, std::span<const std::uint8_t> margins,
               double angle, std::vector<std::uint64_t>& masks);
/// For each node, a cone that certainly contains the normals of all its triangles; no cone if a triangle has zero area.
void fit_cones(std::span<const Vector3> positions, std::span<const Index3> triangles, const SurfaceTree& tree,
               std::span<const std::uint8_t> margins, double angle, std::vector<NormalCone>& cones);

}  // namespace whisker::methods::surfaces
