#include "playground/mixed_pile.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include <Eigen/Geometry>

#include <whisker/compound.hpp>
#include <whisker/convex_hull.hpp>
#include <whisker/mesh.hpp>

namespace playground {

namespace wk = whisker;

namespace {

constexpr double spacing = 1.4;  // of the bodies when they are let go

double between(std::mt19937_64& random, double low, double high) {
  return low + (high - low) * (static_cast<double>(random() >> 11) * 0x1p-53);
}

// 1 for a thousand bodies. The volume of the bowl grows with their number.
double width_for(std::size_t count) {
  return std::cbrt(static_cast<double>(count) / 1000);
}

double height_at(double x, double y, std::size_t count) {
  const double bumps = 0.12 * (std::sin(1.7 * x + 0.4 * y) + std::sin(1.3 * y - 0.7 * x));
  return (x * x + y * y) / (24 * width_for(count)) + bumps;
}

wk::ConvexHull random_hull(std::mt19937_64& random, int points) {
  const wk::Vector3 half(between(random, 0.3, 0.5), between(random, 0.3, 0.5), between(random, 0.3, 0.5));
  std::vector<wk::Vector3> cloud;
  while (cloud.size() < static_cast<std::size_t>(points)) {
    const wk::Vector3 p(between(random, -1, 1), between(random, -1, 1), between(random, -1, 1));
    if (p.norm() > 0.7 && p.norm() < 1) cloud.push_back(p.normalized().cwiseProduct(half));
  }
  return wk::ConvexHull(cloud);
}

wk::Pose random_turn(std::mt19937_64& random, const wk::Vector3& at) {
  const Eigen::Quaterniond q(between(random, -1, 1), between(random, -1, 1), between(random, -1, 1),
                             between(random, 0.1, 1));
  return {q.normalized().toRotationMatrix(), at};
}

wk::Vector3 placed_center(const SolverBody& body, const wk::Pose& pose) {
  return pose.rotation() * body.center + pose.translation();
}

}  // namespace

whisker::Mesh bumpy_bowl(std::size_t count) {
  const int cells = static_cast<int>(std::ceil(16 * width_for(count))) + 4;
  wk::MeshData data;
  const auto row = static_cast<std::uint32_t>(2 * cells + 1);
  for (int j = -cells; j <= cells; ++j)
    for (int i = -cells; i <= cells; ++i)
      data.vertices.push_back({1.0 * i, 1.0 * j, height_at(i, j, count)});
  for (std::uint32_t j = 0; j + 1 < row; ++j) {
    for (std::uint32_t i = 0; i + 1 < row; ++i) {
      const std::uint32_t at = row * j + i;
      data.triangles.push_back({at, at + 1, at + row + 1});
      data.triangles.push_back({at, at + row + 1, at + row});
    }
  }
  return wk::Mesh(data);
}

whisker::Shape mixed_shape(std::size_t number, std::uint64_t seed) {
  std::mt19937_64 random(seed * 1000003 + number);
  const double s = between(random, 0.5, 0.9);
  switch (number % 8) {
    case 0:
      return wk::Box{{s, between(random, 0.5, 0.9), between(random, 0.5, 0.9)}};
    case 1:
      return random_hull(random, 20);
    case 2:
      return wk::Capsule{s / 3, s / 2};
    case 3:
      return wk::Cylinder{s / 2, between(random, 0.5, 0.9)};
    case 4:
      return wk::Sphere{s / 2};
    case 5: {
      const double thin = s / 4;
      return wk::Compound({{wk::Box{{s, thin, thin}}}, {wk::Box{{thin, s, thin}}}, {wk::Box{{thin, thin, s}}}});
    }
    case 6:
      return wk::Cone{s / 2, between(random, 0.5, 0.9)};
    default:
      return random_hull(random, 8);
  }
}

void add_mixed_pile(Solver& solver, std::size_t count, std::uint64_t seed) {
  solver.add_fixed(bumpy_bowl(count));
  std::mt19937_64 random(seed);
  const auto side = static_cast<std::size_t>(std::ceil(12 * width_for(count)));
  for (std::size_t n = 0; n < count; ++n) {
    const double middle = 0.5 * static_cast<double>(side - 1);
    const double x = spacing * (static_cast<double>(n % side) - middle) + between(random, -0.1, 0.1);
    const double y = spacing * (static_cast<double>(n / side % side) - middle) + between(random, -0.1, 0.1);
    const double z = height_at(x, y, count) + 1 + spacing * static_cast<double>(n / (side * side));
    solver.add(mixed_shape(n, seed), random_turn(random, {x, y, z}));
  }
}

double largest_speed(const Solver& solver) {
  double largest = 0;
  for (std::size_t i = 0; i < solver.bodies().size(); ++i)
    largest = std::max(largest, solver.speed(i) / solver.bodies()[i].size);
  return largest;
}

double largest_way(const Solver& solver, const std::vector<whisker::Pose>& from) {
  double largest = 0;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const SolverBody& body = solver.bodies()[i];
    const wk::Vector3 way = placed_center(body, body.pose) - placed_center(body, from[i]);
    const double angle = Eigen::AngleAxisd(body.pose.rotation() * from[i].rotation().transpose()).angle();
    largest = std::max(largest, way.norm() / body.size + angle / 2);
  }
  return largest;
}

}  // namespace playground
