#pragma once

// AABBs: around a triangle, around a placed AABB with rounding error included, and how far two are apart.

#include <algorithm>
#include <cmath>
#include <limits>

#include <whisker/geometry/aabb.hpp>
#include <whisker/pose.hpp>
#include <whisker/primitives.hpp>

#include "geometry/constants.hpp"

namespace whisker::geometry {

inline Aabb triangle_bounds(const Triangle& t) {
  return {t.a.cwiseMin(t.b).cwiseMin(t.c), t.a.cwiseMax(t.b).cwiseMax(t.c)};
}

/// Does not overflow.
inline Vector3 box_middle(const Aabb& box) {
  return box.lower / 2 + box.upper / 2;
}

/// An AABB that contains place(pose, x) for every x in `local`. Its bounds may be infinite.
///
/// The error of place() is at most four half-ulps of the sum of its terms' sizes, and so is the error of the sums here.
/// Sixteen half-ulps cover both.
inline Aabb placed_box(const Aabb& local, const Pose& pose) {
  constexpr double slack = 16 * 0x1p-53;
  Aabb box;
  for (int i = 0; i < 3; ++i) {
    double lower = pose.translation()[i];
    double upper = pose.translation()[i];
    double size = std::abs(pose.translation()[i]);
    for (int j = 0; j < 3; ++j) {
      const double r = pose.rotation()(i, j);
      if (r == 0) continue;  // avoids 0 times an infinite bound
      const double p = r * local.lower[j];
      const double q = r * local.upper[j];
      lower += std::min(p, q);
      upper += std::max(p, q);
      size += std::max(std::abs(p), std::abs(q));
    }
    const double grow = slack * size + std::numeric_limits<double>::min();
    box.lower[i] = std::isfinite(lower) ? lower - grow : -infinity;
    box.upper[i] = std::isfinite(upper) ? upper + grow : infinity;
  }
  return box;
}

/// The same for a convex shape in `local`, tightened by its points that are farthest along the world's axes, and
/// expanded by the rounding of finding them. `farthest(direction, end)` returns such a point in the shape's frame;
/// `end` is twice the number of the axis, plus 1 for the direction against it.
template <class Farthest>
Aabb placed_box(const Aabb& local, const Pose& pose, const Farthest& farthest) {
  Aabb box = placed_box(local, pose);
  const double size = local.lower.cwiseAbs().cwiseMax(local.upper.cwiseAbs()).sum();
  for (int i = 0; i < 3; ++i) {
    const Vector3 row = pose.rotation().row(i);
    const double at = pose.translation()[i], slack = 0x1p-48 * (size + std::abs(at));
    box.upper[i] = std::min(box.upper[i], row.dot(farthest(row, 2 * i)) + at + slack);
    box.lower[i] = std::max(box.lower[i], row.dot(farthest(-row, 2 * i + 1)) + at - slack);
  }
  return box;
}

/// A lower bound on the distance of two boxes. 0 if they overlap.
inline double box_gap(const Aabb& a, const Aabb& b) {
  const Vector3 apart = (a.lower - b.upper).cwiseMax(b.lower - a.upper).cwiseMax(0.0);
  const double largest = apart.maxCoeff();
  if (!(largest > 0)) return 0;
  // Divide by the largest component, so that squares neither overflow nor underflow. This takes six roundings; eight
  // half-ulps are subtracted.
  return largest * (apart / largest).norm() * (1 - 8 * 0x1p-53);
}

}  // namespace whisker::geometry
