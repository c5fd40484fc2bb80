#pragma once

// What is fitted to a surface's regions with every new set of positions: volumes, and what is known of their normals.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <whisker/methods/surface_hierarchy.hpp>

#include "methods/surfaces/surface_topology.hpp"

namespace whisker::methods::surfaces {

/// How many pairs of faces a volume has.
constexpr std::size_t axis_count(SurfaceVolume volume) {
  switch (volume) {
    case SurfaceVolume::aabb:
      return 3;
    case SurfaceVolume::kdop14:
      return 7;
    case SurfaceVolume::kdop18:
      return 9;
    case SurfaceVolume::kdop26:
      return 13;
    case SurfaceVolume::kdop62:
      return 31;
  }
  return 3;
}
inline constexpr std::size_t max_axes = 31;

/// Calls `visit` with the volume's number of axes as a constant.
template <class Visit>
decltype(auto) with_axis_count(SurfaceVolume volume, const Visit& visit) {
  switch (volume) {
    case SurfaceVolume::kdop14:
      return visit(std::integral_constant<std::size_t, 7>());
    case SurfaceVolume::kdop18:
      return visit(std::integral_constant<std::size_t, 9>());
    case SurfaceVolume::kdop26:
      return visit(std::integral_constant<std::size_t, 13>());
    case SurfaceVolume::kdop62:
      return visit(std::integral_constant<std::size_t, 31>());
    default:
      return visit(std::integral_constant<std::size_t, 3>());
  }
}

/// One direction of each pair, the three coordinate axes first; no entry is larger than 1.
std::span<const Vector3> volume_axes(SurfaceVolume volume);

/// The directions whose side of the normals is kept, at most 64, no entry larger than 1. None for cones.
std::vector<Vector3> mask_directions(SurfaceVolume volume, SurfaceCurvature curvature);

/// All vectors v with v · axis >= cosine |v| |axis|. There is none if the cosine is 0 or less: nothing is known then.
struct NormalCone {
  Vector3 axis = Vector3::Zero();  // of length 1 up to a few roundings
  double cosine = 0;
};
/// A cone that has both in it.
NormalCone merged(const NormalCone& p, const NormalCone& q);

/// Volumes of all nodes. `bounds` has for each node the lower bounds along its axes, then the upper ones, negated.
/// `heights` is the same for vertices.
void fit_volumes(SurfaceVolume volume, std::span<const Vector3> positions, std::span<const Index3> triangles,
                 const SurfaceTree& tree, std::vector<double>& heights, std::vector<double>& bounds);

/// Whether two volumes are farther apart along an axis than it allows: `reach` from reaches().
template <std::size_t axes>
bool are_apart(const double* p, const double* q, const double* reach) {
  bool apart = false;
  for (std::size_t i = 0; i < axes; ++i)
    apart |= p[i] + q[axes + i] > reach[i] || q[i] + p[axes + i] > reach[i];
  return apart;
}
/// Along each axis, how large a gap there may be between bounds of what is no farther apart than `distance`, rounded
/// up, the rounding of the gap included. 0 for 0.
std::array<double, max_axes> reaches(SurfaceVolume volume, double distance);

/// By how much normals must keep off 90 degrees, for each triangle: 0, 1 or 2 times an angle.
std::vector<std::uint8_t> contour_margins(std::span<const Vector3> positions, std::span<const Index3> triangles,
                                          std::span<const std::uint32_t> twins);

/// For each node, bit i is set if every triangle in it has an area and a normal that is certainly within 90 degrees of
/// directions[i]; within less by `angle` (in degrees) times its margin, where there are margins.
void fit_masks(std::span<const Vector3> directions, std::span<const Vector3> positions,
               std::span<const Index3> triangles, const SurfaceTree& tree, std::span<const std::uint8_t> margins,
               double angle, std::vector<std::uint64_t>& masks);
/// For each node a cone that certainly has the normals of all triangles in it; none if one has no area.
void fit_cones(std::span<const Vector3> positions, std::span<const Index3> triangles, const SurfaceTree& tree,
               std::span<const std::uint8_t> margins, double angle, std::vector<NormalCone>& cones);

}  // namespace whisker::methods::surfaces
