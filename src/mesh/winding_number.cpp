#include <cmath>
#include <numbers>

#include "geometry/place.hpp"
#include "mesh/mesh_queries.hpp"

namespace whisker::mesh {

int winding_number(const PlacedMesh& mesh, const Vector3& point) {
  // The solid angles of all triangles seen from the point, by Van Oosterom and Strackee (1983):
  // tan(angle/2) = a·(b×c) / (|a||b||c| + (a·b)|c| + (b·c)|a| + (c·a)|b|). They sum to 4π per turn.
  double half_angles = 0;
  for (std::size_t i = 0; i < mesh.mesh.triangle_count(); ++i) {
    const Triangle triangle = mesh.mesh.triangle(i);
    const Vector3 a = geometry::placed_point(mesh.pose, triangle.a) - point;
    const Vector3 b = geometry::placed_point(mesh.pose, triangle.b) - point;
    const Vector3 c = geometry::placed_point(mesh.pose, triangle.c) - point;
    const double na = a.stableNorm();
    const double nb = b.stableNorm();
    const double nc = c.stableNorm();
    if (na == 0 || nb == 0 || nc == 0) continue;
    const Vector3 ua = a / na;
    const Vector3 ub = b / nb;
    const Vector3 uc = c / nc;
    half_angles += std::atan2(ua.dot(ub.cross(uc)), 1 + ua.dot(ub) + ub.dot(uc) + uc.dot(ua));
  }
  return static_cast<int>(std::lround(half_angles / (2 * std::numbers::pi)));
}

}  // namespace whisker::mesh
