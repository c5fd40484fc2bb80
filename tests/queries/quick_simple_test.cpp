// The quick answers for simple shapes, which decide nearly all pairs in double: they never contradict the reference,
// they do answer, and closest points that they call the only ones are.

#include <gtest/gtest.h>

#include <whisker/queries.hpp>

#include "convex/quick_distance.hpp"
#include "convex/quick_touch.hpp"
#include "queries/table.hpp"
#include "queries/witness.hpp"
#include "support/cases.hpp"
#include "support/random_vectors.hpp"
#include "support/reference_samples.hpp"

namespace whisker::test {
namespace {

using convex::Quick;
using convex::QuickTouch;

bool is_flat(const Placed& placed) {
  return placed.shape.is_unbounded();
}

Quick find_quick(const Placed& a, const Placed& b, Distance& apart, Depth* deep) {
  if (is_flat(a) && is_flat(b)) return Quick::unknown;
  return is_flat(a) || is_flat(b) ? convex::find_quick_flat(a, b, apart, deep)
                                  : convex::find_quick_distance(a, b, apart, deep);
}
QuickTouch find_touch(const Placed& a, const Placed& b) {
  if (is_flat(a) && is_flat(b)) return QuickTouch::unknown;
  if (is_flat(a) || is_flat(b)) return convex::find_quick_flat_touch(a, b);
  const QuickTouch touch = convex::find_quick_touch(a, b);
  return touch != QuickTouch::unknown ? touch : convex::find_axes_touch(a, b);
}

class QuickSimplePair : public testing::TestWithParam<KindPair> {};

INSTANTIATE_TEST_SUITE_P(All, QuickSimplePair, testing::ValuesIn(all_kind_pairs()), kind_pair_name);

TEST_P(QuickSimplePair, NeverContradictsTheTruth) {
  check_all(GetParam(), [](const View& view, std::ostream& wrong) {
    const Real &distance = view.truth.distance, &depth = view.truth.depth, &uncertain = view.truth.uncertainty;
    const QuickTouch touch = find_touch(view.a, view.b);
    if (touch == QuickTouch::yes && distance > uncertain)
      wrong << "touch, but they are " << digits(distance) << " apart";
    if (touch == QuickTouch::no && depth > uncertain) wrong << "no touch, but they are " << digits(depth) << " deep";
    for (const bool finds_depth : {false, true}) {
      Distance apart;
      Depth deep;
      if (find_quick(view.a, view.b, apart, finds_depth ? &deep : nullptr) == Quick::unknown) continue;
      if (Real(apart.lower) > distance + uncertain || (deep.upper == 0 && Real(apart.upper) < distance - uncertain))
        wrong << "distance " << digits(distance) << " is not in [" << apart.lower << ", " << apart.upper << "]";
      if (Real(deep.lower) > depth + uncertain || (finds_depth && Real(deep.upper) < depth - uncertain))
        wrong << "depth " << digits(depth) << " is not in [" << deep.lower << ", " << deep.upper << "]";
    }
  });
}

TEST_P(QuickSimplePair, PointsThatAreAloneAreNotMovedToAnyMiddle) {
  check_all(GetParam(), [](const View& view, std::ostream& wrong) {
    Distance apart;
    if (find_quick(view.a, view.b, apart, nullptr) != Quick::alone) return;
    Distance centered = apart;
    queries::center_points(view.a, view.b, queries::algorithms(view.a.shape, view.b.shape).distance, centered);
    const double off = (centered.point_a - apart.point_a).norm() + (centered.point_b - apart.point_b).norm();
    if (off > 128 * spacing_of_doubles_at(view.truth.size)) wrong << "moved by " << off;
  });
}

TEST(QuickSimple, DecidesNearlyAllPairsThatAreNotTooCloseToTell) {
  auto random = seeded(9201);
  const auto vector = [&](double size) { return random_vector(random, size); };
  const auto length = [&] { return uniform(random, 0.2, 1); };
  for (int kind_a = 0; kind_a < 5; ++kind_a) {
    for (int kind_b = 0; kind_b < 7; ++kind_b) {
      const auto make = [&](int kind) -> Shape {
        if (kind == 0) return Sphere{length()};
        if (kind == 1) return Capsule{length(), length()};
        if (kind == 2) return Box{{length(), length(), length()}};
        if (kind == 3) return Segment{vector(1), vector(1)};
        if (kind == 4) return Triangle{vector(1), vector(1), vector(1)};
        if (kind == 5) return HalfSpace{vector(1), length()};
        return Plane{vector(1), length()};
      };
      // Not where the axes tell too little: beside the corners and edges of boxes and triangles with a radius around.
      const int least = std::min(kind_a, kind_b), most = std::max(kind_a, kind_b);
      const bool is_capsule_and_flat = (most == 4 && least == 1) || (most == 2 && least == 1);
      const bool has_touch = kind_b > 4 ? kind_a < 3 : !is_capsule_and_flat && !(kind_a == 3 && kind_b == 3);
      // Cores that overlap by more than rounding; those of a capsule are often apart, and then doubles leave one depth
      // in ten open.
      const bool has_depth = most < 5 && least != 1 && (most == 2 || least == 2 || (most == 4 && least > 0));
      std::size_t found = 0, told = 0, deep_found = 0, apart_count = 0, deep_count = 0;
      const std::size_t count = cases(200);
      for (std::size_t i = 0; i < count; ++i) {
        const Shape a = make(kind_a), b = make(kind_b);
        const Placed at_a(a, random_pose(random, 2)), at_b(b, random_pose(random, 2));
        told += find_touch(at_a, at_b) != QuickTouch::unknown ? 1u : 0u;
        Distance apart;
        if (distance(at_a, at_b).lower > 1e-3) {
          ++apart_count;
          found += find_quick(at_a, at_b, apart, nullptr) != Quick::unknown ? 1u : 0u;
        }
        const Placed near_a(a, random_pose(random, 0.3)), near_b(b, random_pose(random, 0.3));
        if (!has_depth || !(depth(near_a, near_b).lower > 1e-3)) continue;
        ++deep_count;
        Distance shared, none;
        Depth deep;
        deep_found += find_quick(near_a, near_b, none, &deep) != Quick::unknown && deep.upper > 0 &&
                              find_quick(near_a, near_b, shared, nullptr) != Quick::unknown && shared.upper == 0
                          ? 1u
                          : 0u;
      }
      const std::string what = "kinds " + std::to_string(kind_a) + " and " + std::to_string(kind_b);
      EXPECT_GT(apart_count, 0u) << what;
      EXPECT_GE(static_cast<double>(found), 0.9 * static_cast<double>(apart_count)) << what;
      if (has_depth) {
        EXPECT_GT(deep_count, 0u) << what;
        EXPECT_GE(static_cast<double>(deep_found), 0.95 * static_cast<double>(deep_count)) << what;
      }
      if (has_touch) {
        EXPECT_GE(static_cast<double>(told), 0.95 * static_cast<double>(count)) << what;
      }
    }
  }
}

}  // namespace
}  // namespace whisker::test
