// Contacts of soups, frame by frame: they equal those of all pairs of triangles, tested one by one with the exact
// predicate.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/error.hpp>
#include <whisker/geometry/triangle_tests.hpp>
#include <whisker/make/make.hpp>
#include <whisker/methods/soup_contacts.hpp>
#include <whisker/simd.hpp>

#include "support/cases.hpp"
#include "support/mesh_edits.hpp"
#include "support/random_shapes.hpp"

namespace whisker {
namespace {

using namespace methods;
using test::cases;
using test::random_vector;
using test::seeded;
using test::uniform;
using test::unshared;
using test::scenes::unit_vector;

using Random = std::mt19937_64;
using Meshes = std::vector<MeshData>;

std::vector<Soup> soups_of(const Meshes& meshes) {
  std::vector<Soup> soups;
  for (const MeshData& mesh : meshes)
    soups.push_back({mesh.vertices, mesh.triangles});
  return soups;
}

Triangle triangle(const MeshData& mesh, std::size_t i) {
  const Index3 t = mesh.triangles[i];
  return {mesh.vertices[t[0]], mesh.vertices[t[1]], mesh.vertices[t[2]]};
}

/// Tests all pairs.
std::vector<MeshTrianglePair> brute_force(const Meshes& meshes) {
  std::vector<MeshTrianglePair> contacts;
  for (std::uint32_t a = 0; a < meshes.size(); ++a)
    for (std::uint32_t b = a + 1; b < meshes.size(); ++b)
      for (std::uint32_t i = 0; i < meshes[a].triangles.size(); ++i)
        for (std::uint32_t j = 0; j < meshes[b].triangles.size(); ++j)
          if (touches_triangle_triangle(triangle(meshes[a], i), triangle(meshes[b], j)))
            contacts.push_back({a, i, b, j});
  std::ranges::sort(contacts);
  return contacts;
}

std::string difference(const MeshesContacts& contacts, const std::vector<MeshTrianglePair>& truth) {
  const std::vector<MeshTrianglePair>& found = contacts.pairs;
  if (!contacts.adjacent.empty() || contacts.stop != Stop::exact) return "more than pairs";
  if (std::ranges::equal(found, truth)) return "";
  std::vector<MeshTrianglePair> missed, invented;
  std::ranges::set_difference(truth, found, std::back_inserter(missed));
  std::ranges::set_difference(found, truth, std::back_inserter(invented));
  return std::to_string(missed.size()) + " of " + std::to_string(truth.size()) + " missed, " +
         std::to_string(invented.size()) + " invented or repeated";
}

/// Checks every level, test and instruction set, with a finder that was used for other soups. Returns the number of
/// contacts.
std::size_t expect_right(SoupContactFinder& finder, const Meshes& meshes, int finest = 8) {
  const std::vector<MeshTrianglePair> truth = brute_force(meshes);
  const std::vector<Soup> soups = soups_of(meshes);
  const SoupContacts first = finder.find(soups);
  EXPECT_EQ(difference(first, truth), "") << "automatic";
  // A pair of overlapping boxes is found in one cell, whatever the cells are.
  const std::uint64_t triangle_tests = first.cost.primitive_tests;
  EXPECT_GE(triangle_tests, truth.size());
  for (int level = 0; level <= finest; ++level) {
    const SoupContacts& found = finder.find(soups, {.level = level});
    EXPECT_EQ(difference(found, truth), "") << "level " << level;
    EXPECT_EQ(found.cost.primitive_tests, triangle_tests) << "level " << level;
  }
  for (const RegionTest test : {RegionTest::clipping, RegionTest::exact}) {
    const SoupContacts& found = finder.find(soups, {.region_test = test});
    EXPECT_EQ(difference(found, truth), "");
    EXPECT_LE(found.cost.primitive_tests, triangle_tests);
  }
  for (const std::string& target : simd_targets()) {
    EXPECT_TRUE(use_simd_target(target));
    const SoupContacts& found = finder.find(soups);
    EXPECT_EQ(difference(found, truth), "") << target;
    EXPECT_EQ(found.counts, first.counts) << target;
    EXPECT_EQ(found.cost, first.cost) << target;
  }
  use_simd_target("");
  return truth.size();
}

/// Triangles of about the given size in a cube, each with its own vertices.
MeshData random_soup(Random& random, std::size_t count, double cube, double size, const Vector3& middle) {
  MeshData mesh;
  for (std::uint32_t i = 0; i < count; ++i) {
    const Vector3 at = middle + random_vector(random, cube);
    for (int k = 0; k < 3; ++k)
      mesh.vertices.push_back(at + random_vector(random, size));
    mesh.triangles.push_back({3 * i, 3 * i + 1, 3 * i + 2});
  }
  return mesh;
}

void move(MeshData& mesh, const Vector3& by) {
  for (Vector3& v : mesh.vertices)
    v += by;
}

// --- correctness ---------------------------------------------------------------------------------------------------

TEST(SoupContacts, AreThoseOfAllPairs) {
  auto random = seeded(811);
  SoupContactFinder finder;
  std::size_t contacts = 0;
  for (std::size_t n = 0; n < cases(400); ++n) {
    Meshes meshes;
    const std::size_t soups = 2 + random() % 3;
    const double size = std::exp(uniform(random, std::log(0.04), std::log(0.9)));
    for (std::size_t i = 0; i < soups; ++i)
      meshes.push_back(random_soup(random, random() % 60, 1, size * uniform(random, 0.3, 1), random_vector(random, 1)));
    contacts += expect_right(finder, meshes, size < 0.15 ? 8 : 4);
  }
  EXPECT_GT(contacts, cases(400));
}

TEST(SoupContacts, OfDenseSoupsWithManyCells) {
  auto random = seeded(812);
  SoupContactFinder finder;
  for (std::size_t n = 0; n < cases(4); ++n) {
    const Meshes meshes = {random_soup(random, 900, 1, 0.12, Vector3::Zero()),
                           random_soup(random, 1100, 1, 0.1, Vector3::Constant(0.2))};
    EXPECT_GT(expect_right(finder, meshes, 6), 20u);
    const SoupContacts& found = finder.find(soups_of(meshes));
    EXPECT_GT(found.counts.cells, 30u);
    // The octree is effective: few of the million pairs are compared.
    EXPECT_LT(found.cost.volume_tests, 100'000u);
    EXPECT_LT(found.cost.primitive_tests, found.cost.volume_tests);
  }
}

TEST(SoupContacts, OfMeshesThatDeform) {
  SoupContactFinder finder;
  const MeshData ball = make::icosphere({.subdivisions = 3}), ring = make::wrinkled_torus({.around = 40, .across = 14});
  std::size_t contacts = 0;
  for (std::size_t frame = 0; frame < cases(8); ++frame) {
    const double t = 0.7 * static_cast<double>(frame);
    Meshes meshes = {ball, ring};
    for (Vector3& v : meshes[0].vertices)
      v *= 0.8 + 0.25 * std::sin(5 * v.x() + t) * std::cos(4 * v.z());
    for (Vector3& v : meshes[1].vertices)
      v.z() += 0.4 * std::sin(2 * v.x() + t);
    contacts += expect_right(finder, meshes, 6);
  }
  EXPECT_GT(contacts, 100u);
}

TEST(SoupContacts, OfAMeshThatBreaksAndWhosePiecesFlyApart) {
  auto random = seeded(813);
  SoupContactFinder finder;
  const MeshData whole = make::icosphere({.subdivisions = 2});
  MeshData wall = make::box({.size_x = 0.4, .size_y = 6, .size_z = 6, .subdivisions = 6});
  move(wall, Vector3(1.3, 0, 0));
  std::size_t contacts = 0;
  MeshData shards = unshared(whole);
  std::vector<Vector3> velocities;
  for (std::size_t i = 0; i < shards.triangles.size(); ++i)
    velocities.push_back(triangle(shards, i).a + 0.3 * unit_vector(random));
  for (std::size_t frame = 0; frame < cases(20); ++frame) {
    // Whole at first, then with varying numbers of triangles and soups.
    Meshes meshes = {wall};
    if (frame == 0) {
      meshes.push_back(whole);
      move(meshes.back(), Vector3(0.2, 0, 0));
    } else {
      for (std::size_t i = 0; i < shards.vertices.size(); ++i)
        shards.vertices[i] += 0.08 * velocities[i / 3] + 0.01 * unit_vector(random);
      meshes.push_back(shards);
      meshes.back().triangles.resize(shards.triangles.size() - 7 * frame % 100);
      meshes.push_back(random_soup(random, 10 * frame, 1, 0.1, Vector3(1, 0, 0)));
    }
    contacts += expect_right(finder, meshes, 5);
  }
  EXPECT_GT(contacts, cases(50));
}

TEST(SoupContacts, OfManySoups) {
  auto random = seeded(814);
  SoupContactFinder finder;
  for (std::size_t n = 0; n < cases(10); ++n) {
    Meshes meshes;
    for (int i = 0; i < 150; ++i) {
      meshes.push_back(random_soup(random, random() % 12, 0.3, 0.2, random_vector(random, 2)));
      if (i % 40 == 7) meshes.push_back(random_soup(random, 5, 2, 2, Vector3::Zero()));  // across all others
    }
    EXPECT_GT(expect_right(finder, meshes, 3), 20u);
    // Counts the overlapping boxes one by one.
    std::uint64_t regions = 0, soups = 0;
    std::vector<Aabb> boxes(meshes.size());
    for (std::size_t i = 0; i < meshes.size(); ++i) {
      for (const Vector3& v : meshes[i].vertices)
        boxes[i].include(v);
      soups += boxes[i].empty() ? 0u : 1u;
      for (std::size_t j = 0; j < i; ++j)
        regions += boxes[i].overlaps(boxes[j]) ? 1u : 0u;
    }
    const SoupCounts& counts = finder.find(soups_of(meshes)).counts;
    EXPECT_EQ(counts.soups, soups);
    EXPECT_EQ(counts.regions, regions);
  }
}

TEST(SoupContacts, WithoutAnyOrWithOneSoupThereAreNone) {
  SoupContactFinder finder;
  EXPECT_TRUE(finder.find({}).pairs.empty());
  const MeshData ball = make::icosphere();
  const Meshes one = {ball};
  EXPECT_TRUE(finder.find(soups_of(one)).pairs.empty());
  const Meshes with_empty = {{}, ball, {}, {ball.vertices, {}}};
  EXPECT_TRUE(finder.find(soups_of(with_empty)).pairs.empty());
  EXPECT_EQ(finder.find(soups_of(with_empty)).counts.soups, 1u);
  const Meshes twice = {{}, ball, {}, ball};
  EXPECT_EQ(expect_right(finder, twice, 4), brute_force(twice).size());
}

// --- special input ------------------------------------------------------------------------------------------------

TEST(SoupContacts, OnAGridOfWholeNumbersWhereEverythingJustTouches) {
  auto random = seeded(815);
  SoupContactFinder finder;
  std::size_t contacts = 0;
  for (std::size_t n = 0; n < cases(30); ++n) {
    Meshes meshes(3);
    const auto cells = static_cast<int>(2 + random() % 7);
    for (MeshData& mesh : meshes) {
      for (int i = 0; i < 30; ++i) {
        mesh.vertices.emplace_back(static_cast<double>(random() % static_cast<unsigned>(cells)),
                                   static_cast<double>(random() % static_cast<unsigned>(cells)),
                                   static_cast<double>(random() % 2));
      }
      // Any three vertices: many triangles are collapsed, coplanar or duplicated.
      for (int i = 0; i < 25; ++i)
        mesh.triangles.push_back({static_cast<std::uint32_t>(random() % 30), static_cast<std::uint32_t>(random() % 30),
                                  static_cast<std::uint32_t>(random() % 30)});
    }
    contacts += expect_right(finder, meshes, 4);
  }
  EXPECT_GT(contacts, 100 * cases(30));
}

TEST(SoupContacts, OfSegmentsPointsAndVerticesThatAreAllEqual) {
  SoupContactFinder finder;
  const Vector3 p(0.3, -0.7, 1.1);
  const MeshData points = {{p, p, p, p}, {{0, 1, 2}, {1, 2, 3}, {3, 3, 3}}};
  const MeshData segment = {{p - Vector3(1, 1, 0), p + Vector3(1, 1, 0)}, {{0, 0, 1}, {1, 0, 1}}};
  const MeshData beside = {{p + Vector3(0, 0, 1e-15)}, {{0, 0, 0}}};
  EXPECT_EQ(expect_right(finder, {points, points}), 9u);
  EXPECT_GE(expect_right(finder, {points, segment}), 0u);
  EXPECT_EQ(expect_right(finder, {points, beside}), 0u);
  EXPECT_EQ(expect_right(finder, {segment, segment, points, beside}),
            brute_force({segment, segment, points, beside}).size());
}

TEST(SoupContacts, OfAnySizeAndFarFromTheOrigin) {
  auto random = seeded(816);
  SoupContactFinder finder;
  struct Family {
    double scale;
    Vector3 shift;
  };
  const Family families[] = {
      {1, Vector3(1e6, -1e6, 1e6)},   {1e-3, Vector3(1e6, 0, 0)},  // a few hundred million units in the last place
      {1e-9, Vector3(1e6, 1e6, 1e6)}, {3e89, Vector3::Zero()},    {1e-160, Vector3::Zero()},
      {1e-308, Vector3::Zero()},      {1e-322, Vector3::Zero()}};
  for (const Family& family : families) {
    std::size_t contacts = 0;
    for (std::size_t n = 0; n < cases(30); ++n) {
      Meshes meshes = {random_soup(random, 60, 1, 0.3, Vector3::Zero()),
                       random_soup(random, 60, 1, 0.3, Vector3::Constant(0.5))};
      for (MeshData& mesh : meshes)
        for (Vector3& v : mesh.vertices)
          v = family.scale * v + family.shift;
      contacts += expect_right(finder, meshes, 5);
    }
    EXPECT_GT(contacts, 0u) << family.scale;
  }
  // Both at once: a small object in the corner of a large one.
  Meshes mixed = {random_soup(random, 30, 1, 1, Vector3::Zero()), random_soup(random, 30, 1, 1, Vector3::Zero())};
  for (std::size_t i = 0; i < mixed[0].vertices.size(); ++i)
    if (i % 2 == 0) mixed[0].vertices[i] *= 1e90 / 2;
  EXPECT_GT(expect_right(finder, mixed, 5), 0u);
}

TEST(SoupContacts, WithAFewTrianglesFarFromAllOthers) {
  // The middle of the region says nothing about where the triangles are.
  auto random = seeded(817);
  SoupContactFinder finder;
  Meshes meshes = {random_soup(random, 700, 1e-3, 1.5e-4, Vector3::Zero()),
                   random_soup(random, 700, 1e-3, 1.5e-4, Vector3::Zero())};
  for (MeshData& mesh : meshes) {
    mesh.vertices.emplace_back(50, 70, 90);
    mesh.triangles.push_back({0, 0, static_cast<std::uint32_t>(mesh.vertices.size()) - 1});
  }
  EXPECT_GT(expect_right(finder, meshes, 3), 100u);
  EXPECT_LT(finder.find(soups_of(meshes)).cost.volume_tests, 150'000u);
}

TEST(SoupContacts, OfLargeTrianglesThatNoCellParts) {
  auto random = seeded(820);
  SoupContactFinder finder;
  struct Family {
    std::uint32_t count, period;
  };
  // All are large, or every second or fourth one is small, so that a sample of the triangles may not be representative.
  for (const auto& [count, period] : {Family{300, 1}, Family{300, 2}, Family{1030, 4}}) {
    Meshes meshes(2);
    for (MeshData& mesh : meshes) {
      for (std::uint32_t i = 0; i < count; ++i) {
        const bool is_small = period > 1 && i % period == 0;
        const Vector3 at = is_small ? random_vector(random, 1) : Vector3::Zero();
        for (int k = 0; k < 3; ++k)
          mesh.vertices.push_back(at + random_vector(random, is_small ? 0.02 : 1));
        mesh.triangles.push_back({3 * i, 3 * i + 1, 3 * i + 2});
      }
    }
    EXPECT_GT(expect_right(finder, meshes, 0), 100u);
    for (const int level : {SoupOptions::automatic_level, 2, SoupOptions::max_level}) {
      const SoupContacts& found = finder.find(soups_of(meshes), {.level = level});
      EXPECT_LE(found.cost.volume_tests, std::uint64_t{count} * count) << "level " << level;
      EXPECT_LE(found.counts.cells, std::uint64_t{count} * count) << "level " << level;
    }
  }
}

TEST(SoupContacts, OfFlatSoupsInOnePlane) {
  auto random = seeded(818);
  SoupContactFinder finder;
  std::size_t contacts = 0;
  for (std::size_t n = 0; n < cases(30); ++n) {
    Meshes meshes = {random_soup(random, 100, 1, 0.1, Vector3::Zero()),
                     random_soup(random, 100, 1, 0.1, Vector3::Zero())};
    const auto axis = static_cast<Eigen::Index>(n % 3);
    for (MeshData& mesh : meshes)
      for (Vector3& v : mesh.vertices)
        v[axis] = 0.1;
    contacts += expect_right(finder, meshes, 5);
  }
  EXPECT_GT(contacts, 10 * cases(30));
}

// --- threads ------------------------------------------------------------------------------------------------------

TEST(SoupContacts, AndCountsAreTheSameWithAnyNumberOfThreads) {
  const tbb::global_control four(tbb::global_control::max_allowed_parallelism, 4);
  auto random = seeded(819);
  Meshes meshes = {random_soup(random, 8000, 1, 0.04, Vector3::Zero()),
                   random_soup(random, 7000, 1, 0.04, Vector3::Constant(0.1))};
  for (int i = 0; i < 20; ++i)
    meshes.push_back(random_soup(random, 300, 0.3, 0.03, random_vector(random, 1)));
  const std::vector<Soup> soups = soups_of(meshes);
  std::size_t triangles = 0;
  for (const Soup& soup : soups)
    triangles += soup.triangles.size();
  ASSERT_GT(triangles, 16384u) << "with fewer there is one thread";
  for (const int level : {SoupOptions::automatic_level, 4}) {
    const SoupContacts alone = triangle_contacts(soups, {.level = level, .threads = 1});
    EXPECT_GT(alone.pairs.size(), 500u);
    for (int threads = 1; threads <= 4; ++threads) {
      tbb::task_arena arena(threads);
      arena.execute([&] {
        SoupContactFinder finder;
        for (int again = 0; again < 3; ++again) {
          const SoupContacts& found = finder.find(soups, {.level = level});
          EXPECT_EQ(difference(found, alone.pairs), "") << threads << " threads";
          EXPECT_EQ(found.counts, alone.counts) << threads << " threads";
          EXPECT_EQ(found.cost, alone.cost) << threads << " threads";
        }
      });
    }
  }
}

TEST(SoupContacts, OfManyCallersAtOnce) {
  const Meshes meshes = {make::icosphere({.subdivisions = 5}), make::torus({.around = 60, .across = 30})};
  const std::vector<Soup> soups = soups_of(meshes);
  const std::vector<MeshTrianglePair> truth = triangle_contacts(soups, {.threads = 1}).pairs;
  EXPECT_GT(truth.size(), 100u);
  std::array<std::string, 8> differences;
  std::vector<std::thread> threads;
  for (std::string& text : differences) {
    threads.emplace_back([&] {
      SoupContactFinder finder;
      for (int again = 0; again < 3; ++again)
        text += difference(finder.find(soups), truth);
    });
  }
  for (std::thread& thread : threads)
    thread.join();
  for (const std::string& text : differences)
    EXPECT_EQ(text, "");
}

// --- errors -------------------------------------------------------------------------------------------------------

std::string error_of(const Meshes& meshes, const SoupOptions& options = {}) {
  try {
    triangle_contacts(soups_of(meshes), options);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(SoupContacts, BadInputIsAnErrorThatNamesIt) {
  constexpr double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  const MeshData ball = make::icosphere();
  for (const double bad : {nan, -nan, infinity, -infinity, 1.1e90, -2e90}) {
    // In every lane of the loops, and after the last full vector.
    for (const std::size_t at : {0u, 1u, 5u, 77u, 641u}) {
      for (int axis = 0; axis < 3; ++axis) {
        Meshes meshes = {ball, ball, ball};
        meshes[1].vertices[at][axis] = bad;
        EXPECT_EQ(error_of(meshes),
                  "soup contacts: soup 1, vertex " + std::to_string(at) + " is not finite, or beyond 1e90");
      }
    }
  }
  ASSERT_EQ(ball.vertices.size(), 642u);
  for (const std::size_t at : {0u, 1u, 700u, 1279u}) {
    Meshes meshes = {ball, ball};
    meshes[0].triangles[at][at % 3] = 642;
    EXPECT_EQ(error_of(meshes),
              "soup contacts: soup 0, triangle " + std::to_string(at) + " has vertex 642, but there are 642");
  }
  EXPECT_EQ(error_of({ball, {{}, {{0, 0, 0}}}}), "soup contacts: soup 1, triangle 0 has vertex 0, but there are 0");
  EXPECT_EQ(error_of({ball}, {.level = 17}),
            "soup contacts: the level is 17; it must be from 0 to 16, or automatic_level");
  EXPECT_NE(error_of({ball}, {.level = -2}), "");
  EXPECT_EQ(error_of({ball, ball}), "");
}

TEST(SoupContacts, AfterAnErrorAreRightAgain) {
  SoupContactFinder finder;
  const Meshes good = {make::icosphere(), make::torus()};
  Meshes bad = good;
  bad[1].vertices[3].x() = std::numeric_limits<double>::quiet_NaN();
  const std::size_t contacts = finder.find(soups_of(good)).pairs.size();
  EXPECT_GT(contacts, 0u);
  EXPECT_THROW(finder.find(soups_of(bad)), Error);
  EXPECT_EQ(finder.find(soups_of(good)).pairs.size(), contacts);
}

}  // namespace
}  // namespace whisker
