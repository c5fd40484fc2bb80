#include "convex/small_polytope.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace whisker::convex {

void SmallPolytope::exchange() {
  for (unsigned i = 0; i < points; ++i)
    std::swap(vertex_a[i], vertex_b[i]);
  for (unsigned f = 0; f < faces; ++f) {
    std::swap(corner[f][1], corner[f][2]);
    std::swap(across[f][0], across[f][2]);
  }
}

bool SmallPolytope::fits(std::uint32_t vertices_a, std::uint32_t vertices_b) const {
  bool fits = points > 0;
  for (unsigned i = 0; i < points; ++i)
    fits = fits && vertex_a[i] < vertices_a && vertex_b[i] < vertices_b;
  return fits;
}

void SmallPolytope::compact() {
  std::uint8_t new_point[most_points], new_face[most_faces];
  bool used[most_points] = {};
  unsigned face_count = 0, point_count = 0;
  for (unsigned f = 0; f < faces; ++f) {
    if (height[f] == HUGE_VAL) continue;
    new_face[f] = static_cast<std::uint8_t>(face_count++);
    for (int k = 0; k < 3; ++k)
      used[corner[f][k]] = true;
  }
  for (unsigned i = 0; i < points; ++i) {
    if (!used[i]) continue;
    new_point[i] = static_cast<std::uint8_t>(point_count);
    wx[point_count] = wx[i];
    wy[point_count] = wy[i];
    wz[point_count] = wz[i];
    vertex_a[point_count] = vertex_a[i];
    vertex_b[point_count] = vertex_b[i];
    ++point_count;
  }
  for (unsigned f = 0; f < faces; ++f) {
    if (height[f] == HUGE_VAL) continue;
    const unsigned to = new_face[f];
    nx[to] = nx[f];
    ny[to] = ny[f];
    nz[to] = nz[f];
    height[to] = height[f];
    for (int k = 0; k < 3; ++k) {
      corner[to][k] = new_point[corner[f][k]];
      across[to][k] = new_face[across[f][k]];
    }
  }
  std::fill(height + face_count, height + most_faces, HUGE_VAL);
  points = point_count;
  faces = face_count;
  free_count = 0;
}

}  // namespace whisker::convex
