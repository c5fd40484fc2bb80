#include "mesh/mesh_queries.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <whisker/error.hpp>
#include <whisker/mesh_report.hpp>

#include "convex/certificate.hpp"
#include "convex/simple_depth.hpp"
#include "convex/simple_distance.hpp"
#include "mesh/pair_walk.hpp"

namespace whisker::mesh {

using convex::SimpleShape;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

AxisBox bounds_of(const SimpleShape& shape) {
  AxisBox box;
  if (!shape.is_bounded()) {
    std::swap(box.lower, box.upper);  // the empty box turned inside out is all of space
    return box;
  }
  if (shape.core == SimpleShape::Core::box) {
    AxisBox local;
    local.lower = -shape.box.size / 2;
    local.upper = shape.box.size / 2;
    return geometry::placed_box(local, shape.pose);
  }
  box.include(shape.corners.a);
  if (shape.corner_count() >= 2) box.include(shape.corners.b);
  if (shape.corner_count() >= 3) box.include(shape.corners.c);
  for (int i = 0; i < 3; ++i) {
    if (shape.radius == 0 && !shape.has_tails()) break;
    // Corner and radius may cancel, so what the corner's tail holds counts against the corner, not the difference: half
    // a last bit of it, and three such for the sums here.
    const auto slack = [&](double corner) { return 0x1p-51 * (std::abs(corner) + shape.radius); };
    box.lower[i] = std::nextafter(box.lower[i] - (shape.radius + slack(box.lower[i])), -infinity);
    box.upper[i] = std::nextafter(box.upper[i] + (shape.radius + slack(box.upper[i])), infinity);
  }
  return box;
}

namespace {

SingleSide single(const SimpleShape& shape) {
  return {shape, bounds_of(shape)};
}

template <class SideA, class SideB>
bool surfaces_touch(const SideA& a, const SideB& b, Cost& cost) {
  bool touch = false;
  walk_pairs(
      a, b, cost, [](double gap) { return gap == 0; },
      [&](const SimpleShape& item_a, const SimpleShape& item_b) {
        touch = convex::touches_simple_simple(item_a, item_b);
        return touch;
      });
  return touch;
}

// Every item pair that may be closer than the best so far is looked at; the rest are proven farther by their boxes.
template <class SideA, class SideB>
Distance surface_distance(const SideA& a, const SideB& b, const DistanceOptions& options) {
  Distance best;
  best.upper = infinity;
  double lower = infinity;      // of the pairs looked at
  double passed_by = infinity;  // of those that were not
  Cost cost;
  walk_pairs(
      a, b, cost,
      [&](double gap) {
        const bool wanted = best.upper == infinity || gap < best.upper - options.tolerance;
        if (!wanted) passed_by = std::min(passed_by, gap);
        return wanted;
      },
      [&](const SimpleShape& item_a, const SimpleShape& item_b) {
        const Distance found = convex::distance_simple_simple(item_a, item_b);
        lower = std::min(lower, found.lower);
        if (found.upper < best.upper) best = found;
        return best.upper == 0;
      });
  best.lower = std::min({lower, passed_by, best.upper});
  best.cost = cost;
  best.stop = passed_by < std::min(lower, best.upper) ? Stop::tolerance : Stop::exact;
  return best;
}

// A point of the shape; only asked of shapes that do not touch a surface, so any point decides.
Vector3 some_point(const SimpleShape& shape) {
  if (shape.core == SimpleShape::Core::box) return shape.pose.translation;
  if (!shape.has_tails()) return shape.corners.a;
  // A capsule's ends are no doubles, but its centre is.
  const convex::Corners ends = convex::corners_of(shape);
  return geometry::to_vector3((ends.a + ends.b) * 0.5);
}

bool is_inside(const PlacedMesh& solid, const Vector3& point) {
  return solid.mesh.is_solid() && geometry::placed_box(solid.mesh.bounds(), solid.pose).contains(point) &&
         winding_number(solid, point) != 0;
}

// One vertex of each connected part of a mesh, by union over its triangles: where surfaces do not touch, a part is
// inside a solid or outside as a whole, but one part may be inside and the next outside. Corners at the same position
// are one, so that a mesh whose triangles share no vertices is not torn to pieces.
std::vector<Vector3> part_points(const PlacedMesh& placed) {
  std::vector<std::uint32_t> parent = first_at_position(placed.mesh.vertices());
  const auto root = [&](std::uint32_t v) {
    while (parent[v] != v)
      v = parent[v] = parent[parent[v]];
    return v;
  };
  for (const Index3& t : placed.mesh.triangles()) {
    parent[root(t[1])] = root(t[0]);
    parent[root(t[2])] = root(t[0]);
  }
  std::vector<bool> seen(parent.size(), false);
  std::vector<Vector3> points;
  for (const Index3& t : placed.mesh.triangles()) {
    const std::uint32_t part = root(t[0]);
    if (!seen[part]) points.push_back(geometry::placed_point(placed.pose, placed.mesh.vertices()[t[0]]));
    seen[part] = true;
  }
  return points;
}

// A point of the other mesh that is inside the solid, where their surfaces do not touch.
std::optional<Vector3> held_point(const PlacedMesh& solid, const PlacedMesh& other) {
  if (!solid.mesh.is_solid()) return {};
  const AxisBox box = geometry::placed_box(solid.mesh.bounds(), solid.pose);
  if (!box.overlaps(geometry::placed_box(other.mesh.bounds(), other.pose))) return {};
  for (const Vector3& point : part_points(other)) {
    if (is_inside(solid, point)) return point;
  }
  return {};
}

// Of two whose surfaces do not touch: a point of both, if one lies, or a part of it, inside the other.
std::optional<Vector3> shared_point(const PlacedMesh& a, const PlacedMesh& b) {
  if (const std::optional<Vector3> point = held_point(a, b)) return point;
  return held_point(b, a);
}

bool holds(const PlacedMesh& solid, const SimpleShape& shape) {
  return shape.is_bounded() && is_inside(solid, some_point(shape));
}

Distance contained(const Vector3& point, const Cost& cost) {
  Distance result;
  result.point_a = result.point_b = point;
  result.cost = cost;
  return result;
}

void require_solid(const Mesh& mesh) {
  if (!mesh.is_solid()) {
    throw Error(
        "depth: the mesh is a surface, which has no inside to overlap; make it solid() first (it must be closed)");
  }
}

// How far a set reaches along a unit direction, in double and never too little, and its farthest point.
struct Extreme {
  double reach = -infinity;
  Vector3 point = Vector3::Zero();
  double error = 0;  // by how much the reach may be too large
};

template <class Visit>
void each_corner(const PlacedMesh& placed, Visit&& visit) {
  for (const Index3& t : placed.mesh.triangles()) {
    for (const std::uint32_t index : t)
      visit(geometry::placed_point(placed.pose, placed.mesh.vertices()[index]));
  }
}

Extreme extreme_along(const PlacedMesh& placed, const Vector3& direction) {
  Extreme best;
  double size = 0;
  each_corner(placed, [&](const Vector3& point) {
    const double reach = direction.dot(point);
    if (reach > best.reach) best = {reach, point, 0};
    size = std::max(size, point.lpNorm<1>());
  });
  // Six half-ulps of the size for the dot product and the direction's own rounding.
  best.reach += 8 * 0x1p-53 * size;
  best.error = 16 * 0x1p-53 * size;
  return best;
}

Extreme extreme_along(const SimpleShape& shape, const Vector3& direction) {
  const AxisBox box = bounds_of(shape);
  const double size = box.lower.cwiseAbs().cwiseMax(box.upper.cwiseAbs()).sum();
  const Vector3 farthest = geometry::to_vector3(convex::reach(shape, geometry::to_double_double(direction), {}).point);
  const double error = shape.radius * 0x1p-40 + 8 * 0x1p-53 * size;
  return {direction.dot(farthest) + shape.radius + error, farthest + shape.radius * direction, 2 * error};
}

// An upper bound on the depth of two that touch: the convex hulls are parted along the best of a few directions.
template <class B>
Depth hull_depth(const PlacedMesh& a, const B& b, const Vector3& between) {
  std::vector<Vector3> directions;
  for (int axis = 0; axis < 3; ++axis) {
    directions.push_back(Vector3::Unit(axis));
    directions.push_back(a.pose.rotation.col(axis).normalized());
  }
  if (between.stableNorm() > 0) directions.push_back(between.stableNormalized());
  Depth best;
  best.upper = infinity;
  for (const Vector3& axis : directions) {
    for (const double sign : {1.0, -1.0}) {
      const Vector3 direction = sign * axis;
      const Extreme of_a = extreme_along(a, direction);
      const Extreme of_b = extreme_along(b, -direction);
      // Unit vectors only up to rounding, which the factor covers.
      const double overlap = (of_a.reach + of_b.reach) * (1 + 0x1p-49);
      if (overlap < best.upper) {
        best.upper = std::max(overlap, 0.0);
        best.direction = direction;
        best.point_a = of_a.point;
        best.point_b = of_b.point;
      }
    }
  }
  best.stop = Stop::limit;
  return best;
}

// How deep the mesh reaches into a half-space: as deep as its deepest corner. Doubles find the corners that may be it,
// and each is then measured with its rounding accounted for.
Depth half_space_depth(const PlacedMesh& a, const SimpleShape& half_space) {
  const Vector3 down = -half_space.normal.stableNormalized();
  const Extreme lowest = extreme_along(a, down);
  const double near_lowest = lowest.reach - 2 * lowest.error;
  Depth deepest;
  each_corner(a, [&](const Vector3& point) {
    if (down.dot(point) < near_lowest) return;
    const Depth found = convex::depth_simple_simple(convex::simple_point(point), half_space);
    const double lower = std::max(deepest.lower, found.lower);
    if (found.upper > deepest.upper) deepest = found;
    deepest.lower = lower;
  });
  return deepest;
}

// A mesh is as deep in a half-space or plane as its hull is: out through the nearest side.
Depth flat_depth(const PlacedMesh& a, const SimpleShape& flat) {
  SimpleShape half_space = flat;
  half_space.core = SimpleShape::Core::half_space;
  Depth result = half_space_depth(a, half_space);
  if (flat.core == SimpleShape::Core::half_space) return result;
  half_space.normal = -flat.normal;
  half_space.offset = -flat.offset;
  const Depth above = half_space_depth(a, half_space);
  const double lower = std::min(result.lower, above.lower);
  if (above.upper < result.upper) result = above;
  result.lower = lower;
  return result;
}

}  // namespace

bool touches_mesh_mesh(const PlacedMesh& a, const PlacedMesh& b, Cost& cost) {
  return surfaces_touch(MeshSide(a), MeshSide(b), cost) || shared_point(a, b).has_value();
}

bool touches_mesh_simple(const PlacedMesh& a, const SimpleShape& b, Cost& cost) {
  return surfaces_touch(MeshSide(a), single(b), cost) || holds(a, b);
}

Distance distance_mesh_mesh(const PlacedMesh& a, const PlacedMesh& b, const DistanceOptions& options) {
  const Distance result = surface_distance(MeshSide(a), MeshSide(b), options);
  if (result.upper > 0) {
    if (const std::optional<Vector3> point = shared_point(a, b)) return contained(*point, result.cost);
  }
  return result;
}

Distance distance_mesh_simple(const PlacedMesh& a, const SimpleShape& b, const DistanceOptions& options) {
  const Distance result = surface_distance(MeshSide(a), single(b), options);
  if (result.upper > 0 && holds(a, b)) return contained(some_point(b), result.cost);
  return result;
}

Depth depth_mesh_mesh(const PlacedMesh& a, const PlacedMesh& b) {
  require_solid(a.mesh);
  require_solid(b.mesh);
  Cost cost;
  Depth result;
  if (touches_mesh_mesh(a, b, cost)) {
    result = hull_depth(a, b, place(b.pose, b.mesh.centroid()) - place(a.pose, a.mesh.centroid()));
  }
  result.cost = cost;
  return result;
}

Depth depth_mesh_simple(const PlacedMesh& a, const SimpleShape& b) {
  require_solid(a.mesh);
  Cost cost;
  Depth result;
  if (touches_mesh_simple(a, b, cost)) {
    result = b.is_bounded() ? hull_depth(a, b, some_point(b) - place(a.pose, a.mesh.centroid())) : flat_depth(a, b);
  }
  result.cost = cost;
  return result;
}

namespace {

// The first triangle hit.
std::optional<RayHit> cast_ray_surface(const Ray& ray, const PlacedMesh& placed, const RayRange& range) {
  const MeshSide side(placed);
  std::optional<RayHit> best;
  RayRange rest = range;
  std::array<std::uint32_t, 2 * trees::BoxTree::max_depth> stack;
  std::size_t size = 0;
  stack[size++] = 0;
  while (size > 0) {
    const std::uint32_t index = stack[--size];
    if (!ray_axis_box(ray, side.box(index), rest)) continue;
    if (!side.is_leaf(index)) {
      for (const std::uint32_t child : side.children(index))
        stack[size++] = child;
      continue;
    }
    const auto& node = side.node(index);
    for (std::uint32_t i = node.first; i < node.first + node.count; ++i) {
      const std::uint32_t number = side.mesh.tree.order[i];
      const Triangle local = placed.mesh.triangle(number);
      const Triangle triangle = {geometry::placed_point(placed.pose, local.a),
                                 geometry::placed_point(placed.pose, local.b),
                                 geometry::placed_point(placed.pose, local.c)};
      // In the whole range: the hit does not depend on what the tree showed first.
      std::optional<RayHit> hit = ray_triangle(ray, triangle, range);
      if (!hit) continue;
      const bool nearer = !best || hit->t < best->t || (hit->t == best->t && number < best->face->triangle);
      if (!nearer) continue;
      if (hit->face) hit->face->triangle = number;
      best = hit;
      rest.upper = std::min(rest.upper, hit->t_upper);
    }
  }
  return best;
}

// The outward normal where the line entered the solid that it starts in.
Vector3 normal_of_entry(const Ray& ray, const PlacedMesh& solid, double start) {
  if (ray.direction.isZero(0)) return Vector3::Zero();
  const std::optional<RayHit> back = cast_ray_surface({ray.origin, -ray.direction}, solid, {-start, infinity});
  return back ? Vector3(-back->normal) : Vector3(Vector3::Zero());
}

}  // namespace

std::optional<RayHit> cast_ray_mesh(const Ray& ray, const PlacedMesh& placed, const RayRange& range) {
  std::optional<RayHit> wall = cast_ray_surface(ray, placed, range);
  const bool stands = ray.direction.isZero(0);
  // A line comes from outside: what it meets first is the surface.
  if (!placed.mesh.is_solid() || !(range.lower <= range.upper) || (!std::isfinite(range.lower) && !stands)) return wall;
  const double start = std::isfinite(range.lower) ? range.lower : std::min(0.0, range.upper);
  const Vector3 way = stands ? Vector3(Vector3::Zero()) : Vector3(start * ray.direction);
  const Vector3 point = ray.origin + way;
  // A ray without end that starts inside leaves through the surface.
  if (!wall && !stands && range.upper == infinity) return wall;
  const double rounding = way.isZero(0) ? 0 : 0x1p-51 * (way.lpNorm<1>() + point.lpNorm<1>());
  if (!std::isfinite(rounding)) return wall;  // beyond any mesh
  const bool inside = is_inside(placed, point);
  Cost cost;
  // The surface is farther away than the point was rounded by, so that both are on the same side of it.
  const bool proven = !surfaces_touch(MeshSide(placed), single(convex::simple_point(point, rounding)), cost);
  if (proven ? !inside : rounding == 0) return wall;  // outside, or exactly on the surface
  if (!inside && wall) {
    wall->t_lower = start;
    return wall;
  }
  RayHit hit;
  hit.t = hit.t_lower = hit.t_upper = start;
  if (!proven) hit.t_upper = wall ? wall->t_upper : start;
  hit.certain = proven || wall.has_value();
  hit.point = point;
  hit.normal = normal_of_entry(ray, placed, start);
  hit.inside = true;
  return hit;
}

}  // namespace whisker::mesh
