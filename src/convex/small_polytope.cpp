#include "convex/small_polytope.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace whisker::convex {

void SmallPolytope::exchange() {
  for (unsigned i = 0; i < points; ++i)
    std::swap(vertex_a[i], vertex_b[i]);
  for (unsigned f = 0; f < faces; ++f) {
    std::swap(corner[1][f], corner[2][f]);
    std::swap(across[f][0], across[f][2]);
    // The edges are reversed as well: the first becomes the last.
    for (int k = 0; k < 3; ++k)
      across[f][k] = static_cast<std::uint16_t>((across[f][k] & ~3u) + (2 - (across[f][k] & 3u)));
  }
}

void SmallPolytope::compact() {
  std::uint8_t new_point[max_points], new_face[max_faces];
  bool used[max_points] = {};
  unsigned face_count = 0, point_count = 0;
  for (unsigned f = 0; f < faces; ++f) {
    if (height[f] == HUGE_VAL) continue;
    new_face[f] = static_cast<std::uint8_t>(face_count++);
    for (int k = 0; k < 3; ++k)
      used[corner[k][f]] = true;
  }
  for (unsigned i = 0; i < points; ++i) {
    if (!used[i]) continue;
    new_point[i] = static_cast<std::uint8_t>(point_count);
    for (auto& row : w)
      row[point_count] = row[i];
    vertex_a[point_count] = vertex_a[i];
    vertex_b[point_count] = vertex_b[i];
    ++point_count;
  }
  for (unsigned f = 0; f < faces; ++f) {
    if (height[f] == HUGE_VAL) continue;
    const unsigned to = new_face[f];
    height[to] = height[f];
    for (int k = 0; k < 3; ++k) {
      normal[k][to] = normal[k][f];
      corner[k][to] = new_point[corner[k][f]];
      const unsigned beyond = across[f][k];
      across[to][k] = static_cast<std::uint16_t>(4u * new_face[beyond / 4] + beyond % 4);
    }
  }
  std::fill(height + face_count, height + max_faces, HUGE_VAL);
  std::fill(vertex_a + point_count, vertex_a + max_points, 0u);
  std::fill(vertex_b + point_count, vertex_b + max_points, 0u);
  points = point_count;
  faces = face_count;
  free_count = 0;
}

}  // namespace whisker::convex
