// The soft balls of the playground: they deform, and only where they must.

#include "playground/soft_balls.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

namespace playground {
namespace {

namespace wk = whisker;

double volume(const wk::TetrahedralMesh& body) {
  const std::span<const wk::Vector3> at = body.vertices();
  double sum = 0;
  for (const wk::Index4& t : body.tetrahedra())
    sum += (at[t[1]] - at[t[0]]).cross(at[t[2]] - at[t[0]]).dot(at[t[3]] - at[t[0]]) / 6;
  return sum;
}

// The largest distance of a vertex from its place in a round ball.
double deformation(const SoftBalls& balls, const SoftBalls& round) {
  double most = 0;
  for (std::size_t ball = 0; ball < 2; ++ball) {
    for (std::size_t i = 0; i < balls.bodies()[ball].vertices().size(); ++i) {
      most = std::max(most, (balls.bodies()[ball].vertices()[i] - round.bodies()[ball].vertices()[i]).norm());
    }
  }
  return most;
}

TEST(SoftBalls, ThatAreApartStayRound) {
  SoftBalls balls({.subdivisions = 2}), round({.subdivisions = 2});
  balls.place({0, 0, 0}, {2.5, 0, 0});
  round.place({0, 0, 0}, {2.1, 0.1, 0});
  balls.move({0, 0, 0}, {2.1, 0.1, 0});
  balls.settle(10);
  EXPECT_TRUE(balls.contacts().empty());
  EXPECT_EQ(balls.deepest(), 0);
  EXPECT_LT(deformation(balls, round), 1e-12);
}

TEST(SoftBalls, PushedIntoEachOtherGiveWayAndKeepTheirVolumes) {
  SoftBalls balls({.subdivisions = 2}), round({.subdivisions = 2});
  balls.place({0, 0, 0}, {2.2, 0, 0});
  const double full = volume(balls.bodies()[0]);
  for (double apart = 2.2; apart > 1.2; apart -= 0.05) {
    const wk::Vector3 second(apart, 0, 0.3);
    balls.move({0, 0, 0}, second);
    balls.settle(10);
    // The same balls if they were stiff.
    round.place({0, 0, 0}, second);
    EXPECT_LE(balls.depths().size(), round.depths().size()) << apart;
    if (round.deepest() > 0.2) {
      EXPECT_LT(balls.deepest(), 0.5 * round.deepest()) << apart;
    }
    for (const wk::TetrahedralMesh& body : balls.bodies()) {
      EXPECT_TRUE(body.inverted().empty()) << apart;
      EXPECT_NEAR(volume(body), full, 0.05 * full) << apart;
    }
    // The cores are where they were placed.
    std::size_t held = 0;
    for (std::size_t i = 0; i < round.bodies()[1].vertices().size(); ++i) {
      const wk::Vector3& put = round.bodies()[1].vertices()[i];
      if ((put - second).norm() > 0.29) continue;
      ++held;
      EXPECT_EQ(balls.bodies()[1].vertices()[i], put) << apart;
    }
    EXPECT_GT(held, 0u);
    // Each ball is pushed away from the other's center.
    for (const wk::VertexDepth& d : balls.depths())
      EXPECT_GT(d.normal.dot(d.mesh == 0 ? -second : second), 0) << apart;
  }
  EXPECT_FALSE(balls.contacts().empty());
  EXPECT_GT(deformation(balls, round), 0.1);
}

TEST(SoftBalls, DrawnApartAreRoundAgain) {
  SoftBalls balls({.subdivisions = 2}), round({.subdivisions = 2});
  balls.place({0, 0, 0}, {2.1, 0, 0});
  for (double apart = 2.0; apart > 1.3; apart -= 0.1) {
    balls.move({0, 0, 0}, {apart, 0, 0});
    balls.settle(10);
  }
  balls.move({0, 0, 0}, {2.5, 0, 0});
  round.place({0, 0, 0}, {2.5, 0, 0});
  double before = deformation(balls, round);
  EXPECT_GT(before, 0.1);
  for (int i = 0; i < 5; ++i) {
    balls.settle(100);
    EXPECT_LT(deformation(balls, round), 0.8 * before) << i;
    before = deformation(balls, round);
  }
  EXPECT_TRUE(balls.contacts().empty());
}

TEST(SoftBalls, SettleTheSameEachTime) {
  std::array<std::vector<wk::Vector3>, 2> ends;
  for (std::vector<wk::Vector3>& end : ends) {
    SoftBalls balls({.subdivisions = 2});
    balls.place({0, 0, 0}, {1.6, 0.2, 0.1});
    balls.settle(20);
    end.assign(balls.bodies()[1].vertices().begin(), balls.bodies()[1].vertices().end());
  }
  EXPECT_EQ(ends[0], ends[1]);
}

}  // namespace
}  // namespace playground
