// The points of a place: which of those that are close together stay.

#include "queries/manifold_places.hpp"

#include <cmath>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "support/cases.hpp"

namespace whisker {
namespace {

using queries::FlatPoint;
using test::uniform;

/// Every point against every one that stays before it, with more digits.
std::vector<std::uint32_t> welded_one_by_one(const std::vector<FlatPoint>& points, double weld) {
  std::vector<std::uint32_t> kept;
  for (std::uint32_t i = 0; i < points.size(); ++i) {
    bool stays = true;
    for (const std::uint32_t j : kept) {
      const auto x = static_cast<long double>(points[i].x - points[j].x);
      const auto y = static_cast<long double>(points[i].y - points[j].y);
      stays = stays && std::hypot(x, y) > static_cast<long double>(weld);
    }
    if (stays) kept.push_back(i);
  }
  return kept;
}

void expect_welded(std::vector<FlatPoint> points, double weld, const char* what) {
  for (std::uint32_t i = 0; i < points.size(); ++i)
    points[i].index = i;
  const std::vector<std::uint32_t> expected = welded_one_by_one(points, weld);
  queries::WeldGrid grid;
  queries::weld_points(points, weld, grid);
  ASSERT_EQ(points.size(), expected.size()) << what;
  for (std::size_t i = 0; i < points.size(); ++i)
    ASSERT_EQ(points[i].index, expected[i]) << what;
}

TEST(ManifoldPlaces, OfPointsThatAreCloseTogetherTheFirstStays) {
  auto random = test::seeded(1);
  for (std::size_t i = 0; i < test::cases(30); ++i) {
    const std::size_t count = i % 3 == 0 ? 20 : 300;  // compared one by one, and in a grid
    const double scale = i % 5 == 0 ? 1e80 : i % 5 == 1 ? 1e-80 : 1;
    const double weld = scale * uniform(random, 0.01, 0.3);
    std::vector<FlatPoint> spread, crowd, lattice, column;
    for (std::size_t k = 0; k < count; ++k) {
      const auto any = [&] { return scale * uniform(random, -2, 2); };
      spread.push_back({any(), any(), 0});
      // Around the corners of squares, on all sides of them, where each neighbor matters.
      const auto corner = [&] { return weld * (std::floor(uniform(random, -4, 4)) + uniform(random, -0.6, 0.6)); };
      crowd.push_back({corner(), corner(), 0});
      // Exactly one width apart, which is still one point, and a little more.
      const double step = i % 2 == 0 ? weld : weld * (1 + 0x1p-30);
      const auto node = [&] { return step * std::floor(uniform(random, -9, 9)); };
      lattice.push_back({node(), node(), 0});
      column.push_back({0, any(), 0});
    }
    expect_welded(spread, weld, "spread");
    expect_welded(crowd, weld, "crowd");
    expect_welded(lattice, weld, "lattice");
    expect_welded(column, weld, "column");
    expect_welded(lattice, 0, "only equal points");
    expect_welded(std::vector<FlatPoint>(count), weld, "all equal");
    expect_welded(std::vector<FlatPoint>(count), 0, "all equal, no width");
    expect_welded(spread, 100 * scale, "all within the width");
    expect_welded(spread, scale * 1e-15, "a width far below their spread");
  }
}

TEST(ManifoldPlaces, ThePointsOfAPlaceAreThoseOfItsOutlineHoweverManyThereAre) {
  // A square of many points, each of them several times: the corners are left, the deeper copy of each.
  constexpr int side = 150;
  std::vector<queries::ContactPoint> points;
  for (int copy = 0; copy < 3; ++copy) {
    for (int i = 0; i <= side; ++i) {
      for (int j = 0; j <= side; ++j) {
        queries::ContactPoint& p = points.emplace_back();
        const double depth = 0.25 + copy * 0x1p-6;
        p.a = {i / 64.0, j / 64.0, -depth};
        p.b = {i / 64.0, j / 64.0, 0};
        p.normal = -Vector3::UnitZ();
        p.gap = -depth;
        p.id = static_cast<std::uint64_t>((copy * (side + 1) + i) * (side + 1) + j + 1);
      }
    }
  }
  std::vector<ContactManifold> found;
  queries::join_points(points, {.max_angle = 0.02, .weld = 0x1p-12, .rounding = 0x1p-40}, found);
  ASSERT_EQ(found.size(), 1u);
  ASSERT_EQ(found[0].count, 4u);
  for (const ManifoldPoint& p : found[0].points()) {
    EXPECT_EQ(p.gap, -0.25 - 2 * 0x1p-6);
    for (const double x : {p.point_b.x(), p.point_b.y()})
      EXPECT_TRUE(x == 0 || x == side / 64.0);
  }
}

}  // namespace
}  // namespace whisker
