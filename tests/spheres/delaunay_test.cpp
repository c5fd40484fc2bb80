// Delaunay tetrahedra: no point lies inside the ball of any, on random points and on those that all lie on spheres.

#include "spheres/delaunay.hpp"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/predicates.hpp>

#include "support/cases.hpp"

namespace whisker {
namespace {

using spheres::Delaunay;
using test::cases;
using test::seeded;
using test::uniform;

/// Every tetrahedron is positive, its neighbours know it, the faces without a neighbour are those of the first
/// tetrahedron, and no vertex is inside a ball.
void check(const Delaunay& delaunay) {
  std::size_t outer_faces = 0;
  const auto all = delaunay.tetrahedra();
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    if (!delaunay.is_used(i)) continue;
    const auto& v = all[i].vertices;
    const Vector3 a = delaunay.position(v[0]), b = delaunay.position(v[1]), c = delaunay.position(v[2]),
                  d = delaunay.position(v[3]);
    ASSERT_GT(orient3d(a, b, c, d), 0) << i;
    for (std::size_t k = 0; k < 4; ++k) {
      const std::uint32_t next = all[i].neighbors[k];
      if (next == Delaunay::none) {
        ++outer_faces;
        continue;
      }
      ASSERT_TRUE(delaunay.is_used(next));
      std::size_t shared = 0, back = 0;
      for (std::size_t m = 0; m < 4; ++m) {
        shared += std::count(all[next].vertices.begin(), all[next].vertices.end(), v[m]) != 0 && m != k ? 1u : 0u;
        back += all[next].neighbors[m] == i ? 1u : 0u;
      }
      ASSERT_EQ(shared, 3u);
      ASSERT_EQ(back, 1u);
    }
    for (std::uint32_t p = 0; p < delaunay.vertex_count(); ++p)
      ASSERT_LE(insphere(a, b, c, d, delaunay.position(p)), 0) << "tetrahedron " << i << ", vertex " << p;
  }
  ASSERT_EQ(outer_faces, 4u);
}

TEST(Delaunay, NoVertexIsInsideABallOfRandomPoints) {
  auto random = seeded(9101);
  for (std::size_t n = 0; n < cases(5); ++n) {
    Delaunay delaunay;
    for (int i = 0; i < 120; ++i)
      delaunay.insert({uniform(random, -1, 1), uniform(random, -1, 1), uniform(random, -1, 1)});
    EXPECT_EQ(delaunay.vertex_count(), 124u);
    check(delaunay);
  }
}

TEST(Delaunay, GridsWhoseCubesAreAllOnSpheresAreSplitWithoutFlatTetrahedra) {
  Delaunay delaunay;
  for (int x = -2; x <= 2; ++x) {
    for (int y = -2; y <= 2; ++y) {
      for (int z = -2; z <= 2; ++z)
        delaunay.insert(Vector3(x, y, z) / 2);
    }
  }
  check(delaunay);
}

TEST(Delaunay, PointsInOnePlaneOnOneLineAndTwiceAreFine) {
  auto random = seeded(9102);
  Delaunay plane;
  for (int i = 0; i < 60; ++i)
    plane.insert(
        {static_cast<int>(uniform(random, -8, 8)) / 8.0, static_cast<int>(uniform(random, -8, 8)) / 8.0, 0.25});
  check(plane);
  Delaunay line;
  for (int i = -10; i <= 10; ++i)
    line.insert(Vector3::Constant(i / 10.0));
  check(line);
  const std::size_t before = line.vertex_count();
  EXPECT_EQ(line.insert(Vector3::Constant(0.5)), line.insert(Vector3::Constant(0.5)));
  EXPECT_EQ(line.vertex_count(), before);
}

TEST(Delaunay, PointsOnOneSphereUpToRoundingAreFine) {
  auto random = seeded(9103);
  Delaunay delaunay;
  for (int i = 0; i < 150; ++i) {
    delaunay.insert(Vector3(uniform(random, -1, 1), uniform(random, -1, 1), uniform(random, -1, 1)).normalized() *
                    0.875);
  }
  check(delaunay);
}

}  // namespace
}  // namespace whisker
