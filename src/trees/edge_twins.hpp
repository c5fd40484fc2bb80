#pragma once

// Which sides of triangles lie on each other.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <whisker/mesh_data.hpp>

namespace whisker::trees {

/// A half-edge is 3 t + k: from corner k of triangle t to the next one, as the triangle runs.
struct EdgeTwins {
  static constexpr std::uint32_t none = 0xFFFFFFFF;

  /// Of each half-edge the one of another triangle that runs the other way, if its edge has these two and no other;
  /// else none.
  std::vector<std::uint32_t> twin;
  /// Whether an edge has three triangles or more, or two that run the same way.
  bool has_odd_edges = false;
};

/// Indices in range.
EdgeTwins find_edge_twins(std::span<const Index3> triangles, std::size_t vertex_count);

}  // namespace whisker::trees
