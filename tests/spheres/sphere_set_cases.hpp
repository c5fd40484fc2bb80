#pragma once

// Random sets of spheres, and queries answered ball by ball.

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/spheres/sphere_set_queries.hpp>

#include "support/cases.hpp"
#include "support/random_shapes.hpp"

namespace whisker::test {

using Random = std::mt19937_64;

/// Balls within `size` of the origin, with radii up to `largest`. Some are points, some are duplicated.
inline SphereSet random_spheres(Random& random, std::size_t count, double size, double largest) {
  std::vector<Vector3> centers;
  std::vector<double> radii;
  for (std::size_t i = 0; i < count; ++i) {
    const bool again = i > 0 && scenes::chance(random, 16);
    centers.push_back(again ? centers.back() : Vector3(random_vector(random, size)));
    radii.push_back(scenes::chance(random, 8) ? 0 : uniform(random, 0, largest));
  }
  return {centers, radii};
}

/// A chain of balls in which each overlaps the next.
inline SphereSet random_chain(Random& random, std::size_t count, double radius) {
  std::vector<Vector3> centers = {Vector3::Zero()};
  std::vector<double> radii = {radius};
  while (centers.size() < count) {
    centers.push_back(centers.back() + scenes::unit_vector(random) * radius);
    radii.push_back(radius * uniform(random, 0.6, 1.2));
  }
  return {centers, radii};
}

/// Ball i by itself.
struct OneBall {
  Sphere sphere;
  Pose pose;

  OneBall(const SphereSet& set, const Pose& placed, std::size_t i)
      : sphere{set.radius(i)}, pose(place(placed, set.center(i))) {}
};

inline std::optional<std::uint32_t> first_one_by_one(const Placed& a, const SphereSet& set, const Pose& pose) {
  for (std::size_t i = 0; i < set.size(); ++i) {
    const OneBall ball(set, pose, i);
    if (touches(a, {ball.sphere, ball.pose})) return static_cast<std::uint32_t>(i);
  }
  return {};
}

/// The distance of the ball with the smallest upper bound; the first one if several are equal.
inline Distance distance_one_by_one(const Placed& a, const SphereSet& set, const Pose& pose) {
  Distance best;
  best.upper = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < set.size(); ++i) {
    const OneBall ball(set, pose, i);
    const Distance found = distance(a, {ball.sphere, ball.pose});
    if (!(found.upper < best.upper)) continue;
    best = found;
    best.feature_b = {0, FeatureKind::sphere, static_cast<std::uint32_t>(i)};
  }
  return best;
}

/// Checks every query of a set and a shape against the same query ball by ball.
inline void expect_as_one_by_one(const Placed& a, const SphereSet& set, const Pose& pose, const std::string& which) {
  const std::optional<std::uint32_t> first = first_one_by_one(a, set, pose);
  EXPECT_EQ(touches(a, Placed(set, pose)), first.has_value()) << which;
  EXPECT_EQ(first_touching(a, {set, pose}), first) << which;

  const Distance expected = distance_one_by_one(a, set, pose);
  const Distance found = distance(a, Placed(set, pose));
  EXPECT_EQ(found.feature_b, expected.feature_b) << which;
  EXPECT_EQ(found.upper, expected.upper) << which;
  EXPECT_LE(found.lower, expected.lower) << which;
  if (!first) {
    EXPECT_GE(found.lower, expected.lower - 1e-12 * expected.upper) << which;
    EXPECT_EQ(found.point_a, expected.point_a) << which;
    EXPECT_EQ(found.point_b, expected.point_b) << which;
    EXPECT_EQ(found.normal, expected.normal) << which;
    EXPECT_EQ(found.feature_a, expected.feature_a) << which;
  }

  // An upper bound of interest changes only the results beyond it.
  const double limit = found.upper / 2;
  const Distance bounded = distance(a, Placed(set, pose), {.upper_bound = limit});
  if (found.lower > limit) {
    EXPECT_GT(bounded.lower, limit) << which;
    EXPECT_LE(bounded.lower, found.upper) << which;
    EXPECT_EQ(bounded.upper, std::numeric_limits<double>::infinity()) << which;
    EXPECT_EQ(bounded.feature_a, Feature{}) << which;
    EXPECT_EQ(bounded.feature_b, Feature{}) << which;
    EXPECT_EQ(bounded.stop, Stop::tolerance) << which;
  }
  const Distance wide = distance(a, Placed(set, pose), {.upper_bound = 2 * found.upper});
  EXPECT_EQ(wide.feature_b, found.feature_b) << which;
  EXPECT_EQ(wide.upper, found.upper) << which;

  // Clearances and distances agree, ball by ball.
  std::vector<Interval> clear(set.size()), near(set.size());
  clearances(a, {set, pose}, clear);
  const double reach = clear[set.size() / 2].upper;
  const double interest = reach > 0 ? reach : 0;
  clearances(a, {set, pose}, {.upper_bound = interest}, near);
  for (std::size_t i = 0; i < set.size(); ++i) {
    const OneBall ball(set, pose, i);
    const Distance alone = distance(a, {ball.sphere, ball.pose});
    EXPECT_LE(clear[i].lower, clear[i].upper) << which << ", ball " << i;
    if (alone.lower > 0) {
      EXPECT_LE(clear[i].lower, alone.upper) << which << ", ball " << i;
      EXPECT_GE(clear[i].upper, alone.lower) << which << ", ball " << i;
    } else if (alone.upper == 0) {
      EXPECT_LE(clear[i].lower, 0) << which << ", ball " << i;
    }
    if (near[i].upper == std::numeric_limits<double>::infinity()) {
      EXPECT_GT(near[i].lower, interest) << which << ", ball " << i;
      EXPECT_GT(clear[i].upper, interest) << which << ", ball " << i;
    } else {
      EXPECT_EQ(near[i], clear[i]) << which << ", ball " << i;
    }
  }
}

}  // namespace whisker::test
