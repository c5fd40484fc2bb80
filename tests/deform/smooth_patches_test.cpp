// Parts of a mesh that are assumed not to touch themselves: they do not, and where the surface is smooth they are
// large.

#include "deform/smooth_patches.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/deforming_mesh.hpp>
#include <whisker/geometry/triangle_tests.hpp>
#include <whisker/make/make.hpp>
#include <whisker/self_contacts.hpp>

#include "deform/deforming_mesh_storage.hpp"
#include "support/cases.hpp"
#include "support/sheets.hpp"

namespace whisker {
namespace {

using test::at_least;
using test::cases;
using test::NamedMesh;
using test::seeded;
using test::uniform;

/// Collects the triangles below a node.
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
    (void)storage_of(mesh).contours();
    for (std::size_t form = 0; form < cases(8); ++form) {
      std::vector<Vector3> vertices = named.data.vertices;
      if (form % 4 == 1) vertices = test::shaken(vertices, random, 0.003);
      if (form % 4 == 2) vertices = test::shaken(vertices, random, 0.03);
      if (form % 4 == 3) vertices = test::snapped(test::shaken(vertices, random, 0.05), 0x1p-6);
      // Flattened, so that the surface overlaps itself when seen from most directions.
      if (form >= 4)
        for (Vector3& v : vertices)
          v[2] *= 0.1;
      mesh.set_vertices(vertices);
      deform::SmoothPatches patches;
      const trees::OrientedTree& tree = storage_of(mesh).still().now->oriented;
      set_masks(tree, patches);
      find_smooth(tree, storage_of(mesh).contours(), vertices, patches);
      tested += patches.tested;
      // Nodes below a smooth node are smooth too, so only the topmost ones are checked.
      std::vector<bool> is_below(tree.nodes.size());
      for (std::uint32_t n = 0; n < tree.nodes.size(); ++n) {
        if (patches.is_smooth[n] == 0) {
          ASSERT_FALSE(is_below[n]);
          continue;
        }
        for (int s = 0; s < 8; ++s)
          if ((tree.nodes[n].valid >> s & 1) != 0 && !tree.nodes[n].is_leaf(s)) is_below[tree.nodes[n].index(s)] = true;
        if (is_below[n]) continue;
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
  EXPECT_GT(found, at_least(200));
  EXPECT_GT(tested, found);
}

using Side = std::pair<std::uint32_t, std::uint32_t>;  // a directed side of a triangle

std::array<Side, 3> sides_of(const Index3& t) {
  return {Side{t[0], t[1]}, Side{t[1], t[2]}, Side{t[2], t[0]}};
}

/// The sides of some triangles that have no twin among them, and the number of parts of these triangles, connected by
/// twins.
struct Patch {
  std::set<Side> contour;
  std::size_t parts = 0;
};
Patch patch_of(std::span<const Index3> triangles, const std::vector<std::uint32_t>& ids,
               const std::map<Side, bool>& has_twin) {
  Patch patch;
  std::map<Side, std::uint32_t> owner;
  for (const std::uint32_t id : ids)
    for (const Side& side : sides_of(triangles[id]))
      owner[side] = id;
  std::set<std::uint32_t> left(ids.begin(), ids.end());
  std::vector<std::uint32_t> reached;
  while (!left.empty() || !reached.empty()) {
    if (reached.empty()) {
      ++patch.parts;
      reached.push_back(*left.begin());
      left.erase(left.begin());
    }
    const Index3 t = triangles[reached.back()];
    reached.pop_back();
    for (const Side& side : sides_of(t)) {
      const auto twin = owner.find({side.second, side.first});
      if (!has_twin.at(side) || twin == owner.end()) {
        patch.contour.insert(side);
      } else if (left.erase(twin->second) != 0) {
        reached.push_back(twin->second);
      }
    }
  }
  return patch;
}

TEST(SmoothPatches, ContoursAreOfWhatHangsTogether) {
  std::size_t whole = 0, apart = 0;
  for (const NamedMesh& named : test::bent_surfaces(16)) {
    const DeformingMesh mesh(named.data);
    const trees::OrientedTree& tree = storage_of(mesh).still().now->oriented;
    const deform::NodeContours& contours = storage_of(mesh).contours();
    const std::vector<Index3>& triangles = named.data.triangles;
    std::map<Side, int> count;
    std::vector<std::size_t> about(named.data.vertices.size());
    for (const Index3& t : triangles) {
      for (const Side& side : sides_of(t)) {
        ++count[side];
        ++about[side.first];
      }
    }
    std::map<Side, bool> has_twin;
    for (const auto& [side, times] : count) {
      const auto other = count.find({side.second, side.first});
      has_twin[side] = times == 1 && other != count.end() && other->second == 1;
    }
    std::vector<std::uint32_t> deepest(about.size());
    std::vector<std::size_t> fewest(about.size(), triangles.size() + 1);
    for (std::uint32_t n = 0; n < tree.nodes.size(); ++n) {
      std::vector<std::uint32_t> ids;
      collect(tree, n, ids);
      std::map<std::uint32_t, std::size_t> here;
      for (const std::uint32_t id : ids)
        for (const std::uint32_t v : triangles[id])
          ++here[v];
      for (const auto& [v, times] : here) {
        if (times != about[v] || ids.size() >= fewest[v]) continue;
        fewest[v] = ids.size();
        deepest[v] = n;
      }
      const Patch patch = patch_of(triangles, ids, has_twin);
      ++(patch.parts == 1 ? whole : apart);
      std::set<Side> contour;
      for (const deform::ContourEdge& edge : contours.of_node[n])
        contour.insert({edge.from, edge.to});
      const bool is_looked_at = patch.parts == 1 && tree.nodes[n].leaves != tree.nodes[n].valid;
      EXPECT_EQ(contour, is_looked_at ? patch.contour : std::set<Side>()) << named.name << ", node " << n;
    }
    for (std::size_t v = 0; v < about.size(); ++v) {
      if (about[v] != 0) {
        EXPECT_EQ(contours.node_of_vertex[v], deepest[v]) << named.name << ", vertex " << v;
      }
    }
  }
  EXPECT_GT(whole, 20u);
  EXPECT_GT(apart, 20u);
}

TEST(SmoothPatches, MasksHoldForTrianglesOfAnySize) {
  // Slivers whose corners are integers times a power of two, so that n · V is known exactly; and a large triangle, so
  // that the slivers may be so small that floats cannot represent their areas.
  std::mt19937_64 random = seeded(833);
  std::size_t bits = 0;
  for (const int exponent : {-24, -60, -84, -86, -88, -90, -92, -94, -96, -110, -160}) {
    for (std::size_t k = 0; k < cases(4); ++k) {
      MeshData data = {{{-1, -1, 1}, {1, -1, 1}, {0, 1, 1}}, {{0, 1, 2}}};
      std::vector<std::array<std::int64_t, 9>> whole(1);
      const auto number = [&](std::int64_t most) {
        return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(2 * most + 1)) - most;
      };
      for (std::uint32_t t = 0; t < 400; ++t) {
        std::array<std::int64_t, 9> p{};
        // The third corner is close to the line through the other two.
        const std::int64_t off = std::int64_t{1} << random() % 20, at = number(512);
        for (std::size_t i = 0; i < 3; ++i) {
          const std::int64_t edge = number(1 << 10);
          p[i] = number(1 << 20);
          p[3 + i] = p[i] + 1024 * edge;
          p[6 + i] = p[i] + edge * at + number(off);
        }
        whole.push_back(p);
        for (std::size_t c = 0; c < 9; c += 3)
          data.vertices.push_back(
              Vector3(static_cast<double>(p[c]), static_cast<double>(p[c + 1]), static_cast<double>(p[c + 2])) *
              std::ldexp(1.0, exponent));
        data.triangles.push_back({3 * t + 3, 3 * t + 4, 3 * t + 5});
      }
      const DeformingMesh mesh(data);
      const trees::OrientedTree& tree = storage_of(mesh).still().now->oriented;
      std::vector<std::uint32_t> masks;
      deform::set_leaf_masks(tree, masks);
      for (std::size_t leaf = 0; leaf < masks.size(); ++leaf) {
        for (const std::uint32_t id : tree.leaves[leaf].id) {
          if (id == 0) continue;
          const std::array<std::int64_t, 9>& p = whole[id];
          const std::int64_t e[3] = {p[3] - p[0], p[4] - p[1], p[5] - p[2]},
                             f[3] = {p[6] - p[0], p[7] - p[1], p[8] - p[2]};
          const std::int64_t n[3] = {e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2], e[0] * f[1] - e[1] * f[0]};
          for (unsigned bit = 0; bit < 32; ++bit) {
            if ((masks[leaf] >> bit & 1) == 0) continue;
            ++bits;
            const int(&axis)[3] = deform::mask_axes[bit % 16];
            const std::int64_t along = n[0] * axis[0] + n[1] * axis[1] + n[2] * axis[2];
            ASSERT_GT(bit < 16 ? along : -along, 0) << "exponent " << exponent << ", triangle " << id;
          }
        }
      }
    }
  }
  EXPECT_GT(bits, cases(1000));
}

TEST(SmoothPatches, OfAFlatSheetIsTheSheet) {
  // However fine the sheet is, nothing is left to search.
  for (const std::uint32_t cells : {10u, 30u, 100u}) {
    const DeformingMesh mesh(
        test::bent_sheet(cells, cells, [](double u, double v) { return Vector3(u, v, 0.1 * std::sin(3 * u)); }));
    const SelfContacts plain = self_contacts(mesh, {.by_direction = false}),
                       pruned = self_contacts(mesh, {.by_direction = true});
    EXPECT_TRUE(plain.pairs.empty());
    EXPECT_GT(plain.cost.volume_tests, cells * cells / 2);
    EXPECT_EQ(pruned.cost.volume_tests, 0u);
  }
}

TEST(SmoothPatches, OfABallAreFewHoweverFineItIs) {
  std::vector<double> looked_at;
  for (const int subdivisions : {4, 5, 6}) {
    const DeformingMesh mesh(make::icosphere({.subdivisions = subdivisions}));
    const SelfContacts plain = self_contacts(mesh, {.by_direction = false}),
                       pruned = self_contacts(mesh, {.by_direction = true});
    EXPECT_TRUE(plain.pairs.empty());
    looked_at.push_back(static_cast<double>(pruned.cost.primitive_tests) /
                        static_cast<double>(plain.cost.primitive_tests));
  }
  // With four times as many triangles, there are only twice as many along the borders of the patches.
  EXPECT_LT(looked_at[1], 0.7 * looked_at[0]);
  EXPECT_LT(looked_at[2], 0.7 * looked_at[1]);
}

}  // namespace
}  // namespace whisker
