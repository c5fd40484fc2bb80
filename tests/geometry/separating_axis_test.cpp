// The separating axis test of convex polyhedra against exact arithmetic and brute force.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include <whisker/convex_hull.hpp>
#include <whisker/geometry/separating_axis.hpp>
#include <whisker/pose.hpp>

#include "geometry/hull_oracle.hpp"
#include "geometry/raw_pose.hpp"
#include "support/cases.hpp"
#include "support/random_vectors.hpp"

namespace whisker {
namespace {

using test::cases;
using test::Integer;
using test::Integer3;
using test::random_rotation;
using test::random_unit;
using test::seeded;
using test::uniform;

using Points = std::vector<Vector3>;

Points placed(const ConvexHull& hull, const Pose& pose) {
  Points points;
  for (const Vector3& v : hull.vertices())
    points.push_back(place(pose, v));
  return points;
}

// Whether the convex hulls of a and b share a point, exactly: are there λ, μ >= 0 with Σλa = Σμb and Σλ = Σμ = 1? The
// first phase of the simplex method with Bland's rule, in integers (each pivot step divides exactly by the previous
// pivot).
bool exactly_touching(const Points& a, const Points& b) {
  Points all = a;
  all.insert(all.end(), b.begin(), b.end());
  const std::vector<Integer3> exact = test::to_integers(all);
  const std::size_t columns = all.size();
  const std::size_t rows = 5;
  std::vector<std::vector<Integer>> table(rows + 1, std::vector<Integer>(columns + 1, 0));
  for (std::size_t j = 0; j < columns; ++j) {
    const bool of_a = j < a.size();
    for (std::size_t k = 0; k < 3; ++k)
      table[k][j] = of_a ? exact[j][k] : Integer(-exact[j][k]);
    table[of_a ? 3 : 4][j] = 1;
  }
  table[3][columns] = 1;
  table[4][columns] = 1;
  // The last row: how much the sum of the artificial variables, one per row, decreases with each column.
  for (std::size_t j = 0; j <= columns; ++j) {
    for (std::size_t i = 0; i < rows; ++i)
      table[rows][j] += table[i][j];
  }
  std::array<std::size_t, rows> basis;
  for (std::size_t i = 0; i < rows; ++i)
    basis[i] = columns + i;
  Integer divisor = 1;
  while (table[rows][columns] != 0) {
    std::size_t enter = 0;
    while (enter < columns && table[rows][enter] <= 0)
      ++enter;
    if (enter == columns) return false;
    std::size_t leave = rows;
    for (std::size_t i = 0; i < rows; ++i) {
      if (table[i][enter] <= 0) continue;
      if (leave < rows) {
        const Integer here = table[i][columns] * table[leave][enter];
        const Integer best = table[leave][columns] * table[i][enter];
        if (here > best || (here == best && basis[i] > basis[leave])) continue;
      }
      leave = i;
    }
    const Integer pivot = table[leave][enter];
    for (std::size_t i = 0; i <= rows; ++i) {
      if (i == leave) continue;
      const Integer factor = table[i][enter];
      for (std::size_t j = 0; j <= columns; ++j) {
        table[i][j] = (table[i][j] * pivot - factor * table[leave][j]) / divisor;
      }
    }
    divisor = pivot;
    basis[leave] = enter;
  }
  return true;
}

// The exact minimum over b minus the maximum over a of axis·v, as a numerator over 2^shift.
struct ExactGap {
  Integer value;
  int shift;
};

ExactGap exact_gap(const Points& a, const Points& b, const Vector3& axis) {
  Points all = a;
  all.insert(all.end(), b.begin(), b.end());
  const int point_shift = test::common_shift(all);
  const std::array<Vector3, 1> one = {axis};
  const int axis_shift = test::common_shift(one);
  const Integer3 d = test::to_integer(axis, axis_shift);
  Integer top = test::dot(d, test::to_integer(a[0], point_shift));
  for (const Vector3& v : a)
    top = std::max(top, test::dot(d, test::to_integer(v, point_shift)));
  Integer bottom = test::dot(d, test::to_integer(b[0], point_shift));
  for (const Vector3& v : b)
    bottom = std::min(bottom, test::dot(d, test::to_integer(v, point_shift)));
  return {bottom - top, point_shift + axis_shift};
}

Integer squared_length(const Vector3& axis, int& shift) {
  const std::array<Vector3, 1> one = {axis};
  const int axis_shift = test::common_shift(one);
  const Integer3 d = test::to_integer(axis, axis_shift);
  shift = 2 * axis_shift;
  return test::dot(d, d);
}

// Whether value * 2^-shift <= other * 2^-other_shift.
bool at_most(Integer value, int shift, Integer other, int other_shift) {
  if (shift < other_shift) value <<= other_shift - shift;
  if (other_shift < shift) other <<= shift - other_shift;
  return value <= other;
}

// Checks the certificates in a result in exact arithmetic: the gap along the axis is at least the reported one, and a
// move by the overlap along the axis leaves no overlap.
void expect_certified(const Points& a, const Points& b, const SeparatingAxisResult& result) {
  if (result.axis.isZero()) {
    ASSERT_FALSE(result.separated);
    return;
  }
  ASSERT_NEAR(result.axis.norm(), 1, 1e-15);
  const ExactGap gap = exact_gap(a, b, result.axis);
  int length_shift = 0;
  const Integer length = squared_length(result.axis, length_shift);
  if (result.separated) {
    ASSERT_GT(gap.value, 0);
    const int shift = test::integer_shift(result.gap);
    const Integer reported = test::to_integer(result.gap, shift);
    ASSERT_TRUE(at_most(reported * reported * length, 2 * shift + length_shift, gap.value * gap.value, 2 * gap.shift));
  } else {
    const int shift = test::integer_shift(result.overlap);
    const Integer moved = test::to_integer(result.overlap, shift) * length;
    ASSERT_TRUE(at_most(-gap.value, gap.shift, moved, shift + length_shift));
  }
}

SeparatingAxisResult run(const ConvexHull& a, const Pose& pose_a, const ConvexHull& b, const Pose& pose_b,
                         SeparatingAxisCache* cache = nullptr) {
  SeparatingAxisScratch scratch;
  return separating_axis(a.polyhedron(), pose_a, b.polyhedron(), pose_b, cache, scratch);
}

ConvexHull box_hull(const Vector3& half) {
  Points points;
  for (int i = 0; i < 8; ++i) {
    points.emplace_back((i & 1) != 0 ? half[0] : -half[0], (i & 2) != 0 ? half[1] : -half[1],
                        (i & 4) != 0 ? half[2] : -half[2]);
  }
  return ConvexHull(points);
}

// Solids of 4 to `most` points. One in three is flat, a segment or a point.
ConvexHull random_hull(std::mt19937_64& random, std::size_t most = 12) {
  const auto kind = random() % 9;
  Points points;
  const std::size_t count = kind == 0 ? 1 : kind == 1 ? 2 : 3 + random() % (most - 2);
  for (std::size_t i = 0; i < std::max<std::size_t>(count, kind > 2 ? 4 : 1); ++i) {
    Vector3 p = random_unit(random) * uniform(random, 0.5, 1);
    if (kind == 2) p[2] = 0;
    points.push_back(p);
  }
  if (kind == 3) return box_hull({uniform(random, 0.1, 0.6), uniform(random, 0.1, 0.6), uniform(random, 0.1, 0.6)});
  return ConvexHull(points);
}

// Integer points in a small cube. Flat hulls, segments and points are frequent, and so is exact contact.
ConvexHull lattice_hull(std::mt19937_64& random) {
  std::uniform_int_distribution<int> coordinate(0, 3);
  const bool flat = random() % 3 == 0;
  Points points;
  const std::size_t count = 1 + random() % 8;
  for (std::size_t i = 0; i < count; ++i) {
    points.emplace_back(coordinate(random), coordinate(random), flat ? 1 : coordinate(random));
  }
  return ConvexHull(points);
}

struct Counts {
  std::size_t apart = 0, touching = 0, unproven = 0;
};

// Compares with the oracle: a reported separation must be true, and a pair that is apart but not reported is within
// rounding of contact.
void check_pair(const ConvexHull& a, const Pose& pose_a, const ConvexHull& b, const Pose& pose_b, double rounding,
                Counts& counts) {
  const Points points_a = placed(a, pose_a);
  const Points points_b = placed(b, pose_b);
  const bool touching = exactly_touching(points_a, points_b);
  const SeparatingAxisResult result = run(a, pose_a, b, pose_b);
  expect_certified(points_a, points_b, result);
  if (touching) {
    ++counts.touching;
    ASSERT_FALSE(result.separated);
  } else {
    ++counts.apart;
    if (!result.separated) {
      ++counts.unproven;
      ASSERT_LT(result.overlap, rounding) << "apart, but not proven";
    }
  }
}

TEST(SeparatingAxis, RandomPairsAgreeWithExactArithmetic) {
  auto random = seeded(31);
  Counts counts;
  for (std::size_t n = 0; n < cases(3000); ++n) {
    const ConvexHull a = random_hull(random);
    const ConvexHull b = random_hull(random);
    const Pose pose_a(random_rotation(random), random_unit(random) * uniform(random, 0, 3));
    const Pose pose_b(random_rotation(random), pose_a.translation() + random_unit(random) * uniform(random, 0, 2));
    check_pair(a, pose_a, b, pose_b, 1e-14, counts);
    if (HasFatalFailure()) FAIL() << "case " << n;
  }
  EXPECT_GT(counts.apart, cases(3000) / 4);
  EXPECT_GT(counts.touching, cases(3000) / 8);
  EXPECT_EQ(counts.unproven, 0u);
}

TEST(SeparatingAxis, LatticePairsThatTouchExactlyAreNeverApart) {
  auto random = seeded(32);
  Counts counts;
  std::uniform_int_distribution<int> shift(-3, 3);
  std::size_t grazing = 0;
  for (std::size_t n = 0; n < cases(6000); ++n) {
    const ConvexHull a = lattice_hull(random);
    const ConvexHull b = lattice_hull(random);
    const Pose pose(Vector3(shift(random), shift(random), n % 3 == 0 ? 0 : shift(random)));
    check_pair(a, Pose(), b, pose, 1e-14, counts);
    if (HasFatalFailure()) FAIL() << "case " << n;
    const SeparatingAxisResult result = run(a, Pose(), b, pose);
    if (!result.separated && result.overlap < 1e-12) ++grazing;
  }
  EXPECT_GT(counts.apart, cases(6000) / 4);
  EXPECT_GT(grazing, cases(6000) / 20) << "pairs that touch without overlap";
  EXPECT_EQ(counts.unproven, 0u) << "lattice pairs that are apart are so by much";
}

TEST(SeparatingAxis, PairsMovedToTheBrinkOfContactAreNeverWronglyApart) {
  auto random = seeded(33);
  Counts counts;
  for (std::size_t n = 0; n < cases(1500); ++n) {
    const ConvexHull a = random_hull(random);
    const ConvexHull b = random_hull(random);
    const Pose pose_a(random_rotation(random), random_unit(random) * uniform(random, 0, n % 2 == 0 ? 1 : 100));
    Pose pose_b(random_rotation(random), pose_a.translation() + random_unit(random) * uniform(random, 0, 1));
    const SeparatingAxisResult before = run(a, pose_a, b, pose_b);
    if (before.separated) continue;
    const double nudge = (random() % 2 == 0 ? 1 : -1) * std::pow(10, uniform(random, -17, -11));
    pose_b.set_translation(pose_b.translation() + before.axis * (before.overlap + nudge));
    check_pair(a, pose_a, b, pose_b, 1e-12, counts);
    if (HasFatalFailure()) FAIL() << "case " << n;
  }
  EXPECT_GT(counts.apart, cases(1500) / 8);
  EXPECT_GT(counts.touching, cases(1500) / 8);
  std::cout << counts.unproven << " of " << counts.apart << " pairs apart are too close for a proof\n";
}

TEST(SeparatingAxis, SmallGapsBeyondRoundingAreProven) {
  // A box over a box with a gap of 2^-40 at coordinates below 4, in every axis direction.
  const ConvexHull box = box_hull({1, 1, 1});
  for (int k = 0; k < 3; ++k) {
    for (const double sign : {1.0, -1.0}) {
      Vector3 shift = Vector3::Zero();
      shift[k] = sign * (2 + 0x1p-40);
      const SeparatingAxisResult apart = run(box, Pose(), box, Pose(shift));
      EXPECT_TRUE(apart.separated);
      EXPECT_NEAR(apart.gap, 0x1p-40, 1e-14);
      EXPECT_EQ(apart.axis[k], sign);
      shift[k] = sign * 2;
      const SeparatingAxisResult touching = run(box, Pose(), box, Pose(shift));
      EXPECT_FALSE(touching.separated);
      EXPECT_LT(touching.overlap, 1e-14);
    }
  }
}

TEST(SeparatingAxis, CoplanarPolygonsAreSeparatedInTheirPlane) {
  const Points triangle = {{0, 0, 1}, {1, 0, 1}, {0, 1, 1}};
  const ConvexHull a(triangle);
  // Its mirror image across the long side: apart only along the diagonal in the plane.
  const Points mirrored = {{1, 1, 1}, {1, 0.125, 1}, {0.125, 1, 1}};
  const ConvexHull b(mirrored);
  const SeparatingAxisResult result = run(a, Pose(), b, Pose());
  EXPECT_TRUE(result.separated);
  EXPECT_NEAR(result.gap, 0.125 / std::sqrt(2), 1e-14);
  EXPECT_FALSE(run(a, Pose(), a, Pose()).separated);
}

TEST(SeparatingAxis, PointsAndSegmentsOfEveryRelation) {
  const auto hull = [](const Points& points) { return ConvexHull(points); };
  const auto apart = [](const ConvexHull& a, const ConvexHull& b) {
    const bool forward = run(a, Pose(), b, Pose()).separated;
    EXPECT_EQ(run(b, Pose(), a, Pose()).separated, forward);
    return forward;
  };
  const ConvexHull point = hull({{1, 2, 3}});
  const ConvexHull segment = hull({{0, 0, 0}, {2, 4, 6}});
  EXPECT_FALSE(apart(point, point));
  EXPECT_TRUE(apart(point, hull({{1, 2, 3.0000001}})));
  EXPECT_FALSE(apart(point, segment));                            // its middle
  EXPECT_TRUE(apart(hull({{1, 2, 3.0000001}}), segment));         // beside it
  EXPECT_TRUE(apart(hull({{3, 6, 9}}), segment));                 // beyond its end
  EXPECT_FALSE(apart(segment, hull({{1, 2, 3}, {3, 6, 9}})));     // collinear, overlapping
  EXPECT_FALSE(apart(segment, hull({{2, 4, 6}, {3, 6, 9}})));     // collinear, end to end
  EXPECT_TRUE(apart(segment, hull({{2.5, 5, 7.5}, {3, 6, 9}})));  // collinear, apart
  EXPECT_TRUE(apart(segment, hull({{0, 0, 1}, {2, 4, 7}})));      // parallel
  EXPECT_FALSE(apart(segment, hull({{0, 2, 3}, {2, 2, 3}})));     // crossing
  EXPECT_TRUE(apart(segment, hull({{1.5, 2, 3}, {2.5, 2, 3}})));  // coplanar, not crossing
  EXPECT_TRUE(apart(segment, hull({{0, 2, 3.5}, {2, 2, 3.5}})));  // skew
  const ConvexHull square = hull({{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}});
  EXPECT_FALSE(apart(square, hull({{1, 1, 0}})));                         // at its corner
  EXPECT_TRUE(apart(square, hull({{1.1, 1.1, 0}})));                      // in its plane
  EXPECT_TRUE(apart(square, hull({{1.5, 0.75, 0}, {0.75, 1.5, 0}})));     // in its plane, near the corner
  EXPECT_FALSE(apart(square, hull({{1.25, 0.75, 0}, {0.75, 1.25, 0}})));  // over the corner
  EXPECT_FALSE(apart(square, hull({{0.5, 0.5, -1}, {0.5, 0.5, 1}})));     // through it
  EXPECT_TRUE(apart(square, hull({{1.5, 0.5, -1}, {1.5, 0.5, 1}})));      // past it
}

// Tries all axes without pruning: face normals, and every edge with every edge.
double overlap_by_brute_force(const ConvexHull& a, const Pose& pose_a, const ConvexHull& b, const Pose& pose_b) {
  const Points points_a = placed(a, pose_a);
  const Points points_b = placed(b, pose_b);
  double least = std::numeric_limits<double>::infinity();
  const auto look = [&](Vector3 axis) {
    if (axis.norm() < 1e-9) return;
    axis.normalize();
    double a_low = 1e300, a_high = -1e300, b_low = 1e300, b_high = -1e300;
    for (const Vector3& v : points_a) {
      a_low = std::min(a_low, axis.dot(v));
      a_high = std::max(a_high, axis.dot(v));
    }
    for (const Vector3& v : points_b) {
      b_low = std::min(b_low, axis.dot(v));
      b_high = std::max(b_high, axis.dot(v));
    }
    least = std::min({least, a_high - b_low, b_high - a_low});
  };
  for (const HullPlane& plane : a.planes())
    look(pose_a.rotation() * plane.normal);
  for (const HullPlane& plane : b.planes())
    look(pose_b.rotation() * plane.normal);
  for (const HullEdge& e : a.edges()) {
    for (const HullEdge& f : b.edges()) {
      const Vector3 u = (points_a[e.end] - points_a[e.begin]).normalized();
      look(u.cross((points_b[f.end] - points_b[f.begin]).normalized()));
    }
  }
  return least;
}

TEST(SeparatingAxis, TheOverlapIsThatOfAllAxesAndTheGaussMapPrunesNothingNeeded) {
  auto random = seeded(34);
  std::size_t overlapping = 0;
  for (std::size_t n = 0; n < cases(300); ++n) {
    // From tetrahedra, whose edge directions are tried in pairs, to hulls of 40 corners, whose arcs are compared.
    Points points_a;
    Points points_b;
    const std::size_t count = 4 + n % 37;
    for (std::size_t i = 0; i < count; ++i) {
      points_a.push_back(random_unit(random));
      points_b.push_back(random_unit(random) * uniform(random, 0.5, 1));
    }
    const ConvexHull a(points_a);
    const ConvexHull b(points_b);
    const Pose pose_a(random_rotation(random), Vector3::Zero());
    const Pose pose_b(random_rotation(random), random_unit(random) * uniform(random, 0, 1.5));
    const SeparatingAxisResult result = run(a, pose_a, b, pose_b);
    const double expected = overlap_by_brute_force(a, pose_a, b, pose_b);
    if (result.separated) {
      ASSERT_LT(expected, 0);
    } else {
      ++overlapping;
      ASSERT_NEAR(result.overlap, expected, 1e-13) << "case " << n << " with " << count << " points";
    }
  }
  EXPECT_GT(overlapping, cases(300) / 3);
}

TEST(SeparatingAxis, BoxesOverlapByTheLeastOfTheirSides) {
  const ConvexHull box = box_hull({1, 2, 3});
  const SeparatingAxisResult result = run(box, Pose(), box, Pose(Vector3(1.5, 0, 0.5)));
  EXPECT_FALSE(result.separated);
  EXPECT_NEAR(result.overlap, 0.5, 1e-14);
  EXPECT_EQ(result.axis, Vector3::UnitX());
}

TEST(SeparatingAxis, ASwappedPairGivesTheSameAnswer) {
  auto random = seeded(35);
  for (std::size_t n = 0; n < cases(1000); ++n) {
    const ConvexHull a = random_hull(random, 30);
    const ConvexHull b = random_hull(random, 30);
    const Pose pose_a(random_rotation(random), random_unit(random));
    const Pose pose_b(random_rotation(random), random_unit(random));
    const SeparatingAxisResult ab = run(a, pose_a, b, pose_b);
    const SeparatingAxisResult ba = run(b, pose_b, a, pose_a);
    ASSERT_EQ(ab.separated, ba.separated);
    if (!ab.separated) {
      ASSERT_NEAR(ab.overlap, ba.overlap, 1e-13);
    }
  }
}

TEST(SeparatingAxisCache, StaleRandomAndBrokenAxesChangeNoAnswer) {
  auto random = seeded(36);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  SeparatingAxisCache stale;
  for (std::size_t n = 0; n < cases(1500); ++n) {
    const ConvexHull a = n % 3 == 0 ? lattice_hull(random) : random_hull(random);
    const ConvexHull b = n % 3 == 0 ? lattice_hull(random) : random_hull(random);
    const Pose pose_a = n % 3 == 0 ? Pose() : Pose(random_rotation(random), random_unit(random));
    const Pose pose_b = n % 3 == 0 ? Pose(Vector3(double(random() % 5) - 2, double(random() % 5) - 2, 1))
                                   : Pose(random_rotation(random), random_unit(random));
    const SeparatingAxisResult plain = run(a, pose_a, b, pose_b);
    std::vector<SeparatingAxisCache> caches = {stale,
                                               {random_unit(random), true},
                                               {random_unit(random) * 1e-300, true},
                                               {random_unit(random) * 1e300, true},
                                               {-plain.axis, true},
                                               {Vector3::Zero(), true},
                                               {Vector3(nan, 0, 1), true},
                                               {Vector3(infinity, 1, 0), true},
                                               {Vector3(1, 2, 3), false}};
    for (SeparatingAxisCache& cache : caches) {
      const SeparatingAxisResult result = run(a, pose_a, b, pose_b, &cache);
      ASSERT_EQ(result.separated, plain.separated) << "case " << n;
      expect_certified(placed(a, pose_a), placed(b, pose_b), result);
      if (!plain.separated) {
        ASSERT_EQ(result.overlap, plain.overlap);
        ASSERT_EQ(result.axis, plain.axis);
      }
      stale = cache;
    }
  }
}

TEST(SeparatingAxisCache, CoherentMotionHitsMostly) {
  auto random = seeded(37);
  std::size_t apart = 0;
  std::size_t hits = 0;
  SeparatingAxisScratch scratch;
  for (std::size_t n = 0; n < cases(20); ++n) {
    const ConvexHull a = box_hull({1, 0.7, 0.4});
    Points points;
    for (int i = 0; i < 40; ++i)
      points.push_back(random_unit(random));
    const ConvexHull b(points);
    const Vector3 axis = random_unit(random);
    const Vector3 from = random_unit(random) * 2.2;
    SeparatingAxisCache cache;
    for (int step = 0; step < 200; ++step) {
      const double t = step / 200.0;
      const Pose pose_a(Eigen::AngleAxis<double>(2 * t, axis).toRotationMatrix(), Vector3::Zero());
      const Pose pose_b(Eigen::AngleAxis<double>(-3 * t, Vector3::UnitZ()).toRotationMatrix(),
                        Eigen::AngleAxis<double>(t, axis.unitOrthogonal()) * from);
      const SeparatingAxisResult result =
          separating_axis(a.polyhedron(), pose_a, b.polyhedron(), pose_b, &cache, scratch);
      ASSERT_EQ(result.separated, run(a, pose_a, b, pose_b).separated);
      if (!result.separated) continue;
      ++apart;
      if (result.cache_hit) {
        ++hits;
        ASSERT_EQ(result.axes_tried, 1u);
      }
    }
  }
  const double rate = static_cast<double>(hits) / static_cast<double>(apart);
  std::cout << "hit rate " << rate << " of " << apart << " separated steps\n";
  EXPECT_GT(apart, cases(20) * 50);
  EXPECT_GT(rate, 0.9);
}

TEST(SeparatingAxis, ScratchOfAnotherPairIsReusedWithoutHarm) {
  auto random = seeded(38);
  SeparatingAxisScratch scratch;
  for (std::size_t n = 0; n < 200; ++n) {
    const ConvexHull a = random_hull(random, 4 + n % 60);
    const ConvexHull b = random_hull(random, 4 + (n * 7) % 60);
    const Pose pose(random_rotation(random), random_unit(random) * 1.5);
    const SeparatingAxisResult shared = separating_axis(a.polyhedron(), Pose(), b.polyhedron(), pose, nullptr, scratch);
    const SeparatingAxisResult own = separating_axis(a.polyhedron(), Pose(), b.polyhedron(), pose);
    ASSERT_EQ(shared.separated, own.separated);
    ASSERT_EQ(shared.axis, own.axis);
    ASSERT_EQ(shared.gap, own.gap);
    ASSERT_EQ(shared.overlap, own.overlap);
  }
}

TEST(SeparatingAxis, HugeAndTinySizes) {
  for (const double scale : {1e90, 1e-90, 1e-150}) {
    const ConvexHull box = box_hull(Vector3::Constant(scale));
    EXPECT_TRUE(run(box, Pose(), box, geometry::raw_pose(Vector3(0, 2.5 * scale, 0))).separated) << scale;
    const SeparatingAxisResult overlapping = run(box, Pose(), box, geometry::raw_pose(Vector3(0, 1.5 * scale, 0)));
    EXPECT_FALSE(overlapping.separated);
    EXPECT_NEAR(overlapping.overlap / scale, 0.5, 1e-14);
  }
}

}  // namespace
}  // namespace whisker
