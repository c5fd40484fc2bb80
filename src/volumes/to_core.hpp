#pragma once

// Conversion of spheres and boxes to cores.

#include <whisker/geometry/volumes.hpp>

#include "geometry/constants.hpp"
#include "volumes/flat_core.hpp"
#include "volumes/measure.hpp"

namespace whisker::volumes {

inline Core to_core(const BoundingSphere& sphere) {
  Core core;
  core.center = sphere.center;
  core.radius = sphere.radius;
  return core;
}

/// The box must have finite size.
inline Core to_core(const Obb& box) {
  Core core;
  core.center = box.center;
  for (int i = 0; i < 3; ++i) {
    const Vector3 arm = box.half[i] * box.axes.col(i);
    core.add_arm(arm, box.half[i] == 0 ? 0 : 2 * unit_roundoff * sum_of_sizes(arm) + underflow);
  }
  return core;
}

/// The box must have finite size and must not be empty.
inline Core to_core(const Aabb& box) {
  Core core;
  core.center = box.lower / 2 + box.upper / 2;
  for (int i = 0; i < 3; ++i) {
    const double half = std::max(box.upper[i] - core.center[i], core.center[i] - box.lower[i]);
    core.add_arm(half * Vector3::Unit(i),
                 half == 0 ? 0 : 4 * unit_roundoff * (std::abs(box.lower[i]) + std::abs(box.upper[i])) + underflow);
  }
  return core;
}

/// An AABB around the set.
inline Aabb bounds_of(const Core& core) {
  Aabb box;
  for (int i = 0; i < 3; ++i) {
    double reach = core.radius + core.error;
    for (int k = 0; k < core.arms; ++k)
      reach += std::abs(core.arm[static_cast<std::size_t>(k)][i]);
    reach = geometry::next_up(reach * (1 + 8 * unit_roundoff));
    box.lower[i] = geometry::add_down(core.center[i], -reach);
    box.upper[i] = geometry::add_up(core.center[i], reach);
  }
  return box;
}

}  // namespace whisker::volumes
