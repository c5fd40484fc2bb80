#include "mesh/height_field_depth.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include <Eigen/Geometry>

#include <whisker/error.hpp>

#include "convex/simple_convex.hpp"
#include "convex/simple_depth.hpp"
#include "convex/simple_distance.hpp"
#include "geometry/constants.hpp"
#include "geometry/raw_pose.hpp"
#include "geometry/unit_vector.hpp"
#include "mesh/containment.hpp"
#include "mesh/height_field_queries.hpp"
#include "mesh/separation_search.hpp"
#include "mesh/side_walk.hpp"
#include "shapes/internals.hpp"

namespace whisker::mesh {

using convex::SimpleShape;

namespace {

Vector3 up_of(const Pose& pose) {
  return pose.rotation().col(2);
}

double largest(const Aabb& box) {
  return box.lower.cwiseAbs().cwiseMax(box.upper.cwiseAbs()).maxCoeff();
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
    const double error = frame.error(largest(bounds) + point.cwiseAbs().maxCoeff(), placed.pose);
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
    // The range of grid points whose cells a box may reach along one axis.
    const auto first = [](double x, double spacing, std::size_t count) {
      const double steps = std::floor(x / spacing) - 1;
      return steps > 0 ? std::min(static_cast<std::size_t>(std::min(steps, 1e18)), count - 2) : std::size_t{0};
    };
    const auto last = [](double x, double spacing, std::size_t count) {
      const double steps = std::ceil(x / spacing) + 1;
      return steps > 1 ? std::min(static_cast<std::size_t>(std::min(steps, 1e18)), count - 1) : std::size_t{1};
    };
    const std::size_t columns = field.columns(), rows = field.rows();
    for (const std::size_t j : {std::size_t{0}, rows - 1}) {
      const double y = j == 0 ? 0 : bounds.upper[1];
      if (box.lower[1] > y || box.upper[1] < y) continue;
      const std::size_t end = last(box.upper[0], field.spacing_x(), columns);
      for (std::size_t i = first(box.lower[0], field.spacing_x(), columns); i < end; ++i)
        if (wall(field.vertex(i, j), field.vertex(i + 1, j))) return true;
    }
    for (const std::size_t i : {std::size_t{0}, columns - 1}) {
      const double x = i == 0 ? 0 : bounds.upper[0];
      if (box.lower[0] > x || box.upper[0] < x) continue;
      const std::size_t end = last(box.upper[1], field.spacing_y(), rows);
      for (std::size_t j = first(box.lower[1], field.spacing_y(), rows); j < end; ++j)
        if (wall(field.vertex(i, j), field.vertex(i, j + 1))) return true;
    }
    return false;
  }
};

/// A bounded simple shape, in place or moved.
struct SimpleBody {
  const SimpleShape& shape;

  double size() const { return convex::magnitude(shape); }
  double radius() const { return shape.radius; }
  /// How far a corner from `each_corner` may be off the shape's own corner. The corners of segments and triangles are
  /// exact.
  double corner_error() const {
    if (is_convex_core()) return 0x1p-48 * size() + shape.convex->point_error();
    return shape.core == SimpleShape::Core::box || shape.has_tails() ? 0x1p-49 * size() : 0;
  }
  bool is_convex_core() const { return shape.core == SimpleShape::Core::convex; }
  /// How far the point that represents a piece may be off the piece, not counting rounding.
  double piece_error() const { return is_convex_core() ? shape.convex->middle_error : 0; }
  SimpleShape moved(const Vector3& by) const {
    SimpleShape result = shape;
    result.corners.a += by;
    result.corners.b += by;
    result.corners.c += by;
    geometry::raw_translation(result.pose) = result.pose.translation() + by;
    return result;
  }
  /// Calls `test(side)` with the moved shape as a traversal side.
  template <class Test>
  bool with_side(const Vector3& by, const CullFrame& frame, Test&& test) const {
    const SimpleShape there = moved(by);
    return test(BoundedSide(there, frame));
  }
  Distance surface_distance(const PlacedField& field, const Vector3& by, const DistanceOptions& options) const {
    return distance_field_simple(field, moved(by), options);
  }
  Distance triangle_distance(const Triangle& triangle, const Vector3& by) const {
    return convex::distance_simple_simple(convex::simple_triangle(triangle), moved(by));
  }
  /// Visits the corners of the core. For a convex core, visits points all around it.
  template <class Visit>
  void each_corner(Visit&& visit) const {
    if (is_convex_core()) {
      for (const Vector3& point : convex::outer_points(*shape.convex))
        visit(geometry::placed_point(shape.pose, point));
      return;
    }
    if (shape.core == SimpleShape::Core::box) {
      for (unsigned k = 0; k < 8; ++k) {
        Vector3 local;
        for (int i = 0; i < 3; ++i)
          local[i] = ((k >> i & 1) != 0 ? 0.5 : -0.5) * shape.box.size[i];
        visit(geometry::placed_point(shape.pose, local));
      }
      return;
    }
    visit(shape.corners.a);
    if (shape.corner_count() >= 2) visit(shape.corners.b);
    if (shape.corner_count() >= 3) visit(shape.corners.c);
  }
  /// Visits one point of each connected piece.
  template <class Visit>
  void each_piece(Visit&& visit) const {
    visit(is_convex_core()                       ? some_point(shape)
          : shape.core == SimpleShape::Core::box ? shape.pose.translation()
                                                 : shape.corners.a);
  }
};

/// A placed mesh, in place or moved.
struct MeshBody {
  const PlacedMesh& placed;

  double size() const {
    return storage_of(placed.mesh).oriented.coordinate + placed.pose.translation().cwiseAbs().maxCoeff();
  }
  double radius() const { return 0; }
  double corner_error() const { return 0; }
  double piece_error() const { return 0; }
  template <class Test>
  bool with_side(const Vector3& by, const CullFrame& frame, Test&& test) const {
    const Pose pose = geometry::raw_pose(placed.pose.rotation(), placed.pose.translation() + by);
    const PlacedMesh there{placed.mesh, pose};
    return test(SurfaceSide(there, frame));
  }
  Distance surface_distance(const PlacedField& field, const Vector3& by, const DistanceOptions& options) const {
    const Pose pose = geometry::raw_pose(placed.pose.rotation(), placed.pose.translation() + by);
    return distance_field_mesh(field, {placed.mesh, pose}, options);
  }
  Distance triangle_distance(const Triangle& triangle, const Vector3& by) const {
    const Pose pose = geometry::raw_pose(placed.pose.rotation(), placed.pose.translation() + by);
    Distance found = distance_mesh_simple({placed.mesh, pose}, convex::simple_triangle(triangle), {});
    std::swap(found.point_a, found.point_b);
    found.normal = -found.normal;
    return found;
  }
  template <class Visit>
  void each_corner(Visit&& visit) const {
    thread_local std::vector<bool> seen;
    seen.assign(placed.mesh.vertices().size(), false);
    for (const Index3& t : placed.mesh.triangles()) {
      for (const std::uint32_t v : t) {
        if (seen[v]) continue;
        seen[v] = true;
        visit(geometry::placed_point(placed.pose, placed.mesh.vertices()[v]));
      }
    }
  }
  template <class Visit>
  void each_piece(Visit&& visit) const {
    for (const std::uint32_t v : storage_of(placed.mesh).part_vertices())
      visit(geometry::placed_point(placed.pose, placed.mesh.vertices()[v]));
  }
};

/// Whether any part of the side comes within `margin` of the surface.
template <class Side>
bool surface_near(const Ground& ground, const Side& side, double margin, Cost& cost) {
  FieldSide field(ground.placed, ground.frame);
  field.error += 2 * margin;
  bool near = false;
  walk_sides(
      field, side, cost, no_budget, [](double gap) { return gap == 0; },
      [&](const auto& node_a, const auto& node_b, double) {
        field.each_item(node_a, [&](const SimpleShape& triangle) {
          SimpleShape thick = triangle;
          thick.radius = margin;
          side.each_item(node_b, [&](const SimpleShape& item) {
            if (near) return;
            ++cost.primitive_tests;
            near = convex::touches_simple_simple(thick, item);
          });
        });
        return near;
      });
  return near;
}

template <class Side>
bool walls_near(const Ground& ground, const Side& side, double margin, Cost& cost) {
  Aabb box = side.root().box;
  grow(box, 4 * margin);
  return ground.any_wall(box, [&](const Triangle& wall) {
    SimpleShape thick = convex::simple_triangle(wall);
    thick.radius = margin;
    const BoundedSide wall_side(thick, ground.frame);
    bool near = false;
    walk_sides(
        side, wall_side, cost, no_budget, [](double gap) { return gap == 0; },
        [&](const auto& node, const auto&, double) {
          side.each_item(node, [&](const SimpleShape& item) {
            if (near) return;
            ++cost.primitive_tests;
            near = convex::touches_simple_simple(thick, item);
          });
          return near;
        });
    return near;
  });
}

/// How far the moved body is from the ground: from the surface or from a wall. The body must have no point in the
/// ground.
template <class Body>
Distance ground_distance(const Ground& ground, const Body& body, const Vector3& by, double most, Cost& cost) {
  Distance nearest = body.surface_distance(ground.placed, by, {.upper_bound = most});
  cost += nearest.cost;
  Aabb box;
  body.with_side(by, ground.frame, [&](const auto& side) {
    box = side.root().box;
    return true;
  });
  grow(box, std::min(nearest.upper, most) * (1 + 1e-8));
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

template <class Body>
void measure_corners(const Ground& ground, const Body& body, Cost& cost, Findings& known) {
  body.each_corner(
      [&](const Vector3& corner) { measure_corner(ground, corner, body.radius(), body.corner_error(), cost, known); });
}

constexpr std::size_t max_ground_normals = 24;

Vector3 upward_normal(const Triangle& t, const Vector3& up) {
  const Vector3 normal =
      geometry::unit_vector(geometry::unit_vector(t.b - t.a).cross(geometry::unit_vector(t.c - t.a)));
  return normal.dot(up) < 0 ? Vector3(-normal) : normal;
}

/// Measures the points of a convex core that reach deepest: along down, into the triangles that the core touches, and
/// against the exit directions found on the way.
void measure_extremes(const Ground& ground, const SimpleBody& body, const Contacts& touching, Cost& cost,
                      Findings& known) {
  const auto look_along = [&](const Vector3& direction) {
    const Vector3 point = convex::farthest_point(body.shape, direction);
    return measure_corner(ground, point, 0, body.corner_error(), cost, known);
  };
  const auto descend = [&](const Vector3& direction) {
    constexpr int max_steps = 16;
    bool deeper = look_along(direction);
    for (int step = 0; deeper && step < max_steps && !known.directions.empty(); ++step)
      deeper = look_along(-known.directions.back());
  };
  const Vector3 up = geometry::unit_vector(up_of(ground.placed.pose));
  descend(-up);
  for (std::size_t i = 0; i < touching.pairs.size(); i += 1 + touching.pairs.size() / max_ground_normals) {
    const Triangle local = ground.placed.field.triangle(touching.pairs[i].a.id);
    const Vector3 normal = upward_normal(placed_triangle(ground.placed.pose, local), up);
    if (!normal.isZero(0)) descend(-normal);
  }
}

template <class Body>
Depth depth_in_ground(const Ground& ground, const Body& body, const Contacts& touching, Findings& known) {
  const Vector3 up = geometry::unit_vector(up_of(ground.placed.pose));
  const HeightField& field = ground.placed.field;
  Depth result;
  Cost& cost = result.cost;
  const double size = largest(field.bounds()) + ground.placed.pose.translation().cwiseAbs().maxCoeff() + body.size();

  const auto is_free = [&](const Vector3& by) {
    // A moved corner is off by one ulp, a wall's corner by a few.
    const double margin = 0x1p-45 * (size + by.cwiseAbs().maxCoeff()) + body.piece_error();
    bool point_in_ground = false;
    body.each_piece([&](const Vector3& point) { point_in_ground = point_in_ground || ground.holds(point + by); });
    if (point_in_ground) return false;
    return body.with_side(by, ground.frame, [&](const auto& side) {
      return !surface_near(ground, side, margin, cost) && !walls_near(ground, side, margin, cost);
    });
  };

  for (std::size_t i = 0; i < touching.pairs.size(); i += 1 + touching.pairs.size() / max_ground_normals) {
    const std::uint32_t number = touching.pairs[i].a.id;
    known.directions.push_back(upward_normal(placed_triangle(ground.placed.pose, field.triangle(number)), up));
  }
  for (const int axis : {0, 1}) {
    const Vector3 side = geometry::unit_vector(ground.placed.pose.rotation().col(axis));
    known.directions.push_back(side);
    known.directions.push_back(-side);
  }
  Aabb box;
  body.with_side(Vector3::Zero(), ground.frame, [&](const auto& side) {
    box = side.root().box;
    return true;
  });
  Separation best;
  const double lift = (field.bounds().upper[2] - box.lower[2]) * (1 + 1e-8) + 0x1p-40 * size;
  improve(best, up, std::max(lift, 0x1p-40 * size), known.lower, is_free);
  for (const Vector3& direction : known.directions)
    if (direction.allFinite() && !direction.isZero(0)) improve(best, direction, infinity, known.lower, is_free);

  const auto gap = [&](const Vector3& by, double most) {
    bool point_in_ground = false;
    body.each_piece([&](const Vector3& point) { point_in_ground = point_in_ground || ground.holds(point + by); });
    if (point_in_ground) return Distance();
    return ground_distance(ground, body, by, most, cost);
  };
  set_depth(best, known.lower, 0x1p-46 * (size + best.length) + body.piece_error(), gap, result);
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
    if (inward.dot(point) < near) return;
    const Depth found = convex::depth_simple_simple(convex::simple_point(point), half_space);
    ++deepest.cost.primitive_tests;
    const Cost cost = deepest.cost;
    const double lower = std::max(deepest.lower, found.lower);
    if (found.upper > deepest.upper) deepest = found;
    deepest.lower = lower;
    deepest.cost = cost;
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
  Depth result = deepest_vertex(placed, half_space);
  if (steep <= -uncertain) return result;
  const Cost cost = result.cost;
  const double lower = result.lower;
  result = Depth();  // no exit direction and no points
  result.cost = cost;
  result.lower = lower;
  result.upper = infinity;
  if (steep > uncertain) {
    result.lower = infinity;
  } else {
    result.stop = Stop::limit;
  }
  return result;
}

Depth flat_depth(const PlacedField& placed, const SimpleShape& flat) {
  SimpleShape half_space = flat;
  half_space.core = SimpleShape::Core::half_space;
  Depth result = half_space_depth(placed, half_space);
  if (flat.core == SimpleShape::Core::half_space) return result;
  // A plane may be passed on either side.
  half_space.normal = -flat.normal;
  half_space.offset = -flat.offset;
  const Depth other = half_space_depth(placed, half_space);
  const double lower = std::min(result.lower, other.lower);
  if (other.upper < result.upper) result = other;
  result.lower = std::min(lower, result.upper);
  return result;
}

}  // namespace

Depth depth_field_simple(const PlacedField& a, const SimpleShape& b) {
  if (!b.is_bounded()) return flat_depth(a, b);
  const Ground ground(a);
  const SimpleBody body{b};
  Findings known;
  Contacts touching;
  contacts_field_simple(a, b, {.segments = false}, touching);
  Cost cost = touching.cost;
  if (body.is_convex_core()) measure_extremes(ground, body, touching, cost, known);
  measure_corners(ground, body, cost, known);
  for (const Contact& contact : touching.pairs) {
    // A translation that frees the shape also separates it from each single triangle.
    const SimpleShape triangle = triangle_item(a.pose, a.field.triangle(contact.a.id), contact.a.id);
    known.lower = std::max(known.lower, convex::depth_simple_simple(triangle, b).lower);
    ++cost.primitive_tests;
  }
  Depth result;
  const double margin =
      0x1p-45 * (largest(a.field.bounds()) + a.pose.translation().cwiseAbs().maxCoeff() + body.size());
  if (!touching.pairs.empty() || known.in_ground || walls_near(ground, BoundedSide(b, ground.frame), margin, cost)) {
    result = depth_in_ground(ground, body, touching, known);
  }
  result.cost += cost;
  return result;
}

Depth depth_field_mesh(const PlacedField& a, const PlacedMesh& b) {
  if (!b.mesh.is_solid()) {
    throw Error(
        "depth: the mesh is a surface, which has no inside to overlap; make it solid() first (it must be closed)");
  }
  const Ground ground(a);
  const MeshBody body{b};
  Findings known;
  Contacts touching;
  contacts_field_mesh(a, b, {.segments = false}, touching);
  Cost cost = touching.cost;
  measure_corners(ground, body, cost, known);
  Depth result;
  const double margin =
      0x1p-45 * (largest(a.field.bounds()) + a.pose.translation().cwiseAbs().maxCoeff() + body.size());
  if (!touching.pairs.empty() || known.in_ground || walls_near(ground, SurfaceSide(b, ground.frame), margin, cost)) {
    result = depth_in_ground(ground, body, touching, known);
  }
  result.cost += cost;
  return result;
}

}  // namespace whisker::mesh
