// Volumes are reported apart only if they are, and distance bounds are valid: compared with every pair of features with
// 400 bits.

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include "volumes/exact_volumes.hpp"
#include "volumes/polytope_oracle.hpp"

namespace whisker {
namespace {

using namespace test;

template <class Volume>
class VolumeDistance : public testing::Test {};

using Volumes = testing::Types<Aabb, BoundingSphere, Obb, Kdop<14>, Kdop<18>, Kdop<26>, SegmentSweptSphere,
                               TriangleSweptSphere, RectangleSweptSphere>;
TYPED_TEST_SUITE(VolumeDistance, Volumes);

template <class Volume>
inline constexpr bool is_kdop = requires(Volume v) {
  v.lower.size() == v.upper.size();
  v.lower.begin();
  Volume::directions;
};

double uneven(std::mt19937_64& random) {
  return random() % 5 == 0 ? 0 : std::ldexp(uniform(random, 0.5, 1), -static_cast<int>(random() % 12));
}

// A k-DOP around a box with simple coordinates is that box, so its distances are known.
std::vector<Vector3> box_corners(std::mt19937_64& random) {
  const auto simple = [&] { return std::ldexp(static_cast<double>(random() % 64), -5); };
  const Vector3 low(simple(), simple(), simple());
  const Vector3 size(simple(), simple(), simple());
  std::vector<Vector3> corners;
  for (int i = 0; i < 8; ++i)
    corners.push_back(low + Vector3(i & 1 ? size[0] : 0, i & 2 ? size[1] : 0, i & 4 ? size[2] : 0));
  return corners;
}

template <class Volume>
Volume random_volume(std::mt19937_64& random) {
  const auto any = [&] { return Vector3(uniform(random, -1, 1), uniform(random, -1, 1), uniform(random, -1, 1)); };
  if constexpr (is_kdop<Volume>) {
    return fit_as<Volume>(box_corners(random));
  } else if constexpr (std::is_same_v<Volume, Obb>) {
    return {random_rotation(random), any(), {uneven(random), uneven(random), uneven(random)}};
  } else {
    std::vector<Vector3> points = {any()};
    const std::size_t count = random() % 6;
    for (std::size_t i = 0; i < count; ++i)
      points.push_back(points[0] + uneven(random) * any());
    return fit_as<Volume>(points);
  }
}

// A rotation without rounding, so that a sphere stays a sphere.
Matrix3 exact_rotation(std::mt19937_64& random) {
  Matrix3 r = Matrix3::Zero();
  const int first = static_cast<int>(random() % 3);
  for (int i = 0; i < 3; ++i)
    r((first + i) % 3, i) = 1;
  if (random() % 2 == 0) r.row(0) *= -1;
  if (r.determinant() < 0) r.row(1) *= -1;
  return r;
}

template <class Volume>
Real true_distance(const Volume& a, const Pose& pose_a, const Volume& b, const Pose& pose_b) {
  const Real core = sqrt(polytope_distance(placed(pose_a, core_of(a)), placed(pose_b, core_of(b))));
  return std::max(Real(0), Real(core - Real(radius_of(a)) - Real(radius_of(b))));
}

// The oracle's own error is about 1e-100.
const Real oracle_error("1e-60");

template <class Volume>
void check_pair(const Volume& a, const Pose& pose_a, const Volume& b, const Pose& pose_b, bool same_frame,
                double size) {
  const Real truth = true_distance(a, pose_a, b, pose_b);
  const Interval bounds = same_frame ? distance_bounds(a, b) : distance_bounds(a, pose_a, b, pose_b);
  const bool overlap = same_frame ? overlaps(a, b) : overlaps(a, pose_a, b, pose_b);
  ASSERT_LE(Real(bounds.lower), truth + oracle_error) << truth;
  ASSERT_GE(Real(bounds.upper), truth - oracle_error) << truth;
  ASSERT_GE(bounds.lower, 0);
  if (!overlap) {
    ASSERT_GT(truth, oracle_error);
  }
  const double distance = static_cast<double>(truth);
  if constexpr (!is_kdop<Volume>) {
    if (distance > 1e-9 * size) {
      ASSERT_LE(bounds.upper - bounds.lower, 1e-11 * distance + 1e-13 * size) << distance;
    }
    // Volumes that are apart by more than rounding are reported apart.
    if (distance > 1e-11 * size) {
      ASSERT_FALSE(overlap) << distance;
    }
  }
}

TYPED_TEST(VolumeDistance, BoundsHoldAndOverlapIsSafe) {
  auto random = seeded(32001);
  const std::size_t count = cases(std::is_same_v<TypeParam, Obb> || std::is_same_v<TypeParam, Aabb> ? 20 : 60);
  for (std::size_t i = 0; i < (is_kdop<TypeParam> ? count / 3 : count); ++i) {
    SCOPED_TRACE(i);
    const TypeParam a = random_volume<TypeParam>(random);
    const TypeParam b = random_volume<TypeParam>(random);
    check_pair(a, Pose(), b, Pose(), true, 4);
    if (testing::Test::HasFatalFailure()) return;
    const bool round = radius_of(a) > 0 || radius_of(b) > 0;
    Pose pose_a(round ? exact_rotation(random) : random_rotation(random), Vector3(0.3, -1, 0.5));
    Pose pose_b(round ? exact_rotation(random) : random_rotation(random), Vector3(0, 0.1, -0.2));
    check_pair(a, pose_a, b, pose_b, false, 4);
    if (testing::Test::HasFatalFailure()) return;
    // Moved to the verge of contact from outside, along the line between corners of their bounding boxes.
    const Vector3 way =
        (place(pose_b, Vector3(bounds(b).lower)) - place(pose_a, Vector3(bounds(a).upper))).normalized();
    double far = 16;
    double near = 0;
    for (int step = 0; step < 45; ++step) {
      const double middle = (far + near) / 2;
      const Pose moved(pose_b.rotation(), pose_b.translation() + middle * way);
      (overlaps(a, pose_a, b, moved) ? near : far) = middle;
    }
    for (const double at : {near, far}) {
      check_pair(a, pose_a, b, Pose(pose_b.rotation(), pose_b.translation() + at * way), false, 16);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TYPED_TEST(VolumeDistance, BoundsHoldForHugeTinyAndFarNumbers) {
  auto random = seeded(32002);
  for (std::size_t i = 0; i < cases(12); ++i) {
    SCOPED_TRACE(i);
    const double scale = i % 3 == 0 ? 0x1p295 : i % 3 == 1 ? 0x1p-295 : 1;  // no coordinate beyond 1e90
    std::vector<Vector3> points_a = box_corners(random);
    std::vector<Vector3> points_b = box_corners(random);
    const Vector3 shift = i % 3 == 2 ? Vector3(0x1p30, -0x1p31, 0x1p29) : Vector3(1, -1.5, 0.75);
    for (Vector3& p : points_a)
      p = scale * (p + (i % 3 == 2 ? shift : Vector3(Vector3::Zero())));
    for (Vector3& p : points_b)
      p = scale * (p + shift);
    const TypeParam a = fit_as<TypeParam>(points_a);
    const TypeParam b = fit_as<TypeParam>(points_b);
    const Real truth = true_distance(a, Pose(), b, Pose());
    const Interval bounds = distance_bounds(a, b);
    ASSERT_LE(Real(bounds.lower), truth * (1 + oracle_error));
    ASSERT_GE(Real(bounds.upper), truth * (1 - oracle_error));
    if (!overlaps(a, b)) {
      ASSERT_GT(truth, 0);
    }
    if (truth > Real(0.5 * scale)) {
      ASSERT_FALSE(overlaps(a, b));
    }
    const Interval posed = distance_bounds(a, Pose(), b, Pose());
    ASSERT_LE(Real(posed.lower), truth * (1 + oracle_error));
    ASSERT_GE(Real(posed.upper), truth * (1 - oracle_error));
  }
}

// Both are fitted to sets that share one point and are otherwise on different sides of a plane through that point.
TYPED_TEST(VolumeDistance, VolumesWithACommonPointOverlap) {
  auto random = seeded(32003);
  for (std::size_t i = 0; i < cases(300); ++i) {
    std::vector<Vector3> points_a = random_points(random, static_cast<int>(i % point_kinds));
    std::vector<Vector3> points_b = random_points(random, static_cast<int>(i % point_kinds));
    const Vector3 common = points_a[0];
    const Vector3 shift = points_b[0];
    points_b[0] = common;
    const Vector3 normal = Vector3(uniform(random, -1, 1), uniform(random, -1, 1), uniform(random, -1, 1));
    for (Vector3& p : points_a) {
      if ((p - common).dot(normal) > 0) p = common;
    }
    for (std::size_t k = 1; k < points_b.size(); ++k) {
      points_b[k] = points_b[k] / 2 - shift / 2 + common;
      if ((points_b[k] - common).dot(normal) < 0) points_b[k] = common;
      if (points_b[k].cwiseAbs().maxCoeff() > max_coordinate) points_b[k] = common;
    }
    const TypeParam a = fit_as<TypeParam>(points_a);
    const TypeParam b = fit_as<TypeParam>(points_b);
    ASSERT_TRUE(overlaps(a, b)) << describe(points_a) << "and\n" << describe(points_b);
    ASSERT_EQ(distance_bounds(a, b).lower, 0) << describe(points_a) << "and\n" << describe(points_b);
    const Pose pose = normal_pose(random, 10);
    ASSERT_TRUE(overlaps(a, pose, b, pose)) << describe(points_a) << "and\n" << describe(points_b);
    ASSERT_EQ(distance_bounds(a, pose, b, pose).lower, 0) << describe(points_a) << "and\n" << describe(points_b);
    ASSERT_TRUE(overlaps(place(pose, a), place(pose, b))) << describe(points_a) << "and\n" << describe(points_b);
  }
}

// `contains` is false only for points outside, and is not true for any point that is clearly outside.
TYPED_TEST(VolumeDistance, ContainsAgreesWithRationals) {
  auto random = seeded(32004);
  for (std::size_t i = 0; i < cases(100); ++i) {
    const TypeParam volume = random_volume<TypeParam>(random);
    const Aabb box = bounds(volume);
    for (int k = 0; k < 4; ++k) {
      Vector3 point;
      for (int c = 0; c < 3; ++c)
        point[c] = uniform(random, box.lower[c] - 0.1, box.upper[c] + 0.1);
      const bool inside = exactly_in(volume, exact(point));
      const bool answer = contains(volume, point);
      if (inside) {
        ASSERT_TRUE(answer);
      }
      if (!exactly_in(grow(volume, 1e-12), exact(point))) {
        ASSERT_FALSE(answer);
      }
    }
  }
}

TEST(KdopDistance, PosedOverlapSeesWhatTheDirectionsSee) {
  // Two cubes on their corners, tip to tip: the diagonals separate them, the axes alone would not.
  const std::vector<Vector3> cube = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1},
                                     {1, 1, 0}, {0, 1, 1}, {1, 0, 1}, {1, 1, 1}};
  Pose turned;
  turned.set_rotation(Eigen::AngleAxisd(0.7, Vector3(1, 2, 3).normalized()).toRotationMatrix());
  turned.set_translation(Vector3::Constant(1.9));
  EXPECT_FALSE(overlaps(fit_kdop<26>(cube), Pose(), fit_kdop<26>(cube), turned));
  turned.set_translation(Vector3::Constant(0.9));
  EXPECT_TRUE(overlaps(fit_kdop<26>(cube), Pose(), fit_kdop<26>(cube), turned));
}

// The k-DOP of a tetrahedron is smaller than its box, and the distance reflects this.
TEST(KdopDistance, CutCornersCount) {
  const std::vector<Vector3> corner = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  std::vector<Vector3> opposite;
  for (const Vector3& p : corner)
    opposite.push_back(Vector3::Ones() - p);
  const Interval d14 = distance_bounds(fit_kdop<14>(corner), fit_kdop<14>(opposite));
  EXPECT_NEAR(d14.lower, 1 / std::sqrt(3.0), 1e-15);
  EXPECT_GE(d14.upper, 1 / std::sqrt(3.0));
  EXPECT_LE(d14.upper, 0.6);
  EXPECT_TRUE(overlaps(fit_aabb(corner), fit_aabb(opposite)));
}

}  // namespace
}  // namespace whisker
