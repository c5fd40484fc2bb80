#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include <whisker/sphere_tree.hpp>

#include "spheres/stand_off.hpp"
#include "volumes/measure.hpp"

namespace whisker {

namespace {

/// The corners of an octahedron whose triangles are split in four until there are at least `count`: 6, 18, 66, 258…
/// Unit vectors, up to rounding.
std::vector<Vector3> directions(int count) {
  std::vector<Vector3> points = {Vector3::UnitX(),  Vector3::UnitY(),  Vector3::UnitZ(),
                                 -Vector3::UnitX(), -Vector3::UnitY(), -Vector3::UnitZ()};
  std::vector<std::array<std::uint32_t, 3>> faces;
  for (std::uint32_t x : {0u, 3u}) {
    for (std::uint32_t y : {1u, 4u}) {
      for (std::uint32_t z : {2u, 5u})
        faces.push_back({x, y, z});
    }
  }
  constexpr int most = 16'386;
  while (static_cast<int>(points.size()) < std::min(count, most)) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> middles;
    const auto middle = [&](std::uint32_t a, std::uint32_t b) {
      const auto [found, is_new] = middles.try_emplace(std::minmax(a, b), static_cast<std::uint32_t>(points.size()));
      if (is_new) points.push_back((points[a] + points[b]).normalized());
      return found->second;
    };
    std::vector<std::array<std::uint32_t, 3>> split;
    for (const auto& [a, b, c] : faces) {
      const std::uint32_t ab = middle(a, b);
      const std::uint32_t bc = middle(b, c);
      const std::uint32_t ca = middle(c, a);
      split.insert(split.end(), {{a, ab, ca}, {ab, b, bc}, {ca, bc, c}, {ab, bc, ca}});
    }
    faces = std::move(split);
  }
  return points;
}

/// The mean and the root of the mean square of what lies between the bounds.
struct Sums {
  Interval sum, squares;
  double worst_lower = 0;
  double worst_upper = 0;

  void add(const Interval& x) {
    sum += x;
    squares += square(x);
    worst_lower = std::max(worst_lower, x.lower);
    worst_upper = std::max(worst_upper, x.upper);
  }
};

}  // namespace

LevelReport report_level(const SphereTree& tree, int level, const Mesh& mesh, int samples_per_sphere) {
  const spheres::Solid solid(mesh);
  const std::vector<Vector3> towards = directions(samples_per_sphere);
  LevelReport report;
  Sums sums;
  for (const std::uint32_t i : tree.cut(level)) {
    const SphereTreeNode& node = tree.nodes[i];
    // The points looked at are on the sphere up to rounding.
    const double rounding =
        16 * volumes::unit_roundoff * (volumes::largest_entry(node.sphere.center) + node.sphere.radius);
    double seen = 0;
    for (const Vector3& direction : towards) {
      const double outside = solid.signed_distance(node.sphere.center + node.sphere.radius * direction).lower;
      seen = std::max(seen, outside - rounding);
    }
    const double bound = spheres::stand_off(node.sphere.radius, solid.height(node.sphere.center));
    sums.add({std::min(seen, bound), bound});
    ++report.spheres;
  }
  if (report.spheres == 0) return report;
  const auto count = static_cast<double>(report.spheres);
  report.worst = {sums.worst_lower, sums.worst_upper};
  report.mean = sums.sum / count;
  report.root_mean_square = sqrt(sums.squares / count);
  return report;
}

}  // namespace whisker
