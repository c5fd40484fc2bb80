#pragma once

// What the queries of the ground under a height field share (mesh/ground.hpp): its walls, and the shapes that are asked
// about, in place or moved.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "convex/exchange.hpp"
#include "convex/simple_convex.hpp"
#include "convex/simple_distance.hpp"
#include "mesh/containment.hpp"
#include "mesh/depth_body.hpp"
#include "mesh/height_field_queries.hpp"
#include "mesh/results.hpp"
#include "mesh/side_walk.hpp"

namespace whisker::mesh {

inline Vector3 up_of(const Pose& pose) {
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
    const convex::SimpleShape there = moved_simple(by);
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
  /// Of distances above `most`, only a lower bound.
  Distance triangle_distance(const Triangle& triangle, const Vector3& by, double most) const {
    const convex::SimpleShape wall = convex::simple_triangle(triangle);
    if (!is_mesh()) return convex::distance_simple_simple(wall, moved_simple(by));
    Distance found = distance_mesh_simple({mesh().mesh, moved_pose(by)}, wall, {.upper_bound = most});
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
    const convex::SimpleShape& shape = simple();
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
  bool is_box() const { return simple().core == convex::SimpleShape::Core::box; }
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
  Distance triangle_distance(const Triangle& triangle, const Vector3&, double most) const {
    Distance found = distance_field_simple(placed, convex::simple_triangle(triangle), {.upper_bound = most});
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
  return any_near_items(field, side, cost, [&](const convex::SimpleShape& triangle, const convex::SimpleShape& item) {
    convex::SimpleShape thick = triangle;
    thick.radius = margin;
    return convex::touches_simple_simple(thick, item);
  });
}

template <class Side>
bool walls_near(const Ground& ground, const Side& side, double margin, Cost& cost) {
  Aabb box = side.root().box;
  grow(box, 4 * margin);
  return ground.any_wall(box, [&](const Triangle& wall) {
    convex::SimpleShape thick = convex::simple_triangle(wall);
    thick.radius = margin;
    return any_near_items(side, BoundedSide(thick, ground.frame), cost,
                          [&](const convex::SimpleShape& item, const convex::SimpleShape&) {
                            return convex::touches_simple_simple(thick, item);
                          });
  });
}

inline double largest_number(const PlacedField& field) {
  return largest_coordinate(field.field) + field.pose.translation().cwiseAbs().maxCoeff();
}

/// More than the corners of a wall are off.
inline double wall_error(double size) {
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
    const Distance found = body.triangle_distance(wall, by, std::min(nearest.upper, reach) + 4 * error);
    cost += found.cost;
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
template <class Body>
double scene_size(const PlacedField& field, const Body& body) {
  return largest_number(field) + body.size();
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

}  // namespace whisker::mesh
