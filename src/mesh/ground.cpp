#include "mesh/ground.hpp"

#include <algorithm>
#include <optional>

#include "geometry/constants.hpp"
#include "mesh/ground_parts.hpp"

namespace whisker::mesh {

using convex::SimpleShape;

namespace {

template <class Body>
bool body_touches(const PlacedField& field, const Body& body, PairCache* cache, Cost& cost) {
  if (body.touches_surface(field, cache, cost)) return true;
  const Ground ground(field);
  if (held_piece(ground, body)) return true;
  const double margin = wall_error(scene_size(field, body));
  return body.with_side(Vector3::Zero(), ground.frame,
                        [&](const auto& side) { return walls_near(ground, side, margin, cost); });
}

template <class Body>
void add_body_contacts(const PlacedField& field, const Body& body, const ContactOptions& options, Contacts& result) {
  const std::size_t begin = result.pairs.size();
  body.surface_contacts(field, options, result);
  const Ground ground(field);
  if (result.pairs.size() == begin) {
    if (const std::optional<Vector3> point = held_piece(ground, body)) {
      add_contact({}, at_point(*point), options, result);
      return;
    }
  }
  // All walls are one feature.
  const double margin = options.margin + wall_error(scene_size(field, body));
  Aabb box = body.box_around(Vector3::Zero(), ground.frame);
  grow(box, margin * (1 + 1e-8));
  double nearest = infinity;
  Vector3 point = Vector3::Zero();
  ground.any_wall(box, [&](const Triangle& wall) {
    const Distance found = body.triangle_distance(wall, Vector3::Zero(), std::min(nearest, margin));
    result.cost += found.cost;
    if (found.lower < nearest) {
      nearest = found.lower;
      point = found.point_a;
    }
    return nearest == 0;
  });
  if (nearest <= margin) add_contact({}, at_point(point), options, result);
}

template <class Body>
Distance body_distance(const PlacedField& field, const Body& body, const DistanceOptions& options) {
  const Ground ground(field);
  if (const std::optional<Vector3> point = held_piece(ground, body)) return distance_at(*point, {});
  Cost cost;
  Distance result = ground_distance(ground, body, Vector3::Zero(), options, cost);
  result.cost = cost;
  return result;
}

/// A half-space or plane that does not touch the surface, of which `toward` is the direction to it.
struct FlatBelow {
  bool is_met = false;  // the ground goes on into it, or this is not certain
  Vector3 point = Vector3::Zero();

  FlatBelow(const PlacedField& placed, const SimpleShape& flat, const Vector3& toward) {
    const Vector3 normal = flat.normal / flat.normal.cwiseAbs().maxCoeff();
    const Vector3 up = up_of(placed.pose);
    const Vector3 terms = normal.cwiseProduct(up);
    const double uncertain = terms.isZero(0) ? 0 : 0x1p-50;  // six roundings of numbers below 1
    const double steep = normal.dot(toward) < 0 ? terms.sum() : -terms.sum();
    is_met = terms.isZero(0) ? false : steep > -uncertain;
    const Vector3 vertex = geometry::placed_point(placed.pose, placed.field.vertex(0, 0));
    point = vertex;
    if (steep > uncertain) {
      const double scale = flat.normal.cwiseAbs().maxCoeff();
      const double above = normal.dot(vertex - flat.pose.translation()) - flat.offset / scale;
      const Vector3 below = vertex - up * (std::abs(above) / steep);
      if (below.allFinite()) point = below;
    }
  }
};

}  // namespace

bool ground_holds(const PlacedField& ground, const Vector3& point) {
  return Ground(ground).holds(point);
}

bool touches_ground_simple(const PlacedField& a, const SimpleShape& b, PairCache* cache, Cost& cost) {
  if (b.is_bounded()) return body_touches(a, GroundBody(b), cache, cost);
  if (touches_field_simple(a, b, cache, cost)) return true;
  return FlatBelow(a, b, distance_field_simple(a, b, {}).normal).is_met;
}
bool touches_ground_mesh(const PlacedField& a, const PlacedMesh& b, PairCache* cache, Cost& cost) {
  return body_touches(a, GroundBody(b), cache, cost);
}
bool touches_ground_field(const PlacedField& a, const PlacedField& b, PairCache* cache, Cost& cost) {
  return body_touches(a, FieldBody{b}, cache, cost);
}

void contacts_ground_simple(const PlacedField& a, const SimpleShape& b, const ContactOptions& options,
                            Contacts& result) {
  if (b.is_bounded()) return add_body_contacts(a, GroundBody(b), options, result);
  const std::size_t begin = result.pairs.size();
  contacts_field_simple(a, b, options, result);
  if (result.pairs.size() > begin) return;
  const FlatBelow below(a, b, distance_field_simple(a, b, {}).normal);
  if (below.is_met) add_contact({}, at_point(below.point), options, result);
}
void contacts_ground_mesh(const PlacedField& a, const PlacedMesh& b, const ContactOptions& options, Contacts& result) {
  add_body_contacts(a, GroundBody(b), options, result);
}
void contacts_ground_field(const PlacedField& a, const PlacedField& b, const ContactOptions& options,
                           Contacts& result) {
  add_body_contacts(a, FieldBody{b}, options, result);
}

Distance distance_ground_simple(const PlacedField& a, const SimpleShape& b, const DistanceOptions& options) {
  if (b.is_bounded()) return body_distance(a, GroundBody(b), options);
  const Distance surface = distance_field_simple(a, b, {});
  if (!(surface.lower > 0)) return surface;
  const FlatBelow below(a, b, surface.normal);
  return below.is_met ? distance_at(below.point, surface.cost) : surface;
}
Distance distance_ground_mesh(const PlacedField& a, const PlacedMesh& b, const DistanceOptions& options) {
  return body_distance(a, GroundBody(b), options);
}
Distance distance_ground_field(const PlacedField& a, const PlacedField& b, const DistanceOptions& options) {
  return body_distance(a, FieldBody{b}, options);
}

}  // namespace whisker::mesh
