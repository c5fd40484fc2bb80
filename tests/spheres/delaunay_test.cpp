// Delaunay tetrahedra: no point lies inside the ball of any tetrahedron, on random points and on points that all lie on
// spheres.

#include "spheres/delaunay.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include <whisker/geometry/predicates.hpp>

#include "support/cases.hpp"
#include "support/random_vectors.hpp"

namespace whisker {
namespace {

using spheres::Delaunay;
using test::cases;
using test::random_vector;
using test::seeded;
using test::uniform;

/// Checks that every tetrahedron is positive, that neighbor relations are mutual, that the faces without a neighbor are
/// those of the first tetrahedron, and that no vertex is inside a ball.
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

TEST(Delaunay, AnInsertionTellsWhichTetrahedraItRemovedAndCreated) {
  auto random = seeded(9104);
  for (std::size_t n = 0; n < cases(5); ++n) {
    Delaunay delaunay;
    // In half of the cases on a coarse grid, where many points lie on common spheres and some are duplicated.
    for (int i = 0; i < 80; ++i) {
      Vector3 point = random_vector(random);
      if (n % 2 == 0) point = (point * 3).array().round() / 3;
      const Delaunay before = delaunay;
      const std::uint32_t vertex = delaunay.insert(point);
      const auto is_in = [](std::span<const std::uint32_t> slots, std::uint32_t slot) {
        return std::find(slots.begin(), slots.end(), slot) != slots.end();
      };
      if (vertex < before.vertex_count()) {
        EXPECT_TRUE(delaunay.removed().empty() && delaunay.created().empty());
      }
      for (std::uint32_t slot = 0; slot < delaunay.tetrahedra().size(); ++slot) {
        const bool was_used = slot < before.tetrahedra().size() && before.is_used(slot);
        const bool is_used = delaunay.is_used(slot);
        if (is_in(delaunay.removed(), slot)) {
          ASSERT_TRUE(was_used && !is_used);
        } else if (is_in(delaunay.created(), slot)) {
          ASSERT_TRUE(!was_used && is_used);
          ASSERT_EQ(delaunay.tetrahedra()[slot].vertices[3], vertex);
        } else {
          ASSERT_EQ(was_used, is_used);
          if (!is_used) continue;
          ASSERT_EQ(before.tetrahedra()[slot].vertices, delaunay.tetrahedra()[slot].vertices);
        }
      }
    }
  }
}

TEST(Delaunay, CellsAreTheTetrahedraAtAVertex) {
  auto random = seeded(9105);
  Delaunay delaunay;
  for (int i = 0; i < 100; ++i)
    delaunay.insert(i % 2 == 0 ? random_vector(random) : random_vector(random).normalized());
  std::vector<std::uint32_t> found;
  std::vector<bool> seen;
  for (std::uint32_t v = 0; v < delaunay.vertex_count(); ++v) {
    std::vector<std::uint32_t> expected;
    for (std::uint32_t slot = 0; slot < delaunay.tetrahedra().size(); ++slot) {
      const auto& vertices = delaunay.tetrahedra()[slot].vertices;
      if (delaunay.is_used(slot) && std::count(vertices.begin(), vertices.end(), v) > 0) expected.push_back(slot);
    }
    delaunay.around(v, found, seen);
    std::sort(found.begin(), found.end());
    ASSERT_EQ(found, expected);
    ASSERT_EQ(std::count(seen.begin(), seen.end(), true), 0);
  }
}

TEST(Delaunay, ATetrahedronNearThePointChangesTheWayNotTheAnswer) {
  auto random = seeded(9106);
  const auto simplices = [](const Delaunay& delaunay) {
    std::vector<std::array<std::uint32_t, 4>> all;
    for (std::uint32_t slot = 0; slot < delaunay.tetrahedra().size(); ++slot) {
      if (!delaunay.is_used(slot)) continue;
      all.push_back(delaunay.tetrahedra()[slot].vertices);
      std::sort(all.back().begin(), all.back().end());
    }
    std::sort(all.begin(), all.end());
    return all;
  };
  for (std::size_t n = 0; n < cases(5); ++n) {
    Delaunay plain, hinted;
    for (int i = 0; i < 80; ++i) {
      const Vector3 point = random_vector(random);
      plain.insert(point);
      // The index of any slot, used or free, and then the vertex again.
      const auto near = static_cast<std::uint32_t>(uniform(random, 0, static_cast<double>(hinted.tetrahedra().size())));
      const std::uint32_t vertex = hinted.insert(point, near);
      ASSERT_EQ(hinted.insert(point, near), vertex);
    }
    EXPECT_EQ(simplices(plain), simplices(hinted));
  }
}

TEST(Delaunay, CircumcentersAreEquallyFarFromTheirFourVertices) {
  auto random = seeded(9107);
  std::size_t found = 0, flat = 0;
  const auto look = [&](const Delaunay& delaunay) {
    for (std::uint32_t slot = 0; slot < delaunay.tetrahedra().size(); ++slot) {
      if (!delaunay.is_used(slot) || !delaunay.is_finite(slot)) continue;
      const std::optional<Vector3> center = delaunay.circumcenter(slot);
      flat += center ? 0u : 1u;
      if (!center) continue;
      ++found;
      const auto& v = delaunay.tetrahedra()[slot].vertices;
      const double radius = (delaunay.position(v[0]) - *center).norm();
      for (std::size_t k = 1; k < 4; ++k)
        EXPECT_NEAR((delaunay.position(v[k]) - *center).norm(), radius, 3e-6 * radius);
    }
  };
  Delaunay scattered;
  for (int i = 0; i < 60; ++i)
    scattered.insert(random_vector(random));
  look(scattered);
  EXPECT_EQ(flat, 0u);
  EXPECT_GT(found, 100u);
  // Rectangles, planar up to rounding: the position of the ball's center on the line through their middle is
  // undetermined.
  for (int i = 0; i < 50; ++i) {
    const Vector3 middle = random_vector(random) / 4;
    const Vector3 x = random_vector(random).normalized() / 4;
    const Vector3 y = x.cross(random_vector(random)).normalized() / 3;
    Delaunay rectangle;
    for (const Vector3& corner :
         {Vector3(middle + x + y), Vector3(middle - x + y), Vector3(middle + x - y), Vector3(middle - x - y)}) {
      rectangle.insert(corner);
    }
    look(rectangle);
  }
  EXPECT_GT(flat, 0u);
}

}  // namespace
}  // namespace whisker
