#pragma once

// Hill climbing over the edges of a convex hull with exact comparisons: a baseline that the library's own table is
// compared with.

#include <cmath>
#include <cstdint>
#include <span>

#include <whisker/convex_hull.hpp>

#include "geometry/expansion.hpp"
#include "shapes/scaled_direction.hpp"

namespace whisker::baselines {

/// Compares the heights of a and b along d: 1 if a is higher, 0 or -1. d's largest coordinate must be in [1, 2).
inline int compare_heights(const Vector3& a, const Vector3& b, const Vector3& d) {
  using namespace geometry;
  const double difference = (d[0] * (a[0] - b[0]) + d[1] * (a[1] - b[1])) + d[2] * (a[2] - b[2]);
  const double size =
      (std::abs(d[0]) * (std::abs(a[0]) + std::abs(b[0])) + std::abs(d[1]) * (std::abs(a[1]) + std::abs(b[1]))) +
      std::abs(d[2]) * (std::abs(a[2]) + std::abs(b[2]));
  // Covers 4 roundings of each term, and underflow.
  const double error = 0x1p-50 * size + 0x1p-1060;
  if (difference > error) return 1;
  if (difference < -error) return -1;
  // Scaled up to prevent underflow of parts of the products.
  const double unit = size < 0x1p-300 ? 0x1p500 : 1;
  const auto part = [&](int axis) {
    return to_expansion(two_diff(unit * a[axis], unit * b[axis])) * (0x1p400 * d[axis]);
  };
  return ((part(0) + part(1)) + part(2)).sign();
}

/// The vertex farthest along `direction`, by climbing along the hull's edges from vertex `start`, always to the highest
/// neighbor, until none is higher. Heights are compared exactly, so the climb ends, even where faces are perpendicular
/// to the direction, at a vertex that is the highest in real numbers. (If several are equally high, the result depends
/// on the start. If faces were merged, some edges are missing, and the climb may stop lower by as much as the merged
/// faces deviate from planes.)
inline std::uint32_t climb_support(const ConvexHull& hull, std::uint32_t start, const Vector3& direction) {
  const std::span<const Vector3> vertices = hull.vertices();
  const Vector3 d = scaled_direction(direction);
  std::uint32_t here = start;
  while (true) {
    std::uint32_t best = here;
    for (const std::uint32_t next : hull.neighbors(here)) {
      if (compare_heights(vertices[next], vertices[best], d) > 0) best = next;
    }
    if (best == here) return here;
    here = best;
  }
}

}  // namespace whisker::baselines
