#include "mesh/containment.hpp"

#include "convex/certificate.hpp"
#include "convex/simple_convex.hpp"
#include "geometry/place.hpp"
#include "geometry/placed_box.hpp"
#include "mesh/surface_distance.hpp"
#include "shapes/mesh_storage.hpp"

namespace whisker::mesh {

bool is_inside(const PlacedMesh& solid, const Vector3& point) {
  return solid.mesh.is_solid() && geometry::placed_box(solid.mesh.bounds(), solid.pose).contains(point) &&
         winding_number(solid, point) != 0;
}

Vector3 some_point(const convex::SimpleShape& shape) {
  if (shape.core == convex::SimpleShape::Core::box) return shape.pose.translation();
  if (shape.core == convex::SimpleShape::Core::convex)
    return geometry::placed_point(shape.pose, shape.convex->middle);  // the origin for a cylinder, cone or ellipsoid
  if (!shape.has_tails()) return shape.corners.a;
  // A capsule's ends are generally not representable as doubles, but its center is.
  const convex::Corners ends = convex::corners_of(shape);
  return geometry::to_vector3((ends.a + ends.b) * 0.5);
}

bool holds(const PlacedMesh& solid, const convex::SimpleShape& shape) {
  if (!shape.is_bounded() || !solid.mesh.is_solid()) return false;
  const Vector3 point = some_point(shape);
  if (is_inside(solid, point)) return true;
  if (shape.core != convex::SimpleShape::Core::convex || !(shape.convex->middle_error > 0)) return false;
  const double error = shape.convex->middle_error + 0x1p-48 * convex::magnitude(shape);
  Cost cost;
  return touching_triangle(solid, convex::simple_point(point, error), no_guess, cost).has_value();
}

namespace {

// Returns a point of the other mesh that is inside the solid. The two surfaces must not touch.
std::optional<Vector3> held_point(const PlacedMesh& solid, const PlacedMesh& other) {
  if (!solid.mesh.is_solid()) return {};
  const Aabb box = geometry::placed_box(solid.mesh.bounds(), solid.pose);
  if (!box.overlaps(geometry::placed_box(other.mesh.bounds(), other.pose))) return {};
  for (const std::uint32_t vertex : storage_of(other.mesh).part_vertices()) {
    const Vector3 point = geometry::placed_point(other.pose, other.mesh.vertices()[vertex]);
    if (is_inside(solid, point)) return point;
  }
  return {};
}

}  // namespace

// Returns a point of both meshes if one mesh, or a part of it, lies inside the other. The surfaces must not touch.
std::optional<Vector3> shared_point(const PlacedMesh& a, const PlacedMesh& b) {
  if (const std::optional<Vector3> point = held_point(a, b)) return point;
  return held_point(b, a);
}

}  // namespace whisker::mesh
