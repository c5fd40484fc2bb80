#pragma once

// Finds which sides of triangles share an edge.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <whisker/mesh_data.hpp>

namespace whisker::trees {

/// Half-edge 3 t + k runs from corner k of triangle t to the next corner, in the triangle's direction.
struct EdgeTwins {
  static constexpr std::uint32_t none = 0xFFFFFFFF;

  /// For each half-edge, the half-edge of another triangle that runs in the opposite direction, if the edge has exactly
  /// these two; otherwise none.
  std::vector<std::uint32_t> twin;
  /// Whether some edge has three triangles or more, or two that run in the same direction.
  bool has_odd_edges = false;
};

/// All indices must be in range.
EdgeTwins find_edge_twins(std::span<const Index3> triangles, std::size_t vertex_count);

}  // namespace whisker::trees
