// The plain solver of the playground: what its bodies do shows whether contact manifolds are good enough for a solver.

#include "playground/solver.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include <whisker/make/make.hpp>
#include <whisker/mesh.hpp>

#include "playground/mixed_pile.hpp"
#include "support/cases.hpp"

namespace whisker {
namespace {

using playground::Solver;
using test::cases;

constexpr double frame = 1.0 / 60;

std::vector<Pose> poses_of(const Solver& solver) {
  std::vector<Pose> poses;
  for (const playground::SolverBody& body : solver.bodies())
    poses.push_back(body.pose);
  return poses;
}

/// Every triangle in four.
MeshData quartered(const MeshData& data) {
  MeshData result{data.vertices, {}};
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> middles;
  const auto middle_of = [&](std::uint32_t p, std::uint32_t q) {
    const auto [place, is_new] =
        middles.try_emplace(std::minmax(p, q), static_cast<std::uint32_t>(result.vertices.size()));
    if (is_new) result.vertices.push_back((data.vertices[p] + data.vertices[q]) / 2);
    return place->second;
  };
  for (const Index3& t : data.triangles) {
    const Index3 m = {middle_of(t[0], t[1]), middle_of(t[1], t[2]), middle_of(t[2], t[0])};
    result.triangles.insert(result.triangles.end(),
                            {{t[0], m[0], m[2]}, {t[1], m[1], m[0]}, {t[2], m[2], m[1]}, {m[0], m[1], m[2]}});
  }
  return result;
}

TEST(Solver, AStackOfTenBoxesStands) {
  Solver solver;
  solver.add_fixed(HalfSpace{});
  for (int i = 0; i < 10; ++i)
    solver.add(Box{{1, 1, 1}}, Pose(Vector3(0, 0, 0.5 + i)));
  const std::vector<Pose> begin = poses_of(solver);
  const std::size_t steps = cases(1000);  // 10,000 in ./test --long
  for (std::size_t step = 0; step < steps; ++step) {
    solver.step(frame);
    // Also while it settles in the first steps, by the little that springs give way.
    for (std::size_t i = 0; i < 10; ++i) {
      const Pose& now = solver.bodies()[i].pose;
      ASSERT_LT((now.translation() - begin[i].translation()).norm(), 1e-3) << "box " << i << ", step " << step;
      ASSERT_LT((now.rotation() - begin[i].rotation()).norm(), 1e-3) << "box " << i << ", step " << step;
    }
  }
  if (steps < 1000) return;
  for (std::size_t i = 0; i < 10; ++i)
    EXPECT_LT(solver.speed(i), 1e-6) << "box " << i;
}

TEST(Solver, APileOfMixedBodiesComesToRestAndStays) {
  // The numbers of examples/rest_pile.cpp for a thousand bodies are in docs/contacts.md.
  const std::uint64_t seeds = cases(2);
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    Solver solver;
    playground::add_mixed_pile(solver, 40, seed);
    for (int step = 0; step < 1500; ++step)
      solver.step(frame);
    EXPECT_LT(playground::largest_speed(solver), 1e-2) << "seed " << seed;
    EXPECT_GT(solver.contact_count(), 120u);  // it is a pile: they touch
    const std::vector<Pose> from = poses_of(solver);
    double way = 0;
    for (int step = 0; step < 500; ++step) {
      solver.step(frame);
      if (step % 10 == 9) way = std::max(way, playground::largest_way(solver, from));
    }
    // A tenth of the limit for 5,000 steps.
    EXPECT_LT(way, 1e-3) << "seed " << seed;
    for (const playground::SolverBody& body : solver.bodies())
      EXPECT_GT(body.pose.translation().z(), -0.5) << "none fell through";
  }
}

TEST(Solver, AFastPlateDoesNotPassAnOpenMesh) {
  // At the ground it moves by three times its thickness a step.
  Solver solver;
  solver.add_fixed(playground::bumpy_bowl(40));
  solver.add(Box{{0.9, 0.8, 0.08}}, Pose(Matrix3::Identity(), {0.3, 0.2, 12}));
  solver.add(Box{{0.08, 0.8, 0.9}}, Pose(Matrix3::Identity(), {1.4, 0.2, 12}));
  double fastest = 0;
  for (int step = 0; step < 400; ++step) {
    solver.step(frame);
    fastest = std::max(fastest, solver.speed(0));
  }
  EXPECT_GT(fastest * frame, 3 * 0.08 * 0.99);
  for (const playground::SolverBody& body : solver.bodies())
    EXPECT_GT(body.pose.translation().z(), -0.5);
}

TEST(Solver, ABallStaysOnASlopeThatRollingFrictionHolds) {
  // The torque of gravity about the point of contact is r sin(angle), the largest of friction is arm cos(angle).
  const auto way_on = [](double slope, double rolling, double stiction = 1) {
    Solver solver({.rolling = rolling, .stiction = stiction});
    const Vector3 up = Vector3(-slope, 0, 1).normalized();
    solver.add_fixed(HalfSpace{up, 0});
    solver.add(Sphere{0.5}, Pose(0.5 * up));
    const std::vector<Pose> from = poses_of(solver);
    for (int step = 0; step < 120; ++step)
      solver.step(frame);
    return playground::largest_way(solver, from);
  };
  EXPECT_LT(way_on(0.039, 0.02), 1e-3);
  EXPECT_GT(way_on(0.045, 0.02), 1e-2);
  EXPECT_LT(way_on(0.049, 0.02, 1.25), 1e-3);
  EXPECT_GT(way_on(0.055, 0.02, 1.25), 1e-2);
  // Rolling down without it: 5/7 of gravity along the slope, for two seconds. The size is 1; turning counts too.
  const double rolled = 5.0 / 7 * 9.81 * 0.01 * 2;
  EXPECT_GT(way_on(0.01, 0), 0.9 * rolled);
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
  const auto slide = [&](const Shape& box, const Shape& under) {
    Solver solver({.friction = 0});
    solver.add_fixed(under);
    solver.add(box, start);
    for (int step = 0; step < 120; ++step)
      solver.step(frame);
    return solver.bodies()[0];
  };
  const playground::SolverBody expected = slide(Box{{0.8, 0.6, 0.5}}, HalfSpace{up, 0});
  EXPECT_GT((expected.pose.translation() - start.translation()).norm(), 4);
  // The box as a solid mesh as well, and its faces cut into small triangles.
  const MeshData box = make::box({.size_x = 0.8, .size_y = 0.6, .size_z = 0.5});
  for (const Shape& moving :
       {Shape(Box{{0.8, 0.6, 0.5}}), Shape(Mesh(box).solid()), Shape(Mesh(quartered(quartered(box))).solid())}) {
    const playground::SolverBody end = slide(moving, Mesh(data));
    // Which points a mesh keeps of a face varies, and so do the last digits.
    const double limit = moving.as<Box>() != nullptr ? 1e-6 : 1e-5;
    EXPECT_LT((end.pose.translation() - expected.pose.translation()).norm(), limit);
    EXPECT_LT((end.velocity - expected.velocity).norm(), limit);
    EXPECT_LT(end.spin.norm(), limit);
  }
}

}  // namespace
}  // namespace whisker
