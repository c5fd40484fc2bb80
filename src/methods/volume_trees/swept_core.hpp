#pragma once

// Converts swept spheres to cores.

#include <array>

#include <whisker/methods/swept_sphere.hpp>

#include "geometry/constants.hpp"
#include "volumes/flat_core.hpp"
#include "volumes/measure.hpp"
#include "volumes/to_core.hpp"

namespace whisker::methods {

inline volumes::Core to_core(const SegmentSweptSphere& volume) {
  // Halving is exact; the sum and the difference are each rounded once.
  volumes::Core core;
  const Vector3 a = volume.core.a / 2;
  const Vector3 b = volume.core.b / 2;
  core.center = a + b;
  core.radius = volume.radius;
  core.add_arm(b - a, 2 * unit_roundoff * (volumes::sum_of_sizes(a) + volumes::sum_of_sizes(b)) + volumes::underflow);
  return core;
}

inline volumes::Core to_core(const TriangleSweptSphere& volume) {
  const Triangle& t = volume.core;
  volumes::Core core;
  core.is_triangle = true;
  core.arms = 2;
  core.center = t.a;
  core.arm[0] = t.b - t.a;
  core.arm[1] = t.c - t.a;
  core.radius = volume.radius;
  core.error = 2 * unit_roundoff * (volumes::sum_of_sizes(core.arm[0]) + volumes::sum_of_sizes(core.arm[1])) +
               volumes::underflow;
  return core;
}

inline volumes::Core to_core(const RectangleSweptSphere& volume) {
  volumes::Core core;
  core.center = volume.center;
  core.radius = volume.radius;
  core.add_arm(volume.edge_u, 0);
  core.add_arm(volume.edge_v, 0);
  return core;
}

/// The corners of the core. The volume is the convex hull of the balls around them. The corners of a rectangle are
/// rounded.
inline std::array<Vector3, 1> core_corners(const BoundingSphere& volume) {
  return {volume.center};
}
inline std::array<Vector3, 2> core_corners(const SegmentSweptSphere& volume) {
  return {volume.core.a, volume.core.b};
}
inline std::array<Vector3, 3> core_corners(const TriangleSweptSphere& volume) {
  return {volume.core.a, volume.core.b, volume.core.c};
}
inline std::array<Vector3, 4> core_corners(const RectangleSweptSphere& volume) {
  const Vector3 &c = volume.center, &u = volume.edge_u, &v = volume.edge_v;
  return {c + u + v, c + u - v, c - u + v, c - u - v};
}

}  // namespace whisker::methods
