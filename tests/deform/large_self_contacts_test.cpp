// Self-contacts of large meshes: CGAL, an independent code, finds the pairs of triangles whose boxes overlap, and the
// exact predicate decides them. On folded cloth from the generators, and on the frames and meshes of $WHISKER_DATA if
// it is set. All of whisker's methods give the same pairs.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <CGAL/box_intersection_d.h>
#include <gtest/gtest.h>

#include <whisker/deforming_mesh.hpp>
#include <whisker/geometry/triangle_tests.hpp>
#include <whisker/io.hpp>
#include <whisker/make/make.hpp>
#include <whisker/methods/surface_hierarchy.hpp>
#include <whisker/self_contacts.hpp>

#include "support/cases.hpp"
#include "support/sheets.hpp"
#include "support/sorted_pairs.hpp"

namespace whisker {
namespace {

using namespace methods;
using test::sorted;

namespace fs = std::filesystem;
using Pairs = std::vector<TrianglePair>;

struct NumberedBox {
  using NT = double;
  using ID = std::size_t;

  Aabb box;
  std::uint32_t number = 0;

  static int dimension() { return 3; }
  double min_coord(int axis) const { return box.lower[axis]; }
  double max_coord(int axis) const { return box.upper[axis]; }
  std::size_t id() const { return number; }
};

struct LargeExpected {
  Pairs pairs, adjacent;
};

LargeExpected by_cgal(std::span<const Vector3> vertices, std::span<const Index3> triangles) {
  using Kind = TriangleIntersection::Kind;
  std::vector<NumberedBox> boxes;
  for (const Index3& t : triangles) {
    boxes.push_back({{}, static_cast<std::uint32_t>(boxes.size())});
    for (const std::uint32_t v : t)
      boxes.back().box.include(vertices[v]);
  }
  const auto triangle = [&](std::uint32_t number) {
    const Index3& t = triangles[number];
    return Triangle{vertices[t[0]], vertices[t[1]], vertices[t[2]]};
  };
  const auto has_area = [](const Triangle& t) { return intersect_triangle_triangle(t, t).kind == Kind::polygon; };
  LargeExpected expected;
  CGAL::box_self_intersection_d(boxes.begin(), boxes.end(), [&](const NumberedBox& p, const NumberedBox& q) {
    const TrianglePair pair = {std::min(p.number, q.number), std::max(p.number, q.number)};
    const Index3 &s = triangles[pair.a], &t = triangles[pair.b];
    const auto shared =
        std::count_if(s.begin(), s.end(), [&](std::uint32_t v) { return v == t[0] || v == t[1] || v == t[2]; });
    const Triangle a = triangle(pair.a), b = triangle(pair.b);
    if (shared == 0) {
      if (touches_triangle_triangle(a, b)) expected.pairs.push_back(pair);
      return;
    }
    const Kind kind = intersect_triangle_triangle(a, b).kind;
    if ((shared == 1 ? kind != Kind::point : kind == Kind::polygon) && has_area(a) && has_area(b))
      expected.adjacent.push_back(pair);
  });
  std::sort(expected.pairs.begin(), expected.pairs.end());
  std::sort(expected.adjacent.begin(), expected.adjacent.end());
  return expected;
}

/// Checks the step from the first frame to the second with every method.
LargeExpected expect_true(const MeshData& first, const std::vector<Vector3>& second, const std::string& name) {
  const LargeExpected expected = by_cgal(second, first.triangles);
  const auto expect = [&](const SelfContacts& found, const char* way) {
    EXPECT_EQ(sorted(found.pairs), expected.pairs) << name << ", " << way;
    EXPECT_EQ(sorted(found.adjacent), expected.adjacent) << name << ", " << way;
  };
  DeformingMesh mesh(first);
  (void)self_contacts(mesh);
  mesh.set_vertices(second);
  expect(self_contacts(mesh), "fitted");
  expect(self_contacts(mesh, {.by_direction = true}), "by direction");
  mesh.rebuild();
  expect(self_contacts(mesh), "built anew");
  expect(self_contacts(mesh.snapshot()), "snapshot");
  expect(self_contacts(Mesh({second, first.triangles})), "mesh");
  SurfaceHierarchy hierarchy(first);
  hierarchy.set_vertices(second);
  EXPECT_EQ(hierarchy.self_contacts().pairs, expected.pairs) << name;
  std::printf("%s: %zu triangles, %zu pairs, %zu neighbors\n", name.c_str(), first.triangles.size(),
              expected.pairs.size(), expected.adjacent.size());
  return expected;
}

TEST(LargeSelfContacts, OfFoldedCloth) {
  std::mt19937_64 random = test::seeded(841);
  MeshData cloth = make::cloth_sheet({.columns = 150, .rows = 60, .folds = 12, .fold_angle = 120});
  const LargeExpected expected = expect_true(cloth, test::shaken(cloth.vertices, random, 0.006), "cloth");
  EXPECT_GT(expected.pairs.size(), 1000u);
  EXPECT_GT(expected.adjacent.size(), 10u);
  expect_true(cloth, test::snapped(cloth.vertices, 1.0 / 128), "snapped cloth");
}

TEST(LargeSelfContacts, OfPublicMeshes) {
  const char* const data = std::getenv("WHISKER_DATA");
  if (data == nullptr) GTEST_SKIP() << "WHISKER_DATA is not set";
  const fs::path scenes = fs::path(data) / "ccd" / "scenes";
  const auto scene = [&](const char* name, const char* first, const char* second) {
    return expect_true(read_mesh(scenes / name / "frames" / first),
                       read_mesh(scenes / name / "frames" / second).vertices, name);
  };
  // The counts of CGAL's own self_intersections.
  const LargeExpected ball = scene("cloth-ball", "cloth_ball92.ply", "cloth_ball93.ply");
  EXPECT_EQ(ball.pairs.size(), 97320u);
  EXPECT_EQ(ball.adjacent.size(), 2552u);
  const LargeExpected funnel = scene("cloth-funnel", "227.ply", "228.ply");
  EXPECT_EQ(funnel.pairs.size(), 332u);
  EXPECT_EQ(funnel.adjacent.size(), 50u);
  const LargeExpected rod = scene("rod-twist", "3036.ply", "3037.ply");
  EXPECT_EQ(rod.pairs.size(), 0u);
  const MeshData bunny = read_mesh(fs::path(data) / "meshes" / "stanford-bunny.obj");
  expect_true(bunny, bunny.vertices, "bunny");
}

}  // namespace
}  // namespace whisker
