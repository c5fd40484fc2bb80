// inspect_mesh on meshes whose properties are known, and on damaged copies of them.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include <gtest/gtest.h>

#include <whisker/editing/mesh_report.hpp>
#include <whisker/error.hpp>

#include "support/cases.hpp"
#include "support/mesh_edits.hpp"

namespace whisker {
namespace {

using test::joined;
using test::unshared;

/// A box from `at` to `at` + `size`, closed, facing outward: 8 vertices, 12 triangles.
MeshData box(const Vector3& size = {1, 1, 1}, const Vector3& at = {0, 0, 0}) {
  MeshData mesh;
  for (int i = 0; i < 8; ++i) {
    mesh.vertices.emplace_back(at.x() + (i & 1 ? size.x() : 0), at.y() + (i & 2 ? size.y() : 0),
                               at.z() + (i & 4 ? size.z() : 0));
  }
  mesh.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                    {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  return mesh;
}

/// A torus of n x m quads, closed, genus 1.
MeshData torus(std::uint32_t n, std::uint32_t m) {
  MeshData mesh;
  for (std::uint32_t i = 0; i < n; ++i) {
    for (std::uint32_t k = 0; k < m; ++k) {
      const double u = 6.283185307179586 * i / n;
      const double v = 6.283185307179586 * k / m;
      mesh.vertices.emplace_back((3 + std::cos(v)) * std::cos(u), (3 + std::cos(v)) * std::sin(u), std::sin(v));
    }
  }
  const auto at = [&](std::uint32_t i, std::uint32_t k) { return (i % n) * m + k % m; };
  for (std::uint32_t i = 0; i < n; ++i) {
    for (std::uint32_t k = 0; k < m; ++k) {
      mesh.triangles.push_back({at(i, k), at(i + 1, k), at(i + 1, k + 1)});
      mesh.triangles.push_back({at(i, k), at(i + 1, k + 1), at(i, k + 1)});
    }
  }
  return mesh;
}

bool mentions(const MeshReport& report, const std::string& words) {
  return std::any_of(report.findings.begin(), report.findings.end(),
                     [&](const std::string& finding) { return finding.find(words) != std::string::npos; });
}

TEST(MeshReport, BoxIsClosedOutwardAndWithoutFindings) {
  const MeshReport report = inspect_mesh(box({1, 2, 4}));
  EXPECT_EQ(report.triangles, 12u);
  EXPECT_EQ(report.vertices, 8u);
  EXPECT_EQ(report.used_vertices, 8u);
  EXPECT_EQ(report.edges, 18u);
  EXPECT_TRUE(report.closed);
  EXPECT_TRUE(report.balanced);
  EXPECT_TRUE(report.consistent_orientation);
  EXPECT_EQ(report.facing, Facing::outward);
  EXPECT_EQ(report.connected_components, 1u);
  EXPECT_EQ(report.euler_characteristic, 2);
  EXPECT_EQ(report.volume, 8.0);
  EXPECT_EQ(report.area, 28.0);
  EXPECT_EQ(report.bounds.lower, Vector3(0, 0, 0));
  EXPECT_EQ(report.bounds.upper, Vector3(1, 2, 4));
  EXPECT_TRUE(report.findings.empty());
  EXPECT_TRUE(is_closed(box()));
}

TEST(MeshReport, TorusHasEulerCharacteristicZero) {
  const MeshReport report = inspect_mesh(torus(40, 20));
  EXPECT_TRUE(report.closed);
  EXPECT_EQ(report.euler_characteristic, 0);
  EXPECT_EQ(report.facing, Facing::outward);
  EXPECT_NEAR(report.volume, 2 * 9.8696044 * 3, 2);
}

TEST(MeshReport, SoupIsClosedByPosition) {
  const MeshReport report = inspect_mesh(unshared(box()));
  EXPECT_TRUE(report.closed);
  EXPECT_EQ(report.vertices, 36u);
  EXPECT_EQ(report.duplicate_vertices, 28u);
  EXPECT_EQ(report.connected_components, 1u);
  EXPECT_EQ(report.euler_characteristic, 2);
  EXPECT_TRUE(is_closed(unshared(box())));
}

TEST(MeshReport, ZeroAndMinusZeroAreOnePosition) {
  MeshData mesh = unshared(box());
  for (std::size_t i = 0; i < mesh.vertices.size(); i += 2) {
    for (int k = 0; k < 3; ++k) {
      if (mesh.vertices[i][k] == 0) mesh.vertices[i][k] = -0.0;
    }
  }
  EXPECT_TRUE(is_closed(mesh));
  EXPECT_EQ(inspect_mesh(mesh).duplicate_vertices, 28u);
}

TEST(MeshReport, NearIsNotEqual) {
  MeshData mesh = unshared(box());
  mesh.vertices[0].x() = std::numeric_limits<double>::denorm_min();
  EXPECT_FALSE(is_closed(mesh));
  EXPECT_EQ(inspect_mesh(mesh).boundary_edges, 4u);
}

TEST(MeshReport, MissingTriangleLeavesThreeOpenEdges) {
  MeshData mesh = box();
  mesh.triangles.pop_back();
  const MeshReport report = inspect_mesh(mesh);
  EXPECT_FALSE(report.closed);
  EXPECT_FALSE(report.balanced);
  EXPECT_EQ(report.boundary_edges, 3u);
  EXPECT_EQ(report.facing, Facing::undecided);
  EXPECT_EQ(report.volume, 0.0);
  EXPECT_TRUE(mentions(report, "3 open edges"));
  EXPECT_FALSE(is_closed(mesh));
}

TEST(MeshReport, TurnedTriangleIsInconsistentOnThreeEdges) {
  MeshData mesh = box();
  std::swap(mesh.triangles[3][0], mesh.triangles[3][1]);
  const MeshReport report = inspect_mesh(mesh);
  EXPECT_EQ(report.inconsistent_edges, 3u);
  EXPECT_EQ(report.boundary_edges, 0u);
  EXPECT_FALSE(report.consistent_orientation);
  EXPECT_FALSE(report.closed);
  EXPECT_TRUE(mentions(report, "3 edges whose two triangles face opposite ways"));
}

TEST(MeshReport, InsideOutIsClosedAndInward) {
  MeshData mesh = box();
  for (Index3& t : mesh.triangles)
    std::swap(t[0], t[1]);
  const MeshReport report = inspect_mesh(mesh);
  EXPECT_TRUE(report.closed);
  EXPECT_EQ(report.facing, Facing::inward);
  EXPECT_EQ(report.volume, -1.0);
  EXPECT_TRUE(mentions(report, "inside out"));
}

TEST(MeshReport, DuplicateTriangleMakesItsEdgesNonManifold) {
  MeshData mesh = box();
  const Index3 t = mesh.triangles[5];
  mesh.triangles.push_back({t[2], t[0], t[1]});
  const MeshReport report = inspect_mesh(mesh);
  EXPECT_EQ(report.duplicate_triangles, 1u);
  EXPECT_EQ(report.nonmanifold_edges, 3u);
  EXPECT_FALSE(report.closed);
  EXPECT_TRUE(mentions(report, "1 duplicate"));
}

TEST(MeshReport, TwoBoxesOnOneEdgeAreBalancedButNotClosed) {
  const MeshData mesh = joined(box(), box({1, 1, 1}, {1, 1, 0}));
  const MeshReport report = inspect_mesh(mesh);
  EXPECT_EQ(report.nonmanifold_edges, 1u);
  EXPECT_FALSE(report.closed);
  EXPECT_TRUE(report.balanced);
  EXPECT_EQ(report.volume, 2.0);
  EXPECT_EQ(report.connected_components, 1u);
  EXPECT_FALSE(is_closed(mesh));
}

TEST(MeshReport, SeparateBoxesAreTwoComponents) {
  const MeshReport report = inspect_mesh(joined(box(), box({1, 1, 1}, {5, 0, 0})));
  EXPECT_EQ(report.connected_components, 2u);
  EXPECT_EQ(report.euler_characteristic, 4);
  EXPECT_TRUE(report.closed);
}

TEST(MeshReport, CollapsedTrianglesDoNotOpenAMesh) {
  MeshData mesh = box();
  mesh.triangles.push_back({0, 0, 1});
  mesh.triangles.push_back({3, 3, 3});
  mesh.vertices.push_back(mesh.vertices[2]);
  mesh.triangles.push_back({2, 8, 6});  // two indices, one position
  const MeshReport report = inspect_mesh(mesh);
  EXPECT_EQ(report.collapsed_triangles, 3u);
  EXPECT_EQ(report.degenerate_triangles, 3u);
  EXPECT_TRUE(report.closed);
  EXPECT_TRUE(is_closed(mesh));
  EXPECT_EQ(report.euler_characteristic, 2);
  EXPECT_TRUE(mentions(report, "3 degenerate triangles"));
}

TEST(MeshReport, NeedleBetweenNeighborsKeepsAMeshClosed) {
  // The edge 0-1 of a box is split at its middle on one side only. A triangle without area closes the gap.
  MeshData mesh = box();
  mesh.vertices.emplace_back(0.5, 0, 0);  // 8
  mesh.triangles[4] = {0, 8, 4};          // was {0, 1, 4}
  mesh.triangles.push_back({8, 1, 4});
  EXPECT_FALSE(is_closed(mesh));
  mesh.triangles.push_back({0, 1, 8});
  const MeshReport report = inspect_mesh(mesh);
  EXPECT_EQ(report.degenerate_triangles, 1u);
  EXPECT_EQ(report.collapsed_triangles, 0u);
  EXPECT_TRUE(report.closed);
  EXPECT_TRUE(is_closed(mesh));
  EXPECT_EQ(report.euler_characteristic, 2);
}

TEST(MeshReport, DegenerateIsDecidedWithoutRounding) {
  // Exactly on a line, and off the line by one unit in the last place.
  const Vector3 a(0.1, 0.2, 0.3);
  const Vector3 b = 3 * Vector3(0.125, 0.25, 0.5);
  const Vector3 on_line(0.75, 1.5, 3);
  const MeshData flat{{Vector3::Zero(), b, on_line}, {{0, 1, 2}}};
  EXPECT_EQ(inspect_mesh(flat).degenerate_triangles, 1u);
  MeshData bent = flat;
  bent.vertices[2].z() = std::nextafter(3.0, 4.0);
  EXPECT_EQ(inspect_mesh(bent).degenerate_triangles, 0u);
  // A triangle so small that its area underflows to 0 is not degenerate.
  const double tiny = std::numeric_limits<double>::denorm_min();
  EXPECT_EQ(inspect_mesh({{a, a + Vector3(1e-16, 0, 0), a}, {{0, 1, 2}}}).degenerate_triangles, 1u);
  EXPECT_EQ(inspect_mesh({{{0, 0, 0}, {tiny, 0, 0}, {0, tiny, 0}}, {{0, 1, 2}}}).degenerate_triangles, 0u);
}

TEST(MeshReport, DoubleSidedSheetIsClosedWithoutVolume) {
  auto random = test::seeded(511);
  MeshData mesh;
  for (int i = 0; i < 9; ++i) {
    mesh.vertices.emplace_back(test::uniform(random, 0, 1), test::uniform(random, 0, 1), test::uniform(random, 0, 1));
  }
  for (std::uint32_t i = 0; i < 9; i += 3) {
    mesh.triangles.push_back({i, i + 1, i + 2});
    mesh.triangles.push_back({i + 2, i + 1, i});
  }
  const MeshReport report = inspect_mesh(mesh);
  EXPECT_TRUE(report.closed);
  EXPECT_EQ(report.volume, 0.0);
  EXPECT_EQ(report.facing, Facing::undecided);
  EXPECT_EQ(report.connected_components, 3u);
  EXPECT_EQ(report.duplicate_triangles, 3u);
  EXPECT_TRUE(mentions(report, "without volume"));
}

TEST(MeshReport, UnusedVerticesAreCountedAndNotBounded) {
  MeshData mesh = box();
  mesh.vertices.emplace_back(100, 100, 100);
  const MeshReport report = inspect_mesh(mesh);
  EXPECT_EQ(report.unused_vertices, 1u);
  EXPECT_EQ(report.bounds.upper, Vector3(1, 1, 1));
  EXPECT_TRUE(mentions(report, "1 vertex that no triangle uses"));
}

TEST(MeshReport, VolumeFarFromTheOriginKeepsItsDigits) {
  const MeshReport report = inspect_mesh(box({1, 1, 1}, {1e6, -1e6, 1e6}));
  EXPECT_EQ(report.volume, 1.0);
  EXPECT_EQ(report.facing, Facing::outward);
}

TEST(MeshReport, MeasuresNeitherOverflowNorUnderflowOnTheWay) {
  const MeshReport large = inspect_mesh(box({1e100, 1e100, 1e100}));
  EXPECT_NEAR(large.volume / 1e300, 1, 1e-12);
  EXPECT_NEAR(large.area / 6e200, 1, 1e-12);
  const MeshReport small = inspect_mesh(box({1e-100, 1e-100, 1e-100}));
  EXPECT_NEAR(small.volume / 1e-300, 1, 1e-12);
  const MeshReport huge = inspect_mesh(box({1.7e308, 1.7e308, 1.7e308}, {-0.85e308, -0.85e308, -0.85e308}));
  EXPECT_TRUE(huge.closed);
  EXPECT_EQ(huge.facing, Facing::outward);
}

TEST(MeshReport, EmptyMeshIsNotClosed) {
  const MeshReport report = inspect_mesh({});
  EXPECT_FALSE(report.closed);
  EXPECT_TRUE(report.bounds.empty());
  EXPECT_TRUE(mentions(report, "no triangles"));
  EXPECT_FALSE(is_closed({}));
}

TEST(MeshReport, BadDataIsAnErrorThatNamesThePlace) {
  MeshData mesh = box();
  mesh.triangles[7][1] = 8;
  const auto message = [](const MeshData& data) {
    try {
      inspect_mesh(data);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(message(mesh).find("triangle 7"), std::string::npos);
  EXPECT_THROW(is_closed(mesh), Error);
  mesh = box();
  mesh.vertices[3].y() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(message(mesh).find("vertex 3"), std::string::npos);
}

// ---- against plain counting with ordered maps ----

TEST(MeshReport, RandomMeshesAgreeWithPlainCounting) {
  auto random = test::seeded(512);
  for (std::size_t round = 0; round < test::cases(2'000); ++round) {
    MeshData mesh;
    const std::size_t vertices = 1 + random() % 12;
    for (std::size_t i = 0; i < vertices; ++i) {
      mesh.vertices.emplace_back(static_cast<double>(random() % 2), static_cast<double>(random() % 3),
                                 random() % 2 ? 0.0 : -0.0);
    }
    for (std::size_t i = random() % 20; i > 0; --i) {
      Index3 t;
      for (std::uint32_t& corner : t)
        corner = static_cast<std::uint32_t>(random() % vertices);
      mesh.triangles.push_back(t);
    }
    using Key = std::tuple<double, double, double>;
    const auto key = [&](std::uint32_t v) {
      const Vector3& p = mesh.vertices[v];
      return Key{p.x(), p.y(), p.z() + 0.0};
    };
    std::map<std::pair<Key, Key>, int> uses;
    std::set<std::set<Key>> sets;
    std::size_t degenerate = 0;
    std::size_t collapsed = 0;
    std::size_t duplicates = 0;
    std::map<std::multiset<Key>, int> seen;
    for (const Index3& t : mesh.triangles) {
      const Key k[3] = {key(t[0]), key(t[1]), key(t[2])};
      if (seen[std::multiset<Key>(k, k + 3)]++ > 0) ++duplicates;
      const Vector3 u = mesh.vertices[t[1]] - mesh.vertices[t[0]];
      const Vector3 v = mesh.vertices[t[2]] - mesh.vertices[t[0]];
      if (u.x() * v.y() == u.y() * v.x()) ++degenerate;  // small integers in the plane z = 0: exact
      if (std::set<Key>(k, k + 3).size() < 3) {
        ++collapsed;
        continue;
      }
      for (int i = 0; i < 3; ++i)
        ++uses[{k[i], k[(i + 1) % 3]}];
    }
    std::size_t edges = 0;
    std::size_t boundary = 0;
    std::size_t nonmanifold = 0;
    std::size_t inconsistent = 0;
    bool balanced = mesh.triangles.size() > collapsed;
    for (const auto& [edge, count] : uses) {
      const auto other = uses.find({edge.second, edge.first});
      const int back = other == uses.end() ? 0 : other->second;
      if (back != 0 && edge.second < edge.first) continue;
      ++edges;
      boundary += count + back == 1 ? 1u : 0u;
      nonmanifold += count + back > 2 ? 1u : 0u;
      inconsistent += count + back == 2 && count != 1 ? 1u : 0u;
      balanced = balanced && count == back;
    }
    const MeshReport report = inspect_mesh(mesh);
    EXPECT_EQ(report.edges, edges);
    EXPECT_EQ(report.boundary_edges, boundary);
    EXPECT_EQ(report.nonmanifold_edges, nonmanifold);
    EXPECT_EQ(report.inconsistent_edges, inconsistent);
    EXPECT_EQ(report.balanced, balanced);
    EXPECT_EQ(report.degenerate_triangles, degenerate);
    EXPECT_EQ(report.collapsed_triangles, collapsed);
    EXPECT_EQ(report.duplicate_triangles, duplicates);
    EXPECT_EQ(report.closed, is_closed(mesh));
    EXPECT_EQ(report.closed, edges > 0 && boundary + nonmanifold + inconsistent == 0);
  }
}

TEST(FirstAtPosition, AgreesWithAnOrderedMap) {
  auto random = test::seeded(513);
  for (std::size_t round = 0; round < test::cases(50); ++round) {
    std::vector<Vector3> points;
    for (std::size_t i = random() % 500; i > 0; --i) {
      points.emplace_back(static_cast<double>(random() % 5), random() % 2 ? 0.0 : -0.0,
                          static_cast<double>(random() % 7));
    }
    std::map<std::tuple<double, double, double>, std::uint32_t> first;
    const std::vector<std::uint32_t> found = first_at_position(points);
    ASSERT_EQ(found.size(), points.size());
    for (std::uint32_t i = 0; i < points.size(); ++i) {
      EXPECT_EQ(found[i], first.try_emplace({points[i].x(), points[i].y(), points[i].z()}, i).first->second);
    }
  }
}

TEST(FirstAtPosition, PointThatIsNotFiniteIsAnError) {
  const std::vector<Vector3> points{{0, 0, 0}, {0, std::numeric_limits<double>::quiet_NaN(), 0}};
  EXPECT_THROW(first_at_position(points), Error);
}

TEST(MeshReport, MillionTrianglesTakeAboutASecond) {
  const MeshData mesh = unshared(torus(1000, 500));  // a million triangles, three million vertices
  const auto begin = std::chrono::steady_clock::now();
  const MeshReport report = inspect_mesh(mesh);
  const auto middle = std::chrono::steady_clock::now();
  const bool closed = is_closed(mesh);
  const auto end = std::chrono::steady_clock::now();
  EXPECT_TRUE(report.closed);
  EXPECT_TRUE(closed);
  EXPECT_EQ(report.duplicate_vertices, 2'500'000u);
  std::printf("a soup of 1,000,000 triangles: looked over in %.2f s, closed or not in %.2f s\n",
              std::chrono::duration<double>(middle - begin).count(),
              std::chrono::duration<double>(end - middle).count());
}

}  // namespace
}  // namespace whisker
