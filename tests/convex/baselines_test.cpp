// The baselines (support/baselines/) agree with each other, with exact arithmetic and with whisker.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include <whisker/convex_hull.hpp>
#include <whisker/geometry/separating_axis.hpp>
#include <whisker/make/make.hpp>
#include <whisker/queries.hpp>

#include "shapes/hull_support.hpp"
#include "shapes/internals.hpp"
#include "support/baselines/contact_time.hpp"
#include "support/baselines/exact_touch.hpp"
#include "support/baselines/gjk.hpp"
#include "support/baselines/hull_supports.hpp"
#include "support/baselines/linear_program.hpp"
#include "support/baselines/minkowski_difference.hpp"
#include "support/cases.hpp"
#include "support/random_vectors.hpp"

namespace whisker::baselines {
namespace {

using test::cases;
using test::seeded;
using test::uniform;
using test::whole;
using Rational = ExactNumber;
using Generator = std::mt19937_64;

/// A hull and its pose.
struct Body {
  ConvexHull hull;
  Pose pose;
  std::vector<Vector3> placed;

  Body(const std::vector<Vector3>& points, const Pose& pose_) : hull(points), pose(pose_) { put(pose_); }
  void put(const Pose& at) {
    pose = at;
    placed.clear();
    for (const Vector3& v : hull.vertices())
      placed.push_back(place(pose, v));
  }
  template <class N>
  std::vector<Point<N>> points() const {
    std::vector<Point<N>> result;
    for (const Vector3& v : placed)
      result.push_back({N(v[0]), N(v[1]), N(v[2])});
    return result;
  }
  /// The placed set without rounding, which is the set that whisker's answers refer to.
  ExactPoints exact_points() const { return exactly_placed(hull.vertices(), pose); }
};

struct Pair {
  Body a, b;
  double size() const {
    double largest = 0;
    for (const Body* body : {&a, &b})
      for (const Vector3& v : body->placed)
        largest = std::max(largest, v.cwiseAbs().maxCoeff());
    return largest;
  }
};

enum class Family { random, lattice, flat, near, needle, aligned_boxes };
constexpr std::array<Family, 6> families = {Family::random, Family::lattice, Family::flat,
                                            Family::near,   Family::needle,  Family::aligned_boxes};

std::vector<Vector3> ellipsoid_points(Generator& random, int count) {
  const Vector3 axes(1, uniform(random, 0.3, 1), uniform(random, 0.3, 1));
  std::vector<Vector3> points;
  for (int i = 0; i < count; ++i)
    points.push_back(test::random_unit(random).cwiseProduct(axes));
  return points;
}

/// Integer coordinates from -2 to 2: points, segments, polygons and solids, which often touch exactly.
std::vector<Vector3> lattice_points(Generator& random, int count) {
  std::vector<Vector3> points;
  for (int i = 0; i < count; ++i)
    points.push_back(Vector3(whole(random, -2, 2), whole(random, -2, 2), whole(random, -2, 2)));
  return points;
}

std::vector<Vector3> box_points(const Vector3& half) {
  std::vector<Vector3> points;
  for (int bits = 0; bits < 8; ++bits)
    points.push_back({bits & 1 ? half[0] : -half[0], bits & 2 ? half[1] : -half[1], bits & 4 ? half[2] : -half[2]});
  return points;
}

Pair make_pair(Generator& random, Family family) {
  const auto turned = [&](double reach) {
    return Pose(test::random_rotation(random), test::random_vector(random, reach));
  };
  switch (family) {
    case Family::random:
      return {Body(ellipsoid_points(random, whole(random, 4, 24)), turned(0.2)),
              Body(ellipsoid_points(random, whole(random, 4, 24)), turned(1.6))};
    case Family::lattice: {
      const auto moved = [&] { return Pose(Vector3(lattice_points(random, 1)[0])); };
      return {Body(lattice_points(random, whole(random, 1, 10)), moved()),
              Body(lattice_points(random, whole(random, 1, 10)), moved())};
    }
    case Family::flat: {
      const auto flat = [&] {
        std::vector<Vector3> points = ellipsoid_points(random, whole(random, 1, 8));
        for (Vector3& p : points)
          p[2] = 0;
        return points;
      };
      return {Body(flat(), turned(0.1)), Body(flat(), turned(0.8))};
    }
    case Family::near: {
      Pair pair = {Body(ellipsoid_points(random, whole(random, 4, 16)), turned(0.2)),
                   Body(ellipsoid_points(random, whole(random, 4, 16)), turned(0.2))};
      const Vector3 away = test::random_unit(random);
      pair.b.put({pair.b.pose.rotation(), pair.a.pose.translation() + 3 * away});
      const GjkAnswer apart = gjk(ScannedPoints{pair.a.placed}, ScannedPoints{pair.b.placed});
      const Vector3 between = apart.point_b - apart.point_a;
      const double gap = std::pow(10, -whole(random, 2, 15)) * (whole(random, 0, 1) * 2 - 1);
      const Vector3 shift = -(1 - gap / between.norm()) * between;
      pair.b.put({pair.b.pose.rotation(), pair.b.pose.translation() + shift});
      return pair;
    }
    case Family::needle: {
      const auto needle = [&] {
        std::vector<Vector3> points = ellipsoid_points(random, whole(random, 4, 12));
        const double thin = std::pow(10, -whole(random, 1, 6)), thick = std::pow(10, -whole(random, 0, 3));
        for (Vector3& p : points)
          p = Vector3(p[0], thick * p[1], thin * p[2]);
        return points;
      };
      return {Body(needle(), turned(0.1)), Body(needle(), turned(0.5))};
    }
    case Family::aligned_boxes:
      break;
  }
  const auto half = [&] { return Vector3(whole(random, 1, 3), whole(random, 1, 3), whole(random, 1, 3)); };
  const auto at = [&] { return Vector3(whole(random, -4, 4), whole(random, -4, 4), whole(random, -4, 4)); };
  return {Body(box_points(half()), Pose(at())), Body(box_points(half()), Pose(at()))};
}

std::string describe(Family family, std::size_t number) {
  return "family " + std::to_string(static_cast<int>(family)) + ", case " + std::to_string(number);
}

// Linear programming.

TEST(LinearProgram, FindsTheBestCornerOfRandomPrograms) {
  // Integers, so that constraints are often parallel, equal or concurrent. The best corner is found by trying all.
  Generator random = seeded(1);
  std::size_t bounded_by_constraints = 0;
  for (std::size_t number = 0; number < cases(400); ++number) {
    LinearProgram<Rational, 2> program;
    using Constraint = LinearProgram<Rational, 2>::Constraint;
    const int count = whole(random, 1, 12);
    for (int i = 0; i < count; ++i)  // the origin is inside, so the program is feasible
      program.add({Rational(whole(random, -3, 3)), Rational(whole(random, -3, 3))}, Rational(whole(random, 0, 4)));
    const std::array<Rational, 2> objective = {Rational(whole(random, -3, 3)), Rational(whole(random, -3, 3))};
    const Rational bound(10);
    const std::array<Rational, 2> x = program.solve(objective, bound);

    std::vector<Constraint> all = program.constraints;
    for (const int sign : {-1, 1}) {
      all.push_back({{Rational(sign), Rational(0)}, bound, Rational(1)});
      all.push_back({{Rational(0), Rational(sign)}, bound, Rational(1)});
    }
    const auto holds = [&](const std::array<Rational, 2>& at) {
      return std::all_of(all.begin(), all.end(),
                         [&](const Constraint& c) { return c.a[0] * at[0] + c.a[1] * at[1] <= c.b; });
    };
    ASSERT_TRUE(holds(x)) << number;
    std::optional<Rational> best;
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (std::size_t j = i + 1; j < all.size(); ++j) {
        const Rational det = all[i].a[0] * all[j].a[1] - all[i].a[1] * all[j].a[0];
        if (det == 0) continue;
        const std::array<Rational, 2> corner = {(all[i].b * all[j].a[1] - all[j].b * all[i].a[1]) / det,
                                                (all[i].a[0] * all[j].b - all[j].a[0] * all[i].b) / det};
        if (!holds(corner)) continue;
        const Rational value = objective[0] * corner[0] + objective[1] * corner[1];
        if (!best || value > *best) best = value;
      }
    }
    ASSERT_EQ(objective[0] * x[0] + objective[1] * x[1], *best) << number;
    bounded_by_constraints += abs(x[0]) < bound && abs(x[1]) < bound ? 1u : 0u;
  }
  EXPECT_GT(bounded_by_constraints, cases(400) / 10);
}

TEST(LinearProgram, InRationalsPartsWhatTheExactHullOfDifferencesParts) {
  // Integers: all differences are exact, and so is the test whether the origin is in their hull.
  Generator random = seeded(2);
  std::size_t touching = 0, border = 0;
  const std::size_t count = cases(500);
  for (std::size_t number = 0; number < count; ++number) {
    const Pair pair = make_pair(random, number % 4 == 0 ? Family::aligned_boxes : Family::lattice);
    std::vector<Vector3> differences;
    for (const Vector3& a : pair.a.placed)
      for (const Vector3& b : pair.b.placed)
        differences.push_back(a - b);
    const bool expected = ConvexHull(differences).contains(Vector3::Zero());
    const Rational gap = PlaneFinder<Rational>(number).find(pair.a.points<Rational>(), pair.b.points<Rational>()).gap;
    ASSERT_EQ(gap <= 0, expected) << number;
    touching += expected ? 1u : 0u;
    border += gap == 0 ? 1u : 0u;
  }
  EXPECT_GT(touching, count / 10);
  EXPECT_LT(touching, count - count / 10);
  EXPECT_GT(border, count / 20);  // touching, not overlapping
}

TEST(LinearProgram, InDoublesIsWrongOnlyWithinRoundingOfContact) {
  Generator random = seeded(3);
  for (const Family family : families) {
    std::size_t wrong = 0;
    PlaneFinder<double> finder;
    for (std::size_t number = 0; number < cases(250); ++number) {
      const Pair pair = make_pair(random, family);
      const PlaneBetween<double> plane = finder.find(pair.a.points<double>(), pair.b.points<double>());
      const bool expected = exactly_touch(pair.a.points<Rational>(), pair.b.points<Rational>());
      if ((plane.gap <= 0) == expected) continue;
      ++wrong;
      const DifferenceAnswer truth = compare_by_difference(pair.a.placed, pair.b.placed);
      EXPECT_LE(truth.distance + truth.depth, 1e-11 * pair.size()) << describe(family, number);
    }
    // For pairs that touch exactly, the result is arbitrary. Of the others, hardly any are wrong.
    EXPECT_LE(wrong, cases(250) / 10) << static_cast<int>(family);
    RecordProperty("wrong_" + std::to_string(static_cast<int>(family)), static_cast<int>(wrong));
  }
}

TEST(LinearProgram, TakesRepeatedCoincidentAndCollinearPoints) {
  using Points = std::vector<Point<double>>;
  const auto repeated = [](std::initializer_list<Point<double>> points) {
    Points result;
    for (int i = 0; i < 40; ++i)
      result.insert(result.end(), points);
    return result;
  };
  const Points origin = repeated({{0, 0, 0}}), right = repeated({{1, 0, 0}});
  const Points line = repeated({{0, -1, 0}, {0, 0, 0}, {0, 2, 0}}),
               beside = repeated({{1, -1, 0}, {1, 0, 0}, {1, 2, 0}});
  const Points square = repeated({{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}});
  const Points through = repeated({{0, 0, -1}, {0, 0, 3}}), above = repeated({{0, 0, 1e-9}, {0, 0, 3}});
  PlaneFinder<double> finder;
  EXPECT_GT(finder.find(origin, right).gap, 0);
  EXPECT_LE(finder.find(origin, origin).gap, 0);
  EXPECT_LE(finder.find(origin, line).gap, 0);
  EXPECT_GT(finder.find(line, beside).gap, 0);
  EXPECT_LE(finder.find(line, line).gap, 0);
  EXPECT_LE(finder.find(square, through).gap, 0);
  EXPECT_GT(finder.find(square, above).gap, 0);
  EXPECT_GT(finder.find(above, square).gap, 0);
  // If they are apart, the normal is the separating direction.
  const PlaneBetween<double> plane = finder.find(square, above);
  EXPECT_GT(plane.normal[2] * 1e-9, std::abs(plane.normal[0]) + std::abs(plane.normal[1]));
}

// Distance and depth.

TEST(PlainGjk, HasTheDistanceOfTheExplicitDifference) {
  Generator random = seeded(4);
  for (const Family family : families) {
    std::size_t touching = 0;
    for (std::size_t number = 0; number < cases(1000); ++number) {
      const Pair pair = make_pair(random, family);
      const double size = pair.size();
      const DifferenceAnswer truth = compare_by_difference(pair.a.placed, pair.b.placed);
      const GjkAnswer found = gjk(ScannedPoints{pair.a.placed}, ScannedPoints{pair.b.placed});
      ASSERT_TRUE(found.converged) << describe(family, number);
      ASSERT_NEAR(found.upper, truth.distance, 1e-12 * size) << describe(family, number);
      ASSERT_LE(found.lower, truth.distance + 1e-12 * size) << describe(family, number);
      ASSERT_NEAR((found.point_a - found.point_b).norm(), found.upper, 1e-12 * size) << describe(family, number);
      if (found.touching != truth.touching) {
        ASSERT_LE(truth.distance + truth.depth, 1e-12 * size) << describe(family, number);
      }
      touching += truth.touching ? 1u : 0u;
    }
    EXPECT_GT(touching, family == Family::flat ? 0 : cases(1000) / 20) << static_cast<int>(family);
  }
}

TEST(PlainGjk, StartedFromAnotherSimplexFindsTheSame) {
  Generator random = seeded(5);
  for (std::size_t number = 0; number < cases(200); ++number) {
    Pair pair = make_pair(random, Family::random);
    GjkStart simplex;
    const Matrix3 turn = Eigen::AngleAxisd(0.05, test::random_unit(random)).toRotationMatrix();
    for (int step = 0; step < 10; ++step) {
      pair.b.put({turn * pair.b.pose.rotation(), pair.b.pose.translation() + 0.02 * Vector3::Ones()});
      const ScannedPoints a{pair.a.placed}, b{pair.b.placed};
      const GjkAnswer cold = gjk(a, b), warm = gjk(a, b, {}, &simplex);
      ASSERT_NEAR(cold.upper, warm.upper, 1e-12) << number << " step " << step;
    }
  }
}

TEST(PlainGjk, OfASweptBodyIsThatOfTheHullOfBothEnds) {
  Generator random = seeded(13);
  std::size_t touching = 0;
  for (std::size_t number = 0; number < cases(1000); ++number) {
    const Pair pair = make_pair(random, families[number % families.size()]);
    const Vector3 by = test::random_vector(random, 2);
    std::vector<Vector3> both = pair.a.placed;  // all vertices twice (Xavier 1997)
    for (const Vector3& v : pair.a.placed)
      both.push_back(v + by);
    const ScannedPoints a{pair.a.placed}, b{pair.b.placed};
    const GjkAnswer doubled = gjk(ScannedPoints{both}, b), swept = gjk(Swept<ScannedPoints>{a, by}, b);
    ASSERT_NEAR(doubled.upper, swept.upper, 1e-12 * (pair.size() + 2)) << number;
    touching += swept.touching ? 1u : 0u;
  }
  EXPECT_GT(touching, cases(1000) / 5);
}

/// The depth is the smallest overlap over all directions, and it is attained at a face normal of the explicit
/// difference.
TEST(MinkowskiDifference, HasTheLeastOverlapAlongAnyDirection) {
  Generator random = seeded(6);
  std::size_t overlapping = 0;
  for (std::size_t number = 0; number < cases(400); ++number) {
    const Pair pair = make_pair(random, number % 2 == 0 ? Family::random : Family::aligned_boxes);
    const DifferenceAnswer found = compare_by_difference(pair.a.placed, pair.b.placed);
    const double size = pair.size();
    const auto overlap = [&](const Vector3& n) {
      const ScannedPoints a{pair.a.placed}, b{pair.b.placed};
      return n.dot(a.point(a.farthest(n)) - b.point(b.farthest(-n)));
    };
    if (!found.touching) continue;
    ++overlapping;
    if (found.depth > 0) {
      ASSERT_NEAR(overlap(found.direction), found.depth, 1e-13 * size) << number;
    }
    for (int i = 0; i < 50; ++i)
      ASSERT_GE(overlap(test::random_unit(random)), found.depth - 1e-13 * size) << number;
    // The static separating axis test computes the same number in another way.
    const SeparatingAxisResult axes =
        separating_axis(pair.a.hull.polyhedron(), pair.a.pose, pair.b.hull.polyhedron(), pair.b.pose);
    ASSERT_NEAR(axes.overlap, found.depth, 1e-12 * size) << number;
  }
  EXPECT_GT(overlapping, cases(400) / 5);
}

// Whisker against all baselines.

TEST(Whisker, TouchesOnlyWhatLinearProgrammingCannotPart) {
  Generator random = seeded(7);
  for (const Family family : families) {
    for (std::size_t number = 0; number < cases(120); ++number) {
      const Pair pair = make_pair(random, family);
      const Shape a = pair.a.hull, b = pair.b.hull;
      const bool found = touches({a, pair.a.pose}, {b, pair.b.pose});
      const bool expected = exactly_touch(pair.a.exact_points(), pair.b.exact_points());
      if (!found) {
        ASSERT_FALSE(expected) << describe(family, number);
      } else if (!expected) {  // allowed if the two are closer than rounding can distinguish
        const DifferenceAnswer truth = compare_by_difference(pair.a.placed, pair.b.placed);
        ASSERT_LE(truth.distance, 1e-13 * pair.size()) << describe(family, number);
      }
    }
  }
}

TEST(Whisker, DistanceHoldsThatOfTheExplicitDifference) {
  Generator random = seeded(8);
  for (const Family family : families) {
    for (std::size_t number = 0; number < cases(500); ++number) {
      const Pair pair = make_pair(random, family);
      const Shape a = pair.a.hull, b = pair.b.hull;
      const Distance found = distance({a, pair.a.pose}, {b, pair.b.pose});
      const DifferenceAnswer truth = compare_by_difference(pair.a.placed, pair.b.placed);
      const double rounding = 1e-14 * pair.size();  // rounding error of the placed points and of the difference
      ASSERT_LE(found.lower, truth.distance + rounding) << describe(family, number);
      ASSERT_GE(found.upper, truth.distance - rounding) << describe(family, number);
      ASSERT_LE(std::abs(found.value() - truth.distance), 1e-9 * truth.distance + 64 * 0x1p-52 * pair.size())
          << describe(family, number);
    }
  }
}

TEST(Whisker, DepthHoldsThatOfTheExplicitDifference) {
  Generator random = seeded(9);
  for (const Family family : families) {
    for (std::size_t number = 0; number < cases(500); ++number) {
      const Pair pair = make_pair(random, family);
      const Shape a = pair.a.hull, b = pair.b.hull;
      const Depth found = depth({a, pair.a.pose}, {b, pair.b.pose});
      const DifferenceAnswer truth = compare_by_difference(pair.a.placed, pair.b.placed);
      const double rounding = 1e-14 * pair.size();
      ASSERT_LE(found.lower, truth.depth + rounding) << describe(family, number);
      ASSERT_GE(found.upper, truth.depth - rounding) << describe(family, number);
      ASSERT_LE(std::abs(found.value() - truth.depth), 1e-9 * truth.depth + 64 * 0x1p-52 * pair.size())
          << describe(family, number);
    }
  }
}

// Supports.

std::vector<ConvexHull> support_hulls(Generator& random) {
  std::vector<ConvexHull> hulls;
  for (const int count : {1, 2, 3, 4, 5, 12, 13, 60, 400, 3000})
    hulls.emplace_back(ellipsoid_points(random, count));
  for (int i = 0; i < 60; ++i)
    hulls.emplace_back(lattice_points(random, whole(random, 1, 40)));
  std::vector<Vector3> prism, grid;
  for (int i = 0; i < 100; ++i)
    for (const double z : {-1.0, 1.0})
      prism.push_back({std::cos(0.02 * 3.14 * i), std::sin(0.02 * 3.14 * i), z});
  hulls.emplace_back(prism);
  for (int i = -20; i <= 20; ++i)  // a nearly flat dome
    for (int j = -20; j <= 20; ++j)
      grid.push_back({0.05 * i, 0.05 * j, 1e-4 * (i * i + j * j)});
  hulls.emplace_back(grid);
  return hulls;
}

TEST(HullSupports, AllReachAsFarAsAScan) {
  Generator random = seeded(10);
  std::size_t compared = 0;
  for (const ConvexHull& hull : support_hulls(random)) {
    const std::vector<Vector3> vertices(hull.vertices().begin(), hull.vertices().end());
    const ScannedPoints scan{vertices};
    const ClimbingSupport climb(hull), jumps = with_artificial_neighbors(hull);
    const DobkinKirkpatrickSupport levels(hull);
    std::vector<Vector3> directions;
    for (std::size_t i = 0; i < cases(100); ++i)
      directions.push_back(test::random_unit(random));
    for (int axis = 0; axis < 3; ++axis)
      for (const double sign : {-1.0, 1.0})
        directions.push_back(sign * Vector3::Unit(axis));
    for (std::size_t f = 0; f < std::min<std::size_t>(hull.face_count(), 50); ++f)
      directions.push_back(hull.planes()[f].normal);
    for (const Vector3& d : directions) {
      const double farthest = d.dot(scan.point(scan.farthest(d)));
      for (const std::uint32_t found : {climb.farthest(d), jumps.farthest(d), levels.farthest(d)})
        ASSERT_GE(d.dot(vertices[found]), farthest - 1e-14) << vertices.size() << " vertices, along " << d.transpose();
      if (!vertices.empty() && support_table_of(hull).count == vertices.size()) {
        ASSERT_EQ(hull_support(support_table_of(hull), d), scan.farthest(d))
            << vertices.size() << " vertices, along " << d.transpose();
      }
      ++compared;
    }
  }
  EXPECT_GT(compared, cases(7000));
}

TEST(HullSupports, TheHierarchyHasFewLevels) {
  Generator random = seeded(11);
  const DobkinKirkpatrickSupport levels{ConvexHull(ellipsoid_points(random, 3000))};
  EXPECT_GE(levels.levels(), 8u);
  EXPECT_LE(levels.levels(), 40u);
}

// Times of contact.

TEST(ContactTime, OfAlignedBoxesIsTheGapOverTheSpeed) {
  const Body a(box_points({1, 1, 1}), Pose(Vector3(-5, 0.25, 0))), b(box_points({1, 1, 1}), Pose(Vector3(3, 0, 0)));
  const Vector3 by(12, 0, 0);  // the faces are 6 apart
  const auto axes = contact_time_by_axes(a.hull.polyhedron(), a.pose, b.hull.polyhedron(), b.pose, by);
  ASSERT_TRUE(axes);
  EXPECT_DOUBLE_EQ(axes->time, 0.5);
  const ScannedPoints of_a{a.placed}, of_b{b.placed};
  for (const bool warm : {false, true}) {
    const auto halving = contact_time_by_halving(of_a, of_b, by, warm);
    ASSERT_TRUE(halving);
    EXPECT_NEAR(halving->time, 0.5, 1e-11);
  }
  const auto brent = contact_time_by_brent(of_a, of_b, by, 1e-10);
  ASSERT_TRUE(brent);
  EXPECT_NEAR(brent->time, 0.5, 1e-10);
  EXPECT_FALSE(contact_time_by_axes(a.hull.polyhedron(), a.pose, b.hull.polyhedron(), b.pose, -by));
  EXPECT_FALSE(contact_time_by_halving(of_a, of_b, -by, true));
  EXPECT_FALSE(contact_time_by_brent(of_a, of_b, -by, 1e-10));
}

TEST(ContactTime, IsTheSameByAxesHalvingAndBrent) {
  Generator random = seeded(12);
  std::size_t contacts = 0, misses = 0, at_once = 0, grazing = 0;
  for (std::size_t number = 0; number < cases(1200); ++number) {
    const Family family = number % 3 == 0 ? Family::aligned_boxes : Family::random;
    const Pair pair = make_pair(random, family);
    const Vector3 by = test::random_vector(random, family == Family::random ? 3 : 8);
    const ScannedPoints a{pair.a.placed}, b{pair.b.placed};
    const auto axes =
        contact_time_by_axes(pair.a.hull.polyhedron(), pair.a.pose, pair.b.hull.polyhedron(), pair.b.pose, by);
    const auto cold = contact_time_by_halving(a, b, by, false);
    const auto warm = contact_time_by_halving(a, b, by, true);
    constexpr double gap = 1e-10;
    const auto brent = contact_time_by_brent(a, b, by, gap);
    if (!axes || !cold || !warm || !brent) {
      // All methods miss, or the bodies pass each other at a distance below the accuracy of the methods.
      if (axes || cold || warm || brent) {
        double closest = 1;
        for (int i = 0; i <= 1000; ++i)
          closest = std::min(closest, gjk(Moved<ScannedPoints>{a, by * (i / 1000.0)}, b).upper);
        ASSERT_LT(closest, 1e-2 * by.norm()) << number;
        ++grazing;
      }
      ++misses;
      continue;
    }
    ++contacts;
    at_once += axes->time == 0 ? 1u : 0u;
    ASSERT_NEAR(cold->time, axes->time, 1e-10) << number;
    ASSERT_NEAR(warm->time, axes->time, 1e-10) << number;
    // Brent stops when the remaining distance is `gap`, which is earlier at a grazing angle.
    ASSERT_LE(brent->time, axes->time + 1e-10) << number;
    if (axes->time > 0) {
      const double left = gjk(Moved<ScannedPoints>{a, brent->time * by}, b).upper;
      ASSERT_LE(left, gap + 1e-10 * by.norm()) << number;
    }
  }
  EXPECT_GT(contacts, cases(1200) / 5);
  EXPECT_GT(misses, cases(1200) / 10);
  EXPECT_LT(at_once, contacts);
  EXPECT_LE(grazing, 1 + cases(1200) / 100);
}

}  // namespace
}  // namespace whisker::baselines
