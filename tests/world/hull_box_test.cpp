// Boxes of rotating hulls, found from their previous extreme vertices, compared with boxes computed from scratch.

#include "world/hull_box.hpp"

#include <cmath>
#include <vector>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include <whisker/whisker.hpp>

#include "geometry/place.hpp"
#include "support/cases.hpp"
#include "world/random_bodies.hpp"

namespace whisker::world {
namespace {

using test::cases;
using test::random_vector;
using test::seeded;
using test::turned_pose;
using test::uniform;

/// Expects that the box contains every placed vertex and is that of Shape::bounds, or smaller by rounding.
void expect_box(const ConvexHull& hull, const Pose& pose, const Aabb& box) {
  const Aabb known = Shape(hull).bounds(pose);
  const double size = hull.bounds().lower.cwiseAbs().cwiseMax(hull.bounds().upper.cwiseAbs()).sum();
  for (int i = 0; i < 3; ++i) {
    ASSERT_LE(box.upper[i], known.upper[i]);
    ASSERT_GE(box.lower[i], known.lower[i]);
    ASSERT_GE(box.upper[i], known.upper[i] - (size + std::abs(pose.translation()[i])) * 0x1p-49);
    ASSERT_LE(box.lower[i], known.lower[i] + (size + std::abs(pose.translation()[i])) * 0x1p-49);
  }
  for (const Vector3& vertex : hull.vertices())
    ASSERT_TRUE(box.contains(geometry::placed_point(pose, vertex)));
}

/// Rotates the hull a little, a lot, or back to where its faces are along the axes, and checks its box.
void turn_and_compare(std::mt19937_64& random, const ConvexHull& hull, int steps) {
  HullCorners corners;
  for (std::uint32_t& corner : corners)
    corner = static_cast<std::uint32_t>(random());
  Pose pose = turned_pose(random, 5);
  for (int step = 0; step < steps; ++step) {
    if (random() % 10 == 0) pose = turned_pose(random, 5);
    if (random() % 10 == 0) pose.set_rotation(Matrix3::Identity());
    const double angle = std::pow(10, uniform(random, -17, 0));
    const Matrix3 turn = Eigen::AngleAxisd(angle, random_vector(random, 1).normalized()).toRotationMatrix();
    pose.set_rotation(Eigen::Quaterniond(turn * pose.rotation()).normalized().toRotationMatrix());
    pose.set_translation(pose.translation() + random_vector(random, 0.1));
    ASSERT_NO_FATAL_FAILURE(expect_box(hull, pose, hull_box(hull, pose, random() % 5 != 0, corners))) << step;
  }
}

TEST(HullBox, OfRandomHullsIsTheSame) {
  auto random = seeded(141);
  for (std::size_t run = 0; run < cases(400); ++run) {
    const double size = run % 4 == 0 ? std::pow(10, uniform(random, -100, 80)) : 1;
    const Vector3 stretch(1, uniform(random, 0.001, 1), uniform(random, 0.001, 1));
    std::vector<Vector3> points;
    for (std::size_t i = 0; i < 16 + random() % 500; ++i)
      points.push_back(size * stretch.cwiseProduct(random_vector(random, 1).normalized()));
    const ConvexHull hull(points);
    EXPECT_TRUE(is_climbed(hull));
    ASSERT_NO_FATAL_FAILURE(turn_and_compare(random, hull, 50)) << "run " << run;
  }
}

/// Clusters of vertices so close that their heights differ by less than rounding: hill climbing could stop anywhere.
TEST(HullBox, OfHullsWithTinyEdgesIsTheSame) {
  auto random = seeded(142);
  for (std::size_t run = 0; run < cases(400); ++run) {
    std::vector<Vector3> points;
    const double tiny = std::pow(10, uniform(random, -16, -6));
    for (int cluster = 0; cluster < 12; ++cluster) {
      const Vector3 middle = random_vector(random, 1).normalized();
      for (int i = 0; i < 15; ++i)
        points.push_back(middle + random_vector(random, tiny));
    }
    ASSERT_NO_FATAL_FAILURE(turn_and_compare(random, ConvexHull(points), 50)) << "run " << run << ", tiny " << tiny;
  }
}

/// Points on the faces of a cube, pushed out by almost nothing: large faces that are almost flat.
TEST(HullBox, OfHullsThatAreAlmostFlatSomewhereIsTheSame) {
  auto random = seeded(143);
  for (std::size_t run = 0; run < cases(400); ++run) {
    std::vector<Vector3> points;
    const double bulge = std::pow(10, uniform(random, -17, -3));
    for (int i = 0; i < 300; ++i) {
      Vector3 p = random_vector(random, 1);
      const int axis = static_cast<int>(random() % 3);
      p[axis] = 0;
      const double height = 1 + bulge * (2 - p.squaredNorm());
      p[axis] = random() % 2 == 0 ? height : -height;
      points.push_back(p);
    }
    ASSERT_NO_FATAL_FAILURE(turn_and_compare(random, ConvexHull(points), 50)) << "run " << run << ", bulge " << bulge;
  }
}

/// A rotated cube with a few vertices close together in the middle of each face and above it by almost nothing. After a
/// similarly small rotation, a corner of the cube is the farthest vertex, and the height differences of the vertices in
/// the middle are lost in rounding: hill climbing that trusted them would stop there.
TEST(HullBox, IsNotFooledByRounding) {
  auto random = seeded(146);
  for (std::size_t run = 0; run < cases(400); ++run) {
    const Matrix3 frame = turned_pose(random, 1).rotation();
    const double wide = std::pow(10, uniform(random, -6, -3)), sag = std::pow(10, uniform(random, -15.8, -14.5));
    const double slope = 2 * sag / wide;
    std::vector<Vector3> points;
    for (int corner = 0; corner < 8; ++corner)
      points.push_back(frame * Vector3(corner % 2 * 2 - 1, corner / 2 % 2 * 2 - 1, corner / 4 * 2 - 1));
    for (int axis = 0; axis < 3; ++axis) {
      for (const double side : {-1.0, 1.0}) {
        for (int i = 0; i < 20; ++i) {
          Vector3 p = random_vector(random, 1);
          p[axis] = 0;
          const double down = sag * p.squaredNorm();
          p *= wide;
          p[axis] = side * (1 + 2 * slope - down);
          points.push_back(frame * p);
        }
      }
    }
    const ConvexHull hull(points);
    HullCorners corners{};
    for (int step = 0; step < 20; ++step) {
      const double angle = step % 2 == 0 ? 0 : slope * uniform(random, 1, 10);
      const Matrix3 turn = Eigen::AngleAxisd(angle, random_vector(random, 1).normalized()).toRotationMatrix();
      const Pose pose(Eigen::Quaterniond(turn * frame.transpose()).normalized().toRotationMatrix(), Vector3::Zero());
      ASSERT_NO_FATAL_FAILURE(expect_box(hull, pose, hull_box(hull, pose, true, corners))) << "run " << run;
    }
  }
}

TEST(HullBox, IsNotClimbedWhereEdgesAreMissing) {
  auto random = seeded(144);
  std::vector<Vector3> points;
  for (int i = 0; i < 200; ++i)
    points.push_back(random_vector(random, 1).normalized());
  EXPECT_TRUE(is_climbed(ConvexHull(points)));
  EXPECT_FALSE(is_climbed(ConvexHull(points, {.merge_distance = 0.01})));
  for (Vector3& point : points)
    point.z() = 0;
  EXPECT_FALSE(is_climbed(ConvexHull(points)));
}

/// The world has, at every step, the boxes that its shapes have.
TEST(HullBox, IsWhatAWorldHas) {
  auto random = seeded(145);
  World world;
  std::vector<BodyId> ids;
  std::vector<ConvexHull> hulls;
  for (int i = 0; i < 5; ++i) {
    std::vector<Vector3> points;
    for (int k = 0; k < 30 + 60 * i; ++k)
      points.push_back(random_vector(random, 1).normalized());
    hulls.push_back(ConvexHull(points));
  }
  const auto any_hull = [&] { return hulls[random() % hulls.size()]; };
  for (std::size_t step = 0; step < cases(500); ++step) {
    if (ids.size() < 20) ids.push_back(world.add(any_hull(), turned_pose(random, 3)));
    const std::size_t i = random() % ids.size();
    switch (random() % 8) {
      case 0:
        world.remove(ids[i]);
        ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(i));
        break;
      case 1:
        world.reshape(ids[i], any_hull());
        break;
      case 2:
        world.move(ids[i], turned_pose(random, 3));
        break;
      default:
        Pose pose = world.pose(ids[i]);
        const Matrix3 turn = Eigen::AngleAxisd(uniform(random, -0.1, 0.1), Vector3::UnitY()).toRotationMatrix();
        pose.set_rotation(Eigen::Quaterniond(turn * pose.rotation()).normalized().toRotationMatrix());
        world.move(ids[i], pose);
    }
    world.update();
    for (const BodyId id : ids)
      ASSERT_NO_FATAL_FAILURE(expect_box(*world.shape(id).as<ConvexHull>(), world.pose(id), world.box(id)));
  }
}

}  // namespace
}  // namespace whisker::world
