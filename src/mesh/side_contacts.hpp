#pragma once

// The contacts of two sides of mesh::walk_sides: all pairs of items that touch or are nearer than a margin.

#include <type_traits>

#include <whisker/queries.hpp>

#include "mesh/plane_chord.hpp"
#include "mesh/results.hpp"
#include "mesh/side_walk.hpp"
#include "mesh/surface_distance.hpp"
#include "mesh/walk_side_kinds.hpp"

namespace whisker::mesh {

/// Whether a side is one feature, not a set of triangles.
template <class Side>
constexpr bool is_whole = std::is_base_of_v<SingleLeaf, Side>;

/// Adds the contacts of pairs of items that touch or are within the margin. The segments of those that do not touch are
/// left zero. With `whole_b`, items of b are not triangles.
template <bool whole_b>
struct ContactCollector {
  const ContactOptions& options;
  Contacts& result;
  bool any = false;  ///< Whether two touched.

  /// Returns true if no more pairs are wanted.
  bool add(const convex::SimpleShape& item_a, const convex::SimpleShape& item_b) {
    const Nearness nearness = nearness_of(item_a, item_b, options.margin);
    if (nearness == Nearness::far) return false;
    const bool is_touching = nearness == Nearness::touching;
    any |= is_touching;
    if (is_full(result, options)) return true;
    Contact contact;
    contact.a = triangle_feature(item_a.number);
    if (!whole_b) contact.b = triangle_feature(item_b.number);
    if (options.segments && is_touching && !whole_b) contact.segment = shared_segment(item_a.corners, item_b.corners);
    if (options.segments && is_touching && whole_b) contact.segment = shared_segment(item_a, item_b);
    result.pairs.push_back(contact);
    return false;
  }
};

/// Adds the contacts of all items that touch or are within the margin. Returns false if no two touch.
template <class SideA, class SideB>
bool add_contacts(const SideA& a, const SideB& b, const ContactOptions& options, Contacts& result) {
  ContactCollector<is_whole<SideB>> collector{options, result};
  any_near_items(
      a, b, result.cost, [&](const auto& item_a, const auto& item_b) { return collector.add(item_a, item_b); },
      options.margin);
  return collector.any;
}

}  // namespace whisker::mesh
