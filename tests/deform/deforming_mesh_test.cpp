// First contacts of deforming meshes between two frames: they equal those of all pairs of features, tested one by one.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/deforming_mesh.hpp>
#include <whisker/error.hpp>
#include <whisker/make/make.hpp>
#include <whisker/simd.hpp>

#include "support/cases.hpp"
#include "support/random_shapes.hpp"

namespace whisker {
namespace {

using test::cases;
using test::seeded;
using test::uniform;
using test::scenes::unit_vector;

using Vertices = std::vector<Vector3>;

Vertices disturbed(const Vertices& from, std::mt19937_64& random, double by, const Vector3& way) {
  Vertices to = from;
  for (Vector3& v : to)
    v += way + by * uniform(random, 0, 1) * unit_vector(random);
  return to;
}

MovingPoint point(const DeformingMesh& m, std::uint32_t v) {
  return {m.start()[v], m.end()[v]};
}
MovingSegment segment(const DeformingMesh& m, std::uint32_t edge) {
  const Index2 e = m.edges()[edge];
  return {{m.start()[e[0]], m.start()[e[1]]}, {m.end()[e[0]], m.end()[e[1]]}};
}
MovingTriangle triangle(const DeformingMesh& m, std::uint32_t face) {
  const Index3 t = m.triangles()[face];
  return {{m.start()[t[0]], m.start()[t[1]], m.start()[t[2]]}, {m.end()[t[0]], m.end()[t[1]], m.end()[t[2]]}};
}

/// A contact, bit for bit: times, weights, normal and point are those of the single query.
using Key = std::tuple<FeatureHitKind, std::uint32_t, std::uint32_t, double, double, bool, std::array<double, 13>>;
Key key(FeatureHitKind kind, std::uint32_t a, std::uint32_t b, const FeatureImpact& impact) {
  const auto &p = impact.weights_a, &q = impact.weights_b;
  const Vector3 &n = impact.normal, &at = impact.point;
  EXPECT_EQ(impact.cost.primitive_tests, 1u);
  return {kind,
          a,
          b,
          impact.time_lower,
          impact.time_upper,
          impact.certain,
          {p[0], p[1], p[2], q[0], q[1], q[2], n[0], n[1], n[2], at[0], at[1], at[2], impact.time}};
}
std::set<Key> keys(const FirstContacts<FeatureHit>& contacts) {
  std::set<Key> result;
  for (const FeatureHit& hit : contacts.hits)
    EXPECT_TRUE(result.insert(key(hit.kind, hit.a, hit.b, hit.impact)).second) << "reported twice";
  return result;
}

/// All pairs.
std::set<Key> brute_force(const DeformingMesh& a, const DeformingMesh& b, const FeatureImpactOptions& options) {
  std::set<Key> result;
  for (std::uint32_t v = 0; v < a.start().size(); ++v) {
    for (std::uint32_t f = 0; f < b.triangles().size(); ++f) {
      const FeatureImpact impact = first_contact_point_triangle(point(a, v), triangle(b, f), options);
      if (impact.status != ImpactStatus::apart) result.insert(key(FeatureHitKind::vertex_face, v, f, impact));
    }
  }
  for (std::uint32_t f = 0; f < a.triangles().size(); ++f) {
    for (std::uint32_t v = 0; v < b.start().size(); ++v) {
      FeatureImpact impact = first_contact_point_triangle(point(b, v), triangle(a, f), options);
      std::swap(impact.weights_a, impact.weights_b);
      impact.normal = -impact.normal;
      if (impact.status != ImpactStatus::apart) result.insert(key(FeatureHitKind::face_vertex, f, v, impact));
    }
  }
  for (std::uint32_t i = 0; i < a.edges().size(); ++i) {
    for (std::uint32_t j = 0; j < b.edges().size(); ++j) {
      const FeatureImpact impact = first_contact_segment_segment(segment(a, i), segment(b, j), options);
      if (impact.status != ImpactStatus::apart) result.insert(key(FeatureHitKind::edge_edge, i, j, impact));
    }
  }
  return result;
}

std::set<Key> brute_force(const DeformingMesh& m, const FeatureImpactOptions& options) {
  std::set<Key> result;
  for (std::uint32_t v = 0; v < m.start().size(); ++v) {
    for (std::uint32_t f = 0; f < m.triangles().size(); ++f) {
      const Index3 t = m.triangles()[f];
      if (std::find(t.begin(), t.end(), v) != t.end()) continue;
      const FeatureImpact impact = first_contact_point_triangle(point(m, v), triangle(m, f), options);
      if (impact.status != ImpactStatus::apart) result.insert(key(FeatureHitKind::vertex_face, v, f, impact));
    }
  }
  for (std::uint32_t i = 0; i < m.edges().size(); ++i) {
    for (std::uint32_t j = i + 1; j < m.edges().size(); ++j) {
      const Index2 p = m.edges()[i], q = m.edges()[j];
      if (p[0] == q[0] || p[0] == q[1] || p[1] == q[0] || p[1] == q[1]) continue;
      const FeatureImpact impact = first_contact_segment_segment(segment(m, i), segment(m, j), options);
      if (impact.status != ImpactStatus::apart) result.insert(key(FeatureHitKind::edge_edge, i, j, impact));
    }
  }
  return result;
}

TEST(DeformingMesh, ContactsOfTwoAreThoseOfAllPairs) {
  auto random = seeded(801);
  std::size_t found = 0;
  for (std::size_t i = 0; i < cases(30); ++i) {
    const MeshData first = make::icosphere({.subdivisions = 1}), second = make::torus({.around = 10, .across = 6});
    // Also far from the origin, where floats are coarse.
    const Vector3 far = i % 3 == 0 ? Vector3(1000, -2000, 500) : Vector3(0, 0, 0);
    Vertices a0 = first.vertices, b0 = second.vertices;
    for (Vector3& v : a0)
      v += far;
    const Vector3 beside = far + 2.4 * unit_vector(random);
    for (Vector3& v : b0)
      v += beside;
    DeformingMesh a({a0, first.triangles}), b({b0, second.triangles});
    const double much = i % 2 == 0 ? 0.05 : 1;
    a.set_vertices(disturbed(a0, random, much, uniform(random, 0, 1) * (beside - far)));
    b.set_vertices(disturbed(b0, random, much, uniform(random, 0, 1) * (far - beside)));
    DeformingOptions options;
    if (i % 5 == 4) options.features.separation = 0.05;
    const std::set<Key> wanted = brute_force(a, b, options.features), got = keys(first_contacts(a, b, options));
    EXPECT_EQ(got, wanted) << i;
    found += wanted.size();
  }
  EXPECT_GT(found, 100u);
}

TEST(DeformingMesh, ContactsWithItselfAreThoseOfAllPairs) {
  auto random = seeded(802);
  std::size_t found = 0;
  for (std::size_t i = 0; i < cases(20); ++i) {
    const MeshData sheet = make::cloth_sheet({.columns = 9, .rows = 9});
    DeformingMesh cloth(sheet);
    Vertices next = disturbed(sheet.vertices, random, i % 2 == 0 ? 0.02 : 0.4, Vector3(5, 0, 1));
    // Folds the sheet.
    for (Vector3& v : next)
      if (v[0] > 5) v = Vector3(10 - v[0], v[1], v[2] - 0.05);
    cloth.set_vertices(next);
    const std::set<Key> wanted = brute_force(cloth, {}), got = keys(first_contacts(cloth));
    EXPECT_EQ(got, wanted) << i;
    found += wanted.size();
    cloth.set_vertices(disturbed(next, random, 0.01, Vector3(0, 0, -3)));
    EXPECT_EQ(keys(first_contacts(cloth)), brute_force(cloth, {})) << i;
  }
  EXPECT_GT(found, 100u);
}

TEST(DeformingMesh, VerticesThatNoTriangleHasChangeNothing) {
  auto random = seeded(810);
  const MeshData ball = make::icosphere({.subdivisions = 1});
  std::size_t found = 0;
  for (std::size_t i = 0; i < cases(10); ++i) {
    // Unused vertices far away before, after and between: only every third vertex belongs to the ball.
    MeshData data;
    for (const Vector3& v : ball.vertices) {
      data.vertices.insert(data.vertices.end(), {Vector3(50, 0, 0), v, Vector3(0, 70, 0)});
    }
    for (const Index3& t : ball.triangles)
      data.triangles.push_back({3 * t[0] + 1, 3 * t[1] + 1, 3 * t[2] + 1});
    DeformingMesh a(data), b(ball);
    Vertices next = data.vertices;
    for (std::size_t v = 1; v < next.size(); v += 3)
      next[v] = 0.4 * next[v] + 0.3 * unit_vector(random);
    a.set_vertices(next);
    b.set_vertices(disturbed(ball.vertices, random, 0.1, 0.5 * unit_vector(random)));
    const std::set<Key> wanted = brute_force(a, b, {});
    EXPECT_EQ(keys(first_contacts(a, b)), wanted) << i;
    EXPECT_EQ(keys(first_contacts(a)), brute_force(a, {})) << i;
    found += wanted.size();
  }
  EXPECT_GT(found, 100u);
}

TEST(DeformingMesh, WhatIsWithinATimeOfTheFirst) {
  auto random = seeded(803);
  for (std::size_t i = 0; i < cases(20); ++i) {
    const MeshData ball = make::icosphere({.subdivisions = 2});
    Vertices beside = ball.vertices;
    for (Vector3& v : beside)
      v += Vector3(2.5, 0, 0);
    DeformingMesh a(ball), b({beside, ball.triangles});
    a.set_vertices(disturbed(ball.vertices, random, 0.1, Vector3(1, 0, 0)));
    b.set_vertices(disturbed(beside, random, 0.1, Vector3(-1, 0.2, 0)));
    const FirstContacts<FeatureHit> all = first_contacts(a, b);
    ASSERT_FALSE(all.hits.empty());
    EXPECT_TRUE(std::is_sorted(all.hits.begin(), all.hits.end(), [](const FeatureHit& x, const FeatureHit& y) {
      return x.impact.time_lower < y.impact.time_lower;
    }));
    double first = HUGE_VAL;
    for (const FeatureHit& hit : all.hits)
      if (hit.impact.certain) first = std::min(first, hit.impact.time_upper);
    for (const double within : {0.0, 0.01, 0.1}) {
      const FirstContacts<FeatureHit> some = first_contacts(a, b, {.within = within});
      // Every contact that begins by then, and none that begins later.
      std::set<std::tuple<FeatureHitKind, std::uint32_t, std::uint32_t>> got;
      for (const FeatureHit& hit : some.hits) {
        got.insert({hit.kind, hit.a, hit.b});
        EXPECT_LE(hit.impact.time_lower, first + within);
      }
      for (const FeatureHit& hit : all.hits)
        EXPECT_TRUE(hit.impact.time_upper > first + within || got.count({hit.kind, hit.a, hit.b}) > 0);
      EXPECT_LE(some.cost.primitive_tests, all.cost.primitive_tests);
    }
  }
}

TEST(DeformingMesh, EveryInstructionSetGivesTheSameContacts) {
  auto random = seeded(4711);
  for (std::size_t i = 0; i < cases(6); ++i) {
    const MeshData data = make::icosphere({.subdivisions = 2});
    DeformingMesh a(data), b(data);
    a.set_step(data.vertices, disturbed(data.vertices, random, 0.5, Vector3::Zero()));
    b.set_step(disturbed(data.vertices, random, 0.1, Vector3(1.5, 0.1, 0)),
               disturbed(data.vertices, random, 0.1, Vector3(0.5, 0, 0.2)));
    DeformingOptions options;
    if (i % 2 == 1) options.features.separation = 0.01;
    const std::set<Key> own = keys(first_contacts(a, options)), both = keys(first_contacts(a, b, options));
    EXPECT_FALSE(own.empty());
    EXPECT_FALSE(both.empty());
    for (const std::string& target : simd_targets()) {
      SCOPED_TRACE(target);
      ASSERT_TRUE(use_simd_target(target));
      EXPECT_EQ(keys(first_contacts(a, options)), own);
      EXPECT_EQ(keys(first_contacts(a, b, options)), both);
    }
    use_simd_target("");
  }
}

TEST(DeformingMesh, AFastVertexDoesNotPassAThinWall) {
  const MeshData wall{{{-1, -1, 0}, {1, -1, 0}, {0, 1.5, 0}}, {{0, 1, 2}}};
  const MeshData dart{{{0, 0, 50}, {0.01, 0, 51}, {0, 0.01, 51}}, {{0, 1, 2}}};
  DeformingMesh a(dart), b(wall);
  Vertices end = dart.vertices;
  for (Vector3& v : end)
    v[2] -= 1000;
  a.set_vertices(end);
  const FirstContacts<FeatureHit> contacts = first_contacts(a, b);
  ASSERT_FALSE(contacts.hits.empty());
  EXPECT_EQ(contacts.hits[0].kind, FeatureHitKind::vertex_face);
  EXPECT_NEAR(contacts.hits[0].impact.time_lower, 0.05, 1e-8);
  EXPECT_NEAR(contacts.hits[0].impact.time, 0.05, 1e-8);
  EXPECT_LE(contacts.hits[0].impact.point.norm(), 1e-5);
  EXPECT_GE(contacts.cost.primitive_tests, 3u);
  EXPECT_GT(contacts.cost.volume_tests, 0u);
  // The tip, and the two corners behind it.
  EXPECT_EQ(contacts.hits.size(), 3u);
}

TEST(DeformingMesh, StepsFollowOneAnother) {
  const MeshData ball = make::icosphere({.subdivisions = 1});
  DeformingMesh m(ball);
  EXPECT_TRUE(first_contacts(m).hits.empty());
  Vertices one = ball.vertices, two = ball.vertices;
  for (std::size_t i = 0; i < one.size(); ++i) {
    one[i] += Vector3(1, 0, 0);
    two[i] += Vector3(3, 0, 0);
  }
  m.set_vertices(one);
  m.set_vertices(two);
  EXPECT_EQ(m.start()[5], one[5]);
  EXPECT_EQ(m.end()[5], two[5]);
  DeformingMesh copy = m;
  copy.set_step(one, ball.vertices);
  EXPECT_EQ(m.end()[5], two[5]);
  EXPECT_EQ(copy.end()[5], ball.vertices[5]);
  // A mesh against itself as if it were another one: every vertex is on itself.
  EXPECT_FALSE(first_contacts(m, m).hits.empty());
}

TEST(DeformingMesh, AStepIsTurnedRoundWithTheMeshsOwnVertices) {
  const MeshData ball = make::icosphere({.subdivisions = 1});
  Vertices higher = ball.vertices;
  for (Vector3& v : higher)
    v[2] += 1;
  DeformingMesh m(ball);
  m.set_vertices(higher);
  m.set_step(m.end(), m.start());
  EXPECT_EQ(m.start()[5], higher[5]);
  EXPECT_EQ(m.end()[5], ball.vertices[5]);
  m.set_vertices(m.start());
  EXPECT_EQ(m.start()[5], ball.vertices[5]);
  EXPECT_EQ(m.end()[5], higher[5]);
  m.set_vertices(m.end());
  EXPECT_EQ(m.start()[5], higher[5]);
  EXPECT_EQ(m.end()[5], higher[5]);
}

TEST(DeformingMesh, BeyondTheRangeOfFloatsNothingIsMissed) {
  auto random = seeded(805);
  for (const double size : {1e37, 1e38, 1e39, 1e60, 1e89}) {
    for (const bool is_shifted : {false, true}) {
      MeshData data;
      for (int i = 0; i < 36; ++i)
        data.vertices.push_back(size * unit_vector(random));
      for (std::uint32_t i = 0; i < 36; i += 3)
        data.triangles.push_back({i, i + 1, i + 2});
      MeshData other = data;
      for (Vector3& v : other.vertices)
        v = -v + (is_shifted ? Vector3(size, 0, 0) : Vector3(Vector3::Zero()));
      DeformingMesh a(data), b(other);
      Vertices end = data.vertices;
      for (Vector3& v : end)
        v += size * unit_vector(random);
      a.set_vertices(end);
      const DeformingOptions options{.features = {.tolerance = 1e-6 * size}};
      EXPECT_EQ(keys(first_contacts(a, b, options)), brute_force(a, b, options.features));
      EXPECT_EQ(keys(first_contacts(a, options)), brute_force(a, options.features));
    }
  }
}

TEST(DeformingMesh, BadInputIsAnErrorAndChangesNothing) {
  const MeshData ball = make::icosphere({.subdivisions = 1});
  const auto message = [](auto&& call) {
    try {
      call();
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(message([] { DeformingMesh m(MeshData{}); }).find("no triangle"), std::string::npos);
  EXPECT_NE(message([] { DeformingMesh m({{Vector3(0, 0, 0)}, {{0, 0, 7}}}); }).find("vertex 7"), std::string::npos);
  DeformingMesh m(ball);
  Vertices bad = ball.vertices;
  bad[3][1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(message([&] { m.set_vertices(bad); }).find("vertex 3"), std::string::npos);
  bad.pop_back();
  EXPECT_NE(message([&] { m.set_vertices(bad); }).find("vertices"), std::string::npos);
  EXPECT_EQ(m.end()[3], ball.vertices[3]);
  EXPECT_NE(message([&] { first_contacts(m, {.within = -1}); }).find("within"), std::string::npos);
}

}  // namespace
}  // namespace whisker
