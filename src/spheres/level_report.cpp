// Measures how far spheres protrude from a solid, and the volumes and areas in which the two differ.

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tbb/parallel_for.h>
#include <utility>

#include <whisker/mesh.hpp>
#include <whisker/spheres/sphere_tree.hpp>

#include "geometry/constants.hpp"
#include "geometry/threads.hpp"
#include "spheres/build_checks.hpp"
#include "spheres/fit_measures.hpp"
#include "spheres/protrusion.hpp"
#include "volumes/measure.hpp"

namespace whisker {

namespace {

/// The corners of an octahedron whose triangles are split into four until there are at least `count` corners: 6, 18,
/// 66, 258… They are unit vectors, up to rounding.
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

/// Bounds on how far a sphere sticks out of the solid: the lower bound comes from points on the sphere, the upper bound
/// from its center.
Interval sticks_out(const BoundingSphere& sphere, const spheres::Solid& solid, std::span<const Vector3> toward) {
  // The sampled points are on the sphere up to rounding.
  const double rounding = 16 * unit_roundoff * (volumes::largest_entry(sphere.center) + sphere.radius);
  double seen = 0;
  for (const Vector3& direction : toward) {
    const double outside = solid.signed_distance(sphere.center + sphere.radius * direction).lower;
    seen = std::max(seen, outside - rounding);
  }
  const double bound = solid.protrusion(sphere);
  return {std::min(seen, bound), bound};
}

/// Bounds on the variance of numbers that lie in the intervals. The variance is the minimum over m of the mean squared
/// difference from m. Any m gives an upper bound. For the lower bound, m minimizes the mean squared distance to the
/// intervals.
Interval variance_within(std::span<const Interval> numbers) {
  const auto count = static_cast<double>(numbers.size());
  const auto nearest = [](const Interval& x, double m) { return std::clamp(m, x.lower, x.upper); };
  double low = numbers[0].lower, high = numbers[0].upper, sum = 0;
  for (const Interval& x : numbers) {
    low = std::min(low, x.lower);
    high = std::max(high, x.upper);
    sum += middle(x);
  }
  // The sum of the pulls of the intervals on m decreases as m grows.
  for (int step = 0; step < 64; ++step) {
    const double m = low + (high - low) / 2;
    double pull = 0;
    for (const Interval& x : numbers)
      pull += nearest(x, m) - m;
    (pull > 0 ? low : high) = m;
  }
  Interval least = 0, most = 0;
  const double mean = sum / count;
  for (const Interval& x : numbers) {
    least += square(Interval(nearest(x, low)) - Interval(low));
    most += square(Interval(std::max(std::abs(x.lower - mean), std::abs(x.upper - mean))));
  }
  // The bisection ends within rounding of the best m, and each difference from the mean is rounded once.
  const double slack = 1e-12 * (most / count).upper + 1e-30 * high * high;
  return {std::max(0.0, (least / count).lower - slack), (most / count).upper + slack};
}

LevelReport measure_spheres(std::span<const BoundingSphere> spheres, const Mesh& mesh,
                            const LevelReportOptions& options) {
  spheres::check_spheres("report_spheres", spheres);
  const spheres::Solid solid(mesh);
  LevelReport report;
  report.spheres = spheres.size();
  report.uncovered_area = spheres::uncovered_area(spheres, mesh, static_cast<std::size_t>(std::max(0, options.pieces)));
  const spheres::VolumeEstimates volumes =
      spheres::estimate_volumes(spheres, solid, static_cast<std::size_t>(std::max(0, options.rays)), options.seed);
  report.wasted_volume = volumes.wasted;
  report.uncovered_volume = volumes.uncovered;
  if (spheres.empty()) return report;
  const std::vector<Vector3> toward = directions(options.samples_per_sphere);
  std::vector<Interval> numbers(spheres.size());
  tbb::parallel_for(std::size_t{0}, spheres.size(),
                    [&](std::size_t i) { numbers[i] = sticks_out(spheres[i], solid, toward); });
  Interval sum = 0, squares = 0;
  report.worst = numbers[0];
  for (const Interval& x : numbers) {
    report.worst = max(report.worst, x);
    sum += x;
    squares += square(x);
  }
  const auto count = static_cast<double>(spheres.size());
  report.mean = sum / count;
  report.root_mean_square = sqrt(squares / count);
  report.variance = variance_within(numbers);
  return report;
}

}  // namespace

LevelReport report_spheres(std::span<const BoundingSphere> spheres, const Mesh& mesh,
                           const LevelReportOptions& options) {
  return with_threads("report_spheres", options.threads, [&] { return measure_spheres(spheres, mesh, options); });
}

LevelReport report_level(const SphereTree& tree, int level, const Mesh& mesh, const LevelReportOptions& options) {
  return report_spheres(tree.spheres(level), mesh, options);
}

}  // namespace whisker
