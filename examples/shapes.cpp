// Shapes and poses: how to make them, and the properties of a shape.
#include <cstdio>
#include <numbers>

#include <Eigen/Geometry>

#include <whisker/whisker.hpp>

namespace wk = whisker;

int main() {
  const wk::Shape ball = wk::Sphere{.radius = 0.5};
  const wk::Shape box = wk::Box{.size = {1, 2, 3}};
  const wk::Shape hull = wk::ConvexHull(wk::make::random_hull({.points = 32}).vertices);
  const wk::Mesh surface(wk::make::torus());
  const wk::Shape solid = surface.solid();  // throws if the mesh is not closed

  for (const wk::Shape& shape : {ball, box, hull, wk::Shape(surface), solid}) {
    const wk::Aabb bounds = shape.bounds();
    std::printf("%-12s volume %8.4f  height %6.3f  %s\n", name(shape.kind()).data(), shape.volume(),
                bounds.upper[2] - bounds.lower[2], shape.has_support() ? "convex" : "not convex");
  }

  // A pose is a rotation and a translation. Eigen's Isometry3d converts to it implicitly.
  const Eigen::Isometry3d turn(Eigen::AngleAxisd(std::numbers::pi / 4, Eigen::Vector3d::UnitZ()));
  const wk::Aabb turned = box.bounds(turn);
  std::printf("a box of 1 x 2, turned by 45 degrees, is %.4f wide\n", turned.upper[0] - turned.lower[0]);

  // Invalid numbers are rejected at once, with a message that names them.
  try {
    const wk::Shape bad = wk::Capsule{.radius = -1, .length = 2};
  } catch (const wk::Error& error) {
    std::printf("refused: %s\n", error.what());
  }
}
