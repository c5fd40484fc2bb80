#pragma once

// The sides of triangles, grouped by edge.

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include <whisker/mesh_data.hpp>

namespace whisker::methods::surfaces {

/// A half-edge and the vertices of its edge.
struct EdgeSide {
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  std::uint32_t half_edge = 0;

  bool same_edge(const EdgeSide& other) const { return low == other.low && high == other.high; }
};

inline std::uint32_t from_vertex(std::span<const Index3> triangles, std::uint32_t half_edge) {
  return triangles[half_edge / 3][half_edge % 3];
}
inline std::uint32_t to_vertex(std::span<const Index3> triangles, std::uint32_t half_edge) {
  return triangles[half_edge / 3][(half_edge % 3 + 1) % 3];
}

/// Returns every half-edge once. Those of one edge are consecutive, sorted by index.
inline std::vector<EdgeSide> sorted_edge_sides(std::span<const Index3> triangles) {
  std::vector<EdgeSide> sides;
  sides.reserve(3 * triangles.size());
  for (std::uint32_t t = 0; t < triangles.size(); ++t) {
    for (std::uint32_t k = 0; k < 3; ++k) {
      const std::uint32_t p = triangles[t][k], q = triangles[t][k < 2 ? k + 1 : 0];
      sides.push_back({std::min(p, q), std::max(p, q), 3 * t + k});
    }
  }
  const auto key = [](const EdgeSide& side) { return (static_cast<std::uint64_t>(side.low) << 32) | side.high; };
  std::sort(sides.begin(), sides.end(), [key](const EdgeSide& p, const EdgeSide& q) {
    const std::uint64_t key_p = key(p), key_q = key(q);
    return key_p != key_q ? key_p < key_q : p.half_edge < q.half_edge;
  });
  return sides;
}

}  // namespace whisker::methods::surfaces
