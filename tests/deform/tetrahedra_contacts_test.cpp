// Contacts of tetrahedral meshes: they equal those of all pairs, and no contacts means no overlap.

#include <algorithm>
#include <cmath>
#include <iterator>
#include <tbb/global_control.h>
#include <vector>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include <whisker/geometry/predicates.hpp>

#include "deform/tetrahedra_cases.hpp"

namespace whisker {
namespace {

using test::at_least;
using test::brute_force;
using test::cases;
using test::disturbed;
using test::edge_of;
using test::face_of;
using test::moved;
using test::seeded;
using test::uniform;
using test::Vertices;
using test::vertices_of;
using test::scenes::unit_vector;

using Meshes = std::vector<TetrahedralMesh>;

TetrahedralContacts found(const Meshes& meshes, const TetrahedralContactOptions& options = {}) {
  TetrahedralContactFinder finder;
  TetrahedralContacts contacts;
  finder.find(meshes, options, contacts);
  return contacts;
}

/// Compares with all pairs. Returns how many contacts there are.
std::size_t expect_all(const Meshes& meshes, const TetrahedralContactOptions& options = {}) {
  const TetrahedralContacts wanted = brute_force(meshes, options), got = found(meshes, options);
  EXPECT_EQ(got.vertices, wanted.vertices);
  EXPECT_EQ(got.edges, wanted.edges);
  return wanted.vertices.size() + wanted.edges.size();
}

Meshes pile(std::mt19937_64& random, double apart) {
  Meshes meshes;
  meshes.emplace_back(make::tetrahedral_box({.cells_x = 3, .cells_y = 2, .cells_z = 3}));
  meshes.emplace_back(moved(make::tetrahedral_ball({.radius = 0.6, .subdivisions = 1}), apart * unit_vector(random)));
  meshes.emplace_back(moved(make::tetrahedral_box({.size_x = 0.3, .size_z = 2, .cells_x = 1, .cells_y = 2}),
                            apart * unit_vector(random)));
  return meshes;
}

TEST(TetrahedralContacts, AreThoseOfAllPairs) {
  auto random = seeded(8211);
  std::size_t count = 0;
  for (std::size_t i = 0; i < cases(12); ++i) {
    SCOPED_TRACE(i);
    Meshes meshes = pile(random, 0.9);
    // Undeformed, with coplanar faces and vertices; slightly bent; crumpled, with many inverted tetrahedra.
    const double by = i % 3 == 0 ? 0 : i % 3 == 1 ? 0.05 : 0.4;
    for (TetrahedralMesh& mesh : meshes)
      mesh.set_vertices(disturbed(mesh.vertices(), random, by));
    count += expect_all(meshes);
    if (i % 4 == 0) {
      expect_all(meshes, {.self = false});
      expect_all(meshes, {.edges = false});
    }
  }
  EXPECT_GT(count, 50 * cases(12));
}

TEST(TetrahedralContacts, OfWholeNumbersAreThoseOfAllPairs) {
  // Boxes on a lattice share vertices, edges and faces exactly. Flattened boxes have only flat tetrahedra.
  auto random = seeded(8212);
  for (std::size_t i = 0; i < cases(8); ++i) {
    SCOPED_TRACE(i);
    Meshes meshes;
    for (int k = 0; k < 3; ++k) {
      const Vector3 by(std::floor(uniform(random, 0, 3)), std::floor(uniform(random, 0, 3)), k == 0 ? 0 : 1);
      meshes.emplace_back(moved(
          make::tetrahedral_box({.size_x = 2, .size_y = 2, .size_z = 2, .cells_x = 2, .cells_y = 2, .cells_z = 2}),
          by));
    }
    if (i % 2 == 1) {
      Vertices flat = vertices_of(meshes[1]);
      for (Vector3& v : flat)
        v[static_cast<int>(i) % 3] = 1;
      meshes[1].set_vertices(flat);
    }
    EXPECT_GT(expect_all(meshes), 0u);
  }
}

TEST(TetrahedralContacts, OfAnySizeAndPlaceAreThoseOfAllPairs) {
  auto random = seeded(8213);
  for (const double scale : {1e-300, 1e-120, 1e-30, 1e-6, 1e6, 1e30, 1e80}) {
    for (const double far : {0.0, 1e6}) {
      SCOPED_TRACE(testing::Message() << scale << ' ' << far);
      Meshes meshes = pile(random, 0.7);
      for (TetrahedralMesh& mesh : meshes) {
        Vertices at = disturbed(mesh.vertices(), random, 0.1);
        for (Vector3& v : at)
          v = scale * (v + Vector3(far, -far, 2 * far));
        mesh.set_vertices(at);
      }
      EXPECT_GT(expect_all(meshes), 0u);
    }
  }
}

TEST(TetrahedralContacts, OfCollapsedMeshesAreThoseOfAllPairs) {
  auto random = seeded(8214);
  for (const int collapsed : {0, 1, 2, 3}) {
    SCOPED_TRACE(collapsed);
    Meshes meshes;
    meshes.emplace_back(make::tetrahedral_box({.cells_x = 2, .cells_y = 1, .cells_z = 1}));
    meshes.emplace_back(make::tetrahedral_box({.cells_x = 1, .cells_y = 2, .cells_z = 1}));
    for (TetrahedralMesh& mesh : meshes) {
      Vertices at = disturbed(mesh.vertices(), random, 0.2);
      for (Vector3& v : at)
        for (int k = 0; k < collapsed; ++k)
          v[k] = 0.25;
      mesh.set_vertices(at);
    }
    EXPECT_GT(expect_all(meshes), 0u);
    // One of them is a point inside the other, or away from it.
    Meshes dot;
    dot.emplace_back(make::tetrahedral_box({.cells_x = 2, .cells_y = 2, .cells_z = 2}));
    dot.emplace_back(make::tetrahedral_box({.cells_x = 1, .cells_y = 1, .cells_z = 1}));
    dot[1].set_vertices(Vertices(8, Vector3(0.1, collapsed, 0.2)));
    expect_all(dot);
    EXPECT_EQ(found(dot, {.self = false}).empty(), collapsed > 0);
  }
}

TEST(TetrahedralContacts, VerticesOfNoTetrahedronDoNotCount) {
  TetrahedralData data = make::tetrahedral_box({.cells_x = 1, .cells_y = 1, .cells_z = 1});
  data.vertices.emplace_back(0, 0.1, 0.2);
  data.vertices.emplace_back(1e80, 0, 0);
  Meshes meshes;
  meshes.emplace_back(data);
  EXPECT_TRUE(found(meshes).empty());
  expect_all(meshes);
  TetrahedralContactFinder finder;
  TetrahedralContacts contacts;
  contacts.vertices.resize(3);
  finder.find({}, contacts);
  EXPECT_TRUE(contacts.empty());
}

TEST(TetrahedralContacts, HugeAndTinyTetrahedraLookIntoFewCells) {
  // A ball of 10,240 tetrahedra beside a tetrahedron that is a million times as large, and a cluster that is a million
  // times as small.
  Meshes meshes;
  meshes.emplace_back(make::tetrahedral_ball({.subdivisions = 3}));
  const TetrahedralContacts alone = found(meshes);
  const std::uint64_t tetrahedra = meshes[0].tetrahedra().size();
  EXPECT_LT(alone.counts.cells, 30 * tetrahedra);
  EXPECT_LT(alone.cost.volume_tests, 60 * tetrahedra);

  meshes.emplace_back(
      TetrahedralData{{{-1e6, -1e6, -1e6}, {3e6, -1e6, -1e6}, {-1e6, 3e6, -1e6}, {-1e6, -1e6, 3e6}}, {{0, 1, 2, 3}}});
  TetrahedralContacts contacts = found(meshes, {.self = false});
  EXPECT_EQ(contacts.vertices.size(), meshes[0].vertices().size());
  EXPECT_TRUE(contacts.edges.empty());
  EXPECT_LT(contacts.counts.cells, 2 * alone.counts.cells);
  EXPECT_LT(contacts.cost.volume_tests, 2 * alone.cost.volume_tests);

  meshes.emplace_back(make::tetrahedral_ball({.radius = 1e-6, .subdivisions = 3}));
  contacts = found(meshes, {.self = false});
  EXPECT_LT(contacts.counts.cells, 4 * alone.counts.cells);
  // Every vertex of the cluster is compared with the large tetrahedra around it, which contain it.
  EXPECT_LT(contacts.cost.volume_tests, 6 * alone.cost.volume_tests + 10 * contacts.vertices.size());
}

TEST(TetrahedralContacts, OfMixedSizesAreThoseOfAllPairs) {
  auto random = seeded(8215);
  for (std::size_t i = 0; i < cases(6); ++i) {
    Meshes meshes;
    for (const double size : {1.0, 1e-3, 40.0}) {
      meshes.emplace_back(
          moved(make::tetrahedral_box(
                    {.size_x = size, .size_y = size, .size_z = size, .cells_x = 2, .cells_y = 2, .cells_z = 1}),
                Vector3(size / 2, size / 3, 0)));
      meshes.back().set_vertices(disturbed(meshes.back().vertices(), random, 0.3 * size));
    }
    // One vertex far away, which makes long thin tetrahedra.
    Vertices pulled = vertices_of(meshes[1]);
    pulled[3] = Vector3(3, 1, 2);
    meshes[1].set_vertices(pulled);
    EXPECT_GT(expect_all(meshes), 0u) << i;
  }
}

/// Whether two tetrahedra share a point, decided by all vertices, edges and faces of both.
bool tetrahedra_touch(const Vertices& a, const Vertices& b) {
  const TetrahedralMesh p({a, {{0, 1, 2, 3}}}), q({b, {{0, 1, 2, 3}}});
  for (std::size_t k = 0; k < 4; ++k)
    if (p.contains(0, b[k]) || q.contains(0, a[k])) return true;
  for (std::uint32_t e = 0; e < 6; ++e)
    for (std::uint32_t f = 0; f < 4; ++f)
      if (touches_segment_triangle(edge_of(p, e), face_of(q, f)) ||
          touches_segment_triangle(edge_of(q, e), face_of(p, f)))
        return true;
  return false;
}

Vertices corners_of(const TetrahedralMesh& mesh, std::size_t t) {
  const Index4& c = mesh.tetrahedra()[t];
  return {mesh.vertices()[c[0]], mesh.vertices()[c[1]], mesh.vertices()[c[2]], mesh.vertices()[c[3]]};
}

bool meshes_touch(const TetrahedralMesh& a, const TetrahedralMesh& b) {
  for (std::size_t i = 0; i < a.tetrahedra().size(); ++i)
    for (std::size_t j = 0; j < b.tetrahedra().size(); ++j)
      if (tetrahedra_touch(corners_of(a, i), corners_of(b, j))) return true;
  return false;
}

TEST(TetrahedralContacts, ThereIsOneIfAndOnlyIfTwoMeshesShareAPoint) {
  auto random = seeded(8216);
  std::size_t touching = 0, apart = 0, by_edges_alone = 0;
  for (std::size_t i = 0; i < cases(60); ++i) {
    Meshes meshes;
    // Two thin sticks across each other: undeformed, bent, or crumpled so that many tetrahedra are inverted or folded.
    meshes.emplace_back(
        make::tetrahedral_box({.size_x = 2, .size_y = 0.3, .size_z = 0.3, .cells_x = 3, .cells_y = 1, .cells_z = 1}));
    meshes.emplace_back(moved(
        make::tetrahedral_box({.size_x = 0.3, .size_y = 2, .size_z = 0.3, .cells_x = 1, .cells_y = 3, .cells_z = 1}),
        Vector3(0, 0, uniform(random, 0, 0.7))));
    const double by = i % 3 == 0 ? 0 : i % 3 == 1 ? 0.1 : 0.5;
    for (TetrahedralMesh& mesh : meshes)
      mesh.set_vertices(disturbed(mesh.vertices(), random, by));
    const bool wanted = meshes_touch(meshes[0], meshes[1]);
    const TetrahedralContacts contacts = found(meshes, {.self = false});
    EXPECT_EQ(!contacts.empty(), wanted) << i;
    touching += wanted ? 1u : 0u;
    apart += wanted ? 0u : 1u;
    by_edges_alone += wanted && contacts.vertices.empty() ? 1u : 0u;
  }
  EXPECT_GT(touching, at_least(6));
  EXPECT_GT(apart, at_least(6));
  EXPECT_GT(by_edges_alone, cases(60) / 20);  // these are missed by spatial hashing of vertices alone
}

TEST(TetrahedralContacts, AFoldedInnerFaceIsSurfaceToo) {
  // The middle vertex of a box is pulled out through its side. Around it are folds: inner faces with both of their
  // tetrahedra on one side, where the body ends although there is no border. A needle goes through there.
  auto random = seeded(8217);
  std::size_t folded = 0;
  for (std::size_t i = 0; i < cases(400); ++i) {
    Meshes meshes;
    meshes.emplace_back(make::tetrahedral_box({.cells_x = 2, .cells_y = 2, .cells_z = 2}));
    Vertices at = vertices_of(meshes[0]);
    at[13] = 1.6 * unit_vector(random);  // the middle vertex
    meshes[0].set_vertices(at);
    const Vector3 tip = at[13] * uniform(random, 0.6, 1.05);
    const Vector3 across = 0.5 * tip.cross(unit_vector(random));
    meshes.emplace_back(TetrahedralData{{tip - across, tip + across, tip + across + 0.002 * unit_vector(random),
                                         tip + across + 0.002 * unit_vector(random)},
                                        {{0, 1, 2, 3}}});
    const bool wanted = meshes_touch(meshes[0], meshes[1]);
    const TetrahedralContacts contacts = found(meshes, {.self = false});
    ASSERT_EQ(!contacts.empty(), wanted) << i;
    const auto is_inner = [&](const EdgeContact& c) {
      return c.other == 0 ? c.face >= meshes[0].border_triangles().size() : c.edge >= meshes[0].border_edges().size();
    };
    folded += !contacts.empty() && contacts.vertices.empty() &&
                      std::all_of(contacts.edges.begin(), contacts.edges.end(), is_inner)
                  ? 1u
                  : 0u;
  }
  EXPECT_GT(folded, 0u);
}

/// Whether two tetrahedra of a mesh share more than the hull of their common corners, decided by all features that
/// share no vertex.
bool overlaps_itself(const TetrahedralMesh& mesh) {
  for (std::uint32_t v = 0; v < mesh.vertices().size(); ++v)
    for (std::size_t t = 0; t < mesh.tetrahedra().size(); ++t) {
      const Index4& c = mesh.tetrahedra()[t];
      if (std::find(c.begin(), c.end(), v) == c.end() && mesh.contains(t, mesh.vertices()[v])) return true;
    }
  for (std::uint32_t e = 0; e < mesh.edges().size(); ++e)
    for (std::uint32_t f = 0; f < mesh.faces().size(); ++f)
      if (!test::shares_vertex(mesh.edges()[e], mesh.faces()[f]) &&
          touches_segment_triangle(edge_of(mesh, e), face_of(mesh, f)))
        return true;
  return false;
}

TEST(TetrahedralContacts, ThereIsOneIfAndOnlyIfAMeshOverlapsItself) {
  auto random = seeded(8218);
  std::size_t overlapping = 0, free = 0;
  for (std::size_t i = 0; i < cases(40); ++i) {
    // A stick bent into a ring that closes, or, depending on its drift, into a spiral that does not.
    const TetrahedralData stick =
        make::tetrahedral_box({.size_x = 6.2, .size_y = 0.5, .size_z = 0.5, .cells_x = 12, .cells_y = 1, .cells_z = 1});
    const double turns = uniform(random, 0.9, 1.2), drift = uniform(random, 0, 0.5);
    Meshes meshes;
    meshes.emplace_back(stick);
    Vertices at = stick.vertices;
    for (Vector3& v : at) {
      const double angle = v[0] * turns;
      v = Vector3((1 + v[1]) * std::cos(angle), (1 + v[1]) * std::sin(angle), v[2] + drift * angle / 3);
    }
    meshes[0].set_vertices(at);
    ASSERT_TRUE(meshes[0].inverted().empty());
    const bool wanted = overlaps_itself(meshes[0]);
    EXPECT_EQ(!found(meshes).empty(), wanted) << i;
    overlapping += wanted ? 1u : 0u;
    free += wanted ? 0u : 1u;
  }
  EXPECT_GT(overlapping, cases(40) / 8);
  EXPECT_GT(free, cases(40) / 8);
}

TEST(TetrahedralContacts, AreTheSameOnAnyNumberOfThreadsAndWithAUsedFinder) {
  // Large enough that every step runs on all cores.
  auto random = seeded(8219);
  Meshes meshes;
  meshes.emplace_back(make::tetrahedral_box({.cells_x = 26, .cells_y = 26, .cells_z = 26}));
  meshes.emplace_back(moved(make::tetrahedral_ball({.radius = 0.5, .subdivisions = 4}), Vector3(0.6, 0.1, 0)));
  TetrahedralContactFinder used;
  TetrahedralContacts first, again;
  for (int frame = 0; frame < 2; ++frame) {
    for (TetrahedralMesh& mesh : meshes)
      mesh.set_vertices(disturbed(mesh.vertices(), random, 0.003));
    used.find(meshes, first);
    EXPECT_GT(first.vertices.size(), 1000u);
    EXPECT_GT(first.edges.size(), 100u);
    const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
    TetrahedralContactFinder fresh;
    fresh.find(meshes, again);
    EXPECT_EQ(first.vertices, again.vertices);
    EXPECT_EQ(first.edges, again.edges);
    EXPECT_EQ(first.counts.cells, again.counts.cells);
    EXPECT_EQ(first.cost, again.cost);
  }
}

TEST(TetrahedralContacts, OfManyVerticesAndTetrahedraAreThoseOfSomeOfThem) {
  Meshes meshes;
  meshes.emplace_back(make::tetrahedral_box({.cells_x = 26, .cells_y = 26, .cells_z = 26}));
  meshes.emplace_back(moved(make::tetrahedral_ball({.radius = 0.5, .subdivisions = 3}), Vector3(0.6, 0.1, 0)));
  const TetrahedralContacts all = found(meshes);
  auto random = seeded(8220);
  std::size_t inside = 0;
  for (int i = 0; i < 40; ++i) {
    const auto v = static_cast<std::uint32_t>(random() % meshes[1].vertices().size());
    std::vector<VertexContact> wanted, got;
    for (std::uint32_t t = 0; t < meshes[0].tetrahedra().size(); ++t)
      if (meshes[0].contains(t, meshes[1].vertices()[v])) wanted.push_back({1, 0, v, t});
    std::copy_if(all.vertices.begin(), all.vertices.end(), std::back_inserter(got),
                 [&](const VertexContact& c) { return c.mesh == 1 && c.other == 0 && c.vertex == v; });
    EXPECT_EQ(got, wanted);
    inside += wanted.size();
  }
  EXPECT_GT(inside, 5u);
}

TEST(TetrahedralContacts, OfACollapsedBodyAreAsManyAsAreWanted) {
  // Every vertex is in every tetrahedron, and every edge touches every face.
  Meshes meshes;
  meshes.emplace_back(make::tetrahedral_box({.cells_x = 26, .cells_y = 26, .cells_z = 26}));
  const TetrahedralData data = make::tetrahedral_ball({.subdivisions = 3});
  meshes.emplace_back(data);
  meshes[1].set_vertices(Vertices(data.vertices.size(), Vector3(0.011, 0.022, 0.033)));
  const TetrahedralContacts some = found(meshes, {.max_count = 5000});
  EXPECT_EQ(some.stop, Stop::count);
  EXPECT_EQ(some.vertices.size(), 5000u);
  EXPECT_EQ(some.edges.size(), 5000u);
  for (const VertexContact& c : some.vertices)
    EXPECT_TRUE(meshes[c.other].contains(c.tetrahedron, meshes[c.mesh].vertices()[c.vertex]));
  for (const EdgeContact& c : some.edges)
    EXPECT_TRUE(touches_segment_triangle(edge_of(meshes[c.mesh], c.edge), face_of(meshes[c.other], c.face)));
  const TetrahedralContacts again = found(meshes, {.max_count = 5000});
  EXPECT_EQ(some.vertices, again.vertices);
  EXPECT_EQ(some.edges, again.edges);
  // A limit equal to the number of contacts is not exceeded.
  Meshes few;
  few.emplace_back(make::tetrahedral_box({.cells_x = 1, .cells_y = 1, .cells_z = 1}));
  few[0].set_vertices(Vertices(8, Vector3(1, 2, 3)));
  const TetrahedralContacts all = brute_force(few);
  const std::size_t count = std::max(all.vertices.size(), all.edges.size());
  EXPECT_EQ(found(few, {.max_count = count}).stop, Stop::exact);
  EXPECT_EQ(found(few, {.max_count = count - 1}).stop, Stop::count);
}

}  // namespace
}  // namespace whisker
