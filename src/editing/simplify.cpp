#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <unordered_map>
#include <unordered_set>

#include <whisker/editing/mesh_report.hpp>
#include <whisker/editing/simplify.hpp>
#include <whisker/geometry/closest_points.hpp>
#include <whisker/geometry/volumes.hpp>
#include <whisker/primitives.hpp>

#include "geometry/lists.hpp"
#include "shapes/plain_mesh.hpp"

namespace whisker {
namespace {

constexpr double min_growth = 1.1;    // of the cells, from one attempted grid to the next
constexpr double finest_grid = 4096;  // cells along the longest side
constexpr double coarsest_grid = 2;
constexpr double min_side = 0x1p-1000;  // of the box; the cells of a smaller one would be rounded to 0

using Key = std::array<std::uint64_t, 3>;

struct KeyHash {
  std::size_t operator()(const Key& key) const {
    std::uint64_t hash = 0;
    for (const std::uint64_t part : key) {
      // The multiplier is 2^64 divided by the golden ratio, made odd: it spreads differences in the low bits.
      hash = (hash ^ part) * 0x9E3779B97F4A7C15u;
      hash ^= hash >> 29;
    }
    return static_cast<std::size_t>(hash);
  }
};

// The cluster of every vertex. Clusters are numbered in the order of their first vertices.
struct Clusters {
  std::vector<std::uint32_t> of_vertex;
  std::uint32_t count = 0;
};

// `is_pinned` marks vertices that are clusters of their own. Empty for none.
Clusters clusters(const MeshData& mesh, const std::vector<bool>& is_pinned, const Vector3& origin, double cell) {
  Clusters result;
  result.of_vertex.reserve(mesh.vertices.size());
  std::unordered_map<Key, std::uint32_t, KeyHash> numbers;
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
    if (!is_pinned.empty() && is_pinned[i]) {
      result.of_vertex.push_back(result.count++);
      continue;
    }
    Key key;
    for (int k = 0; k < 3; ++k) {
      key[static_cast<std::size_t>(k)] =
          static_cast<std::uint64_t>(std::floor((mesh.vertices[i][k] - origin[k]) / cell));
    }
    const auto [at, is_new] = numbers.try_emplace(key, result.count);
    if (is_new) ++result.count;
    result.of_vertex.push_back(at->second);
  }
  return result;
}

MeshData clustered(const MeshData& mesh, const Clusters& clusters) {
  MeshData result;
  std::unordered_set<Key, KeyHash> seen;
  for (const Index3& t : mesh.triangles) {
    const Index3 moved =
        shapes::from_lowest({clusters.of_vertex[t[0]], clusters.of_vertex[t[1]], clusters.of_vertex[t[2]]});
    if (shapes::is_collapsed(moved)) continue;
    if (seen.insert({moved[0], moved[1], moved[2]}).second) result.triangles.push_back(moved);
  }
  result.vertices.assign(clusters.count, Vector3::Zero());
  std::vector<double> counts(clusters.count, 0);
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
    // A running mean, which neither overflows nor loses digits.
    const std::uint32_t cluster = clusters.of_vertex[i];
    counts[cluster] += 1;
    result.vertices[cluster] += (mesh.vertices[i] - result.vertices[cluster]) / counts[cluster];
  }
  return shapes::without_unused(std::move(result));
}

SimplifiedMesh cluster_to(const MeshData& mesh, const std::vector<bool>& is_pinned, std::size_t max_triangles) {
  const Aabb box = fit_aabb(mesh.vertices);
  const double side = (box.upper - box.lower).maxCoeff();
  if (!(side > min_side)) return {};
  // Roughly half of the cells that a mesh's surface passes through have one triangle each.
  const double guess = 2 * std::sqrt(static_cast<double>(max_triangles));
  double cell = side / std::clamp(guess, coarsest_grid, finest_grid);
  for (;;) {
    // The grid begins outside of the box, so that flat sides are not on the border between two cells.
    const Vector3 origin = box.lower - Vector3::Constant(0.4375 * cell);
    MeshData fewer = clustered(mesh, clusters(mesh, is_pinned, origin, cell));
    if (fewer.triangles.size() <= max_triangles) return {std::move(fewer), cell, 0};
    if (cell >= side / coarsest_grid) return {};
    // The number of triangles of a surface grows with the square of the grid's resolution.
    const double excess = static_cast<double>(fewer.triangles.size()) / static_cast<double>(max_triangles);
    cell = std::min(cell * std::max(min_growth, std::sqrt(excess)), side / coarsest_grid);
  }
}

}  // namespace

MeshData weld_mesh(const MeshData& mesh) {
  shapes::check_mesh(mesh);
  return shapes::without_unused({mesh.vertices, shapes::merged_triangles(mesh, first_at_position(mesh.vertices))});
}

SimplifiedMesh simplify_mesh(const MeshData& mesh, std::size_t max_triangles, std::span<const Vector3> keep_near) {
  shapes::check_mesh(mesh);
  if (mesh.triangles.size() <= max_triangles) return {mesh, 0, std::numeric_limits<double>::infinity()};
  if (keep_near.empty()) return cluster_to(mesh, {}, max_triangles);
  std::vector<double> distances;
  distances.reserve(mesh.triangles.size());
  for (const Index3& t : mesh.triangles) {
    const Triangle triangle{mesh.vertices[t[0]], mesh.vertices[t[1]], mesh.vertices[t[2]]};
    const Vector3 center = (triangle.a + triangle.b + triangle.c) / 3;
    const double radius = std::sqrt(std::max({(triangle.a - center).squaredNorm(), (triangle.b - center).squaredNorm(),
                                              (triangle.c - center).squaredNorm()}));
    double nearest = std::numeric_limits<double>::infinity();
    for (const Vector3& point : keep_near) {
      if ((point - center).norm() - radius < nearest)
        nearest = std::min(nearest, closest_points(point, triangle).distance);
    }
    distances.push_back(nearest);
  }
  const std::size_t kept_count = max_triangles / 2;
  std::vector<std::uint32_t> order = geometry::numbers_below(mesh.triangles.size());
  const auto kept_end = order.begin() + static_cast<std::ptrdiff_t>(kept_count);
  // Ties are broken by number, so that the same mesh is cut the same way everywhere.
  std::nth_element(order.begin(), kept_end, order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return distances[a] != distances[b] ? distances[a] < distances[b] : a < b;
  });
  std::sort(order.begin(), kept_end);
  const std::vector<Index3> kept = geometry::picked(mesh.triangles, std::span(order).first(kept_count));
  SimplifiedMesh result = cluster_to(mesh, shapes::used_vertices(kept, mesh.vertices.size()), max_triangles);
  result.kept_within = distances[*kept_end];
  if (!result.mesh.triangles.empty() || kept_count == 0) return result;
  // If there are still too many triangles, returns only the kept ones.
  result.mesh = shapes::without_unused({mesh.vertices, kept});
  return result;
}

}  // namespace whisker
