// The closest point of a surface, the test whether a point is inside, and both together as signed distance.

#include <algorithm>

#include <whisker/geometry/triangle_tests.hpp>
#include <whisker/mesh_queries.hpp>

#include "convex/simple_distance.hpp"
#include "geometry/constants.hpp"
#include "geometry/raw_pose.hpp"
#include "mesh/containment.hpp"
#include "mesh/mesh_queries.hpp"
#include "mesh/surface_distance.hpp"
#include "queries/check_query.hpp"
#include "shapes/kind_traits.hpp"

namespace whisker {
namespace {

void check_options(const char* question, const ClosestPointOptions& options) {
  if (!(options.tolerance >= 0)) {
    throw Error(std::string(question) + ": the tolerance must be a length, 0 or larger");
  }
  if (!(options.upper_bound >= 0)) {
    throw Error(std::string(question) + ": the upper bound must be a length, 0 or larger");
  }
}

[[noreturn]] void refuse(const char* question, const Shape& shape, const char* takes) {
  throw Error(std::string(question) + ": not supported for a " + std::string(name(shape.kind())) + "; it takes " +
              takes);
}

void check_all_meshes(const char* question, const Shape& shape) {
  if (const Compound* compound = shape.as<Compound>()) {
    for (const CompoundPart& part : compound->parts())
      check_all_meshes(question, part.shape);
  } else if (shape.as<Mesh>() == nullptr) {
    refuse(question, shape, "meshes and compounds of them");
  }
}

void check_solid_mesh(const char* question, const Shape& shape) {
  const Mesh* mesh = shape.as<Mesh>();
  if (mesh == nullptr) refuse(question, shape, "meshes");
  if (!mesh->is_solid()) {
    throw Error(std::string(question) +
                ": the mesh is a surface, which has no inside; make it solid() first (it must be "
                "closed)");
  }
}

void check_has_inside(const Shape& shape) {
  if (const Compound* compound = shape.as<Compound>()) {
    for (const CompoundPart& part : compound->parts())
      check_has_inside(part.shape);
    return;
  }
  if (shape.as<Mesh>() != nullptr) return check_solid_mesh("contains", shape);
  if (shapes::traits_of(shape).has_inside) return;
  refuse("contains", shape, "solid meshes, half-spaces, convex shapes that have an inside, and compounds of them");
}

Distance closest_on_mesh(const mesh::PlacedMesh& placed, const Vector3& point, const ClosestPointOptions& options) {
  DistanceOptions wanted;
  wanted.tolerance = options.tolerance;
  wanted.upper_bound = options.upper_bound;
  Distance found = mesh::surface_distance(placed, convex::simple_point(point), wanted, convex::Effort::quick);
  found.point_b = point;
  return found;
}

/// Keeps the closer of the best so far and a shape whose first part has this number. Returns the number after the
/// shape's last part.
std::uint32_t take_closer(const Shape& shape, const Pose& pose, const Vector3& point,
                          const ClosestPointOptions& options, std::uint32_t number, Distance& best) {
  if (const Compound* compound = shape.as<Compound>()) {
    for (const CompoundPart& part : compound->parts())
      number = take_closer(part.shape, compose(pose, part.pose), point, options, number, best);
    return number;
  }
  Distance found = closest_on_mesh({*shape.as<Mesh>(), pose}, point, options);
  found.feature_a.part = number;
  found.lower = std::min(found.lower, best.lower);
  found.cost += best.cost;
  const Stop stop = found.stop == Stop::exact ? best.stop : found.stop;
  if (found.upper < best.upper) {
    best = found;
  } else {
    best.lower = found.lower;
    best.cost = found.cost;
  }
  best.stop = stop;
  return number + 1;
}

Distance closest(const Placed& placed, const Vector3& point, const ClosestPointOptions& options) {
  if (const Mesh* mesh = placed.shape.as<Mesh>()) return closest_on_mesh({*mesh, placed.pose}, point, options);
  Distance best;
  best.lower = best.upper = infinity;
  best.point_b = point;
  take_closer(placed.shape, placed.pose, point, options, 0, best);
  best.lower = std::min(best.lower, best.upper);
  return best;
}

bool mesh_contains(const mesh::PlacedMesh& placed, const Vector3& point) {
  // On the surface the winding number is unspecified, but a point there is in the solid either way.
  if (mesh::is_inside(placed, point)) return true;
  Cost cost;
  return mesh::touching_triangle(placed, convex::simple_point(point), mesh::no_guess, cost).has_value();
}

bool holds_point(const Shape& shape, const Pose& pose, const Vector3& point) {
  if (const Mesh* mesh = shape.as<Mesh>()) return mesh_contains({*mesh, pose}, point);
  if (const Compound* compound = shape.as<Compound>()) {
    return std::any_of(compound->parts().begin(), compound->parts().end(), [&](const CompoundPart& part) {
      return holds_point(part.shape, compose(pose, part.pose), point);
    });
  }
  if (convex::is_simple(shape.kind()))
    return convex::touches_simple_simple(convex::place_simple(shape, pose), convex::simple_point(point));
  static const Shape dot = Sphere{0};
  return touches({shape, pose}, {dot, geometry::raw_pose(point)});
}

Distance signed_one(const Placed& solid, const Vector3& point, const ClosestPointOptions& options) {
  const mesh::PlacedMesh placed{*solid.shape.as<Mesh>(), solid.pose};
  Distance result = closest_on_mesh(placed, point, options);
  // On the surface, where the sign is meaningless, the distance is 0.
  if (result.upper > 0 && mesh::is_inside(placed, point)) {
    const double lower = result.lower;
    result.lower = -result.upper;
    result.upper = -lower;
    result.normal = -result.normal;  // outward, as for a point outside
  }
  return result;
}

void check_points(const char* question, std::span<const Vector3> points) {
  queries::throw_first_fault(question, "point", points.size(),
                             [&](std::size_t i) { return queries::fault_of(points[i]); });
}

}  // namespace

Distance closest_point(const Placed& mesh, const Vector3& point, const ClosestPointOptions& options) {
  check_options("closest_point", options);
  queries::refuse_fault("closest_point", queries::fault_of(point));
  check_all_meshes("closest_point", mesh.shape);
  return closest(mesh, point, options);
}

void closest_point(const Placed& mesh, std::span<const Vector3> points, std::span<Distance> answers) {
  closest_point(mesh, points, {}, answers);
}

void closest_point(const Placed& mesh, std::span<const Vector3> points, const ClosestPointOptions& options,
                   std::span<Distance> answers) {
  queries::check_room("closest_point", "point", points.size(), answers.size());
  check_options("closest_point", options);
  check_points("closest_point", points);
  check_all_meshes("closest_point", mesh.shape);
  queries::ask_all("closest_point", options.threads, points.size(),
                   [&](std::size_t i) { answers[i] = closest(mesh, points[i], options); });
}

bool contains(const Placed& solid, const Vector3& point) {
  queries::refuse_fault("contains", queries::fault_of(point));
  check_has_inside(solid.shape);
  return holds_point(solid.shape, solid.pose, point);
}

void contains(const Placed& solid, std::span<const Vector3> points, std::span<bool> answers) {
  contains(solid, points, {}, answers);
}

void contains(const Placed& solid, std::span<const Vector3> points, const BatchOptions& options,
              std::span<bool> answers) {
  queries::check_room("contains", "point", points.size(), answers.size());
  check_points("contains", points);
  check_has_inside(solid.shape);
  queries::ask_all("contains", options.threads, points.size(),
                   [&](std::size_t i) { answers[i] = holds_point(solid.shape, solid.pose, points[i]); });
}

Distance signed_distance(const Placed& solid, const Vector3& point, const ClosestPointOptions& options) {
  check_options("signed_distance", options);
  queries::refuse_fault("signed_distance", queries::fault_of(point));
  check_solid_mesh("signed_distance", solid.shape);
  return signed_one(solid, point, options);
}

void signed_distance(const Placed& solid, std::span<const Vector3> points, std::span<Distance> answers) {
  signed_distance(solid, points, {}, answers);
}

void signed_distance(const Placed& solid, std::span<const Vector3> points, const ClosestPointOptions& options,
                     std::span<Distance> answers) {
  queries::check_room("signed_distance", "point", points.size(), answers.size());
  check_options("signed_distance", options);
  check_points("signed_distance", points);
  check_solid_mesh("signed_distance", solid.shape);
  queries::ask_all("signed_distance", options.threads, points.size(),
                   [&](std::size_t i) { answers[i] = signed_one(solid, points[i], options); });
}

}  // namespace whisker
