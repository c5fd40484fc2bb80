// Triangles of one mesh that touch each other: they equal those of all pairs, tested one by one with exact predicates.

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <string>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/deforming_mesh.hpp>
#include <whisker/geometry/triangle_tests.hpp>
#include <whisker/make/make.hpp>
#include <whisker/self_contacts.hpp>
#include <whisker/simd.hpp>

#include "support/cases.hpp"
#include "support/sheets.hpp"
#include "support/sorted_pairs.hpp"

namespace whisker {
namespace {

using test::cases;
using test::NamedMesh;
using test::seeded;
using test::sorted;
using test::uniform;

using Pairs = std::vector<TrianglePair>;

struct Expected {
  Pairs pairs, adjacent;
};

Triangle triangle(std::span<const Vector3> vertices, const Index3& t) {
  return {vertices[t[0]], vertices[t[1]], vertices[t[2]]};
}

int shared_vertices(const Index3& a, const Index3& b) {
  const std::set<std::uint32_t> first(a.begin(), a.end()), second(b.begin(), b.end());
  return static_cast<int>(
      std::count_if(first.begin(), first.end(), [&](std::uint32_t v) { return second.contains(v); }));
}

bool has_area(const Triangle& t) {
  // The intersection of a triangle with itself is the triangle.
  return intersect_triangle_triangle(t, t).kind == TriangleIntersection::Kind::polygon;
}

/// Tests all pairs. For neighbors, the kind of their intersection shows whether they share more than their common
/// vertices.
Expected brute_force(std::span<const Vector3> vertices, std::span<const Index3> triangles) {
  using Kind = TriangleIntersection::Kind;
  Expected expected;
  for (std::uint32_t i = 0; i < triangles.size(); ++i) {
    const Triangle p = triangle(vertices, triangles[i]);
    for (std::uint32_t j = i + 1; j < triangles.size(); ++j) {
      const Triangle q = triangle(vertices, triangles[j]);
      const int shared = shared_vertices(triangles[i], triangles[j]);
      if (shared == 0) {
        if (touches_triangle_triangle(p, q)) expected.pairs.push_back({i, j});
      } else if (has_area(p) && has_area(q)) {
        const Kind kind = intersect_triangle_triangle(p, q).kind;
        if (shared == 1 ? kind != Kind::point : kind == Kind::polygon) expected.adjacent.push_back({i, j});
      }
    }
  }
  return expected;
}

void expect_equal(const SelfContacts& found, const Expected& expected, const std::string& what) {
  EXPECT_EQ(sorted(found.pairs), expected.pairs) << what;
  EXPECT_EQ(sorted(found.adjacent), expected.adjacent) << what;
}

TEST(SelfContacts, AreThoseOfAllPairs) {
  std::mt19937_64 random = seeded(801);
  std::size_t pairs = 0, adjacent = 0;
  for (const NamedMesh& mesh : test::bent_surfaces(8)) {
    DeformingMesh deforming(mesh.data);
    for (int form = 0; form < 5; ++form) {
      std::vector<Vector3> vertices = mesh.data.vertices;
      if (form == 1) vertices = test::shaken(vertices, random, 0.01);
      if (form == 2) vertices = test::shaken(vertices, random, 0.2);
      if (form == 3) vertices = test::snapped(vertices, 0.125);
      if (form == 4) vertices = test::snapped(test::shaken(vertices, random, 0.2), 0.25);
      deforming.set_vertices(vertices);
      const Expected expected = brute_force(vertices, mesh.data.triangles);
      const std::string what = mesh.name + ", form " + std::to_string(form);
      expect_equal(self_contacts(deforming), expected, what);
      expect_equal(self_contacts(Mesh({vertices, mesh.data.triangles})), expected, what + ", as a mesh");
      expect_equal(self_contacts(deforming, {.by_direction = true}), expected, what + ", by direction");
      expect_equal(self_contacts(deforming, {.by_direction = false}), expected, what + ", not by direction");
      expect_equal(self_contacts(Mesh({vertices, mesh.data.triangles}), {.by_direction = true}), expected,
                   what + ", as a mesh, by direction");
      pairs += expected.pairs.size();
      adjacent += expected.adjacent.size();
    }
  }
  EXPECT_GT(pairs, 10000u);
  EXPECT_GT(adjacent, 1000u);
}

TEST(SelfContacts, AreThoseOfAllPairsAfterManyDeformations) {
  std::mt19937_64 random = seeded(802);
  for (const NamedMesh& mesh : test::bent_surfaces(4)) {
    DeformingMesh deforming(mesh.data);
    SelfContacts found;
    std::vector<Vector3> vertices = mesh.data.vertices;
    for (std::size_t step = 0; step < cases(100); ++step) {
      // Small steps, a stretch, a throw, and sometimes back to the start.
      if (step % 20 == 0) vertices = mesh.data.vertices;
      vertices = test::shaken(vertices, random, 0.03);
      if (step % 7 == 0) {
        const Vector3 stretch(uniform(random, 0.2, 3), uniform(random, 0.2, 3), uniform(random, 0.2, 3));
        for (Vector3& v : vertices)
          v = v.cwiseProduct(stretch);
      }
      if (step % 11 == 0) vertices = test::snapped(vertices, 0.1);
      deforming.set_vertices(vertices);
      const Expected expected = brute_force(vertices, mesh.data.triangles);
      const std::string what = mesh.name + ", step " + std::to_string(step);
      self_contacts(deforming, found);
      expect_equal(found, expected, what);
      self_contacts(deforming, {.by_direction = true}, found);
      expect_equal(found, expected, what + ", by direction");
      self_contacts(deforming, {.by_direction = false}, found);
      expect_equal(found, expected, what + ", not by direction");
      if (HasFailure()) return;
    }
  }
}

TEST(SelfContacts, DoNotDependOnPlaceAndSize) {
  std::mt19937_64 random = seeded(803);
  for (const NamedMesh& mesh : test::bent_surfaces(4)) {
    const std::vector<Vector3> form = test::snapped(test::shaken(mesh.data.vertices, random, 0.3), 0x1p-7);
    const Expected expected = brute_force(form, mesh.data.triangles);
    DeformingMesh deforming(mesh.data);
    // Exact in doubles: integer multiples of 2^-7, however shifted and scaled.
    for (const double scale : {0x1p-300, 0x1p-40, 1.0, 0x1p40, 0x1p250}) {
      for (const double shift : {0.0, 0x1p20, -0x1p40}) {
        std::vector<Vector3> vertices = form;
        for (Vector3& v : vertices)
          v = (v + Vector3(shift, -shift, shift / 2)) * scale;
        deforming.set_vertices(vertices);
        const std::string what =
            mesh.name + ", scale " + std::to_string(std::ilogb(scale)) + ", shift " + std::to_string(shift);
        expect_equal(self_contacts(deforming), expected, what);
        expect_equal(self_contacts(Mesh({vertices, mesh.data.triangles})), expected, what + ", as a mesh");
      }
    }
  }
}

TEST(SelfContacts, AreTheSameOnEveryInstructionSetAndAnyNumberOfThreads) {
  std::mt19937_64 random = seeded(804);
  MeshData data = test::bent_sheet(60, 60, [](double u, double v) {
    return Vector3(0.3 * std::sin(9 * u), 0.3 * std::cos(8 * v), 0.2 * std::sin(7 * u + 5 * v));
  });
  data.vertices = test::shaken(data.vertices, random, 0.005);
  const std::vector<Vector3> next = test::shaken(data.vertices, random, 0.01);
  SelfContacts first;
  for (const std::string& target : simd_targets()) {
    ASSERT_TRUE(use_simd_target(target));
    for (const int threads : {1, 0}) {
      DeformingMesh mesh(data, {.threads = threads});
      self_contacts(mesh);
      mesh.set_vertices(next);
      const SelfContacts found = self_contacts(mesh, {.threads = threads});
      if (first.pairs.empty()) first = found;
      EXPECT_EQ(found.pairs, first.pairs) << target;
      EXPECT_EQ(found.cost.volume_tests, first.cost.volume_tests) << target;  // the same subtrees are pruned
      EXPECT_EQ(sorted(found.adjacent), sorted(first.adjacent)) << target;
    }
  }
  use_simd_target("");
  EXPECT_GT(first.pairs.size(), 1000u);
  EXPECT_GT(first.adjacent.size(), 10u);
}

TEST(SelfContacts, OfOddTriangles) {
  // A duplicated triangle, one that uses a vertex twice, one whose corners all coincide, and unused vertices.
  const std::vector<Vector3> vertices = {{0, 0, 0},     {1, 0, 0},     {0, 1, 0},     {5, 5, 5},     {0.2, 0.2, -1},
                                         {0.2, 0.2, 1}, {0.2, 0.2, 0}, {0.2, 0.2, 0}, {0.2, 0.2, 0}, {1, 1, 0}};
  const std::vector<Index3> triangles = {{0, 1, 2}, {2, 1, 0}, {4, 5, 5}, {6, 7, 8}, {0, 0, 9}, {1, 9, 2}};
  const SelfContacts found = self_contacts(DeformingMesh({vertices, triangles}));
  expect_equal(found, brute_force(vertices, triangles), "odd");
  EXPECT_EQ(found.adjacent, (Pairs{{0, 1}}));
  EXPECT_EQ(sorted(found.pairs), (Pairs{{0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}, {2, 4}, {3, 4}}));
}

TEST(SelfContacts, OfAllVerticesInOnePlace) {
  MeshData data = make::icosphere({.subdivisions = 1});
  DeformingMesh mesh(data);
  self_contacts(mesh);
  for (Vector3& v : data.vertices)
    v = Vector3(3, 4, 5);
  mesh.set_vertices(data.vertices);
  expect_equal(self_contacts(mesh), brute_force(data.vertices, data.triangles), "one place");
}

TEST(SelfContacts, OfManyTrianglesAboutOneVertex) {
  // A cone, closed and open, once and twice around.
  for (const bool is_closed : {true, false}) {
    for (const int rounds : {1, 2}) {
      MeshData data;
      data.vertices.emplace_back(0, 0, 1);
      constexpr std::uint32_t count = 40;
      for (std::uint32_t k = 0; k < count; ++k) {
        const double angle = 2 * test::half_turn * rounds * k / count;
        data.vertices.emplace_back(std::cos(angle), std::sin(angle), 0);
      }
      for (std::uint32_t k = 0; k + (is_closed ? 0u : 1u) < count; ++k)
        data.triangles.push_back({0, 1 + k, 1 + (k + 1) % count});
      const SelfContacts found = self_contacts(DeformingMesh(data));
      expect_equal(found, brute_force(data.vertices, data.triangles), "cone");
      EXPECT_EQ(found.adjacent.empty(), rounds == 1);
    }
  }
}

TEST(SelfContacts, OfVeryManyTrianglesAboutOneVertex) {
  std::mt19937_64 random = seeded(806);
  for (const bool is_regular : {true, false}) {
    // A cone that is too large to be handled as a fan, and then a crown whose tips are displaced at random and that has
    // additional overlapping triangles.
    MeshData data;
    const std::uint32_t count = is_regular ? 20'000 : 400;
    data.vertices.emplace_back(0, 0, 1);
    for (std::uint32_t k = 0; k < count; ++k) {
      const double angle = 2 * test::half_turn * k / count, by = is_regular ? 0 : 0.3;
      data.vertices.emplace_back(std::cos(angle), std::sin(angle), uniform(random, -by, by));
      data.triangles.push_back({0, 1 + k, 1 + (k + 1) % count});
    }
    if (!is_regular)
      for (std::uint32_t k = 0; k < 40; ++k)
        data.triangles.push_back({0, 1 + 7 * k, 1 + 9 * k});
    // In a different order than around the vertex.
    std::shuffle(data.triangles.begin(), data.triangles.end(), random);
    const SelfContacts found = self_contacts(DeformingMesh(data));
    if (is_regular) {
      EXPECT_TRUE(found.pairs.empty());
      EXPECT_TRUE(found.adjacent.empty());
    } else {
      expect_equal(found, brute_force(data.vertices, data.triangles), "crown");
      EXPECT_GT(found.adjacent.size(), 100u);
    }
  }
}

TEST(SelfContacts, OfAFanThatTurnsPastItsBeginning) {
  // Seen along the sum of its normals, the fan turns by 370 degrees. Three of its arms are so steep from there that
  // doubles cannot decide on which side of the first arm the last two lie. The last triangle goes through the first.
  const std::vector<Vector3> vertices = {{0, 0, 0},
                                         {0x1.64ba308cda1c8p-24, 0, 1},
                                         {0x1.0907dc1930690p-2, 0x1.ee8dd4748bf15p-1, -0x1.2f773aaca274ep-24},
                                         {-0x1.7f98deee59682p-2, 0x1.dab7d7997cb58p-1, 0x1.00000142a3b96p+0},
                                         {-0x1.bb67ae8584cabp-1, 0x1.fffffffffffffp-2, 0},
                                         {0x1.093c0fcd166eep-25, -0x1.6c5cf1745f4b5p-24, 1},
                                         {0x1.7ddb37c2a3ac0p-24, 0x1.0d53879554b9ep-26, 1}};
  std::vector<Index3> triangles;
  for (std::uint32_t k = 1; k < 6; ++k)
    triangles.push_back({0, k, k + 1});
  const SelfContacts found = self_contacts(DeformingMesh({vertices, triangles}));
  expect_equal(found, brute_force(vertices, triangles), "fan");
  EXPECT_EQ(found.adjacent, (Pairs{{0, 4}}));
}

TEST(SelfContacts, OfNeighborsOfVeryDifferentSizes) {
  // Triangles around one vertex, with arms of very different sizes, so that volumes are near or below the smallest
  // double.
  std::mt19937_64 random = seeded(810);
  std::size_t adjacent = 0;
  for (std::size_t k = 0; k < cases(100); ++k) {
    MeshData data = {{{0, 0, 0}, {-1, -1, 1}, {1, -1, 1}, {0, 1, 1}}, {{1, 2, 3}}};
    for (std::uint32_t t = 0; t < 12; ++t) {
      const double size = std::ldexp(1.0, t % 2 == 0 ? -463 - static_cast<int>(random() % 6) : -146);
      for (int c = 0; c < 2; ++c) {
        Vector3 p;
        for (int i = 0; i < 3; ++i)
          p[i] = static_cast<double>(static_cast<int>(random() % 9) - 4);
        data.vertices.push_back(p * size);
      }
      data.triangles.push_back({0, 2 * t + 4, 2 * t + 5});
    }
    const Expected expected = brute_force(data.vertices, data.triangles);
    expect_equal(self_contacts(DeformingMesh(data)), expected, "case " + std::to_string(k));
    adjacent += expected.adjacent.size();
  }
  EXPECT_GT(adjacent, cases(100));
}

TEST(SelfContacts, OfTinyTrianglesBesideALargeOne) {
  // Down to and beyond the sizes where volumes are below the smallest float.
  std::mt19937_64 random = seeded(808);
  std::size_t pairs = 0;
  for (int exponent = -70; exponent <= -30; exponent += 2) {
    for (std::size_t k = 0; k < cases(3); ++k) {
      MeshData data = {{{-1, -1, 1}, {1, -1, 1}, {0, 1, 1}}, {{0, 1, 2}}};
      // Corners on a grid, some of them slightly off it.
      const auto on_grid = [&](int most, double unit) {
        Vector3 p;
        for (int i = 0; i < 3; ++i)
          p[i] = unit * static_cast<double>(static_cast<int>(random() % static_cast<unsigned>(2 * most + 1)) - most);
        return p;
      };
      for (std::uint32_t t = 0; t < 120; ++t) {
        const Vector3 about = on_grid(16, 0x1p-4);
        for (int c = 0; c < 3; ++c) {
          Vector3 p = about + on_grid(8, 0x1p-5) + (k % 3 == 2 ? on_grid(8, 0x1p-12) : Vector3::Zero());
          if (k % 3 == 1) p[2] = 0.5 * p[0];  // all in one plane
          data.vertices.push_back(p * std::ldexp(1.0, exponent));
        }
        data.triangles.push_back({3 * t + 3, 3 * t + 4, 3 * t + 5});
      }
      const Expected expected = brute_force(data.vertices, data.triangles);
      const std::string what = "size 2^" + std::to_string(exponent);
      expect_equal(self_contacts(DeformingMesh(data)), expected, what);
      expect_equal(self_contacts(Mesh(data)), expected, what + ", as a mesh");
      pairs += expected.pairs.size();
    }
  }
  EXPECT_GT(pairs, cases(500));
}

TEST(SelfContacts, MayBeAskedForInTasksOfTheCaller) {
  // More threads than cores: a thread that waits for a part of its search that another thread has taken looks for other
  // work, and must not begin another search then.
  std::mt19937_64 random = seeded(809);
  std::vector<DeformingMesh> meshes;
  std::vector<SelfContacts> expected;
  for (std::uint32_t i = 0; i < 8; ++i) {
    MeshData data;
    for (std::uint32_t t = 0; t < 1500 + 100 * i; ++t) {
      for (int c = 0; c < 3; ++c)
        data.vertices.emplace_back(random() % 25, random() % 25, random() % 25);
      data.triangles.push_back({3 * t, 3 * t + 1, 3 * t + 2});
    }
    meshes.emplace_back(std::move(data));
    expected.push_back(self_contacts(meshes.back(), {.threads = 1}));
  }
  const tbb::global_control threads(tbb::global_control::max_allowed_parallelism, 8);
  tbb::task_arena arena(8);
  std::vector<int> is_right(16);
  arena.execute([&] {
    tbb::parallel_for(
        std::size_t{0}, is_right.size(),
        [&](std::size_t i) {
          const SelfContacts found = self_contacts(meshes[i % meshes.size()]);
          is_right[i] = found.pairs == expected[i % meshes.size()].pairs;
        },
        tbb::simple_partitioner());
  });
  EXPECT_EQ(std::count(is_right.begin(), is_right.end(), 1), 16);
}

TEST(SelfContacts, FirstAskedForByManyTasksAtOnce) {
  // The first task builds the tree in parallel, without any deadlock.
  const MeshData data = test::bent_sheet(60, 60, [](double u, double v) { return Vector3(u, v, std::sin(9 * u)); });
  const tbb::global_control threads(tbb::global_control::max_allowed_parallelism, 8);
  tbb::task_arena arena(8);
  for (std::size_t k = 0; k < cases(20); ++k) {
    const DeformingMesh mesh(data);
    std::vector<int> counts(9 + k % 16);
    arena.execute([&] {
      tbb::parallel_for(
          std::size_t{0}, counts.size(),
          [&](std::size_t i) { counts[i] = static_cast<int>(mesh.snapshot().triangle_count()); },
          tbb::simple_partitioner());
    });
    EXPECT_EQ(std::count(counts.begin(), counts.end(), 7200), static_cast<std::ptrdiff_t>(counts.size()));
  }
}

TEST(SelfContacts, AreTheFirstOnesUpToALimit) {
  // Thousands of triangles in one place: five million pairs, of which only few are requested. The same around one
  // vertex.
  for (const bool is_fan : {false, true}) {
    MeshData heap;
    heap.vertices = {{0, 0, 0}};
    for (std::uint32_t k = 0; k < 3000; ++k) {
      const auto first = static_cast<std::uint32_t>(heap.vertices.size());
      heap.vertices.insert(heap.vertices.end(), {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}});
      heap.triangles.push_back({is_fan ? 0 : first, first + 1, first + 2});
    }
    const DeformingMesh mesh(heap);
    for (const std::size_t limit : {0u, 1u, 1000u}) {
      for (const int threads : {1, 0}) {
        const SelfContacts found = self_contacts(mesh, {.max_count = limit, .threads = threads});
        EXPECT_EQ(found.pairs.size() + found.adjacent.size(), limit);
        EXPECT_EQ((is_fan ? found.adjacent : found.pairs).size(), limit);
        EXPECT_EQ(found.stop, Stop::count);
      }
    }
  }
  std::mt19937_64 random = seeded(807);
  MeshData sheet = test::bent_sheet(20, 20, [](double u, double v) { return Vector3(u, v, 0); });
  sheet.vertices = test::shaken(sheet.vertices, random, 0.1);
  const DeformingMesh mesh(sheet);
  const SelfContacts all = self_contacts(mesh);
  EXPECT_EQ(all.stop, Stop::exact);
  ASSERT_GT(all.pairs.size(), 100u);
  ASSERT_GT(all.adjacent.size(), 100u);
  const SelfContacts some = self_contacts(mesh, {.max_count = 50});
  EXPECT_EQ(some.pairs, Pairs(all.pairs.begin(), all.pairs.begin() + 50));
  EXPECT_EQ(some.adjacent, Pairs(all.adjacent.begin(), all.adjacent.begin() + 50));
  EXPECT_EQ(self_contacts(mesh, {.max_count = std::max(all.pairs.size(), all.adjacent.size())}).stop, Stop::exact);
}

TEST(SelfContacts, NeighborsAreLeftOutIfNotAskedFor) {
  MeshData data = test::bent_sheet(6, 6, [](double u, double v) { return Vector3(std::abs(u - 0.5), v, 0); });
  const DeformingMesh mesh(data);
  const SelfContacts all = self_contacts(mesh), some = self_contacts(mesh, {.adjacent = false});
  EXPECT_FALSE(all.adjacent.empty());
  EXPECT_TRUE(some.adjacent.empty());
  EXPECT_EQ(all.pairs, some.pairs);
}

TEST(ContactsOfAll, AreThoseOfEachMeshAndOfEachTwo) {
  std::mt19937_64 random = seeded(805);
  for (std::size_t scene = 0; scene < cases(5); ++scene) {
    std::vector<NamedMesh> surfaces = test::bent_surfaces(4);
    std::vector<DeformingMesh> meshes;
    // Some of them differ in size and place.
    for (NamedMesh& surface : surfaces) {
      const double scale = meshes.size() % 4 == 3 ? 0.01 : 1;
      const Vector3 to(uniform(random, -1, 1), uniform(random, -1, 1), uniform(random, -1, 1));
      for (Vector3& v : surface.data.vertices)
        v = v * scale + to;
      meshes.emplace_back(surface.data);
      meshes.back().set_vertices(test::shaken(surface.data.vertices, random, 0.05 * scale));
    }
    std::vector<MeshTrianglePair> pairs, adjacent;
    for (std::uint32_t i = 0; i < meshes.size(); ++i) {
      const Expected own = brute_force(meshes[i].end(), meshes[i].triangles());
      for (const TrianglePair& pair : own.pairs)
        pairs.push_back({i, pair.a, i, pair.b});
      for (const TrianglePair& pair : own.adjacent)
        adjacent.push_back({i, pair.a, i, pair.b});
      for (std::uint32_t j = i + 1; j < meshes.size(); ++j)
        for (std::uint32_t p = 0; p < meshes[i].triangles().size(); ++p)
          for (std::uint32_t q = 0; q < meshes[j].triangles().size(); ++q)
            if (touches_triangle_triangle(triangle(meshes[i].end(), meshes[i].triangles()[p]),
                                          triangle(meshes[j].end(), meshes[j].triangles()[q])))
              pairs.push_back({i, p, j, q});
    }
    std::sort(pairs.begin(), pairs.end());
    std::vector<const DeformingMesh*> all;
    for (const DeformingMesh& mesh : meshes)
      all.push_back(&mesh);
    for (const int threads : {1, 0}) {
      MeshesContacts found;
      triangle_contacts(all, {.threads = threads}, found);
      EXPECT_EQ(found.pairs, pairs);
      EXPECT_EQ(found.adjacent, adjacent);
      EXPECT_EQ(found.stop, Stop::exact);
    }
    EXPECT_GT(pairs.size(), 200u);
    // A limited number of pairs, the same with any number of threads.
    for (const std::size_t count : {std::size_t{0}, std::size_t{7}, pairs.size() - 1, pairs.size()}) {
      const MeshesContacts alone = triangle_contacts(all, {.max_count = count, .threads = 1});
      EXPECT_EQ(alone.pairs.size(), std::min(count, pairs.size()));
      EXPECT_EQ(alone.adjacent.size(), std::min(count, adjacent.size()));
      EXPECT_EQ(alone.stop, count < std::max(pairs.size(), adjacent.size()) ? Stop::count : Stop::exact) << count;
      EXPECT_TRUE(std::includes(pairs.begin(), pairs.end(), alone.pairs.begin(), alone.pairs.end()));
      EXPECT_TRUE(std::includes(adjacent.begin(), adjacent.end(), alone.adjacent.begin(), alone.adjacent.end()));
      const MeshesContacts together = triangle_contacts(all, {.max_count = count});
      EXPECT_EQ(together.pairs, alone.pairs);
      EXPECT_EQ(together.adjacent, alone.adjacent);
      EXPECT_EQ(together.stop, alone.stop);
    }
  }
}

}  // namespace
}  // namespace whisker
