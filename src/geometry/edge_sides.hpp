#pragma once

// Which sides of polygons share an edge.

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <whisker/mesh_data.hpp>

#include "geometry/grouped.hpp"

namespace whisker::geometry {

/// A side of a polygon. The sides of all polygons are numbered one after the other, each from a corner to the next one:
/// side 3 t + k of triangles runs from corner k of triangle t.
class EdgeSide {
 public:
  EdgeSide() = default;
  EdgeSide(std::uint32_t high, std::uint32_t number) : bits_(std::uint64_t{high} << 32 | number) {}

  /// The vertex with the larger number.
  std::uint32_t high() const { return static_cast<std::uint32_t>(bits_ >> 32); }
  std::uint32_t number() const { return static_cast<std::uint32_t>(bits_); }
  auto operator<=>(const EdgeSide&) const = default;

 private:
  std::uint64_t bits_;
};

inline void sort_sides(std::span<EdgeSide> sides) {
  // Usually there are about six: inserting them one by one is then faster than std::sort.
  constexpr std::size_t few = 32;
  if (sides.size() > few) return std::sort(sides.begin(), sides.end());
  for (std::size_t i = 1; i < sides.size(); ++i) {
    const EdgeSide moved = sides[i];
    std::size_t j = i;
    for (; j > 0 && moved < sides[j - 1]; --j)
      sides[j] = sides[j - 1];
    sides[j] = moved;
  }
}

/// Calls visit(low, sides) for every edge until it returns false; returns whether it never did. `low` is the edge's
/// vertex with the smaller number. Edges are sorted by `low`, then by `high`; the sides of an edge by number. The
/// polygons are face(0) to face(face_count - 1), each a range of vertex numbers below `vertex_count`, with fewer
/// than 2^32 sides in all. O(n log n), and linear if vertices have few edges.
template <class Face, class Visit>
bool every_edge(std::size_t face_count, const Face& face, std::size_t vertex_count, const Visit& visit) {
  const auto for_each_side = [&](const auto& action) {
    std::uint32_t number = 0;
    for (std::size_t f = 0; f < face_count; ++f) {
      const auto& corners = face(f);
      for (std::size_t k = 0; k < corners.size(); ++k) {
        const std::uint32_t from = corners[k], to = corners[k + 1 < corners.size() ? k + 1 : 0];
        action(std::min(from, to), EdgeSide(std::max(from, to), number++));
      }
    }
  };
  std::vector<std::uint32_t> first;
  std::vector<EdgeSide> all;
  group_items(vertex_count, for_each_side, first, all);
  for (std::size_t v = 0; v < vertex_count; ++v) {
    const std::span<EdgeSide> sides(all.data() + first[v], all.data() + first[v + 1]);
    sort_sides(sides);
    for (std::size_t begin = 0, end = 0; begin < sides.size(); begin = end) {
      while (end < sides.size() && sides[end].high() == sides[begin].high())
        ++end;
      const std::span<const EdgeSide> same = sides.subspan(begin, end - begin);
      if (!visit(static_cast<std::uint32_t>(v), same)) return false;
    }
  }
  return true;
}

/// The same for triangles.
template <class Visit>
bool every_edge(std::span<const Index3> triangles, std::size_t vertex_count, const Visit& visit) {
  return every_edge(
      triangles.size(), [&](std::size_t t) -> const Index3& { return triangles[t]; }, vertex_count, visit);
}

/// The edges of triangles, each with its smaller vertex number first, sorted.
inline std::vector<Index2> edges_of(std::span<const Index3> triangles, std::size_t vertex_count) {
  std::vector<Index2> edges;
  every_edge(triangles, vertex_count, [&](std::uint32_t low, std::span<const EdgeSide> sides) {
    edges.push_back({low, sides[0].high()});
    return true;
  });
  return edges;
}

}  // namespace whisker::geometry
