#include "mesh/height_field_queries.hpp"

#include <algorithm>
#include <type_traits>

#include <whisker/geometry/triangle_tests.hpp>

#include "convex/pair_memory.hpp"
#include "convex/simple_convex.hpp"
#include "convex/simple_distance.hpp"
#include "geometry/constants.hpp"
#include "mesh/containment.hpp"
#include "mesh/results.hpp"
#include "mesh/side_contacts.hpp"
#include "mesh/side_walk.hpp"

namespace whisker::mesh {

using convex::SimpleShape;

namespace {

bool is_triangle(const SimpleShape& item) {
  return item.core == SimpleShape::Core::triangle;
}

bool items_touch(const SimpleShape& a, const SimpleShape& b) {
  return is_triangle(b) ? touches_triangle_triangle(a.corners, b.corners) : convex::touches_simple_simple(a, b);
}

// Whether the two item numbers that the caller's cache remembers belong to the sides.
template <class SideA, class SideB>
bool known(const SideA& a, const SideB& b, std::uint32_t number_a, std::uint32_t number_b) {
  return number_a < a.item_count() && number_b < b.item_count();
}

template <class SideA, class SideB>
bool sides_touch(const SideA& a, const SideB& b, PairCache* cache, Cost& cost) {
  PairMemory* const memory = memory_of(cache);
  if (memory != nullptr && known(a, b, memory->touching_a, memory->touching_b)) {
    ++cost.primitive_tests;
    if (items_touch(a.item(memory->touching_a), b.item(memory->touching_b))) return true;
  }
  return any_near_items(a, b, cost, [&](const SimpleShape& item_a, const SimpleShape& item_b) {
    if (!items_touch(item_a, item_b)) return false;
    if (memory != nullptr) {
      memory->touching_a = item_a.number;
      memory->touching_b = item_b.number;
    }
    return true;
  });
}

// Measures every pair of items that may be closer than the best so far. The boxes of all other pairs prove that those
// are farther. The items `first_a` and `first_b` give a first upper bound, so that there is one whatever the budget.
template <class SideA, class SideB>
Distance side_distance(const SideA& a, const SideB& b, std::size_t first_a, std::size_t first_b,
                       const DistanceOptions& options) {
  PairMemory* const memory = memory_of(options.cache);
  if (memory != nullptr && known(a, b, memory->closest_a, memory->closest_b)) {
    first_a = memory->closest_a;
    first_b = memory->closest_b;
  }
  Distance best;
  best.upper = infinity;
  double lower = infinity;      // of the pairs measured
  double passed_by = infinity;  // of the pairs skipped
  Cost cost;
  convex::FarPlane plane;
  const auto look_at = [&](const SimpleShape& item_a, const SimpleShape& item_b) {
    ++cost.primitive_tests;
    const bool is_convex_core = item_b.core == SimpleShape::Core::convex;
    if (is_convex_core) {
      const double gap = plane.gap(item_a.corners);
      if (gap > convex::plainly_farther(item_b, best.upper)) {
        lower = std::min(lower, gap);
        return false;
      }
    }
    const Distance found = convex::distance_within(item_a, item_b, best.upper);
    lower = std::min(lower, found.lower);
    if (found.upper < best.upper) {
      best = found;
      best.feature_a = triangle_feature(item_a.number);
      best.feature_b = is_whole<SideB> ? Feature() : triangle_feature(item_b.number);
      if (is_convex_core) plane.set(item_b, best.normal);
    }
    return best.upper == 0 || best.upper <= options.close_enough;
  };
  const auto wanted = [&](double gap) {
    const bool near = gap < best.upper - options.tolerance && gap <= options.upper_bound;
    if (!near) passed_by = std::min(passed_by, gap);
    return near;
  };
  double left = infinity;
  bool enough = look_at(a.item(first_a), b.item(first_b));
  if (enough) {
    const auto root_a = a.root();
    left = b.gap(root_a.box, b.root());
  } else {
    left = walk_sides(a, b, cost, options.budget, wanted, [&](const auto& node_a, const auto& node_b, double) {
      a.each_item(node_a, [&](const SimpleShape& item_a) {
        b.each_item(node_b, [&](const SimpleShape& item_b) {
          if (enough) return;
          if (is_triangle(item_b) && !wanted(geometry::box_gap(geometry::triangle_bounds(item_a.corners),
                                                               geometry::triangle_bounds(item_b.corners))))
            return;
          enough = look_at(item_a, item_b);
        });
      });
      return enough;
    });
  }
  best.lower = std::min({lower, passed_by, left, best.upper});
  best.cost = cost;
  if (memory != nullptr) {
    memory->closest_a = best.feature_a.id;
    memory->closest_b = best.feature_b.id;
  }
  if (best.lower > options.upper_bound) return farther_than_asked(best.lower, cost);
  if (best.upper == 0) return best;
  if (left < std::min(lower, best.upper)) {
    best.stop = enough ? Stop::tolerance : Stop::budget;
  } else if (passed_by < std::min(lower, best.upper)) {
    best.stop = Stop::tolerance;
  }
  return best;
}

// Returns a point of the field if it is inside the solid mesh. The field must not touch the mesh's surface.
std::optional<Vector3> held_point(const PlacedField& field, const PlacedMesh& mesh) {
  const Vector3 point = geometry::placed_point(field.pose, field.field.vertex(0, 0));
  if (!is_inside(mesh, point)) return {};
  return point;
}

}  // namespace

bool touches_field_simple(const PlacedField& a, const SimpleShape& b, PairCache* cache, Cost& cost) {
  const CullFrame frame(a.pose);
  const FieldSide side(a, frame);
  return b.is_bounded() ? sides_touch(side, BoundedSide(b, frame), cache, cost)
                        : sides_touch(side, FlatSide(b, frame), cache, cost);
}

bool touches_field_mesh(const PlacedField& a, const PlacedMesh& b, PairCache* cache, Cost& cost) {
  const CullFrame frame(a.pose);
  return sides_touch(FieldSide(a, frame), SurfaceSide(b, frame), cache, cost) || held_point(a, b).has_value();
}

bool touches_field_field(const PlacedField& a, const PlacedField& b, PairCache* cache, Cost& cost) {
  const CullFrame frame(a.pose);
  return sides_touch(FieldSide(a, frame), FieldSide(b, frame), cache, cost);
}

void contacts_field_simple(const PlacedField& a, const SimpleShape& b, const ContactOptions& options,
                           Contacts& result) {
  const CullFrame frame(a.pose);
  const FieldSide side(a, frame);
  if (b.is_bounded()) {
    add_contacts(side, BoundedSide(b, frame), options, result);
  } else {
    add_contacts(side, FlatSide(b, frame), options, result);
  }
}

void contacts_field_mesh(const PlacedField& a, const PlacedMesh& b, const ContactOptions& options, Contacts& result) {
  const CullFrame frame(a.pose);
  if (add_contacts(FieldSide(a, frame), SurfaceSide(b, frame), options, result)) return;
  if (const std::optional<Vector3> point = held_point(a, b)) add_contact({}, at_point(*point), options, result);
}

void contacts_field_field(const PlacedField& a, const PlacedField& b, const ContactOptions& options, Contacts& result) {
  const CullFrame frame(a.pose);
  add_contacts(FieldSide(a, frame), FieldSide(b, frame), options, result);
}

Distance distance_field_simple(const PlacedField& a, const SimpleShape& b, const DistanceOptions& options) {
  const CullFrame frame(a.pose);
  const FieldSide side(a, frame);
  if (!b.is_bounded()) return side_distance(side, FlatSide(b, frame), 0, 0, options);
  const BoundedSide single(b, frame);
  const std::size_t below = side.triangle_near(geometry::box_middle(single.bounds.box));
  return side_distance(side, single, below, 0, options);
}

Distance distance_field_mesh(const PlacedField& a, const PlacedMesh& b, const DistanceOptions& options) {
  const CullFrame frame(a.pose);
  const FieldSide side(a, frame);
  const SurfaceSide surface(b, frame);
  const std::size_t below = side.triangle_near(frame.box_around(surface.item(0)).lower);
  const Distance result = side_distance(side, surface, below, 0, options);
  if (result.upper > 0) {
    if (const std::optional<Vector3> point = held_point(a, b)) return distance_at(*point, result.cost);
  }
  return result;
}

Distance distance_field_field(const PlacedField& a, const PlacedField& b, const DistanceOptions& options) {
  const CullFrame frame(a.pose);
  const FieldSide side(a, frame);
  const FieldSide other(b, frame);
  const std::size_t middle = other.triangle_near(geometry::box_middle(b.field.bounds()));
  const std::size_t below = side.triangle_near(frame.box_around(other.item(middle)).lower);
  return side_distance(side, other, below, middle, options);
}

}  // namespace whisker::mesh
