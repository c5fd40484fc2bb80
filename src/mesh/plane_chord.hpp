#pragma once

// Where a plane cuts one triangle, and what the contact of a triangle and a simple shape reports.

#include <algorithm>
#include <array>

#include "convex/simple_distance.hpp"
#include "convex/simple_shape.hpp"
#include "geometry/plane_side.hpp"
#include "mesh/results.hpp"

namespace whisker::mesh {

/// The side of each of a triangle's corners, as from `side_of`.
using CornerSides = std::array<int, 3>;

inline CornerSides corner_sides(const geometry::ExactPlane& plane, const Triangle& t) {
  return {side_of(plane, t.a), side_of(plane, t.b), side_of(plane, t.c)};
}

/// The part of a triangle in the plane, which it touches: a chord, an edge, a corner twice, or the longest edge of a
/// triangle that lies in the plane. Triangles that share an edge get the same doubles where it crosses the plane.
inline Segment plane_chord(const geometry::ExactPlane& plane, const Triangle& t) {
  const std::array<const Vector3*, 3> corner = {&t.a, &t.b, &t.c};
  const CornerSides side = corner_sides(plane, t);
  std::array<Vector3, 3> points;
  std::size_t count = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t next = (i + 1) % 3;
    if (side[i] == 0) points[count++] = *corner[i];
    if (side[i] * side[next] < 0)
      points[count++] = crossing_point(plane, *corner[side[i] < 0 ? i : next], *corner[side[i] < 0 ? next : i]);
  }
  Segment longest{points[0], points[count > 1 ? 1 : 0]};
  if (count == 3) {
    const auto length = [](const Segment& s) { return (s.b - s.a).stableNorm(); };
    for (const Segment& edge : {Segment{t.b, t.c}, Segment{t.c, t.a}})
      if (length(edge) > length(longest)) longest = edge;
  }
  return longest;
}

/// Contact::segment of a triangle and a simple shape that touch.
inline Segment shared_segment(const convex::SimpleShape& triangle, const convex::SimpleShape& shape) {
  if (shape.core == convex::SimpleShape::Core::plane) return plane_chord(plane_of(shape), triangle.corners);
  return at_point(convex::distance_simple_simple(triangle, shape).point_a);
}

}  // namespace whisker::mesh
