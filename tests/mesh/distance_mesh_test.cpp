// The distance of two meshes, compared with the distances of all pairs of placed triangles with a hundred digits. For
// larger convex meshes, the plane that the result implies must separate all vertices.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/make/make.hpp>
#include <whisker/mesh_tree.hpp>
#include <whisker/queries.hpp>
#include <whisker/simd.hpp>

#include "convex/pair_memory.hpp"
#include "geometry/constants.hpp"
#include "support/mesh_cases.hpp"

namespace whisker {
namespace {

using test::any_id;
using test::cases;
using test::MeshPair;
using test::PlacedTriangles;
using test::Random;
using test::random_pose;
using test::Real;
using test::seeded;
using test::small_meshes;
using test::small_models;
using test::uniform;

/// A pair with its truth.
struct Known {
  MeshPair pair;
  PlacedTriangles a, b;
  Real truth, tolerance;

  explicit Known(const MeshPair& of)
      : pair(of),
        a(of.placed_a()),
        b(of.placed_b()),
        truth(test::surface_distance(a, b)),
        tolerance(test::distance_tolerance(truth, a, b)) {}
};

/// Checks that the bounds contain the truth, whatever the options.
void expect_bounds(const Known& known, const Distance& found) {
  EXPECT_GE(found.lower, 0);
  EXPECT_LE(Real(found.lower), known.truth)
      << "above by " << double(Real(found.lower) - known.truth) << " of " << double(known.truth) << "\n"
      << known.pair;
  EXPECT_GE(Real(found.upper), known.truth)
      << "below by " << double(known.truth - Real(found.upper)) << " of " << double(known.truth) << "\n"
      << known.pair;
}

/// Checks that the points are in the triangles that are named and at the reported distance.
void expect_witnesses(const Known& known, const Distance& found) {
  const double ulp8 = test::eight_ulp(known.a, known.b);
  ASSERT_TRUE(found.point_a.allFinite() && found.point_b.allFinite());
  EXPECT_NEAR((found.point_b - found.point_a).stableNorm(), found.upper, 1e-12 * found.upper + ulp8) << known.pair;
  if (found.feature_a.kind == FeatureKind::triangle) {
    ASSERT_LT(found.feature_a.id, known.a.triangles.size());
    EXPECT_LE(closest_points(found.point_a, known.a.triangles[found.feature_a.id]).distance, ulp8) << known.pair;
  }
  if (found.feature_b.kind == FeatureKind::triangle) {
    ASSERT_LT(found.feature_b.id, known.b.triangles.size());
    EXPECT_LE(closest_points(found.point_b, known.b.triangles[found.feature_b.id]).distance, ulp8) << known.pair;
  }
}

void expect_normal(const Known& known, const Distance& found) {
  if (found.lower == 0) return;
  EXPECT_NEAR(found.normal.norm(), 1, 1e-14);
  // The rounding of the points rotates the line between them.
  const double turn = 4 * test::eight_ulp(known.a, known.b) / found.lower + 1e-14;
  EXPECT_LE((found.normal - (found.point_b - found.point_a) / found.upper).norm(), turn) << known.pair;
}

/// Checks the result with plain options: the truth, up to rounding.
void expect_exact(const Known& known, const Distance& found) {
  expect_bounds(known, found);
  EXPECT_LE(Real(found.upper) - known.truth, known.tolerance) << "of " << double(known.truth) << "\n" << known.pair;
  EXPECT_LE(known.truth - Real(found.lower), known.tolerance) << "of " << double(known.truth) << "\n" << known.pair;
  if (known.truth == 0) {
    EXPECT_EQ(found.lower, 0);
  } else {
    EXPECT_GT(found.upper, 0);
  }
  EXPECT_EQ(found.feature_a.kind, FeatureKind::triangle);
  EXPECT_EQ(found.feature_b.kind, FeatureKind::triangle);
  expect_witnesses(known, found);
  expect_normal(known, found);
}

MeshPair some_pair(Random& random, std::size_t i, double spread) {
  const std::size_t count = small_meshes().size();
  const Pose pose_a = random_pose(random, spread), pose_b = random_pose(random, i % 6 == 0 ? 10 * spread : spread);
  return {small_meshes()[i % count], pose_a, small_meshes()[(i * 5 + i / count) % count], pose_b};
}

TEST(MeshDistance, EveryModelAgainstEveryOtherIsThatOfTheNearestTriangles) {
  auto random = seeded(3301);
  std::size_t apart = 0;
  const std::size_t count = cases(256);
  for (std::size_t i = 0; i < count; ++i) {
    const Known known(some_pair(random, i, 1));
    apart += known.truth > 0 ? 1u : 0u;
    expect_exact(known, known.pair.find_distance());
    if (HasFailure()) FAIL() << "case " << i;
  }
  EXPECT_GT(apart, count / 4);
}

TEST(MeshDistance, MediumModelsIsThatOfTheNearestTriangles) {
  auto random = seeded(3302);
  const std::vector<Mesh>& meshes = test::medium_meshes();
  for (std::size_t i = 0; i < cases(meshes.size()); ++i) {
    const Known known({meshes[i % meshes.size()], random_pose(random, 0.8),
                       meshes[(i * 7 + 1 + i / meshes.size()) % meshes.size()], random_pose(random, 0.8)});
    expect_exact(known, known.pair.find_distance());
    if (HasFailure()) FAIL() << "case " << i;
  }
}

/// A pose at which the two are apart by a given gap, as exactly as bisection in plain doubles achieves.
Pose pose_at_gap(Random& random, const Mesh& a, const Mesh& b, double gap) {
  const Vector3 direction = test::scenes::unit_vector(random);
  const Matrix3 turn = test::scenes::any_rotation(random);
  const PlacedTriangles placed(a, Pose());
  const auto brute = [&](double s) { return test::surfaces_touch(placed, {b, Pose(turn, s * direction)}); };
  double start = 0;
  while (start < 1 && !brute(start))
    start += 0.125;
  if (start >= 1) return {turn, 3 * direction};
  return {turn, (test::last_bit(start, 4.0, brute).second + gap) * direction};
}

TEST(MeshDistance, GapsFromTheLastBitUp) {
  auto random = seeded(3303);
  for (std::size_t i = 0; i < cases(120); ++i) {
    const Mesh &a = small_meshes()[i % small_meshes().size()],
               &b = small_meshes()[(i * 5 + i / 16) % small_meshes().size()];
    const double gap = i % 4 == 0 ? 0 : test::scenes::power_of_ten(-test::whole(random, 1, 16));
    const Known known({a, Pose(), b, pose_at_gap(random, a, b, gap)});
    const Distance found = known.pair.find_distance();
    expect_exact(known, found);
    EXPECT_EQ(known.pair.touch(), known.truth == 0);
    if (HasFailure()) FAIL() << "case " << i;
  }
}

TEST(MeshDistance, SwappingSwapsPointsAndTrianglesAndChangesNothingElse) {
  auto random = seeded(3304);
  std::size_t same = 0;
  for (std::size_t i = 0; i < cases(2000); ++i) {
    const MeshPair pair = some_pair(random, i, 1);
    const Distance there = pair.find_distance(), back = pair.find_distance_swapped();
    ASSERT_EQ(there.lower, back.lower) << i << "\n" << pair;
    ASSERT_EQ(there.upper, back.upper) << i << "\n" << pair;
    if (there.upper == 0) continue;  // any of many touching pairs may be named
    // If several pairs of points are closest, another one of them may be named.
    const PlacedTriangles a = pair.placed_a(), b = pair.placed_b();
    const double off = test::eight_ulp(a, b);
    ASSERT_LE(closest_points(back.point_b, a.triangles.at(back.feature_b.id)).distance, off) << i << "\n" << pair;
    ASSERT_LE(closest_points(back.point_a, b.triangles.at(back.feature_a.id)).distance, off) << i << "\n" << pair;
    ASSERT_NEAR((back.point_b - back.point_a).norm(), there.upper, 1e-12 * there.upper + off) << i << "\n" << pair;
    if (there.point_a == back.point_b && there.point_b == back.point_a) {
      ASSERT_LE((there.normal + back.normal).norm(), 1e-15) << i << "\n" << pair;
      ++same;
    }
  }
  EXPECT_GT(same, cases(2000) / 4);
}

TEST(MeshDistance, OfTouchingMeshesIsZero) {
  auto random = seeded(3305);
  std::size_t hits = 0;
  for (std::size_t i = 0; i < cases(1000); ++i) {
    const MeshPair pair = some_pair(random, i, 0.4);
    const Distance found = pair.find_distance();
    if (!pair.touch()) {
      ASSERT_GT(found.upper, 0) << pair;
      continue;
    }
    ++hits;
    ASSERT_EQ(found.lower, 0) << pair;
    ASSERT_LE(found.upper, test::eight_ulp(pair.placed_a(), pair.placed_b())) << pair;
    ASSERT_EQ(found.stop, Stop::exact);
  }
  EXPECT_GT(hits, cases(1000) / 10);
}

// --- certificates for large convex meshes ------------------------------------------------------------------------

/// The plane perpendicular to the normal must separate all vertices of a from all of b, with the reported gap: the
/// distance is at least the width of that gap, computed with a hundred digits, and at most the distance of the two
/// points.
TEST(MeshDistance, OfLargeConvexMeshesIsProvenByItsPlane) {
  auto random = seeded(3306);
  const std::vector<Mesh> hulls = {
      Mesh(make::icosphere({.subdivisions = 5})), Mesh(make::random_hull({.points = 4000})),
      Mesh(make::capsule({.slices = 64, .stacks = 24})), Mesh(make::uv_sphere({.stacks = 50}))};
  for (std::size_t i = 0; i < cases(24); ++i) {
    const Mesh &a = hulls[i % hulls.size()], &b = hulls[(i / 2) % hulls.size()];
    const Vector3 away = uniform(random, 2.6, 5) * test::scenes::unit_vector(random);
    const MeshPair pair(a, Pose(test::scenes::any_rotation(random), Vector3::Zero()), b,
                        Pose(test::scenes::any_rotation(random), away));
    const Distance found = pair.find_distance();
    ASSERT_GT(found.lower, 0.1);
    const test::Vec<Real> n = test::exactly<Real>(found.normal);
    const Real length = test::length(n);
    Real last_of_a = -Real(1e9), first_of_b = Real(1e9);
    for (const Vector3& v : a.vertices())
      last_of_a = std::max(last_of_a, test::dot(n, test::exactly<Real>(place(pair.pose_a, v))) / length);
    for (const Vector3& v : b.vertices())
      first_of_b = std::min(first_of_b, test::dot(n, test::exactly<Real>(place(pair.pose_b, v))) / length);
    const Real gap = first_of_b - last_of_a;
    // The error of the normal is about an ulp of the coordinates divided by the distance. Rotating the normal by that
    // angle changes the gap by no more than the angle times the meshes' size.
    const double ulp = test::spacing_of_doubles_at(away.norm() + 2);
    const Real slack = Real(16 * ulp * (1 + 3 / found.lower));
    EXPECT_GE(gap, Real(found.lower) - slack) << i << "\n" << pair;
    EXPECT_LE(gap, Real(found.upper)) << i << ": a gap wider than the distance\n" << pair;
    EXPECT_LE(found.upper - found.lower, 1e-12 * found.upper + 8 * ulp);
  }
}

// --- options -----------------------------------------------------------------------------------------------------

TEST(MeshDistanceOptions, BoundsHoldTheTruthUnderEveryTolerance) {
  auto random = seeded(3307);
  for (std::size_t i = 0; i < cases(100); ++i) {
    const Known known(some_pair(random, i, 1));
    for (const double tolerance : {0.0, 1e-300, 1e-12, 1e-6, 1e-3, 0.1, 1.0, 100.0, infinity}) {
      const Distance found = known.pair.find_distance({.tolerance = tolerance});
      expect_bounds(known, found);
      expect_witnesses(known, found);
      EXPECT_LE(Real(found.upper) - Real(found.lower), std::max(Real(tolerance), 2 * known.tolerance)) << tolerance;
      EXPECT_TRUE(found.stop == Stop::exact || found.stop == Stop::tolerance);
      if (HasFailure()) FAIL() << "case " << i << ", tolerance " << tolerance;
    }
  }
}

TEST(MeshDistanceOptions, BoundsHoldTheTruthUnderEveryBudget) {
  auto random = seeded(3308);
  for (std::size_t i = 0; i < cases(100); ++i) {
    const Known known(some_pair(random, i, 1));
    double last_width = infinity;
    for (const std::uint64_t budget : {0u, 1u, 2u, 10u, 30u, 100u, 300u, 1000u, 10'000u, 1'000'000u}) {
      const Distance found = known.pair.find_distance({.budget = budget});
      expect_bounds(known, found);
      if (std::isfinite(found.upper)) expect_witnesses(known, found);
      EXPECT_TRUE(found.stop == Stop::exact || found.stop == Stop::budget);
      if (found.stop == Stop::exact) {
        EXPECT_LE(Real(found.upper) - Real(found.lower), 2 * known.tolerance) << budget;
      }
      // The budget is approximate: one step of eight by eight children and four by four triangles may exceed it.
      EXPECT_LE(found.cost.volume_tests + found.cost.primitive_tests, 2 * budget + 4096);
      const double width = found.upper - found.lower;
      if (budget >= 1'000'000u) {
        EXPECT_LE(width, last_width);
      }
      last_width = width;
      if (HasFailure()) FAIL() << "case " << i << ", budget " << budget << "\n" << known.pair;
    }
  }
}

TEST(MeshDistanceOptions, BeyondTheUpperBoundIsProvenAndNoMore) {
  auto random = seeded(3309);
  for (std::size_t i = 0; i < cases(150); ++i) {
    const Known known(some_pair(random, i, 1));
    const double truth = double(known.truth);
    for (const double bound : {0.0, 1e-9, 0.5 * truth, truth * (1 - 1e-9), std::nextafter(truth, 0.0), truth,
                               std::nextafter(truth, infinity), truth * (1 + 1e-9), 2 * truth, 1e6}) {
      const Distance found = known.pair.find_distance({.upper_bound = bound});
      expect_bounds(known, found);
      if (Real(bound) > known.truth + known.tolerance) {
        EXPECT_LE(Real(found.upper) - known.truth, known.tolerance) << bound;
        expect_witnesses(known, found);
      }
      if (Real(bound) < known.truth - known.tolerance) {
        EXPECT_GE(found.lower, bound) << bound;
        EXPECT_EQ(found.upper, infinity) << bound;
      }
      if (found.upper == infinity) {
        EXPECT_GE(found.lower, bound) << "nothing is known";
      }
      if (HasFailure()) FAIL() << "case " << i << ", upper bound " << bound << " of " << truth << "\n" << known.pair;
    }
  }
}

TEST(MeshDistanceOptions, CloseEnoughIsEnough) {
  auto random = seeded(3310);
  for (std::size_t i = 0; i < cases(150); ++i) {
    const Known known(some_pair(random, i, 1));
    const double truth = double(known.truth);
    for (const double enough :
         {-1.0, 0.0, 0.5 * truth, truth * (1 - 1e-9), truth * (1 + 1e-9), 2 * truth, 5.0, infinity}) {
      const Distance found = known.pair.find_distance({.close_enough = enough});
      expect_bounds(known, found);
      expect_witnesses(known, found);
      if (Real(enough) < known.truth) {
        EXPECT_LE(Real(found.upper) - known.truth, known.tolerance) << enough;
        EXPECT_LE(known.truth - Real(found.lower), known.tolerance) << enough;
      } else {
        EXPECT_LE(Real(found.upper), Real(enough) + known.tolerance) << enough;
      }
      if (HasFailure()) FAIL() << "case " << i << ", close enough " << enough << " of " << truth << "\n" << known.pair;
    }
  }
}

TEST(MeshDistanceOptions, AllAtOnceHoldTheTruth) {
  auto random = seeded(3311);
  for (std::size_t i = 0; i < cases(200); ++i) {
    const Known known(some_pair(random, i, 1));
    PairCache cache;
    for (int n = 0; n < 12; ++n) {
      DistanceOptions options;
      if (test::scenes::chance(random, 2)) options.tolerance = uniform(random, 0, 0.5);
      if (test::scenes::chance(random, 2)) options.upper_bound = uniform(random, 0, 3);
      if (test::scenes::chance(random, 2)) options.close_enough = uniform(random, 0, 1);
      if (test::scenes::chance(random, 2)) options.budget = random() % 500;
      if (test::scenes::chance(random, 2)) options.cache = &cache;
      expect_bounds(known, known.pair.find_distance(options));
      if (HasFailure()) FAIL() << "case " << i << "\n" << known.pair;
    }
  }
}

TEST(MeshCloserThan, IsTrueUnlessProvenFarther) {
  auto random = seeded(3312);
  for (std::size_t i = 0; i < cases(200); ++i) {
    const Known known(some_pair(random, i, 1));
    const double truth = double(known.truth);
    for (const double limit : {0.0, 0.5 * truth, truth * (1 - 1e-9), std::nextafter(truth, 0.0), truth,
                               std::nextafter(truth, infinity), truth * (1 + 1e-9), 2 * truth + 1e-300, infinity}) {
      Cost cost;
      const bool there =
          closer_than({known.pair.shape_a, known.pair.pose_a}, {known.pair.shape_b, known.pair.pose_b}, limit, &cost);
      const bool back =
          closer_than({known.pair.shape_b, known.pair.pose_b}, {known.pair.shape_a, known.pair.pose_a}, limit);
      EXPECT_EQ(there, back);
      if (Real(limit) >= known.truth) {
        EXPECT_TRUE(there) << limit;
      }
      if (Real(limit) < known.truth - known.tolerance) {
        EXPECT_FALSE(there) << limit;
      }
      if (HasFailure()) FAIL() << "case " << i << ", limit " << limit << " of " << truth << "\n" << known.pair;
    }
    // For touching pairs, any limit.
    if (known.truth == 0) {
      EXPECT_TRUE(closer_than({known.pair.shape_a, known.pair.pose_a}, {known.pair.shape_b, known.pair.pose_b}, 0));
    }
  }
}

// --- all builders and instruction sets agree ----------------------------------------------------------------------

TEST(MeshDistance, AlikeOnEveryInstructionSetAndTrueWithEveryBuilder) {
  const std::vector<std::string> targets = simd_targets();
  std::vector<std::vector<Mesh>> meshes;
  for (const Split split : test::all_splits)
    meshes.push_back(test::meshes_of(small_models(), {.split = split}));
  auto random = seeded(3313);
  for (std::size_t i = 0; i < cases(64); ++i) {
    const std::size_t k = i % small_models().size(), m = (i * 5 + 1 + i / 16) % small_models().size();
    const Known known({meshes[0][k], random_pose(random, 0.9), meshes[0][m], random_pose(random, 0.9)});
    for (std::size_t s = 0; s < meshes.size(); ++s) {
      const MeshPair pair(meshes[s][k], known.pair.pose_a, meshes[(s + i) % meshes.size()][m], known.pair.pose_b);
      const Distance best = pair.find_distance();
      expect_exact(known, best);
      for (const std::string& target : targets) {
        ASSERT_TRUE(use_simd_target(target));
        const Distance found = pair.find_distance();
        const Distance rough = pair.find_distance({.tolerance = 0.05, .budget = 200});
        use_simd_target("");
        EXPECT_EQ(found.lower, best.lower) << target;
        EXPECT_EQ(found.upper, best.upper) << target;
        EXPECT_EQ(found.point_a, best.point_a) << target;
        EXPECT_EQ(found.point_b, best.point_b) << target;
        EXPECT_EQ(found.feature_a, best.feature_a) << target;
        EXPECT_EQ(found.feature_b, best.feature_b) << target;
        expect_bounds(known, rough);
      }
      if (HasFailure()) FAIL() << "case " << i << ", builder " << s << "\n" << pair;
    }
  }
}

// --- solids ------------------------------------------------------------------------------------------------------

TEST(SolidDistance, IsZeroInsideAndThatOfTheSurfacesOutside) {
  const double rounding = 8 * test::spacing_of_doubles_at(10);
  const Shape outer = Mesh(make::box({.size_x = 4, .size_y = 4, .size_z = 4})).solid();
  const Shape outer_surface = Mesh(make::box({.size_x = 4, .size_y = 4, .size_z = 4}));
  const Shape inner = Mesh(make::box()).solid();
  for (const bool swap : {false, true}) {
    const Distance inside = swap ? distance(inner, outer) : distance(outer, inner);
    EXPECT_EQ(inside.lower, 0);
    EXPECT_EQ(inside.upper, 0);
    EXPECT_EQ(inside.normal, Vector3(0, 0, 0));
    EXPECT_EQ(inside.point_a, inside.point_b);
    const Distance surface = swap ? distance(inner, outer_surface) : distance(outer_surface, inner);
    EXPECT_NEAR(surface.value(), 1.5, rounding);
  }
  const Distance outside = distance(outer, {inner, Pose(Vector3(5, 0, 0))});
  EXPECT_NEAR(outside.value(), 2.5, rounding);
  // The cavity of a solid is outside the solid.
  const auto cube = [](double size) { return make::box({.size_x = size, .size_y = size, .size_z = size}); };
  const Shape hollow = Mesh(test::joined(cube(10), test::reversed(cube(6)))).solid();
  EXPECT_NEAR(distance(hollow, inner).value(), 2.5, rounding);
  EXPECT_EQ(distance(hollow, {inner, Pose(Vector3(4, 0, 0))}).upper, 0);
  // One part inside, the others far away.
  const Shape parts = Mesh(test::joined(test::moved(make::box(), Vector3(20, 0, 0)), make::box())).solid();
  EXPECT_EQ(distance(outer, parts).upper, 0);
  EXPECT_EQ(distance(parts, outer).upper, 0);
}

// --- caches ------------------------------------------------------------------------------------------------------

void expect_same(const Distance& found, const Distance& plain) {
  EXPECT_EQ(found.lower, plain.lower);
  EXPECT_EQ(found.upper, plain.upper);
  EXPECT_EQ(found.stop, plain.stop);
  if (plain.upper == 0) return;
  EXPECT_EQ(found.point_a, plain.point_a);
  EXPECT_EQ(found.point_b, plain.point_b);
  EXPECT_EQ(found.normal, plain.normal);
  EXPECT_EQ(found.feature_a, plain.feature_a);
  EXPECT_EQ(found.feature_b, plain.feature_b);
}

TEST(MeshDistanceWithCache, RandomCachesChangeNoAnswer) {
  auto random = seeded(3314);
  for (std::size_t i = 0; i < cases(4000); ++i) {
    const MeshPair pair = some_pair(random, i, 0.8);
    PairCache cache;
    memory_of(cache).touching_a = any_id(random, pair.a.triangle_count());
    memory_of(cache).touching_b = any_id(random, pair.b.triangle_count());
    memory_of(cache).closest_a = any_id(random, pair.a.triangle_count());
    memory_of(cache).closest_b = any_id(random, pair.b.triangle_count());
    for (double& x : memory_of(cache).apart_along)
      x = test::scenes::chance(random, 4) ? std::numeric_limits<double>::quiet_NaN() : uniform(random, -1, 1);
    const Distance plain = pair.find_distance();
    expect_same(pair.find_distance({.cache = &cache}), plain);
    expect_same(pair.find_distance({.cache = &cache}), plain);
    if (HasFailure()) FAIL() << "case " << i << "\n" << pair;
  }
}

TEST(MeshDistanceWithCache, OneCacheForAllPairsPosesAndTolerancesChangesNoAnswer) {
  auto random = seeded(3315);
  PairCache cache;
  for (std::size_t i = 0; i < cases(4000); ++i) {
    const MeshPair pair = some_pair(random, i, 0.8);
    if (i % 3 == 0) touches({pair.shape_a, pair.pose_a}, {pair.shape_b, pair.pose_b}, {.cache = &cache});
    if (i % 5 == 0) pair.find_distance({.tolerance = 0.1, .cache = &cache});
    expect_same(pair.find_distance({.cache = &cache}), pair.find_distance());
    if (HasFailure()) FAIL() << "case " << i << "\n" << pair;
  }
}

// --- degenerate --------------------------------------------------------------------------------------------------

TEST(MeshDistance, OfAMillionTrianglesInOnePoint) {
  MeshData data;
  data.vertices = {Vector3(0.1, 0.2, 0.3)};
  data.triangles.assign(1'000'000, {0, 0, 0});
  const Shape heap = Mesh(data, {.split = Split::morton}), box = Mesh(make::box());
  // All pairs have the same distance. Floats cannot distinguish them, and there are far too many to be measured one by
  // one. One plane separates the heap from another one, but no plane does inside a box. There the search gives up,
  // reports that, and returns valid bounds.
  for (const Shape* other : {&box, &heap}) {
    const Pose pose(Vector3(other == &box ? 0 : 3, 0, 0));
    const double truth = other == &box ? 0.2 : 3;
    const Distance found = distance(heap, {*other, pose});
    EXPECT_LE(found.lower, truth);
    EXPECT_GE(found.lower, truth * (1 - (other == &box ? 0x1p-7 : 0x1p-47)));
    EXPECT_NEAR(found.upper, truth, 8 * test::spacing_of_doubles_at(3));
    EXPECT_EQ(found.stop, found.upper - found.lower < 1e-12 ? Stop::exact : Stop::limit);
    EXPECT_LT(found.cost.primitive_tests, 30'000'000u);  // a few per triangle, not per pair
    // With a budget, the bounds are valid too.
    const Distance rough = distance(heap, {*other, pose}, {.budget = 50'000});
    EXPECT_LE(rough.lower, truth);
    EXPECT_GE(rough.upper, truth * (1 - 1e-15));
  }
}

TEST(MeshDistance, OfAPointThatIsPlacedBackFromFarAway) {
  for (const double away : {1e6, 1e15, 1e20, 1e25, 1e30, 1e60}) {
    const Vector3 there(away, 0, 0);
    const Shape point = Mesh(test::soup({{there, there, there}}));
    const Shape triangle = Mesh(test::soup({{{0.5, 0, 0}, {1, 0, 0}, {0.5, 1, 0}}}));
    const Distance found = distance({point, Pose(-there)}, triangle);
    EXPECT_NEAR(found.lower, 0.5, 8 * 0x1p-52) << away;
    EXPECT_NEAR(found.upper, 0.5, 8 * 0x1p-52) << away;
  }
}

}  // namespace
}  // namespace whisker
