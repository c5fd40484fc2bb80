// The plain solver of the playground: what its bodies do shows whether contact manifolds are good enough for a solver.

#include "playground/solver.hpp"

#include <cmath>
#include <vector>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include <whisker/mesh.hpp>

#include "support/cases.hpp"

namespace whisker {
namespace {

using playground::Solver;
using test::cases;

constexpr double frame = 1.0 / 60;

TEST(Solver, AStackOfTenBoxesStands) {
  Solver solver;
  solver.add_fixed(HalfSpace{});
  for (int i = 0; i < 10; ++i)
    solver.add(Box{{1, 1, 1}}, Pose(Vector3(0, 0, 0.5 + i)));
  // It settles in the first steps, by the little that springs give way.
  std::vector<Pose> begin;
  const std::size_t steps = cases(1000);  // 10,000 in ./test --long
  for (std::size_t step = 0; step < steps; ++step) {
    solver.step(frame);
    if (step == 120)
      for (const playground::SolverBody& body : solver.bodies())
        begin.push_back(body.pose);
  }
  ASSERT_EQ(begin.size(), 10u);
  for (std::size_t i = 0; i < 10; ++i) {
    const Pose& now = solver.bodies()[i].pose;
    EXPECT_LT((now.translation() - begin[i].translation()).norm(), 1e-3) << "box " << i;
    EXPECT_LT((now.rotation() - begin[i].rotation()).norm(), 1e-3) << "box " << i;
    EXPECT_LT(std::abs(now.translation().x()) + std::abs(now.translation().y()), 1e-3) << "box " << i;
    EXPECT_NEAR(now.translation().z(), 0.5 + static_cast<double>(i), 0.05);
    EXPECT_LT(solver.speed(i), 1e-6);
  }
}

TEST(Solver, ABoxSlidesOverAMeshAsOverAPlane) {
  // A box on a slope of triangles, gliding without friction: all of its energy stays in one direction.
  MeshData data;
  for (int j = 0; j <= 20; ++j)
    for (int i = 0; i <= 20; ++i)
      data.vertices.push_back({static_cast<double>(i), static_cast<double>(j), -0.3 * i});
  for (std::uint32_t j = 0; j < 20; ++j) {
    for (std::uint32_t i = 0; i < 20; ++i) {
      const std::uint32_t at = 21 * j + i;
      data.triangles.push_back({at, at + 1, at + 22});
      data.triangles.push_back({at, at + 22, at + 21});
    }
  }
  const double slope = std::atan(0.3);
  const Matrix3 turn = Eigen::AngleAxisd(slope, Vector3::UnitY()).toRotationMatrix();
  const Vector3 up = turn * Vector3::UnitZ();
  const Pose start(turn, Vector3(2, 10.2, -0.6) + 0.25 * up);
  std::vector<playground::SolverBody> ends;
  for (const Shape& under : {Shape(Mesh(data)), Shape(HalfSpace{up, 0})}) {
    Solver solver({.friction = 0});
    solver.add_fixed(under);
    solver.add(Box{{0.8, 0.6, 0.5}}, start);
    for (int step = 0; step < 120; ++step)
      solver.step(frame);
    ends.push_back(solver.bodies()[0]);
  }
  EXPECT_GT((ends[1].pose.translation() - start.translation()).norm(), 4);
  EXPECT_LT((ends[0].pose.translation() - ends[1].pose.translation()).norm(), 1e-6);
  EXPECT_LT((ends[0].velocity - ends[1].velocity).norm(), 1e-6);
  EXPECT_LT(ends[0].spin.norm(), 1e-6);
}

}  // namespace
}  // namespace whisker
