// Motion queries allocate nothing once they have run on a thread.

#include <vector>

#include <gtest/gtest.h>

#include <whisker/first_contact.hpp>
#include <whisker/methods/moving_volumes.hpp>

#include "support/cases.hpp"
#include "support/count_allocations.hpp"
#include "support/random_shapes.hpp"

namespace whisker {
namespace {

using namespace methods;
TEST(MotionAllocation, FirstContactAndTouchesDuringAllocateNothing) {
  auto random = test::seeded(701);
  std::vector<Vector3> points;
  for (int i = 0; i < 32; ++i)
    points.push_back(test::scenes::unit_vector(random));
  const std::vector<Shape> shapes = {Sphere{0.5},
                                     Capsule{0.3, 1},
                                     Box{{1, 1, 1}},
                                     Segment{{0, 0, 0}, {1, 0, 0}},
                                     Triangle{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
                                     Cylinder{1, 1},
                                     Cone{1, 1},
                                     Ellipsoid{{1, 0.5, 0.7}},
                                     ConvexHull(points),
                                     HalfSpace{},
                                     Plane{}};
  std::vector<Straight> motions;
  for (int i = 0; i < 20; ++i) {
    const Vector3 from = test::random_vector(random, 4);
    motions.push_back({Pose(test::scenes::any_rotation(random), from), -1.5 * from + test::random_vector(random, 1)});
  }
  // Grazing, so that double-double arithmetic is used.
  motions.push_back({Pose(Vector3(-5, 0, 1)), {10, 0, 0}});
  motions.push_back({Pose(Vector3(0, 0, 1)), {10, 0, 0}});
  std::size_t asked = 0, allocated = 0;
  const auto ask_all = [&] {
    for (const Shape& a : shapes) {
      for (const Shape& b : shapes) {
        for (const Straight& motion : motions) {
          const std::size_t before = allocations;
          const MotionImpact hit = first_contact({a}, {b, motion});
          const bool during = touches_during({a}, {b, motion});
          EXPECT_EQ(during, hit.status != ImpactStatus::apart);
          // For shapes that touch at the start, the depth is computed, which may allocate.
          if (hit.status == ImpactStatus::touching_at_start) continue;
          allocated += allocations - before;
          ++asked;
        }
      }
    }
  };
  ask_all();
  allocated = asked = 0;
  ask_all();
  EXPECT_EQ(allocated, 0u);
  EXPECT_GT(asked, 1000u);
}

TEST(MotionAllocation, VolumesInMotionAllocateNothing) {
  auto random = test::seeded(702);
  std::size_t touching = 0, allocated = 0;
  for (int i = 0; i < 200; ++i) {
    const Obb box{test::scenes::any_rotation(random), Vector3::Zero(), Vector3(1, 0.5, 0.2)};
    const BoundingSphere ball{Vector3::Zero(), 0.5};
    const Motion still = Still{};
    const Motion turning = screw(Pose(test::random_vector(random, 4)),
                                 Pose(test::scenes::any_rotation(random), test::random_vector(random, 1)));
    const BodyVolume a = i % 2 == 0 ? BodyVolume(box) : BodyVolume(ball), b = box;
    const std::size_t before = allocations;
    const Impact hit = first_touch(a, turning, b, still);
    const bool may = may_touch(a, turning, b, still);
    allocated += allocations - before;
    touching += hit.status == ImpactStatus::touch && may ? 1 : 0;
  }
  EXPECT_GT(touching, 50u);
  EXPECT_EQ(allocated, 0u);
}

}  // namespace
}  // namespace whisker
