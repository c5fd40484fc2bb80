// Yes/no questions to a world allocate nothing, whatever the number of bodies.

#include <gtest/gtest.h>

#include <whisker/world.hpp>

#include "support/cases.hpp"
#include "support/count_allocations.hpp"
#include "support/random_vectors.hpp"

namespace whisker {
namespace {

TEST(WorldAllocations, OfTouchesThereAreNone) {
  auto random = test::seeded(7411);
  World world({.threads = 1});
  for (int i = 0; i < 3000; ++i)
    world.add(Sphere{0.3}, Pose(test::random_vector(random, 10)));
  world.add(HalfSpace{{0, 0, 1}, -20});
  world.update();
  std::size_t yes = 0, no = 0;
  const Shape small = Sphere{0.05}, large = Sphere{4};
  world.touches(small);  // builds the tree
  const std::size_t before = allocations.load();
  for (int i = 0; i < 300; ++i) {
    const Pose pose(test::random_vector(random, 12));
    (world.touches({i % 3 == 0 ? large : small, pose}) ? yes : no) += 1;
  }
  EXPECT_EQ(allocations.load(), before);
  EXPECT_GT(yes, 50u);
  EXPECT_GT(no, 50u);
}

}  // namespace
}  // namespace whisker
