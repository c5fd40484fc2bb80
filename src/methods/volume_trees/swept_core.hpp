#pragma once

// Swept spheres, as cores.

#include <whisker/methods/swept_sphere.hpp>

#include "geometry/constants.hpp"
#include "volumes/flat_core.hpp"
#include "volumes/measure.hpp"
#include "volumes/to_core.hpp"

namespace whisker::volumes {

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

}  // namespace whisker::volumes
