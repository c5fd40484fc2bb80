// Mesh against sphere, capsule, box, half-space, plane, segment and triangle, and against other convex shapes.

#include "convex/pair_memory.hpp"
#include "convex/simple_distance.hpp"
#include "mesh/containment.hpp"
#include "mesh/mesh_queries.hpp"
#include "mesh/plane_chord.hpp"
#include "mesh/results.hpp"
#include "mesh/surface_distance.hpp"

namespace whisker::mesh {

using convex::SimpleShape;

bool touches_mesh_simple(const PlacedMesh& a, const SimpleShape& b, PairCache* cache, Cost& cost) {
  PairMemory* const memory = memory_of(cache);
  const std::uint32_t guess = memory != nullptr ? memory->touching_a : no_guess;
  if (const std::optional<std::uint32_t> found = touching_triangle(a, b, guess, cost)) {
    if (memory != nullptr) memory->touching_a = *found;
    return true;
  }
  return holds(a, b);
}

void contacts_mesh_simple(const PlacedMesh& a, const SimpleShape& b, const ContactOptions& options, Contacts& result) {
  bool any = false;
  const auto visit = [&](std::uint32_t number, const SimpleShape& triangle, Nearness nearness) {
    const bool is_touching = nearness == Nearness::touching;
    any |= is_touching;
    const Segment segment = options.segments && is_touching ? shared_segment(triangle, b) : Segment{};
    return add_contact(triangle_feature(number), segment, options, result);
  };
  each_near_triangle(a, b, options.margin, result.cost, visit);
  if (!any && holds(a, b)) add_contact({}, at_point(some_point(b)), options, result);
}

Distance distance_mesh_simple(const PlacedMesh& a, const SimpleShape& b, const DistanceOptions& options) {
  const Distance result = surface_distance(a, b, options);
  if (result.upper > 0 && holds(a, b)) return distance_at(some_point(b), result.cost);
  return result;
}

}  // namespace whisker::mesh
