// A crate slides out over the edge of a table. Its contacts are points that a solver can push at, with persistent ids.
#include <cmath>
#include <cstdint>
#include <cstdio>

#include <Eigen/Geometry>

#include <whisker/contact_manifold.hpp>

namespace wk = whisker;

int main() {
  const wk::Shape table = wk::Box{{2, 2, 0.1}};
  const wk::Shape crate = wk::Box{{0.5, 0.4, 0.3}};

  wk::PairCache cache;  // kept per pair
  for (int frame = 0; frame < 5; ++frame) {
    // Sunk in by a millimeter, rotated about the vertical, and moving out over the edge of the table.
    const double yaw = 0.2;
    Eigen::Matrix3d turn = Eigen::AngleAxisd(yaw, Eigen::Vector3d::UnitZ()).toRotationMatrix();
    const wk::Pose pose(turn, {0.6 + 0.1 * frame, 0, 0.05 + 0.15 - 0.001});
    const wk::ContactManifold manifold = wk::contact_manifold(table, {crate, pose}, {.margin = 0.002, .cache = &cache});
    std::printf("frame %d: %u points, separation in [%.6f, %.6f]\n", frame, manifold.count, manifold.lower,
                manifold.upper);
    for (const wk::ManifoldPoint& p : manifold.points()) {
      std::printf("  %08x %08x at (%.3f, %.3f, %.3f), gap %.4f\n", static_cast<unsigned>(p.id >> 32),
                  static_cast<unsigned>(p.id & 0xffffffff), p.point_b.x(), p.point_b.y(), p.point_b.z(), p.gap);
    }
  }

  // A barrel lying on its side touches the ground along a line. Standing, it touches with its whole end.
  const wk::Shape ground = wk::HalfSpace{{0, 0, 1}, 0};
  const wk::Shape barrel = wk::Cylinder{.radius = 0.3, .length = 0.8};
  const wk::Pose standing(Eigen::Vector3d(0, 0, 0.4));
  const wk::Pose lying(Eigen::AngleAxisd(std::acos(0.0), Eigen::Vector3d::UnitX()).toRotationMatrix(), {0, 0, 0.3});
  std::printf("standing: %u points, lying: %u\n", wk::contact_manifold(ground, {barrel, standing}).count,
              wk::contact_manifold(ground, {barrel, lying}, {.margin = 1e-9}).count);
}
