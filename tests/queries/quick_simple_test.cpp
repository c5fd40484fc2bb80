// The quick answers for simple shapes, which decide nearly all pairs in double: they never contradict the reference,
// they do answer, and closest points that they call the only ones are.

#include <cmath>

#include <gtest/gtest.h>

#include <whisker/queries.hpp>

#include "convex/quick_distance.hpp"
#include "convex/quick_touch.hpp"
#include "convex/simple_distance.hpp"
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
  const auto *const ball_a = a.shape.as<Sphere>(), *const ball_b = b.shape.as<Sphere>();
  if (ball_a != nullptr && ball_b != nullptr)
    return convex::touch_of_spheres(a.pose.translation(), ball_a->radius, b.pose.translation(), ball_b->radius);
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

/// Leaves numbers behind where the next call has its local variables.
[[gnu::noinline]] void leave_on_the_stack(double number) {
  volatile double numbers[4096];
  for (volatile double& place : numbers)
    place = number;
}

TEST(QuickSimple, CommonPointsDependOnNothingThatWasLeftOnTheStack) {
  // A segment of almost no length over a triangle, so far from the origin that doubles hardly tell them apart.
  const Shape triangle = Triangle{{-0x1.9db999d7e9b26p+0, 0x1.1fa6607805894p+0, -0x1.c63ba9822dafap-1},
                                  {0x1.465f54acb25acp-14, -0x1.bfaf7bc87a732p+0, 0x1.c14b9edd18468p-2},
                                  {-0x1.13de28afe4fd2p-1, 0x1.4baa514fa1b98p+0, -0x1.4993a692bfedfp-8}};
  const Shape segment = Segment{{0x1.cc3d947d4e0fp-23, -0x1.c7c0c8fb75857p-27, 0},
                                {0x1.3d7976e8ec566p-28, 0x1.e34bf68febafp-25, -0x1.3b73992ebd8e9p-64}};
  const Placed a(triangle, Pose(Vector3(0x1.60c606f40dc02p+0, 0x1.b84b831507d1p-1, 0x1.ad1a1031fd0e6p+10)));
  const Placed b(segment, Pose(Vector3(-0x1.e79c97bd9c4ddp-3, 0x1.fbcc2110e376ep+0, 0x1.ace148bcccc9p+10)));
  for (const double number : {0.0, 5.0, 123.0}) {
    leave_on_the_stack(number);
    const Distance found = distance(a, b);
    leave_on_the_stack(number);
    const Distance exchanged = distance(b, a);
    ASSERT_EQ(found.upper, 0);
    ASSERT_EQ(exchanged.upper, 0);
    EXPECT_LT((found.point_a - b.pose.translation()).norm(), 1e-5) << number;
    EXPECT_LT((exchanged.point_a - b.pose.translation()).norm(), 1e-5) << number;
  }
  // A point in a box whose rotation is not quite one.
  auto random = seeded(9202);
  std::size_t together = 0;
  for (std::size_t i = 0; i < cases(20'000); ++i) {
    Matrix3 bent = random_pose(random, 0).rotation();
    for (int k = 0; k < 9; ++k)
      bent.data()[k] += uniform(random, -1e-10, 1e-10);
    const Shape box = Box{{1, 0.5, 0.75}}, point = Segment{Vector3::Zero(), Vector3::Zero()};
    const Placed at_box(box, Pose(bent, random_vector(random, 1e3)));
    const Vector3 inside(uniform(random, -0.5, 0.5), 0.25 * (1 - std::exp2(uniform(random, -52, 0))),
                         uniform(random, -0.375, 0.375));
    const Placed at_point(point, Pose(place(at_box.pose, inside)));
    leave_on_the_stack(uniform(random, -10, 10));
    const Distance found = i % 2 == 0 ? distance(at_box, at_point) : distance(at_point, at_box);
    if (found.upper > 0) continue;
    ++together;
    ASSERT_LT((found.point_a - at_point.pose.translation()).norm(), 1e-9) << i;
  }
  EXPECT_GT(together, cases(20'000) / 2);
}

TEST(QuickSimple, EdgesWhoseLengthsUnderflowAreNotToldApart) {
  auto random = seeded(9203);
  std::size_t together = 0;
  for (std::size_t i = 0; i < cases(20'000); ++i) {
    const Matrix3 turn = random_pose(random, 0).rotation();
    const Shape box = Box{{1, 1, 1}};
    // The middle of the box is such that the origin is in one of its faces, up to rounding.
    const Vector3 local(0.5, uniform(random, -0.25, 0.25), uniform(random, -0.25, 0.25));
    const Placed at_box(box, Pose(turn, -(turn * local)));
    const Vector3 tiny = std::exp2(uniform(random, -560, -480)) * turn.col(1);
    const Shape other =
        i % 2 == 0 ? Shape(Segment{Vector3::Zero(), tiny}) : Shape(Triangle{Vector3::Zero(), tiny, 3 * turn.col(0)});
    const Placed at_other(other, Pose());
    const Distance found = distance(at_box, at_other);
    if (found.upper > 0) continue;
    ++together;
    ASSERT_TRUE(touches(at_box, at_other)) << i;
    ASSERT_TRUE(touches(at_other, at_box)) << i;
  }
  EXPECT_GT(together, cases(20'000) / 20);
}

TEST(QuickSimple, SpheresNextToTinyTrianglesTouchNoneThatIsApart) {
  auto random = seeded(9204);
  std::size_t apart = 0;
  for (std::size_t i = 0; i < cases(20'000); ++i) {
    const double size = std::exp2(uniform(random, -216, -204));
    const Triangle flat{size * random_vector(random, 1), size * random_vector(random, 1),
                        size * random_vector(random, 1)};
    const Shape triangle = flat, ball = Sphere{size * uniform(random, 0.1, 1)};
    const Vector3 normal = (flat.b - flat.a).cross(flat.c - flat.a).stableNormalized();
    const double gap = std::exp2(uniform(random, -40, -16));
    const Placed at(ball, Pose((flat.a + flat.b + flat.c) / 3 + (1 + gap) * ball.as<Sphere>()->radius * normal));
    const Distance found = distance(at, triangle);
    if (!(found.lower > 0)) continue;
    ++apart;
    ASSERT_FALSE(touches(at, triangle)) << i;
  }
  EXPECT_GT(apart, cases(20'000) / 2);
}

}  // namespace
}  // namespace whisker::test
