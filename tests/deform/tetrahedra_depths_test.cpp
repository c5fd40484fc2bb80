// Depths of vertices in tetrahedral meshes: the formulas step by step, and their purpose: neighbors have similar
// depths, and moving bodies by their depths separates them.

#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <tbb/global_control.h>
#include <vector>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include <whisker/error.hpp>
#include <whisker/geometry/closest_points.hpp>
#include <whisker/tetrahedra/tetrahedral_depths.hpp>

#include "deform/tetrahedra_cases.hpp"

namespace whisker {
namespace {

using test::brute_force;
using test::cases;
using test::disturbed;
using test::face_of;
using test::moved;
using test::seeded;
using test::uniform;
using test::Vertices;
using test::vertices_of;
using test::scenes::unit_vector;

using Meshes = std::vector<TetrahedralMesh>;

std::vector<VertexDepth> depths_of(const Meshes& meshes, const TetrahedralDepthOptions& options = {}) {
  TetrahedralContactFinder finder;
  TetrahedralContacts contacts;
  finder.find(meshes, contacts);
  TetrahedralDepthFinder depth_finder;
  std::vector<VertexDepth> depths;
  depth_finder.find(meshes, contacts, options, depths);
  return depths;
}

std::vector<VertexDepth> only(std::vector<VertexDepth> depths, std::uint32_t mesh, std::uint32_t other) {
  std::erase_if(depths, [&](const VertexDepth& d) { return d.mesh != mesh || d.other != other; });
  return depths;
}

/// The largest difference of depths and moves between neighboring vertices, relative to their distance.
struct Steepest {
  double depth = 0;
  double move = 0;
};
Steepest steepest(const Meshes& meshes, const std::vector<VertexDepth>& depths) {
  std::map<std::array<std::uint32_t, 3>, const VertexDepth*> by_vertex;
  for (const VertexDepth& d : depths)
    by_vertex[{d.mesh, d.other, d.vertex}] = &d;
  Steepest result;
  for (const VertexDepth& d : depths) {
    for (const std::uint32_t w : meshes[d.mesh].neighbors(d.vertex)) {
      const auto found = by_vertex.find({d.mesh, d.other, w});
      if (found == by_vertex.end()) continue;
      const VertexDepth& e = *found->second;
      const double apart = (meshes[d.mesh].vertices()[d.vertex] - meshes[d.mesh].vertices()[w]).norm();
      result.depth = std::max(result.depth, std::abs(d.depth - e.depth) / apart);
      result.move = std::max(result.move, (d.depth * d.normal - e.depth * e.normal).norm() / apart);
    }
  }
  return result;
}

void expect_sound(const std::vector<VertexDepth>& depths) {
  for (const VertexDepth& d : depths) {
    EXPECT_GE(d.depth, 0);
    EXPECT_TRUE(std::isfinite(d.depth));
    EXPECT_GE(d.lower, 0);
    if (d.source == DepthSource::none) {
      EXPECT_EQ(d.mesh, d.other);
      EXPECT_TRUE(d.normal.isZero(0));
    } else {
      EXPECT_NEAR(d.normal.norm(), 1, 1e-14);
    }
  }
}

/// The vertices of one mesh, moved by their depths in another.
Vertices pushed(const TetrahedralMesh& mesh, const std::vector<VertexDepth>& depths, double times = 1) {
  Vertices at = vertices_of(mesh);
  for (const VertexDepth& d : depths)
    at[d.vertex] += times * d.depth * d.normal;
  return at;
}

/// A narrow box that is pressed from above far into a wide one, beyond its middle.
Meshes pressed() {
  Meshes meshes;
  meshes.emplace_back(moved(
      make::tetrahedral_box({.size_x = 0.8, .size_y = 0.8, .size_z = 2, .cells_x = 5, .cells_y = 5, .cells_z = 9}),
      Vector3(0.03, 0.02, 0.37)));
  meshes.emplace_back(
      make::tetrahedral_box({.size_x = 2, .size_y = 2, .size_z = 1.6, .cells_x = 6, .cells_y = 6, .cells_z = 5}));
  return meshes;
}
constexpr double pressed_top = 0.8;

TEST(TetrahedralDepths, ABoxPressedThroughTheMiddleGoesBackUp) {
  const Meshes meshes = pressed();
  const std::vector<VertexDepth> all = depths_of(meshes), upper = only(all, 0, 1);
  expect_sound(all);
  ASSERT_GT(upper.size(), 150u);
  std::size_t beyond_middle = 0;
  for (const VertexDepth& d : upper) {
    const double z = meshes[0].vertices()[d.vertex].z();
    EXPECT_NEAR(d.depth, pressed_top - z, 1e-12);
    EXPECT_NEAR((d.normal - Vector3::UnitZ()).norm(), 0, 1e-12);
    beyond_middle += z < 0 ? 1u : 0u;
  }
  EXPECT_GT(beyond_middle, 50u);
  // The depths separate the bodies, and move the box as a whole.
  for (const Vector3& v : pushed(meshes[0], upper))
    EXPECT_GE(v.z(), pressed_top - 1e-12);
  EXPECT_LE(steepest(meshes, upper).move, 1 + 1e-12);

  // The nearest points of the surface are on four sides and below.
  const std::vector<VertexDepth> nearest = only(depths_of(meshes, {.mode = DepthMode::nearest}), 0, 1);
  ASSERT_EQ(nearest.size(), upper.size());
  EXPECT_GT(steepest(meshes, nearest).move, 3);
  std::size_t down = 0;
  for (const VertexDepth& d : nearest)
    down += d.normal.z() < -0.9 ? 1u : 0u;
  EXPECT_GT(down, 20u);
}

TEST(TetrahedralDepths, ABladeInACubeGoesBackTheWayItCame) {
  // A thin blade beside the middle of the cube: its nearest points are on the cube's side.
  Meshes meshes;
  meshes.emplace_back(moved(
      make::tetrahedral_box({.size_x = 0.05, .size_y = 0.8, .size_z = 2, .cells_x = 1, .cells_y = 8, .cells_z = 20}),
      Vector3(0.3, 0, 0.7)));
  meshes.emplace_back(make::tetrahedral_box({}));
  const std::vector<VertexDepth> blade = only(depths_of(meshes), 0, 1);
  ASSERT_GT(blade.size(), 100u);
  for (const VertexDepth& d : blade) {
    EXPECT_NEAR(d.depth, 0.5 - meshes[0].vertices()[d.vertex].z(), 1e-12);
    EXPECT_GT(d.normal.z(), 1 - 1e-12);
  }
  const std::vector<VertexDepth> nearest = only(depths_of(meshes, {.mode = DepthMode::nearest}), 0, 1);
  EXPECT_GT(steepest(meshes, nearest).move, 3 * steepest(meshes, blade).move);
}

/// An upper bound of the difference of depths between neighboring vertices, relative to their distance. (The distance
/// to a surface changes at most at the rate 1.)
constexpr double steepest_depth = 2;

TEST(TetrahedralDepths, OfASheetThroughACubeChangeSteadily) {
  // The sheet leaves the cube on four sides, so there is no single way out.
  Meshes meshes;
  meshes.emplace_back(
      make::tetrahedral_box({.size_x = 2, .size_y = 2, .size_z = 0.04, .cells_x = 25, .cells_y = 25, .cells_z = 1}));
  meshes.emplace_back(make::tetrahedral_box({.cells_x = 5, .cells_y = 5, .cells_z = 5}));
  const std::vector<VertexDepth> sheet = only(depths_of(meshes), 0, 1);
  expect_sound(sheet);
  ASSERT_GT(sheet.size(), 200u);
  EXPECT_LE(steepest(meshes, sheet).depth, steepest_depth);
  // The rings go from the sides to the middle: a vertex halfway to a side is pushed out at that side.
  for (const VertexDepth& d : sheet) {
    const Vector3& v = meshes[0].vertices()[d.vertex];
    EXPECT_TRUE(v.x() < 0.25 || std::abs(v.y()) > 0.2 || d.normal.x() > 0.9);
  }
}

TEST(TetrahedralDepths, OfBallsPointOutwardAndPartThem) {
  for (const double apart : {0.3, 0.7, 1.2, 1.7}) {
    SCOPED_TRACE(apart);
    Meshes meshes;
    meshes.emplace_back(make::tetrahedral_ball({.subdivisions = 3}));
    meshes.emplace_back(moved(make::tetrahedral_ball({.subdivisions = 3}), Vector3(0.01, 0.02, apart)));
    const std::vector<VertexDepth> first = depths_of(meshes);
    expect_sound(first);
    ASSERT_FALSE(first.empty());
    for (const VertexDepth& d : first)
      EXPECT_GT(d.normal.z() * (d.mesh == 0 ? -1 : 1), 0);
    EXPECT_LE(steepest(meshes, first).depth, steepest_depth);
    // The lower ball is moved as a whole, by the largest depth along the mean direction. Deeper overlaps need more
    // moves.
    int moves = 0;
    for (; moves < 5; ++moves) {
      const std::vector<VertexDepth> lower = only(depths_of(meshes), 0, 1);
      if (lower.empty()) break;
      double deepest = 0;
      Vector3 way = Vector3::Zero();
      for (const VertexDepth& d : lower) {
        deepest = std::max(deepest, d.depth);
        way += d.depth * d.normal;
      }
      Vertices at = vertices_of(meshes[0]);
      for (Vector3& v : at)
        v += 1.001 * deepest * way.normalized();
      meshes[0].set_vertices(at);
    }
    EXPECT_LE(moves, apart < 1 ? 3 : 1);
    EXPECT_LT(meshes[0].vertices()[0].z(), 1);
  }
}

TEST(TetrahedralDepths, OfAStackPointTowardItsEnds) {
  Meshes meshes;
  for (const double z : {0.0, 0.85, 1.7})
    meshes.emplace_back(moved(make::tetrahedral_box({.size_x = z == 0.85 ? 1.0 : 1.3, .size_y = z == 0.85 ? 1.0 : 1.3}),
                              Vector3(0.01 * z, 0.02 * z, z)));
  const std::vector<VertexDepth> all = depths_of(meshes);
  expect_sound(all);
  const std::vector<VertexDepth> down = only(all, 1, 0), up = only(all, 1, 2);
  ASSERT_FALSE(down.empty());
  ASSERT_FALSE(up.empty());
  for (const VertexDepth& d : down)
    EXPECT_NEAR((d.depth * d.normal - Vector3(0, 0, 0.15)).norm(), 0, 1e-9);
  for (const VertexDepth& d : up)
    EXPECT_NEAR((d.depth * d.normal + Vector3(0, 0, 0.15)).norm(), 0, 1e-9);
  EXPECT_LE(steepest(meshes, all).depth, steepest_depth);
}

/// The formulas of the header, in long double, on the contacts of all pairs.
using Wide = Eigen::Matrix<long double, 3, 1>;
struct WideDepth {
  long double depth;
  Wide direction;
};
std::map<std::uint32_t, WideDepth> wide_depths(const Meshes& meshes, const TetrahedralContacts& contacts,
                                               std::uint32_t mesh, std::uint32_t other) {
  const auto at = [&](std::uint32_t v) { return Wide(meshes[mesh].vertices()[v].cast<long double>()); };
  std::set<std::uint32_t> inside;
  for (const VertexContact& c : contacts.vertices)
    if (c.mesh == mesh && c.other == other) inside.insert(c.vertex);
  std::map<std::uint32_t, std::set<std::uint32_t>> faces;  // by edge
  for (const EdgeContact& c : contacts.edges)
    if (c.mesh == mesh && c.other == other) faces[c.edge].insert(c.face);
  struct Sums {
    long double weight = 0, depth = 0;
    Wide direction = Wide::Zero();
  };
  std::map<std::uint32_t, Sums> sums;
  for (const auto& [edge, met] : faces) {
    Index2 ends = meshes[mesh].edges()[edge];
    if (inside.count(ends[0]) == inside.count(ends[1])) continue;
    if (inside.count(ends[0]) == 0) std::swap(ends[0], ends[1]);
    const Wide p = at(ends[0]), q = at(ends[1]);
    long double last = -1;
    Wide normal = Wide::Zero();
    for (const std::uint32_t face : met) {
      const Triangle t = face_of(meshes[other], face);
      const Wide a = t.a.cast<long double>();
      const Wide n = (t.b.cast<long double>() - a).cross(t.c.cast<long double>() - a).normalized();
      const long double along = n.dot(a - p) / n.dot(q - p);
      if (along <= last) continue;
      last = along;
      normal = n.dot(q - p) > 0 ? n : Wide(-n);
    }
    const Wide way = last * (q - p);
    Sums& s = sums[ends[0]];
    s.weight += 1 / way.squaredNorm();
    s.depth += way.dot(normal) / way.squaredNorm();
    s.direction += normal / way.squaredNorm();
  }
  std::map<std::uint32_t, WideDepth> known;
  for (;;) {
    for (const auto& [v, s] : sums)
      known[v] = {std::max(0.0L, s.depth / s.weight), s.direction.normalized()};
    sums.clear();
    for (const std::uint32_t v : inside) {
      if (known.count(v) > 0) continue;
      for (const std::uint32_t w : meshes[mesh].neighbors(v)) {
        if (known.count(w) == 0) continue;
        const Wide way = at(w) - at(v);
        Sums& s = sums[v];
        s.weight += 1 / way.squaredNorm();
        s.depth += (way.dot(known[w].direction) + known[w].depth) / way.squaredNorm();
        s.direction += known[w].direction / way.squaredNorm();
      }
    }
    if (sums.empty()) return known;
  }
}

TEST(TetrahedralDepths, AreThoseOfTheFormulas) {
  auto random = seeded(8221);
  std::size_t compared = 0, carried = 0;
  for (std::size_t i = 0; i < cases(6); ++i) {
    Meshes meshes;
    meshes.emplace_back(make::tetrahedral_ball({.subdivisions = 2}));
    meshes.emplace_back(
        moved(make::tetrahedral_box({.cells_x = 5, .cells_y = 5, .cells_z = 5}), 0.8 * unit_vector(random)));
    meshes.emplace_back(moved(make::tetrahedral_ball({.radius = 0.5, .subdivisions = 1}), 0.9 * unit_vector(random)));
    for (TetrahedralMesh& mesh : meshes)
      mesh.set_vertices(disturbed(mesh.vertices(), random, 0.02));
    const TetrahedralContacts contacts = brute_force(meshes, {.self = false});
    const std::vector<VertexDepth> all = depths_of(meshes);
    expect_sound(all);
    for (std::uint32_t m = 0; m < 3; ++m)
      for (std::uint32_t o = 0; o < 3; ++o) {
        if (m == o) continue;
        const auto wanted = wide_depths(meshes, contacts, m, o);
        for (const VertexDepth& d : only(all, m, o)) {
          const auto found = wanted.find(d.vertex);
          EXPECT_EQ(found == wanted.end(), d.source == DepthSource::surface);
          if (found == wanted.end()) continue;
          EXPECT_NEAR(d.depth, static_cast<double>(found->second.depth), 1e-10);
          EXPECT_NEAR((d.normal - found->second.direction.cast<double>()).norm(), 0, 1e-8);
          ++compared;
          carried += d.source == DepthSource::neighbors ? 1u : 0u;
        }
      }
  }
  EXPECT_GT(compared, 50 * cases(6));
  EXPECT_GT(carried, 20 * cases(6));
}

/// Two bodies as one mesh with two disconnected parts.
TetrahedralData together(const TetrahedralMesh& a, const TetrahedralMesh& b) {
  TetrahedralData data{vertices_of(a), {a.tetrahedra().begin(), a.tetrahedra().end()}};
  const auto first = static_cast<std::uint32_t>(data.vertices.size());
  data.vertices.insert(data.vertices.end(), b.vertices().begin(), b.vertices().end());
  for (Index4 t : b.tetrahedra()) {
    for (std::uint32_t& v : t)
      v += first;
    data.tetrahedra.push_back(t);
  }
  return data;
}

TEST(TetrahedralDepths, OfABodyInItselfAreThoseOfItsPartsInEachOther) {
  auto random = seeded(8222);
  for (std::size_t i = 0; i < cases(4); ++i) {
    Meshes two;
    two.emplace_back(make::tetrahedral_ball({.subdivisions = 2}));
    two.emplace_back(moved(make::tetrahedral_box({}), 1.1 * unit_vector(random)));
    const auto first = static_cast<std::uint32_t>(two[0].vertices().size());
    Meshes one;
    one.emplace_back(together(two[0], two[1]));
    const std::vector<VertexDepth> wanted = depths_of(two), got = depths_of(one);
    ASSERT_EQ(got.size(), wanted.size());
    ASSERT_FALSE(got.empty());
    for (std::size_t k = 0; k < got.size(); ++k) {
      EXPECT_EQ(got[k].vertex, wanted[k].vertex + (wanted[k].mesh == 1 ? first : 0));
      EXPECT_EQ(got[k].source, wanted[k].source);
      EXPECT_NEAR(got[k].depth, wanted[k].depth, 1e-12);
      EXPECT_NEAR((got[k].normal - wanted[k].normal).norm(), 0, 1e-12);
    }
  }
}

TEST(TetrahedralDepths, ABentBodyIsPushedOutOfItself) {
  // A long stick bent into a hook whose tip is pressed into its other end from above.
  const TetrahedralData stick =
      make::tetrahedral_box({.size_x = 6, .size_y = 0.6, .size_z = 0.4, .cells_x = 24, .cells_y = 3, .cells_z = 2});
  Vertices at = stick.vertices;
  for (Vector3& v : at) {
    // Half of the stick lies along x. The other half is narrower, bends back above it and comes down.
    if (v.x() <= 0) continue;
    constexpr double radius = 0.35, whole_turn = 3.45;
    const double turn = std::min(v.x() / radius, whole_turn), rest = v.x() - radius * turn, inner = radius - v.z();
    v = Vector3(inner * std::sin(turn) + rest * std::cos(turn), 0.7 * v.y(),
                radius - inner * std::cos(turn) + rest * std::sin(turn));
  }
  Meshes meshes;
  meshes.emplace_back(stick);
  meshes[0].set_vertices(at);
  ASSERT_TRUE(meshes[0].inverted().empty());
  const std::vector<VertexDepth> all = depths_of(meshes);
  expect_sound(all);
  std::size_t upper = 0, lower = 0;
  for (const VertexDepth& d : all) {
    const bool is_tip = stick.vertices[d.vertex].x() > 0;
    EXPECT_NE(d.source, DepthSource::none);
    EXPECT_GT(d.normal.z() * (is_tip ? 1 : -1), 0);
    ++(is_tip ? upper : lower);
  }
  EXPECT_GT(upper, 0u);
  EXPECT_GT(lower, 0u);
}

TEST(TetrahedralDepths, WhatIsWhollyInsideGoesToTheNearestSurface) {
  Meshes meshes;
  meshes.emplace_back(moved(make::tetrahedral_ball({.radius = 0.1, .subdivisions = 1}), Vector3(0.3, 0.01, 0.02)));
  meshes.emplace_back(make::tetrahedral_box({}));
  const std::vector<VertexDepth> all = depths_of(meshes);
  ASSERT_EQ(only(all, 0, 1).size(), meshes[0].vertices().size());
  for (const VertexDepth& d : only(all, 0, 1)) {
    EXPECT_EQ(d.source, DepthSource::surface);
    EXPECT_NEAR(d.depth, 0.5 - meshes[0].vertices()[d.vertex].x(), 1e-12);
    EXPECT_NEAR(d.normal.x(), 1, 1e-12);
  }
  // On the surface, where the depth is zero, the direction is the surface's normal.
  Meshes touching;
  touching.emplace_back(make::tetrahedral_box({}));
  touching.emplace_back(TetrahedralData{{{0.5, 0.1, 0.2}, {1, 0, 0}, {1, 1, 0}, {1, 0, 1}}, {{0, 1, 2, 3}}});
  for (const DepthMode mode : {DepthMode::consistent, DepthMode::nearest}) {
    const std::vector<VertexDepth> tip = only(depths_of(touching, {.mode = mode}), 1, 0);
    ASSERT_EQ(tip.size(), 1u);
    EXPECT_EQ(tip[0].depth, 0);
    EXPECT_NEAR((tip[0].normal - Vector3::UnitX()).norm(), 0, 1e-12);
  }
}

TEST(TetrahedralDepths, NoShorterMoveThanTheLowerBoundLeaves) {
  auto random = seeded(8223);
  Meshes meshes;
  meshes.emplace_back(make::tetrahedral_ball({.subdivisions = 2}));
  meshes.emplace_back(moved(make::tetrahedral_box({}), Vector3(0.4, 0.5, 0.3)));
  for (TetrahedralMesh& mesh : meshes)
    mesh.set_vertices(disturbed(mesh.vertices(), random, 0.01));
  for (const DepthMode mode : {DepthMode::consistent, DepthMode::nearest}) {
    const std::vector<VertexDepth> all = depths_of(meshes, {.mode = mode, .bounds = true});
    ASSERT_GT(all.size(), 50u);
    for (const VertexDepth& d : all) {
      if (d.mesh == d.other) continue;
      const Vector3& p = meshes[d.mesh].vertices()[d.vertex];
      const TetrahedralMesh& other = meshes[d.other];
      double nearest = HUGE_VAL;
      for (std::uint32_t f = 0; f < other.border_triangles().size(); ++f)
        nearest = std::min(nearest, closest_points(p, face_of(other, f)).distance);
      EXPECT_LE(d.lower, nearest * (1 + 1e-12));
      EXPECT_GE(d.lower, nearest * (1 - 1e-9) - 1e-15);
      const Vector3 near = p + 0.999 * d.lower * unit_vector(random);
      bool is_in = false;
      for (std::size_t t = 0; t < other.tetrahedra().size(); ++t)
        is_in = is_in || other.contains(t, near);
      EXPECT_TRUE(is_in);
    }
  }
  // With inverted tetrahedra there is no lower bound.
  Vertices crumpled = disturbed(meshes[1].vertices(), random, 0.5);
  meshes[1].set_vertices(crumpled);
  ASSERT_FALSE(meshes[1].inverted().empty());
  for (const VertexDepth& d : only(depths_of(meshes, {.bounds = true}), 0, 1))
    EXPECT_EQ(d.lower, 0);
}

TEST(TetrahedralDepths, OfCrumpledCollapsedAndScaledMeshesAreSound) {
  auto random = seeded(8224);
  for (std::size_t i = 0; i < cases(20); ++i) {
    Meshes meshes;
    meshes.emplace_back(make::tetrahedral_box({.cells_x = 1, .cells_y = 2, .cells_z = 1}));
    meshes.emplace_back(moved(make::tetrahedral_ball({.subdivisions = 0}), 0.7 * unit_vector(random)));
    for (TetrahedralMesh& mesh : meshes) {
      Vertices at = disturbed(mesh.vertices(), random, i % 2 == 0 ? 0.5 : 0.0);
      for (Vector3& v : at)
        for (std::size_t k = 0; k < i / 2 % 4; ++k)
          v[static_cast<int>(k)] = 0.25;
      mesh.set_vertices(at);
    }
    const std::vector<VertexDepth> all = depths_of(meshes, {.bounds = true});
    expect_sound(all);
    expect_sound(depths_of(meshes, {.mode = DepthMode::nearest}));
    for (const double scale : {0x1p-300, 0x1p200}) {
      Meshes scaled = meshes;
      for (std::size_t m = 0; m < meshes.size(); ++m) {
        Vertices at = vertices_of(meshes[m]);
        for (Vector3& v : at)
          v *= scale;
        scaled[m].set_vertices(at);
      }
      const std::vector<VertexDepth> other = depths_of(scaled);
      expect_sound(other);
      ASSERT_EQ(other.size(), all.size());
      for (std::size_t k = 0; k < all.size(); ++k) {
        EXPECT_EQ(other[k].source, all[k].source);
        EXPECT_NEAR(other[k].depth / scale, all[k].depth, 1e-9);
      }
    }
  }
}

TEST(TetrahedralDepths, AreTheSameOnAnyNumberOfThreads) {
  Meshes meshes = pressed();
  for (const DepthMode mode : {DepthMode::consistent, DepthMode::nearest}) {
    const std::vector<VertexDepth> all = depths_of(meshes, {.mode = mode, .bounds = true});
    const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
    const std::vector<VertexDepth> again = depths_of(meshes, {.mode = mode, .bounds = true});
    ASSERT_EQ(again.size(), all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      EXPECT_EQ(again[i].vertex, all[i].vertex);
      EXPECT_EQ(again[i].depth, all[i].depth);
      EXPECT_EQ(again[i].normal, all[i].normal);
      EXPECT_EQ(again[i].lower, all[i].lower);
    }
  }
}

TEST(TetrahedralDepths, ContactsOfOtherMeshesAreAnError) {
  const Meshes meshes = pressed();
  TetrahedralContactFinder finder;
  TetrahedralContacts contacts;
  finder.find(meshes, contacts);
  TetrahedralDepthFinder depth_finder;
  std::vector<VertexDepth> depths;
  EXPECT_THROW(depth_finder.find(std::span(meshes).first(1), contacts, depths), Error);
  Meshes small;
  small.emplace_back(TetrahedralData{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{0, 1, 2, 3}}});
  small.push_back(small[0]);
  EXPECT_THROW(depth_finder.find(small, contacts, depths), Error);
  depth_finder.find(meshes, contacts, depths);
  EXPECT_FALSE(depths.empty());
}

}  // namespace
}  // namespace whisker
