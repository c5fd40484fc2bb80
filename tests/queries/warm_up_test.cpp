// warm_up may be called at any time, on any thread, and refuses a negative number of threads by name.

#include <string>
#include <thread>

#include <gtest/gtest.h>

#include <whisker/queries.hpp>
#include <whisker/simd.hpp>

#include "support/error_of.hpp"

namespace whisker {
namespace {

TEST(WarmUp, ChangesNoAnswer) {
  const Shape box = Box{{1, 1, 1}}, ball = Sphere{0.5};
  const Pose pose(Vector3(2, 0.5, 0.25));
  const Distance before = distance(box, {ball, pose});
  std::thread other([] { warm_up(1); });
  warm_up();
  other.join();
  const Distance after = distance(box, {ball, pose});
  EXPECT_EQ(before.lower, after.lower);
  EXPECT_EQ(before.upper, after.upper);
}

TEST(WarmUp, NamesItselfWhereThreadsAreNegative) {
  EXPECT_EQ(test::error_of([] { warm_up(-1); }).substr(0, 8), "warm_up:");
}

}  // namespace
}  // namespace whisker
