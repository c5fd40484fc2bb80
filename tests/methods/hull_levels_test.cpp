// Levels of detail around a convex polyhedron: their guarantees, checked in rationals and 384-bit numbers.

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/error.hpp>
#include <whisker/methods/hull_levels.hpp>

#include "convex/hull_pair_oracle.hpp"
#include "convex/hull_pairs.hpp"
#include "support/cases.hpp"
#include "support/reference.hpp"

namespace whisker::test {
namespace {

using namespace methods;
using Kind = FeatureKind;

std::vector<HullLevelOptions> all_options() {
  std::vector<HullLevelOptions> list;
  for (const double rate : {0.5, 0.25, 0.0625})
    list.push_back({.builder = LevelBuilder::quadric, .decimation = rate, .min_triangles = 8});
  for (const std::size_t fewest : {std::size_t{4}, std::size_t{20}})
    list.push_back({.builder = LevelBuilder::vertex_removal, .min_triangles = fewest});
  list.push_back({.builder = LevelBuilder::vertex_removal, .max_importance = 3, .min_triangles = 4});
  return list;
}

std::vector<ConvexHull> some_hulls(Generator& random) {
  std::vector<ConvexHull> hulls;
  for (const Vector3& axes : {Vector3(1, 1, 1), Vector3(1, 1, 0.1), Vector3(1, 0.1, 0.1)})
    hulls.push_back(ellipsoid_hull(random, whole(random, 30, 90), axes));
  hulls.push_back(prism_hull(24, 1, 0.5));
  std::vector<Vector3> points;
  for (int i = 0; i < 60; ++i)  // in a cube, far from the origin of its frame
    points.push_back(Vector3(5, -3, 2) + random_vector(random, 1));
  hulls.emplace_back(points);
  hulls.push_back(quantised_hull(random, 4, 80));
  return hulls;
}

std::size_t triangles(const ConvexHull& hull) {
  std::size_t count = 0;
  for (std::size_t f = 0; f < hull.face_count(); ++f)
    count += hull.face(f).size() - 2;
  return count;
}

std::vector<Feature> features_of(const ConvexHull& hull) {
  std::vector<Feature> list;
  for (std::uint32_t i = 0; i < hull.vertices().size(); ++i)
    list.push_back({0, Kind::vertex, i});
  for (std::uint32_t i = 0; i < hull.edges().size(); ++i)
    list.push_back({0, Kind::edge, i});
  for (std::uint32_t i = 0; i < hull.face_count(); ++i)
    list.push_back({0, Kind::face, i});
  return list;
}

bool has(const ConvexHull& hull, Feature feature) {
  return feature.kind == Kind::vertex ? feature.id < hull.vertices().size()
         : feature.kind == Kind::edge ? feature.id < hull.edges().size()
                                      : feature.kind == Kind::face && feature.id < hull.face_count();
}

Vector3 middle_of(const ConvexHull& hull, Feature feature) {
  if (feature.kind == Kind::vertex) return hull.vertices()[feature.id];
  if (feature.kind == Kind::edge) {
    const HullEdge& e = hull.edges()[feature.id];
    return (hull.vertices()[e.begin] + hull.vertices()[e.end]) / 2;
  }
  Vector3 sum = Vector3::Zero();
  for (const std::uint32_t v : hull.face(feature.id))
    sum += hull.vertices()[v] / static_cast<double>(hull.face(feature.id).size());
  return sum;
}

TEST(HullLevels, EveryLevelContainsTheOriginalExactly) {
  Generator random = seeded(431);
  std::size_t levels_seen = 0;
  for (std::size_t round = 0; round < cases(1); ++round) {
    for (const ConvexHull& hull : some_hulls(random)) {
      for (const HullLevelOptions& options : all_options()) {
        const HullLevels levels(hull, options);
        for (std::size_t i = 1; i < levels.count(); ++i) {
          ++levels_seen;
          const ConvexHull& outer = levels.level(i).hull();
          for (std::size_t f = 0; f < outer.face_count(); ++f) {
            const auto face = outer.face(f);
            const auto corner = [&](std::size_t k) { return exactly<Rational>(outer.vertices()[face[k]]); };
            const Vec<Rational> a = corner(0), n = cross(corner(1) - a, corner(2) - a);
            // Doubles discard the vertices that are far below.
            const Vector3 rough = outer.planes()[f].normal;
            for (const Vector3& v : hull.vertices()) {
              if (rough.dot(v - outer.vertices()[face[0]]) < -1e-6) continue;
              ASSERT_LE(dot(n, exactly<Rational>(v) - a), 0);
            }
          }
        }
      }
    }
  }
  EXPECT_GT(levels_seen, 60u);
}

TEST(HullLevels, DeviationBoundsTheHausdorffDistanceTightly) {
  Generator random = seeded(432);
  for (std::size_t round = 0; round < cases(1); ++round) {
    for (const ConvexHull& hull : some_hulls(random)) {
      const PlacedHull inner = place_hull(hull, Pose());
      for (const HullLevelOptions& options : all_options()) {
        const HullLevels levels(hull, options);
        EXPECT_EQ(levels.deviation(0), 0);
        for (std::size_t i = 1; i < levels.count(); ++i) {
          Real farthest = 0;
          const auto vertices = levels.level(i).hull().vertices();
          // The farthest vertex decides. The others are discarded in double.
          std::vector<Vector3> some(vertices.begin(), vertices.end());
          const auto rough = [&](const Vector3& v) {
            double height = 0;
            for (const HullPlane& plane : hull.planes())
              height = std::max(height, plane.normal.dot(v) - plane.offset);
            return height;
          };
          std::sort(some.begin(), some.end(), [&](const Vector3& a, const Vector3& b) { return rough(a) > rough(b); });
          for (const Vector3& v : std::span(some).first(std::min<std::size_t>(some.size(), 6))) {
            const ConvexHull point(std::span(&v, 1));
            farthest = std::max(farthest, truth_about(inner, place_hull(point, Pose())).distance);
          }
          ASSERT_GE(Real(levels.deviation(i)), farthest);
          // All vertices are within the deviation of the original, up to rounding.
          for (const Vector3& v : vertices)
            ASSERT_LE(rough(v), levels.deviation(i) + 1e-12);
        }
      }
    }
  }
}

TEST(HullLevels, DeviationIsTheFarthestVertexAndNoMore) {
  Generator random = seeded(433);
  for (const LevelBuilder builder : {LevelBuilder::quadric, LevelBuilder::vertex_removal}) {
    const ConvexHull hull = ellipsoid_hull(random, 50, {1, 0.7, 0.4});
    const HullLevels levels(hull, {.builder = builder, .decimation = 0.3, .min_triangles = 8});
    ASSERT_GE(levels.count(), 3u);
    const PlacedHull inner = place_hull(hull, Pose());
    for (std::size_t i = 1; i < levels.count(); ++i) {
      Real farthest = 0;
      for (const Vector3& v : levels.level(i).hull().vertices()) {
        const ConvexHull point(std::span(&v, 1));
        farthest = std::max(farthest, truth_about(inner, place_hull(point, Pose())).distance);
      }
      EXPECT_GE(Real(levels.deviation(i)), farthest);
      EXPECT_LE(Real(levels.deviation(i)), farthest * Real(1 + 1e-11));
    }
  }
}

TEST(HullLevels, LevelsGetSimplerAndLinksLeadToTheNeighborhood) {
  Generator random = seeded(434);
  for (const ConvexHull& hull : some_hulls(random)) {
    const Aabb box = hull.bounds();
    const double size = (box.upper - box.lower).norm();
    for (const HullLevelOptions& options : all_options()) {
      const HullLevels levels(hull, options);
      ASSERT_LE(levels.count(), options.max_levels);
      for (std::size_t i = 0; i < levels.count(); ++i) {
        const ConvexHull& here = levels.level(i).hull();
        if (i > 0) {
          ASSERT_LT(triangles(here), triangles(levels.level(i - 1).hull()));
          ASSERT_LE(levels.deviation(i), size);
        }
        // A feature that the level does not have leads to vertex 0.
        for (const Feature strange : {Feature{}, Feature{0, Kind::face, 4000000000u}}) {
          if (i > 0) {
            ASSERT_EQ(levels.child(i, strange), (Feature{0, Kind::vertex, 0}));
          }
          if (i + 1 < levels.count()) {
            ASSERT_EQ(levels.parent(i, strange), (Feature{0, Kind::vertex, 0}));
          }
        }
        for (const Feature feature : features_of(here)) {
          const Vector3 from = middle_of(here, feature);
          if (i > 0) {
            const Feature child = levels.child(i, feature);
            const ConvexHull& finer = levels.level(i - 1).hull();
            ASSERT_TRUE(has(finer, child));
            ASSERT_LE((middle_of(finer, child) - from).norm(), size + levels.deviation(i));
          }
          if (i + 1 < levels.count()) {
            const Feature parent = levels.parent(i, feature);
            ASSERT_TRUE(has(levels.level(i + 1).hull(), parent));
          }
        }
      }
    }
  }
}

TEST(HullLevels, ThousandVerticesGiveTheLevelsThatTheOptionsAskFor) {
  Generator random = seeded(435);
  const ConvexHull hull = ellipsoid_hull(random, 1002, {1, 1, 1});
  const HullLevels quarter(hull, {.decimation = 0.25, .min_triangles = 20});
  ASSERT_EQ(quarter.count(), 4u);
  EXPECT_EQ(quarter.level(1).hull().face_count(), 500u);
  EXPECT_LE(quarter.deviation(1), 0.03);
  const HullLevels two(hull, {.decimation = 0.03125, .make_table = true});
  ASSERT_EQ(two.count(), 2u);
  EXPECT_EQ(two.level(1).hull().face_count(), 62u);
  ASSERT_NE(two.coarsest_table(), nullptr);
  const HullLevels removal(hull, {.builder = LevelBuilder::vertex_removal, .min_triangles = 100});
  EXPECT_GE(removal.count(), 8u);
  EXPECT_LE(removal.level(removal.count() - 1).hull().face_count(), 140u);
  EXPECT_LE(removal.deviation(1), 0.03);
  EXPECT_EQ(removal.coarsest_table(), nullptr);
}

TEST(HullLevels, MergedTinyHugeAndFarHullsAreContainedToo) {
  Generator random = seeded(436);
  const ConvexHull unit = ellipsoid_hull(random, 80, {1, 0.6, 0.3});
  for (const double scale : {1e-60, 1e-3, 1e60}) {
    for (const double away : {0.0, 1e3}) {
      for (const double merge : {0.0, 0.02}) {
        std::vector<Vector3> points;
        for (const Vector3& v : unit.vertices())
          points.push_back(scale * (v + away * Vector3(1, -1, 2)));
        const ConvexHull hull(points, {.merge_distance = merge * scale});
        for (const LevelBuilder builder : {LevelBuilder::quadric, LevelBuilder::vertex_removal}) {
          const HullLevels levels(hull, {.builder = builder, .decimation = 0.3, .min_triangles = 8});
          EXPECT_GE(levels.count(), 2u) << scale << " " << away << " " << merge;
          for (std::size_t i = 1; i < levels.count(); ++i) {
            EXPECT_LE(levels.deviation(i), 2 * scale);
            const ConvexHull& outer = levels.level(i).hull();
            for (std::size_t f = 0; f < outer.face_count(); ++f) {
              const auto face = outer.face(f);
              const auto corner = [&](std::size_t k) { return exactly<Rational>(outer.vertices()[face[k]]); };
              const Vec<Rational> a = corner(0), n = cross(corner(1) - a, corner(2) - a);
              const Vector3 rough = outer.planes()[f].normal;
              for (const Vector3& v : hull.vertices()) {
                if (rough.dot(v - outer.vertices()[face[0]]) < -1e-6 * scale) continue;
                ASSERT_LE(dot(n, exactly<Rational>(v) - a), 0);
              }
            }
          }
        }
      }
    }
  }
}

TEST(HullLevels, FlatAndSmallHullsHaveLevelZeroAlone) {
  for (const ConvexHull& hull : {prism_hull(12, 1, 0), ConvexHull(std::vector<Vector3>{{0, 0, 0}}), box_hull({1, 1, 1}),
                                 ConvexHull(std::vector<Vector3>{{0, 0, 0}, {1, 0, 0}})}) {
    for (const LevelBuilder builder : {LevelBuilder::quadric, LevelBuilder::vertex_removal}) {
      const HullLevels levels(hull, {.builder = builder});
      EXPECT_EQ(levels.count(), 1u);
      EXPECT_TRUE(same_storage(levels.level(0).hull(), hull));
    }
  }
}

TEST(HullLevels, BadOptionsAreErrors) {
  const ConvexHull box = box_hull({1, 1, 1});
  EXPECT_THROW(HullLevels(box, {.decimation = 0}), Error);
  EXPECT_THROW(HullLevels(box, {.decimation = 1}), Error);
  EXPECT_THROW(HullLevels(box, {.decimation = NAN}), Error);
  EXPECT_THROW(HullLevels(box, {.max_importance = -1}), Error);
  EXPECT_THROW(HullLevels(box, {.max_levels = 0}), Error);
  EXPECT_THROW(HullLevels(box, {.make_table = true, .table = {.resolution = 0}}), Error);
}

}  // namespace
}  // namespace whisker::test
