// Crates slide over a terrain of triangles: contact manifolds of all bodies in one call, with ids that last.

#include <cstdio>
#include <map>
#include <vector>

#include <Eigen/Geometry>

#include <whisker/contact_manifold.hpp>
#include <whisker/height_field.hpp>
#include <whisker/make/make.hpp>
#include <whisker/mesh.hpp>
#include <whisker/world.hpp>

namespace wk = whisker;

int main() {
  // One pair: a mesh of a solid crate on a mesh of a plate, and the same crate as a box.
  const wk::Shape plate = wk::Mesh(wk::make::box({.size_x = 4, .size_y = 4, .size_z = 0.2})).solid();
  const wk::Shape crate_mesh = wk::Mesh(wk::make::box()).solid(), crate = wk::Box{{1, 1, 1}};
  const wk::Pose pose(Eigen::AngleAxisd(0.4, Eigen::Vector3d::UnitZ()).toRotationMatrix(), {0.3, 0.2, 0.599});
  for (const wk::Shape& shape : {crate, crate_mesh}) {
    for (const wk::ContactManifold& place : wk::contact_manifolds({shape, pose}, plate, {.margin = 0.01}))
      std::printf("%.*s on the plate: %u points, the deepest by %.4f, normal (%.3f, %.3f, %.3f)\n",
                  static_cast<int>(name(shape.kind()).size()), name(shape.kind()).data(), place.count, -place.upper,
                  place.normal.x(), place.normal.y(), place.normal.z());
  }

  // Many bodies: a world that is asked for manifolds need not test the shapes itself.
  wk::World world({.tests_shapes = false});
  const std::vector<double> heights(33 * 33, 0.0);
  world.add(wk::HeightField(heights, 33, 33, 0.25, 0.25), {}, {.is_static = true});
  std::vector<wk::BodyId> crates;
  for (int i = 0; i < 5; ++i)
    crates.push_back(world.add(wk::Box{{0.5, 0.5, 0.5}}, {}, {.margin = 0.005}));

  std::map<std::pair<wk::WorldPair, std::uint64_t>, int> ages;  // how many frames a point has lasted
  for (int frame = 0; frame < 50; ++frame) {
    for (int i = 0; i < 5; ++i)
      world.move(crates[static_cast<std::size_t>(i)], wk::Pose(wk::Vector3(1 + 0.005 * frame, 1 + 1.5 * i, 0.249)));
    world.update();
    for (const wk::PairManifold& found : world.manifolds({.margin = 0.01}))
      for (const wk::ManifoldPoint& point : found.manifold.points())
        ++ages[{found.pair, point.id}];
  }
  std::printf("%zu points, which lasted", ages.size());
  for (const auto& [point, age] : ages)
    std::printf(" %d", age);
  std::printf(" frames\n");
}
