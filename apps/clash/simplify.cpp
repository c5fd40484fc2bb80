#include "clash/simplify.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

#include <whisker/geometry/closest_points.hpp>
#include <whisker/primitives.hpp>

namespace whisker::clash {
namespace {

constexpr double min_growth = 1.1;    // of the cells, from one attempted grid to the next
constexpr double finest_grid = 4096;  // cells along the longest side
constexpr double coarsest_grid = 2;

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

bool is_flat(const Index3& t) {
  return t[0] == t[1] || t[1] == t[2] || t[2] == t[0];
}

// The triangle starting at its lowest corner, which is the same for all three ways to write it.
Index3 from_lowest(Index3 t) {
  std::rotate(t.begin(), std::min_element(t.begin(), t.end()), t.end());
  return t;
}

// Only the vertices that triangles use, in their order.
MeshData without_unused(const MeshData& mesh) {
  constexpr auto none = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> renamed(mesh.vertices.size(), none);
  for (const Index3& triangle : mesh.triangles) {
    for (const std::uint32_t corner : triangle)
      renamed[corner] = 0;
  }
  MeshData result;
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
    if (renamed[i] == none) continue;
    renamed[i] = static_cast<std::uint32_t>(result.vertices.size());
    result.vertices.push_back(mesh.vertices[i]);
  }
  result.triangles.reserve(mesh.triangles.size());
  for (const Index3& t : mesh.triangles)
    result.triangles.push_back({renamed[t[0]], renamed[t[1]], renamed[t[2]]});
  return result;
}

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
    const Index3 moved = from_lowest({clusters.of_vertex[t[0]], clusters.of_vertex[t[1]], clusters.of_vertex[t[2]]});
    if (is_flat(moved)) continue;
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
  return without_unused(result);
}

SimplifiedMesh simplified_with(const MeshData& mesh, const std::vector<bool>& is_pinned, std::size_t max_triangles) {
  const Aabb box = box_around(mesh);
  const double side = (box.upper - box.lower).maxCoeff();
  if (!(side > 0)) return {};
  // Roughly half of the cells that a mesh's surface passes through have one triangle each.
  const double guess = 2 * std::sqrt(static_cast<double>(max_triangles));
  double cell = side / std::clamp(guess, coarsest_grid, finest_grid);
  for (;;) {
    // The grid begins outside of the box, so that flat sides are not on the border between two cells.
    const Vector3 origin = box.lower - Vector3::Constant(0.4375 * cell);
    MeshData fewer = clustered(mesh, clusters(mesh, is_pinned, origin, cell));
    if (fewer.triangles.size() <= max_triangles) return {std::move(fewer), cell};
    if (cell >= side / coarsest_grid) return {};
    // The number of triangles of a surface grows with the square of the grid's resolution.
    const double excess = static_cast<double>(fewer.triangles.size()) / static_cast<double>(max_triangles);
    cell = std::min(cell * std::max(min_growth, std::sqrt(excess)), side / coarsest_grid);
  }
}

}  // namespace

Aabb box_around(const MeshData& mesh) {
  Aabb box;
  for (const Vector3& vertex : mesh.vertices)
    box.include(vertex);
  return box;
}

MeshData welded(const MeshData& mesh) {
  std::unordered_map<Key, std::uint32_t, KeyHash> first_at;
  first_at.reserve(mesh.vertices.size());
  std::vector<std::uint32_t> same(mesh.vertices.size());
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
    Key key;
    for (int k = 0; k < 3; ++k) {
      const double coordinate = mesh.vertices[i][k] + 0.0;  // -0 and 0 are the same position
      key[static_cast<std::size_t>(k)] = std::bit_cast<std::uint64_t>(coordinate);
    }
    same[i] = first_at.try_emplace(key, static_cast<std::uint32_t>(i)).first->second;
  }
  MeshData joined;
  joined.vertices = mesh.vertices;
  for (const Index3& t : mesh.triangles) {
    const Index3 triangle{same[t[0]], same[t[1]], same[t[2]]};
    if (!is_flat(triangle)) joined.triangles.push_back(triangle);
  }
  return without_unused(joined);
}

SimplifiedMesh simplified(const MeshData& mesh, std::size_t max_triangles) {
  if (mesh.triangles.size() <= max_triangles) return {mesh, 0};
  return simplified_with(mesh, {}, max_triangles);
}

CutMesh kept_near(const MeshData& mesh, std::span<const Vector3> points, std::size_t max_triangles) {
  if (mesh.triangles.size() <= max_triangles) return {mesh, std::numeric_limits<double>::infinity()};
  std::vector<double> distances;
  distances.reserve(mesh.triangles.size());
  for (const Index3& t : mesh.triangles) {
    const Triangle triangle{mesh.vertices[t[0]], mesh.vertices[t[1]], mesh.vertices[t[2]]};
    const Vector3 center = (triangle.a + triangle.b + triangle.c) / 3;
    const double radius = std::sqrt(std::max({(triangle.a - center).squaredNorm(), (triangle.b - center).squaredNorm(),
                                              (triangle.c - center).squaredNorm()}));
    double nearest = std::numeric_limits<double>::infinity();
    for (const Vector3& point : points) {
      if ((point - center).norm() - radius < nearest)
        nearest = std::min(nearest, closest_points(point, triangle).distance);
    }
    distances.push_back(nearest);
  }
  const std::size_t kept_count = points.empty() ? 0 : max_triangles / 2;
  std::vector<std::uint32_t> order(mesh.triangles.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto kept_end = order.begin() + static_cast<std::ptrdiff_t>(kept_count);
  // Ties are broken by number, so that the same mesh is cut the same way everywhere.
  std::nth_element(order.begin(), kept_end, order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return distances[a] != distances[b] ? distances[a] < distances[b] : a < b;
  });

  std::vector<bool> is_pinned(mesh.vertices.size(), false);
  for (auto at = order.begin(); at != kept_end; ++at) {
    for (const std::uint32_t corner : mesh.triangles[*at])
      is_pinned[corner] = true;
  }
  CutMesh result{simplified_with(mesh, is_pinned, max_triangles).mesh, distances[*kept_end]};
  if (!result.mesh.triangles.empty() || kept_count == 0) return result;
  // If there are still too many triangles, returns only the kept ones.
  MeshData kept;
  kept.vertices = mesh.vertices;
  std::sort(order.begin(), kept_end);
  for (auto at = order.begin(); at != kept_end; ++at)
    kept.triangles.push_back(mesh.triangles[*at]);
  result.mesh = without_unused(kept);
  return result;
}

}  // namespace whisker::clash
