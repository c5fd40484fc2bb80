// The penetration depth of shapes in the ground under a height field.
//
// Lower bound: a translation that frees the shape moves each of its points out of the ground, and the ball around a
// point farther by the ball's radius. It also separates the shape from each single triangle. Upper bound: a translation
// after which neither the surface nor a wall touches the shape, grown by all rounding errors, and a point of the shape
// is not in the ground.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "convex/exchange.hpp"
#include "convex/simple_convex.hpp"
#include "convex/simple_distance.hpp"
#include "geometry/constants.hpp"
#include "geometry/unit_vector.hpp"
#include "mesh/containment.hpp"
#include "mesh/depth_body.hpp"
#include "mesh/height_field_queries.hpp"
#include "mesh/separation_search.hpp"
#include "mesh/side_walk.hpp"
#include "shapes/kind_traits.hpp"

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
  Distance field_distance(const PlacedField& field, const Vector3& by) const {
    if (!is_mesh()) return distance_field_simple(field, moved_simple(by), {});
    return distance_field_mesh(field, {mesh().mesh, moved_pose(by)}, {});
  }
  Distance triangle_distance(const Triangle& triangle, const Vector3& by) const {
    const SimpleShape wall = convex::simple_triangle(triangle);
    if (!is_mesh()) return convex::distance_simple_simple(wall, moved_simple(by));
    Distance found = distance_mesh_simple({mesh().mesh, moved_pose(by)}, wall, {});
    exchange(found);
    return found;
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

/// How far the moved body is from the ground: from the surface or from a wall. The body must have no point in the
/// ground.
Distance ground_distance(const Ground& ground, const GroundBody& body, const Vector3& by, Cost& cost) {
  Distance nearest = body.field_distance(ground.placed, by);
  cost += nearest.cost;
  Aabb box = body.box_around(by, ground.frame);
  grow(box, nearest.upper * (1 + 1e-8));
  ground.any_wall(box, [&](const Triangle& wall) {
    const Distance found = body.triangle_distance(wall, by);
    ++cost.primitive_tests;
    if (found.upper < nearest.upper) {
      nearest.upper = found.upper;
      nearest.point_a = found.point_a;
      nearest.point_b = found.point_b;
      nearest.normal = found.normal;
    }
    nearest.lower = std::min(nearest.lower, found.lower);
    return false;
  });
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

double scene_size(const PlacedField& field, const GroundBody& body) {
  return largest_coordinate(field.field) + field.pose.translation().cwiseAbs().maxCoeff() + body.size();
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
    return in_ground(by) ? Distance() : ground_distance(ground, body, by, cost);
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
  const double margin = 0x1p-45 * scene_size(field, body);
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

}  // namespace

Depth depth_field_simple(const PlacedField& a, const SimpleShape& b) {
  if (!b.is_bounded()) {
    return flat_depth(b, [&](const SimpleShape& half_space) { return half_space_depth(a, half_space); });
  }
  Contacts touching;
  contacts_field_simple(a, b, {.segments = false}, touching);
  return body_depth(a, GroundBody(b), touching);
}

Depth depth_field_mesh(const PlacedField& a, const PlacedMesh& b) {
  require_solid(b.mesh);
  Contacts touching;
  contacts_field_mesh(a, b, {.segments = false}, touching);
  return body_depth(a, GroundBody(b), touching);
}

Distance distance_from_ground(const Placed& field, const Placed& other) {
  const PlacedField placed{*field.shape.as<HeightField>(), field.pose};
  const auto measure = [&](const GroundBody& body) {
    const Ground ground(placed);
    if (body.any_piece(Vector3::Zero(), [&](const Vector3& point) { return ground.holds(point); })) return Distance();
    Cost cost;
    Distance result = ground_distance(ground, body, Vector3::Zero(), cost);
    result.feature_a = result.feature_b = {};
    result.cost = cost;
    return result;
  };
  if (const auto* mesh = other.shape.as<Mesh>()) return measure(GroundBody(PlacedMesh{*mesh, other.pose}));
  if (!shapes::traits_of(other.shape).is_simple) {
    const convex::ConvexCore core(other.shape);
    return measure(GroundBody(convex::simple_convex(core, other.pose)));
  }
  const SimpleShape simple = convex::place_simple(other.shape, other.pose);
  if (simple.is_bounded()) return measure(GroundBody(simple));
  // Where the ground does not go on into a half-space, the surface is nearest to it.
  return depth_field_simple(placed, simple).upper > 0 ? Distance() : distance_field_simple(placed, simple, {});
}

}  // namespace whisker::mesh
