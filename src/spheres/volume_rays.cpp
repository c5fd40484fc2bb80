// The volumes in which spheres and a solid differ, estimated with rays.

#include <algorithm>
#include <cmath>
#include <tbb/parallel_for.h>
#include <utility>
#include <vector>

#include <whisker/geometry/aabb.hpp>
#include <whisker/geometry/predicates.hpp>
#include <whisker/mesh_queries.hpp>

#include "geometry/lists.hpp"
#include "geometry/random.hpp"
#include "spheres/fit_measures.hpp"

namespace whisker::spheres {

namespace {

/// An interval of a ray.
using Stretch = std::pair<double, double>;

/// The length of one ray that is in the spheres but not in the solid, and the reverse; or sums of these.
using Lengths = Eigen::Array<double, 2, 1, Eigen::DontAlign>;

/// Scratch memory of one thread.
struct Room {
  std::vector<SurfaceHit> hits;
  std::vector<Stretch> solid, balls;
};

double length(const std::vector<Stretch>& stretches) {
  return geometry::sum_over(stretches, [](const Stretch& stretch) { return stretch.second - stretch.first; });
}

/// Sorts the intervals and merges those that overlap.
void unite(std::vector<Stretch>& stretches) {
  std::sort(stretches.begin(), stretches.end());
  std::size_t last = 0;
  for (std::size_t i = 1; i < stretches.size(); ++i) {
    if (stretches[i].first <= stretches[last].second) {
      stretches[last].second = std::max(stretches[last].second, stretches[i].second);
    } else {
      stretches[++last] = stretches[i];
    }
  }
  if (!stretches.empty()) stretches.resize(last + 1);
}

/// The length of the intersection. In each list the intervals must be disjoint and sorted.
double common_length(const std::vector<Stretch>& a, const std::vector<Stretch>& b) {
  double sum = 0;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    sum += std::max(0.0, std::min(a[i].second, b[j].second) - std::max(a[i].first, b[j].first));
    ++(a[i].second < b[j].second ? i : j);
  }
  return sum;
}

/// Finds the intervals in which a line along z through (x, y) is in the solid. Returns false if the line hits an edge,
/// in which case they cannot be determined.
bool cross_solid(const Mesh& mesh, const Shape& shape, double x, double y, double z, Room& room) {
  cast_ray_all({Vector3(x, y, z), Vector3::UnitZ()}, shape, line_range(), room.hits);
  room.solid.clear();
  int winding = 0;
  double entered = 0;
  for (const SurfaceHit& hit : room.hits) {
    const Triangle t = mesh.triangle(hit.feature.id);
    // The line enters the solid at a triangle that faces down.
    const int side = orient2d(t.a.x(), t.a.y(), t.b.x(), t.b.y(), t.c.x(), t.c.y());
    if (side == 0) return false;
    const int before = std::exchange(winding, winding - side);
    if (before == 0) entered = z + hit.hit.t;
    if (winding == 0) room.solid.emplace_back(entered, z + hit.hit.t);
  }
  return winding == 0;
}

}  // namespace

VolumeEstimates estimate_volumes(std::span<const BoundingSphere> spheres, const Solid& solid, std::size_t rays,
                                 std::uint64_t seed) {
  const auto cells = static_cast<std::size_t>(std::sqrt(static_cast<double>(rays) / 2));
  if (cells < 2) return {};
  const Mesh& mesh = solid.mesh();
  const Shape shape(mesh);
  Aabb box = mesh.bounds();
  for (const BoundingSphere& sphere : spheres) {
    box.include(sphere.center - Vector3::Constant(sphere.radius));
    box.include(sphere.center + Vector3::Constant(sphere.radius));
  }
  const double width = (box.upper.x() - box.lower.x()) / static_cast<double>(cells);
  const double depth = (box.upper.y() - box.lower.y()) / static_cast<double>(cells);
  struct Row {
    Lengths sum = Lengths::Zero();
    Lengths squares = Lengths::Zero();  // of the differences between the two rays of a cell
  };
  std::vector<Row> rows(cells);
  tbb::parallel_for(std::size_t{0}, cells, [&](std::size_t row) {
    geometry::Random random(seed + 0x9E3779B97F4A7C15ull * (row + 1));
    const double low = box.lower.y() + depth * static_cast<double>(row);
    std::vector<BoundingSphere> near;
    for (const BoundingSphere& sphere : spheres) {
      const double slack = sphere.radius + depth;  // rounding errors are negligible compared to a whole row
      if (sphere.center.y() + slack >= low && sphere.center.y() - slack <= low + depth) near.push_back(sphere);
    }
    Room room;
    const auto shoot = [&](std::size_t column) {
      double x = 0, y = 0;
      // A line that hits an edge exactly is drawn again. Hitting an edge in all attempts does not happen in practice.
      for (int attempt = 0; attempt < 20; ++attempt) {
        x = box.lower.x() + width * (static_cast<double>(column) + random.uniform(0, 1));
        y = low + depth * random.uniform(0, 1);
        if (cross_solid(mesh, shape, x, y, box.lower.z(), room)) break;
      }
      room.balls.clear();
      for (const BoundingSphere& sphere : near) {
        const double dx = sphere.center.x() - x, dy = sphere.center.y() - y;
        const double squared = sphere.radius * sphere.radius - dx * dx - dy * dy;
        if (!(squared > 0)) continue;
        const double half = std::sqrt(squared);
        room.balls.emplace_back(sphere.center.z() - half, sphere.center.z() + half);
      }
      unite(room.balls);
      const double common = common_length(room.balls, room.solid);
      return Lengths(std::max(0.0, length(room.balls) - common), std::max(0.0, length(room.solid) - common));
    };
    for (std::size_t column = 0; column < cells; ++column) {
      const Lengths one = shoot(column), two = shoot(column);
      rows[row].sum += one + two;
      rows[row].squares += (one - two) * (one - two);
    }
  });
  Row all;
  for (const Row& row : rows) {
    all.sum += row.sum;
    all.squares += row.squares;
  }
  // A cell contributes its base area times the mean of its two rays, whose variance is a quarter of the squared
  // difference.
  const double half_base = width * depth / 2;
  return {.wasted = {half_base * all.sum[0], half_base * std::sqrt(all.squares[0])},
          .uncovered = {half_base * all.sum[1], half_base * std::sqrt(all.squares[1])}};
}

}  // namespace whisker::spheres
