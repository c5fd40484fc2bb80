// A user's program that uses the installed library. It is built with other flags than the library (-march=native) and
// must see the same layout of every public type: it passes poses, shapes and results in both directions and checks
// them.

#include <cmath>
#include <cstdio>
#include <vector>

#include <Eigen/Geometry>

#include <whisker/whisker.hpp>

namespace wk = whisker;

int main() {
  const Eigen::Isometry3d move = Eigen::Translation3d(3, 4, 12) * Eigen::AngleAxisd(0.7, Eigen::Vector3d::UnitX());
  const wk::Shape box = wk::Box{.size = {1, 2, 3}};
  const wk::Shape ball = wk::Sphere{.radius = 1};
  const wk::Distance apart = wk::distance(ball, {wk::Sphere{.radius = 2}, move});
  if (!(apart.lower <= 10 && 10 <= apart.upper) || apart.upper - apart.lower > 1e-13) return 1;
  if (std::abs(apart.normal[2] - 12.0 / 13) > 1e-15) return 2;
  if (!wk::touches({box, move}, {ball, move}) || wk::touches({box, move}, ball)) return 3;
  if (std::abs(wk::depth({box, move}, {ball, move}).value() - 1.5) > 1e-14) return 4;
  const auto hit = wk::cast_ray({{0, 0, 10}, {0, 0, -2}}, ball);
  if (!hit || std::abs(hit->t - 4.5) > 1e-14) return 5;

  const wk::MeshData data = wk::make::icosphere({.radius = 1, .subdivisions = 2});
  const wk::Mesh mesh(data);
  // The mesh is inscribed in the ball, so they touch.
  if (wk::touches({mesh, move}, ball) || !wk::touches({mesh, move}, {ball, move})) return 8;
  std::vector<wk::Shape> shapes = {box, ball, mesh, mesh.solid(), wk::ConvexHull(data.vertices)};
  for (const wk::Shape& shape : shapes) {
    if (shape.bounds(move).empty() || !shape.bounds(move).contains(move * shape.centroid())) return 6;
  }
  const wk::Interval root = sqrt(wk::Interval{2, 3});
  if (!(root.lower <= std::sqrt(2.0) && std::sqrt(3.0) <= root.upper)) return 7;
  std::puts("consumer: as expected");
  return 0;
}
