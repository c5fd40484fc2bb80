// The curves in which a plane cuts a surface.

#include "mesh/section.hpp"

#include <algorithm>
#include <cstdint>

#include <whisker/mesh_queries.hpp>

#include "geometry/place.hpp"
#include "queries/check_query.hpp"
#include "queries/part_search.hpp"

namespace whisker {
namespace {

/// Adds the curves of all parts in their order.
void add_curves(const Placed& surface, const convex::SimpleShape& plane, Cost& cost, std::vector<Polyline>& curves) {
  if (const auto* compound = surface.shape.as<Compound>()) {
    const queries::CompoundView view(storage_of(*compound), surface.pose);
    const mesh::FlatSide side(plane, view.frame);
    const double error = queries::part_box_error(view.compound, surface.pose);
    std::vector<std::uint32_t> near;
    cost.volume_tests += queries::visit_parts(
        view.compound,
        [&](Aabb box) {
          mesh::grow(box, error);
          return side.gap(box, {});
        },
        [](double gap) { return gap == 0; },
        [&](std::uint32_t index) {
          near.push_back(index);
          return false;
        });
    std::sort(near.begin(), near.end());
    for (const std::uint32_t index : near)
      add_curves(queries::part_of(surface, index).placed, plane, cost, curves);
    return;
  }
  if (const Mesh* const mesh = surface.shape.as<Mesh>()) {
    mesh::section_mesh({*mesh, surface.pose}, plane, cost, curves);
  } else if (const HeightField* const field = surface.shape.as<HeightField>()) {
    mesh::section_field({*field, surface.pose}, plane, cost, curves);
  } else {
    mesh::section_triangle(geometry::placed_triangle(surface.pose, *surface.shape.as<Triangle>()), plane, cost, curves);
  }
}

}  // namespace

std::vector<Polyline> section(const Placed& surface, const Placed& plane, Cost* given_cost) {
  if (plane.shape.as<Plane>() == nullptr) queries::refuse_kind("section", plane.shape, "a Plane as its second shape");
  queries::check_is_surface("section", surface.shape);
  const convex::SimpleShape cutting = convex::place_simple(plane.shape, plane.pose);
  Cost unused;
  Cost& cost = given_cost != nullptr ? *given_cost : unused;
  std::vector<Polyline> curves;
  add_curves(surface, cutting, cost, curves);
  return curves;
}

}  // namespace whisker
