#pragma once

// The intersection of two triangles, as one segment.

#include <cstddef>

#include <whisker/geometry/triangle_tests.hpp>

namespace whisker::mesh {

/// The intersection of two triangles that touch. If they share more than a segment, the longest chord between corners
/// of the shared polygon.
inline Segment shared_segment(const Triangle& a, const Triangle& b) {
  const TriangleIntersection shared = intersect_triangle_triangle(a, b);
  if (shared.count == 0) return {};
  Segment longest{shared.points[0], shared.points[0]};
  double length = -1;
  for (std::size_t i = 0; i < static_cast<std::size_t>(shared.count); ++i) {
    for (std::size_t j = i + 1; j < static_cast<std::size_t>(shared.count); ++j) {
      const double chord = (shared.points[j] - shared.points[i]).stableNorm();
      if (chord > length) {
        length = chord;
        longest = {shared.points[i], shared.points[j]};
      }
    }
  }
  return longest;
}

}  // namespace whisker::mesh
