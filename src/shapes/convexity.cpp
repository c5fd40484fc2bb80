#include "shapes/convexity.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include <whisker/editing/mesh_report.hpp>
#include <whisker/geometry/predicates.hpp>

#include "geometry/solid_angle.hpp"
#include "shapes/mesh_storage.hpp"

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

/// An edge of a triangle, from its lower vertex number to its higher one, and the opposite corner.
struct Side {
  std::uint32_t low, high;
  std::uint32_t triangle;
  std::uint32_t across;
};

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
  std::vector<Side> sides;
  sides.reserve(3 * mesh.triangles.size());
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t a = first[mesh.triangles[i][k]];
      const std::uint32_t b = first[mesh.triangles[i][(k + 1) % 3]];
      sides.push_back({std::min(a, b), std::max(a, b), static_cast<std::uint32_t>(i), mesh.triangles[i][(k + 2) % 3]});
    }
  }
  std::sort(sides.begin(), sides.end(), [](const Side& p, const Side& q) {
    return p.low != q.low ? p.low < q.low : p.high != q.high ? p.high < q.high : p.triangle < q.triangle;
  });
  if (sides.size() % 2 != 0) return {};
  for (std::size_t i = 0; i < sides.size(); i += 2) {
    const Side& one = sides[i];
    const Side& other = sides[i + 1];
    if (one.low != other.low || one.high != other.high) return {};
    if (i + 2 < sides.size() && sides[i + 2].low == one.low && sides[i + 2].high == one.high) return {};
    const Index3& t = mesh.triangles[one.triangle];
    const Vector3& across = mesh.vertices[other.across];
    if (orient3d(mesh.vertices[t[0]], mesh.vertices[t[1]], mesh.vertices[t[2]], across) > 0) return {};
  }
  return inside;
}

const std::optional<Vector3>& Mesh::Storage::convex_middle() const {
  return convex_middle_.get([&] { return middle_of_convex(data); });
}

}  // namespace whisker
