// Wheels over and under terrain.

#include <cmath>
#include <vector>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include <whisker/error.hpp>
#include <whisker/geometry/wheel.hpp>
#include <whisker/height_field.hpp>

#include "support/cases.hpp"

namespace whisker {
namespace {

using test::cases;
using test::seeded;
using test::uniform;

HeightField hills(std::mt19937_64& random, std::size_t size, double relief) {
  std::vector<double> heights(size * size);
  for (double& h : heights)
    h = uniform(random, -relief, relief);
  return {heights, size, size, 1, 1};
}

TEST(Wheel, LowersWheelsAboveAndRaisesWheelsBelow) {
  const std::vector<double> flat(9, 2.0);
  const HeightField terrain(flat, 3, 3, 1, 1);
  const std::vector<Vector3> centers = {{0.5, 0.5, 5}, {1.5, 0.25, 1}, {1, 1, 2}, {7, 0, 0}};
  std::vector<WheelContact> contacts(4);
  wheel_contacts(terrain, centers, -Vector3::UnitZ(), contacts);
  ASSERT_TRUE(contacts[0].found);
  EXPECT_EQ(contacts[0].t, 3);
  EXPECT_EQ(contacts[0].point, Vector3(0.5, 0.5, 2));
  EXPECT_EQ(contacts[0].normal, Vector3::UnitZ());
  ASSERT_TRUE(contacts[1].found);
  EXPECT_EQ(contacts[1].t, -1);
  EXPECT_EQ(contacts[1].normal, Vector3::UnitZ());
  ASSERT_TRUE(contacts[2].found);
  EXPECT_EQ(contacts[2].t, 0);
  EXPECT_FALSE(contacts[3].found);
}

TEST(Wheel, SignedDistanceIsTheHeightDifferenceForVerticalLines) {
  auto random = seeded(2201);
  const HeightField terrain = hills(random, 33, 3);
  for (std::size_t i = 0; i < cases(500); ++i) {
    Vector3 centers[4];
    for (Vector3& c : centers)
      c = Vector3(uniform(random, 0, 32), uniform(random, 0, 32), uniform(random, -5, 5));
    WheelContact contacts[4];
    wheel_contacts(terrain, centers, Vector3(0, 0, -2), contacts);
    for (int k = 0; k < 4; ++k) {
      ASSERT_TRUE(contacts[k].found);
      const double height = *terrain.height_at(centers[k][0], centers[k][1]);
      EXPECT_NEAR(contacts[k].t * 2, centers[k][2] - height, 1e-13);
      EXPECT_LE(contacts[k].t_lower, contacts[k].t);
      EXPECT_GE(contacts[k].t_upper, contacts[k].t);
      EXPECT_GT(contacts[k].normal[2], 0);
    }
  }
}

TEST(Wheel, TakesTheNearestCrossingOfASlantedLine) {
  auto random = seeded(2202);
  const HeightField terrain = hills(random, 9, 2);
  Eigen::Quaterniond q(0.3, 0.5, -0.2, 0.7);
  const Pose pose(q.normalized().toRotationMatrix(), Vector3(3, -1, 2));
  for (std::size_t i = 0; i < cases(500); ++i) {
    const Vector3 center = place(pose, Vector3(uniform(random, 0, 8), uniform(random, 0, 8), uniform(random, -2, 2)));
    const Vector3 down = place_direction(pose, Vector3(uniform(random, -3, 3), uniform(random, -3, 3), -1));
    WheelContact contact;
    wheel_contacts(terrain, pose, {&center, 1}, down, {&contact, 1});
    double nearest = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < terrain.triangle_count(); ++k) {
      if (const auto hit = ray_triangle({center, down}, terrain.triangle(k), pose, line_range()))
        nearest = std::min(nearest, std::abs(hit->t));
    }
    ASSERT_EQ(contact.found, std::isfinite(nearest));
    if (!contact.found) continue;
    EXPECT_NEAR(std::abs(contact.t), nearest, 1e-12);
  }
}

TEST(Wheel, RefusesBadInput) {
  auto random = seeded(2203);
  const HeightField terrain = hills(random, 3, 1);
  const std::vector<Vector3> centers(2, Vector3::Zero());
  std::vector<WheelContact> one(1), two(2);
  EXPECT_THROW(wheel_contacts(terrain, centers, -Vector3::UnitZ(), one), Error);
  EXPECT_THROW(wheel_contacts(terrain, centers, Vector3::Zero(), two), Error);
}

}  // namespace
}  // namespace whisker
