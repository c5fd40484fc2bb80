#include "mesh/ground.hpp"

// The bounds on the penetration depth. Lower bound: a translation that frees the shape moves each of its points out of
// the ground, and the ball around a point farther by the ball's radius. It also separates the shape from each single
// triangle. Upper bound: a translation after which neither the surface nor a wall touches the shape, grown by all
// rounding errors, and a point of the shape is not in the ground.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include <Eigen/Geometry>

#include <whisker/geometry/interval.hpp>

#include "convex/exchange.hpp"
#include "convex/simple_convex.hpp"
#include "convex/simple_distance.hpp"
#include "geometry/constants.hpp"
#include "geometry/unit_vector.hpp"
#include "mesh/containment.hpp"
#include "mesh/depth_body.hpp"
#include "mesh/height_field_queries.hpp"
#include "mesh/results.hpp"
#include "mesh/separation_search.hpp"
#include "mesh/side_walk.hpp"

namespace whisker::mesh {

using convex::SimpleShape;

namespace {

Vector3 up_of(const Pose& pose) {
  return pose.rotation().col(2);
}

/// The ground below a placed height field.
struct Ground {
  PlacedField placed;
  CullFrame frame;

  explicit Ground(const PlacedField& field) : placed(field), frame(field.pose) {}

  /// Whether a world point is in the ground: exact.
  bool holds(const Vector3& point) const {
    return ray_height_field({point, up_of(placed.pose)}, placed.field, placed.pose).has_value();
  }

  /// A lower bound on the distance from a point of the ground to the nearest wall.
  double wall_clearance(const Vector3& point) const {
    const Vector3 local = frame.inverse * (point - frame.origin);
    const Aabb bounds = placed.field.bounds();
    const double near = std::min({local[0], bounds.upper[0] - local[0], local[1], bounds.upper[1] - local[1]});
    const double error = frame.error(largest_coordinate(placed.field) + point.cwiseAbs().maxCoeff(), placed.pose);
    return std::max(0.0, (near - 4 * error) * frame.stretch);
  }

  /// Calls `visit(triangle)` for triangles that cover the walls near a box in the frame, down to below the box, until
  /// `visit` returns true. The triangles' corners are rounded.
  template <class Visit>
  bool any_wall(const Aabb& box, Visit&& visit) const {
    const HeightField& field = placed.field;
    const Aabb bounds = field.bounds();
    const Vector3 up = up_of(placed.pose);
    const auto wall = [&](const Vector3& p, const Vector3& q) {
      const double highest = std::max(p[2], q[2]);
      if (box.lower[2] > highest) return false;
      const double down = 2 * (highest - box.lower[2]) + (box.upper[2] - box.lower[2]);
      const Vector3 a = geometry::placed_point(placed.pose, p), b = geometry::placed_point(placed.pose, q);
      const Vector3 c = a - down * up, d = b - down * up;
      return visit(Triangle{a, b, c}) || visit(Triangle{b, c, d});
    };
    const std::array<std::size_t, 2> counts = {field.columns(), field.rows()};
    const std::array<double, 2> spacings = {field.spacing_x(), field.spacing_y()};
    for (const std::size_t along : {0u, 1u}) {
      const std::size_t across = 1 - along;
      // The range of grid points whose cells the box may reach.
      const auto steps = [&](const Vector3& corner) { return corner.data()[along] / spacings[along]; };
      const std::size_t begin = clamped_steps(std::floor(steps(box.lower)) - 1, 0, counts[along] - 2);
      const std::size_t end = clamped_steps(std::ceil(steps(box.upper)) + 1, 1, counts[along] - 1);
      for (const std::size_t border : {std::size_t{0}, counts[across] - 1}) {
        const double at = border == 0 ? 0 : bounds.upper.data()[across];
        if (box.lower.data()[across] > at || box.upper.data()[across] < at) continue;
        const auto vertex = [&](std::size_t i) {
          return along == 0 ? field.vertex(i, border) : field.vertex(border, i);
        };
        for (std::size_t i = begin; i < end; ++i)
          if (wall(vertex(i), vertex(i + 1))) return true;
      }
    }
    return false;
  }
};

/// A bounded simple shape or a solid mesh, in place or moved.
struct GroundBody : DepthBody {
  using DepthBody::DepthBody;

  double size() const {
    if (!is_mesh()) return convex::magnitude(simple());
    return storage_of(mesh().mesh).oriented.coordinate + mesh().pose.translation().cwiseAbs().maxCoeff();
  }
  /// How far a corner from `each_corner` may be off the body's own corner. The corners of segments, triangles and
  /// meshes are exact.
  double corner_error() const {
    if (is_mesh()) return 0;
    if (is_convex_core()) return 0x1p-48 * size() + point_error();
    return is_box() || simple().has_tails() ? 0x1p-49 * size() : 0;
  }
  /// How far the point that represents a piece may be off the piece, not counting rounding.
  double piece_error() const { return is_convex_core() ? simple().convex->middle_error : 0; }
  /// Returns `visit(side)` for the moved body as a traversal side.
  template <class Visit>
  auto with_side(const Vector3& by, const CullFrame& frame, Visit&& visit) const {
    if (is_mesh()) {
      const Pose pose = moved_pose(by);
      return visit(SurfaceSide({mesh().mesh, pose}, frame));
    }
    const SimpleShape there = moved_simple(by);
    return visit(BoundedSide(there, frame));
  }
  Aabb box_around(const Vector3& by, const CullFrame& frame) const {
    return with_side(by, frame, [](const auto& side) { return side.root().box; });
  }
  Distance field_distance(const PlacedField& field, const Vector3& by, const DistanceOptions& options) const {
    if (!is_mesh()) return distance_field_simple(field, by.isZero(0) ? simple() : moved_simple(by), options);
    if (by.isZero(0)) return distance_field_mesh(field, mesh(), options);
    return distance_field_mesh(field, {mesh().mesh, moved_pose(by)}, options);
  }
  Distance triangle_distance(const Triangle& triangle, const Vector3& by) const {
    const SimpleShape wall = convex::simple_triangle(triangle);
    if (!is_mesh()) return convex::distance_simple_simple(wall, moved_simple(by));
    Distance found = distance_mesh_simple({mesh().mesh, moved_pose(by)}, wall, {});
    exchange(found);
    return found;
  }
  bool touches_surface(const PlacedField& field, PairCache* cache, Cost& cost) const {
    return is_mesh() ? touches_field_mesh(field, mesh(), cache, cost)
                     : touches_field_simple(field, simple(), cache, cost);
  }
  void surface_contacts(const PlacedField& field, const ContactOptions& options, Contacts& result) const {
    if (is_mesh()) return contacts_field_mesh(field, mesh(), options, result);
    contacts_field_simple(field, simple(), options, result);
  }
  /// Visits the corners of the core. For a convex core, visits points all around it.
  template <class Visit>
  void each_corner(Visit&& visit) const {
    const SimpleShape& shape = simple();
    if (is_mesh()) {
      thread_local std::vector<bool> seen;
      seen.assign(mesh().mesh.vertices().size(), false);
      for (const Index3& t : mesh().mesh.triangles()) {
        for (const std::uint32_t v : t) {
          if (seen[v]) continue;
          seen[v] = true;
          visit(placed_vertex(v));
        }
      }
    } else if (is_convex_core()) {
      for (const Vector3& point : convex::outer_points(*shape.convex))
        visit(geometry::placed_point(shape.pose, point));
    } else if (is_box()) {
      for (unsigned k = 0; k < 8; ++k) {
        Vector3 local;
        for (int i = 0; i < 3; ++i)
          local[i] = ((k >> i & 1) != 0 ? 0.5 : -0.5) * shape.box.size[i];
        visit(geometry::placed_point(shape.pose, local));
      }
    } else {
      shape.each_corner(visit);
    }
  }
  /// Whether the moved body has a piece, of which one point is tested, that `holds(point)` accepts.
  template <class Holds>
  bool any_piece(const Vector3& by, Holds&& holds) const {
    if (is_mesh()) {
      const auto& parts = storage_of(mesh().mesh).part_vertices();
      return std::any_of(parts.begin(), parts.end(), [&](std::uint32_t v) { return holds(placed_vertex(v) + by); });
    }
    const Vector3 point = is_convex_core() || is_box() ? some_point(simple()) : simple().corners.a;
    return holds(point + by);
  }

 private:
  bool is_box() const { return simple().core == SimpleShape::Core::box; }
  Vector3 placed_vertex(std::uint32_t v) const {
    return geometry::placed_point(mesh().pose, mesh().mesh.vertices()[v]);
  }
};

/// The surface of a height field, in place.
struct FieldBody {
  PlacedField placed;

  double size() const { return largest_coordinate(placed.field) + placed.pose.translation().cwiseAbs().maxCoeff(); }
  template <class Visit>
  auto with_side(const Vector3&, const CullFrame& frame, Visit&& visit) const {
    return visit(FieldSide(placed, frame));
  }
  Aabb box_around(const Vector3&, const CullFrame& frame) const { return FieldSide(placed, frame).root().box; }
  Distance field_distance(const PlacedField& field, const Vector3&, const DistanceOptions& options) const {
    return distance_field_field(field, placed, options);
  }
  Distance triangle_distance(const Triangle& triangle, const Vector3&) const {
    Distance found = distance_field_simple(placed, convex::simple_triangle(triangle), {});
    exchange(found);
    return found;
  }
  bool touches_surface(const PlacedField& field, PairCache* cache, Cost& cost) const {
    return touches_field_field(field, placed, cache, cost);
  }
  void surface_contacts(const PlacedField& field, const ContactOptions& options, Contacts& result) const {
    contacts_field_field(field, placed, options, result);
  }
  template <class Holds>
  bool any_piece(const Vector3&, Holds&& holds) const {
    return holds(geometry::placed_point(placed.pose, placed.field.vertex(0, 0)));
  }
};

/// Whether any part of the side comes within `margin` of the surface.
template <class Side>
bool surface_near(const Ground& ground, const Side& side, double margin, Cost& cost) {
  FieldSide field(ground.placed, ground.frame);
  field.error += 2 * margin;
  return any_near_items(field, side, cost, [&](const SimpleShape& triangle, const SimpleShape& item) {
    SimpleShape thick = triangle;
    thick.radius = margin;
    return convex::touches_simple_simple(thick, item);
  });
}

template <class Side>
bool walls_near(const Ground& ground, const Side& side, double margin, Cost& cost) {
  Aabb box = side.root().box;
  grow(box, 4 * margin);
  return ground.any_wall(box, [&](const Triangle& wall) {
    SimpleShape thick = convex::simple_triangle(wall);
    thick.radius = margin;
    return any_near_items(
        side, BoundedSide(thick, ground.frame), cost,
        [&](const SimpleShape& item, const SimpleShape&) { return convex::touches_simple_simple(thick, item); });
  });
}

double largest_number(const PlacedField& field) {
  return largest_coordinate(field.field) + field.pose.translation().cwiseAbs().maxCoeff();
}

/// More than the corners of a wall are off.
double wall_error(double size) {
  return 0x1p-45 * size;
}

/// How far the moved body is from the ground: from the surface or from a wall. The body must have no point in the
/// ground.
template <class Body>
Distance ground_distance(const Ground& ground, const Body& body, const Vector3& by, const DistanceOptions& options,
                         Cost& cost) {
  Distance nearest = body.field_distance(ground.placed, by, options);
  cost += nearest.cost;
  const double error = wall_error(largest_number(ground.placed) + body.size() + by.cwiseAbs().maxCoeff());
  const double reach = std::min(nearest.upper, options.upper_bound);
  // Of walls that are farther than asked, only this is known.
  if (options.upper_bound < nearest.upper)
    nearest.lower = std::min(nearest.lower, std::nextafter(options.upper_bound, infinity));
  Aabb box = body.box_around(by, ground.frame);
  grow(box, (reach + 4 * error) * (1 + 1e-8));
  ground.any_wall(box, [&](const Triangle& wall) {
    const Distance found = body.triangle_distance(wall, by);
    ++cost.primitive_tests;
    const double upper = found.upper > 0 ? found.upper + error : 0;
    const double lower = std::max(0.0, found.lower - 2 * error);
    if (upper < nearest.upper) {
      nearest.upper = upper;
      nearest.point_a = found.point_a;
      nearest.point_b = found.point_b;
      nearest.normal = lower > 0 ? found.normal : Vector3(Vector3::Zero());
      nearest.feature_a = {};
      nearest.feature_b = found.feature_b;
      nearest.stop = found.stop;
    }
    nearest.lower = std::min(nearest.lower, lower);
    return false;
  });
  if (nearest.lower > options.upper_bound) return farther_than_asked(nearest.lower, {});
  return nearest;
}

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
  // Inside, only a corner deeper than the deepest one so far matters. Outside, only one that is nearer.
  DistanceOptions options;
  if (inside) options.close_enough = known.lower - radius;
  const SimpleShape point = convex::simple_point(corner);
  const Distance found = distance_field_simple(ground.placed, point, options);
  cost += found.cost;
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

template <class Body>
double scene_size(const PlacedField& field, const Body& body) {
  return largest_number(field) + body.size();
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

/// `touching` are the contacts of the field and the body.
Depth body_depth(const PlacedField& field, const GroundBody& body, const Contacts& touching) {
  const Ground ground(field);
  Findings known;
  Cost cost = touching.cost;
  if (body.is_convex_core()) measure_extremes(ground, body, touching, cost, known);
  body.each_corner(
      [&](const Vector3& corner) { measure_corner(ground, corner, body.radius(), body.corner_error(), cost, known); });
  if (!body.is_mesh()) {
    for (const Contact& contact : touching.pairs) {
      // A translation that frees the shape also separates it from each single triangle.
      const SimpleShape triangle = triangle_item(field.pose, field.field.triangle(contact.a.id), contact.a.id);
      known.lower = std::max(known.lower, convex::depth_simple_simple(triangle, body.simple()).lower);
      ++cost.primitive_tests;
    }
  }
  const double margin = wall_error(scene_size(field, body));
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
Depth half_space_depth(const PlacedField& placed, const SimpleShape& half_space) {
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

/// The point of a piece of the body that is in the ground.
template <class Body>
std::optional<Vector3> held_piece(const Ground& ground, const Body& body) {
  std::optional<Vector3> found;
  body.any_piece(Vector3::Zero(), [&](const Vector3& point) {
    if (!ground.holds(point)) return false;
    found = point;
    return true;
  });
  return found;
}

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
    const Distance found = body.triangle_distance(wall, Vector3::Zero());
    ++result.cost.primitive_tests;
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

/// An interval for each coordinate.
using Interval3 = std::array<Interval, 3>;

Interval3 exact(const Vector3& v) {
  return {v[0], v[1], v[2]};
}
Interval3 minus(const Vector3& a, const Vector3& b) {
  return {Interval(a[0]) - b[0], Interval(a[1]) - b[1], Interval(a[2]) - b[2]};
}
Interval3 cross(const Interval3& a, const Interval3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
Interval dot(const Interval3& a, const Interval3& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
bool has_zero(const Interval& x) {
  return x.lower <= 0 && x.upper >= 0;
}

/// The earlier of two hits, with bounds that account for both.
void take_first(std::optional<RayHit>& first, const RayHit& hit) {
  if (!first) {
    first = hit;
    return;
  }
  const double lower = std::min(first->t_lower, hit.t_lower);
  const double upper = first->certain && hit.certain ? std::min(first->t_upper, hit.t_upper)
                       : first->certain              ? first->t_upper
                       : hit.certain                 ? hit.t_upper
                                                     : std::max(first->t_upper, hit.t_upper);
  const bool is_certain = first->certain || hit.certain;
  if (hit.certain != first->certain ? hit.certain && hit.t_lower <= first->t_upper : hit.t < first->t) first = hit;
  first->t_lower = lower;
  first->t_upper = upper;
  first->t = std::clamp(first->t, lower, upper);
  first->certain = is_certain;
}

/// Where a ray meets the wall below the segment from p to q: p + s (q - p) - k up with s from 0 to 1 and k >= 0.
std::optional<RayHit> ray_wall(const Ray& ray, const Vector3& p, const Vector3& q, const Vector3& up,
                               const RayRange& range) {
  const Interval3 along = minus(q, p), upward = exact(up), forward = exact(ray.direction);
  const Interval3 normal = cross(along, upward);
  const Interval steep = dot(normal, forward);
  if (has_zero(steep)) return {};  // along the wall: it enters the ground elsewhere
  const Interval t = dot(normal, minus(p, ray.origin)) / steep;
  if (t.upper < range.lower || t.lower > range.upper) return {};
  const Interval3 from_origin = minus(ray.origin, p);
  const Interval3 from = {from_origin[0] + t * forward[0], from_origin[1] + t * forward[1],
                          from_origin[2] + t * forward[2]};
  const Interval size = dot(normal, normal);
  const Interval s = dot(cross(from, upward), normal) / size;
  const Interval height = -dot(cross(from, along), normal) / size;
  if (s.upper < 0 || s.lower > 1 || height.lower > 0) return {};
  RayHit hit;
  hit.certain = s.lower >= 0 && s.upper <= 1 && height.upper <= 0 && t.lower >= range.lower && t.upper <= range.upper;
  hit.t_lower = std::max(t.lower, range.lower);
  hit.t_upper = std::min(t.upper, range.upper);
  hit.t = hit.t_lower + (hit.t_upper - hit.t_lower) / 2;
  hit.point = ray.origin + hit.t * ray.direction;
  const Vector3 middles(middle(normal[0]), middle(normal[1]), middle(normal[2]));
  hit.normal = geometry::unit_vector(steep.lower > 0 ? Vector3(-middles) : middles);
  return hit;
}

/// Calls `visit(p, q)` with the ends of every piece of the border, in the field's frame, unless the line through
/// `origin` along `direction`, in that frame and off by no more than `error`, is proven to miss the wall below it. With
/// a direction of zero: of all.
template <class Visit>
void each_border(const HeightField& field, const Vector3& origin, const Vector3& direction, double error,
                 Visit&& visit) {
  const double largest = direction.cwiseAbs().maxCoeff();
  const std::array<std::size_t, 2> counts = {field.columns(), field.rows()};
  const std::array<double, 2> spacings = {field.spacing_x(), field.spacing_y()};
  const Vector3 far = field.bounds().upper;
  for (const std::size_t along : {0u, 1u}) {
    const std::size_t across = 1 - along;
    for (const std::size_t border : {std::size_t{0}, counts[across] - 1}) {
      std::size_t begin = 0, end = counts[along] - 1;
      const double speed = direction.data()[across];
      if (std::abs(speed) > 0x1p-10 * largest) {
        const double t = ((border == 0 ? 0 : far.data()[across]) - origin.data()[across]) / speed;
        const double at = origin.data()[along] + t * direction.data()[along];
        // The direction carries a rounding error as well.
        const double off = 0x1p12 * error + 0x1p-38 * std::abs(t) * largest;
        begin = clamped_steps(std::floor((at - off) / spacings[along]) - 1, 0, end);
        end = clamped_steps(std::ceil((at + off) / spacings[along]) + 1, 0, end);
      }
      const auto vertex = [&](std::size_t i) { return along == 0 ? field.vertex(i, border) : field.vertex(border, i); };
      for (std::size_t i = begin; i < end; ++i)
        visit(vertex(i), vertex(i + 1));
    }
  }
}

/// Where the ray first meets the surface or a wall.
std::optional<RayHit> first_border_hit(const Ground& ground, const Ray& ray, const RayRange& range) {
  const PlacedField& placed = ground.placed;
  const Vector3 up = up_of(placed.pose);
  std::optional<RayHit> first = ray_height_field(ray, placed.field, placed.pose, range);
  if (ray.direction.cross(up).isZero(0)) return first;
  const Vector3 origin = ground.frame.inverse * (ray.origin - ground.frame.origin);
  const Vector3 direction = ground.frame.inverse * ray.direction;
  const double error =
      ground.frame.error(largest_coordinate(placed.field) + ray.origin.cwiseAbs().maxCoeff(), placed.pose);
  each_border(placed.field, origin, direction, error, [&](const Vector3& p, const Vector3& q) {
    const std::optional<RayHit> hit =
        ray_wall(ray, geometry::placed_point(placed.pose, p), geometry::placed_point(placed.pose, q), up, range);
    if (hit) take_first(first, *hit);
  });
  return first;
}

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

Depth depth_ground_simple(const PlacedField& a, const SimpleShape& b, const DepthOptions&) {
  if (!b.is_bounded()) {
    return flat_depth(b, [&](const SimpleShape& half_space) { return half_space_depth(a, half_space); });
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

std::optional<RayHit> cast_ray_ground(const Ray& ray, const PlacedField& placed, const RayRange& range) {
  if (!(range.lower <= range.upper)) return {};
  const Ground ground(placed);
  const Vector3 up = up_of(placed.pose);
  LineCrossing crossing;
  crossing.enter = crossing.enter_lower = crossing.enter_upper = -infinity;
  crossing.exit = crossing.exit_lower = crossing.exit_upper = infinity;
  if (ray.direction.isZero(0)) {
    if (!ground.holds(ray.origin)) return {};
    return hit_in_range(ray, crossing, range);
  }
  std::optional<RayHit> first = first_border_hit(ground, ray, range);
  const bool is_vertical = ray.direction.cross(up).isZero(0);
  const bool is_rising = is_vertical && ray.direction.dot(up) > 0;
  if (range.lower == -infinity) {
    if (is_rising) {
      // It comes from the depth, and leaves the ground at the surface.
      const std::optional<RayHit> top = ray_height_field(ray, placed.field, placed.pose, line_range());
      if (!top) return {};
      crossing.exit = top->t;
      crossing.exit_lower = top->t_lower;
      crossing.exit_upper = top->t_upper;
      crossing.exit_normal = -top->normal;
      return hit_in_range(ray, crossing, range);
    }
  } else {
    const Vector3 way = range.lower * ray.direction;
    const Vector3 start = ray.origin + way;
    const double rounding = way.isZero(0) ? 0 : 0x1p-51 * (way.lpNorm<1>() + start.lpNorm<1>());
    const bool is_on_surface = rounding == 0 && first && first->t_lower <= range.lower;
    if (std::isfinite(rounding) && !is_on_surface && ground.holds(start)) {
      RayHit hit;
      hit.t = hit.t_lower = hit.t_upper = range.lower;
      hit.point = start;
      hit.inside = true;
      if (rounding > 0) {
        const Distance apart = distance_field_simple(placed, convex::simple_point(start), {});
        hit.certain = std::min(apart.lower, ground.wall_clearance(start)) > 2 * rounding;
      }
      // Where the line entered the ground.
      const std::optional<RayHit> entry =
          first_border_hit(ground, {ray.origin, -ray.direction}, {-range.lower, infinity});
      if (entry) hit.normal = -entry->normal;
      if (hit.certain || !first) return hit;
      take_first(first, hit);
      return first;
    }
  }
  return first;
}

void each_wall_near(const Ray& ray, const RayRange& range, const PlacedField& placed, double reach,
                    geometry::FunctionRef<void(const Triangle&)> visit) {
  const Ground ground(placed);
  const HeightField& field = placed.field;
  const Vector3 up = up_of(placed.pose);
  const Vector3 origin = ground.frame.inverse * (ray.origin - ground.frame.origin);
  const Vector3 direction = ground.frame.inverse * ray.direction;
  const double size = largest_coordinate(field) + reach;
  const double error = ground.frame.error(size + ray.origin.cwiseAbs().maxCoeff(), placed.pose);
  const double around = (reach + 4 * error) * (1 + 1e-8);
  // Every piece of the border.
  each_border(field, origin, Vector3::Zero(), error, [&](const Vector3& p, const Vector3& q) {
    double from = range.lower, to = range.upper;
    for (int i = 0; i < 2; ++i) {
      const double lower = std::min(p[i], q[i]) - around, upper = std::max(p[i], q[i]) + around;
      if (direction[i] == 0) {
        if (origin[i] < lower || origin[i] > upper) return;
        continue;
      }
      const double a = (lower - origin[i]) / direction[i], b = (upper - origin[i]) / direction[i];
      from = std::max(from, std::min(a, b));
      to = std::min(to, std::max(a, b));
    }
    const double slack = 0x1p-40 * (std::abs(from) + std::abs(to));
    if (from > to + slack) return;
    // As deep as the ray gets while it is above or below this piece, and where a vertical one meets the top.
    const double top = std::min(p[2], q[2]);
    double deepest = top - around;
    for (const double t : {from - slack, to + slack}) {
      const double z = origin[2] + t * direction[2];
      if (std::isfinite(z)) deepest = std::min(deepest, z);
    }
    const double down =
        std::min(std::max(p[2], q[2]) - deepest, 0x1p20 * (size + origin.cwiseAbs().maxCoeff())) + 4 * around;
    const Vector3 a = geometry::placed_point(placed.pose, p), b = geometry::placed_point(placed.pose, q);
    const Vector3 c = a - down * up, d = b - down * up;
    visit(Triangle{a, b, c});
    visit(Triangle{b, c, d});
  });
}

}  // namespace whisker::mesh
