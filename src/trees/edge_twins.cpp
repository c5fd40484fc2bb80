#include "trees/edge_twins.hpp"

#include "geometry/edge_sides.hpp"

namespace whisker::trees {

EdgeTwins find_edge_twins(std::span<const Index3> triangles, std::size_t vertex_count) {
  EdgeTwins result;
  result.twin.assign(3 * triangles.size(), EdgeTwins::none);
  geometry::every_edge(triangles, vertex_count, [&](std::uint32_t, std::span<const geometry::EdgeSide> sides) {
    if (sides.size() < 2) return true;
    const std::uint32_t p = sides.front().number(), q = sides.back().number();
    if (sides.size() == 2 && p / 3 != q / 3 && triangles[p / 3][p % 3] != triangles[q / 3][q % 3]) {
      result.twin[p] = q;
      result.twin[q] = p;
    } else {
      result.has_odd_edges = true;
    }
    return true;
  });
  return result;
}

}  // namespace whisker::trees
