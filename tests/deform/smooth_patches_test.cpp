// Parts of a mesh that are taken not to touch themselves: they do not, and where the surface is smooth they are large.

#include "deform/smooth_patches.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/deforming_mesh.hpp>
#include <whisker/make.hpp>
#include <whisker/self_contacts.hpp>
#include <whisker/triangle_tests.hpp>

#include "deform/contour.hpp"
#include "deform/deforming_mesh_storage.hpp"
#include "support/cases.hpp"
#include "support/sheets.hpp"

namespace whisker {
namespace {

using deform::ContourTest;
using test::cases;
using test::NamedMesh;
using test::seeded;
using test::uniform;

/// The triangles below a node.
void collect(const trees::OrientedTree& tree, std::uint32_t n, std::vector<std::uint32_t>& ids) {
  const trees::OrientedNode& node = tree.nodes[n];
  for (int s = 0; s < 8; ++s) {
    if ((node.valid >> s & 1) == 0) continue;
    if (!node.is_leaf(s)) {
      collect(tree, node.index(s), ids);
    } else {
      for (std::uint32_t i = 0; i < node.triangles(s); ++i)
        ids.push_back(tree.leaves[node.index(s)].id[i]);
    }
  }
}

bool touch_wrongly(const Index3& a, const Index3& b, std::span<const Vector3> v) {
  using Kind = TriangleIntersection::Kind;
  const auto shared =
      std::count_if(a.begin(), a.end(), [&](std::uint32_t x) { return x == b[0] || x == b[1] || x == b[2]; });
  const Triangle p{v[a[0]], v[a[1]], v[a[2]]}, q{v[b[0]], v[b[1]], v[b[2]]};
  const Kind kind = intersect_triangle_triangle(p, q).kind;
  return shared == 0 ? kind != Kind::none : shared == 1 ? kind != Kind::point : kind == Kind::polygon;
}

TEST(SmoothPatches, DoNotTouchThemselves) {
  std::mt19937_64 random = seeded(831);
  std::size_t found = 0, tested = 0;
  for (const NamedMesh& named : test::bent_surfaces(10)) {
    DeformingMesh mesh(named.data);
    (void)mesh.storage().contours();
    for (std::size_t form = 0; form < cases(8); ++form) {
      std::vector<Vector3> vertices = named.data.vertices;
      if (form % 4 == 1) vertices = test::shaken(vertices, random, 0.003);
      if (form % 4 == 2) vertices = test::shaken(vertices, random, 0.03);
      if (form % 4 == 3) vertices = test::snapped(test::shaken(vertices, random, 0.05), 0x1p-6);
      // Pressed flat to some degree, so that it overlaps itself when seen from most directions.
      if (form >= 4)
        for (Vector3& v : vertices)
          v[2] *= 0.1;
      mesh.set_vertices(vertices);
      deform::SmoothPatches patches;
      const trees::OrientedTree& tree = mesh.storage().still().now->oriented;
      find_smooth(tree, mesh.storage().contours(), vertices, patches);
      tested += patches.tested;
      for (std::uint32_t n = 0; n < tree.nodes.size(); ++n) {
        if (patches.is_smooth[n] == 0) continue;
        ++found;
        std::vector<std::uint32_t> ids;
        collect(tree, n, ids);
        for (std::size_t i = 0; i < ids.size(); ++i)
          for (std::size_t j = i + 1; j < ids.size(); ++j)
            ASSERT_FALSE(touch_wrongly(mesh.triangles()[ids[i]], mesh.triangles()[ids[j]], vertices))
                << named.name << ", form " << form << ", triangles " << ids[i] << " and " << ids[j];
      }
    }
  }
  EXPECT_GT(found, 200u);
  EXPECT_GT(tested, found);
}

TEST(SmoothPatches, OfAFlatSheetIsTheSheet) {
  // However fine it is: nothing is left to be looked for.
  for (const std::uint32_t cells : {10u, 30u, 100u}) {
    const DeformingMesh mesh(
        test::bent_sheet(cells, cells, [](double u, double v) { return Vector3(u, v, 0.1 * std::sin(3 * u)); }));
    const SelfContacts plain = self_contacts(mesh), pruned = self_contacts(mesh, {.by_direction = true});
    EXPECT_TRUE(plain.pairs.empty());
    EXPECT_GT(plain.cost.volume_tests, cells * cells / 2);
    EXPECT_EQ(pruned.cost.volume_tests, 0u);
  }
}

TEST(SmoothPatches, OfABallAreFewHoweverFineItIs) {
  std::vector<double> looked_at;
  for (const int subdivisions : {4, 5, 6}) {
    const DeformingMesh mesh(make::icosphere({.subdivisions = subdivisions}));
    const SelfContacts plain = self_contacts(mesh), pruned = self_contacts(mesh, {.by_direction = true});
    EXPECT_TRUE(plain.pairs.empty());
    looked_at.push_back(static_cast<double>(pruned.cost.primitive_tests) /
                        static_cast<double>(plain.cost.primitive_tests));
  }
  // Of four times as many triangles, those along borders of parts are twice as many.
  EXPECT_LT(looked_at[1], 0.7 * looked_at[0]);
  EXPECT_LT(looked_at[2], 0.7 * looked_at[1]);
}

TEST(Contour, TellsSimpleOnes) {
  const auto is_simple = [](const std::vector<std::vector<Vector3>>& loops, const std::array<int, 3>& direction) {
    ContourTest test;
    test.clear(loops[0][0], 1);
    for (const std::vector<Vector3>& loop : loops) {
      std::vector<std::uint32_t> numbers(loop.size());
      for (std::uint32_t i = 0; i < numbers.size(); ++i)
        numbers[i] = i;
      test.add_loop(loop, numbers);
    }
    return test.is_simple(direction);
  };
  const std::array<int, 3> up = {0, 0, 1}, down = {0, 0, -1}, slanting = {1, 1, 2};
  const std::vector<Vector3> square = {{0, 0, 0}, {4, 0, 0}, {4, 4, 0}, {0, 4, 0}};
  const std::vector<Vector3> hole = {{1, 1, 0}, {1, 2, 0}, {2, 2, 0}, {2, 1, 0}};
  const std::vector<Vector3> inner(hole.rbegin(), hole.rend());
  EXPECT_TRUE(is_simple({square}, up));
  EXPECT_TRUE(is_simple({square}, slanting));
  EXPECT_FALSE(is_simple({square}, down));                                      // runs clockwise
  EXPECT_FALSE(is_simple({square}, {1, 0, 0}));                                 // a line from there
  EXPECT_FALSE(is_simple({{{0, 0, 0}, {4, 4, 0}, {4, 0, 0}, {0, 5, 0}}}, up));  // a bow tie
  EXPECT_TRUE(is_simple({square, hole}, up));
  EXPECT_FALSE(is_simple({square, inner}, up));                                         // two that run the same way
  EXPECT_FALSE(is_simple({square, {{3, 1, 0}, {3, 2, 0}, {5, 2, 0}, {5, 1, 0}}}, up));  // they cross
  EXPECT_FALSE(is_simple({square, {{1, 0, 0}, {1, 2, 0}, {2, 2, 0}}}, up));             // they touch
  // A spike, there and back.
  EXPECT_FALSE(is_simple({{{0, 0, 0}, {4, 0, 0}, {6, 0, 0}, {4, 0, 0}, {4, 4, 0}}}, up));
  EXPECT_TRUE(is_simple({{{0, 0, 0}, {2, 0, 0}, {4, 0, 0}, {4, 4, 0}}}, up));  // a straight corner
  // Touching itself in a point, and within rounding of that.
  EXPECT_FALSE(is_simple({{{0, 0, 0}, {4, 0, 0}, {2, 2, 0}, {4, 4, 0}, {0, 4, 0}, {2, 2, 0}}}, up));
  EXPECT_FALSE(is_simple({{{0, 0, 0}, {4, 0, 0}, {2, 2, 0}, {4, 4, 0}, {0, 4, 0}, {2 - 0x1p-52, 2, 0}}}, up));
  EXPECT_TRUE(is_simple({{{0, 0, 0}, {4, 0, 0}, {2, 2, 0}, {4, 4, 0}, {0, 4, 0}, {2 - 0x1p-30, 2, 0}}}, up));
}

TEST(Contour, AgreesWithAllPairsOfEdges) {
  std::mt19937_64 random = seeded(832);
  std::size_t simple = 0;
  for (std::size_t k = 0; k < cases(3000); ++k) {
    // A ring, more or less disturbed.
    const std::size_t count = 3 + random() % 30;
    const double by = uniform(random, 0, 0.6);
    std::vector<Vector3> loop;
    std::vector<std::uint32_t> numbers;
    for (std::size_t i = 0; i < count; ++i) {
      const double angle = 2 * test::half_turn * static_cast<double>(i) / static_cast<double>(count);
      loop.push_back(Vector3(std::cos(angle) + uniform(random, -by, by), std::sin(angle) + uniform(random, -by, by),
                             uniform(random, -1, 1)));
      numbers.push_back(static_cast<std::uint32_t>(i));
    }
    double area = 0;
    bool is_simple = true;
    for (std::size_t i = 0; i < count; ++i) {
      const auto flat = [&](std::size_t n) { return Vector3(loop[n % count][0], loop[n % count][1], 0); };
      area += flat(i)[0] * flat(i + 1)[1] - flat(i)[1] * flat(i + 1)[0];
      for (std::size_t j = i + 2; j < count; ++j)
        if (j + 1 < i + count && touches_segment_segment({flat(i), flat(i + 1)}, {flat(j), flat(j + 1)}))
          is_simple = false;
    }
    ContourTest test;
    test.clear(loop[0], 1);
    test.add_loop(loop, numbers);
    // At random nothing is so close that doubles cannot tell.
    EXPECT_EQ(test.is_simple({0, 0, 1}), is_simple && area > 0) << "ring " << k;
    if (is_simple && area > 0) ++simple;
  }
  EXPECT_GT(simple, cases(3000) / 10);
  EXPECT_LT(simple, cases(3000) * 9 / 10);
}

}  // namespace
}  // namespace whisker
