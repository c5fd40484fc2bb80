// distance of every pair of convex shapes of which one is a cylinder, cone, ellipsoid, convex hull or custom shape,
// against a reference that proves its own bounds.

#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/queries.hpp>

#include "convex/pair_memory.hpp"
#include "geometry/constants.hpp"
#include "support/convex_cases.hpp"

namespace whisker::test {
namespace {

constexpr double part_of_distance = 1e-9;

LimitCount& distance_limits() {
  static LimitCount counted;
  return counted;
}

class ListDistancesGivenUp : public testing::Environment {
 public:
  void TearDown() override { distance_limits().check(); }
};
const testing::Environment* const list_distances_given_up = testing::AddGlobalTestEnvironment(new ListDistancesGivenUp);

class DistanceOfConvexPair : public testing::TestWithParam<ConvexPair> {
 protected:
  void SetUp() override { ASSERT_TRUE(GetParam().supported(Question::distance)) << "distance is not supported"; }
};

INSTANTIATE_TEST_SUITE_P(All, DistanceOfConvexPair, testing::ValuesIn(all_convex_pairs()), convex_pair_name);

void check_bounds(const ConvexView& view, const Distance& d, std::ostream& wrong) {
  if (!(d.lower >= 0 && d.lower <= d.upper)) {
    wrong << "bounds [" << d.lower << ", " << d.upper << "] are none; ";
  } else if (Extended(d.lower) > view.truth.upper + view.slack || Extended(d.upper) < view.truth.lower - view.slack) {
    // For points that are much closer to each other than to the origin, long doubles are less accurate than their
    // bounds claim, so 384 bits decide.
    const ReferenceDistance<Real> exact = view.exact_distance();
    const Real slack = Real(view.slack);
    if (Real(d.lower) <= exact.upper + slack && Real(d.upper) >= exact.lower - slack) return;
    wrong << "distance [" << number(view.truth.lower) << ", " << number(view.truth.upper) << "] is not in [" << d.lower
          << ", " << d.upper << "], ulp " << number(view.ulp) << "; ";
  }
}

void check_accuracy(const ConvexView& view, const Distance& d, std::ostream& wrong) {
  const Extended truth = view.truth.upper, allowed = view.allowed(truth, part_of_distance);
  if (!(std::abs(Extended(d.value()) - truth) <= allowed + view.truth.width())) {
    wrong << "value " << d.value() << " is off " << number(truth) << " by "
          << number(std::abs(Extended(d.value()) - truth) / view.ulp) << " ulp of the size; ";
  }
  if (!(Extended(d.upper) - Extended(d.lower) <= 2 * allowed)) {  // so that their middle is known to be right
    wrong << "bounds [" << d.lower << ", " << d.upper << "] are "
          << number((Extended(d.upper) - Extended(d.lower)) / view.ulp) << " ulp of the size apart; ";
  }
}

void check_witness(const ConvexView& view, const Distance& d, std::ostream& wrong) {
  if (!d.point_a.allFinite() || !d.point_b.allFinite()) {
    wrong << "points " << d.point_a.transpose() << " and " << d.point_b.transpose() << "; ";
    return;
  }
  const double coordinate = std::max(d.point_a.lpNorm<Eigen::Infinity>(), d.point_b.lpNorm<Eigen::Infinity>());
  const Extended allowed = view.allowed(view.truth.upper, part_of_distance) + 64 * spacing_of_doubles_at(coordinate);
  const Extended off_a = view.off_a(d.point_a), off_b = view.off_b(d.point_b);
  const auto bounds = [&d](std::ostream& out) -> std::ostream& {
    return out << ", for [" << d.lower << ", " << d.upper << "], stop " << static_cast<int>(d.stop) << "; ";
  };
  if (off_a > allowed) bounds(wrong << "point_a " << d.point_a.transpose() << " is " << number(off_a) << " off a");
  if (off_b > allowed) bounds(wrong << "point_b " << d.point_b.transpose() << " is " << number(off_b) << " off b");
  const Extended apart = norm(exactly<Extended>(d.point_b) - exactly<Extended>(d.point_a));
  if (std::abs(apart - Extended(d.upper)) > allowed) {
    wrong << "points are " << number(apart) << " apart, for [" << d.lower << ", " << d.upper << "], stop "
          << static_cast<int>(d.stop) << ", touches " << touches(view.a, view.b) << "; ";
  }
  if (d.normal == Vector3::Zero()) {
    if (d.lower > 0) wrong << "normal is zero, distance at least " << d.lower;
    return;
  }
  if (!(std::abs(d.normal.norm() - 1) <= 1e-14)) {
    wrong << "normal " << d.normal.transpose() << " of length " << d.normal.norm() << "; ";
    return;
  }
  if (!view.reference.bounded() || !(d.lower > 0)) return;
  const Extended slab = -view.reference.width_along(exactly<Extended>(d.normal));
  if (slab < Extended(d.lower) - allowed - rounding_at(view.truth.size)) {  // the slab is computed in Extended
    wrong << "normal " << d.normal.transpose() << " separates by " << number(slab) << ", lower is " << d.lower;
  }
}

void check_mirror(const Distance& there, const Distance& back, std::ostream& wrong) {
  if (there.lower != back.lower || there.upper != back.upper) {
    wrong << "[" << there.lower << ", " << there.upper << "] but swapped [" << back.lower << ", " << back.upper
          << "]; ";
  }
  if (there.point_a != back.point_b || there.point_b != back.point_a || there.normal != Vector3(-back.normal) ||
      there.stop != back.stop) {
    wrong << "points, normal or stop are not mirrored by the other order: " << there.point_a.transpose() << " | "
          << there.point_b.transpose() << " | " << there.normal.transpose() << " but swapped "
          << back.point_a.transpose() << " | " << back.point_b.transpose() << " | " << back.normal.transpose() << "; ";
  }
}

TEST_P(DistanceOfConvexPair, BoundsPointsAndNormalAreRightAndMirrored) {
  check_convex(GetParam(), cases(66), [](const ConvexView& view, std::ostream& wrong) {
    const Distance d = distance(view.a, view.b);
    distance_limits().count(view.what, "distance", d.stop, d.lower, d.upper);
    if (!std::isfinite(d.upper)) wrong << "upper is not finite; ";
    check_bounds(view, d, wrong);
    check_accuracy(view, d, wrong);
    check_witness(view, d, wrong);
    check_mirror(d, distance(view.b, view.a), wrong);
  });
}

TEST_P(DistanceOfConvexPair, BoundsContainTheTruthOf384Bits) {
  check_convex(
      GetParam(), cases(4),
      [](const ConvexView& view, std::ostream& wrong) {
        const Distance d = distance(view.a, view.b);
        const ReferenceDistance<Real> truth = view.exact_distance();
        const Real slack = Real(view.slack);
        if (truth.width() > Real(1e-30) * truth.size) wrong << "the reference is " << number(truth.width()) << " wide";
        if (Real(d.lower) > truth.upper + slack || Real(d.upper) < truth.lower - slack) {
          wrong << "distance " << number(truth.upper) << " is not in [" << d.lower << ", " << d.upper << "]";
        }
      },
      1000000);
}

TEST_P(DistanceOfConvexPair, OptionsKeepTheBoundsTrueAndStopAsDocumented) {
  check_convex(
      GetParam(), cases(11),
      [](const ConvexView& view, std::ostream& wrong) {
        const double truth = static_cast<double>(view.truth.upper);
        const Extended allowed = view.allowed(view.truth.upper, part_of_distance);
        for (const double tolerance : {1e-3 * truth, 0.1 * truth, truth, 1e90}) {
          const Distance d = distance(view.a, view.b, {.tolerance = tolerance});
          check_bounds(view, d, wrong);
          if (d.stop == Stop::tolerance && d.upper - d.lower > tolerance) wrong << "stopped before the tolerance; ";
          if (Extended(d.upper) - Extended(d.lower) > Extended(tolerance) + 2 * allowed) {
            wrong << "tolerance " << tolerance << " gives [" << d.lower << ", " << d.upper << "]; ";
          }
        }
        for (const double bound : {0.5 * truth, 0.99 * truth, 1.01 * truth, 2 * truth}) {
          const Distance d = distance(view.a, view.b, {.upper_bound = bound});
          check_bounds(view, d, wrong);
          // Beyond the bound, pairs with a closed form may still be answered, but then with the correct result.
          if (d.upper == infinity && !(d.lower >= bound)) wrong << "infinite, but lower is " << d.lower << "; ";
          if (view.truth.upper <= Extended(bound) && d.upper == infinity) wrong << "within " << bound << "; ";
          if (d.upper != infinity) check_accuracy(view, d, wrong);
        }
        for (const double enough : {0.0, 0.5 * truth, 1.5 * truth, 1e6 * truth}) {
          const Distance d = distance(view.a, view.b, {.close_enough = enough});
          check_bounds(view, d, wrong);
          if (!(d.upper <= enough)) check_accuracy(view, d, wrong);
        }
        for (const std::uint64_t budget : {0u, 1u, 2u, 4u, 8u, 1000000u}) {
          const Distance d = distance(view.a, view.b, {.budget = budget});
          check_bounds(view, d, wrong);
          if (d.stop == Stop::exact) check_accuracy(view, d, wrong);
          if (budget == 1000000u && d.stop == Stop::budget) wrong << "a budget of a million is used up; ";
        }
      },
      2000000);
}

TEST_P(DistanceOfConvexPair, AWarmCacheGivesBoundsThatOverlapTheColdOnes) {
  PairCache carried;  // carried from case to case, so that it belongs to another pair each time
  check_convex(
      GetParam(), cases(5),
      [&carried](const ConvexView& view, std::ostream& wrong) {
        PairCache own;
        const double size = static_cast<double>(view.ulp) * 0x1p50;
        Pose pose = view.b.pose;
        for (int step = 0; step < 12; ++step) {
          const Placed b(view.b.shape, pose);
          const Distance cold = distance(view.a, b);
          for (PairCache* cache : {&own, &carried}) {
            const Distance warm = distance(view.a, b, {.cache = cache});
            if (!(warm.lower >= 0 && warm.lower <= warm.upper) || warm.lower > cold.upper || cold.lower > warm.upper) {
              wrong << "step " << step << ": cold [" << cold.lower << ", " << cold.upper << "], warm [" << warm.lower
                    << ", " << warm.upper << "]; ";
            }
            const Extended allowed = view.allowed(Extended(cold.upper), part_of_distance);
            if (Extended(warm.upper) - Extended(warm.lower) > 2 * allowed) {
              wrong << "step " << step << ": warm bounds [" << warm.lower << ", " << warm.upper << "] are wide; ";
            }
          }
          pose = moved_on(pose, 0.005, size * Vector3(0.01, -0.004, 0.007));
        }
      },
      3000000);
}

TEST_P(DistanceOfConvexPair, AnyContentOfACacheGivesTheSameTruth) {
  std::mt19937_64 random = seeded(4711 + 100 * GetParam().first + GetParam().second);
  check_convex(
      GetParam(), cases(11),
      [&random](const ConvexView& view, std::ostream& wrong) {
        for (int i = 0; i < 3; ++i) {
          PairCache cache;
          memory_of(cache).touching_a = static_cast<std::uint32_t>(random());
          memory_of(cache).touching_b = static_cast<std::uint32_t>(random());
          memory_of(cache).closest_a = static_cast<std::uint32_t>(random());
          memory_of(cache).closest_b = static_cast<std::uint32_t>(random() % 8);
          memory_of(cache).apart_a = static_cast<std::uint32_t>(random());
          memory_of(cache).apart_b = static_cast<std::uint32_t>(random());
          fill_corners(random, cache);
          for (double& x : memory_of(cache).apart_along)
            x = i == 0 ? std::numeric_limits<double>::quiet_NaN() : uniform(random, -1, 1) * (i == 1 ? 1 : 1e200);
          const Distance d = distance(view.a, view.b, {.cache = &cache});
          check_bounds(view, d, wrong);
          check_accuracy(view, d, wrong);
        }
      },
      4000000);
}

}  // namespace
}  // namespace whisker::test
