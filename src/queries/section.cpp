// The curves in which a plane cuts a surface.

#include "mesh/section.hpp"

#include <whisker/mesh_queries.hpp>

#include "geometry/place.hpp"
#include "queries/check_query.hpp"
#include "queries/leaves.hpp"

namespace whisker {

std::vector<Polyline> section(const Placed& surface, const Placed& plane, Cost* given_cost) {
  if (plane.shape.as<Plane>() == nullptr) queries::refuse_kind("section", plane.shape, "a Plane as its second shape");
  queries::check_is_surface("section", surface.shape);
  const convex::SimpleShape cutting = convex::place_simple(plane.shape, plane.pose);
  Cost unused;
  Cost& cost = given_cost != nullptr ? *given_cost : unused;
  std::vector<Polyline> curves;
  queries::any_leaf(surface.shape, surface.pose, [&](const Shape& leaf, const Pose& pose) {
    if (const Mesh* const mesh = leaf.as<Mesh>()) {
      mesh::section_mesh({*mesh, pose}, cutting, cost, curves);
    } else if (const HeightField* const field = leaf.as<HeightField>()) {
      mesh::section_field({*field, pose}, cutting, cost, curves);
    } else {
      mesh::section_triangle(geometry::placed_triangle(pose, *leaf.as<Triangle>()), cutting, cost, curves);
    }
    return false;
  });
  return curves;
}

}  // namespace whisker
