#include <limits>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include <whisker/error.hpp>
#include <whisker/pose.hpp>

namespace whisker {
namespace {

TEST(Pose, IdentityPlacesEveryPointWhereItIs) {
  const Vector3 point(0.1, -3e200, 5e-300);
  EXPECT_EQ(place(Pose{}, point), point);
}

TEST(Pose, IsMadeFromEigensIsometryWithoutAWord) {
  Eigen::Isometry3d transform = Eigen::Isometry3d::Identity();
  transform.translate(Vector3(1, 2, 3));
  transform.rotate(Eigen::AngleAxisd(0.5, Vector3::UnitZ()));
  const Pose pose = transform;
  EXPECT_LT((place(pose, Vector3(1, 0, 0)) - transform * Vector3(1, 0, 0)).norm(), 1e-15);
}

TEST(Pose, InverseUndoesAndComposeChains) {
  const Pose pose(Eigen::AngleAxisd(1.2, Vector3(1, 2, 3).normalized()).toRotationMatrix(), Vector3(4, 5, 6));
  const Vector3 point(0.3, 0.2, 0.1);
  EXPECT_LT((place(inverse(pose), place(pose, point)) - point).norm(), 1e-14);
  EXPECT_LT((place(compose(pose, pose), point) - place(pose, place(pose, point))).norm(), 1e-14);
}

TEST(Pose, CheckRefusesWhatIsNotARigidPlacement) {
  EXPECT_NO_THROW(check(Pose{}));
  Pose pose;
  pose.translation[1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(check(pose), Error);
  pose = Pose{};
  pose.rotation(0, 2) = std::numeric_limits<double>::infinity();
  EXPECT_THROW(check(pose), Error);
  pose = Pose{};
  pose.rotation *= 1 + 1e-8;
  EXPECT_THROW(check(pose), Error);
  pose.rotation = Matrix3::Identity() * (1 + 1e-10);
  EXPECT_NO_THROW(check(pose));
  pose.rotation = -Matrix3::Identity();
  EXPECT_THROW(check(pose), Error);
  pose.rotation = Matrix3::Zero();
  EXPECT_THROW(check(pose), Error);
}

}  // namespace
}  // namespace whisker
