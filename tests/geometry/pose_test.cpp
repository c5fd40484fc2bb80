// Poses: which matrices they accept, the nearest rotation, composition and inverse.

#include <cmath>
#include <limits>
#include <random>
#include <regex>
#include <string>

#include <Eigen/Geometry>
#include <Eigen/SVD>
#include <gtest/gtest.h>

#include <whisker/whisker.hpp>

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

const double nan = std::numeric_limits<double>::quiet_NaN();
const double infinity = std::numeric_limits<double>::infinity();

/// The message of the Error when a pose is made of these; "" if there is none.
std::string said_of(const Matrix3& rotation, const Vector3& translation) {
  try {
    Pose(rotation, translation);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

Matrix3 identity_with(int row, int column, double entry) {
  Matrix3 matrix = Matrix3::Identity();
  matrix(row, column) = entry;
  return matrix;
}

/// How far RᵀR is from the identity.
double off(const Pose& pose) {
  return (pose.rotation().transpose() * pose.rotation() - Matrix3::Identity()).cwiseAbs().maxCoeff();
}

const Matrix3 some_rotation = Eigen::AngleAxisd(1.2, Vector3(1, 2, 3).normalized()).toRotationMatrix();

TEST(Pose, EveryEntryMustBeFinite) {
  for (const double bad : {nan, infinity, -infinity}) {
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j)
        EXPECT_NE(said_of(identity_with(i, j, bad), Vector3::Zero()).find("NaN or infinite"), std::string::npos);
      Vector3 translation = Vector3::Zero();
      translation[i] = bad;
      EXPECT_NE(said_of(Matrix3::Identity(), translation).find("NaN or infinite"), std::string::npos);
      EXPECT_THROW(Pose{translation}, Error);
      Pose pose(Vector3(1, 2, 3));
      EXPECT_THROW(pose.set_translation(translation), Error);
      EXPECT_EQ(pose.translation(), Vector3(1, 2, 3));
    }
  }
}

TEST(Pose, TheTranslationStaysWithinTheLargestCoordinate) {
  EXPECT_EQ(said_of(some_rotation, Vector3::Constant(max_coordinate)), "");
  for (const double bad : {std::nextafter(max_coordinate, infinity), -1e300})
    EXPECT_NE(said_of(some_rotation, Vector3(0, bad, 0)).find("beyond 1e90"), std::string::npos);
}

TEST(Pose, ARotationThatIsOffSaysByHowMuchAndWhatToDo) {
  const std::string said = said_of(some_rotation.cast<float>().cast<double>(), Vector3::Zero());
  EXPECT_TRUE(std::regex_search(said, std::regex("off the identity by [1-9](\\.[1-9])?e-[78], at most 1e-9 is allowed; "
                                                 "Pose::nearest makes it a rotation")))
      << said;
  EXPECT_NE(said_of(Matrix3::Identity() * (1 + 1e-8), Vector3::Zero()).find("by 2e-8"), std::string::npos);
  EXPECT_NE(said_of(Matrix3::Zero(), Vector3::Zero()).find("by 1e0"), std::string::npos);
  // Each entry of RᵀR is checked against the tolerance.
  EXPECT_EQ(said_of(Matrix3::Identity() * (1 + 4e-10), Vector3::Zero()), "");
  EXPECT_NE(said_of(identity_with(0, 0, 1 + 2e-9), Vector3::Zero()), "");
  EXPECT_EQ(said_of(identity_with(0, 1, 9e-10), Vector3::Zero()), "");
  EXPECT_NE(said_of(identity_with(0, 1, 2e-9), Vector3::Zero()), "");
}

TEST(Pose, AMirrorIsNoRotation) {
  for (const Matrix3& mirror : {Matrix3(-Matrix3::Identity()), identity_with(2, 2, -1)}) {
    EXPECT_NE(said_of(mirror, Vector3::Zero()).find("mirrors"), std::string::npos);
    EXPECT_THROW(Pose::nearest(mirror, Vector3::Zero()), Error);
  }
}

TEST(Pose, ABadRotationLeavesItAsItWas) {
  Pose pose(some_rotation, Vector3(1, 2, 3));
  EXPECT_THROW(pose.set_rotation(2 * some_rotation), Error);
  EXPECT_EQ(pose.rotation(), some_rotation);
  EXPECT_EQ(pose.translation(), Vector3(1, 2, 3));
  pose.set_rotation(Matrix3::Identity());
  EXPECT_EQ(pose.rotation(), Matrix3::Identity());
}

TEST(Pose, IsMadeFromAUnitQuaternion) {
  const Eigen::Quaterniond turn(Eigen::AngleAxisd(0.5, Vector3::UnitZ()));
  const Pose pose(turn, Vector3(1, 2, 3));
  EXPECT_LT((pose.rotation() - turn.toRotationMatrix()).norm(), 1e-15);
  EXPECT_EQ(pose.translation(), Vector3(1, 2, 3));
  EXPECT_THROW(Pose(Eigen::Quaterniond(turn.coeffs() * 1.001), Vector3::Zero()), Error);
}

TEST(Pose, NearestTakesFloatsOfEveryForm) {
  const Eigen::Matrix3f rough = some_rotation.cast<float>();
  Eigen::Isometry3f isometry = Eigen::Isometry3f::Identity();
  isometry.linear() = rough;
  isometry.translation() = Eigen::Vector3f(1, 2, 3);
  const Eigen::Affine3d affine(Eigen::Affine3f(isometry.matrix()).cast<double>());
  for (const Pose& pose : {Pose::nearest(rough, {1, 2, 3}), Pose::nearest(isometry), Pose::nearest(affine),
                           Pose::nearest(Eigen::Quaternionf(rough), Vector3(1, 2, 3))}) {
    EXPECT_LT(off(pose), 1e-15);
    EXPECT_LT((pose.rotation() - some_rotation).cwiseAbs().maxCoeff(), 2e-7);
    EXPECT_EQ(pose.translation(), Vector3(1, 2, 3));
  }
}

TEST(Pose, NearestIsTheOrthogonalPolarFactor) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> noise(-0.014, 0.014);  // so that the deviation of RᵀR stays within the
                                                                // tolerance
  for (int i = 0; i < 200; ++i) {
    const Matrix3 matrix = some_rotation + Matrix3::NullaryExpr([&] { return noise(random); });
    const Pose pose = Pose::nearest(matrix, Vector3::Zero());
    const Eigen::JacobiSVD<Matrix3> svd(matrix, Eigen::ComputeFullU | Eigen::ComputeFullV);
    EXPECT_LT((pose.rotation() - svd.matrixU() * svd.matrixV().transpose()).cwiseAbs().maxCoeff(), 1e-14);
    EXPECT_LT(off(pose), 2e-15);
  }
}

TEST(Pose, NearestRefusesWhatScalesOrShears) {
  EXPECT_THROW(Pose::nearest(Matrix3(1.1 * some_rotation), Vector3::Zero()), Error);
  EXPECT_THROW(Pose::nearest(Matrix3(0.001 * some_rotation), Vector3::Zero()), Error);
  EXPECT_THROW(Pose::nearest(identity_with(0, 1, 0.2), Vector3::Zero()), Error);
  EXPECT_THROW(Pose::nearest(identity_with(0, 1, nan), Vector3::Zero()), Error);
  EXPECT_THROW(Pose::nearest(Matrix3(Matrix3::Identity()), Vector3(0, nan, 0)), Error);
}

TEST(Pose, NearestTakesAQuaternionOfAnyLength) {
  const Eigen::Quaterniond turn(some_rotation);
  for (const double length : {1.0, -3.0, 1e-200, 1e200}) {
    const Pose pose = Pose::nearest(Eigen::Quaterniond(turn.coeffs() * length), Vector3::Zero());
    EXPECT_LT((pose.rotation() - some_rotation).cwiseAbs().maxCoeff(), 1e-15) << length;
  }
  for (const double bad : {0.0, nan, infinity})
    EXPECT_THROW(Pose::nearest(Eigen::Quaterniond(turn.coeffs() * bad), Vector3::Zero()), Error);
}

TEST(Pose, ComposeAndInverseAlwaysGivePoses) {
  // Off by nearly the tolerance, so that their product is off by twice as much.
  Pose pose(some_rotation * (1 + 4.9e-10), Vector3(1, 2, 3));
  Pose chain;
  for (int i = 0; i < 100; ++i) {
    chain = compose(chain, pose);
    EXPECT_LE(off(chain), Pose::rotation_tolerance * 1.001) << i;
    EXPECT_LE(off(inverse(chain)), Pose::rotation_tolerance * 1.001) << i;
  }
  const Pose far(Vector3(9e89, 0, 0));
  EXPECT_THROW(compose(far, far), Error);
}

TEST(Pose, EmptyBracesAreTheIdentityWhereverAPoseIsTaken) {
  const Shape ball = Sphere{1};
  EXPECT_TRUE(touches({ball, {}}, {ball, {}}));
  World world;
  const BodyId id = world.add(ball, {});
  world.move(id, {});
  EXPECT_TRUE(ray_sphere(Ray{{-2, 0, 0}, {1, 0, 0}}, Sphere{1}, {}).has_value());
  EXPECT_TRUE(cast_ray(Ray{{-2, 0, 0}, {1, 0, 0}}, {ball, {}}).has_value());
  EXPECT_EQ(place({}, Vector3(1, 2, 3)), Vector3(1, 2, 3));
  EXPECT_EQ(compose({}, {}).rotation(), Matrix3::Identity());
  EXPECT_EQ(Compound({{ball, {}}}).parts().size(), 1u);
}

}  // namespace
}  // namespace whisker
