// The example at the top of pose.hpp: compiled and checked as header_examples_test.cpp describes. It is in a file of
// its own because it needs Eigen/Geometry, which interface_test.cpp must not see. The files of this folder are compiled
// together in the order of their names, so this one comes later.

#include <cmath>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include <whisker/pose.hpp>
#include <whisker/queries.hpp>

namespace whisker {
namespace {

// The example is laid out as in the header.
// clang-format off

TEST(PoseHeaderExample, MakesPosesFromEigensTypes) {
  const Eigen::Quaterniond quaternion(Eigen::AngleAxisd(1.0, Eigen::Vector3d::UnitZ()));
  const Eigen::Isometry3f camera_in_floats(Eigen::AngleAxisf(0.3F, Eigen::Vector3f::UnitX()));
  const Shape part = Sphere{0.1}, gripper = Box{{2, 0.1, 2}};

  Pose table;                                                     // identity
  Pose cup({0, 0, 0.8});                                          // only a translation
  Pose arm = Eigen::Isometry3d(Eigen::Translation3d(0, 0.5, 1));  // implicit conversion from Eigen
  Pose tool(quaternion, {1, 0, 0});                               // from a unit quaternion
  Pose seen = Pose::nearest(camera_in_floats);                    // from floats: the nearest rotation
  bool hit = touches({part, cup}, {gripper, tool});

  EXPECT_EQ(table.rotation(), Matrix3::Identity());
  EXPECT_EQ(table.translation(), Vector3::Zero());
  EXPECT_EQ(cup.rotation(), Matrix3::Identity());
  EXPECT_EQ(cup.translation(), Vector3(0, 0, 0.8));
  EXPECT_EQ(arm.translation(), Vector3(0, 0.5, 1));
  EXPECT_LT((tool.rotation() * Vector3::UnitX() - Vector3(std::cos(1), std::sin(1), 0)).norm(), 1e-15);
  EXPECT_EQ(tool.translation(), Vector3(1, 0, 0));
  EXPECT_LT((seen.rotation() - camera_in_floats.linear().cast<double>()).norm(), 1e-6);
  EXPECT_LT((seen.rotation().transpose() * seen.rotation() - Matrix3::Identity()).norm(), 1e-14);
  EXPECT_FALSE(hit) << "the gripper is turned away from the cup";
  EXPECT_TRUE(touches({part, cup}, {gripper, Pose({1, 0, 0})}));
}

// clang-format on

}  // namespace
}  // namespace whisker
