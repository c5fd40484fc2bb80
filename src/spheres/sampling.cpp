#include "spheres/sampling.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Geometry>

#include "geometry/random.hpp"

namespace whisker::spheres {

std::vector<SurfaceSample> sample_surface(const Mesh& mesh, std::size_t count, std::uint64_t seed) {
  geometry::Random random(seed);
  std::vector<double> sums;
  sums.reserve(mesh.triangle_count());
  const Aabb box = mesh.bounds();
  // Areas are in units of the mesh's size, so that they do not underflow for a small mesh.
  const double size = (box.upper - box.lower).cwiseAbs().maxCoeff();
  double sum = 0;
  for (std::size_t i = 0; i < mesh.triangle_count(); ++i) {
    const Triangle t = mesh.triangle(i);
    if (size > 0) sum += ((t.b - t.a) / size).cross((t.c - t.a) / size).norm();
    sums.push_back(sum);
  }
  std::vector<SurfaceSample> samples;
  samples.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (!(sum > 0)) {
      const auto triangle = static_cast<std::uint32_t>(i / 3 % mesh.triangle_count());
      const Triangle t = mesh.triangle(triangle);
      samples.push_back({i % 3 == 0 ? t.a : i % 3 == 1 ? t.b : t.c, triangle});
      continue;
    }
    const double at = sum * (static_cast<double>(i) + random.uniform(0, 1)) / static_cast<double>(count);
    const auto triangle = static_cast<std::uint32_t>(std::upper_bound(sums.begin(), sums.end() - 1, at) - sums.begin());
    const Triangle t = mesh.triangle(triangle);
    const double root = std::sqrt(random.uniform(0, 1));
    const double share = random.uniform(0, 1);
    samples.push_back({(1 - root) * t.a + root * (1 - share) * t.b + root * share * t.c, triangle});
  }
  return samples;
}

}  // namespace whisker::spheres
