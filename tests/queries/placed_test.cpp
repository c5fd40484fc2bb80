// Placed refers to shapes and poses that the caller has, and keeps those that are made for it.

#include <gtest/gtest.h>

#include <whisker/queries.hpp>

namespace whisker::test {
namespace {

const Pose constant_pose(double x) {
  return Pose(Vector3(x, 0, 0));
}

TEST(Placed, RefersToTheShapeAndThePoseOfTheCaller) {
  const Shape ball = Sphere{1};
  Pose pose(Vector3(3, 0, 0));
  const Placed placed(ball, pose);
  EXPECT_EQ(&placed.shape, &ball);
  EXPECT_EQ(&placed.pose, &pose);
  EXPECT_EQ(distance(ball, placed).value(), 1);
  pose.set_translation({4, 0, 0});
  EXPECT_EQ(distance(ball, placed).value(), 2);
}

TEST(Placed, KeepsWhatIsMadeForIt) {
  const Shape ball = Sphere{1};
  const Pose pose(Vector3(5, 0, 0));
  for (const bool moves : {false, true}) {
    // Each is used after the full expression that made its pose.
    const Placed alone(ball), made(ball, Pose(Vector3(3, 0, 0))), constant(ball, constant_pose(3.5)),
        chosen(ball, moves ? pose : Pose()), converted(ball, Eigen::Isometry3d(Eigen::Translation3d(4, 0, 0)));
    const Placed both(Sphere{2}, constant_pose(6)), shape(Sphere{2}, pose), whole(Sphere{2});
    EXPECT_EQ(distance(alone, made).value(), 1);
    EXPECT_EQ(distance(alone, constant).value(), 1.5);
    EXPECT_EQ(chosen.pose.translation().x(), moves ? 5 : 0);
    EXPECT_EQ(distance(alone, converted).value(), 2);
    EXPECT_EQ(distance(alone, both).value(), 3);
    EXPECT_EQ(distance(alone, shape).value(), 2);
    EXPECT_TRUE(touches(alone, whole));
    EXPECT_EQ(whole.pose.translation(), Vector3::Zero());
  }
}

}  // namespace
}  // namespace whisker::test
