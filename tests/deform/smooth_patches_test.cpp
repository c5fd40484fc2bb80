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

#include "deform/deforming_mesh_storage.hpp"
#include "support/cases.hpp"
#include "support/sheets.hpp"

namespace whisker {
namespace {

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
  for (const NamedMesh& named : test::bent_surfaces(16)) {
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

}  // namespace
}  // namespace whisker
