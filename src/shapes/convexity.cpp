// Decides whether a closed mesh bounds a convex body.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include <whisker/editing/mesh_report.hpp>
#include <whisker/geometry/predicates.hpp>

#include "geometry/edge_sides.hpp"
#include "geometry/solid_angle.hpp"
#include "shapes/mesh_storage.hpp"
#include "shapes/plain_mesh.hpp"

namespace whisker {
namespace {

/// The mean of the corners of all triangles, up to rounding.
Vector3 middle_of(const MeshData& mesh) {
  const Vector3 origin = mesh.vertices[mesh.triangles[0][0]];
  Vector3 sum = Vector3::Zero();
  for (const Index3& t : mesh.triangles)
    for (const std::uint32_t index : t)
      sum += mesh.vertices[index] - origin;
  return origin + sum / (3.0 * static_cast<double>(mesh.triangles.size()));
}

}  // namespace

std::optional<Vector3> middle_of_convex(const MeshData& mesh) {
  if (mesh.triangles.empty()) return {};
  const Vector3 inside = middle_of(mesh);
  for (const Index3& t : mesh.triangles) {
    if (orient3d(mesh.vertices[t[0]], mesh.vertices[t[1]], mesh.vertices[t[2]], inside) >= 0) return {};
  }
  double size = 0;
  for (const Index3& t : mesh.triangles)
    size = std::max(size, (mesh.vertices[t[0]] - inside).cwiseAbs().maxCoeff());
  const double unit = std::ldexp(1.0, -std::ilogb(size));
  double angles = 0;  // each one is positive
  for (const Index3& t : mesh.triangles) {
    const auto corner = [&](std::size_t k) { return Vector3((mesh.vertices[t[k]] - inside) * unit); };
    angles += geometry::solid_angle(corner(0), corner(1), corner(2));
  }
  if (!(std::abs(angles / (4 * std::numbers::pi) - 1) < 0.25)) return {};

  const std::vector<std::uint32_t> first = first_at_position(mesh.vertices);
  const std::vector<Index3> merged = shapes::renumbered(mesh.triangles, first);
  const bool is_convex = geometry::every_edge(merged, first.size(), [&](std::uint32_t, auto sides) {
    if (sides.size() != 2) return false;
    const Index3& t = mesh.triangles[sides[0].number() / 3];
    const std::uint32_t other = sides[1].number();
    const Vector3& across = mesh.vertices[mesh.triangles[other / 3][(other + 2) % 3]];
    return orient3d(mesh.vertices[t[0]], mesh.vertices[t[1]], mesh.vertices[t[2]], across) <= 0;
  });
  if (!is_convex) return {};
  return inside;
}

const std::optional<Vector3>& Mesh::Storage::convex_middle() const {
  return convex_middle_.get([&] { return middle_of_convex(data); });
}

}  // namespace whisker
