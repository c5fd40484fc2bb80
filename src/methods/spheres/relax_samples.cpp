#include "methods/spheres/relax_samples.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

#include <Eigen/Geometry>

namespace whisker::methods {

using spheres::sample_surface;

namespace {

constexpr int rounds = 20;
/// The range of the repulsion, and the step at full force, in units of the mean distance of points.
constexpr double range = 2;
constexpr double relax_step = 0.25;
constexpr std::size_t max_crossings = 64;

/// The corners of a triangle, and for each edge the outward direction in the triangle's plane.
struct Corners {
  std::array<Vector3, 3> at;
  std::array<Vector3, 3> outward;
};

Corners corners_of(const Mesh& mesh, const PlanarClusters& clusters, std::uint32_t triangle) {
  const Triangle t = mesh.triangle(triangle);
  Corners corners{{t.a, t.b, t.c}, {}};
  const Vector3& normal = clusters.normal(clusters.of(triangle));
  for (std::size_t i = 0; i < 3; ++i)
    corners.outward[i] = (corners.at[(i + 1) % 3] - corners.at[i]).cross(normal).normalized();
  return corners;
}

/// Moves from a sample toward a point in the sample's plane. Stops there, or at the border of the cluster.
SurfaceSample walk(const Mesh& mesh, const PlanarClusters& clusters, const SurfaceSample& from, const Vector3& to) {
  SurfaceSample at = from;
  for (std::size_t crossing = 0; crossing < max_crossings; ++crossing) {
    const Corners corners = corners_of(mesh, clusters, at.triangle);
    std::size_t exit = 3;
    double first = 1;
    for (std::size_t i = 0; i < 3; ++i) {
      const double past = (to - corners.at[i]).dot(corners.outward[i]);
      if (!(past > 0)) continue;
      const double before = std::min(0.0, (at.point - corners.at[i]).dot(corners.outward[i]));
      const double share = before / (before - past);
      if (exit == 3 || share < first) {
        exit = i;
        first = share;
      }
    }
    if (exit == 3) return {to, at.triangle};
    at.point += first * (to - at.point);
    const std::uint32_t next = clusters.beyond(at.triangle, exit);
    if (next == PlanarClusters::none || clusters.of(next) != clusters.of(from.triangle)) return at;
    at.triangle = next;
  }
  return at;
}

/// Points in cubes of equal size, for finding the points near a position.
class Cubes {
 public:
  Cubes(std::span<const SurfaceSample> samples, double edge) : samples_(samples), edge_(edge) {
    for (std::uint32_t i = 0; i < samples.size(); ++i)
      order_.emplace_back(key(cube_of(samples[i].point)), i);
    std::sort(order_.begin(), order_.end());
  }
  template <class Do>
  void each_near(const Vector3& point, Do&& act) const {
    const Cube cube = cube_of(point);
    for (std::int64_t x = -1; x <= 1; ++x) {
      for (std::int64_t y = -1; y <= 1; ++y) {
        // Three cubes in a row have consecutive keys.
        const std::uint64_t from = key({cube[0] + x, cube[1] + y, cube[2] - 1});
        auto at = std::lower_bound(order_.begin(), order_.end(), std::pair<std::uint64_t, std::uint32_t>{from, 0});
        for (; at != order_.end() && at->first <= from + 2; ++at)
          act(at->second);
      }
    }
  }

 private:
  using Cube = Eigen::Array<std::int64_t, 3, 1>;

  Cube cube_of(const Vector3& point) const {
    return ((point - samples_[0].point).array() / edge_).floor().cast<std::int64_t>();
  }
  static std::uint64_t key(const Cube& cube) {
    constexpr std::int64_t half = 1 << 20;
    std::uint64_t key = 0;
    for (const std::int64_t c : cube)
      key = key << 21 | static_cast<std::uint64_t>(std::clamp<std::int64_t>(c + half, 0, 2 * half - 1));
    return key;
  }

  std::span<const SurfaceSample> samples_;
  double edge_;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> order_;
};

}  // namespace

std::vector<SurfaceSample> sample_evenly(const Mesh& mesh, const PlanarClusters& clusters, std::size_t count,
                                         std::uint64_t seed) {
  const Aabb box = mesh.bounds();
  const double size = (box.upper - box.lower).maxCoeff();
  double area = 0;
  for (std::uint32_t t = 0; t < mesh.triangle_count() && size > 0; ++t) {
    const Triangle at = mesh.triangle(t);
    area += ((at.b - at.a) / size).cross((at.c - at.a) / size).norm() / 2;
  }
  if (!(area > 0) || count == 0) return sample_surface(mesh, count, seed);
  const double apart = size * std::sqrt(area / static_cast<double>(count));

  // Borders between clusters, each added from the triangle with the lower index.
  struct Border {
    Vector3 middle, from, to, inward;
    double half_length;
  };
  std::vector<SurfaceSample> on_borders;
  std::vector<std::vector<Border>> borders(clusters.size());
  for (std::uint32_t t = 0; t < mesh.triangle_count(); ++t) {
    if (clusters.normal(clusters.of(t)) == Vector3::Zero()) continue;
    const Corners corners = corners_of(mesh, clusters, t);
    for (std::size_t i = 0; i < 3; ++i) {
      const std::uint32_t next = clusters.beyond(t, i);
      if (next != PlanarClusters::none && clusters.of(next) == clusters.of(t)) continue;
      const Vector3& from = corners.at[i];
      const Vector3& to = corners.at[(i + 1) % 3];
      borders[clusters.of(t)].push_back({(from + to) / 2, from, to, -corners.outward[i], (to - from).norm() / 2});
      if (next != PlanarClusters::none && next < t) continue;
      const auto points = static_cast<std::size_t>((to - from).norm() / apart);
      for (std::size_t k = 0; k < points; ++k) {
        const double share = (static_cast<double>(k) + 0.5) / static_cast<double>(points);
        on_borders.push_back({(1 - share) * from + share * to, t});
      }
    }
  }

  // The points on borders are part of the count, but at most half of it.
  const std::size_t most = count / 2;
  if (on_borders.size() > most) {
    for (std::size_t k = 0; k < most; ++k)
      on_borders[k] = on_borders[k * on_borders.size() / most];
    on_borders.resize(most);
  }
  std::vector<SurfaceSample> samples = sample_surface(mesh, count - on_borders.size(), seed);
  const double reach = range * apart;
  for (int round = 0; round < rounds; ++round) {
    std::vector<SurfaceSample> moved = samples;
    const Cubes cubes(samples, reach);
    for (std::uint32_t i = 0; i < samples.size(); ++i) {
      const std::uint32_t cluster = clusters.of(samples[i].triangle);
      const Vector3& normal = clusters.normal(cluster);
      const Vector3& point = samples[i].point;
      Vector3 force = Vector3::Zero();
      const auto push_from = [&](const Vector3& other) {
        const Vector3 away = point - other;
        const double distance = away.norm();
        if (distance > 0 && distance < reach) force += (1 / distance - 1 / reach) * away;
      };
      cubes.each_near(point, [&](std::uint32_t j) {
        if (j != i && clusters.of(samples[j].triangle) == cluster) push_from(samples[j].point);
      });
      for (const Border& border : borders[cluster]) {
        if ((point - border.middle).norm() > border.half_length + reach) continue;
        // A border acts like a row of points beyond it, at half their distance.
        const Vector3 along = border.to - border.from;
        const double share = std::clamp((point - border.from).dot(along) / along.squaredNorm(), 0.0, 1.0);
        push_from(border.from + share * along - border.inward * (apart / 2));
      }
      force -= normal * normal.dot(force);
      const double length = force.norm();
      if (!(length > 0)) continue;
      moved[i] = walk(mesh, clusters, samples[i], point + force * (std::min(1.0, 1 / length) * relax_step * apart));
    }
    samples = std::move(moved);
  }
  samples.insert(samples.end(), on_borders.begin(), on_borders.end());
  return samples;
}

}  // namespace whisker::methods
