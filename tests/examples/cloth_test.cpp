// The cloth of the playground: nothing touches in any step, whatever the step size.

#include "playground/cloth.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/error.hpp>
#include <whisker/geometry/triangle_tests.hpp>
#include <whisker/make/make.hpp>

namespace playground {
namespace {

namespace wk = whisker;

wk::MeshData sheet_at(int squares, double side, double height) {
  wk::MeshData sheet = wk::make::cloth_sheet(
      {.columns = squares, .rows = squares, .size_x = side, .size_y = side, .wrinkle_height = 0.01});
  const wk::Vector3 middle = (sheet.vertices.front() + sheet.vertices.back()) / 2;
  for (wk::Vector3& v : sheet.vertices)
    v += wk::Vector3(0.1, -0.07, height) - middle;
  return sheet;
}

wk::Triangle triangle(const wk::DeformingMesh& mesh, std::size_t number) {
  const wk::Index3& t = mesh.triangles()[number];
  return {mesh.end()[t[0]], mesh.end()[t[1]], mesh.end()[t[2]]};
}

// The number of touching pairs of triangles without a common vertex, tested one by one.
std::size_t touching_one_by_one(const wk::DeformingMesh& sheet, const wk::DeformingMesh& obstacle) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < sheet.triangles().size(); ++i) {
    const wk::Triangle a = triangle(sheet, i);
    for (std::size_t j = 0; j < obstacle.triangles().size(); ++j)
      count += wk::touches_triangle_triangle(a, triangle(obstacle, j)) ? 1u : 0u;
    for (std::size_t j = 0; j < i; ++j) {
      const bool are_neighbors = std::ranges::any_of(sheet.triangles()[i], [&](std::uint32_t v) {
        return std::ranges::find(sheet.triangles()[j], v) != sheet.triangles()[j].end();
      });
      if (!are_neighbors) count += wk::touches_triangle_triangle(a, triangle(sheet, j)) ? 1u : 0u;
    }
  }
  return count;
}

// The smallest distance of the sheet's vertices from the center of a ball. No vertex gets inside.
double nearest_to_middle(const Cloth& cloth) {
  double least = 1e9;
  for (const wk::Vector3& v : cloth.sheet().end())
    least = std::min(least, v.norm());
  return least;
}

// How close the faces of a ball of radius 1 come to its center.
double inner_radius(const wk::DeformingMesh& ball) {
  double least = 1;
  for (std::size_t i = 0; i < ball.triangles().size(); ++i) {
    const wk::Triangle t = triangle(ball, i);
    least = std::min(least, ((t.a + t.b + t.c) / 3).norm());
  }
  return least;
}

TEST(Cloth, DrapesOverABallAndNoTrianglesTouchInAnyStep) {
  Cloth cloth(sheet_at(20, 4, 1.2), wk::make::icosphere({.subdivisions = 2}), {.thickness = 0.05});
  const double inside = inner_radius(cloth.obstacle());
  std::size_t near_obstacle = 0, near_itself = 0;
  for (int step = 0; step < 180; ++step) {
    const ClothStep report = cloth.step(1.0 / 60);
    near_obstacle += report.near_obstacle;
    near_itself += report.near_itself;
    ASSERT_EQ(cloth.touching(), 0u) << "step " << step;
    ASSERT_GT(nearest_to_middle(cloth), inside) << "step " << step;
    if (step % 60 == 59) {
      EXPECT_EQ(touching_one_by_one(cloth.sheet(), cloth.obstacle()), 0u) << "step " << step;
    }
    ASSERT_LT(cloth.longest_stretch(), 1.15) << "step " << step;
  }
  EXPECT_GT(near_obstacle, 0u);
  EXPECT_GT(near_itself, 0u);
  // The cloth hangs over the ball and swings a little at most.
  double lowest = 1, highest = -1;
  for (const wk::Vector3& v : cloth.sheet().end()) {
    lowest = std::min(lowest, v.z());
    highest = std::max(highest, v.z());
  }
  EXPECT_GT(highest, 1.0);
  EXPECT_LT(highest, 1.1);
  EXPECT_LT(lowest, -0.2);
  EXPECT_LT(cloth.fastest(), 2.0);
  // Nearby features are kept about a thickness apart.
  for (const wk::NearPair& pair : wk::near_features(cloth.sheet(), cloth.obstacle(), 0.05).pairs)
    EXPECT_GT(pair.distance, 0.9 * 0.05);
  for (const wk::NearPair& pair : wk::near_features(cloth.sheet(), 0.05).pairs)
    EXPECT_GT(pair.distance, 0.9 * 0.05);
  EXPECT_GT(cloth.near_vertices().size(), 50u);
}

// With almost no thickness and steps in which the cloth moves farther than the ball is thick, only the continuous
// collision test stops it.
TEST(Cloth, ThatIsThinAndThrownFastIsStoppedBeforeItPasses) {
  std::size_t stopped = 0;
  for (const double gravity : {200.0, 1000.0, 20000.0}) {
    Cloth cloth(sheet_at(16, 3, 1.05), wk::make::icosphere({.subdivisions = 2}),
                {.thickness = 0.001, .gravity = gravity, .sweeps = 4});
    const double inside = inner_radius(cloth.obstacle());
    for (std::size_t step = 0; step < 12; ++step) {
      stopped += cloth.step(1.0 / 60).stopped;
      ASSERT_EQ(cloth.touching(), 0u) << "gravity " << gravity << ", step " << step;
      ASSERT_GT(nearest_to_middle(cloth), inside) << "gravity " << gravity << ", step " << step;
    }
    EXPECT_EQ(touching_one_by_one(cloth.sheet(), cloth.obstacle()), 0u);
    // The ball catches the cloth: the part above the ball is still there.
    double highest = -1;
    for (const wk::Vector3& v : cloth.sheet().end())
      highest = std::max(highest, v.z());
    EXPECT_GT(highest, inside) << "gravity " << gravity;
  }
  EXPECT_GT(stopped, 0u);
}

TEST(Cloth, FallsFreelyAsGalileoSaidAndKeepsItsShape) {
  const wk::MeshData sheet = sheet_at(8, 1, 50);
  Cloth cloth(sheet, wk::make::icosphere({.subdivisions = 1}), {.damping = 0});
  for (int step = 0; step < 60; ++step)
    cloth.step(0.01);
  // Semi-implicit Euler steps fall g·t·dt/2 farther than the parabola.
  const double fallen = 9.81 * 0.6 * 0.6 / 2 + 9.81 * 0.6 * 0.01 / 2;
  for (std::size_t i = 0; i < sheet.vertices.size(); ++i)
    EXPECT_LT((cloth.sheet().end()[i] - sheet.vertices[i] + wk::Vector3(0, 0, fallen)).norm(), 1e-9);
  EXPECT_TRUE(cloth.near_vertices().empty());
}

TEST(Cloth, MovesTheSameEachTime) {
  std::vector<std::vector<wk::Vector3>> ends;
  for (int run = 0; run < 2; ++run) {
    Cloth cloth(sheet_at(12, 3, 1.1), wk::make::icosphere({.subdivisions = 2}));
    for (int step = 0; step < 40; ++step)
      cloth.step(1.0 / 60);
    ends.emplace_back(cloth.sheet().end().begin(), cloth.sheet().end().end());
  }
  EXPECT_EQ(ends[0], ends[1]);
}

TEST(Cloth, ThatTouchesAtFirstIsRefused) {
  EXPECT_THROW(Cloth(sheet_at(8, 3, 0.5), wk::make::icosphere({.subdivisions = 2})), wk::Error);
}

}  // namespace
}  // namespace playground
