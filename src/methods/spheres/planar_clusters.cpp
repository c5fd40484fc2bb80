#include "methods/spheres/planar_clusters.hpp"

#include <algorithm>
#include <utility>

#include <Eigen/Geometry>

#include <whisker/editing/mesh_report.hpp>

#include "geometry/edge_sides.hpp"
#include "geometry/lists.hpp"

namespace whisker::methods {

namespace {

/// Two normals belong to one plane if the squared sine of their angle is less than this, and they do not point in
/// opposite directions.
constexpr double flat = 1e-12;

}  // namespace

PlanarClusters::PlanarClusters(const Mesh& mesh) {
  const auto count = static_cast<std::uint32_t>(mesh.triangle_count());
  const std::vector<std::uint32_t> first = first_at_position(mesh.vertices());
  const auto corner = [&](std::uint32_t triangle, std::size_t i) { return first[mesh.triangles()[triangle][i % 3]]; };

  std::vector<Vector3> triangle_normals(count, Vector3::Zero());
  for (std::uint32_t t = 0; t < count; ++t) {
    const Triangle at = mesh.triangle(t);
    const double size = std::max((at.b - at.a).cwiseAbs().maxCoeff(), (at.c - at.a).cwiseAbs().maxCoeff());
    if (!(size > 0)) continue;
    const Vector3 normal = ((at.b - at.a) / size).cross((at.c - at.a) / size);
    if (!(normal.norm() > 0)) continue;
    triangle_normals[t] = normal.normalized();
  }
  // A side matches the first side of a proper triangle in the opposite direction.
  std::vector<Index3> merged(count);
  for (std::uint32_t t = 0; t < count; ++t)
    merged[t] = {corner(t, 0), corner(t, 1), corner(t, 2)};
  beyond_.assign(count, {none, none, none});
  geometry::every_edge(merged, first.size(), [&](std::uint32_t low, auto sides) {
    const auto runs_upward = [&](std::uint32_t side) { return merged[side / 3][side % 3] == low ? 1u : 0u; };
    std::array<std::uint32_t, 2> proper = {none, none};  // downward, upward
    for (std::size_t i = sides.size(); i-- > 0;) {
      const std::uint32_t side = sides[i].number();
      if (triangle_normals[side / 3] != Vector3::Zero()) proper[runs_upward(side)] = side / 3;
    }
    for (const geometry::EdgeSide& side : sides)
      beyond_[side.number() / 3][side.number() % 3] = proper[1 - runs_upward(side.number())];
    return true;
  });

  cluster_of_.assign(count, none);
  for (std::uint32_t seed = 0; seed < count; ++seed) {
    if (cluster_of_[seed] != none) continue;
    const auto cluster = static_cast<std::uint32_t>(triangles_.size());
    const Vector3 normal = triangle_normals[seed];
    std::vector<std::uint32_t> members = {seed};
    cluster_of_[seed] = cluster;
    for (std::size_t k = 0; k < members.size() && normal != Vector3::Zero(); ++k) {
      for (const std::uint32_t next : beyond_[members[k]]) {
        if (next == none || cluster_of_[next] != none) continue;
        const Vector3& other = triangle_normals[next];
        if (!(other.dot(normal) > 0) || other.cross(normal).squaredNorm() > flat) continue;
        cluster_of_[next] = cluster;
        members.push_back(next);
      }
    }
    std::vector<std::uint32_t> corners;
    for (const std::uint32_t t : members) {
      for (std::size_t i = 0; i < 3; ++i)
        corners.push_back(corner(t, i));
    }
    geometry::sort_unique(corners);
    normals_.push_back(normal);
    triangles_.push_back(std::move(members));
    corners_.push_back(std::move(corners));
  }
}

bool PlanarClusters::are_near(std::uint32_t a, std::uint32_t b) const {
  const auto [fewer, more] = corners_[a].size() < corners_[b].size() ? std::pair(a, b) : std::pair(b, a);
  const std::vector<std::uint32_t>& all = corners_[more];
  return a == b || std::any_of(corners_[fewer].begin(), corners_[fewer].end(), [&](std::uint32_t corner) {
           return std::binary_search(all.begin(), all.end(), corner);
         });
}

}  // namespace whisker::methods
