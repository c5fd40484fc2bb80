// The edges around a hull's vertices.

#include "shapes/hull_fans.hpp"

#include <gtest/gtest.h>

#include <whisker/make/make.hpp>

namespace whisker {
namespace {

TEST(HullFans, TheEdgesAroundAVertexLeadToItsNeighbors) {
  const std::vector<ConvexHull> hulls = {ConvexHull(make::random_hull({.points = 40}).vertices),
                                         ConvexHull(make::box({}).vertices),  // faces of four corners
                                         ConvexHull(std::vector<Vector3>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}),  // flat
                                         ConvexHull(std::vector<Vector3>{{0, 0, 0}, {1, 0, 0}}),
                                         ConvexHull(std::vector<Vector3>{{0, 0, 0}})};
  for (const ConvexHull& hull : hulls) {
    std::size_t ends = 0;
    for (std::uint32_t v = 0; v < hull.vertices().size(); ++v) {
      const auto neighbors = hull.neighbors(v);
      const auto edges = shapes::edges_around(hull, v);
      ASSERT_EQ(edges.size(), neighbors.size());
      for (std::size_t i = 0; i < edges.size(); ++i) {
        const HullEdge& edge = hull.edges()[edges[i]];
        EXPECT_TRUE((edge.begin == v && edge.end == neighbors[i]) || (edge.end == v && edge.begin == neighbors[i]));
        if (i > 0) {
          EXPECT_LT(neighbors[i - 1], neighbors[i]) << "ascending";
        }
      }
      ends += edges.size();
    }
    EXPECT_EQ(ends, 2 * hull.edges().size());
  }
}

}  // namespace
}  // namespace whisker
