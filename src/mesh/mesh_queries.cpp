#include "mesh/mesh_queries.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <whisker/error.hpp>

#include "convex/certificate.hpp"
#include "convex/simple_distance.hpp"
#include "mesh/pair_walk.hpp"

namespace whisker::mesh {

using convex::SimpleShape;

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
    box.lower[i] = std::nextafter(box.lower[i] - shape.radius, -HUGE_VAL);
    box.upper[i] = std::nextafter(box.upper[i] + shape.radius, HUGE_VAL);
  }
  return box;
}

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

SingleSide single(const SimpleShape& shape) { return {shape, bounds_of(shape)}; }

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
  double lower = infinity;
  Cost cost;
  walk_pairs(
      a, b, cost, [&](double gap) { return gap < best.upper - options.tolerance; },
      [&](const SimpleShape& item_a, const SimpleShape& item_b) {
        const Distance found = convex::distance_simple_simple(item_a, item_b);
        lower = std::min(lower, found.lower);
        if (found.upper < best.upper) best = found;
        return best.upper == 0;
      });
  best.lower = std::max(0.0, std::min(lower, best.upper - options.tolerance));
  best.cost = cost;
  best.stop = options.tolerance > 0 && best.upper > best.lower ? Stop::tolerance : Stop::exact;
  return best;
}

// A point of the shape; only asked of shapes that do not touch a surface, so any point decides.
Vector3 some_point(const SimpleShape& shape) {
  return shape.core == SimpleShape::Core::box ? shape.pose.translation : shape.corners.a;
}

Vector3 some_point(const PlacedMesh& mesh) {
  return geometry::placed_point(mesh.pose, mesh.mesh.vertices()[mesh.mesh.triangles()[0][0]]);
}

bool is_inside(const PlacedMesh& solid, const Vector3& point) {
  return solid.mesh.is_solid() && geometry::placed_box(solid.mesh.bounds(), solid.pose).contains(point) &&
         winding_number(solid, point) != 0;
}

// One vertex of each connected part of a mesh, by union over its triangles: where surfaces do not touch, a part is
// inside a solid or outside as a whole, but one part may be inside and the next outside.
std::vector<Vector3> part_points(const PlacedMesh& placed) {
  const std::size_t count = placed.mesh.vertices().size();
  std::vector<std::uint32_t> parent(count);
  for (std::size_t i = 0; i < count; ++i) parent[i] = static_cast<std::uint32_t>(i);
  const auto root = [&](std::uint32_t v) {
    while (parent[v] != v) v = parent[v] = parent[parent[v]];
    return v;
  };
  for (const Index3& t : placed.mesh.triangles()) {
    parent[root(t[1])] = root(t[0]);
    parent[root(t[2])] = root(t[0]);
  }
  std::vector<bool> seen(count, false);
  std::vector<Vector3> points;
  for (const Index3& t : placed.mesh.triangles()) {
    const std::uint32_t part = root(t[0]);
    if (!seen[part]) points.push_back(geometry::placed_point(placed.pose, placed.mesh.vertices()[t[0]]));
    seen[part] = true;
  }
  return points;
}

bool holds_part(const PlacedMesh& solid, const PlacedMesh& other) {
  if (!solid.mesh.is_solid()) return false;
  const AxisBox box = geometry::placed_box(solid.mesh.bounds(), solid.pose);
  if (!box.overlaps(geometry::placed_box(other.mesh.bounds(), other.pose))) return false;
  const std::vector<Vector3> points = part_points(other);
  return std::any_of(points.begin(), points.end(), [&](const Vector3& point) { return is_inside(solid, point); });
}

// Of two whose surfaces do not touch: does one lie, or a part of it, inside the other?
bool one_holds_other(const PlacedMesh& a, const PlacedMesh& b) { return holds_part(a, b) || holds_part(b, a); }

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
    throw Error("depth: the mesh is a surface, which has no inside to overlap; make it solid() first (it must be closed)");
  }
}

// How far a set reaches along a direction, in double, never too little.
double reach(const PlacedMesh& placed, const Vector3& direction) {
  double best = -infinity;
  double size = 0;
  for (const Index3& t : placed.mesh.triangles()) {
    for (const std::uint32_t index : t) {
      const Vector3 point = geometry::placed_point(placed.pose, placed.mesh.vertices()[index]);
      best = std::max(best, direction.dot(point));
      size = std::max(size, point.lpNorm<1>());
    }
  }
  return best + 8 * 0x1p-53 * size;
}

double reach(const SimpleShape& shape, const Vector3& direction) {
  const AxisBox box = bounds_of(shape);
  const double size = box.lower.cwiseAbs().cwiseMax(box.upper.cwiseAbs()).sum();
  const Vector3 farthest = geometry::to_vector3(convex::reach(shape, geometry::to_double_double(direction), {}).point);
  return direction.dot(farthest) + shape.radius * (1 + 0x1p-40) + 8 * 0x1p-53 * size;
}

// An upper bound on the depth of two that touch: the convex hulls are parted along the best of a few directions.
template <class B>
Depth hull_depth(const PlacedMesh& a, const B& b, const Vector3& between) {
  std::vector<Vector3> directions;
  for (int axis = 0; axis < 3; ++axis) {
    directions.push_back(Vector3::Unit(axis));
    directions.push_back(a.pose.rotation.col(axis));
  }
  if (between.norm() > 0) directions.push_back(between.normalized());
  Depth best;
  best.upper = infinity;
  for (const Vector3& axis : directions) {
    for (const double sign : {1.0, -1.0}) {
      const Vector3 direction = sign * axis;
      // Unit vectors only up to rounding, which the factor covers.
      const double overlap = (reach(a, direction) + reach(b, -direction)) * (1 + 0x1p-28);
      if (overlap < best.upper) {
        best.upper = std::max(overlap, 0.0);
        best.direction = direction;
      }
    }
  }
  best.stop = Stop::limit;
  return best;
}

}  // namespace

bool touches_mesh_mesh(const PlacedMesh& a, const PlacedMesh& b, Cost& cost) {
  return surfaces_touch(MeshSide(a), MeshSide(b), cost) || one_holds_other(a, b);
}

bool touches_mesh_simple(const PlacedMesh& a, const SimpleShape& b, Cost& cost) {
  return surfaces_touch(MeshSide(a), single(b), cost) || holds(a, b);
}

Distance distance_mesh_mesh(const PlacedMesh& a, const PlacedMesh& b, const DistanceOptions& options) {
  const Distance result = surface_distance(MeshSide(a), MeshSide(b), options);
  if (result.upper > 0 && one_holds_other(a, b)) return contained(some_point(is_inside(a, some_point(b)) ? b : a), result.cost);
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
    if (!b.is_bounded()) {
      // Every vertex counts, and only the plane's two sides: the depth of the hull is the depth of the mesh.
      const Vector3 normal = b.normal.normalized();
      const double border = normal.dot(b.pose.translation) + b.offset / b.normal.norm();
      const double slack = 0x1p-45 * (std::abs(border) + b.pose.translation.lpNorm<1>() + std::abs(reach(a, normal)) +
                                      std::abs(reach(a, -normal)));
      const double below = border + reach(a, -normal);
      const double above = reach(a, normal) - border;
      const bool upward = b.core == SimpleShape::Core::half_space || below <= above;
      const double depth = upward ? below : above;
      result.lower = std::max(0.0, depth - slack);
      result.upper = std::max(0.0, depth + slack);
      result.direction = upward ? Vector3(-normal) : normal;
    } else {
      result = hull_depth(a, b, some_point(b) - place(a.pose, a.mesh.centroid()));
    }
  }
  result.cost = cost;
  return result;
}

std::optional<RayHit> cast_ray_mesh(const Ray& ray, const PlacedMesh& placed, const RayRange& range) {
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
      for (const std::uint32_t child : side.children(index)) stack[size++] = child;
      continue;
    }
    const auto& node = side.node(index);
    for (std::uint32_t i = node.first; i < node.first + node.count; ++i) {
      const std::uint32_t number = side.mesh.tree.order[i];
      const Triangle local = placed.mesh.triangle(number);
      const Triangle triangle = {geometry::placed_point(placed.pose, local.a), geometry::placed_point(placed.pose, local.b),
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

}  // namespace whisker::mesh
