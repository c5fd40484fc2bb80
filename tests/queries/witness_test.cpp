// Witness points of all pairs of convex kinds, in random and degenerate places: those of `depth`, `distance` and
// one-point contact manifolds, in both orders, with and without a cache.

#include <cmath>
#include <cstdint>
#include <functional>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/contact_manifold.hpp>
#include <whisker/queries.hpp>

#include "support/convex_cases.hpp"
#include "support/witness_check.hpp"

namespace whisker::test {
namespace {

class PrintStatistics : public testing::Environment {
 public:
  void TearDown() override {
    if (witness_statistics().overlaps > 0) witness_statistics().print();
  }
};
const testing::Environment* const print_statistics = testing::AddGlobalTestEnvironment(new PrintStatistics);

std::vector<ConvexPair> every_pair() {
  std::vector<ConvexPair> pairs;
  for (std::size_t second = 0; second < convex_kind_count; ++second) {
    for (std::size_t first = 0; first <= second; ++first)
      pairs.push_back({first, second});
  }
  return pairs;
}

/// The allowed relative error of a pair's depth because of its search; 0 if it is exact up to rounding.
double part_of_overlap(const ConvexPair& pair) {
  return pair.flat_faced() ? 0 : 2e-6;
}

/// Case `number` of a pair. Two simple shapes have their own families.
ConvexCase make_case(const ConvexPair& pair, std::size_t number) {
  if (pair.second >= simple_shape_count) return make_convex_case(pair.first, pair.second, number);
  std::mt19937_64 random = seeded(900000000 + number * 1000 + pair.first * 30 + pair.second);
  const auto family = static_cast<Family>(number % family_count);
  const Scene scene = make_scene(random, pair.first, pair.second, family);
  const auto shape = [](const SimpleShape& s) {
    return std::visit([](const auto& t) { return convex_cases::known(Shape(t)); }, s);
  };
  // The family's name is only for messages. The families are the same except for their order.
  ConvexCase c{shape(scene.a), shape(scene.b), scene.pose_a, scene.pose_b, ConvexFamily::random, number};
  if (family == Family::sloppy) c.family = ConvexFamily::sloppy;
  return c;
}

void check_depth_points(const WitnessPair& pair, const Depth& d, double part, std::ostream& wrong) {
  if (!(d.upper > 0) || !std::isfinite(d.upper)) {
    if (d.normal != Vector3::Zero() || d.point_a != Vector3::Zero() || d.point_b != Vector3::Zero()) {
      wrong << "depth " << d.upper << " has points " << d.point_a.transpose() << " | " << d.point_b.transpose()
            << " along " << d.normal.transpose() << "; ";
    }
    return;
  }
  ++witness_statistics().overlaps;
  if (d.normal == Vector3::Zero()) {
    wrong << "depth up to " << d.upper << " without a direction; ";
    return;
  }
  pair.check(d.normal, -d.upper, d.point_a, d.point_b, part, wrong);
}

void check_distance_points(const WitnessPair& pair, const Distance& d, std::ostream& wrong) {
  if (d.normal == Vector3::Zero()) return;
  ++witness_statistics().distances;
  pair.check(d.normal, d.upper, d.point_a, d.point_b, 0, wrong, &d.lower);
}

class WitnessOfConvexPair : public testing::TestWithParam<ConvexPair> {};

INSTANTIATE_TEST_SUITE_P(All, WitnessOfConvexPair, testing::ValuesIn(every_pair()), convex_pair_name);

/// Runs a check on cases of a pair, in both orders, and shows the first failures.
void check_cases(const ConvexPair& kinds, std::size_t count, std::size_t from,
                 const std::function<void(const WitnessPair&, const Placed&, const Placed&, std::ostream&)>& check) {
  std::size_t failed = 0;
  for (std::size_t i = from; i < from + count; ++i) {
    const ConvexCase c = make_case(kinds, i);
    for (const bool swap : {false, true}) {
      const KnownShape &a = swap ? c.b : c.a, &b = swap ? c.a : c.b;
      const Pose &pose_a = swap ? c.pose_b : c.pose_a, &pose_b = swap ? c.pose_a : c.pose_b;
      std::ostringstream wrong;
      wrong.precision(17);
      const WitnessPair pair(a, pose_a, b, pose_b);
      try {
        check(pair, Placed(a.shape, pose_a), Placed(b.shape, pose_b), wrong);
      } catch (const std::exception& error) {
        wrong << "threw " << error.what();
      }
      if (wrong.str().empty()) continue;
      if (++failed <= 2) {
        ADD_FAILURE() << wrong.str() << (swap ? "\nasked as (b, a) of " : "\nasked as (a, b) of ") << describe(c);
      }
    }
  }
  if (failed > 2) ADD_FAILURE() << failed << " of " << 2 * count << " failed";
}

TEST_P(WitnessOfConvexPair, PointsOfADepthBelongTogetherOnTheSupportFacesInTheirMiddle) {
  const double part = part_of_overlap(GetParam());
  check_cases(GetParam(), cases(44), 0,
              [&](const WitnessPair& pair, const Placed& a, const Placed& b, std::ostream& wrong) {
                check_depth_points(pair, depth(a, b), part, wrong);
              });
}

TEST_P(WitnessOfConvexPair, PointsOfADistanceBelongTogetherOnTheSupportFacesInTheirMiddle) {
  check_cases(GetParam(), cases(22), 5000000,
              [&](const WitnessPair& pair, const Placed& a, const Placed& b, std::ostream& wrong) {
                check_distance_points(pair, distance(a, b), wrong);
              });
}

TEST_P(WitnessOfConvexPair, ACacheKeepsThemTrueWhileTheShapesMove) {
  const double part = part_of_overlap(GetParam());
  if (GetParam().first == 3 && GetParam().second <= 4) return;  // planes
  if (GetParam().first == 4 && GetParam().second == 4) return;
  PairCache carried;  // carried from case to case, so that it belongs to another pair each time
  std::size_t failed = 0;
  for (std::size_t i = 0; i < cases(11); ++i) {
    const ConvexCase c = make_case(GetParam(), 6000000 + i);
    PairCache own;
    Pose pose = c.pose_b;
    const Aabb bounds = (c.a.truth.is_unbounded() ? c.b : c.a).truth.bounds();
    const double size = (bounds.upper - bounds.lower).norm();
    std::ostringstream wrong;
    wrong.precision(17);
    for (int step = 0; step < 6; ++step) {
      const WitnessPair pair(c.a, c.pose_a, c.b, pose);
      const Placed a(c.a.shape, c.pose_a), b(c.b.shape, pose);
      for (PairCache* cache : {&own, &carried}) {
        check_depth_points(pair, depth(a, b, {.cache = cache}), part, wrong);
        check_distance_points(pair, distance(a, b, {.cache = cache}), wrong);
      }
      if (!wrong.str().empty()) {
        wrong << "step " << step;
        break;
      }
      pose = moved_on(pose, 0.005, size * Vector3(0.01, -0.004, 0.007));
    }
    if (wrong.str().empty()) continue;
    if (++failed <= 2) ADD_FAILURE() << wrong.str() << "\n" << describe(c);
  }
  if (failed > 2) ADD_FAILURE() << failed << " failed";
}

TEST_P(WitnessOfConvexPair, TheOnePointOfAPatchIsAPairOnBothShapes) {
  if (GetParam().first >= 3 && GetParam().first <= 4 && GetParam().second <= 4) return;  // planes
  check_cases(GetParam(), cases(22), 7000000,
              [&](const WitnessPair& pair, const Placed& a, const Placed& b, std::ostream& wrong) {
                const ContactManifold patch = contact_manifold(a, b, {.margin = 0.01});
                if (patch.count != 1) return;
                ++witness_statistics().patches;
                const ManifoldPoint& p = patch.storage[0];
                pair.check_pair(patch.normal, p.gap, p.point_a, p.point_b, wrong);
              });
}

}  // namespace
}  // namespace whisker::test
