// Mesh generator for random convex polyhedra.

#include <cmath>
#include <span>
#include <vector>

#include <whisker/geometry/hull.hpp>
#include <whisker/make/make.hpp>

#include "geometry/random.hpp"
#include "make/check.hpp"

namespace whisker::make {
namespace {

constexpr OptionTable random_hull_options{
    "random-hull",
    option("points", &RandomHull::points, 4, 1'000'000, "on the ellipsoid"),
    length("radius-x", &RandomHull::radius_x, "of the ellipsoid along x"),
    length("radius-y", &RandomHull::radius_y, "of the ellipsoid along y"),
    length("radius-z", &RandomHull::radius_z, "of the ellipsoid along z"),
    seed(&RandomHull::seed),
};

/// Uniform on the unit sphere, from a uniform point of the unit disc (Marsaglia 1972).
Vector3 random_direction(geometry::Random& random) {
  for (;;) {
    const double a = random.uniform(-1, 1), b = random.uniform(-1, 1);
    const double squared = a * a + b * b;
    if (squared >= 1) continue;
    const double scale = 2 * std::sqrt(1 - squared);
    return {a * scale, b * scale, 1 - 2 * squared};
  }
}

}  // namespace

MeshData random_hull(const RandomHull& options) {
  const auto& [points, radius_x, radius_y, radius_z, random_seed] = options;
  random_hull_options.check(options);
  check_ratio("random-hull", {radius_x, radius_y, radius_z});
  geometry::Random random(random_seed);
  std::vector<Vector3> cloud;
  cloud.reserve(static_cast<std::size_t>(points));
  for (int i = 0; i < points; ++i) {
    const Vector3 d = random_direction(random);
    cloud.emplace_back(radius_x * d.x(), radius_y * d.y(), radius_z * d.z());
  }

  HullData hull = convex_hull(cloud);
  MeshData mesh;
  mesh.triangles.reserve(2 * hull.vertices.size());
  for (std::size_t f = 0; f < hull.face_count(); ++f) {
    const std::span<const std::uint32_t> face = hull.face(f);
    for (std::size_t i = 2; i < face.size(); ++i)
      mesh.triangles.push_back({face[0], face[i - 1], face[i]});
  }
  mesh.vertices = std::move(hull.vertices);
  return mesh;
}

constexpr Model random_hull_model =
    model_of<random_hull_options, random_hull>("the convex hull of random points on an ellipsoid", true);

}  // namespace whisker::make
