#pragma once

// How deep the origin lies in a tetrahedron.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "convex/vec3.hpp"

namespace whisker::convex {

/// The distance of the origin from all faces of a tetrahedron that contains it, up to a few roundings. 0 if rounding
/// leaves open whether it does. `size`: no corner is farther from the origin.
WHISKER_INLINE double tetrahedron_margin(const std::array<Vec3, 4>& w, double size) {
  double margin = HUGE_VAL;
  for (std::size_t apex = 0; apex < 4; ++apex) {
    const Vec3 &p = w[(apex + 1) & 3], &q = w[(apex + 2) & 3], &r = w[(apex + 3) & 3];
    const Vec3 e1 = q - p, e2 = r - p;
    Vec3 n = cross(e1, e2);
    const double length = norm(n);
    if (!(length > 0)) return 0;
    n = n * (1 / length);
    double h = std::min({dot(n, p), dot(n, q), dot(n, r)});
    double beyond = dot(n, w[apex]);
    if (h < 0) {
      h = -std::max({dot(n, p), dot(n, q), dot(n, r)});
      beyond = -beyond;
    }
    // The whole face is on one side of the origin, the opposite corner on the other, and the orientation is certain.
    if (!(h * length > 16 * 0x1p-53 * norm(e1) * norm(e2) * size) || !(beyond < 0)) return 0;
    margin = std::min(margin, h);
  }
  return margin;
}

}  // namespace whisker::convex
