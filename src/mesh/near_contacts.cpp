#include "mesh/near_contacts.hpp"

#include <type_traits>

#include "convex/simple_convex.hpp"
#include "convex/simple_distance.hpp"
#include "geometry/constants.hpp"
#include "mesh/results.hpp"
#include "mesh/side_walk.hpp"
#include "mesh/walk_side_kinds.hpp"
#include "shapes/kind_traits.hpp"

namespace whisker::mesh {
namespace {

using convex::SimpleShape;

template <class SideA, class SideB>
bool near_items(const SideA& a, const SideB& b, double reach, double share, const ContactOptions& options,
                Contacts& result) {
  constexpr bool whole_b = std::is_base_of_v<SingleLeaf, SideB>;
  bool any = false, full = false;
  const auto look_at = [&](const SimpleShape& item_a, const SimpleShape& item_b) {
    if (full) return;
    if constexpr (!whole_b) {
      const double gap =
          geometry::box_gap(geometry::triangle_bounds(item_a.corners), geometry::triangle_bounds(item_b.corners));
      if (gap > reach) return;
    }
    ++result.cost.primitive_tests;
    const Distance found = convex::distance_within(item_a, item_b, reach);
    if (found.lower > reach) return;
    any = true;
    full = is_full(result, options);
    if (full) return;
    Contact contact;
    contact.a = triangle_feature(item_a.number);
    if (!whole_b) contact.b = triangle_feature(item_b.number);
    if (options.segments) {
      const Vector3 point = found.point_a + (found.point_b - found.point_a) * share;
      contact.segment = {point, point};
    }
    result.pairs.push_back(contact);
  };
  walk_sides(
      a, b, result.cost, no_budget, [&](double gap) { return gap <= reach; },
      [&](const auto& node_a, const auto& node_b, double) {
        a.each_item(node_a, [&](const SimpleShape& item_a) {
          b.each_item(node_b, [&](const SimpleShape& item_b) { look_at(item_a, item_b); });
        });
        return full;
      });
  return any;
}

/// Calls `use` with the side of a mesh or height field.
template <class Use>
bool with_surface(const Placed& placed, const CullFrame& frame, const Use& use) {
  if (const auto* mesh = placed.shape.as<Mesh>()) return use(SurfaceSide({*mesh, placed.pose}, frame));
  return use(FieldSide({*placed.shape.as<HeightField>(), placed.pose}, frame));
}

}  // namespace

bool near_contacts(const Placed& a, const Placed& b, double reach, double share, const ContactOptions& options,
                   Contacts& result) {
  const CullFrame frame(a.pose);
  return with_surface(a, frame, [&](const auto& side_a) {
    const auto look = [&](const auto& side_b) { return near_items(side_a, side_b, reach, share, options, result); };
    const auto look_at = [&](const SimpleShape& shape) {
      return shape.is_bounded() ? look(BoundedSide(shape, frame)) : look(FlatSide(shape, frame));
    };
    const shapes::KindTraits& traits = shapes::traits_of(b.shape);
    if (!traits.is_convex) return with_surface(b, frame, look);
    if (traits.is_simple) return look_at(convex::place_simple(b.shape, b.pose));
    const convex::ConvexCore core(b.shape);
    return look_at(convex::simple_convex(core, b.pose));
  });
}

}  // namespace whisker::mesh
