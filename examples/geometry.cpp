// The building blocks below the shapes: exact predicates, triangles, hulls, intervals, terrain, moving spheres.
#include <array>
#include <cstdio>
#include <vector>

#include <whisker/whisker.hpp>

namespace wk = whisker;

int main() {
  // The sign is exact, no matter how close to zero the determinant is.
  std::printf("orient2d: %d\n", wk::orient2d(0.1, 0.1, 0.2, 0.2, 0.3, 0.3));

  const wk::Triangle floor{{0, 0, 0}, {2, 0, 0}, {0, 2, 0}};
  const wk::Triangle blade{{0.5, 0.5, -1}, {0.5, 0.5, 1}, {1.5, 1.5, 1}};
  const wk::TriangleIntersection cut = wk::intersect_triangle_triangle(floor, blade);
  std::printf("two triangles meet in %d points\n", cut.count);
  std::printf("triangle and box: %s\n",
              wk::touches_triangle_box(floor, {.lower = {1, 1, -1}, .upper = {2, 2, 1}}) ? "touch" : "apart");

  // The corners of a cube and points on its faces: the hull has eight corners and six square faces.
  std::vector<Eigen::Vector3d> points;
  for (const double x : {-1.0, 0.0, 1.0}) {
    for (const double y : {-1.0, 0.0, 1.0}) {
      for (const double z : {-1.0, 0.0, 1.0})
        points.emplace_back(x, y, z);
    }
  }
  const wk::ConvexHull cube(points);
  std::printf("hull: %zu corners, %zu faces, volume %g\n", cube.vertices().size(), cube.face_count(), cube.volume());

  // Two hulls, and a separating axis that is cached from one frame to the next.
  wk::SeparatingAxisCache cache;
  wk::SeparatingAxisScratch scratch;
  for (double x = 3; x > 1.5; x -= 0.5) {
    const auto result = wk::separating_axis(cube.polyhedron(), {}, cube.polyhedron(),
                                            wk::Pose(Eigen::Vector3d(x, 0, 0)), &cache, scratch);
    std::printf("cubes %.1f apart: %s\n", x, result.separated ? "separated" : "in contact");
  }

  const wk::Interval angle{0.5, 0.75};
  const wk::Interval sine = sin(angle);
  std::printf("the sine of [0.5, 0.75] is in [%.4f, %.4f]\n", sine.lower, sine.upper);

  // A terrain of 3 x 3 altitudes, a ray down onto it, and the wheels of a cart.
  const std::array<double, 9> heights = {0, 0, 0, 0, 1, 0, 0, 0, 0};
  const wk::HeightField hill(heights, 3, 3, 1, 1);
  if (const auto hit = wk::ray_height_field({{0.75, 0.75, 5}, {0, 0, -1}}, hill)) {
    std::printf("the ground is at height %g\n", hit->point[2]);
  }

  const wk::Impact contact = wk::first_contact_spheres({{-3, 0, 0}, {3, 0, 0}, 1}, {{3, 0, 0}, {-3, 0, 0}, 1});
  std::printf("two balls meet at time %g\n", contact.time);
}
