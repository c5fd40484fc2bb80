// Marching and levels of detail allocate nothing after construction.

#include <gtest/gtest.h>

#include <whisker/methods/closest_features.hpp>
#include <whisker/methods/hull_levels.hpp>

#include "convex/hull_pairs.hpp"
#include "support/cases.hpp"
#include "support/count_allocations.hpp"

namespace whisker::test {
namespace {

using namespace methods;
TEST(MarchAllocation, ClosestFeaturesAllocateNothing) {
  Generator random = seeded(481);
  const MarchingHull a(ellipsoid_hull(random, 60, {1, 1, 1})), b(box_hull({1, 1, 1}));
  FeatureTrack track;
  const std::size_t before = allocations.load();
  for (int i = 0; i < 100; ++i) {
    const Pose pose(Vector3(0.03 * i, 0.01 * i, 0));
    closest_features(a, Pose(), b, pose, track);
    closest_features(b, Pose(), b, Pose(Vector3(0.01 * i, 0, 0)));  // aligned: needs the exhaustive search
  }
  EXPECT_EQ(allocations.load(), before);
}

TEST(MarchAllocation, QueriesOnLevelsAllocateNothing) {
  Generator random = seeded(482);
  const HullLevels a(ellipsoid_hull(random, 100, {1, 1, 1}), {.decimation = 0.25}),
      b(ellipsoid_hull(random, 100, {1, 1, 0.1}), {.builder = LevelBuilder::vertex_removal});
  LevelTrack track;
  const std::size_t before = allocations.load();
  for (int i = 0; i < 100; ++i) {
    const Pose pose(Vector3(0.03 * i, 0.01 * i, 0));
    levels_distance(a, Pose(), b, pose, track);
    levels_touch(a, Pose(), b, pose, track);
    refine_levels(a, Pose(), b, pose, track);
  }
  EXPECT_EQ(allocations.load(), before);
}

}  // namespace
}  // namespace whisker::test
