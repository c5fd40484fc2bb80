// The depth of shapes in the ground under a height field. Lower bound: a translation that frees the shape moves each of
// its points out of the ground, and the ball around a point farther by the ball's radius. It also separates the shape
// from each single triangle. Upper bound: a translation after which neither the surface nor a wall touches the shape,
// grown by all rounding errors, and a point of the shape is not in the ground.

#include <algorithm>
#include <vector>

#include "geometry/constants.hpp"
#include "geometry/unit_vector.hpp"
#include "mesh/ground.hpp"
#include "mesh/ground_parts.hpp"
#include "mesh/separation_search.hpp"

namespace whisker::mesh {

using convex::SimpleShape;

namespace {

/// What is known of the pair before any translation is tried.
struct Findings {
  double lower = 0;
  bool in_ground = false;           // some point of the body is
  std::vector<Vector3> directions;  // in which the body may leave
};

/// Measures how deep a corner is in the ground, including the radius around it. Returns true if it is the deepest so
/// far.
bool measure_corner(const Ground& ground, const Vector3& corner, double radius, double error, Cost& cost,
                    Findings& known) {
  const bool inside = ground.holds(corner);
  known.in_ground = known.in_ground || inside;
  if (!inside && radius == 0) return false;
  const SimpleShape point = convex::simple_point(corner);
  Distance found;
  if (inside) {
    // Only a corner deeper than the deepest one so far matters.
    found = distance_field_simple(ground.placed, point, {.close_enough = known.lower - radius});
    cost += found.cost;
  } else {
    found = ground_distance(ground, GroundBody(point), Vector3::Zero(), {.upper_bound = radius}, cost);
    if (found.upper == infinity) return false;
  }
  const double lower = inside ? std::min(found.lower, ground.wall_clearance(corner)) + radius * (1 - 0x1p-50)
                              : radius - found.upper * (1 + 0x1p-50);
  // Covers the rounding of the sums of two lengths.
  const double certain = lower - 0x1p-50 * (radius + found.upper) - error;
  if (!(certain > known.lower) && !known.directions.empty()) return false;
  known.lower = std::max(known.lower, certain);
  const Vector3 way = geometry::unit_vector(inside ? Vector3(found.point_a - corner) : Vector3(corner - found.point_a));
  if (!way.isZero(0)) known.directions.push_back(way);
  return true;
}

/// Calls `visit` for the unit normals, on the upper side, of some of the triangles that touch.
template <class Visit>
void each_upward_normal(const Ground& ground, const Contacts& touching, Visit&& visit) {
  constexpr std::size_t max_ground_normals = 24;
  const auto& [field, pose] = ground.placed;
  const Vector3 up = geometry::unit_vector(up_of(pose));
  for (std::size_t i = 0; i < touching.pairs.size(); i += 1 + touching.pairs.size() / max_ground_normals) {
    const Triangle t = geometry::placed_triangle(pose, field.triangle(touching.pairs[i].a.id));
    const Vector3 normal = geometry::unit_normal(t.a, t.b, t.c);
    if (!normal.isZero(0)) visit(normal.dot(up) < 0 ? Vector3(-normal) : normal);
  }
}

/// Measures the points of a convex core that reach deepest: along down, into the triangles that the core touches, and
/// against the exit directions found on the way.
void measure_extremes(const Ground& ground, const GroundBody& body, const Contacts& touching, Cost& cost,
                      Findings& known) {
  const auto look_along = [&](const Vector3& direction) {
    const Vector3 point = convex::farthest_point(body.simple(), direction);
    return measure_corner(ground, point, 0, body.corner_error(), cost, known);
  };
  const auto descend = [&](const Vector3& direction) {
    constexpr int max_steps = 16;
    bool deeper = look_along(direction);
    for (int step = 0; deeper && step < max_steps && !known.directions.empty(); ++step)
      deeper = look_along(-known.directions.back());
  };
  descend(-geometry::unit_vector(up_of(ground.placed.pose)));
  each_upward_normal(ground, touching, [&](const Vector3& normal) { descend(-normal); });
}

Depth depth_in_ground(const Ground& ground, const GroundBody& body, const Contacts& touching, Findings& known) {
  const Vector3 up = geometry::unit_vector(up_of(ground.placed.pose));
  const HeightField& field = ground.placed.field;
  Depth result;
  Cost& cost = result.cost;
  const double size = scene_size(ground.placed, body);

  const auto in_ground = [&](const Vector3& by) {
    return body.any_piece(by, [&](const Vector3& point) { return ground.holds(point); });
  };
  const auto is_free = [&](const Vector3& by) {
    // A moved corner is off by one ulp, a wall's corner by a few.
    const double margin = 0x1p-45 * (size + by.cwiseAbs().maxCoeff()) + body.piece_error();
    if (in_ground(by)) return false;
    return body.with_side(by, ground.frame, [&](const auto& side) {
      return !surface_near(ground, side, margin, cost) && !walls_near(ground, side, margin, cost);
    });
  };

  each_upward_normal(ground, touching, [&](const Vector3& normal) { known.directions.push_back(normal); });
  for (const int axis : {0, 1}) {
    const Vector3 side = geometry::unit_vector(ground.placed.pose.rotation().col(axis));
    known.directions.push_back(side);
    known.directions.push_back(-side);
  }
  const Aabb box = body.box_around(Vector3::Zero(), ground.frame);
  Separation best;
  const double lift = (field.bounds().upper[2] - box.lower[2]) * (1 + 1e-8) + 0x1p-40 * size;
  improve(best, up, std::max(lift, 0x1p-40 * size), known.lower, is_free);
  for (const Vector3& direction : known.directions)
    if (direction.allFinite() && !direction.isZero(0)) improve(best, direction, infinity, known.lower, is_free);

  const auto gap = [&](const Vector3& by) {
    return in_ground(by) ? Distance() : ground_distance(ground, body, by, {}, cost);
  };
  set_depth(best, known.lower, 0x1p-46 * (size + best.length) + body.piece_error(), gap, result);
  return result;
}

constexpr std::size_t max_walls = 32;  // whose own depths are measured

/// `touching` are the contacts of the field and the body.
Depth body_depth(const PlacedField& field, const GroundBody& body, const Contacts& touching) {
  const Ground ground(field);
  Findings known;
  Cost cost = touching.cost;
  if (body.is_convex_core()) measure_extremes(ground, body, touching, cost, known);
  body.each_corner(
      [&](const Vector3& corner) { measure_corner(ground, corner, body.radius(), body.corner_error(), cost, known); });
  const double margin = wall_error(scene_size(field, body));
  if (!body.is_mesh()) {
    // A translation that frees the shape also separates it from each single triangle.
    for (const Contact& contact : touching.pairs) {
      const SimpleShape triangle = triangle_item(field.pose, field.field.triangle(contact.a.id), contact.a.id);
      known.lower = std::max(known.lower, convex::depth_simple_simple(triangle, body.simple()).lower);
      ++cost.primitive_tests;
    }
    std::size_t left = max_walls;
    ground.any_wall(body.box_around(Vector3::Zero(), ground.frame), [&](const Triangle& wall) {
      const Depth out = convex::depth_simple_simple(convex::simple_triangle(wall), body.simple());
      ++cost.primitive_tests;
      known.lower = std::max(known.lower, out.lower - margin);
      if (out.has_points()) known.directions.push_back(out.normal);
      return --left == 0;
    });
  }
  const auto near_walls = [&] {
    return body.with_side(Vector3::Zero(), ground.frame,
                          [&](const auto& side) { return walls_near(ground, side, margin, cost); });
  };
  Depth result;
  if (!touching.pairs.empty() || known.in_ground || near_walls()) {
    result = depth_in_ground(ground, body, touching, known);
  }
  result.cost += cost;
  return result;
}

/// How far the field's vertices reach into a half-space. This is also how far the ground reaches into it, if the ground
/// does not go on below.
Depth deepest_vertex(const PlacedField& placed, const SimpleShape& half_space) {
  const HeightField& field = placed.field;
  const Vector3 inward = -geometry::unit_vector(half_space.normal);
  double most = -infinity;
  double size = 0;
  const auto each_vertex = [&](auto&& visit) {
    for (std::size_t j = 0; j < field.rows(); ++j)
      for (std::size_t i = 0; i < field.columns(); ++i)
        visit(geometry::placed_point(placed.pose, field.vertex(i, j)));
  };
  each_vertex([&](const Vector3& point) {
    most = std::max(most, inward.dot(point));
    size = std::max(size, point.lpNorm<1>());
  });
  // Plain doubles find the candidate vertices. Each candidate is then measured with its rounding accounted for.
  const double near = most - 0x1p-47 * size;
  Depth deepest;
  each_vertex([&](const Vector3& point) {
    if (inward.dot(point) >= near) include_corner(point, half_space, deepest);
  });
  return deepest;
}

/// A half-space, all points below its border, against the ground. The ground must be moved to above the border, which
/// is possible only if the ground does not extend into the half-space without end.
Depth ground_in_half_space(const PlacedField& placed, const SimpleShape& half_space) {
  const Vector3 normal = half_space.normal / half_space.normal.cwiseAbs().maxCoeff();
  const Vector3 terms = normal.cwiseProduct(up_of(placed.pose));
  const double steep = terms.sum();
  const double uncertain = terms.isZero(0) ? 0 : 0x1p-50;  // six roundings of numbers below 1
  const Depth found = deepest_vertex(placed, half_space);
  if (steep <= -uncertain) return found;
  const bool is_endless = steep > uncertain;
  // No exit direction and no points.
  return {.lower = is_endless ? infinity : found.lower,
          .upper = infinity,
          .stop = is_endless ? Stop::exact : Stop::limit,
          .cost = found.cost};
}

}  // namespace

Depth depth_ground_simple(const PlacedField& a, const SimpleShape& b, const DepthOptions&) {
  if (!b.is_bounded()) {
    return flat_depth(b, [&](const SimpleShape& half_space) { return ground_in_half_space(a, half_space); });
  }
  Contacts touching;
  contacts_field_simple(a, b, {.segments = false}, touching);
  return body_depth(a, GroundBody(b), touching);
}

Depth depth_ground_mesh(const PlacedField& a, const PlacedMesh& b, const DepthOptions&) {
  require_solid(b.mesh);
  Contacts touching;
  contacts_field_mesh(a, b, {.segments = false}, touching);
  return body_depth(a, GroundBody(b), touching);
}

}  // namespace whisker::mesh
