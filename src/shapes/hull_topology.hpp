#pragma once

// Which vertices, edges and faces of a convex hull belong together.

#include <cstdint>
#include <span>
#include <vector>

#include <whisker/geometry/hull.hpp>

#include "geometry/grouped.hpp"

namespace whisker {

struct HullTopology {
  static constexpr std::uint32_t none = HullEdge::no_face;

  std::vector<HullEdge> edges;                 ///< ConvexHull::edges()
  geometry::Grouped<std::uint32_t> neighbors;  ///< of each vertex, ascending
  std::vector<std::uint32_t> neighbor_edges;   ///< for each item of `neighbors`, the edge that leads there
  std::span<const std::uint32_t> face_begin;   ///< of HullData
  std::span<const std::uint32_t> face_vertices;
  /// How far a corner of a merged face (HullOptions::merge_distance) may be below the face's plane. 0 without merged
  /// faces, whose corners are only off by rounding.
  double thickness = 0;

  std::span<const std::uint32_t> face(std::uint32_t f) const {
    return {face_vertices.data() + face_begin[f], face_vertices.data() + face_begin[f + 1]};
  }

  /// The edge between two vertices, or `none`.
  std::uint32_t edge_of(std::uint32_t u, std::uint32_t v) const {
    for (std::uint32_t i = neighbors.first[u], end = neighbors.first[u + 1]; i < end; ++i)
      if (neighbors.items[i] == v) return neighbor_edges[i];
    return none;
  }
};

}  // namespace whisker
