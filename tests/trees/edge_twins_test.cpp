// The sides of triangles that coincide, compared with a map of all sides.

#include "trees/edge_twins.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/make/make.hpp>

#include "support/cases.hpp"

namespace whisker::trees {
namespace {

using test::cases;
using test::seeded;

void expect_as_in_a_map(const std::vector<Index3>& triangles, std::size_t vertex_count) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> edges;
  const auto from = [&](std::uint32_t h) { return triangles[h / 3][h % 3]; };
  const auto to = [&](std::uint32_t h) { return triangles[h / 3][(h % 3 + 1) % 3]; };
  for (std::uint32_t h = 0; h < 3 * triangles.size(); ++h)
    edges[std::minmax(from(h), to(h))].push_back(h);
  const EdgeTwins twins = find_edge_twins(triangles, vertex_count);
  ASSERT_EQ(twins.twin.size(), 3 * triangles.size());
  bool has_odd_edges = false;
  for (const auto& [edge, sides] : edges) {
    const bool are_twins = sides.size() == 2 && sides[0] / 3 != sides[1] / 3 && from(sides[0]) == to(sides[1]) &&
                           edge.first != edge.second;
    has_odd_edges = has_odd_edges || (sides.size() > 1 && !are_twins);
    for (std::size_t i = 0; i < sides.size(); ++i)
      ASSERT_EQ(twins.twin[sides[i]], are_twins ? sides[1 - i] : EdgeTwins::none) << "half-edge " << sides[i];
  }
  EXPECT_EQ(twins.has_odd_edges, has_odd_edges);
}

TEST(EdgeTwins, AreThoseOfAMap) {
  std::mt19937_64 random = seeded(911);
  for (std::size_t k = 0; k < cases(400); ++k) {
    // From a few vertices, so that edges have many triangles, to so many that edges hardly have two.
    const auto vertices = static_cast<std::uint32_t>(1 + random() % 60);
    std::vector<Index3> triangles(random() % 200);
    const auto number = [&] { return static_cast<std::uint32_t>(random() % vertices); };
    for (Index3& t : triangles)
      t = {number(), number(), number()};
    ASSERT_NO_FATAL_FAILURE(expect_as_in_a_map(triangles, vertices));
  }
}

TEST(EdgeTwins, OfClosedSurfacesAreAll) {
  const MeshData ball = make::icosphere({.subdivisions = 3});
  const EdgeTwins twins = find_edge_twins(ball.triangles, ball.vertices.size());
  for (const std::uint32_t twin : twins.twin)
    EXPECT_NE(twin, EdgeTwins::none);
  EXPECT_FALSE(twins.has_odd_edges);
  ASSERT_NO_FATAL_FAILURE(expect_as_in_a_map(ball.triangles, ball.vertices.size()));
}

TEST(EdgeTwins, AboutOneVertexAreFoundQuickly) {
  // All edges except those of the rim have the same vertex as their smaller index.
  constexpr std::uint32_t count = 200'000;
  std::vector<Index3> fan;
  for (std::uint32_t i = 0; i < count; ++i)
    fan.push_back({0, i + 1, i + 2});
  const EdgeTwins twins = find_edge_twins(fan, count + 2);
  for (std::uint32_t i = 0; i + 1 < count; ++i)
    ASSERT_EQ(twins.twin[3 * i + 2], 3 * (i + 1));
}

}  // namespace
}  // namespace whisker::trees
