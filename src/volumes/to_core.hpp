#pragma once

// The volumes with a core, as cores.

#include <whisker/volumes.hpp>

#include "volumes/core.hpp"
#include "volumes/measure.hpp"

namespace whisker::volumes {

inline Core to_core(const BoundingSphere& sphere) {
  Core core;
  core.center = sphere.center;
  core.radius = sphere.radius;
  return core;
}

inline Core to_core(const SegmentSweptSphere& volume) {
  // Halving is exact; the sum and the difference are each rounded once.
  Core core;
  const Vector3 a = volume.core.a / 2;
  const Vector3 b = volume.core.b / 2;
  core.center = a + b;
  core.radius = volume.radius;
  core.add_arm(b - a, 2 * unit_roundoff * (sum_of_sizes(a) + sum_of_sizes(b)) + underflow);
  return core;
}

inline Core to_core(const TriangleSweptSphere& volume) {
  const Triangle& t = volume.core;
  Core core;
  core.is_triangle = true;
  core.arms = 2;
  core.center = t.a;
  core.arm[0] = t.b - t.a;
  core.arm[1] = t.c - t.a;
  core.radius = volume.radius;
  core.error = 2 * unit_roundoff * (sum_of_sizes(core.arm[0]) + sum_of_sizes(core.arm[1])) + underflow;
  return core;
}

inline Core to_core(const RectangleSweptSphere& volume) {
  Core core;
  core.center = volume.center;
  core.radius = volume.radius;
  core.add_arm(volume.edge_u, 0);
  core.add_arm(volume.edge_v, 0);
  return core;
}

/// Of a box of finite size.
inline Core to_core(const OrientedBox& box) {
  Core core;
  core.center = box.center;
  for (int i = 0; i < 3; ++i) {
    const Vector3 arm = box.half[i] * box.axes.col(i);
    core.add_arm(arm, box.half[i] == 0 ? 0 : 2 * unit_roundoff * sum_of_sizes(arm) + underflow);
  }
  return core;
}

/// Of a box of finite size that is not empty.
inline Core to_core(const AxisBox& box) {
  Core core;
  core.center = box.lower / 2 + box.upper / 2;
  for (int i = 0; i < 3; ++i) {
    const double half = std::max(box.upper[i] - core.center[i], core.center[i] - box.lower[i]);
    core.add_arm(half * Vector3::Unit(i),
                 half == 0 ? 0 : 4 * unit_roundoff * (std::abs(box.lower[i]) + std::abs(box.upper[i])) + underflow);
  }
  return core;
}

/// A box around the set.
inline AxisBox bounds_of(const Core& core) {
  AxisBox box;
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
