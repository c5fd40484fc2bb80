// Deforming meshes as shapes: snapshots, edits, and when their trees are rebuilt.

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/deforming_mesh.hpp>
#include <whisker/error.hpp>
#include <whisker/make/make.hpp>
#include <whisker/mesh_queries.hpp>
#include <whisker/mesh_tree.hpp>
#include <whisker/queries.hpp>
#include <whisker/self_contacts.hpp>

#include "shapes/mesh_storage.hpp"
#include "support/cases.hpp"
#include "support/random_shapes.hpp"
#include "support/sheets.hpp"
#include "support/sorted_pairs.hpp"
#include "trees/oriented_check.hpp"

namespace whisker {
namespace {

using test::cases;
using test::NamedMesh;
using test::seeded;
using test::sorted;
using test::uniform;
using test::scenes::unit_vector;

using Vertices = std::vector<Vector3>;
using Pairs = std::vector<TrianglePair>;

MeshData data_of(const DeformingMesh& mesh) {
  return {{mesh.end().begin(), mesh.end().end()}, {mesh.triangles().begin(), mesh.triangles().end()}};
}

/// Expects that both answer all queries in the same way, because they have the same triangles.
void expect_same(const Mesh& a, const Mesh& b, std::mt19937_64& random, const std::string& what) {
  ASSERT_TRUE(std::equal(a.vertices().begin(), a.vertices().end(), b.vertices().begin(), b.vertices().end())) << what;
  ASSERT_TRUE(std::equal(a.triangles().begin(), a.triangles().end(), b.triangles().begin(), b.triangles().end()))
      << what;
  EXPECT_EQ(a.bounds().lower, b.bounds().lower) << what;
  EXPECT_EQ(a.bounds().upper, b.bounds().upper) << what;
  const Vector3 middle = (a.bounds().lower + a.bounds().upper) / 2;
  const double size = (a.bounds().upper - a.bounds().lower).norm();
  const Shape others[] = {Sphere{0.2 * size}, Box{Vector3(0.2, 0.1, 0.3) * size},
                          Mesh(make::icosphere({.radius = 0.25 * size, .subdivisions = 1}))};
  for (const Shape& other : others) {
    Pose pose;
    pose.set_translation(middle + uniform(random, 0, 0.9) * size * unit_vector(random));
    EXPECT_EQ(touches(a, {other, pose}), touches(b, {other, pose})) << what;
    const Distance p = distance(a, {other, pose}), q = distance(b, {other, pose});
    EXPECT_LE(p.lower, q.upper) << what;
    EXPECT_LE(q.lower, p.upper) << what;
    EXPECT_EQ(contacts(a, {other, pose}).pairs.size(), contacts(b, {other, pose}).pairs.size()) << what;
  }
  for (int i = 0; i < 5; ++i) {
    const Vector3 from = middle + size * unit_vector(random);
    const Ray ray{from, middle + 0.2 * size * unit_vector(random) - from};
    const auto p = cast_ray(ray, a), q = cast_ray(ray, b);
    ASSERT_EQ(p.has_value(), q.has_value()) << what;
    EXPECT_EQ(p ? p->t : 0, q ? q->t : 0) << what;
    EXPECT_EQ(closest_point(a, from).feature_a.id, closest_point(b, from).feature_a.id) << what;
  }
}

void expect_sound(const Mesh& mesh, const std::string& what) {
  trees::OrientedTree tree = storage_of(mesh).oriented;
  EXPECT_EQ(trees::check_links(tree, mesh.triangle_count()), "") << what;
  EXPECT_EQ(tree.depth, storage_of(mesh).oriented.depth) << what;
}

TEST(DeformingSnapshot, AnswersLikeAMeshBuiltFromTheSameData) {
  std::mt19937_64 random = seeded(811);
  for (const NamedMesh& mesh : test::bent_surfaces(6)) {
    DeformingMesh deforming(mesh.data);
    for (std::size_t step = 0; step < cases(6); ++step) {
      deforming.set_vertices(test::shaken(mesh.data.vertices, random, 0.05 * static_cast<double>(step)));
      expect_sound(deforming.snapshot(), mesh.name);
      expect_same(deforming.snapshot(), Mesh(data_of(deforming)), random, mesh.name);
      if (HasFailure()) return;
    }
  }
}

TEST(DeformingSnapshot, StaysAsItIsWhenTheMeshGoesOn) {
  std::mt19937_64 random = seeded(812);
  const MeshData data = make::icosphere({.subdivisions = 2});
  DeformingMesh mesh(data);
  std::vector<Mesh> held;
  std::vector<MeshData> expected;
  for (int step = 0; step < 12; ++step) {
    mesh.set_vertices(test::shaken(data.vertices, random, 0.2));
    // Some of the snapshots are kept.
    if (step % 3 != 1) {
      held.push_back(mesh.snapshot());
      expected.push_back(data_of(mesh));
    }
  }
  for (std::size_t i = 0; i < held.size(); ++i)
    expect_same(held[i], Mesh(expected[i]), random, "snapshot " + std::to_string(i));
}

TEST(DeformingSnapshot, UsesTheSameMemoryAgainWhereNobodyHoldsIt) {
  std::mt19937_64 random = seeded(813);
  const MeshData data = make::icosphere({.subdivisions = 2});
  DeformingMesh mesh(data);
  const MeshStorage* const first = &storage_of(mesh.snapshot());
  mesh.set_vertices(test::shaken(data.vertices, random, 0.1));
  EXPECT_EQ(&storage_of(mesh.snapshot()), first);
  const Mesh kept = mesh.snapshot();
  mesh.set_vertices(test::shaken(data.vertices, random, 0.1));
  const MeshStorage* const second = &storage_of(mesh.snapshot());
  EXPECT_NE(second, first);
  // One snapshot is held, so the other storage is reused again and again.
  mesh.set_vertices(test::shaken(data.vertices, random, 0.1));
  EXPECT_EQ(&storage_of(mesh.snapshot()), second);
}

TEST(DeformingSnapshot, OfACopyIsItsOwn) {
  std::mt19937_64 random = seeded(814);
  const MeshData data = make::icosphere({.subdivisions = 2});
  DeformingMesh mesh(data);
  (void)mesh.snapshot();
  DeformingMesh copy = mesh;
  mesh.set_vertices(test::shaken(data.vertices, random, 0.3));
  copy.set_vertices(test::shaken(data.vertices, random, 0.3));
  expect_same(mesh.snapshot(), Mesh(data_of(mesh)), random, "mesh");
  expect_same(copy.snapshot(), Mesh(data_of(copy)), random, "copy");
}

TEST(DeformingSnapshot, CanBeASolid) {
  DeformingMesh mesh(make::icosphere({.subdivisions = 2}));
  Vertices vertices(mesh.end().begin(), mesh.end().end());
  for (Vector3& v : vertices)
    v *= 2;
  mesh.set_vertices(vertices);
  EXPECT_NEAR(mesh.snapshot().solid().volume(), 8 * Mesh(make::icosphere({.subdivisions = 2})).solid().volume(), 1e-9);
  EXPECT_TRUE(contains(mesh.snapshot().solid(), Vector3(0, 0, 1.5)));
}

TEST(DeformingSnapshot, ErrorsLeaveTheMeshAsItWas) {
  const MeshData data = make::icosphere({.subdivisions = 1});
  DeformingMesh mesh(data);
  const Mesh before = mesh.snapshot();
  Vertices bad = data.vertices;
  bad[7][1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(mesh.set_vertices(bad), Error);
  bad[7][1] = std::numeric_limits<double>::infinity();
  EXPECT_THROW(mesh.set_vertices(bad), Error);
  bad[7][1] = 1e91;
  EXPECT_THROW(mesh.set_vertices(bad), Error);
  bad.pop_back();
  EXPECT_THROW(mesh.set_vertices(bad), Error);
  EXPECT_THROW(DeformingMesh(data, {.rebuild_at = 1}), Error);
  std::mt19937_64 random = seeded(815);
  expect_same(mesh.snapshot(), Mesh(data), random, "after errors");
}

TEST(DeformingSnapshot, TreeIsBuiltAnewWhenItHasBecomeBad) {
  std::mt19937_64 random = seeded(816);
  MeshData data = test::bent_sheet(30, 30, [](double u, double v) { return Vector3(u, v, 0); });
  // Vertices that are permuted at random, so that the old tree does not fit.
  Vertices mixed = data.vertices;
  std::shuffle(mixed.begin(), mixed.end(), random);
  DeformingMesh patient(data, {.rebuild_at = std::numeric_limits<double>::infinity()}), usual(data);
  (void)patient.snapshot();
  (void)usual.snapshot();
  EXPECT_EQ(usual.tree_growth(), 1);
  patient.set_vertices(mixed);
  usual.set_vertices(mixed);
  EXPECT_GT(patient.tree_growth(), 2);
  EXPECT_EQ(usual.tree_growth(), 1);
  patient.rebuild();
  EXPECT_EQ(patient.tree_growth(), 1);
  expect_same(usual.snapshot(), Mesh(data_of(usual)), random, "mixed");
  expect_same(patient.snapshot(), Mesh(data_of(patient)), random, "mixed");
}

TEST(DeformingSnapshot, TreeOfAMeshInOnePlaceHasACostToo) {
  const MeshData data = test::bent_sheet(9, 9, [](double, double) { return Vector3(1, 2, 3); });
  DeformingMesh mesh(data);
  (void)mesh.snapshot();
  mesh.set_vertices(data.vertices);
  EXPECT_EQ(mesh.tree_growth(), 1);
}

// --- edits -------------------------------------------------------------------------------------------------------

/// The same edit, done in a simple way.
MeshData edited(MeshData data, const MeshEdit& edit) {
  data.vertices.insert(data.vertices.end(), edit.new_vertices.begin(), edit.new_vertices.end());
  for (const MeshEdit::Change& change : edit.changed)
    data.triangles[change.triangle] = change.corners;
  std::set<std::uint32_t, std::greater<>> removed(edit.removed.begin(), edit.removed.end());
  for (const std::uint32_t number : removed) {
    data.triangles[number] = data.triangles.back();
    data.triangles.pop_back();
  }
  data.triangles.insert(data.triangles.end(), edit.added.begin(), edit.added.end());
  return data;
}

MeshEdit random_edit(const DeformingMesh& mesh, std::mt19937_64& random) {
  MeshEdit edit;
  const auto number = [&](std::size_t count) { return static_cast<std::uint32_t>(random() % count); };
  for (std::uint32_t i = number(6); i > 0; --i)
    edit.new_vertices.push_back(mesh.end()[number(mesh.end().size())] + 0.1 * unit_vector(random));
  const std::size_t vertices = mesh.end().size() + edit.new_vertices.size(), triangles = mesh.triangles().size();
  std::set<std::uint32_t> changed, removed;
  for (std::uint32_t i = number(6); i > 0; --i)
    changed.insert(number(triangles));
  for (const std::uint32_t t : changed) {
    Index3 corners = mesh.triangles()[t];
    corners[number(3)] = number(vertices);
    edit.changed.push_back({t, corners});
  }
  // Also removes triangles at the end.
  for (std::uint32_t i = number(8); i > 0 && removed.size() + 1 < triangles; --i)
    removed.insert(number(2) == 0
                       ? static_cast<std::uint32_t>(triangles - 1 - number(std::min<std::size_t>(triangles, 5)))
                       : number(triangles));
  edit.removed.assign(removed.begin(), removed.end());
  std::shuffle(edit.removed.begin(), edit.removed.end(), random);
  for (std::uint32_t i = number(10); i > 0; --i) {
    const Index3& near = mesh.triangles()[number(triangles)];
    edit.added.push_back({near[0], near[1], number(vertices)});
  }
  return edit;
}

TEST(MeshEdits, GiveTheMeshThatTheSameChangeOfItsDataGives) {
  std::mt19937_64 random = seeded(821);
  for (const NamedMesh& mesh : test::bent_surfaces(3)) {
    DeformingMesh deforming(mesh.data);
    (void)self_contacts(deforming);
    MeshData expected = mesh.data;
    Mesh held = deforming.snapshot();
    for (std::size_t step = 0; step < cases(40); ++step) {
      const MeshEdit edit = random_edit(deforming, random);
      expected = edited(expected, edit);
      if (step % 2 == 0) held = deforming.snapshot();
      const MeshData before = data_of(deforming);
      deforming.edit(edit);
      const std::string what = mesh.name + ", edit " + std::to_string(step);
      ASSERT_EQ(data_of(deforming).vertices, expected.vertices) << what;
      ASSERT_EQ(data_of(deforming).triangles, expected.triangles) << what;
      expect_sound(deforming.snapshot(), what);
      expect_same(deforming.snapshot(), Mesh(expected), random, what);
      if (step % 2 == 0) expect_same(held, Mesh(before), random, what + ", held");
      const SelfContacts found = self_contacts(deforming), by_mesh = self_contacts(Mesh(expected));
      EXPECT_EQ(sorted(found.pairs), sorted(by_mesh.pairs)) << what;
      EXPECT_EQ(sorted(found.adjacent), sorted(by_mesh.adjacent)) << what;
      // The mesh keeps deforming.
      expected.vertices = test::shaken(expected.vertices, random, 0.02);
      deforming.set_vertices(expected.vertices);
      if (step % 5 == 0) expect_same(deforming.snapshot().moved(expected.vertices), Mesh(expected), random, what);
      if (HasFailure()) return;
    }
  }
}

TEST(MeshEdits, DoNotBuildTheTreeAnew) {
  const MeshData data =
      test::bent_sheet(40, 40, [](double u, double v) { return Vector3(u, v, 0.1 * std::sin(7 * u)); });
  DeformingMesh mesh(data);
  const TreeReport before = mesh.snapshot().tree_report();
  std::vector<Index2> line;
  for (std::uint32_t i = 5; i < 35; ++i)
    line.push_back({i * 41 + 20, (i + 1) * 41 + 20});
  mesh.edit(cut_along(mesh, line));
  // A tree that was rebuilt has a growth of 1 by definition. This one has a few additional boxes.
  EXPECT_NE(mesh.tree_growth(), 1);
  EXPECT_NEAR(mesh.tree_growth(), 1, 0.2);
  EXPECT_NEAR(static_cast<double>(mesh.snapshot().tree_report().bytes), static_cast<double>(before.bytes),
              0.2 * static_cast<double>(before.bytes));
}

TEST(MeshEdits, MayTakeAllTrianglesIfOthersCome) {
  DeformingMesh mesh(make::icosphere({.subdivisions = 0}));
  (void)mesh.snapshot();
  MeshEdit edit;
  for (std::uint32_t i = 0; i < 20; ++i)
    edit.removed.push_back(i);
  EXPECT_THROW(mesh.edit(edit), Error);
  edit.added = {{0, 1, 2}};
  mesh.edit(edit);
  EXPECT_EQ(mesh.snapshot().triangle_count(), 1u);
  // The last triangle may change.
  mesh.edit({.changed = {{0, {3, 4, 5}}}});
  EXPECT_EQ(mesh.snapshot().triangle(0).a, mesh.end()[3]);
}

TEST(MeshEdits, MayAddVeryManyTrianglesAtOnePlace) {
  // The tree becomes too deep on the way, whatever else the edit does before and after.
  const MeshData data = test::bent_sheet(10, 10, [](double u, double v) { return Vector3(u, v, 0); });
  DeformingMesh mesh(data);
  (void)mesh.snapshot();
  MeshEdit edit = {.changed = {{5, {0, 1, 12}}, {199, {3, 4, 15}}}, .removed = {7, 198}};
  for (int i = 0; i < 20000; ++i)
    edit.added.push_back({0, 1, 11});
  mesh.edit(edit);
  const MeshData expected = edited(data, edit);
  ASSERT_EQ(data_of(mesh).triangles, expected.triangles);
  expect_sound(mesh.snapshot(), "many");
  edit = {.changed = {}, .removed = {}};
  for (std::uint32_t i = 10; i < 20000; ++i) {
    edit.changed.push_back({i, {0, 1, 11}});
    if (i % 2 == 0) edit.removed.push_back(i);
  }
  mesh.edit(edit);
  ASSERT_EQ(data_of(mesh).triangles, edited(expected, edit).triangles);
  expect_sound(mesh.snapshot(), "many changed");
  EXPECT_EQ(cast_ray(Ray{{0.01, 0.01, 1}, {0, 0, -1}}, mesh.snapshot())->t, 1);
}

TEST(MeshEdits, BadOnesAreErrorsAndLeaveTheMeshAsItWas) {
  const MeshData data = make::icosphere({.subdivisions = 1});
  DeformingMesh mesh(data);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<MeshEdit> bad = {{.new_vertices = {{0, nan, 0}}},
                                     {.new_vertices = {{0, 2e90, 0}}},
                                     {.changed = {{80, {0, 1, 2}}}},
                                     {.changed = {{0, {0, 1, 42}}}},
                                     {.changed = {{0, {0, 1, 2}}, {0, {0, 1, 3}}}},
                                     {.removed = {80}},
                                     {.removed = {3, 4, 3}},
                                     {.added = {{0, 1, 42}}}};
  for (std::size_t i = 0; i < bad.size(); ++i) {
    EXPECT_THROW(mesh.edit(bad[i]), Error) << i;
    EXPECT_EQ(data_of(mesh).vertices, data.vertices) << i;
    EXPECT_EQ(data_of(mesh).triangles, data.triangles) << i;
  }
  EXPECT_THROW(break_off(mesh, std::vector<std::uint32_t>{80}), Error);
}

/// The number of parts into which the triangles fall, if common vertices connect them.
std::size_t part_count(const MeshData& data) {
  std::vector<std::uint32_t> parent(data.vertices.size());
  for (std::uint32_t v = 0; v < parent.size(); ++v)
    parent[v] = v;
  const auto root = [&](std::uint32_t v) {
    while (parent[v] != v)
      v = parent[v];
    return v;
  };
  std::set<std::uint32_t> roots;
  for (const Index3& t : data.triangles) {
    parent[root(t[1])] = root(t[0]);
    parent[root(t[2])] = root(t[0]);
  }
  for (const Index3& t : data.triangles)
    roots.insert(root(t[0]));
  return roots.size();
}

TEST(MeshEdits, CutsPartTheMeshAlongTheEdges) {
  constexpr std::uint32_t n = 12;
  const auto vertex = [](std::uint32_t i, std::uint32_t j) { return i * (n + 1) + j; };
  const MeshData data = test::bent_sheet(n, n, [](double u, double v) { return Vector3(u, v, 0); });
  // All the way across: two parts.
  DeformingMesh across(data);
  std::vector<Index2> line;
  for (std::uint32_t i = 0; i < n; ++i)
    line.push_back({vertex(i + 1, 6), vertex(i, 6)});
  across.edit(cut_along(across, line));
  EXPECT_EQ(part_count(data_of(across)), 2u);
  EXPECT_EQ(across.end().size(), data.vertices.size() + n + 1);
  // A slit in the interior: one part, whose ends stay connected.
  DeformingMesh slit(data);
  slit.edit(cut_along(slit, std::span(line).subspan(3, 5)));
  EXPECT_EQ(part_count(data_of(slit)), 1u);
  EXPECT_EQ(slit.end().size(), data.vertices.size() + 4);
  EXPECT_EQ(slit.edges().size(), DeformingMesh(data).edges().size() + 5);
  // Pairs of vertices that are not edges do nothing. Vertices that do not exist are an Error.
  EXPECT_TRUE(cut_along(slit, std::vector<Index2>{{0, 60}}).changed.empty());
  EXPECT_THROW(cut_along(slit, std::vector<Index2>{{1000, 2000}}), Error);
  // Along the cut, the two sides coincide.
  EXPECT_FALSE(self_contacts(slit).pairs.empty());
}

TEST(MeshEdits, BrokenOffTrianglesShareNothing) {
  const MeshData data = make::icosphere({.subdivisions = 1});
  DeformingMesh mesh(data);
  mesh.edit(break_off(mesh, std::vector<std::uint32_t>{3, 4, 17}));
  const MeshData after = data_of(mesh);
  EXPECT_EQ(after.triangles.size(), data.triangles.size());
  std::set<std::uint32_t> off, rest;
  for (std::uint32_t i = 0; i < after.triangles.size(); ++i)
    for (const std::uint32_t v : after.triangles[i])
      (i == 3 || i == 4 || i == 17 ? off : rest).insert(v);
  for (const std::uint32_t v : off)
    EXPECT_FALSE(rest.contains(v));
  for (std::uint32_t i = 0; i < after.triangles.size(); ++i)
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_EQ(after.vertices[after.triangles[i][k]], data.vertices[data.triangles[i][k]]);
  // Breaking off all triangles changes nothing, because there is nothing to separate them from.
  std::vector<std::uint32_t> all(data.triangles.size());
  for (std::uint32_t i = 0; i < all.size(); ++i)
    all[i] = i;
  EXPECT_TRUE(break_off(mesh, all).changed.empty());
}

TEST(MeshEdits, FirstContactsGoOnAfterThem) {
  const MeshData data = test::bent_sheet(6, 6, [](double u, double v) { return Vector3(u, v, 0); });
  DeformingMesh mesh(data);
  (void)first_contacts(mesh);
  const std::size_t edges = mesh.edges().size();
  mesh.edit(break_off(mesh, std::vector<std::uint32_t>{20}));
  EXPECT_EQ(mesh.edges().size(), edges + 3);
  Vertices next(mesh.end().begin(), mesh.end().end());
  for (std::size_t k = data.vertices.size(); k < next.size(); ++k)
    next[k] += Vector3(0.2, 0.1, 0.1);
  mesh.set_vertices(next);
  next = Vertices(mesh.end().begin(), mesh.end().end());
  for (std::size_t k = data.vertices.size(); k < next.size(); ++k)
    next[k][2] = -0.1;
  mesh.set_vertices(next);
  EXPECT_FALSE(first_contacts(mesh).hits.empty());
}

}  // namespace
}  // namespace whisker
