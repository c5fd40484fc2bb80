// Queries of sphere bodies.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <vector>

#include <whisker/error.hpp>
#include <whisker/spheres/sphere_contacts.hpp>
#include <whisker/spheres/sphere_query.hpp>

#include "geometry/constants.hpp"
#include "geometry/lease.hpp"
#include "geometry/raw_pose.hpp"
#include "queries/pair_algorithms.hpp"
#include "queries/table.hpp"
#include "spheres/body_nodes.hpp"
#include "spheres/contact_front.hpp"

namespace whisker {

namespace queries {

Distance distance_of_ball(const Placed& placed, const Vector3& center, double radius) {
  return algorithms(placed.shape.kind(), ShapeKind::sphere)
      .distance(placed, {Sphere{radius}, geometry::raw_pose(center)}, {});
}

}  // namespace queries

namespace {

/// How many operations `touches` spends on the spheres before it tests the triangles.
constexpr std::uint64_t touch_operations = 4096;

/// Whether the two touch, if the spheres alone can tell.
std::optional<bool> touches_by_spheres(const Placed& a, const Placed& b, Cost& cost) {
  geometry::Lease<SphereQuery> lease;
  SphereQuery& query = *lease;
  query.restart(a, b);
  // In steps, to stop as soon as the bounds decide.
  constexpr std::uint64_t step = 256;
  Stop stop = Stop::budget;
  while (stop == Stop::budget && query.lower() == 0 && query.upper() > 0 && query.operations() < touch_operations)
    stop = query.advance({.budget = std::min(step, touch_operations - query.operations())}, {.exact = false});
  cost.volume_updates += query.updates();
  cost.volume_tests += query.tests();
  if (query.lower() > 0) return false;
  if (query.upper() == 0) return true;
  return {};
}

/// Calls `ask(algorithms, a, b)` for the solids of bodies; a may be another shape.
template <class Ask>
auto ask_solids(const Placed& a, const Placed& b, const Ask& ask) {
  const auto* const body_a = a.shape.as<SphereBody>();
  const Shape solid_a = body_a != nullptr ? body_a->mesh() : a.shape, solid_b = b.shape.as<SphereBody>()->mesh();
  return ask(queries::algorithms(solid_a, solid_b), Placed(solid_a, a.pose), Placed(solid_b, b.pose));
}

}  // namespace

namespace queries {

bool AnyBody::touches(const Placed& a, const Placed& b, PairCache*, Cost& cost) {
  if (const std::optional<bool> known = touches_by_spheres(a, b, cost)) return *known;
  return ask_solids(a, b,
                    [&](const auto& pair, const auto& x, const auto& y) { return pair.touches(x, y, nullptr, cost); });
}

void AnyBody::contacts(const Placed& a, const Placed& b, const ContactOptions& options, Contacts& result) {
  ask_solids(a, b, [&](const auto& pair, const auto& x, const auto& y) { pair.contacts(x, y, options, result); });
}

Distance AnyBody::distance(const Placed& a, const Placed& b, const DistanceOptions& options) {
  geometry::Lease<SphereQuery> lease;
  SphereQuery& query = *lease;
  query.restart(a, b);
  const Stop stop = query.advance({.budget = options.budget}, {.tolerance = options.tolerance});
  Distance result = query.result();
  result.stop = stop;
  return result;
}

Depth AnyBody::depth(const Placed& a, const Placed& b, const DepthOptions& options) {
  return ask_solids(a, b, [&](const auto& pair, const auto& x, const auto& y) { return pair.depth(x, y, options); });
}

Distance AnyBody::signed_distance(const Placed& a, const Placed& b, const SignedDistanceOptions& options) {
  return ask_solids(
      a, b, [&](const auto& pair, const auto& x, const auto& y) { return pair.signed_distance(x, y, options); });
}

}  // namespace queries

// --- contacts ----------------------------------------------------------------------------------------------------

namespace {

struct PairMemory {
  spheres::BodyNodes a, b;
  spheres::ContactFront front;
};

void contacts_of_bodies(const Placed& a, const Placed& b, const SphereContactOptions& options, SphereContacts& result) {
  geometry::Lease<PairMemory> lease;
  PairMemory& memory = *lease;
  memory.a.set(*a.shape.as<SphereBody>());
  memory.b.set(*b.shape.as<SphereBody>());
  spheres::PlacedNodes nodes[] = {memory.a.place(a.pose), memory.b.place(b.pose)};
  result.cost = {.volume_tests = 1, .volume_updates = 2};
  if (spheres::measure(nodes[0], 0, nodes[1], 0).gap > 0) return;
  spheres::ContactFront& front = memory.front;
  front.begin(nodes);
  front.add(0, 1, 0);
  result.stop = front.advance({.budget = options.budget, .seconds = options.seconds});
  result.cost.volume_updates += front.updates();
  result.cost.volume_tests += front.tests();
  const auto add = [&](std::uint32_t i, std::uint32_t j) -> SphereContact& {
    SphereContact& contact = result.pairs.emplace_back();
    spheres::set_contact(nodes[0], i, nodes[1], j, contact);
    return contact;
  };
  front.each_entry([&](const spheres::FrontEntry& entry, bool is_open) {
    if (is_open && options.open == OpenSpheres::penetration) return;
    add(entry.a, entry.b).is_open = is_open;
  });
  if (front.state(0) == SpherePairState::inside) add(0, 0).error = 0;
}

/// A sphere that is not proven apart from the shape, and the distance of its center from the shape.
struct OpenSphere {
  std::uint32_t node;
  Distance apart;
};

struct ShapeMemory {
  spheres::BodyNodes body;
  std::vector<OpenSphere> open;  // first in, first out
};

bool has_depth(const Shape& shape) {
  if (shape.as<Compound>() != nullptr) return false;
  const auto* mesh = shape.as<Mesh>();
  return mesh == nullptr || mesh->is_solid();
}

/// The volume of the part of a ball beyond a plane, where `depth` is how much of its diameter is beyond the plane.
double cap_volume(double radius, double depth) {
  const double height = std::min(depth, 2 * radius);
  return 1.04719755119659774615 * height * height * (3 * radius - height);  // a third of pi
}

SphereContact contact_with_shape(const Placed& a, const spheres::PlacedNodes& nodes, std::uint32_t i,
                                 const Distance& apart) {
  const double radius = nodes.radius[i];
  SphereContact contact{.sphere_a = SphereBody::none,
                        .sphere_b = i,
                        .point = apart.point_a,
                        .normal = apart.normal,
                        .depth = std::max(radius - apart.value(), 0.0),
                        .error = nodes.body->protrusion(i) + nodes.slack};
  if (apart.lower == 0) {
    const Vector3 center = spheres::world_center(nodes, i);
    contact.point = center;
    contact.normal = Vector3::Zero();
    contact.depth = radius;
    if (has_depth(a.shape)) {
      const Depth deep = queries::algorithms(a.shape.kind(), ShapeKind::sphere)
                             .depth(a, {Sphere{radius}, geometry::raw_pose(center)}, DepthOptions{});
      contact.normal = deep.normal;
      contact.depth = std::min(deep.upper, max_coordinate);
    }
  }
  contact.weight = cap_volume(radius, contact.depth);
  return contact;
}

void contacts_with_shape(const Placed& a, const Placed& b, const SphereContactOptions& options,
                         SphereContacts& result) {
  using Clock = std::chrono::steady_clock;
  const bool is_timed = options.seconds < infinity;
  const Clock::time_point start = is_timed ? Clock::now() : Clock::time_point();

  geometry::Lease<ShapeMemory> lease;
  ShapeMemory& memory = *lease;
  const SphereBody& body = *b.shape.as<SphereBody>();
  memory.body.set(body);
  spheres::PlacedNodes nodes = memory.body.place(b.pose);
  memory.open.clear();
  const auto look_at = [&](std::uint32_t i) {
    const Distance apart = queries::distance_of_ball(a, spheres::world_center(nodes, i));
    if (apart.lower - (nodes.radius[i] + nodes.slack) > 0) return;
    if (nodes.child_count[i] != 0) {
      memory.open.push_back({i, apart});
    } else {
      result.pairs.push_back(contact_with_shape(a, nodes, i, apart));
    }
  };
  result.cost = {.volume_tests = 1, .volume_updates = 1};
  look_at(0);
  if (memory.open.empty()) return;
  std::uint64_t left = options.budget;
  std::size_t next = 0;
  for (; next < memory.open.size(); ++next) {
    const std::uint32_t node = memory.open[next].node, count = nodes.child_count[node];
    const bool is_late = is_timed && !(std::chrono::duration<double>(Clock::now() - start).count() < options.seconds);
    if (count > left || is_late) {
      result.stop = Stop::budget;
      break;
    }
    left -= count;
    result.cost.volume_updates += spheres::place_children(nodes, node);
    result.cost.volume_tests += count;
    for (std::uint32_t c = nodes.first_child[node]; c < nodes.first_child[node] + count; ++c)
      look_at(c);
  }
  if (result.stop == Stop::budget && options.open == OpenSpheres::repulsion) {
    for (; next < memory.open.size(); ++next) {
      const OpenSphere& open = memory.open[next];
      result.pairs.push_back(contact_with_shape(a, nodes, open.node, open.apart));
      result.pairs.back().is_open = true;
    }
  }
  if (result.stop == Stop::budget || !result.pairs.empty()) return;
  // All spheres are apart from the shape, but the shape may lie inside the solid.
  const Distance held = queries::algorithms(a.shape.kind(), ShapeKind::mesh)
                            .distance(a, {body.mesh(), b.pose}, DistanceOptions{.upper_bound = 0});
  result.cost.primitive_tests += held.cost.volume_tests + held.cost.primitive_tests;
  if (held.lower > 0) return;
  result.pairs.push_back(contact_with_shape(a, nodes, 0, memory.open.front().apart));
  result.pairs.back().error = held.upper;
}

}  // namespace

void sphere_contacts(const Placed& a, const Placed& b, const SphereContactOptions& options, SphereContacts& result) {
  if (std::isnan(options.seconds)) throw Error("sphere_contacts: the seconds are NaN");
  if (b.shape.as<SphereBody>() == nullptr) throw Error("sphere_contacts: the second shape must be a SphereBody");
  result.pairs.clear();
  result.stop = Stop::exact;
  if (a.shape.as<SphereBody>() != nullptr) {
    contacts_of_bodies(a, b, options, result);
  } else {
    contacts_with_shape(a, b, options, result);
  }
}

SphereContacts sphere_contacts(const Placed& a, const Placed& b, const SphereContactOptions& options) {
  SphereContacts result;
  sphere_contacts(a, b, options, result);
  return result;
}

}  // namespace whisker
