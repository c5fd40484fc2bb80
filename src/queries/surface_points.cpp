// The closest point of a surface, the test whether a point is inside, and both together as signed distance.

#include <algorithm>

#include <whisker/mesh_queries.hpp>

#include "convex/simple_distance.hpp"
#include "geometry/constants.hpp"
#include "geometry/placed_box.hpp"
#include "geometry/raw_pose.hpp"
#include "mesh/containment.hpp"
#include "mesh/ground.hpp"
#include "mesh/mesh_queries.hpp"
#include "mesh/surface_distance.hpp"
#include "queries/check_query.hpp"
#include "queries/leaves.hpp"
#include "queries/part_search.hpp"
#include "shapes/rounded_data.hpp"

namespace whisker {
namespace {

DistanceOptions wanted(const ClosestPointOptions& options) {
  return {.tolerance = options.tolerance, .upper_bound = options.upper_bound};
}

void check_options(const char* question, const ClosestPointOptions& options) {
  queries::refuse_fault(question, queries::fault_of(wanted(options)));
}

void check_all_meshes(const char* question, const Shape& shape) {
  if (queries::all_leaf_kinds(shape, [](ShapeKind kind) { return kind == ShapeKind::mesh; })) return;
  queries::each_leaf(shape, [&](const Shape& leaf) {
    if (leaf.as<Mesh>() == nullptr) queries::refuse_kind(question, leaf, "meshes and compounds of them");
  });
}

void check_solid_mesh(const char* question, const Shape& shape) {
  const Mesh* mesh = shape.as<Mesh>();
  if (mesh == nullptr) queries::refuse_kind(question, shape, "meshes");
  if (!mesh->is_solid()) {
    throw Error(std::string(question) +
                ": the mesh is a surface, which has no inside; make it solid() first (it must be "
                "closed)");
  }
}

void check_has_inside(const Shape& shape) {
  const auto has_inside = [](ShapeKind kind) { return shapes::traits_of(kind).has_inside; };
  if (!has_surface_mesh(shape) && queries::all_leaf_kinds(shape, has_inside)) return;
  queries::each_leaf(shape, [](const Shape& leaf) {
    if (leaf.as<Mesh>() != nullptr) return check_solid_mesh("contains", leaf);
    if (shapes::traits_of(leaf).has_inside) return;
    queries::refuse_kind(
        "contains", leaf,
        "solid meshes, grounds, half-spaces, convex shapes that have an inside, and compounds of them");
  });
}

Distance closest_on_mesh(const mesh::PlacedMesh& placed, const Vector3& point, const ClosestPointOptions& options) {
  Distance found = mesh::surface_distance(placed, convex::simple_point(point), wanted(options), convex::Effort::quick);
  found.point_b = point;
  return found;
}

/// Looks for the closest part of a compound of meshes, nearest boxes first.
class ClosestPart {
 public:
  ClosestPart(const Vector3& point, const ClosestPointOptions& options) : point_(point), options_(options) {
    best_.lower = best_.upper = infinity;
    best_.point_b = point;
  }

  /// `number` is that of the first part.
  void look(const Placed& placed, std::uint32_t number) {
    if (const Mesh* mesh = placed.shape.as<Mesh>()) return look_at({*mesh, placed.pose}, number);
    const queries::CompoundView view(storage_of(*placed.shape.as<Compound>()), placed.pose);
    const Vector3 at = view.in_frame(point_);
    Aabb around{at, at};
    mesh::grow(around, view.error(point_));
    const std::size_t tests = queries::visit_parts(
        view.compound, [&](const Aabb& box) { return geometry::box_gap(box, around) * view.frame.stretch; },
        [&](double gap) { return wants(gap); },
        [&](std::uint32_t index) {
          const queries::OwnPart part = queries::part_of(placed, index);
          look(part.placed, number + part.first_number);
          return false;
        });
    best_.cost.volume_tests += tests;
  }
  Distance result() const {
    Distance result = best_;
    if (passed_by_ < best_.upper) result.stop = Stop::tolerance;
    result.lower = std::min({best_.lower, passed_by_, best_.upper});
    return result;
  }

 private:
  bool wants(double gap) {
    if (gap > best_.upper) return false;
    if (!(gap > options_.upper_bound)) return true;
    passed_by_ = std::min(passed_by_, gap);
    return false;
  }
  void look_at(const mesh::PlacedMesh& mesh, std::uint32_t number) {
    Distance found = closest_on_mesh(mesh, point_, options_);
    found.feature_a.part = number;
    found.cost += best_.cost;
    const double lower = std::min(found.lower, best_.lower);
    const Stop stop = found.stop == Stop::exact ? best_.stop : found.stop;
    const Cost cost = found.cost;
    const bool is_first = found.upper == best_.upper && number < best_.feature_a.part;
    if (found.upper < best_.upper || (is_first && found.upper < infinity)) best_ = found;
    best_.lower = lower;
    best_.stop = stop;
    best_.cost = cost;
  }

  const Vector3& point_;
  const ClosestPointOptions& options_;
  Distance best_;
  double passed_by_ = infinity;  // the least gap of a box that was passed by because of the upper bound
};

Distance closest(const Placed& placed, const Vector3& point, const ClosestPointOptions& options) {
  if (const Mesh* mesh = placed.shape.as<Mesh>()) return closest_on_mesh({*mesh, placed.pose}, point, options);
  ClosestPart search(point, options);
  search.look(placed, 0);
  return search.result();
}

bool mesh_contains(const mesh::PlacedMesh& placed, const Vector3& point) {
  // On the surface the winding number is unspecified, but a point there is in the solid either way.
  if (mesh::is_inside(placed, point)) return true;
  Cost cost;
  return mesh::touching_triangle(placed, convex::simple_point(point), mesh::no_guess, cost).has_value();
}

bool holds_point(const Placed& solid, const Vector3& point) {
  const Shape& shape = solid.shape;
  if (shape.as<Compound>() != nullptr) {
    return queries::any_part_at(
        solid, point, [&](std::uint32_t index) { return holds_point(queries::part_of(solid, index).placed, point); });
  }
  if (const Mesh* mesh = shape.as<Mesh>()) return mesh_contains({*mesh, solid.pose}, point);
  if (const HeightField* surface = shapes::ground_surface(shape))
    return mesh::ground_holds({*surface, solid.pose}, point);
  if (convex::is_simple(shape.kind()))
    return convex::touches_simple_simple(convex::place_simple(shape, solid.pose), convex::simple_point(point));
  static const Shape dot = Sphere{0};
  return touches(solid, {dot, geometry::raw_pose(point)});
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

}  // namespace

Distance closest_point(const Placed& mesh, const Vector3& point, const ClosestPointOptions& options) {
  check_options("closest_point", options);
  queries::refuse_fault("closest_point", queries::fault_of(point));
  check_all_meshes("closest_point", mesh.shape);
  return closest(mesh, point, options);
}

void closest_point(const Placed& mesh, std::span<const Vector3> points, const ClosestPointOptions& options,
                   std::span<Distance> answers) {
  check_options("closest_point", options);
  check_all_meshes("closest_point", mesh.shape);
  queries::answer_points("closest_point", points, options.threads, answers,
                         [&](const Vector3& point) { return closest(mesh, point, options); });
}

bool contains(const Placed& solid, const Vector3& point) {
  queries::refuse_fault("contains", queries::fault_of(point));
  check_has_inside(solid.shape);
  return holds_point(solid, point);
}

void contains(const Placed& solid, std::span<const Vector3> points, const BatchOptions& options,
              std::span<bool> answers) {
  check_has_inside(solid.shape);
  queries::answer_points("contains", points, options.threads, answers,
                         [&](const Vector3& point) { return holds_point(solid, point); });
}

template <int>
Distance signed_distance(const Placed& solid, const Vector3& point, const ClosestPointOptions& options) {
  check_options("signed_distance", options);
  queries::refuse_fault("signed_distance", queries::fault_of(point));
  check_solid_mesh("signed_distance", solid.shape);
  return signed_one(solid, point, options);
}
template Distance signed_distance<0>(const Placed& solid, const Vector3& point, const ClosestPointOptions& options);

void signed_distance(const Placed& solid, std::span<const Vector3> points, const ClosestPointOptions& options,
                     std::span<Distance> answers) {
  check_options("signed_distance", options);
  check_solid_mesh("signed_distance", solid.shape);
  queries::answer_points("signed_distance", points, options.threads, answers,
                         [&](const Vector3& point) { return signed_one(solid, point, options); });
}

}  // namespace whisker
